//! Linear attention: a matrix of state per head instead of a cache that grows.

use super::super::part::{Component, Part, Sharding, product};
use super::part;
use serde::{Deserialize, Serialize};

/// A gated delta net (Qwen3-Next, Qwen3.5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatedDeltaNet {
    /// Key heads.
    pub key_heads: u32,
    /// Value heads.
    pub value_heads: u32,
    /// The width of a key head.
    pub key_size: u32,
    /// The width of a value head.
    pub value_size: u32,
    /// The short convolution's length.
    pub kernel: u32,
}

impl GatedDeltaNet {
    fn convolved(&self) -> u32 {
        let keys = self.key_heads.saturating_mul(self.key_size);
        keys.saturating_mul(2).saturating_add(self.value_heads.saturating_mul(self.value_size))
    }

    /// Its weights.
    ///
    /// # Formula
    /// With K and V the total key and value widths and n value heads:
    /// `hidden × (2K + 2V + 2n)` in, `(2K + V) × kernel` convolution, `2n` decay and step,
    /// `value size` norm, `V × hidden` out.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let values = self.value_heads.saturating_mul(self.value_size);
        let heads = product([2, self.value_heads]);
        let input =
            product([hidden, self.convolved()]) + product([hidden, values]) + product([hidden, 2, self.value_heads]);
        let sharded = input + product([self.convolved(), self.kernel]) + heads;
        vec![
            part(Component::LinearAttention, Sharding::Sharded, sharded).operations(2),
            part(Component::LinearAttention, Sharding::Sharded, product([values, hidden])),
            part(Component::Norms, Sharding::Replicated, u64::from(self.value_size)).operations(0),
        ]
    }

    /// A key × value matrix per value head, and the convolution's last inputs.
    pub(crate) fn state(&self) -> u64 {
        product([self.value_heads, self.key_size, self.value_size])
            + product([self.convolved(), self.kernel.saturating_sub(1)])
    }
}

/// Kimi delta attention: a delta net with a decay per channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaAttention {
    /// Heads.
    pub heads: u32,
    /// The width of a head, for keys and values alike.
    pub head_size: u32,
    /// The short convolutions' length.
    pub kernel: u32,
    /// Whether the output gate is one full matrix instead of a low-rank pair.
    pub full_rank_gate: bool,
    /// Whether the decay is one full matrix instead of a low-rank pair.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full_rank_decay: bool,
}

impl DeltaAttention {
    fn width(&self) -> u32 {
        self.heads.saturating_mul(self.head_size)
    }

    /// Its weights.
    ///
    /// # Formula
    /// With P = heads × size: `3 × hidden × P` in, `3 × P × kernel` convolutions, the decay's pair
    /// `hidden × size` and `size × P` (or `hidden × P`), `hidden × heads` step, the gate likewise, `heads + P + size` decay, bias and norm, `P × hidden` out.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Sharding::{Replicated, Sharded};
        let Self { heads, head_size, .. } = *self;
        let width = self.width();
        let narrow = product([hidden, head_size]);
        let wide = product([head_size, width]);
        let pair = |full_rank: bool| if full_rank { (0, product([hidden, width])) } else { (narrow, wide) };
        let (gate_narrow, gate_wide) = pair(self.full_rank_gate);
        let (decay_narrow, decay_wide) = pair(self.full_rank_decay);
        let small = u64::from(heads) + u64::from(width) + u64::from(head_size);
        let sharded = product([3, hidden, width])
            + product([3, width, self.kernel])
            + decay_wide
            + product([hidden, heads])
            + gate_wide
            + small;
        vec![
            part(Component::LinearAttention, Sharded, sharded).operations(4),
            part(Component::LinearAttention, Replicated, decay_narrow + gate_narrow),
            part(Component::LinearAttention, Sharded, product([width, hidden])),
        ]
    }

    /// A square matrix per head, and three convolutions' last inputs.
    pub(crate) fn state(&self) -> u64 {
        product([self.heads, self.head_size, self.head_size])
            + product([3, self.width(), self.kernel.saturating_sub(1)])
    }
}

/// Lightning attention (MiniMax-M1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LightningAttention {
    /// Heads.
    pub heads: u32,
    /// The width of a head.
    pub head_size: u32,
}

impl LightningAttention {
    /// Its weights.
    ///
    /// # Formula
    /// With P = heads × size: `3 × hidden × P` in, `hidden × P` gate, `P × hidden` out, `P` norm.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let width = self.heads.saturating_mul(self.head_size);
        let input = product([4, hidden, width]) + u64::from(width);
        vec![
            part(Component::LinearAttention, Sharding::Sharded, input).operations(2),
            part(Component::LinearAttention, Sharding::Sharded, product([width, hidden])),
        ]
    }

    /// A square matrix per head.
    pub(crate) fn state(&self) -> u64 {
        product([self.heads, self.head_size, self.head_size])
    }
}
