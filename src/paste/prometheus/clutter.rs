//! What stands around metrics when people copy them: recognised, so that it can be said what it was.

use crate::paste::WarningKind;

/// What a line that is no metric is, and the words for it.
pub(super) fn clutter(line: &str) -> Option<(WarningKind, &'static str)> {
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    let starts = |beginnings: &[&str]| beginnings.iter().any(|beginning| lower.starts_with(beginning));
    if starts(&[
        "...",
        "…",
        "[...",
        "[…",
        "(...",
        "<...",
        "--more--",
        "< truncated",
        "<truncated",
        "[truncated",
        "[snip",
    ]) {
        return Some((WarningKind::Truncated, "an ellipsis: lines are left out here"));
    }
    if starts(&["```", "~~~"]) {
        return Some((WarningKind::Skipped, "a Markdown fence"));
    }
    let progress = |byte: u8| byte.is_ascii_digit() || b" -:.kMGT%\t|/=>#".contains(&byte);
    if starts(&["% total", "dload"]) || (line.len() > 20 && line.bytes().all(progress)) {
        return Some((WarningKind::Skipped, "a download's progress"));
    }
    if is_prompt(line) || starts(&["curl ", "wget ", "kubectl ", "docker ", "http ", "oc ", "??? console"]) {
        return Some((WarningKind::Skipped, "a shell prompt or command"));
    }
    if starts(&["+++ ", "--- ", "@@ ", "diff --git "]) {
        return Some((WarningKind::Skipped, "a diff's header"));
    }
    if starts(&["{\"", "{'", "[{", "{ \"", "\"", "],", "}"]) {
        return Some((WarningKind::Skipped, "JSON, not metrics"));
    }
    if starts(&["<!doctype", "<html", "<head", "<body", "<pre", "</", "<div", "<p>"]) {
        return Some((WarningKind::Skipped, "an HTML tag"));
    }
    None
}

/// A shell's prompt: `user@host:~$ …`, `[user@host dir]$…`, `$ …`, `% …`, `PS C:\> …` and the arrows of decorated shells.
pub(super) fn is_prompt(line: &str) -> bool {
    let decorated = ["$ ", "% ", "❯", "➜", "λ ", "PS ", ">>> "];
    if decorated.iter().any(|prompt| line.starts_with(prompt)) || line == "$" || line == "%" {
        return true;
    }
    let Some(end) = line.find(['$', '#', '%', '>']) else { return false };
    let before = line.get(..end).unwrap_or_default();
    let bracketed = before.starts_with('[') && before.trim_end().ends_with(']');
    bracketed || (before.contains('@') && !before.contains(['"', '=']))
}

/// The first line of an HTTP response: `HTTP/1.1 200 OK`.
pub(super) fn is_status(line: &str) -> bool {
    let Some((version, code)) = line.strip_prefix("HTTP/").and_then(|rest| rest.split_once(' ')) else { return false };
    version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && code.len() >= 3
        && code.bytes().take(3).all(|byte| byte.is_ascii_digit())
}

/// `Name: value`.
pub(super) fn is_header(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !name.is_empty() && name.bytes().all(letter) && (value.is_empty() || value.starts_with([' ', '\t']))
}

/// A letter that nobody sees: marks of the byte order, of the direction, of where a word may break.
pub(super) const fn has_no_width(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

/// A line without what was put before it, and the words for what that was.
pub(super) fn peel(line: &str) -> Option<(&str, &'static str)> {
    let indented = line.trim_start_matches(|letter| matches!(letter, ' ' | '\t' | '\u{a0}') || has_no_width(letter));
    if indented.len() < line.len() {
        return Some((indented, "indented; read without its indentation"));
    }
    if let Some(quoted) = line.strip_prefix('>') {
        return Some((quoted.strip_prefix(' ').unwrap_or(quoted), "quoted with `>`; read without it"));
    }
    let metric = |letter: char| letter.is_ascii_alphabetic() || "_:#{".contains(letter);
    if let Some(added) = line.strip_prefix('+').filter(|added| added.starts_with(metric)) {
        return Some((added, "a line that a diff added; read without its `+`"));
    }
    if let Some(removed) = line.strip_prefix('-').filter(|removed| removed.starts_with(metric)) {
        return Some((removed, "a line that a diff removed; read without its `-`"));
    }
    let opened = line.strip_prefix('`').filter(|rest| rest.starts_with(metric) && !rest.contains('`'));
    if let Some(opened) = opened {
        return Some((opened, "a backquote before the line; read without it"));
    }
    if let Some(cell) = line.strip_prefix('|') {
        return Some((cell.trim_start(), "a table's row; read without its bars"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_a_response() {
        assert!(is_status("HTTP/1.1 200 OK") && is_status("HTTP/2 200") && !is_status("HTTP/1.1\" 200 OK"));
        assert!(is_header("content-type: text/plain; version=0.0.4") && is_header("Server:"));
        assert!(!is_header("a{b=\"c\"} 1") && !is_header("vllm:x 1") && !is_header("# HELP a b: c"));
    }

    #[test]
    fn what_stands_around_metrics() {
        for (line, words) in [
            ("$ curl http://localhost:30000/metrics", "a shell prompt or command"),
            ("curl -L HOST/metrics", "a shell prompt or command"),
            ("[ma-user ~]$curl http://127.0.0.1:40052/metrics", "a shell prompt or command"),
            ("root@node-1:~# curl localhost:8000/metrics", "a shell prompt or command"),
            ("[... trimmed ...]", "an ellipsis: lines are left out here"),
            ("```text", "a Markdown fence"),
            ("  % Total    % Received % Xferd  Average Speed   Time", "a download's progress"),
            ("100 45575  100 45575    0     0  8901k      0 --:--:-- --:--:-- --:--:-- 8901k", "a download's progress"),
            ("{\"status\":\"success\"}", "JSON, not metrics"),
        ] {
            assert_eq!(clutter(line).map(|(_, words)| words), Some(words), "{line}");
        }
    }
}
