//! Samples that were wrapped for the width of a terminal or a page: their pieces are joined, and a value that may go on
//! in the next line without certainty is doubted.

use super::reader::Reader;
use super::rule::{Breach, Rule};
use crate::paste::WarningKind;
use memchr::{memchr, memrchr};
use std::ops::Range;

/// How many lines one line may be wrapped onto.
const WRAPPED_LINES: usize = 24;
/// Narrower than any terminal or page: a line this short was not wrapped for its width.
const NARROW: usize = 40;
/// Wider than any: nor was a line this long.
const WIDE: usize = 64 << 10;
/// So many bytes before and after a line tell whether it is as wide as lines get there.
const AROUND: usize = 4 << 10;
/// By so much lines of full width may differ: by the digits of line numbers.
const SLACK: usize = 4;

impl Reader<'_> {
    /// A line of nothing but a piece of a number, after a sample that was read as it stands.
    pub(super) fn continues(&mut self, line: &str, start: usize, number: u32) -> bool {
        let follows = self.arena.records.last().is_some_and(|record| record.line + 1 == number);
        if !follows || !is_piece(line.trim()) {
            return false;
        }
        let before = self.line_before(start);
        let text = self.source.get(before.clone()).unwrap_or_default();
        self.append(text, before, line.trim());
        true
    }

    /// After a sample that was read from `text`, which stands behind `decoration` in the input: takes in the next line
    /// if that is a piece of a number.
    pub(super) fn look_ahead(&mut self, text: &str, decoration: &str, number: u32) {
        let at = self.next;
        let rest = self.source.get(at..).unwrap_or_default();
        let length = memchr(b'\n', rest.as_bytes());
        let line = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        // Nothing decorated is much longer than its decoration.
        if line.len() > decoration.len() + WIDE || self.arena.records.last().is_none_or(|record| record.line != number)
        {
            return;
        }
        let piece = undecorated(line, decoration).trim();
        if !is_piece(piece) {
            return;
        }
        let before = self.line_before(at);
        self.append(text, before, piece);
        self.next = at + line.len() + 1;
        self.number += 1;
        if length.is_none() {
            let message = "the last line has no line feed: its number may be cut";
            self.remarks.say(self.number as usize, WarningKind::Truncated, message);
        }
    }

    /// The line that ends before a place.
    fn line_before(&self, at: usize) -> Range<usize> {
        let end = at.saturating_sub(1);
        let before = self.source.as_bytes().get(..end).unwrap_or_default();
        memrchr(b'\n', before).map_or(0, |from| from + 1)..end
    }

    /// Joins a piece of a number to the latest sample, which was read from `text` and whose last line is `line`; or
    /// doubts that sample's value.
    fn append(&mut self, text: &str, line: Range<usize>, piece: &str) {
        let latest = self.arena.records.len();
        let Some(number) = self.arena.records.last().map(|record| record.line) else { return };
        let text = text.trim_end_matches('\r');
        let number_ends = text.ends_with(|letter: char| letter.is_ascii_digit() || letter == '.');
        let token = text.rsplit([' ', '\t', '}']).next().unwrap_or_default();
        // Nothing but a number goes on with an exponent.
        let exponent = piece.starts_with(['e', 'E']) && !token.contains(['e', 'E']);
        let time = self.is_time(piece);
        let goes_on = number_ends || time == Some(true);
        let certain = goes_on && (exponent || (self.is_full(line) && time != Some(false)));
        let blank = if time == Some(true) { " " } else { "" };
        if !certain || self.sample_elsewhere(&format!("{text}{blank}{piece}"), number).is_err() {
            let message = "the next line is only a number: this value may go on there";
            return self.remarks.say_of(number as usize, WarningKind::BadValue, message, piece);
        }
        let value = self.arena.records.last().map_or(f64::NAN, |record| record.value);
        let time = self.arena.times.last().filter(|(sample, _)| *sample as usize == latest).map(|(_, time)| *time);
        let place = latest.saturating_sub(1) as u32;
        let exemplars = self.arena.exemplars.iter_mut().rev().take_while(|exemplar| exemplar.sample as usize == latest);
        exemplars.for_each(|exemplar| exemplar.sample = place);
        self.arena.forget_latest();
        if let Some(record) = self.arena.records.last_mut() {
            record.value = value;
        }
        if let Some(time) = time {
            self.arena.times.pop_if(|(sample, _)| *sample == place);
            self.arena.times.push((place, time));
        }
        let message = "a number is wrapped onto the next line; joined";
        self.remarks.say(number as usize, WarningKind::Repaired, message);
    }

    /// Whether a line is as wide as lines get around it, as one that was wrapped is.
    fn is_full(&self, line: Range<usize>) -> bool {
        let bytes = self.source.as_bytes();
        let width = |line: &[u8]| line.trim_ascii_end().iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        let own = width(bytes.get(line.clone()).unwrap_or_default());
        let around = line.start.saturating_sub(AROUND)..bytes.len().min(line.end + AROUND);
        let around = bytes.get(around).unwrap_or_default();
        own >= NARROW
            && line.len() < WIDE
            && around.split(|byte| *byte == b'\n').all(|other| width(other) <= own + SLACK)
    }

    /// Whether a piece is the timestamp of the sample before it rather than the rest of its value: it is if others have
    /// one much like it. `Some(false)` if that cannot be told.
    fn is_time(&self, piece: &str) -> Option<bool> {
        piece.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
        let latest = self.arena.records.len().saturating_sub(1);
        if latest == 0 && matches!(piece.len(), 10 | 13) && piece.starts_with('1') {
            // Nothing to compare it with.
            return Some(false);
        }
        let (_, time) = self.arena.times.last().filter(|(sample, _)| (*sample as usize) < latest)?;
        Some(piece.parse().is_ok_and(|piece: f64| (piece / time - 1.0).abs() < 0.1))
    }

    /// Joins a line that ends in the middle of a sample with the lines it was wrapped onto, which stand behind the
    /// same decoration as it does, or behind none.
    pub(super) fn joined(&mut self, line: &str, decoration: &str, number: u32, breach: Breach) -> bool {
        let in_value = breach.rule == Rule::BadNumber
            && line.len() >= NARROW
            && begins_number(line.get(breach.at..).unwrap_or_default());
        let open = match breach.rule {
            Rule::OpenQuote | Rule::OpenBraces => true,
            Rule::MissingValue => line.contains(['_', ':', '{']),
            _ => in_value,
        };
        if !open || line.len() > WIDE {
            return false;
        }
        // Too short to be wrapped for its width, and no path or name: the line feed belongs to the label's value.
        let value = line.rsplit('"').next().unwrap_or_default();
        let spoken = value.is_empty() || value.contains(' ');
        let raw = breach.rule == Rule::OpenQuote && line.len() < NARROW && spoken;
        let mut text = line.to_owned();
        let mut at = self.next;
        for count in 1..=if in_value { 1 } else { WRAPPED_LINES } {
            let rest = self.source.get(at..).unwrap_or_default();
            let Some(length) = memchr(b'\n', rest.as_bytes()).filter(|length| *length <= WIDE) else { return false };
            let next = rest.get(..length).unwrap_or_default().trim_end_matches('\r');
            let mut next = undecorated(next, decoration);
            // A hanging indentation: no label has two blanks where a line ends.
            if next.starts_with("  ") && !raw {
                next = next.trim_start();
            }
            let ends = ["inf", "nf", "f", "an", "n"];
            let letters = |text: &str| ends.iter().any(|end| text.eq_ignore_ascii_case(end));
            let number_ends = !in_value || is_piece(next.trim()) || letters(next.trim());
            if next.is_empty() || next.starts_with('#') || !number_ends {
                return false;
            }
            if self.sample_elsewhere(next, number).is_ok() {
                self.arena.forget_latest();
                // The later part of a name reads as a name.
                let in_name = count == 1 && breach.rule == Rule::MissingValue && !line.contains('{');
                if !in_name || !self.is_full(self.line_before(at)) {
                    return false;
                }
            }
            if raw {
                text.push_str("\\n");
            }
            text.push_str(next);
            at += length + 1;
            if self.sample_elsewhere(&text, number).is_ok() {
                self.tolerate(number);
                self.next = at;
                self.number += count as u32;
                let message = "a sample is wrapped over several lines; joined";
                self.remarks.say(number as usize, WarningKind::Repaired, message);
                self.look_ahead(&text, decoration, number);
                return true;
            }
        }
        false
    }
}

/// Whether a text is nothing but a number's later part, and perhaps a timestamp and an exemplar.
fn is_piece(text: &str) -> bool {
    let piece = |token: &str| {
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let unsigned = |part: &str| digits(part.strip_prefix(['+', '-']).unwrap_or(part));
        let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, ""));
        unsigned(mantissa) && unsigned(exponent) && token.bytes().any(|byte| byte.is_ascii_digit())
    };
    let mut tokens = text.split(" # {").next().unwrap_or(text).split_ascii_whitespace();
    tokens.next().is_some_and(piece) && tokens.next().is_none_or(piece) && tokens.next().is_none()
}

/// Whether a text is no number yet, but could become one.
fn begins_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let words = ["", "n", "na", "i", "in"];
    let mantissa = unsigned.trim_end_matches(['+', '-']).strip_suffix(['e', 'E']);
    words.iter().any(|word| unsigned.eq_ignore_ascii_case(word))
        || mantissa.is_some_and(|mantissa| is_piece(mantissa) && !mantissa.contains(['e', 'E', ' ']))
}

/// What stands behind a decoration of the same shape as that of the line before, or behind the first part of it: a
/// prompt's part is there once, a log's on each line. The line as it is if it has none.
fn undecorated<'t>(line: &'t str, decoration: &str) -> &'t str {
    let parts = decoration.char_indices().rev().filter(|(_, letter)| matches!(letter, ' ' | '\t' | '>' | ':'));
    let parts = parts.map(|(at, _)| decoration.get(..=at).unwrap_or_default());
    let mut parts = std::iter::once(decoration)
        .chain(parts)
        .filter(|part| part.len() == decoration.len() || !part.trim().is_empty());
    parts.find_map(|part| behind(line, part)).unwrap_or(line)
}

/// What stands behind a decoration in which numbers may differ, as those of lines and times do.
fn behind<'t>(line: &'t str, decoration: &str) -> Option<&'t str> {
    let blank = |letter: char| matches!(letter, ' ' | '\t');
    let digit = |letter: char| letter.is_ascii_digit();
    let (mut rest, mut shape) = (line, decoration);
    // Numbers are set flush right, so that the blanks before the first one vary.
    if let Some(number) = Some(shape.trim_start_matches(blank)).filter(|number| number.starts_with(digit)) {
        (rest, shape) = (rest.trim_start_matches(blank), number);
    }
    while let Some(letter) = shape.chars().next() {
        if digit(letter) {
            let inner = rest.trim_start_matches(digit);
            (inner.len() < rest.len()).then_some(())?;
            (rest, shape) = (inner, shape.trim_start_matches(digit));
        } else {
            (rest, shape) = (rest.strip_prefix(letter)?, shape.get(letter.len_utf8()..)?);
        }
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_numbers() {
        for piece in ["67.0", ".5", "5e+06", "e+04", "E-5", "+06", "06", "67.0 1700000000000", "7 # {a=\"b\"} 1 2"] {
            assert!(is_piece(piece), "{piece}");
        }
        for other in ["", "...", "e", "2025-08-01", "12:30", "5 apples", "1 2 3", "a+04"] {
            assert!(!is_piece(other), "{other}");
        }
        for beginning in ["1.2e", "1.2e+", "-", "+I", "Na"] {
            assert!(begins_number(beginning), "{beginning}");
        }
        for other in ["12a", "1.2e+4e", "nano", "12,", "."] {
            assert!(!begins_number(other), "{other}");
        }
    }

    #[test]
    fn a_decoration_goes_whatever_its_numbers_are() {
        assert_eq!(undecorated("vllm-1  | 67.0", "vllm-1  | "), "67.0");
        assert_eq!(undecorated("  10  67.0", "   9  "), "67.0");
        assert_eq!(undecorated("10: 67.0", "9: "), "67.0");
        assert_eq!(undecorated("> els", "> "), "els");
        assert_eq!(undecorated("els", "> "), "els");
        assert_eq!(undecorated("      els", "    "), "  els");
        assert_eq!(undecorated("10:00:02 els", "10:00:01 vllm-1  | "), "els");
        assert_eq!(undecorated("67.0", "  12\t"), "67.0");
    }
}
