//! What plots of y against x share: the room of the plot, its axes, and lines that dash.

use super::Pen;
use crate::chart::Colour;
use crate::chart::axis::{Axis, AxisRange};
use crate::chart::geometry::{Point, Rect};
use crate::chart::projection::Projection;
use crate::chart::scene::{Anchor, Scene};
use crate::chart::text::{SMALL, text_width};
use crate::chart::ticks::ticks;

/// Height of the line with an axis's name or its ticks.
pub(super) const STRIP: f64 = 18.0;
/// Length of a dash and of the gap after it.
const DASH: (f64, f64) = (5.0, 4.0);

/// Where the plot begins and ends, from above: between the vertical axis's name and the horizontal one's ticks.
pub(super) fn vertical_room(height: f64, x: &Axis) -> (f64, f64) {
    (STRIP + 8.0, height - STRIP - 4.0 - if x.label.is_empty() { 0.0 } else { STRIP })
}

/// The plot, beside the labels of the vertical axis's ticks.
pub(super) fn rectangle(y: &AxisRange, width: f64, top: f64, bottom: f64) -> Rect {
    let marks = ticks(y, most_ticks_up(bottom - top));
    let widest = marks.iter().map(|tick| text_width(&tick.label, SMALL, false)).fold(0.0, f64::max);
    let left = (widest + 8.0).min(width / 2.0);
    Rect::new(left, top, width - left - 10.0, bottom - top)
}

/// How many ticks a vertical axis has room for.
pub(super) fn most_ticks_up(height: f64) -> usize {
    (height / 40.0).clamp(2.0, 7.0) as usize
}

fn most_across(plot: &Rect) -> usize {
    (plot.width / 60.0).clamp(2.0, 9.0) as usize
}

/// The grid, the ticks and the axes' names.
pub(super) fn axes(scene: &mut Scene, pen: &Pen, projection: &Projection, x_axis: &Axis, y_axis: &Axis) {
    let plot = projection.plot;
    let most_up = most_ticks_up(plot.height);
    for tick in ticks(&projection.y, most_up) {
        let y = projection.y_px(tick.value);
        scene.horizontal(y, plot.x, plot.right(), 1.0, pen.theme.grid);
        scene.label(pen.quiet(plot.x - 8.0, y, Anchor::End, &tick.label));
    }
    scene.horizontal(plot.bottom(), plot.x, plot.right(), 1.0, pen.theme.muted);
    for tick in ticks(&projection.x, most_across(&plot)) {
        let x = projection.x_px(tick.value);
        scene.vertical(x, plot.bottom(), plot.bottom() + 4.0, 1.0, pen.theme.muted);
        pen.clamped(scene, pen.quiet(x, plot.bottom() + 4.0 + STRIP / 2.0, Anchor::Middle, &tick.label));
    }
    scene.label_within(pen.quiet(0.0, STRIP / 2.0, Anchor::Start, &y_axis.label), scene.area.width);
    let under = plot.bottom() + STRIP * 1.5 + 4.0;
    scene.label_within(pen.quiet(plot.right(), under, Anchor::End, &x_axis.label), plot.right());
}

/// Points every so many pixels along a path.
pub(super) fn along(path: &[Point], step: f64) -> Vec<Point> {
    let mut points = Vec::new();
    let mut until_next = 0.0;
    for pair in path.windows(2) {
        let [a, b] = pair else { continue };
        let length = (b.x - a.x).hypot(b.y - a.y);
        while until_next <= length && length > 0.0 {
            let share = until_next / length;
            points.push(Point { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share });
            until_next += step;
        }
        until_next -= length;
    }
    points
}

pub(super) fn dashed(scene: &mut Scene, path: &[Point], width: f64, colour: Colour) {
    const FINE: f64 = 1.0;
    let points = along(path, FINE);
    let (dash, period) = ((DASH.0 / FINE) as usize, ((DASH.0 + DASH.1) / FINE) as usize);
    for stretch in points.chunks(period) {
        scene.polyline(stretch.iter().take(dash + 1).copied().collect(), width, colour);
    }
}
