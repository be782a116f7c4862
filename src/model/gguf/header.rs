//! The head of a GGUF file: magic, metadata, the list of tensors. Numbers are little-endian.

use super::{Gguf, Tensor, TensorType};
use std::fmt;

/// Why the head of a GGUF file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GgufError {
    /// The file does not begin with `GGUF`.
    NotGguf,
    /// A version of the format this reader does not know.
    Version(u32),
    /// The bytes end before the head does: read at least so many from the start of the file, and
    /// try again. Heads with large vocabularies are some ten megabytes.
    NeedMore(usize),
    /// A value or a tensor of a type this reader does not know.
    UnknownType {
        /// The type's number.
        number: u32,
        /// What has it.
        of: String,
    },
}

impl fmt::Display for GgufError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGguf => f.write_str("the file does not begin with GGUF"),
            Self::Version(version) => write!(f, "GGUF version {version}, expected 2 or 3"),
            Self::NeedMore(bytes) => write!(f, "the file ends within its head, at least {bytes} bytes were expected"),
            Self::UnknownType { number, of } => write!(f, "unknown type {number} of {of}"),
        }
    }
}

impl std::error::Error for GgufError {}

/// Reads the head of a GGUF file from the file's first bytes.
///
/// # Errors
/// [`GgufError::NeedMore`] when they are too few; else when they are no GGUF this reader knows.
pub fn read_gguf(bytes: &[u8]) -> Result<Gguf, GgufError> {
    let mut cursor = Cursor { bytes, at: 0 };
    if !b"GGUF".starts_with(bytes.get(..4).unwrap_or(bytes)) {
        return Err(GgufError::NotGguf);
    }
    cursor.take(4)?;
    let version = cursor.u32()?;
    if !(2..=3).contains(&version) {
        return Err(GgufError::Version(version));
    }
    let (tensors, entries) = (cursor.u64()?, cursor.u64()?);
    let mut gguf = Gguf { files: 1, ..Gguf::default() };
    for _ in 0..entries {
        let key = cursor.text()?;
        let kind = cursor.u32()?;
        match (key.as_str(), kind) {
            ("general.name", TEXT) => gguf.name = Some(cursor.text()?),
            ("general.architecture", TEXT) => gguf.architecture = Some(cursor.text()?),
            // A 16-bit number in the files llama.cpp splits.
            ("split.count", 2 | 3) => gguf.files = u32::from(u16::from_le_bytes(cursor.array()?)).max(1),
            _ => cursor.skip(kind, &key, 0)?,
        }
    }
    for _ in 0..tensors {
        gguf.tensors.push(cursor.tensor()?);
    }
    Ok(gguf)
}

const TEXT: u32 = 8;
const LIST: u32 = 9;
/// Lists of lists nest this deep at most.
const DEEPEST: u32 = 4;

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], GgufError> {
        let end = self.at.saturating_add(count);
        let taken = self.bytes.get(self.at..end).ok_or(GgufError::NeedMore(end))?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| GgufError::NeedMore(self.at))
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Result<String, GgufError> {
        let length = usize::try_from(self.u64()?).unwrap_or(usize::MAX);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Passes over a value.
    fn skip(&mut self, kind: u32, of: &str, depth: u32) -> Result<(), GgufError> {
        if let Some(size) = size(kind) {
            return self.take(size).map(drop);
        }
        match kind {
            TEXT => {
                let length = usize::try_from(self.u64()?).unwrap_or(usize::MAX);
                self.take(length).map(drop)
            }
            LIST if depth < DEEPEST => {
                let (inner, count) = (self.u32()?, self.u64()?);
                if let Some(size) = size(inner) {
                    let length = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size);
                    return self.take(length).map(drop);
                }
                (0..count).try_for_each(|_| self.skip(inner, of, depth + 1))
            }
            _ => Err(GgufError::UnknownType { number: kind, of: of.to_owned() }),
        }
    }

    fn tensor(&mut self) -> Result<Tensor, GgufError> {
        let name = self.text()?;
        let dimensions = self.u32()?;
        let mut elements = 1_u64;
        for _ in 0..dimensions {
            elements = elements.saturating_mul(self.u64()?);
        }
        let number = self.u32()?;
        self.u64()?; // Where its data begin.
        let kind = TensorType::from_number(number);
        let kind = kind.ok_or_else(|| GgufError::UnknownType { number, of: name.clone() })?;
        Ok(Tensor { name, kind, elements: elements.min(1 << 50) })
    }
}

/// Bytes of a value of fixed size.
fn size(kind: u32) -> Option<usize> {
    Some(match kind {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => return None,
    })
}
