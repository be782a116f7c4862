//! What a paste or a drop brings.

use super::file;
use wasm_bindgen::JsCast;
use web_sys::{DataTransfer, EventTarget, File, HtmlElement, HtmlInputElement};

/// What a paste or a drop brought: files, or else text.
#[derive(Clone, Debug)]
pub enum Transfer {
    /// One file or more, still to be read with [`file::read_bytes`].
    Files(Vec<File>),
    /// Text, not blank.
    Text(String),
}

impl Transfer {
    /// What `data` holds; `None` when that is neither a file nor text.
    pub(super) fn read(data: &DataTransfer) -> Option<Self> {
        // Files first: a file copied in a file manager brings its name along as text.
        let files = data.files().map(|list| file::all(&list)).unwrap_or_default();
        if !files.is_empty() {
            return Some(Self::Files(files));
        }
        let text = data.get_data("text/plain").ok()?;
        (!text.trim().is_empty()).then_some(Self::Text(text))
    }
}

/// Does `target` take `text` itself? Then pasting and dropping it there is its own business.
pub(super) fn takes_text(target: Option<EventTarget>, text: &str) -> bool {
    let Some(element) = target.and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return false };
    if element.dataset().get("readsPastes").is_some() {
        return false;
    }
    if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
        if text.trim_end().contains('\n') {
            return false;
        }
        // A slider or a checkbox that has the focus takes no text.
        const WITHOUT_TEXT: [&str; 8] = ["range", "checkbox", "radio", "button", "submit", "reset", "file", "color"];
        return !WITHOUT_TEXT.contains(&input.type_().as_str());
    }
    element.tag_name() == "TEXTAREA" || element.is_content_editable()
}
