//! Pixels from data and back: the one geometry that drawing, overlays and hit testing share.

use super::axis::AxisRange;
use super::geometry::{Point, Rect};
use serde::Serialize;

/// A plot rectangle in CSS pixels and the ranges it shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Projection {
    /// Where the data are drawn.
    pub plot: Rect,
    /// What runs from its left edge to its right.
    pub x: AxisRange,
    /// What runs from its lower edge to its upper.
    pub y: AxisRange,
}

impl Projection {
    /// Where a pair of values is drawn; clamped to the plot rectangle.
    #[must_use]
    pub fn px_from_data(&self, x: f64, y: f64) -> Point {
        Point { x: self.x_px(x), y: self.y_px(y) }
    }

    /// The values at a place, or `None` outside the plot rectangle.
    #[must_use]
    pub fn data_from_px(&self, place: Point) -> Option<(f64, f64)> {
        (self.plot.contains(place) && self.plot.width > 0.0 && self.plot.height > 0.0).then(|| {
            let along = (place.x - self.plot.x) / self.plot.width;
            let up = (self.plot.bottom() - place.y) / self.plot.height;
            (self.x.value(along), self.y.value(up))
        })
    }

    /// Where a horizontal value is drawn.
    #[must_use]
    pub fn x_px(&self, value: f64) -> f64 {
        self.plot.x + self.plot.width * self.x.fraction(value)
    }

    /// Where a vertical value is drawn.
    #[must_use]
    pub fn y_px(&self, value: f64) -> f64 {
        self.plot.bottom() - self.plot.height * self.y.fraction(value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::chart::Scaling;
    use proptest::prelude::*;

    fn projection(scaling: Scaling) -> Projection {
        Projection {
            plot: Rect::new(40.0, 10.0, 500.0, 200.0),
            x: AxisRange::new(1.0, 20.0, scaling),
            y: AxisRange::new(0.0, 150.0, Scaling::Linear),
        }
    }

    #[test]
    fn the_origin_is_at_the_lower_left() {
        assert_eq!(projection(Scaling::Linear).px_from_data(1.0, 0.0), Point { x: 40.0, y: 210.0 });
        assert_eq!(projection(Scaling::Linear).data_from_px(Point { x: 39.0, y: 100.0 }), None);
    }

    proptest! {
        #[test]
        fn there_and_back(x in 1.0..20.0, y in 0.0..150.0, log in any::<bool>()) {
            let projection = projection(if log { Scaling::Log } else { Scaling::Linear });
            let (x_back, y_back) = projection.data_from_px(projection.px_from_data(x, y)).unwrap();
            prop_assert!((x - x_back).abs() < 1e-9 && (y - y_back).abs() < 1e-9);
        }
    }
}
