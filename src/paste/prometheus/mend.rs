//! Mends lines that do not read as they are: each function undoes one thing that happens to text on its way
//! from a server into a paste, and says `None` where that thing did not happen.

use super::clutter::has_no_width;
use super::flat::{FLAT, flat, listed};
use super::foreign::{backslashes, doubled, emphasis, logged, lost_colours, named, queried};

/// A way to mend a line, and the words for it.
pub(super) type Mender = (fn(&str) -> Option<String>, &'static str);

/// The words for a prefix.
pub(super) const PREFIX: &str = "something stands before the metric (a log's prefix, a line number); read without it";

/// All of them, in the order to try; each works on what the ones before made of the line.
pub(super) const MENDERS: &[Mender] = &[
    (logged, "a log's line in JSON; read what was printed"),
    (listed, "a list of lines; read one by one"),
    (colours, "terminal colours; read without them"),
    (lost_colours, "terminal colours; read without them"),
    (html, "HTML tags or entities; read without them"),
    // Escaped twice.
    (html, "HTML tags or entities; read without them"),
    (typography, "typographic quotes or blanks; read as plain ones"),
    (doubled, "a table's cell in quotes; read without them"),
    (escapes, "escaped as in a JSON string; read unescaped"),
    (escapes, "escaped as in a JSON string; read unescaped"),
    (emphasis, "Markdown's marks; read without them"),
    (backslashes, "backslashes before signs; read without them"),
    (queried, "what promtool query printed; its samples are read"),
    (named, "a name among the labels; read before them"),
    (flat, FLAT),
    (prefix, PREFIX),
];

/// The longest tag and the longest entity looked for, so that a line of nothing but their beginnings takes no
/// longer than any other.
const LONGEST_TAG: usize = 400;
const LONGEST_ENTITY: usize = 9;

/// Metadata whose name does not read as it is.
pub(super) fn metadata(line: &str) -> Option<String> {
    lost_colours(line).or_else(|| backslashes(line))
}

/// Removes a terminal's escape sequences: `ESC [ … letter`, and `ESC ] … BEL`.
fn colours(line: &str) -> Option<String> {
    let mut pieces = line.split('\u{1b}');
    let mut plain = pieces.next()?.to_owned();
    let mut any = false;
    for piece in pieces {
        any = true;
        let rest = match piece.chars().next() {
            Some('[') => piece.get(1..)?.split_once(|letter: char| ('@'..='~').contains(&letter)).map(|(_, rest)| rest),
            Some(']') => piece.split_once('\u{7}').map(|(_, rest)| rest),
            _ => piece.get(1..),
        };
        plain.push_str(rest.unwrap_or(""));
    }
    any.then_some(plain)
}

/// Removes tags and resolves the entities that occur in metrics.
pub(super) fn html(line: &str) -> Option<String> {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let (text, length) = tag(from).or_else(|| entity(from)).unwrap_or((from.chars().next()?, 1));
        if text != '\0' {
            plain.push(text);
        }
        rest = from.get(length..)?;
    }
    plain.push_str(rest);
    (plain != line).then_some(plain)
}

/// A tag's length; it reads as nothing, and as a line feed where a page goes on below.
fn tag(text: &str) -> Option<(char, usize)> {
    let inside = text.strip_prefix('<')?;
    let closing = inside.starts_with('/');
    let after = inside.strip_prefix('/').unwrap_or(inside);
    let name = after.get(..after.bytes().position(|byte| !byte.is_ascii_alphanumeric())?)?;
    let ends = after.get(name.len()..)?.starts_with(['>', '/', ' ', '\t']);
    // What a launcher puts before a line is no tag.
    (ends && name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && !name.starts_with("std")).then_some(())?;
    let end = inside.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    let below = name == "br" || (closing && matches!(name, "p" | "div" | "li" | "tr"));
    Some((if below { '\n' } else { '\0' }, end + 2))
}

fn entity(text: &str) -> Option<(char, usize)> {
    let inside = text.strip_prefix('&')?;
    let end = inside.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';')?;
    let name = inside.get(..end)?;
    let letter = match name {
        "quot" => '"',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?).filter(|letter| *letter != '\0')?
        }
    };
    Some((letter, name.len() + 2))
}

/// Makes typographic quotes and blanks plain, and removes what has no width.
fn typography(line: &str) -> Option<String> {
    let plain: String = line
        .chars()
        .filter(|letter| !has_no_width(*letter))
        .map(|letter| match letter {
            '“' | '”' | '„' | '‟' | '″' | '＂' => '"',
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
            '｛' => '{',
            '｝' => '}',
            '−' => '-',
            other => other,
        })
        .collect();
    (plain != line).then_some(plain)
}

/// Resolves the escapes of a JSON string, or of a list of such, one per line.
fn escapes(line: &str) -> Option<String> {
    if !["=\\\"", "\\n# ", "\\n", "\\u003d"].iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('r') => {}
            Some('t') => plain.push('\t'),
            Some('u') => {
                let digits: String = letters.clone().take(4).collect();
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                    Some(letter) => {
                        plain.push(letter);
                        letters.nth(3);
                    }
                    None => plain.push_str("\\u"),
                }
            }
            Some(other) => plain.push(other),
            None => plain.push('\\'),
        }
    }
    // The quotes around the string itself.
    let inner = plain.trim();
    let inner = inner.strip_suffix(',').unwrap_or(inner).trim_end();
    let inner = inner.strip_prefix('"').map_or(inner, |rest| rest.trim_end().trim_end_matches('"'));
    Some(inner.to_owned())
}

/// Removes what stands before a metric: the rest begins with metadata, or with a name that has labels or looks
/// like a metric's. A word and a number after other words are prose and stay so.
pub(super) fn prefix(line: &str) -> Option<String> {
    for keyword in ["# HELP ", "# TYPE ", "# UNIT "] {
        if let Some(at) = line.find(keyword).filter(|at| *at > 0) {
            return line.get(at..).map(str::to_owned);
        }
    }
    let line = line.trim_end();
    // `mpirun` says which process printed a line.
    if let Some((_, rest)) = line.split_once("<stdout>:").filter(|(before, _)| before.starts_with('[')) {
        return Some(rest.to_owned());
    }
    // `grep` puts a file's name and a line number before each line.
    let mut body = line;
    let file = |file: &str| file.contains(['.', '/']) && !file.contains([' ', '{', '"']);
    if let Some((_, rest)) = line.split_once(':').filter(|(start, _)| file(start)) {
        body = rest;
    }
    let numbered = body.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if numbered.len() < body.len() {
        body = numbered.trim_start_matches([':', '|', '.', ')', '-', ' ', '\t', '│']);
    }
    let named = |name: &str| name.contains(['_', ':']) && !name.ends_with(':');
    let found = match body.find('{') {
        Some(brace) => {
            let head = body.get(..brace)?.trim_end();
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':';
            let start = head.rfind(|letter: char| !is_name(letter)).map_or(0, |at| at + letter_length(head, at));
            let before = head.get(..start)?;
            (before.is_empty() || before.ends_with([' ', '\t', '|', ']', ')', '>', '│', '-']))
                .then(|| body.get(start..))?
        }
        None => {
            let mut words = body.rsplitn(3, [' ', '\t']);
            let value = words.next()?;
            let name = words.next().filter(|name| named(name))?;
            body.get(body.len().checked_sub(name.len() + 1 + value.len())?..)
        }
    }?;
    // A colon there belongs to what stands before.
    (found.len() < line.len() && !found.starts_with(':')).then(|| found.to_owned())
}

fn letter_length(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mender_undoes_one_thing() {
        assert_eq!(colours("\u{1b}[32ma\u{1b}[0m{} \u{1b}[01;31m\u{1b}[K1").as_deref(), Some("a{} 1"));
        assert_eq!(html("<pre>a{x=&quot;&lt;1&#34;} 1</pre>").as_deref(), Some("a{x=\"<1\"} 1"));
        assert_eq!(html("a 1<br/>b 2").as_deref(), Some("a 1\nb 2"));
        assert_eq!(typography("a{x=“y”}\u{a0}−1").as_deref(), Some("a{x=\"y\"} -1"));
        assert_eq!(escapes("\"a{x=\\\"y\\\"} 1\\n\",").as_deref(), Some("a{x=\"y\"} 1\n"));
        for (mender, _) in MENDERS {
            assert_eq!(mender("a 1"), None);
        }
    }

    #[test]
    fn prefixes_go_and_prose_stays() {
        for (line, metric) in [
            ("2025-08-01 12:00:00,123 INFO vllm:x{engine=\"0\"} 1", "vllm:x{engine=\"0\"} 1"),
            ("vllm-1  | vllm:x{engine=\"0\"} 1", "vllm:x{engine=\"0\"} 1"),
            ("vllm-1  | process_open_fds 45.0", "process_open_fds 45.0"),
            ("metrics.txt:12:vllm:x{engine=\"0\"} 1", "vllm:x{engine=\"0\"} 1"),
            ("metrics.txt:vllm:x{engine=\"0\"} 1", "vllm:x{engine=\"0\"} 1"),
            ("  12\tvllm:x_total 3", "vllm:x_total 3"),
            ("[pod/vllm-0/vllm] # TYPE a gauge", "# TYPE a gauge"),
        ] {
            assert_eq!(prefix(line).as_deref(), Some(metric), "{line}");
        }
        for line in ["Average latency 12", "we saw 3 errors 5", "a-b 1", "Took: 5"] {
            assert_eq!(prefix(line), None, "{line}");
        }
    }
}
