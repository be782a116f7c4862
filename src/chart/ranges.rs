//! Named ranges side by side on one axis: several estimates of the same quantity.

use super::axis::Axis;
use super::table::{Description, Table};
use serde::Serialize;

/// Estimates of one quantity, each with its own range, that need not agree.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Ranges {
    /// What is estimated, e.g. "Allreduce time per token".
    pub title: String,
    /// The axis all share.
    pub axis: Axis,
    /// The estimates, from the top.
    pub rows: Vec<RangeRow>,
    /// Values to compare with, drawn as thin lines through all rows.
    pub references: Vec<Reference>,
}

/// One estimate. A missing `low` or `high` is drawn open: fading, with an arrow.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RangeRow {
    /// Its name.
    pub label: String,
    /// What it rests on; may be empty.
    pub note: String,
    /// The least it can be, when that is known.
    pub low: Option<f64>,
    /// The most likely value, when one is.
    pub likely: Option<f64>,
    /// The most it can be, when that is known.
    pub high: Option<f64>,
    /// The range as text, e.g. "3.8–5.2 ms" or "at least 3.8 ms".
    pub text: String,
    /// Whether this is the one the rest of the page uses.
    pub emphasis: bool,
}

/// A value drawn as a thin line across the chart.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Reference {
    /// Where.
    pub value: f64,
    /// What it is, e.g. "measured step 17.4 ms".
    pub text: String,
}

impl RangeRow {
    /// What of the range is finite, in order low, likely, high.
    pub(super) fn finite(&self) -> [Option<f64>; 3] {
        [self.low, self.likely, self.high].map(|value| value.filter(|value| value.is_finite()))
    }

    pub(super) fn is_drawable(&self) -> bool {
        self.finite().iter().any(Option::is_some)
    }
}

impl Description for Ranges {
    fn title(&self) -> &str {
        &self.title
    }

    fn sentence(&self) -> String {
        let rows: Vec<String> = self
            .rows
            .iter()
            .filter(|row| row.is_drawable())
            .map(|row| format!("{} {}", row.label, row.text))
            .chain(self.references.iter().map(|reference| reference.text.clone()))
            .collect();
        format!("{}: {}.", self.title, rows.join("; "))
    }

    fn rows(&self) -> Table {
        Table::new(
            ["estimate", "range", "rests on"],
            self.rows.iter().map(|row| [row.label.clone(), row.text.clone(), row.note.clone()]),
        )
    }
}
