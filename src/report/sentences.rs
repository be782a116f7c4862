//! Sentences and rows that the page and the terminal share.

use crate::budget::{Analysis, Part, layer_slices};
use crate::collective::{ExperimentError, ExperimentReading};
use crate::metrics::Meaning;
use crate::scenario::{Field, Measured, Scenario};
use crate::units::format::{count, show, show_message, show_micros, significant, trimmed};
use crate::units::{Ratio, Seconds};

/// What the A/B experiment says.
#[must_use]
pub fn experiment_sentence(outcome: &Result<ExperimentReading, ExperimentError>) -> String {
    match outcome {
        Ok(reading) => format!(
            "A/B experiment: {} a token saved{}, {} faster; so at least {} of the slower run's step was allreduce.",
            show(reading.saved_per_token),
            reading
                .saved_per_allreduce
                .map_or(String::new(), |saved| format!(" ({} an allreduce)", show_micros(saved))),
            show(Ratio::new(reading.speedup - 1.0)),
            show(reading.slower_share_at_least),
        ),
        Err(error) => format!("A/B experiment: {error}."),
    }
}

/// What each layer has to do, in order, with what it takes by the budget.
#[must_use]
pub fn layer_sentence(scenario: &Scenario, analysis: &Analysis) -> Option<String> {
    let layers = analysis.layers?.value;
    let slices = layer_slices(&analysis.slices, layers);
    let time = |part| slices.iter().find(|slice| slice.part == part).map(|slice| slice.time);
    let mut work = Vec::new();
    let per_layer = analysis.traffic.filter(|t| t.per_step > 0.0).map_or(0.0, |traffic| traffic.per_step / layers);
    let allreduce = time(Part::Allreduce).map(|time| show_micros(time / per_layer).to_string());
    let message = scenario.allreduce_message().map(|message| show_message(message).to_string());
    let reduce = |work: &mut Vec<String>| {
        if let (Some(one), Some(message)) = (&allreduce, &message) {
            work.push(format!("an allreduce of {message} ({one})"));
        }
    };
    if let Some(attention) = time(Part::Attention) {
        work.push(format!("attention ({} to read its weights and the cache)", show_micros(attention)));
    }
    if per_layer >= 2.0 {
        reduce(&mut work);
    }
    if let Some(feed_forward) = time(Part::FeedForward) {
        let read = show_micros(feed_forward);
        work.push(if analysis.has_experts() {
            format!("the MLP or the experts that are hit ({read} to read them)")
        } else {
            format!("the MLP ({read} to read it)")
        });
    }
    if per_layer >= 1.0 {
        reduce(&mut work);
    }
    let last = work.pop()?;
    let list = if work.is_empty() { last } else { format!("{}, then {last}", work.join(", then ")) };
    let narrow = scenario.value(Field::WeightBits).is_some_and(|bits| bits.value < 16.0);
    let dequantisation = if narrow {
        " Weights are dequantised inside the matrix kernels; that work is part of the residual."
    } else {
        ""
    };
    Some(format!("On average each layer does {list}.{dequantisation}"))
}

/// What else the dump says: requests, tokens, queue, cache, speculation; name, value, and what it means.
#[must_use]
pub fn server_facts(measured: &Measured) -> Vec<(String, String)> {
    let set = measured.selected();
    let counts = [
        Meaning::RequestsFinished,
        Meaning::RequestsRunning,
        Meaning::RequestsWaiting,
        Meaning::PromptTokens,
        Meaning::GenerationTokens,
        Meaning::Preemptions,
    ];
    let mut facts: Vec<(String, String)> =
        counts.iter().filter_map(|&meaning| Some((meaning.title().to_owned(), count(set.value(meaning)?)))).collect();
    let mut add = |name: &str, value: Option<String>| facts.extend(value.map(|value| (name.to_owned(), value)));
    add("all streams, between the scrapes", measured.throughput().map(|speed| show(speed).to_string()));
    // More than the whole, or less than nothing, is no share; where a gauge says so, a remark tells it.
    let share = |share: Option<Ratio>| {
        share.filter(|share| (-0.001..1.001).contains(&share.get())).map(|share| show(share).to_string())
    };
    add("draft tokens accepted", share(set.acceptance_rate()));
    add("tokens per engine step", set.tokens_per_iteration().map(|tokens| significant(tokens, 3)));
    add("KV cache holds", set.value(Meaning::KvCacheCapacity).map(|tokens| format!("{} tokens", count(tokens))));
    add("KV cache type", set.value(Meaning::KvCacheBits).map(|bits| format!("{} bit", significant(bits, 3))));
    add("share of memory taken", share(set.value(Meaning::MemoryShare).map(Ratio::new)));
    add("KV cache in use", share(set.value(Meaning::KvCacheUsage).map(Ratio::new)));
    add("prefix cache hit rate", share(set.prefix_hit_rate()));
    add("tokens per step and stream", set.tokens_per_step().map(trimmed));
    let means = [
        Meaning::QueueTime,
        Meaning::PrefillTime,
        Meaning::DecodeTime,
        Meaning::EndToEndLatency,
        Meaning::TimePerOutputToken,
    ];
    for meaning in means {
        let mean = set.mean(meaning).map(|mean: Seconds| show(mean).to_string());
        add(&format!("mean {}", meaning.title()), mean);
    }
    facts
}
