//! Counts per bucket of a coarse histogram, as a server's metrics give them.

use super::table::{Description, Table};
use serde::Serialize;

/// Counts in contiguous buckets of uneven width, the first starting at zero.
///
/// Columns are drawn equally wide and labelled by their bounds. Latency buckets grow roughly
/// geometrically (…, 10, 25, 50, 80, … ms), so that on a linear axis all but the last would be
/// slivers, and areas proportional to counts would claim a density within a bucket that a bucket does
/// not tell. What a reader asks is "how many fell between these two bounds", and that is a column's
/// height.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Histogram {
    /// What is counted, e.g. "Inter-token latency".
    pub title: String,
    /// The unit of the bounds, e.g. "ms".
    pub unit: String,
    /// How many in all, e.g. "1,623 tokens".
    pub total_text: String,
    /// The buckets, rising; all of them, including empty ones.
    pub buckets: Vec<Bucket>,
    /// The mean, drawn inside its bucket.
    pub mean: Option<Marker>,
}

/// One bucket: what lies above the previous bucket's bound, up to and including its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Bucket {
    /// The upper bound, `f64::INFINITY` for the last.
    pub upper: f64,
    /// The upper bound as text, without its unit, e.g. "25"; not shown for an infinite one.
    pub upper_text: String,
    /// How many fell into it (not cumulated).
    pub count: f64,
    /// The count as text, e.g. "1,623".
    pub count_text: String,
    /// Its share of all as text, e.g. "100 %"; may be empty.
    pub share_text: String,
}

/// A value marked in a chart.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Marker {
    /// Where.
    pub value: f64,
    /// What to write there, e.g. "mean 17.4 ms".
    pub text: String,
}

impl Bucket {
    /// The count where one can be drawn: neither NaN, negative nor infinite.
    pub(super) fn drawable_count(&self) -> f64 {
        if self.count.is_finite() { self.count.max(0.0) } else { 0.0 }
    }
}

impl Histogram {
    /// The bucket's lower bound as text.
    pub(super) fn lower_text(&self, index: usize) -> &str {
        index.checked_sub(1).and_then(|previous| self.buckets.get(previous)).map_or("0", |bucket| &bucket.upper_text)
    }

    /// The bucket's lower bound.
    pub(super) fn lower(&self, index: usize) -> f64 {
        index.checked_sub(1).and_then(|previous| self.buckets.get(previous)).map_or(0.0, |bucket| bucket.upper)
    }

    /// The bucket's bounds with their unit, e.g. "10–25 ms" or "over 80 ms".
    pub(super) fn interval_text(&self, index: usize) -> String {
        let lower = self.lower_text(index);
        match self.buckets.get(index) {
            Some(bucket) if bucket.upper.is_finite() => format!("{lower}–{} {}", bucket.upper_text, self.unit),
            _ => format!("over {lower} {}", self.unit),
        }
    }

    /// The indices worth a column: the occupied ones, those between, and one empty neighbour on each
    /// side to show that nothing lies beyond.
    pub(super) fn shown(&self) -> std::ops::Range<usize> {
        let occupied = |bucket: &Bucket| bucket.drawable_count() > 0.0;
        match (self.buckets.iter().position(occupied), self.buckets.iter().rposition(occupied)) {
            (Some(first), Some(last)) => first.saturating_sub(1)..(last + 2).min(self.buckets.len()),
            _ => 0..0,
        }
    }

    /// The buckets worth a column, with their indices.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, &Bucket)> {
        let shown = self.shown();
        self.buckets.iter().enumerate().take(shown.end).skip(shown.start)
    }

    /// The bucket that holds the mean.
    pub(super) fn mean_bucket(&self) -> Option<usize> {
        let mean = self.mean.as_ref().map(|mean| mean.value).filter(|value| value.is_finite())?;
        self.buckets.iter().position(|bucket| mean <= bucket.upper)
    }
}

impl Description for Histogram {
    fn title(&self) -> &str {
        &self.title
    }

    fn sentence(&self) -> String {
        let occupied: Vec<(usize, &Bucket)> =
            self.columns().filter(|(_, bucket)| bucket.drawable_count() > 0.0).collect();
        let fullest = occupied.iter().max_by(|a, b| a.1.drawable_count().total_cmp(&b.1.drawable_count()));
        let mass = match (occupied.as_slice(), fullest) {
            ([(only, bucket)], _) => {
                let (all, lie) = if bucket.count == 1.0 { ("", "lies") } else { ("all ", "lie") };
                format!("{all}{} {lie} in {}", self.total_text, self.interval_text(*only))
            }
            (_, Some((index, bucket))) => format!(
                "{} in {} buckets, the fullest of them {} with {}",
                self.total_text,
                occupied.len(),
                self.interval_text(*index),
                bucket.count_text
            ),
            _ => "no data".to_string(),
        };
        let mean = self.mean.as_ref().map_or_else(String::new, |mean| format!("; {}", mean.text));
        format!("{}: {mass}{mean}.", self.title)
    }

    fn rows(&self) -> Table {
        Table::new(
            ["bucket", "count", "share"],
            self.columns().map(|(index, bucket)| {
                [self.interval_text(index), bucket.count_text.clone(), bucket.share_text.clone()]
            }),
        )
    }
}
