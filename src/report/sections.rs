//! The whole report as a document: what the page shows, in the same order.

use super::document::{Block, Document};
use super::key_figures::what_if_figures;
use super::sentences::{experiment_sentence, layer_sentence, server_facts};
use super::verdict::{NO_TIMINGS, verdict};
use crate::budget::{Analysis, EstimateKind, layer_slices};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::paste::Warning;
use crate::scenario::{Field, ModelChoice, Moment, Scenario, Sourced};
use crate::units::format::{Quantity, count, show, show_bounds, show_message, show_micros, show_range, times, trimmed};
use crate::units::{Range, Ratio, Seconds};

/// How many warnings a report names before it only counts the rest.
const MOST_WARNINGS: usize = 20;

/// Writes the whole report.
#[must_use]
pub fn report(scenario: &Scenario, analysis: &Analysis, warnings: &[Warning]) -> Document {
    let mut document = Document::default();
    let said = verdict(scenario, analysis);
    document.blocks.push(Block::Heading(1, format!("Decodescope: {}", said.headline)));
    document.list(said.doubts);
    document.paragraph(said.sentences.join(" "));
    if scenario.measured.is_some() {
        document.paragraph(NO_TIMINGS);
    }
    if !said.next.is_empty() {
        document.section("Next");
        document.list(said.next);
    }
    system(&mut document, scenario);
    if let Some(set) = scenario.metrics() {
        measured(&mut document, scenario, &set);
    }
    step(&mut document, scenario, analysis);
    allreduce(&mut document, scenario, analysis);
    memory(&mut document, analysis);
    ceilings(&mut document, analysis);
    remarks(&mut document, warnings);
    document
}

fn row<const N: usize>(cells: [String; N]) -> Vec<String> {
    cells.into()
}

fn sourced<Q: Quantity>(value: Sourced<Q>) -> Vec<String> {
    vec![show(value.value).to_string(), value.source.word().to_owned()]
}

fn system(document: &mut Document, scenario: &Scenario) {
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String, source: &str| rows.push(row([name.to_owned(), value, source.to_owned()]));
    match &scenario.model {
        Some(ModelChoice::Preset(id)) => {
            let name = crate::model::preset(id).map_or(id.clone(), |preset| preset.name.clone());
            add("model", name, if scenario.served_model().is_some() { "measured" } else { "catalogue" });
        }
        Some(ModelChoice::Custom(configured)) => add("model", configured.architecture.name.clone(), "typed"),
        None => add("model", "not known: name it".to_owned(), ""),
    }
    match scenario.gpu() {
        Some(gpu) => {
            let from = if scenario.left_over.gpu { "example's" } else { "typed" };
            add("GPU", gpu.name.into_owned(), from);
        }
        None => add("GPU", "not known: name it".to_owned(), ""),
    }
    let fields = [
        Field::Gpus,
        Field::TensorParallel,
        Field::Bandwidth,
        Field::Layers,
        Field::Hidden,
        Field::WeightBits,
        Field::Batch,
        Field::Context,
    ];
    for field in fields {
        if let Some(value) = scenario.value(field) {
            let unit = field.spec().unit;
            let whole = value.value.fract() == 0.0;
            let text = format!("{} {unit}", if whole { count(value.value) } else { trimmed(value.value) });
            add(field.spec().label, text.trim_end().to_owned(), value.source.word());
        }
    }
    document.section("System");
    document.table(&["what", "value", "source"], rows);
}

fn measured(document: &mut Document, scenario: &Scenario, set: &ServingMetrics) {
    let Some(measured) = &scenario.measured else { return };
    document.section("Measured");
    let product = if set.product.is_empty() { "no known serving engine" } else { &set.product };
    document.paragraph(format!("{}: {product}, {}.", measured.name, measured.selection));
    let latencies = [Meaning::InterTokenLatency, Meaning::TimeToFirstToken];
    let rows = latencies.iter().filter_map(|&meaning| Some((meaning, set.histogram(meaning)?))).map(|(meaning, h)| {
        let mean = h.mean().map_or("—".to_owned(), |mean| show(Seconds::new(mean)).to_string());
        let mut cells = row([meaning.title().to_owned(), count(h.total()), mean]);
        cells.extend([0.5, 0.9, 0.99].map(|q| quantile(h, q)));
        cells
    });
    document.table(&["latency", "count", "mean", "p50", "p90", "p99"], rows.collect());
    document.paragraph(
        "Quantiles are bounds that the buckets and the sum allow; in brackets what Prometheus interpolates.",
    );
    for meaning in latencies {
        if let Some(histogram) = set.histogram(meaning).filter(|h| h.total() > 0.0 && !h.buckets.is_empty()) {
            let rows = histogram.occupied().into_iter().map(|bucket| {
                let ([low, high], unit) = show_bounds(Seconds::new(bucket.lower), Seconds::new(bucket.upper));
                row([
                    format!("{}: {low}–{high} {unit}", meaning.title()),
                    count(bucket.count),
                    show(Ratio::new(bucket.share)).to_string(),
                ])
            });
            document.table(&["bucket", "count", "share"], rows.collect());
        }
    }
    let rows = server_facts(measured).into_iter().map(|(name, value)| row([name, value]));
    document.table(&["what", "value"], rows.collect());
    windows(document, &measured.windows);
}

/// The windows between scrapes, where the numbers are of such.
fn windows(document: &mut Document, windows: &[Moment]) {
    let time = |time: Option<Seconds>| time.map_or("—".to_owned(), |time| show(time).to_string());
    let rows = windows.iter().enumerate().map(|(index, window)| {
        row([
            format!("{}", index + 1),
            time(window.duration),
            time(window.inter_token_latency),
            time(window.time_to_first_token),
            window.tokens.map_or("—".to_owned(), count),
            window.throughput().map_or("—".to_owned(), |speed| show(speed).to_string()),
        ])
    });
    let header = ["window", "duration", "inter-token latency", "time to first token", "tokens", "all streams"];
    document.table(&header, rows.collect());
}

/// A quantile as its bounds, what the buckets and the sum allow, and as Prometheus interpolates it.
fn quantile(histogram: &Histogram, q: f64) -> String {
    histogram.quantile(q).map_or("—".to_owned(), |quantile| {
        let [low, high] = [quantile.low, quantile.high].map(Seconds::new);
        let bounds = show_range(Range { low, likely: low, high });
        match quantile.interpolated {
            Some(value) => format!("{bounds} ({})", show(Seconds::new(value))),
            None => bounds.to_string(),
        }
    })
}

fn step(document: &mut Document, scenario: &Scenario, analysis: &Analysis) {
    let Some(step) = &analysis.step else { return };
    document.section("The step");
    let mut rows = vec![[vec!["decode step".to_owned()], sourced(step.time)].concat()];
    let mut add = |name: &str, value: String, how: &str| rows.push(row([name.to_owned(), value, how.to_owned()]));
    add("speed of one stream", show(step.speed).to_string(), "tokens per step / step");
    if let Some(reply) = &analysis.reply {
        let name = format!("first token, of the decode time of {} tokens", count(reply.tokens));
        add(&name, show(reply.over_decode).to_string(), "TTFT / ((tokens − 1) × ITL)");
        add("first token, of the whole reply", show(reply.share_of_reply).to_string(), "TTFT / (TTFT + decode)");
    }
    if let (Some(layers), Some(layer)) = (analysis.layers, analysis.layer_time()) {
        add(
            &format!("budget of each of {} layers", count(layers.value)),
            show_micros(layer).to_string(),
            "step / layers",
        );
    }
    for figure in what_if_figures(analysis) {
        let how = match figure.key {
            "trial" => format!("{}; {}", changes(scenario), figure.note),
            _ => figure.note,
        };
        add(&figure.label, figure.value, &how);
    }
    document.table(&["what", "value", "how"], rows);
    let per_layer = layer_slices(&analysis.slices, analysis.layers.map_or(f64::NAN, |layers| layers.value));
    let rows = analysis.slices.iter().zip(per_layer).map(|(slice, layer)| {
        row([
            slice.part.title(analysis.has_experts()).to_owned(),
            show(slice.time).to_string(),
            show_micros(layer.time).to_string(),
            show(Ratio::new(slice.time / step.time.value)).to_string(),
            slice.part.explanation(analysis.has_experts()).to_owned(),
        ])
    });
    document.table(&["part", "per step", "per layer", "share", "what it is"], rows.collect());
    if let Some(work) = layer_sentence(scenario, analysis) {
        document.paragraph(work);
    }
}

fn changes(scenario: &Scenario) -> String {
    let value = |field| scenario.value(field).map_or(1.0, |value| value.value);
    format!(
        "allreduce {} faster, {} the bytes",
        times(value(Field::AllreduceSpeedup)),
        times(value(Field::BytesFactor))
    )
}

fn allreduce(document: &mut Document, scenario: &Scenario, analysis: &Analysis) {
    let Some(traffic) = analysis.traffic.filter(|traffic| traffic.per_step > 0.0) else { return };
    document.section("Allreduce");
    document.paragraph(format!(
        "{} allreduces of {} a step, {} in each layer.",
        count(traffic.per_step),
        show_message(traffic.message),
        trimmed(scenario.value(Field::AllreducesPerLayer).map_or(f64::NAN, |value| value.value)),
    ));
    if let Some(outcome) = &analysis.experiment {
        document.paragraph(experiment_sentence(outcome));
    }
    let rows = analysis.estimates.iter().map(|estimate| {
        row([
            estimate.kind.title().to_owned(),
            show_range(estimate.time).to_string(),
            show_range(estimate.share).to_string(),
            show_range(estimate.ceiling).to_string(),
        ])
    });
    document.table(&["estimate", "time per step", "share of the step", "speed if it were free"], rows.collect());
    if let Some(fit) =
        scenario.allreduce_fit().filter(|_| analysis.estimates.iter().any(|e| e.kind == EstimateKind::AlphaBeta))
    {
        document.paragraph(format!("Latency and bandwidth are those of {}.", fit.describe()));
    }
}

fn memory(document: &mut Document, analysis: &Analysis) {
    let Some(memory) = &analysis.memory else { return };
    document.section("Memory bandwidth");
    let rows = memory.components().into_iter().map(|(component, bytes)| {
        row([component.to_string(), show(bytes).to_string(), show(bytes / memory.bandwidth.value).to_string()])
    });
    document.table(&["read per step and GPU", "bytes", "time at full bandwidth"], rows.collect());
    document.paragraph(format!(
        "Together {} in {} at {} ({}): {} of the bandwidth over the step.",
        show(memory.bytes),
        show(memory.time),
        show(memory.bandwidth.value),
        memory.bandwidth.source.word(),
        show(memory.utilisation),
    ));
}

fn ceilings(document: &mut Document, analysis: &Analysis) {
    if analysis.rungs.is_empty() {
        return;
    }
    document.section("Ceilings");
    let rows =
        analysis.rungs.iter().map(|rung| row([rung.kind.title(), show_range(rung.speed).to_string(), rung.remark()]));
    document.table(&["rung", "speed", "what it idealises"], rows.collect());
}

fn remarks(document: &mut Document, warnings: &[Warning]) {
    if warnings.is_empty() {
        return;
    }
    document.section("Remarks on the input");
    let mut items: Vec<String> = warnings.iter().take(MOST_WARNINGS).map(Warning::to_string).collect();
    if warnings.len() > MOST_WARNINGS {
        items.push(format!("and {} more", warnings.len() - MOST_WARNINGS));
    }
    document.list(items);
}
