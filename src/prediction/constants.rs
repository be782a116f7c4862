//! What the step model cannot know from first principles, and its fitted values.

use crate::units::{BytesPerSecond, Seconds};

/// The global constants of the step model: one value each for all models, GPUs and engines.
///
/// # Source
/// Fitted to one half of the published measurements (`tests/data/measurements.psv`; the half is drawn
/// by a checksum of each row's id) by least mean |ln(predicted / measured)|; a test fits them again
/// and holds these values to be the best. `docs/validation.md` has what they reach on the other half.
/// A time per block and a dearer start outside CUDA graphs were tried too: cross-validated within the
/// fitted half they predict no better, so they are left out.
///
/// # Limits
/// Kernels improve: the measurements are of engines of 2024 to 2026.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants {
    /// What an operation takes beyond its bytes: its launch, ramp and drain, and the small kernels
    /// around it (norms, rotary embedding, activation, routing). Matrix products timed one by one have
    /// a [`crate::hardware::TensorRead::floor`] of 2 to 10 µs; in a CUDA graph part of it hides behind
    /// the operation before. One value for all predicts measured steps better than a share of each
    /// GPU's own floor does.
    pub operation: Seconds,
    /// What quantising an operation's activations takes, where weights are FP8 with block scales:
    /// a kernel of its own, while a scale per tensor is folded into the norm before.
    pub quantising: Seconds,
    /// The host's floor per forward pass: scheduling, sampling, detokenising, as far as it does not overlap.
    pub host: Seconds,
    /// The share of the achieved bandwidth that reading caches reaches: paged, many short reads.
    pub cache_share: f64,
    /// The share of the published bandwidth that GPUs reach of which nobody published measured reads.
    pub unmeasured_share: f64,
    /// The most that llama.cpp's plain matrix-vector kernels read, however fast the memory: they keep
    /// too few bytes in flight to fill HBM.
    pub plain_kernel: BytesPerSecond,
    /// The share of the published FLOPs that large matrix products reach. Not fitted, since no
    /// measured row is bound by them: published sweeps reach 0.78 to 0.87 on A100, H100, B200 and B300.
    pub compute_share: f64,
}

impl Constants {
    /// The fitted values.
    pub const FITTED: Self = Self {
        operation: Seconds::from_micros(6.86),
        quantising: Seconds::from_micros(5.64),
        host: Seconds::from_micros(1329.0),
        cache_share: 0.483,
        unmeasured_share: 0.866,
        plain_kernel: BytesPerSecond::from_giga(1042.0),
        compute_share: 0.8,
    };
}

impl Default for Constants {
    fn default() -> Self {
        Self::FITTED
    }
}
