//! How many allreduces a step has, how large they are, and every estimate of what they take.
//!
//! The share of the allreduce is never one number: each estimate has its evidence and its range, and
//! they are shown side by side.

use super::Step;
use crate::collective::{self, Experiment, ExperimentError, ExperimentReading};
use crate::scenario::{EstimateChoice, Field, Scenario};
use crate::units::{Bytes, Range, Ratio, Seconds, TokensPerSecond};

/// The allreduces of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// How many.
    pub per_step: f64,
    /// What each carries.
    pub message: Bytes,
}

/// The evidence behind an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EstimateKind {
    /// Latency plus bytes over bandwidth.
    AlphaBeta,
    /// Two timed runs that differ only in the allreduce.
    Experiment,
    /// A share that somebody stated.
    StatedShare,
    /// A compute time that somebody stated.
    StatedCompute,
    /// All of them.
    Combined,
}

impl EstimateKind {
    /// The evidence behind a choice.
    #[must_use]
    pub fn of(choice: EstimateChoice) -> Self {
        match choice {
            EstimateChoice::Combined => Self::Combined,
            EstimateChoice::AlphaBeta => Self::AlphaBeta,
            EstimateChoice::StatedShare => Self::StatedShare,
            EstimateChoice::StatedCompute => Self::StatedCompute,
        }
    }

    /// Its name in JSON.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::AlphaBeta => "alpha-beta",
            Self::Experiment => "experiment",
            Self::StatedShare => "stated-share",
            Self::StatedCompute => "stated-compute",
            Self::Combined => "combined",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::AlphaBeta => "Latency and bandwidth",
            Self::Experiment => "A/B experiment, slower run",
            Self::StatedShare => "Stated share",
            Self::StatedCompute => "Stated compute time",
            Self::Combined => "All estimates",
        }
    }
}

/// What the allreduces of a step take, by one kind of evidence.
///
/// An end that the evidence leaves open is infinite; a likely value that it does not give is NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The evidence.
    pub kind: EstimateKind,
    /// The step it is about: today's, or the experiment's slower run.
    pub step: Seconds,
    /// Time of all allreduces of that step.
    pub time: Range<Seconds>,
    /// Their share of that step.
    pub share: Range<Ratio>,
    /// Speed of one stream if they took no time.
    pub ceiling: Range<TokensPerSecond>,
}

impl Estimate {
    /// # Formula
    /// share = allreduce / step; ceiling = tokens per step / (step − allreduce).
    fn new(kind: EstimateKind, step: Seconds, tokens: f64, time: Range<Seconds>) -> Self {
        // A lower bound says nothing of the other end; and no part is longer than the whole.
        let ceiling = |allreduce: Seconds| {
            let rest = step - allreduce;
            TokensPerSecond::new(if rest.get() > 0.0 { tokens / rest.get() } else { f64::INFINITY })
        };
        let likely = if time.likely.is_finite() { ceiling(time.likely) } else { TokensPerSecond::new(f64::NAN) };
        let ceiling = Range { low: ceiling(time.low), likely, high: ceiling(time.high) };
        Self { kind, step, time, share: time.map(|allreduce| Ratio::new(allreduce / step)), ceiling }
    }

    /// Whether it speaks of the step looked at, and not of the experiment's slower run.
    #[must_use]
    pub fn is_of_today(&self) -> bool {
        self.kind != EstimateKind::Experiment
    }
}

pub(super) fn traffic(scenario: &Scenario) -> Option<Traffic> {
    let layers = scenario.value(Field::Layers)?.value;
    let per_layer = scenario.value(Field::AllreducesPerLayer)?.value;
    // A model on one GPU has nobody to reduce with.
    let ranks = scenario.value(Field::TensorParallel)?.value;
    let per_step = if ranks > 1.0 { collective::allreduces_per_token(layers as u32, per_layer) } else { 0.0 };
    Some(Traffic { per_step, message: scenario.allreduce_message()? })
}

/// # Formula
/// allreduces per step × time of one: as published of that size, else latency + message / bandwidth; the range is how far
/// the published points lie from that line (or, without any, measurements from NCCL's model), and nothing where a number
/// was typed.
pub(super) fn alpha_beta_time(scenario: &Scenario, traffic: &Traffic) -> Option<Range<Seconds>> {
    if traffic.per_step == 0.0 {
        return Some(Range::exact(Seconds::ZERO));
    }
    let published = scenario.allreduce_fit().filter(|_| scenario.typed_allreduce().is_none());
    let one = match published {
        Some(fit) => fit.range(traffic.message),
        None => scenario.allreduce_cost()?.range(traffic.message),
    };
    Some(one.map(|one| one * traffic.per_step))
}

/// The A/B experiment, if its three numbers are there.
pub(super) fn experiment(scenario: &Scenario, traffic: &Traffic) -> Option<Result<ExperimentReading, ExperimentError>> {
    let experiment = Experiment {
        tokens: scenario.value(Field::ExperimentTokens)?.value,
        slower: scenario.seconds(Field::ExperimentSlower)?,
        faster: scenario.seconds(Field::ExperimentFaster)?,
    };
    Some(experiment.read(traffic.per_step))
}

/// Every estimate there is evidence for, best evidence first; none where there is nobody to reduce with.
pub(super) fn estimates(
    scenario: &Scenario,
    step: &Step,
    traffic: Option<&Traffic>,
    alpha_beta: Option<Range<Seconds>>,
    experiment: Option<&ExperimentReading>,
) -> Vec<Estimate> {
    if traffic.is_some_and(|traffic| traffic.per_step == 0.0) {
        return Vec::new();
    }
    let (time, tokens) = (step.time.value, step.tokens);
    let mut estimates = Vec::new();
    let mut add = |kind, range| estimates.push(Estimate::new(kind, time, tokens, range));
    if let Some(range) = alpha_beta {
        add(EstimateKind::AlphaBeta, range);
    }
    let stated = |low, high| stated_range(scenario.si(low), scenario.si(high));
    if let Some(share) = stated(Field::StatedShareLow, Field::StatedShareHigh) {
        add(EstimateKind::StatedShare, share.map(|share| time * share));
    }
    if let Some(compute) = stated(Field::StatedComputeLow, Field::StatedComputeHigh) {
        let rest = |compute: f64| (time - Seconds::new(compute)).max(Seconds::ZERO);
        add(EstimateKind::StatedCompute, compute.map_decreasing(rest));
    }
    if let Some(reading) = experiment {
        let open = Seconds::new(f64::INFINITY);
        let range = Range { low: reading.saved_per_token, likely: Seconds::new(f64::NAN), high: open };
        estimates.push(Estimate::new(EstimateKind::Experiment, reading.slower_step, 1.0, range));
    }
    estimates.sort_by_key(|estimate| estimate.kind);
    if let Some(all) = combine(&estimates, time, tokens) {
        estimates.push(all);
    }
    estimates
}

/// Both ends, in either order; one alone stands for both. The likely value is the middle.
fn stated_range(low: Option<f64>, high: Option<f64>) -> Option<Range<f64>> {
    let (low, high) = (low.or(high)?, high.or(low)?);
    Some(Range { low: low.min(high), likely: f64::midpoint(low, high), high: low.max(high) })
}

/// All estimates of today's step as one: a range that covers every one of them, and the likely value
/// of the best-evidenced. Nothing to combine where there is only one.
fn combine(estimates: &[Estimate], step: Seconds, tokens: f64) -> Option<Estimate> {
    let mut today = estimates.iter().filter(|estimate| estimate.is_of_today()).map(|estimate| estimate.time);
    let first = today.next()?;
    let second = today.next()?;
    let range = std::iter::once(second).chain(today).fold(first, |all, next| Range {
        low: all.low.min(next.low),
        likely: all.likely,
        high: all.high.max(next.high),
    });
    Some(Estimate::new(EstimateKind::Combined, step, tokens, range))
}

/// The estimate to use: the one chosen, else the combination, else the best-evidenced of today's step.
pub(super) fn choose(choice: EstimateChoice, estimates: &[Estimate]) -> Option<Estimate> {
    let by_kind = |kind| estimates.iter().find(|estimate| estimate.kind == kind);
    by_kind(EstimateKind::of(choice))
        .or_else(|| by_kind(EstimateKind::Combined))
        .or_else(|| estimates.iter().find(|estimate| estimate.is_of_today()))
        .copied()
}
