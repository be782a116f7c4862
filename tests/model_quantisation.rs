//! Bits per component, as checkpoints declare them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{
    Component, Precision, Quantisation, Split, decode_read, preset, read_config, read_quantisation,
};
use std::path::PathBuf;

const MIXTURE: &str = r#""model_type": "glm_moe_dsa", "hidden_size": 64, "num_hidden_layers": 4,
    "num_attention_heads": 4, "q_lora_rank": 32, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
    "v_head_dim": 16, "intermediate_size": 128, "moe_intermediate_size": 32, "n_routed_experts": 8,
    "n_shared_experts": 1, "num_experts_per_tok": 2, "first_k_dense_replace": 1, "vocab_size": 1000,
    "index_n_heads": 4, "index_head_dim": 16, "index_topk": 64"#;

fn declared(section: &str) -> Quantisation {
    let reading = read_config(&format!("{{{MIXTURE}, {section}}}")).unwrap();
    assert!(reading.warnings.is_empty(), "{:?}", reading.warnings);
    reading.quantisation.unwrap()
}

fn bits(section: &str) -> Precision {
    declared(section).precision
}

#[test]
fn block_fp8_leaves_what_no_loader_quantises() {
    let precision = bits(r#""quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}"#);
    assert_eq!(precision.bits(Component::RoutedExperts), 8.0 + 32.0 / 16_384.0);
    assert_eq!(precision.bits(Component::AttentionOutput), 8.0 + 32.0 / 16_384.0);
    for component in [Component::LmHead, Component::Embedding, Component::Router, Component::LatentUpProjection] {
        assert_eq!(precision.bits(component), 16.0, "{component}");
    }
}

#[test]
fn excluded_modules_stay_in_16_bit_layer_by_layer() {
    let section = r#""quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4",
        "ignore": ["lm_head", "model.layers.0*", "model.layers.1.mlp.shared_experts*", "*.self_attn*"],
        "kv_cache_scheme": {"num_bits": 8, "type": "float"}}"#;
    let precision = bits(section);
    assert_eq!(precision.bits(Component::AttentionProjections), 16.0);
    assert_eq!(precision.bits(Component::Indexer), 16.0);
    assert_eq!(precision.bits(Component::RoutedExperts), 4.5);
    assert_eq!(precision.bits(Component::DenseMlp), 16.0, "the one dense layer is the first");
    // Three layers have shared experts; one of them is excluded: (16 + 2 × 4.5) / 3.
    assert_eq!(precision.bits(Component::SharedExperts), 25.0 / 3.0);
    assert_eq!(precision.kv_bits, 8.0);
    assert_eq!(declared(section).name, "NVFP4, attention in 16 bit");
}

#[test]
fn compressed_tensors_by_regular_expression() {
    let precision = bits(
        r#""quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "group_size": 32, "symmetric": true}}},
            "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"]}"#,
    );
    assert_eq!(precision.bits(Component::RoutedExperts), 4.5);
    assert_eq!(precision.bits(Component::DenseMlp), 16.0);
    assert_eq!(precision.bits(Component::SharedExperts), 16.0);
}

#[test]
fn groups_with_targets_of_their_own() {
    let precision = bits(
        r#""quantization_config": {"quant_method": "compressed-tensors", "config_groups": {
            "group_0": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float", "strategy": "block"}},
            "group_1": {"targets": ["re:.*mlp.*(gate|up|down)_proj$"],
                        "weights": {"num_bits": 4, "type": "float", "group_size": 16}}}}"#,
    );
    assert_eq!(precision.bits(Component::AttentionOutput), 8.0 + 32.0 / 16_384.0);
    assert_eq!(precision.bits(Component::RoutedExperts), 4.5);
}

#[test]
fn experts_of_their_own_format() {
    let precision = bits(
        r#""expert_dtype": "fp4", "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128],
            "scale_fmt": "ue8m0"}"#,
    );
    assert_eq!(precision.bits(Component::RoutedExperts), 4.25);
    assert_eq!(precision.bits(Component::SharedExperts), 8.0 + 8.0 / 16_384.0);
    let precision = bits(r#""quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}"#);
    assert_eq!(precision.bits(Component::RoutedExperts), 4.25);
    assert_eq!(precision.bits(Component::AttentionOutput), 16.0);
}

#[test]
fn integer_formats_count_scales_and_zeros() {
    let awq = r#""quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}"#;
    assert_eq!(bits(awq).bits(Component::DenseMlp), 4.0 + 20.0 / 128.0);
    let mlx = r#""quantization": {"bits": 4, "group_size": 64}"#;
    assert_eq!(bits(mlx).bits(Component::DenseMlp), 4.5);
}

#[test]
fn an_unknown_method_is_said_and_not_guessed() {
    let reading =
        read_config(&format!("{{{MIXTURE}, \"quantization_config\": {{\"quant_method\": \"magic\"}}}}")).unwrap();
    assert!(reading.quantisation.is_none());
    assert!(reading.warnings[0].message.contains("magic"));
}

fn shared(file: &str) -> Option<String> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data"));
    let named = std::env::var_os("DECODESCOPE_SHARED_DATA").map(PathBuf::from);
    named.into_iter().chain([beside]).find_map(|data| std::fs::read_to_string(data.join("configs").join(file)).ok())
}

/// A load log of GLM-5 NVFP4 with its prediction layer on eight GPUs says 57.06 GB per GPU, printed
/// in GiB. By the recipe in its file: experts, MLPs and shared experts NVFP4, the rest, with the
/// whole prediction layer, 16 bit.
#[test]
fn glm5_nvfp4_weighs_what_a_load_log_says() {
    let Some(json) = shared("GLM-5-NVFP4.hf_quant_config.json") else {
        eprintln!("skipped: 1 checkpoint, since the shared data is absent");
        return;
    };
    let glm5 = &preset("glm-5").unwrap().architecture;
    let precision = read_quantisation(&json, glm5).unwrap().unwrap().precision;
    let main = decode_read(glm5, &precision, &Split::tensor(8), 1.0, 0.0).resident_weights.get();
    let share = |(part, count): &(decodescope::model::Part, u32)| {
        part.parameters as f64 * f64::from(*count) / f64::from(part.sharding.divisor(8))
    };
    let prediction: f64 = glm5.prediction_parts().iter().map(share).sum();
    let gib = (main + 2.0 * prediction) / f64::from(1 << 30);
    eprintln!("{gib:.2} GiB per GPU");
    assert!((gib - 57.06).abs() < 0.3, "{gib}");
}

/// Every real declaration is understood, and none leaves the head quantised.
#[test]
fn real_declarations_are_understood() {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data"));
    let named = std::env::var_os("DECODESCOPE_SHARED_DATA").map(PathBuf::from);
    let Some(files) = named.into_iter().chain([beside]).find_map(|data| std::fs::read_dir(data.join("configs")).ok())
    else {
        eprintln!("skipped: the declarations of 85 configurations, since the shared data is absent");
        return;
    };
    let mut understood = 0;
    for file in files.filter_map(Result::ok).map(|entry| entry.path()) {
        let json = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let quantisation = match name.strip_suffix(".hf_quant_config.json") {
            Some(model) => {
                let config = shared(&format!("{model}.json")).unwrap();
                read_quantisation(&json, &read_config(&config).unwrap().architecture).unwrap()
            }
            None => read_config(&json).unwrap().quantisation,
        };
        let declares = json.contains("\"quant_method\"") || json.contains("\"quant_algo\"");
        assert_eq!(quantisation.is_some(), declares, "{name}");
        if let Some(quantisation) = quantisation {
            let precision = quantisation.precision;
            let of = |component| precision.bits(component);
            eprintln!(
                "{name}: {}; attention {:.2}/{:.2}, indexer {:.2}, linear {:.2}, mlp {:.2}, experts {:.3}, shared {:.2}, kv {}",
                quantisation.name,
                of(Component::AttentionProjections),
                of(Component::AttentionOutput),
                of(Component::Indexer),
                of(Component::LinearAttention),
                of(Component::DenseMlp),
                of(Component::RoutedExperts),
                of(Component::SharedExperts),
                precision.kv_bits,
            );
            assert_eq!(of(Component::LmHead), 16.0, "{name}");
            understood += 1;
        }
    }
    eprintln!("{understood} declarations understood");
}

/// What weights are multiplied by is the checkpoint's word: the same bits may be of weights alone.
#[test]
fn activations_are_as_declared() {
    use decodescope::model::Activations::{Fp4, Fp8, Fp8Blocks, Int8, Sixteen};
    let scheme = |weights: &str, inputs: &str| {
        format!(
            r#""quantization_config": {{"quant_method": "compressed-tensors", "config_groups": {{"group_0":
                {{"targets": ["Linear"], "weights": {weights}, "input_activations": {inputs}}}}}}}"#
        )
    };
    let (eight, whole) =
        (r#"{"num_bits": 8, "type": "float", "strategy": "token"}"#, r#"{"num_bits": 8, "type": "int"}"#);
    let four = r#"{"num_bits": 4, "type": "float", "group_size": 16, "strategy": "tensor_group"}"#;
    let modelopt = |algorithm: &str| format!(r#""quantization_config": {{"quant_algo": "{algorithm}"}}"#);
    for (section, activations) in [
        (scheme(eight, eight), Fp8),
        (scheme(eight, "null"), Sixteen),
        (scheme(whole, whole), Int8),
        (scheme(whole, "null"), Sixteen),
        (scheme(four, four), Fp4),
        (scheme(four, "null"), Sixteen),
        (modelopt("FP8"), Fp8),
        (modelopt("NVFP4"), Fp4),
        (modelopt("W4A16_NVFP4"), Sixteen),
        (modelopt("W4A16_AWQ"), Sixteen),
        (r#""quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}"#.to_owned(), Fp8Blocks),
        (r#""quantization_config": {"quant_method": "gptq", "bits": 8, "group_size": 128}"#.to_owned(), Sixteen),
        (r#""quantization": {"bits": 8, "group_size": 64}"#.to_owned(), Sixteen),
    ] {
        let precision = bits(&section);
        assert_eq!(precision.activations_of(Component::AttentionOutput), activations, "{section}");
        assert_eq!(precision.activations_of(Component::LmHead), Sixteen, "{section}");
    }
}
