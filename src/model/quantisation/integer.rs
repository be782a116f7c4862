//! Methods of integers in groups: AWQ, GPTQ, AutoRound, MLX.

use super::formats::bits;
use super::methods::{Method, Outside, Rule, pattern, patterns};
use crate::model::config::Keys;

/// Integers with a 16-bit scale per group and, asymmetric, a zero of their own width.
pub(super) fn integer_bits(width: u32, group: Option<u32>, zeros: bool) -> f64 {
    let overhead = 16.0 + if zeros { f64::from(width) } else { 0.0 };
    f64::from(width) + group.filter(|&size| size > 0).map_or(0.0, |size| overhead / f64::from(size))
}

/// Width and group of a section.
fn shape(section: &Keys) -> (u32, Option<u32>) {
    (section.number_or(&["bits", "w_bit"], 4), section.number(&["group_size", "q_group_size"]))
}

/// AWQ, which stores zeros unless told that there are none.
pub(super) fn awq(section: &Keys) -> Method {
    let (width, group) = shape(section);
    let bits = integer_bits(width, group, section.flag("zero_point") != Some(false));
    Method::new(format!("AWQ {width} bit"), vec![Rule::all(bits)])
}

/// GPTQ, which stores zeros even where they are all alike.
pub(super) fn gptq(keys: &Keys, section: &Keys) -> Method {
    let (width, group) = shape(section);
    let mut method = Method::new(format!("GPTQ {width} bit"), Vec::new());
    method.read = &["dynamic"];
    // Regular expressions after a sign: `-:` leaves a module, `+:` gives it other bits. The order of a
    // JSON object is not kept here; a module both speak of is left.
    let dynamic = section.object("dynamic");
    for text in dynamic.iter().flat_map(Keys::names) {
        let (leaves, expression) = match text.strip_prefix("-:") {
            Some(expression) => (true, expression),
            None => (false, text.strip_prefix("+:").unwrap_or(text)),
        };
        let Some(target) = pattern(keys, &format!("re:{expression}")) else { continue };
        let own = dynamic.as_ref().and_then(|dynamic| dynamic.object(text));
        if leaves {
            method.left.push(target);
        } else if let Some(own) = own {
            let (width, group) = (own.number_or(&["bits"], width), own.number(&["group_size"]).or(group));
            method.rules.push(Rule::of(target, integer_bits(width, group, true)));
        }
    }
    method.rules.push(Rule { targets: blocks(keys, section), bits: integer_bits(width, group, true) });
    method.outside(if section.flag("lm_head") == Some(true) { Outside::Head } else { Outside::Left })
}

/// The modules of a layer that are quantised, where not all are.
fn blocks(keys: &Keys, section: &Keys) -> Option<Vec<super::pattern::Pattern>> {
    let lists = section.get("modules_in_block_to_quantize")?.as_array()?;
    let names = lists.iter().flat_map(|list| list.as_array().into_iter().flatten()).filter_map(|name| name.as_str());
    Some(patterns(keys, names)).filter(|targets| !targets.is_empty())
}

/// AutoRound, also as Intel's Neural Compressor names it; single modules may have settings of their own.
pub(super) fn auto_round(keys: &Keys, section: &Keys) -> Method {
    let bits_of = |own: &Keys| {
        let width = own.number(&["bits"]).or(section.number(&["bits"])).unwrap_or(4);
        let group = own.number(&["group_size"]).or(section.number(&["group_size"]));
        let kind = own.text("data_type").or(section.text("data_type")).unwrap_or("int");
        match (kind, width) {
            (_, 16..) => 16.0,
            (kind, 4) if kind.starts_with("mx_fp") => bits("MXFP4"),
            (kind, 8) if kind.starts_with("mx_fp") => bits("MXFP8"),
            (kind, 4) if kind.starts_with("nv_fp") => bits("NVFP4"),
            (kind, _) if kind.starts_with("fp") => f64::from(width),
            _ => integer_bits(width, group, true),
        }
    };
    let extra = section.object("extra_config");
    let named = extra.iter().flat_map(Keys::names).filter_map(|name| {
        let own = extra.as_ref()?.object(name)?;
        // Names, or regular expressions without a mark.
        let is_expression = name.contains(['*', '\\', '^', '$', '(', '[', '|']);
        let target = pattern(keys, &if is_expression { format!("re:{name}") } else { name.to_owned() })?;
        Some(Rule::of(target, bits_of(&own)))
    });
    let rules = named.chain([Rule::all(bits_of(section))]).collect();
    let width = section.number_or(&["bits"], 4);
    let head = ["quant_lm_head", "lm_head"].iter().any(|key| section.flag(key) == Some(true));
    let method = Method::new(format!("AutoRound {width} bit"), rules);
    method.outside(if head { Outside::Head } else { Outside::Left })
}

/// MLX, which quantises embedding and head too; single modules may have bits of their own, or none.
pub(super) fn mlx(keys: &Keys, section: &Keys) -> Method {
    let mode_of = |own: &Keys| own.text("mode").or(section.text("mode")).unwrap_or("affine").to_owned();
    let bits_of = |own: &Keys| {
        let width = f64::from(own.number(&["bits"]).or(section.number(&["bits"])).unwrap_or(4));
        let group = own.number(&["group_size"]).or(section.number(&["group_size"]));
        match mode_of(own).as_str() {
            // An 8-bit scale per group.
            "mxfp4" | "mxfp8" => width + 8.0 / f64::from(group.unwrap_or(32).max(1)),
            "nvfp4" => width + 8.0 / f64::from(group.unwrap_or(16).max(1)),
            // A 16-bit scale and a 16-bit bias.
            _ => width + 32.0 / f64::from(group.unwrap_or(64).max(1)),
        }
    };
    let width = section.number_or(&["bits"], 4);
    let name = match mode_of(section).as_str() {
        "affine" => format!("MLX {width} bit"),
        mode => format!("MLX {}", mode.to_ascii_uppercase()),
    };
    let mut method = Method::new(name, Vec::new()).outside(Outside::Tables);
    // MLX calls all experts of a layer together its `switch_mlp`.
    let target = |module: &str| pattern(keys, &module.replace("switch_mlp.", "experts.0."));
    for module in section.names().filter(|name| name.contains('.') || *name == "lm_head") {
        if section.get(module).and_then(serde_json::Value::as_bool) == Some(false) {
            method.left.extend(target(module));
        } else if let Some(own) = section.object(module) {
            method.rules.extend(target(module).map(|target| Rule::of(target, bits_of(&own))));
        }
    }
    method.rules.push(Rule::all(bits_of(section)));
    method
}
