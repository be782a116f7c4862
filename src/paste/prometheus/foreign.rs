//! Mends what other programs make of metrics: logs in JSON, tables, Markdown, `promtool`. As in `mend.rs`, each function
//! says `None` where its program had no hand in a line.

use super::number::number;
use super::sample::name_end;
use serde_json::Value;

/// The keys under which logs in JSON hold the line as it was printed.
const LOGGED: &[&str] = &["log", "message", "msg", "MESSAGE", "line"];

/// A line of a log in JSON, as Docker keeps it: what was printed.
pub(super) fn logged(line: &str) -> Option<String> {
    let line = line.trim();
    (line.starts_with("{\"") && line.ends_with('}')).then_some(())?;
    let object: Value = serde_json::from_str(line).ok()?;
    LOGGED.iter().find_map(|key| object.get(key)?.as_str()).map(|text| text.trim_end().to_owned())
}

/// A terminal's colours whose escape character was lost: `[01;31m`, `[K`.
pub(super) fn lost_colours(line: &str) -> Option<String> {
    let mut pieces = line.split('[');
    let mut plain = pieces.next()?.to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
        match rest.strip_prefix(['m', 'K']) {
            Some(rest) => plain.push_str(rest),
            None => plain.extend(["[", piece]),
        }
    }
    (plain.len() < line.len()).then_some(plain)
}

/// A table's cell with doubled quotes, `"a{b=""c""}",1`, or a whole line in quotes.
pub(super) fn doubled(line: &str) -> Option<String> {
    let inside = line.trim().strip_prefix('"')?;
    let mut cell = String::with_capacity(inside.len());
    let mut pieces = inside.split('"').peekable();
    cell.push_str(pieces.next()?);
    let rest = loop {
        let piece = pieces.next()?;
        match pieces.peek() {
            Some(_) if piece.is_empty() => {
                cell.push('"');
                cell.push_str(pieces.next()?);
            }
            None => break piece,
            Some(_) => return None,
        }
    };
    let metric = cell.starts_with("# ") || cell.contains('{') || cell.split(' ').next()?.contains(['_', ':']);
    metric.then_some(())?;
    let value = rest.trim().trim_start_matches([',', ';', '\t']).trim();
    Some(if value.is_empty() { cell } else { format!("{cell} {value}") })
}

/// Markdown's bold, italics and code around a line, and bold in it.
pub(super) fn emphasis(line: &str) -> Option<String> {
    let line = line.trim();
    let bold = line.matches("**").count();
    let whole = if bold > 0 && bold.is_multiple_of(2) { line.replace("**", "") } else { line.to_owned() };
    let mut plain = whole.as_str();
    while let Some(mark) = plain.chars().next().filter(|mark| matches!(mark, '*' | '_' | '`')) {
        let Some(inner) = plain.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)) else { break };
        plain = inner;
    }
    (plain != line).then(|| plain.to_owned())
}

/// Backslashes that Markdown or LaTeX wants before its own signs.
pub(super) fn backslashes(line: &str) -> Option<String> {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' || !letters.peek().is_some_and(|next| "_*#[]<>~|{}()`.+-".contains(*next)) {
            plain.push(letter);
        }
    }
    (plain.len() < line.len()).then_some(plain)
}

/// What `promtool query` prints: `a{b="c"} => 12 @[1715829785.083]`.
pub(super) fn queried(line: &str) -> Option<String> {
    let (series, point) = line.trim().rsplit_once(" => ")?;
    let (value, time) = point.strip_suffix(']')?.split_once(" @[")?;
    number(value.as_bytes())?;
    number(time.as_bytes())?;
    // A fraction says that it is in seconds.
    let fraction = if time.contains('.') { "" } else { ".0" };
    Some(format!("{series} {value} {time}{fraction}"))
}

/// What `promtool tsdb dump` prints: the name as the label it is stored as.
pub(super) fn named(line: &str) -> Option<String> {
    let inside = line.trim().strip_prefix('{')?;
    let (before, rest) = inside.split_once("__name__=\"")?;
    let (name, after) = rest.split_once('"')?;
    let whole = !name.is_empty() && name_end(name.as_bytes(), 0, b"") == name.len();
    (whole && (before.is_empty() || before.trim_end().ends_with(','))).then_some(())?;
    let after = after.trim_start();
    Some(format!("{name}{{{before}{}", after.strip_prefix(',').unwrap_or(after).trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_undoes_what_one_program_did() {
        let sample = Some("a_b{x=\"1\"} 5");
        assert_eq!(logged("{\"log\":\"a_b{x=\\\"1\\\"} 5\\n\",\"stream\":\"stdout\"}").as_deref(), sample);
        assert_eq!(lost_colours("[01;31m[Ka_b[m[K{x=\"1\"} 5").as_deref(), sample);
        assert_eq!(doubled("\"a_b{x=\"\"1\"\"} 5\"").as_deref(), sample);
        assert_eq!(doubled("\"a_b{x=\"\"1\"\"}\",5").as_deref(), sample);
        assert_eq!(emphasis("**_a_b{x=\"1\"} 5_**").as_deref(), sample);
        assert_eq!(emphasis("a_b{x=\"1\"} **5**").as_deref(), sample);
        assert_eq!(backslashes("a\\_b{x=\"1\"} 5").as_deref(), sample);
        assert_eq!(named("{__name__=\"a_b\", x=\"1\"} 5").as_deref(), sample);
        assert_eq!(queried("a_b{x=\"1\"} => 5 @[1715829785]").as_deref(), Some("a_b{x=\"1\"} 5 1715829785.0"));
    }

    #[test]
    fn what_they_did_not_do_stays() {
        for mend in [logged, lost_colours, doubled, emphasis, backslashes, queried, named] {
            for line in
                ["a{x=\"1\"} 5", "\"port 8000\",", "[1, 2]", "{\"a\": 1}", "*   Trying", "a => b", "x{y=\"c:\\\\n\"}"]
            {
                assert_eq!(mend(line), None, "{line}");
            }
        }
    }
}
