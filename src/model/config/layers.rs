//! The layers of a configuration, and those of its multi-token prediction.

use super::attention::Mixers;
use super::error::ConfigError;
use super::family::Family;
use super::feed_forward::FeedForwards;
use super::keys::Keys;
use crate::model::architecture::{Layer, LayerGroup, MOST_LAYERS, Prediction, group};
use crate::model::attention::{GroupedAttention, Mixer};
use crate::model::feed_forward::DenseMlp;
use serde_json::Value;

/// What [`layers`] found.
pub(super) struct Layers {
    pub(super) layers: Vec<LayerGroup>,
    pub(super) prediction: Option<Prediction>,
}

/// Reads all layers.
pub(super) fn layers(keys: &Keys, family: &Family, hidden: u32, count: u32) -> Result<Layers, ConfigError> {
    let reader = Reader {
        keys,
        family,
        hidden,
        mixers: Mixers { keys, family, hidden, layers: count },
        feed_forwards: FeedForwards { keys, family, hidden, layers: count },
    };
    if let Some(blocks) = keys.get("block_configs").and_then(Value::as_array) {
        let layers = blocks.iter().take(MOST_LAYERS as usize).map(|block| reader.searched(block));
        return Ok(Layers { layers: group(layers.collect::<Result<Vec<_>, _>>()?), prediction: None });
    }
    if let Some(pattern) = block_pattern(keys) {
        let layers = pattern.iter().map(|&block| reader.single(block)).collect::<Result<Vec<_>, _>>()?;
        return Ok(Layers { layers: group(layers), prediction: reader.pattern_prediction()? });
    }
    if family.has("paired") {
        let pairs = (0..count).map(|layer| reader.pair(layer)).collect::<Result<Vec<_>, _>>()?;
        return Ok(Layers { layers: group(pairs.into_iter().flatten()), prediction: None });
    }
    let layers = (0..count).map(|layer| reader.layer(layer)).collect::<Result<Vec<_>, _>>()?;
    Ok(Layers { layers: group(layers), prediction: reader.prediction(count)? })
}

/// A layer that is one block alone, as Nemotron-H has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Single {
    Mamba,
    Attention,
    Mlp,
    Mixture,
}

/// The pattern of single-block layers, if the configuration has one.
pub(super) fn block_pattern(keys: &Keys) -> Option<Vec<Single>> {
    let is_nemotron = keys.has("mamba_num_heads") || keys.model_type() == Some("nemotron_h");
    if !is_nemotron {
        return None;
    }
    pattern(keys, &["hybrid_override_pattern", "layers_block_type"])
}

fn pattern(keys: &Keys, names: &[&str]) -> Option<Vec<Single>> {
    let (value, _) = keys.first(names)?;
    let blocks: Vec<Single> = match value {
        Value::String(letters) => letters
            .chars()
            .filter_map(|letter| match letter {
                'M' => Some(Single::Mamba),
                '*' => Some(Single::Attention),
                '-' => Some(Single::Mlp),
                'E' => Some(Single::Mixture),
                _ => None,
            })
            .collect(),
        Value::Array(list) => list
            .iter()
            .filter_map(|name| match name.as_str()? {
                "mamba" | "linear_attention" => Some(Single::Mamba),
                "attention" | "full_attention" => Some(Single::Attention),
                "mlp" => Some(Single::Mlp),
                "moe" => Some(Single::Mixture),
                _ => None,
            })
            .collect(),
        _ => return None,
    };
    Some(blocks.into_iter().take(MOST_LAYERS as usize).collect())
}

struct Reader<'a, 'b> {
    keys: &'b Keys<'a>,
    family: &'b Family,
    hidden: u32,
    mixers: Mixers<'a, 'b>,
    feed_forwards: FeedForwards<'a, 'b>,
}

impl Reader<'_, '_> {
    /// A layer with a mixer and a feed-forward block.
    fn layer(&self, layer: u32) -> Result<Layer, ConfigError> {
        let mixer = self.mixers.of(layer)?;
        let (dense, experts) = self.feed_forwards.of(layer)?;
        Ok(self.normed(Some(mixer), dense, experts))
    }

    fn normed(
        &self,
        mixer: Option<Mixer>,
        dense: Option<DenseMlp>,
        experts: Option<crate::model::feed_forward::Mixture>,
    ) -> Layer {
        // Gemma-4 norms MLP and experts apart.
        let apart = match &experts {
            Some(_) => self.family.number("expert-norms").unwrap_or(0),
            None => 0,
        };
        let norm_vectors = self.family.norm_vectors(self.keys) + apart;
        let mut scalars = self.family.number("scalars").unwrap_or(0);
        if let Some(Mixer::Grouped(attention)) = &mixer {
            // Attention to an image passes two gates; differential attention weighs its halves.
            scalars += if attention.window == Some(0) { 2 } else { 0 };
            scalars += self.family.number("lambdas").unwrap_or(0).saturating_mul(attention.head_size);
        }
        if self.family.has("sub-norms") {
            scalars = self.hidden.saturating_add(dense.map_or(0, |dense| dense.width));
        }
        Layer { mixer, dense, experts, norm_vectors, scalars }
    }

    /// LongCat's layer is two of mixer and MLP, with the experts beside the first.
    fn pair(&self, layer: u32) -> Result<[Layer; 2], ConfigError> {
        let (mixer, dense) = (self.mixers.of(layer)?, self.feed_forwards.dense(layer)?);
        let experts = self.feed_forwards.mixture(layer)?;
        Ok([self.normed(Some(mixer.clone()), Some(dense), Some(experts)), self.normed(Some(mixer), Some(dense), None)])
    }

    fn single(&self, block: Single) -> Result<Layer, ConfigError> {
        let layer = Layer { norm_vectors: 1, ..Layer::default() };
        Ok(match block {
            Single::Mamba => Layer { mixer: Some(Mixer::Mamba2(self.mixers.mamba2()?)), ..layer },
            Single::Attention => Layer { mixer: Some(Mixer::Grouped(self.mixers.grouped(0)?)), ..layer },
            Single::Mlp => Layer { dense: Some(self.feed_forwards.dense(0)?), ..layer },
            Single::Mixture => Layer { experts: Some(self.feed_forwards.mixture(0)?), ..layer },
        })
    }

    /// A layer of an architecture search (Nemotron-NAS): each block may be gone, or a plain matrix.
    fn searched(&self, block: &Value) -> Result<Layer, ConfigError> {
        let says = |part: &str, key: &str| block.get(part).and_then(|it| it.get(key)?.as_bool()).unwrap_or(false);
        let mixer = if says("attention", "replace_with_linear") {
            Some(Mixer::Linear)
        } else if says("attention", "no_op") {
            None
        } else {
            let full = self.mixers.grouped(0)?;
            let per_group = block.get("attention").and_then(|it| it.get("n_heads_in_group")?.as_u64());
            let per_group = per_group.and_then(|heads| u32::try_from(heads).ok()).unwrap_or(1).max(1);
            Some(Mixer::Grouped(GroupedAttention { key_value_heads: full.heads / per_group, ..full }))
        };
        let plain = DenseMlp { width: 0, gated: true, bias: false };
        let dense = if says("ffn", "no_op") {
            None
        } else if says("ffn", "replace_with_linear") {
            // One square matrix; an ungated MLP half as wide has as many weights.
            Some(DenseMlp { width: self.hidden / 2, gated: false, ..plain })
        } else {
            let multiple = block.get("ffn").and_then(|it| it.get("ffn_mult")?.as_f64());
            let multiple =
                multiple.ok_or_else(|| ConfigError::missing("ffn_mult", "a width relative to the hidden one"))?;
            // The published code: two thirds of the multiple, rounded up to 256.
            let width = (2.0 * multiple * f64::from(self.hidden) / 3.0).clamp(0.0, 1e9) as u32;
            Some(DenseMlp { width: width.div_ceil(256) * 256, ..plain })
        };
        let norm_vectors = u32::from(mixer.is_some()) + u32::from(dense.is_some());
        Ok(Layer { mixer, dense, norm_vectors, ..Layer::default() })
    }

    fn pattern_prediction(&self) -> Result<Option<Prediction>, ConfigError> {
        let modules = self.keys.number_or(&["num_nextn_predict_layers"], 0);
        let blocks = pattern(self.keys, &["mtp_hybrid_override_pattern", "mtp_layers_block_type"]).unwrap_or_default();
        let layers = blocks.into_iter().map(|block| self.single(block)).collect::<Result<Vec<_>, _>>()?;
        Ok((modules > 0).then_some(Prediction { modules, layers, stores_embeddings: false }))
    }

    fn prediction(&self, count: u32) -> Result<Option<Prediction>, ConfigError> {
        let (keys, family) = (self.keys, self.family);
        // MiniMax declares modules its checkpoints do not hold.
        let declared = if family.is(&["minimax"]) {
            0
        } else if keys.has("linear_num_value_heads") {
            keys.number_or(&["mtp_num_hidden_layers"], u32::from(family.has("predicts")))
        } else {
            keys.number_or(&["num_nextn_predict_layers"], 0)
        };
        if declared == 0 || count == 0 {
            return Ok(None);
        }
        // A module is a layer like the last, but attends in full, and owns its indexer.
        let compressed = keys.has("o_lora_rank");
        let mut layer = self.layer(if compressed { count } else { count - 1 })?;
        if keys.has("linear_num_value_heads") {
            layer.mixer = Some(Mixer::Grouped(self.mixers.grouped(count - 1)?));
        }
        if let Some(Mixer::Latent(attention)) = &mut layer.mixer {
            attention.indexer = self.first_indexer()?;
        }
        if family.is(&["step3"]) {
            layer.experts = None;
            layer.dense = Some(self.feed_forwards.dense(count - 1)?);
        }
        let stores_embeddings = family.is(&["deepseek_v3", "glm4_moe"]);
        Ok(Some(Prediction { modules: declared.min(64), layers: vec![layer], stores_embeddings }))
    }

    fn first_indexer(&self) -> Result<Option<crate::model::attention::Indexer>, ConfigError> {
        match self.mixers.of(0)? {
            Mixer::Latent(attention) => Ok(attention.indexer),
            _ => Ok(None),
        }
    }
}
