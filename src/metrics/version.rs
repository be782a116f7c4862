//! Which release of vLLM a dump may come from, by the names and buckets that came and went.

use super::dump::NameCount;
use super::engines;
use super::histogram::Histogram;
use super::meaning::Meaning;
use super::series::{Content, Series, SeriesKey, SeriesMap};
use std::fmt;

/// The releases a dump may come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionHint {
    /// Whose releases.
    pub product: &'static str,
    /// This one or a later one, and why.
    pub at_least: Option<(&'static str, &'static str)>,
    /// One before this, and why.
    pub before: Option<(&'static str, &'static str)>,
}

impl fmt::Display for VersionHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.product)?;
        match (self.at_least, self.before) {
            (Some((least, has)), Some((before, had))) => {
                write!(f, "{least} or later but before {before} ({has}; {had})")
            }
            (Some((least, has)), None) => write!(f, "{least} or later ({has})"),
            (None, Some((before, had))) => write!(f, "before {before} ({had})"),
            (None, None) => f.write_str("of unknown release"),
        }
    }
}

/// Names, the release they came with, and why that shows. Dates are those of the changes in its repository.
const CAME: &[(&str, &str, &str)] = &[
    ("num_requests_waiting_by_reason", "0.23", "num_requests_waiting_by_reason came with it"),
    ("prompt_tokens_by_source", "0.15", "prompt_tokens_by_source came after it"),
    ("request_prefill_kv_computed_tokens", "0.13", "request_prefill_kv_computed_tokens came with it"),
    ("engine_sleep_state", "0.11.1", "engine_sleep_state came with it"),
    ("request_time_per_output_token_seconds", "0.11", "request_time_per_output_token_seconds came with it"),
    ("inter_token_latency_seconds", "0.10.2", "inter_token_latency_seconds came with it"),
    ("kv_cache_usage_perc", "0.9.2", "kv_cache_usage_perc came with it"),
    ("gpu_prefix_cache_queries", "0.8", "gpu_prefix_cache_queries came with it"),
    ("request_queue_time_seconds", "0.6.4", "request_queue_time_seconds came with it"),
];

/// Names and the release that no longer has them.
const WENT: &[(&str, &str, &str)] = &[
    ("avg_generation_throughput_toks_per_s", "0.7", "which dropped avg_generation_throughput_toks_per_s"),
    ("gpu_prefix_cache_hit_rate", "0.9.1", "which dropped gpu_prefix_cache_hit_rate"),
    ("num_requests_swapped", "0.9.1", "which dropped num_requests_swapped"),
    ("gpu_cache_usage_perc", "0.12", "which dropped gpu_cache_usage_perc"),
    ("time_per_output_token_seconds", "0.15", "which dropped time_per_output_token_seconds"),
];

/// What the names and buckets say; `None` for other engines, and where they say nothing or contradict each other.
pub(super) fn version_hint(names: &[NameCount], series: &SeriesMap) -> Option<VersionHint> {
    let vllm = engines::by_title("vLLM")?;
    let bare: Vec<&str> = names.iter().filter_map(|name| vllm.bare(&name.name)).collect();
    if bare.is_empty() {
        return None;
    }
    let find = |table: &'static [(&str, &str, &str)]| table.iter().filter(|row| bare.contains(&row.0));
    let mut came: Vec<(&str, &str)> = find(CAME).map(|(_, release, why)| (*release, *why)).collect();
    let mut went: Vec<(&str, &str)> = find(WENT).map(|(_, release, why)| (*release, *why)).collect();

    let own = || series.iter().filter(|(_, one)| std::ptr::eq(one.engine(), vllm));
    let known = |meaning: Meaning| names.iter().filter(move |name| name.meaning == Some(meaning));
    let histogram = |meaning: Meaning| {
        let first = known(meaning).find_map(|name| {
            let from = SeriesKey { metric: name.name.clone(), labels: Vec::new() };
            series.range(from..).next().filter(|(key, one)| key.metric == name.name && std::ptr::eq(one.engine(), vllm))
        });
        match first {
            Some((_, Series { content: Content::Histogram(histogram), .. })) => Some(histogram),
            _ => None,
        }
    };
    if let Some(last) = histogram(Meaning::TimeToFirstToken).and_then(last_of_whole) {
        if last == 10.0 {
            went.push(("0.8.4", "which lets the buckets of time to first token go beyond 10 s"));
        } else if last == 2560.0 {
            came.push(("0.8.4", "the buckets of time to first token go to 2560 s"));
        }
    }
    let first = histogram(Meaning::EndToEndLatency).filter(|h| is_complete(h)).and_then(|h| h.buckets.first());
    match first.map(|first| first.le) {
        Some(1.0) => went.push(("0.6.4", "which lets the buckets of end-to-end latency begin at 0.3 s")),
        Some(0.3) => came.push(("0.6.4", "the buckets of end-to-end latency begin at 0.3 s")),
        _ => {}
    }
    let has_engine = own().any(|(key, _)| key.label("engine").is_some());
    if has_engine {
        came.push(("0.8.3", "series have an engine label"));
    } else if bare.contains(&"gpu_prefix_cache_queries") {
        went.push(("0.8.3", "which gives series an engine label"));
    }

    let at_least = came.into_iter().max_by_key(|(release, _)| parts(release));
    let before = went.into_iter().min_by_key(|(release, _)| parts(release));
    let contradiction = at_least.zip(before).is_some_and(|(least, before)| parts(least.0) >= parts(before.0));
    let says_something = at_least.or(before).is_some() && !contradiction;
    says_something.then_some(VersionHint { product: vllm.title, at_least, before })
}

/// Whether a histogram was not cut: its first buckets are there, and its last.
fn is_complete(histogram: &Histogram) -> bool {
    histogram.buckets.len() > 8 && histogram.buckets.last().is_some_and(|last| last.le == f64::INFINITY)
}

/// The last finite bound of a histogram that was not cut.
fn last_of_whole(histogram: &Histogram) -> Option<f64> {
    let complete = is_complete(histogram);
    histogram.buckets.iter().rev().nth(1).map(|bucket| bucket.le).filter(|_| complete)
}

fn parts(release: &str) -> Vec<u32> {
    release.split('.').filter_map(|part| part.parse().ok()).collect()
}
