//! The browser's local storage, which may be full, forbidden or absent: nothing here is needed for the page to work.

use leptos::prelude::window;
use std::fmt;
use web_sys::Storage;

/// Why something could not be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// Storage is switched off for this page, as private modes do.
    Unavailable,
    /// Storage is full.
    Full,
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "the browser stores nothing for this page",
            Self::Full => "the browser's storage for this page is full",
        })
    }
}

/// The value stored under `key`; `None` when there is none or storage is off.
pub fn read(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Store `value` under `key`.
pub fn write(key: &str, value: &str) -> Result<(), StorageError> {
    storage().ok_or(StorageError::Unavailable)?.set_item(key, value).map_err(|_| StorageError::Full)
}

/// Forget what is stored under `key`.
pub fn remove(key: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(key); // Off again since the line above: then nothing is stored either.
    }
}

/// Asking for it may itself throw.
fn storage() -> Option<Storage> {
    window().local_storage().ok()?
}
