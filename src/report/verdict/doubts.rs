//! What cannot be right, each with what to check.

use super::ROUNDING;
use crate::budget::{Analysis, Memory, Part};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::paste::WarningKind;
use crate::scenario::{Field, Scenario, Source};
use crate::units::format::{count, many, show, trimmed};
use crate::units::{Bytes, Ratio};

/// Streams and context are means of their own: their product may be this many times what is held at once.
const PRODUCT_OF_MEANS: f64 = 1.1;
/// From this share of hits on, streams share so much of their prompts that their tokens do not add up.
const SHARED_PREFIXES: f64 = 0.05;

/// What cannot be right, with what to check. As long as nobody has said the hardware, only what the dump itself says.
pub(super) fn doubts(scenario: &Scenario, analysis: &Analysis, metrics: Option<&ServingMetrics>) -> Vec<String> {
    let mut doubts = Vec::new();
    let said = !scenario.left_over.any();
    if said {
        doubts.extend(analysis.memory.as_ref().and_then(|memory| weights(memory).or_else(|| cache(scenario, memory))));
    }
    doubts.extend(metrics.and_then(|set| servers_cache(scenario, set)));
    let number = |field| scenario.value(field).map_or(1.0, |value| value.value);
    let (ranks, gpus) = (number(Field::TensorParallel), number(Field::Gpus));
    if ranks > gpus {
        doubts.push(format!("Tensor parallel {} needs as many GPUs; there are {}.", trimmed(ranks), trimmed(gpus)));
    }
    let measured = scenario.value(Field::InterTokenLatency).is_some_and(|itl| itl.source == Source::Measured);
    if let Some(histogram) = metrics.and_then(|set| set.histogram(Meaning::InterTokenLatency)).filter(|_| measured) {
        let (_, issues) = Histogram::from_cumulative(histogram.cumulative(), histogram.sum, histogram.count);
        let broken = issues.into_iter().filter(|issue| issue.kind() == WarningKind::Inconsistent);
        doubts.extend(broken.map(|issue| format!("The inter-token latency contradicts itself: {issue}.")));
    }
    if said {
        doubts.extend(too_much_explained(analysis));
    }
    doubts
}

fn weights(memory: &Memory) -> Option<String> {
    memory.overflows().then(|| {
        format!(
            "The weights take {} on each GPU, more than its {}: check how many GPUs there are, tensor parallel and the bits per weight.",
            show(memory.read.resident_weights),
            show(memory.capacity.unwrap_or_default()),
        )
    })
}

fn cache(scenario: &Scenario, memory: &Memory) -> Option<String> {
    let (weights, cache): (Bytes, Bytes) = (memory.read.resident_weights, memory.read.resident_cache);
    let capacity = memory.capacity.filter(|capacity| weights + cache > *capacity)?;
    Some(format!(
        "The KV cache of {} of {} takes {} on each GPU, of which the weights leave {} of {}: check the streams at once, the \
         context, the GPUs and the cache's bits.",
        many(scenario.value(Field::Batch)?.value, "stream"),
        many(scenario.value(Field::Context)?.value, "token"),
        show(cache),
        show(capacity - weights),
        show(capacity),
    ))
}

/// # Limits
/// Streams that share a prefix hold it once: where the prefix cache hits, nothing is said.
fn servers_cache(scenario: &Scenario, set: &ServingMetrics) -> Option<String> {
    let capacity = scenario.cache_capacity().filter(|capacity| *capacity > 0.0)?;
    let (streams, context) = (scenario.value(Field::Batch)?.value, scenario.value(Field::Context)?.value);
    let shared = set.prefix_hit_rate().is_some_and(|rate| rate.get() > SHARED_PREFIXES);
    (!shared && streams * context > capacity * PRODUCT_OF_MEANS).then(|| {
        format!(
            "{} of {} are {} tokens, but the server says that its KV cache holds {}: check the streams at once and the context.",
            many(streams, "stream"),
            many(context, "token"),
            count((streams * context).round()),
            count(capacity.floor()),
        )
    })
}

fn too_much_explained(analysis: &Analysis) -> Option<String> {
    let step = analysis.step.as_ref().filter(|step| step.time.source != Source::Modelled)?;
    let memory = analysis.memory.as_ref().map_or(0.0, |memory| memory.utilisation.get());
    let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual).map(|slice| slice.time);
    let over = residual.map_or(0.0, |residual| -(residual / step.time.value));
    if memory > 1.0 + ROUNDING {
        Some(format!(
            "Reading the weights alone would take {} of the step: check the GPUs, tensor parallel, the bandwidth, the bits per \
             weight, and whether a step yields several tokens.",
            show(Ratio::new(memory))
        ))
    } else if over > ROUNDING {
        Some(format!(
            "The parts exceed the step by {}: check the bandwidth, the bits per weight and the allreduce estimate, or parts \
             overlap.",
            show(step.time.value * over)
        ))
    } else {
        None
    }
}
