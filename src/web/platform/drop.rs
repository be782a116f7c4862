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
    // Moving between two elements enters the one before leaving the other: only the count of both tells whether the
    // drag left the page, and only the element entered last whether a drop there would be ours.
    let state = Rc::new(Cell::new((0_u32, false)));
    let page = document();
    let set_state = move |state: &Cell<(u32, bool)>, depth: u32, ours: bool| {
        state.set((depth, ours));
        let now = depth > 0 && ours;
        if over.try_get_untracked() != Some(now) {
            set_over.try_set(now);
        }
    };

    listen(&page, "dragenter", {
        let state = state.clone();
        move |event| {
            let ours = is_ours(&event);
            if ours {
                event.prevent_default();
            }
            set_state(&state, state.get().0 + 1, ours);
        }
    });
    // Without this the browser shows the dropped file instead of this page.
    listen(&page, "dragover", |event| {
        if is_ours(&event) {
            event.prevent_default();
        }
    });
    listen(&page, "dragleave", {
        let state = state.clone();
        move |_| {
            let (depth, ours) = state.get();
            set_state(&state, depth.saturating_sub(1), ours);
        }
    });
    listen(&page, "drop", move |event| {
        set_state(&state, 0, false);
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
    kinds.includes(&"Files".into(), 0) || (kinds.includes(&"text/plain".into(), 0) && !takes_text(event.target(), None))
}
