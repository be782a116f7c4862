//! Moving the keyboard's focus.

use leptos::prelude::document;
use leptos::wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

/// Focuses the element with this id, if there is one.
pub fn on(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        // A refusal leaves the focus where it is.
        let _ = element.focus();
    }
}
