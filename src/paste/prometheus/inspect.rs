//! The strict reading: every breach of a format's rules, and of those no parser enforces, with its place.

use super::arena::Arena;
use super::comment::{Comment, comment};
use super::exposition::Exposition;
use super::index::Index;
use super::number::number;
use super::rule::{Breach, Format, Rule};
use super::sample::{Line, Previous, is_blank};
use super::semantics::Semantics;
use std::fmt;

/// A breach of a rule at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// The rule that is breached there.
    pub rule: Rule,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.rule.sentence())
    }
}

/// A format's word on a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The text is valid.
    Accepted,
    /// It is not, and this is the first reason.
    Rejected(Finding),
}

impl Verdict {
    /// Whether the text is valid.
    #[must_use]
    pub const fn is_accepted(self) -> bool {
        matches!(self, Self::Accepted)
    }
}

/// Whether a text is valid in a format, by its specification.
///
/// ```
/// use decodescope::paste::prometheus::{Format, Rule, Verdict, check};
/// assert!(check("a{x=\"y\",} 1\n", Format::Text).is_accepted());
/// let Verdict::Rejected(finding) = check("a{x=\"y\",} 1\n# EOF\n", Format::OpenMetrics) else { panic!() };
/// assert_eq!((finding.line, finding.column, finding.rule), (1, 8, Rule::TrailingComma));
/// ```
#[must_use]
pub fn check(text: &str, format: Format) -> Verdict {
    let reason = lint(text, format).into_iter().find(|finding| finding.rule.forbidden_in(format));
    reason.map_or(Verdict::Accepted, Verdict::Rejected)
}

/// As [`check`], for bytes that may not be UTF-8.
#[must_use]
pub fn check_bytes(bytes: &[u8], format: Format) -> Verdict {
    match std::str::from_utf8(bytes) {
        Ok(text) => check(text, format),
        Err(error) => {
            let before = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            Verdict::Rejected(Finding { line, column, rule: Rule::NotUtf8 })
        }
    }
}

/// Everything there is to say about a text in a format, by place: what makes it invalid
/// ([`Rule::forbidden_in`]) and what does not but is wrong all the same, such as buckets out of order.
#[must_use]
pub fn lint(text: &str, format: Format) -> Vec<Finding> {
    let mut inspector = Inspector { text, format, breaches: Vec::new(), findings: Vec::new() };
    inspector.lines();
    let mut findings = inspector.findings;
    findings.sort_by_key(|finding| (finding.line, finding.column));
    findings.dedup();
    findings
}

/// The format a text seems to be in: OpenMetrics where it ends in `# EOF`, has units or exemplars.
#[must_use]
pub fn guess_format(exposition: &Exposition<'_>) -> Format {
    match exposition.ended_with_eof() || exposition.families().iter().any(|family| family.unit.is_some()) {
        true => Format::OpenMetrics,
        false => Format::Text,
    }
}

struct Inspector<'t> {
    text: &'t str,
    format: Format,
    breaches: Vec<Breach>,
    findings: Vec<Finding>,
}

impl<'t> Inspector<'t> {
    fn lines(&mut self) {
        let text = self.text;
        let mut exposition = Exposition {
            source: text,
            arena: Arena { pool_start: u32::try_from(text.len()).unwrap_or(u32::MAX), ..Arena::default() },
            families: Vec::new(),
            index: Index::default(),
            warnings: Vec::new(),
            eof: false,
            milliseconds_from: f64::INFINITY,
        };
        let mut previous = Previous::default();
        let mut semantics = Semantics::new(self.format);
        let mut eof = false;
        let mut last = 0;
        for (index, line) in Lines::of(text) {
            let number = index.number;
            last = number;
            if eof {
                self.find(number, line, 0, Rule::TextAfterEof);
                break;
            }
            self.breaches.clear();
            let content = match line.strip_suffix('\r') {
                Some(content) => {
                    self.breaches.push(Breach { at: content.len(), rule: Rule::CarriageReturn });
                    content
                }
                None => line,
            };
            let blanks = content.bytes().take_while(|byte| is_blank(*byte)).count();
            let trimmed = content.get(blanks..).unwrap_or_default();
            if index.unended && !trimmed.is_empty() && self.format == Format::Text {
                self.breaches.push(Breach { at: line.len(), rule: Rule::NoFinalNewline });
            }
            if trimmed.is_empty() {
                self.breaches.push(Breach { at: 0, rule: Rule::BlankLine });
            } else if trimmed.starts_with('#') {
                if blanks > 0 {
                    self.breaches.push(Breach { at: 0, rule: Rule::ExtraBlank });
                }
                let said = comment(trimmed, "", &mut self.breaches);
                eof = said == Comment::Eof && self.format == Format::OpenMetrics;
                semantics.metadata(number, &said);
            } else {
                let before = self.breaches.len();
                let mut parsed = Line {
                    source: text.as_bytes(),
                    base: 0,
                    arena: &mut exposition.arena,
                    previous: &mut previous,
                    breaches: &mut self.breaches,
                };
                match parsed.sample(index.start..index.start + content.len(), number as u32) {
                    Err(mut breach) => {
                        if breach.rule == Rule::BadNumber && has_foreign_blank(content, breach.at) {
                            breach.rule = Rule::ForeignBlank;
                        }
                        self.breaches.truncate(before);
                        self.breaches.push(breach);
                    }
                    Ok(()) => {
                        if let Some(sample) = exposition.samples().next_back() {
                            semantics.sample(&sample);
                        }
                    }
                }
            }
            let mut breaches = std::mem::take(&mut self.breaches);
            for breach in breaches.drain(..) {
                self.find(number, line, breach.at, breach.rule);
            }
            self.breaches = breaches;
        }
        if !eof && self.format == Format::OpenMetrics {
            self.findings.push(Finding { line: last.max(1), column: 1, rule: Rule::MissingEof });
        }
        let found = semantics.finish().into_iter().map(|(line, rule)| Finding { line, column: 1, rule });
        self.findings.extend(found);
    }

    fn find(&mut self, line: usize, text: &str, at: usize, rule: Rule) {
        let column = text.get(..at).map_or(at, |before| before.chars().count()) + 1;
        self.findings.push(Finding { line, column, rule });
    }
}

/// Whether the value at `at` is a number but for white space beside it that neither format knows.
fn has_foreign_blank(line: &str, at: usize) -> bool {
    let Some((before, value)) = line.split_at_checked(at) else { return false };
    let token = value.split([' ', '\t']).next().unwrap_or_default();
    before.ends_with([' ', '\t', '}']) && number(token.trim().as_bytes()).is_some()
}

/// A line's number, its first byte, and whether it lacks its line feed.
#[derive(Clone, Copy)]
struct Place {
    number: usize,
    start: usize,
    unended: bool,
}

struct Lines<'t> {
    text: &'t str,
    place: Place,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, place: Place { number: 0, start: 0, unended: false } }
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = (Place, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.place.start..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest.as_bytes());
        let line = rest.get(..end.unwrap_or(rest.len()))?;
        let number = self.place.number + 1;
        let place = Place { number, unended: end.is_none(), ..self.place };
        self.place = Place { number, start: self.place.start + line.len() + 1, unended: false };
        Some((place, line))
    }
}
