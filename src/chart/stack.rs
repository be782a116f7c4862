//! Horizontal bars whose segments add up to a whole.

use super::table::{Description, Table};
use serde::Serialize;

/// One or several bars taken apart, e.g. the time per token and the time per layer.
///
/// A bar's whole is the sum of its segments' values. A negative segment (a model that explains more
/// than was measured) is drawn as an overhang: the positive segments run past the whole, and the part
/// beyond it carries the warning colour and the negative segment's text.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Stack {
    /// What is taken apart, e.g. "Where a token's time goes".
    pub title: String,
    /// The bars, from the top.
    pub bars: Vec<StackBar>,
    /// Whether the bars share one scale.
    pub scale: StackScale,
}

/// Whether lengths compare between the bars of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StackScale {
    /// Each bar fills the width: shares compare, amounts do not (time per token, time per layer).
    #[default]
    Own,
    /// One scale for all: amounts compare (now against the baseline).
    Shared,
}

/// One bar.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StackBar {
    /// What the whole is, e.g. "Per token".
    pub label: String,
    /// The whole as text, e.g. "17.4 ms".
    pub total_text: String,
    /// Its parts, from the left.
    pub segments: Vec<Segment>,
}

/// One part of a bar.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Segment {
    /// What the part is; segments of the same label share a colour across bars.
    pub label: String,
    /// How much; negative only for an over-explained rest.
    pub value: f64,
    /// How much, as text, e.g. "4.2 ms".
    pub text: String,
    /// Whether it is modelled or what remains.
    pub role: SegmentRole,
}

/// What a segment stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentRole {
    /// A modelled or measured part, in a colour of its own.
    #[default]
    Part,
    /// What nothing explains, in grey.
    Residual,
}

impl StackBar {
    /// The sum of what is drawn to the right.
    pub(super) fn extent(&self) -> f64 {
        self.segments.iter().map(|segment| segment.value).filter(|value| value.is_finite() && *value > 0.0).sum()
    }

    /// By how much the parts exceed the whole; zero when they fit.
    pub(super) fn overhang(&self) -> f64 {
        let negative: f64 =
            self.segments.iter().map(|segment| segment.value).filter(|value| value.is_finite() && *value < 0.0).sum();
        (-negative).min(self.extent())
    }
}

impl Stack {
    /// The place of a label among all parts' labels in order of appearance: its colour.
    pub(super) fn colour_index(&self, label: &str) -> usize {
        let mut seen: Vec<&str> = Vec::new();
        for segment in self.bars.iter().flat_map(|bar| &bar.segments) {
            if segment.role == SegmentRole::Part && !seen.contains(&segment.label.as_str()) {
                if segment.label == label {
                    break;
                }
                seen.push(&segment.label);
            }
        }
        seen.len()
    }
}

impl Description for Stack {
    fn title(&self) -> &str {
        &self.title
    }

    fn sentence(&self) -> String {
        let bars: Vec<String> = self
            .bars
            .iter()
            .filter(|bar| bar.extent() > 0.0)
            .map(|bar| {
                let parts: Vec<String> =
                    bar.segments.iter().map(|segment| format!("{} {}", segment.label, segment.text)).collect();
                format!("{} {}: {}", bar.label, bar.total_text, parts.join(", "))
            })
            .collect();
        format!("{}. {}.", self.title, bars.join("; "))
    }

    fn rows(&self) -> Table {
        Table::new(
            ["of", "part", "amount"],
            self.bars.iter().flat_map(|bar| {
                bar.segments
                    .iter()
                    .map(|segment| [bar.label.clone(), segment.label.clone(), segment.text.clone()])
                    .chain([[bar.label.clone(), "whole".to_string(), bar.total_text.clone()]])
            }),
        )
    }
}
