//! AMD's Quark: a type for all matrices, and others for layers named by pattern.

use super::methods::{Method, Outside, Rule, pattern};
use crate::model::config::Keys;
use crate::paste::WarningKind;

/// One setting for all matrices that are not excluded, and others for those a pattern names.
pub(super) fn quark(keys: &Keys, section: &Keys) -> Method {
    let mut rules = Vec::new();
    let layers = section.object("layer_quant_config");
    for name in layers.iter().flat_map(Keys::names) {
        let own = layers.as_ref().and_then(|layers| layers.object(name));
        let (Some(own), Some(target)) = (own, pattern(keys, name)) else { continue };
        // Without a setting for weights they stay as they are.
        rules.push(Rule::of(target, setting(keys, &own).map_or(16.0, |(_, bits)| bits)));
    }
    if section.object("layer_type_quant_config").is_some_and(|types| types.names().next().is_some()) {
        keys.warn(WarningKind::Missing, "\"layer_type_quant_config\" of the quantisation is left out".into());
    }
    let all = section.object("global_quant_config").and_then(|all| setting(keys, &all));
    let name = all.as_ref().map_or("Quark".into(), |(name, _)| name.clone());
    rules.extend(all.map(|(_, bits)| Rule::all(bits)));
    Method { read: &["exclude"], ..Method::new(name, rules).outside(Outside::UnlessListed) }
}

/// Name and bits of a setting's weights.
fn setting(keys: &Keys, setting: &Keys) -> Option<(String, f64)> {
    let weight = setting.object("weight")?;
    let kind = weight.text("dtype").unwrap_or_default();
    let (name, width) = match kind {
        "fp4" => ("FP4", 4.0),
        "fp6_e3m2" | "fp6_e2m3" => ("FP6", 6.0),
        "fp8_e4m3" | "fp8_e5m2" => ("FP8", 8.0),
        "int4" | "uint4" => ("INT4", 4.0),
        "int8" | "uint8" => ("INT8", 8.0),
        _ => {
            keys.warn(WarningKind::Missing, format!("Quark's type {kind:?} is not known; 16 bit assumed"));
            return None;
        }
    };
    let grouped = weight.text("qscheme") == Some("per_group");
    let Some(group) = weight.number(&["group_size"]).filter(|&size| grouped && size > 0) else {
        return Some((format!("Quark {name}"), width));
    };
    // Powers of two take 8 bits; other scales are 16-bit numbers.
    let small = weight.text("scale_format") == Some("e8m0");
    let name = if small { format!("Quark MX{name}") } else { format!("Quark {name}") };
    Some((name, width + if small { 8.0 } else { 16.0 } / f64::from(group)))
}
