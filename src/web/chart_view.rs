//! One chart on a canvas: drawn when its data, size, pixels or theme change; a tooltip by pointer and
//! keyboard; the same data as a table.

use super::platform::{
    dpr::use_device_pixel_ratio, frame::Frame, resize::use_size, theme::Theme as PageTheme, theme::ThemeControl,
};
use crate::chart::{self, Chart, Hit, Layout, Point, Theme};
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use web_sys::{HtmlCanvasElement, HtmlDetailsElement};

/// Fewer device pixels than this for each CSS pixel look coarse even on plain screens.
const LEAST_PIXEL_RATIO: f64 = 2.0;

/// So many rows of a table are there before it is opened.
const MOST_UNSEEN_ROWS: usize = 50;

/// A chart, its tooltip, and its table.
#[component]
pub fn ChartView(
    /// What to draw.
    #[prop(into)]
    chart: Signal<Chart>,
    /// A name for tests and for the table's element ids.
    key: &'static str,
) -> impl IntoView {
    let wrapper = NodeRef::<Div>::new();
    let canvas = NodeRef::<Canvas>::new();
    let size = use_size(wrapper);
    let ratio = use_device_pixel_ratio();
    let theme: ThemeControl = expect_context();
    let layout = RwSignal::new(Layout::default());
    let frame = Frame::new();
    let height =
        move || size.get().map(|size| chart.with(|chart| chart.preferred_height(f64::from(size.width))).ceil());

    Effect::new(move |_| {
        let (Some(canvas), Some(size), Some(height)) = (canvas.get(), size.get(), height()) else { return };
        let ratio = ratio.get().max(LEAST_PIXEL_RATIO);
        let theme = drawing_theme(theme.theme()).at_pixel_ratio(ratio);
        let chart = chart.get();
        frame.request(move || {
            if let Some(drawn) = paint(&canvas, &chart, &theme, f64::from(size.width), height) {
                let _ = layout.try_set(drawn);
            }
        });
    });

    // Which of the hits the pointer or the keyboard is at.
    let at = RwSignal::new(None::<usize>);
    let hit = move || at.get().and_then(|index| layout.with(|layout| layout.hits.get(index).cloned()));
    let hover = move |event: PointerEvent| {
        let place = Point { x: f64::from(event.offset_x()), y: f64::from(event.offset_y()) };
        at.set(layout.with_untracked(|layout| {
            let hit = layout.hit(place)?;
            layout.hits.iter().position(|other| other == hit)
        }));
    };
    let step = move |event: KeyboardEvent| {
        let hits = layout.with_untracked(|layout| layout.hits.len());
        if hits == 0 {
            return;
        }
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => at.get_untracked().map_or(0, |index| (index + 1) % hits),
            "ArrowLeft" | "ArrowUp" => at.get_untracked().map_or(hits - 1, |index| (index + hits - 1) % hits),
            "Escape" => return at.set(None),
            _ => return,
        };
        event.prevent_default();
        at.set(Some(next));
    };
    let summary = move || chart.with(Chart::summary);
    let description = format!("summary-{key}");
    view! {
        <div class="chart" class:dark=move || theme.theme() == PageTheme::Dark node_ref=wrapper data-chart=key>
            <canvas
                node_ref=canvas
                tabindex="0"
                role="img"
                aria-label=move || chart.with(|chart| chart.title().to_owned())
                aria-describedby=description.clone()
                style:height=move || height().map(|height| format!("{height}px")).unwrap_or_default()
                on:pointermove=hover
                on:pointerdown=hover
                on:pointerleave=move |_| at.set(None)
                on:keydown=step
                on:blur=move |_| at.set(None)
            ></canvas>
            {move || hit().map(|hit| tooltip(&hit, size.get().map_or(0.0, |size| f64::from(size.width))))}
            <p class="visually-hidden" id=description>{summary}</p>
        </div>
        <DataTable chart=chart/>
    }
}

/// The chart's data, row by row. Long ones only once a person opens it: a browser takes longer for a thousand rows
/// than for the chart.
#[component]
fn DataTable(chart: Signal<Chart>) -> impl IntoView {
    let opened = RwSignal::new(false);
    let table = move || chart.with(Chart::table);
    let shown = move || if opened.get() { usize::MAX } else { MOST_UNSEEN_ROWS };
    view! {
        <details class="data" on:toggle=move |event| opened.set(event_target::<HtmlDetailsElement>(&event).open())>
            <summary>"As a table"</summary>
            <div class="scroll">
                <table>
                    <thead><tr>{move || table().header.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}</tr></thead>
                    <tbody>
                        {move || table().rows.into_iter().take(shown()).map(|row| view! {
                            <tr>{row.into_iter().map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr>
                        }).collect_view()}
                    </tbody>
                </table>
            </div>
        </details>
    }
}

fn drawing_theme(theme: PageTheme) -> Theme {
    match theme {
        PageTheme::Light => Theme::light(),
        PageTheme::Dark => Theme::dark(),
    }
}

/// Draws, and says where things are; `None` when the canvas cannot be drawn on.
fn paint(canvas: &HtmlCanvasElement, chart: &Chart, theme: &Theme, width: f64, height: f64) -> Option<Layout> {
    let device = |css: f64| (css * theme.pixel_ratio).floor().max(1.0) as u32;
    // Setting a canvas's size clears it, so only a change is set.
    if canvas.width() != device(width) {
        canvas.set_width(device(width));
    }
    if canvas.height() != device(height) {
        canvas.set_height(device(height));
    }
    let area = CanvasBackend::with_canvas_object(canvas.clone())?.into_drawing_area();
    chart::draw(chart, theme, &area).ok()
}

fn tooltip(hit: &Hit, width: f64) -> impl IntoView + use<> {
    // On the right half it opens to the left, so that it never leaves the chart.
    let middle = hit.rect.x + hit.rect.width / 2.0;
    let to_the_left = middle > width / 2.0;
    let edge = if to_the_left { width - middle } else { middle };
    let place = format!("{:.0}px", edge.max(0.0));
    let top = format!("{:.0}px", hit.rect.y + hit.rect.height + 4.0);
    view! {
        <div
            class="tooltip"
            role="status"
            style:left=if to_the_left { "auto".to_owned() } else { place.clone() }
            style:right=if to_the_left { place } else { "auto".to_owned() }
            style:top=top
        >
            <strong>{hit.title.clone()}</strong>
            <span>{hit.text.clone()}</span>
        </div>
    }
}
