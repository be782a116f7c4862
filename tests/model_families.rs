//! Families' parameter counts, caches and states, to the element.
//!
//! `data/model_families.jsonl` has one configuration per line, with the keys that matter, and what
//! the reference implementation counts for it: Hugging Face Transformers 5.24, each model built
//! without storage from its configuration (`torch.device("meta")`), parameters summed over its
//! language model, caches measured after a forward pass. `kv` and `windowed` are elements per token;
//! `active` counts each token's experts. Where the reference keeps the cache or the state in another
//! form than serving engines do, the line is silent about it. A convolution's state is the inputs it
//! still needs, one fewer than its length. Models whose code comes with the checkpoint alone have the
//! total published with it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::read_config;
use serde_json::Value;
use std::collections::BTreeSet;

const LINES: &str = include_str!("data/model_families.jsonl");

fn lines() -> impl Iterator<Item = Value> {
    LINES.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn families_count_as_their_reference_does() {
    let mut wrong = Vec::new();
    for line in lines() {
        let reading = read_config(&line["config"].to_string());
        let name = line["name"].as_str().unwrap();
        let Ok(reading) = reading else {
            wrong.push(format!("{name}: {reading:?}"));
            continue;
        };
        let (totals, cache) = (reading.architecture.totals(), reading.architecture.cache_totals());
        let counted = [
            ("total", totals.total as f64),
            ("active", totals.active as f64),
            ("routed", totals.routed_experts as f64),
            ("head", totals.lm_head as f64),
            ("kv", cache.per_token),
            ("windowed", cache.windowed_per_token),
            ("window", f64::from(cache.window)),
            ("state", cache.state),
        ];
        for (key, found) in counted {
            if let Some(expected) = line[key].as_f64().filter(|expected| *expected != found) {
                wrong.push(format!("{name}: {key} is {found}, expected {expected} ({})", found - expected));
            }
        }
        if reading.warnings.iter().any(|warning| warning.message.contains("unknown")) {
            wrong.push(format!("{name}: {:?}", reading.warnings));
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// What a dump of a configuration holds besides its architecture must not change the reading.
#[test]
fn what_servers_add_changes_nothing() {
    for line in lines() {
        let plain = read_config(&line["config"].to_string()).unwrap();
        let mut config = line["config"].clone();
        let keys = config.as_object_mut().unwrap();
        keys.insert("torch_dtype".into(), "bfloat16".into());
        keys.insert("transformers_version".into(), "4.57.1".into());
        keys.insert("architectures".into(), serde_json::json!(["SomethingForCausalLM"]));
        keys.insert(
            "quantization_config".into(),
            serde_json::json!({"quant_method": "awq", "bits": 4, "group_size": 128}),
        );
        keys.insert("rope_scaling".into(), serde_json::json!({"rope_type": "yarn", "factor": 4.0}));
        assert_eq!(read_config(&config.to_string()).unwrap().architecture, plain.architecture, "{}", line["name"]);
    }
}

#[test]
fn the_table_covers_what_it_says() {
    let kind = |line: &Value| {
        let text = &line["config"]["text_config"]["model_type"];
        text.as_str().or(line["config"]["model_type"].as_str()).unwrap().to_owned()
    };
    let kinds: BTreeSet<String> = lines().map(|line| kind(&line)).collect();
    assert!(kinds.len() >= 120, "{} types: {kinds:?}", kinds.len());
}
