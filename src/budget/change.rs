//! What a change of one part does to the whole.

use super::{Estimate, Memory, Step};
use crate::scenario::{Field, Scenario};
use crate::units::{Range, Ratio, Seconds, TokensPerSecond};

/// What taking a little time off each layer gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerSaving {
    /// What is taken off each layer: as set, but no more than a layer takes.
    pub per_layer: Seconds,
    /// What was set, where that is more than a layer takes.
    pub too_much: Option<Seconds>,
    /// That as a share of a layer's time.
    pub share: Ratio,
    /// The speed one stream would get.
    pub speed: TokensPerSecond,
    /// What it gains on today.
    pub gain: TokensPerSecond,
    /// What it would gain if speed rose in proportion: the first-order estimate people make by head.
    pub first_order_gain: TokensPerSecond,
    /// What reading memory alone allows, where the speed passes that.
    pub passes: Option<TokensPerSecond>,
}

/// # Formula
/// share = saving × layers / step; speed = tokens / (step − saving × layers);
/// first order: today's speed × share.
///
/// # Example
/// 10 µs off each of 78 layers of a 17.39 ms step: 0.78 ms, 4.5 %; 57.5 → 60.2 tok/s, +2.7 (first
/// order +2.6).
///
/// # Limits
/// At most the whole layer can be taken off; then there is no speed to show (infinite).
pub(super) fn layer_saving(scenario: &Scenario, step: &Step, memory: Option<&Memory>) -> Option<LayerSaving> {
    let layers = scenario.value(Field::Layers)?.value;
    let (asked, layer) = (scenario.seconds(Field::LayerSaving)?, step.time.value / layers);
    let per_layer = asked.min(layer);
    let share = Ratio::new((per_layer * layers) / step.time.value);
    let speed = step.speed_at((step.time.value - per_layer * layers).max(Seconds::ZERO));
    Some(LayerSaving {
        per_layer,
        too_much: (asked >= layer).then_some(asked),
        share,
        speed,
        gain: speed - step.speed,
        first_order_gain: step.speed * share.get(),
        passes: passes(step, speed, memory.map(|memory| memory.time)),
    })
}

/// What reading memory alone allows, where a speed passes that.
fn passes(step: &Step, speed: TokensPerSecond, reading: Option<Seconds>) -> Option<TokensPerSecond> {
    let most = step.speed_at(reading.filter(|time| *time > Seconds::ZERO)?);
    // Sums of rounded numbers may differ in their last digits.
    (speed > most * (1.0 + 1e-9)).then_some(most)
}

/// What the changes under trial to the allreduce and the bytes give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhatIf {
    /// The step after the changes.
    pub step: Range<Seconds>,
    /// The speed one stream would get.
    pub speed: Range<TokensPerSecond>,
    /// What reading the changed bytes alone allows, where the likely speed passes that.
    pub passes: Option<TokensPerSecond>,
    /// Whether anything changes at all.
    pub changes_anything: bool,
}

/// # Formula
/// step − allreduce × (1 − 1 / speed-up) − memory time × (1 − bytes factor); all else stays.
///
/// # Limits
/// Parts are taken one after the other: where they overlap today, less is gained than shown. The
/// range is that of the chosen estimate of the allreduce.
pub(super) fn what_if(
    scenario: &Scenario,
    step: &Step,
    memory: Option<&Memory>,
    allreduce: Option<&Estimate>,
) -> Option<WhatIf> {
    let speedup = scenario.value(Field::AllreduceSpeedup)?.value;
    let bytes = scenario.value(Field::BytesFactor)?.value;
    let from_allreduce =
        allreduce.map_or(Range::exact(Seconds::ZERO), |e| e.time.map(|time| time * (1.0 - 1.0 / speedup)));
    let from_memory = memory.map_or(Seconds::ZERO, |memory| memory.time * (1.0 - bytes));
    let after = from_allreduce.map_decreasing(|saved| (step.time.value - saved - from_memory).max(Seconds::ZERO));
    let reading = memory.map(|memory| memory.time * bytes);
    WhatIf::of(step, after, reading, speedup != 1.0 || bytes != 1.0)
}

impl WhatIf {
    fn of(step: &Step, after: Range<Seconds>, reading: Option<Seconds>, changes_anything: bool) -> Option<Self> {
        // Changes that leave nothing of the step cannot all be right.
        if after.low <= Seconds::ZERO {
            return None;
        }
        let speed = after.map_decreasing(|time| step.speed_at(time));
        Some(Self { step: after, speed, passes: passes(step, speed.likely, reading), changes_anything })
    }
}

/// The shorter layers, the allreduce and the bytes, all changed together.
///
/// # Formula
/// step of [`what_if`] − saving × layers. `None` where only one of the two changes anything, or nothing is left.
pub(super) fn together(
    scenario: &Scenario,
    step: &Step,
    memory: Option<&Memory>,
    saving: Option<&LayerSaving>,
    what_if: Option<&WhatIf>,
) -> Option<WhatIf> {
    let what_if = what_if.filter(|what_if| what_if.changes_anything)?;
    let saving = saving.filter(|saving| saving.per_layer > Seconds::ZERO)?;
    let saved = step.time.value * saving.share.get();
    let reading =
        memory.map(|memory| memory.time * scenario.value(Field::BytesFactor).map_or(1.0, |bytes| bytes.value));
    WhatIf::of(step, what_if.step.map(|time| time - saved), reading, true)
}
