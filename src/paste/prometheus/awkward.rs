//! The lines that do not read as they stand: peeled, mended, joined, or left out with the reason.

use super::clutter::{clutter, is_header, is_status, peel};
use super::flat::holds_others;
use super::mend::{MENDERS, PREFIX, prefix};
use super::reader::Reader;
use super::reply::{Reply, reply};
use super::rule::{Breach, Rule};
use super::sample::{Line, Previous};
use crate::paste::WarningKind;
use memchr::{memchr, memmem};
use std::ops::Range;

impl<'a> Reader<'a> {
    /// Any line but a plain sample or metadata.
    #[cold]
    pub(super) fn awkward(&mut self, range: Range<usize>, number: u32, last: bool) {
        let source = self.source;
        let line_number = number as usize;
        let mut line = source.get(range.clone()).unwrap_or_default();
        if let Some(head) = line.strip_suffix('\r') {
            line = head;
            if !line.is_empty() {
                self.remarks.say(line_number, WarningKind::Repaired, Rule::CarriageReturn.sentence());
            }
        }
        let start = range.start;
        let end = start + line.len();
        // A progress display redraws its line, and old files know no other line end; a comment may hold anything.
        let comment = line.trim_start().starts_with('#') && memchr(b'\n', source.as_bytes()).is_some();
        if line.contains('\r') && !comment {
            if self.sample(start..end, number).is_ok() {
                return self.tolerate(number);
            }
            let mut from = start;
            for piece in line.split('\r') {
                self.awkward(from..from + piece.len(), number, last && from + piece.len() == end);
                from += piece.len() + 1;
            }
            return;
        }
        if is_status(line) {
            self.in_headers = true;
            // No shortcut leads past a header.
            self.previous = Previous::default();
        }
        self.in_headers &= is_status(line) || is_header(line);
        if self.in_headers {
            self.remarks.say_of(line_number, WarningKind::Skipped, "an HTTP header", line);
            return;
        }

        let mut words = None;
        let mut read_at = None;
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
                if !self.followed(line, number) {
                    self.tolerate(number);
                }
                if last {
                    let message = "the last line has no line feed: its number may be cut";
                    self.remarks.say(line_number, WarningKind::Truncated, message);
                }
                read_at = Some(end - line.len());
                break;
            };
            match peel(line) {
                Some((inner, _)) if line.starts_with('-') && self.has_added() => {
                    let message = "a line that a diff removed; left out";
                    self.remarks.say_of(line_number, WarningKind::Skipped, message, inner);
                    return;
                }
                Some((inner, said)) => (line, words) = (inner, Some(said)),
                // What is wrong is said of the innermost text.
                None => {
                    self.mend(line, start, number, last, breach);
                    return;
                }
            }
        }
        if let Some(words) = words {
            self.remarks.say(line_number, WarningKind::Repaired, words);
        }
        // Not within a line that a progress display redrew.
        if let Some(at) = read_at.filter(|_| end + 2 >= self.next && !last) {
            let (text, decoration) =
                (source.get(at..end).unwrap_or_default(), source.get(start..at).unwrap_or_default());
            self.look_ahead(text, decoration, number);
        }
    }

    /// Whether a diff in the text adds lines.
    fn has_added(&mut self) -> bool {
        let bytes = self.source.as_bytes();
        let adds =
            |at: usize| bytes.get(at + 2).is_some_and(|byte| byte.is_ascii_alphabetic() || b"_:#{".contains(byte));
        *self.added.get_or_insert_with(|| memmem::find_iter(bytes, "\n+").any(adds))
    }

    /// Reads a line after mending it, or says why it is left out. The line is in a line that begins at `start`.
    fn mend(&mut self, line: &str, start: usize, number: u32, last: bool, breach: Breach) {
        let line_number = number as usize;
        if let Some(Reply::Samples { lines, nameless }) = reply(line) {
            lines.into_iter().for_each(|sample| self.adopt(sample, number));
            return self.tell(nameless, number);
        }
        let raw = self.source.get(start..).unwrap_or_default();
        let raw = raw.get(..raw.find(['\r', '\n']).unwrap_or(raw.len())).unwrap_or_default();
        // What stands before the end of the line.
        let before = |text: &str| raw.trim_end().strip_suffix(text.trim_end()).unwrap_or_default();
        if self.continues(line, start, number) || (!last && self.joined(line, before(line), number, breach)) {
            return;
        }
        // Where something stands before a sample, and that is all, nothing within it is to be mended.
        let plain = !line.contains(['<', '#', '\u{1b}']);
        if self.without_tail(line, number, last, breach) || (plain && self.prefixed(line, before, number, last)) {
            return;
        }
        let mut text = line.to_owned();
        let mut said = Vec::new();
        for (mender, words) in MENDERS {
            let Some(mended) = mender(&text) else { continue };
            text = mended;
            said.push(*words);
            if self.reread(&text, number) {
                for words in said {
                    self.remarks.say(line_number, WarningKind::Repaired, words);
                }
                if last {
                    let message = "the last line has no line feed: its number may be cut";
                    self.remarks.say(line_number, WarningKind::Truncated, message);
                } else if !text.contains('\n') {
                    self.look_ahead(&text, before(&text), number);
                }
                return;
            }
        }
        if self.prefixed(line, before, number, last) {
            return;
        }
        self.skip(line, number, last, breach);
    }

    /// Reads a line behind a log's prefix or a line number.
    fn prefixed<'t>(&mut self, line: &str, before: impl Fn(&str) -> &'t str, number: u32, last: bool) -> bool {
        let Some(inner) = prefix(line) else { return false };
        match self.reread_line(&inner, number) {
            Ok(()) if last => {
                let message = "the last line has no line feed: its number may be cut";
                self.remarks.say(number as usize, WarningKind::Truncated, message);
            }
            Ok(()) => self.look_ahead(&inner, before(&inner), number),
            Err(breach) if last || !self.joined(&inner, before(&inner), number, breach) => return false,
            Err(_) => {}
        }
        self.remarks.say(number as usize, WarningKind::Repaired, PREFIX);
        true
    }

    /// Reads mended text, which may be several lines; whether there was anything in it.
    pub(super) fn reread(&mut self, text: &str, number: u32) -> bool {
        let mut unread = Vec::new();
        let mut any = false;
        let several = text.trim().contains('\n');
        for piece in text.lines().map(str::trim).filter(|piece| !piece.is_empty()) {
            let read = self.reread_line(piece, number).or_else(|breach| {
                let inner = prefix(piece).filter(|_| several).ok_or(breach)?;
                self.reread_line(&inner, number).map_err(|_| breach)
            });
            match read {
                Ok(()) => any = true,
                Err(breach) => unread.push((piece, breach)),
            }
        }
        if any {
            for (piece, breach) in unread {
                self.skip(piece, number, false, breach);
            }
        }
        any
    }

    fn reread_line(&mut self, line: &str, number: u32) -> Result<(), Breach> {
        if line.starts_with("# HELP ") || line.starts_with("# TYPE ") || line.starts_with("# EOF") {
            // What a help text cannot hold: it is not mended as far as it can be.
            if line.contains("\\n# ") || holds_others(line) {
                return Err(Breach { at: 0, rule: Rule::NotASample });
            }
            self.metadata_elsewhere(line, number);
            return Ok(());
        }
        self.sample_elsewhere(line, number)?;
        self.tolerate(number);
        Ok(())
    }

    /// Reads a sample from text that is not in the input as such; it goes into the pool.
    pub(super) fn sample_elsewhere(&mut self, line: &str, number: u32) -> Result<(), Breach> {
        let before = self.arena.pool.len();
        let span = self.arena.pool(line);
        if span.length == 0 {
            return Err(Breach { at: 0, rule: Rule::NotASample });
        }
        self.breaches.clear();
        let mut parsed = Line {
            source: line.as_bytes(),
            base: span.start,
            arena: &mut self.arena,
            previous: &mut Previous::default(),
            breaches: &mut self.breaches,
        };
        let result = parsed.sample(0..line.len(), number).and_then(|()| self.refuse_prose());
        if result.is_err() {
            self.arena.pool.truncate(before);
        }
        result
    }

    /// Takes over a sample of the reply to a query.
    pub(super) fn adopt(&mut self, sample: String, number: u32) {
        self.openmetrics = true;
        let arena = &mut self.arena;
        let room = arena.pool.try_reserve(sample.len()).is_ok()
            && arena.records.try_reserve(1).is_ok()
            && arena.labels.try_reserve(sample.len() / 5).is_ok();
        if !room {
            self.remarks.say(number as usize, WarningKind::Truncated, "memory is full; further samples were left out");
        } else if let Err(breach) = self.sample_elsewhere(&sample, number) {
            self.skip(&sample, number, false, breach);
        }
    }

    /// Says that a reply to a query was read.
    pub(super) fn tell(&mut self, nameless: usize, number: u32) {
        let line = number as usize;
        self.openmetrics = true;
        self.remarks.say(
            line,
            WarningKind::Repaired,
            "the reply to a Prometheus query, or an export; its samples are read",
        );
        if nameless > 0 {
            let message = "results without a metric name, as an expression's are, are left out";
            self.remarks.say(line, WarningKind::Missing, message);
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
}
