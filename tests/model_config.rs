//! Reading `config.json`: counts calculated by hand, wrappers, doubts and errors.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{Architecture, Component, ConfigError, Mixer, Reading, preset, read_config};

fn read(json: &str) -> Reading {
    read_config(json).unwrap()
}

fn parameters(architecture: &Architecture, component: Component) -> u64 {
    let components = architecture.components();
    components.iter().find(|count| count.component == component).map_or(0, |count| count.parameters)
}

/// Llama-3.1-8B: a layer has q and o of 4096², k and v of 4096×1024, an MLP of 3×4096×14336 and
/// two norms: 33 554 432 + 8 388 608 + 176 160 768 + 8 192 = 218 112 000. 32 of them, twice
/// 128256×4096 and a norm.
#[test]
fn llama_by_hand() {
    let llama = read(
        r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}"#,
    );
    assert_eq!(llama.architecture.totals().total, 32 * 218_112_000 + 2 * 525_336_576 + 4096);
    assert_eq!(llama.architecture.totals().active, llama.architecture.totals().total);
    assert_eq!(llama.architecture.kv_elements_per_token(), 32.0 * 2.0 * 8.0 * 128.0);
    assert!(llama.warnings.is_empty());
}

/// Qwen3-30B-A3B: attention 2048×4096 for q and o, 2048×512 for k and v, norms of 128 twice:
/// 18 874 624; 128 experts of 3×2048×768 = 4 718 592 each; router 2048×128; two norms of 2048.
#[test]
fn qwen3_mixture_by_hand() {
    let qwen = read(
        r#"{"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32,
            "num_key_value_heads": 4, "head_dim": 128, "moe_intermediate_size": 768, "num_experts": 128,
            "num_experts_per_tok": 8, "vocab_size": 151936, "tie_word_embeddings": false}"#,
    );
    let outside = 2 * 151_936 * 2048 + 2048;
    let layer = 18_874_624 + 262_144 + 4096;
    let totals = qwen.architecture.totals();
    assert_eq!(totals.total, 48 * (layer + 128 * 4_718_592) + outside);
    assert_eq!(totals.active, 48 * (layer + 8 * 4_718_592) + outside);
    assert_eq!(totals.total, 30_532_122_624);
}

/// DeepSeek-V3's latent attention: q_a 7168×1536, q_b 1536×128×192, kv_a 7168×576,
/// kv_b 512×128×256, o 128×128×7168, norms 1536 + 512: 187 107 328. Three layers have an MLP of
/// 3×7168×18432, 58 have 256 + 1 experts of 3×7168×2048 = 44 040 192, a router of 7168×256 and
/// 256 corrections.
#[test]
fn deepseek_v3_by_hand() {
    let deepseek = read(
        r#"{"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
            "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
            "v_head_dim": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
            "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "vocab_size": 129280,
            "num_nextn_predict_layers": 1}"#,
    );
    let (attention, norms, expert) = (187_107_328, 2 * 7168, 44_040_192);
    let mixture = 257 * expert + 7168 * 256 + 256;
    let table = 129_280 * 7168;
    let total = 61 * (attention + norms) + 3 * 396_361_728 + 58 * mixture + 2 * table + 7168;
    let totals = deepseek.architecture.totals();
    assert_eq!(totals.total, total);
    assert_eq!(totals.total, 671_026_419_200);
    // One more layer, the 2h × h projection, three norms.
    assert_eq!(totals.prediction, attention + norms + mixture + 2 * 7168 * 7168 + 3 * 7168);
    assert_eq!(deepseek.architecture.kv_elements_per_token(), 61.0 * 576.0);
}

/// GLM-5's indexer: queries 2048×32×128, keys 6144×128, their norm 256, head weights 6144×32.
#[test]
fn glm5_indexer_by_hand() {
    let glm5 = &preset("glm-5").unwrap().architecture;
    assert_eq!(parameters(glm5, Component::Indexer), 78 * (8_388_608 + 786_432 + 256 + 196_608));
    assert_eq!(parameters(glm5, Component::RoutedExperts), 75 * 256 * 3 * 6144 * 2048);
}

#[test]
fn glm_5_2_layers_that_share_an_indexer_have_none() {
    let types: Vec<&str> = (0..78).map(|layer| if layer % 4 == 2 { "full" } else { "shared" }).collect();
    let json = format!(
        r#"{{"model_type": "glm_moe_dsa", "hidden_size": 6144, "num_hidden_layers": 78, "num_attention_heads": 64,
            "q_lora_rank": 2048, "kv_lora_rank": 512, "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "head_dim": 192,
            "v_head_dim": 256, "intermediate_size": 12288, "moe_intermediate_size": 2048, "n_routed_experts": 256,
            "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "vocab_size": 154880,
            "index_n_heads": 32, "index_head_dim": 128, "index_topk": 2048, "indexer_types": {types:?}}}"#
    );
    let shared = read(&json).architecture;
    let full = types.iter().filter(|kind| **kind == "full").count() as f64;
    assert_eq!(shared.indexer_elements_per_token(), full * 128.0);
    // Layers without an indexer of their own still look at 2048 tokens at most.
    let selects = |layer: &decodescope::model::LayerGroup| match &layer.layer.mixer {
        Some(Mixer::Latent(attention)) => attention.selects,
        _ => None,
    };
    assert!(shared.layers.iter().all(|layer| selects(layer) == Some(2048)));
}

#[test]
fn a_wrapper_is_opened_and_its_tying_holds() {
    let wrapped = read(
        r#"{"model_type": "qwen3_vl", "tie_word_embeddings": true, "vision_config": {"hidden_size": 1},
            "text_config": {"model_type": "qwen3_vl_text", "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128,
            "vocab_size": 1000, "tie_word_embeddings": false}}"#,
    );
    assert!(wrapped.architecture.tied_embeddings);
    let totals = wrapped.architecture.totals();
    assert_eq!((totals.embedding, totals.lm_head), (64_000, 0));
    assert_eq!(totals.active_excluding_input_embedding, totals.total, "the head reads a tied embedding");
}

#[test]
fn family_defaults_the_keys_do_not_say() {
    let config = |kind: &str| {
        let json = format!(
            r#"{{"model_type": "{kind}", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
                "intermediate_size": 128, "vocab_size": 1000}}"#
        );
        read(&json).architecture
    };
    assert!(config("gemma2").tied_embeddings);
    assert!(!config("llama").tied_embeddings);
    // Qwen2 has biases on q, k and v that no key mentions.
    assert_eq!(config("qwen2").totals().total, config("llama").totals().total + 3 * 64);
    // Gemma-2 norms before and after each block.
    assert_eq!(config("gemma2").layers[0].layer.norm_vectors, 4);
}

#[test]
fn an_unknown_family_is_read_by_its_keys_and_said_to_be() {
    let reading = read(
        r#"{"model_type": "novelty", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "intermediate_size": 128, "vocab_size": 1000}"#,
    );
    assert_eq!(reading.architecture.layer_count(), 2);
    let warning = reading.warnings.first().unwrap().to_string();
    assert!(warning.contains("\"novelty\"") && warning.contains("assumed"), "{warning}");
}

#[test]
fn errors_say_where_what_and_what_was_expected() {
    let message = |json: &str| read_config(json).unwrap_err().to_string();
    assert_eq!(message("{\n\"hidden_size\": 64,\n}"), "line 3, column 1: trailing comma");
    assert_eq!(message("[1]"), "found a list, expected an object: { \"hidden_size\": … }");
    assert_eq!(message("{}"), "no key \"hidden_size\", expected the width of the hidden state");
    let text = r#"{"hidden_size": "wide", "vocab_size": 10, "num_hidden_layers": 1}"#;
    assert_eq!(message(text), "\"hidden_size\" is a text, expected the width of the hidden state");
    assert!(matches!(read_config(""), Err(ConfigError::NotJson { line: 1, .. })));
    let many = r#"{"hidden_size": 64, "vocab_size": 10, "num_hidden_layers": 4000000000, "num_attention_heads": 4}"#;
    assert_eq!(message(many), "\"num_hidden_layers\" is 4000000000, expected at most 4096 layers");
}

/// Dimensions beyond reason must neither overflow nor stop the reading.
#[test]
fn absurd_dimensions_do_not_panic() {
    let huge = u32::MAX;
    let json = format!(
        r#"{{"model_type": "deepseek_v4", "hidden_size": {huge}, "num_hidden_layers": 4096, "vocab_size": {huge},
            "num_attention_heads": {huge}, "head_dim": {huge}, "q_lora_rank": {huge}, "o_lora_rank": {huge},
            "o_groups": {huge}, "n_routed_experts": {huge}, "num_experts_per_tok": {huge}, "hc_mult": {huge},
            "moe_intermediate_size": {huge}, "n_shared_experts": {huge}, "compress_ratios": [{huge}],
            "num_nextn_predict_layers": {huge}}}"#
    );
    let architecture = read(&json).architecture;
    assert!(architecture.totals().total > 0);
    assert_eq!(architecture.with_layers(huge).layer_count(), 4096);
}

/// GLM-5.2 has an indexer in its first three layers and in every fourth from the seventh: 21 of 78,
/// 57 fewer than GLM-5, of 9 371 904 parameters each.
#[test]
fn indexers_shared_by_a_stride() {
    let (old, new) = (&preset("glm-5").unwrap().architecture, &preset("glm-5.2").unwrap().architecture);
    assert_eq!(new.indexer_elements_per_token(), 21.0 * 128.0);
    assert_eq!(old.totals().total - new.totals().total, 57 * 9_371_904);
}

/// Granite-4.0-H-Small: 36 Mamba-2 and 4 attention layers, 72 experts; its maker says 32 B, 9 B active.
#[test]
fn granite_mixes_mamba_and_attention() {
    let types: Vec<&str> = (0..40).map(|layer| if layer % 10 == 5 { "attention" } else { "mamba" }).collect();
    let granite = read(&format!(
        r#"{{"model_type": "granitemoehybrid", "hidden_size": 4096, "num_hidden_layers": 40, "vocab_size": 100352,
            "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 768, "num_local_experts": 72,
            "num_experts_per_tok": 10, "shared_intermediate_size": 1536, "mamba_n_heads": 128, "mamba_d_head": 64,
            "mamba_n_groups": 1, "mamba_d_state": 128, "mamba_d_conv": 4, "tie_word_embeddings": true,
            "layer_types": {types:?}}}"#
    ));
    let totals = granite.architecture.totals();
    assert!(granite.warnings.is_empty(), "{:?}", granite.warnings);
    assert_eq!((totals.total as f64 / 1e9).round(), 32.0);
    assert_eq!((totals.active as f64 / 1e9).round(), 9.0);
    assert_eq!(granite.architecture.kv_elements_per_token(), 4.0 * 2048.0);
}

/// Pythia-6.9B's dimensions (GPT-NeoX) under a name nobody knows: an ungated MLP, biases and layer norms no key mentions: published as 6.9 B.
#[test]
fn an_unknown_old_family_is_close() {
    let pythia = read(
        r#"{"model_type": "neox", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
            "intermediate_size": 16384, "vocab_size": 50432, "hidden_act": "gelu", "layer_norm_eps": 1e-05,
            "tie_word_embeddings": false, "attention_bias": true}"#,
    );
    assert!((pythia.architecture.totals().total as f64 / 6.857e9 - 1.0).abs() < 0.001);
    assert!(pythia.warnings[0].message.contains("MLPs without a gate"), "{:?}", pythia.warnings);
}

#[test]
fn a_layer_type_nobody_knows_is_said() {
    let reading = read(
        r#"{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "intermediate_size": 128, "vocab_size": 1000, "layer_types": ["wavelet", "full_attention"]}"#,
    );
    assert!(reading.warnings.iter().any(|warning| warning.message.contains("\"wavelet\"")), "{:?}", reading.warnings);
}

/// Gemma-3-4B's configuration leaves out heads and vocabulary, which its code knows: 8 and 4 heads of
/// 256, 262208 rows. By hand: 34 × (2560 × (2 × 2048 + 2 × 1024) + 3 × 2560 × 10240 + 4 × 2560 + 2 × 256)
/// + 262208 × 2560 + 2560.
#[test]
fn dimensions_a_family_knows_are_assumed_and_said() {
    let gemma = read(
        r#"{"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560,
            "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}}"#,
    );
    let layer = 2560 * (2 * 2048 + 2 * 1024) + 3 * 2560 * 10_240 + 4 * 2560 + 2 * 256;
    assert_eq!(gemma.architecture.totals().total, 34 * layer + 262_208 * 2560 + 2560);
    assert!(gemma.warnings.iter().any(|warning| warning.message.contains("vocab_size")));
}

#[test]
fn an_empty_text_config_is_no_wrapper() {
    let plain = read(
        r#"{"model_type": "llama", "text_config": {}, "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000}"#,
    );
    assert_eq!(plain.architecture.hidden, 64);
}

fn llama_with(key: &str, value: &str) -> String {
    format!(
        r#"{{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "intermediate_size": 128, "vocab_size": 1000, "{key}": {value}}}"#
    )
}

/// What is written in another form is read where that is safe, else told; never in silence.
#[test]
fn values_in_another_form_are_said() {
    let messages = |key: &str, value: &str| {
        let reading = read(&llama_with(key, value));
        reading.warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        messages("num_key_value_heads", "\"2\""),
        "\"num_key_value_heads\" is \"2\", a text, read as the number in it"
    );
    assert_eq!(messages("num_key_value_heads", "-2"), "\"num_key_value_heads\" is -2, expected a whole number");
    assert_eq!(messages("num_key_value_heads", "NaN"), "\"num_key_value_heads\" is \"NaN\", expected a whole number");
    assert_eq!(messages("tie_word_embeddings", "\"True\""), "\"tie_word_embeddings\" is \"True\", read as true");
    assert_eq!(messages("attention_bias", "[]"), "\"attention_bias\" is [], expected true or false");
    assert_eq!(messages("layer_types", "[\"full_attention\"]"), "\"layer_types\" names 1 of 2 layers");
    assert!(messages("layer_types", "7").contains("expected a list of texts"));
    assert_eq!(messages("num_key_value_heads", "null"), "");
    assert!(read(&llama_with("tie_word_embeddings", "\"True\"")).architecture.tied_embeddings);
}

#[test]
fn dimensions_that_do_not_fit_are_said() {
    let says = |key: &str, value: &str, fact: &str| {
        let warnings = read(&llama_with(key, value)).warnings;
        assert!(warnings.iter().any(|warning| warning.message.contains(fact)), "{key} {value}: {warnings:?}");
    };
    says("num_key_value_heads", "3", "4 attention heads cannot share 3 key/value heads evenly");
    says("num_key_value_heads", "0", "cannot share 0");
    says("head_dim", "0", "attention heads 0 wide");
    says("intermediate_size", "0", "an MLP 0 wide");
    says("vocab_size", "4000000000", "larger than any model's");
    says("num_experts_per_tok", "9, \"num_local_experts\": 8", "9 of 8 experts chosen per token");
}

/// Llama-3.1-8B without its type: the class tells it.
#[test]
fn a_class_stands_in_for_a_missing_type() {
    let llama = read(
        r#"{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
            "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}"#,
    );
    assert_eq!(llama.architecture.totals().total, 8_030_261_248);
    assert!(llama.warnings.is_empty(), "{:?}", llama.warnings);
}

/// A type that continues a known one is read like it, but not trusted.
#[test]
fn a_relative_is_read_like_its_family_and_said_to_be() {
    let config = |kind: &str| llama_with("_", "0").replace("llama", kind);
    let (relative, known) = (read(&config("qwen2_something")), read(&config("qwen2")));
    assert_eq!(relative.architecture.totals().total, known.architecture.totals().total);
    let said = relative.warnings.iter().any(|warning| warning.message.contains("built like \"qwen2\""));
    assert!(said, "{:?}", relative.warnings);
}

/// LongCat-Flash: 28 layers of two attentions and two MLPs, with 512 experts and 256 that compute
/// nothing beside the first. Published as 560 B with 18.6 to 31.3 B active, 27 B on average.
#[test]
fn longcat_counts_pairs_and_idle_experts() {
    let longcat = read(
        r#"{"model_type": "longcat_flash", "hidden_size": 6144, "num_layers": 28, "num_attention_heads": 64,
            "ffn_hidden_size": 12288, "expert_ffn_hidden_size": 2048, "n_routed_experts": 512, "zero_expert_num": 256,
            "moe_topk": 12, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
            "v_head_dim": 128, "vocab_size": 131072}"#,
    );
    let totals = longcat.architecture.totals();
    assert_eq!((totals.total as f64 / 1e9).floor(), 560.0);
    assert!((18.6..31.3).contains(&(totals.active as f64 / 1e9)), "{}", totals.active);
    assert_eq!(longcat.architecture.kv_elements_per_token(), 56.0 * 576.0);
    assert!(longcat.warnings.iter().any(|warning| warning.message.contains("8 assumed busy")));
}
