//! From cumulative buckets as scraped to a sound [`Histogram`], saying what had to be mended.

use super::bounds::Knowledge;
use super::{Bucket, Histogram, HistogramIssue};
use std::cmp::Ordering;

/// Counts closer than this, relatively, differ by float error only. Prometheus' own tolerance.
const TOLERANCE: f64 = 1e-12;

/// Counts above this are damage; below it no sum of counts overflows.
const LARGEST_COUNT: f64 = 1e200;

impl Histogram {
    /// Reads cumulative buckets `(le, count)` in any order, with the sum and count beside them, and mends what can be
    /// mended: sorts, adds equal bounds and levels falling counts as Prometheus does, restores a missing +Inf bucket
    /// from the count, leaves out what is not a number. Every mend is an issue; an empty histogram has none.
    ///
    /// ```
    /// use decodescope::metrics::histogram::{Histogram, HistogramIssue};
    /// let (histogram, issues) = Histogram::from_cumulative(vec![(1.0, 3.0), (2.0, 5.0)], Some(6.5), Some(6.0));
    /// assert_eq!(histogram.buckets.len(), 3); // 3, 2, and 1 above 2
    /// assert_eq!(issues, [HistogramIssue::MissingInfinity { count: Some(6.0) }]);
    /// ```
    pub fn from_cumulative(
        buckets: Vec<(f64, f64)>,
        sum: Option<f64>,
        count: Option<f64>,
    ) -> (Self, Vec<HistogramIssue>) {
        let mut issues = Vec::new();
        let had_buckets = !buckets.is_empty();
        let mut cumulative = usable(buckets, &mut issues);
        let sum = keep(sum, f64::is_finite, |sum| HistogramIssue::BadSum { sum }, &mut issues);
        let count = keep(
            count,
            |count| (0.0..=LARGEST_COUNT).contains(&count),
            |count| HistogramIssue::BadTotal { count },
            &mut issues,
        );

        let mut pairs = cumulative.iter().zip(cumulative.iter().skip(1));
        issues.extend(pairs.find(|(a, b)| b.0 < a.0).map(|(_, b)| HistogramIssue::NotAscending { le: b.0 }));
        issues.extend(sort_and_merge(&mut cumulative).into_iter().map(|le| HistogramIssue::DuplicateBound { le }));
        level(&mut cumulative, |le, count, raised_to| {
            issues.push(HistogramIssue::NotMonotonic { le, count, raised_to });
        });

        if let Some(&(last, held)) = cumulative.last() {
            if last < f64::INFINITY {
                issues.push(HistogramIssue::MissingInfinity { count });
                cumulative.extend(count.map(|count| (f64::INFINITY, count.max(held))));
            }
            match count {
                Some(count) if cumulative.last().is_some_and(|&(_, held)| !nearly_equal(held, count)) => {
                    issues.push(HistogramIssue::CountDisagrees { count, buckets: held });
                }
                None if last == f64::INFINITY => issues.push(HistogramIssue::NoCount),
                _ => {}
            }
        } else if had_buckets || sum.is_some() || count.is_some() {
            issues.push(HistogramIssue::NoBuckets);
        }
        if sum.is_none() && (had_buckets || count.is_some()) {
            issues.push(HistogramIssue::NoSum);
        }

        let mut below = 0.0;
        let buckets = cumulative
            .into_iter()
            .map(|(le, up_to)| Bucket { le, count: up_to - std::mem::replace(&mut below, up_to) })
            .collect();
        let histogram = Self { buckets, sum, count };
        issues.extend(Knowledge::of(&histogram).and_then(|knowledge| knowledge.sum_outside()));
        (histogram, issues)
    }
}

fn usable(buckets: Vec<(f64, f64)>, issues: &mut Vec<HistogramIssue>) -> Vec<(f64, f64)> {
    let mut kept = Vec::with_capacity(buckets.len() + 1);
    for (le, count) in buckets {
        if le.is_nan() || le == f64::NEG_INFINITY {
            issues.push(HistogramIssue::BadBound { le });
        } else if count.is_nan() || count.abs() > LARGEST_COUNT {
            issues.push(HistogramIssue::BadCount { le, count });
        } else {
            if count < 0.0 {
                issues.push(HistogramIssue::NegativeCount { le, count });
            }
            kept.push((le, count.max(0.0)));
        }
    }
    kept
}

fn keep(
    value: Option<f64>,
    sound: impl Fn(f64) -> bool,
    issue: impl Fn(f64) -> HistogramIssue,
    issues: &mut Vec<HistogramIssue>,
) -> Option<f64> {
    issues.extend(value.filter(|&value| !sound(value)).map(issue));
    value.filter(|&value| sound(value))
}

/// Sorts by bound and adds the counts of equal bounds; returns the bounds that were merged.
pub(super) fn sort_and_merge(cumulative: &mut Vec<(f64, f64)>) -> Vec<f64> {
    cumulative.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
    let mut merged = Vec::new();
    cumulative.dedup_by(|bucket, kept| {
        let same = bucket.0 == kept.0;
        if same {
            kept.1 += bucket.1;
            merged.push(kept.0);
        }
        same
    });
    merged
}

/// Makes counts never fall from one bound to the next, as Prometheus does: differences of float error are levelled
/// in either direction without a word, a count that falls is raised to the one before it and told as
/// `(le, count, raised_to)`. Returns whether float error was levelled.
pub(super) fn level(cumulative: &mut [(f64, f64)], mut raised: impl FnMut(f64, f64, f64)) -> bool {
    let mut levelled = false;
    let Some(&(_, mut highest)) = cumulative.first() else { return false };
    for (le, count) in cumulative.iter_mut().skip(1) {
        if *count == highest {
            continue;
        }
        if nearly_equal(highest, *count) {
            levelled = true;
        } else if *count < highest {
            raised(*le, *count, highest);
        } else {
            highest = *count;
            continue;
        }
        *count = highest;
    }
    levelled
}

/// Equality up to [`TOLERANCE`] of the summed magnitudes; near zero, of the smallest normal number.
pub(crate) fn nearly_equal(a: f64, b: f64) -> bool {
    if a == b || (a.is_nan() && b.is_nan()) {
        return true;
    }
    let magnitude = a.abs() + b.abs();
    let scale =
        if a == 0.0 || b == 0.0 || magnitude < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { magnitude.min(f64::MAX) };
    (a - b).abs() < TOLERANCE * scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use HistogramIssue::*;

    const INFINITE: f64 = f64::INFINITY;

    fn counts(histogram: &Histogram) -> Vec<f64> {
        histogram.buckets.iter().map(|bucket| bucket.count).collect()
    }

    #[test]
    fn unsorted_repeated_and_falling_buckets_are_mended_as_prometheus_does() {
        let cumulative = vec![(2.0, 3.0), (1.0, 2.0), (1.0, 2.0), (INFINITE, 4.0)];
        let (histogram, issues) = Histogram::from_cumulative(cumulative, Some(5.0), Some(4.0));
        assert_eq!(counts(&histogram), [4.0, 0.0, 0.0]);
        assert_eq!(
            issues,
            [
                NotAscending { le: 1.0 },
                DuplicateBound { le: 1.0 },
                NotMonotonic { le: 2.0, count: 3.0, raised_to: 4.0 },
                SumOutside { sum: 5.0, low: 0.0, high: 4.0 }
            ]
        );
    }

    #[test]
    fn what_is_not_a_number_is_left_out_and_told() {
        let cumulative = vec![(f64::NAN, 1.0), (f64::NEG_INFINITY, 1.0), (1.0, f64::NAN), (2.0, -3.0), (INFINITE, 4.0)];
        let (histogram, issues) = Histogram::from_cumulative(cumulative, Some(f64::NAN), Some(-1.0));
        assert_eq!(counts(&histogram), [0.0, 4.0]);
        assert_eq!((histogram.sum, histogram.count), (None, None));
        let kinds: Vec<String> = issues.iter().map(ToString::to_string).collect();
        assert_eq!(
            kinds,
            [
                "bucket left out: its bound is NaN",
                "bucket left out: its bound is -inf",
                "bucket le=1 left out: its count is NaN",
                "bucket le=2 counts -3, read as 0",
                "sum left out: it is NaN",
                "count left out: it is -1",
                "no count, taken from the buckets",
                "no sum: no mean, bounds use counts alone",
            ]
        );
    }

    #[test]
    fn a_count_that_disagrees_with_infinity_is_told_and_the_mean_uses_it() {
        let (histogram, issues) = Histogram::from_cumulative(vec![(1.0, 4.0), (INFINITE, 5.0)], Some(6.0), Some(6.0));
        assert_eq!(issues, [CountDisagrees { count: 6.0, buckets: 5.0 }]);
        assert_eq!(histogram.mean(), Some(1.0));
    }

    #[test]
    fn a_count_below_the_last_bucket_restores_nothing() {
        let (histogram, issues) = Histogram::from_cumulative(vec![(1.0, 4.0)], Some(2.0), Some(3.0));
        assert_eq!(counts(&histogram), [4.0, 0.0]);
        assert_eq!(issues, [MissingInfinity { count: Some(3.0) }, CountDisagrees { count: 3.0, buckets: 4.0 }]);
    }

    #[test]
    fn a_filtered_dump_of_sum_and_count_still_has_a_mean() {
        let (histogram, issues) = Histogram::from_cumulative(vec![], Some(0.625), Some(12.0));
        assert_eq!(histogram.mean(), Some(0.625 / 12.0));
        assert_eq!(issues, [NoBuckets]);
        assert_eq!(Histogram::from_cumulative(vec![], None, None), (Histogram::default(), vec![]));
    }

    #[test]
    fn a_sum_in_milliseconds_beside_buckets_in_seconds_is_impossible() {
        let cumulative = vec![(0.01, 0.0), (0.025, 100.0), (INFINITE, 100.0)];
        let (_, issues) = Histogram::from_cumulative(cumulative, Some(1740.0), Some(100.0));
        assert_eq!(issues, [SumOutside { sum: 1740.0, low: 1.0, high: 2.5 }]);
    }

    #[test]
    fn float_error_in_counts_is_levelled_without_a_word() {
        let mut cumulative = vec![(1.0, 1.0), (2.0, 1.0 - 1e-13), (3.0, 1.0 + 1e-13), (4.0, 0.5)];
        let mut told = Vec::new();
        assert!(level(&mut cumulative, |le, count, raised_to| told.push((le, count, raised_to))));
        assert!(cumulative.iter().all(|&(_, count)| count == 1.0));
        assert_eq!(told, [(4.0, 0.5, 1.0)]);
    }
}
