//! The head of a GGUF file: magic, metadata, the list of tensors. Numbers are little-endian.

use super::{Gguf, Tensor, TensorType};
use serde_json::{Value, json};
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
        if let Some(value) = cursor.value(kind, &key, 0)? {
            gguf.metadata.insert(key, value);
        }
    }
    gguf.name = gguf.text("general.name").map(str::to_owned);
    gguf.architecture = gguf.text("general.architecture").map(str::to_owned);
    // Both are 16 bit wide; the numbers count from 0.
    let of_split = |key: &str| gguf.number(key).unwrap_or(0).min(u32::from(u16::MAX));
    let (files, number) = (of_split("split.count").max(1), of_split("split.no") + 1);
    gguf.files = files;
    gguf.held.insert(number);
    for _ in 0..tensors {
        gguf.tensors.push(cursor.tensor()?);
    }
    Ok(gguf)
}

const TEXT: u32 = 8;
const LIST: u32 = 9;
/// Longer lists are a tokeniser's, not a number per layer.
const LONGEST: u64 = 4096;
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

    /// A value, if it is worth keeping: of a list of texts, as tokenisers have, the length.
    fn value(&mut self, kind: u32, of: &str, depth: u32) -> Result<Option<Value>, GgufError> {
        Ok(match kind {
            0 => Some(json!(u8::from_le_bytes(self.array()?))),
            1 => Some(json!(i8::from_le_bytes(self.array()?))),
            2 => Some(json!(u16::from_le_bytes(self.array()?))),
            3 => Some(json!(i16::from_le_bytes(self.array()?))),
            4 => Some(json!(u32::from_le_bytes(self.array()?))),
            5 => Some(json!(i32::from_le_bytes(self.array()?))),
            6 => Some(json!(f32::from_le_bytes(self.array()?))),
            7 => Some(json!(self.array::<1>()? != [0])),
            TEXT => Some(json!(self.text()?)),
            LIST if depth < DEEPEST => self.list(of, depth)?,
            10 => Some(json!(self.u64()?)),
            11 => Some(json!(i64::from_le_bytes(self.array()?))),
            12 => Some(json!(f64::from_le_bytes(self.array()?))),
            _ => return Err(GgufError::UnknownType { number: kind, of: of.to_owned() }),
        })
    }

    fn list(&mut self, of: &str, depth: u32) -> Result<Option<Value>, GgufError> {
        let (kind, count) = (self.u32()?, self.u64()?);
        if kind == TEXT {
            for _ in 0..count {
                let length = usize::try_from(self.u64()?).unwrap_or(usize::MAX);
                self.take(length)?;
            }
            return Ok(Some(json!(count)));
        }
        if let Some(size) = size(kind).filter(|_| count > LONGEST) {
            let length = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size);
            self.take(length)?;
            return Ok(None);
        }
        let mut values = Vec::new();
        for _ in 0..count {
            values.extend(self.value(kind, of, depth + 1)?.filter(|_| count <= LONGEST));
        }
        Ok(Some(Value::Array(values)))
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
