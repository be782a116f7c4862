//! The two or three sentences that matter, and what to do next.

use crate::budget::{Analysis, Estimate, EstimateKind, Part};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::paste::WarningKind;
use crate::scenario::{Field, LeftOver, Scenario, Source};
use crate::units::Ratio;
use crate::units::format::{count, show, show_message, show_range, trimmed};

/// What a metrics endpoint cannot tell, whichever server it is.
pub const NO_TIMINGS: &str = "The metrics endpoint exports no timing per operation, so it cannot say which one takes \
the time: every share below is an estimate until a profile settles it.";

/// From this share of the step on, reading memory is what limits it.
const BANDWIDTH_BOUND: f64 = 0.6;
/// Below this share, reading memory is not the matter.
const BANDWIDTH_MINOR: f64 = 0.35;
/// Above this share of the reply's decode time, the first token matters.
const SMALL_FIRST_TOKEN: f64 = 0.25;
/// A residual of more than this share of the step is worth a profile.
const WORTH_A_PROFILE: f64 = 0.25;
/// Parts may exceed the step by this much before something must be wrong.
const ROUNDING: f64 = 0.02;

/// What an analysis comes to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// The answer in a few words.
    pub headline: String,
    /// What cannot be right, each with what to check; empty in the best case.
    pub doubts: Vec<String>,
    /// Two or three sentences.
    pub sentences: Vec<String>,
    /// What one would do next.
    pub next: Vec<String>,
}

/// Says in plain sentences what an analysis comes to.
#[must_use]
pub fn verdict(scenario: &Scenario, analysis: &Analysis) -> Verdict {
    let next = next_steps(scenario, analysis);
    let Some(step) = &analysis.step else {
        let headline =
            if scenario.measured.is_some() { "No inter-token latency here" } else { "Nothing to take apart yet" };
        return Verdict {
            headline: headline.to_owned(),
            sentences: vec![
                "There is no inter-token latency to take apart, and too little is known of model and hardware to model one."
                    .to_owned(),
            ],
            doubts: Vec::new(),
            next,
        };
    };
    let metrics = scenario.metrics();
    let mut sentences = vec![speed_sentence(scenario, analysis, metrics.as_ref())];
    sentences.extend(bandwidth_sentence(analysis));
    sentences.extend(allreduce_sentence(analysis));
    let doubts = doubts(scenario, analysis, metrics.as_ref());
    Verdict { headline: headline(scenario, analysis, step.time.source, &doubts), sentences, doubts, next }
}

fn headline(scenario: &Scenario, analysis: &Analysis, source: Source, doubts: &[String]) -> String {
    let share = |part| {
        let slice = analysis.slices.iter().find(|slice| slice.part == part);
        slice.zip(analysis.step.as_ref()).map_or(0.0, |(slice, step)| slice.time / step.time.value)
    };
    let memory = analysis.memory.as_ref().map(|memory| memory.utilisation.get());
    let first = analysis.reply.as_ref().is_some_and(|reply| reply.over_decode.get() > 1.0);
    let text = match memory {
        _ if !doubts.is_empty() => "These numbers cannot all be right",
        _ if source == Source::Modelled => "Nothing measured: this is the model's floor",
        _ if first => "The first token takes longer than all the others",
        None if scenario.model.is_some() => "Where the time goes needs the GPU",
        None if scenario.gpu.is_some() => "Where the time goes needs the model",
        None => "Where the time goes needs the model and the GPU",
        Some(memory) if memory >= BANDWIDTH_BOUND => "Memory bandwidth is the limit",
        Some(memory) if memory >= BANDWIDTH_MINOR => "Part bandwidth, part latency",
        Some(_) if share(Part::Allreduce) > share(Part::Residual) => {
            "Latency, not bandwidth: the allreduce is the largest part"
        }
        Some(_) => "Latency, not bandwidth: most of the step moves no weights",
    };
    text.to_owned()
}

/// What cannot be right, with what to check.
fn doubts(scenario: &Scenario, analysis: &Analysis, metrics: Option<&ServingMetrics>) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(memory) = analysis.memory.as_ref().filter(|memory| memory.overflows()) {
        doubts.push(format!(
            "The weights take {} on each GPU, more than its {}: check how many GPUs there are, tensor parallel and the bits per weight.",
            show(memory.read.resident_weights),
            show(memory.capacity.unwrap_or_default()),
        ));
    }
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
    if let Some(step) = analysis.step.as_ref().filter(|step| step.time.source != Source::Modelled) {
        let memory = analysis.memory.as_ref().map_or(0.0, |memory| memory.utilisation.get());
        let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual).map(|slice| slice.time);
        let over = residual.map_or(0.0, |residual| -(residual / step.time.value));
        if memory > 1.0 + ROUNDING {
            doubts.push(format!(
                "Reading the weights alone would take {} of the step: check the GPUs, tensor parallel, the bandwidth, the bits per \
                 weight, and whether a step yields several tokens.",
                show(Ratio::new(memory))
            ));
        } else if over > ROUNDING {
            doubts.push(format!(
                "The parts exceed the step by {}: check the bandwidth, the bits per weight and the allreduce estimate, or parts \
                 overlap.",
                show(step.time.value * over)
            ));
        }
    }
    doubts
}

fn speed_sentence(scenario: &Scenario, analysis: &Analysis, metrics: Option<&ServingMetrics>) -> String {
    let Some(step) = &analysis.step else { return String::new() };
    let mut sentence = format!("A decode step takes {} ({})", show(step.time.value), show(step.speed));
    if step.tokens > 1.0 {
        sentence += &format!(", yielding {} tokens to each stream", trimmed(step.tokens));
    }
    let itl = metrics.and_then(|set| set.histogram(Meaning::InterTokenLatency));
    if scenario.value(Field::InterTokenLatency).is_some_and(|itl| itl.source == Source::Measured) {
        sentence += &itl.map(spread).unwrap_or_default();
    }
    if let Some(reply) = &analysis.reply {
        let small = reply.over_decode.get() < SMALL_FIRST_TOKEN;
        sentence += &format!(
            "; the first token costs {} of the decode time of a {}-token reply, so prefill is {}the bottleneck",
            show(reply.over_decode),
            count(reply.tokens),
            if small { "not " } else { "part of " },
        );
    }
    sentence + "."
}

/// Where the observations lie, as the end of a sentence.
fn spread(histogram: &Histogram) -> String {
    let millis = |bound: f64| trimmed(bound * 1e3);
    let between = |lower: f64, upper: f64| {
        if upper.is_finite() {
            format!("between {} and {} ms", millis(lower), millis(upper))
        } else {
            format!("above {} ms", millis(lower))
        }
    };
    if let Some(bucket) = histogram.single_bucket() {
        if bucket.lower == 0.0 && bucket.upper.is_infinite() {
            return String::new();
        }
        return format!(
            ", and {} in one bucket, {}: no fast path and no tail, but no finer detail either",
            observations_lie(bucket.count),
            between(bucket.lower, bucket.upper)
        );
    }
    let Some(main) = histogram.main_bucket() else { return String::new() };
    let share = |count: f64| show(Ratio::new(count / histogram.in_buckets()));
    format!(
        "; {} of the observations lie {}, {} below, {} above",
        show(Ratio::new(main.share)),
        between(main.lower, main.upper),
        share(histogram.head_below_main()),
        share(histogram.tail_beyond_main()),
    )
}

fn observations_lie(number: f64) -> String {
    if number == 1.0 {
        "the only observation lies".to_owned()
    } else {
        format!("all {} observations lie", count(number))
    }
}

fn bandwidth_sentence(analysis: &Analysis) -> Option<String> {
    let memory = analysis.memory.as_ref()?;
    let step = analysis.step.as_ref()?;
    if step.time.source == Source::Modelled {
        return Some(format!(
            "Each GPU reads {} a step, {} at {}.",
            show(memory.bytes),
            show(memory.time),
            show(memory.bandwidth.value)
        ));
    }
    let used = memory.utilisation;
    let judgement = match used.get() {
        used if used > 1.0 + ROUNDING => "more than there is",
        used if used >= BANDWIDTH_BOUND => "so memory is what limits the step",
        used if used >= BANDWIDTH_MINOR => "so memory is a large part of the step, but not all of it",
        _ => "so memory is not what limits the step",
    };
    Some(format!(
        "Reading {} per GPU and step uses {} of {}, {judgement}.",
        show(memory.bytes),
        show(used),
        show(memory.bandwidth.value)
    ))
}

fn allreduce_sentence(analysis: &Analysis) -> Option<String> {
    let traffic = analysis.traffic.filter(|traffic| traffic.per_step > 0.0)?;
    let step = analysis.step.as_ref()?;
    let of_today = |kind: EstimateKind| analysis.estimates.iter().find(|estimate| estimate.kind == kind);
    let Some(best) = analysis.estimates.iter().find(|estimate| estimate.is_of_today()) else {
        return Some(format!(
            "What the {} allreduces of {} take is not known for this GPU: type a latency; until then they are part of the residual.",
            count(traffic.per_step),
            show_message(traffic.message)
        ));
    };
    let mut sentence = format!(
        "The {} allreduces of {} take {} of the step {}",
        count(traffic.per_step),
        show_message(traffic.message),
        show(best.share.likely),
        by(best),
    );
    if let Some(all) = of_today(EstimateKind::Combined) {
        sentence += &format!(" and up to {} by the other estimates", show(all.share.high));
    }
    let ceiling = of_today(EstimateKind::Combined).unwrap_or(best).ceiling;
    Some(if ceiling.low.is_finite() {
        sentence + &format!("; were they free, {} would become {}.", show(step.speed), show_range(ceiling))
    } else {
        sentence + ", which is the whole step: the estimate must be too high."
    })
}

fn by(estimate: &Estimate) -> &'static str {
    match estimate.kind {
        EstimateKind::AlphaBeta => "by latency and bandwidth",
        EstimateKind::StatedShare => "as stated",
        EstimateKind::StatedCompute => "by the stated compute time",
        EstimateKind::Experiment | EstimateKind::Combined => "by the evidence",
    }
}

fn next_steps(scenario: &Scenario, analysis: &Analysis) -> Vec<String> {
    let mut steps = Vec::new();
    let measured = analysis.step.as_ref().is_some_and(|step| step.time.source >= Source::Measured);
    if !measured {
        steps.push("Measure: send one stream a few hundred tokens, then read the server's /metrics.".to_owned());
    }
    steps.extend(unsaid(scenario).map(str::to_owned));
    let traffic = analysis.traffic.filter(|traffic| traffic.per_step > 0.0);
    let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual).map(|slice| slice.time);
    if let (true, Some(residual), Some(step)) = (measured && analysis.memory.is_some(), residual, &analysis.step) {
        let share = residual / step.time.value;
        if share > WORTH_A_PROFILE {
            let unexplained = match (traffic, &analysis.chosen) {
                (Some(_), Some(_)) => "explained by neither reading memory nor the allreduce estimate",
                (Some(_), None) => "not explained by reading memory; the allreduces are in it",
                (None, _) => "not explained by reading memory",
            };
            steps.push(format!(
                "Profile one decode step (nsys or the torch profiler): {} of it, {}, is {unexplained}; it shows whether that is \
                 waiting, launches or small kernels.",
                show(Ratio::new(share)),
                show(residual)
            ));
        }
    }
    if let (Some(traffic), Some(ranks)) = (traffic, scenario.value(Field::TensorParallel)) {
        steps.push(format!(
            "Time the allreduce alone: all_reduce_perf -b {0} -e {0} -g {1} -d bfloat16 (NCCL or RCCL tests), and enter its latency.",
            trimmed(traffic.message.get()),
            trimmed(ranks.value),
        ));
    }
    let bound =
        analysis.memory.as_ref().is_some_and(|memory| (BANDWIDTH_BOUND..=1.0).contains(&memory.utilisation.get()));
    if measured && bound {
        steps.push("Read fewer bytes: fewer bits per weight, a shorter context, or more GPUs per layer.".to_owned());
    }
    steps
}

/// What nobody has said yet, and no dump can.
fn unsaid(scenario: &Scenario) -> impl Iterator<Item = &'static str> {
    let left_over = match scenario.left_over {
        LeftOver { gpu: true, count: true } => {
            Some("The hardware is still the worked example's: set your GPU, how many, and tensor parallel.")
        }
        LeftOver { gpu: true, count: false } => Some("The GPU is still the worked example's: set yours."),
        LeftOver { gpu: false, count: true } => {
            Some("How many GPUs there are and tensor parallel are still the worked example's: set yours.")
        }
        LeftOver { gpu: false, count: false } => None,
    };
    let model = scenario.model.is_none().then_some("Name the model, so that layers and bytes can be computed.");
    let gpu = scenario.gpu.is_none().then_some("Name the GPU and how many there are: no metrics endpoint does.");
    [left_over, model, gpu].into_iter().flatten()
}
