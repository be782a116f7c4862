//! Which token mixer a layer has, and its dimensions.

mod grouped;
mod latent;
mod recurrent;

use super::error::ConfigError;
use super::family::Family;
use super::keys::Keys;
use crate::model::attention::{LightningAttention, Mixer};
use crate::paste::WarningKind;

const HEADS: [&str; 5] = ["num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"];
const HEAD_SIZE: [&str; 4] = ["head_dim", "attention_head_dim", "kv_channels", "head_size"];

/// Reads the mixers of a configuration's layers.
pub(in crate::model::config) struct Mixers<'a, 'b> {
    pub(in crate::model::config) keys: &'b Keys<'a>,
    pub(in crate::model::config) family: &'b Family,
    pub(in crate::model::config) hidden: u32,
    pub(in crate::model::config) layers: u32,
}

impl Mixers<'_, '_> {
    /// The mixer of one layer (counted from 0).
    pub(in crate::model::config) fn of(&self, layer: u32) -> Result<Mixer, ConfigError> {
        let keys = self.keys;
        if self.family.has("rwkv") {
            return Ok(Mixer::Rwkv(self.rwkv()));
        }
        if let Some(delta) = self.delta(layer)? {
            return Ok(Mixer::Delta(delta));
        }
        if keys.has("o_lora_rank") && keys.has("q_lora_rank") {
            return self.compressed(layer).map(Mixer::Compressed);
        }
        if keys.has("kv_lora_rank") && keys.has("qk_rope_head_dim") {
            return self.latent(layer).map(Mixer::Latent);
        }
        if keys.has("linear_num_value_heads") && self.is_linear(layer) {
            return self.gated_delta().map(Mixer::GatedDelta);
        }
        if self.is_lightning(layer) {
            let heads = keys.require(&HEADS, "the number of attention heads")?;
            return Ok(Mixer::Lightning(LightningAttention { heads, head_size: self.head_size(heads) }));
        }
        if self.is_mamba1(layer) {
            return self.mamba1().map(Mixer::Mamba1);
        }
        if self.is_mamba2(layer) {
            return self.mamba2().map(Mixer::Mamba2);
        }
        if self.is_convolution(layer) {
            return Ok(Mixer::ShortConvolution(self.short_convolution()));
        }
        if self.is_recurrence(layer) {
            return self.gated_recurrence().map(Mixer::GatedRecurrence);
        }
        self.doubt_layer_type(layer);
        let attention = Mixer::Grouped(self.grouped(layer)?);
        if self.family.has("mamba-beside") {
            return Ok(Mixer::Parallel(vec![attention, Mixer::Mamba2(self.mamba2()?)]));
        }
        Ok(attention)
    }

    /// Granite-4 and Bamba mix Mamba-2 layers with attention ones; they say which layers attend.
    fn is_mamba2(&self, layer: u32) -> bool {
        if self.family.has("mamba2") {
            return true;
        }
        if !self.keys.has("mamba_n_heads") || self.family.has("mamba-beside") {
            return false;
        }
        match (self.layer_type(layer), self.keys.numbers("attn_layer_indices")) {
            (Some(kind), _) => kind == "mamba" || kind.contains("linear"),
            (None, Some(attending)) => !attending.contains(&layer),
            (None, None) => true,
        }
    }

    /// LFM2's short convolutions.
    fn is_convolution(&self, layer: u32) -> bool {
        if !self.keys.has("conv_L_cache") {
            return false;
        }
        match (self.layer_type(layer), self.keys.numbers("full_attn_idxs")) {
            (Some(kind), _) => kind == "conv",
            (None, Some(attending)) => !attending.contains(&layer),
            (None, None) => false,
        }
    }

    /// RecurrentGemma repeats the pattern of its block types.
    fn is_recurrence(&self, layer: u32) -> bool {
        let kinds = self.keys.texts("block_types").or_else(|| self.keys.texts("_block_types"));
        match kinds.filter(|kinds| !kinds.is_empty()) {
            Some(kinds) => kinds.get(layer as usize % kinds.len()) == Some(&"recurrent"),
            None => self.family.has("recurrence") && layer % 3 != 2,
        }
    }

    fn doubt_layer_type(&self, layer: u32) {
        let Some(kind) = self.layer_type(layer) else { return };
        if !["attention", "full", "sliding", "chunked", "global", "local"].iter().any(|known| kind.contains(known)) {
            self.keys.warn(WarningKind::Trap, format!("layer type {kind:?} is not known, assumed full attention"));
        }
    }

    fn head_size(&self, heads: u32) -> u32 {
        let share = self.hidden / heads.max(1);
        if self.family.has("even-heads") { share } else { self.keys.number_or(&HEAD_SIZE, share) }
    }

    fn layer_type(&self, layer: u32) -> Option<&str> {
        let types = self.keys.get("layer_types").or_else(|| self.keys.get("layers_block_type"))?.as_array()?;
        types.get(layer as usize)?.as_str()
    }

    fn flag_at(&self, key: &str, layer: u32) -> Option<bool> {
        let value = self.keys.get(key)?.as_array()?.get(layer as usize)?;
        value.as_bool().or_else(|| value.as_f64().map(|number| number != 0.0))
    }

    fn is_linear(&self, layer: u32) -> bool {
        match self.layer_type(layer) {
            Some(kind) => kind.contains("linear"),
            None => !(layer + 1).is_multiple_of(self.keys.number_or(&["full_attention_interval"], 4).max(1)),
        }
    }

    fn is_lightning(&self, layer: u32) -> bool {
        if !self.family.is(&["minimax"]) {
            return false;
        }
        match self.layer_type(layer) {
            Some(kind) => kind.contains("linear") || kind.contains("lightning"),
            None => self.flag_at("attn_type_list", layer) == Some(false),
        }
    }

    fn is_mamba1(&self, layer: u32) -> bool {
        let keys = self.keys;
        if self.family.has("mamba1") {
            return true;
        }
        if !keys.has("mamba_d_state") || !keys.has("attn_layer_period") {
            return false;
        }
        if let Some(kind) = self.layer_type(layer) {
            return kind == "mamba" || kind.contains("linear");
        }
        let period = keys.number_or(&["attn_layer_period"], 1).max(1);
        layer % period != keys.number_or(&["attn_layer_offset"], 0) % period
    }

    fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.keys.has(name))
    }
}
