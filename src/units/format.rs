//! The one door for numbers: every figure a person sees passes here.
//!
//! A figure has three significant digits, a unit that suits its size, a real minus sign, and `—`
//! where there is no number to show.
//!
//! | given | shown |
//! |---|---|
//! | `Seconds::new(0.017_39)` | 17.4 ms |
//! | `Seconds::from_micros(222.95)` | 223 µs |
//! | `TokensPerSecond::new(57.504)` | 57.5 tok/s |
//! | `Bytes::new(3.7e9)` | 3.70 GB |
//! | `BytesPerSecond::from_giga(1458.0)` | 1458 GB/s |
//! | `Ratio::new(0.0236)` | 2.4 % |
//! | `Seconds::new(f64::NAN)` | — |

use super::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Range, Ratio, Seconds, TokensPerSecond};
use std::fmt;

/// What stands where there is no number.
pub const NOTHING: &str = "—";
const MINUS: char = '−';

/// A figure ready for the screen: the digits and the unit apart, so that a table can align them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Digits, or two joined by a dash for a range, or `—`.
    pub number: String,
    /// The unit; empty where there is none, or no number.
    pub unit: &'static str,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.number)?;
        if !self.unit.is_empty() { write!(f, " {}", self.unit) } else { Ok(()) }
    }
}

/// A quantity that can be shown: its number, and the units to choose from, smallest first.
pub trait Quantity: Copy {
    /// `(size of the unit, its symbol)`, smallest first.
    const UNITS: &'static [(f64, &'static str)];
    /// The number in the type's own unit.
    fn value(self) -> f64;
    /// Digits for a number already in the chosen unit.
    fn digits(number: f64) -> String {
        grouped(significant(number, 3))
    }
}

macro_rules! shown_as {
    ($name:ident, $units:expr) => {
        impl Quantity for $name {
            const UNITS: &'static [(f64, &'static str)] = $units;
            fn value(self) -> f64 {
                self.get()
            }
        }
    };
}

shown_as!(Seconds, &[(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")]);
shown_as!(Bytes, &[(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")]);
shown_as!(BytesPerSecond, &[(1e6, "MB/s"), (1e9, "GB/s")]);
shown_as!(Flops, &[(1e6, "MFLOP"), (1e9, "GFLOP"), (1e12, "TFLOP")]);
shown_as!(FlopsPerSecond, &[(1e9, "GFLOP/s"), (1e12, "TFLOP/s")]);
shown_as!(TokensPerSecond, &[(1.0, "tok/s")]);

impl Quantity for Ratio {
    const UNITS: &'static [(f64, &'static str)] = &[(0.01, "%")];
    fn value(self) -> f64 {
        self.get()
    }
    /// One decimal, none from 100 on or where it would be a zero: 2.4 %, 55 %, 118 %.
    fn digits(number: f64) -> String {
        if number.abs() >= 99.95 {
            return fixed(number, 0);
        }
        let text = fixed(number, 1);
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    }
}

/// Shows a quantity in the unit that suits it.
#[must_use]
pub fn show<Q: Quantity>(quantity: Q) -> Shown {
    show_in(unit_for::<Q>(quantity.value()), quantity)
}

/// Shows a change of a quantity: as [`show`], with its sign.
#[must_use]
pub fn show_change<Q: Quantity>(quantity: Q) -> Shown {
    let mut shown = show(quantity);
    if quantity.value() > 0.0 && !shown.unit.is_empty() {
        shown.number.insert(0, '+');
    }
    shown
}

/// Shows a range as `low–high` in the unit that suits its upper end; one number where both ends
/// read the same; `≥ low` where there is no upper end.
#[must_use]
pub fn show_range<Q: Quantity>(range: Range<Q>) -> Shown {
    if range.low.value().is_finite() && !range.high.value().is_finite() {
        let mut shown = show(range.low);
        shown.number.insert_str(0, "≥ ");
        return shown;
    }
    let unit = unit_for::<Q>(range.high.value());
    let (low, high) = (show_in(unit, range.low), show_in(unit, range.high));
    if low.number == high.number || low.number == NOTHING {
        return high;
    }
    Shown { number: format!("{}–{}", low.number, high.number), unit: high.unit }
}

/// Shows several quantities in one unit, that of the largest: a table's column.
#[must_use]
pub fn show_column<Q: Quantity>(column: &[Q]) -> Vec<Shown> {
    let largest = column.iter().map(|q| q.value().abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
    column.iter().map(|&q| show_in(unit_for::<Q>(largest), q)).collect()
}

/// Shows a duration in microseconds, the unit of per-layer budgets, up to 10 ms.
#[must_use]
pub fn show_micros(time: Seconds) -> Shown {
    const MOST: f64 = 0.01;
    if time.get().abs() < MOST { show_in((1e-6, "µs"), time) } else { show(time) }
}

/// So many of something, with its noun in the right number: 1 stream, 1.5 streams, 2 streams.
#[must_use]
pub fn many(number: f64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1.0 { "" } else { "s" })
}

/// A time's bounds, as the buckets of a histogram have them: in milliseconds, or in seconds where the upper (or, where
/// that is open, the lower) is at least ten.
///
/// The two numbers come apart: a sentence and a table join them differently.
#[must_use]
pub fn show_bounds(low: Seconds, high: Seconds) -> ([String; 2], &'static str) {
    const LONG: Seconds = Seconds::new(10.0);
    let finite = if high.is_finite() { high } else { low };
    let (size, unit) = if finite >= LONG { (1.0, "s") } else { (1e-3, "ms") };
    ([low, high].map(|bound| grouped(trimmed(bound.get() / size))), unit)
}

/// Shows a message's size in powers of two where that is exact (12 KiB), else as [`show`].
#[must_use]
pub fn show_message(size: Bytes) -> Shown {
    let bytes = size.get();
    for (unit, symbol) in [(1_048_576.0, "MiB"), (1024.0, "KiB")] {
        if bytes >= unit && bytes % (unit / 8.0) == 0.0 {
            return Shown { number: trimmed(bytes / unit), unit: symbol };
        }
    }
    show(size)
}

/// A count, in groups of three digits from 10 000 on; whole counts have no decimals.
#[must_use]
pub fn count(number: f64) -> String {
    if !number.is_finite() {
        return NOTHING.to_owned();
    }
    if number.fract() != 0.0 && number.abs() < 1000.0 {
        return trimmed(number);
    }
    if number.abs() >= 1e15 {
        return significant(number, 3);
    }
    grouped(fixed(number, 0))
}

/// A number's text with its whole part in groups of three digits, from 10 000 on.
fn grouped(text: String) -> String {
    let unsigned = text.trim_start_matches(MINUS);
    let whole = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if whole < 5 {
        return text;
    }
    let mut out = String::with_capacity(text.len() + whole);
    if text.starts_with(MINUS) {
        out.push(MINUS);
    }
    for (index, character) in unsigned.chars().enumerate() {
        if index > 0 && index < whole && (whole - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(character);
    }
    out
}

/// How many times: 1.22×.
#[must_use]
pub fn times(factor: f64) -> String {
    if factor.is_finite() { format!("{}×", significant(factor, 3)) } else { NOTHING.to_owned() }
}

/// A number with up to three decimals and no trailing zeros: bucket bounds, bits per weight.
#[must_use]
pub fn trimmed(number: f64) -> String {
    if number == f64::INFINITY {
        return "∞".to_owned();
    }
    let text = fixed(number, 3);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with so many significant digits, never fewer than its whole part.
#[must_use]
pub fn significant(number: f64, digits: i32) -> String {
    if number == 0.0 || !number.is_finite() {
        return fixed(number, 0);
    }
    if !(1e-6..1e15).contains(&number.abs()) {
        return format!("{number:.2e}").replace('-', &MINUS.to_string());
    }
    let whole_digits = |x: f64| x.abs().log10().floor() as i32 + 1;
    let decimals = (digits - whole_digits(number)).max(0);
    // Rounding may carry into a new digit: 9.996 has three digits as 10.0, not as 10.00.
    let rounded = (number * 10f64.powi(decimals)).round() / 10f64.powi(decimals);
    let decimals = if rounded == 0.0 { decimals } else { (digits - whole_digits(rounded)).max(0) };
    fixed(number, decimals.min(12) as usize)
}

fn fixed(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return NOTHING.to_owned();
    }
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        // A value that rounds to nothing has no sign.
        Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("{MINUS}{rest}"),
        None => text,
    }
}

fn unit_for<Q: Quantity>(value: f64) -> (f64, &'static str) {
    let smallest = Q::UNITS.first().copied().unwrap_or((1.0, ""));
    // Half a unit in the last place below the border already reads as the next unit up.
    let fits = |&&(size, _): &&(f64, &str)| value.abs() >= size * 0.9995;
    // Nothing at all is shown in the type's own unit.
    if value == 0.0 {
        return Q::UNITS.iter().copied().find(|(size, _)| *size == 1.0).unwrap_or(smallest);
    }
    Q::UNITS.iter().rev().find(fits).copied().unwrap_or(smallest)
}

fn show_in<Q: Quantity>((size, unit): (f64, &'static str), quantity: Q) -> Shown {
    let value = quantity.value();
    if !value.is_finite() {
        return Shown { number: NOTHING.to_owned(), unit: "" };
    }
    Shown { number: Q::digits(value / size), unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_three_digits_and_a_unit_that_suits_it() {
        for (seconds, shown) in [
            (0.017_39, "17.4 ms"),
            (222.95e-6, "223 µs"),
            (26.7e-6, "26.7 µs"),
            (0.9996e-3, "1.00 ms"),
            (0.999e-3, "999 µs"),
            (213.65, "214 s"),
            (1.5e-7, "150 ns"),
            (0.0, "0 s"),
            (-0.0012, "−1.20 ms"),
            (f64::NAN, "—"),
            (f64::INFINITY, "—"),
        ] {
            assert_eq!(show(Seconds::new(seconds)).to_string(), shown);
        }
        assert_eq!(show(TokensPerSecond::new(57.504)).to_string(), "57.5 tok/s");
        assert_eq!(show(TokensPerSecond::new(9.996)).to_string(), "10.0 tok/s");
        assert_eq!(show(BytesPerSecond::from_giga(1458.0)).to_string(), "1458 GB/s");
        assert_eq!(show(Bytes::new(3.7e9)).to_string(), "3.70 GB");
    }

    #[test]
    fn shares_have_one_decimal_at_most() {
        for (ratio, shown) in
            [(0.0236, "2.4 %"), (0.55, "55 %"), (0.1808, "18.1 %"), (1.18, "118 %"), (0.9999, "100 %"), (0.0, "0 %")]
        {
            assert_eq!(show(Ratio::new(ratio)).to_string(), shown);
        }
    }

    #[test]
    fn ranges_share_a_unit_and_may_be_open() {
        let millis = |low, likely, high| Range { low, likely, high }.map(Seconds::from_millis);
        assert_eq!(show_range(millis(0.4, 6.0, 10.0)).to_string(), "0.400–10.0 ms");
        assert_eq!(show_range(millis(6.0, 6.0, 6.0)).to_string(), "6.00 ms");
        assert_eq!(show_range(millis(3.83, f64::NAN, f64::INFINITY)).to_string(), "≥ 3.83 ms");
        assert_eq!(show_range(Range { low: 0.55, likely: 0.6, high: 0.65 }.map(Ratio::new)).to_string(), "55–65 %");
    }

    #[test]
    fn changes_carry_their_sign_and_a_rounded_nothing_has_none() {
        assert_eq!(show_change(TokensPerSecond::new(2.7)).to_string(), "+2.70 tok/s");
        assert_eq!(show_change(Ratio::new(-0.045)).to_string(), "−4.5 %");
        assert_eq!(show(Ratio::new(-0.0001)).to_string(), "0 %");
    }

    #[test]
    fn counts_are_grouped_and_messages_are_powers_of_two() {
        assert_eq!(count(1623.0), "1623");
        assert_eq!(count(110_540.0), "110\u{202f}540");
        assert_eq!(count(1.5), "1.5");
        assert_eq!(count(1e300), "1.00e300");
        assert_eq!(show(TokensPerSecond::new(1e-9)).to_string(), "1.00e−9 tok/s");
        assert_eq!(show_message(Bytes::new(12_288.0)).to_string(), "12 KiB");
        assert_eq!(show_message(Bytes::new(1_310_720.0)).to_string(), "1.25 MiB");
        assert_eq!(show_message(Bytes::new(1000.0)).to_string(), "1.00 kB");
        assert_eq!(times(1.2207), "1.22×");
    }

    #[test]
    fn long_numbers_are_grouped_whatever_their_unit() {
        assert_eq!(show(TokensPerSecond::new(12_345.0)).to_string(), "12\u{202f}345 tok/s");
        assert_eq!(show(BytesPerSecond::from_giga(8000.0)).to_string(), "8000 GB/s");
        assert_eq!(show(Seconds::new(-18_719.0)).to_string(), "−18\u{202f}719 s");
        assert_eq!(
            show_range(Range { low: 30.0, likely: 40.0, high: 18_719.0 }.map(Seconds::new)).number,
            "30.0–18\u{202f}719"
        );
        // A layer's time stays in µs as long as that can be read.
        assert_eq!(show_micros(Seconds::from_micros(4_280.0)).to_string(), "4280 µs");
        assert_eq!(show_micros(Seconds::from_micros(172_293.0)).to_string(), "172 ms");
    }

    #[test]
    fn nouns_follow_their_number() {
        let texts = [0.0, 1.0, 1.5, 2.0, 12_000.0].map(|number| many(number, "stream"));
        assert_eq!(texts, ["0 streams", "1 stream", "1.5 streams", "2 streams", "12\u{202f}000 streams"]);
    }

    #[test]
    fn bounds_are_in_milliseconds_as_long_as_they_are_short() {
        let shown = |low: f64, high: f64| {
            let ([low, high], unit) = show_bounds(Seconds::new(low), Seconds::new(high));
            format!("{low}–{high} {unit}")
        };
        assert_eq!(shown(0.015, 0.02), "15–20 ms");
        assert_eq!(shown(0.0025, 0.25), "2.5–250 ms");
        assert_eq!(shown(7.5, 10.0), "7.5–10 s");
        assert_eq!(shown(10.0, 15.0), "10–15 s");
        assert_eq!(shown(640.0, f64::INFINITY), "640–∞ s");
        assert_eq!(shown(0.08, f64::INFINITY), "80–∞ ms");
    }

    #[test]
    fn a_column_has_one_unit() {
        let column = [0.0008, 0.017].map(Seconds::new);
        let texts: Vec<String> = show_column(&column).iter().map(Shown::to_string).collect();
        assert_eq!(texts, ["0.800 ms", "17.0 ms"]);
    }
}
