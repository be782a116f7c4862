//! What one decode step reads from memory and computes, per GPU.

mod experts;
mod ledger;
mod resident;

pub use experts::{busiest_rank, distinct_experts};
pub use resident::resident_weights;

use super::architecture::{Architecture, Layer, kinds};
use super::part::{Block, Component, Part};
use super::precision::Precision;
use super::split::Split;
use crate::units::{Bytes, Flops};
use ledger::{Ledger, at_least_zero};
use resident::resident;
use serde::{Deserialize, Serialize};

/// Whether ranks share a read or each make it in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Each rank reads its share.
    Sharded,
    /// Every rank reads all of it.
    Replicated,
}

/// What one GPU reads of one component in one decode step, over all layers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Read {
    /// Of what.
    pub component: Component,
    /// In which part of the network.
    pub block: Block,
    /// Whether ranks share it.
    pub placement: Placement,
    /// How much.
    pub bytes: Bytes,
    /// What is computed with it.
    pub flops: Flops,
    /// By how many separate operations, each of which starts up once.
    pub operations: f64,
}

/// One decode step: how many sequences, how many tokens of each, after how much context.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Sequences decoded together, over all data-parallel groups.
    pub sequences: f64,
    /// Tokens of each that go through the model: 1, or 1 + the draft length when verifying drafts.
    pub tokens: f64,
    /// Tokens of context each sequence has.
    pub context: f64,
}

/// One decode step's reads and operations on one GPU. With pipeline stages they are summed over the
/// stages a token passes, as their times are; resident bytes are the fullest stage's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecodeRead {
    /// By component, block and placement, in the order of [`Component::ALL`].
    pub reads: Vec<Read>,
    /// Weights resident on the fullest GPU.
    pub resident_weights: Bytes,
    /// Cache and state resident on the same GPU.
    pub resident_cache: Bytes,
    /// Layers the step passes.
    pub layers: u32,
}

/// Bytes of a step by where in the network they are read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PerLayer {
    /// Attention's, of an average layer.
    pub attention: Bytes,
    /// The feed-forward block's, of an average layer.
    pub feed_forward: Bytes,
    /// Those outside the layers, of the whole step.
    pub outside: Bytes,
}

/// What one GPU reads and computes in a step that decodes one token of each of `batch` sequences
/// with `context` tokens each. See [`decode_step`].
#[must_use]
pub fn decode_read(
    architecture: &Architecture,
    precision: &Precision,
    split: &Split,
    batch: f64,
    context: f64,
) -> DecodeRead {
    decode_step(architecture, precision, split, &Step { sequences: batch, tokens: 1.0, context })
}

/// What one GPU reads and computes in one decode step.
///
/// # Formula
/// Weights: every part whole, over the ranks it is split over; an embedding, one row per token; of
/// routed experts the [`distinct_experts`] hit. Caches: entries read, per sequence. States: read
/// and written. Activations: each block reads and writes the hidden state and its normed copy.
/// Operations: 2 per active parameter and token, and the caches' own.
///
/// # Units
/// Bytes and floating-point operations per GPU and step.
///
/// # Source
/// Layouts as vLLM's (which parts are split, which copied); the cache formulas are the mixers'.
///
/// # Limits
/// With data-parallel groups, of the one with the most sequences. Weights are read once per step, whatever the batch; what stays in a GPU's L2 is counted too.
#[must_use]
pub fn decode_step(architecture: &Architecture, precision: &Precision, split: &Split, step: &Step) -> DecodeRead {
    let model = Model { parts: architecture.parts(), layers: kinds(&architecture.layers), architecture };
    let mut read = model.read(precision, split, step);
    if split.pipeline_parallel > 1 {
        (read.resident_weights, read.resident_cache) = resident::fullest_stage(architecture, precision, split, step);
    }
    read
}

/// What one GPU reads and computes to draft one further token of each sequence with the model's
/// multi-token prediction, head and embedding included; `None` when it has none. See
/// [`decode_step`].
#[must_use]
pub fn draft_step(
    architecture: &Architecture,
    precision: &Precision,
    split: &Split,
    step: &Step,
) -> Option<DecodeRead> {
    let prediction = architecture.prediction.as_ref()?;
    // One draft runs one module; the head and the embedding are the main model's.
    let module = architecture.prediction_parts().into_iter().map(|(part, _)| (part, 1));
    let shared = |part: &Part| matches!(part.component, Component::LmHead | Component::Embedding);
    let tables = architecture.parts().into_iter().filter(|(part, _)| part.block == Block::Outside && shared(part));
    let tables = tables.map(|(part, count)| (Part { tied: true, ..part }, count));
    let layers = prediction.layers.iter().map(|layer| (layer, 1)).collect();
    let model = Model { parts: module.chain(tables).collect(), layers, architecture };
    Some(model.read(precision, split, step))
}

/// What goes through in a step: weights, and the layers that keep caches.
struct Model<'a> {
    parts: Vec<(Part, u32)>,
    layers: Vec<(&'a Layer, u32)>,
    architecture: &'a Architecture,
}

impl Model<'_> {
    fn read(&self, precision: &Precision, split: &Split, step: &Step) -> DecodeRead {
        let all_sequences = at_least_zero(step.sequences);
        let sequences = split.sequences_of_a_group(all_sequences);
        let tokens = sequences * at_least_zero(step.tokens);
        let all_tokens = all_sequences * at_least_zero(step.tokens);
        let mut ledger = Ledger::new(precision, split);
        let mut weights = 0.0;
        for (part, layers) in &self.parts {
            ledger.weights(part, f64::from(*layers), tokens, all_tokens);
            weights += f64::from(*layers) * resident(part, self.architecture, precision, split);
        }
        let mut cached = 0.0;
        for &(layer, count) in &self.layers {
            ledger.activations(layer, count, self.architecture.hidden, tokens);
            cached += ledger.caches(layer, count, step, sequences);
        }
        ledger.reads.sort_by_key(|read| Component::ALL.iter().position(|component| *component == read.component));
        DecodeRead {
            reads: ledger.reads,
            resident_weights: Bytes::new(weights),
            resident_cache: Bytes::new(cached),
            layers: self.layers.iter().fold(0, |all, (_, count)| all.saturating_add(*count)),
        }
    }
}

impl DecodeRead {
    /// Everything one GPU reads in the step.
    #[must_use]
    pub fn total(&self) -> Bytes {
        self.reads.iter().map(|read| read.bytes).sum()
    }

    /// The weights among it.
    #[must_use]
    pub fn weights(&self) -> Bytes {
        self.sum(|read| read.component.is_weights())
    }

    /// What every rank reads in full.
    #[must_use]
    pub fn replicated(&self) -> Bytes {
        self.sum(|read| read.placement == Placement::Replicated)
    }

    /// What one GPU reads of a component.
    #[must_use]
    pub fn of(&self, component: Component) -> Bytes {
        self.sum(|read| read.component == component)
    }

    /// Everything one GPU computes in the step.
    #[must_use]
    pub fn flops(&self) -> Flops {
        self.reads.iter().map(|read| read.flops).sum()
    }

    /// Bytes by place: attention and feed-forward of an average layer, and those outside the layers.
    #[must_use]
    pub fn per_layer(&self) -> PerLayer {
        let layers = f64::from(self.layers.max(1));
        PerLayer {
            attention: self.sum(|read| read.block == Block::Attention) / layers,
            feed_forward: self.sum(|read| read.block == Block::FeedForward) / layers,
            outside: self.sum(|read| read.block == Block::Outside),
        }
    }

    fn sum(&self, which: impl Fn(&Read) -> bool) -> Bytes {
        self.reads.iter().filter(|read| which(read)).map(|read| read.bytes).sum()
    }
}
