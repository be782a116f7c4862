//! Several lines that became one: by a shell that made line feeds blanks, or by a program that printed a list of lines.

use super::reader::Reader;
use super::rule::Rule;
use super::sample::name_end;
use crate::paste::WarningKind;
use memchr::memmem;

/// No help text is this long, but a whole dump after one is.
const LONG: usize = 200;

impl Reader<'_> {
    /// A line of metadata that holds the lines after it too: whether they were read.
    #[cold]
    pub(super) fn several(&mut self, line: &str, number: u32, last: bool) -> bool {
        let Some(lines) = super::mend::html(line).filter(|plain| plain.contains('\n')).or_else(|| flat(line)) else {
            let message = "several lines in one: where each ends cannot be told, and samples in it are not read";
            self.remarks.say_of(number as usize, WarningKind::Skipped, message, line);
            return false;
        };
        // Also where tags stood between lines and blanks between others.
        if !self.reread(&lines, number) {
            return false;
        }
        self.remarks.say(number as usize, WarningKind::Repaired, FLAT);
        if last {
            let message = "the last line has no line feed: its number may be cut";
            self.remarks.say(number as usize, WarningKind::Truncated, message);
        }
        true
    }

    /// After a sample whose exemplar does not read: whether metadata stands there, and it and what follows were read.
    #[cold]
    pub(super) fn followed(&mut self, line: &str, number: u32) -> bool {
        if !self.breaches.iter().any(|breach| breach.rule == Rule::BadExemplar) {
            return false;
        }
        let Some(lines) = flat(line) else { return false };
        self.arena.forget_latest();
        self.remarks.say(number as usize, WarningKind::Repaired, FLAT);
        self.reread(&lines, number)
    }
}

/// The words for it.
pub(super) const FLAT: &str = "several lines in one; read one by one";

/// Whether a line of metadata is so long that it is worth looking for others in it.
#[inline]
pub(super) fn holds_others(line: &str) -> bool {
    line.len() > LONG && ["# TYPE ", "# HELP "].iter().any(|mark| line.rfind(mark).is_some_and(|at| at > 0))
}

/// The lines of a dump whose line feeds became blanks: cut before metadata, after a type's word, and between samples,
/// where what follows is samples to the last letter. `None` if it is not that.
pub(super) fn flat(text: &str) -> Option<String> {
    let mut lines = String::with_capacity(text.len() + text.len() / 50);
    let mut rest = text.trim();
    let mut help = "";
    while !rest.is_empty() {
        let next = next_mark(rest).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(next);
        if let Some(typed) = piece.strip_prefix("# TYPE ").or_else(|| piece.strip_prefix("# UNIT ")) {
            let mut words = typed.splitn(3, ' ');
            let (name, word) = (words.next()?, words.next()?);
            let samples = words.next().unwrap_or("");
            push(&mut lines, piece.get(..piece.len() - typed.len() + name.len() + 1 + word.len())?);
            one_by_one(samples, &mut lines)?;
            help = "";
        } else if let Some(told) = piece.strip_prefix("# HELP ") {
            push(&mut lines, piece);
            help = told.split(' ').next().unwrap_or("");
        } else if piece.starts_with("# EOF") {
            push(&mut lines, "# EOF");
        } else {
            one_by_one(piece, &mut lines)?;
        }
        rest = after.trim_start();
    }
    // Where a help text ends that samples follow cannot be told.
    let several = lines.trim_end().contains('\n');
    (several && help.is_empty()).then_some(lines)
}

/// Where the next metadata begins, after a blank.
fn next_mark(text: &str) -> Option<usize> {
    let marks = ["HELP ", "TYPE ", "UNIT ", "EOF"];
    let mark = |at: &usize| text.get(at + 3..).is_some_and(|after| marks.iter().any(|mark| after.starts_with(mark)));
    memmem::find_iter(text.as_bytes(), " # ").find(mark)
}

fn push(lines: &mut String, line: &str) {
    lines.push_str(line);
    lines.push('\n');
}

/// Cuts samples apart: each is a name, braces, a value and perhaps a timestamp. `None` where something else stands.
fn one_by_one(text: &str, lines: &mut String) -> Option<()> {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let name = name_end(bytes, 0, b"");
        let blanks = rest.get(name..)?.len() - rest.get(name..)?.trim_start().len();
        let mut at = name;
        if bytes.get(name + blanks) == Some(&b'{') {
            at = braces_end(bytes, name + blanks)?;
        } else if blanks == 0 || !rest.get(..name)?.contains(['_', ':']) {
            // Words with numbers after them are prose.
            return None;
        }
        let mut end = at;
        for place in 0..2 {
            let from = end + rest.get(end..)?.len() - rest.get(end..)?.trim_start().len();
            let token = rest.get(from..)?.split(' ').next()?;
            match super::number::number(token.as_bytes()) {
                Some(_) => end = from + token.len(),
                None if place == 0 => return None,
                None => break,
            }
        }
        push(lines, rest.get(..end)?);
        rest = rest.get(end..)?.trim_start();
    }
    Some(())
}

/// The place after the brace that closes the one at `at`.
fn braces_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (place, byte) in bytes.iter().enumerate().skip(at) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'}' if !quoted => return Some(place + 1),
            _ => {}
        }
    }
    None
}

/// A list of strings as Python or JSON prints it, on one line: the strings.
pub(super) fn listed(line: &str) -> Option<String> {
    let mut rest = line.trim().strip_prefix('[')?;
    let mut lines = String::with_capacity(rest.len());
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(']') {
            return (after.is_empty() && lines.contains('\n')).then_some(lines);
        }
        rest = rest.strip_prefix('b').unwrap_or(rest);
        let quote = rest.chars().next().filter(|letter| matches!(letter, '\'' | '"'))?;
        let mut letters = rest.get(1..)?.char_indices();
        let end = loop {
            match letters.next()? {
                (at, letter) if letter == quote => break at + 2,
                (_, '\\') => match letters.next()?.1 {
                    'n' => lines.push('\n'),
                    't' => lines.push('\t'),
                    'r' => {}
                    // What the list's own quotes are not part of is an escape of the text in it.
                    letter @ ('\'' | '"' | '\\' | '/') => lines.push(letter),
                    letter => lines.extend(['\\', letter]),
                },
                (_, letter) => lines.push(letter),
            }
        };
        lines.push('\n');
        rest = rest.get(end..)?.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_dump_is_cut_where_that_is_certain() {
        let dump = "# HELP a_total Tokens {so far} 1.\n# TYPE a_total counter\na_total{x=\"} b_c 1 \"} 5\nb_c 6 1700\n\
            # HELP d_e x\n# TYPE d_e gauge\nd_e{} +Inf\n";
        assert_eq!(flat(&dump.replace('\n', " ")).as_deref(), Some(dump));
        for other in
            ["a 1 b 2", "errors 3 warnings 5", "a_b{x=\"1\"} 5", "a_b{x=\"1\"} 5 // a_b 6", "# HELP a b a_c 1 a_d 2"]
        {
            assert_eq!(flat(other), None, "{other}");
        }
    }

    #[test]
    fn a_list_is_the_strings_in_it() {
        assert_eq!(listed("['a{x=\"1\"} 5', \"it's\", b'c\\'d\\n']").as_deref(), Some("a{x=\"1\"} 5\nit's\nc'd\n\n"));
        for other in ["[1, 2]", "['a' 'b'", "[{'a': 1}]", "[01;31m"] {
            assert_eq!(listed(other), None, "{other}");
        }
    }
}
