//! Multi-head, grouped-query and multi-query attention, full or over a window.

use super::super::cache::CacheEntry;
use super::super::part::{Component, Part, Sharding, is_zero, product};
use super::{Indexer, part};
use serde::{Deserialize, Serialize};

/// Normalisation of queries and keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeadNorm {
    /// None, or one without weights.
    #[default]
    None,
    /// One weight vector of a head's width for queries and one for keys.
    PerHead,
    /// The same, each with a bias.
    PerHeadBiased,
    /// Weights over all query heads and all key heads.
    FullWidth,
}

/// Attention whose query heads share key/value heads in groups.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupedAttention {
    /// Query heads.
    pub heads: u32,
    /// Key/value heads.
    pub key_value_heads: u32,
    /// The width of a query or key head.
    pub head_size: u32,
    /// The width of a value head.
    pub value_size: u32,
    /// The width of a normed latent the queries come from; 0 where they come straight from the hidden
    /// state (all but Step-3's).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub query_rank: u32,
    /// Only so many last tokens are seen; none where attention is to an image.
    pub window: Option<u32>,
    /// Biases on queries, keys and values.
    pub input_bias: bool,
    /// A bias on the output.
    pub output_bias: bool,
    /// Normalised queries and keys.
    pub norm: HeadNorm,
    /// The query projection also makes a gate for the output, doubling it.
    pub output_gate: bool,
    /// Each head's output is gated by one number projected from the hidden state.
    pub head_gate: bool,
    /// One learned sink per head.
    pub sinks: bool,
    /// Values are the keys before their norm: there is no value projection.
    pub values_are_keys: bool,
    /// Keys and values are an earlier layer's: no projections for them, no cache of its own.
    pub borrows_cache: bool,
    /// Sparse attention's indexer.
    pub indexer: Option<Indexer>,
}

impl GroupedAttention {
    /// Its weights.
    ///
    /// # Formula
    /// `hidden × heads × size` queries, `hidden × kv × size` keys, `hidden × kv × value` values,
    /// `heads × value × hidden` output, and what biases, norms, gates and sinks add.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Component::{AttentionOutput, AttentionProjections, Norms};
        use Sharding::{Replicated, Sharded};
        let Self { heads, key_value_heads: pairs, head_size, value_size, .. } = *self;
        let bias = |a: u32, b: u32| if self.input_bias { product([a, b]) } else { 0 };

        let rank = self.query_rank;
        let queries = product([if rank > 0 { rank } else { hidden }, heads, head_size]);
        let gate = if self.output_gate { queries + bias(heads, head_size) } else { 0 };
        let head_gates = if self.head_gate { product([hidden, heads]) } else { 0 };
        let sinks = if self.sinks { u64::from(heads) } else { 0 };
        let mut parts =
            vec![part(AttentionProjections, Sharded, queries + gate + bias(heads, head_size) + head_gates + sinks)];
        if rank > 0 {
            parts.push(part(AttentionProjections, Replicated, product([hidden, rank])));
            parts.push(part(Norms, Replicated, u64::from(rank)).operations(0));
        }
        if !self.borrows_cache {
            let keys = product([hidden, pairs, head_size]) + bias(pairs, head_size);
            let values =
                if self.values_are_keys { 0 } else { product([hidden, pairs, value_size]) + bias(pairs, value_size) };
            // One fused multiplication makes queries, keys and values.
            parts.push(part(AttentionProjections, Sharding::KeyValueHeads(pairs), keys + values).operations(0));
        }
        parts.push(part(AttentionOutput, Sharded, product([heads, value_size, hidden])));
        if self.output_bias {
            parts.push(part(AttentionOutput, Replicated, u64::from(hidden)).operations(0));
        }
        let normed_keys = if self.borrows_cache { 0 } else { 1 };
        let norms = match self.norm {
            HeadNorm::None => 0,
            HeadNorm::PerHead => product([1 + normed_keys, head_size]),
            HeadNorm::PerHeadBiased => product([2, 1 + normed_keys, head_size]),
            HeadNorm::FullWidth => product([heads.saturating_add(pairs.saturating_mul(normed_keys)), head_size]),
        };
        if norms > 0 {
            parts.push(part(Norms, Replicated, norms).operations(0));
        }
        if let Some(indexer) = &self.indexer {
            parts.extend(indexer.parts(hidden));
        }
        parts
    }

    /// The keys and values of each token.
    ///
    /// # Formula
    /// `kv × (size + value)` elements and `2 × heads × (size + value)` operations per token.
    pub(crate) fn cache(&self) -> Vec<CacheEntry> {
        let pair = f64::from(self.head_size) + f64::from(self.value_size);
        let mut entries = vec![CacheEntry {
            component: Component::KvCache,
            elements: f64::from(self.key_value_heads) * pair,
            window: self.window,
            selects: self.indexer.map(|indexer| indexer.selects),
            sharding: Sharding::KeyValueHeads(self.key_value_heads),
            flops_per_token: 2.0 * f64::from(self.heads) * pair,
            flops_sharded: true,
            owned: !self.borrows_cache,
        }];
        entries.extend(self.indexer.map(|indexer| indexer.cache()));
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Llama-3.1-8B: q and o 4096×4096, k and v 4096×1024 each: 41 943 040.
    #[test]
    fn llama_attention_by_hand() {
        let attention = GroupedAttention {
            heads: 32,
            key_value_heads: 8,
            head_size: 128,
            value_size: 128,
            ..GroupedAttention::default()
        };
        let parameters: u64 = attention.parts(4096).iter().map(|part| part.parameters).sum();
        assert_eq!(parameters, 41_943_040);
        assert_eq!(attention.cache()[0].elements, 2048.0);
    }
}
