//! The part of the address after `#`, which carries the scenario and is never sent to a server.

use super::listen::listen;
use leptos::prelude::{location, window};
use std::fmt;
use wasm_bindgen::JsValue;

/// Why the address could not be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlError {
    /// The browser refused. Safari does beyond 100 changes in 10 seconds: change less often, and try again later.
    Refused,
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the browser refused to change the address")
    }
}

/// What follows `#` in the address, as it stands there; empty when nothing does.
pub fn hash() -> String {
    let hash = location().hash().unwrap_or_default();
    hash.strip_prefix('#').map(str::to_owned).unwrap_or(hash)
}

/// The whole address, for "copy link".
pub fn href() -> String {
    location().href().unwrap_or_default()
}

/// Put `hash` after `#` without a new entry in the history. Does not call what [`on_hash_change`] registered.
pub fn replace_hash(hash: &str) -> Result<(), UrlError> {
    let history = window().history().map_err(|_| UrlError::Refused)?;
    history.replace_state_with_url(&JsValue::NULL, "", Some(&address(hash))).map_err(|_| UrlError::Refused)
}

/// Put `hash` after `#` with a new entry in the history, so that Back undoes it: for discrete acts, not for drags.
pub fn push_hash(hash: &str) -> Result<(), UrlError> {
    let history = window().history().map_err(|_| UrlError::Refused)?;
    history.push_state_with_url(&JsValue::NULL, "", Some(&address(hash))).map_err(|_| UrlError::Refused)
}

/// Call `callback` with the new hash when the person edits the address, follows a link or goes back or forward.
pub fn on_hash_change(callback: impl Fn(String) + 'static) {
    listen(&window(), "hashchange", move |_| callback(hash()));
}

/// Path, query and hash. A bare `#…` would be resolved against `<base>`, and an empty one would leave the old hash.
fn address(hash: &str) -> String {
    let path = location().pathname().unwrap_or_default();
    let query = location().search().unwrap_or_default();
    if hash.is_empty() { format!("{path}{query}") } else { format!("{path}{query}#{hash}") }
}
