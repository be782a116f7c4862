//! A quantile in full: its bucket, what Prometheus would say, what it can be at all, and the likeliest value.

use super::bounds::Knowledge;
use super::{Histogram, entropy, histogram_quantile};
use serde::Serialize;

/// One quantile of a histogram, in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quantile {
    /// Which quantile, 0 to 1.
    pub q: f64,
    /// The bounds of the bucket it lies in; the upper one may be infinite (`null` in JSON).
    pub bucket: (f64, f64),
    /// Prometheus' linear interpolation; `None` where that is NaN. In the +Inf bucket it is the highest finite bound,
    /// which is below the truth.
    pub interpolated: Option<f64>,
    /// No set of observations with these counts (and this sum) has a lower quantile.
    pub low: f64,
    /// No set of observations with these counts (and this sum) has a higher quantile; may be infinite.
    pub high: f64,
    /// The quantile of the maximum-entropy distribution that has these counts and this mean, kept within `low` and
    /// `high`; `None` without a usable sum.
    pub estimate: Option<f64>,
    /// Whether the sum was there and consistent, so that `low` and `high` may be narrower than the bucket.
    pub sum_used: bool,
}

impl Histogram {
    /// The quantile `q`: the smallest value that at least `q · N` of the `N` observations do not exceed.
    ///
    /// `None` if `q` is not within 0 and 1, without observations, and where it is unknown how many observations lie
    /// above the last bucket.
    ///
    /// ```
    /// use decodescope::metrics::histogram::Histogram;
    /// let cumulative = vec![(0.1, 50.0), (0.5, 90.0), (1.0, 98.0), (f64::INFINITY, 100.0)];
    /// let (histogram, _) = Histogram::from_cumulative(cumulative, Some(45.0), Some(100.0));
    /// let p99 = histogram.quantile(0.99).unwrap();
    /// assert_eq!(p99.interpolated, Some(1.0)); // Prometheus stops at the last bound
    /// assert!((p99.high - 18.5).abs() < 1e-9); // the sum leaves 35 s above the lower bounds, for two observations
    /// ```
    pub fn quantile(&self, q: f64) -> Option<Quantile> {
        let knowledge = Knowledge::of(self)?;
        let (bucket, low, high) = knowledge.quantile(q)?;
        let interpolated = histogram_quantile(q, &self.cumulative()).value;
        Some(Quantile {
            q,
            bucket: (bucket.lower, bucket.upper),
            interpolated: interpolated.is_finite().then_some(interpolated),
            low,
            high,
            estimate: entropy::quantile(&knowledge, q).map(|estimate| estimate.max(low).min(high)),
            sum_used: knowledge.sum.is_some(),
        })
    }

    /// The smallest observation's bounds; `None` as for [`Histogram::quantile`].
    pub fn minimum(&self) -> Option<(f64, f64)> {
        let (_, low, high) = Knowledge::of(self)?.quantile(0.0)?;
        Some((low, high))
    }

    /// The largest observation's bounds; `None` as for [`Histogram::quantile`].
    pub fn maximum(&self) -> Option<(f64, f64)> {
        let (_, low, high) = Knowledge::of(self)?.quantile(1.0)?;
        Some((low, high))
    }
}
