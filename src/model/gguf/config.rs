//! A GGUF file's metadata, as the configuration the model had before it was converted.

use super::Gguf;
use crate::model::config::{ConfigError, Reading, read_config};
use crate::paste::{Warning, WarningKind};
use serde_json::{Map, Value, json};

/// llama.cpp's names of architectures, and the model types they were converted from.
const TYPES: [(&str, &str); 18] = [
    ("deepseek2", "deepseek_v3"),
    ("glm-dsa", "glm_moe_dsa"),
    ("glm4moe", "glm4_moe"),
    ("gpt-oss", "gpt_oss"),
    ("qwen2moe", "qwen2_moe"),
    ("qwen3moe", "qwen3_moe"),
    ("qwen3next", "qwen3_next"),
    ("qwen3vl", "qwen3_vl"),
    ("qwen3vlmoe", "qwen3_vl_moe"),
    ("minimax-m2", "minimax_m2"),
    ("command-r", "cohere"),
    ("cohere2", "cohere2"),
    ("ernie4_5-moe", "ernie4_5_moe"),
    ("hunyuan-moe", "hunyuan"),
    ("bailingmoe2", "bailing_moe_v2"),
    ("granitemoe", "granitemoe"),
    ("seed_oss", "seed_oss"),
    ("phimoe", "phimoe"),
];

/// Metadata keys without their architecture, and what configurations call them.
const KEYS: [(&str, &str); 22] = [
    ("embedding_length", "hidden_size"),
    ("feed_forward_length", "intermediate_size"),
    ("attention.head_count", "num_attention_heads"),
    ("attention.head_count_kv", "num_key_value_heads"),
    ("attention.key_length", "head_dim"),
    ("attention.value_length", "v_head_dim"),
    ("attention.q_lora_rank", "q_lora_rank"),
    ("attention.kv_lora_rank", "kv_lora_rank"),
    ("attention.value_length_mla", "v_head_dim"),
    ("attention.sliding_window", "sliding_window"),
    ("attention.indexer.head_count", "index_n_heads"),
    ("attention.indexer.key_length", "index_head_dim"),
    ("attention.indexer.top_k", "index_topk"),
    ("context_length", "max_position_embeddings"),
    ("expert_count", "num_experts"),
    ("expert_used_count", "num_experts_per_tok"),
    ("expert_feed_forward_length", "moe_intermediate_size"),
    ("expert_shared_count", "n_shared_experts"),
    ("expert_shared_feed_forward_length", "shared_expert_intermediate_size"),
    ("leading_dense_block_count", "first_k_dense_replace"),
    ("nextn_predict_layers", "num_nextn_predict_layers"),
    ("vocab_size", "vocab_size"),
];

impl Gguf {
    /// The architecture its metadata describe. Whether the head is tied is seen from the tensors, so
    /// join a split model's files first: of a model that is not whole a warning says what is missing,
    /// and how its weights are held stays open. Where the count differs from the tensors in the file,
    /// a warning says so too.
    ///
    /// # Errors
    /// When the metadata lack a dimension without which there is no architecture.
    pub fn reading(&self) -> Result<Reading, ConfigError> {
        let mut reading = read_config(&Value::Object(self.configuration()).to_string())?;
        reading.architecture.name = self.name.clone().unwrap_or(reading.architecture.name);
        if let Some(message) = self.incomplete() {
            reading.warnings.push(Warning::whole(WarningKind::Missing, message));
            return Ok(reading);
        }
        reading.quantisation = Some(self.quantisation());
        let (counted, held) = (reading.architecture.totals(), self.parameters() as f64);
        let main = counted.total as f64;
        let near = |count: f64| (held / count - 1.0).abs() < 0.01;
        if !near(main) && !near(counted.with_prediction() as f64) {
            let message = format!("the tensors hold {held} parameters, the metadata describe {main}");
            reading.warnings.push(Warning::whole(WarningKind::Inconsistent, message));
        }
        Ok(reading)
    }

    fn configuration(&self) -> Map<String, Value> {
        let name = self.architecture.as_deref().unwrap_or_default();
        let of = |key: &str| self.metadata.get(&format!("{name}.{key}"));
        let number = |key: &str| of(key).and_then(Value::as_u64);
        let model_type = TYPES.iter().find(|(known, _)| *known == name).map_or(name, |(_, kind)| kind);
        let mut config = Map::new();
        config.insert("model_type".into(), json!(model_type));
        for (key, called) in KEYS {
            if let Some(value) = of(key) {
                config.insert(called.into(), value.clone());
            }
        }
        if let Some(blocks) = number("block_count") {
            let predicting = number("nextn_predict_layers").unwrap_or(0);
            config.insert("num_hidden_layers".into(), json!(blocks.saturating_sub(predicting)));
        }
        if let (Some(rotary), true) = (number("rope.dimension_count"), config.contains_key("kv_lora_rank")) {
            let head = number("attention.key_length_mla").or(number("attention.key_length")).unwrap_or(0);
            config.insert("qk_rope_head_dim".into(), json!(rotary));
            config.insert("qk_nope_head_dim".into(), json!(head.saturating_sub(rotary)));
        }
        if let Some(tokens) = self.metadata.get("tokenizer.ggml.tokens") {
            config.entry("vocab_size").or_insert_with(|| tokens.clone());
        }
        let has = |name: &str| self.tensors.iter().any(|tensor| tensor.name == name);
        config.insert("tie_word_embeddings".into(), json!(!has("output.weight")));
        if has("blk.0.attn_q.bias") {
            config.insert("attention_bias".into(), json!(true));
        }
        if self.tensors.iter().any(|tensor| tensor.name.ends_with("attn_q_norm.weight")) {
            config.insert("use_qk_norm".into(), json!(true));
        }
        config
    }
}
