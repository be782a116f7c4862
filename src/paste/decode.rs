//! Bytes as they come from a clipboard, a file or a pipe, to text.

use super::{Warning, WarningKind};
use std::borrow::Cow;
use std::io::Read;

/// The most a compressed input may unfold to; a real dump is a hundredth of it.
const LARGEST: u64 = 1 << 30;

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
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::BrokenGzip => "broken gzip data",
            Self::TooLarge => "compressed text of more than 1 GiB",
            Self::Binary => "binary data, not text",
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
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let (unfolded, cut) = gunzip(bytes)?;
        let inner = decode_plain(&unfolded)?;
        let mut warnings = inner.warnings;
        if cut {
            warnings.push(Warning::whole(
                WarningKind::Truncated,
                "the gzip data is cut or damaged; the part before is read",
            ));
        }
        return Ok(Decoded { text: Cow::Owned(inner.text.into_owned()), warnings });
    }
    decode_plain(bytes)
}

fn decode_plain(bytes: &[u8]) -> Result<Decoded<'_>, DecodeError> {
    let repaired = |message: &str| vec![Warning::whole(WarningKind::Repaired, message)];
    match bytes {
        [0xff, 0xfe, rest @ ..] => return Ok(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => return Ok(utf16(rest, u16::from_be_bytes)),
        // UTF-16 without a mark: every other byte of ASCII text is zero.
        [b'#' | b' '..=b'~', 0, second, 0, ..] if second.is_ascii() => return Ok(utf16(bytes, u16::from_le_bytes)),
        [0, b'#' | b' '..=b'~', 0, second, ..] if second.is_ascii() => return Ok(utf16(bytes, u16::from_be_bytes)),
        _ => {}
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Decoded { text: Cow::Borrowed(text), warnings: Vec::new() }),
        Err(error) => {
            let head = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
            if head.iter().filter(|byte| **byte == 0).count() * 20 > head.len() {
                return Err(DecodeError::Binary);
            }
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = memchr::memchr_iter(b'\n', before).count() + 1;
            let mut warnings = repaired("not UTF-8; what could not be read is shown as \u{fffd}");
            warnings.iter_mut().for_each(|warning| warning.line = Some(line));
            Ok(Decoded { text: Cow::Owned(String::from_utf8_lossy(bytes).into_owned()), warnings })
        }
    }
}

fn utf16<'a>(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded<'a> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut lossy = !bytes.len().is_multiple_of(2);
    for letter in char::decode_utf16(units) {
        lossy |= letter.is_err();
        text.push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let mut warnings = vec![Warning::whole(WarningKind::Repaired, "UTF-16; read as such")];
    if lossy {
        warnings.push(Warning::whole(WarningKind::Repaired, "the UTF-16 text is damaged in places"));
    }
    Decoded { text: Cow::Owned(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)), warnings }
}

/// Unfolds gzip; what came before damage still counts.
fn gunzip(bytes: &[u8]) -> Result<(Vec<u8>, bool), DecodeError> {
    let mut unfolded = Vec::new();
    let result = flate2::read::MultiGzDecoder::new(bytes).take(LARGEST + 1).read_to_end(&mut unfolded);
    if unfolded.len() as u64 > LARGEST {
        return Err(DecodeError::TooLarge);
    }
    match result {
        Ok(_) => Ok((unfolded, false)),
        Err(_) if !unfolded.is_empty() => Ok((unfolded, true)),
        Err(_) => Err(DecodeError::BrokenGzip),
    }
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
