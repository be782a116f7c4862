//! An architecture's parameters, bytes and FLOPs, per layer and per GPU.
//!
//! A model is read from its `config.json` ([`read_config`]), taken from the presets ([`preset`]),
//! or recognised by name ([`recognise`]); all give an [`Architecture`], from which everything
//! follows: [`Architecture::components`], [`Architecture::totals`], [`decode_read`].

mod architecture;
mod attention;
mod cache;
mod config;
mod count;
mod feed_forward;
mod gguf;
mod part;
mod precision;
mod presets;
mod quantisation;
mod read;
mod recognise;
mod speculation;
mod split;

pub use architecture::{Architecture, Layer, LayerGroup, MOST_LAYERS, PerLayerEmbedding, Prediction};
pub use attention::{
    CompressedAttention, DeltaAttention, GatedDeltaNet, GroupedAttention, HeadNorm, Indexer, LatentAttention,
    LightningAttention, Mamba1, Mamba2, Mixer,
};
pub use cache::{CacheEntry, CacheTotals};
pub use config::{ConfigError, Reading, read_config, read_quantisation};
pub use count::{ComponentCount, Totals};
pub use feed_forward::{DenseMlp, Mixture};
pub use gguf::{Gguf, GgufError, Tensor, TensorType, read_gguf};
pub use part::{Block, Component, Part, Sharding, Usage};
pub use precision::Precision;
pub use presets::{Preset, preset, presets};
pub use quantisation::{Format, Mix, Quantisation, formats, mixes};
pub use read::{DecodeRead, PerLayer, Placement, Read, Step, decode_read, decode_step, distinct_experts, draft_step};
pub use recognise::{Recognised, recognise};
pub use speculation::Speculation;
pub use split::Split;
