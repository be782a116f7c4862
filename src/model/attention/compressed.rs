//! DeepSeek-V4's attention: a short window of raw tokens and a compressed past.

use super::super::cache::CacheEntry;
use super::super::part::{Component, Part, Sharding, product};
use super::{Indexer, part};
use serde::{Deserialize, Serialize};

/// Multi-query attention with one shared key-is-value head per token, grouped low-rank output, and
/// a past of which several tokens become one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompressedAttention {
    /// Query heads.
    pub heads: u32,
    /// The width of a head, and of the one entry that serves as key and value.
    pub head_size: u32,
    /// The query latent's width.
    pub query_rank: u32,
    /// Groups the output projection is split into.
    pub output_groups: u32,
    /// The width each group is projected to.
    pub output_rank: u32,
    /// The window of raw tokens.
    pub window: u32,
    /// Tokens per compressed entry; 0 for a layer with the window alone.
    pub ratio: u32,
    /// The indexer that picks compressed entries; its keys are compressed too.
    pub indexer: Option<Indexer>,
}

impl CompressedAttention {
    /// Its weights; queries and output are split by heads, the rest is whole on every rank.
    ///
    /// # Formula
    /// Queries `hidden × q + q + q × heads × size`; the shared entry `hidden × size + size`; output
    /// `rank × heads × size` and `groups × rank × hidden`; sinks `heads`. A compressor has a value
    /// and a gate projection, `ratio` position biases and a norm; with overlapping windows (the
    /// layers that have an indexer) projections and biases double.
    ///
    /// # Source
    /// Tensor shapes of the published checkpoints; the sums match the published 284 B to 0.12 %.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        use Component::{AttentionOutput, AttentionProjections, Indexer as Picks, Norms};
        use Sharding::{Replicated, Sharded};
        let Self { heads, head_size, query_rank, output_rank, .. } = *self;
        let mut parts = vec![
            part(AttentionProjections, Sharded, product([query_rank, heads, head_size]) + u64::from(heads)),
            part(AttentionProjections, Replicated, product([hidden, query_rank]) + product([hidden, head_size])),
            part(AttentionOutput, Sharded, product([output_rank, heads, head_size])),
            part(AttentionOutput, Sharded, product([self.output_groups, output_rank, hidden])),
            part(Norms, Replicated, u64::from(query_rank) + u64::from(head_size)).operations(0),
        ];
        if self.ratio > 0 {
            let overlap = if self.indexer.is_some() { 2 } else { 1 };
            parts.push(part(AttentionProjections, Replicated, self.compressor(hidden, head_size, overlap)));
        }
        if let Some(indexer) = &self.indexer {
            let Indexer { heads, head_size, .. } = *indexer;
            let queries = product([query_rank, heads, head_size]) + product([hidden, heads]);
            parts.push(part(Picks, Replicated, self.compressor(hidden, head_size, 2) + queries).operations(3));
        }
        parts
    }

    fn compressor(&self, hidden: u32, width: u32, overlap: u32) -> u64 {
        product([2, overlap, hidden, width]) + product([self.ratio, overlap, width]) + u64::from(width)
    }

    /// The raw window, the compressed past, and the indexer's compressed keys.
    pub(crate) fn cache(&self) -> Vec<CacheEntry> {
        let size = f64::from(self.head_size);
        let window = CacheEntry {
            component: Component::KvCache,
            elements: size,
            window: Some(self.window),
            selects: None,
            sharding: Sharding::Replicated,
            flops_per_token: 4.0 * f64::from(self.heads) * size,
            flops_sharded: true,
            owned: true,
        };
        let mut entries = vec![window];
        if self.ratio > 0 {
            let ratio = f64::from(self.ratio);
            entries.push(CacheEntry {
                elements: window.elements / ratio,
                window: None,
                selects: self.indexer.map(|indexer| indexer.selects.saturating_mul(self.ratio)),
                flops_per_token: window.flops_per_token / ratio,
                ..window
            });
            entries.extend(self.indexer.map(|indexer| {
                let keys = indexer.cache();
                CacheEntry { elements: keys.elements / ratio, flops_per_token: keys.flops_per_token / ratio, ..keys }
            }));
        }
        entries
    }
}
