//! Numbers as the text formats write them, read exactly.

use super::rule::Rule;
use super::sample::is_blank;

/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// A number, and what about its spelling the formats forbid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub value: f64,
    /// Only a sign and digits.
    pub integer: bool,
    pub deviation: Option<Rule>,
}

/// Reads a whole token; `None` if it is not a number in either format.
pub(super) fn number(token: &[u8]) -> Option<Number> {
    leading_number(token).filter(|(_, length)| *length == token.len()).map(|(number, _)| number)
}

/// Reads the number that `text` begins with, up to a blank, a line feed or the end, and says how long it is.
///
/// Every finite result is the double nearest to the decimal written. Digits below 2⁵³ with a power of ten up to 22 need
/// one rounding, so one multiplication or division is exact (W. D. Clinger, "How to read floating point numbers
/// accurately", PLDI 1990); all others go through the standard library, which rounds correctly.
#[inline(always)]
pub(super) fn leading_number(text: &[u8]) -> Option<(Number, usize)> {
    let signed = matches!(text.first(), Some(b'-' | b'+'));
    let negative = text.first() == Some(&b'-');
    let first = usize::from(signed);
    let mut mantissa: u64 = 0;
    let mut at = first;
    while let Some(digit) = digit_at(text, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let whole = at - first;
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        let point = at;
        at += 1;
        while let Some(digit) = digit_at(text, at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        fraction = at - point - 1;
    }
    if whole + fraction == 0 {
        return word(text, first, negative);
    }
    let mut exponent: i32 = 0;
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let (sign, from) = match text.get(at + 1) {
            Some(b'-') => (-1, at + 2),
            Some(b'+') => (1, at + 2),
            _ => (1, at + 1),
        };
        at = from;
        while let Some(digit) = digit_at(text, at) {
            exponent = exponent.saturating_mul(10).saturating_add(digit as i32);
            at += 1;
        }
        if at == from {
            return None;
        }
        exponent = exponent.saturating_mul(sign);
    }
    if text.get(at).is_some_and(|byte| !ends(*byte)) {
        return None;
    }
    let integer = at == first + whole;
    // 19 digits cannot overflow 64 bits.
    if whole + fraction <= 19 && mantissa < 1 << 53 {
        let scale = exponent.saturating_sub(fraction as i32);
        let magnitude = mantissa as f64;
        let exact = EXACT_POWERS.get(scale.unsigned_abs() as usize).map(|power| match scale {
            0 => magnitude,
            ..0 => magnitude / power,
            _ => magnitude * power,
        });
        if let Some(exact) = exact {
            return Some((Number { value: if negative { -exact } else { exact }, integer, deviation: None }, at));
        }
    }
    let value: f64 = std::str::from_utf8(text.get(..at)?).ok()?.parse().ok()?;
    Some((Number { value, integer, deviation: value.is_infinite().then_some(Rule::NumberOverflow) }, at))
}

const fn ends(byte: u8) -> bool {
    is_blank(byte) || byte == b'\n'
}

#[inline(always)]
fn digit_at(text: &[u8], at: usize) -> Option<u64> {
    text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10).map(u64::from)
}

/// Infinity and not-a-number, in any case.
fn word(text: &[u8], first: usize, negative: bool) -> Option<(Number, usize)> {
    let letters = text.get(first..)?;
    let length = letters.iter().position(|byte| ends(*byte)).unwrap_or(letters.len());
    let letters = letters.get(..length)?;
    let (value, deviation) = if letters.eq_ignore_ascii_case(b"nan") {
        (f64::NAN, (first > 0).then_some(Rule::SignedNan))
    } else if letters.eq_ignore_ascii_case(b"inf") || letters.eq_ignore_ascii_case(b"infinity") {
        (if negative { f64::NEG_INFINITY } else { f64::INFINITY }, None)
    } else {
        return None;
    };
    Some((Number { value, integer: false, deviation }, first + length))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn value(token: &str) -> Option<f64> {
        number(token.as_bytes()).map(|number| number.value)
    }

    #[test]
    fn spellings_all_parsers_agree_on() {
        for (token, expected) in [
            ("0", 0.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("-.5", -0.5),
            ("1E5", 1e5),
            ("1e+05", 1e5),
            ("1.15891634176e+011", 115_891_634_176.0),
            ("007", 7.0),
            ("+1", 1.0),
            ("+Inf", f64::INFINITY),
            ("-infinity", f64::NEG_INFINITY),
            ("1e-400", 0.0),
            ("3.2157849717e+10", 32_157_849_717.0),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("12345678901234567890", 12_345_678_901_234_567_890.0),
        ] {
            assert_eq!(value(token), Some(expected), "{token}");
        }
        assert!(value("NaN").unwrap().is_nan());
        assert!(value("-0").unwrap().is_sign_negative());
    }

    #[test]
    fn what_no_parser_takes_is_no_number() {
        for token in ["", ".", "+", "-", "1e", "1e+", "0x10", "0x1p4", "0b1", "1_000", "1,5", "true", "1 ", "--1", "e5"]
        {
            assert_eq!(value(token), None, "{token}");
        }
    }

    #[test]
    fn deviations_are_named() {
        assert_eq!(number(b"-nan").unwrap().deviation, Some(Rule::SignedNan));
        assert_eq!(number(b"1e309").unwrap().deviation, Some(Rule::NumberOverflow));
        assert_eq!(number(b"+Inf").unwrap().deviation, None);
    }

    proptest! {
        #[test]
        fn every_decimal_is_the_nearest_double(text in "[-+]?[0-9]{1,21}(\\.[0-9]{0,21})?([eE][-+]?[0-9]{1,3})?") {
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(value(&text).unwrap().to_bits(), expected.to_bits());
        }

        #[test]
        fn written_doubles_come_back(bits: u64) {
            let double = f64::from_bits(bits);
            prop_assume!(double.is_finite());
            prop_assert_eq!(value(&format!("{double:?}")).unwrap().to_bits(), bits);
            prop_assert_eq!(value(&format!("{double:e}")).unwrap().to_bits(), bits);
        }
    }
}
