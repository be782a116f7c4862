//! A scene onto a plotters backend, and the SVG file.

use super::colour::Colour;
use super::geometry::Point;
use super::scene::{Anchor, Label, Layout, Mark, Scene};
use super::theme::Theme;
use super::{Chart, layout};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{DrawingBackend, RGBColor, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, ShapeStyle, TextStyle};
use std::fmt;

/// Why a chart could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawError {
    /// The area has no pixels, or more than a picture can have. Draw when its size is known.
    Size,
    /// The backend failed, with its own words.
    Backend(String),
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str("the drawing area has no usable size"),
            Self::Backend(reason) => write!(f, "the drawing backend failed: {reason}"),
        }
    }
}

impl std::error::Error for DrawError {}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for DrawError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Backend(error.to_string())
    }
}

/// The most backend pixels to a side; browsers' canvases end at about twice this.
const LARGEST_SIDE: u32 = 16_384;
/// Rectangles thinner than this many CSS pixels are lines.
const HAIRLINE: f64 = 3.0;
/// The SVG backend divides font sizes by this, other backends do not.
const SVG_FONT_FACTOR: f64 = 1.24;
/// Plotters' coordinates are whole numbers: the SVG is drawn so many times larger and scaled back.
const SVG_RATIO: u32 = 4;

/// Draws a chart over the whole area, background included, and tells where things lie.
///
/// The area is in backend pixels: as many per CSS pixel as `theme.pixel_ratio` says. The layout is in CSS
/// pixels.
///
/// # Errors
/// When the area has no usable size or the backend fails; never for anything in the chart's data.
pub fn draw<DB: DrawingBackend>(
    chart: &Chart,
    theme: &Theme,
    area: &DrawingArea<DB, Shift>,
) -> Result<Layout, DrawError> {
    paint(chart, theme, area, 1.0)
}

/// The chart as an SVG file of the given size in CSS pixels, with its title and summary inside.
///
/// # Errors
/// When the size is zero or beyond what can be drawn.
///
/// ```
/// use decodescope::chart::{Chart, Histogram, Theme, svg};
/// let chart = Chart::Histogram(Histogram { title: "Latency".into(), ..Histogram::default() });
/// let file = svg(&chart, &Theme::light(), 640, 200)?;
/// assert!(file.contains("<title>Latency</title><desc>Latency: no data.</desc>"));
/// # Ok::<(), decodescope::chart::DrawError>(())
/// ```
pub fn svg(chart: &Chart, theme: &Theme, width: u32, height: u32) -> Result<String, DrawError> {
    let sides = [width, height].map(|side| side.checked_mul(SVG_RATIO).filter(|&side| side <= LARGEST_SIDE));
    let [Some(wide), Some(high)] = sides else { return Err(DrawError::Size) };
    let mut file = String::new();
    {
        let area = SVGBackend::with_string(&mut file, (wide, high)).into_drawing_area();
        let theme = theme.clone().at_pixel_ratio(f64::from(SVG_RATIO));
        paint(chart, &theme, &area, SVG_FONT_FACTOR)?;
        area.present()?;
    }
    let body = file.split_once('>').map_or("", |(_, body)| body);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {wide} {high}\"><title>{}</title><desc>{}</desc>{body}",
        escaped(chart.title()),
        escaped(&chart.summary())
    ))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn paint<DB: DrawingBackend>(
    chart: &Chart,
    theme: &Theme,
    area: &DrawingArea<DB, Shift>,
    font_factor: f64,
) -> Result<Layout, DrawError> {
    let theme = theme.clone().at_pixel_ratio(theme.pixel_ratio);
    let (wide, high) = area.dim_in_pixel();
    if wide == 0 || high == 0 || wide > LARGEST_SIDE || high > LARGEST_SIDE {
        return Err(DrawError::Size);
    }
    let scale = theme.pixel_ratio;
    let scene = layout::arrange(chart, &theme, f64::from(wide) / scale, f64::from(high) / scale);
    area.fill(&plotters_colour(theme.background))?;
    for mark in &scene.marks {
        paint_mark(mark, &theme, area, font_factor)?;
    }
    Ok(Scene::into_layout(scene))
}

fn paint_mark<DB: DrawingBackend>(
    mark: &Mark,
    theme: &Theme,
    area: &DrawingArea<DB, Shift>,
    font_factor: f64,
) -> Result<(), DrawError> {
    let scale = theme.pixel_ratio;
    let px = |length: f64| (length * scale).round() as i32;
    let place = |point: &Point| (px(point.x), px(point.y));
    match mark {
        Mark::Rect { rect, colour } => {
            // Neighbouring bars share the rounded edge; hairlines keep one width wherever they fall, and never vanish.
            let far = |near: f64, length: f64| {
                if length < HAIRLINE { px(near) + px(length).max(1) } else { px(near + length) }
            };
            let corner = (far(rect.x, rect.width), far(rect.y, rect.height));
            area.draw(&Rectangle::new([(px(rect.x), px(rect.y)), corner], plotters_colour(*colour).filled()))?;
        }
        Mark::Polyline { points, width, colour } => {
            let style = ShapeStyle {
                color: plotters_colour(*colour).to_rgba(),
                filled: false,
                stroke_width: px(*width).max(1) as u32,
            };
            area.draw(&PathElement::new(points.iter().map(place).collect::<Vec<_>>(), style))?;
        }
        Mark::Polygon { points, colour } => {
            let points: Vec<_> = points.iter().map(place).collect();
            area.draw(&Polygon::new(points, plotters_colour(*colour).filled()))?;
        }
        Mark::Disc { centre, radius, colour } => {
            area.draw(&Circle::new(place(centre), px(*radius), plotters_colour(*colour).filled()))?;
        }
        Mark::Label(label) => {
            let style = text_style(label, theme, font_factor);
            area.draw(&Text::new(label.content.as_str(), place(&label.at), style))?;
        }
    }
    Ok(())
}

fn text_style<'a>(label: &Label, theme: &'a Theme, font_factor: f64) -> TextStyle<'a> {
    let weight = if label.bold { FontStyle::Bold } else { FontStyle::Normal };
    let size = label.size * theme.pixel_ratio * font_factor;
    let across = match label.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let mut style = TextStyle::from(FontDesc::new(FontFamily::Name(&theme.font), size, weight));
    style.color = plotters_colour(label.colour).to_backend_color();
    style.pos(Pos::new(across, VPos::Center))
}

fn plotters_colour(colour: Colour) -> RGBColor {
    RGBColor(colour.red, colour.green, colour.blue)
}
