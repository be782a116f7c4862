//! Collects remarks, folding those that differ only in their numbers: hundreds of servers in one text are odd in the
//! same way.

use crate::paste::{MOST_LINES, Warning, WarningKind};
use std::collections::HashMap;

/// Remarks in the order in which they were first made.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Each with the lines it is about, and how many more there are.
    kept: Vec<(Warning, Vec<usize>, usize)>,
    /// By the words alone.
    places: HashMap<String, usize>,
}

impl Remarks {
    /// Says something about a line; the same words with other numbers only add the line.
    pub fn say(&mut self, line: usize, kind: WarningKind, message: String) {
        let words = message.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let place = *self.places.entry(words).or_insert(self.kept.len());
        match self.kept.get_mut(place) {
            Some((_, lines, _)) if lines.len() < MOST_LINES => lines.push(line),
            Some((.., more)) => *more += 1,
            None => self.kept.push((Warning::at(line, kind, message), vec![line], 0)),
        }
    }

    /// The warnings.
    pub fn finish(self) -> impl Iterator<Item = Warning> {
        self.kept.into_iter().map(|(warning, lines, more)| warning.of_lines(lines, more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_with_other_numbers_fold() {
        let mut remarks = Remarks::default();
        for line in 1..=7 {
            remarks.say(line, WarningKind::Missing, format!("ttft: at least {line}0"));
        }
        remarks.say(8, WarningKind::Missing, "itl: at least 5".to_owned());
        let said: Vec<String> = remarks.finish().map(|warning| warning.to_string()).collect();
        assert_eq!(said, ["line 1: ttft: at least 10 (also lines 2, 3, 4, 5 and 2 more)", "line 8: itl: at least 5"]);
    }
}
