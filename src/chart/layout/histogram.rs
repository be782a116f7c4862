//! Columns of equal width, their bounds along the foot, their counts on top.

use super::{Pen, Specification};
use crate::chart::geometry::{Point, Rect};
use crate::chart::scene::{Anchor, Label, Scene};
use crate::chart::text::{SMALL, text_width};
use crate::chart::theme::Theme;
use crate::chart::{Bucket, Histogram};

/// Room above the columns for counts, and below them for bounds and for the mean.
const ABOVE: f64 = 24.0;
const BOUNDS: f64 = 26.0;
const MEAN: f64 = 20.0;
/// Columns no wider than this: a lone bucket is not a wall.
const WIDEST: f64 = 150.0;

impl Histogram {
    fn below(&self) -> f64 {
        BOUNDS + if self.mean_bucket().is_some() { MEAN } else { 0.0 }
    }

    /// How far into its column the mean lies; the middle when the bucket has no upper bound.
    fn mean_fraction(&self, index: usize, mean: f64) -> f64 {
        let lower = self.lower(index);
        match self.buckets.get(index).map(|bucket| bucket.upper) {
            Some(upper) if upper.is_finite() && upper > lower => ((mean - lower) / (upper - lower)).clamp(0.0, 1.0),
            _ => 0.5,
        }
    }

    /// A pointer to the mean from below, with its text under the bounds.
    fn pointer(scene: &mut Scene, pen: &Pen, tip: Point, text: &str) {
        let corner = |dx: f64, dy: f64| Point { x: tip.x + dx, y: tip.y + dy };
        scene.polygon(vec![tip, corner(5.0, 8.0), corner(-5.0, 8.0)], pen.theme.foreground);
        pen.clamped(scene, pen.plain(tip.x, tip.y + BOUNDS + MEAN / 2.0 - 2.0, Anchor::Middle, text));
    }

    /// The bounds at the columns' edges, every n-th where all would not fit.
    fn bounds(&self, scene: &mut Scene, pen: &Pen, column: f64, y: f64) {
        let shown = self.shown();
        let text = |edge: usize| -> String {
            let open = edge > 0 && self.buckets.get(edge - 1).is_some_and(|bucket| bucket.upper == f64::INFINITY);
            if open { "∞".to_string() } else { self.lower_text(edge).to_string() }
        };
        let widest = (shown.start..=shown.end).map(|edge| text_width(&text(edge), SMALL, false)).fold(0.0, f64::max);
        let stride = ((widest + 8.0) / column).ceil().max(1.0) as usize;
        for (place, edge) in (shown.start..=shown.end).enumerate().step_by(stride) {
            pen.clamped(scene, pen.quiet(place as f64 * column, y, Anchor::Middle, &text(edge)));
        }
    }
}

/// Counts above their columns. Where they would run into each other or into a taller column, the larger ones
/// are written.
fn counts(scene: &mut Scene, pen: &Pen, mut columns: Vec<(&Bucket, Rect)>, column: f64) {
    let bars: Vec<Rect> = columns.iter().map(|(_, bar)| *bar).collect();
    columns.sort_by(|a, b| b.0.drawable_count().total_cmp(&a.0.drawable_count()));
    for (bucket, bar) in columns {
        let (x, y) = (bar.centre().x, bar.y - 11.0);
        let both = format!("{} · {}", bucket.count_text, bucket.share_text);
        let crowded = bucket.share_text.is_empty() || text_width(&both, SMALL, true) > column;
        let preferred = [(!crowded).then_some(&both), Some(&bucket.count_text), Some(&bucket.share_text)];
        // Whatever fits: count and share, else the count, else the share, which is short whatever the count.
        preferred.into_iter().flatten().filter(|content| !content.is_empty()).any(|content| {
            let label = if bucket.drawable_count() > 0.0 {
                pen.strong(x, y, Anchor::Middle, content)
            } else {
                pen.quiet(x, y, Anchor::Middle, content)
            };
            let label = Label { size: SMALL, ..label };
            !bars.iter().any(|bar| bar.overlaps(&label.bounds())) && scene.label(label)
        });
    }
}

impl Specification for Histogram {
    fn is_empty(&self) -> bool {
        self.shown().is_empty()
    }

    fn preferred_height(&self, width: f64) -> f64 {
        ABOVE + (width * 0.3).clamp(110.0, 170.0) + self.below()
    }

    fn arrange(&self, theme: &Theme, scene: &mut Scene) {
        let pen = Pen { theme };
        let shown = self.shown();
        let unit_room = text_width(&self.unit, SMALL, false) + 18.0;
        let column = ((scene.area.width - unit_room) / shown.len() as f64).min(WIDEST);
        let base = (scene.area.height - self.below()).max(1.0);
        let room = (base - ABOVE).max(1.0);
        let most = self.columns().map(|(_, bucket)| bucket.drawable_count()).fold(0.0, f64::max);
        let end = column * shown.len() as f64;

        let mut columns = Vec::new();
        let mean_bucket = self.mean_bucket();
        for (place, (index, bucket)) in self.columns().enumerate() {
            let height = bucket.drawable_count() / most * room;
            let left = place as f64 * column;
            let gap = (column * 0.04).clamp(0.5, 3.0);
            let bar = Rect::new(left + gap, base - height, column - 2.0 * gap, height);
            scene.rect(bar, if bucket.upper == f64::INFINITY { theme.warning } else { theme.accent });
            columns.push((bucket, bar));
            if let Some(mean) = self.mean.as_ref().filter(|_| mean_bucket == Some(index)) {
                let x = left + self.mean_fraction(index, mean.value) * column;
                scene.vertical(x, bar.y, base, 1.5, theme.background);
                Self::pointer(scene, &pen, Point { x, y: base + 1.0 }, &mean.text);
            }
            let text = [bucket.count_text.as_str(), bucket.share_text.as_str()];
            let text: Vec<&str> = text.into_iter().filter(|text| !text.is_empty()).collect();
            scene.hit(Rect::new(left, 0.0, column, base), self.interval_text(index), text.join(" · "));
        }
        scene.horizontal(base + 0.5, 0.0, end, 1.0, theme.muted);
        counts(scene, &pen, columns, column);

        self.bounds(scene, &pen, column, base + 17.0);
        scene.label(pen.quiet(scene.area.width.min(end + unit_room), base + 17.0, Anchor::End, &self.unit));
    }
}
