//! NVIDIA's model optimizer: an algorithm for all modules, or one for each.

use super::integer::integer_bits;
use super::methods::{Method, Outside, Rule, pattern};
use super::pattern::Pattern;
use crate::model::config::Keys;
use crate::model::precision::Activations;
use crate::paste::WarningKind;

/// One algorithm for all matrices that are not excluded, or a list of them for each.
pub(super) fn modelopt(keys: &Keys, section: &Keys, algorithm: Option<&str>) -> Method {
    let algorithm = algorithm.unwrap_or(if section.has("quantized_layers") { "MIXED_PRECISION" } else { "" });
    if algorithm == "MIXED_PRECISION" {
        return Method::new(algorithm, quantised_layers(keys, section)).outside(Outside::Head);
    }
    let rules = algorithm_rule(algorithm, section).into_iter().collect();
    Method::new(algorithm, rules).outside(Outside::UnlessListed)
}

/// Modules with an algorithm each; one that is not known is said, and its modules stay in 16 bit.
pub(super) fn quantised_layers(keys: &Keys, section: &Keys) -> Vec<Rule> {
    let Some(layers) = section.object("quantized_layers") else { return Vec::new() };
    let mut same: Vec<(Rule, Vec<Pattern>)> = Vec::new();
    for name in layers.names() {
        let Some(layer) = layers.object(name) else { continue };
        let algorithm = layer.text("quant_algo").unwrap_or_default();
        match algorithm_rule(algorithm, &layer) {
            Some(rule) => match same.iter_mut().find(|(known, _)| (known.bits, known.by) == (rule.bits, rule.by)) {
                Some((_, targets)) => targets.extend(pattern(keys, name)),
                None => same.push((rule, pattern(keys, name).into_iter().collect())),
            },
            None => keys.warn(WarningKind::Missing, format!("quantisation {algorithm:?} is not known; 16 bit assumed")),
        }
    }
    same.into_iter().map(|(rule, targets)| Rule { targets: Some(targets), ..rule }).collect()
}

fn algorithm_rule(algorithm: &str, section: &Keys) -> Option<Rule> {
    let rule = match algorithm {
        "FP8" | "FP8_PER_CHANNEL_PER_TOKEN" => Rule::format("FP8"),
        "FP8_PB_WO" | "FP8_BLOCK" => Rule::format("FP8, 128×128 blocks"),
        "MXFP8" => Rule::format("MXFP8"),
        "MXFP4" | "W4A8_MXFP4_FP8" => Rule::format("MXFP4"),
        name if name.contains("NVFP4") => Rule::format("NVFP4"),
        "INT4_AWQ" | "W4A16_AWQ" | "W4A16" | "W4A8_AWQ" => {
            Rule::all(integer_bits(4, section.number(&["group_size"]).or(Some(128)), false))
        }
        "INT8_SQ" | "W8A8_SQ_PER_CHANNEL" | "W8A16" => Rule::format("INT8"),
        _ => return None,
    };
    // A name that tells the activations' width knows better than the format.
    let by = match algorithm {
        name if name.starts_with("W4A8") => Activations::Fp8,
        name if name.contains("A16") => Activations::Sixteen,
        _ => rule.by,
    };
    Some(rule.by(by))
}
