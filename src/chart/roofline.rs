//! Operations under the roofs of memory and arithmetic.

use super::axis::Axis;
use super::table::{Description, Table};
use serde::Serialize;

/// The roofline: what operations reach against what they compute for each byte read.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Roofline {
    /// What is shown.
    pub title: String,
    /// The horizontal axis: FLOPs per byte.
    pub x: Axis,
    /// The vertical axis: FLOPs per second.
    pub y: Axis,
    /// Memory's roof: height per length, on logarithmic axes a slope of one.
    pub slope: Roof,
    /// Arithmetic's roofs, by kind of number; first the one most used, whose ridge is named.
    pub flats: Vec<Roof>,
    /// The operations.
    pub spots: Vec<Spot>,
}

/// A roof.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Roof {
    /// Its name, written beside it.
    pub label: String,
    /// Its height, or for the slope its height per length.
    pub value: f64,
    /// What is written where it meets the slope; empty for the slope.
    pub ridge: String,
}

/// One operation, at one or several loads.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Spot {
    /// Its name, written beside it.
    pub label: String,
    /// What it is made of.
    pub role: SpotRole,
    /// Where it is, in order of rising load; the last is the present one.
    pub places: Vec<Place>,
}

/// What a spot stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpotRole {
    /// Weights, read once for all streams.
    #[default]
    Weights,
    /// Caches and states, of which each stream has its own.
    Caches,
    /// All of the step together.
    Whole,
}

/// Where an operation is under one load.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Place {
    /// Under which load, e.g. "1 stream".
    pub load: String,
    /// FLOPs per byte.
    pub x: f64,
    /// FLOPs per second.
    pub y: f64,
    /// The two as text.
    pub at: [String; 2],
    /// Bytes, FLOPs and time as text.
    pub of: [String; 3],
}

impl Place {
    pub(super) fn is_drawable(&self) -> bool {
        let drawable = |value: f64| value.is_finite() && value > 0.0;
        drawable(self.x) && drawable(self.y)
    }

    /// Everything there is to say of it.
    pub(super) fn text(&self) -> String {
        let ([intensity, rate], [bytes, flops, time]) = (&self.at, &self.of);
        format!("{}: {rate} at {intensity}. {bytes} and {flops} in {time}.", self.load)
    }
}

impl Roofline {
    /// Where a roof meets the slope.
    pub(super) fn ridge(&self, roof: &Roof) -> Option<f64> {
        let ridge = roof.value / self.slope.value;
        (ridge.is_finite() && ridge > 0.0).then_some(ridge)
    }

    pub(super) fn drawable(&self) -> impl Iterator<Item = (&Spot, &Place)> {
        let of = |spot| move |place| (spot, place);
        self.spots
            .iter()
            .flat_map(move |spot: &Spot| spot.places.iter().filter(|place| place.is_drawable()).map(of(spot)))
    }
}

impl Description for Roofline {
    fn title(&self) -> &str {
        &self.title
    }

    fn sentence(&self) -> String {
        let roofs = self.flats.iter().map(|roof| format!("{} ({})", roof.label, roof.ridge));
        let roofs: Vec<String> = std::iter::once(self.slope.label.clone()).chain(roofs).collect();
        let last = self.spots.iter().filter_map(|spot| Some((spot, spot.places.last()?)));
        let spots: Vec<String> =
            last.map(|(spot, place)| format!("{} {} at {}", spot.label, place.at[1], place.at[0])).collect();
        format!("{}: under {}: {}.", self.title, roofs.join(", "), spots.join("; "))
    }

    fn rows(&self) -> Table {
        let rows = self.spots.iter().flat_map(|spot| spot.places.iter().map(move |place| (spot, place)));
        Table::new(
            ["operation", "load", "bytes", "FLOPs", "time", "FLOPs per byte", "FLOP/s"],
            rows.map(|(spot, place)| {
                let ([intensity, rate], [bytes, flops, time]) = (place.at.clone(), place.of.clone());
                [spot.label.clone(), place.load.clone(), bytes, flops, time, intensity, rate]
            }),
        )
    }
}
