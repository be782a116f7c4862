//! How fast it could be: a ladder from today's speed up, each rung with what it idealises.

use super::{Estimate, EstimateKind, LayerSaving, Memory, Step, WhatIf};
use crate::units::format::{show, trimmed};
use crate::units::{Range, Seconds, TokensPerSecond};

/// What a rung idealises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RungKind {
    /// Nothing: today.
    Today,
    /// Every layer takes this much less.
    ShorterLayers(Seconds),
    /// The changes under trial.
    Trial,
    /// The changes under trial, and every layer takes this much less.
    Together(Seconds),
    /// Allreduces take no time, by this estimate of what they take; all else as today.
    FreeAllreduce(EstimateKind),
    /// Only reading memory at full bandwidth and the allreduces take time.
    PerfectBandwidth,
    /// Only reading memory at full bandwidth takes time.
    Both,
}

impl RungKind {
    /// Its name in JSON.
    #[must_use]
    pub fn key(self) -> String {
        match self {
            Self::Today => "today".to_owned(),
            Self::ShorterLayers(_) => "shorter-layers".to_owned(),
            Self::Trial => "trial".to_owned(),
            Self::Together(_) => "trial-and-shorter-layers".to_owned(),
            Self::FreeAllreduce(estimate) => format!("free-allreduce/{}", estimate.key()),
            Self::PerfectBandwidth => "perfect-bandwidth".to_owned(),
            Self::Both => "both".to_owned(),
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn title(self) -> String {
        match self {
            Self::Today => "Today".to_owned(),
            Self::ShorterLayers(saving) => format!("{} µs off each layer", trimmed(saving.as_micros())),
            Self::Trial => "The changes under trial".to_owned(),
            Self::Together(saving) => format!("These changes, and {} µs off each layer", trimmed(saving.as_micros())),
            Self::FreeAllreduce(estimate) => format!("Free allreduce: {}", estimate.title().to_lowercase()),
            Self::PerfectBandwidth => "Perfect bandwidth".to_owned(),
            Self::Both => "Free allreduce and perfect bandwidth".to_owned(),
        }
    }

    /// What it idealises, in a sentence.
    #[must_use]
    pub fn idealises(self) -> &'static str {
        match self {
            Self::Today => "nothing: this is the step above",
            Self::ShorterLayers(_) => "every layer takes so much less, whatever saves it",
            Self::Trial => "allreduce and bytes changed as set under What if, all else as today",
            Self::Together(_) => "all of these changes together",
            Self::FreeAllreduce(EstimateKind::AlphaBeta) => {
                "allreduces take no time; today they take what latency and bandwidth say"
            }
            Self::FreeAllreduce(EstimateKind::StatedShare) => {
                "allreduces take no time; today they take the stated share"
            }
            Self::FreeAllreduce(EstimateKind::StatedCompute) => "only the stated compute time is left",
            Self::FreeAllreduce(_) => "allreduces take no time; today they take what all estimates together say",
            Self::PerfectBandwidth => "memory is read at full bandwidth, allreduces stay, nothing else takes time",
            Self::Both => "memory is read at full bandwidth and nothing else takes time",
        }
    }
}

/// One rung: a speed, and what it idealises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// What it idealises.
    pub kind: RungKind,
    /// The speed of one stream; an end that cannot be bounded is infinite.
    pub speed: Range<TokensPerSecond>,
    /// What reading memory alone allows, where a change under trial passes that.
    pub passes: Option<TokensPerSecond>,
}

impl Rung {
    fn new(kind: RungKind, speed: Range<TokensPerSecond>) -> Self {
        Self { kind, speed, passes: None }
    }

    /// What it idealises, and what is wrong with it.
    #[must_use]
    pub fn remark(&self) -> String {
        let passes = self.passes.map(|most| format!("; but memory allows only {}", show(most)));
        self.kind.idealises().to_owned() + &passes.unwrap_or_default()
    }
}

/// # Formula
/// free allreduce: tokens / (step − allreduce); perfect bandwidth: tokens / (memory time +
/// allreduce); both: tokens / memory time.
pub(super) fn rungs(
    step: &Step,
    memory: Option<&Memory>,
    estimates: &[Estimate],
    chosen: Option<&Estimate>,
    saving: Option<&LayerSaving>,
    [what_if, together]: [Option<&WhatIf>; 2],
) -> Vec<Rung> {
    let mut rungs = vec![Rung::new(RungKind::Today, Range::exact(step.speed))];
    // A layer of which nothing is left has no speed.
    let saving = saving.filter(|saving| saving.per_layer.get() > 0.0 && saving.too_much.is_none());
    if let Some(saving) = saving {
        let kind = RungKind::ShorterLayers(saving.per_layer);
        rungs.push(Rung { kind, speed: Range::exact(saving.speed), passes: saving.passes });
    }
    if let Some(what_if) = what_if.filter(|what_if| what_if.changes_anything) {
        rungs.push(Rung { kind: RungKind::Trial, speed: what_if.speed, passes: what_if.passes });
    }
    if let Some((saving, together)) = saving.zip(together) {
        let kind = RungKind::Together(saving.per_layer);
        rungs.push(Rung { kind, speed: together.speed, passes: together.passes });
    }
    let today =
        estimates.iter().filter(|e| e.is_of_today() && e.kind != EstimateKind::Combined && e.time.high.get() > 0.0);
    rungs.extend(today.map(|e| Rung::new(RungKind::FreeAllreduce(e.kind), e.ceiling)));
    if let Some(memory) = memory {
        let allreduce = chosen.map_or(Range::exact(Seconds::ZERO), |estimate| estimate.time);
        if allreduce.high.get() > 0.0 {
            let mut speed = allreduce.map_decreasing(|time| step.speed_at(memory.time + time));
            // An estimate so high that the parts exceed the step does not make an idealisation slower than today.
            speed.low = speed.low.max(step.speed).min(speed.likely);
            rungs.push(Rung::new(RungKind::PerfectBandwidth, speed));
        }
        let speed = Range::exact(step.speed_at(memory.time));
        rungs.push(Rung::new(RungKind::Both, speed));
    }
    rungs
}
