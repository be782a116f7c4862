//! Rows of a label, a note, a value and a track on a shared horizontal axis: ranges and ladders.
//!
//! Wide, the texts stand in columns left and right of the track; narrow, they stand above it.

use super::Pen;
use crate::chart::Colour;
use crate::chart::axis::{Axis, AxisRange, Scaling};
use crate::chart::geometry::{Point, Rect};
use crate::chart::projection::Projection;
use crate::chart::scene::{Anchor, Label, Scene};
use crate::chart::text::{BODY, LINE, SMALL, text_width, wrapped};
use crate::chart::ticks::ticks;

/// From this width on the texts stand beside the tracks.
const WIDE: f64 = 560.0;
/// Air between columns.
const GUTTER: f64 = 20.0;
/// Half the height of a track.
const TRACK: f64 = 10.0;
/// Height of a line of ticks, of the axis label, of a reference's text.
const STRIP: f64 = 18.0;
/// How wide a tick's label is taken to be, with its air.
const TICK_ROOM: f64 = 56.0;

/// What a row says.
pub(super) struct RowText<'a> {
    pub label: &'a str,
    pub note: &'a str,
    pub value: &'a str,
    /// Whether the value is written strong.
    pub strong: bool,
}

/// Where a row is.
struct RowPlace {
    label: Vec<String>,
    note: Vec<String>,
    /// Whether the value has a line of its own, below the label.
    value_below: bool,
    top: f64,
    height: f64,
    /// The middle of its track.
    track: f64,
}

/// Where all rows are.
pub(super) struct Rows {
    wide: bool,
    width: f64,
    left: f64,
    right: f64,
    rows: Vec<RowPlace>,
    references: f64,
    bottom: f64,
    pub height: f64,
}

impl Rows {
    /// Places rows from the top down, below a line for each of so many references.
    pub fn plan(texts: &[RowText], references: usize, axis: &Axis, width: f64) -> Self {
        let wide = width >= WIDE;
        let value_width = |text: &RowText| text_width(text.value, BODY, true);
        let (left, right) = if wide {
            let values = texts.iter().map(value_width).fold(0.0, f64::max).min(width * 0.3);
            let labels = texts
                .iter()
                .map(|text| text_width(text.label, BODY, true).max(text_width(text.note, SMALL, false) / 2.0 + 16.0))
                .fold(0.0, f64::max)
                .clamp(width * 0.18, width * 0.36);
            (labels + GUTTER, width - values - GUTTER)
        } else {
            (1.0, width - 10.0)
        };
        let references = references as f64 * STRIP;
        let mut top = references + 6.0;
        let mut rows = Vec::new();
        for text in texts {
            let (room, value_below) = if wide {
                (left - GUTTER, false)
            } else {
                let beside = width - value_width(text) - GUTTER;
                let crowded = beside < width * 0.4;
                (if crowded { width } else { beside }, crowded && !text.value.is_empty())
            };
            let label = wrapped(text.label, BODY, true, room, 2);
            let note = wrapped(text.note, SMALL, false, if wide { room } else { width }, 2);
            let texts_high =
                (label.len() + usize::from(value_below)) as f64 * BODY * LINE + note.len() as f64 * SMALL * LINE;
            let (height, track) = if wide {
                (texts_high.max(2.0 * TRACK), top + BODY * LINE / 2.0)
            } else {
                (texts_high + 4.0 + 2.0 * TRACK, top + texts_high + 4.0 + TRACK)
            };
            rows.push(RowPlace { label, note, value_below, top, height, track });
            top += height + if wide { 14.0 } else { 12.0 };
        }
        let bottom = top - 4.0;
        let height = bottom + STRIP + if axis.label.is_empty() { 4.0 } else { STRIP };
        Self { wide, width, left, right, rows, references, bottom, height }
    }

    /// How many ticks fit along the tracks.
    pub fn most_ticks(&self) -> usize {
        ((self.right - self.left) / TICK_ROOM).floor().clamp(2.0, 9.0) as usize
    }

    pub fn projection(&self, x: AxisRange) -> Projection {
        let plot =
            Rect::between(self.left, self.right.max(self.left + 1.0), self.references, self.bottom - self.references);
        Projection { plot, x, y: AxisRange::new(0.0, self.rows.len() as f64, Scaling::Linear) }
    }

    /// The middles of the tracks and the whole rows, for marks and hits.
    pub fn tracks(&self) -> impl Iterator<Item = (f64, Rect)> {
        self.rows.iter().map(|row| (row.track, Rect::new(0.0, row.top - 3.0, self.width, row.height + 6.0)))
    }

    /// A thin vertical line through all tracks, but not through the texts above them.
    pub fn line(&self, scene: &mut Scene, x: f64, width: f64, colour: Colour) {
        if self.wide {
            scene.vertical(x, self.references, self.bottom, width, colour);
        } else {
            for row in &self.rows {
                scene.vertical(x, row.track - TRACK, row.track + TRACK, width, colour);
            }
        }
    }

    /// The grid, its labels and the axis's name.
    pub fn axis(&self, scene: &mut Scene, pen: &Pen, projection: &Projection, axis: &Axis) {
        for tick in ticks(&projection.x, self.most_ticks()) {
            let x = projection.x_px(tick.value);
            self.line(scene, x, 1.0, pen.theme.grid);
            pen.clamped(scene, pen.quiet(x, self.bottom + STRIP / 2.0, Anchor::Middle, &tick.label));
        }
        let name = pen.quiet(self.left, self.bottom + STRIP * 1.5, Anchor::Start, &axis.label);
        scene.label_within(name, scene.area.width - self.left);
    }

    /// A line through all tracks with its text on the n-th strip above them.
    pub fn reference(&self, scene: &mut Scene, pen: &Pen, x: f64, strip: usize, text: &str) {
        let y = STRIP * (strip as f64 + 0.5);
        if self.wide {
            scene.vertical(x, y + STRIP / 2.0, self.bottom, 1.0, pen.theme.foreground);
        } else {
            scene.vertical(x, y + STRIP / 2.0, self.references, 1.0, pen.theme.foreground);
            self.line(scene, x, 1.0, pen.theme.foreground);
        }
        pen.clamped(scene, pen.plain(x, y, Anchor::Middle, text));
    }

    /// Labels, notes and values.
    pub fn write(&self, scene: &mut Scene, pen: &Pen, texts: &[RowText]) {
        let width = scene.area.width;
        for (row, text) in self.rows.iter().zip(texts) {
            let mut y = row.top;
            let step = BODY * LINE;
            let value_y = row.top + step * if row.value_below { row.label.len() as f64 + 0.5 } else { 0.5 };
            let value = if row.value_below {
                pen.plain(0.0, value_y, Anchor::Start, text.value)
            } else {
                Label { bold: text.strong, ..pen.strong(width, value_y, Anchor::End, text.value) }
            };
            scene.label_within(value, if self.wide { width - self.right } else { width });
            for line in &row.label {
                scene.label(pen.strong(0.0, y + step / 2.0, Anchor::Start, line));
                y += step;
            }
            if row.value_below {
                y += step;
            }
            for line in &row.note {
                scene.label(pen.quiet(0.0, y + SMALL * LINE / 2.0, Anchor::Start, line));
                y += SMALL * LINE;
            }
        }
    }
}

/// A horizontal bar that grows fainter from `from` to `to` and ends in an arrow head: "and on that way".
pub(super) fn open_end(scene: &mut Scene, pen: &Pen, from: f64, to: f64, y: f64, thickness: f64, colour: Colour) {
    const STEPS: usize = 10;
    let head = 7.0_f64.min((to - from).abs());
    let direction = if to >= from { 1.0 } else { -1.0 };
    let end = to - direction * head;
    // Faintest and longest first, so that no seam shows between two shades.
    for step in (0..STEPS).rev() {
        let until = from + (end - from) * (step + 1) as f64 / STEPS as f64;
        let faint = colour.over(pen.theme.background, 1.0 - 0.8 * (step as f64 + 0.5) / STEPS as f64);
        scene.rect(Rect::between(from, until, y - thickness / 2.0, thickness), faint);
    }
    let corner = |dx: f64, dy: f64| Point { x: end + direction * dx, y: y + dy };
    scene.polygon(vec![corner(0.0, -5.0), corner(head, 0.0), corner(0.0, 5.0)], colour);
}
