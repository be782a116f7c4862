//! Latent attention's dimensions, and DeepSeek-V4's compressed attention's.

use super::{HEADS, Mixers};
use crate::model::attention::{CompressedAttention, Indexer, LatentAttention};
use crate::model::config::error::ConfigError;
use crate::paste::WarningKind;

impl Mixers<'_, '_> {
    pub(super) fn latent(&self, layer: u32) -> Result<LatentAttention, ConfigError> {
        let keys = self.keys;
        // Some tools leave out what is null; a family's own rank belongs to the family's own width.
        let left_out = !keys.is_written("q_lora_rank") && keys.differs_from_default("hidden_size");
        if left_out {
            let fact = "no key \"q_lora_rank\", queries assumed to come straight from the hidden state";
            keys.warn(WarningKind::Missing, fact.into());
        }
        let rank = if left_out { None } else { keys.number(&["q_lora_rank"]) }.filter(|&rank| rank > 0);
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
            head_gate: self.family.has("head-gate"),
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
        if let Some(letters) = keys.text("index_topk_pattern") {
            // F for full, S for shared.
            return letters.as_bytes().get(layer as usize) == Some(&b'S');
        }
        let every = keys.number_or(&["index_topk_freq"], 1).max(1);
        let offset = keys.number_or(&["index_skip_topk_offset"], 2);
        !(layer + 1).saturating_sub(offset).is_multiple_of(every)
    }

    pub(super) fn compressed(&self, layer: u32) -> Result<CompressedAttention, ConfigError> {
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
}
