//! How many allreduces there are, and what each carries.

use crate::units::Bytes;

/// The allreduces of one forward pass.
///
/// # Formula
/// layers × allreduces per layer
/// # Units
/// a count per forward pass, which in plain decoding is a token
/// # Source
/// Tensor-parallel engines sum after every attention output and every MLP or MoE output: 2 per layer
/// for dense, MoE and MLA models alike. A trace of a 43-layer model on two GPUs has 87.8 per step.
/// # Limits
/// Parallel attention and MLP blocks need 1 per layer, some models 3 (a normalised query and key, a
/// shared expert reduced apart); data-parallel attention with expert parallelism needs none, but has
/// all-to-alls. The one for a vocabulary-parallel embedding is not counted.
///
/// ```
/// assert_eq!(decodescope::collective::allreduces_per_token(78, 2.0), 156.0);
/// ```
#[must_use]
pub fn allreduces_per_token(layers: u32, per_layer: f64) -> f64 {
    f64::from(layers) * per_layer
}

/// What one allreduce carries.
///
/// # Formula
/// hidden size × bytes per element × tokens in the step
/// # Units
/// bytes
/// # Source
/// The summed tensor is the layer's output: one hidden vector per token being decoded.
/// # Limits
/// With speculative decoding a step holds batch × (draft length + 1) tokens.
///
/// ```
/// assert_eq!(decodescope::collective::message_bytes(6144, 2.0, 1.0).get(), 12_288.0);
/// ```
#[must_use]
pub fn message_bytes(hidden: u32, element_bytes: f64, tokens_in_step: f64) -> Bytes {
    Bytes::new(f64::from(hidden) * element_bytes * tokens_in_step)
}
