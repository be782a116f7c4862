//! What a checkpoint declares about its quantisation: `quantization_config` in `config.json`, or a
//! `hf_quant_config.json` beside it.

use super::Quantisation;
use super::formats::{activations, bits};
use super::modules::modules;
use super::pattern::Pattern;
use super::recipes::leaving;
use crate::model::architecture::{Architecture, MOST_LAYERS};
use crate::model::config::Keys;
use crate::model::part::Component;
use crate::model::precision::Activations;
use crate::paste::WarningKind;
use std::collections::BTreeMap;

/// A declaration: rules that give modules bits; the first that fits holds, modules none fits stay
/// in 16 bit.
struct Declaration {
    name: String,
    left: Vec<Pattern>,
    rules: Vec<Rule>,
    kv_bits: Option<f64>,
}

/// Bits of the modules a target names, or of all, and what they are multiplied by.
struct Rule {
    targets: Option<Vec<Pattern>>,
    bits: f64,
    by: Activations,
}

impl Rule {
    /// Weights alone.
    fn all(bits: f64) -> Self {
        Self { targets: None, bits, by: Activations::Sixteen }
    }

    fn format(name: &str) -> Self {
        Self { by: activations(name), ..Self::all(bits(name)) }
    }

    fn fits(&self, layer: usize, module: &str) -> bool {
        self.targets.as_ref().is_none_or(|targets| targets.iter().any(|target| target.matches(layer, module)))
    }
}

/// Reads the declaration in a configuration, for its architecture.
pub(in crate::model) fn declared(keys: &Keys, architecture: &Architecture) -> Option<Quantisation> {
    let section = ["quantization_config", "quantization"].iter().find_map(|key| keys.object(key))?;
    let declaration = declaration(keys, &section)?;
    Some(apply(&declaration, architecture))
}

/// Averages the rules over layers and modules.
fn apply(declaration: &Declaration, architecture: &Architecture) -> Quantisation {
    let mut sums: BTreeMap<Component, (f64, f64)> = BTreeMap::new();
    let mut multiplied: BTreeMap<Component, Vec<Activations>> = BTreeMap::new();
    let groups = architecture.layers.iter().flat_map(|group| std::iter::repeat_n(&group.layer, group.count as usize));
    for (index, layer) in groups.take(MOST_LAYERS as usize).enumerate() {
        for (component, modules) in modules(layer) {
            let (sum, count) = sums.entry(component).or_default();
            for names in modules {
                let rule = declaration.rule(index, names);
                *sum += rule.map_or(16.0, |rule| rule.bits);
                *count += 1.0;
                multiplied.entry(component).or_default().push(rule.map(|rule| rule.by).unwrap_or_default());
            }
        }
    }
    let mut precision = leaving(16.0, &[]);
    for (component, (sum, count)) in sums {
        precision = precision.with(component, sum / count);
    }
    for (component, all) in multiplied {
        let times = |one: &&Activations| all.iter().filter(|other| other == one).count();
        if let Some(&most) = all.iter().max_by_key(times) {
            precision = precision.multiplying(component, most);
        }
    }
    if let Some(bits) = declaration.kv_bits {
        precision.kv_bits = bits;
    }
    let attention = precision.bits(Component::AttentionProjections);
    let quantised = declaration.rules.first().map_or(16.0, |rule| rule.bits);
    let suffix = if attention == 16.0 && quantised < 16.0 { ", attention in 16 bit" } else { "" };
    Quantisation::new(format!("{}{suffix}", declaration.name), precision)
}

impl Declaration {
    /// The rule for a module that goes by these names; none where it stays in 16 bit.
    fn rule(&self, layer: usize, names: &[&str]) -> Option<&Rule> {
        let any = |fits: &dyn Fn(&str) -> bool| names.iter().any(|name| fits(name));
        if any(&|name| self.left.iter().any(|pattern| pattern.matches(layer, name))) {
            return None;
        }
        self.rules.iter().find(|rule| any(&|name| rule.fits(layer, name)))
    }
}

fn declaration(keys: &Keys, section: &Keys) -> Option<Declaration> {
    let patterns = |key: &str| section.texts(key).unwrap_or_default();
    let mut left: Vec<&str> = Vec::new();
    for key in ["ignore", "exclude_modules", "modules_to_not_convert"] {
        left.extend(patterns(key));
    }
    let algorithm = section.text("quant_algo").unwrap_or_default();
    let (name, rules) = match section.text("quant_method").unwrap_or("modelopt") {
        "fp8" => block_fp8(keys, section),
        "modelopt" | "modelopt_fp4" => (algorithm.to_owned(), modelopt(section, algorithm)),
        "compressed-tensors" => compressed_tensors(section),
        "mxfp4" => ("MXFP4".into(), vec![experts(bits("MXFP4"))]),
        "fbgemm_fp8" => ("FP8".into(), vec![Rule::format("FP8")]),
        method @ ("awq" | "gptq" | "gptq_marlin" | "auto-round" | "awq_marlin") => {
            let (width, group) =
                (section.number_or(&["bits", "w_bit"], 4), section.number(&["group_size", "q_group_size"]));
            let name = method.split(['_', '-']).next().unwrap_or(method).to_ascii_uppercase();
            (format!("{name} {width} bit"), vec![Rule::all(integer_bits(width, group, true))])
        }
        "bitsandbytes" if section.flag("load_in_8bit") == Some(true) => {
            ("bitsandbytes 8 bit".into(), vec![Rule::format("INT8")])
        }
        // NF4 in blocks of 64 with one 32-bit scale.
        "bitsandbytes" => ("bitsandbytes 4 bit".into(), vec![Rule::all(4.5)]),
        method => {
            keys.warn(WarningKind::Missing, format!("quantisation method {method:?} is not known; 16 bit assumed"));
            return None;
        }
    };
    // MLX says `quantization: {bits, group_size}` and nothing else.
    let (name, rules) = match section.number(&["bits"]) {
        Some(width) if rules.is_empty() => {
            let group = f64::from(section.number_or(&["group_size"], 64).max(1));
            (format!("MLX {width} bit"), vec![Rule::all(f64::from(width) + 32.0 / group)])
        }
        _ => (name, rules),
    };
    if rules.is_empty() {
        keys.warn(WarningKind::Missing, format!("quantisation {name:?} is not known; 16 bit assumed"));
        return None;
    }
    // Where a second scheme is laid over block FP8, what it leaves out stays FP8, not 16 bit.
    if rules.len() > 1 && section.text("quant_method") == Some("fp8") {
        left.clear();
    }
    let left = left.into_iter().filter_map(Pattern::new).collect();
    Some(Declaration { name, left, rules, kv_bits: kv_bits(section) })
}

/// A rule for routed experts alone.
fn experts(bits: f64) -> Rule {
    Rule { targets: Pattern::new("re:.*experts\\.\\d+\\..*").map(|pattern| vec![pattern]), ..Rule::all(bits) }
}

/// DeepSeek's FP8 in blocks, per tensor without; experts may be FP4, or NVFP4 laid over.
fn block_fp8(keys: &Keys, section: &Keys) -> (String, Vec<Rule>) {
    let name = match (section.has("weight_block_size"), section.text("scale_fmt")) {
        (false, _) => "FP8",
        (true, Some("ue8m0")) => "FP8, 128×128 blocks, 8-bit scales",
        (true, _) => "FP8, 128×128 blocks",
    };
    let base = Rule::format(name);
    let mixed = quantised_layers(section);
    if !mixed.is_empty() {
        return (format!("{name}, mixed"), mixed.into_iter().chain([base]).collect());
    }
    if keys.text("expert_dtype") == Some("fp4") {
        return (format!("{name}, experts FP4"), vec![experts(bits("MXFP4")), base]);
    }
    (name.into(), vec![base])
}

/// NVIDIA's model optimizer.
fn modelopt(section: &Keys, algorithm: &str) -> Vec<Rule> {
    if algorithm == "MIXED_PRECISION" {
        return quantised_layers(section);
    }
    algorithm_rule(algorithm).into_iter().collect()
}

/// Modules with an algorithm each.
fn quantised_layers(section: &Keys) -> Vec<Rule> {
    let Some(layers) = section.object("quantized_layers") else { return Vec::new() };
    let mut by_bits: BTreeMap<String, Vec<Pattern>> = BTreeMap::new();
    for name in layers.names() {
        let algorithm = layers.object(name).and_then(|layer| layer.text("quant_algo").map(str::to_owned));
        if let (Some(algorithm), Some(pattern)) = (algorithm, Pattern::new(name)) {
            by_bits.entry(algorithm).or_default().push(pattern);
        }
    }
    let rule = |(algorithm, targets): (String, Vec<Pattern>)| {
        Some(Rule { targets: Some(targets), ..algorithm_rule(&algorithm)? })
    };
    by_bits.into_iter().filter_map(rule).collect()
}

fn algorithm_rule(algorithm: &str) -> Option<Rule> {
    let rule = match algorithm {
        "FP8" | "FP8_PER_CHANNEL_PER_TOKEN" => Rule::format("FP8"),
        "FP8_PB_WO" | "FP8_BLOCK" => Rule::format("FP8, 128×128 blocks"),
        "MXFP8" => Rule::format("MXFP8"),
        "MXFP4" | "W4A8_MXFP4_FP8" => Rule::format("MXFP4"),
        name if name.contains("NVFP4") => Rule::format("NVFP4"),
        "INT4_AWQ" | "W4A16_AWQ" | "W4A16" | "W4A8_AWQ" => Rule::format("INT4, groups of 128"),
        "INT8_SQ" | "W8A8_SQ_PER_CHANNEL" | "W8A16" => Rule::format("INT8"),
        _ => return None,
    };
    // A name that tells the activations' width knows better than the format.
    let by = match algorithm {
        name if name.starts_with("W4A8") => Activations::Fp8,
        name if name.contains("A16") => Activations::Sixteen,
        _ => rule.by,
    };
    Some(Rule { by, ..rule })
}

/// Groups of targets, each with a scheme for its weights.
fn compressed_tensors(section: &Keys) -> (String, Vec<Rule>) {
    let mut rules = Vec::new();
    let mut names = Vec::new();
    let groups = section.object("config_groups");
    for group in groups.iter().flat_map(|groups| groups.names().filter_map(|name| groups.object(name))) {
        let Some(weights) = group.object("weights") else { continue };
        let width = weights.number_or(&["num_bits"], 16);
        let size = weights.number(&["group_size"]).filter(|&size| size > 0);
        let float = weights.text("type") == Some("float");
        let (name, bits) = match (float, width, size) {
            (true, 4, Some(16)) => ("NVFP4".to_owned(), bits("NVFP4")),
            (true, 4, _) => ("MXFP4".into(), bits("MXFP4")),
            (true, 8, Some(32)) => ("MXFP8".into(), bits("MXFP8")),
            (true, 8, _) if weights.text("strategy") == Some("block") => {
                ("FP8, 128×128 blocks".into(), bits("FP8, 128×128 blocks"))
            }
            (true, ..) => (format!("FP{width}"), f64::from(width)),
            (false, ..) => {
                let zeros = weights.flag("symmetric") == Some(false);
                (format!("INT{width}"), integer_bits(width, size, zeros))
            }
        };
        let by = group.object("input_activations").map_or(Activations::Sixteen, |inputs| quantised(&inputs));
        let targets = group.texts("targets").unwrap_or_default();
        // `Linear` is the class of every matrix.
        let all = targets.is_empty() || targets.contains(&"Linear");
        let targets = if all { None } else { Some(targets.into_iter().filter_map(Pattern::new).collect()) };
        rules.push(Rule { targets, bits, by });
        names.push(name);
    }
    (names.join(" + "), rules)
}

/// What a scheme makes of activations.
fn quantised(inputs: &Keys) -> Activations {
    let blocks = matches!(inputs.text("strategy"), Some("group" | "tensor_group" | "block"));
    match (inputs.text("type") == Some("float"), inputs.number_or(&["num_bits"], 16)) {
        (true, 4) => Activations::Fp4,
        (true, 8) if blocks => Activations::Fp8Blocks,
        (true, 8) => Activations::Fp8,
        (false, 8) => Activations::Int8,
        _ => Activations::Sixteen,
    }
}

/// Integers with a 16-bit scale per group and, asymmetric, a zero of their own width.
fn integer_bits(width: u32, group: Option<u32>, zeros: bool) -> f64 {
    let overhead = 16.0 + if zeros { f64::from(width) } else { 0.0 };
    f64::from(width) + group.filter(|&size| size > 0).map_or(0.0, |size| overhead / f64::from(size))
}

fn kv_bits(section: &Keys) -> Option<f64> {
    if let Some(scheme) = section.object("kv_cache_scheme") {
        return scheme.number(&["num_bits"]).map(f64::from);
    }
    match section.text("kv_cache_quant_algo")? {
        "FP8" | "INT8" => Some(8.0),
        "NVFP4" => Some(4.5),
        _ => None,
    }
}
