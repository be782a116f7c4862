//! The pieces a forward pass is made of: what they are, where they sit, how they are split.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a weight, a cache or a transfer belongs to. Quantisation recipes speak of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// The input embedding table, of which a step reads one row per token.
    Embedding,
    /// Gemma's per-layer embedding tables: looked up like the embedding, never multiplied.
    PerLayerEmbedding,
    /// The output head; a tied one is stored with the embedding but still read whole.
    LmHead,
    /// Query, key and value projections, low-rank ones included.
    AttentionProjections,
    /// Multi-head latent attention's expansion of the latent into keys and values (`kv_b`).
    LatentUpProjection,
    /// The projection from the heads back to the hidden width.
    AttentionOutput,
    /// The indexer of sparse attention: it picks the tokens the heads look at.
    Indexer,
    /// Linear attention: gated delta nets, Kimi delta attention, lightning attention.
    LinearAttention,
    /// Mamba mixers.
    StateSpace,
    /// A feed-forward block every token passes.
    DenseMlp,
    /// The router that chooses experts.
    Router,
    /// The routed experts.
    RoutedExperts,
    /// Experts every token passes.
    SharedExperts,
    /// Projections into and out of the narrower space latent experts live in.
    ExpertLatent,
    /// Normalisation weights.
    Norms,
    /// Weights that mix several residual streams (hyper-connections).
    ResidualMixing,
    /// Keys and values, or latents, of the tokens so far.
    KvCache,
    /// The indexer's own keys of the tokens so far.
    IndexerKeys,
    /// The constant-size state of recurrent mixers.
    RecurrentState,
    /// The hidden states that pass between operations.
    Activations,
}

impl Component {
    /// Every component, in the order tables and charts show them.
    pub const ALL: [Self; 20] = [
        Self::Embedding,
        Self::PerLayerEmbedding,
        Self::AttentionProjections,
        Self::LatentUpProjection,
        Self::AttentionOutput,
        Self::Indexer,
        Self::LinearAttention,
        Self::StateSpace,
        Self::KvCache,
        Self::IndexerKeys,
        Self::RecurrentState,
        Self::Router,
        Self::RoutedExperts,
        Self::SharedExperts,
        Self::ExpertLatent,
        Self::DenseMlp,
        Self::Norms,
        Self::ResidualMixing,
        Self::LmHead,
        Self::Activations,
    ];

    /// Its name for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::PerLayerEmbedding => "per-layer embeddings",
            Self::LmHead => "LM head",
            Self::AttentionProjections => "attention projections",
            Self::LatentUpProjection => "latent up-projection",
            Self::AttentionOutput => "attention output",
            Self::Indexer => "indexer",
            Self::LinearAttention => "linear attention",
            Self::StateSpace => "state space mixer",
            Self::DenseMlp => "dense MLP",
            Self::Router => "router",
            Self::RoutedExperts => "routed experts",
            Self::SharedExperts => "shared experts",
            Self::ExpertLatent => "expert latent projections",
            Self::Norms => "norms",
            Self::ResidualMixing => "residual mixing",
            Self::KvCache => "KV cache",
            Self::IndexerKeys => "indexer keys",
            Self::RecurrentState => "recurrent state",
            Self::Activations => "activations",
        }
    }

    /// Whether it is made of weights, rather than of what a sequence leaves behind.
    #[must_use]
    pub const fn is_weights(self) -> bool {
        !matches!(self, Self::KvCache | Self::IndexerKeys | Self::RecurrentState | Self::Activations)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// Which part of the network something belongs to; a layer's norms count with its attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// The token mixer of a layer: attention, or what stands in for it.
    Attention,
    /// The feed-forward block of a layer.
    FeedForward,
    /// Outside the layers: embedding, final norm, head.
    Outside,
}

/// How a tensor is laid out over the ranks of a tensor-parallel group, as vLLM does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharding {
    /// By columns or rows: each rank holds its share.
    Sharded,
    /// By key/value heads: split while there are heads to split, then copied.
    KeyValueHeads(u32),
    /// By vocabulary rows.
    Vocabulary,
    /// By experts, or by the width of every expert.
    Experts,
    /// Whole on every rank.
    Replicated,
}

impl Sharding {
    /// Over how many ranks of `tensor_parallel` the tensor is really divided.
    ///
    /// ```
    /// use decodescope::model::Sharding;
    /// assert_eq!(Sharding::KeyValueHeads(4).divisor(8), 4);
    /// assert_eq!(Sharding::Replicated.divisor(8), 1);
    /// ```
    #[must_use]
    pub fn divisor(self, tensor_parallel: u32) -> u32 {
        let ranks = tensor_parallel.max(1);
        match self {
            Self::Sharded | Self::Vocabulary | Self::Experts => ranks,
            Self::KeyValueHeads(heads) => ranks.min(heads.max(1)),
            Self::Replicated => 1,
        }
    }
}

/// How much of a part a forward pass of one token uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Usage {
    /// All of it.
    Whole,
    /// One row of a table, of so many elements.
    Row(u64),
    /// `chosen` of `experts` equal experts.
    Routed {
        /// How many there are.
        experts: u32,
        /// How many a token is sent to.
        chosen: u32,
    },
}

/// Weights of one kind with one layout, in one layer or outside the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// What they are.
    pub component: Component,
    /// Where they sit.
    pub block: Block,
    /// How they are split.
    pub sharding: Sharding,
    /// How much of them a token uses.
    pub usage: Usage,
    /// How many there are.
    pub parameters: u64,
    /// How many separate matrix multiplications read them (fused projections are one).
    pub operations: u32,
    /// Whether they are the embedding read a second time, hence not stored again.
    pub tied: bool,
}

impl Part {
    /// Weights a token uses whole, by a matrix multiplication.
    #[must_use]
    pub fn whole(component: Component, block: Block, sharding: Sharding, parameters: u64) -> Self {
        Self { component, block, sharding, usage: Usage::Whole, parameters, operations: 1, tied: false }
    }

    /// The same weights, read by `operations` matrix multiplications of their own.
    #[must_use]
    pub fn operations(self, operations: u32) -> Self {
        Self { operations, ..self }
    }

    /// How many of them one token uses. An embedding counts whole, as model cards do; a per-layer
    /// embedding counts as nothing.
    #[must_use]
    pub fn active(&self) -> u64 {
        match self.usage {
            Usage::Whole => self.parameters,
            Usage::Row(_) if self.component == Component::Embedding => self.parameters,
            Usage::Row(_) => 0,
            Usage::Routed { experts, chosen } => {
                (self.parameters / u64::from(experts.max(1))).saturating_mul(u64::from(chosen.min(experts)))
            }
        }
    }
}

/// For what most architectures have none of, and a link need not carry.
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The product of dimensions, at most 2⁴⁴: no tensor of one layer is larger, and absurd input then
/// cannot overflow a sum.
pub(crate) fn product<const N: usize>(dimensions: [u32; N]) -> u64 {
    dimensions.iter().fold(1_u64, |all, &one| all.saturating_mul(u64::from(one))).min(1 << 44)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_is_listed_once() {
        let mut all = Component::ALL.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), Component::ALL.len());
    }

    #[test]
    fn an_absurd_product_is_clamped() {
        assert_eq!(product([u32::MAX; 4]), 1 << 44);
        assert_eq!(product([6144, 64, 256]), 100_663_296);
    }

    #[test]
    fn a_token_uses_its_chosen_experts() {
        let part = Part {
            usage: Usage::Routed { experts: 8, chosen: 2 },
            ..Part::whole(Component::RoutedExperts, Block::FeedForward, Sharding::Experts, 800)
        };
        assert_eq!(part.active(), 200);
    }
}
