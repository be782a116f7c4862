//! Stacked bars: labels inside where they fit, in a legend below the bar where they do not.

use super::{Pen, Specification};
use crate::chart::geometry::Rect;
use crate::chart::scene::{Anchor, Label, Scene};
use crate::chart::text::{SMALL, fitted, text_width};
use crate::chart::theme::Theme;
use crate::chart::{Colour, Segment, SegmentRole, Stack, StackBar, StackScale};

/// Height of a bar's heading, of the bar, of a line of its legend, and the air below it.
const HEADING: f64 = 24.0;
const BAR: f64 = 40.0;
const LEGEND: f64 = 20.0;
const AIR: f64 = 20.0;
/// Room for the whole's mark to stand out above and below an overhanging bar.
const TONGUE: f64 = 5.0;
/// Least distance of a text from its segment's edge.
const PADDING: f64 = 7.0;
/// The least width a segment offers to the pointer.
const REACH: f64 = 8.0;
/// A swatch with the air after it, and the air between legend entries.
const SWATCH: f64 = 16.0;
const BETWEEN: f64 = 18.0;

/// A segment's stretch of the bar, and where its text goes.
struct Place<'a> {
    segment: &'a Segment,
    left: f64,
    right: f64,
    inside: bool,
}

/// A bar's geometry along the width.
struct BarPlan<'a> {
    places: Vec<Place<'a>>,
    /// Where the whole ends, and where the bar does; apart when the parts overhang.
    whole: f64,
    end: f64,
    /// Legend entries, line by line, each with its left edge.
    legend: Vec<Vec<(usize, f64)>>,
}

impl<'a> BarPlan<'a> {
    fn new(bar: &'a StackBar, longest: f64, width: f64) -> Self {
        let px = |value: f64| if longest > 0.0 { value / longest * width } else { 0.0 };
        let end = px(bar.extent());
        let whole = px(bar.extent() - bar.overhang());
        let mut left = 0.0;
        let mut places = Vec::new();
        for segment in &bar.segments {
            let positive = segment.value.is_finite() && segment.value > 0.0;
            let right = if positive { left + px(segment.value) } else { left };
            let room = right.min(whole) - left - 2.0 * PADDING;
            let inside = positive
                && text_width(&segment.label, SMALL, true).max(text_width(&segment.text, SMALL, false)) <= room;
            places.push(Place { segment, left, right, inside });
            left = right;
        }
        let legend = legend(&places, width);
        Self { places, whole, end, legend }
    }

    fn overhangs(&self) -> bool {
        self.end - self.whole > 0.5
    }

    fn height(&self) -> f64 {
        HEADING
            + BAR
            + if self.overhangs() { TONGUE } else { 0.0 }
            + self.legend.len() as f64 * LEGEND
            + if self.legend.is_empty() { 0.0 } else { 4.0 }
    }
}

/// The entries of what has no room inside, flowing over as many lines as they need.
fn legend(places: &[Place], width: f64) -> Vec<Vec<(usize, f64)>> {
    let mut lines: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut x = 0.0;
    for (index, place) in
        places.iter().enumerate().filter(|(_, place)| !place.inside && place.segment.value.is_finite())
    {
        let wide = SWATCH + text_width(&entry(place.segment), SMALL, false);
        match lines.last_mut() {
            Some(line) if x + wide <= width => line.push((index, x)),
            _ => {
                x = 0.0;
                lines.push(vec![(index, x)]);
            }
        }
        x += wide + BETWEEN;
    }
    lines
}

fn entry(segment: &Segment) -> String {
    format!("{} {}", segment.label, segment.text)
}

impl Stack {
    fn plans(&self, width: f64) -> Vec<BarPlan<'_>> {
        let longest = self.bars.iter().map(StackBar::extent).fold(0.0, f64::max);
        self.bars
            .iter()
            .map(|bar| {
                let scale = match self.scale {
                    StackScale::Own => bar.extent(),
                    StackScale::Shared => longest,
                };
                BarPlan::new(bar, scale, width)
            })
            .collect()
    }

    fn colour(&self, theme: &Theme, segment: &Segment) -> Colour {
        match segment.role {
            _ if segment.value < 0.0 => theme.warning,
            SegmentRole::Residual => theme.residual,
            SegmentRole::Part => theme.series_colour(self.colour_index(&segment.label)),
        }
    }

    fn bar(&self, scene: &mut Scene, theme: &Theme, plan: &BarPlan, bar: &StackBar, top: f64) {
        let pen = Pen { theme };
        let last = plan.places.iter().rposition(|place| place.right > place.left);
        for (index, place) in plan.places.iter().enumerate().filter(|(_, place)| place.right > place.left) {
            let colour = self.colour(theme, place.segment);
            // A hairline of background between neighbours.
            let gap = if Some(index) == last || place.right - place.left < 3.0 { 0.0 } else { 1.0 };
            scene.rect(Rect::new(place.left, top, place.right - place.left - gap, BAR), colour);
            if place.inside {
                let (x, room) = (place.left + PADDING, place.right - place.left);
                let ink = |label: Label| Label { colour: colour.ink(), size: SMALL, ..label };
                scene.label_within(ink(pen.strong(x, top + 12.0, Anchor::Start, &place.segment.label)), room);
                scene.label_within(ink(pen.plain(x, top + 28.0, Anchor::Start, &place.segment.text)), room);
            }
            let title = format!("{}: {}", bar.label, place.segment.label);
            // A sliver can be hit from a few pixels away.
            let reach = ((REACH - (place.right - place.left)) / 2.0).max(0.0);
            scene.hit(Rect::between(place.left - reach, place.right + reach, top, BAR), title, &place.segment.text);
        }
        if plan.overhangs() {
            self.overhang(scene, theme, plan, bar, top);
        }
    }

    /// What stands over the whole: the parts stay visible under stripes of the warning colour.
    fn overhang(&self, scene: &mut Scene, theme: &Theme, plan: &BarPlan, bar: &StackBar, top: f64) {
        const STRIPE: f64 = 4.0;
        let mut y = top + STRIPE / 2.0;
        while y < top + BAR {
            scene.rect(Rect::between(plan.whole, plan.end, y, STRIPE), theme.warning);
            y += 2.0 * STRIPE;
        }
        scene.vertical(plan.whole, top - TONGUE, top + BAR + TONGUE, 2.0, theme.foreground);
        if let Some(rest) = bar.segments.iter().find(|segment| segment.value < 0.0) {
            let title = format!("{}: {}", bar.label, rest.label);
            scene.hit(Rect::between(plan.whole, plan.end, top, BAR), title, &rest.text);
        }
    }

    fn legend_entries(&self, scene: &mut Scene, theme: &Theme, plan: &BarPlan, top: f64) {
        let pen = Pen { theme };
        for (line, entries) in plan.legend.iter().enumerate() {
            let y = top + (line as f64 + 0.5) * LEGEND;
            for &(index, x) in entries {
                let Some(place) = plan.places.get(index) else { continue };
                let text = fitted(&entry(place.segment), SMALL, false, scene.area.width - x - SWATCH);
                let label = Label { size: SMALL, ..pen.plain(x + SWATCH, y, Anchor::Start, &text) };
                if scene.label(label) {
                    scene.rect(Rect::new(x, y - 5.0, 10.0, 10.0), self.colour(theme, place.segment));
                }
            }
        }
    }
}

impl Specification for Stack {
    fn is_empty(&self) -> bool {
        !self.bars.iter().any(|bar| bar.extent().is_finite() && bar.extent() > 0.0)
    }

    fn preferred_height(&self, width: f64) -> f64 {
        let plans = self.plans(width);
        plans.iter().map(BarPlan::height).sum::<f64>() + AIR * plans.len().saturating_sub(1) as f64
    }

    fn arrange(&self, theme: &Theme, scene: &mut Scene) {
        let pen = Pen { theme };
        let width = scene.area.width;
        let mut top = 0.0;
        for (bar, plan) in self.bars.iter().zip(self.plans(width)) {
            scene.label(pen.strong(width, top + 10.0, Anchor::End, &bar.total_text));
            let room = width - text_width(&bar.total_text, crate::chart::text::BODY, true) - PADDING;
            scene.label_within(pen.strong(0.0, top + 10.0, Anchor::Start, &bar.label), room);
            self.bar(scene, theme, &plan, bar, top + HEADING);
            let below = top + HEADING + BAR + 4.0 + if plan.overhangs() { TONGUE } else { 0.0 };
            self.legend_entries(scene, theme, &plan, below);
            top += plan.height() + AIR;
        }
    }
}
