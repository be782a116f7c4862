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
