//! Several processes or engines behind one text.

use super::Scene;
use crate::metrics::meaning::Meaning;
use crate::units::Ratio;
use crate::units::format::{count, show};
use std::collections::BTreeSet;

/// Every API server exports the share of the one cache.
pub fn one_share_per_process(scene: &Scene<'_>) -> Option<String> {
    let of_usage = scene.series.keys().filter(|key| key.metric.ends_with("cache_usage_perc"));
    let processes: BTreeSet<&str> = of_usage.filter_map(|key| key.label("pid")).collect();
    (processes.len() > 1).then(|| {
        format!(
            "{} processes each export the use of the KV cache (label pid), and only one of them knows it: the largest \
             of each engine is taken; averaged over all it would be too low",
            count(processes.len() as f64)
        )
    })
}

/// A share that several processes were added up to.
pub fn share_above_one(scene: &Scene<'_>) -> Option<String> {
    let usage = scene.all.value(Meaning::KvCacheUsage).filter(|usage| *usage > 1.001)?;
    Some(format!(
        "the KV cache is said to be {} full: the server added up several processes' gauges, or gives per cent where \
         a share is expected",
        show(Ratio::new(usage))
    ))
}

/// A gap in the engines' numbers.
pub fn engine_missing(scene: &Scene<'_>) -> Option<String> {
    let numbers = scene.sets.iter().filter_map(|set| set.selection.engine.as_deref()?.parse::<u32>().ok());
    let numbers: BTreeSet<u32> = numbers.collect();
    let last = *numbers.last().filter(|last| **last < 4096)?;
    let missing: Vec<String> =
        (0..last).filter(|number| !numbers.contains(number)).map(|number| number.to_string()).collect();
    // A single engine with a number of its own is a scrape of one rank.
    if missing.is_empty() || numbers.len() < 2 {
        return None;
    }
    Some(format!(
        "engines up to {last} are in this dump but not {}: with several API servers, vLLM before 0.10.2 shows only a \
         part, so totals are too low",
        missing.join(", ")
    ))
}

/// Triton counts a request once in each model it passes.
pub fn ensemble(scene: &Scene<'_>) -> Option<String> {
    let triton = scene.sets.iter().filter(|set| set.product == "Triton");
    let models: BTreeSet<&str> = triton.filter_map(|set| set.selection.model.as_deref()).collect();
    (models.len() > 1).then(|| {
        let models = models.into_iter().collect::<Vec<_>>().join(", ");
        format!(
            "Triton counts a request once in each model it passes ({models}): all together counts it several times, \
             so choose one"
        )
    })
}
