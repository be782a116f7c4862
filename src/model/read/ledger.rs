//! The book in which a step's reads are summed up.

use super::super::architecture::{Architecture, Layer};
use super::super::part::{Block, Component, Part, Sharding, Usage};
use super::super::precision::Precision;
use super::super::split::Split;
use super::{Placement, Read, Step, busiest_rank, distinct_experts};
use crate::units::{Bytes, Flops};

pub(super) fn at_least_zero(number: f64) -> f64 {
    if number.is_finite() { number.max(0.0) } else { 0.0 }
}

fn placement(sharding: Sharding) -> Placement {
    if sharding == Sharding::Replicated { Placement::Replicated } else { Placement::Sharded }
}

/// vLLM pads vocabularies to a multiple of 64 before it splits them.
pub(super) fn padding(part: &Part, architecture: &Architecture) -> f64 {
    if part.sharding != Sharding::Vocabulary || part.component == Component::PerLayerEmbedding {
        return 1.0;
    }
    let rows = f64::from(architecture.vocabulary.max(1));
    (rows / 64.0).ceil() * 64.0 / rows
}

/// The reads so far.
pub(super) struct Ledger<'a> {
    pub(super) reads: Vec<Read>,
    precision: &'a Precision,
    split: &'a Split,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(precision: &'a Precision, split: &'a Split) -> Self {
        Self { reads: Vec::new(), precision, split }
    }

    /// Notes one part of the weights; `tokens` are one data-parallel group's, `all_tokens` all groups'.
    pub(super) fn weights(&mut self, part: &Part, layers: f64, tokens: f64, all_tokens: f64) {
        if tokens <= 0.0 {
            return;
        }
        let parameters = part.parameters as f64 * layers;
        let mut divisor = self.split.divisor(part.sharding);
        let (elements, flops) = match part.usage {
            Usage::Whole => (parameters, 2.0 * parameters * tokens),
            // One rank of the group holds a token's row; the others read nothing, the slowest one row.
            Usage::Row(row) => {
                divisor = 1.0;
                (row as f64 * tokens * layers, 0.0)
            }
            Usage::Routed { experts, chosen } => {
                let share = 1.0 / f64::from(experts.max(1));
                let hit = distinct_experts(experts, chosen, all_tokens);
                let uneven = if self.split.expert_parallel { self.unevenness(experts, hit) } else { 1.0 };
                // No rank reads more experts than it holds, which are whole ones where they are dealt.
                let most = parameters * divisor * self.split.held(part);
                let elements = (parameters * share * hit * uneven).min(most);
                let routed = f64::from(chosen.min(experts)) * all_tokens;
                (elements, 2.0 * parameters * share * routed * uneven)
            }
        };
        let operations = f64::from(part.operations) * layers;
        self.add(part.component, part.block, placement(part.sharding), elements / divisor, flops / divisor, operations);
    }

    /// How many times the mean the busiest rank reads, when whole experts are dealt to ranks.
    fn unevenness(&self, experts: u32, hit: f64) -> f64 {
        let ranks = self.split.stage_ranks();
        let mean = hit / f64::from(ranks);
        let by_chance = if mean > 0.0 { (busiest_rank(experts, hit, ranks) / mean).max(1.0) } else { 1.0 };
        by_chance * self.split.expert_imbalance.max(1.0)
    }

    /// Notes the hidden states: each block reads and writes them and their normed copy.
    pub(super) fn activations(&mut self, layer: &Layer, count: u32, hidden: u32, tokens: f64) {
        let blocks = f64::from(layer.allreduces()) * f64::from(count);
        let block = if layer.mixer.is_some() { Block::Attention } else { Block::FeedForward };
        let elements = 4.0 * blocks * f64::from(hidden) * tokens;
        self.add(Component::Activations, block, Placement::Replicated, elements, 0.0, 0.0);
    }

    /// Notes the caches and states of `sequences` in `count` equal layers; the bytes they occupy.
    pub(super) fn caches(&mut self, layer: &Layer, count: u32, step: &Step, sequences: f64) -> f64 {
        let Some(mixer) = &layer.mixer else { return 0.0 };
        let (split, precision, layers) = (self.split, self.precision, f64::from(count));
        let tokens = at_least_zero(step.tokens);
        let mut kept = 0.0;
        for entry in mixer.cache() {
            let divisor = split.cache_divisor(entry.sharding);
            let context = entry.tokens_read(step.context) * sequences * layers;
            let heads = if entry.flops_sharded { f64::from(split.tensor_parallel.max(1)) } else { 1.0 };
            let flops = entry.flops_per_token * context * tokens / heads;
            let elements = entry.elements * context / divisor;
            self.add(entry.component, Block::Attention, placement(entry.sharding), elements, flops, layers);
            if entry.owned {
                let elements = entry.elements * entry.tokens_kept(step.context) * sequences * layers / divisor;
                kept += precision.bytes(entry.component, elements);
            }
        }
        let state = mixer.state() as f64 * sequences * layers / split.divisor(Sharding::Sharded);
        if state > 0.0 {
            // Read and written. Decay, outer product, sum and readout: some six operations per element.
            let flops = 6.0 * state * tokens;
            self.add(Component::RecurrentState, Block::Attention, Placement::Sharded, 2.0 * state, flops, layers);
            kept += precision.bytes(Component::RecurrentState, state);
        }
        kept
    }

    /// Adds to what was noted of the same component, block and placement.
    fn add(&mut self, component: Component, block: Block, placement: Placement, elements: f64, flops: f64, count: f64) {
        let (bytes, flops) = (Bytes::new(self.precision.bytes(component, elements)), Flops::new(flops));
        let same = |read: &&mut Read| (read.component, read.block, read.placement) == (component, block, placement);
        match self.reads.iter_mut().find(same) {
            Some(read) => {
                read.bytes += bytes;
                read.flops += flops;
                read.operations += count;
            }
            None => self.reads.push(Read { component, block, placement, bytes, flops, operations: count }),
        }
    }
}
