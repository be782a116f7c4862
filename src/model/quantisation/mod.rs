//! How a checkpoint is quantised: which component is held in how many bits.

mod compressed_tensors;
mod declared;
mod formats;
mod integer;
mod methods;
mod mixes;
mod modelopt;
mod modules;
mod pattern;
mod quark;
mod recipes;

pub(super) use declared::declared;
pub use formats::{Format, formats};
pub use mixes::{Mix, mixes};
pub(crate) use mixes::{file_bytes, mix_in_name};

use super::precision::Precision;
use serde::{Deserialize, Serialize};

/// A checkpoint's quantisation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantisation {
    /// Its name for people: `"FP8, 128×128 blocks"`, `"GGUF Q4_K_M"`.
    pub name: String,
    /// The bits it gives each component.
    pub precision: Precision,
}

impl Quantisation {
    pub(crate) fn new(name: impl Into<String>, precision: Precision) -> Self {
        Self { name: name.into(), precision }
    }
}
