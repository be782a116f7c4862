//! Offering a file that the page made.

use js_sys::{Array, Uint8Array};
use leptos::prelude::{document, set_timeout};
use std::fmt;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// The browser did not let the page offer a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadError;

impl fmt::Display for DownloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the browser did not let the page save a file")
    }
}

/// Save `text` as a file called `name` of type `mime`, for example `text/csv`.
pub fn save_text(name: &str, mime: &str, text: &str) -> Result<(), DownloadError> {
    save_part(name, mime, &JsValue::from_str(text))
}

/// Save `bytes` as a file called `name` of type `mime`, for example `image/png`.
pub fn save_bytes(name: &str, mime: &str, bytes: &[u8]) -> Result<(), DownloadError> {
    save_part(name, mime, &Uint8Array::from(bytes))
}

/// Save `blob`, for instance a canvas's picture, as a file called `name`.
pub fn save_blob(name: &str, blob: &Blob) -> Result<(), DownloadError> {
    try_save(name, blob).map_err(|_| DownloadError)
}

fn save_part(name: &str, mime: &str, part: &JsValue) -> Result<(), DownloadError> {
    let kind = BlobPropertyBag::new();
    kind.set_type(mime);
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(part), &kind).map_err(|_| DownloadError)?;
    save_blob(name, &blob)
}

fn try_save(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let anchor: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    // The browser reads the address after this returns; once it has, the memory can go.
    set_timeout(move || drop(Url::revoke_object_url(&url)), Duration::from_secs(30));
    Ok(())
}
