//! The most plausible distribution given bucket counts and the mean: the one of maximum entropy.
//!
//! # Formula
//! Among all densities with mass `n_i/N` in each bucket and mean `S/N`, the one of largest entropy is proportional to
//! `e^(−λx)` within every bucket, with one λ for all. The mean of bucket *i* is then
//! `m_i(λ) = lo_i + 1/λ − w_i/(e^(λ w_i) − 1)` with width `w_i` (`lo_i + 1/λ` if infinite), and λ solves
//! `Σ n_i m_i(λ) = S`. A quantile at part `u` of the mass of its bucket is
//! `lo − ln(1 − u(1 − e^(−λw)))/λ`. λ = 0 is Prometheus' linear interpolation.
//!
//! # Proof
//! Stationarity of `−∫f ln f + Σ α_i ∫_i f − λ ∫x f` gives `ln f = α_i − 1 − λx` in bucket *i*; entropy is strictly
//! concave, so that is the only maximum. `m_i` falls strictly in λ (its derivative is minus a variance), so λ is unique.
//! As `m_i − lo_i ≤ 1/λ` for λ > 0, `A ≤ N/λ`; mirrored, `B ≤ −N/λ` for λ < 0: hence `−N/B ≤ λ ≤ N/A`, a finite
//! interval to bisect.
//!
//! # Source
//! Jaynes, *Information Theory and Statistical Mechanics*, Physical Review 106:620 (1957).
//!
//! # Limits
//! An estimate, not a bound. None where the sum is at an end of what the buckets allow, nor with both ends infinite.

use super::OccupiedBucket;
use super::bounds::Knowledge;

/// The quantile `q` of the maximum-entropy distribution; infinite for `q = 1` in an infinite bucket.
pub(super) fn quantile(knowledge: &Knowledge, q: f64) -> Option<f64> {
    let rate = rate(knowledge)?;
    let rank = q * knowledge.total;
    let mut below = 0.0;
    let mut found = None;
    for bucket in &knowledge.occupied {
        found = Some((bucket, ((rank - below) / bucket.count).clamp(0.0, 1.0)));
        below += bucket.count;
        if rank <= below {
            break;
        }
    }
    let (bucket, part) = found?;
    Some(within(bucket, rate, part))
}

/// λ, in one over the metric's unit.
fn rate(knowledge: &Knowledge) -> Option<f64> {
    let sum = knowledge.sum?;
    let above_low = sum.value - knowledge.weighted(|bucket| bucket.lower);
    let below_high = knowledge.weighted(|bucket| bucket.upper) - sum.value;
    // Room of the size of the sum's own rounding says nothing about the shape.
    if above_low <= sum.slack || below_high <= sum.slack || (above_low.is_infinite() && below_high.is_infinite()) {
        return None;
    }
    let (mut least, mut most) = (-knowledge.total / below_high, knowledge.total / above_low);
    for _ in 0..100 {
        let middle = f64::midpoint(least, most);
        let held: f64 = knowledge.weighted(|bucket| mean_of(bucket, middle));
        if held > sum.value {
            least = middle;
        } else {
            most = middle;
        }
        if most - least <= f64::EPSILON * middle.abs() {
            break;
        }
    }
    Some(f64::midpoint(least, most))
}

/// `m_i(λ)`: the mean within one bucket.
fn mean_of(bucket: &OccupiedBucket, rate: f64) -> f64 {
    let width = bucket.upper - bucket.lower;
    if width.is_infinite() {
        return match (bucket.upper.is_infinite(), rate > 0.0, rate < 0.0) {
            (true, true, _) => bucket.lower + 1.0 / rate,
            (false, _, true) => bucket.upper + 1.0 / rate,
            (true, ..) => f64::INFINITY,
            (false, ..) => f64::NEG_INFINITY,
        };
    }
    let steepness = rate * width;
    if steepness.abs() < 0.05 {
        // 1/t − 1/(eᵗ − 1) cancels near 0; its series there is exact to the last digit.
        let square = steepness * steepness;
        let part = 0.5 - steepness / 12.0 * (1.0 - square / 60.0 * (1.0 - square / 42.0 * (1.0 - square / 40.0)));
        return bucket.lower + width * part;
    }
    bucket.lower + 1.0 / rate - width / steepness.exp_m1()
}

/// The point below which a part (0 to 1) of a bucket's mass lies.
fn within(bucket: &OccupiedBucket, rate: f64, part: f64) -> f64 {
    if part <= 0.0 {
        return bucket.lower;
    }
    if part >= 1.0 {
        return bucket.upper;
    }
    // Measured from the end where the density is highest, so that the exponential cannot overflow.
    let width = bucket.upper - bucket.lower;
    let distance = |part: f64, rate: f64| {
        if rate * width < 1e-12 { part * width } else { -(part * (-rate * width).exp_m1()).ln_1p() / rate }
    };
    if rate >= 0.0 {
        (bucket.lower + distance(part, rate)).min(bucket.upper)
    } else {
        (bucket.upper - distance(1.0 - part, -rate)).max(bucket.lower)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::Histogram;
    use super::*;

    fn knowledge(cumulative: &[(f64, f64)], sum: f64) -> Knowledge {
        let count = cumulative.last().map(|&(_, count)| count);
        Knowledge::of(&Histogram::from_cumulative(cumulative.to_vec(), Some(sum), count).0).unwrap()
    }

    #[test]
    fn a_mean_in_the_middle_is_the_linear_interpolation() {
        let known = knowledge(&[(1.0, 0.0), (5.0, 8.0), (f64::INFINITY, 8.0)], 24.0);
        assert!((quantile(&known, 0.25).unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn above_the_last_bound_it_is_exponential() {
        // All ten above 1 with mean 5: λ = 1/4, and the median lies ln 2 · 4 above 1.
        let known = knowledge(&[(1.0, 0.0), (f64::INFINITY, 10.0)], 50.0);
        assert!((rate(&known).unwrap() - 0.25).abs() < 1e-12);
        assert!((quantile(&known, 0.5).unwrap() - (1.0 + 4.0 * 2.0_f64.ln())).abs() < 1e-9);
        assert_eq!(quantile(&known, 1.0), Some(f64::INFINITY));
    }

    /// The mean of a distribution is the integral of its quantiles.
    #[test]
    fn its_quantiles_average_to_the_mean() {
        // One in each of (0, 1], (1, 3], (3, 6]: the bounds add up to 4 and 10.
        for sum in [4.2, 5.0, 7.0, 9.8] {
            let known = knowledge(&[(1.0, 1.0), (3.0, 2.0), (6.0, 3.0), (f64::INFINITY, 3.0)], sum);
            let steps = 20_000;
            let mid = |step| (f64::from(step) + 0.5) / f64::from(steps);
            let mean = (0..steps).map(|step| quantile(&known, mid(step)).unwrap()).sum::<f64>() / f64::from(steps);
            assert!((mean - sum / 3.0).abs() < 1e-4, "{mean} for sum {sum}");
        }
    }

    #[test]
    fn a_sum_at_its_end_has_no_shape() {
        let known = knowledge(&[(1.0, 0.0), (2.0, 4.0), (f64::INFINITY, 4.0)], 8.0);
        assert_eq!(quantile(&known, 0.5), None);
    }

    #[test]
    fn the_series_near_zero_joins_the_formula() {
        let bucket = OccupiedBucket { lower: 2.0, upper: 5.0, count: 1.0, share: 1.0 };
        for rate in [0.05 / 3.0, -0.05 / 3.0] {
            let (series, formula) = (mean_of(&bucket, rate * (1.0 - 1e-9)), mean_of(&bucket, rate * (1.0 + 1e-9)));
            assert!((series - formula).abs() < 1e-9);
        }
    }
}
