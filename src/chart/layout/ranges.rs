//! Ranges: a line from low to high with a dot at the likely value.

use super::rows::{RowText, Rows, open_end};
use super::{Pen, Specification};
use crate::chart::axis::AxisRange;
use crate::chart::geometry::Point;
use crate::chart::scene::Scene;
use crate::chart::theme::Theme;
use crate::chart::{RangeRow, Ranges};

/// How thick a range is drawn.
const THICKNESS: f64 = 6.0;
/// How long an open end is, where there is room.
const OPEN: f64 = 56.0;

impl Ranges {
    fn is_chosen(&self) -> bool {
        self.rows.iter().any(|row| row.emphasis)
    }

    fn texts(&self) -> Vec<RowText<'_>> {
        let chosen = self.is_chosen();
        self.rows
            .iter()
            .map(|row| RowText {
                label: &row.label,
                note: &row.note,
                value: &row.text,
                strong: row.emphasis || !chosen,
            })
            .collect()
    }

    fn plan(&self, width: f64) -> Rows {
        Rows::plan(&self.texts(), self.references.len(), &self.axis, width)
    }

    /// The shared range, with room beyond the data for ends that are open.
    fn axis_range(&self, most_ticks: usize) -> AxisRange {
        let values: Vec<f64> = self.rows.iter().flat_map(RangeRow::finite).flatten().collect();
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        let open =
            |end: fn(&RangeRow) -> Option<f64>| self.rows.iter().any(|row| row.is_drawable() && end(row).is_none());
        let room = (high - low).max(high.abs() * 0.5) * 0.15;
        let beyond = [
            open(|row| row.finite()[2]).then_some(high + room),
            open(|row| row.finite()[0]).then_some((low - room).max(if low > 0.0 { 0.0 } else { f64::MIN })),
        ];
        let references = self.references.iter().map(|reference| reference.value);
        self.axis.widened(values.iter().copied().chain(beyond.into_iter().flatten()).chain(references), most_ticks)
    }
}

impl Specification for Ranges {
    fn is_empty(&self) -> bool {
        !self.rows.iter().any(RangeRow::is_drawable)
    }

    fn preferred_height(&self, width: f64) -> f64 {
        self.plan(width).height
    }

    fn arrange(&self, theme: &Theme, scene: &mut Scene) {
        let pen = Pen { theme };
        let rows = self.plan(scene.area.width);
        let projection = rows.projection(self.axis_range(rows.most_ticks()));
        rows.axis(scene, &pen, &projection, &self.axis);
        for (strip, reference) in self.references.iter().enumerate() {
            if projection.x.contains(reference.value) {
                rows.reference(scene, &pen, projection.x_px(reference.value), strip, &reference.text);
            }
        }
        let chosen = self.is_chosen();
        for (row, (y, place)) in self.rows.iter().zip(rows.tracks()) {
            let colour = if row.emphasis || !chosen { theme.accent } else { theme.residual };
            let [low, likely, high] = row.finite().map(|value| value.map(|value| projection.x_px(value)));
            let known = [low, likely, high].into_iter().flatten();
            let (first, last) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            if first <= last {
                if low.is_none() {
                    open_end(scene, &pen, first, (first - OPEN).max(projection.plot.x), y, THICKNESS, colour);
                }
                if high.is_none() {
                    open_end(scene, &pen, last, (last + OPEN).min(projection.plot.right()), y, THICKNESS, colour);
                }
                let bar = crate::chart::Rect::between(first, last, y - THICKNESS / 2.0, THICKNESS);
                scene.rect(bar, colour);
                for end in [low, high].into_iter().flatten() {
                    scene.vertical(end, y - 6.0, y + 6.0, 2.0, colour);
                }
                if let Some(x) = likely {
                    scene.disc(Point { x, y }, 8.0, theme.background);
                    scene.disc(Point { x, y }, 6.0, colour);
                }
            }
            let detail = if row.note.is_empty() { row.text.clone() } else { format!("{}. {}", row.text, row.note) };
            scene.hit(place, &row.label, detail);
        }
        rows.write(scene, &pen, &self.texts());
        scene.projection = Some(projection);
    }
}
