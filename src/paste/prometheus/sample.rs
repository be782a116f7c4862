//! One sample line: its name, labels, value, timestamp and exemplar. The grammar that the tolerant
//! reader and the strict check share: what can be read is read, and each breach is noted on the way.

use super::arena::{Arena, ExemplarRecord, Label, Record, Span};
use super::number::{leading_number, number};
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
    /// From the closing quote of `le` to the closing brace.
    tail: Range<usize>,
    tail_labels: Range<usize>,
}

/// More labels than any server gives a sample; each is compared with the others.
const MOST_LABELS: u16 = 1024;

/// A name with labels: those shared with an earlier line and how many of its own.
#[derive(Debug, Clone, Copy, Default)]
struct Series {
    name: Span,
    shared_start: u32,
    shared_count: u16,
    own_count: u16,
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
        match self.parse(range) {
            Ok((series, value, timestamp)) => {
                if !timestamp.is_nan() {
                    self.arena.times.push((self.arena.records.len() as u32, timestamp));
                }
                let Series { name, shared_start, shared_count, own_count } = series;
                let own_start = labels as u32;
                let line = number_of_line;
                let record = Record { name, shared_start, own_start, shared_count, own_count, line, value };
                self.arena.records.push(record);
                Ok(())
            }
            Err((at, rule)) => {
                self.arena.labels.truncate(labels);
                self.arena.exemplars.truncate(exemplars);
                // It may point at what is gone now.
                *self.previous = Previous::default();
                Err(Breach { at: at - start, rule })
            }
        }
    }

    /// The series, its value, and its timestamp (NaN where there is none). All by value: a record filled in
    /// place and then copied costs more than parsing does.
    #[inline(always)]
    fn parse(&mut self, range: Range<usize>) -> Result<(Series, f64, f64), (usize, Rule)> {
        let Range { start, end } = range;
        let bytes = self.source.get(..end).unwrap_or_default();
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
        let mut series = Series::default();
        if name.is_empty() {
            match bytes.get(at) {
                Some(b'{') => {}
                Some(b'"') => {
                    self.note(start, at, Rule::QuotedNameOutside);
                    (series.name, at) = self.quoted(bytes, start, at)?;
                }
                _ => return Err((at, Rule::NotASample)),
            }
        } else {
            series.name = self.span(name.clone());
        }
        let brace = skip_blanks(bytes, at);
        if bytes.get(brace) == Some(&b'{') {
            if brace > at {
                self.note(start, at, Rule::ExtraBlank);
            }
            (at, series) = self.labels(bytes, start, brace, series)?;
            self.previous.name = name;
        }
        if series.name.length == 0 {
            return Err((brace.min(end), Rule::MissingName));
        }
        let (value, timestamp) = self.value(bytes, start, at)?;
        Ok((series, value, timestamp))
    }

    /// Value, timestamp and exemplar from `at` on, the end of the series.
    #[inline]
    fn value(&mut self, bytes: &[u8], start: usize, mut at: usize) -> Result<(f64, f64), (usize, Rule)> {
        at = self.separator(bytes, start, at);
        if bytes.get(at) == Some(&b'|') {
            self.note(start, at, Rule::TableRow);
            at = skip_blanks(bytes, at + 1);
        }
        let Some((value, length)) = leading_number(bytes.get(at..).unwrap_or_default()) else {
            let token = token_at(bytes, at);
            let composite = token.first() == Some(&b'{') && memchr(b':', token).is_some();
            return Err(match token {
                [] => (at, Rule::MissingValue),
                _ if composite => (at, Rule::CompositeValue),
                _ => (at, Rule::BadNumber),
            });
        };
        if let Some(rule) = value.deviation {
            self.note(start, at, rule);
        }
        at += length;
        let timestamp = if at == bytes.len() { f64::NAN } else { self.rest(bytes, start, at)? };
        Ok((value.value, timestamp))
    }

    /// What may follow the value; returns the timestamp.
    fn rest(&mut self, bytes: &[u8], start: usize, mut at: usize) -> Result<f64, (usize, Rule)> {
        let mut timestamp = f64::NAN;
        at = self.separator(bytes, start, at);
        let token = token_at(bytes, at);
        if !matches!(token.first(), None | Some(b'#' | b's' | b'|')) {
            let Some(time) = number(token) else { return Err((at, Rule::BadTimestamp)) };
            self.note_timestamp(start, at, token, time.value, time.integer);
            timestamp = if time.value.is_finite() { time.value } else { f64::NAN };
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
            return Ok(timestamp);
        }
        match bytes.get(at) {
            None => Ok(timestamp),
            Some(b'#') => {
                self.note(start, at, Rule::Exemplar);
                let labels = self.arena.labels.len();
                if let Err((bad, rule)) = self.exemplar(bytes, start, at) {
                    self.arena.labels.truncate(labels);
                    self.note(start, bad, if rule == Rule::DuplicateLabel { rule } else { Rule::BadExemplar });
                }
                Ok(timestamp)
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
        let series;
        (at, series) = self.pairs(bytes, start, at + 1, Series::default(), labels_start)?;
        if series.name.length > 0 {
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
            labels_count: series.own_count,
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
        mut series: Series,
    ) -> Result<(usize, Series), (usize, Rule)> {
        let own_start = self.arena.labels.len() as u32;
        let prefix = bytes.get(self.previous.prefix.clone()).unwrap_or_default();
        let after = brace + prefix.len();
        if !prefix.is_empty() && series.name.length > 0 && bytes.get(brace..after) == Some(prefix) {
            let shared = self.previous.labels_count;
            let at = match bytes.get(after) {
                Some(b'}') => Some(after),
                Some(b',') if shared > 0 && bytes.get(after + 1).is_some_and(|byte| CLASSES[*byte as usize] != 0) => {
                    Some(after + 1)
                }
                Some(_) if shared == 0 => Some(after),
                _ => None,
            };
            if let Some(at) = at {
                let bucket = bytes.get(at..).is_some_and(|rest| rest.starts_with(b"le=\""));
                let end = if bucket { self.another_bucket(bytes, at) } else { None };
                if end.is_some() || (!bucket && shared > 0) {
                    series.shared_start = self.previous.labels_start;
                    series.shared_count = shared;
                }
                if let Some((end, own_count)) = end {
                    series.own_count = own_count;
                    return Ok((end, series));
                }
                if !bucket && shared > 0 {
                    return self.pairs(bytes, start, at, series, own_start);
                }
            }
        }
        let breaches = self.breaches.len();
        let (at, series) = self.pairs(bytes, start, brace + 1, series, own_start)?;
        let plain = self.breaches.len() == breaches;
        self.previous.prefix = 0..0;
        if plain {
            self.remember(bytes, brace..at, own_start as usize);
        }
        Ok((at, series))
    }

    /// Remembers the labels before `le`, or before the last one, and those after `le`: what the next line is likely
    /// to share.
    fn remember(&mut self, bytes: &[u8], braces: Range<usize>, first: usize) {
        let labels = self.arena.labels.get(first..).unwrap_or_default();
        let le = labels.iter().position(|label| label.name.length == 2 && self.is_le(label));
        let kept = le.unwrap_or(labels.len().saturating_sub(1));
        // The place after a label's closing quote; `None` where its value is not as written.
        let end_of = |label: &Label| {
            let end = label.value.start.checked_sub(self.base)? as usize + label.value.length as usize;
            (braces.contains(&end) && bytes.get(end) == Some(&b'"')).then_some(end + 1)
        };
        let prefix_end = match kept.checked_sub(1) {
            None => Some(braces.start + 1),
            Some(last) => labels.get(last).and_then(end_of),
        };
        let tail_start = le.and_then(|le| labels.get(le)).and_then(end_of);
        let Some(prefix_end) = prefix_end else { return };
        self.previous.prefix = braces.start..prefix_end;
        self.previous.labels_start = first as u32;
        self.previous.labels_count = kept as u16;
        self.previous.tail = tail_start.map_or(0..0, |start| start - 1..braces.end);
        self.previous.tail_labels = le.map_or(0..0, |le| first + le + 1..first + labels.len());
    }

    /// A line that differs from an earlier bucket's in the value of `le` alone, from `at` on; returns the place
    /// after its closing brace and how many labels there are from `at` on.
    #[inline(always)]
    fn another_bucket(&mut self, bytes: &[u8], at: usize) -> Option<(usize, u16)> {
        let tail = bytes.get(self.previous.tail.clone()).filter(|tail| !tail.is_empty())?;
        let value = at + b"le=\"".len();
        let length = bytes.get(value..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        let end = value + length + tail.len();
        let after = self.previous.tail_labels.clone();
        if bytes.get(value + length..end)? != tail || after.end > self.arena.labels.len() {
            return None;
        }
        self.arena.labels.push(Label { name: self.span(at..at + 2), value: self.span(value..value + length) });
        let count = 1 + after.len() as u16;
        self.arena.labels.extend_from_within(after);
        Some((end, count))
    }

    fn is_le(&self, label: &Label) -> bool {
        let start = label.name.start.wrapping_sub(self.base) as usize;
        self.source.get(start..start + 2) == Some(b"le")
    }

    /// Label pairs up to and with the closing brace; returns the place after it and the series with them.
    fn pairs(
        &mut self,
        bytes: &[u8],
        start: usize,
        mut at: usize,
        mut series: Series,
        own_start: u32,
    ) -> Result<(usize, Series), (usize, Rule)> {
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
                        return Ok((at + 1, series));
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
                let first = series.own_count + series.shared_count == 0 && !comma;
                match bytes.get(at) {
                    Some(b',' | b'}') if quoted && name.length == 0 => return Err((name_start, Rule::EmptyName)),
                    Some(b',' | b'}') if series.name.length == 0 && (quoted || first) => {
                        if !quoted {
                            self.note(start, name_start, Rule::BareNameInBraces);
                        } else if !first {
                            self.note(start, name_start, Rule::NameNotFirst);
                        }
                        series.name = name;
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
                self.push_label(start, name_start, Label { name, value }, &mut series, own_start)?;
            }
            if bytes.get(at).copied().is_some_and(is_blank) {
                at = self.inner_blanks(bytes, start, at);
            }
            match bytes.get(at) {
                Some(b',') => {
                    comma = true;
                    at += 1;
                }
                Some(b'}') => return Ok((at + 1, series)),
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
    fn push_label(
        &mut self,
        start: usize,
        at: usize,
        label: Label,
        series: &mut Series,
        own_start: u32,
    ) -> Result<(), (usize, Rule)> {
        let shared = series.shared_start as usize..series.shared_start as usize + series.shared_count as usize;
        let shared = self.arena.labels.get(shared).unwrap_or_default();
        let own = self.arena.labels.get(own_start as usize..).unwrap_or_default();
        let alike = |other: &Label| other.name.length == label.name.length;
        if own.iter().any(alike) || shared.iter().any(alike) {
            self.compare_names(start, at, label, series, own_start);
        }
        if series.own_count + series.shared_count >= MOST_LABELS {
            return Err((at, Rule::TooManyLabels));
        }
        self.arena.labels.push(label);
        series.own_count += 1;
        Ok(())
    }

    /// Notes a name that is there already.
    fn compare_names(&mut self, start: usize, at: usize, label: Label, series: &Series, own_start: u32) {
        let shared = series.shared_start as usize..series.shared_start as usize + series.shared_count as usize;
        let own = own_start as usize..;
        let earlier = (self.arena.labels.get(shared).into_iter()).chain(self.arena.labels.get(own)).flatten();
        let mut alike = earlier.filter(|other| other.name.length == label.name.length);
        let pool = self.arena.pool.as_bytes();
        let bytes_of = |span: Span| {
            let within = |from: u32| {
                let offset = span.start.wrapping_sub(from) as usize;
                offset..offset.saturating_add(span.length as usize)
            };
            self.source.get(within(self.base)).or_else(|| pool.get(within(self.arena.pool_start))).unwrap_or_default()
        };
        let name = bytes_of(label.name);
        if alike.any(|other| bytes_of(other.name) == name) {
            self.note(start, at, Rule::DuplicateLabel);
        }
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
