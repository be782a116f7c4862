//! Chart specifications as plain data, and drawing them on any plotters backend.
//!
//! ```text
//! Chart (plain data) --layout--> Scene (marks and texts in CSS pixels, hits) --paint--> canvas or SVG
//!    |-- summary(): one sentence for a screen reader
//!    '-- table(): the same data as rows of text
//! ```
//!
//! Layout is a pure function of the chart, the theme and the size, and knows no backend, so that
//! tests can ask it where everything lies. Titles and long legends belong to the page's HTML;
//! a chart draws only what must sit beside its marks.
//!
//! | file | holds |
//! |---|---|
//! | `histogram`, `stack`, `ranges`, `ladder`, `curve`, `roofline` | one kind of chart each: its data, sentence and table |
//! | `axis`, `ticks`, `projection` | ranges that are always drawable, their ticks, pixels from data and back |
//! | `colour`, `theme`, `text` | colours with their contrasts, three palettes, widths of text |
//! | `scene`, `layout/` | where everything goes |
//! | `paint` | a scene onto a plotters backend; the SVG file |
//!
//! A new kind of chart is a file for its data, a file for its layout and a variant of [`Chart`].

mod axis;
mod colour;
mod curve;
mod geometry;
mod histogram;
mod ladder;
mod layout;
mod paint;
mod projection;
mod ranges;
mod roofline;
mod scene;
mod stack;
mod table;
mod text;
mod theme;
mod ticks;

pub use axis::{Axis, AxisRange, Scaling};
pub use colour::Colour;
pub use curve::{Band, Curve, Line, LineStyle, MarkedPoint, PointRole};
pub use geometry::{Point, Rect};
pub use histogram::{Bucket, Histogram, Marker};
pub use ladder::{Ladder, Rung, RungRole};
pub use paint::{DrawError, draw, svg};
pub use projection::Projection;
pub use ranges::{RangeRow, Ranges, Reference};
pub use roofline::{Place, Roof, Roofline, Spot, SpotRole};
pub use scene::{Hit, Layout};
pub use stack::{Segment, SegmentRole, Stack, StackBar, StackScale};
pub use table::Table;
pub use text::text_width;
pub use theme::Theme;
pub use ticks::{Tick, ticks};

use layout::Specification;
use serde::Serialize;

/// Any chart this room can draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Chart {
    /// Counts per bucket of a coarse histogram.
    Histogram(Histogram),
    /// Horizontal bars whose segments add up.
    Stack(Stack),
    /// Named ranges on one axis.
    Ranges(Ranges),
    /// Today's value and what each idealisation would make of it.
    Ladder(Ladder),
    /// Lines y against x with marked points.
    Curve(Curve),
    /// Operations under the roofs of memory and arithmetic.
    Roofline(Roofline),
}

impl Chart {
    fn specification(&self) -> &dyn Specification {
        match self {
            Self::Histogram(chart) => chart,
            Self::Stack(chart) => chart,
            Self::Ranges(chart) => chart,
            Self::Ladder(chart) => chart,
            Self::Curve(chart) => chart,
            Self::Roofline(chart) => chart,
        }
    }

    /// The chart's title, which the page shows as a caption in HTML.
    #[must_use]
    pub fn title(&self) -> &str {
        self.specification().title()
    }

    /// What the chart shows, as one sentence from its data, for a screen reader.
    #[must_use]
    pub fn summary(&self) -> String {
        if self.is_empty() { format!("{}: no data.", self.title()) } else { self.specification().sentence() }
    }

    /// The same data as text in rows, shown beside the drawing and copied from it.
    #[must_use]
    pub fn table(&self) -> Table {
        self.specification().rows()
    }

    /// Whether nothing in it can be drawn; such a chart draws as the words "no data".
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.specification().is_empty()
    }

    /// The height in CSS pixels at which the chart looks best when so many CSS pixels wide.
    #[must_use]
    pub fn preferred_height(&self, width: f64) -> f64 {
        if self.is_empty() { layout::EMPTY_HEIGHT } else { self.specification().preferred_height(width) }
    }

    /// Where everything lies when drawn `width` by `height` CSS pixels, without drawing it.
    #[must_use]
    pub fn layout(&self, theme: &Theme, width: f64, height: f64) -> Layout {
        layout::arrange(self, theme, width, height).into_layout()
    }
}
