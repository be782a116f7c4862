//! An architecture's parameters, bytes and FLOPs, per layer and per GPU.
//!
//! A model is read from its `config.json` ([`read_config`]), taken from the presets ([`preset`]),
//! or recognised by name ([`recognise`]); all give an [`Architecture`]. How its weights are held is
//! a [`Quantisation`]: declared by the checkpoint ([`read_quantisation`]), read from a GGUF file's
//! head ([`read_gguf`]), named by a recipe ([`Quantisation::by_recipe`]), or flat
//! ([`Precision::flat`]). With both, and a [`Split`] over GPUs, everything follows:
//!
//! | question | answer |
//! |---|---|
//! | how many parameters, where | [`Architecture::components`], [`Architecture::totals`] |
//! | how much memory a sequence takes | [`Architecture::cache_totals`] |
//! | what a GPU reads and computes per step | [`decode_read`], [`decode_step`] |
//! | what drafting a token costs | [`draft_step`], [`Speculation`] |
//! | what in a split contradicts the model | [`Split::contradictions`] |
//! | how many allreduces a step makes | [`Architecture::allreduces`] |
//!
//! ```
//! use decodescope::model::{decode_read, recognise, Split};
//! let found = recognise("GLM-5-UD-Q4_K_XL.gguf").unwrap();
//! let precision = &found.quantisation.precision;
//! let read = decode_read(&found.preset.architecture, precision, &Split::tensor(8), 1.0, 500.0);
//! // Of 1458 GB/s at 57.5 tokens per second:
//! let utilisation = read.total().get() * 57.5 / 1458e9;
//! assert!((utilisation - 0.148).abs() < 0.001);
//! ```
//!
//! Layers are described by structure, not by vendor: each has a token mixer ([`Mixer`], one file
//! per kind in `attention/`), an MLP or a mixture of experts (`feed_forward.rs`), and norms. Each
//! lists its weights as [`Part`]s with their [`Sharding`], and counts, reads and operations are all
//! sums over the same parts, so that they cannot disagree.

mod architecture;
mod attention;
mod cache;
mod config;
mod contradictions;
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

pub use architecture::{
    AlternatingUpdates, Architecture, Layer, LayerGroup, MOST_LAYERS, PerLayerEmbedding, Prediction,
};
pub use attention::{
    CompressedAttention, DeltaAttention, GatedDeltaNet, GatedRecurrence, GroupedAttention, HeadNorm, Indexer,
    LatentAttention, LightningAttention, Mamba1, Mamba2, Mixer, Rwkv, ShortConvolution,
};
pub use cache::{CacheEntry, CacheTotals};
pub use config::{ConfigError, Reading, read_config, read_quantisation};
pub use count::{ComponentCount, Totals};
pub use feed_forward::{DenseMlp, Mixture};
pub use gguf::{Gguf, GgufError, Tensor, TensorType, read_gguf};
pub use part::{Block, Component, Part, Sharding, Usage};
pub use precision::{Activations, Precision};
pub use presets::{Preset, preset, presets};
pub use quantisation::{Format, Mix, Quantisation, formats, mixes};
pub use read::{
    DecodeRead, PerLayer, Placement, Read, Step, busiest_rank, decode_read, decode_step, distinct_experts, draft_step,
    resident_weights,
};
pub use recognise::{Recognised, recognise};
pub use speculation::Speculation;
pub use split::Split;
