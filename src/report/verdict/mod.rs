//! The two or three sentences that matter, and what to do next.

mod doubts;
mod next;
mod outlook;
mod sentences;

use super::predicted::Predicted;
use crate::budget::{Analysis, FirstToken, Part};
use crate::scenario::{LeftOver, Scenario, Source};
use crate::units::format::{count, many, show, show_range};

pub(super) use outlook::Outlook;

/// What a metrics endpoint cannot tell, whichever server it is.
pub const NO_TIMINGS: &str = "The metrics endpoint exports no timing per operation, so it cannot say which one takes \
the time: every share below is an estimate until a profile settles it.";

/// From this share of the step on, reading memory is what limits it.
const BANDWIDTH_BOUND: f64 = 0.6;
/// Below this share, reading memory is not the matter.
const BANDWIDTH_MINOR: f64 = 0.35;
/// Above this share of the reply's decode time, the first token matters.
const SMALL_FIRST_TOKEN: f64 = 0.25;
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
    let outlook = Predicted::of(scenario).and_then(Outlook::of);
    let next = next::next_steps(scenario, analysis, outlook.as_ref());
    if analysis.step.is_none() {
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
    }
    let metrics = scenario.metrics();
    let doubts = doubts::doubts(scenario, analysis, metrics.as_ref());
    let headline = if doubts.is_empty() {
        headline(scenario, analysis, outlook.as_ref())
    } else {
        "These numbers cannot all be right".to_owned()
    };
    let sentences = sentences::sentences(scenario, analysis, outlook.as_ref(), metrics.as_ref());
    Verdict { headline, sentences, doubts, next }
}

/// Whether the step is a measured or a typed one.
fn is_measured(analysis: &Analysis) -> bool {
    analysis.step.as_ref().is_some_and(|step| step.time.source >= Source::Measured)
}

fn headline(scenario: &Scenario, analysis: &Analysis, outlook: Option<&Outlook>) -> String {
    match scenario.left_over {
        LeftOver { gpu: true, count: true } => {
            return "The hardware is not said yet: set your GPU, how many, and tensor parallel".to_owned();
        }
        LeftOver { gpu: true, count: false } => return "The GPU is not said yet: set yours".to_owned(),
        LeftOver { gpu: false, count: true } => {
            return "How many GPUs is not said yet: set how many, and tensor parallel".to_owned();
        }
        LeftOver { gpu: false, count: false } => {}
    }
    if !is_measured(analysis) {
        return outlook.map_or("Nothing measured: this is the model's floor".to_owned(), |outlook| {
            format!("Predicted, not measured: {} ({})", show(outlook.speed.likely), show_range(outlook.speed).number)
        });
    }
    let first = analysis.reply.as_ref().is_some_and(|reply| reply.over_decode.get() > 1.0);
    match analysis.first_token {
        FirstToken::Queue(share) if first => {
            return format!("The queue is the bottleneck: {} of the time to first token", show(share));
        }
        FirstToken::Waiting { waiting, running } if first => {
            return format!(
                "The queue is the bottleneck: {} wait{}, {} run{}",
                many(waiting, "request"),
                if waiting == 1.0 { "s" } else { "" },
                count(running),
                if running == 1.0 { "s" } else { "" }
            );
        }
        _ => {}
    }
    if let Some(slower) = outlook.and_then(|outlook| outlook.times_slower(analysis)) {
        return format!("Decode takes {slower} as long as predicted for this system");
    }
    let share = |part| {
        let slice = analysis.slices.iter().find(|slice| slice.part == part);
        slice.zip(analysis.step.as_ref()).map_or(0.0, |(slice, step)| slice.time / step.time.value)
    };
    let memory = analysis.memory.as_ref().map(|memory| memory.utilisation.get());
    let text = match memory {
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
