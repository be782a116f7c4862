//! Native histograms: buckets whose bounds follow from a schema, written sparsely.
//!
//! With an exponential schema *s* (−4 to 8) the positive bucket of index *i* is `(b^(i−1), b^i]` with `b = 2^(2^−s)`, the
//! negative ones mirror it, and a zero bucket `[−t, t]` lies between. With custom bounds (schema −53) bucket *i* ends
//! at the *i*-th bound and the last one at +∞.
//!
//! # Source
//! prometheus/docs, `docs/specs/native_histograms.md`.

use super::{Histogram, HistogramIssue};
use crate::paste::prometheus::{NativeParts, Runs};
use std::fmt;

/// The schema number that stands for custom bounds.
const CUSTOM: i32 = -53;

/// A native histogram with absolute counts.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeHistogram {
    layout: Layout,
    /// The buckets that hold observations, ascending by value.
    buckets: Vec<NativeBucket>,
    /// Whether there are positive and negative buckets at all, be they empty.
    sides: (bool, bool),
    sum: Option<f64>,
    count: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Exponential,
    Custom,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct NativeBucket {
    lower: f64,
    upper: f64,
    count: f64,
}

/// Why parts make no native histogram.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum NativeError {
    /// A schema that is not known.
    Schema(i32),
    /// The runs name a different number of buckets than there are counts.
    Length {
        /// Buckets the runs name.
        spans: u64,
        /// Counts given.
        counts: usize,
    },
    /// A later run that goes back, or an index outside what the schema can mean.
    Index(i64),
    /// A count, or the zero threshold, that is negative or not a number.
    Value(f64),
    /// Custom bounds that do not ascend or are not finite.
    Bounds,
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(schema) => write!(f, "native histogram of unknown schema {schema}"),
            Self::Length { spans, counts } => {
                write!(f, "native histogram with {spans} buckets in spans but {counts} counts")
            }
            Self::Index(index) => write!(f, "native histogram with a bucket of impossible index {index}"),
            Self::Value(value) => write!(f, "native histogram with {value} where a count or width is needed"),
            Self::Bounds => f.write_str("native histogram with custom bounds that do not ascend"),
        }
    }
}

impl std::error::Error for NativeError {}

impl NativeHistogram {
    /// Puts the buckets in place.
    ///
    /// ```
    /// use decodescope::metrics::histogram::NativeHistogram;
    /// use decodescope::paste::prometheus::{NativeParts, Runs};
    /// // 1, 2 and 1 observations in (0.5, 1], (1, 2] and (2, 4]
    /// let positive = Runs { spans: vec![(0, 3)], counts: vec![1.0, 2.0, 1.0] };
    /// let parts = NativeParts { positive, sum: Some(5.0), count: 4.0, ..NativeParts::default() };
    /// let native = NativeHistogram::new(&parts).unwrap();
    /// assert!((native.quantile(0.5) - 2_f64.sqrt()).abs() < 1e-12); // half-way on the logarithmic scale
    /// ```
    pub fn new(parts: &NativeParts) -> Result<Self, NativeError> {
        let sound = |value: &f64| value.is_finite() && *value >= 0.0;
        let counts = parts.positive.counts.iter().chain(&parts.negative.counts);
        let mut values = counts.chain([&parts.zero_threshold, &parts.zero_count, &parts.count]);
        if let Some(&value) = values.find(|value| !sound(value)) {
            return Err(NativeError::Value(value));
        }
        let (layout, buckets) = match parts.schema {
            CUSTOM => (Layout::Custom, custom(parts)?),
            schema @ -4..=8 => (Layout::Exponential, exponential(parts, schema)?),
            schema => return Err(NativeError::Schema(schema)),
        };
        let buckets = buckets.into_iter().filter(|bucket| bucket.count > 0.0).collect();
        let sides = (!parts.positive.counts.is_empty(), !parts.negative.counts.is_empty());
        Ok(Self { layout, buckets, sides, sum: parts.sum, count: parts.count })
    }

    /// The quantile `q` exactly as Prometheus' `histogram_quantile` for native histograms.
    ///
    /// # Formula
    /// In a bucket `(lo, hi]` at part `u` of its mass: `lo (hi/lo)^u`, mirrored for negative ones; linear in the zero bucket,
    /// which starts (ends) at 0 if there are only positive (negative) buckets, and with custom bounds. From `q = 0.5` on it
    /// counts from the top.
    ///
    /// # Limits
    /// `q` below 0 gives −∞, above 1 +∞. NaN: `q` is NaN, no observations, or the quantile falls among observations that are
    /// NaN, which count as above all others.
    ///
    /// # Source
    /// prometheus/prometheus, `promql/quantile.go` (`HistogramQuantile`).
    pub fn quantile(&self, q: f64) -> f64 {
        if q < 0.0 {
            return f64::NEG_INFINITY;
        }
        if q > 1.0 {
            return f64::INFINITY;
        }
        if q.is_nan() || self.count == 0.0 {
            return f64::NAN;
        }
        // NaN observations are in the count but in no bucket: there is no counting from the top then.
        let has_nan = self.sum.is_some_and(f64::is_nan);
        let from_top = !has_nan && q >= 0.5;
        let rank = if from_top { (1.0 - q) * self.count } else { q * self.count };
        let mut passed = 0.0;
        let mut reached = None;
        let mut visit = |bucket: &NativeBucket| {
            passed += bucket.count;
            reached = Some(*bucket);
            passed >= rank
        };
        if from_top {
            self.buckets.iter().rev().any(&mut visit);
        } else {
            self.buckets.iter().any(&mut visit);
        }
        let passed = passed.min(self.count);
        let Some(bucket) = reached.filter(|_| passed >= rank) else { return f64::NAN };
        let place = if from_top { passed - rank } else { rank - (passed - bucket.count) };
        self.within(bucket, place / bucket.count)
    }

    fn within(&self, bucket: NativeBucket, part: f64) -> f64 {
        let NativeBucket { mut lower, mut upper, .. } = bucket;
        match self.layout {
            Layout::Custom if upper == f64::INFINITY => return lower,
            Layout::Custom if lower == f64::NEG_INFINITY && upper <= 0.0 => return upper,
            Layout::Custom => lower = if lower == f64::NEG_INFINITY { 0.0 } else { lower },
            Layout::Exponential if lower < 0.0 && upper > 0.0 => match self.sides {
                (true, false) => lower = 0.0,
                (false, true) => upper = 0.0,
                _ => {}
            },
            Layout::Exponential if lower > 0.0 => return (lower.log2() + (upper.log2() - lower.log2()) * part).exp2(),
            Layout::Exponential if upper < 0.0 => {
                let (small, large) = ((-upper).log2(), (-lower).log2());
                return -(small + (large - small) * (1.0 - part)).exp2();
            }
            Layout::Exponential => {}
        }
        lower + (upper - lower) * part
    }

    /// The same as a classic histogram, for all that [`Histogram`] can tell, its rigorous bounds above all.
    ///
    /// # Limits
    /// Negative buckets of a native histogram hold their lower bound rather than their upper one; on such a bound a share
    /// can be off by the observations equal to it. Without negative buckets the zero bucket starts at 0.
    pub fn to_classic(&self) -> (Histogram, Vec<HistogramIssue>) {
        Histogram::from_cumulative(self.cumulative(), self.sum, Some(self.count))
    }

    /// The buckets as a classic histogram's: each upper bound with the number of observations up to it.
    pub(crate) fn cumulative(&self) -> Vec<(f64, f64)> {
        let mut cumulative: Vec<(f64, f64)> = Vec::with_capacity(self.buckets.len() + 2);
        let mut up_to = 0.0;
        for bucket in &self.buckets {
            // A gap: nothing up to where this bucket begins.
            let begins = cumulative.last().is_none_or(|&(le, _)| le < bucket.lower) && bucket.lower < bucket.upper;
            let only_zero = cumulative.is_empty() && bucket.lower < 0.0 && bucket.upper > 0.0;
            if begins && bucket.lower.is_finite() && !only_zero {
                cumulative.push((bucket.lower, up_to));
            }
            up_to += bucket.count;
            cumulative.push((bucket.upper, up_to));
        }
        if cumulative.last().is_none_or(|&(le, _)| le < f64::INFINITY) {
            cumulative.push((f64::INFINITY, up_to));
        }
        cumulative
    }
}

fn exponential(parts: &NativeParts, schema: i32) -> Result<Vec<NativeBucket>, NativeError> {
    let place = |(index, count): (i64, f64)| {
        let (lower, upper) = (bound(schema, index - 1), bound(schema, index));
        // Beyond the largest number lies one bucket, up to +∞; further indices mean nothing.
        if lower == f64::INFINITY { Err(NativeError::Index(index)) } else { Ok(NativeBucket { lower, upper, count }) }
    };
    let mut buckets: Vec<NativeBucket> = indexed(&parts.negative)?
        .into_iter()
        .rev()
        .map(|at| place(at).map(|bucket| NativeBucket { lower: -bucket.upper, upper: -bucket.lower, ..bucket }))
        .collect::<Result<_, _>>()?;
    let threshold = parts.zero_threshold;
    buckets.push(NativeBucket { lower: -threshold, upper: threshold, count: parts.zero_count });
    for at in indexed(&parts.positive)? {
        buckets.push(place(at)?);
    }
    Ok(buckets)
}

/// `b^index`; the power of two just beyond the largest number is that number, so that only +∞ itself is infinite.
fn bound(schema: i32, index: i64) -> f64 {
    let exponent = index as f64 * f64::from(-schema).exp2();
    if exponent == 1024.0 { f64::MAX } else { exponent.floor().exp2() * (exponent - exponent.floor()).exp2() }
}

fn custom(parts: &NativeParts) -> Result<Vec<NativeBucket>, NativeError> {
    let bounds = &parts.custom_bounds;
    if !bounds.iter().all(|bound| bound.is_finite()) || !bounds.is_sorted_by(|a, b| a < b) {
        return Err(NativeError::Bounds);
    }
    let place = |(index, count): (i64, f64)| {
        let at = usize::try_from(index).ok().filter(|&at| at <= bounds.len()).ok_or(NativeError::Index(index))?;
        let lower = at.checked_sub(1).and_then(|before| bounds.get(before)).copied().unwrap_or(f64::NEG_INFINITY);
        Ok(NativeBucket { lower, upper: bounds.get(at).copied().unwrap_or(f64::INFINITY), count })
    };
    indexed(&parts.positive)?.into_iter().map(place).collect()
}

/// The runs' counts with their indices.
fn indexed(runs: &Runs) -> Result<Vec<(i64, f64)>, NativeError> {
    let spans: u64 = runs.spans.iter().map(|&(_, length)| u64::from(length)).sum();
    if spans != runs.counts.len() as u64 {
        return Err(NativeError::Length { spans, counts: runs.counts.len() });
    }
    let mut counts = runs.counts.iter();
    let mut index = 0_i64;
    let mut indexed = Vec::with_capacity(runs.counts.len());
    for (run, &(gap, length)) in runs.spans.iter().enumerate() {
        if run > 0 && gap < 0 {
            return Err(NativeError::Index(index + i64::from(gap)));
        }
        index += i64::from(gap);
        let end = index + i64::from(length);
        indexed.extend((index..end).zip(counts.by_ref().copied().take(length as usize)));
        index = end;
    }
    Ok(indexed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn runs(first: i32, counts: &[f64]) -> Runs {
        Runs { spans: vec![(first, counts.len() as u32)], counts: counts.to_vec() }
    }

    fn native(positive: Runs, negative: Runs, zero_count: f64) -> NativeHistogram {
        let count = positive.counts.iter().chain(&negative.counts).sum::<f64>() + zero_count;
        let parts = NativeParts { zero_threshold: 0.001, zero_count, positive, negative, count, ..Default::default() };
        NativeHistogram::new(&parts).unwrap()
    }

    #[test]
    fn positive_and_negative_buckets_interpolate_on_a_logarithmic_scale() {
        // Half of the mass in (1, 2]: its middle on that scale is √2.
        assert!((native(runs(1, &[4.0]), Runs::default(), 0.0).quantile(0.5) - 2_f64.sqrt()).abs() < 1e-12);
        assert!((native(Runs::default(), runs(1, &[4.0]), 0.0).quantile(0.5) + 2_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_zero_bucket_ends_at_zero_on_the_side_without_buckets() {
        assert_eq!(native(runs(1, &[4.0]), Runs::default(), 4.0).quantile(0.25), 0.0005);
        assert_eq!(native(Runs::default(), runs(1, &[4.0]), 4.0).quantile(0.75), -0.0005);
        assert_eq!(native(Runs::default(), Runs::default(), 4.0).quantile(0.5), 0.0);
    }

    #[test]
    fn runs_place_buckets_and_leave_gaps() {
        let gap = Runs { spans: vec![(0, 1), (2, 1)], counts: vec![1.0, 3.0] };
        let (classic, issues) = native(gap, Runs::default(), 0.0).to_classic();
        assert_eq!(issues, [HistogramIssue::NoSum]);
        let bounds: Vec<f64> = classic.buckets.iter().map(|bucket| bucket.le).collect();
        assert_eq!(bounds, [0.5, 1.0, 4.0, 8.0, f64::INFINITY]); // indices 0 and 3: (0.5, 1] and (4, 8]
        assert_eq!(classic.main_bucket().map(|main| (main.lower, main.upper)), Some((4.0, 8.0)));
    }

    #[test]
    fn finer_schemas_halve_the_exponent() {
        assert_eq!(bound(0, 3), 8.0);
        assert_eq!(bound(-2, 1), 16.0);
        assert!((bound(1, 1) - 2_f64.sqrt()).abs() < 1e-15);
        assert_eq!(bound(8, 256), 2.0);
        assert_eq!((bound(0, 1024), bound(0, 1025)), (f64::MAX, f64::INFINITY));
    }

    #[test]
    fn parts_that_contradict_each_other_are_refused() {
        let error = |parts: NativeParts| NativeHistogram::new(&parts).unwrap_err();
        let short = Runs { spans: vec![(0, 2)], counts: vec![1.0] };
        assert_eq!(error(NativeParts { schema: 9, ..Default::default() }), NativeError::Schema(9));
        assert_eq!(
            error(NativeParts { positive: short, ..Default::default() }),
            NativeError::Length { spans: 2, counts: 1 }
        );
        let far = runs(i32::MAX, &[1.0]);
        assert_eq!(error(NativeParts { positive: far, ..Default::default() }), NativeError::Index(i64::from(i32::MAX)));
        let back = Runs { spans: vec![(5, 1), (-3, 1)], counts: vec![1.0, 1.0] };
        assert_eq!(error(NativeParts { positive: back, ..Default::default() }), NativeError::Index(3));
        assert_eq!(error(NativeParts { zero_count: -1.0, ..Default::default() }), NativeError::Value(-1.0));
        let bounds = NativeParts { schema: CUSTOM, custom_bounds: vec![2.0, 1.0], ..Default::default() };
        assert_eq!(error(bounds), NativeError::Bounds);
    }
}
