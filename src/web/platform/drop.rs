//! Drop a file or text anywhere on the page.

use super::listen::listen;
use super::transfer::{Transfer, takes_text};
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Event};

/// Call `callback` with what is dropped anywhere on the page. The signal says whether something that could be dropped
/// is being dragged over it, for showing where it would go.
///
/// Text dragged into a field that takes text goes into the field, as ever.
pub fn on_drop(callback: impl Fn(Transfer) + 'static) -> ReadSignal<bool> {
    let (over, set_over) = signal(false);
    // Moving between two elements enters the one before leaving the other: only the count tells whether it left the page.
    let depth = Rc::new(Cell::new(0_u32));
    let page = document();
    let set_depth = move |depth: &Cell<u32>, value: u32| {
        depth.set(value);
        if over.try_get_untracked() != Some(value > 0) {
            set_over.try_set(value > 0);
        }
    };

    listen(&page, "dragenter", {
        let depth = depth.clone();
        move |event| {
            if is_ours(&event) {
                event.prevent_default();
                set_depth(&depth, depth.get() + 1);
            }
        }
    });
    // Without this the browser shows the dropped file instead of this page.
    listen(&page, "dragover", |event| {
        if is_ours(&event) {
            event.prevent_default();
        }
    });
    listen(&page, "dragleave", {
        let depth = depth.clone();
        move |_| set_depth(&depth, depth.get().saturating_sub(1))
    });
    listen(&page, "drop", move |event| {
        set_depth(&depth, 0);
        if !is_ours(&event) {
            return;
        }
        event.prevent_default();
        if let Some(transfer) = data(&event).as_ref().and_then(Transfer::read) {
            callback(transfer);
        }
    });
    over
}

fn data(event: &Event) -> Option<web_sys::DataTransfer> {
    event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer)
}

/// Files always; text unless it is on its way into a field. While dragging only the kinds are known, not the content.
fn is_ours(event: &Event) -> bool {
    let Some(data) = data(event) else { return false };
    let kinds = data.types();
    kinds.includes(&"Files".into(), 0) || (kinds.includes(&"text/plain".into(), 0) && !takes_text(event.target()))
}
