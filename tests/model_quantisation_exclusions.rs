//! What declarations leave out or set apart, held against figures worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{Component, Quantisation, Reading, read_config};

/// Llama-3.1-8B: queries 4096×4096, keys and values 4096×1024 each, an MLP of three 4096×14336.
const LLAMA: &str = r#""model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256"#;
const MIXTURE: &str = r#""model_type": "llama4_text", "hidden_size": 64, "num_hidden_layers": 4, "head_dim": 16,
    "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "intermediate_size_mlp": 128,
    "num_local_experts": 8, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1, "vocab_size": 1000"#;

fn read(model: &str, section: &str) -> Reading {
    read_config(&format!(r#"{{{model}, "quantization_config": {section}}}"#)).unwrap()
}

fn llama(section: &str) -> Quantisation {
    let reading = read(LLAMA, section);
    assert!(reading.warnings.is_empty(), "{:?}", reading.warnings);
    reading.quantisation.unwrap()
}

fn bits(section: &str, component: Component) -> f64 {
    llama(section).precision.bits(component)
}

fn warning(section: &str) -> String {
    read(LLAMA, section).warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>().join("; ")
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 5e-4, "{found}, expected {expected}");
}

fn compressed_fp8(ignore: &str) -> String {
    format!(
        r#"{{"quant_method": "compressed-tensors", "ignore": {ignore}, "config_groups": {{"group_0":
            {{"targets": ["Linear"], "weights": {{"num_bits": 8, "type": "float", "strategy": "channel"}}}}}}}}"#
    )
}

/// Of three equal matrices of the MLP one in 16 bit: (8 + 8 + 16) / 3. Of the projections the queries, which
/// are two thirds of them: (16 × 4096 + 8 × 2048) / 6144.
#[test]
fn a_component_averages_its_matrices_by_their_weights() {
    use Component::{AttentionProjections, DenseMlp};
    near(bits(&compressed_fp8(r#"["lm_head", "re:.*down_proj"]"#), DenseMlp), 32.0 / 3.0);
    near(bits(&compressed_fp8(r#"["lm_head", "re:.*gate_proj"]"#), DenseMlp), 32.0 / 3.0);
    near(bits(&compressed_fp8(r#"["lm_head", "re:.*q_proj"]"#), AttentionProjections), 40.0 / 3.0);
    // DeepSeek-V3, in units of 64: q_a 7168×1536, q_b 1536×24576, kv_a 7168×576.
    let deepseek = r#""model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "vocab_size": 129280,
        "num_attention_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64, "v_head_dim": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048,
        "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3"#;
    let section =
        r#"{"quant_method": "fp8", "weight_block_size": [128, 128], "ignored_layers": ["kv_a_proj_with_mqa"]}"#;
    let precision = read(deepseek, section).quantisation.unwrap().precision;
    let (q_a, q_b, kv_a) = (7168.0 * 1536.0, 1536.0 * 24576.0, 7168.0 * 576.0);
    let block = 8.0 + 32.0 / 16_384.0;
    near(precision.bits(AttentionProjections), ((q_a + q_b) * block + kv_a * 16.0) / (q_a + q_b + kv_a));
    near(precision.bits(AttentionProjections), 8.626);
    // NVFP4 without the first layer's queries, of 32 layers: 4.5 + 11.5 × (2/3) / 32.
    let section = r#"{"quant_method": "modelopt", "quant_algo": "NVFP4",
        "exclude_modules": ["lm_head", "model.layers.0.self_attn.q_proj"]}"#;
    near(bits(section, AttentionProjections), 4.739_58);
}

#[test]
fn every_method_s_own_list_of_exclusions_is_read() {
    use Component::{AttentionOutput, AttentionProjections, DenseMlp};
    let names: Vec<String> = (0..32).map(|layer| format!(r#""model.layers.{layer}.mlp.down_proj""#)).collect();
    let section = format!(r#"{{"quant_method": "fp8", "ignored_layers": [{}]}}"#, names.join(", "));
    near(bits(&section, DenseMlp), 32.0 / 3.0);
    let section = r#"{"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true,
        "llm_int8_skip_modules": ["lm_head", "self_attn"]}"#;
    assert_eq!((bits(section, AttentionOutput), bits(section, AttentionProjections)), (16.0, 16.0));
    // 8-bit scales of 64 weights, and a 32-bit one of 256 of those.
    near(bits(section, DenseMlp), 4.0 + 8.0 / 64.0 + 32.0 / 16_384.0);
    let section = r#"{"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": false,
        "modules_to_not_convert": ["self_attn.o_proj"]}"#;
    assert_eq!((bits(section, AttentionOutput), bits(section, DenseMlp)), (16.0, 4.125));
    let names = r#""language_model.model.layers.0.feed_forward.shared_expert.gate_proj",
        "language_model.model.layers.0.feed_forward.shared_expert.up_proj",
        "language_model.model.layers.0.feed_forward.shared_expert.down_proj""#;
    let section = format!(r#"{{"quant_method": "fbgemm_fp8", "modules_to_not_convert": ["lm_head", {names}]}}"#);
    let precision = read(MIXTURE, &section).quantisation.unwrap().precision;
    // One of four layers in 16 bit: (16 + 3 × 8) / 4.
    assert_eq!((precision.bits(Component::SharedExperts), precision.bits(Component::RoutedExperts)), (10.0, 8.0));
}

#[test]
fn gptq_leaves_or_changes_modules_by_pattern() {
    use Component::{AttentionProjections, DenseMlp, LmHead};
    let gptq = |more: &str| format!(r#"{{"quant_method": "gptq", "bits": 4, "group_size": 128{more}}}"#);
    let section = gptq(r#", "dynamic": {"-:.*attn.*": {}}"#);
    assert_eq!((bits(&section, AttentionProjections), bits(&section, DenseMlp)), (16.0, 4.0 + 20.0 / 128.0));
    let section = gptq(r#", "dynamic": {"+:.*attn.*": {"bits": 8, "group_size": 64}}"#);
    // 8 bits, and of 64 weights a 16-bit scale and an 8-bit zero.
    assert_eq!(bits(&section, AttentionProjections), 8.0 + 24.0 / 64.0);
    assert_eq!(bits(&gptq(r#", "lm_head": true"#), LmHead), 4.0 + 20.0 / 128.0);
    assert_eq!(bits(&gptq(""), LmHead), 16.0);
    let section = gptq(r#", "modules_in_block_to_quantize": [["mlp.gate_proj"], ["mlp.up_proj"]]"#);
    near(bits(&section, DenseMlp), (2.0 * 4.156_25 + 16.0) / 3.0);
    let unreadable = warning(&gptq(r#", "dynamic": {"-:(?!x).*": {}}"#));
    assert!(unreadable.contains("(?!x).*") && unreadable.contains("left out"), "{unreadable}");
}

#[test]
fn auto_round_sets_single_modules_apart() {
    for method in ["auto-round", "inc"] {
        let section = format!(
            r#"{{"quant_method": "{method}", "bits": 4, "group_size": 128, "sym": true, "extra_config": {{
                ".*self_attn.*": {{"bits": 16, "data_type": "float"}},
                "model.layers.0.mlp.down_proj": {{"bits": 8}}}}}}"#
        );
        assert_eq!(llama(&section).name, "AutoRound 4 bit, attention in 16 bit");
        assert_eq!(bits(&section, Component::AttentionOutput), 16.0);
        // One of 96 matrices in 8 bits: 8 + 24/128 instead of 4 + 20/128.
        near(bits(&section, Component::DenseMlp), 4.156_25 + (8.1875 - 4.156_25) / 96.0);
    }
}

#[test]
fn a_list_that_does_not_name_the_head_leaves_it_to_the_targets() {
    assert_eq!(bits(&compressed_fp8("[]"), Component::LmHead), 8.0);
    assert_eq!(bits(&compressed_fp8(r#"["lm_head"]"#), Component::LmHead), 16.0);
    let nvfp4 = r#"{"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": []}"#;
    assert_eq!(bits(nvfp4, Component::LmHead), 4.5);
    assert_eq!(bits(r#"{"quant_method": "modelopt", "quant_algo": "NVFP4"}"#, Component::LmHead), 16.0);
    assert_eq!(bits(nvfp4, Component::Embedding), 16.0);
}

/// MLX quantises embedding and head like any matrix.
#[test]
fn mlx_quantises_tables_and_single_modules_apart() {
    let four = r#"{"bits": 4, "group_size": 64}"#;
    for component in [Component::Embedding, Component::LmHead, Component::DenseMlp] {
        assert_eq!(bits(four, component), 4.5, "{component}");
    }
    assert_eq!((llama(four).name, bits(four, Component::Norms)), ("MLX 4 bit".into(), 16.0));
    assert_eq!(bits(r#"{"bits": 4, "group_size": 32, "mode": "mxfp4"}"#, Component::DenseMlp), 4.25);
    let mixed = r#"{"bits": 4, "group_size": 64, "lm_head": {"bits": 8, "group_size": 64},
        "model.embed_tokens": false, "model.layers.0.mlp.down_proj": {"bits": 6, "group_size": 64}}"#;
    assert_eq!((bits(mixed, Component::LmHead), bits(mixed, Component::Embedding)), (8.5, 16.0));
    near(bits(mixed, Component::DenseMlp), 4.5 + 2.0 / 96.0);
}

#[test]
fn other_methods_whose_meaning_is_certain() {
    let mlp = |section: &str| bits(section, Component::DenseMlp);
    assert_eq!(mlp(r#"{"quant_method": "fp8", "weight_block_size": [64, 64]}"#), 8.0 + 32.0 / 4096.0);
    assert_eq!(mlp(r#"{"quant_method": "mxfp8"}"#), 8.25);
    assert_eq!(mlp(r#"{"quant_method": "modelopt_fp8"}"#), 8.0);
    assert_eq!(mlp(r#"{"quant_method": "modelopt_mxfp8"}"#), 8.25);
    let mixed = r#"{"quant_method": "modelopt_mixed", "quantized_layers": {
        "model.layers.*.self_attn": {"quant_algo": "FP8"}, "model.layers.*.mlp": {"quant_algo": "NVFP4"}}}"#;
    assert_eq!((bits(mixed, Component::AttentionOutput), mlp(mixed)), (8.0, 4.5));
    let quark = r#"{"quant_method": "quark", "exclude": ["lm_head", "re:.*self_attn.*"], "global_quant_config": {
        "weight": {"dtype": "fp4", "qscheme": "per_group", "group_size": 32, "scale_format": "e8m0"}}}"#;
    assert_eq!((bits(quark, Component::AttentionOutput), mlp(quark)), (16.0, 4.25));
    let hqq = r#"{"quant_method": "hqq", "skip_modules": ["lm_head"],
        "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64}}}"#;
    assert_eq!(mlp(hqq), 4.5);
    let torchao = r#"{"quant_method": "torchao", "quant_type": {"default":
        {"_type": "Int4WeightOnlyConfig", "_data": {"group_size": 128}}}}"#;
    assert_eq!(mlp(torchao), 4.25);
    assert_eq!(mlp(r#"{"quant_method": "torchao", "quant_type": "float8_weight_only"}"#), 8.0);
    let exl2 = r#"{"quant_method": "exl2", "bits": 4.25, "head_bits": 6}"#;
    assert_eq!((mlp(exl2), bits(exl2, Component::LmHead)), (4.25, 6.0));
}

#[test]
fn what_is_left_out_is_said() {
    let said = warning(r#"{"quant_method": "fp8", "layers_to_ignore": ["lm_head"]}"#);
    assert!(said.contains("layers_to_ignore"), "{said}");
    let said = warning(r#"{"quant_method": "fp8", "ignored_layers": "lm_head"}"#);
    assert!(said.contains("no list of names"), "{said}");
    // gpt-oss's method holds experts alone, of which a Llama has none.
    let said = warning(r#"{"quant_method": "mxfp4"}"#);
    assert!(said.contains("none of: 16 bit"), "{said}");
}
