//! Reading files that a person chose or dropped.

use super::timer::breathe;
use js_sys::{JsString, Uint8Array};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// What there is to read: a file, or text that the browser still holds, of which there may be as much.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file, in any encoding or compressed.
    File(File),
    /// Text that was pasted or dropped.
    Text(JsString),
}

impl Source {
    /// What to call it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(file) => file.name(),
            Self::Text(_) => "pasted text".to_owned(),
        }
    }

    /// How many bytes it has; of text, how many letters.
    #[must_use]
    pub fn size(&self) -> f64 {
        match self {
            Self::File(file) => file.size(),
            Self::Text(text) => f64::from(text.length()),
        }
    }
}

/// A source's bytes, a few MB at a time.
pub struct Slices<'s> {
    source: &'s Source,
    at: f64,
    limit: f64,
}

impl<'s> Slices<'s> {
    /// Begins with the first.
    #[must_use]
    pub fn of(source: &'s Source) -> Self {
        Self { source, at: 0.0, limit: LIMIT_BYTES }
    }

    /// The same for a source of any size, of which only the beginning is wanted.
    #[must_use]
    pub fn of_any_size(source: &'s Source) -> Self {
        Self { limit: f64::INFINITY, ..Self::of(source) }
    }

    /// The next bytes; `None` after the last ones. In between the page paints and can be told to stop.
    pub async fn next(&mut self, cancel: &Cancel) -> Result<Option<Vec<u8>>, FileError> {
        let (name, size) = (self.source.name(), self.source.size());
        if size > self.limit {
            return Err(FileError::TooLarge { name, bytes: size });
        }
        if self.at >= size {
            return Ok(None);
        }
        let end = (self.at + SLICE_BYTES).min(size);
        let (bytes, end) = match self.source {
            Source::File(file) => (file_slice(file, self.at, end).await.unwrap_or_default(), end),
            Source::Text(text) => {
                breathe().await;
                text_slice(text, self.at, end)
            }
        };
        if cancel.is_cancelled() {
            return Err(FileError::Cancelled);
        }
        if bytes.is_empty() {
            // A file that has shrunk since it was chosen would never end.
            return Err(FileError::Unreadable { name });
        }
        self.at = end;
        Ok(Some(bytes))
    }

    /// Which share of it is there, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.at > 0.0 { self.at / self.source.size() } else { 0.0 }
    }
}

/// Whether a source is a file that begins with these bytes.
pub async fn begins_with(source: &Source, magic: &[u8]) -> bool {
    match source {
        Source::File(file) => file_slice(file, 0.0, magic.len() as f64).await.is_some_and(|bytes| bytes == magic),
        Source::Text(_) => false,
    }
}

async fn file_slice(file: &File, start: f64, end: f64) -> Option<Vec<u8>> {
    let slice = file.slice_with_f64_and_f64(start, end).ok()?;
    let buffer = JsFuture::from(slice.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// The letters from one place to another, or to the one before where a pair of surrogates would be cut.
fn text_slice(text: &JsString, start: f64, end: f64) -> (Vec<u8>, f64) {
    let last = text.char_code_at((end - 1.0) as u32);
    let pair = end < f64::from(text.length()) && (55_296.0..56_320.0).contains(&last);
    let end = if pair { end - 1.0 } else { end };
    (String::from(text.slice(start as u32, end as u32)).into_bytes(), end)
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
