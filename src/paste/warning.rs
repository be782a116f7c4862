//! What a reader has to say about its input.

use serde::{Deserialize, Serialize};

/// One remark about the input: where, of which kind, and in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The line it is about, counted from 1; `None` when it is about the whole input.
    pub line: Option<usize>,
    /// Every line it is about, where there are several, in the order of reading: the first [`MOST_LINES`] of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
    /// What kind of remark, for programs.
    pub kind: WarningKind,
    /// The fact in lower case, with what was found and what was expected, for people.
    pub message: String,
}

/// How many lines a remark that was made of several keeps.
pub const MOST_LINES: usize = 1000;
/// How many of them its words name beside the first.
const NAMED_LINES: usize = 4;

impl Warning {
    /// A remark about several lines, of which its words name the first few. `beyond`: so many more than are listed.
    pub(crate) fn of_lines(mut self, lines: Vec<usize>, beyond: usize) -> Self {
        let others = lines.get(1..).unwrap_or_default();
        if others.is_empty() {
            return self;
        }
        let named: Vec<String> = others.iter().take(NAMED_LINES).map(usize::to_string).collect();
        let word = if others.len() > 1 { "lines" } else { "line" };
        let more = match others.len() - named.len() + beyond {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.message.push_str(&format!(" (also {word} {}{more})", named.join(", ")));
        self.lines = lines;
        self
    }

    /// A remark about one line (counted from 1).
    pub fn at(line: usize, kind: WarningKind, message: impl Into<String>) -> Self {
        Self { line: Some(line), lines: Vec::new(), kind, message: message.into() }
    }

    /// A remark about the input as a whole.
    pub fn whole(kind: WarningKind, message: impl Into<String>) -> Self {
        Self { line: None, lines: Vec::new(), kind, message: message.into() }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The kinds of remark; written in kebab-case in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningKind {
    /// A line that is neither a sample nor a comment; it was skipped.
    Skipped,
    /// A line that was read after mending it (a prompt, quotes, indentation, a log prefix…).
    Repaired,
    /// Something is not there: the input ends in the middle of a line or of a histogram, or an ellipsis stands for lines.
    Truncated,
    /// The same series appears more than once.
    Duplicate,
    /// Two parts of the input contradict each other (a count and its +Inf bucket, say).
    Inconsistent,
    /// A value that is not a usable number where one is needed.
    BadValue,
    /// Something is not there that a reading needs.
    Missing,
    /// A fact about what the numbers mean that is easily misread.
    Trap,
}
