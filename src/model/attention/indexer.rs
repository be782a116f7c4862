//! The indexer of sparse attention: small heads that score every token and pick a few.

use super::super::cache::CacheEntry;
use super::super::part::{Component, Part, Sharding, product};
use super::part;
use serde::{Deserialize, Serialize};

/// An indexer; whole on every rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexer {
    /// Its heads.
    pub heads: u32,
    /// The width of a head, and of the one key it keeps per token.
    pub head_size: u32,
    /// The width its queries are projected from: the query latent's, or the hidden width.
    pub query_input: u32,
    /// Whether the heads are weighted by a projection of the hidden state.
    pub weighs_heads: bool,
    /// How many tokens it picks.
    pub selects: u32,
}

impl Indexer {
    /// Its weights.
    ///
    /// # Formula
    /// `query_input × heads × size` queries, `hidden × size` keys, `2 × size` their layer norm,
    /// and `hidden × heads` if heads are weighted.
    pub(crate) fn parts(&self, hidden: u32) -> Vec<Part> {
        let Self { heads, head_size, .. } = *self;
        let weights = if self.weighs_heads { product([hidden, heads]) } else { 0 };
        let parameters = product([self.query_input, heads, head_size]) + product([hidden, head_size]);
        vec![
            part(Component::Indexer, Sharding::Replicated, parameters + product([2, head_size]) + weights)
                .operations(2 + u32::from(self.weighs_heads)),
        ]
    }

    /// The key it keeps per token, all of them scored at every step.
    pub(crate) fn cache(&self) -> CacheEntry {
        CacheEntry {
            component: Component::IndexerKeys,
            elements: f64::from(self.head_size),
            window: None,
            selects: None,
            sharding: Sharding::Replicated,
            flops_per_token: 2.0 * f64::from(self.heads) * f64::from(self.head_size),
            flops_sharded: false,
            owned: true,
        }
    }
}
