//! The methods checkpoints are quantised by, each as rules for modules.

use super::compressed_tensors::compressed_tensors;
use super::formats::bits;
use super::integer::{auto_round, awq, gptq, mlx};
use super::modelopt::{modelopt, quantised_layers};
use super::pattern::Pattern;
use super::quark::quark;
use crate::model::config::Keys;
use crate::paste::WarningKind;

/// Bits of the modules a target names, or of all.
pub(super) struct Rule {
    pub(super) targets: Option<Vec<Pattern>>,
    pub(super) bits: f64,
}

impl Rule {
    pub(super) fn all(bits: f64) -> Self {
        Self { targets: None, bits }
    }

    pub(super) fn of(target: Pattern, bits: f64) -> Self {
        Self { targets: Some(vec![target]), bits }
    }

    pub(super) fn fits(&self, layer: usize, module: &str) -> bool {
        self.targets.as_ref().is_none_or(|targets| targets.iter().any(|target| target.matches(layer, module)))
    }

    pub(super) fn fits_outside(&self, names: &[&str]) -> bool {
        let meant = |target: &Pattern| names.iter().any(|name| target.matches_outside(name));
        self.targets.as_ref().is_none_or(|targets| targets.iter().any(meant))
    }
}

/// What a method does with head and embedding, which are in no layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    /// Both stay in 16 bit.
    Left,
    /// The head is a matrix like any other, unless a list of exclusions names it.
    UnlessListed,
    /// The head is quantised.
    Head,
    /// Both are.
    Tables,
}

/// A method, as a checkpoint sets it.
pub(super) struct Method {
    /// Its name for people.
    pub(super) name: String,
    /// The bits it gives; the first rule that fits a module holds.
    pub(super) rules: Vec<Rule>,
    /// What it leaves beside the lists of exclusions.
    pub(super) left: Vec<Pattern>,
    /// What it does outside the layers.
    pub(super) outside: Outside,
    /// The keys it read that look as if they chose modules.
    pub(super) read: &'static [&'static str],
}

impl Method {
    pub(super) fn new(name: impl Into<String>, rules: Vec<Rule>) -> Self {
        Self { name: name.into(), rules, left: Vec::new(), outside: Outside::Left, read: &[] }
    }

    pub(super) fn outside(self, outside: Outside) -> Self {
        Self { outside, ..self }
    }
}

/// Reads patterns; one that cannot be read is said.
pub(super) fn patterns<'a>(keys: &Keys, texts: impl IntoIterator<Item = &'a str>) -> Vec<Pattern> {
    texts.into_iter().filter_map(|text| pattern(keys, text)).collect()
}

pub(super) fn pattern(keys: &Keys, text: &str) -> Option<Pattern> {
    let pattern = Pattern::new(text);
    if pattern.is_none() {
        let shown: String = text.chars().take(60).collect();
        keys.warn(
            WarningKind::BadValue,
            format!("the pattern {shown:?} of the quantisation cannot be read, and is left out"),
        );
    }
    pattern
}

/// The method a section names, with its rules; none where it is not known, which is said.
pub(super) fn method(keys: &Keys, section: &Keys) -> Option<Method> {
    let flat = |name: &str, bits: f64| Method::new(name, vec![Rule::all(bits)]);
    // MLX names no method: `quantization: {bits, group_size}`.
    let silent = || if section.has("bits") && !section.has("quant_algo") { "mlx" } else { "modelopt" };
    Some(match section.text("quant_method").unwrap_or_else(silent) {
        "fp8" => block_fp8(keys, section),
        "mlx" => mlx(keys, section),
        "modelopt" | "modelopt_fp4" | "modelopt_mixed" => modelopt(keys, section, section.text("quant_algo")),
        "modelopt_fp8" => modelopt(keys, section, section.text("quant_algo").or(Some("FP8"))),
        "modelopt_mxfp8" => modelopt(keys, section, section.text("quant_algo").or(Some("MXFP8"))),
        "compressed-tensors" => compressed_tensors(keys, section),
        "mxfp4" => Method::new("MXFP4", vec![experts(bits("MXFP4"))]),
        "mxfp8" => flat("MXFP8", bits("MXFP8")),
        "fbgemm_fp8" | "ptpc_fp8" => flat("FP8", 8.0),
        "experts_int8" => Method::new("INT8, experts only", vec![experts(8.0)]),
        "awq" | "awq_marlin" => awq(section),
        "gptq" | "gptq_marlin" => gptq(keys, section),
        "auto-round" | "auto_round" | "intel/auto-round" | "inc" => auto_round(keys, section),
        "quark" => quark(keys, section),
        "hqq" => hqq(section)?,
        "torchao" => torchao(keys, section)?,
        "exl2" | "exl3" => exllama(section)?,
        "bitsandbytes" if section.flag("load_in_8bit") == Some(true) => flat("bitsandbytes 8 bit", 8.0),
        "bitsandbytes" if section.flag("bnb_4bit_use_double_quant") == Some(true) => {
            flat("bitsandbytes 4 bit", bits("NF4, scales quantised"))
        }
        "bitsandbytes" => flat("bitsandbytes 4 bit", bits("NF4")),
        method => {
            keys.warn(WarningKind::Missing, format!("quantisation method {method:?} is not known; 16 bit assumed"));
            return None;
        }
    })
}

/// A rule for routed experts alone.
fn experts(bits: f64) -> Rule {
    Rule { targets: Pattern::new("re:.*experts\\.\\d+\\..*").map(|pattern| vec![pattern]), bits }
}

/// DeepSeek's FP8 in blocks, per tensor without; experts may be FP4, or NVFP4 laid over.
fn block_fp8(keys: &Keys, section: &Keys) -> Method {
    let small = section.text("scale_fmt") == Some("ue8m0");
    let suffix = if small { ", 8-bit scales" } else { "" };
    let (name, bits_of_all) = match section.numbers("weight_block_size").as_deref() {
        Some(&[rows, columns]) if rows > 0 && columns > 0 => {
            (format!("FP8, {rows}×{columns} blocks{suffix}"), block_bits(rows, columns, if small { 8.0 } else { 32.0 }))
        }
        None if !section.has("weight_block_size") => ("FP8".to_owned(), 8.0),
        _ => {
            keys.warn(WarningKind::BadValue, "\"weight_block_size\" is no pair of numbers: 128×128 assumed".into());
            (format!("FP8, 128×128 blocks{suffix}"), bits("FP8, 128×128 blocks"))
        }
    };
    let base = Rule::all(bits_of_all);
    let mixed = quantised_layers(keys, section);
    if !mixed.is_empty() {
        return Method::new(format!("{name}, mixed"), mixed.into_iter().chain([base]).collect());
    }
    if keys.text("expert_dtype") == Some("fp4") {
        return Method::new(format!("{name}, experts FP4"), vec![experts(bits("MXFP4")), base]);
    }
    Method::new(name, vec![base])
}

/// 8 bits, and a scale for each block: 64×64 with 32-bit scales makes `8 + 32 / 4096`.
pub(super) fn block_bits(rows: u32, columns: u32, scale: f64) -> f64 {
    8.0 + scale / (f64::from(rows) * f64::from(columns))
}

/// Half-quadratic quantisation: a 16-bit scale and a 16-bit zero per group.
fn hqq(section: &Keys) -> Option<Method> {
    let settings = section.object("quant_config").and_then(|config| config.object("weight_quant_params"));
    let settings = settings.as_ref().unwrap_or(section);
    let (width, group) = (settings.number(&["nbits"])?, settings.number_or(&["group_size"], 64).max(1));
    let bits = f64::from(width) + 32.0 / f64::from(group);
    Some(Method { read: &["skip_modules"], ..Method::new(format!("HQQ {width} bit"), vec![Rule::all(bits)]) })
}

/// PyTorch's own: by the name of the configuration's class, which says how weights are held.
fn torchao(keys: &Keys, section: &Keys) -> Option<Method> {
    let kind = section.object("quant_type").and_then(|kind| kind.object("default"));
    let class = kind.as_ref().and_then(|kind| kind.text("_type")).or(section.text("quant_type")).unwrap_or_default();
    let data = kind.as_ref().and_then(|kind| kind.object("_data")).or_else(|| section.object("quant_type_kwargs"));
    let plain = class.to_ascii_lowercase().replace('_', "");
    let group = data.and_then(|data| data.number(&["group_size"])).unwrap_or(128).max(1);
    let (name, bits) = match plain.as_str() {
        class if class.starts_with("float8") && !class.contains("int4") => ("torchao FP8", 8.0),
        class if class.starts_with("int8") && !class.contains("int4") => ("torchao INT8", 8.0),
        // A 16-bit scale and a 16-bit zero per group.
        class if class.starts_with("int4weightonly") => ("torchao INT4", 4.0 + 32.0 / f64::from(group)),
        _ => {
            keys.warn(WarningKind::Missing, format!("torchao's {class:?} is not known; 16 bit assumed"));
            return None;
        }
    };
    Some(Method::new(name, vec![Rule::all(bits)]))
}

/// ExLlama: an average over the layers, and bits of the head's own.
fn exllama(section: &Keys) -> Option<Method> {
    let bits = section.get("bits")?.as_f64().filter(|bits| (1.0..=16.0).contains(bits))?;
    let head = section.get("head_bits").and_then(serde_json::Value::as_f64);
    let head_rule = head.and_then(|head| Some(Rule::of(Pattern::new("lm_head")?, head)));
    let name = format!("EXL {bits} bit");
    let outside = if head_rule.is_some() { Outside::Head } else { Outside::Left };
    Some(Method::new(name, head_rule.into_iter().chain([Rule::all(bits)]).collect()).outside(outside))
}
