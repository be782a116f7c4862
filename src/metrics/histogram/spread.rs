//! The smallest and largest standard deviation the counts and the sum allow.

use super::bounds::{Knowledge, Sum};
use super::{Histogram, OccupiedBucket};

impl Histogram {
    /// The smallest and largest standard deviation (of the observations themselves, dividing by `N`), in the metric's
    /// unit; the largest may be infinite. `None` without a usable sum or without observations.
    ///
    /// # Formula
    /// Lower: all observations as near to one value λ as their buckets allow, `x = clip(λ, lo_i, hi_i)`, with λ such
    /// that they sum to `S`. Upper: all at `lo_i`, then the room `A` spent from the highest bucket down, each unit in
    /// bucket *i* adding `lo_i + hi_i` to `Σx²`; in an infinite bucket one observation takes all of `A`.
    ///
    /// # Proof
    /// Lower: `Σx²` is convex, and at this point its slope per unit of sum is `2λ` where an observation is free to
    /// move, at least that where it is stuck at `lo_i > λ`, at most that where it is stuck at `hi_i < λ`: no exchange of
    /// room between two observations lowers it (the Karush-Kuhn-Tucker condition).
    /// Upper: on `[lo, hi]` a square lies below its chord, `x² ≤ lo² + (lo + hi)(x − lo)`; what remains is linear in how
    /// the room is spent, and spending where it gains most is best (the fractional knapsack). It is met when the room
    /// fills whole observations. With an infinite bucket `Σ(lo_i + a_i)² − lo_i² ≤ 2 lo_k A + A²` since `lo_k` is the
    /// highest and `Σ a_i² ≤ A²`. In one bucket the upper bound is `σ² ≤ (hi − μ)(μ − lo)`.
    ///
    /// # Source
    /// One bucket: Muilwijk 1966; Bhatia and Davis, *American Mathematical Monthly* 107:353 (2000).
    ///
    /// ```
    /// use decodescope::metrics::histogram::Histogram;
    /// let cumulative = vec![(1.0, 100.0), (f64::INFINITY, 100.0)];
    /// let (histogram, _) = Histogram::from_cumulative(cumulative, Some(90.0), Some(100.0));
    /// let (low, high) = histogram.standard_deviation().unwrap();
    /// assert!(low < 1e-6 && (high - 0.3).abs() < 1e-6); // (1 − 0.9)(0.9 − 0) = 0.09
    /// ```
    pub fn standard_deviation(&self) -> Option<(f64, f64)> {
        let knowledge = Knowledge::of(self)?;
        let sum = knowledge.sum?;
        let (total, mean) = (knowledge.total, sum.value / knowledge.total);
        // Squares beyond all measure: nothing is known of the upper end.
        let widest = Some(widest(&knowledge, sum, mean)).filter(|squares| !squares.is_nan()).unwrap_or(f64::INFINITY);
        // A sum that is off by its slack moves both extremes by at most twice the range per unit.
        let error = 2.0 * sum.slack * range(&knowledge, sum) / total;
        let error = if error.is_finite() { error } else { 0.0 };
        let deviation = |squares: f64| (squares / total).max(0.0).sqrt();
        Some((deviation(narrowest(&knowledge.occupied, sum.value, mean) - error), deviation(widest + error)))
    }
}

fn range(knowledge: &Knowledge, sum: Sum) -> f64 {
    let ends = knowledge.occupied.first().zip(knowledge.occupied.last());
    ends.map_or(0.0, |(first, last)| last.upper.min(last.lower + sum.above_low) - first.lower)
}

/// The smallest `Σ(x − mean)²`.
fn narrowest(occupied: &[OccupiedBucket], sum: f64, mean: f64) -> f64 {
    // Buckets ascend and do not overlap, so all below λ's bucket are full and all above it are at their lower bound.
    let mut above: f64 = occupied.iter().skip(1).map(|bucket| bucket.count * bucket.lower).sum();
    let mut below = 0.0;
    let mut level = None;
    for (index, bucket) in occupied.iter().enumerate() {
        if below + bucket.count * bucket.upper + above >= sum || index + 1 == occupied.len() {
            level = Some(((sum - below - above) / bucket.count).max(bucket.lower).min(bucket.upper));
            break;
        }
        below += bucket.count * bucket.upper;
        above -= occupied.get(index + 1).map_or(0.0, |next| next.count * next.lower);
    }
    let Some(level) = level else { return 0.0 };
    occupied.iter().map(|bucket| bucket.count * (level.max(bucket.lower).min(bucket.upper) - mean).powi(2)).sum()
}

/// The largest `Σ(x − mean)²`; the chord bound is the same for squares about any point.
fn widest(knowledge: &Knowledge, sum: Sum, mean: f64) -> f64 {
    let unbounded_below = knowledge.occupied.first().is_some_and(|first| first.lower == f64::NEG_INFINITY);
    let unbounded_above = knowledge.occupied.last().is_some_and(|last| last.upper == f64::INFINITY);
    if unbounded_below && unbounded_above {
        return f64::INFINITY;
    }
    // Unbounded below is the mirror image of unbounded above.
    let (sign, mut room) = if unbounded_below { (-1.0, sum.below_high) } else { (1.0, sum.above_low) };
    let mut mirrored: Vec<OccupiedBucket> = knowledge
        .occupied
        .iter()
        .map(|bucket| {
            let (a, b) = (sign * bucket.lower - sign * mean, sign * bucket.upper - sign * mean);
            OccupiedBucket { lower: a.min(b), upper: a.max(b), ..*bucket }
        })
        .collect();
    mirrored.sort_by(|a, b| b.lower.total_cmp(&a.lower));

    let mut squares: f64 = mirrored.iter().map(|bucket| bucket.count * bucket.lower.powi(2)).sum();
    for bucket in mirrored {
        if bucket.upper == f64::INFINITY {
            // Counts that are not whole are multiples of an observation of unknown, maybe tiny, weight.
            let outlier = (bucket.lower + room).powi(2) - bucket.lower.powi(2);
            return if knowledge.whole { squares + outlier } else { f64::INFINITY };
        }
        let spent = room.min(bucket.count * (bucket.upper - bucket.lower));
        squares += spent * (bucket.lower + bucket.upper);
        room -= spent;
    }
    squares
}
