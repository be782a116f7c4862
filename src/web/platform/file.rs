//! Reading files that a person chose or dropped.

use js_sys::{Array, Uint8Array};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList, HtmlInputElement};

/// Larger files are not read: 512 MiB, thousands of times a large `/metrics` dump. With what is read from it, the text
/// must fit into the 4 GiB that a page can address.
pub const LIMIT_BYTES: f64 = 512.0 * 1024.0 * 1024.0;

/// Files are read in slices of this many bytes, between which the page can paint and be told to stop.
const SLICE_BYTES: f64 = 4.0 * 1024.0 * 1024.0;

/// The wish that something under way stops; all clones are the same wish.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Wishes it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is wished.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

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
    /// It was [cancelled](Cancel).
    Cancelled,
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
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// A file's content, a few MB at a time; it may be text in any encoding or compressed.
pub struct Slices<'f> {
    file: &'f File,
    at: f64,
}

impl<'f> Slices<'f> {
    /// Begins with the first.
    pub fn of(file: &'f File) -> Self {
        Self { file, at: 0.0 }
    }

    /// The next bytes; `None` after the last ones.
    pub async fn next(&mut self, cancel: &Cancel) -> Result<Option<Vec<u8>>, FileError> {
        let (name, size) = (self.file.name(), self.file.size());
        if size > LIMIT_BYTES {
            return Err(FileError::TooLarge { name, bytes: size });
        }
        if self.at >= size {
            return Ok(None);
        }
        let slice = self.file.slice_with_f64_and_f64(self.at, (self.at + SLICE_BYTES).min(size));
        let buffer = match slice {
            Ok(slice) => JsFuture::from(slice.array_buffer()).await,
            Err(error) => Err(error),
        };
        if cancel.is_cancelled() {
            return Err(FileError::Cancelled);
        }
        let bytes = buffer.map(|buffer| Uint8Array::new(&buffer).to_vec()).unwrap_or_default();
        if bytes.is_empty() {
            // A file that has shrunk since it was chosen would never end.
            return Err(FileError::Unreadable { name });
        }
        self.at += bytes.len() as f64;
        Ok(Some(bytes))
    }

    /// Which share of the file is there, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.at > 0.0 { self.at / self.file.size() } else { 0.0 }
    }
}

/// Text as a file of that name, which the browser holds outside of the page's memory.
#[must_use]
pub fn of_text(name: &str, text: &JsValue) -> Option<File> {
    File::new_with_str_sequence(&Array::of1(text), name).ok()
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
