//! Two timed runs that differ only in the allreduce.

use crate::units::{Ratio, Seconds};
use std::fmt;

/// An A/B experiment: the same number of tokens generated twice, changing nothing but how the
/// allreduce is done (`NCCL_PROTO=LL` against the default, say).
///
/// # Formula
/// saved per token = (slower − faster) / tokens; saved per allreduce = that / allreduces per token;
/// speed-up = slower / faster; allreduce's share of the slower run ≥ (slower − faster) / slower
///
/// The bound needs nothing else: with `T = A + R`, `A` the time in allreduces and `R` all the rest,
/// both runs have the same `R`, so slower − faster = A(slower) − A(faster). As A(faster) ≥ 0,
/// A(slower) ≥ slower − faster.
/// # Units
/// seconds for a whole run each; the results per token and per allreduce
/// # Source
/// arithmetic
/// # Limits
/// The runs must really differ in nothing else. What both share, such as prefill, cancels from the
/// savings; it is part of the slower run whose share is bounded, so the share of decode alone is
/// bounded higher still. How long the faster run's allreduces take the experiment cannot tell.
///
/// ```
/// use decodescope::collective::Experiment;
/// use decodescope::units::Seconds;
/// let experiment = Experiment { tokens: 128.0, slower: Seconds::new(2.71), faster: Seconds::new(2.22) };
/// let reading = experiment.read(156.0).unwrap();
/// // 0.49 s / 128 = 3.828 ms; / 156 = 24.54 µs; 2.71 / 2.22 = 1.2207; 0.49 / 2.71 = 0.1808.
/// assert!((reading.saved_per_token.as_millis() - 3.828).abs() < 0.001);
/// assert!((reading.saved_per_allreduce.unwrap().as_micros() - 24.54).abs() < 0.01);
/// assert!((reading.speedup - 1.2207).abs() < 0.0001);
/// assert!((reading.slower_share_at_least.get() - 0.1808).abs() < 0.0001);
/// assert!((reading.slower_step.as_millis() - 21.17).abs() < 0.01);
/// assert!((reading.faster_step.as_millis() - 17.34).abs() < 0.01);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    /// Tokens generated in each run.
    pub tokens: f64,
    /// The slower run, whole.
    pub slower: Seconds,
    /// The faster run, whole.
    pub faster: Seconds,
}

/// What an [`Experiment`] proves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExperimentReading {
    /// What the faster run saved on each token.
    pub saved_per_token: Seconds,
    /// What it saved on each allreduce; `None` without a number of allreduces to divide by.
    pub saved_per_allreduce: Option<Seconds>,
    /// The slower run's time over the faster's.
    pub speedup: f64,
    /// The slower run's time per token.
    pub slower_step: Seconds,
    /// The faster run's time per token.
    pub faster_step: Seconds,
    /// The least share of the slower run that its allreduces can have taken.
    pub slower_share_at_least: Ratio,
}

/// Why an experiment says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExperimentError {
    /// The number of tokens is not a positive number.
    Tokens,
    /// A run's time is not a positive number.
    Time,
    /// The run called slower is the faster one.
    Reversed,
}

impl fmt::Display for ExperimentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tokens => "the number of tokens in each run is not above zero",
            Self::Time => "the time of a run is not above zero",
            Self::Reversed => "the slower run took less time than the faster one",
        })
    }
}

impl std::error::Error for ExperimentError {}

impl Experiment {
    /// What the two runs prove, given how many allreduces a token takes.
    ///
    /// # Errors
    /// Where a number is missing its meaning: see [`ExperimentError`].
    pub fn read(&self, allreduces_per_token: f64) -> Result<ExperimentReading, ExperimentError> {
        let positive = |number: f64| number > 0.0 && number.is_finite();
        if !positive(self.tokens) {
            return Err(ExperimentError::Tokens);
        }
        if !positive(self.slower.get()) || !positive(self.faster.get()) {
            return Err(ExperimentError::Time);
        }
        if self.slower < self.faster {
            return Err(ExperimentError::Reversed);
        }
        let saved = self.slower - self.faster;
        let saved_per_token = saved / self.tokens;
        Ok(ExperimentReading {
            saved_per_token,
            saved_per_allreduce: positive(allreduces_per_token).then(|| saved_per_token / allreduces_per_token),
            speedup: self.slower / self.faster,
            slower_step: self.slower / self.tokens,
            faster_step: self.faster / self.tokens,
            slower_share_at_least: Ratio::new(saved / self.slower),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    const fn runs(tokens: f64, slower: f64, faster: f64) -> Experiment {
        Experiment { tokens, slower: Seconds::new(slower), faster: Seconds::new(faster) }
    }

    #[test]
    fn numbers_without_meaning_are_told_apart() {
        assert_eq!(runs(0.0, 2.0, 1.0).read(1.0), Err(ExperimentError::Tokens));
        assert_eq!(runs(f64::NAN, 2.0, 1.0).read(1.0), Err(ExperimentError::Tokens));
        assert_eq!(runs(1.0, 2.0, 0.0).read(1.0), Err(ExperimentError::Time));
        assert_eq!(runs(1.0, f64::INFINITY, 1.0).read(1.0), Err(ExperimentError::Time));
        assert_eq!(runs(1.0, 1.0, 2.0).read(1.0), Err(ExperimentError::Reversed));
    }

    #[test]
    fn equal_runs_save_nothing_and_bound_nothing() {
        let reading = runs(10.0, 1.0, 1.0).read(4.0).unwrap();
        assert_eq!(reading.saved_per_allreduce, Some(Seconds::ZERO));
        assert_eq!(reading.slower_share_at_least, Ratio::ZERO);
    }

    #[test]
    fn without_allreduces_there_is_no_saving_per_allreduce() {
        assert_eq!(runs(10.0, 2.0, 1.0).read(0.0).unwrap().saved_per_allreduce, None);
    }
}
