//! Collects warnings, folding the same remark about many lines into one.

use crate::paste::{MOST_LINES, Warning, WarningKind};

/// How many different remarks are kept word for word before further ones are only counted.
const DISTINCT: usize = 200;

#[derive(Debug, Clone)]
struct Remark {
    /// The lines it is about, the first of them in any case.
    lines: Vec<usize>,
    kind: WarningKind,
    message: String,
    /// What the first line looks like, where that helps.
    excerpt: String,
    more: usize,
}

/// Remarks in the order in which they were first made.
#[derive(Debug, Clone, Default)]
pub(super) struct Remarks {
    kept: Vec<Remark>,
    /// The remark made last: most repetitions follow one another.
    latest: usize,
    beyond: usize,
}

impl Remarks {
    /// Says something about a line; the same words about another line only add that line to the remark.
    pub fn say(&mut self, line: usize, kind: WarningKind, message: &str) {
        self.say_of(line, kind, message, "");
    }

    /// As [`say`](Self::say), showing what the line looks like.
    pub fn say_of(&mut self, line: usize, kind: WarningKind, message: &str, found: &str) {
        let same = |remark: &Remark| remark.kind == kind && remark.message == message;
        if !self.kept.get(self.latest).is_some_and(same) {
            self.latest = self.kept.iter().position(same).unwrap_or(self.kept.len());
        }
        let full = self.kept.len() >= DISTINCT;
        match self.kept.get_mut(self.latest) {
            Some(remark) if remark.lines.first() == Some(&line) || remark.lines.last() == Some(&line) => {}
            Some(remark) if remark.lines.len() < MOST_LINES => remark.lines.push(line),
            Some(remark) => remark.more += 1,
            None if full => self.beyond += 1,
            None => self.kept.push(Remark {
                lines: vec![line],
                kind,
                message: message.to_owned(),
                excerpt: excerpt(found),
                more: 0,
            }),
        }
    }

    /// The warnings, by line.
    pub fn finish(self) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = self.kept.into_iter().map(Remark::finish).collect();
        warnings.sort_by_key(|warning| warning.line);
        if self.beyond > 0 {
            let message = format!("{} more remarks of other words are left out", self.beyond);
            warnings.push(Warning::whole(WarningKind::Skipped, message));
        }
        warnings
    }
}

impl Remark {
    fn finish(self) -> Warning {
        let mut message = self.message;
        message.push_str(&self.excerpt);
        let line = self.lines.first().copied().unwrap_or_default();
        Warning::at(line, self.kind, message).of_lines(self.lines, self.more)
    }
}

/// The beginning of a line in backquotes, without what a terminal or a page would act on.
fn excerpt(found: &str) -> String {
    const SHOWN: usize = 48;
    if found.is_empty() {
        return String::new();
    }
    let mut shown: String = found.chars().filter(|letter| !letter.is_control()).take(SHOWN + 1).collect();
    if shown.chars().count() > SHOWN {
        shown.pop();
        shown.push('…');
    }
    format!(": `{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_remark_folds_into_one_with_its_lines() {
        let mut remarks = Remarks::default();
        remarks.say(2, WarningKind::Repaired, "indented");
        remarks.say_of(3, WarningKind::Skipped, "prose", "Hello\u{1b}[0m");
        for line in 4..=10 {
            remarks.say(line, WarningKind::Repaired, "indented");
        }
        let warnings = remarks.finish();
        assert_eq!((&warnings[0].lines, &warnings[1].lines), (&vec![2, 4, 5, 6, 7, 8, 9, 10], &vec![]));
        let said: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(said, ["line 2: indented (also lines 4, 5, 6, 7 and 3 more)", "line 3: prose: `Hello[0m`"]);
    }
}
