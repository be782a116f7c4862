//! Lines on a plot with a horizontal grid, marked points, and labels that find a free place.

use super::plot::{self, STRIP, along, dashed};
use super::{Pen, Specification};
use crate::chart::axis::Scaling;
use crate::chart::geometry::{Point, Rect};
use crate::chart::projection::Projection;
use crate::chart::scene::{Anchor, Label, Scene};
use crate::chart::text::{BODY, LINE, SMALL};
use crate::chart::theme::Theme;
use crate::chart::{Colour, Curve, Line, LineStyle, MarkedPoint, PointRole};

/// Radius of a marked point, and of the pointer's reach around it.
const RADIUS: f64 = 5.0;
const REACH: f64 = 14.0;
/// Air above the highest point, where its label goes, and below the lowest, relative to the curves' height.
const HEADROOM: f64 = 0.18;
const FOOTROOM: f64 = 0.06;

impl Curve {
    fn projection(&self, width: f64, height: f64) -> Projection {
        let (top, bottom) = plot::vertical_room(height, &self.x);
        let most_up = plot::most_ticks_up(bottom - top);
        let tight = self.y.range(self.finite_points().map(|(_, y)| y));
        let y = self.y.widened([tight.value(-FOOTROOM), tight.value(1.0 + HEADROOM)], most_up);
        let plot = plot::rectangle(&y, width, top, bottom);
        let ends = self.bands.iter().flat_map(|band| [band.low, band.high]);
        let x = self.x.range(self.finite_points().map(|(x, _)| x).chain(ends));
        Projection { plot, x, y }
    }

    fn point_colour(theme: &Theme, point: &MarkedPoint) -> Colour {
        match point.role {
            PointRole::Today => theme.foreground,
            PointRole::Estimate | PointRole::Sample => theme.accent,
        }
    }
}

/// The line's unbroken stretches within the plot, in pixels.
fn stretches(line: &Line, projection: &Projection) -> Vec<Vec<Point>> {
    let visible =
        |&(x, y): &(f64, f64)| x.is_finite() && y.is_finite() && projection.x.contains(x) && projection.y.contains(y);
    line.points
        .split(|point| !visible(point))
        .filter(|stretch| stretch.len() > 1)
        .map(|stretch| stretch.iter().map(|&(x, y)| projection.px_from_data(x, y)).collect())
        .collect()
}

/// Around a range: along its lower edge, and back along its upper.
fn outline(ribbon: &[(f64, f64, f64)], projection: &Projection) -> Vec<Point> {
    let finite = |(x, low, high): &&(f64, f64, f64)| x.is_finite() && low.is_finite() && high.is_finite();
    let lower = ribbon.iter().filter(finite).map(|&(x, low, _)| projection.px_from_data(x, low));
    let upper = ribbon.iter().rev().filter(finite).map(|&(x, _, high)| projection.px_from_data(x, high));
    lower.chain(upper).collect()
}

/// A side of a point: right or left, below or above.
type Side = (f64, f64);

/// Where a point's label may go, preferred first: the free side of a falling curve is the upper right.
const AROUND: [Side; 8] =
    [(1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, 0.0), (-1.0, -1.0), (0.0, -1.0), (0.0, 1.0)];
/// Where a line's name may go: the present above its line, a baseline below, so that neither is taken for the other's.
const ABOVE: [Side; 1] = [(-1.0, -1.0)];
const BELOW: [Side; 1] = [(-1.0, 1.0)];

/// What a label should keep off: points altogether, lines where it can.
struct Obstacles {
    lines: Vec<Point>,
    points: Vec<Rect>,
    /// Where labels may be.
    within: Rect,
}

impl Obstacles {
    /// How much of the lines a label there would cover.
    fn covered(&self, bounds: &Rect) -> usize {
        self.lines.iter().filter(|point| bounds.contains(**point)).count()
    }

    /// Writes the lines of text at whichever of the places around `anchor` is free and covers least of the lines.
    fn place(&self, scene: &mut Scene, sides: &[Side], around: Point, distance: f64, lines: &[Label]) -> bool {
        self.place_over(scene, sides, around, distance, lines, usize::MAX)
    }

    /// The same, covering at most so many points of lines.
    fn place_over(
        &self,
        scene: &mut Scene,
        sides: &[Side],
        around: Point,
        distance: f64,
        lines: &[Label],
        most_covered: usize,
    ) -> bool {
        let width = lines.iter().map(|line| line.bounds().width).fold(0.0, f64::max);
        let height: f64 = lines.iter().map(|line| line.size * LINE).sum();
        let bounds_at = |(dx, dy): (f64, f64), distance: f64| {
            let x = around.x + dx * distance + (dx - 1.0) / 2.0 * width;
            let y = around.y + dy * distance + (dy - 1.0) / 2.0 * height;
            Rect::new(x, y, width, height)
        };
        let best = [distance, distance * 2.0, distance * 3.5]
            .into_iter()
            .flat_map(|distance| sides.iter().map(move |&side| (side, distance)))
            .enumerate()
            .filter_map(|(rank, (side, distance))| {
                let bounds = bounds_at(side, distance);
                // A label nearer to another point than to its own would be taken for that one's.
                let own = gap(&bounds, around);
                let of_another = |point: &Rect| gap(&bounds, point.centre()) < own - 0.5;
                let free = self.within.holds(&bounds, 1.0)
                    && scene.is_free(&bounds)
                    && !self.points.iter().any(|point| point.overlaps(&bounds) || of_another(point));
                let covered = self.covered(&bounds);
                (free && covered <= most_covered).then_some((covered * 10 + rank, side, bounds))
            })
            .min_by_key(|(cost, ..)| *cost);
        let Some((_, (dx, _), bounds)) = best else { return false };
        let (anchor, x) = match dx {
            dx if dx > 0.0 => (Anchor::Start, bounds.x),
            dx if dx < 0.0 => (Anchor::End, bounds.right()),
            _ => (Anchor::Middle, bounds.centre().x),
        };
        let mut y = bounds.y;
        for line in lines {
            let at = Point { x, y: y + line.size * LINE / 2.0 };
            y += line.size * LINE;
            scene.label(Label { at, anchor, ..line.clone() });
        }
        true
    }
}

/// How far a place is from a rectangle; 0 inside it.
fn gap(rect: &Rect, place: Point) -> f64 {
    let beyond = |low: f64, high: f64, value: f64| (low - value).max(value - high).max(0.0);
    beyond(rect.x, rect.right(), place.x).hypot(beyond(rect.y, rect.bottom(), place.y))
}

impl Specification for Curve {
    fn is_empty(&self) -> bool {
        let usable = |axis: Scaling, value: f64| axis == Scaling::Linear || value > 0.0;
        !self.finite_points().any(|(x, y)| usable(self.x.scaling, x) && usable(self.y.scaling, y))
    }

    fn preferred_height(&self, width: f64) -> f64 {
        (width * 0.5).clamp(270.0, 340.0)
    }

    fn arrange(&self, theme: &Theme, scene: &mut Scene) {
        let pen = Pen { theme };
        let projection = self.projection(scene.area.width, scene.area.height);
        let plot = projection.plot;
        for band in self.bands.iter().filter(|band| band.low.is_finite() && band.high.is_finite()) {
            let (left, right) = (projection.x_px(band.low), projection.x_px(band.high));
            let rect = Rect::between(left, right, plot.y, plot.height);
            scene.rect(rect, theme.tint());
        }
        for ribbon in &self.ribbons {
            scene.polygon(outline(ribbon, &projection), theme.tint());
        }
        plot::axes(scene, &pen, &projection, &self.x, &self.y);

        // Labels may rise above the plot, where only the axis's name stands.
        let within = Rect::between(plot.x, scene.area.right(), 0.0, plot.bottom());
        let mut obstacles = Obstacles { lines: Vec::new(), points: Vec::new(), within };
        let mut names = Vec::new();
        let mut solid = 0;
        // Baselines first, so that the present lies on top.
        let (quiet, present): (Vec<&Line>, Vec<&Line>) =
            self.lines.iter().partition(|line| line.style == LineStyle::Dashed);
        for line in quiet.into_iter().chain(present) {
            let colour = match line.style {
                LineStyle::Dashed => theme.muted,
                LineStyle::Solid => theme.series_colour(solid),
            };
            for path in stretches(line, &projection) {
                obstacles.lines.extend(along(&path, 3.0));
                names.push((path.clone(), line, colour));
                match line.style {
                    LineStyle::Dashed => dashed(scene, &path, 1.5, colour),
                    LineStyle::Solid => scene.polyline(path, 2.5, colour),
                }
            }
            solid += usize::from(line.style == LineStyle::Solid);
        }

        let visible: Vec<(&MarkedPoint, Point)> = self
            .points
            .iter()
            .filter(|point| projection.x.contains(point.x) && projection.y.contains(point.y))
            .map(|point| (point, projection.px_from_data(point.x, point.y)))
            .collect();
        let (samples, visible): (Vec<_>, Vec<_>) =
            visible.into_iter().partition(|(point, _)| point.role == PointRole::Sample);
        for (point, at) in &visible {
            scene.disc(*at, RADIUS + 2.0, theme.background);
            scene.disc(*at, RADIUS, Self::point_colour(theme, point));
            obstacles.points.push(Rect::new(at.x, at.y, 0.0, 0.0).grown(RADIUS + 1.0));
            scene.hit(Rect::new(at.x, at.y, 0.0, 0.0).grown(REACH), &point.label, &point.text);
        }
        for (point, at) in samples {
            scene.hit(Rect::new(at.x, at.y, 0.0, 0.0).grown(REACH), &point.label, &point.text);
        }
        // Today's label first, so that it is the last to lose its place.
        let (today, others): (Vec<_>, Vec<_>) = visible.iter().partition(|(point, _)| point.role == PointRole::Today);
        for (point, at) in today.into_iter().chain(others) {
            let name = pen.strong(0.0, 0.0, Anchor::Start, &point.label);
            let name = Label { bold: point.role == PointRole::Today, size: BODY, ..name };
            let value = pen.quiet(0.0, 0.0, Anchor::Start, &point.text);
            let _ = obstacles.place(scene, &AROUND, at, RADIUS + 4.0, &[name.clone(), value])
                || obstacles.place(scene, &AROUND, at, RADIUS + 4.0, &[name]);
        }
        if self.lines.len() > 1 {
            for (path, line, colour) in names {
                let sides = if line.style == LineStyle::Dashed { &BELOW } else { &ABOVE };
                let label = [Label { size: SMALL, colour, ..pen.plain(0.0, 0.0, Anchor::Start, &line.label) }];
                // At the line's end, or at the first place before it where no line is in the way.
                let mut places = path.iter().rev().step_by(path.len() / 16 + 1);
                places.any(|&point| obstacles.place_over(scene, sides, point, 6.0, &label, 0));
            }
        }
        for band in self.bands.iter().filter(|band| band.low.is_finite() && band.high.is_finite()) {
            let (left, right) = (projection.x_px(band.low), projection.x_px(band.high));
            // At the foot, near the axis it is about, unless a line runs there.
            let at = |y: f64| pen.quiet((left + right) / 2.0, y, Anchor::Middle, &band.label);
            let mut places = [at(plot.bottom() - STRIP / 2.0), at(plot.y + STRIP / 2.0)].into_iter();
            places.any(|label| obstacles.covered(&label.bounds()) == 0 && scene.label(label));
        }
        scene.projection = Some(projection);
    }
}
