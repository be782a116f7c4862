//! What a sequence leaves in memory for later tokens: caches that grow, states that do not.

use super::part::{Component, Sharding};
use serde::{Deserialize, Serialize};

/// One kind of entry a mixer keeps per token of context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheEntry {
    /// [`Component::KvCache`] or [`Component::IndexerKeys`].
    pub component: Component,
    /// Elements per token of context; fractional where several tokens share one entry.
    pub elements: f64,
    /// Only so many last tokens are kept.
    pub window: Option<u32>,
    /// Only so many of the kept tokens are read in a step (sparse attention).
    pub selects: Option<u32>,
    /// How it is split over ranks.
    pub sharding: Sharding,
    /// Floating-point operations per token of context that is read, for one new token.
    pub flops_per_token: f64,
    /// Whether the heads that do them are split over ranks.
    pub flops_sharded: bool,
    /// Whether the entry is this layer's own; a layer may read another's.
    pub owned: bool,
}

impl CacheEntry {
    /// How many tokens of a context a step reads.
    #[must_use]
    pub fn tokens_read(&self, context: f64) -> f64 {
        let kept = self.tokens_kept(context);
        self.selects.map_or(kept, |most| kept.min(f64::from(most)))
    }

    /// How many tokens of a context are kept. A chunked layer is counted as a window of the
    /// chunk's size, the most it can hold.
    #[must_use]
    pub fn tokens_kept(&self, context: f64) -> f64 {
        let context = context.max(0.0);
        self.window.map_or(context, |window| context.min(f64::from(window)))
    }
}

/// The memory a sequence takes, summed over the layers, in elements (times the cache's bytes per
/// element for bytes).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CacheTotals {
    /// Elements each token of context adds for good.
    pub per_token: f64,
    /// Elements each token adds until its layers' window is full.
    pub windowed_per_token: f64,
    /// The widest window there is; 0 without.
    pub window: u32,
    /// Elements each token adds to the indexer's keys.
    pub indexer_per_token: f64,
    /// Elements of recurrent state a sequence holds, whatever its length.
    pub state: f64,
}

impl CacheTotals {
    /// Adds one kind of entry of `layers` layers.
    pub(crate) fn add(&mut self, entry: &CacheEntry, layers: u32) {
        if !entry.owned {
            return;
        }
        let elements = entry.elements * f64::from(layers);
        match (entry.component, entry.window) {
            (_, Some(0)) => {}
            (Component::IndexerKeys, _) => self.indexer_per_token += elements,
            (_, Some(window)) => {
                self.windowed_per_token += elements;
                self.window = self.window.max(window);
            }
            (_, None) => self.per_token += elements,
        }
    }
}
