//! A model's structure: groups of equal layers, and what stands around them.

use super::attention::Mixer;
use super::feed_forward::{DenseMlp, Mixture};
use super::part::{Block, Component, Part, Sharding, Usage, is_zero, product};
use serde::{Deserialize, Serialize};

/// No model has more layers; a larger number is taken for a mistake.
pub const MOST_LAYERS: u32 = 4096;

/// One layer: a token mixer, a feed-forward block, or both.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Layer {
    /// How tokens see one another; `None` for a layer that is a feed-forward block alone.
    pub mixer: Option<Mixer>,
    /// The MLP every token passes.
    pub dense: Option<DenseMlp>,
    /// The mixture of experts; Gemma-4 has it beside the MLP.
    pub experts: Option<Mixture>,
    /// Norm weights, in vectors of the hidden width.
    pub norm_vectors: u32,
    /// Single learned numbers, such as a layer's scale.
    pub scalars: u32,
}

/// Equal layers in a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerGroup {
    /// What each of them is.
    pub layer: Layer,
    /// How many.
    pub count: u32,
}

/// Gemma's per-layer embeddings: a table row per token and layer, mixed in by small projections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerLayerEmbedding {
    /// Rows of the table.
    pub vocabulary: u32,
    /// The width of a layer's share of a row.
    pub width: u32,
}

/// Gemma-3n's residual: several streams of which each layer computes one and predicts the rest, and
/// a narrow linear layer beside attention.
///
/// # Source
/// Alternating updates (arXiv 2301.13310), learned augmented residual layers (arXiv 2411.07501).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternatingUpdates {
    /// How many streams.
    pub streams: u32,
    /// The inner width of the linear layer beside attention.
    pub rank: u32,
}

impl AlternatingUpdates {
    /// Per layer: a router `m × hidden`, predictions `m³`, corrections `m²`, a scale `hidden`, the
    /// linear layer `2 × hidden × rank`.
    fn of_layer(self, hidden: u32) -> u64 {
        let Self { streams, rank } = self;
        product([streams, hidden])
            + product([streams, streams, streams])
            + product([streams, streams])
            + u64::from(hidden)
            + product([2, hidden, rank])
    }

    /// Outside the layers: a matrix into each further stream, and one out of it.
    fn outside(self, hidden: u32) -> u64 {
        product([2, self.streams.saturating_sub(1), hidden]).saturating_mul(u64::from(hidden))
    }
}

/// Multi-token prediction: extra layers that draft further tokens, not run in plain decoding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// How many modules.
    pub modules: u32,
    /// The layers of one module.
    pub layers: Vec<Layer>,
    /// Whether checkpoints store the embedding and the head once more with each module.
    pub stores_embeddings: bool,
}

/// A model's architecture, by structure rather than by vendor.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Architecture {
    /// Its name for people.
    pub name: String,
    /// The width of the residual stream.
    pub hidden: u32,
    /// Rows of the embedding.
    pub vocabulary: u32,
    /// Rows of the embedding that the head has not (Llama-3.2-Vision).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_rows: u32,
    /// The width of the embedding, where two projections lead from it and back (a small OPT); 0 for
    /// the hidden width.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub embedding_width: u32,
    /// Whether the output head is the embedding.
    pub tied_embeddings: bool,
    /// Whether the output head has a bias.
    pub head_bias: bool,
    /// The layers in order, equal neighbours together.
    pub layers: Vec<LayerGroup>,
    /// The final norm's weights, in vectors of the hidden width.
    pub final_norm_vectors: u32,
    /// Rows of the table of learned positions; 0 without.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub positions: u32,
    /// Gemma-3n's alternating updates of several streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternating_updates: Option<AlternatingUpdates>,
    /// Gemma's per-layer embeddings.
    pub per_layer_embedding: Option<PerLayerEmbedding>,
    /// Residual streams mixed by hyper-connections; 0 for the plain single one.
    pub residual_streams: u32,
    /// Multi-token prediction.
    pub prediction: Option<Prediction>,
}

impl Layer {
    /// Its weights, for a residual stream `hidden` wide.
    #[must_use]
    pub fn parts(&self, hidden: u32) -> Vec<Part> {
        let mut parts = self.mixer.as_ref().map(|mixer| mixer.parts(hidden)).unwrap_or_default();
        parts.extend(self.dense.iter().flat_map(|dense| dense.parts(hidden)));
        parts.extend(self.experts.iter().flat_map(|experts| experts.parts(hidden)));
        let block = if self.mixer.is_some() { Block::Attention } else { Block::FeedForward };
        let norms = product([self.norm_vectors, hidden]) + u64::from(self.scalars);
        parts.push(Part::whole(Component::Norms, block, Sharding::Replicated, norms).operations(0));
        parts
    }

    /// How many of its blocks end in a sum over tensor-parallel ranks.
    #[must_use]
    pub fn allreduces(&self) -> u32 {
        let mixers = match &self.mixer {
            Some(Mixer::Parallel(mixers)) => mixers.len() as u32,
            mixer => u32::from(mixer.is_some()),
        };
        mixers + u32::from(self.dense.is_some() || self.experts.is_some())
    }
}

/// Puts equal neighbours together.
pub(crate) fn group(layers: impl IntoIterator<Item = Layer>) -> Vec<LayerGroup> {
    let mut groups: Vec<LayerGroup> = Vec::new();
    for layer in layers {
        match groups.last_mut() {
            Some(last) if last.layer == layer => last.count += 1,
            _ => groups.push(LayerGroup { layer, count: 1 }),
        }
    }
    groups
}

/// The different layers among groups, each with how many of it there are. Sums over layers need no
/// order, and alternating patterns have many groups of few kinds.
pub(crate) fn kinds(groups: &[LayerGroup]) -> Vec<(&Layer, u32)> {
    let mut kinds: Vec<(&Layer, u32)> = Vec::new();
    for group in groups {
        match kinds.iter_mut().find(|(layer, _)| **layer == group.layer) {
            Some((_, count)) => *count = count.saturating_add(group.count),
            None => kinds.push((&group.layer, group.count)),
        }
    }
    kinds
}

impl Architecture {
    /// How many layers it has. Where mixers and feed-forward blocks are layers of their own
    /// (Nemotron-H), each counts.
    #[must_use]
    pub fn layer_count(&self) -> u32 {
        self.layers.iter().fold(0, |count, group| count.saturating_add(group.count))
    }

    /// Whether it has experts without biases.
    pub(crate) fn has_plain_experts(&self) -> bool {
        self.layers.iter().any(|group| group.layer.experts.is_some_and(|experts| !experts.expert_bias))
    }

    /// How many blocks of a forward pass end in an allreduce under tensor parallelism: one after
    /// each mixer, one after each feed-forward block. The embedding's is not counted.
    ///
    /// ```
    /// let glm5 = &decodescope::model::preset("glm-5").unwrap().architecture;
    /// assert_eq!(glm5.allreduces(), 2 * 78);
    /// ```
    #[must_use]
    pub fn allreduces(&self) -> u32 {
        let count = |group: &LayerGroup| group.count.saturating_mul(group.layer.allreduces());
        self.layers.iter().map(count).fold(0, u32::saturating_add)
    }

    /// The same architecture with another number of layers (at most [`MOST_LAYERS`]): a prefix of
    /// its layers, or its layers with the pattern they end in repeated.
    #[must_use]
    pub fn with_layers(&self, count: u32) -> Self {
        let present: Vec<&Layer> = self
            .layers
            .iter()
            .flat_map(|group| std::iter::repeat_n(&group.layer, group.count.min(MOST_LAYERS) as usize))
            .take(MOST_LAYERS as usize)
            .collect();
        let period = tail_period(&present);
        let layer = |index: usize| {
            let beyond = (index + 1).saturating_sub(present.len());
            let back = beyond.div_ceil(period.max(1)) * period;
            present.get(index - back.min(index)).map(|&layer| layer.clone())
        };
        let layers = group((0..count.min(MOST_LAYERS) as usize).filter_map(layer));
        Self { layers, ..self.clone() }
    }

    /// Everything it is made of in one forward pass, with the number of layers each part is in.
    #[must_use]
    pub fn parts(&self) -> Vec<(Part, u32)> {
        let mut parts = vec![];
        let mut outside = |part: Part| parts.push((Part { block: Block::Outside, ..part }, 1));
        let whole = |component, sharding, parameters| Part::whole(component, Block::Outside, sharding, parameters);
        let width = if self.embedding_width > 0 { self.embedding_width } else { self.hidden };
        let table = product([self.vocabulary, width]);

        let rows = table + product([self.more_rows, width]);
        let embedding = whole(Component::Embedding, Sharding::Vocabulary, rows).operations(0);
        outside(Part { usage: Usage::Row(u64::from(width)), ..embedding });
        if width != self.hidden {
            let projections = product([2, self.hidden, width]);
            outside(whole(Component::DenseMlp, Sharding::Replicated, projections).operations(2));
        }
        let bias = if self.head_bias { u64::from(self.vocabulary) } else { 0 };
        let head = whole(Component::LmHead, Sharding::Vocabulary, table);
        if self.tied_embeddings {
            outside(Part { tied: true, ..head });
            if bias > 0 {
                outside(whole(Component::LmHead, Sharding::Vocabulary, bias).operations(0));
            }
        } else {
            outside(Part { parameters: table + bias, ..head });
        }
        if self.positions > 0 {
            let table = product([self.positions, self.hidden]);
            let positions = whole(Component::Embedding, Sharding::Replicated, table).operations(0);
            outside(Part { usage: Usage::Row(u64::from(self.hidden)), ..positions });
        }
        if let Some(updates) = self.alternating_updates {
            outside(whole(Component::ResidualMixing, Sharding::Replicated, updates.outside(self.hidden)));
        }
        let final_norm = product([self.final_norm_vectors, self.hidden]);
        outside(whole(Component::Norms, Sharding::Replicated, final_norm).operations(0));
        if let Some(extra) = self.per_layer_embedding {
            let row = product([self.layer_count(), extra.width]);
            let rows = row.saturating_mul(u64::from(extra.vocabulary)).min(1 << 50);
            let table = whole(Component::PerLayerEmbedding, Sharding::Vocabulary, rows).operations(0);
            outside(Part { usage: Usage::Row(row), ..table });
            let projection = product([self.hidden, self.layer_count(), extra.width]);
            outside(whole(Component::PerLayerEmbedding, Sharding::Replicated, projection));
            outside(whole(Component::Norms, Sharding::Replicated, u64::from(extra.width)).operations(0));
        }
        if self.residual_streams > 0 {
            outside(whole(Component::ResidualMixing, Sharding::Replicated, self.stream_head()));
        }
        for (layer, count) in kinds(&self.layers) {
            parts.extend(self.layer_parts(layer).into_iter().map(|part| (part, count)));
        }
        parts
    }

    /// A layer's weights with what the architecture adds to each layer.
    pub(super) fn layer_parts(&self, layer: &Layer) -> Vec<Part> {
        let mut parts = layer.parts(self.hidden);
        let mut add = |component, parameters, operations| {
            let part = Part::whole(component, Block::FeedForward, Sharding::Replicated, parameters);
            parts.push(part.operations(operations));
        };
        if let Some(extra) = self.per_layer_embedding {
            add(Component::PerLayerEmbedding, product([2, self.hidden, extra.width]), 2);
            add(Component::Norms, u64::from(self.hidden), 0);
        }
        if let Some(updates) = self.alternating_updates {
            add(Component::ResidualMixing, updates.of_layer(self.hidden), 4);
            // One norm before the router, one behind the linear layer.
            add(Component::Norms, product([2, self.hidden]), 0);
        }
        if self.residual_streams > 0 {
            add(Component::ResidualMixing, self.stream_mixers(), 2);
        }
        parts
    }

    /// Two mixers per layer of m streams: `(2 + m)m × mh` weights, as many biases as outputs, three scales.
    fn stream_mixers(&self) -> u64 {
        let streams = self.residual_streams;
        let outputs = streams.saturating_add(2).saturating_mul(streams);
        2 * (product([outputs, streams, self.hidden]) + u64::from(outputs) + 3)
    }

    /// The last mixing of m streams into one.
    fn stream_head(&self) -> u64 {
        let streams = self.residual_streams;
        product([streams, streams, self.hidden]) + u64::from(streams) + 1
    }

    /// The weights of the multi-token prediction modules, which plain decoding does not read.
    ///
    /// # Formula
    /// Per module its layers, a `2h × h` projection of embedding and hidden state, three norms.
    #[must_use]
    pub fn prediction_parts(&self) -> Vec<(Part, u32)> {
        let Some(prediction) = &self.prediction else { return Vec::new() };
        let plain = Self { per_layer_embedding: None, ..self.clone() };
        let mut parts: Vec<Part> = prediction.layers.iter().flat_map(|layer| plain.layer_parts(layer)).collect();
        let mut add = |component, parameters| {
            parts.push(Part::whole(component, Block::Outside, Sharding::Replicated, parameters));
        };
        add(Component::DenseMlp, product([2, self.hidden, self.hidden]));
        add(Component::Norms, product([3, self.hidden]));
        if self.residual_streams > 0 {
            add(Component::ResidualMixing, self.stream_head());
        }
        parts.into_iter().map(|part| (part, prediction.modules)).collect()
    }
}

/// The shortest period the last half of the layers repeats with; 0 when there are none.
fn tail_period(layers: &[&Layer]) -> usize {
    let tail = layers.get(layers.len() / 2..).unwrap_or_default();
    let repeats = |period: &usize| tail.iter().zip(tail.iter().skip(*period)).all(|(one, later)| one == later);
    (1..=tail.len()).find(repeats).unwrap_or(0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn dense(width: u32) -> Layer {
        Layer { dense: Some(DenseMlp { width, gated: true, bias: false }), ..Layer::default() }
    }

    fn widths(architecture: &Architecture) -> Vec<u32> {
        let widths = |group: &LayerGroup| std::iter::repeat_n(group.layer.dense.unwrap().width, group.count as usize);
        architecture.layers.iter().flat_map(widths).collect()
    }

    #[test]
    fn more_layers_repeat_the_pattern_and_fewer_cut_it() {
        let layers = group([9, 1, 1, 2, 1, 1, 2, 1, 1, 2].map(dense));
        let architecture = Architecture { hidden: 8, layers, ..Architecture::default() };
        assert_eq!(architecture.layer_count(), 10);
        assert_eq!(widths(&architecture.with_layers(4)), [9, 1, 1, 2]);
        assert_eq!(widths(&architecture.with_layers(13)), [9, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2]);
        assert_eq!(architecture.with_layers(10), architecture);
        assert_eq!(architecture.with_layers(0).layer_count(), 0);
    }

    #[test]
    fn an_architecture_without_layers_stays_without() {
        assert_eq!(Architecture::default().with_layers(7).layer_count(), 0);
    }
}
