//! Grouped-query attention's dimensions, and which layers see a window only.

use super::{HEAD_SIZE, HEADS, Mixers};
use crate::model::attention::{GroupedAttention, HeadNorm, Indexer};
use crate::model::config::error::ConfigError;
use crate::paste::WarningKind;

const PAIRS: [&str; 8] = [
    "num_key_value_heads",
    "num_kv_heads",
    "n_kv_heads",
    "num_key_value_heads_per_layer",
    "n_head_kv",
    "num_attention_groups",
    "multi_query_group_num",
    "num_query_groups",
];

impl Mixers<'_, '_> {
    /// Grouped-query attention of one layer.
    pub(in crate::model::config) fn grouped(&self, layer: u32) -> Result<GroupedAttention, ConfigError> {
        let (keys, family) = (self.keys, self.family);
        let sliding = self.is_sliding(layer);
        let own = keys.of_layer(layer);
        let own = |names: &[&str]| own.as_ref()?.number(names);
        let per_layer = own(&HEADS).or_else(|| keys.number_at(&["num_attention_heads_per_layer"], layer as usize));
        let mut heads = match per_layer {
            Some(heads) => heads,
            None => keys.require(&HEADS, "the number of attention heads")?,
        };
        let mut pairs = own(&PAIRS).unwrap_or_else(|| self.pairs(layer, heads));
        let mut head_size = own(&HEAD_SIZE).unwrap_or_else(|| self.head_size(heads));
        let mut value_size = keys.number(&["v_head_dim"]).filter(|&size| size > 0).unwrap_or(head_size);
        if family.has("one-size") {
            value_size = head_size;
        }
        // MiMo and Step give sliding layers dimensions of their own.
        if sliding && keys.has("swa_num_attention_heads") {
            heads = keys.number_or(&["swa_num_attention_heads"], heads);
            pairs = keys.number_or(&["swa_num_key_value_heads"], pairs);
            head_size = keys.number_or(&["swa_head_dim"], head_size);
            value_size = keys.number_or(&["swa_v_head_dim"], value_size);
        }
        // In the form Transformers gives MiMo's configuration this is left to the code.
        let doubled = sliding && family.has("wider-slides") && !keys.has("swa_num_key_value_heads");
        if doubled {
            pairs = pairs.saturating_mul(2);
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
        // Of an image only, with normalised queries and keys.
        let crosses = keys.numbers("cross_attention_layers").is_some_and(|layers| layers.contains(&layer));
        let borrowing = keys.number_or(&["num_kv_shared_layers"], 0);
        let (input_bias, output_bias) = family.attention_biases(keys);
        let gated_query = family.has("output-gate") && keys.flag("attn_output_gate") != Some(false);
        let sink_key = if sliding { "add_swa_attention_sink_bias" } else { "add_full_attention_sink_bias" };
        Ok(GroupedAttention {
            heads,
            key_value_heads: pairs,
            head_size,
            value_size,
            query_rank: keys.number_or(&["share_q_dim"], 0),
            window: if crosses { Some(0) } else { self.window().filter(|_| sliding) },
            input_bias,
            output_bias,
            norm: if crosses { HeadNorm::PerHead } else { family.head_norm(keys) },
            output_gate: gated_query,
            head_gate: family.has("head-gate") || keys.flag("gating") == Some(true),
            sinks: family.has("sinks") || keys.flag(sink_key) == Some(true) || doubled,
            values_are_keys,
            borrows_cache: (borrowing > 0 && layer >= self.layers.saturating_sub(borrowing))
                || self.crosses_layers(layer),
            indexer: self.block_indexer(layer),
        })
    }

    /// Key/value heads. Old multi-query models write the query heads there, and mean one.
    fn pairs(&self, layer: u32, heads: u32) -> u32 {
        let (keys, family) = (self.keys, self.family);
        let multi_query = family.has("multi-query") && keys.flag("multi_query") == Some(true);
        if multi_query && keys.flag("new_decoder_architecture") != Some(true) {
            return 1;
        }
        if family.has("all-or-one") {
            return heads;
        }
        let nested = || keys.object("attn_config")?.number(&["kv_n_heads"]);
        // A family's own number that the heads are no multiple of belongs to other dimensions.
        let fits = |pairs: &u32| PAIRS.iter().any(|name| keys.is_written(name)) || heads.is_multiple_of(*pairs);
        keys.number_at(&PAIRS, layer as usize).or_else(nested).filter(fits).unwrap_or(heads)
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
        let names = ["sliding_window", "attention_chunk_size", "attention_window_size"];
        self.keys.number(&names).filter(|&window| window > 0)
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
        let pattern = ["sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"];
        let every = keys.number(&pattern).or_else(|| family.number("slides"));
        if let Some(every) = every {
            if family.has("asks-types") && !self.has_any(&pattern) {
                let fact = "no layer_types: assumed the family's pattern, three sliding layers and a full one";
                keys.warn(WarningKind::Trap, fact.into());
            }
            return !(layer + 1).is_multiple_of(every.max(1));
        }
        // Qwen's first layers see everything.
        if keys.has("max_window_layers") {
            return layer >= keys.number_or(&["max_window_layers"], 0);
        }
        // A window as long as the model's longest context never takes effect.
        window < keys.number_or(&["max_position_embeddings"], u32::MAX)
    }
}
