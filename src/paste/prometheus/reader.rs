//! The tolerant reader: every line that can be understood is, and what is said about the others names them.

use super::arena::Arena;
use super::clutter::{clutter, peel};
use super::comment::{Comment, comment};
use super::exposition::{Exposition, Family};
use super::index::Index;
use super::remarks::Remarks;
use super::rule::{Breach, Rule};
use super::sample::{Line, Previous};
use crate::paste::{Warning, WarningKind};
use memchr::{memchr, memmem};
use std::borrow::Cow;
use std::ops::Range;

/// Offsets are 32 bits wide; text and pool share them.
const LONGEST: usize = u32::MAX as usize / 2;

pub(super) struct Reader<'a> {
    source: &'a str,
    arena: Arena,
    previous: Previous,
    breaches: Vec<Breach>,
    remarks: Remarks,
    families: Vec<Family<'a>>,
    index: Index<'a>,
    eof: bool,
    /// Something only OpenMetrics has was there.
    openmetrics: bool,
    /// A timestamp with a fraction was there.
    fractional: bool,
    /// Whether the dump is commented out line by line; `None` until it matters.
    commented: Option<bool>,
    in_headers: bool,
}

impl<'a> Reader<'a> {
    pub fn read(text: &'a str) -> Exposition<'a> {
        let mut source = text;
        if text.len() > LONGEST {
            let cut = text.as_bytes().get(..LONGEST).and_then(|head| memchr::memrchr(b'\n', head));
            source = cut.and_then(|cut| text.get(..=cut)).unwrap_or("");
        }
        let families = (source.len() / 700).min(4096);
        let mut reader = Reader {
            source,
            arena: Arena::for_text(source.len() as u32),
            previous: Previous::default(),
            breaches: Vec::new(),
            remarks: Remarks::default(),
            families: Vec::with_capacity(families),
            index: Index::with_capacity_and_hasher(families, Default::default()),
            eof: false,
            openmetrics: false,
            fractional: false,
            commented: None,
            in_headers: false,
        };
        reader.lines();
        let mut exposition = reader.finish();
        if source.len() < text.len() {
            let message = "only the first 2 GiB were read";
            exposition.warnings.push(Warning::whole(WarningKind::Truncated, message));
        }
        exposition
    }

    fn lines(&mut self) {
        let bytes = self.source.as_bytes();
        let mut start = if bytes.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
        let mut number = 0;
        while start < bytes.len() {
            let length = memchr(b'\n', bytes.get(start..).unwrap_or_default());
            let end = length.map_or(bytes.len(), |length| start + length);
            number += 1;
            self.line(start..end, number, length.is_none());
            start = end + 1;
        }
    }

    #[inline]
    fn line(&mut self, range: Range<usize>, number: u32, last: bool) {
        let bytes = self.source.as_bytes();
        let plain = match bytes.get(range.clone()).unwrap_or_default() {
            [] => false,
            [b'#' | b' ' | b'\t', ..] | [.., b'\r'] => false,
            _ => !last && !self.in_headers,
        };
        if plain && self.sample(range.clone(), number).is_ok() {
            if !self.breaches.is_empty() {
                self.tolerate(number);
            }
            return;
        }
        // The usual metadata needs none of the care for what stands around metrics.
        let line = self.source.get(range.clone()).unwrap_or_default();
        let metadata = line.starts_with("# HELP ") || line.starts_with("# TYPE ");
        if metadata && !last && !self.in_headers && !line.ends_with('\r') {
            return self.comment(line, number, false);
        }
        self.awkward(range, number, last);
    }

    #[inline]
    fn sample(&mut self, range: Range<usize>, number: u32) -> Result<(), Breach> {
        self.breaches.clear();
        let mut line = Line {
            source: self.source.as_bytes(),
            base: 0,
            arena: &mut self.arena,
            previous: &mut self.previous,
            breaches: &mut self.breaches,
        };
        line.sample(range.clone(), number)?;
        // `P99: 12` is a name by the letter of the grammar, and prose in every text seen.
        let prose = self.arena.records.last().is_some_and(|record| {
            let end = (record.name.start + record.name.length) as usize;
            record.own_count + record.shared_count == 0 && self.source.as_bytes().get(end - 1) == Some(&b':')
        });
        if prose {
            self.arena.forget_latest();
            return Err(Breach { at: 0, rule: Rule::NotASample });
        }
        Ok(())
    }

    /// Any line but a plain sample.
    #[cold]
    fn awkward(&mut self, range: Range<usize>, number: u32, last: bool) {
        let source = self.source;
        let line_number = number as usize;
        let whole = source.get(range.clone()).unwrap_or_default();
        let mut line = whole;
        if let Some(head) = line.strip_suffix('\r') {
            line = head;
            if !line.is_empty() {
                self.remarks.say(line_number, WarningKind::Repaired, Rule::CarriageReturn.sentence());
            }
        }
        let start = range.start;
        let end = start + line.len();
        if line.contains('\r') {
            // A progress display redraws its line.
            let mut from = start;
            for piece in line.split('\r') {
                self.awkward(from..from + piece.len(), number, last && from + piece.len() == end);
                from += piece.len() + 1;
            }
            return;
        }
        if line.starts_with("HTTP/") {
            self.in_headers = true;
        }
        if self.in_headers && !line.is_empty() {
            self.remarks.say_of(line_number, WarningKind::Skipped, "an HTTP header", line);
            return;
        }
        self.in_headers = false;

        let mut words = None;
        loop {
            if line.is_empty() {
                return;
            }
            if line.starts_with('#') {
                match self.commented_out(line) {
                    Some(inner) => {
                        line = inner;
                        words = Some("commented out; read without the leading `#`");
                        continue;
                    }
                    None => self.comment(line, number, last),
                }
                break;
            }
            let read = match line.starts_with([' ', '\t']) {
                true => Err(Breach { at: 0, rule: Rule::NotASample }),
                false => self.sample(end - line.len()..end, number),
            };
            let Err(breach) = read else {
                self.tolerate(number);
                if last {
                    let message = "the last line has no line feed: its number may be cut";
                    self.remarks.say(line_number, WarningKind::Truncated, message);
                }
                break;
            };
            match peel(line) {
                Some((inner, said)) => (line, words) = (inner, Some(said)),
                // What is wrong is said of the innermost text.
                None => {
                    self.skip(line, number, last, breach);
                    return;
                }
            }
        }
        if let Some(words) = words {
            self.remarks.say(line_number, WarningKind::Repaired, words);
        }
    }

    /// Says why a line was left out.
    fn skip(&mut self, line: &str, number: u32, last: bool, breach: Breach) {
        let number = number as usize;
        if let Some((kind, words)) = clutter(line) {
            self.remarks.say_of(number, kind, words, line);
        } else if last {
            let message = format!("the last line is cut and was left out ({})", breach.rule.sentence());
            self.remarks.say_of(number, WarningKind::Truncated, &message, line);
        } else {
            let kind = if breach.rule == Rule::BadNumber { WarningKind::BadValue } else { WarningKind::Skipped };
            let message = format!("line left out: {}", breach.rule.sentence());
            self.remarks.say_of(number, kind, &message, line);
        }
    }

    /// What a line of a dump that is commented out holds.
    fn commented_out<'t>(&mut self, line: &'t str) -> Option<&'t str> {
        let inner = line.strip_prefix('#')?.trim_start_matches([' ', '\t']);
        if ["HELP", "TYPE", "UNIT", "EOF"].iter().any(|keyword| inner.starts_with(keyword)) {
            return None;
        }
        let bytes = self.source.as_bytes();
        let commented = *self.commented.get_or_insert_with(|| {
            memmem::find(bytes, b"# # HELP ").is_some() || memmem::find(bytes, b"# # TYPE ").is_some()
        });
        (commented && !inner.is_empty()).then_some(inner)
    }

    fn comment(&mut self, line: &'a str, number: u32, last: bool) {
        self.breaches.clear();
        let line_number = number as usize;
        let read = comment(line, &mut self.breaches);
        if self.breaches.iter().any(|breach| breach.rule.tolerated_as().is_some()) {
            if last {
                let message = "the last line is cut and was left out";
                self.remarks.say_of(line_number, WarningKind::Truncated, message, line);
                return;
            }
            self.tolerate(number);
        }
        let (name, keyword) = match &read {
            Comment::Plain | Comment::Malformed => return,
            Comment::Eof => {
                self.eof = true;
                self.openmetrics = true;
                return;
            }
            Comment::Help(name, _) => (name, "HELP"),
            Comment::Type(name, _) => (name, "TYPE"),
            Comment::Unit(name, _) => (name, "UNIT"),
        };
        let family = self.family(name, line_number);
        let again = match read {
            Comment::Help(_, text) => set(&mut family.help, text),
            Comment::Unit(_, text) => {
                let again = set(&mut family.unit, text);
                self.openmetrics = true;
                again
            }
            Comment::Type(_, kind) => kind.and_then(|kind| set(&mut family.kind, kind)),
            _ => None,
        };
        match again {
            Some(true) => {
                let message = format!("`# {keyword}` again for a metric that has one");
                self.remarks.say_of(line_number, WarningKind::Duplicate, &message, line);
            }
            Some(false) => {
                let message = format!("`# {keyword}` contradicts an earlier one, which holds");
                self.remarks.say_of(line_number, WarningKind::Inconsistent, &message, line);
            }
            None => {}
        }
    }

    fn family(&mut self, name: &Cow<'a, str>, line: usize) -> &mut Family<'a> {
        let latest = self.families.len().saturating_sub(1);
        let known = match self.families.get(latest) {
            Some(family) if family.name == *name => Some(latest),
            _ => self.index.get(name.as_ref()).copied(),
        };
        let place = known.unwrap_or_else(|| {
            self.index.insert(name.clone(), self.families.len());
            self.families.push(Family { name: name.clone(), line, ..Family::default() });
            self.families.len() - 1
        });
        &mut self.families[place]
    }

    /// Says what was tolerated in a line that was read.
    #[cold]
    fn tolerate(&mut self, number: u32) {
        for breach in &self.breaches {
            match breach.rule {
                Rule::Exemplar => self.openmetrics = true,
                Rule::TimestampForm => self.fractional = true,
                _ => {}
            }
            if let Some(kind) = breach.rule.tolerated_as() {
                self.remarks.say(number as usize, kind, breach.rule.sentence());
            }
        }
    }

    fn finish(mut self) -> Exposition<'a> {
        let seconds = self.openmetrics || self.fractional;
        self.doubt_timestamps(seconds);
        Exposition {
            source: self.source,
            arena: self.arena,
            families: self.families,
            index: self.index,
            warnings: self.remarks.finish(),
            eof: self.eof,
            seconds,
        }
    }
}

impl Reader<'_> {
    /// Says where timestamps are in the format's unit only by the letter: no server's clock reads 1970 in
    /// milliseconds, or the year 5138 in seconds.
    fn doubt_timestamps(&mut self, seconds: bool) {
        let (odd, message) = match seconds {
            false => (1e8..1e11, "a timestamp is read as milliseconds, as the format says, but looks like seconds"),
            true => (1e11..f64::MAX, "a timestamp is read as seconds, as the format says, but looks like milliseconds"),
        };
        for (sample, _) in self.arena.times.iter().filter(|(_, time)| odd.contains(time)) {
            if let Some(record) = self.arena.records.get(*sample as usize) {
                self.remarks.say(record.line as usize, WarningKind::Trap, message);
            }
        }
    }
}

/// Sets what is not set yet; otherwise says whether it was the same.
fn set<T: PartialEq>(place: &mut Option<T>, value: T) -> Option<bool> {
    match place {
        Some(earlier) => Some(*earlier == value),
        None => {
            *place = Some(value);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::prometheus::arena::{ExemplarRecord, Label, Record};
    use std::mem::size_of;

    /// What an exposition keeps beyond the text it borrows.
    fn kept(arena: &Arena) -> usize {
        arena.records.capacity() * size_of::<Record>()
            + arena.labels.capacity() * size_of::<Label>()
            + arena.exemplars.capacity() * size_of::<ExemplarRecord>()
            + arena.pool.capacity()
    }

    #[test]
    fn a_scrape_takes_less_memory_than_its_text() {
        let mut text = String::new();
        for set in 0..200 {
            for le in ["0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "+Inf"] {
                text += &format!(
                    "vllm:inter_token_latency_seconds_bucket{{engine=\"{set}\",le=\"{le}\",model_name=\"organisation/Model\"}} 17.0\n"
                );
            }
        }
        let exposition = Reader::read(&text);
        assert_eq!(exposition.samples().len(), 1600);
        assert!(kept(&exposition.arena) < text.len(), "{} for {}", kept(&exposition.arena), text.len());
    }
}
