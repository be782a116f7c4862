//! Mamba mixers: a small state per channel instead of a cache.

use super::super::part::{Component, Part, Sharding, product};
use super::part;
use serde::{Deserialize, Serialize};

/// Mamba, first generation.
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
    /// Whether the convolution has a bias.
    pub convolution_bias: bool,
    /// Whether the projections in and out have biases.
    pub projection_bias: bool,
}

impl Mamba1 {
    /// Its weights.
    ///
    /// # Formula
    /// `2 × hidden × D` in, `D × (kernel + 1)` convolution, `D × (r + 2N)` and `r × D + D` step,
    /// `D × N + D` decay and skip, `D × hidden` out; norms `r + 2N`; biases `2D` in, `hidden` out.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Sharding::{Replicated, Sharded};
        let Self { inner, state, step_rank, .. } = *self;
        let selected = step_rank.saturating_add(state.saturating_mul(2));
        let convolution = product([inner, self.kernel.saturating_add(u32::from(self.convolution_bias))]);
        let (bias_in, bias_out) = if self.projection_bias { (product([2, inner]), u64::from(hidden)) } else { (0, 0) };
        let step = product([inner, selected]) + product([step_rank.saturating_add(1), inner]);
        let decay = product([inner, state.saturating_add(1)]);
        let input = product([2, hidden, inner]) + bias_in + convolution + step + decay;
        let mut parts = vec![
            part(Component::StateSpace, Sharded, input).operations(3),
            part(Component::StateSpace, Sharded, product([inner, hidden]) + bias_out),
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

/// Mamba, second generation.
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
    /// Whether the projections in and out have biases.
    pub projection_bias: bool,
    /// Whether the output is normalised.
    pub normed: bool,
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
    /// convolution, `3 × heads` decay, skip and step, `D` norm, `D × hidden` out; biases as wide
    /// as what a projection makes.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let (inner, convolved) = (self.inner(), self.convolved());
        let taps = self.kernel.saturating_add(u32::from(self.convolution_bias));
        let projected = hidden.saturating_add(u32::from(self.projection_bias));
        let input = product([projected, inner]) + product([projected, convolved]) + product([projected, self.heads]);
        let norm = if self.normed { u64::from(inner) } else { 0 };
        let small = product([convolved, taps]) + product([3, self.heads]) + norm;
        let bias = if self.projection_bias { u64::from(hidden) } else { 0 };
        vec![
            part(Component::StateSpace, Sharding::Sharded, input + small),
            part(Component::StateSpace, Sharding::Sharded, product([inner, hidden]) + bias),
        ]
    }

    /// The state of each channel and the convolution's last inputs.
    pub(crate) fn state(&self) -> u64 {
        product([self.inner(), self.state]) + product([self.convolved(), self.kernel.saturating_sub(1)])
    }
}
