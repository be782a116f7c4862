//! A ladder: a bar per rung, grey as far as today, coloured beyond, with a whisker for its range.

use super::rows::{RowText, Rows};
use super::{Pen, Specification};
use crate::chart::geometry::{Point, Rect};
use crate::chart::scene::Scene;
use crate::chart::theme::Theme;
use crate::chart::{Ladder, Rung, RungRole};

/// How thick a bar is drawn.
const THICKNESS: f64 = 14.0;

impl Ladder {
    fn texts(&self) -> Vec<RowText<'_>> {
        self.rungs
            .iter()
            .map(|rung| RowText { label: &rung.label, note: &rung.note, value: &rung.text, strong: true })
            .collect()
    }

    fn plan(&self, width: f64) -> Rows {
        Rows::plan(&self.texts(), 0, &self.axis, width)
    }

    fn whisker(&self, scene: &mut Scene, theme: &Theme, rung: &Rung, y: f64, projection: &crate::chart::Projection) {
        let unbounded = rung.high == f64::INFINITY;
        let high = if unbounded { projection.x.high() } else { rung.high };
        if !(rung.low.is_finite() && high.is_finite() && rung.low < high) {
            return;
        }
        let (left, right) = (projection.x_px(rung.low), projection.x_px(high));
        // A halo keeps the line visible on the bar as well as beside it.
        scene.horizontal(y, left, right, 5.0, theme.background);
        scene.horizontal(y, left, right, 1.5, theme.foreground);
        scene.vertical(left, y - 5.0, y + 5.0, 1.5, theme.foreground);
        if unbounded {
            let corner = |dx: f64, dy: f64| Point { x: right + dx, y: y + dy };
            scene.polygon(vec![corner(-7.0, -5.0), corner(0.0, 0.0), corner(-7.0, 5.0)], theme.foreground);
        } else {
            scene.vertical(right, y - 5.0, y + 5.0, 1.5, theme.foreground);
        }
    }
}

impl Specification for Ladder {
    fn is_empty(&self) -> bool {
        !self.rungs.iter().any(|rung| rung.likely.is_finite())
    }

    fn preferred_height(&self, width: f64) -> f64 {
        self.plan(width).height
    }

    fn arrange(&self, theme: &Theme, scene: &mut Scene) {
        let pen = Pen { theme };
        let rows = self.plan(scene.area.width);
        let values = self.rungs.iter().flat_map(|rung| [rung.low, rung.likely, rung.high]);
        let projection = rows.projection(self.axis.widened(values, rows.most_ticks()));
        rows.axis(scene, &pen, &projection, &self.axis);
        let start = projection.plot.x;
        let today = self.today().map(|value| projection.x_px(value));
        if let Some(x) = today {
            rows.line(scene, x, 1.0, theme.foreground);
        }
        for (rung, (y, place)) in self.rungs.iter().zip(rows.tracks()) {
            if rung.likely.is_finite() {
                let end = projection.x_px(rung.likely);
                let split = match rung.role {
                    RungRole::Today => end,
                    RungRole::Ceiling => today.map_or(start, |today| today.min(end)),
                };
                let colour = if rung.role == RungRole::Today { theme.foreground } else { theme.residual };
                scene.rect(Rect::between(start, split, y - THICKNESS / 2.0, THICKNESS), colour);
                scene.rect(Rect::between(split, end, y - THICKNESS / 2.0, THICKNESS), theme.accent);
                self.whisker(scene, theme, rung, y, &projection);
            }
            let detail = if rung.note.is_empty() { rung.text.clone() } else { format!("{}. {}", rung.text, rung.note) };
            scene.hit(place, &rung.label, detail);
        }
        rows.write(scene, &pen, &self.texts());
        scene.projection = Some(projection);
    }
}
