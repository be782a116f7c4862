//! How many parameters, by component, in all, active, and per GPU.

use super::architecture::{Architecture, kinds};
use super::cache::CacheTotals;
use super::part::{Component, Part, Sharding, product};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One component's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComponentCount {
    /// Which component.
    pub component: Component,
    /// How many parameters it has.
    pub parameters: u64,
    /// How many of them a token uses (an embedding counts whole).
    pub active_per_token: f64,
    /// How many of them tensor parallelism divides (key/value heads only while there are enough).
    pub sharded: u64,
    /// How many are whole on every rank.
    pub replicated: u64,
}

/// A model's parameters in all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// All parameters of the main model, without multi-token prediction.
    pub total: u64,
    /// Those one token uses, the embedding counted whole.
    pub active: u64,
    /// Those one token uses, without the input embedding: what decoding reads at batch 1. A tied
    /// embedding stays, since the head reads it.
    pub active_excluding_input_embedding: u64,
    /// The embedding table, with the learned positions of the few models that have them.
    pub embedding: u64,
    /// The output head; 0 when tied.
    pub lm_head: u64,
    /// All routed experts.
    pub routed_experts: u64,
    /// Multi-token prediction, not counted in the rest.
    pub prediction: u64,
    shares: Vec<(Sharding, u64)>,
}

impl Totals {
    /// Parameters resident on one GPU of so many, without vocabulary padding.
    ///
    /// ```
    /// let glm5 = decodescope::model::preset("glm-5").unwrap().architecture.totals();
    /// assert_eq!(glm5.per_gpu(8), 94_833_106_176.0);
    /// ```
    #[must_use]
    pub fn per_gpu(&self, tensor_parallel: u32) -> f64 {
        let share = |&(sharding, parameters): &(Sharding, u64)| {
            parameters as f64 / f64::from(sharding.divisor(tensor_parallel))
        };
        self.shares.iter().map(share).sum()
    }

    /// What a checkpoint of the model holds: the main model, its prediction layers, and the
    /// embeddings some checkpoints store with them.
    #[must_use]
    pub fn with_prediction(&self) -> u64 {
        self.total.saturating_add(self.prediction)
    }
}

fn times(parameters: u64, layers: u32) -> u64 {
    parameters.saturating_mul(u64::from(layers))
}

impl Architecture {
    /// Its parameters by component, in the order of [`Component::ALL`].
    #[must_use]
    pub fn components(&self) -> Vec<ComponentCount> {
        let mut counts: BTreeMap<Component, ComponentCount> = BTreeMap::new();
        for (part, layers) in self.stored_parts() {
            let parameters = times(part.parameters, layers);
            let count = counts.entry(part.component).or_insert(ComponentCount {
                component: part.component,
                parameters: 0,
                active_per_token: 0.0,
                sharded: 0,
                replicated: 0,
            });
            count.parameters = count.parameters.saturating_add(parameters);
            count.active_per_token += times(part.active(), layers) as f64;
            let side = if part.sharding == Sharding::Replicated { &mut count.replicated } else { &mut count.sharded };
            *side = side.saturating_add(parameters);
        }
        Component::ALL.iter().filter_map(|component| counts.remove(component)).collect()
    }

    /// Its parameters in all.
    ///
    /// ```
    /// let glm5 = decodescope::model::preset("glm-5").unwrap().architecture.totals();
    /// assert_eq!(glm5.total, 743_911_218_432);
    /// assert_eq!(glm5.active_excluding_input_embedding, 40_833_146_112);
    /// ```
    #[must_use]
    pub fn totals(&self) -> Totals {
        let (mut total, mut active) = (0_u64, 0_u64);
        let mut of = BTreeMap::<Component, u64>::new();
        let mut shares = BTreeMap::<Sharding, u64>::new();
        for (part, layers) in self.stored_parts() {
            let parameters = times(part.parameters, layers);
            total = total.saturating_add(parameters);
            active = active.saturating_add(times(part.active(), layers));
            for sum in [of.entry(part.component).or_default(), shares.entry(part.sharding).or_default()] {
                *sum = sum.saturating_add(parameters);
            }
        }
        let component = |component| of.get(&component).copied().unwrap_or_default();
        let embedding = component(Component::Embedding);
        // The head reads a tied embedding whole.
        let positions = product([self.positions, self.hidden]);
        let looked_up = if self.tied_embeddings { positions } else { embedding };
        let prediction = self.prediction_parts().into_iter().map(|(part, layers)| times(part.parameters, layers));
        Totals {
            total,
            active,
            active_excluding_input_embedding: active - looked_up.min(active),
            embedding,
            lm_head: component(Component::LmHead),
            routed_experts: component(Component::RoutedExperts),
            prediction: prediction.fold(0, u64::saturating_add),
            shares: shares.into_iter().collect(),
        }
    }

    /// Its weights, each counted once: a tied head is the embedding.
    fn stored_parts(&self) -> impl Iterator<Item = (Part, u32)> {
        self.parts().into_iter().filter(|(part, _)| !part.tied)
    }

    /// What a sequence keeps in memory, in elements over all layers.
    ///
    /// ```
    /// let glm5 = decodescope::model::preset("glm-5").unwrap().architecture.cache_totals();
    /// // 78 layers of a 512-wide latent and a 64-wide rotary key; one 128-wide indexer key each.
    /// assert_eq!((glm5.per_token, glm5.indexer_per_token), (44_928.0, 9_984.0));
    /// ```
    #[must_use]
    pub fn cache_totals(&self) -> CacheTotals {
        let mut totals = CacheTotals::default();
        for (layer, count) in kinds(&self.layers) {
            let Some(mixer) = &layer.mixer else { continue };
            for entry in mixer.cache() {
                totals.add(&entry, count);
            }
            totals.state += mixer.state() as f64 * f64::from(count);
        }
        totals
    }

    /// Cache elements each token of context adds for good, over all layers and before any split.
    #[must_use]
    pub fn kv_elements_per_token(&self) -> f64 {
        self.cache_totals().per_token
    }

    /// The indexer's key elements each token of context adds.
    #[must_use]
    pub fn indexer_elements_per_token(&self) -> f64 {
        self.cache_totals().indexer_per_token
    }

    /// Cache elements each token adds to layers with a window, until it is full.
    #[must_use]
    pub fn windowed_elements_per_token(&self) -> f64 {
        self.cache_totals().windowed_per_token
    }

    /// Elements of recurrent state a sequence holds, whatever its length.
    #[must_use]
    pub fn recurrent_state_elements(&self) -> f64 {
        self.cache_totals().state
    }
}
