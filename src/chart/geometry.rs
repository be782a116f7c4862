//! Points and rectangles in CSS pixels, y downwards.

use serde::Serialize;

/// A place in CSS pixels from the drawing's upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Point {
    /// The place so far to the right and down.
    pub(super) fn moved(self, right: f64, down: f64) -> Self {
        Self { x: self.x + right, y: self.y + down }
    }

    /// How far another place is.
    pub(super) fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// A rectangle in CSS pixels from the drawing's upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Rect {
    /// Its left edge.
    pub x: f64,
    /// Its upper edge.
    pub y: f64,
    /// Its width, never negative.
    pub width: f64,
    /// Its height, never negative.
    pub height: f64,
}

impl Rect {
    /// From the upper left corner and the size; a negative size is taken as none.
    #[must_use]
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width: width.max(0.0), height: height.max(0.0) }
    }

    /// Between two edges, given in either order.
    pub(super) fn between(x0: f64, x1: f64, y: f64, height: f64) -> Self {
        Self::new(x0.min(x1), y, (x1 - x0).abs(), height)
    }

    /// Its right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Its lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Its centre.
    #[must_use]
    pub fn centre(&self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }

    /// Whether the point lies in it, edges included.
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        point.x >= self.x && point.x <= self.right() && point.y >= self.y && point.y <= self.bottom()
    }

    /// Whether all of `other` lies in it, but for `slack` pixels.
    pub(super) fn holds(&self, other: &Self, slack: f64) -> bool {
        other.x >= self.x - slack
            && other.y >= self.y - slack
            && other.right() <= self.right() + slack
            && other.bottom() <= self.bottom() + slack
    }

    /// Whether the two share more than an edge.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// The same centre, larger by `margin` on every side.
    pub(super) fn grown(&self, margin: f64) -> Self {
        Self::new(self.x - margin, self.y - margin, self.width + 2.0 * margin, self.height + 2.0 * margin)
    }
}
