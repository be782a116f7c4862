//! `histogram_quantile` and `histogram_fraction` over classic buckets, to the digit as Prometheus computes them.
//!
//! # Source
//! prometheus/prometheus, `promql/quantile.go` (`BucketQuantile`, `BucketFraction`) and
//! `docs/querying/functions.md`; edge cases as in its `promqltest/testdata/histograms.test`.

use super::repair::{level, sort_and_merge};

/// What [`histogram_quantile`] answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileResult {
    /// The quantile in the metric's unit; NaN where Prometheus gives NaN.
    pub value: f64,
    /// Whether a count fell from one bound to the next and was raised; Prometheus then annotates the query.
    pub forced_monotonic: bool,
    /// Whether counts that differ by float error only were levelled.
    pub fixed_precision: bool,
}

/// The quantile `q` of cumulative buckets `(le, count)`, in any order, exactly as Prometheus' `histogram_quantile`.
///
/// # Formula
/// The bucket is the first with `count ≥ rank = q · total`; the quantile is interpolated linearly between its bounds:
/// `lower + (upper − lower) · (rank − below) / (count − below)`. The lowest bucket starts at 0 if its bound is
/// positive and answers its bound otherwise; the +Inf bucket answers the highest finite bound.
///
/// # Limits
/// `q` below 0 gives −∞, above 1 +∞. NaN: `q` is NaN, the highest bound is not +Inf, fewer than two buckets, no
/// observations, or `q = 0` with an empty lowest bucket (0/0).
///
/// ```
/// # use decodescope::metrics::histogram::histogram_quantile;
/// // rank 811.5 of 1623, all in (10, 25] ms: 10 + 15 · 811.5/1623 = 17.5 ms
/// let itl = [(0.01, 0.0), (0.025, 1623.0), (f64::INFINITY, 1623.0)];
/// assert_eq!(histogram_quantile(0.5, &itl).value, 0.0175);
/// ```
pub fn histogram_quantile(q: f64, cumulative: &[(f64, f64)]) -> QuantileResult {
    let plain = |value| QuantileResult { value, forced_monotonic: false, fixed_precision: false };
    if q.is_nan() {
        return plain(f64::NAN);
    }
    if q < 0.0 {
        return plain(f64::NEG_INFINITY);
    }
    if q > 1.0 {
        return plain(f64::INFINITY);
    }
    let mut buckets = cumulative.to_vec();
    sort_and_merge(&mut buckets);
    if buckets.last().is_none_or(|&(le, _)| le != f64::INFINITY) {
        return plain(f64::NAN);
    }
    let mut forced_monotonic = false;
    let fixed_precision = level(&mut buckets, |_, _, _| forced_monotonic = true);
    let [finite @ .., (_, total)] = &buckets[..] else { return plain(f64::NAN) };
    QuantileResult { value: interpolate(q, finite, *total), forced_monotonic, fixed_precision }
}

fn interpolate(q: f64, finite: &[(f64, f64)], total: f64) -> f64 {
    let Some(&(highest, _)) = finite.last() else { return f64::NAN };
    if total == 0.0 {
        return f64::NAN;
    }
    let rank = q * total;
    let at = first_reaching(finite, rank);
    let Some(&(upper, up_to)) = finite.get(at) else { return highest };
    let (lower, below) = match at.checked_sub(1).and_then(|before| finite.get(before)) {
        Some(&before) => before,
        None if upper <= 0.0 => return upper,
        None => (0.0, 0.0),
    };
    lower + (upper - lower) * ((rank - below) / (up_to - below))
}

/// Halves the way Prometheus does, so that NaN counts, for which no order holds, lead to the same bucket.
fn first_reaching(buckets: &[(f64, f64)], rank: f64) -> usize {
    let (mut from, mut to) = (0, buckets.len());
    while from < to {
        let middle = usize::midpoint(from, to);
        if buckets.get(middle).is_some_and(|&(_, count)| count >= rank) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

/// The share of observations in (`lower`, `upper`], of cumulative buckets in any order, exactly as Prometheus'
/// `histogram_fraction`.
///
/// # Formula
/// `(F(upper) − F(lower)) / total` with `F` interpolated linearly within a bucket. A bucket with an infinite bound is
/// not interpolated: it counts only where it is covered whole.
///
/// # Limits
/// NaN: a bound is NaN, the highest `le` is not +Inf, no observations. 0 where `lower ≥ upper`.
///
/// ```
/// # use decodescope::metrics::histogram::histogram_fraction;
/// let itl = [(0.01, 0.0), (0.025, 1623.0), (f64::INFINITY, 1623.0)];
/// assert!((histogram_fraction(0.0, 0.0175, &itl) - 0.5).abs() < 1e-12);
/// ```
pub fn histogram_fraction(lower: f64, upper: f64, cumulative: &[(f64, f64)]) -> f64 {
    let mut buckets = cumulative.to_vec();
    sort_and_merge(&mut buckets);
    let Some(&(f64::INFINITY, total)) = buckets.last() else { return f64::NAN };
    if total == 0.0 || lower.is_nan() || upper.is_nan() {
        return f64::NAN;
    }
    if lower >= upper {
        return 0.0;
    }
    (up_to(upper, &buckets, total) - up_to(lower, &buckets, total)) / total
}

fn up_to(value: f64, buckets: &[(f64, f64)], total: f64) -> f64 {
    let (mut start, mut below) = (f64::NEG_INFINITY, 0.0);
    for (index, &(end, count)) in buckets.iter().enumerate() {
        if index == 0 && end > 0.0 {
            start = 0.0;
        }
        if start >= value {
            return below;
        }
        if end > value {
            let inside = count - below;
            let part = if start.is_infinite() { inside } else { inside * (value - start) / (end - start) };
            return (below + part).min(total);
        }
        (start, below) = (end, count);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFINITE: f64 = f64::INFINITY;

    fn quantile(q: f64, cumulative: &[(f64, f64)]) -> f64 {
        histogram_quantile(q, cumulative).value
    }

    #[test]
    fn interpolates_linearly_from_zero_and_stops_at_the_last_bound() {
        let cumulative = [(1.0, 4.0), (3.0, 8.0), (INFINITE, 10.0)];
        assert_eq!(quantile(0.2, &cumulative), 0.5); // rank 2 of 4 in (0, 1]
        assert_eq!(quantile(0.6, &cumulative), 2.0); // rank 6: 2 of 4 in (1, 3]
        assert_eq!(quantile(0.9, &cumulative), 3.0); // above 3 there is nothing to interpolate to
    }

    #[test]
    fn edges_answer_as_prometheus_does() {
        let cumulative = [(1.0, 0.0), (2.0, 5.0), (INFINITE, 5.0)];
        assert_eq!(quantile(-0.1, &cumulative), f64::NEG_INFINITY);
        assert_eq!(quantile(1.1, &cumulative), INFINITE);
        assert!(quantile(0.0, &cumulative).is_nan()); // 0/0 in the empty lowest bucket
        assert!(quantile(f64::NAN, &cumulative).is_nan());
        assert!(quantile(0.5, &[(1.0, 5.0)]).is_nan());
        assert!(quantile(0.5, &[(INFINITE, 5.0)]).is_nan());
        assert!(quantile(0.5, &[(1.0, 0.0), (INFINITE, 0.0)]).is_nan());
        assert!(quantile(0.5, &[]).is_nan());
        assert_eq!(quantile(0.5, &[(-1.0, 2.0), (INFINITE, 2.0)]), -1.0);
    }

    #[test]
    fn a_falling_count_is_raised_and_told() {
        let result = histogram_quantile(0.5, &[(2.0, 3.0), (1.0, 5.0), (INFINITE, 4.0)]);
        assert_eq!(result, QuantileResult { value: 0.5, forced_monotonic: true, fixed_precision: false });
    }

    #[test]
    fn a_fraction_counts_unbounded_buckets_only_whole() {
        let cumulative = [(-3.0, 10.0), (-2.0, 12.0), (-1.0, 15.0), (INFINITE, 100.0)];
        assert_eq!(histogram_fraction(f64::NEG_INFINITY, -1.5, &cumulative), 0.135);
        assert_eq!(histogram_fraction(-4.0, -2.0, &cumulative), 0.02);
        assert_eq!(histogram_fraction(-1.0, 50.0, &cumulative), 0.0);
        assert_eq!(histogram_fraction(-1.0, INFINITE, &cumulative), 0.85);
        assert_eq!(histogram_fraction(5.0, 5.0, &cumulative), 0.0);
        assert!(histogram_fraction(0.0, f64::NAN, &cumulative).is_nan());
    }
}
