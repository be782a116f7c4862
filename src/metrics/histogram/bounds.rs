//! What the observations can be, given how many fell into each bucket and what they sum to.
//!
//! Bucket *i* holds `n_i` of the `N` observations, each in `(lo_i, hi_i]`; `C_i` of them lie in buckets up to *i*; `S`
//! is their sum. Let `L = Σ n_i lo_i` and `U = Σ n_i hi_i`. Since every observation is at least its lower bound,
//! `S ≥ L`, and what all of them together rise above their lower bounds is the **room** `A = S − L`. Likewise they
//! stay below their upper bounds by `B = U − S` together. Every bound here follows from one remark: a single
//! observation's rise is at most `A`, and `m` observations that each rise by at least `d` need `m · d ≤ A`.
//!
//! # Limits
//! The sum is a float that the exporter accumulated, so `A` and `B` are widened by `N · 2⁻⁵³ · Σ|x|`, the worst error of
//! adding `N` numbers one by one (Higham, *Accuracy and Stability of Numerical Algorithms*, section 4.2), and by the
//! rounding of `L` and `U` themselves. Counts that are not whole (the result of a `rate`) stand for an unknown
//! multiple of whole ones: there the bounds use mass instead of single observations and are a little wider.

use super::{Histogram, HistogramIssue, OccupiedBucket};

/// The largest relative error of one rounding, 2⁻⁵³.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// Everything the counts and the sum say.
pub(super) struct Knowledge {
    /// The buckets that hold observations, ascending; at least one.
    pub(super) occupied: Vec<OccupiedBucket>,
    /// All observations.
    pub(super) total: f64,
    /// Whether the counts are whole numbers, so that they count single observations.
    pub(super) whole: bool,
    /// What the sum adds; `None` if it is missing or not about these observations.
    pub(super) sum: Option<Sum>,
    /// Whether an observation may equal the lower bound of the first bucket: 0, the end of the support.
    closed_at_zero: bool,
    outside: Option<HistogramIssue>,
}

/// The sum and the room it leaves.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    /// `S`.
    pub(super) value: f64,
    /// `A = S − L` with slack: how far all observations together can lie above their lower bounds.
    pub(super) above_low: f64,
    /// `B = U − S` with slack: how far all observations together can lie below their upper bounds.
    pub(super) below_high: f64,
    /// How far the true sum may be from the stated one.
    pub(super) slack: f64,
}

impl Knowledge {
    /// `None` without observations, or if it is unknown how many lie above the last bucket.
    pub(super) fn of(histogram: &Histogram) -> Option<Self> {
        let complete = histogram.has_infinity() || histogram.count.is_some();
        let occupied = histogram.occupied();
        let first = occupied.first().filter(|_| complete)?;
        let closed_at_zero = first.lower == 0.0 && histogram.buckets.first().is_some_and(|b| b.le == first.upper);
        let total: f64 = occupied.iter().map(|bucket| bucket.count).sum();
        let whole = occupied.iter().all(|bucket| bucket.count.fract() == 0.0);
        let about_these = histogram.count.is_none_or(|count| super::repair::nearly_equal(count, total));
        let mut knowledge = Self { occupied, total, whole, sum: None, closed_at_zero, outside: None };
        if let Some(value) = histogram.sum.filter(|sum| about_these && sum.is_finite()) {
            knowledge.take_in(value);
        }
        Some(knowledge)
    }

    /// Takes in the sum if it passes the consistency test `L ≤ S ≤ U`.
    ///
    /// # Proof
    /// Each observation lies between its bucket's bounds; add them up. The lower end is met in the limit, or by
    /// observations of exactly 0.
    fn take_in(&mut self, value: f64) {
        let low = self.weighted(|bucket| bucket.lower);
        let high = self.weighted(|bucket| bucket.upper);
        let magnitude = self.weighted(|bucket| bucket.lower.abs().max(bucket.upper.abs()));
        let negative = self.occupied.iter().any(|bucket| bucket.lower < 0.0);
        // Without negative observations Σ|x| is the sum itself; with them it is at most the larger bounds' sum.
        let absolute = if negative && magnitude.is_finite() { magnitude } else { value.abs() };
        let slack = ROUNDING * (self.total + 4.0) * absolute;
        let of_bounds = |bound: f64| {
            if bound.is_finite() { ROUNDING * 4.0 * self.occupied.len() as f64 * bound.abs() } else { 0.0 }
        };
        let sum = Sum {
            value,
            above_low: value - low + slack + of_bounds(low),
            below_high: high - value + slack + of_bounds(high),
            slack,
        };
        if sum.above_low >= 0.0 && sum.below_high >= 0.0 {
            self.sum = Some(sum);
        } else {
            self.outside = Some(HistogramIssue::SumOutside { sum: value, low, high });
        }
    }

    /// The issue if the sum failed the consistency test.
    pub(super) fn sum_outside(&self) -> Option<HistogramIssue> {
        self.outside
    }

    /// `Σ n_i · of(bucket_i)`.
    pub(super) fn weighted(&self, of: impl Fn(&OccupiedBucket) -> f64) -> f64 {
        self.occupied.iter().map(|bucket| bucket.count * of(bucket)).sum()
    }

    /// The bucket of the quantile `q` and the lowest and highest value it can have.
    ///
    /// # Formula
    /// The quantile is the observation of rank `r = ⌈qN⌉` (at least 1), the `p`-th of the `n` in its bucket `(lo, hi]`:
    /// `max(lo, hi − B/p) ≤ x_(r) ≤ min(hi, lo + A/(n − p + 1))`.
    ///
    /// # Proof
    /// `n − p + 1` observations of the bucket are at least `x_(r)`, so each rises by at least `x_(r) − lo`: together at
    /// most `A`. `p` of them are at most `x_(r)`, so each stays at least `hi − x_(r)` below: together at most `B`.
    /// Both are met when those observations are equal and all others sit at the bound in question.
    /// If `hi` is infinite, so is `B`; but when `p = n` all `n` are at most `x_(r)` and all others at most their upper
    /// bounds, so `n · x_(r) ≥ S − Σ_others n_i hi_i`; likewise downwards when `lo` is infinite and `p = 1`.
    ///
    /// # Source
    /// Markov's inequality on a shifted bounded variable and on its reverse, as for grouped data with a known mean:
    /// Gastwirth 1972; Krieger and Gastwirth, *Econometrica* 52:419 (1984).
    pub(super) fn quantile(&self, q: f64) -> Option<(OccupiedBucket, f64, f64)> {
        let (bucket, place) = self.locate(q)?;
        let (mut low, mut high) = (bucket.lower, bucket.upper);
        // How many observations, or how much mass, is at most and at least the quantile within its bucket.
        let (at_most, at_least) = (place, bucket.count - place + if self.whole { 1.0 } else { 0.0 });
        if let Some(sum) = self.sum {
            if at_least > 0.0 {
                high = high.min(bucket.lower + sum.above_low / at_least);
            }
            if at_most > 0.0 {
                low = low.max(bucket.upper - sum.below_high / at_most);
            }
            if bucket.upper == f64::INFINITY && at_most == bucket.count {
                low = low.max((sum.value - sum.slack - self.others(&bucket, |other| other.upper)) / bucket.count);
            }
            if bucket.lower == f64::NEG_INFINITY && at_least == bucket.count {
                high = high.min((sum.value + sum.slack - self.others(&bucket, |other| other.lower)) / bucket.count);
            }
        }
        Some((bucket, low.min(high), high))
    }

    fn others(&self, bucket: &OccupiedBucket, of: impl Fn(&OccupiedBucket) -> f64) -> f64 {
        self.occupied.iter().filter(|other| other.lower != bucket.lower).map(|other| other.count * of(other)).sum()
    }

    /// The bucket of the quantile and the rank within it: from 1 for whole counts, from 0 for mass.
    fn locate(&self, q: f64) -> Option<(OccupiedBucket, f64)> {
        if !(0.0..=1.0).contains(&q) {
            return None;
        }
        // 0.07 · 100 is 7.000000000000001 in floats and must not become the eighth.
        let exact = q * self.total * (1.0 - 4.0 * f64::EPSILON);
        let rank = if self.whole { exact.ceil().max(1.0) } else { q * self.total };
        let mut below = 0.0;
        for &bucket in &self.occupied {
            if rank <= below + bucket.count {
                return Some((bucket, (rank - below).max(0.0)));
            }
            below += bucket.count;
        }
        self.occupied.last().map(|&last| (last, last.count))
    }

    /// The fewest and most observations that can be at most `threshold`.
    ///
    /// # Formula
    /// With `t` inside the bucket `(lo, hi]` that holds `n`, and `C` observations below it:
    /// `C + max(0, n − ⌊A/(t − lo)⌋) ≤ #{x ≤ t} ≤ C + min(n, ⌊B/(hi − t)⌋)`. On a bound it is exact.
    ///
    /// # Proof
    /// Each of the `m` observations of the bucket above `t` rises by at least `t − lo`, so `m ≤ A/(t − lo)`; each of
    /// those up to `t` stays at least `hi − t` below its upper bound, so there are at most `B/(hi − t)` of them. If
    /// `hi` is infinite, not all `n` can be up to `t` once `S` exceeds `Σ_others n_i hi_i + n t`.
    pub(super) fn at_most(&self, threshold: f64) -> (f64, f64) {
        let round = |count: f64| if self.whole { count.floor() } else { count };
        let mut below = 0.0;
        for (index, bucket) in self.occupied.iter().enumerate() {
            if bucket.upper <= threshold {
                below += bucket.count;
                continue;
            }
            let touches = index == 0 && self.closed_at_zero && threshold == 0.0;
            if threshold <= bucket.lower && !touches {
                break;
            }
            let (mut above_at_most, mut up_to_at_most) = (bucket.count, bucket.count);
            if let Some(sum) = self.sum {
                if threshold > bucket.lower {
                    above_at_most = above_at_most.min(round(sum.above_low / (threshold - bucket.lower)));
                }
                if bucket.upper < f64::INFINITY {
                    up_to_at_most = up_to_at_most.min(round(sum.below_high / (bucket.upper - threshold)));
                } else if self.whole
                    && sum.value - sum.slack > self.others(bucket, |other| other.upper) + bucket.count * threshold
                {
                    up_to_at_most -= 1.0;
                }
            }
            return (below + bucket.count - above_at_most, below + up_to_at_most);
        }
        (below, below)
    }
}

impl Histogram {
    /// The smallest and largest share of observations that can lie above a threshold, each 0 to 1.
    ///
    /// The same on a bucket bound; narrower than the bucket's share inside one where the sum allows. `None` without
    /// observations, if the threshold is NaN, and where it is unknown how many lie above the last bucket.
    ///
    /// ```
    /// use decodescope::metrics::histogram::Histogram;
    /// let cumulative = vec![(1.0, 100.0), (f64::INFINITY, 100.0)];
    /// let (histogram, _) = Histogram::from_cumulative(cumulative, Some(90.0), Some(100.0));
    /// // A mean of 0.9 leaves 10 below the upper bounds: at most ⌊10/0.7⌋ = 14 observations are 0.3 or less.
    /// assert_eq!(histogram.share_above(0.3), Some((0.86, 1.0)));
    /// ```
    pub fn share_above(&self, threshold: f64) -> Option<(f64, f64)> {
        let knowledge = Knowledge::of(self).filter(|_| !threshold.is_nan())?;
        let (fewest, most) = knowledge.at_most(threshold);
        Some(((knowledge.total - most) / knowledge.total, (knowledge.total - fewest) / knowledge.total))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::worked_example;
    use super::*;

    fn near(found: (f64, f64), expected: (f64, f64)) {
        assert!((found.0 - expected.0).abs() < 1e-9 && (found.1 - expected.1).abs() < 1e-9, "{found:?} {expected:?}");
    }

    /// All 1623 in (10, 25] ms and 28.224 s in all: `A` = 11.994 s, `B` = 12.351 s.
    #[test]
    fn the_worked_examples_coarse_bucket_is_narrowed_by_its_sum() {
        let bounds = |q| worked_example().quantile(q).map(|quantile| (quantile.low, quantile.high)).unwrap();
        // p50 is the 812th: at most 10 ms + A/812, and 25 ms − B/812 lies below the bucket.
        near(bounds(0.5), (0.01, 0.01 + 11.994 / 812.0));
        // p99 is the 1607th, so 1607 are no larger: at least 25 ms − B/1607 = 17.3 ms.
        near(bounds(0.99), (0.025 - 12.351 / 1607.0, 0.025));
        // Each above 24.99 ms takes 14.99 ms of A: at most 800. Each up to 15 ms leaves 10 ms of B: at most 1235.
        near(worked_example().share_above(0.02499).unwrap(), (0.0, (11.994_f64 / 0.01499).floor() / 1623.0));
        near(worked_example().share_above(0.015).unwrap(), (1.0 - 1235.0 / 1623.0, 1.0));
    }

    #[test]
    fn a_count_that_is_not_of_the_buckets_leaves_the_sum_out() {
        let mut torn = worked_example();
        torn.count = Some(1630.0);
        let quantile = torn.quantile(0.5).unwrap();
        assert!(!quantile.sum_used);
        assert_eq!((quantile.low, quantile.high, quantile.estimate), (0.01, 0.025, None));
        assert_eq!(torn.standard_deviation(), None);
    }

    #[test]
    fn what_a_cut_dump_cannot_tell_is_not_told() {
        let (cut, _) = Histogram::from_cumulative(vec![(0.01, 3.0), (0.025, 9.0)], Some(0.1), None);
        assert_eq!(cut.quantile(0.5), None);
        assert_eq!(cut.share_above(0.02), None);
    }

    #[test]
    fn a_rank_is_not_pushed_up_by_rounding() {
        // 0.07 · 100 = 7.000000000000001 in floats; the seventh is still in the first bucket.
        let (histogram, _) = Histogram::from_cumulative(vec![(1.0, 7.0), (2.0, 100.0)], None, Some(100.0));
        assert_eq!(histogram.quantile(0.07).unwrap().bucket, (0.0, 1.0));
    }
}
