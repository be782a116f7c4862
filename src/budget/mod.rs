//! The decode step taken apart: slices, shares, ceilings, sensitivities.
//!
//! [`analyse`] is a pure function of a [`Scenario`]. What cannot be known from it is `None`, never a
//! guess, and the slices always add up to the step: what nothing explains is the residual.
//!
//! | file | what |
//! |---|---|
//! | `step` | the step's time and speed, and what the first token weighs in a reply |
//! | `memory` | bytes read per step, bandwidth utilisation, the floor they set |
//! | `allreduce` | how many, how large, and the estimates of what they take |
//! | `slices` | the step and the layer as parts that add up |
//! | `ceiling` | how fast it could be, each rung with what it idealises |
//! | `change` | what a change of one part does to the whole |

mod allreduce;
mod ceiling;
mod change;
mod memory;
mod slices;
mod step;

pub use allreduce::{Estimate, EstimateKind, Traffic};
pub use ceiling::{Rung, RungKind};
pub use change::{LayerSaving, WhatIf};
pub use memory::Memory;
pub use slices::{Part, Slice, layer_slices, step_slices};
pub use step::{FirstToken, Reply, Step};

use crate::collective::{ExperimentError, ExperimentReading};
use crate::model::Component;
use crate::scenario::{Field, Scenario, Sourced};
use crate::units::Seconds;

/// A scenario, analysed.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The decode step: measured, or modelled where nothing was measured.
    pub step: Option<Step>,
    /// What the first token weighs in a reply; absent where its time cannot be right.
    pub reply: Option<Reply>,
    /// What the time to first token is worth.
    pub first_token: FirstToken,
    /// How many layers the step passes through.
    pub layers: Option<Sourced<f64>>,
    /// What memory bandwidth has to do with it.
    pub memory: Option<Memory>,
    /// The allreduces of a step.
    pub traffic: Option<Traffic>,
    /// The A/B experiment, if one was made.
    pub experiment: Option<Result<ExperimentReading, ExperimentError>>,
    /// Every estimate of what the allreduces take, best evidence first.
    pub estimates: Vec<Estimate>,
    /// The estimate that the slices and ceilings below use.
    pub chosen: Option<Estimate>,
    /// The step as parts that add up to it.
    pub slices: Vec<Slice>,
    /// How fast it could be.
    pub rungs: Vec<Rung>,
    /// What taking a little off each layer gives.
    pub saving: Option<LayerSaving>,
    /// What the changes under trial to the allreduce and the bytes give.
    pub what_if: Option<WhatIf>,
    /// What these and the shorter layers give together, where both change something.
    pub together: Option<WhatIf>,
}

impl Analysis {
    /// Whether the model has experts, of which a step reads only some.
    #[must_use]
    pub fn has_experts(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.read.of(Component::RoutedExperts).get() > 0.0)
    }

    /// The time each layer has: the step over the layers.
    ///
    /// # Formula
    /// step / layers
    ///
    /// # Limits
    /// An average: it counts what happens once per step (the head, sampling, the host) to the layers.
    #[must_use]
    pub fn layer_time(&self) -> Option<Seconds> {
        Some(self.step.as_ref()?.time.value / self.layers?.value)
    }
}

/// Takes the step of a scenario apart.
#[must_use]
pub fn analyse(scenario: &Scenario) -> Analysis {
    let first_token = step::first_token(scenario);
    let memory = memory::memory(scenario);
    let traffic = allreduce::traffic(scenario);
    let alpha_beta = traffic.as_ref().and_then(|traffic| allreduce::alpha_beta_time(scenario, traffic));
    let step = step::step(scenario, memory.as_ref(), alpha_beta);
    let memory = memory.map(|memory| memory.used_at(step.as_ref()));
    let experiment = traffic.as_ref().and_then(|traffic| allreduce::experiment(scenario, traffic));
    let estimates = step
        .as_ref()
        .map(|step| {
            allreduce::estimates(
                scenario,
                step,
                traffic.as_ref(),
                alpha_beta,
                experiment.as_ref().and_then(|e| e.as_ref().ok()),
            )
        })
        .unwrap_or_default();
    let chosen = allreduce::choose(scenario.choice, &estimates);
    let slices = step.as_ref().map(|step| step_slices(step, memory.as_ref(), chosen.as_ref())).unwrap_or_default();
    let saving = step.as_ref().and_then(|step| change::layer_saving(scenario, step, memory.as_ref()));
    let what_if = step.as_ref().and_then(|step| change::what_if(scenario, step, memory.as_ref(), chosen.as_ref()));
    let together = step
        .as_ref()
        .and_then(|step| change::together(scenario, step, memory.as_ref(), saving.as_ref(), what_if.as_ref()));
    let rungs = step.as_ref().map(|step| {
        let trials = [what_if.as_ref(), together.as_ref()];
        ceiling::rungs(step, memory.as_ref(), &estimates, chosen.as_ref(), saving.as_ref(), trials)
    });
    Analysis {
        reply: step.as_ref().and_then(|step| step::reply(scenario, step)).filter(|_| first_token.is_possible()),
        first_token,
        rungs: rungs.unwrap_or_default(),
        layers: scenario.value(Field::Layers),
        step,
        memory,
        traffic,
        experiment,
        estimates,
        chosen,
        slices,
        saving,
        what_if,
        together,
    }
}
