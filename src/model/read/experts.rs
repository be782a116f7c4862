//! How many experts a batch hits, and how unevenly they lie on ranks.

/// Distinct experts that a batch's tokens hit in one layer, if routing is uniform.
///
/// # Formula
/// `E × (1 − (1 − k/E)^tokens)`
///
/// # Limits
/// Real routing is skewed, so fewer are hit; a router with groups changes it further.
///
/// ```
/// use decodescope::model::distinct_experts;
/// assert!((distinct_experts(256, 8, 1.0) - 8.0).abs() < 1e-9);
/// // 16 tokens: 256 × (1 − (31/32)^16) = 101.96
/// assert!((distinct_experts(256, 8, 16.0) - 101.96).abs() < 0.01);
/// ```
#[must_use]
pub fn distinct_experts(experts: u32, chosen: u32, tokens: f64) -> f64 {
    let experts = f64::from(experts.max(1));
    let missed = 1.0 - f64::from(chosen).min(experts) / experts;
    experts * (1.0 - missed.powf(tokens.max(0.0)))
}

/// Experts hit on the busiest of `ranks`, on average, when `hit` of `experts` are hit at random and
/// each rank holds its share of whole experts. The busiest rank sets the pace.
///
/// # Formula
/// `Σ (1 − F(m)^ranks)` over m from 0, with F the binomial distribution of the number hit among a
/// rank's `experts / ranks`.
///
/// # Limits
/// Ranks are taken as independent, which is within 1 % of a simulation for common shapes; skewed
/// routing makes the busiest rank busier still.
///
/// ```
/// use decodescope::model::busiest_rank;
/// // One token of GLM-5 hits 8 of 256 experts: one on each of 8 ranks would be even, but the
/// // busiest has two or three. A simulation says 2.56.
/// assert!((busiest_rank(256, 8.0, 8) - 2.56).abs() < 0.03);
/// ```
#[must_use]
pub fn busiest_rank(experts: u32, hit: f64, ranks: u32) -> f64 {
    let (experts, ranks) = (experts.max(1), ranks.max(1));
    let held = experts.div_ceil(ranks);
    let chance = (hit / f64::from(experts)).clamp(0.0, 1.0);
    if ranks == 1 {
        return hit.clamp(0.0, f64::from(experts));
    }
    if !(chance > 0.0 && chance < 1.0) {
        return f64::from(held) * chance.round();
    }
    // In logarithms: the chance of no hit among many experts is smaller than any float.
    let odds = (chance / (1.0 - chance)).ln();
    let mut exactly = f64::from(held) * (1.0 - chance).ln();
    let (mut at_most, mut expected) = (0.0_f64, 0.0);
    // A rank holds thousands of experts only by mistake.
    for number in 0..held.min(4096) {
        at_most = (at_most + exactly.exp()).min(1.0);
        expected += 1.0 - at_most.powf(f64::from(ranks));
        exactly += odds + (f64::from(held - number) / f64::from(number + 1)).ln();
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulated with experts drawn without return.
    #[test]
    fn the_busiest_rank_as_simulated() {
        for (experts, hit, ranks, simulated) in
            [(256, 8.0, 8, 2.56), (256, 102.0, 8, 16.73), (256, 30.0, 64, 2.31), (128, 8.0, 2, 5.05)]
        {
            let found = busiest_rank(experts, hit, ranks);
            assert!((found / simulated - 1.0).abs() < 0.01, "{experts} {hit} {ranks}: {found}");
        }
    }

    #[test]
    fn a_rank_never_has_more_hits_than_experts() {
        assert_eq!(busiest_rank(256, 256.0, 8), 32.0);
        assert!(busiest_rank(256, 255.9, 8) <= 32.0);
        assert_eq!(busiest_rank(256, 0.0, 8), 0.0);
        assert_eq!(busiest_rank(256, 8.0, 1), 8.0);
        assert!(busiest_rank(u32::MAX, 1e9, 2).is_finite());
    }
}
