//! Parameter counts of real configurations, to the parameter.
//!
//! The configurations and the table of counts are not part of the repository; where they are
//! absent the test says so and passes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{read_config, recognise};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn shared_data() -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data"));
    let named = std::env::var_os("DECODESCOPE_SHARED_DATA").map(PathBuf::from);
    named.into_iter().chain([beside]).find(|path| path.join("model_params.csv").is_file())
}

/// A line of comma-separated values, quotes taken off.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

/// Cells in which the table is known to simplify, with what is right and why.
fn corrected(name: &str, column: &str) -> Option<(f64, &'static str)> {
    let expected = match (name, column) {
        // No layer_types in this configuration: the family's own default is three sliding layers
        // and a full one; the table counts all 32 layers (8192 elements each) as full.
        ("Olmo-3-7B", "kv_elems_per_token") => (8.0 * 8192.0, "pattern of the family"),
        ("Olmo-3-7B", "kv_elems_per_token_windowed") => (24.0 * 8192.0, "pattern of the family"),
        ("Olmo-3-7B", "window") => (4096.0, "pattern of the family"),
        // The table divides every layer's keys and values by the same number of heads: 4, 1 and 8
        // here. Sliding layers of MiMo have 8 heads (39 of them, 4096 × 8 × (192+128) elements);
        // the searched Nemotron has 8 in each of its 49 attention layers (2 × 8192 × 1024);
        // Gemma-4's full layers have fewer heads than its sliding ones (5 of 2816 × 2 × 512 with 2
        // heads, 10 of 5376 × 4 × 512 with 4).
        ("MiMo-V2-Flash", "tp8_per_gpu") => (38_697_844_792.0 - 39.0 * 10_485_760.0 / 8.0, "heads per layer"),
        ("Llama-3_3-Nemotron-Super-49B-v1", "tp8_per_gpu") => {
            (6_953_648_128.0 - 49.0 * 16_777_216.0 * 7.0 / 8.0, "heads per layer")
        }
        ("gemma-4-26B-A4B", "tp8_per_gpu") => {
            (3_164_217_374.0 + 5.0 * 2_883_584.0 * (1.0 / 2.0 - 1.0 / 8.0), "heads per layer")
        }
        ("Gemma-4-31B-IT-NVFP4", "tp8_per_gpu") => {
            (3_838_333_244.0 + 10.0 * 11_010_048.0 * (1.0 / 4.0 - 1.0 / 8.0), "heads per layer")
        }
        _ => return None,
    };
    Some(expected)
}

#[test]
fn real_configurations_count_to_the_parameter() {
    let Some(data) = shared_data() else {
        eprintln!("skipped: 92 configurations, since the shared data is absent");
        return;
    };
    let table = std::fs::read_to_string(data.join("model_params.csv")).unwrap();
    let mut lines = table.lines();
    let columns = fields(lines.next().unwrap());
    let (mut read, mut skipped, mut wrong) = (0, 0, Vec::new());
    for line in lines {
        let row: BTreeMap<String, String> = columns.iter().cloned().zip(fields(line)).collect();
        let name = &row["name"];
        let Ok(json) = std::fs::read_to_string(data.join(format!("configs/{name}.json"))) else {
            skipped += 1;
            continue;
        };
        read += 1;
        let reading = match read_config(&json) {
            Ok(reading) => reading,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let (totals, cache) = (reading.architecture.totals(), reading.architecture.cache_totals());
        let counted = [
            ("total", totals.total as f64),
            ("active_all", totals.active as f64),
            ("active_excl_embed", totals.active_excluding_input_embedding as f64),
            ("embed", totals.embedding as f64),
            ("lm_head", totals.lm_head as f64),
            ("experts", totals.routed_experts as f64),
            ("mtp", totals.prediction as f64),
            ("kv_elems_per_token", cache.per_token),
            ("kv_elems_per_token_windowed", cache.windowed_per_token),
            ("window", f64::from(cache.window)),
            ("indexer_elems_per_token", cache.indexer_per_token),
            ("state_elems_per_seq", cache.state),
            ("tp8_per_gpu", totals.per_gpu(8).trunc()),
        ];
        for (column, found) in counted {
            let listed: f64 = row[column].parse().unwrap();
            let expected = corrected(name, column).map_or(listed, |(value, _)| value.trunc());
            if found != expected {
                wrong.push(format!("{name}: {column} is {found}, expected {expected} ({})", found - expected));
            }
        }
        if reading.warnings.iter().any(|warning| warning.message.contains("unknown")) {
            eprintln!("{name}: {:?}", reading.warnings);
        }
    }
    eprintln!("{read} configurations counted, {skipped} skipped");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// A preset found by a checkpoint's name is that checkpoint's architecture.
#[test]
fn presets_are_what_their_names_say() {
    let Some(data) = shared_data() else {
        eprintln!("skipped: the names of 85 checkpoints, since the shared data is absent");
        return;
    };
    let table = std::fs::read_to_string(data.join("model_params.csv")).unwrap();
    let mut lines = table.lines();
    let columns = fields(lines.next().unwrap());
    let (mut found, mut unknown, mut wrong) = (0, Vec::new(), Vec::new());
    for line in lines {
        let row: BTreeMap<String, String> = columns.iter().cloned().zip(fields(line)).collect();
        let name = &row["name"];
        let Some(recognised) = recognise(name) else {
            unknown.push(name.clone());
            continue;
        };
        found += 1;
        let (id, totals) = (&recognised.preset.id, recognised.preset.architecture.totals());
        let cache = recognised.preset.architecture.cache_totals();
        let pairs = [
            ("total", totals.total as f64),
            ("active_all", totals.active as f64),
            ("mtp", totals.prediction as f64),
            ("kv_elems_per_token", cache.per_token),
            ("state_elems_per_seq", cache.state),
        ];
        for (column, preset) in pairs {
            if preset != row[column].parse::<f64>().unwrap() {
                wrong.push(format!("{name} as {id}: {column} is {preset}, expected {}", row[column]));
            }
        }
    }
    eprintln!("{found} checkpoints recognised; no preset for {unknown:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
