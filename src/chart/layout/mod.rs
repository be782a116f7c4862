//! Where everything in a chart goes: pure functions from data, theme and size to a scene.

mod curve;
mod histogram;
mod ladder;
mod plot;
mod ranges;
mod roofline;
mod rows;
mod stack;

use super::Chart;
use super::geometry::Point;
use super::scene::{Anchor, Label, Scene};
use super::table::Description;
use super::text::BODY;
use super::theme::Theme;

/// Height of a chart without data.
pub(super) const EMPTY_HEIGHT: f64 = 72.0;
/// The least width and height worth arranging anything in.
const SMALLEST: f64 = 16.0;

/// What every kind of chart can do.
pub(super) trait Specification: Description {
    fn is_empty(&self) -> bool;
    fn preferred_height(&self, width: f64) -> f64;
    /// Places everything; called only when not empty and with a usable size.
    fn arrange(&self, theme: &Theme, scene: &mut Scene);
}

/// The scene of any chart at any size.
pub(super) fn arrange(chart: &Chart, theme: &Theme, width: f64, height: f64) -> Scene {
    let usable = |side: f64| if side.is_finite() { side.max(0.0) } else { 0.0 };
    let mut scene = Scene::new(usable(width), usable(height));
    if chart.is_empty() {
        let at = scene.area.centre();
        scene.label(Label {
            at,
            anchor: Anchor::Middle,
            content: "no data".into(),
            size: BODY,
            bold: false,
            colour: theme.muted,
        });
    } else if width >= SMALLEST && height >= SMALLEST {
        chart.specification().arrange(theme, &mut scene);
    }
    scene
}

/// Short names for the labels a chart writes.
struct Pen<'a> {
    theme: &'a Theme,
}

impl Pen<'_> {
    /// Writes a label, moved sideways as far as it must to stay within the drawing.
    fn clamped(&self, scene: &mut Scene, mut label: Label) -> bool {
        let bounds = label.bounds();
        let left = bounds.x.min(scene.area.width - bounds.width).max(0.0);
        label.at.x += left - bounds.x;
        scene.label(label)
    }

    fn strong(&self, x: f64, y: f64, anchor: Anchor, content: &str) -> Label {
        Label {
            at: Point { x, y },
            anchor,
            content: content.into(),
            size: BODY,
            bold: true,
            colour: self.theme.foreground,
        }
    }

    fn plain(&self, x: f64, y: f64, anchor: Anchor, content: &str) -> Label {
        Label { bold: false, ..self.strong(x, y, anchor, content) }
    }

    fn quiet(&self, x: f64, y: f64, anchor: Anchor, content: &str) -> Label {
        Label { size: super::text::SMALL, colour: self.theme.muted, ..self.plain(x, y, anchor, content) }
    }
}
