//! Mamba mixers: a small state per channel instead of a cache.

use super::super::part::{Component, Part, Sharding, product};
use super::part;
use serde::{Deserialize, Serialize};

/// Mamba, first generation (Jamba).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mamba1 {
    /// The inner width.
    pub inner: u32,
    /// State elements per channel.
    pub state: u32,
    /// The convolution's length.
    pub kernel: u32,
    /// The rank of the step size's projection.
    pub step_rank: u32,
    /// Whether step, B and C are normalised, as Jamba does.
    pub normed: bool,
}

impl Mamba1 {
    /// Its weights.
    ///
    /// # Formula
    /// `2 × hidden × D` in, `D × (kernel + 1)` convolution, `D × (r + 2N)` and `r × D + D` step,
    /// `D × N + D` decay and skip, `D × hidden` out; norms `r + 2N`.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Sharding::{Replicated, Sharded};
        let Self { inner, state, step_rank, .. } = *self;
        let selected = step_rank.saturating_add(state.saturating_mul(2));
        let convolution = product([inner, self.kernel.saturating_add(1)]);
        let step = product([inner, selected]) + product([step_rank.saturating_add(1), inner]);
        let input = product([2, hidden, inner]) + convolution + step + product([inner, state.saturating_add(1)]);
        let mut parts = vec![
            part(Component::StateSpace, Sharded, input).operations(3),
            part(Component::StateSpace, Sharded, product([inner, hidden])),
        ];
        if self.normed {
            parts.push(part(Component::Norms, Replicated, u64::from(selected)).operations(0));
        }
        parts
    }

    /// The state of each channel and the convolution's last inputs.
    pub(crate) fn state(&self) -> u64 {
        product([self.inner, self.state.saturating_add(self.kernel.saturating_sub(1))])
    }
}

/// Mamba, second generation (Nemotron-H).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mamba2 {
    /// Heads.
    pub heads: u32,
    /// The width of a head.
    pub head_size: u32,
    /// Groups that share B and C.
    pub groups: u32,
    /// State elements per channel.
    pub state: u32,
    /// The convolution's length.
    pub kernel: u32,
    /// Whether the convolution has a bias.
    pub convolution_bias: bool,
}

impl Mamba2 {
    fn inner(&self) -> u32 {
        self.heads.saturating_mul(self.head_size)
    }

    fn convolved(&self) -> u32 {
        self.inner().saturating_add(self.groups.saturating_mul(self.state).saturating_mul(2))
    }

    /// Its weights.
    ///
    /// # Formula
    /// With D = heads × size: `hidden × (2D + 2GN + heads)` in, `(D + 2GN) × (kernel + 1)`
    /// convolution, `3 × heads` decay, skip and step, `D` norm, `D × hidden` out.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let (inner, convolved) = (self.inner(), self.convolved());
        let taps = self.kernel.saturating_add(u32::from(self.convolution_bias));
        let input = product([hidden, inner]) + product([hidden, convolved]) + product([hidden, self.heads]);
        let small = product([convolved, taps]) + product([3, self.heads]) + u64::from(inner);
        vec![
            part(Component::StateSpace, Sharding::Sharded, input + small),
            part(Component::StateSpace, Sharding::Sharded, product([inner, hidden])),
        ]
    }

    /// The state of each channel and the convolution's last inputs.
    pub(crate) fn state(&self) -> u64 {
        product([self.inner(), self.state]) + product([self.convolved(), self.kernel.saturating_sub(1)])
    }
}
