//! What a paste or a drop brings.

use super::file::{self, Source};
use js_sys::{Function, JsString, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, EventTarget, File, HtmlElement, HtmlInputElement};

/// What a paste or a drop brought: one file or more, or else text that is not blank; still to be read with
/// [`file::Slices`].
#[derive(Clone, Debug)]
pub struct Transfer(pub Vec<Source>);

impl Transfer {
    /// Text that was typed.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(vec![Source::Text(text.into())])
    }

    /// Files that were chosen.
    #[must_use]
    pub fn files(files: Vec<File>) -> Self {
        Self(files.into_iter().map(Source::File).collect())
    }

    /// What `data` holds; `None` when that is neither a file nor text.
    pub(super) fn read(data: &DataTransfer) -> Option<Self> {
        // Files first: a file copied in a file manager brings its name along as text.
        let files = data.files().map(|list| file::all(&list)).unwrap_or_default();
        if !files.is_empty() {
            return Some(Self::files(files));
        }
        let text = text(data)?;
        (text.trim().length() > 0).then(|| Self(vec![Source::Text(text)]))
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
