//! Writing to the clipboard.

use js_sys::Reflect;
use leptos::prelude::window;
use std::fmt;
use wasm_bindgen_futures::JsFuture;

/// Why nothing was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipboardError {
    /// Browsers offer the clipboard only to pages from https or localhost. Offer the text for selecting instead.
    Unavailable,
    /// The browser or the person said no. Offer the text for selecting instead.
    Refused,
}

impl fmt::Display for ClipboardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "the clipboard is only available over https or on localhost",
            Self::Refused => "the browser refused access to the clipboard",
        })
    }
}

/// Copy `text`. Call it from a click or key press: browsers refuse otherwise.
pub async fn write_text(text: &str) -> Result<(), ClipboardError> {
    let navigator = window().navigator();
    // The binding promises a clipboard, insecure pages have none.
    match Reflect::get(&navigator, &"clipboard".into()) {
        Ok(clipboard) if clipboard.is_object() => {}
        _ => return Err(ClipboardError::Unavailable),
    }
    let written = navigator.clipboard().write_text(text);
    JsFuture::from(written).await.map(drop).map_err(|_| ClipboardError::Refused)
}
