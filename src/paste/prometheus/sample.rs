//! One sample line: its name, labels, value, timestamp and exemplar. The grammar that the tolerant
//! reader and the strict check share: what can be read is read, and each breach is noted on the way.

use super::arena::{Arena, ExemplarRecord, Label, Record, Span};
use super::number::number;
use super::rule::{Breach, Rule};
use memchr::{memchr, memchr2};
use std::ops::Range;

/// What the line before this one began with, so that a line that begins alike need not be parsed again: three of
/// four histogram lines differ from the previous one only from `le` on.
#[derive(Debug, Clone, Default)]
pub(super) struct Previous {
    name: Range<usize>,
    /// From the opening brace to the closing quote of the last label before `le`.
    prefix: Range<usize>,
    labels_start: u32,
    labels_count: u16,
}

/// What one line is parsed from and into.
pub(super) struct Line<'t, 'a> {
    /// The text that holds the line.
    pub source: &'t [u8],
    /// Where `source` begins in the address space of [`Span`].
    pub base: u32,
    pub arena: &'a mut Arena,
    pub previous: &'a mut Previous,
    pub breaches: &'a mut Vec<Breach>,
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

const NAME: u8 = 1;
const LABEL_NAME: u8 = 2;
const DIGIT: u8 = 4;

/// Which names a byte may be part of.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => NAME | LABEL_NAME,
            b'0'..=b'9' => NAME | LABEL_NAME | DIGIT,
            b':' => NAME,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// The end of the name that starts at `at`; `at` itself if none does.
#[inline]
pub(super) fn name_end(bytes: &[u8], at: usize, colons: bool) -> usize {
    let class = if colons { NAME } else { LABEL_NAME };
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first() {
        Some(first) if CLASSES[*first as usize] & (class | DIGIT) == class => {}
        _ => return at,
    }
    at + rest.iter().position(|byte| CLASSES[*byte as usize] & class == 0).unwrap_or(rest.len())
}

impl Line<'_, '_> {
    /// Parses the line in `range` (without its line feed) and puts the sample into the arena.
    pub fn sample(&mut self, range: Range<usize>, number_of_line: u32) -> Result<(), Breach> {
        let labels = self.arena.labels.len();
        let exemplars = self.arena.exemplars.len();
        let start = range.start;
        let result = self.parse(range, number_of_line);
        if result.is_err() {
            self.arena.labels.truncate(labels);
            self.arena.exemplars.truncate(exemplars);
        }
        result.map(|record| self.arena.records.push(record)).map_err(|(at, rule)| Breach { at: at - start, rule })
    }

    #[inline]
    fn parse(&mut self, range: Range<usize>, line: u32) -> Result<Record, (usize, Rule)> {
        let Range { start, end } = range;
        let bytes = self.source.get(..end).unwrap_or_default();
        let mut record = Record {
            name: Span::default(),
            shared_start: 0,
            own_start: self.arena.labels.len() as u32,
            shared_count: 0,
            own_count: 0,
            line,
            value: 0.0,
            timestamp: f64::NAN,
        };
        let mut at = start;
        if bytes.get(at).copied().is_some_and(is_blank) {
            self.note(start, start, Rule::ExtraBlank);
            at = skip_blanks(bytes, at);
        }

        let known = bytes.get(self.previous.name.clone()).unwrap_or_default();
        let after = at + known.len();
        let name = if !known.is_empty() && bytes.get(after) == Some(&b'{') && bytes.get(at..after) == Some(known) {
            at..after
        } else {
            at..name_end(bytes, at, true)
        };
        at = name.end;
        if name.is_empty() {
            match bytes.get(at) {
                Some(b'{') => {}
                Some(b'"') => {
                    self.note(start, at, Rule::QuotedNameOutside);
                    (record.name, at) = self.quoted(bytes, start, at)?;
                }
                _ => return Err((at, Rule::NotASample)),
            }
        } else {
            record.name = self.span(name.clone());
        }
        let brace = skip_blanks(bytes, at);
        if bytes.get(brace) == Some(&b'{') {
            if brace > at {
                self.note(start, at, Rule::ExtraBlank);
            }
            at = self.labels(bytes, start, brace, &mut record)?;
            self.previous.name = name;
        }
        if record.name.length == 0 {
            return Err((brace.min(end), Rule::MissingName));
        }
        self.value(bytes, start, at, &mut record)?;
        Ok(record)
    }

    /// Value, timestamp and exemplar from `at` on, the end of the series.
    #[inline]
    fn value(&mut self, bytes: &[u8], start: usize, mut at: usize, record: &mut Record) -> Result<(), (usize, Rule)> {
        at = self.separator(bytes, start, at);
        if bytes.get(at) == Some(&b'|') {
            self.note(start, at, Rule::TableRow);
            at = skip_blanks(bytes, at + 1);
        }
        let token = token_at(bytes, at);
        if token.is_empty() {
            return Err((at, Rule::MissingValue));
        }
        let Some(value) = number(token) else {
            let composite = token.first() == Some(&b'{') && memchr(b':', token).is_some();
            return Err((at, if composite { Rule::CompositeValue } else { Rule::BadNumber }));
        };
        if let Some(rule) = value.deviation {
            self.note(start, at, rule);
        }
        record.value = value.value;
        at += token.len();
        if at == bytes.len() {
            return Ok(());
        }
        self.rest(bytes, start, at, record)
    }

    /// What may follow the value.
    fn rest(&mut self, bytes: &[u8], start: usize, mut at: usize, record: &mut Record) -> Result<(), (usize, Rule)> {
        at = self.separator(bytes, start, at);
        let token = token_at(bytes, at);
        if !matches!(token.first(), None | Some(b'#' | b's' | b'|')) {
            let Some(time) = number(token) else { return Err((at, Rule::BadTimestamp)) };
            self.note_timestamp(start, at, token, time.value, time.integer);
            record.timestamp = if time.value.is_finite() { time.value } else { f64::NAN };
            at = self.separator(bytes, start, at + token.len());
        }
        if let Some(time) = token_at(bytes, at).strip_prefix(b"st@") {
            if number(time).is_none() {
                return Err((at, Rule::BadTimestamp));
            }
            self.note(start, at, Rule::StartTimestamp);
            at = self.separator(bytes, start, at + 3 + time.len());
        }
        // A Markdown table row ends in a bar.
        if bytes.get(at) == Some(&b'|') && skip_blanks(bytes, at + 1) == bytes.len() {
            self.note(start, at, Rule::TableRow);
            return Ok(());
        }
        match bytes.get(at) {
            None => Ok(()),
            Some(b'#') => {
                self.note(start, at, Rule::Exemplar);
                let labels = self.arena.labels.len();
                if let Err((bad, rule)) = self.exemplar(bytes, start, at) {
                    self.arena.labels.truncate(labels);
                    self.note(start, bad, if rule == Rule::DuplicateLabel { rule } else { Rule::BadExemplar });
                }
                Ok(())
            }
            Some(_) => Err((at, Rule::TrailingText)),
        }
    }

    /// An exemplar, `# {labels} value [timestamp]`, whose `#` is at `at`.
    fn exemplar(&mut self, bytes: &[u8], start: usize, at: usize) -> Result<(), (usize, Rule)> {
        let mut at = at + 1;
        if bytes.get(at) != Some(&b' ') {
            self.note(start, at, Rule::MissingBlank);
        }
        at = self.separator(bytes, start, at);
        if bytes.get(at) != Some(&b'{') {
            return Err((at, Rule::BadExemplar));
        }
        let labels_start = self.arena.labels.len() as u32;
        let mut unnamed = Record {
            name: Span::default(),
            shared_start: 0,
            own_start: labels_start,
            shared_count: 0,
            own_count: 0,
            line: 0,
            value: 0.0,
            timestamp: f64::NAN,
        };
        at = self.pairs(bytes, start, at + 1, &mut unnamed)?;
        if unnamed.name.length > 0 {
            return Err((at, Rule::BadExemplar));
        }
        at = self.separator(bytes, start, at);
        let token = token_at(bytes, at);
        let Some(value) = number(token) else { return Err((at, Rule::BadExemplar)) };
        at += token.len();
        let mut timestamp = f64::NAN;
        if at < bytes.len() {
            at = self.separator(bytes, start, at);
            let token = token_at(bytes, at);
            if !token.is_empty() {
                let Some(time) = number(token) else { return Err((at, Rule::BadExemplar)) };
                if !time.value.is_finite() {
                    return Err((at, Rule::TimestampNotFinite));
                }
                timestamp = time.value;
                at = self.separator(bytes, start, at + token.len());
            }
        }
        if at < bytes.len() {
            return Err((at, Rule::BadExemplar));
        }
        self.arena.exemplars.push(ExemplarRecord {
            sample: self.arena.records.len() as u32,
            labels_start,
            labels_count: unnamed.own_count,
            value: value.value,
            timestamp,
        });
        Ok(())
    }

    /// The labels in the braces that open at `brace`; returns the place after the closing one.
    #[inline]
    fn labels(
        &mut self,
        bytes: &[u8],
        start: usize,
        brace: usize,
        record: &mut Record,
    ) -> Result<usize, (usize, Rule)> {
        let prefix = bytes.get(self.previous.prefix.clone()).unwrap_or_default();
        let after = brace + prefix.len();
        if !prefix.is_empty() && bytes.get(brace..after) == Some(prefix) {
            let at = match bytes.get(after) {
                Some(b'}') => Some(after),
                Some(b',') if bytes.get(after + 1).is_some_and(|byte| CLASSES[*byte as usize] != 0) => Some(after + 1),
                _ => None,
            };
            if let Some(at) = at {
                record.shared_start = self.previous.labels_start;
                record.shared_count = self.previous.labels_count;
                return self.pairs(bytes, start, at, record);
            }
        }
        let first = self.arena.labels.len();
        let named = record.name.length > 0;
        let breaches = self.breaches.len();
        let at = self.pairs(bytes, start, brace + 1, record)?;
        // Remember the labels before `le`, or before the last one: what the next line is likely to share.
        let labels = self.arena.labels.get(first..).unwrap_or_default();
        let kept = (labels.iter())
            .position(|label| label.name.length == 2 && self.is_le(label))
            .unwrap_or(labels.len().saturating_sub(1));
        self.previous.prefix = 0..0;
        if let Some(last) = kept.checked_sub(1).and_then(|last| labels.get(last))
            && named
            && self.breaches.len() == breaches
            && last.value.start >= self.base
        {
            let end = (last.value.start - self.base + last.value.length) as usize + 1;
            if bytes.get(end - 1) == Some(&b'"') && (brace..bytes.len()).contains(&end) {
                self.previous.prefix = brace..end;
                self.previous.labels_start = first as u32;
                self.previous.labels_count = kept as u16;
            }
        }
        Ok(at)
    }

    fn is_le(&self, label: &Label) -> bool {
        let start = label.name.start.wrapping_sub(self.base) as usize;
        self.source.get(start..start + 2) == Some(b"le")
    }

    /// Label pairs up to and with the closing brace.
    #[inline]
    fn pairs(
        &mut self,
        bytes: &[u8],
        start: usize,
        mut at: usize,
        record: &mut Record,
    ) -> Result<usize, (usize, Rule)> {
        let mut comma = false;
        loop {
            at = self.inner_blanks(bytes, start, at);
            let name_start = at;
            at = name_end(bytes, at, false);
            let mut name = self.span(name_start..at);
            if at == name_start {
                match bytes.get(at) {
                    None => return Err((at, Rule::OpenBraces)),
                    Some(b'}') => {
                        if comma {
                            self.note(start, at - 1, Rule::TrailingComma);
                        }
                        return Ok(at + 1);
                    }
                    Some(b',') => {
                        self.note(start, at, Rule::StrayComma);
                        at += 1;
                        continue;
                    }
                    Some(b'"') => (name, at) = self.quoted(bytes, start, at)?,
                    Some(_) => return Err((at, Rule::LabelName)),
                }
            }
            at = self.inner_blanks(bytes, start, at);
            if bytes.get(at) != Some(&b'=') {
                let quoted = bytes.get(name_start) == Some(&b'"');
                let first = record.own_count + record.shared_count == 0 && !comma;
                match bytes.get(at) {
                    Some(b',' | b'}') if quoted && name.length == 0 => return Err((name_start, Rule::EmptyName)),
                    Some(b',' | b'}') if record.name.length == 0 && (quoted || first) => {
                        if !quoted {
                            self.note(start, name_start, Rule::BareNameInBraces);
                        } else if !first {
                            self.note(start, name_start, Rule::NameNotFirst);
                        }
                        record.name = name;
                    }
                    None => return Err((at, Rule::OpenBraces)),
                    Some(_) => return Err((at, Rule::MissingEquals)),
                }
            } else {
                if name.length == 0 {
                    return Err((name_start, Rule::EmptyName));
                }
                at = self.inner_blanks(bytes, start, at + 1);
                match bytes.get(at) {
                    Some(b'"') => {}
                    None => return Err((at, Rule::OpenBraces)),
                    Some(_) => return Err((at, Rule::UnquotedValue)),
                }
                let value;
                (value, at) = self.quoted(bytes, start, at)?;
                self.push_label(start, name_start, Label { name, value }, record)?;
            }
            if bytes.get(at).copied().is_some_and(is_blank) {
                at = self.inner_blanks(bytes, start, at);
            }
            match bytes.get(at) {
                Some(b',') => {
                    comma = true;
                    at += 1;
                }
                Some(b'}') => return Ok(at + 1),
                None => return Err((at, Rule::OpenBraces)),
                Some(next) if CLASSES[*next as usize] & (LABEL_NAME | DIGIT) == LABEL_NAME && is_pair(bytes, at) => {
                    comma = false;
                    self.note(start, at, Rule::MissingComma);
                }
                Some(_) => return Err((at, Rule::TextAfterLabel)),
            }
        }
    }

    #[inline]
    fn push_label(&mut self, start: usize, at: usize, label: Label, record: &mut Record) -> Result<(), (usize, Rule)> {
        let shared = record.shared_start as usize..record.shared_start as usize + record.shared_count as usize;
        let own = record.own_start as usize..;
        let labels = &self.arena.labels;
        let earlier = labels.get(shared).into_iter().chain(labels.get(own)).flatten();
        // Names that differ in length, first or last byte differ; nearly all do.
        let mut twins = earlier.filter(|other| other.name.length == label.name.length);
        let pool = self.arena.pool.as_bytes();
        let bytes_of = |span: Span| {
            let within = |from: u32| {
                let offset = span.start.wrapping_sub(from) as usize;
                offset..offset.saturating_add(span.length as usize)
            };
            self.source.get(within(self.base)).or_else(|| pool.get(within(self.arena.pool_start))).unwrap_or_default()
        };
        let name = bytes_of(label.name);
        if twins.any(|other| bytes_of(other.name) == name) {
            self.note(start, at, Rule::DuplicateLabel);
        }
        if record.own_count as u32 + record.shared_count as u32 >= u32::from(u16::MAX) {
            return Err((at, Rule::TooManyLabels));
        }
        self.arena.labels.push(label);
        record.own_count += 1;
        Ok(())
    }

    /// The quoted text that opens at `at`, and the place after its closing quote.
    #[inline]
    fn quoted(&mut self, bytes: &[u8], start: usize, at: usize) -> Result<(Span, usize), (usize, Rule)> {
        let inside = at + 1;
        let rest = bytes.get(inside..).unwrap_or_default();
        match memchr2(b'"', b'\\', rest) {
            Some(length) if rest.get(length) == Some(&b'"') => {
                Ok((self.span(inside..inside + length), inside + length + 1))
            }
            Some(_) => self.escaped(bytes, start, at),
            None => Err((at, Rule::OpenQuote)),
        }
    }

    /// Quoted text with escapes: unescaped, in one pass from left to right, into the pool.
    #[cold]
    fn escaped(&mut self, bytes: &[u8], start: usize, at: usize) -> Result<(Span, usize), (usize, Rule)> {
        let mut text = Vec::new();
        let mut next = at + 1;
        loop {
            let rest = bytes.get(next..).unwrap_or_default();
            let Some(length) = memchr2(b'"', b'\\', rest) else { return Err((at, Rule::OpenQuote)) };
            text.extend_from_slice(rest.get(..length).unwrap_or_default());
            next += length + 1;
            if rest.get(length) == Some(&b'"') {
                break;
            }
            match bytes.get(next) {
                Some(b'n') => text.push(b'\n'),
                Some(b'"') => text.push(b'"'),
                Some(b'\\') => text.push(b'\\'),
                Some(_) => {
                    self.note(start, next - 1, Rule::UnknownEscape);
                    text.push(b'\\');
                    continue;
                }
                None => return Err((at, Rule::OpenQuote)),
            }
            next += 1;
        }
        let text = String::from_utf8(text).unwrap_or_default();
        Ok((self.arena.pool(&text), next))
    }

    /// Skips the blanks between two tokens, noting where they are not exactly one space.
    #[inline]
    fn separator(&mut self, bytes: &[u8], start: usize, at: usize) -> usize {
        if bytes.get(at) == Some(&b' ') && bytes.get(at + 1).is_some_and(|next| !is_blank(*next)) {
            return at + 1;
        }
        let end = skip_blanks(bytes, at);
        if end > at {
            self.note(start, at, Rule::ExtraBlank);
        } else if end < bytes.len() {
            self.note(start, at, Rule::MissingBlank);
        }
        end
    }

    #[inline]
    fn inner_blanks(&mut self, bytes: &[u8], start: usize, at: usize) -> usize {
        if bytes.get(at).copied().is_some_and(is_blank) {
            self.note(start, at, Rule::ExtraBlank);
            return skip_blanks(bytes, at);
        }
        at
    }

    fn note_timestamp(&mut self, start: usize, at: usize, token: &[u8], time: f64, integer: bool) {
        if !time.is_finite() {
            self.note(start, at, Rule::TimestampNotFinite);
        } else if !integer || std::str::from_utf8(token).ok().and_then(|text| text.parse::<i64>().ok()).is_none() {
            self.note(start, at, Rule::TimestampForm);
        }
    }

    #[cold]
    fn note(&mut self, start: usize, at: usize, rule: Rule) {
        self.breaches.push(Breach { at: at - start, rule });
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span { start: self.base + range.start as u32, length: range.len() as u32 }
    }
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !is_blank(*byte)).unwrap_or(rest.len())
}

/// The token at `at`: everything up to the next blank.
#[inline]
fn token_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
    rest.get(..length).unwrap_or_default()
}

/// Whether `name="` stands at `at`: the next label after a forgotten comma.
fn is_pair(bytes: &[u8], at: usize) -> bool {
    let equals = skip_blanks(bytes, name_end(bytes, at, false));
    bytes.get(equals) == Some(&b'=') && bytes.get(skip_blanks(bytes, equals + 1)) == Some(&b'"')
}
