//! What a histogram saw between two scrapes.

use super::counter::fell;
use crate::metrics::histogram::{Bucket, Histogram};

/// The observations between two scrapes, and how they were told apart from those before.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramWindow {
    /// The window's own observations.
    pub histogram: Histogram,
    /// Why all of the later scrape is taken as new; `None` if the earlier one was subtracted.
    pub reset: Option<Reset>,
    /// Whether the two have different bucket bounds, so that only those both have are left.
    pub bounds_differ: bool,
    /// How far rounding in the exporter can have moved the window's sum, in the metric's unit: each of the window's
    /// additions rounds the whole sum since the start, by at most 2⁻⁵³ of it.
    pub sum_error: f64,
}

/// The evidence that a histogram was set back to zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reset {
    /// The server's start time says so.
    Restarted,
    /// The number of observations fell.
    CountFell {
        /// In the earlier scrape.
        before: f64,
        /// In the later scrape.
        after: f64,
    },
    /// One bucket's own observations became fewer.
    BucketFell {
        /// The bucket's bound.
        le: f64,
        /// In the earlier scrape.
        before: f64,
        /// In the later scrape.
        after: f64,
    },
    /// The sum fell though no observation can be negative.
    SumFell {
        /// In the earlier scrape.
        before: f64,
        /// In the later scrape.
        after: f64,
    },
}

/// The observations between two scrapes of one histogram. With a reset in between, those since the reset; what was
/// observed between the earlier scrape and the reset is lost.
///
/// A histogram is reset as a whole or not at all: Prometheus looks at classic buckets one series at a time, and after a
/// restart subtracts some and not others. Where bounds differ, each histogram is first brought to those both have.
///
/// # Source
/// Reset detection as for native histograms: prometheus/prometheus, `model/histogram/float_histogram.go`
/// (`DetectReset`), here for classic ones.
///
/// ```
/// use decodescope::metrics::histogram::Histogram;
/// use decodescope::metrics::window::histogram_between;
/// let scrape = |fast, all, sum| {
///     Histogram::from_cumulative(vec![(0.025, fast), (f64::INFINITY, all)], Some(sum), Some(all)).0
/// };
/// let window = histogram_between(&scrape(1000.0, 1020.0, 19.0), &scrape(1612.0, 1633.0, 29.9), false);
/// assert_eq!(window.histogram.count, Some(613.0));
/// assert!((window.histogram.mean().unwrap() - 10.9 / 613.0).abs() < 1e-9); // warm-up is out of the mean
/// ```
pub fn histogram_between(before: &Histogram, after: &Histogram, restarted: bool) -> HistogramWindow {
    let bounds_differ = !before.is_empty() && !before.same_bounds(after);
    let (old, new): (Vec<Bucket>, Vec<Bucket>) = if bounds_differ {
        (before.restricted_to(after).collect(), after.restricted_to(before).collect())
    } else {
        (before.buckets.clone(), after.buckets.clone())
    };
    let reset = if restarted { Some(Reset::Restarted) } else { reset(before, after, &old, &new) };
    if reset.is_some() || before.is_empty() {
        return HistogramWindow { histogram: after.clone(), reset, bounds_differ: false, sum_error: 0.0 };
    }
    let grown = |before: f64, after: f64| (after - before).max(0.0);
    let buckets = old.iter().zip(&new).map(|(old, new)| Bucket { le: new.le, count: grown(old.count, new.count) });
    let histogram = Histogram {
        buckets: buckets.collect(),
        sum: before.sum.zip(after.sum).map(|(before, after)| after - before),
        count: before.count.zip(after.count).map(|(before, after)| grown(before, after)),
    };
    let sum_error = histogram.total() * f64::EPSILON / 2.0 * after.sum.unwrap_or(0.0).abs();
    HistogramWindow { histogram, reset: None, bounds_differ, sum_error }
}

fn reset(before: &Histogram, after: &Histogram, old: &[Bucket], new: &[Bucket]) -> Option<Reset> {
    let count = before.count.zip(after.count).filter(|&(before, after)| fell(before, after));
    if let Some((before, after)) = count {
        return Some(Reset::CountFell { before, after });
    }
    let bucket = old.iter().zip(new).find(|(old, new)| fell(old.count, new.count));
    if let Some((old, new)) = bucket {
        return Some(Reset::BucketFell { le: new.le, before: old.count, after: new.count });
    }
    let never_negative = after.buckets.first().is_none_or(|first| first.le >= 0.0);
    let sum = before.sum.zip(after.sum).filter(|&(before, after)| never_negative && fell(before, after));
    sum.map(|(before, after)| Reset::SumFell { before, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFINITE: f64 = f64::INFINITY;

    fn histogram(cumulative: &[(f64, f64)], sum: f64) -> Histogram {
        let count = cumulative.last().map(|&(_, count)| count);
        Histogram::from_cumulative(cumulative.to_vec(), Some(sum), count).0
    }

    #[test]
    fn a_restart_that_overtook_the_count_shows_in_one_bucket() {
        // More observations than before, but fewer fast ones: bucket by bucket this would be nonsense.
        let before = histogram(&[(1.0, 50.0), (2.0, 60.0), (INFINITE, 60.0)], 45.0);
        let after = histogram(&[(1.0, 10.0), (2.0, 90.0), (INFINITE, 90.0)], 125.0);
        let window = histogram_between(&before, &after, false);
        assert_eq!(window.reset, Some(Reset::BucketFell { le: 1.0, before: 50.0, after: 10.0 }));
        assert_eq!(window.histogram, after);
    }

    #[test]
    fn a_fallen_count_or_sum_or_a_later_start_is_a_reset() {
        let before = histogram(&[(1.0, 50.0), (INFINITE, 60.0)], 300.0);
        let reset = |after: &Histogram, restarted| histogram_between(&before, after, restarted).reset;
        let fewer = histogram(&[(1.0, 5.0), (INFINITE, 5.0)], 3.0);
        assert_eq!(reset(&fewer, false), Some(Reset::CountFell { before: 60.0, after: 5.0 }));
        let quicker = histogram(&[(1.0, 55.0), (INFINITE, 65.0)], 200.0);
        assert_eq!(reset(&quicker, false), Some(Reset::SumFell { before: 300.0, after: 200.0 }));
        let more = histogram(&[(1.0, 55.0), (INFINITE, 65.0)], 400.0);
        assert_eq!(reset(&more, true), Some(Reset::Restarted));
        assert_eq!(reset(&more, false), None);
    }

    #[test]
    fn differing_bounds_are_brought_to_those_both_have() {
        let before = histogram(&[(1.0, 1.0), (2.0, 3.0), (INFINITE, 4.0)], 9.0);
        let after = histogram(&[(2.0, 5.0), (4.0, 7.0), (INFINITE, 8.0)], 21.0);
        let window = histogram_between(&before, &after, false);
        assert!(window.bounds_differ && window.reset.is_none());
        assert_eq!(window.histogram, histogram(&[(2.0, 2.0), (INFINITE, 4.0)], 12.0));
    }

    #[test]
    fn a_series_that_was_not_there_is_new_as_a_whole() {
        let after = histogram(&[(1.0, 1.0), (INFINITE, 2.0)], 9.0);
        let window = histogram_between(&Histogram::default(), &after, false);
        assert_eq!((window.histogram, window.reset, window.bounds_differ), (after, None, false));
    }

    #[test]
    fn nothing_between_leaves_nothing() {
        let scrape = histogram(&[(1.0, 1.0), (INFINITE, 2.0)], 9.0);
        let window = histogram_between(&scrape, &scrape, false);
        assert_eq!((window.histogram.total(), window.histogram.mean()), (0.0, None));
    }

    #[test]
    fn a_long_sums_rounding_is_told() {
        // 100 additions to a sum of a million seconds: up to 100 · 2⁻⁵³ · 10⁶ s = 11 ns
        let before = histogram(&[(1.0, 1e9), (INFINITE, 1e9)], 1e6);
        let after = histogram(&[(1.0, 1e9 + 100.0), (INFINITE, 1e9 + 100.0)], 1e6 + 2.0);
        assert!((histogram_between(&before, &after, false).sum_error - 1.11e-8).abs() < 1e-10);
    }
}
