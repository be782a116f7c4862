//! Compressed-tensors, as LLM Compressor writes it: groups of targets, each with a scheme.

use super::formats::bits;
use super::integer::integer_bits;
use super::methods::{Method, Outside, Rule, block_bits, patterns};
use crate::model::config::Keys;
use crate::paste::WarningKind;

/// Groups of targets, each with a scheme for its weights.
pub(super) fn compressed_tensors(keys: &Keys, section: &Keys) -> Method {
    let mut rules = Vec::new();
    let mut names = Vec::new();
    let groups = section.object("config_groups");
    for group in groups.iter().flat_map(|groups| groups.names().filter_map(|name| groups.object(name))) {
        let Some(weights) = group.object("weights") else { continue };
        let (name, bits) = scheme(&weights);
        let targets = group.texts("targets").unwrap_or_default();
        // `Linear` is the class of every matrix.
        let all = targets.is_empty() || targets.contains(&"Linear");
        rules.push(Rule { targets: (!all).then(|| patterns(keys, targets)), bits });
        names.push(name);
    }
    let sparsity = section.object("sparsity_config");
    if sparsity.as_ref().and_then(|sparse| sparse.text("format")).is_some_and(|format| format != "dense") {
        keys.warn(WarningKind::Missing, "weights are stored sparsely: they are counted whole".into());
    }
    let method = Method::new(names.join(" + "), rules).outside(Outside::UnlessListed);
    Method { read: &["sparsity_config"], ..method }
}

/// Name and bits of a scheme.
fn scheme(weights: &Keys) -> (String, f64) {
    let width = weights.number_or(&["num_bits"], 16);
    let size = weights.number(&["group_size"]).filter(|&size| size > 0);
    if weights.text("type") != Some("float") {
        let zeros = weights.flag("symmetric") == Some(false);
        return (format!("INT{width}"), integer_bits(width, size, zeros));
    }
    match (width, size) {
        (4, Some(16)) => ("NVFP4".into(), bits("NVFP4")),
        (4, _) => ("MXFP4".into(), bits("MXFP4")),
        (8, Some(32)) => ("MXFP8".into(), bits("MXFP8")),
        (8, _) if weights.text("strategy") == Some("block") => {
            let (rows, columns) = match weights.numbers("block_structure").as_deref() {
                Some(&[rows, columns]) if rows > 0 && columns > 0 => (rows, columns),
                _ => (128, 128),
            };
            (format!("FP8, {rows}×{columns} blocks"), block_bits(rows, columns, 32.0))
        }
        _ => (format!("FP{width}"), f64::from(width)),
    }
}
