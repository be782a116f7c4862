//! What stands behind a sample on its line, when it is known not to belong to it: the prompt of the shell that printed
//! it, or someone's note.

use super::clutter::is_prompt;
use super::reader::Reader;
use super::rule::{Breach, Rule};
use crate::paste::WarningKind;

impl Reader<'_> {
    /// Reads the sample that a line begins with, if what follows it on the line is known.
    pub(super) fn without_tail(&mut self, line: &str, number: u32, last: bool, breach: Breach) -> bool {
        let from = line.get(breach.at..).unwrap_or_default();
        let cut = match breach.rule {
            Rule::BadNumber => breach.at + number_length(from),
            Rule::BadTimestamp | Rule::TrailingText => breach.at,
            _ => return false,
        };
        let Some((head, tail)) = line.split_at_checked(cut).filter(|_| cut > 0) else { return false };
        let next = self.source.get(self.next..).unwrap_or_default();
        let ends =
            last || next.trim_start().is_empty() || is_prompt(next.split('\n').next().unwrap_or_default().trim());
        let words = if tail.trim_end().chars().all(|letter| letter == '`') {
            "a backquote behind the sample; read without it"
        } else if prompts(tail.trim(), ends) {
            "a shell prompt behind the sample; read without it"
        } else if head.ends_with([' ', '\t']) && ["//", "<-", "←"].iter().any(|mark| tail.starts_with(mark)) {
            "a note behind the sample; read without it"
        } else {
            return false;
        };
        if self.sample_elsewhere(head.trim_end(), number).is_err() {
            return false;
        }
        self.tolerate(number);
        self.remarks.say(number as usize, WarningKind::Repaired, words);
        true
    }
}

/// Whether a text is a prompt that can stand right behind a number. A bare mark may as well be a unit, unless the
/// metrics end there.
fn prompts(text: &str, ends: bool) -> bool {
    let bare = matches!(text, "%" | "$" | "#" | ">" | ">>>");
    let user = text.contains('@') && text.starts_with(|letter: char| letter.is_alphabetic() || "_([".contains(letter));
    let shell = ["bash-", "sh-"].iter().any(|shell| text.starts_with(shell)) && text.ends_with(['#', '$']);
    let folder = text.starts_with(['/', '~']) && text.ends_with(['#', '$', '%']);
    let arrow = text.starts_with(['❯', '➜', 'λ']) || (text.starts_with("PS ") && text.ends_with('>'));
    (bare && ends) || shell || folder || arrow || (user && is_prompt(text))
}

/// The length of the number that a text begins with, whatever follows it.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| text.bytes().skip(from).take_while(u8::is_ascii_digit).count();
    let sign = |at: usize| usize::from(matches!(text.as_bytes().get(at), Some(b'+' | b'-')));
    let whole = sign(0) + digits(sign(0));
    let point = usize::from(text.as_bytes().get(whole) == Some(&b'.'));
    let mantissa = whole + point + if point > 0 { digits(whole + 1) } else { 0 };
    if mantissa == sign(0) + point {
        return 0;
    }
    let power = mantissa + 1 + sign(mantissa + 1);
    let exponent = matches!(text.as_bytes().get(mantissa), Some(b'e' | b'E')) && digits(power) > 0;
    if exponent { power + digits(power) } else { mantissa }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_they_end() {
        for (text, length) in
            [("890.123root@h", 7), ("1e5x", 3), ("1.5e+06%", 7), ("12eve@h", 2), ("-.5$", 3), ("x", 0), (".", 0)]
        {
            assert_eq!(number_length(text), length, "{text}");
        }
    }

    #[test]
    fn prompts_and_units() {
        for prompt in ["root@h:~#", "[root@h ~]#", "(base) user@host ~ %", "bash-5.1#", "/app #", "user@h$ exit"] {
            assert!(prompts(prompt, false), "{prompt}");
        }
        for other in ["%", "ms", "K", "% of all", ".2 user@h$", "e@", "/256", "INFO: GET @ x"] {
            assert!(!prompts(other, false), "{other}");
        }
        assert!(prompts("%", true));
    }
}
