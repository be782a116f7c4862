//! Lines y against x, with marked points.

use super::axis::Axis;
use super::table::{Description, Table};
use serde::Serialize;

/// One or several functions of the same quantity, e.g. tok/s against allreduce time per step.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Curve {
    /// What is shown, e.g. "Speed against allreduce time".
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Points of interest, usually on a line.
    pub points: Vec<MarkedPoint>,
    /// Shaded stretches of the horizontal axis.
    pub bands: Vec<Band>,
    /// Shaded ranges around lines: triples (x, low, high) in order of rising x.
    pub ribbons: Vec<Vec<(f64, f64, f64)>>,
}

/// A line through points in order of rising x; a point that is not finite interrupts it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Line {
    /// Its name, written beside it when there is more than one.
    pub label: String,
    /// Pairs (x, y).
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: LineStyle,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineStyle {
    /// Solid: the present scenario.
    #[default]
    Solid,
    /// Dashed and quiet: the baseline it is compared with.
    Dashed,
}

/// A point of interest.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MarkedPoint {
    /// Where.
    pub x: f64,
    /// How high.
    pub y: f64,
    /// Its name, written beside it where there is room.
    pub label: String,
    /// Its values as text, e.g. "57.5 tok/s at 9.6 ms".
    pub text: String,
    /// Today, or an estimate.
    pub role: PointRole,
}

/// What a marked point stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PointRole {
    /// The measured state.
    Today,
    /// One of several estimates.
    #[default]
    Estimate,
    /// A place on a line that is not drawn: it answers to pointer and keyboard, and is a row of the table.
    Sample,
}

/// A shaded stretch of the horizontal axis, e.g. the range of the estimates.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Band {
    /// What it is.
    pub label: String,
    /// Where it begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Line {
    /// The line's height at `x`, interpolated linearly between its points; `None` outside them or in a gap.
    ///
    /// ```
    /// use decodescope::chart::Line;
    /// let line = Line { points: vec![(0.0, 100.0), (10.0, 50.0)], ..Line::default() };
    /// assert_eq!(line.value_at(2.5), Some(87.5));
    /// assert_eq!(line.value_at(11.0), None);
    /// ```
    #[must_use]
    pub fn value_at(&self, x: f64) -> Option<f64> {
        self.points.windows(2).find_map(|pair| {
            let [(x0, y0), (x1, y1)] = pair else { return None };
            if !(*x0 <= x && x <= *x1) {
                return None;
            }
            let value = if x1 > x0 { y0 + (y1 - y0) * (x - x0) / (x1 - x0) } else { *y0 };
            value.is_finite().then_some(value)
        })
    }
}

impl Curve {
    pub(super) fn finite_points(&self) -> impl Iterator<Item = (f64, f64)> {
        let on_lines = self.lines.iter().flat_map(|line| line.points.iter().copied());
        let marked = self.points.iter().map(|point| (point.x, point.y));
        let shaded = self.ribbons.iter().flatten().flat_map(|&(x, low, high)| [(x, low), (x, high)]);
        on_lines.chain(marked).chain(shaded).filter(|(x, y)| x.is_finite() && y.is_finite())
    }
}

impl Description for Curve {
    fn title(&self) -> &str {
        &self.title
    }

    fn sentence(&self) -> String {
        let marked = self.points.iter().filter(|point| point.role != PointRole::Sample);
        let points: Vec<String> = marked.map(|point| format!("{}: {}", point.label, point.text)).collect();
        let axes = format!("{} against {}", self.y.label, self.x.label);
        if points.is_empty() {
            format!("{}: {axes}.", self.title)
        } else {
            format!("{}: {axes}. {}.", self.title, points.join("; "))
        }
    }

    fn rows(&self) -> Table {
        Table::new(["point", "value"], self.points.iter().map(|point| [point.label.clone(), point.text.clone()]))
    }
}
