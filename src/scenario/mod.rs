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
pub use measured::{Measured, Moment};

use crate::hardware::{self, Gpu};
use crate::metrics::{Meaning, Selection};
use crate::model::{self, Architecture, Precision, Quantisation, Reading};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Left over from the worked example: of another system, until somebody says.
    Example,
    /// Nobody said; a usual value stands in.
    Assumed,
    /// From a catalogue of models, GPUs or published measurements.
    Catalogue,
    /// From the model's own configuration, or its name.
    Configuration,
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
            Self::Example => "example's",
            Self::Assumed => "assumed",
            Self::Catalogue => "catalogue",
            Self::Configuration => "configuration",
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
    /// Read from a configuration.
    Custom(Box<Configured>),
}

/// What a model's own configuration says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Configured {
    /// Its architecture.
    pub architecture: Architecture,
    /// How it says its weights are held.
    pub quantisation: Option<Quantisation>,
}

impl From<Reading> for ModelChoice {
    /// Without the reading's warnings, which are told where it was read.
    fn from(reading: Reading) -> Self {
        let Reading { architecture, quantisation, .. } = reading;
        Self::Custom(Box::new(Configured { architecture, quantisation }))
    }
}

/// Which GPU serves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GpuChoice {
    /// One of [`hardware::catalogue`], by its id.
    Known(String),
    /// One that no list has, by its name, which may be empty. What it can do is typed.
    Own(String),
}

impl GpuChoice {
    /// Its id in links, options and JSON.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Known(id) => id,
            Self::Own(_) => Gpu::OWN,
        }
    }

    /// One of a person's own, its name cut to what a heading has room for.
    #[must_use]
    pub fn own(name: &str) -> Self {
        const LONGEST: usize = 60;
        Self::Own(name.trim().chars().filter(|letter| !letter.is_control()).take(LONGEST).collect())
    }
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

impl EstimateChoice {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Combined, Self::AlphaBeta, Self::StatedShare, Self::StatedCompute];

    /// Its name in a link, in JSON and on the command line.
    ///
    /// ```
    /// use decodescope::scenario::EstimateChoice;
    /// assert!(EstimateChoice::ALL.iter().all(|&choice| EstimateChoice::by_key(choice.key()) == Some(choice)));
    /// ```
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Combined => "combined",
            Self::AlphaBeta => "alpha-beta",
            Self::StatedShare => "stated-share",
            Self::StatedCompute => "stated-compute",
        }
    }

    /// The choice of that name.
    #[must_use]
    pub fn by_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.key() == key)
    }
}

/// Everything a user sets, and what a dump told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    /// The model served; unknown until somebody or something names it.
    pub model: Option<ModelChoice>,
    /// The GPU.
    pub gpu: Option<GpuChoice>,
    /// What the dump said, distilled.
    pub measured: Option<Measured>,
    /// Numbers somebody typed, in the field's own unit (see [`Spec::unit`]).
    pub typed: BTreeMap<Field, f64>,
    /// Which estimate of the allreduce to use.
    pub choice: EstimateChoice,
    /// What of the hardware was not said but left over from the worked example.
    pub left_over: LeftOver,
}

/// What of the hardware is still the worked example's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOver {
    /// The GPU.
    pub gpu: bool,
    /// How many there are, and how layers are split over them.
    pub count: bool,
}

impl LeftOver {
    /// Whether anything is.
    #[must_use]
    pub fn any(self) -> bool {
        self.gpu || self.count
    }
}

impl Scenario {
    /// The architecture of the model, with typed changes (layers, hidden size) applied.
    #[must_use]
    pub fn architecture(&self) -> Option<Architecture> {
        let mut architecture = match self.model.as_ref()? {
            ModelChoice::Preset(id) => model::preset(id)?.architecture.clone(),
            ModelChoice::Custom(configured) => configured.architecture.clone(),
        };
        if let Some(&layers) = self.typed.get(&Field::Layers) {
            architecture = architecture.with_layers(layers as u32);
        }
        if let Some(&hidden) = self.typed.get(&Field::Hidden) {
            architecture.hidden = hidden as u32;
        }
        Some(architecture)
    }

    /// The GPU: its row in the catalogue, with what was typed in place of what that says. `None` for one of a
    /// person's own until its bandwidth is typed.
    #[must_use]
    pub fn gpu(&self) -> Option<Gpu> {
        let typed = |field: Field| Some(self.typed.get(&field)? * field.spec().scale);
        let bandwidth = typed(Field::Bandwidth).map(BytesPerSecond::new);
        let mut gpu = match self.gpu.as_ref()? {
            GpuChoice::Known(id) => hardware::find(id)?.clone(),
            GpuChoice::Own(name) => Gpu::own(name, bandwidth?),
        };
        gpu.achieved_bandwidth = bandwidth.or(gpu.achieved_bandwidth);
        gpu.memory = typed(Field::Memory).map_or(gpu.memory, Bytes::new);
        gpu.link.bandwidth = typed(Field::LinkBandwidth).map(BytesPerSecond::new).or(gpu.link.bandwidth);
        Some(match typed(Field::MatrixRate) {
            Some(rate) => gpu.with_matrix_rate(FlopsPerSecond::new(rate)),
            None => gpu,
        })
    }

    /// The bits each kind of tensor takes: as the served model's name tells, else as the model is
    /// published, with the dump's type of the cache and typed changes applied.
    #[must_use]
    pub fn precision(&self) -> Precision {
        let mut precision = self.quantisation().map(|known| known.precision).unwrap_or_default();
        if let Some(&bits) = self.typed.get(&Field::WeightBits) {
            precision = precision.narrowed_to(bits);
        }
        let measured = || self.metrics()?.value(Meaning::KvCacheBits);
        if let Some(bits) = self.typed.get(&Field::KvBits).copied().or_else(measured) {
            precision.kv_bits = bits;
        }
        precision
    }

    /// Takes in a dump: its numbers replace those of an earlier dump, and the model its name tells
    /// replaces the one set before.
    ///
    /// What describes another system (the worked example's experiment, stated figures and typed
    /// numbers) goes; the hardware stays, marked as left over, since no dump names it.
    pub fn adopt(&mut self, measured: Measured) {
        if self.is_example() {
            self.leave_example();
        } else if self.measured.as_ref().is_some_and(|old| old.model_name() != measured.model_name()) {
            // Another model is served now: what was known of the old one says nothing of it.
            self.set_model(None);
        }
        // Numbers typed in place of measurements give way to the new measurements.
        for field in [Field::InterTokenLatency, Field::TimeToFirstToken, Field::TokensPerStep] {
            self.typed.remove(&field);
        }
        self.measured = Some(measured);
        self.recognise_model();
    }

    /// Looks at another part of the dump; the model follows where its name tells.
    pub fn select(&mut self, selection: Selection) {
        if let Some(measured) = &mut self.measured {
            measured.selection = selection;
            self.recognise_model();
        }
    }

    /// Takes the worked example's measurements and stated figures away, since they are of another system than the one
    /// that is chosen now; the model stays. Says whether there were any.
    pub fn part_from_example(&mut self) -> bool {
        let example = self.is_example();
        if example {
            let model = self.model.clone();
            self.leave_example();
            (self.model, self.measured, self.choice) = (model, None, EstimateChoice::default());
        }
        example
    }

    /// Keeps what a person has set, and of the example only the hardware, marked as left over.
    fn leave_example(&mut self) {
        let example = Self::example();
        let hardware = [Field::Gpus, Field::TensorParallel];
        let same = |field: &Field| self.typed.get(field) == example.typed.get(field);
        self.left_over = LeftOver { gpu: self.gpu == example.gpu, count: hardware.iter().all(same) };
        self.typed.retain(|field, value| hardware.contains(field) || example.typed.get(field) != Some(value));
        if self.model == example.model {
            self.model = None;
        }
    }

    fn recognise_model(&mut self) {
        let name = self.measured.as_ref().and_then(Measured::model_name);
        if let Some(recognised) = name.and_then(model::recognise) {
            self.set_model(Some(ModelChoice::Preset(recognised.preset.id.clone())));
        }
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
        // Whoever says one of the two has not said the other: it follows again.
        let other = match field {
            Field::Gpus => Field::TensorParallel,
            Field::TensorParallel => Field::Gpus,
            _ => return,
        };
        if std::mem::take(&mut self.left_over.count) {
            self.typed.remove(&other);
        }
    }

    /// Chooses the GPU.
    pub fn set_gpu(&mut self, gpu: Option<GpuChoice>) {
        let renamed = matches!((&self.gpu, &gpu), (Some(GpuChoice::Own(_)), Some(GpuChoice::Own(_))));
        self.gpu = gpu;
        self.left_over.gpu = false;
        // What was typed of another GPU says nothing about this one.
        if !renamed {
            self.typed.retain(|field, _| !Field::OF_THE_GPU.contains(field));
        }
    }

    /// Chooses the model; typed changes to the old one go with it.
    pub fn set_model(&mut self, model: Option<ModelChoice>) {
        if self.model == model {
            return;
        }
        self.model = model;
        for field in [Field::Layers, Field::Hidden, Field::WeightBits] {
            self.typed.remove(&field);
        }
    }
}
