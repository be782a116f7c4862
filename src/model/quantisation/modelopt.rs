//! NVIDIA's model optimizer: an algorithm for all modules, or one for each.

use super::formats::bits;
use super::integer::integer_bits;
use super::methods::{Method, Outside, Rule, pattern};
use super::pattern::Pattern;
use crate::model::config::Keys;
use crate::paste::WarningKind;
use std::collections::BTreeMap;

/// One algorithm for all matrices that are not excluded, or a list of them for each.
pub(super) fn modelopt(keys: &Keys, section: &Keys, algorithm: Option<&str>) -> Method {
    let algorithm = algorithm.unwrap_or(if section.has("quantized_layers") { "MIXED_PRECISION" } else { "" });
    if algorithm == "MIXED_PRECISION" {
        return Method::new(algorithm, quantised_layers(keys, section)).outside(Outside::Head);
    }
    let rules = algorithm_bits(algorithm, section).map(Rule::all).into_iter().collect();
    Method::new(algorithm, rules).outside(Outside::UnlessListed)
}

/// Modules with an algorithm each; one that is not known is said, and its modules stay in 16 bit.
pub(super) fn quantised_layers(keys: &Keys, section: &Keys) -> Vec<Rule> {
    let Some(layers) = section.object("quantized_layers") else { return Vec::new() };
    let mut by_bits: BTreeMap<u64, Vec<Pattern>> = BTreeMap::new();
    for name in layers.names() {
        let Some(layer) = layers.object(name) else { continue };
        let algorithm = layer.text("quant_algo").unwrap_or_default();
        match algorithm_bits(algorithm, &layer) {
            Some(bits) => by_bits.entry(bits.to_bits()).or_default().extend(pattern(keys, name)),
            None => keys.warn(WarningKind::Missing, format!("quantisation {algorithm:?} is not known; 16 bit assumed")),
        }
    }
    let rule = |(bits, targets)| Rule { targets: Some(targets), bits: f64::from_bits(bits) };
    by_bits.into_iter().map(rule).collect()
}

fn algorithm_bits(algorithm: &str, section: &Keys) -> Option<f64> {
    Some(match algorithm {
        "FP8" | "FP8_PER_CHANNEL_PER_TOKEN" => 8.0,
        "FP8_PB_WO" | "FP8_BLOCK" => bits("FP8, 128×128 blocks"),
        "MXFP8" => bits("MXFP8"),
        "MXFP4" | "W4A8_MXFP4_FP8" => bits("MXFP4"),
        name if name.contains("NVFP4") => bits("NVFP4"),
        "INT4_AWQ" | "W4A16_AWQ" | "W4A16" | "W4A8_AWQ" => {
            integer_bits(4, section.number(&["group_size"]).or(Some(128)), false)
        }
        "INT8_SQ" | "W8A8_SQ_PER_CHANNEL" | "W8A16" => 8.0,
        _ => return None,
    })
}
