//! Recurrent mixers with little or no matrix of state: short convolutions, gated recurrences, RWKV.

use super::super::part::{Component, Part, Sharding, product};
use super::part;
use serde::{Deserialize, Serialize};

/// A gated convolution over the last few tokens (LFM2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortConvolution {
    /// The convolution's length.
    pub kernel: u32,
    /// Whether its projections and the convolution have biases.
    pub bias: bool,
    /// Its width, the hidden one.
    pub width: u32,
}

impl ShortConvolution {
    /// Its weights.
    ///
    /// # Formula
    /// `hidden × 3D` in, `D × kernel` convolution, `D × hidden` out; biases `3D + D + hidden`.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let bias = if self.bias { product([4, self.width]) + u64::from(hidden) } else { 0 };
        let input = product([3, hidden, self.width]) + product([self.width, self.kernel]) + bias;
        vec![
            part(Component::StateSpace, Sharding::Sharded, input),
            part(Component::StateSpace, Sharding::Sharded, product([self.width, hidden])),
        ]
    }

    /// The convolution's last inputs.
    pub(crate) fn state(&self) -> u64 {
        product([self.width, self.kernel.saturating_sub(1)])
    }
}

/// A linear recurrence gated per channel, behind a short convolution (RecurrentGemma).
///
/// # Source
/// Griffin (arXiv 2402.19427), section 2.4.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatedRecurrence {
    /// The width of the recurrence.
    pub width: u32,
    /// The blocks the gates' matrices are diagonal in.
    pub heads: u32,
    /// The convolution's length.
    pub kernel: u32,
}

impl GatedRecurrence {
    /// Its weights.
    ///
    /// # Formula
    /// `2 × (hidden × D + D)` in, `D × (kernel + 1)` convolution, `2 × (D × D / heads + D)` gates,
    /// `D` decay, `D × hidden + hidden` out.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let width = self.width;
        let gates = product([2, width, width / self.heads.max(1)]) + product([2, width]);
        let input = product([2, hidden, width]) + product([width, self.kernel.saturating_add(4)]) + gates;
        vec![
            part(Component::StateSpace, Sharding::Sharded, input).operations(4),
            part(Component::StateSpace, Sharding::Sharded, product([width, hidden]) + u64::from(hidden)),
        ]
    }

    /// One number per channel, and the convolution's last inputs.
    pub(crate) fn state(&self) -> u64 {
        product([self.width, self.kernel])
    }
}

/// RWKV's time mixing, fourth generation, with the gate of its channel mixing.
///
/// # Source
/// RWKV (arXiv 2305.13048), section 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rwkv {
    /// The width of keys, values and receptances.
    pub width: u32,
}

impl Rwkv {
    /// Its weights; the matrices of channel mixing are the layer's MLP.
    ///
    /// # Formula
    /// `3 × hidden × D` in, `2D` decay and first, `D × hidden` out, `hidden²` channel gate,
    /// `5 × hidden` mixing.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Component::LinearAttention;
        let input = product([3, hidden, self.width]) + product([2, self.width]);
        vec![
            part(LinearAttention, Sharding::Sharded, input).operations(3),
            part(LinearAttention, Sharding::Sharded, product([self.width, hidden])),
            part(LinearAttention, Sharding::Sharded, product([hidden, hidden])),
            part(LinearAttention, Sharding::Replicated, product([5, hidden])).operations(0),
        ]
    }

    /// Numerator, denominator and maximum per channel, and the last input of both mixings.
    pub(crate) fn state(&self) -> u64 {
        product([5, self.width])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(parts: &[Part]) -> u64 {
        parts.iter().map(|part| part.parameters).sum()
    }

    /// LFM2-1.2B: 3 × 2048² in, 3 × 2048 convolution, 2048² out.
    #[test]
    fn short_convolution_by_hand() {
        let mixer = ShortConvolution { kernel: 3, bias: false, width: 2048 };
        assert_eq!(total(&mixer.parts(2048)), 16_783_360);
        assert_eq!(mixer.state(), 4096);
    }

    /// RecurrentGemma-2B: 2 × (2560² + 2560) in, 5 × 2560 convolution, 2 × (2560 × 256 + 2560) gates,
    /// 2560 decay, 2560² + 2560 out.
    #[test]
    fn gated_recurrence_by_hand() {
        let mixer = GatedRecurrence { width: 2560, heads: 10, kernel: 4 };
        assert_eq!(total(&mixer.parts(2560)), 13_112_320 + 12_800 + 1_315_840 + 2560 + 6_556_160);
    }
}
