//! Round numbers along an axis: 1, 2 or 5 times a power of ten.

use super::axis::{AxisRange, Scaling};

/// A marked value on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// The value as text, with as many digits as the step between ticks needs.
    pub label: String,
}

/// At most `most` round values within the range, rising.
///
/// Linear: multiples of the smallest step of 1, 2 or 5 times a power of ten that needs no more than `most`.
/// Logarithmic: 1, 2 and 5 in every decade if they fit, else the decades, else every n-th decade;
/// a range too narrow for two of those is ticked as if linear.
///
/// ```
/// use decodescope::chart::{AxisRange, Scaling, ticks};
/// let labels = |low, high, scaling| -> Vec<String> {
///     ticks(&AxisRange::new(low, high, scaling), 6).into_iter().map(|tick| tick.label).collect()
/// };
/// assert_eq!(labels(0.0, 17.4, Scaling::Linear), ["0", "5", "10", "15"]);
/// assert_eq!(labels(1.0, 100.0, Scaling::Log), ["1", "10", "100"]);
/// ```
#[must_use]
pub fn ticks(range: &AxisRange, most: usize) -> Vec<Tick> {
    let most = most.max(2);
    match range.scaling() {
        Scaling::Linear => linear(range, most),
        Scaling::Log => {
            let candidates = [&[1.0, 2.0, 5.0][..], &[1.0][..]]
                .into_iter()
                .map(|mantissas| decades(range, mantissas, 1))
                .chain((2..=60).map(|stride| decades(range, &[1.0], stride)));
            match candidates.into_iter().find(|values| values.len() <= most) {
                Some(values) if values.len() >= 2 => {
                    values.into_iter().map(|value| Tick { value, label: label(value, value) }).collect()
                }
                _ => linear(range, most),
            }
        }
    }
}

fn linear(range: &AxisRange, most: usize) -> Vec<Tick> {
    let (low, high) = (range.low(), range.high());
    let exponent = ((high - low) / most as f64).log10().floor();
    // The last of these candidates is always coarse enough.
    let steps = (0..4u8).flat_map(|decade| [1.0, 2.0, 5.0].map(|m| m * 10f64.powf(exponent + f64::from(decade))));
    for step in steps {
        // A little slack keeps an end that misses its tick by rounding.
        let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
        if last - first < most as f64 {
            let count = (last - first + 1.0).max(0.0) as usize;
            return (0..count)
                .map(|index| {
                    let value = (first + index as f64) * step;
                    Tick { value, label: label(value, step) }
                })
                .collect();
        }
    }
    Vec::new()
}

fn decades(range: &AxisRange, mantissas: &[f64], stride: i32) -> Vec<f64> {
    let (first, last) = (range.low().log10().floor() as i32, range.high().log10().ceil() as i32);
    (first..=last)
        .filter(|exponent| exponent.rem_euclid(stride) == 0)
        .flat_map(|exponent| mantissas.iter().map(move |mantissa| mantissa * 10f64.powi(exponent)))
        .filter(|&value| value >= range.low() * (1.0 - 1e-9) && value <= range.high() * (1.0 + 1e-9))
        .collect()
}

/// A tick's number, with the decimals its step needs, a true minus sign and thin spaces between thousands.
fn label(value: f64, step: f64) -> String {
    let magnitude = value.abs();
    if magnitude >= 1e7 || (magnitude > 0.0 && step < 1e-5) {
        let text = format!("{value:.3e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa =
            if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
        return format!("{mantissa}e{exponent}").replace('-', "−");
    }
    // The slack keeps a power of ten that rounding put just below itself.
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{magnitude:.decimals$}");
    let sign = if value < 0.0 && text.chars().any(|digit| digit.is_ascii_digit() && digit != '0') { "−" } else { "" };
    let whole = text.split('.').next().map_or(0, str::len);
    let grouped: String = text
        .char_indices()
        .flat_map(|(index, digit)| {
            let gap = magnitude >= 1e4 && index > 0 && index < whole && (whole - index).is_multiple_of(3);
            gap.then_some('\u{202f}').into_iter().chain([digit])
        })
        .collect();
    format!("{sign}{grouped}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(low: f64, high: f64, scaling: Scaling, most: usize) -> Vec<String> {
        ticks(&AxisRange::new(low, high, scaling), most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(0.0, 140.0, Scaling::Linear, 8), ["0", "20", "40", "60", "80", "100", "120", "140"]);
        assert_eq!(labels(0.0, 1.0, Scaling::Linear, 6), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-10.0, 10.0, Scaling::Linear, 5), ["−10", "−5", "0", "5", "10"]);
        assert_eq!(labels(0.0, 20_000.0, Scaling::Linear, 3), ["0", "10\u{202f}000", "20\u{202f}000"]);
    }

    #[test]
    fn logarithmic_ticks_thin_out_as_the_range_grows() {
        assert_eq!(labels(1.0, 20.0, Scaling::Log, 6), ["1", "2", "5", "10", "20"]);
        assert_eq!(labels(0.01, 1000.0, Scaling::Log, 6), ["0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(1.0, 1e12, Scaling::Log, 5), ["1", "1000", "1\u{202f}000\u{202f}000", "1e9", "1e12"]);
        // Too narrow for 1-2-5: ticked as if linear.
        assert_eq!(labels(60.0, 90.0, Scaling::Log, 4), ["60", "70", "80", "90"]);
    }

    proptest! {
        #[test]
        fn ticks_lie_in_the_range_and_are_few(low in any::<f64>(), high in any::<f64>(), log in any::<bool>(), most in 2..20usize) {
            let range = AxisRange::new(low, high, if log { Scaling::Log } else { Scaling::Linear });
            let marks = ticks(&range, most);
            prop_assert!(marks.len() <= most);
            let slack = (range.high() - range.low()) * 1e-5;
            for tick in &marks {
                prop_assert!(tick.value >= range.low() - slack && tick.value <= range.high() + slack);
                prop_assert!(!tick.label.contains("NaN") && !tick.label.contains("inf"));
            }
            prop_assert!(marks.windows(2).all(|pair| pair[0].value < pair[1].value));
        }
    }
}
