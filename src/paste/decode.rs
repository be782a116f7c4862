//! Bytes as they come from a clipboard, a file or a pipe, to text.

use super::{Warning, WarningKind};
use crate::pace::{Pace, Work};
use flate2::read::MultiGzDecoder;
use std::borrow::Cow;
use std::io::{Cursor, Read};

/// The most a compressed input may unfold to; a real dump is a hundredth of it.
const LARGEST: u64 = 1 << 30;

/// What bytes are is told by their first: so many are waited for.
const HEAD: usize = 4096;

/// So many bytes are unfolded between two rests.
const SLICE: usize = 256 << 10;

/// Text, and what had to be done to get it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded<'a> {
    /// The text; borrowed from the input where it was plain UTF-8.
    pub text: Cow<'a, str>,
    /// What was done to get it.
    pub warnings: Vec<Warning>,
}

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// It starts as gzip does but does not unfold.
    BrokenGzip,
    /// It unfolds to more than 1 GiB.
    TooLarge,
    /// It is binary data.
    Binary,
    /// There is no memory for it.
    NoMemory,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::BrokenGzip => "broken gzip data",
            Self::TooLarge => "compressed text of more than 1 GiB",
            Self::Binary => "binary data, not text",
            Self::NoMemory => "too large for the memory there is",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Turns bytes into text: UTF-8 with or without a byte order mark, UTF-16 of either order, and gzip of these.
///
/// What is not valid UTF-8 is replaced by `U+FFFD` with a warning that names the line.
///
/// # Errors
///
/// Broken or oversized gzip, and data that is not text at all.
///
/// ```
/// use decodescope::paste::decode;
/// let utf16: Vec<u8> = "\u{feff}up 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
/// assert_eq!(decode(&utf16).unwrap().text, "up 1\n");
/// assert_eq!(decode(b"up 1\n").unwrap().text, "up 1\n");
/// ```
pub fn decode(bytes: &[u8]) -> Result<Decoded<'_>, DecodeError> {
    if matches!(Form::of(bytes), Form::Utf8)
        && let Ok(text) = std::str::from_utf8(bytes.strip_prefix(MARK).unwrap_or(bytes))
    {
        return Ok(Decoded { text: Cow::Borrowed(text), warnings: Vec::new() });
    }
    let mut decoder = Decoder::default();
    decoder.push(bytes)?;
    Work::new(|pace| async move { decoder.finish(&pace).await }).finish()
}

/// UTF-8's byte order mark.
const MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// How bytes hold text.
#[derive(Debug, Clone, Copy)]
enum Form {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
    Gzip,
}

impl Form {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0x1f, 0x8b, ..] => Self::Gzip,
            _ => Self::plain(bytes),
        }
    }

    fn plain(bytes: &[u8]) -> Self {
        match bytes {
            [0xff, 0xfe, ..] => Self::Utf16(u16::from_le_bytes),
            [0xfe, 0xff, ..] => Self::Utf16(u16::from_be_bytes),
            // UTF-16 without a mark: every other byte of ASCII text is zero.
            [b'#' | b' '..=b'~', 0, second, 0, ..] if second.is_ascii() => Self::Utf16(u16::from_le_bytes),
            [0, b'#' | b' '..=b'~', 0, second, ..] if second.is_ascii() => Self::Utf16(u16::from_be_bytes),
            _ => Self::Utf8,
        }
    }
}

/// Turns bytes into text as they come, so that they need not be held as a whole beside it. The same as [`decode`],
/// wherever they are cut.
///
/// ```
/// use decodescope::pace::Work;
/// use decodescope::paste::Decoder;
/// let mut decoder = Decoder::default();
/// decoder.push(b"a{x=\"\xc3").unwrap();
/// decoder.push(b"\xa9\"} 1\n").unwrap();
/// let decoded = Work::new(|pace| async move { decoder.finish(&pace).await }).finish().unwrap();
/// assert_eq!(decoded.text, "a{x=\"é\"} 1\n");
/// ```
#[derive(Debug, Default)]
pub struct Decoder {
    /// `None` until enough has come to tell.
    form: Option<Form>,
    /// Whether it comes out of gzip, so that it is none itself.
    inner: bool,
    /// What is not text yet: the head, the beginning of a character, all of what is compressed.
    waiting: Vec<u8>,
    text: String,
    /// Whether its first bytes are those of binary data, should it not be UTF-8.
    binary: bool,
    warnings: Vec<Warning>,
    damaged: bool,
}

impl Decoder {
    /// A decoder with memory for so many bytes of text.
    ///
    /// # Errors
    /// There is none.
    pub fn expecting(bytes: usize) -> Result<Self, DecodeError> {
        let mut decoder = Self::default();
        decoder.text.try_reserve_exact(bytes).map_err(|_| DecodeError::NoMemory)?;
        Ok(decoder)
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// They show that it is not text, or are too many for the memory there is.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.waiting.try_reserve(bytes.len()).map_err(|_| DecodeError::NoMemory)?;
        self.waiting.extend_from_slice(bytes);
        if self.form.is_none() && self.waiting.len() < HEAD + MARK.len() {
            return Ok(());
        }
        self.go_on(false)
    }

    /// The text, once all bytes have come.
    ///
    /// # Errors
    /// It is no text, or too much.
    pub async fn finish(mut self, pace: &Pace) -> Result<Decoded<'static>, DecodeError> {
        self.go_on(true)?;
        if matches!(self.form, Some(Form::Gzip)) {
            let packed = std::mem::take(&mut self.waiting);
            self = unfold(packed, pace).await?;
        }
        Ok(Decoded { text: Cow::Owned(self.text), warnings: self.warnings })
    }

    fn go_on(&mut self, last: bool) -> Result<(), DecodeError> {
        let form = match self.form {
            Some(form) => form,
            None => self.begin(),
        };
        match form {
            Form::Utf8 => self.utf8(last),
            Form::Utf16(unit) => self.utf16(unit, last),
            Form::Gzip => Ok(()),
        }
    }

    fn begin(&mut self) -> Form {
        let form = if self.inner { Form::plain(&self.waiting) } else { Form::of(&self.waiting) };
        self.form = Some(form);
        match form {
            Form::Utf8 => {
                let mark = if self.waiting.starts_with(MARK) { MARK.len() } else { 0 };
                self.waiting.drain(..mark);
                let head = self.waiting.get(..self.waiting.len().min(HEAD)).unwrap_or_default();
                self.binary = head.iter().filter(|byte| **byte == 0).count() * 20 > head.len();
            }
            Form::Utf16(unit) => {
                let first = self.waiting.first_chunk().is_some_and(|mark| unit(*mark) == 0xfeff);
                self.waiting.drain(..if first { 2 } else { 0 });
                self.repaired(None, "UTF-16; read as such");
            }
            Form::Gzip => {}
        }
        form
    }

    fn repaired(&mut self, line: Option<usize>, message: &str) {
        self.warnings.push(Warning { line, ..Warning::whole(WarningKind::Repaired, message) });
    }

    fn utf8(&mut self, last: bool) -> Result<(), DecodeError> {
        let bytes = std::mem::take(&mut self.waiting);
        // The most it can become, each byte replaced; the usual needs no such room.
        self.text.try_reserve(bytes.len()).map_err(|_| DecodeError::NoMemory)?;
        for chunk in bytes.utf8_chunks() {
            self.text.push_str(chunk.valid());
            let broken = chunk.invalid();
            let cut = std::str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
            let at_end = bytes.as_ptr_range().end == broken.as_ptr_range().end;
            if cut && at_end && !last {
                self.waiting.extend_from_slice(broken);
            } else if !broken.is_empty() {
                self.damage(bytes.len())?;
            }
        }
        Ok(())
    }

    fn damage(&mut self, coming: usize) -> Result<(), DecodeError> {
        if !std::mem::replace(&mut self.damaged, true) {
            if self.binary {
                return Err(DecodeError::Binary);
            }
            let line = memchr::memchr_iter(b'\n', self.text.as_bytes()).count() + 1;
            self.repaired(Some(line), "not UTF-8; what could not be read is shown as \u{fffd}");
        }
        let mark = char::REPLACEMENT_CHARACTER;
        self.text.try_reserve(coming + mark.len_utf8()).map_err(|_| DecodeError::NoMemory)?;
        self.text.push(mark);
        Ok(())
    }

    fn utf16(&mut self, unit: fn([u8; 2]) -> u16, last: bool) -> Result<(), DecodeError> {
        let bytes = std::mem::take(&mut self.waiting);
        self.text.try_reserve(bytes.len() / 2 * 3).map_err(|_| DecodeError::NoMemory)?;
        let (pairs, odd) = bytes.as_chunks::<2>();
        let (mut pairs, mut lossy) = (pairs, false);
        if last {
            lossy = !odd.is_empty();
        } else {
            // The first half of a pair of surrogates waits for the second.
            let half = pairs.last().is_some_and(|pair| (0xd800..0xdc00).contains(&unit(*pair)));
            pairs = pairs.split_at(pairs.len() - usize::from(half)).0;
            self.waiting.extend_from_slice(bytes.get(pairs.len() * 2..).unwrap_or_default());
        }
        for letter in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
            lossy |= letter.is_err();
            self.text.push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        if lossy && !std::mem::replace(&mut self.damaged, true) {
            self.repaired(None, "the UTF-16 text is damaged in places");
        }
        Ok(())
    }
}

/// Unfolds gzip; what came before damage still counts.
async fn unfold(packed: Vec<u8>, pace: &Pace) -> Result<Decoder, DecodeError> {
    let length = packed.len() as f64;
    let mut folded = MultiGzDecoder::new(Cursor::new(packed)).take(LARGEST + 1);
    let mut decoder = Decoder { inner: true, ..Decoder::default() };
    let mut slice = vec![0; SLICE];
    let mut unfolded = 0;
    let cut = loop {
        match folded.read(&mut slice) {
            Ok(0) => break false,
            Ok(read) => {
                decoder.push(slice.get(..read).unwrap_or_default())?;
                unfolded += read as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) if unfolded == 0 => return Err(DecodeError::BrokenGzip),
            Err(_) => break true,
        }
        if unfolded > LARGEST {
            return Err(DecodeError::TooLarge);
        }
        pace.rest(folded.get_ref().get_ref().position() as f64 / length).await;
    };
    decoder.go_on(true)?;
    if cut {
        let message = "the gzip data is cut or damaged; the part before is read";
        decoder.warnings.push(Warning::whole(WarningKind::Truncated, message));
    }
    Ok(decoder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Write;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn plain_text_is_borrowed_and_a_mark_goes() {
        assert!(matches!(decode(b"a 1\n").unwrap().text, Cow::Borrowed("a 1\n")));
        assert!(matches!(decode(b"\xef\xbb\xbfa 1\n").unwrap().text, Cow::Borrowed("a 1\n")));
    }

    #[test]
    fn utf16_of_both_orders_with_and_without_mark() {
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}a{{x=\"é\"}} 1\n");
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(decode(&little).unwrap().text, "a{x=\"é\"} 1\n");
            assert_eq!(decode(&big).unwrap().text, "a{x=\"é\"} 1\n");
        }
    }

    #[test]
    fn gzip_unfolds_and_a_cut_one_as_far_as_it_goes() {
        let text: String = (0..5000).map(|line| format!("metric_{line} {}\n", line * 7919 % 1000)).collect();
        let packed = gzip(&text);
        assert_eq!(decode(&packed).unwrap().text, text);
        let cut = decode(&packed[..packed.len() - 3000]).unwrap();
        assert!(text.starts_with(cut.text.as_ref()) && !cut.text.is_empty());
        assert_eq!(cut.warnings[0].kind, WarningKind::Truncated);
        assert_eq!(decode(&packed[..12]), Err(DecodeError::BrokenGzip));
    }

    #[test]
    fn damage_names_its_line() {
        let decoded = decode(b"a 1\nb{x=\"\xff\"} 2\n").unwrap();
        assert_eq!(decoded.text, "a 1\nb{x=\"\u{fffd}\"} 2\n");
        assert_eq!(decoded.warnings[0].line, Some(2));
        assert_eq!(decode(b"\x00\x01\xff\x00\x00\x00"), Err(DecodeError::Binary));
    }
}
