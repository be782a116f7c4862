//! One sample line: its name, labels, value, timestamp and exemplar. The grammar that the tolerant
//! reader and the strict check share: what can be read is read, and each breach is noted on the way.

use super::arena::{Arena, ExemplarRecord, Own, Record, Span};
use super::composite;
use super::number::{leading_number, number};
use super::rule::{Breach, Rule};
use std::ops::Range;

mod bucket;
mod labels;

use bucket::BucketLine;

/// What the line before this one was, so that what a line has in common with it need not be parsed again.
#[derive(Debug, Clone, Default)]
pub(super) struct Previous {
    /// A bare name that was read, a metric's or a sample's.
    pub name: Range<usize>,
    /// A sample's braces and, but for the name, what stands in them.
    braces: Range<usize>,
    series: Series,
    /// From the opening brace to the closing quote of the last label before `le`.
    prefix: Range<usize>,
    labels_start: u32,
    labels_count: u16,
    bucket: BucketLine,
}

/// A name with labels: those shared with an earlier line and those of its own.
#[derive(Debug, Clone, Copy, Default)]
struct Series {
    name: Span,
    shared_start: u32,
    own_start: u32,
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

/// The end of the label name that starts at `at`; `at` itself if none does.
#[inline]
fn label_name_end(bytes: &[u8], at: usize) -> usize {
    end_of(bytes, at, LABEL_NAME)
}

/// The end of the metric name that starts at `at`; `at` itself if none does. What a name that was read before has in
/// common with it is not looked at again.
#[inline]
pub(super) fn name_end(bytes: &[u8], at: usize, known: &[u8]) -> usize {
    if !known.is_empty() && stands(known, bytes, at) {
        return while_of(bytes, at + known.len(), NAME);
    }
    end_of(bytes, at, NAME)
}

#[inline(always)]
fn end_of(bytes: &[u8], at: usize, class: u8) -> usize {
    match bytes.get(at) {
        Some(first) if CLASSES[*first as usize] & (class | DIGIT) == class => while_of(bytes, at + 1, class),
        _ => at,
    }
}

#[inline(always)]
fn while_of(bytes: &[u8], at: usize, class: u8) -> usize {
    let mut end = at;
    while bytes.get(end).is_some_and(|byte| CLASSES[*byte as usize] & class != 0) {
        end += 1;
    }
    end
}

/// Whether `known` stands at `at`. WebAssembly has no instruction for it, and its library compares byte by byte.
#[inline(always)]
fn stands(known: &[u8], bytes: &[u8], at: usize) -> bool {
    let Some(other) = bytes.get(at..at + known.len()) else { return false };
    if !cfg!(target_arch = "wasm32") {
        return known == other;
    }
    let (words, bytes) = known.as_chunks::<8>();
    let (other_words, other_bytes) = other.as_chunks::<8>();
    let mut differ = 0;
    for (word, other) in words.iter().zip(other_words) {
        differ = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*other);
        if differ != 0 {
            break;
        }
    }
    for (byte, other) in bytes.iter().zip(other_bytes) {
        differ |= u64::from(byte ^ other);
    }
    differ == 0
}

impl Line<'_, '_> {
    /// Parses the line in `range` (without its line feed) and puts the sample into the arena.
    pub fn sample(&mut self, range: Range<usize>, number_of_line: u32) -> Result<(), Breach> {
        let labels = self.arena.labels.len();
        let exemplars = self.arena.exemplars.len();
        let starts = self.arena.starts.len();
        let start = range.start;
        match self.parse(range) {
            Ok((series, value, timestamp)) => {
                if !timestamp.is_nan() {
                    self.arena.times.push((self.arena.records.len() as u32, timestamp));
                }
                let Series { name, shared_start, own_start, shared_count, own_count } = series;
                let line = number_of_line;
                let own = Own::labels(own_count);
                let record = Record { name, shared_start, own_start, shared_count, own, line, value };
                self.arena.records.push(record);
                Ok(())
            }
            Err((at, rule)) => {
                self.arena.labels.truncate(labels);
                self.arena.exemplars.truncate(exemplars);
                self.arena.starts.truncate(starts);
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
        let name = at..name_end(bytes, at, known);
        at = name.end;
        let mut series = Series { own_start: self.arena.labels.len() as u32, ..Series::default() };
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
            // A family's samples begin with its name, which therefore stays.
            if known.is_empty() || !bytes.get(name.clone()).is_some_and(|name| name.starts_with(known)) {
                self.previous.name = name.clone();
            }
        }
        let brace = skip_blanks(bytes, at);
        let composite = brace > at && composite::starts(bytes.get(brace..).unwrap_or_default());
        if bytes.get(brace) == Some(&b'{') && !composite {
            if brace > at {
                self.note(start, at, Rule::BlankInSeries);
            }
            (at, series) = self.labels(bytes, start, brace, series, name)?;
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
            return self.composite(bytes, start, at);
        };
        if let Some(rule) = value.deviation {
            self.note(start, at, rule);
        }
        at += length;
        let timestamp = if at == bytes.len() { f64::NAN } else { self.rest(bytes, start, at)? };
        Ok((value.value, timestamp))
    }

    /// A value that is no number: a composite, or nothing that can be read.
    #[cold]
    fn composite(&mut self, bytes: &[u8], start: usize, mut at: usize) -> Result<(f64, f64), (usize, Rule)> {
        let text = bytes.get(at..).unwrap_or_default();
        if text.is_empty() {
            return Err((at, Rule::MissingValue));
        }
        if !composite::starts(text) {
            return Err((at, Rule::BadNumber));
        }
        let (value, length) = composite::read(text).ok_or((at, Rule::BadComposite))?;
        self.note(start, at, Rule::CompositeValue);
        at += length;
        let timestamp = self.rest(bytes, start, at)?;
        self.arena.composites.push((self.arena.records.len() as u32, value));
        Ok((f64::NAN, timestamp))
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
            let Some(began) = number(time) else { return Err((at, Rule::BadTimestamp)) };
            self.note(start, at, Rule::StartTimestamp);
            if began.value.is_finite() {
                self.arena.starts.push((self.arena.records.len() as u32, began.value));
            }
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
                self.exemplars(bytes, start, at);
                Ok(timestamp)
            }
            Some(_) => Err((at, Rule::TrailingText)),
        }
    }

    /// The exemplars from `at` on, where the first one's `#` is. One that cannot be read ends them, not the sample.
    fn exemplars(&mut self, bytes: &[u8], start: usize, mut at: usize) {
        let after = skip_blanks(bytes, at + 1);
        if bytes.get(after) != Some(&b'{') && bytes.get(after).is_none_or(|byte| !byte.is_ascii_digit()) {
            return self.note(start, at, Rule::CommentAfterSample);
        }
        self.note(start, at, Rule::Exemplar);
        let first = at;
        while at < bytes.len() {
            if at > first {
                self.note(start, at, Rule::SeveralExemplars);
            }
            let labels = self.arena.labels.len();
            match self.exemplar(bytes, start, at) {
                Ok(end) => at = end,
                Err((bad, rule)) => {
                    self.arena.labels.truncate(labels);
                    self.note(start, bad, if rule == Rule::DuplicateLabel { rule } else { Rule::BadExemplar });
                    return;
                }
            }
        }
    }

    /// An exemplar, `# {labels} value [timestamp]`, whose `#` is at `at`. Returns the place after it: the end, or where
    /// the next one begins.
    fn exemplar(&mut self, bytes: &[u8], start: usize, at: usize) -> Result<usize, (usize, Rule)> {
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
        (at, series) = self.pairs(bytes, start, at + 1, Series { own_start: labels_start, ..Series::default() })?;
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
            if !matches!(token.first(), None | Some(b'#')) {
                let Some(time) = number(token) else { return Err((at, Rule::BadExemplar)) };
                if !time.value.is_finite() {
                    return Err((at, Rule::TimestampNotFinite));
                }
                timestamp = time.value;
                at = self.separator(bytes, start, at + token.len());
            }
        }
        if at < bytes.len() && bytes.get(at) != Some(&b'#') {
            return Err((at, Rule::BadExemplar));
        }
        self.arena.exemplars.push(ExemplarRecord {
            sample: self.arena.records.len() as u32,
            labels_start,
            labels_count: series.own_count,
            value: value.value,
            timestamp,
        });
        Ok(at)
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
            self.note(start, at, Rule::BlankInSeries);
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

    #[inline]
    fn span(&self, range: Range<usize>) -> Span {
        Span { start: self.base + range.start as u32, length: range.len() as u32 }
    }
}

#[inline]
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).copied().is_some_and(is_blank) {
        at += 1;
    }
    at
}

/// The token at `at`: everything up to the next blank.
#[inline]
fn token_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
    rest.get(..length).unwrap_or_default()
}
