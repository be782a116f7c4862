//! The two or three sentences that matter, and what to do next.

use crate::budget::{Analysis, Estimate, EstimateKind, Part};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::scenario::{Field, Scenario, Source};
use crate::units::format::{count, show, show_message, show_range, trimmed};
use crate::units::{Ratio, Seconds};

/// What a metrics endpoint cannot tell, whichever server it is.
pub const NO_TIMINGS: &str = "The metrics endpoint exports no timing per operation, so it cannot say which one takes \
the time: every share below is an estimate until a profile settles it.";

/// Above this share of bandwidth, memory is what limits a step.
const BANDWIDTH_BOUND: f64 = 0.6;
/// Below this share of the reply's decode time, the first token is not the problem.
const SMALL_FIRST_TOKEN: f64 = 0.25;

/// What an analysis comes to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// The answer in a few words.
    pub headline: String,
    /// Two or three sentences.
    pub sentences: Vec<String>,
    /// What one would do next.
    pub next: Vec<String>,
}

/// Says in plain sentences what an analysis comes to.
#[must_use]
pub fn verdict(scenario: &Scenario, analysis: &Analysis) -> Verdict {
    let Some(step) = &analysis.step else {
        return Verdict {
            headline: "Nothing to take apart yet".to_owned(),
            sentences: vec![
                "There is no inter-token latency, and too little is known of model and hardware to model one."
                    .to_owned(),
            ],
            next: vec!["Paste a dump with inter-token latency, or type one; or name the model and the GPU.".to_owned()],
        };
    };
    let metrics = scenario.metrics();
    let mut sentences = vec![speed_sentence(scenario, analysis, metrics.as_ref())];
    sentences.extend(bandwidth_sentence(analysis));
    sentences.extend(allreduce_sentence(analysis));
    Verdict { headline: headline(analysis, step.time.source), sentences, next: next_steps(scenario, analysis) }
}

fn headline(analysis: &Analysis, source: Source) -> String {
    if source == Source::Modelled {
        return "Nothing measured: this is the model's floor".to_owned();
    }
    let bound = analysis.memory.as_ref().is_some_and(|memory| memory.utilisation.get() >= BANDWIDTH_BOUND);
    let first = analysis.reply.as_ref().is_some_and(|reply| reply.over_decode.get() > 1.0);
    let largest = analysis.slices.iter().max_by(|a, b| a.time.get().total_cmp(&b.time.get()));
    match largest.map(|slice| slice.part) {
        _ if first => "The first token takes longer than all the others".to_owned(),
        _ if bound => "Memory bandwidth is the limit".to_owned(),
        _ if analysis.memory.is_none() => "Where the time goes needs the model and the GPU".to_owned(),
        Some(Part::Residual) => "Latency, not bandwidth: most of the step moves no weights".to_owned(),
        Some(Part::Allreduce) => "Latency, not bandwidth: the allreduce is the largest part".to_owned(),
        _ => "Reading the weights is the largest part".to_owned(),
    }
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
        return format!(
            ", and all {} observations lie in one bucket, {}: no fast path and no tail, but no finer detail either",
            count(bucket.count),
            between(bucket.lower, bucket.upper)
        );
    }
    let Some(main) = histogram.main_bucket() else { return String::new() };
    let tail = histogram.tail_beyond_main();
    format!(
        ", {} of the observations {}, {} of {} beyond",
        show(Ratio::new(main.share)),
        between(main.lower, main.upper),
        count(tail),
        count(histogram.total())
    )
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
    let judgement = if used.get() > 1.05 {
        "more than there is: the bytes, the bandwidth or the speed must be wrong, or several tokens come out of a step"
    } else if used.get() >= BANDWIDTH_BOUND {
        "so memory is what limits the step"
    } else {
        "so memory is not what limits the step"
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
    let best = analysis.estimates.iter().find(|estimate| estimate.is_of_today())?;
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
    sentence += &format!("; were they free, {} would become {}.", show(step.speed), show_range(ceiling));
    Some(sentence)
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
        steps.push("Measure: send one stream a few hundred tokens, then paste the server's /metrics here.".to_owned());
    }
    if scenario.hardware_left_over {
        steps.push(
            "The hardware is still the worked example's: set your GPU, how many, and tensor parallel.".to_owned(),
        );
    }
    if scenario.model.is_none() {
        steps.push("Name the model, so that layers and bytes can be computed.".to_owned());
    }
    let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual).map(|slice| slice.time);
    if let (true, Some(residual), Some(step)) = (measured, residual, &analysis.step) {
        let share = residual / step.time.value;
        if share > 0.25 && analysis.memory.is_some() {
            steps.push(format!(
                "Profile one decode step (nsys or the torch profiler): {} of it, {}, is explained by neither reading \
                 weights nor the allreduce estimate; it shows whether that is waiting in the allreduce, launches or small kernels.",
                show(Ratio::new(share)),
                show(residual)
            ));
        } else if share < -0.02 {
            steps.push(format!(
                "The model over-explains the step by {}: check the bandwidth, the bits per weight and the allreduce estimate, \
                 or parts overlap.",
                show(Seconds::new(-residual.get()))
            ));
        }
    }
    if let (Some(traffic), Some(ranks)) = (analysis.traffic, scenario.value(Field::TensorParallel))
        && traffic.per_step > 0.0
    {
        steps.push(format!(
                "Time the allreduce alone: all_reduce_perf -b {0} -e {0} -g {1} -d bfloat16 -G 10 (NCCL tests), and enter its latency.",
                trimmed(traffic.message.get()),
                trimmed(ranks.value),
            ));
    }
    if let Some(memory) = &analysis.memory
        && measured
        && memory.utilisation.get() >= BANDWIDTH_BOUND
    {
        steps.push("Read fewer bytes: fewer bits per weight, a shorter context, or more GPUs per layer.".to_owned());
    }
    steps
}
