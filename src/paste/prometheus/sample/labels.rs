//! The braces of a sample line: its labels, and the name where it stands among them.

use super::super::arena::{Label, Span};
use super::super::rule::Rule;
use super::{
    BucketLine, CLASSES, DIGIT, LABEL_NAME, Line, NAME, Previous, Series, is_blank, label_name_end, skip_blanks,
    stands, while_of,
};
use memchr::memchr2;
use std::ops::Range;

/// More labels than any server gives a sample; each is compared with the others.
const MOST_LABELS: u16 = 1024;

impl Line<'_, '_> {
    /// The labels in the braces that open at `brace`; returns the place after the closing one.
    #[inline]
    pub(super) fn labels(
        &mut self,
        bytes: &[u8],
        start: usize,
        brace: usize,
        mut series: Series,
        name: Range<usize>,
    ) -> Result<(usize, Series), (usize, Rule)> {
        let braces = bytes.get(self.previous.braces.clone()).unwrap_or_default();
        let after = brace + braces.len();
        if !braces.is_empty() && !name.is_empty() && stands(braces, bytes, brace) {
            return Ok((after, Series { name: series.name, ..self.previous.series }));
        }
        let breaches = self.breaches.len();
        let prefix = bytes.get(self.previous.prefix.clone()).unwrap_or_default();
        let after = brace + prefix.len();
        if !prefix.is_empty() && !name.is_empty() && stands(prefix, bytes, brace) {
            let next = bytes.get(after + 1..).unwrap_or_default();
            let at = match bytes.get(after) {
                Some(b'}') => Some(after),
                // A bucket is remembered anew: the shortcut for the next one found it to differ.
                Some(b',') if next.first().is_some_and(|byte| CLASSES[*byte as usize] != 0) => {
                    Some(after + 1).filter(|_| !next.starts_with(b"le=\""))
                }
                _ => None,
            };
            if let Some(at) = at {
                series.shared_start = self.previous.labels_start;
                series.shared_count = self.previous.labels_count;
                let (end, series) = self.pairs(bytes, start, at, series)?;
                if self.breaches.len() == breaches {
                    (self.previous.braces, self.previous.series) = (brace..end, series);
                }
                return Ok((end, series));
            }
        }
        let (end, series) = self.pairs(bytes, start, brace + 1, series)?;
        *self.previous = Previous { name: self.previous.name.clone(), ..Previous::default() };
        if self.breaches.len() == breaches && !name.is_empty() {
            self.remember(bytes, brace..end, name, series);
        }
        Ok((end, series))
    }

    /// Remembers the labels before `le`, or before the last one, and what surrounds the value of `le`: what the next line
    /// is likely to share.
    fn remember(&mut self, bytes: &[u8], braces: Range<usize>, name: Range<usize>, series: Series) {
        let first = series.own_start as usize;
        let labels = self.arena.labels.get(first..).unwrap_or_default();
        let le = labels.iter().position(|label| label.name.length == 2 && self.is_le(label));
        let kept = le.unwrap_or(labels.len().saturating_sub(1));
        // Where a label's value begins and ends; `None` where it is not as written.
        let value_of = |label: &Label| {
            let start = label.value.start.checked_sub(self.base)? as usize;
            let end = start + label.value.length as usize;
            (braces.contains(&end) && bytes.get(end) == Some(&b'"')).then_some(start..end)
        };
        (self.previous.braces, self.previous.series) = (braces.clone(), series);
        if let Some(last) = kept.checked_sub(1) {
            let Some(value) = labels.get(last).and_then(value_of) else { return };
            self.previous.prefix = braces.start..value.end + 1;
        }
        self.previous.labels_start = first as u32;
        self.previous.labels_count = kept as u16;
        if let Some((le, value)) = le.and_then(|le| Some((le, value_of(labels.get(le)?)?)))
            && name.end == braces.start
            && bytes.get(braces.end) == Some(&b' ')
            && bytes.get(..value.start).is_some_and(|before| before.ends_with(b"le=\""))
        {
            self.previous.bucket = BucketLine {
                head: name.start..value.start,
                name_length: name.len(),
                tail: value.end..braces.end + 1,
                labels_start: first as u32,
                labels_count: labels.len() as u16,
                place: le as u16,
            };
        }
    }

    fn is_le(&self, label: &Label) -> bool {
        let start = label.name.start.wrapping_sub(self.base) as usize;
        self.source.get(start..start + 2) == Some(b"le")
    }

    /// Label pairs up to and with the closing brace; returns the place after it and the series with them.
    pub(super) fn pairs(
        &mut self,
        bytes: &[u8],
        start: usize,
        mut at: usize,
        mut series: Series,
    ) -> Result<(usize, Series), (usize, Rule)> {
        let mut comma = false;
        loop {
            at = self.inner_blanks(bytes, start, at);
            let name_start = at;
            at = label_name_end(bytes, at);
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
                        let first = series.own_count + series.shared_count == 0 && !comma;
                        self.note(start, at, if first { Rule::LeadingComma } else { Rule::StrayComma });
                        at += 1;
                        continue;
                    }
                    Some(b'"') => (name, at) = self.quoted(bytes, start, at)?,
                    Some(_) if has_colon(bytes, at) => return Err((at, Rule::ColonInLabelName)),
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
                    Some(_) if !quoted && has_colon(bytes, at) => return Err((at, Rule::ColonInLabelName)),
                    Some(_) => return Err((at, Rule::MissingEquals)),
                }
            } else {
                if name.length == 0 {
                    return Err((name_start, Rule::EmptyLabelName));
                }
                at = self.inner_blanks(bytes, start, at + 1);
                match bytes.get(at) {
                    Some(b'"') => {}
                    None => return Err((at, Rule::OpenBraces)),
                    Some(_) => return Err((at, Rule::UnquotedValue)),
                }
                let value;
                (value, at) = self.quoted(bytes, start, at)?;
                self.push_label(start, name_start, Label { name, value }, &mut series)?;
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
    fn push_label(&mut self, start: usize, at: usize, label: Label, series: &mut Series) -> Result<(), (usize, Rule)> {
        let shared = series.shared_start as usize..series.shared_start as usize + series.shared_count as usize;
        let shared = self.arena.labels.get(shared).unwrap_or_default();
        let own = self.arena.labels.get(series.own_start as usize..).unwrap_or_default();
        let mut alike = false;
        for labels in [own, shared] {
            for other in labels {
                alike |= other.name.length == label.name.length;
            }
        }
        if alike {
            self.compare_names(start, at, label, series);
        }
        if series.own_count + series.shared_count >= MOST_LABELS {
            return Err((at, Rule::TooManyLabels));
        }
        self.arena.labels.push(label);
        series.own_count += 1;
        Ok(())
    }

    /// Notes a name that is there already.
    fn compare_names(&mut self, start: usize, at: usize, label: Label, series: &Series) {
        let shared = series.shared_start as usize..series.shared_start as usize + series.shared_count as usize;
        let own = series.own_start as usize..;
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
    pub(super) fn quoted(&mut self, bytes: &[u8], start: usize, at: usize) -> Result<(Span, usize), (usize, Rule)> {
        let inside = at + 1;
        let rest = bytes.get(inside..).unwrap_or_default();
        match quote_or_backslash(rest) {
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
}

/// Whether `name="` stands at `at`: the next label after a forgotten comma.
fn is_pair(bytes: &[u8], at: usize) -> bool {
    let equals = skip_blanks(bytes, label_name_end(bytes, at));
    bytes.get(equals) == Some(&b'=') && bytes.get(skip_blanks(bytes, equals + 1)) == Some(&b'"')
}

/// Whether a label's name goes on at `at` with a colon, up to `="`.
fn has_colon(bytes: &[u8], at: usize) -> bool {
    let equals = while_of(bytes, at, NAME);
    bytes.get(at) == Some(&b':') && bytes.get(equals) == Some(&b'=') && bytes.get(equals + 1) == Some(&b'"')
}

/// The first quote or backslash. Values are short, so that calling a search costs more than looking at the first words.
#[inline]
fn quote_or_backslash(text: &[u8]) -> Option<usize> {
    const NEAR: usize = 4;
    for (at, word) in text.chunks_exact(8).take(NEAR).enumerate() {
        let word = u64::from_le_bytes(word.try_into().ok()?);
        let found = zeros(word ^ repeated(b'"')) | zeros(word ^ repeated(b'\\'));
        if found != 0 {
            return Some(at * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let near = NEAR.min(text.len() / 8) * 8;
    memchr2(b'"', b'\\', text.get(near..)?).map(|at| near + at)
}

const fn repeated(byte: u8) -> u64 {
    byte as u64 * 0x0101_0101_0101_0101
}

/// The high bit of each byte that is zero, exact up to the first of them (H. S. Warren, "Hacker's Delight", 6-1).
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(repeated(1)) & !word & repeated(0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_quote_or_backslash_is_found_wherever_it_is() {
        for length in 0..80 {
            assert_eq!(quote_or_backslash(&vec![b'#'; length]), None);
            for at in 0..length {
                for byte in [b'"', b'\\'] {
                    // Bytes beside the two, and ones that borrow from their neighbour.
                    let mut text: Vec<u8> = [b'!', b'#', b'[', b']', 0, 1, 0x80, 0xff].repeat(10);
                    text.truncate(length);
                    text[at..].fill(byte);
                    assert_eq!(quote_or_backslash(&text), Some(at));
                }
            }
        }
    }
}
