//! What one would do next.

use super::{BANDWIDTH_BOUND, Outlook, is_measured};
use crate::budget::{Analysis, Part, Traffic};
use crate::collective::{self, Engine, Path};
use crate::scenario::{Field, LeftOver, Scenario, Source};
use crate::units::Ratio;
use crate::units::format::{show, trimmed};

/// A residual of more than this share of the step is worth a profile.
const WORTH_A_PROFILE: f64 = 0.25;

pub(super) fn next_steps(scenario: &Scenario, analysis: &Analysis, outlook: Option<&Outlook>) -> Vec<String> {
    let mut steps: Vec<String> = unsaid(scenario).map(str::to_owned).collect();
    let measured = is_measured(analysis);
    if !measured {
        steps.push("Measure: send one stream a few hundred tokens, then read the server's /metrics.".to_owned());
    }
    // What follows would be of another system's hardware.
    if scenario.left_over.any() {
        return steps;
    }
    if analysis.first_token.is_queue() {
        steps.push(
            "Shorten the queue: fewer requests at once, more replicas, or room for more streams in each (its KV cache, its \
             limit of sequences)."
                .to_owned(),
        );
    }
    if outlook.and_then(|outlook| outlook.times_slower(analysis)).is_some() {
        steps.push(why_slow(scenario));
    }
    steps.extend(profile(analysis));
    let traffic = analysis.traffic.filter(|traffic| traffic.per_step > 0.0);
    steps.extend(traffic.and_then(|traffic| time_the_allreduce(scenario, &traffic)));
    let bound =
        analysis.memory.as_ref().is_some_and(|memory| (BANDWIDTH_BOUND..=1.0).contains(&memory.utilisation.get()));
    if measured && bound {
        steps.push("Read fewer bytes: fewer bits per weight, a shorter context, or more GPUs per layer.".to_owned());
    }
    steps
}

/// What makes decoding much slower than a system can, and what here is only assumed.
fn why_slow(scenario: &Scenario) -> String {
    let assumed = |field| scenario.value(field).is_some_and(|value| value.source == Source::Assumed);
    let load = if assumed(Field::Batch) || assumed(Field::Context) {
        ", more streams or a longer context than is assumed here"
    } else {
        ""
    };
    format!(
        "Check why decode is slow: eager mode (no CUDA graphs), another GPU or split than is set here{load}, prompts of others \
         prefilled in the same steps, other work on the GPU, the host."
    )
}

fn profile(analysis: &Analysis) -> Option<String> {
    let step = analysis.step.as_ref().filter(|_| is_measured(analysis) && analysis.memory.is_some())?;
    let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual)?.time;
    let share = residual / step.time.value;
    let traffic = analysis.traffic.filter(|traffic| traffic.per_step > 0.0);
    let unexplained = match (traffic, &analysis.chosen) {
        (Some(_), Some(_)) => "explained by neither reading memory nor the allreduce estimate",
        (Some(_), None) => "not explained by reading memory; the allreduces are in it",
        (None, _) => "not explained by reading memory",
    };
    (share > WORTH_A_PROFILE).then(|| {
        format!(
            "Profile one decode step (nsys or the torch profiler): {} of it, {}, is {unexplained}; it shows whether that is \
             waiting, launches or small kernels.",
            show(Ratio::new(share)),
            show(residual)
        )
    })
}

/// How to time the allreduce that runs: nccl-tests time NCCL's own, not an engine's kernels.
fn time_the_allreduce(scenario: &Scenario, traffic: &Traffic) -> Option<String> {
    let ranks = scenario.value(Field::TensorParallel)?.value;
    let custom = scenario.gpu().and_then(|gpu| {
        let path = collective::path(engine(scenario)?, &gpu, ranks as u32)?;
        matches!(path, Path::VllmCustom | Path::SglangCustom | Path::TrtLlm).then_some(path)
    });
    Some(match custom {
        Some(path) => format!(
            "Time the allreduce in a profile of a decode step (nsys or the torch profiler), and enter its latency: on these GPUs \
             it is {path} by default, and all_reduce_perf of NCCL tests times another path."
        ),
        None => format!(
            "Time the allreduce alone: all_reduce_perf -b {0} -e {0} -g {1} -d bfloat16 (NCCL or RCCL tests), and enter its latency.",
            trimmed(traffic.message.get()),
            trimmed(ranks),
        ),
    })
}

/// The engine whose choice of an allreduce is known: the dump's, else the one that predictions are for.
fn engine(scenario: &Scenario) -> Option<Engine> {
    let product = scenario.metrics().map(|set| set.product).unwrap_or_default();
    let known = [Engine::Vllm, Engine::Sglang, Engine::TensorRtLlm];
    let said = known.into_iter().find(|engine| engine.to_string().eq_ignore_ascii_case(&product));
    if product.is_empty() { Some(Engine::Vllm) } else { said }
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
