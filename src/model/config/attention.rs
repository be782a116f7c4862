//! Which token mixer a layer has, and its dimensions.

use super::error::ConfigError;
use super::family::Family;
use super::keys::Keys;
use crate::model::attention::{
    CompressedAttention, DeltaAttention, GatedDeltaNet, GroupedAttention, Indexer, LatentAttention, LightningAttention,
    Mamba1, Mamba2, Mixer,
};
use crate::paste::WarningKind;

const HEADS: [&str; 4] = ["num_attention_heads", "n_head", "n_heads", "num_heads"];
const PAIRS: [&str; 5] =
    ["num_key_value_heads", "num_kv_heads", "n_head_kv", "num_attention_groups", "multi_query_group_num"];
const HEAD_SIZE: [&str; 4] = ["head_dim", "attention_head_dim", "kv_channels", "head_size"];

/// Reads the mixers of a configuration's layers.
pub(super) struct Mixers<'a, 'b> {
    pub(super) keys: &'b Keys<'a>,
    pub(super) family: &'b Family,
    pub(super) hidden: u32,
    pub(super) layers: u32,
}

impl Mixers<'_, '_> {
    /// The mixer of one layer (counted from 0).
    pub(super) fn of(&self, layer: u32) -> Result<Mixer, ConfigError> {
        let keys = self.keys;
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
        self.doubt_layer_type(layer);
        self.grouped(layer).map(Mixer::Grouped)
    }

    /// Granite-4 and Bamba mix Mamba-2 layers with attention ones.
    fn is_mamba2(&self, layer: u32) -> bool {
        if !self.keys.has("mamba_n_heads") {
            return false;
        }
        match (self.layer_type(layer), self.keys.numbers("attn_layer_indices")) {
            (Some(kind), _) => kind == "mamba",
            (None, Some(attending)) => !attending.contains(&layer),
            (None, None) => false,
        }
    }

    fn doubt_layer_type(&self, layer: u32) {
        let Some(kind) = self.layer_type(layer) else { return };
        if !["attention", "full", "sliding", "chunked", "global", "local"].iter().any(|known| kind.contains(known)) {
            self.keys.warn(WarningKind::Trap, format!("layer type {kind:?} is not known, assumed full attention"));
        }
    }

    fn head_size(&self, heads: u32) -> u32 {
        self.keys.number_or(&HEAD_SIZE, self.hidden / heads.max(1))
    }

    fn layer_type(&self, layer: u32) -> Option<&str> {
        let types = self.keys.get("layer_types").or_else(|| self.keys.get("layers_block_type"))?.as_array()?;
        types.get(layer as usize)?.as_str()
    }

    fn flag_at(&self, key: &str, layer: u32) -> Option<bool> {
        let value = self.keys.get(key)?.as_array()?.get(layer as usize)?;
        value.as_bool().or_else(|| value.as_f64().map(|number| number != 0.0))
    }

    /// Grouped-query attention of one layer.
    pub(super) fn grouped(&self, layer: u32) -> Result<GroupedAttention, ConfigError> {
        let (keys, family) = (self.keys, self.family);
        let sliding = self.is_sliding(layer);
        let per_layer = keys.number_at(&["num_attention_heads_per_layer"], layer as usize);
        let mut heads = match per_layer {
            Some(heads) => heads,
            None => keys.require(&HEADS, "the number of attention heads")?,
        };
        let multi_query = family.is(&["falcon", "refinedweb"]) && keys.flag("multi_query") != Some(false);
        let default_pairs = if multi_query && keys.flag("new_decoder_architecture") != Some(true) { 1 } else { heads };
        let mut pairs = keys.number_at(&PAIRS, layer as usize).unwrap_or(default_pairs);
        let mut head_size = self.head_size(heads);
        let mut value_size = keys.number_or(&["v_head_dim"], head_size);
        if family.is(&["hunyuan"]) {
            value_size = head_size;
        }
        // MiMo and Step give sliding layers dimensions of their own.
        if sliding && keys.has("swa_num_attention_heads") {
            heads = keys.number_or(&["swa_num_attention_heads"], heads);
            pairs = keys.number_or(&["swa_num_key_value_heads"], pairs);
            head_size = keys.number_or(&["swa_head_dim"], head_size);
            value_size = keys.number_or(&["swa_v_head_dim"], value_size);
        }
        if let Some(other) = keys.object("attention_other_setting").filter(|_| sliding) {
            heads = other.number_or(&["num_attention_heads"], heads);
            pairs = other.number_or(&["num_attention_groups"], pairs);
            head_size = other.number_or(&["head_dim"], head_size);
            value_size = head_size;
        }
        let mut values_are_keys = false;
        if family.is(&["gemma4"]) && !sliding {
            head_size = keys.number_or(&["global_head_dim"], head_size);
            value_size = head_size;
            values_are_keys = keys.flag("attention_k_eq_v") == Some(true);
            if values_are_keys {
                pairs = keys.number_or(&["num_global_key_value_heads"], pairs);
            }
        }
        let borrowing = keys.number_or(&["num_kv_shared_layers"], 0);
        let (input_bias, output_bias) = family.attention_biases(keys);
        let gated_query = family.is(&["qwen3_next", "qwen3_5"]) && keys.flag("attn_output_gate") != Some(false);
        let sink_key = if sliding { "add_swa_attention_sink_bias" } else { "add_full_attention_sink_bias" };
        Ok(GroupedAttention {
            heads,
            key_value_heads: pairs,
            head_size,
            value_size,
            window: if sliding { self.window() } else { None },
            input_bias,
            output_bias,
            norm: family.head_norm(keys),
            output_gate: gated_query,
            head_gate: family.is(&["step3"]) || keys.flag("gating") == Some(true),
            sinks: family.is(&["gpt_oss"]) || keys.flag(sink_key) == Some(true),
            values_are_keys,
            borrows_cache: (borrowing > 0 && layer >= self.layers.saturating_sub(borrowing))
                || self.crosses_layers(layer),
            indexer: self.block_indexer(layer),
        })
    }

    /// Hunyuan-Large: of each few layers only the first has keys and values.
    fn crosses_layers(&self, layer: u32) -> bool {
        let share = self.keys.number_or(&["cla_share_factor"], 1).max(1);
        self.keys.flag("use_cla") == Some(true) && !layer.is_multiple_of(share)
    }

    /// MiniMax-M3's indexer picks blocks of tokens.
    fn block_indexer(&self, layer: u32) -> Option<Indexer> {
        let sparse = self.keys.object("sparse_attention_config")?;
        if sparse.flag("use_sparse_attention") != Some(true) {
            return None;
        }
        let sparse_layers = sparse.numbers("sparse_attention_freq");
        if sparse_layers.is_some_and(|layers| layers.get(layer as usize) == Some(&0)) {
            return None;
        }
        let blocks = sparse.number_or(&["sparse_topk_blocks"], 16);
        Some(Indexer {
            heads: sparse.number(&["sparse_num_index_heads"])?,
            head_size: sparse.number(&["sparse_index_dim"])?,
            query_input: self.hidden,
            weighs_heads: false,
            selects: blocks.saturating_mul(sparse.number_or(&["sparse_block_size"], 128)),
        })
    }

    /// The window of sliding layers, unless it is no shorter than any context.
    fn window(&self) -> Option<u32> {
        if self.keys.flag("use_sliding_window") == Some(false) {
            return None;
        }
        self.keys.number(&["sliding_window", "attention_chunk_size"]).filter(|&window| window > 0)
    }

    fn is_sliding(&self, layer: u32) -> bool {
        let (keys, family) = (self.keys, self.family);
        let Some(window) = self.window() else { return false };
        if let Some(kind) = self.layer_type(layer) {
            return kind.contains("sliding") || kind.contains("chunked");
        }
        if keys.has("hybrid_layer_pattern") {
            return self.flag_at("hybrid_layer_pattern", layer) == Some(true);
        }
        if let Some(full) = keys.numbers("no_rope_layers").filter(|list| list.len() == self.layers as usize) {
            // Llama-4 chunks the layers that do have a rotary position.
            return full.get(layer as usize) == Some(&1);
        }
        if let Some(letters) = keys.text("sliding_window_pattern").filter(|letters| !letters.is_empty()) {
            // Exaone writes L for local, G for global.
            return letters.as_bytes().get(layer as usize % letters.len()) == Some(&b'L');
        }
        let every = |names: &[&str], default: u32| !(layer + 1).is_multiple_of(keys.number_or(names, default).max(1));
        let pattern = ["sliding_window_pattern", "_sliding_window_pattern"];
        if family.is(&["gemma2"]) {
            return layer.is_multiple_of(2);
        }
        if family.is(&["gemma3"]) {
            return every(&pattern, 6);
        }
        if family.is(&["cohere2", "olmo3", "exaone4", "llama4"]) || self.has_any(&pattern) {
            if !self.has_any(&pattern) && !family.is(&["llama4"]) {
                let fact = "no layer_types: assumed the family's pattern, three sliding layers and a full one";
                keys.warn(WarningKind::Trap, fact.into());
            }
            return every(&pattern, 4);
        }
        if family.is(&["gpt_oss"]) {
            return layer.is_multiple_of(2);
        }
        if family.is(&["qwen"]) {
            return keys.flag("use_sliding_window") == Some(true) && layer >= keys.number_or(&["max_window_layers"], 0);
        }
        // A window as long as the model's longest context never takes effect.
        window < keys.number_or(&["max_position_embeddings"], u32::MAX)
    }

    fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.keys.has(name))
    }

    fn latent(&self, layer: u32) -> Result<LatentAttention, ConfigError> {
        let keys = self.keys;
        let rank = keys.number(&["q_lora_rank"]).filter(|&rank| rank > 0);
        let plain_size = keys.require(&["qk_nope_head_dim"], "the width of a head's part without position")?;
        let selects = keys.number(&["index_topk"]).filter(|_| keys.has("index_n_heads"));
        let shared = self.shares_indexer(layer);
        let indexer = keys.number(&["index_n_heads"]).filter(|_| !shared).map(|heads| Indexer {
            heads,
            head_size: keys.number_or(&["index_head_dim"], 128),
            query_input: rank.unwrap_or(self.hidden),
            weighs_heads: true,
            selects: selects.unwrap_or(u32::MAX),
        });
        Ok(LatentAttention {
            heads: keys.require(&HEADS, "the number of attention heads")?,
            query_rank: rank,
            latent: keys.require(&["kv_lora_rank"], "the width of the key/value latent")?,
            plain_size,
            rotary_size: keys.number_or(&["qk_rope_head_dim"], 0),
            value_size: keys.number_or(&["v_head_dim"], plain_size),
            bias: keys.flag("attention_bias") == Some(true),
            output_gate: keys.flag("mla_use_output_gate") == Some(true),
            indexer,
            selects,
        })
    }

    /// GLM-5.2: a "shared" layer looks where the last indexer before it did.
    fn shares_indexer(&self, layer: u32) -> bool {
        let keys = self.keys;
        if let Some(types) = keys.texts("indexer_types") {
            return types.get(layer as usize) == Some(&"shared");
        }
        let every = keys.number_or(&["index_topk_freq"], 1).max(1);
        let offset = keys.number_or(&["index_skip_topk_offset"], 0);
        !(layer + 1).saturating_sub(offset).is_multiple_of(every)
    }

    fn compressed(&self, layer: u32) -> Result<CompressedAttention, ConfigError> {
        let keys = self.keys;
        let heads = keys.require(&HEADS, "the number of attention heads")?;
        let ratio = match self.layer_type(layer) {
            Some("compressed_sparse_attention") => 4,
            Some("heavily_compressed_attention") => 128,
            Some(_) => 0,
            // Layers beyond the list, those of multi-token prediction, have the window alone.
            None => keys.numbers("compress_ratios").and_then(|ratios| ratios.get(layer as usize).copied()).unwrap_or(0),
        };
        // Only the lightly compressed past is long enough to need picking from.
        let indexer = keys.number(&["index_n_heads"]).filter(|_| ratio == 4).map(|heads| Indexer {
            heads,
            head_size: keys.number_or(&["index_head_dim"], 128),
            query_input: keys.number_or(&["q_lora_rank"], 0),
            weighs_heads: true,
            selects: keys.number_or(&["index_topk"], u32::MAX),
        });
        Ok(CompressedAttention {
            heads,
            head_size: self.head_size(heads),
            query_rank: keys.require(&["q_lora_rank"], "the width of the query latent")?,
            output_groups: keys.number_or(&["o_groups"], 1),
            output_rank: keys.require(&["o_lora_rank"], "the width of the output's latent")?,
            window: keys.number_or(&["sliding_window"], 128),
            ratio,
            indexer,
        })
    }

    fn delta(&self, layer: u32) -> Result<Option<DeltaAttention>, ConfigError> {
        let Some(linear) = self.keys.object("linear_attn_config") else { return Ok(None) };
        // Kimi counts layers from 1 here.
        let full = linear.numbers("full_attn_layers").unwrap_or_default();
        if full.contains(&(layer + 1)) {
            return Ok(None);
        }
        Ok(Some(DeltaAttention {
            heads: linear.require(&["num_heads"], "the number of linear attention heads")?,
            head_size: linear.require(&["head_dim"], "the width of a linear attention head")?,
            kernel: linear.number_or(&["short_conv_kernel_size"], 4),
            full_rank_gate: linear.flag("use_full_rank_gate") == Some(true),
        }))
    }

    fn is_linear(&self, layer: u32) -> bool {
        match self.layer_type(layer) {
            Some(kind) => kind.contains("linear"),
            None => !(layer + 1).is_multiple_of(self.keys.number_or(&["full_attention_interval"], 4).max(1)),
        }
    }

    fn gated_delta(&self) -> Result<GatedDeltaNet, ConfigError> {
        let keys = self.keys;
        Ok(GatedDeltaNet {
            key_heads: keys.require(&["linear_num_key_heads"], "the number of linear key heads")?,
            value_heads: keys.require(&["linear_num_value_heads"], "the number of linear value heads")?,
            key_size: keys.require(&["linear_key_head_dim"], "the width of a linear key head")?,
            value_size: keys.require(&["linear_value_head_dim"], "the width of a linear value head")?,
            kernel: keys.number_or(&["linear_conv_kernel_dim"], 4),
        })
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
        let Some(period) = keys.number(&["attn_layer_period"]).filter(|_| keys.has("mamba_d_state")) else {
            return false;
        };
        layer % period.max(1) != keys.number_or(&["attn_layer_offset"], 0)
    }

    fn mamba1(&self) -> Result<Mamba1, ConfigError> {
        let keys = self.keys;
        Ok(Mamba1 {
            inner: keys.number_or(&["mamba_expand"], 2).saturating_mul(self.hidden),
            state: keys.require(&["mamba_d_state"], "the state elements per channel")?,
            kernel: keys.number_or(&["mamba_d_conv"], 4),
            step_rank: keys.number_or(&["mamba_dt_rank"], self.hidden.div_ceil(16)),
            normed: true,
        })
    }

    /// Mamba-2 as Nemotron-H and Granite-4 configure it.
    pub(super) fn mamba2(&self) -> Result<Mamba2, ConfigError> {
        let keys = self.keys;
        Ok(Mamba2 {
            heads: keys.require(&["mamba_num_heads", "mamba_n_heads"], "the number of Mamba heads")?,
            head_size: keys.require(&["mamba_head_dim", "mamba_d_head"], "the width of a Mamba head")?,
            groups: keys.number_or(&["n_groups", "mamba_n_groups"], 1),
            state: keys.require(&["ssm_state_size", "mamba_d_state"], "the state elements per channel")?,
            kernel: keys.number_or(&["conv_kernel", "mamba_d_conv"], 4),
            convolution_bias: keys.flag("use_conv_bias").or(keys.flag("mamba_conv_bias")).unwrap_or(true),
        })
    }
}
