//! What a paste or a drop brings.

use super::file;
use js_sys::{Function, JsString, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, EventTarget, File, HtmlElement, HtmlInputElement};

/// What a paste or a drop brought: files, or else text, all of it still to be read with [`file::Slices`].
#[derive(Clone, Debug)]
pub enum Transfer {
    /// One file or more.
    Files(Vec<File>),
    /// Text, not blank, as a file: there may be so much of it that it must not be copied at once.
    Text(File),
}

impl Transfer {
    /// What `data` holds; `None` when that is neither a file nor text.
    pub(super) fn read(data: &DataTransfer) -> Option<Self> {
        // Files first: a file copied in a file manager brings its name along as text.
        let files = data.files().map(|list| file::all(&list)).unwrap_or_default();
        if !files.is_empty() {
            return Some(Self::Files(files));
        }
        let text = text(data)?;
        (text.trim().length() > 0).then(|| file::of_text("pasted text", &text)).flatten().map(Self::Text)
    }
}

/// The text in it, where the browser has it.
pub(super) fn text(data: &DataTransfer) -> Option<JsString> {
    let get: Function = Reflect::get(data, &"getData".into()).ok()?.dyn_into().ok()?;
    get.call1(data, &JsValue::from_str("text/plain")).ok()?.dyn_into().ok()
}

/// Does `target` take `text` itself? Then pasting and dropping it there is its own business.
pub(super) fn takes_text(target: Option<EventTarget>, text: Option<&JsString>) -> bool {
    let Some(element) = target.and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return false };
    if element.dataset().get("readsPastes").is_some() {
        return false;
    }
    if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
        if text.is_some_and(|text| text.trim_end().includes("\n", 0)) {
            return false;
        }
        // A slider or a checkbox that has the focus takes no text.
        const WITHOUT_TEXT: [&str; 8] = ["range", "checkbox", "radio", "button", "submit", "reset", "file", "color"];
        return !WITHOUT_TEXT.contains(&input.type_().as_str());
    }
    element.tag_name() == "TEXTAREA" || element.is_content_editable()
}
