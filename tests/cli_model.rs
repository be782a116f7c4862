//! `decodescope model` and `decodescope predict`: what they print for what they are given.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cli_support;

use cli_support::{json, run};
use serde_json::Value;

fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Code and message of a refusal.
fn refusal(arguments: &[&str], input: &str) -> (i32, String) {
    let output = run(arguments, input);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

const LLAMA_3_8B: &str = r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}"#;

#[test]
fn a_configuration_becomes_parameters_bytes_and_memory() {
    let found = json(&["model", "-", "--tp", "8", "--gpu", "rtx-4090"], LLAMA_3_8B);
    // As its maker publishes it, to the parameter.
    assert_eq!(found["total"], 8_030_261_248_u64);
    assert_eq!(found["active"], 8_030_261_248_u64);
    assert_eq!(found["active_excluding_input_embedding"], 8_030_261_248_u64 - 525_336_576);
    // 65 norms of 4096 are on every GPU, an eighth of the rest.
    let norms = 65.0 * 4096.0;
    assert_eq!(found["per_gpu"].as_f64().unwrap(), (8_030_261_248.0 - norms) / 8.0 + norms);
    // 32 layers, 8 heads of 128, key and value, two bytes each.
    assert_eq!(found["kv_bytes_per_token"].as_f64().unwrap(), 131_072.0);
    assert_eq!(found["kv_bytes_per_token_per_gpu"].as_f64().unwrap(), 16_384.0);
    assert_eq!(found["state_bytes_per_sequence"].as_f64().unwrap(), 0.0);
    assert_eq!((&found["fits"], &found["gpus"]), (&Value::Bool(true), &Value::from(8)));
    let components = found["components"].as_array().unwrap();
    let sum: u64 = components.iter().map(|part| part["parameters"].as_u64().unwrap()).sum();
    assert_eq!(sum, 8_030_261_248);
    let bytes: f64 = components.iter().map(|part| part["bytes_per_step_per_gpu"].as_f64().unwrap()).sum();
    assert!((bytes - found["bytes_per_step_per_gpu"].as_f64().unwrap()).abs() < 1.0);
}

#[test]
fn one_gpu_may_be_too_small() {
    let found = json(&["model", "llama-3.1-70b", "--gpu", "h100-sxm"], "");
    assert_eq!(found["fits"], false);
    assert!(stdout(&["model", "llama-3.1-70b", "--gpu", "h100-sxm"]).contains("It does not fit"));
    let found = json(&["model", "llama-3.1-70b", "--gpu", "h100-sxm", "--quantisation", "q4_k_m"], "");
    assert_eq!((&found["fits"], &found["quantisation"]), (&Value::Bool(true), &Value::from("GGUF Q4_K_M")));
    assert_eq!(json(&["model", "llama-3.1-70b"], "")["fits"], Value::Null);
}

#[test]
fn names_carry_their_quantisation_and_options_override_it() {
    assert_eq!(json(&["model", "zai-org/GLM-5-FP8"], "")["quantisation"], "FP8, 128×128 blocks");
    let glm5 = json(&["model", "glm-5", "--quant", "nvfp4-mlp", "--kv-bits", "8"], "");
    assert_eq!(glm5["quantisation"], "NVFP4, attention in 16 bit");
    // 78 layers of a 512-wide latent and a 64-wide rotary key.
    assert_eq!(glm5["kv_bytes_per_token"].as_f64().unwrap(), 44_928.0);
    assert_eq!(glm5["indexer_bytes_per_token"].as_f64().unwrap(), 78.0 * 132.0);
    // Both are whole on every GPU, and each is told apart there too.
    let spread = json(&["model", "glm-5", "--quant", "nvfp4-mlp", "--kv-bits", "8", "--tp", "8"], "");
    assert_eq!(spread["kv_bytes_per_token_per_gpu"].as_f64().unwrap(), 44_928.0);
    assert_eq!(spread["indexer_bytes_per_token_per_gpu"].as_f64().unwrap(), 78.0 * 132.0);
}

#[test]
fn the_text_names_every_component() {
    let text = stdout(&["model", "glm-5", "--tp", "8"]);
    for word in ["routed experts", "indexer keys", "743.91 B", "On each of 8 GPUs"] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    assert!(stdout(&["model", "glm-5", "--format", "markdown"]).contains("| routed experts |"));
}

#[test]
fn a_prediction_adds_up_and_stays_below_its_ceiling() {
    let arguments = ["predict", "glm-5", "--quantisation", "nvfp4-experts", "--gpu", "rtx-pro-6000", "--tp", "8"];
    let found = json(&arguments, "");
    let terms = found["terms"].as_array().unwrap();
    let sum: f64 = terms.iter().map(|term| term["seconds"]["likely"].as_f64().unwrap()).sum();
    let step = found["step_seconds"]["likely"].as_f64().unwrap();
    assert!((sum - step).abs() < 1e-12);
    let speed = found["tokens_per_second"]["likely"].as_f64().unwrap();
    assert!((speed * step - 1.0).abs() < 1e-12);
    assert!(speed < found["ceiling"]["tokens_per_second"].as_f64().unwrap());
    assert_eq!(found["fits"], true);
    let text = stdout(&arguments);
    for word in ["allreduces", "starting operations", "No speed above", "routed experts"] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
}

#[test]
fn drafts_yield_more_tokens_per_step() {
    let arguments =
        ["predict", "deepseek-v3", "--gpu", "h200-sxm", "--tp", "8", "--drafts", "2", "--acceptance", "0.5"];
    let found = json(&arguments, "");
    // 1 + 0.5 + 0.25.
    assert_eq!(found["tokens_per_step"], 1.75);
    let speed = found["tokens_per_second"]["likely"].as_f64().unwrap();
    assert!((speed * found["step_seconds"]["likely"].as_f64().unwrap() - 1.75).abs() < 1e-12);
}

/// DeepSeek-V3's prediction module at 8.002 bits. Over eight GPUs: experts 257 × 3 × 7168 × 2048, queries
/// 1536 × 24576, output 16384 × 7168, 11.474 billion weights, 1.4345 GB each. On every GPU: the down-projections
/// 7168 × 2112 and 2 × 7168² of the module's own, 117.9 million, 0.1179 GB. In 16 bit the router 7168 × 256, an
/// eighth of 512 × 32768, and norms: 0.0080 GB.
#[test]
fn drafts_need_their_module_in_memory() {
    let resident = |drafts: &str| {
        let arguments = ["predict", "deepseek-v3", "--gpu", "h200-sxm", "--tp", "8", "--context", "0"];
        json(&[&arguments[..], &["--drafts", drafts]].concat(), "")["resident_bytes"].as_f64().unwrap()
    };
    let more = (resident("1") - resident("0")) / 1e9;
    assert!((more - 1.5604).abs() < 0.0005, "{more}");
    assert_eq!(resident("3"), resident("1"));
}

#[test]
fn a_prediction_says_what_it_assumed_and_what_does_not_fit() {
    let text = stdout(&["predict", "llama-3.1-70b", "--gpu", "rtx-4090", "--engine", "llama.cpp"]);
    assert!(text.contains("it does not fit") && text.contains("nobody published measured reads"), "{text}");
}

#[test]
fn what_is_unknown_or_unreadable_is_refused() {
    let (code, message) = refusal(&["model", "glm-55"], "");
    assert!(code == 2 && message.contains("did you mean glm-5"), "{code} {message}");
    let (code, message) = refusal(&["predict", "glm-5", "--gpu", "toaster"], "");
    assert!(code == 2 && message.contains("decodescope gpus"), "{code} {message}");
    let (code, message) = refusal(&["model", "glm-5", "--quantisation", "fp3"], "");
    assert!(code == 2 && message.contains("nvfp4-experts"), "{code} {message}");
    assert_eq!(refusal(&["predict", "glm-5"], "").0, 2);
    for text in ["", "{", "[]", "{\"hidden_size\": 1}", "GGUF"] {
        let (code, message) = refusal(&["model", "-"], text);
        assert!(code == 1 && message.starts_with("decodescope: -: "), "{text}: {code} {message}");
    }
    assert_eq!(refusal(&["model", "-", "--tp", "0"], LLAMA_3_8B).0, 2);
}

#[test]
fn a_prediction_takes_what_was_measured_on_the_very_system() {
    let ask = |arguments: &[&str]| json(&[&["predict", "llama-3.1-70b", "--tp", "8"], arguments].concat(), "");
    let term = |value: &Value, name: &str| {
        let terms = value["terms"].as_array().unwrap();
        terms.iter().find(|term| term["name"] == name).unwrap()["seconds"]["likely"].as_f64().unwrap()
    };
    // 160 × (20 µs + 16 KiB at 16.384 GB/s, 1 µs) = 3.36 ms
    let typed = ask(&["--gpu", "h100-sxm", "--alpha", "20", "--beta", "16.384"]);
    assert!((term(&typed, "allreduces") - 3.36e-3).abs() < 1e-9, "{typed:#}");
    // Half the bandwidth, twice the time.
    let [fast, slow] =
        ["3000", "1500"].map(|bandwidth| term(&ask(&["--gpu", "h100-sxm", "--bw", bandwidth]), "dense MLP"));
    assert!((slow / fast - 2.0).abs() < 1e-9);
    let own = ask(&["--own-gpu", "Prototype", "--bw", "900", "--mem", "48", "--alpha", "10"]);
    assert_eq!((&own["gpu"], &own["gpu_name"]), (&"own".into(), &"Prototype".into()));
    assert_eq!(own["fits"], true);
    // 70.55 billion parameters of 16 bit over 8: 17.6 GB. How much memory there is nobody said.
    assert_eq!(ask(&["--own-gpu", "Prototype", "--bw", "900"])["fits"], Value::Null);
    let (code, message) = refusal(&["predict", "llama-3.1-8b", "--own-gpu", "Prototype"], "");
    assert!(code == 2 && message.contains("needs its --bandwidth"), "{message}");
    // The report takes the same, and its link opens the same.
    let given = [
        "report",
        "--model",
        "llama-3.1-8b",
        "--own-gpu",
        "Prototype",
        "--bw",
        "900",
        "--mem",
        "48 GiB",
        "--itl",
        "20",
    ];
    let report = json(&given, "");
    assert_eq!((&report["gpu"], &report["gpu_name"]), (&"own".into(), &"Prototype".into()));
    assert_eq!(report["inputs"]["mem"]["value"], 48.0);
    assert!(stdout(&[&given[..], &["--link"]].concat()).contains("gpu=own&gpuname=UHJvdG90eXBl"));
}

#[test]
fn recipes_suit_the_model() {
    let resident = |arguments: &[&str]| json(arguments, "")["resident_weights_bytes"].as_f64().unwrap() / 1e9;
    // 405.85 billion parameters, 4.20 of them in head and embedding: 401.65 × 4.25 / 8 + 4.20 × 2.
    let mxfp4 = resident(&["model", "llama-3.1-405b", "--quant", "mxfp4"]);
    assert!((mxfp4 - 221.8).abs() < 0.2, "{mxfp4}");
    let (code, message) = refusal(&["model", "llama-3.1-405b", "--quant", "int4-experts"], "");
    assert!(code == 2 && message.contains("has none"), "{code} {message}");
    assert_eq!(json(&["model", "gpt-oss-120b", "--quant", "mxfp4"], "")["quantisation"], "MXFP4, experts only");
    // 8.19 billion × 4.5 / 8; a step reads one row of the 0.62 billion of the embedding: 7.57 × 4.5 / 8 = 4.26,
    // and 0.15 of the cache of 1024 tokens.
    let mlx = json(&["model", "qwen3-8b", "--quant", "mlx-4bit"], "");
    assert!((mlx["resident_weights_bytes"].as_f64().unwrap() / 1e9 - 4.607).abs() < 0.003, "{mlx:#}");
    assert!((mlx["bytes_per_step_per_gpu"].as_f64().unwrap() / 1e9 - 4.41).abs() < 0.01, "{mlx:#}");
}

/// A GGUF file of `count`, counted from 0, of a two-layer Llama whose matrices are Q8_0 (type 8, 8.5 bits).
fn gguf(number: u16, count: u16, tensors: &[(&str, [u64; 2])]) -> Vec<u8> {
    fn text(bytes: &mut Vec<u8>, text: &str) {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    let sizes = [
        ("llama.block_count", 1_u32),
        ("llama.embedding_length", 256),
        ("llama.feed_forward_length", 512),
        ("llama.attention.head_count", 2),
        ("llama.attention.head_count_kv", 2),
        ("llama.vocab_size", 1024),
        ("split.no", u32::from(number)),
        ("split.count", u32::from(count)),
    ];
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend((tensors.len() as u64).to_le_bytes());
    bytes.extend((sizes.len() as u64 + 1).to_le_bytes());
    text(&mut bytes, "general.architecture");
    bytes.extend(8_u32.to_le_bytes());
    text(&mut bytes, "llama");
    for (key, value) in sizes {
        text(&mut bytes, key);
        bytes.extend(4_u32.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    for (name, dimensions) in tensors {
        text(&mut bytes, name);
        bytes.extend(2_u32.to_le_bytes());
        dimensions.iter().for_each(|dimension| bytes.extend(dimension.to_le_bytes()));
        bytes.extend(8_u32.to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
    }
    bytes
}

#[test]
fn a_split_model_is_read_whole_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("decodescope-split-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let tables = [("token_embd.weight", [256, 1024]), ("output.weight", [256, 1024])];
    let layer = [
        ("blk.0.attn_q.weight", [256, 256]),
        ("blk.0.attn_k.weight", [256, 256]),
        ("blk.0.attn_v.weight", [256, 256]),
        ("blk.0.attn_output.weight", [256, 256]),
        ("blk.0.ffn_gate.weight", [256, 512]),
        ("blk.0.ffn_up.weight", [256, 512]),
        ("blk.0.ffn_down.weight", [512, 256]),
    ];
    // The first file of a model often holds no tensors.
    let first = path("m-00001-of-00003.gguf");
    std::fs::write(&first, gguf(0, 3, &[])).unwrap();
    std::fs::write(path("m-00002-of-00003.gguf"), gguf(1, 3, &tables)).unwrap();
    for command in [&["model", &first][..], &["predict", &first, "--gpu", "h100-sxm"], &["report", "--model", &first]] {
        let (code, message) = refusal(command, "");
        assert!(code == 1 && message.contains("split into 3 files, of which missing: 3"), "{code} {message}");
    }
    std::fs::write(path("m-00003-of-00003.gguf"), gguf(2, 3, &layer)).unwrap();
    let found = json(&["model", &first], "");
    assert!(found["warnings"].as_array().unwrap().is_empty(), "{found:#}");
    // Matrices of 2 × 262 144 + 4 × 65 536 + 3 × 131 072 weights in 8.5 bits; three norms of 256 at the average.
    let weights = 2.0 * 262_144.0 + 4.0 * 65_536.0 + 3.0 * 131_072.0 + 3.0 * 256.0;
    assert_eq!(found["resident_weights_bytes"].as_f64().unwrap(), weights * 8.5 / 8.0);
    // Under other names they are given one by one, in any order.
    let [a, b, c] = ["a.gguf", "b.gguf", "c.gguf"].map(path);
    for (number, name) in
        [&first, &path("m-00002-of-00003.gguf"), &path("m-00003-of-00003.gguf")].iter().zip([&a, &b, &c])
    {
        std::fs::copy(number, name).unwrap();
    }
    assert_eq!(json(&["model", &c, &a, &b], "")["total"], found["total"]);
    let (code, message) = refusal(&["model", &c, &a], "");
    assert!(code == 1 && message.contains("missing: 2"), "{code} {message}");
    let report = json(&["report", "--model", &first, "--gpu", "h100-sxm", "--itl", "10"], "");
    assert_eq!(report["inputs"]["wbits"]["value"], 8.5);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_report_takes_the_bits_a_name_carries() {
    let read = |name: &str| {
        let report = json(&["report", "--model", name, "--gpu", "h100-sxm", "--gpus", "8", "--itl", "10"], "");
        let named = |one: &&Value| one["component"] == "routed-experts";
        let of = report["read"].as_array().unwrap().iter().find(named).unwrap()["bytes"].as_f64().unwrap();
        (of, report["inputs"]["wbits"]["value"].as_f64().unwrap())
    };
    let ((fp8, bits), (plain, _)) = (read("zai-org/GLM-5-FP8"), read("zai-org/GLM-5"));
    // A 32-bit scale for each 128 × 128 weights.
    assert!((bits - (8.0 + 32.0 / 16_384.0)).abs() < 1e-9, "{bits}");
    assert!((fp8 / plain - bits / 16.0).abs() < 1e-9);
}

#[test]
fn contradictory_settings_are_said() {
    let warned = |command: &str, arguments: &[&str]| {
        let gpu = ["--gpu", "h100-sxm"];
        let found = json(&[&[command, "llama-3.1-8b"], &gpu[..], arguments].concat(), "");
        found["warnings"].to_string()
    };
    for command in ["model", "predict"] {
        assert!(warned(command, &["--ep", "--tp", "8"]).contains("the model has no experts"));
        assert!(warned(command, &["--tp", "3"]).contains("32 query heads"));
        assert!(warned(command, &["--pp", "64"]).contains("64 pipeline stages for 32 layers"));
        assert_eq!(warned(command, &["--tp", "8"]), "[]");
    }
    let text = stdout(&["predict", "llama-3.1-8b", "--gpu", "h100-sxm", "--batch", "0"]);
    assert!(text.contains("one sequence is predicted"), "{text}");
}

/// H200: 989 TFLOP/s in 16 bit and 1979 in FP8. Of a typed 100, FP8 has 200.1, and 0.8 of each is reached.
#[test]
fn a_typed_matrix_rate_is_that_of_sixteen_bits() {
    let found = json(&["predict", "deepseek-v3", "--gpu", "h200-sxm", "--tp", "8", "--matrix-rate", "100"], "");
    let rate = |name: &str| {
        let terms = found["terms"].as_array().unwrap();
        terms.iter().find(|term| term["name"] == name).unwrap()["roof"]["rate"].as_f64().unwrap() / 1e12
    };
    assert!((rate("router") - 80.0).abs() < 1e-9);
    assert!((rate("routed experts") - 80.0 * 1979.0 / 989.0).abs() < 1e-9);
}
