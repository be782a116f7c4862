//! The report for programs: one JSON object, versioned, in SI units.
//!
//! Numbers are seconds, bytes, bytes per second and shares of 1 unless a name says otherwise. What is
//! not known is `null`; an open end of a range is `null` too. Within one [`SCHEMA`] fields are only
//! ever added.
//!
//! A step yields `tokens_per_step` tokens to each stream. Some fields have kept a name from when every step yielded
//! one: `allreduces_per_token`, `read_bytes_per_token_per_gpu` and, but for the A/B experiment's row, each estimate's
//! `allreduce_seconds_per_token` hold a whole step's, as the fields named `per_step` beside them. The experiment times
//! tokens: its row is per token, and `per_step` is that times `tokens_per_step`.

use super::predicted::Predicted;
use crate::budget::{Analysis, Estimate, EstimateKind, LayerSaving as Saving, Memory, Rung, WhatIf};
use crate::collective::{ExperimentError, ExperimentReading};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::model::Component;
use crate::paste::Warning;
use crate::report::verdict;
use crate::scenario::{Field, GpuChoice, ModelChoice, Moment, Scenario, Source};
use crate::units::Range;
use serde::Serialize;
use std::collections::BTreeMap;

/// The name and version of the contract.
pub const SCHEMA: &str = "decodescope.report/1";

/// The quantiles reported of every latency.
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)];

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    source: Option<&'a str>,
    headline: String,
    doubts: Vec<String>,
    verdict: Vec<String>,
    next: Vec<String>,
    metrics: Vec<Metrics>,
    windows: Vec<WindowRow>,
    throughput_tokens_per_second: Option<f64>,
    model: Option<&'a str>,
    gpu: Option<&'a str>,
    gpu_name: Option<String>,
    inputs: BTreeMap<&'static str, Input>,
    tokens_per_second: Option<f64>,
    itl_seconds: Option<f64>,
    step_source: Option<Source>,
    predicted: Option<PredictedRow>,
    tokens_per_step: Option<f64>,
    ttft_seconds: Option<f64>,
    ttft_share_of_reply: Option<f64>,
    ttft_over_decode: Option<f64>,
    layers: Option<f64>,
    layer_seconds: Option<f64>,
    layer_saving: Option<LayerSaving>,
    allreduces_per_token: Option<f64>,
    allreduces_per_step: Option<f64>,
    allreduce_bytes: Option<f64>,
    experiment: Option<Experiment>,
    read_bytes_per_token_per_gpu: Option<f64>,
    read_bytes_per_step_per_gpu: Option<f64>,
    read: Vec<Read>,
    bandwidth_bytes_per_second: Option<f64>,
    memory_seconds: Option<f64>,
    bandwidth_utilisation: Option<f64>,
    estimates: Vec<EstimateRow>,
    estimate_used: Option<&'static str>,
    slices: Vec<SliceRow>,
    ceilings: Vec<Ceiling>,
    what_if: Option<WhatIfRow>,
    what_if_together: Option<TogetherRow>,
    warnings: &'a [Warning],
}

#[derive(Serialize)]
struct WindowRow {
    seconds: Option<f64>,
    itl_seconds: Option<f64>,
    ttft_seconds: Option<f64>,
    tokens: Option<f64>,
    throughput_tokens_per_second: Option<f64>,
}

#[derive(Serialize)]
struct Input {
    value: f64,
    unit: &'static str,
    source: Source,
}

#[derive(Serialize)]
struct Metrics {
    selection: String,
    product: String,
    model: Option<String>,
    engine: Option<String>,
    requests: Option<f64>,
    itl: Option<LatencyRow>,
    ttft: Option<LatencyRow>,
    prompt_tokens: Option<f64>,
    generation_tokens: Option<f64>,
    tokens_per_step: Option<f64>,
    running: Option<f64>,
    waiting: Option<f64>,
    preemptions: Option<f64>,
    kv_cache_usage: Option<f64>,
    prefix_hit_rate: Option<f64>,
    mean_seconds: BTreeMap<Meaning, f64>,
}

#[derive(Serialize)]
struct LatencyRow {
    metric: String,
    count: f64,
    sum_seconds: Option<f64>,
    mean_seconds: Option<f64>,
    buckets: Vec<BucketRow>,
    quantiles: BTreeMap<&'static str, QuantileRow>,
}

#[derive(Serialize)]
struct BucketRow {
    le: Bound,
    count: f64,
}

/// A bucket's bound: a number, or the text `+Inf`, which JSON has no number for.
#[derive(Serialize)]
#[serde(untagged)]
enum Bound {
    Finite(f64),
    Infinite(&'static str),
}

#[derive(Serialize)]
struct QuantileRow {
    bucket: [Bound; 2],
    interpolated_seconds: Option<f64>,
    low_seconds: f64,
    high_seconds: f64,
}

#[derive(Serialize)]
struct LayerSaving {
    per_layer_seconds: f64,
    share: f64,
    tokens_per_second: f64,
    gain_tokens_per_second: f64,
    first_order_gain_tokens_per_second: f64,
    more_than_a_layer: bool,
    memory_allows_tokens_per_second: Option<f64>,
}

#[derive(Serialize, Default)]
struct Experiment {
    saved_seconds_per_token: Option<f64>,
    saved_seconds_per_allreduce: Option<f64>,
    speedup: Option<f64>,
    slower_step_seconds: Option<f64>,
    slower_run_allreduce_share_at_least: Option<f64>,
    error: Option<String>,
}

#[derive(Serialize)]
struct Read {
    component: Component,
    bytes: f64,
}

#[derive(Serialize)]
struct EstimateRow {
    name: &'static str,
    title: &'static str,
    step_seconds: f64,
    allreduce_seconds_per_token: Range<f64>,
    allreduce_seconds_per_step: Range<f64>,
    allreduce_share: Range<f64>,
    ceiling_tokens_per_second: Range<f64>,
}

#[derive(Serialize)]
struct SliceRow {
    part: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct Ceiling {
    name: String,
    idealises: &'static str,
    tokens_per_second: Range<f64>,
}

#[derive(Serialize)]
struct WhatIfRow {
    step_seconds: Range<f64>,
    tokens_per_second: Range<f64>,
    memory_allows_tokens_per_second: Option<f64>,
}

#[derive(Serialize)]
struct TogetherRow {
    layer_saving_seconds: f64,
    step_seconds: Range<f64>,
    tokens_per_second: Range<f64>,
    memory_allows_tokens_per_second: Option<f64>,
}

#[derive(Serialize)]
struct PredictedRow {
    step_seconds: Range<f64>,
    tokens_per_second: Range<f64>,
    fits: bool,
}

/// Writes the report as indented JSON.
#[must_use]
pub fn json(scenario: &Scenario, analysis: &Analysis, warnings: &[Warning]) -> String {
    let said = verdict(scenario, analysis);
    let step = analysis.step.as_ref();
    let memory = analysis.memory.as_ref();
    let report = Report {
        schema: SCHEMA,
        source: scenario.measured.as_ref().map(|measured| measured.name.as_str()),
        headline: said.headline,
        doubts: said.doubts,
        verdict: said.sentences,
        next: said.next,
        metrics: metrics(scenario),
        windows: scenario.measured.iter().flat_map(|measured| &measured.windows).map(window).collect(),
        throughput_tokens_per_second: scenario.measured.as_ref().and_then(|m| m.throughput()).map(|speed| speed.get()),
        model: scenario.model.as_ref().map(|model| match model {
            ModelChoice::Preset(id) => id.as_str(),
            ModelChoice::Custom(configured) => configured.architecture.name.as_str(),
        }),
        gpu: scenario.gpu.as_ref().map(GpuChoice::id),
        gpu_name: scenario.gpu().map(|gpu| gpu.name.into_owned()),
        inputs: inputs(scenario),
        tokens_per_second: step.map(|step| step.speed.get()),
        itl_seconds: step.map(|step| step.time.value.get()),
        step_source: step.map(|step| step.time.source),
        predicted: Predicted::of(scenario).map(|predicted| PredictedRow {
            step_seconds: predicted.time.map(|time| time.get()),
            tokens_per_second: predicted.speed.map(|speed| speed.get()),
            fits: predicted.fits,
        }),
        tokens_per_step: step.map(|step| step.tokens),
        ttft_seconds: scenario.si(Field::TimeToFirstToken).filter(|_| analysis.first_token.is_possible()),
        ttft_share_of_reply: analysis.reply.map(|reply| reply.share_of_reply.get()),
        ttft_over_decode: analysis.reply.map(|reply| reply.over_decode.get()),
        layers: analysis.layers.map(|layers| layers.value),
        layer_seconds: analysis.layer_time().map(|time| time.get()),
        layer_saving: analysis.saving.map(layer_saving),
        allreduces_per_token: analysis.traffic.map(|traffic| traffic.per_step),
        allreduces_per_step: analysis.traffic.map(|traffic| traffic.per_step),
        allreduce_bytes: analysis.traffic.map(|traffic| traffic.message.get()),
        experiment: analysis.experiment.as_ref().map(experiment),
        read_bytes_per_token_per_gpu: memory.map(|memory| memory.bytes.get()),
        read_bytes_per_step_per_gpu: memory.map(|memory| memory.bytes.get()),
        read: memory.map(read).unwrap_or_default(),
        bandwidth_bytes_per_second: memory.map(|memory| memory.bandwidth.value.get()),
        memory_seconds: memory.map(|memory| memory.time.get()),
        bandwidth_utilisation: memory.filter(|_| step.is_some()).map(|memory| memory.utilisation.get()),
        estimates: analysis.estimates.iter().map(|one| estimate(one, step.map_or(1.0, |step| step.tokens))).collect(),
        estimate_used: analysis.chosen.map(|chosen| chosen.kind.key()),
        slices: analysis
            .slices
            .iter()
            .map(|slice| SliceRow { part: slice.part.key(), seconds: slice.time.get() })
            .collect(),
        ceilings: analysis.rungs.iter().map(ceiling).collect(),
        what_if: analysis.what_if.filter(|what_if| what_if.changes_anything).map(what_if),
        what_if_together: analysis.together.zip(analysis.saving).map(|(outcome, saving)| TogetherRow {
            layer_saving_seconds: saving.per_layer.get(),
            step_seconds: outcome.step.map(|step| step.get()),
            tokens_per_second: outcome.speed.map(|speed| speed.get()),
            memory_allows_tokens_per_second: outcome.passes.map(|most| most.get()),
        }),
        warnings,
    };
    // Writing to memory what serialises without fail cannot fail; an empty object would say so if it did.
    serde_json::to_string_pretty(&report).unwrap_or_else(|_| "{}".to_owned())
}

fn layer_saving(saving: Saving) -> LayerSaving {
    LayerSaving {
        per_layer_seconds: saving.per_layer.get(),
        share: saving.share.get(),
        tokens_per_second: saving.speed.get(),
        gain_tokens_per_second: saving.gain.get(),
        first_order_gain_tokens_per_second: saving.first_order_gain.get(),
        more_than_a_layer: saving.too_much.is_some(),
        memory_allows_tokens_per_second: saving.passes.map(|most| most.get()),
    }
}

fn what_if(outcome: WhatIf) -> WhatIfRow {
    WhatIfRow {
        step_seconds: outcome.step.map(|step| step.get()),
        tokens_per_second: outcome.speed.map(|speed| speed.get()),
        memory_allows_tokens_per_second: outcome.passes.map(|most| most.get()),
    }
}

fn inputs(scenario: &Scenario) -> BTreeMap<&'static str, Input> {
    Field::ALL
        .iter()
        .filter_map(|&field| {
            let value = scenario.value(field)?;
            let spec = field.spec();
            Some((spec.key, Input { value: value.value, unit: spec.unit, source: value.source }))
        })
        .collect()
}

fn metrics(scenario: &Scenario) -> Vec<Metrics> {
    let Some(measured) = &scenario.measured else { return Vec::new() };
    measured
        .selections()
        .into_iter()
        .map(|selection| {
            let set = selection.of(&measured.sets);
            metrics_of(selection.to_string(), set)
        })
        .collect()
}

fn metrics_of(selection: String, set: ServingMetrics) -> Metrics {
    let latency =
        |meaning| set.histograms.get(&meaning).map(|latency| latency_row(latency.metric.clone(), &latency.histogram));
    Metrics {
        requests: set.requests(),
        itl: latency(Meaning::InterTokenLatency),
        ttft: latency(Meaning::TimeToFirstToken),
        prompt_tokens: set.value(Meaning::PromptTokens),
        generation_tokens: set.value(Meaning::GenerationTokens),
        tokens_per_step: set.tokens_per_step(),
        running: set.value(Meaning::RequestsRunning),
        waiting: set.value(Meaning::RequestsWaiting),
        preemptions: set.value(Meaning::Preemptions),
        kv_cache_usage: set.value(Meaning::KvCacheUsage),
        prefix_hit_rate: set.prefix_hit_rate().map(|rate| rate.get()),
        mean_seconds: Meaning::TIMES.iter().filter_map(|&meaning| Some((meaning, set.mean(meaning)?.get()))).collect(),
        selection,
        model: set.selection.model,
        engine: set.selection.engine,
        product: set.product,
    }
}

fn latency_row(metric: String, histogram: &Histogram) -> LatencyRow {
    LatencyRow {
        metric,
        count: histogram.total(),
        sum_seconds: histogram.sum,
        mean_seconds: histogram.mean(),
        buckets: histogram
            .buckets
            .iter()
            .map(|bucket| BucketRow { le: bound(bucket.le), count: bucket.count })
            .collect(),
        quantiles: QUANTILES
            .iter()
            .filter_map(|&(name, q)| {
                let quantile = histogram.quantile(q)?;
                let row = QuantileRow {
                    bucket: [bound(quantile.bucket.0), bound(quantile.bucket.1)],
                    interpolated_seconds: quantile.interpolated,
                    low_seconds: quantile.low,
                    high_seconds: quantile.high,
                };
                Some((name, row))
            })
            .collect(),
    }
}

fn window(moment: &Moment) -> WindowRow {
    WindowRow {
        seconds: moment.duration.map(|duration| duration.get()),
        itl_seconds: moment.inter_token_latency.map(|latency| latency.get()),
        ttft_seconds: moment.time_to_first_token.map(|latency| latency.get()),
        tokens: moment.tokens,
        throughput_tokens_per_second: moment.throughput().map(|speed| speed.get()),
    }
}

fn bound(value: f64) -> Bound {
    if value == f64::INFINITY { Bound::Infinite("+Inf") } else { Bound::Finite(value) }
}

fn experiment(outcome: &Result<ExperimentReading, ExperimentError>) -> Experiment {
    match outcome {
        Ok(reading) => Experiment {
            saved_seconds_per_token: Some(reading.saved_per_token.get()),
            saved_seconds_per_allreduce: reading.saved_per_allreduce.map(|saved| saved.get()),
            speedup: Some(reading.speedup),
            slower_step_seconds: Some(reading.slower_step.get()),
            slower_run_allreduce_share_at_least: Some(reading.slower_share_at_least.get()),
            error: None,
        },
        Err(error) => Experiment { error: Some(error.to_string()), ..Experiment::default() },
    }
}

fn read(memory: &Memory) -> Vec<Read> {
    memory.components().into_iter().map(|(component, bytes)| Read { component, bytes: bytes.get() }).collect()
}

fn estimate(estimate: &Estimate, tokens_per_step: f64) -> EstimateRow {
    let tokens = if estimate.kind == EstimateKind::Experiment { tokens_per_step } else { 1.0 };
    EstimateRow {
        name: estimate.kind.key(),
        title: estimate.kind.title(),
        step_seconds: estimate.step.get(),
        allreduce_seconds_per_token: estimate.time.map(|time| time.get()),
        allreduce_seconds_per_step: estimate.time.map(|time| time.get() * tokens),
        allreduce_share: estimate.share.map(|share| share.get()),
        ceiling_tokens_per_second: estimate.ceiling.map(|speed| speed.get()),
    }
}

fn ceiling(rung: &Rung) -> Ceiling {
    Ceiling {
        name: rung.kind.key(),
        idealises: rung.kind.idealises(),
        tokens_per_second: rung.speed.map(|speed| speed.get()),
    }
}
