//! Speculative decoding: drafted tokens, verified together.

use serde::{Deserialize, Serialize};

/// How tokens are drafted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Speculation {
    /// Tokens drafted per step.
    pub draft_length: u32,
    /// The chance that a drafted token is accepted, given that those before it were.
    pub acceptance: f64,
}

impl Speculation {
    /// Tokens a step yields on average: the accepted ones and one of the model's own.
    ///
    /// # Formula
    /// `(1 − a^(γ+1)) / (1 − a)`, for acceptance a and draft length γ
    ///
    /// # Source
    /// Leviathan et al. 2023 (arXiv 2211.17192), equation 1.
    ///
    /// # Limits
    /// Acceptance is taken as the same for every position; later ones are accepted less.
    ///
    /// ```
    /// use decodescope::model::Speculation;
    /// // 1 + 0.8 + 0.64 + 0.512
    /// let tokens = Speculation { draft_length: 3, acceptance: 0.8 }.tokens_per_step();
    /// assert!((tokens - 2.952).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn tokens_per_step(&self) -> f64 {
        let acceptance = self.acceptance.clamp(0.0, 1.0);
        // The geometric sum as a sum: at acceptance 1 the closed form divides by nothing.
        (0..self.draft_length.min(1024))
            .fold((1.0, 1.0), |(sum, power), _| (sum + power * acceptance, power * acceptance))
            .0
    }

    /// Tokens of a sequence that go through the model in a step.
    #[must_use]
    pub fn verified_tokens(&self) -> f64 {
        f64::from(self.draft_length) + 1.0
    }

    /// Tokens a step yielded, from an engine's counters.
    ///
    /// # Formula
    /// `accepted / drafts + 1`; vLLM counts them as `spec_decode_num_accepted_tokens` and
    /// `spec_decode_num_drafts`.
    ///
    /// ```
    /// assert_eq!(decodescope::model::Speculation::measured_tokens_per_step(150.0, 100.0), Some(2.5));
    /// ```
    #[must_use]
    pub fn measured_tokens_per_step(accepted: f64, drafts: f64) -> Option<f64> {
        (drafts > 0.0 && accepted >= 0.0).then(|| accepted / drafts + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_drafts_all_count() {
        assert_eq!(Speculation { draft_length: 3, acceptance: 1.0 }.tokens_per_step(), 4.0);
        assert_eq!(Speculation { draft_length: 3, acceptance: 0.0 }.tokens_per_step(), 1.0);
    }
}
