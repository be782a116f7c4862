//! Reading files that a person chose or dropped.

use js_sys::Uint8Array;
use std::fmt;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList, HtmlInputElement};

/// Larger files are not read: 64 MiB, hundreds of times a large `/metrics` dump.
pub const LIMIT_BYTES: f64 = 64.0 * 1024.0 * 1024.0;

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq)]
pub enum FileError {
    /// Larger than [`LIMIT_BYTES`]. Cut it down to the lines of interest.
    TooLarge {
        /// The file's name.
        name: String,
        /// Its size in bytes.
        bytes: f64,
    },
    /// The browser could not read it: moved, changed since it was chosen, a folder, or not permitted.
    Unreadable {
        /// The file's name.
        name: String,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { name, bytes } => write!(
                f,
                "{name} has {:.0} MiB, more than the {:.0} MiB that are read",
                bytes / 1024.0 / 1024.0,
                LIMIT_BYTES / 1024.0 / 1024.0
            ),
            Self::Unreadable { name } => write!(f, "the browser could not read {name}"),
        }
    }
}

/// The file's content, which may be text in any encoding or compressed.
pub async fn read_bytes(file: &File) -> Result<Vec<u8>, FileError> {
    let (name, bytes) = (file.name(), file.size());
    if bytes > LIMIT_BYTES {
        return Err(FileError::TooLarge { name, bytes });
    }
    let buffer = JsFuture::from(file.array_buffer()).await.map_err(|_| FileError::Unreadable { name })?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// The files chosen in an `<input type=file>`, which is emptied so that choosing the same file again is a change again.
pub fn take_chosen(input: &HtmlInputElement) -> Vec<File> {
    let files = input.files().map(|list| all(&list)).unwrap_or_default();
    input.set_value("");
    files
}

/// A browser's list of files as a vector.
pub(super) fn all(list: &FileList) -> Vec<File> {
    (0..list.length()).filter_map(|index| list.get(index)).collect()
}
