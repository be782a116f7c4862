//! Two kinds of roof, the operations below them, and a name beside each.

mod names;

use super::plot::{self, STRIP, along, dashed};
use super::{Pen, Specification};
use crate::chart::geometry::{Point, Rect};
use crate::chart::projection::Projection;
use crate::chart::scene::{Anchor, Label, Scene};
use crate::chart::text::SMALL;
use crate::chart::theme::Theme;
use crate::chart::{AxisRange, Colour, Place, Roof, Roofline, Scaling, SpotRole};
use names::{Name, Surroundings};

const RADIUS: f64 = 4.5;
/// How far from its centre a point answers to the pointer, unless another is nearer.
const REACH: f64 = 14.0;
/// How many times as far as the outermost points and the roofs the axes go.
const AIR: f64 = 2.0;
/// How many times as far as its ridge a flat goes on, before that: its name stands on it.
const FLAT: f64 = 2.5;

/// The roofs in pixels.
struct Roofs {
    slope: Vec<Point>,
    /// Each flat from where it meets the slope.
    flats: Vec<[Point; 2]>,
    /// From the named ridge down to the axis.
    drop: Option<[Point; 2]>,
}

impl Roofline {
    fn projection(&self, width: f64, height: f64) -> Projection {
        let (top, bottom) = plot::vertical_room(height, &self.x);
        // To the right of the ridge there is something to see: the flat.
        let ridges = self.flats.iter().filter_map(|roof| self.ridge(roof)).map(|ridge| ridge * FLAT);
        let x = spacious(self.drawable().map(|(_, place)| place.x).chain(ridges));
        let y = spacious(self.drawable().map(|(_, place)| place.y).chain(self.flats.iter().map(|roof| roof.value)));
        Projection { plot: plot::rectangle(&y, width, top, bottom), x, y }
    }

    /// The roof whose ridge is named.
    fn used_most(&self) -> Option<&Roof> {
        self.flats.first()
    }

    fn roofs(&self, projection: &Projection) -> Roofs {
        let (x, y) = (projection.x, projection.y);
        let meets = |height: f64| height / self.slope.value;
        let highest = self.flats.iter().map(|roof| roof.value).fold(0.0, f64::max);
        let top = if highest > 0.0 { highest } else { y.high() };
        let (from, to) = (x.low().max(meets(y.low())), x.high().min(meets(top)));
        let rising = [from, to].map(|x| projection.px_from_data(x, x * self.slope.value));
        let flat = |roof: &Roof| {
            let from = meets(roof.value).clamp(x.low(), x.high());
            [from, x.high()].map(|x| projection.px_from_data(x, roof.value))
        };
        let ridge = self.used_most().and_then(|roof| Some((self.ridge(roof)?, roof.value)));
        let drop = ridge.map(|(ridge, height)| {
            let top = projection.px_from_data(ridge, height);
            [top, Point { y: projection.plot.bottom(), ..top }]
        });
        Roofs {
            slope: if from < to { rising.to_vec() } else { Vec::new() },
            flats: self.flats.iter().map(flat).collect(),
            drop,
        }
    }

    /// What the colours stand for, on the line of the vertical axis's name.
    fn legend(&self, scene: &mut Scene, pen: &Pen) {
        const GAP: f64 = 16.0;
        let mut end = scene.area.right() - 10.0;
        for (role, name) in [(SpotRole::Caches, "caches"), (SpotRole::Weights, "weights")] {
            if !self.drawable().any(|(spot, _)| spot.role == role) {
                continue;
            }
            let label = pen.quiet(end, STRIP / 2.0, Anchor::End, name);
            let start = label.bounds().x;
            if !scene.label(label) {
                return;
            }
            scene.disc(Point { x: start - 8.0, y: STRIP / 2.0 }, RADIUS, colour(pen.theme, role));
            end = start - 8.0 - RADIUS - GAP;
        }
    }

    fn name_roofs(&self, scene: &mut Scene, pen: &Pen, plot: &Rect, roofs: &Roofs) {
        let slope = along(&roofs.slope, 3.0);
        let write = |scene: &mut Scene, label: Label| {
            !slope.iter().any(|&point| label.bounds().contains(point)) && scene.label(label)
        };
        for (roof, [_, end]) in self.flats.iter().zip(&roofs.flats) {
            let at = |dy: f64, name: &str| pen.quiet(plot.right(), end.y + dy, Anchor::End, name);
            let short = roof.label.split(' ').next().unwrap_or_default();
            let _ = write(scene, at(-STRIP / 2.0, &roof.label))
                || write(scene, at(STRIP / 2.0, &roof.label))
                || write(scene, at(-STRIP / 2.0, short));
        }
        // Left of the slope nothing can be: its name goes as high as it finds room.
        let mut names = slope.iter().rev().map(|at| pen.quiet(at.x - 8.0, at.y - 2.0, Anchor::End, &self.slope.label));
        names.any(|label| label.bounds().x >= plot.x && label.at.y > plot.y + STRIP && scene.label(label));
        // Under its flat, or beside the drop at the axis.
        if let (Some([top, foot]), Some(roof)) = (roofs.drop, self.used_most()) {
            let at = |anchor, dx, y| pen.quiet(top.x + dx, y, anchor, &roof.ridge);
            // Where no flat runs through it.
            let below = [1.8, 2.6, 3.4].map(|lines| top.y + STRIP * lines);
            let clear = |y: &f64| !roofs.flats.iter().any(|[_, end]| (end.y - y).abs() < SMALL);
            let below = below.into_iter().find(clear).unwrap_or(top.y + STRIP * 1.8);
            let _ = write(scene, at(Anchor::Start, 6.0, below))
                || write(scene, at(Anchor::End, -6.0, foot.y - STRIP / 2.0));
        }
    }
}

/// A logarithmic range with some air around the values.
fn spacious(values: impl Iterator<Item = f64>) -> AxisRange {
    let usable = values.filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) = usable.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    AxisRange::new(low / AIR, high * AIR, Scaling::Log)
}

fn colour(theme: &Theme, role: SpotRole) -> Colour {
    match role {
        SpotRole::Weights => theme.series_colour(0),
        SpotRole::Caches => theme.series_colour(2),
        SpotRole::Whole => theme.foreground,
    }
}

fn around(at: Point, reach: f64) -> Rect {
    Rect::new(at.x, at.y, 0.0, 0.0).grown(reach)
}

impl Specification for Roofline {
    fn is_empty(&self) -> bool {
        self.drawable().next().is_none() || !(self.slope.value.is_finite() && self.slope.value > 0.0)
    }

    fn preferred_height(&self, width: f64) -> f64 {
        // Where it is narrow, names stack up.
        if width < 500.0 { 500.0 } else { (width * 0.5).clamp(400.0, 440.0) }
    }

    fn arrange(&self, theme: &Theme, scene: &mut Scene) {
        let pen = Pen { theme };
        let projection = self.projection(scene.area.width, scene.area.height);
        plot::axes(scene, &pen, &projection, &self.x, &self.y);
        let roofs = self.roofs(&projection);
        scene.polyline(roofs.slope.clone(), 2.0, theme.muted);
        for flat in &roofs.flats {
            scene.polyline(flat.to_vec(), 2.0, theme.muted);
        }
        if let Some(drop) = &roofs.drop {
            dashed(scene, drop, 1.0, theme.muted);
        }
        self.name_roofs(scene, &pen, &projection.plot, &roofs);

        self.legend(scene, &pen);

        let px = |place: &Place| projection.px_from_data(place.x, place.y);
        for spot in &self.spots {
            let trail = spot.places.iter().filter(|place| place.is_drawable()).map(px);
            scene.polyline(trail.collect(), 1.0, colour(theme, spot.role));
        }
        let points: Vec<Point> = self.drawable().map(|(_, place)| px(place)).collect();
        let mut names = Vec::new();
        for ((spot, place), &at) in self.drawable().zip(&points) {
            scene.disc(at, RADIUS + 1.5, theme.background);
            scene.disc(at, RADIUS, colour(theme, spot.role));
            if spot.places.last() == Some(place) {
                let label = pen.plain(at.x, at.y, Anchor::Start, &spot.label);
                names.push(Name { label: Label { size: SMALL, bold: spot.role == SpotRole::Whole, ..label }, at });
            } else {
                scene.disc(at, RADIUS - 1.5, theme.background);
            }
            let others = points.iter().map(|&other| at.distance(other)).filter(|apart| *apart > 0.5);
            let reach = (others.fold(f64::INFINITY, f64::min) / 2.0).clamp(RADIUS, REACH);
            scene.hit(around(at, reach), &spot.label, place.text());
        }
        for (roof, [ridge, _]) in self.flats.iter().zip(&roofs.flats) {
            scene.hit(around(*ridge, REACH), &roof.label, &roof.ridge);
        }
        let slope = along(&roofs.slope, 3.0);
        Surroundings { plot: projection.plot, points: &points, slope: &slope, leader: theme.muted }.place(scene, names);
        scene.projection = Some(projection);
    }
}
