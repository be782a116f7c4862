//! Multi-head latent attention: keys and values live in one small latent per token.

use super::super::cache::CacheEntry;
use super::super::part::{Component, Part, Sharding, product};
use super::{Indexer, part};
use serde::{Deserialize, Serialize};

/// Multi-head latent attention (DeepSeek-V2 and its successors).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatentAttention {
    /// Query heads.
    pub heads: u32,
    /// The query latent's width; without one, queries come straight from the hidden state.
    pub query_rank: Option<u32>,
    /// The key/value latent's width.
    pub latent: u32,
    /// The part of a query or key head that carries no position.
    pub plain_size: u32,
    /// The part that carries the rotary position.
    pub rotary_size: u32,
    /// The width of a value head.
    pub value_size: u32,
    /// Whether the down-projections and the output have biases.
    pub bias: bool,
    /// Whether the output is gated by a projection of the hidden state.
    pub output_gate: bool,
    /// Whether each head's output is gated by one number projected from the hidden state.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub head_gate: bool,
    /// Sparse attention's indexer, if this layer has one of its own.
    pub indexer: Option<Indexer>,
    /// How many tokens the heads look at, if not all; a layer may share another's indexer.
    pub selects: Option<u32>,
}

impl LatentAttention {
    /// Its weights; the down-projections are whole on every rank.
    ///
    /// # Formula
    /// `hidden × q + q + q × heads × (plain + rotary)` queries,
    /// `hidden × (latent + rotary) + latent` the latent and its norm,
    /// `latent × heads × (plain + value)` its expansion, `heads × value × hidden` the output.
    ///
    /// # Source
    /// DeepSeek-V2 (arXiv 2405.04434), section 2.1; the layout is vLLM's.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Component::{AttentionOutput, AttentionProjections, LatentUpProjection, Norms};
        use Sharding::{Replicated, Sharded};
        let Self { heads, latent, plain_size, rotary_size, value_size, .. } = *self;
        let bias = |width: u32| if self.bias { u64::from(width) } else { 0 };
        let head = plain_size.saturating_add(rotary_size);
        let compressed = latent.saturating_add(rotary_size);

        let mut parts = Vec::new();
        let mut norms = u64::from(latent);
        let mut down = product([hidden, compressed]) + bias(compressed);
        if let Some(rank) = self.query_rank {
            down += product([hidden, rank]) + bias(rank);
            norms += u64::from(rank);
            parts.push(part(AttentionProjections, Sharded, product([rank, heads, head])));
        } else {
            parts.push(part(AttentionProjections, Sharded, product([hidden, heads, head])));
        }
        parts.push(part(AttentionProjections, Replicated, down));
        let expansion = product([latent, heads, plain_size.saturating_add(value_size)]);
        parts.push(part(LatentUpProjection, Sharded, expansion).operations(2));
        parts.push(part(AttentionOutput, Sharded, product([heads, value_size, hidden])));
        if self.bias {
            parts.push(part(AttentionOutput, Replicated, u64::from(hidden)).operations(0));
        }
        if self.head_gate {
            parts.push(part(AttentionOutput, Sharded, product([hidden, heads])));
        }
        if self.output_gate {
            parts.push(part(AttentionOutput, Sharded, product([hidden, heads, value_size])));
        }
        parts.push(part(Norms, Replicated, norms).operations(0));
        if let Some(indexer) = &self.indexer {
            parts.extend(indexer.parts(hidden));
        }
        parts
    }

    /// The latent and the rotary key of each token, whole on every rank.
    ///
    /// # Formula
    /// `latent + rotary` elements per token; `2 × heads × (2 × latent + rotary)` operations per
    /// token of context, since decoding absorbs the expansion into queries and output.
    pub(crate) fn cache(&self) -> Vec<CacheEntry> {
        let (heads, latent, rotary) = (f64::from(self.heads), f64::from(self.latent), f64::from(self.rotary_size));
        let mut entries = vec![CacheEntry {
            component: Component::KvCache,
            elements: latent + rotary,
            window: None,
            selects: self.selects,
            sharding: Sharding::Replicated,
            flops_per_token: 2.0 * heads * (2.0 * latent + rotary),
            flops_sharded: true,
            owned: true,
        }];
        entries.extend(self.indexer.map(|indexer| indexer.cache()));
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GLM-5's attention, by hand: q_a 6144×2048, q_b 2048×64×256, kv_a 6144×576,
    /// kv_b 512×64×(192+256), o 64×256×6144, norms 2048+512; that is
    /// 12 582 912 + 33 554 432 + 3 538 944 + 14 680 064 + 100 663 296 + 2 560.
    #[test]
    fn glm5_attention_by_hand() {
        let attention = LatentAttention {
            heads: 64,
            query_rank: Some(2048),
            latent: 512,
            plain_size: 192,
            rotary_size: 64,
            value_size: 256,
            bias: false,
            output_gate: false,
            head_gate: false,
            indexer: None,
            selects: None,
        };
        let parameters: u64 = attention.parts(6144).iter().map(|part| part.parameters).sum();
        assert_eq!(parameters, 165_022_208);
        assert_eq!(attention.cache().iter().map(|entry| entry.elements).sum::<f64>(), 576.0);
    }
}
