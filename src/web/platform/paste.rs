//! Paste anywhere on the page.

use super::listen::listen;
use super::transfer::{Transfer, takes_text, text};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::ClipboardEvent;

/// Call `callback` with what is pasted anywhere on the page, except into a field that takes that text itself.
///
/// A one-line field takes no text of several lines, and an element with `data-reads-pastes` leaves all to `callback`.
pub fn on_paste(callback: impl Fn(Transfer) + 'static) {
    listen(&document(), "paste", move |event| {
        let data = event.dyn_ref::<ClipboardEvent>().and_then(ClipboardEvent::clipboard_data);
        let text = data.as_ref().and_then(text);
        if takes_text(event.target(), text.as_ref()) {
            return;
        }
        if let Some(transfer) = data.as_ref().and_then(Transfer::read) {
            event.prevent_default();
            callback(transfer);
        }
    });
}
