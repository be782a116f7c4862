//! How wide a text will be, without asking a browser.
//!
//! Measuring in the page costs a reflow per label and is not possible natively. The table holds the
//! advances of a wide sans-serif (DejaVu Sans), so that in the usual narrower ones the estimate errs towards
//! more room and labels that fit here fit there.

/// Size of labels and values, CSS pixels.
pub(super) const BODY: f64 = 13.0;
/// Size of ticks and notes, CSS pixels.
pub(super) const SMALL: f64 = 12.0;
/// Height of a line of text relative to its size.
pub(super) const LINE: f64 = 1.3;

/// Advances of the printable ASCII characters in hundredths of the size.
#[rustfmt::skip]
const ADVANCES: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53,
    100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50,
    50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61,
    63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// The estimated width of a text in CSS pixels.
#[must_use]
pub fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    let hundredths: u32 = text
        .chars()
        .map(|character| {
            let place = (character as usize).wrapping_sub(32);
            ADVANCES.get(place).map_or_else(|| beyond_ascii(character), |&advance| u32::from(advance))
        })
        .sum();
    // Bold digits and letters of the same face are about a tenth wider.
    f64::from(hundredths) / 100.0 * size * if bold { 1.12 } else { 1.0 }
}

fn beyond_ascii(character: char) -> u32 {
    match character {
        '\u{202f}' | '\u{2009}' => 20,
        '\u{a0}' | '·' => 32,
        '–' => 50,
        '−' | '×' | '→' | '≥' | '≤' | '∞' => 84,
        '—' | '…' => 100,
        _ if (character as u32) < 0x250 => 66,
        _ => 100,
    }
}

/// The text, shortened with an ellipsis where it is wider than `room`; empty when not even that fits.
pub(super) fn fitted(text: &str, size: f64, bold: bool, room: f64) -> String {
    if text_width(text, size, bold) <= room {
        return text.to_string();
    }
    let mut kept = text.to_string();
    while kept.pop().is_some() {
        let shortened = format!("{}…", kept.trim_end());
        if text_width(&shortened, size, bold) <= room {
            return if kept.trim().is_empty() { String::new() } else { shortened };
        }
    }
    String::new()
}

/// The text broken into lines no wider than `room`, at most `most` of them, the last one shortened.
pub(super) fn wrapped(text: &str, size: f64, bold: bool, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_ascii_whitespace() {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match (longer, lines.last_mut()) {
            (Some(longer), Some(line)) if text_width(&longer, size, bold) <= room => *line = longer,
            _ => lines.push(word.to_string()),
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    lines.into_iter().take(most).map(|line| fitted(&line, size, bold, room)).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up_from_the_table() {
        // "17.4 ms": 64 + 64 + 32 + 64 + 32 + 97 + 52 = 405 hundredths of 10 px.
        assert!((text_width("17.4 ms", 10.0, false) - 40.5).abs() < 1e-9);
        assert!((text_width("µ–", 10.0, false) - 11.6).abs() < 1e-9);
    }

    #[test]
    fn a_text_too_wide_ends_in_an_ellipsis() {
        let short = fitted("communication costs nothing", 12.0, false, 100.0);
        assert!(short.ends_with('…') && text_width(&short, 12.0, false) <= 100.0, "{short}");
        assert_eq!(fitted("anything", 12.0, false, 3.0), "");
    }

    #[test]
    fn lines_wrap_at_words_and_the_last_is_shortened() {
        assert_eq!(wrapped("all else as today", 10.0, false, 45.0, 3), ["all else", "as today"]);
        let two = wrapped("weights read at the bandwidth that was measured", 10.0, false, 80.0, 2);
        assert_eq!(two.len(), 2);
        assert!(two[1].ends_with('…'), "{two:?}");
        assert!(wrapped("", 10.0, false, 80.0, 2).is_empty());
    }
}
