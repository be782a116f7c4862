//! How fast it could be: a ladder from today's speed up, each rung with what it idealises.

use super::{Estimate, EstimateKind, LayerSaving, Memory, Step, WhatIf};
use crate::units::format::trimmed;
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
    what_if: Option<&WhatIf>,
) -> Vec<Rung> {
    let mut rungs = vec![Rung { kind: RungKind::Today, speed: Range::exact(step.speed) }];
    if let Some(saving) = saving.filter(|saving| saving.per_layer.get() > 0.0) {
        rungs.push(Rung { kind: RungKind::ShorterLayers(saving.per_layer), speed: Range::exact(saving.speed) });
    }
    if let Some(what_if) = what_if.filter(|what_if| what_if.changes_anything) {
        rungs.push(Rung { kind: RungKind::Trial, speed: what_if.speed });
    }
    let today =
        estimates.iter().filter(|e| e.is_of_today() && e.kind != EstimateKind::Combined && e.time.high.get() > 0.0);
    rungs.extend(today.map(|e| Rung { kind: RungKind::FreeAllreduce(e.kind), speed: e.ceiling }));
    if let Some(memory) = memory {
        let allreduce = chosen.map_or(Range::exact(Seconds::ZERO), |estimate| estimate.time);
        if allreduce.high.get() > 0.0 {
            let mut speed = allreduce.map_decreasing(|time| step.speed_at(memory.time + time));
            // An estimate so high that the parts exceed the step does not make an idealisation slower than today.
            speed.low = speed.low.max(step.speed).min(speed.likely);
            rungs.push(Rung { kind: RungKind::PerfectBandwidth, speed });
        }
        let speed = Range::exact(step.speed_at(memory.time));
        rungs.push(Rung { kind: RungKind::Both, speed });
    }
    rungs
}
