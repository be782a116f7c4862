//! Everything a user sets or a dump tells, each value with where it came from.
//!
//! A [`Scenario`] stores only what was said: the model, the GPU, the distilled dump, and the numbers
//! somebody typed. Everything else is looked up when asked for, in a fixed order, so that nothing is
//! overwritten and every value can name its [`Source`]:
//!
//! 1. typed by a person,
//! 2. measured (in the dump),
//! 3. from a catalogue (the model's architecture, the GPU, published microbenchmarks),
//! 4. assumed (the field's own default), or absent.

mod example;
mod field;
pub mod link;
mod measured;
mod resolve;

pub use example::EXAMPLE_DUMP;
pub use field::{Field, FieldError, Group, Spec, Steps};
pub use measured::Measured;

use crate::hardware::{self, Gpu};
use crate::metrics::Dump;
use crate::model::{self, Architecture, Precision};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Nobody said; a usual value stands in.
    Assumed,
    /// From a catalogue of models, GPUs or published measurements.
    Catalogue,
    /// Computed by the model from other values.
    Modelled,
    /// From the dump.
    Measured,
    /// Typed by a person.
    Typed,
}

impl Source {
    /// The word shown beside a value.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Catalogue => "catalogue",
            Self::Modelled => "modelled",
            Self::Measured => "measured",
            Self::Typed => "typed",
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

impl<T> Sourced<T> {
    /// The same source, another form of the value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Sourced<U> {
        Sourced { value: f(self.value), source: self.source }
    }
}

/// Which model is served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelChoice {
    /// One of [`model::presets`], by its id.
    Preset(String),
    /// Read from a pasted configuration.
    Custom(Box<Architecture>),
}

/// Which estimate of the allreduce the budget and the ceilings use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EstimateChoice {
    /// The best-evidenced value, and a range that covers all of them.
    #[default]
    Combined,
    /// Latency plus bytes over bandwidth.
    AlphaBeta,
    /// The share of the step that somebody stated.
    StatedShare,
    /// What is left of the step after the compute time that somebody stated.
    StatedCompute,
}

/// Everything a user sets, and what a dump told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    /// The model served; unknown until somebody or something names it.
    pub model: Option<ModelChoice>,
    /// The GPU, by its id in [`hardware::catalogue`].
    pub gpu: Option<String>,
    /// What the dump said, distilled.
    pub measured: Option<Measured>,
    /// Numbers somebody typed, in the field's own unit (see [`Spec::unit`]).
    pub typed: BTreeMap<Field, f64>,
    /// Which estimate of the allreduce to use.
    pub choice: EstimateChoice,
    /// The GPU was not said but left over from the worked example.
    pub hardware_left_over: bool,
}

impl Scenario {
    /// The architecture of the model, with typed changes (layers, hidden size) applied.
    #[must_use]
    pub fn architecture(&self) -> Option<Architecture> {
        let mut architecture = match self.model.as_ref()? {
            ModelChoice::Preset(id) => model::preset(id)?.architecture.clone(),
            ModelChoice::Custom(architecture) => (**architecture).clone(),
        };
        if let Some(&layers) = self.typed.get(&Field::Layers) {
            architecture = architecture.with_layers(layers as u32);
        }
        if let Some(&hidden) = self.typed.get(&Field::Hidden) {
            architecture.hidden = hidden as u32;
        }
        Some(architecture)
    }

    /// The GPU's row in the catalogue.
    #[must_use]
    pub fn gpu(&self) -> Option<&'static Gpu> {
        hardware::find(self.gpu.as_deref()?)
    }

    /// The bits each kind of tensor takes: as the served model's name tells, else as the model is
    /// published, with typed changes applied.
    #[must_use]
    pub fn precision(&self) -> Precision {
        let mut precision = self.quantisation().map(|known| known.precision).unwrap_or_default();
        if let Some(&bits) = self.typed.get(&Field::WeightBits) {
            precision = Precision::flat(bits);
        }
        if let Some(&bits) = self.typed.get(&Field::KvBits) {
            precision.kv_bits = bits;
        }
        precision
    }

    /// Takes in a dump: its numbers replace those of an earlier dump, and the model its name tells
    /// replaces the one set before.
    ///
    /// What describes another system (the worked example's experiment, stated figures and typed
    /// numbers) goes; the hardware stays, marked as left over, since no dump names it.
    pub fn adopt(&mut self, name: &str, dump: &Dump) {
        let measured = Measured::distil(name, dump);
        let recognised = measured.model_name().and_then(model::recognise);
        if self.is_example() {
            let hardware = [Field::Gpus, Field::TensorParallel];
            self.typed.retain(|field, _| hardware.contains(field));
            self.model = None;
            self.hardware_left_over = true;
        }
        // Numbers typed in place of measurements give way to the new measurements.
        for field in [Field::InterTokenLatency, Field::TimeToFirstToken, Field::TokensPerStep] {
            self.typed.remove(&field);
        }
        if let Some(recognised) = recognised {
            self.model = Some(ModelChoice::Preset(recognised.preset.id.clone()));
        }
        self.measured = Some(measured);
    }

    /// Sets a number by hand, kept within the field's limits; `None` goes back to what is looked up.
    pub fn set(&mut self, field: Field, value: Option<f64>) {
        match value.filter(|value| value.is_finite()) {
            Some(value) => {
                self.typed.insert(field, field.spec().nearest(value));
            }
            None => {
                self.typed.remove(&field);
            }
        }
        if field.spec().group == Group::Hardware {
            self.hardware_left_over = false;
        }
    }

    /// Chooses the GPU by its id.
    pub fn set_gpu(&mut self, id: Option<String>) {
        self.gpu = id;
        self.hardware_left_over = false;
        // A bandwidth or a latency measured on another GPU says nothing about this one.
        for field in [Field::Bandwidth, Field::AllreduceLatency, Field::AllreduceBandwidth] {
            self.typed.remove(&field);
        }
    }

    /// Chooses the model; typed changes to the old one go with it.
    pub fn set_model(&mut self, model: Option<ModelChoice>) {
        self.model = model;
        for field in [Field::Layers, Field::Hidden, Field::WeightBits] {
            self.typed.remove(&field);
        }
    }
}
