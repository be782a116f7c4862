//! What a checkpoint declares about its quantisation: `quantization_config` in `config.json`, or a
//! `hf_quant_config.json` beside it.

use super::Quantisation;
use super::methods::{Method, Outside, method, patterns};
use super::modules::{EMBEDDING, HEAD, modules};
use super::pattern::Pattern;
use super::recipes::leaving;
use crate::model::architecture::{Architecture, MOST_LAYERS};
use crate::model::config::Keys;
use crate::model::part::Component;
use crate::model::precision::Precision;
use crate::paste::WarningKind;
use std::collections::BTreeMap;

/// Where methods list the modules they leave in 16 bit.
const EXCLUSIONS: [&str; 7] = [
    "ignore",
    "exclude_modules",
    "modules_to_not_convert",
    "ignored_layers",
    "llm_int8_skip_modules",
    "exclude",
    "skip_modules",
];

/// A declaration: rules that give modules bits; the first that fits holds, modules none fits stay
/// in 16 bit.
struct Declaration {
    method: Method,
    left: Vec<Pattern>,
    /// Whether there is a list of what is left, be it empty.
    lists: bool,
    kv_bits: Option<f64>,
}

/// Reads the declaration in a configuration, for its architecture.
pub(in crate::model) fn declared(keys: &Keys, architecture: &Architecture) -> Option<Quantisation> {
    let section = ["quantization_config", "quantization"].iter().find_map(|key| keys.object(key))?;
    let declaration = declaration(keys, &section)?;
    let quantisation = apply(&declaration, architecture);
    if quantisation.precision.is_16_bit() {
        let name = &declaration.method.name;
        let message = format!("quantisation {name:?} is declared, of modules that this model has none of: 16 bit");
        keys.warn(WarningKind::Inconsistent, message);
    }
    Some(quantisation)
}

/// Averages the rules over layers and modules, by their weights.
///
/// # Formula
/// `Σ parameters × bits / Σ parameters` over the modules of a component. Llama-3.1-8B in FP8
/// without `q_proj`: `(16 × 4096 + 8 × 2048) / 6144 = 13.33` bits.
fn apply(declaration: &Declaration, architecture: &Architecture) -> Quantisation {
    let mut sums: BTreeMap<Component, (f64, f64)> = BTreeMap::new();
    let groups = architecture.layers.iter().flat_map(|group| std::iter::repeat_n(&group.layer, group.count as usize));
    for (index, layer) in groups.take(MOST_LAYERS as usize).enumerate() {
        for module in modules(layer, architecture.hidden) {
            let (sum, count) = sums.entry(module.component).or_default();
            *sum += module.parameters as f64 * declaration.bits(index, module.names);
            *count += module.parameters as f64;
        }
    }
    let mut precision = declaration.outside(architecture);
    for (component, (sum, count)) in sums.into_iter().filter(|(_, (_, count))| *count > 0.0) {
        precision = precision.with(component, sum / count);
    }
    if let Some(bits) = declaration.kv_bits {
        precision.kv_bits = bits;
    }
    let attention = precision.bits(Component::AttentionProjections);
    let quantised = declaration.method.rules.iter().map(|rule| rule.bits).fold(16.0, f64::min);
    let suffix = if attention == 16.0 && quantised < 16.0 { ", attention in 16 bit" } else { "" };
    Quantisation::new(format!("{}{suffix}", declaration.method.name), precision)
}

impl Declaration {
    /// The bits of a module that goes by these names.
    fn bits(&self, layer: usize, names: &[&str]) -> f64 {
        let any = |fits: &dyn Fn(&str) -> bool| names.iter().any(|name| fits(name));
        if any(&|name| self.left.iter().any(|pattern| pattern.matches(layer, name))) {
            return 16.0;
        }
        self.method.rules.iter().find(|rule| any(&|name| rule.fits(layer, name))).map_or(16.0, |rule| rule.bits)
    }

    /// The bits of what is in no layer.
    fn bits_outside(&self, names: &[&str]) -> f64 {
        if self.left.iter().any(|pattern| names.iter().any(|name| pattern.matches_outside(name))) {
            return 16.0;
        }
        self.method.rules.iter().find(|rule| rule.fits_outside(names)).map_or(16.0, |rule| rule.bits)
    }

    /// The precision before any layer is looked at: 16 bit, but for what the method quantises outside them.
    fn outside(&self, architecture: &Architecture) -> Precision {
        let precision = leaving(16.0, &[]);
        match self.method.outside {
            // A list that does not name the head leaves it to the targets, which are every matrix. A tied
            // head is the embedding, which no such method quantises.
            Outside::UnlessListed if self.lists && !architecture.tied_embeddings => {
                precision.with(Component::LmHead, self.bits_outside(HEAD))
            }
            Outside::Head => precision.with(Component::LmHead, self.bits_outside(HEAD)),
            Outside::Tables => {
                let embedding = self.bits_outside(EMBEDDING);
                let head = if architecture.tied_embeddings { embedding } else { self.bits_outside(HEAD) };
                precision
                    .with(Component::Embedding, embedding)
                    .with(Component::PerLayerEmbedding, embedding)
                    .with(Component::LmHead, head)
                    .with(Component::LatentUpProjection, self.bits(0, &["self_attn.kv_b_proj"]))
            }
            Outside::UnlessListed | Outside::Left => precision,
        }
    }
}

fn declaration(keys: &Keys, section: &Keys) -> Option<Declaration> {
    let method = method(keys, section)?;
    if method.rules.is_empty() {
        keys.warn(WarningKind::Missing, format!("quantisation {:?} is not known; 16 bit assumed", method.name));
        return None;
    }
    let mut left = Vec::new();
    for key in EXCLUSIONS {
        match section.texts(key) {
            Some(names) => left.extend(patterns(keys, names)),
            None if section.has(key) => {
                keys.warn(WarningKind::BadValue, format!("{key:?} is no list of names: nothing is left out for it"));
            }
            None => {}
        }
    }
    // Where a second scheme is laid over block FP8, what it leaves out stays FP8, not 16 bit.
    if method.rules.len() > 1 && section.text("quant_method") == Some("fp8") {
        left.clear();
    }
    for name in section.names().filter(|name| !method.read.contains(name) && !EXCLUSIONS.contains(name)) {
        let selects =
            ["ignore", "exclu", "skip", "not_convert", "dynamic", "sparsity"].iter().any(|it| name.contains(it));
        let says = section.get(name).is_some_and(|value| {
            value.as_object().is_some_and(|object| !object.is_empty())
                || value.as_array().is_some_and(|list| !list.is_empty())
        });
        if selects && says {
            keys.warn(WarningKind::Missing, format!("{name:?} of the quantisation is not understood, and left out"));
        }
    }
    let lists = EXCLUSIONS.iter().any(|key| section.has(key));
    left.extend(method.left);
    Some(Declaration { method: Method { left: Vec::new(), ..method }, left, lists, kv_bits: kv_bits(section) })
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
