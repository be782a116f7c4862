//! The tolerant reader: every line that can be understood is, and what is said about the others names them.

use super::arena::Arena;
use super::comment::{Comment, comment};
use super::exposition::{Exposition, Family};
use super::flat::holds_others;
use super::index::Index;
use super::mend;
use super::remarks::Remarks;
use super::reply::{self, Reply, reply};
use super::rule::{Breach, Rule};
use super::sample::{Line, Previous};
use crate::pace::Pace;
use crate::paste::{Warning, WarningKind};
use memchr::{memchr, memmem};
use std::borrow::Cow;
use std::ops::Range;

/// Offsets are 32 bits wide; text and pool share them.
const LONGEST: usize = u32::MAX as usize / 2;
/// A longer line is no sample and no line that became one on its way.
pub(super) const LONGEST_LINE: usize = 4 << 20;
/// So many bytes are read between two rests.
pub(super) const SLICE: usize = 256 << 10;
/// As seconds, the year 5138: from here on a timestamp is milliseconds.
const LATEST_SECOND: f64 = 1e11;
/// A shorter text fits into memory in any case, with all that can be read from it.
pub(super) const FITS: usize = 32 << 20;

pub(super) struct Reader<'a> {
    pub(super) source: &'a str,
    pub(super) arena: Arena,
    pub(super) previous: Previous,
    pub(super) breaches: Vec<Breach>,
    pub(super) remarks: Remarks,
    pub(super) families: Vec<Family<'a>>,
    pub(super) index: Index<'a>,
    eof: bool,
    /// Something only OpenMetrics has was there.
    pub(super) openmetrics: bool,
    /// A timestamp with a fraction was there.
    fractional: bool,
    /// Whether the dump is commented out line by line; `None` until it matters.
    commented: Option<bool>,
    /// Whether a diff has added lines, so that the removed ones do not count; `None` until it matters.
    pub(super) added: Option<bool>,
    pub(super) in_headers: bool,
    /// The current line, counted from 1.
    pub(super) number: u32,
    /// Where the next line begins.
    pub(super) next: usize,
}

impl<'a> Reader<'a> {
    /// Reads a text, with a rest after each `slice` of bytes: what is read does not depend on it.
    pub async fn read(text: &'a str, slice: usize, pace: &Pace) -> Exposition<'a> {
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
            added: None,
            in_headers: false,
            number: 0,
            next: if source.starts_with('\u{feff}') { 3 } else { 0 },
        };
        if source.trim_start().starts_with(['{', '[']) {
            reader.json(pace).await;
        }
        while reader.next < source.len() && reader.has_room() {
            reader.lines(reader.next + slice);
            pace.rest(reader.next as f64 / source.len() as f64).await;
        }
        let mut exposition = reader.finish();
        if source.len() < text.len() {
            let message = "only the first 2 GiB were read";
            exposition.warnings.push(Warning::whole(WarningKind::Truncated, message));
        }
        exposition
    }

    /// Takes in the reply to a query that the text begins with, or all of it if it is JSON of another kind.
    async fn json(&mut self, pace: &Pace) {
        let source = self.source;
        if source.len() > FITS {
            // A result's line is about as long as its JSON. Lists that grow by doubling are copied each time.
            let _ = self.arena.pool.try_reserve(source.len());
            let _ = self.arena.labels.try_reserve(source.len() / 40);
        }
        let take = |line| self.adopt(line, 1);
        if let Some(told) = reply::samples(source, pace, take).await {
            self.tell(told.nameless, 1);
            let read = source.as_bytes().get(..told.end).unwrap_or_default();
            self.number = memchr::memchr_iter(b'\n', read).count() as u32;
            self.next = told.end;
            if told.broken {
                let message = "the reply is cut or damaged here; the samples before are read";
                self.remarks.say(self.number as usize + 1, WarningKind::Truncated, message);
            }
            // What comes after it is read as any text; the rest of a line that breaks off is none.
            let rest = source.as_bytes().get(told.end..).unwrap_or_default();
            let line = memchr(b'\n', rest).unwrap_or(rest.len());
            if told.broken || rest.iter().take(line).all(u8::is_ascii_whitespace) {
                self.number += 1;
                self.next += line + 1;
            }
            return;
        }
        let inner = || ["# HELP ", "# TYPE ", "=\\\""].iter().any(|sign| source.contains(sign));
        match reply(source) {
            // Metrics may be inside it, as a string.
            Some(Reply::Other) if !inner() => self.remarks.say(1, WarningKind::Skipped, "JSON, not metrics"),
            Some(Reply::Samples { lines, nameless }) => {
                lines.into_iter().for_each(|line| self.adopt(line, 1));
                self.tell(nameless, 1);
            }
            _ => return,
        }
        self.next = source.len();
    }

    /// Reads the lines that begin before a place.
    fn lines(&mut self, until: usize) {
        let bytes = self.source.as_bytes();
        let mut start = self.next;
        while start < bytes.len().min(until) {
            if let Some(end) = self.previous.another_bucket(bytes, &mut self.arena, start, self.number + 1) {
                self.number += 1;
                self.next = end + 1;
                start = self.next;
                continue;
            }
            let length = memchr(b'\n', bytes.get(start..).unwrap_or_default());
            let end = length.map_or(bytes.len(), |length| start + length);
            self.number += 1;
            self.next = end + 1;
            if end - start <= LONGEST_LINE {
                self.line(start..end, self.number, length.is_none());
            } else {
                self.leave_out(start..end);
            }
            start = self.next;
        }
    }

    #[cold]
    fn leave_out(&mut self, line: Range<usize>) {
        let message =
            format!("a line of {} MB, longer than any that holds a sample, was left out", line.len() / 1_000_000);
        let line = self.source.get(line).unwrap_or_default();
        self.remarks.say_of(self.number as usize, WarningKind::Skipped, &message, line);
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
            if !self.breaches.is_empty() && !self.followed(self.source.get(range).unwrap_or_default(), number) {
                self.tolerate(number);
            }
            return;
        }
        // The usual metadata needs none of the care for what stands around metrics.
        let line = self.source.get(range.clone()).unwrap_or_default();
        let metadata = line.starts_with("# HELP ") || line.starts_with("# TYPE ");
        if metadata && !last && !self.in_headers && !line.ends_with('\r') {
            self.comment(line, number, false);
            return self.remember_name(range.start + "# HELP ".len());
        }
        self.awkward(range, number, last);
    }

    #[inline]
    pub(super) fn sample(&mut self, range: Range<usize>, number: u32) -> Result<(), Breach> {
        self.breaches.clear();
        let mut line = Line {
            source: self.source.as_bytes(),
            base: 0,
            arena: &mut self.arena,
            previous: &mut self.previous,
            breaches: &mut self.breaches,
        };
        line.sample(range.clone(), number)?;
        self.refuse_prose()
    }

    /// `P99: 12` is a name by the letter of the grammar, and prose in every text seen; so is what stands right before a
    /// sign: `vllm-1`, and the exponent `e+04` of a number that was wrapped.
    #[inline]
    pub(super) fn refuse_prose(&mut self) -> Result<(), Breach> {
        let Some(bare) = self.arena.records.last().filter(|record| record.own.count() + record.shared_count == 0)
        else {
            return Ok(());
        };
        let glued = |breach: &Breach| breach.rule == Rule::MissingBlank && breach.at == bare.name.length as usize;
        if (!self.breaches.is_empty() && self.breaches.iter().any(glued))
            || self.arena.text(self.source, bare.name).ends_with(':')
        {
            self.arena.forget_latest();
            return Err(Breach { at: 0, rule: Rule::NotASample });
        }
        Ok(())
    }

    /// What a line of a dump that is commented out holds.
    pub(super) fn commented_out<'t>(&mut self, line: &'t str) -> Option<&'t str> {
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

    /// Takes over metadata from text that is not in the input as such.
    pub(super) fn metadata_elsewhere(&mut self, line: &str, number: u32) {
        self.breaches.clear();
        let read = comment(line, "", &mut self.breaches).into_owned();
        self.metadata(read, line, number, false);
    }

    pub(super) fn comment(&mut self, line: &'a str, number: u32, last: bool) {
        if holds_others(line) && self.several(line, number, last) {
            return;
        }
        self.breaches.clear();
        let known = self.source.get(self.previous.name.clone()).unwrap_or_default();
        let read = comment(line, known, &mut self.breaches);
        if matches!(read, Comment::Malformed | Comment::Plain) && self.unusual(&read, line, number) {
            return;
        }
        self.metadata(read, line, number, last);
    }

    /// Metadata that reads once it is mended, which is all to say of it then; or a heading, or a sample that was commented
    /// out twice.
    #[cold]
    fn unusual(&mut self, read: &Comment<'_>, line: &str, number: u32) -> bool {
        if *read == Comment::Malformed {
            let Some(mended) = mend::metadata(line) else { return false };
            self.metadata_elsewhere(&mended, number);
            let message = "marks within the metadata; read without them";
            self.remarks.say(number as usize, WarningKind::Repaired, message);
            return true;
        }
        // Most headings are words.
        let inner = line.strip_prefix("##").map(|inner| inner.trim_start_matches(['#', ' ']));
        let inner = inner.filter(|inner| inner.contains(['{', '_']));
        if inner.is_some_and(|inner| self.sample_elsewhere(inner, number).is_ok()) {
            self.arena.forget_latest();
            let message = "a sample behind `##`: a comment, left out";
            self.remarks.say_of(number as usize, WarningKind::Skipped, message, line);
        }
        inner.is_some()
    }

    /// Lets the samples that follow begin with the latest family's name, if it is the one at `start`.
    fn remember_name(&mut self, start: usize) {
        let Some(family) = self.families.last() else { return };
        let name = start..start + family.name.len();
        if self.source.get(name.clone()) == Some(&family.name) {
            self.previous.name = name;
        }
    }

    fn metadata(&mut self, read: Comment<'a>, line: &str, number: u32, last: bool) {
        let line_number = number as usize;
        if self.breaches.iter().any(|breach| breach.rule.tolerated_as().is_some()) {
            if last {
                let message = "the last line is cut and was left out";
                self.remarks.say_of(line_number, WarningKind::Truncated, message, line);
                return;
            }
            self.tolerate(number);
        }
        if last && read != Comment::Eof && (read != Comment::Plain || line.len() < "# HELP ".len()) {
            let message = "the last line has no line feed: it may be cut";
            self.remarks.say(line_number, WarningKind::Truncated, message);
        }
        let (name, keyword) = match &read {
            Comment::Plain | Comment::Malformed => return,
            Comment::Eof => {
                self.eof = true;
                // Spelled as OpenMetrics has it, it proves the format; `#EOF` may be anybody's comment.
                self.openmetrics |= self.breaches.is_empty();
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
        let place = match self.families.get(latest) {
            Some(family) if family.name == *name => latest,
            _ => *self.index.entry(name.clone()).or_insert(self.families.len()),
        };
        if place == self.families.len() {
            self.families.push(Family { name: name.clone(), line, ..Family::default() });
        }
        &mut self.families[place]
    }

    /// Says what was tolerated in a line that was read.
    #[cold]
    pub(super) fn tolerate(&mut self, number: u32) {
        if self.breaches.iter().any(|breach| breach.rule == Rule::TimestampForm) && self.refuse_group(number) {
            return;
        }
        for breach in &self.breaches {
            match breach.rule {
                Rule::Exemplar | Rule::CompositeValue | Rule::StartTimestamp => self.openmetrics = true,
                Rule::TimestampForm => self.fractional = true,
                _ => {}
            }
            if let Some(kind) = breach.rule.tolerated_as() {
                self.remarks.say(number as usize, kind, breach.rule.sentence());
            }
        }
    }

    fn finish(mut self) -> Exposition<'a> {
        let milliseconds_from = self.unit_of_timestamps();
        self.doubt_groups();
        Exposition {
            source: self.source,
            arena: self.arena,
            families: self.families,
            index: self.index,
            warnings: self.remarks.finish(),
            eof: self.eof,
            milliseconds_from,
        }
    }
}

impl Reader<'_> {
    /// From which number on timestamps are milliseconds; says where the unit is against a format's letter, or only by it.
    ///
    /// The text format's are milliseconds throughout. Once anything in the text is OpenMetrics', or a timestamp has a
    /// fraction, both formats may be in it, and each number tells by its size: no server's clock reads the year 5138.
    fn unit_of_timestamps(&mut self) -> f64 {
        let (from, odd, message) = if self.openmetrics {
            let message = "a timestamp is read as milliseconds by its size, though OpenMetrics writes seconds";
            (LATEST_SECOND, LATEST_SECOND..f64::INFINITY, message)
        } else if self.fractional {
            return LATEST_SECOND;
        } else {
            let message = "a timestamp is read as milliseconds, as the format says, but looks like seconds";
            (0.0, 1e8..LATEST_SECOND, message)
        };
        for (sample, _) in self.arena.times.iter().filter(|(_, time)| odd.contains(&time.abs())) {
            if let Some(record) = self.arena.records.get(*sample as usize) {
                self.remarks.say(record.line as usize, WarningKind::Trap, message);
            }
        }
        from
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
    use crate::pace::Work;
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
        let exposition = super::super::read(&text);
        assert_eq!(exposition.samples().len(), 1600);
        assert!(kept(&exposition.arena) < text.len(), "{} for {}", kept(&exposition.arena), text.len());
    }

    fn sliced(text: &str, slice: usize) -> (Vec<String>, Vec<Warning>) {
        let read = Work::new(|pace| async move { Reader::read(text, slice, &pace).await }).finish();
        let samples = read.samples().map(|sample| format!("{}: {sample:?} {:?}", sample.line(), sample.timestamp()));
        (samples.collect(), read.warnings().to_vec())
    }

    #[cfg(not(target_arch = "wasm32"))]
    proptest::proptest! {
        /// Wherever the slices end: in a line, in a sample wrapped over several, between two carriage returns.
        #[test]
        fn what_is_read_does_not_depend_on_the_slices(
            lines in proptest::collection::vec(
                proptest::sample::select(vec![
                    "a{x=\"1\",le=\"0.1\"} 5", "a{x=\"1\",le=\"+Inf\"} 7 1700000000000", "# TYPE a histogram", "  a 1",
                    "vllm:inter_token_latency_seconds_bucket{engine=\"0\",model_na", "me=\"m\",le=\"0.01\"} 12", "7",
                    "prose, not metrics", "HTTP/1.1 200 OK", "", "b 1\r", "b 1\rb 2", "# # HELP c d", "# c 4", "\"é\\n",
                    "{\"data\":{\"result\":[{\"metric\":{\"__name__\":\"x\"},\"value\":[1,\"2\"]},", "{}]}}",
                ]),
                0..20,
            ),
            slice in 1_usize..200,
        ) {
            let text = lines.join("\n");
            proptest::prop_assert_eq!(sliced(&text, slice), sliced(&text, usize::MAX / 2));
        }
    }

    #[test]
    fn a_cut_reply_counts_up_to_the_cut_and_what_follows_a_whole_one_too() {
        let result = |name: &str| format!("{{\"metric\":{{\"__name__\":\"{name}\"}},\"value\":[1,\"2\"]}}");
        let whole = format!("{{\"data\":{{\n\"result\":[{},\n{}]}}}}", result("x"), result("y"));
        let (samples, warnings) = sliced(&whole[..whole.len() - 30], 9);
        assert_eq!(samples, ["1: x{} 2.0 Some(Timestamp(1.0))"]);
        assert_eq!((warnings[1].line, warnings[1].kind), (Some(3), WarningKind::Truncated));
        let (samples, warnings) = sliced(&format!("{whole}\nz 3\n"), 9);
        assert_eq!(samples, ["1: x{} 2.0 Some(Timestamp(1.0))", "1: y{} 2.0 Some(Timestamp(1.0))", "4: z{} 3.0 None"]);
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn a_line_too_long_for_any_sample_is_left_out_with_its_line() {
        let text = format!("a 1\n{}\nb 2\n", "x=".repeat(LONGEST_LINE));
        let (samples, warnings) = sliced(&text, SLICE);
        assert_eq!(samples.len(), 2);
        assert_eq!((warnings.len(), warnings[0].line, warnings[0].kind), (1, Some(2), WarningKind::Skipped));
        assert!(warnings[0].message.starts_with("a line of 8 MB"), "{}", warnings[0].message);
    }
}
