//! A counter's growth, over resets.

use crate::metrics::histogram::nearly_equal;

/// By how much a counter grew, and how often it was set back meanwhile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Increase {
    /// The growth, in the counter's unit; what was counted between the last look and a reset is lost.
    pub amount: f64,
    /// How often the counter was set back to zero.
    pub resets: usize,
}

/// The growth over a counter's values in order of time. Values that are not finite are passed over.
///
/// `None` with fewer than two values.
///
/// # Formula
/// `last − first`, plus the value before each reset; a value lower than the one before is a reset.
///
/// # Source
/// Prometheus' `increase` without its extrapolation to the range's borders (`promql/functions.go`).
///
/// ```
/// use decodescope::metrics::window::increase;
/// let grown = increase(&[1.0, 2.0, 3.0, 2.0, 3.0, 4.0]).unwrap();
/// assert_eq!((grown.amount, grown.resets), (6.0, 1)); // 4 − 1 + 3
/// ```
pub fn increase(values: &[f64]) -> Option<Increase> {
    let mut finite = values.iter().copied().filter(|value| value.is_finite());
    let first = finite.next()?;
    let (mut last, mut lost, mut resets, mut seen) = (first, 0.0, 0, 1);
    for value in finite {
        if value < last {
            lost += last;
            resets += 1;
        }
        last = value;
        seen += 1;
    }
    (seen > 1).then_some(Increase { amount: last - first + lost, resets })
}

/// The growth between two looks at a counter. If the server is known to have restarted in between, all that it shows
/// now was counted since, even where that is more than before.
///
/// `None` if a value is not finite. A fall by float error only (sums of floats) is no reset.
///
/// ```
/// use decodescope::metrics::window::increase_between;
/// assert_eq!(increase_between(100.0, 130.0, false).unwrap().amount, 30.0);
/// assert_eq!(increase_between(100.0, 130.0, true).unwrap().amount, 130.0);
/// assert_eq!(increase_between(100.0, 7.0, false).unwrap().amount, 7.0);
/// ```
pub fn increase_between(before: f64, after: f64, restarted: bool) -> Option<Increase> {
    if !before.is_finite() || !after.is_finite() {
        return None;
    }
    if restarted || fell(before, after) {
        return Some(Increase { amount: after, resets: 1 });
    }
    Some(Increase { amount: (after - before).max(0.0), resets: 0 })
}

/// Whether a count fell by more than float error.
pub(super) fn fell(before: f64, after: f64) -> bool {
    after < before && !nearly_equal(before, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reset_adds_what_had_been_counted() {
        // 10, then 4 after a reset, then 9, then 2 after another: 2 − 10 + 10 + 9 = 11 = 0 + 4 + 5 + 2
        assert_eq!(increase(&[10.0, 4.0, 9.0, 2.0]), Some(Increase { amount: 11.0, resets: 2 }));
    }

    #[test]
    fn what_is_not_a_number_is_passed_over() {
        assert_eq!(increase(&[1.0, f64::NAN, 3.0]), Some(Increase { amount: 2.0, resets: 0 }));
        assert_eq!(increase(&[f64::INFINITY, 3.0]), None);
        assert_eq!(increase(&[]), None);
        assert_eq!(increase_between(1.0, f64::NAN, false), None);
    }

    #[test]
    fn float_error_is_no_reset() {
        let (before, after) = (0.1 + 0.2, 0.3);
        assert_eq!(increase_between(before, after, false), Some(Increase { amount: 0.0, resets: 0 }));
    }
}
