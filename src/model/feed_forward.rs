//! Feed-forward blocks: a dense MLP, a mixture of experts, or both side by side.

use super::part::{Block, Component, Part, Sharding, Usage, is_zero, product};
use serde::{Deserialize, Serialize};

/// A feed-forward block every token passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DenseMlp {
    /// The inner width.
    pub width: u32,
    /// Whether a gate multiplies the inner activations: three matrices instead of two.
    pub gated: bool,
    /// Whether its projections have biases.
    pub bias: bool,
}

impl DenseMlp {
    /// Its weights.
    ///
    /// # Formula
    /// `3 × hidden × width` gated, `2 × hidden × width` otherwise; biases `width` per inner matrix
    /// and `hidden`.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let matrices = 2 + u32::from(self.gated);
        let bias = if self.bias { product([matrices - 1, self.width]) } else { 0 };
        let weights = product([matrices, hidden, self.width]) + bias;
        let mut parts =
            vec![Part::whole(Component::DenseMlp, Block::FeedForward, Sharding::Sharded, weights).operations(2)];
        if self.bias {
            let down = Part::whole(Component::DenseMlp, Block::FeedForward, Sharding::Replicated, u64::from(hidden));
            parts.push(down.operations(0));
        }
        parts
    }
}

/// A mixture of experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mixture {
    /// How many routed experts there are.
    pub experts: u32,
    /// How many of them a token is sent to.
    pub chosen: u32,
    /// How many more the router can choose that compute nothing (LongCat).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub idle: u32,
    /// An expert's inner width.
    pub width: u32,
    /// The inner width of all shared experts together; 0 without.
    pub shared_width: u32,
    /// Whether experts are gated: three matrices instead of two.
    pub gated: bool,
    /// Whether experts have biases.
    pub expert_bias: bool,
    /// Numbers the router holds per expert beside its matrix: a bias, a load correction, a scale.
    pub router_extras: u32,
    /// Whether the router scales its input by a learned vector.
    pub router_input_scale: bool,
    /// Whether the shared experts' output is gated by a projection to one number.
    pub shared_gate: bool,
    /// The narrower width experts work in, between two projections.
    pub latent: Option<u32>,
    /// Whether the latent is normalised.
    pub latent_norm: bool,
}

impl Mixture {
    /// Its weights.
    ///
    /// # Formula
    /// Router `hidden × (E + idle)`; experts `E × 3 × x × width` (2 ungated, x the latent or hidden width);
    /// shared `3 × hidden × shared width`; latent projections `2 × hidden × latent`.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Component::{ExpertLatent, RoutedExperts, Router, SharedExperts};
        let whole = |component, sharding, parameters| Part::whole(component, Block::FeedForward, sharding, parameters);
        let Self { experts, chosen, width, shared_width, .. } = *self;
        let matrices = 2 + u32::from(self.gated);
        let input = self.latent.unwrap_or(hidden);
        let bias = if self.expert_bias { product([matrices - 1, width]) + u64::from(input) } else { 0 };
        let expert = product([matrices, input, width]) + bias;

        let scale = if self.router_input_scale { u64::from(hidden) } else { 0 };
        let routes = experts.saturating_add(self.idle);
        let router = product([hidden, routes]) + product([self.router_extras, routes]) + scale;
        let mut parts = vec![
            whole(Router, Sharding::Replicated, router),
            Part {
                usage: Usage::Routed { experts, chosen },
                ..whole(RoutedExperts, Sharding::Experts, expert.saturating_mul(u64::from(experts)).min(1 << 50))
                    .operations(2)
            },
        ];
        if shared_width > 0 {
            parts
                .push(whole(SharedExperts, Sharding::Sharded, product([matrices, hidden, shared_width])).operations(2));
        }
        if self.shared_gate {
            parts.push(whole(SharedExperts, Sharding::Replicated, u64::from(hidden)));
        }
        if let Some(latent) = self.latent {
            let norm = if self.latent_norm { u64::from(latent) } else { 0 };
            parts.push(whole(ExpertLatent, Sharding::Replicated, product([2, hidden, latent]) + norm).operations(2));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// gpt-oss: an expert has 3×2880×2880 weights and 2×2880 + 2880 biases, so 24 891 840;
    /// the router 2880×32 + 32.
    #[test]
    fn gpt_oss_mixture_by_hand() {
        let mixture = Mixture {
            experts: 32,
            chosen: 4,
            width: 2880,
            gated: true,
            expert_bias: true,
            router_extras: 1,
            ..Mixture::default()
        };
        let parts = mixture.parts(2880);
        assert_eq!(parts[0].parameters, 92_192);
        assert_eq!(parts[1].parameters, 32 * 24_891_840);
        assert_eq!(parts[1].active(), 4 * 24_891_840);
    }
}
