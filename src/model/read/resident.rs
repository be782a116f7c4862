//! What a GPU keeps in memory.

use super::Step;
use super::ledger::{Ledger, at_least_zero, padding};
use crate::model::architecture::{Architecture, Layer};
use crate::model::part::{Block, Component, Part};
use crate::model::precision::Precision;
use crate::model::split::Split;
use crate::units::Bytes;

/// The weights resident on one GPU, by component, in the order of [`Component::ALL`]: the parts of
/// [`DecodeRead::resident_weights`](super::DecodeRead::resident_weights). With pipeline stages, of all of them together.
#[must_use]
pub fn resident_weights(architecture: &Architecture, precision: &Precision, split: &Split) -> Vec<(Component, Bytes)> {
    let parts = architecture.parts();
    let of = |component: Component| {
        let bytes = parts.iter().filter(|(part, _)| part.component == component);
        let each = |(part, layers): &(Part, u32)| f64::from(*layers) * resident(part, architecture, precision, split);
        Bytes::new(bytes.map(each).sum())
    };
    Component::ALL.into_iter().map(|one| (one, of(one))).filter(|(_, bytes)| bytes.get() > 0.0).collect()
}

/// Bytes of a part of one layer on one GPU; none where it is stored with another.
pub(super) fn resident(part: &Part, architecture: &Architecture, precision: &Precision, split: &Split) -> f64 {
    if part.tied {
        return 0.0;
    }
    let stored = part.parameters as f64 * padding(part, architecture) * split.held(part);
    precision.bytes(part.component, stored)
}

/// Weights and caches of the pipeline stage that keeps most: memory ends there first. The first stage has the
/// embeddings, the last the head, and an embedding read as the head again.
pub(super) fn fullest_stage(
    architecture: &Architecture,
    precision: &Precision,
    split: &Split,
    step: &Step,
) -> (Bytes, Bytes) {
    let sequences = split.sequences_of_a_group(at_least_zero(step.sequences));
    let weights = |parts: &[Part]| parts.iter().map(|part| resident(part, architecture, precision, split)).sum::<f64>();
    let layer = |layer: &Layer| {
        let cache = Ledger::new(precision, split).caches(layer, 1, step, sequences);
        (weights(&architecture.layer_parts(layer)), cache)
    };
    let (mut first, mut last) = (0.0, 0.0);
    for (part, _) in architecture.parts().iter().filter(|(part, _)| part.block == Block::Outside) {
        let is_table = matches!(part.component, Component::Embedding | Component::PerLayerEmbedding);
        let bytes = resident(&Part { tied: false, ..*part }, architecture, precision, split);
        *(if is_table { &mut first } else { &mut last }) += bytes;
    }
    let groups = architecture.layers.iter().map(|group| (layer(&group.layer), group.count));
    let mut layers = groups.flat_map(|(bytes, count)| std::iter::repeat_n(bytes, count as usize));
    let counts = split.stages(architecture.layer_count());
    let stages = counts.iter().enumerate().map(|(stage, &count)| {
        let ends = if stage == 0 { first } else { 0.0 } + if stage + 1 == counts.len() { last } else { 0.0 };
        let of_layers = layers.by_ref().take(count as usize);
        of_layers.fold((ends, 0.0), |sum, bytes| (sum.0 + bytes.0, sum.1 + bytes.1))
    });
    let fullest = stages.max_by(|one, other| (one.0 + one.1).total_cmp(&(other.0 + other.1)));
    let (weights, cache) = fullest.unwrap_or_default();
    (Bytes::new(weights), Bytes::new(cache))
}
