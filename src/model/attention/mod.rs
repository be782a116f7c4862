//! Token mixers: one file per kind of attention, and of what stands in for it.

mod compressed;
mod grouped;
mod indexer;
mod latent;
mod linear;
mod recurrence;
mod state_space;

pub use compressed::CompressedAttention;
pub use grouped::{GroupedAttention, HeadNorm};
pub use indexer::Indexer;
pub use latent::LatentAttention;
pub use linear::{DeltaAttention, GatedDeltaNet, LightningAttention};
pub use recurrence::{GatedRecurrence, Rwkv, ShortConvolution};
pub use state_space::{Mamba1, Mamba2};

use super::cache::CacheEntry;
use super::part::{Block, Component, Part, Sharding, product};
use serde::{Deserialize, Serialize};

/// How a layer lets tokens see one another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mixer {
    /// Multi-head, grouped-query or multi-query attention, full or windowed.
    Grouped(GroupedAttention),
    /// Multi-head latent attention, with or without an indexer.
    Latent(LatentAttention),
    /// DeepSeek-V4's attention over compressed tokens.
    Compressed(CompressedAttention),
    /// A gated delta net.
    GatedDelta(GatedDeltaNet),
    /// Kimi delta attention.
    Delta(DeltaAttention),
    /// Lightning attention.
    Lightning(LightningAttention),
    /// Mamba, first generation.
    Mamba1(Mamba1),
    /// Mamba, second generation.
    Mamba2(Mamba2),
    /// A short gated convolution.
    ShortConvolution(ShortConvolution),
    /// A gated linear recurrence.
    GatedRecurrence(GatedRecurrence),
    /// RWKV's time mixing, fourth generation.
    Rwkv(Rwkv),
    /// Several mixers side by side, their outputs added.
    Parallel(Vec<Mixer>),
    /// A plain matrix in attention's place.
    Linear,
}

/// A projection of a mixer, by the component it counts to.
fn part(component: Component, sharding: Sharding, parameters: u64) -> Part {
    Part::whole(component, Block::Attention, sharding, parameters)
}

impl Mixer {
    /// Its weights, for a residual stream `hidden` wide.
    #[must_use]
    pub fn parts(&self, hidden: u32) -> Vec<Part> {
        match self {
            Self::Grouped(attention) => attention.parts(hidden),
            Self::Latent(attention) => attention.parts(hidden),
            Self::Compressed(attention) => attention.parts(hidden),
            Self::GatedDelta(attention) => attention.parts(hidden),
            Self::Delta(attention) => attention.parts(hidden),
            Self::Lightning(attention) => attention.parts(hidden),
            Self::Mamba1(mixer) => mixer.parts(hidden),
            Self::Mamba2(mixer) => mixer.parts(hidden),
            Self::ShortConvolution(mixer) => mixer.parts(hidden),
            Self::GatedRecurrence(mixer) => mixer.parts(hidden),
            Self::Rwkv(mixer) => mixer.parts(hidden),
            Self::Parallel(mixers) => mixers.iter().flat_map(|mixer| mixer.parts(hidden)).collect(),
            Self::Linear => {
                vec![part(Component::AttentionProjections, Sharding::Sharded, product([hidden, hidden]))]
            }
        }
    }

    /// What it keeps per token of context.
    #[must_use]
    pub fn cache(&self) -> Vec<CacheEntry> {
        match self {
            Self::Grouped(attention) => attention.cache(),
            Self::Latent(attention) => attention.cache(),
            Self::Compressed(attention) => attention.cache(),
            Self::Parallel(mixers) => mixers.iter().flat_map(Self::cache).collect(),
            _ => Vec::new(),
        }
    }

    /// Elements of constant-size state it keeps per sequence, split over ranks by heads.
    #[must_use]
    pub fn state(&self) -> u64 {
        match self {
            Self::GatedDelta(attention) => attention.state(),
            Self::Delta(attention) => attention.state(),
            Self::Lightning(attention) => attention.state(),
            Self::Mamba1(mixer) => mixer.state(),
            Self::Mamba2(mixer) => mixer.state(),
            Self::ShortConvolution(mixer) => mixer.state(),
            Self::GatedRecurrence(mixer) => mixer.state(),
            Self::Rwkv(mixer) => mixer.state(),
            Self::Parallel(mixers) => mixers.iter().map(Self::state).fold(0, u64::saturating_add),
            _ => 0,
        }
    }

    /// Query heads, which tensor-parallel ranks share.
    pub(crate) fn heads(&self) -> Option<u32> {
        match self {
            Self::Grouped(attention) => Some(attention.heads),
            Self::Latent(attention) => Some(attention.heads),
            Self::Compressed(attention) => Some(attention.heads),
            _ => None,
        }
    }

    /// Key/value heads, where it has such.
    pub(crate) fn key_value_heads(&self) -> Option<u32> {
        if let Self::Grouped(attention) = self { Some(attention.key_value_heads) } else { None }
    }

    /// Its name for people.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Grouped(attention) if attention.window.is_some() => "sliding-window attention",
            Self::Grouped(attention) if attention.key_value_heads >= attention.heads => "multi-head attention",
            Self::Grouped(attention) if attention.key_value_heads <= 1 => "multi-query attention",
            Self::Grouped(_) => "grouped-query attention",
            Self::Latent(attention) if attention.indexer.is_some() => "latent attention with an indexer",
            Self::Latent(_) => "latent attention",
            Self::Compressed(_) => "compressed attention",
            Self::GatedDelta(_) => "gated delta net",
            Self::Delta(_) => "Kimi delta attention",
            Self::Lightning(_) => "lightning attention",
            Self::Mamba1(_) => "Mamba",
            Self::Mamba2(_) => "Mamba-2",
            Self::ShortConvolution(_) => "short convolution",
            Self::GatedRecurrence(_) => "gated recurrence",
            Self::Rwkv(_) => "RWKV",
            Self::Parallel(_) => "attention beside a recurrence",
            Self::Linear => "linear layer",
        }
    }
}
