//! Numbers as the text formats write them, read exactly.

use super::rule::Rule;

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
///
/// Every finite result is the double nearest to the decimal written. Digits below 2⁵³ with a power of ten up to 22 need
/// one rounding, so one multiplication or division is exact (W. D. Clinger, "How to read floating point numbers
/// accurately", PLDI 1990); all others go through the standard library, which rounds correctly.
#[inline]
pub(super) fn number(token: &[u8]) -> Option<Number> {
    let (negative, digits) = match token {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, token),
    };
    let mut mantissa: u64 = 0;
    let mut at = 0;
    while let Some(digit) = digits.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let whole = at;
    let mut fraction = 0;
    if digits.get(at) == Some(&b'.') {
        at += 1;
        while let Some(digit) = digits.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        fraction = at - whole - 1;
    }
    if whole + fraction == 0 {
        return word(token, negative);
    }
    let mut exponent: i32 = 0;
    if matches!(digits.get(at), Some(b'e' | b'E')) {
        let (sign, from) = match digits.get(at + 1) {
            Some(b'-') => (-1, at + 2),
            Some(b'+') => (1, at + 2),
            _ => (1, at + 1),
        };
        at = from;
        while let Some(digit) = digits.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            exponent = exponent.saturating_mul(10).saturating_add(i32::from(digit));
            at += 1;
        }
        if at == from {
            return None;
        }
        exponent = exponent.saturating_mul(sign);
    }
    if at != digits.len() {
        return None;
    }
    let integer = at == whole;
    // 19 digits cannot overflow 64 bits.
    if whole + fraction <= 19 && mantissa < 1 << 53 {
        let scale = exponent.saturating_sub(i32::try_from(fraction).unwrap_or(i32::MAX));
        let magnitude = mantissa as f64;
        let power = EXACT_POWERS.get(scale.unsigned_abs() as usize);
        let exact = match power {
            Some(power) if scale < 0 => Some(magnitude / power),
            Some(power) => Some(magnitude * power),
            None => None,
        };
        if let Some(exact) = exact {
            return Some(Number { value: if negative { -exact } else { exact }, integer, deviation: None });
        }
    }
    let value: f64 = std::str::from_utf8(token).ok()?.parse().ok()?;
    Some(Number { value, integer, deviation: value.is_infinite().then_some(Rule::NumberOverflow) })
}

/// Infinity and not-a-number, in any case.
#[cold]
fn word(token: &[u8], negative: bool) -> Option<Number> {
    let signed = matches!(token, [b'-' | b'+', ..]);
    let letters = if signed { token.get(1..)? } else { token };
    if letters.eq_ignore_ascii_case(b"nan") {
        let deviation = signed.then_some(Rule::SignedNan);
        return Some(Number { value: f64::NAN, integer: false, deviation });
    }
    if letters.eq_ignore_ascii_case(b"inf") || letters.eq_ignore_ascii_case(b"infinity") {
        let value = if negative { f64::NEG_INFINITY } else { f64::INFINITY };
        return Some(Number { value, integer: false, deviation: None });
    }
    None
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
