//! A drawing before it is drawn: marks, texts and what the pointer can hit, in CSS pixels.

use super::colour::Colour;
use super::geometry::{Point, Rect};
use super::projection::Projection;
use super::text::{LINE, fitted, text_width};
use serde::Serialize;

/// A place with something to say, for tooltips and for stepping through with the keyboard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// Where, in CSS pixels.
    pub rect: Rect,
    /// What it is.
    pub title: String,
    /// Its value and whatever else there is to say.
    pub text: String,
}

/// Where things were drawn.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Layout {
    /// What can be hit, in reading order.
    pub hits: Vec<Hit>,
    /// Pixels from data and back, for charts with axes.
    pub projection: Option<Projection>,
}

impl Layout {
    /// What lies at a place: the smallest of those that contain it, of equals the one whose centre is nearest.
    #[must_use]
    pub fn hit(&self, place: Point) -> Option<&Hit> {
        let area = |hit: &Hit| hit.rect.width * hit.rect.height;
        let away = |hit: &Hit| hit.rect.centre().distance(place);
        let nearer = |a: &&Hit, b: &&Hit| area(a).total_cmp(&area(b)).then(away(a).total_cmp(&away(b)));
        self.hits.iter().filter(|hit| hit.rect.contains(place)).min_by(nearer)
    }
}

/// Which end of a text its place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text; `at.y` is its vertical middle.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Label {
    pub at: Point,
    pub anchor: Anchor,
    pub content: String,
    pub size: f64,
    pub bold: bool,
    pub colour: Colour,
}

impl Label {
    /// The estimated rectangle it covers.
    pub fn bounds(&self) -> Rect {
        let width = text_width(&self.content, self.size, self.bold);
        let x = match self.anchor {
            Anchor::Start => self.at.x,
            Anchor::Middle => self.at.x - width / 2.0,
            Anchor::End => self.at.x - width,
        };
        Rect::new(x, self.at.y - self.size * LINE / 2.0, width, self.size * LINE)
    }
}

/// Something drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    Rect { rect: Rect, colour: Colour },
    Polyline { points: Vec<Point>, width: f64, colour: Colour },
    Polygon { points: Vec<Point>, colour: Colour },
    Disc { centre: Point, radius: f64, colour: Colour },
    Label(Label),
}

/// All marks in drawing order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    pub area: Rect,
    pub marks: Vec<Mark>,
    pub hits: Vec<Hit>,
    pub projection: Option<Projection>,
}

impl Scene {
    pub fn new(width: f64, height: f64) -> Self {
        Self { area: Rect::new(0.0, 0.0, width, height), marks: Vec::new(), hits: Vec::new(), projection: None }
    }

    pub fn rect(&mut self, rect: Rect, colour: Colour) {
        if rect.width > 0.0 && rect.height > 0.0 {
            self.marks.push(Mark::Rect { rect, colour });
        }
    }

    /// A vertical hairline, as a rectangle: crisp on every backend.
    pub fn vertical(&mut self, x: f64, top: f64, bottom: f64, width: f64, colour: Colour) {
        self.rect(Rect::new(x - width / 2.0, top, width, bottom - top), colour);
    }

    /// A horizontal hairline.
    pub fn horizontal(&mut self, y: f64, left: f64, right: f64, width: f64, colour: Colour) {
        self.rect(Rect::new(left, y - width / 2.0, right - left, width), colour);
    }

    pub fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.marks.push(Mark::Disc { centre, radius, colour });
    }

    pub fn polyline(&mut self, points: Vec<Point>, width: f64, colour: Colour) {
        if points.len() > 1 {
            self.marks.push(Mark::Polyline { points, width, colour });
        }
    }

    pub fn polygon(&mut self, points: Vec<Point>, colour: Colour) {
        self.marks.push(Mark::Polygon { points, colour });
    }

    /// Writes a label, unless it would leave the drawing or run into another: then it is left out, since
    /// its text stands in the table and in the hits. Tells whether it was written.
    pub fn label(&mut self, label: Label) -> bool {
        let free = self.is_free(&label.bounds());
        if free && !label.content.is_empty() {
            self.marks.push(Mark::Label(label));
        }
        free
    }

    /// Writes a label shortened to `room`.
    pub fn label_within(&mut self, label: Label, room: f64) -> bool {
        let content = fitted(&label.content, label.size, label.bold, room);
        self.label(Label { content, ..label })
    }

    /// Whether a label could be written there.
    pub fn is_free(&self, bounds: &Rect) -> bool {
        // Half a pixel of slack: texts are estimated, and edges computed from them.
        self.area.holds(bounds, 0.5) && !self.labels().any(|other| other.bounds().grown(-0.5).overlaps(bounds))
    }

    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        self.marks.iter().filter_map(|mark| if let Mark::Label(label) = mark { Some(label) } else { None })
    }

    pub fn hit(&mut self, rect: Rect, title: impl Into<String>, text: impl Into<String>) {
        self.hits.push(Hit { rect, title: title.into(), text: text.into() });
    }

    pub fn into_layout(self) -> Layout {
        Layout { hits: self.hits, projection: self.projection }
    }
}
