//! Names beside points: a column of them, in order, where points lie above each other.

use super::RADIUS;
use crate::chart::Colour;
use crate::chart::geometry::{Point, Rect};
use crate::chart::scene::{Anchor, Label, Scene};
use crate::chart::text::{LINE, SMALL};

/// Height of a name's line.
const SLOT: f64 = SMALL * LINE;
/// How much farther aside than the next a point starts a group of its own.
const APART: f64 = 40.0;
/// From a group to the column of its names.
const ASIDE: f64 = 20.0;
/// The weight of what does not give way.
const KEEPS: f64 = 1e6;

/// The name of a point, still to be placed.
pub(super) struct Name {
    pub label: Label,
    pub at: Point,
}

/// Where names may be, what they keep off, and the colour of the lines that lead to them.
pub(super) struct Surroundings<'a> {
    pub plot: Rect,
    pub points: &'a [Point],
    /// The slope, from below: left of it and above there is nothing but room.
    pub slope: &'a [Point],
    pub leader: Colour,
}

impl Surroundings<'_> {
    /// Names every point.
    pub(super) fn place(&self, scene: &mut Scene, mut names: Vec<Name>) {
        sort_few(&mut names, |name| name.at.x);
        let mut groups: Vec<Vec<Name>> = Vec::new();
        for name in names {
            match groups.last_mut() {
                Some(group) if group.last().is_some_and(|last| name.at.x - last.at.x < APART) => group.push(name),
                _ => groups.push(vec![name]),
            }
        }
        // Those alone last: they find a place anywhere around their point.
        sort_few(&mut groups, |group| -(group.len() as f64));
        for group in groups {
            match <[Name; 1]>::try_from(group) {
                Ok([name]) => self.place_alone(scene, name),
                Err(group) => self.place_column(scene, group),
            }
        }
    }

    fn place_alone(&self, scene: &mut Scene, Name { label, at }: Name) {
        let width = label.bounds().width;
        let (right, left, middle) = (RADIUS + 4.0, -RADIUS - 4.0 - width, -width / 2.0);
        let places = [(right, 0.0), (left, 0.0), (middle, -SLOT), (middle, SLOT), (right, -SLOT), (left, -SLOT)];
        let mut labels = places.map(|(dx, dy)| Label { at: at.moved(dx, dy), ..label.clone() }).into_iter();
        labels.any(|label| {
            let covers = self.points.iter().any(|&point| label.bounds().grown(2.0).contains(point));
            !covers && scene.label(label)
        });
    }

    fn place_column(&self, scene: &mut Scene, mut group: Vec<Name>) {
        sort_few(&mut group, |name| name.at.y);
        let width = group.iter().map(|name| name.label.bounds().width).fold(0.0, f64::max);
        let outermost = |pick: fn(f64, f64) -> f64| group.iter().map(|name| name.at.x).reduce(pick).unwrap_or_default();
        let right = outermost(f64::max) + ASIDE;
        let to_the_right = right + width <= scene.area.right();
        let column = if to_the_right {
            (right, right + width)
        } else {
            let end = (outermost(f64::min) - ASIDE).min(self.plot.x + width + 4.0);
            (end - width, end)
        };
        let over_slope = self.slope.iter().filter(|point| !to_the_right && point.x <= column.1).map(|point| point.y);
        let bottom = over_slope.fold(self.plot.bottom(), f64::min);
        // What else stands in the column's way keeps its height.
        let within = |point: &Point| column.0 - RADIUS <= point.x && point.x <= column.1 + RADIUS && point.y < bottom;
        let foreign = |point: &&Point| within(point) && !group.iter().any(|name| name.at == **point);
        let points = self.points.iter().filter(foreign).map(|point| point.y);
        let inside = |there: &Rect| {
            there.right() > column.0 && there.x < column.1 && self.plot.y < there.y && there.bottom() < bottom
        };
        let labels = scene.labels().map(Label::bounds).filter(inside);
        let fixed = points.chain(labels.map(|there| there.centre().y)).map(|y| (y, KEEPS));
        let mut wanted: Vec<(f64, f64)> = group.iter().map(|name| (name.at.y, 1.0)).chain(fixed).collect();
        sort_few(&mut wanted, |(height, _)| *height);
        let heights = spread(&wanted, self.plot.y + SLOT / 2.0, bottom - SLOT / 2.0);
        let own = wanted.iter().zip(heights).filter(|((_, weight), _)| *weight < KEEPS).map(|(_, height)| height);
        for (Name { label, at }, y) in group.into_iter().zip(own) {
            let (anchor, x, gap) =
                if to_the_right { (Anchor::Start, column.0, -3.0) } else { (Anchor::End, column.1, 3.0) };
            let end = Point { x: x + gap, y };
            if scene.label(Label { at: Point { x, y }, anchor, ..label.clone() }) {
                let edge = (RADIUS + 1.0) / at.distance(end).max(RADIUS + 1.0);
                let start = at.moved((end.x - at.x) * edge, (end.y - at.y) * edge);
                scene.polyline(vec![start, end], 1.0, self.leader);
            } else {
                self.place_alone(scene, Name { label, at });
            }
        }
    }
}

/// Sorts by insertion: there are a dozen names at most, and the standard library's sort is 5 kB of code for every type.
fn sort_few<T>(few: &mut [T], key: impl Fn(&T) -> f64) {
    for end in 1..few.len() {
        let mut at = end;
        while let Some([before, here]) = at.checked_sub(1).and_then(|from| few.get(from..=at)) {
            if key(before) <= key(here) {
                break;
            }
            few.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Heights in the same order and a line apart that move the (height, weight) given as little as they can: isotonic
/// regression, by pooling neighbours that would run into each other.
fn spread(wanted: &[(f64, f64)], top: f64, bottom: f64) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (index, (height, weight)) in wanted.iter().enumerate() {
        let mut pool = (height - SLOT * index as f64, *weight, 1);
        while let Some(&before) = pools.last().filter(|before| before.0 > pool.0) {
            let weight = before.1 + pool.1;
            pool = ((before.0 * before.1 + pool.0 * pool.1) / weight, weight, before.2 + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let lowest = bottom - SLOT * wanted.len().saturating_sub(1) as f64;
    let levels = pools.iter().flat_map(|(height, _, many)| std::iter::repeat_n(*height, *many));
    levels.enumerate().map(|(index, height)| height.min(lowest).max(top) + SLOT * index as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_move_as_little_as_they_need_and_what_keeps_its_place_keeps_it() {
        let close = |heights: Vec<f64>, wanted: &[f64]| {
            assert!(heights.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.01), "{heights:?} {wanted:?}");
        };
        // Two at the same height move half a line each; one far away stays.
        let two = spread(&[(100.0, 1.0), (100.0, 1.0), (300.0, 1.0)], 0.0, 400.0);
        close(two, &[100.0 - SLOT / 2.0, 100.0 + SLOT / 2.0, 300.0]);
        close(spread(&[(100.0, 1.0), (100.0, KEEPS)], 0.0, 400.0), &[100.0 - SLOT, 100.0]);
        // At the edge they stay within.
        close(spread(&[(400.0, 1.0), (400.0, 1.0)], 0.0, 400.0), &[400.0 - SLOT, 400.0]);
    }
}
