//! What bucket counts and their exact sum say about the observations behind them.
//!
//! A Prometheus histogram keeps three things of its observations: how many fell into each bucket, their number,
//! and their exact sum. This module reads that without adding to it:
//!
//! | question | answer | file |
//! |---|---|---|
//! | is the scrape sound? | [`HistogramIssue`]s, from [`Histogram::from_cumulative`] | `repair` |
//! | where does the mass sit? | [`OccupiedBucket`]s, the main one, what lies beyond it | `occupied` |
//! | what would Prometheus say? | [`histogram_quantile`], [`histogram_fraction`] | `prometheus` |
//! | what can it be at all? | rigorous bounds on quantiles, shares and spread | `bounds` |
//! | and of a native histogram? | [`NativeHistogram`], also as a classic one | `native` |
//! | what is most plausible? | the maximum-entropy estimate that reproduces the mean | `entropy` |
//!
//! # Units
//! Bounds, sums and quantiles are in the metric's own unit (seconds, tokens); counts and shares have none.
//!
//! # Limits
//! A first bucket with a bound of 0 or more is taken to start at 0, as durations and sizes do; one with a negative
//! bound reaches down to −∞.

mod bounds;
mod entropy;
mod issue;
mod merge;
mod native;
mod number;
mod occupied;
mod prometheus;
mod quantile;
mod repair;
mod spread;

use serde::{Deserialize, Serialize};

pub use issue::HistogramIssue;
pub use native::{NativeError, NativeHistogram};
pub use occupied::OccupiedBucket;
pub use prometheus::{QuantileResult, histogram_fraction, histogram_quantile};
pub use quantile::Quantile;
pub(crate) use repair::nearly_equal;

/// One classic histogram, de-cumulated: each bucket counts its own observations only.
///
/// Counts are `f64` because a scrape may hold floats (the result of a `rate`, say). In JSON a bucket is a pair, so
/// that a histogram stays short in a link: `{"buckets":[[0.01,0],[0.025,1623],["+Inf",0]],"sum":28.2,"count":1623}`.
/// Reading it back refuses bounds that do not ascend and counts that are negative or not finite.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(into = "number::Shape", try_from = "number::Shape")]
pub struct Histogram {
    /// The buckets, ascending by bound; the last one may reach to +∞.
    pub buckets: Vec<Bucket>,
    /// The exact sum of all observations, in the metric's unit.
    pub sum: Option<f64>,
    /// The number of observations, as the dump states it.
    pub count: Option<f64>,
}

/// A bucket's upper bound (inclusive) and how many observations it alone holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// The upper bound, inclusive; +∞ is written `"+Inf"` in JSON.
    #[serde(with = "number")]
    pub le: f64,
    /// The observations above the bound before and up to this one.
    #[serde(with = "number")]
    pub count: f64,
}

impl Histogram {
    /// How many observations there are: the stated count, or else what the buckets hold.
    pub fn total(&self) -> f64 {
        // The sum of no numbers is −0.
        self.count.unwrap_or_else(|| self.in_buckets() + 0.0)
    }

    /// The exact mean, in the metric's unit: `sum / count`.
    ///
    /// `None` without a sum, without observations, where the number of observations is not known (no count and no
    /// +Inf bucket: the dump was cut), and where the sum is impossible beside the buckets.
    ///
    /// ```
    /// use decodescope::metrics::histogram::Histogram;
    /// let (ttft, _) = Histogram::from_cumulative(vec![(0.1, 12.0), (f64::INFINITY, 12.0)], Some(0.625), Some(12.0));
    /// assert!((ttft.mean().unwrap() - 0.0521).abs() < 5e-5); // 0.625 s over 12 requests
    /// ```
    pub fn mean(&self) -> Option<f64> {
        let count = self.count.or_else(|| self.has_infinity().then(|| self.in_buckets()))?;
        let impossible = || bounds::Knowledge::of(self).is_some_and(|known| known.sum_outside().is_some());
        (count > 0.0 && !impossible()).then_some(self.sum? / count)
    }

    /// The counts as Prometheus writes them: each bucket with all observations up to its bound. Ends with +∞ when
    /// the number of observations is known; empty without buckets.
    pub fn cumulative(&self) -> Vec<(f64, f64)> {
        let mut so_far = 0.0;
        let mut cumulative: Vec<(f64, f64)> = Vec::with_capacity(self.buckets.len() + 1);
        for bucket in &self.buckets {
            so_far += bucket.count;
            cumulative.push((bucket.le, so_far));
        }
        if let (false, false, Some(count)) = (self.has_infinity(), cumulative.is_empty(), self.count) {
            cumulative.push((f64::INFINITY, count.max(so_far)));
        }
        cumulative
    }

    /// Whether nothing is known: no bucket, no sum, no count.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty() && self.sum.is_none() && self.count.is_none()
    }

    /// Whether the two have the same bucket bounds.
    pub fn same_bounds(&self, other: &Self) -> bool {
        self.buckets.iter().map(|bucket| bucket.le).eq(other.buckets.iter().map(|bucket| bucket.le))
    }

    /// How many observations the buckets hold, whatever the count says: what a bucket's share is a share of.
    pub(crate) fn in_buckets(&self) -> f64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }

    fn has_infinity(&self) -> bool {
        self.buckets.last().is_some_and(|last| last.le == f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// DESIGN.md's worked example: 1623 of 1623 tokens between 10 and 25 ms.
    pub(super) fn worked_example() -> Histogram {
        let cumulative = vec![(0.01, 0.0), (0.025, 1623.0), (0.05, 1623.0), (f64::INFINITY, 1623.0)];
        let (histogram, issues) = Histogram::from_cumulative(cumulative, Some(28.224), Some(1623.0));
        assert_eq!(issues, []);
        histogram
    }

    #[test]
    fn the_worked_examples_mean_is_17_39_milliseconds() {
        assert!((worked_example().mean().unwrap() - 0.01739).abs() < 1e-6);
    }

    #[test]
    fn without_any_observation_there_is_no_mean_rather_than_zero() {
        let (idle, _) = Histogram::from_cumulative(vec![(1.0, 0.0), (f64::INFINITY, 0.0)], Some(0.0), Some(0.0));
        assert_eq!(idle.mean(), None);
        assert_eq!(idle.quantile(0.5), None);
        assert_eq!(idle.main_bucket(), None);
    }

    #[test]
    fn a_cut_histogram_has_no_mean_since_its_number_is_unknown() {
        let (cut, _) = Histogram::from_cumulative(vec![(1.0, 5.0)], Some(9.0), None);
        assert_eq!(cut.mean(), None);
        assert_eq!(cut.total(), 5.0);
    }

    #[test]
    fn json_is_short_and_survives_infinity() {
        let histogram = worked_example();
        let text = serde_json::to_string(&histogram).unwrap();
        assert_eq!(text, r#"{"buckets":[[0.01,0],[0.025,1623],[0.05,0],["+Inf",0]],"sum":28.224,"count":1623}"#);
        assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), histogram);
        assert_eq!(serde_json::to_string(&histogram.buckets[3]).unwrap(), r#"{"le":"+Inf","count":0}"#);
        assert_eq!(serde_json::from_str::<Histogram>("{}").unwrap(), Histogram::default());
        assert_eq!(serde_json::to_string(&Histogram::default()).unwrap(), "{}");
    }

    #[test]
    fn json_that_is_no_histogram_is_refused() {
        for text in [
            r#"{"buckets":[[2,1],[1,1]]}"#,
            r#"{"buckets":[[1,1],[1,1]]}"#,
            r#"{"buckets":[[1,-1]]}"#,
            r#"{"buckets":[["NaN",1]]}"#,
            r#"{"buckets":[[1,"+Inf"]]}"#,
            r#"{"sum":"+Inf"}"#,
            r#"{"count":-1}"#,
        ] {
            assert!(serde_json::from_str::<Histogram>(text).is_err(), "{text}");
        }
    }
}
