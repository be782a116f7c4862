//! Device pixels per CSS pixel, which change with zoom and when the window moves to another screen.

use super::listen::{Listener, keep};
use leptos::prelude::*;

/// Device pixels per CSS pixel: 1 on plain screens, 2 or more on dense ones, fractions when zoomed.
pub fn use_device_pixel_ratio() -> ReadSignal<f64> {
    let (ratio, set_ratio) = signal(window().device_pixel_ratio());
    let watch = keep(None);
    arm(watch, set_ratio);
    ratio
}

/// There is no event for it. A media query for exactly this ratio stops matching once, then the next one is needed.
fn arm(watch: StoredValue<Option<Listener>, LocalStorage>, set_ratio: WriteSignal<f64>) {
    let query = format!("(resolution: {}dppx)", window().device_pixel_ratio());
    let Ok(Some(query)) = window().match_media(&query) else { return };
    let listener = Listener::new(&query, "change", move |_| {
        set_ratio.try_set(window().device_pixel_ratio());
        // Replacing the listener drops the closure that is running, so let it return first.
        queue_microtask(move || arm(watch, set_ratio));
    });
    watch.try_update_value(|watch| *watch = Some(listener));
}
