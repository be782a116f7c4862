//! Whatever is pasted, reading and counting neither panic nor give numbers that are none.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{
    Precision, Split, Step, decode_step, draft_step, presets, read_config, read_gguf, read_quantisation,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Keys that decide on branches or become dimensions.
const KEYS: [&str; 64] = [
    "hidden_size",
    "num_hidden_layers",
    "vocab_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "moe_intermediate_size",
    "n_routed_experts",
    "num_experts",
    "num_experts_per_tok",
    "n_shared_experts",
    "first_k_dense_replace",
    "moe_layer_freq",
    "kv_lora_rank",
    "q_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
    "index_n_heads",
    "index_topk",
    "o_lora_rank",
    "compress_ratios",
    "hc_mult",
    "sliding_window",
    "sliding_window_pattern",
    "layer_types",
    "linear_num_value_heads",
    "linear_num_key_heads",
    "linear_key_head_dim",
    "linear_value_head_dim",
    "full_attention_interval",
    "mamba_num_heads",
    "mamba_head_dim",
    "ssm_state_size",
    "hybrid_override_pattern",
    "block_configs",
    "attn_layer_period",
    "mamba_d_state",
    "num_nextn_predict_layers",
    "hidden_size_per_layer_input",
    "num_kv_shared_layers",
    "quantization_config",
    "text_config",
    "mamba_n_heads",
    "mamba_d_head",
    "mamba_expand",
    "conv_L_cache",
    "block_ff_dim",
    "block_multiple_of",
    "block_types",
    "lru_width",
    "cross_attention_layers",
    "per_layer_config",
    "share_q_dim",
    "zero_expert_num",
    "n_positions",
    "word_embed_proj_dim",
    "attention_hidden_size",
    "intermediate_size",
    "tie_word_embeddings",
    "attention_bias",
    "linear_num_heads",
    "altup_num_inputs",
];

const TYPES: [&str; 26] = [
    "llama",
    "qwen3_next",
    "deepseek_v4",
    "glm_moe_dsa",
    "gemma4",
    "nemotron_h",
    "nemotron-nas",
    "jamba",
    "minimax_m1",
    "step3p7",
    "granitemoehybrid",
    "novelty",
    "falcon_h1",
    "lfm2",
    "longcat_flash",
    "mllama",
    "recurrent_gemma",
    "rwkv",
    "gpt2",
    "opt",
    "kimi_linear",
    "gemma3n",
    "mamba",
    "mamba2",
    "falcon",
    "step3",
];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (0_u32..9).prop_map(|number| json!(number)),
        3 => (1_u32..10_000).prop_map(|number| json!(number)),
        1 => any::<u32>().prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => Just(json!(null)),
        1 => any::<bool>().prop_map(|flag| json!(flag)),
        1 => "[M*E-]{0,12}".prop_map(|text| json!(text)),
        1 => proptest::collection::vec(0_u32..200, 0..6).prop_map(|list| json!(list)),
        1 => Just(json!({"0": {"head_dim": 7, "num_key_value_heads": 0}, "x": 1})),
        1 => Just(json!(["linear_attention", "full_attention", "mamba", "x"])),
        1 => Just(json!({"quant_method": "fp8", "ignore": ["re:(", "*", ""], "config_groups": {"a": {}}})),
        1 => Just(json!([{"attention": {"n_heads_in_group": 0}, "ffn": {"ffn_mult": 1e300}}, {}])),
    ]
}

fn config() -> impl Strategy<Value = Value> {
    let needed = (1_u32..5000, 0_u32..70, 1_u32..200_000, 1_u32..200, 1_u32..9000);
    let rest = proptest::collection::vec((proptest::sample::select(&KEYS[..]), value()), 0..20);
    (proptest::sample::select(&TYPES[..]), needed, rest).prop_map(|(kind, needed, rest)| {
        let mut object = Map::new();
        object.insert("model_type".into(), json!(kind));
        object.insert("hidden_size".into(), json!(needed.0));
        object.insert("num_hidden_layers".into(), json!(needed.1));
        object.insert("vocab_size".into(), json!(needed.2));
        object.insert("num_attention_heads".into(), json!(needed.3));
        object.insert("intermediate_size".into(), json!(needed.4));
        object.extend(rest.into_iter().map(|(key, value)| (key.to_owned(), value)));
        Value::Object(object)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_configuration_is_counted_or_refused(config in config(), ranks in 0_u32..20, batch in 0.0..1000.0_f64) {
        let Ok(reading) = read_config(&config.to_string()) else { return Ok(()) };
        let architecture = &reading.architecture;
        let totals = architecture.totals();
        prop_assert!(totals.active <= totals.total);
        prop_assert!(totals.per_gpu(ranks) <= totals.total as f64 * (1.0 + 1e-9));
        let step = Step { sequences: batch, tokens: 2.0, context: 5000.0 };
        let split = Split { expert_parallel: true, expert_imbalance: 2.0, ..Split::tensor(ranks) };
        let precision = reading.quantisation.map_or_else(Precision::default, |quantisation| quantisation.precision);
        let read = decode_step(architecture, &precision, &split, &step);
        prop_assert!(read.total().is_finite() && read.flops().is_finite() && read.resident_weights.is_finite());
        let _ = draft_step(architecture, &precision, &split, &step);
        let _ = architecture.with_layers(ranks * 7);
        let text = serde_json::to_string(architecture).unwrap();
        prop_assert_eq!(&serde_json::from_str::<decodescope::model::Architecture>(&text).unwrap(), architecture);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = read_config(&text);
        let _ = read_quantisation(&text, &presets()[0].architecture);
    }

    #[test]
    fn any_bytes_after_the_magic_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_gguf(&bytes);
        let head = [b"GGUF".as_slice(), &3_u32.to_le_bytes(), &bytes].concat();
        let _ = read_gguf(&head);
    }
}

/// On one GPU a token cannot read more weights than there are, but for a tied head.
#[test]
fn no_preset_reads_more_than_it_holds() {
    for preset in presets() {
        let architecture = &preset.architecture;
        let step = Step { sequences: 1.0, tokens: 1.0, context: 1000.0 };
        let read = decode_step(architecture, &Precision::default(), &Split::tensor(1), &step);
        let active = architecture.totals().active_excluding_input_embedding as f64 * 2.0;
        let weights = read.weights().get();
        assert!(weights <= read.resident_weights.get() * 1.000_01, "{}", preset.id);
        // Rows of the embedding are all that comes on top of the active weights.
        assert!((weights / active - 1.0).abs() < 0.001, "{}: {weights} of {active}", preset.id);
        assert!(read.resident_cache.get() > 0.0, "{}", preset.id);
    }
}
