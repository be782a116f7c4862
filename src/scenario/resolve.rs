//! The value of every field, and where it came from.

use super::{Field, ModelChoice, Scenario, Source, Sourced};
use crate::collective::{self, AlphaBeta, Fit, nccl};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::model::{self, Precision, Quantisation, Recognised};
use crate::units::{Bytes, BytesPerSecond, Seconds};
use std::collections::{BTreeMap, BTreeSet};

/// The length of a reply where none is said.
const USUAL_REPLY_TOKENS: f64 = 128.0;
/// The context where none is said: a short chat.
const USUAL_CONTEXT: f64 = 1024.0;
/// Below this many tokens a step, the difference from one is rounding and unfinished requests.
const MORE_THAN_ONE_TOKEN: f64 = 1.02;

impl Scenario {
    /// A field's value in its own unit, and where it came from; `None` where nobody knows it.
    #[must_use]
    pub fn value(&self, field: Field) -> Option<Sourced<f64>> {
        if let Some(&value) = self.typed.get(&field) {
            let of_example = self.left_over.count && matches!(field, Field::Gpus | Field::TensorParallel);
            return Some(Sourced { value, source: if of_example { Source::Example } else { Source::Typed } });
        }
        let of_the_model =
            [Field::Layers, Field::Hidden, Field::WeightBits, Field::AllreducesPerLayer].contains(&field);
        let configured = of_the_model && matches!(self.model, Some(ModelChoice::Custom(_)));
        let looked_up = if configured { Source::Configuration } else { Source::Catalogue };
        let layers = [
            (Source::Measured, self.measured_value(field)),
            (looked_up, self.catalogue_value(field)),
            (Source::Assumed, self.assumed_value(field)),
        ];
        layers.into_iter().find_map(|(source, value)| Some(Sourced { value: value?, source }))
    }

    /// A field's value in SI units.
    #[must_use]
    pub fn si(&self, field: Field) -> Option<f64> {
        self.value(field).map(|sourced| sourced.value * field.spec().scale)
    }

    /// A field's value as a duration.
    #[must_use]
    pub fn seconds(&self, field: Field) -> Option<Seconds> {
        self.si(field).map(Seconds::new)
    }

    /// The metrics looked at: the selected sets of the dump as one.
    #[must_use]
    pub fn metrics(&self) -> Option<ServingMetrics> {
        self.measured.as_ref().map(super::Measured::selected)
    }

    /// What the served model's name says, where it is the model chosen.
    #[must_use]
    pub fn served_model(&self) -> Option<Recognised> {
        let ModelChoice::Preset(id) = self.model.as_ref()? else { return None };
        let served = self.measured.as_ref().and_then(super::Measured::model_name).and_then(model::recognise);
        served.filter(|served| served.preset.id == *id)
    }

    /// How the weights are held: as the served model's name tells, where it is the model chosen; else
    /// as that model is published, or as its configuration says.
    #[must_use]
    pub fn quantisation(&self) -> Option<Quantisation> {
        if let Some(served) = self.served_model() {
            return Some(served.quantisation);
        }
        match self.model.as_ref()? {
            ModelChoice::Preset(id) => Quantisation::by_recipe(model::preset(id)?.native_quantisation.as_deref()?),
            ModelChoice::Custom(configured) => configured.quantisation.clone(),
        }
    }

    /// The published microbenchmark behind the allreduce's latency and bandwidth, if one fits.
    #[must_use]
    pub fn allreduce_fit(&self) -> Option<&'static Fit> {
        let ranks = self.value(Field::TensorParallel)?.value as u32;
        collective::default_fit(self.gpu()?.id, ranks)
    }

    /// What an allreduce costs on this GPU: as published, else as NCCL's own model has it. `None` where neither
    /// is known, or there is nobody to reduce with.
    #[must_use]
    pub fn allreduce_model(&self) -> Option<AlphaBeta> {
        let ranks = self.value(Field::TensorParallel)?.value as u32;
        self.allreduce_fit().map(|fit| fit.model).or_else(|| nccl::unmeasured(&self.gpu()?, ranks))
    }

    /// How many tokens the KV cache of one engine holds, as the server says.
    #[must_use]
    pub fn cache_capacity(&self) -> Option<f64> {
        Some(self.metrics()?.value(Meaning::KvCacheCapacity)? / self.batches())
    }

    /// What an allreduce costs: its latency and its bandwidth, each typed, else as [`Scenario::allreduce_model`] has
    /// it. A latency typed where no bandwidth is known stands alone: decode's messages are small.
    #[must_use]
    pub fn allreduce_cost(&self) -> Option<AlphaBeta> {
        let bandwidth = self.si(Field::AllreduceBandwidth).map(BytesPerSecond::new);
        let alone = self.typed.contains_key(&Field::AllreduceLatency).then_some(BytesPerSecond::new(f64::INFINITY));
        let published = || self.allreduce_model().map_or(0.0, |model| model.relative_error);
        Some(AlphaBeta {
            latency: self.seconds(Field::AllreduceLatency)?,
            bandwidth: bandwidth.or(alone)?,
            relative_error: if self.has_typed_allreduce() { 0.0 } else { published() },
        })
    }

    /// The same where somebody typed one of the two: then it also beats what was measured elsewhere.
    #[must_use]
    pub fn typed_allreduce(&self) -> Option<AlphaBeta> {
        self.allreduce_cost().filter(|_| self.has_typed_allreduce())
    }

    fn has_typed_allreduce(&self) -> bool {
        [Field::AllreduceLatency, Field::AllreduceBandwidth].iter().any(|field| self.typed.contains_key(field))
    }

    /// The message each allreduce carries in a step.
    #[must_use]
    pub fn allreduce_message(&self) -> Option<Bytes> {
        let hidden = self.value(Field::Hidden)?.value as u32;
        let element = self.value(Field::ElementBytes)?.value;
        let step = self.step()?;
        Some(collective::message_bytes(hidden, element, step.sequences * step.tokens))
    }

    /// What goes through the model in a step: of each stream the tokens that the step yields, which is one unless drafts
    /// are verified.
    #[must_use]
    pub fn step(&self) -> Option<model::Step> {
        let value = |field| Some(self.value(field)?.value);
        let tokens = value(Field::TokensPerStep)?.max(1.0);
        Some(model::Step { sequences: value(Field::Batch)?, tokens, context: value(Field::Context)? })
    }

    /// The bits of a weight on average, of those that are not left in 16 bit; 16 where all are.
    fn narrow_bits(&self, precision: &Precision) -> f64 {
        let counted = self.architecture().map(|architecture| architecture.components()).unwrap_or_default();
        let narrow = counted.iter().map(|one| (precision.bits(one.component), one.parameters as f64));
        let (bits, parameters) = narrow
            .filter(|(bits, _)| *bits < 16.0)
            .fold((0.0, 0.0), |(sum, all), (bits, parameters)| (sum + bits * parameters, all + parameters));
        if parameters > 0.0 { bits / parameters } else { precision.weights_bits }
    }

    /// What one GPU's memory delivers.
    #[must_use]
    pub fn bandwidth(&self) -> Option<Sourced<BytesPerSecond>> {
        Some(self.value(Field::Bandwidth)?.map(BytesPerSecond::from_giga))
    }

    fn measured_value(&self, field: Field) -> Option<f64> {
        // Put together only for the fields that a dump can tell; most are in none.
        let set = || self.metrics();
        match field {
            Field::InterTokenLatency => set()?.step_time().map(Seconds::as_millis),
            Field::TimeToFirstToken => set()?.mean(Meaning::TimeToFirstToken).map(Seconds::as_millis),
            Field::TokensPerStep => {
                let set = set()?;
                let tokens = set.tokens_per_step().or_else(|| set.accepted_length())?;
                Some(if tokens > MORE_THAN_ONE_TOKEN { tokens } else { 1.0 })
            }
            Field::Batch => streams_at_once(&set()?, self.batches()),
            Field::ReplyTokens => {
                tokens_per_request(&set()?, Meaning::RequestGenerationTokens, Meaning::GenerationTokens)
            }
            Field::KvBits => set()?.value(Meaning::KvCacheBits),
            // Half of a reply is in the cache on average while it is being written.
            Field::Context => {
                let set = set()?;
                let prompt = tokens_per_request(&set, Meaning::RequestPromptTokens, Meaning::PromptTokens)?;
                let reply = tokens_per_request(&set, Meaning::RequestGenerationTokens, Meaning::GenerationTokens);
                Some((prompt + reply.unwrap_or(0.0) / 2.0).round())
            }
            _ => None,
        }
        .filter(|value| value.is_finite() && *value > 0.0)
        // A mean is kept to the digits that it has; a slider goes no further than its field.
        .map(|value| value.clamp(field.spec().min, field.spec().max))
    }

    /// Sets of the looked-at part of the dump: each serves its own batch.
    fn batches(&self) -> f64 {
        self.measured.as_ref().map_or(0, |measured| measured.looked_at().count()).max(1) as f64
    }

    /// Engines of one server in that part, which share its GPUs: several servers repeat engines' names, or serve
    /// different models.
    fn engines(&self) -> f64 {
        let mut engines: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for set in self.measured.iter().flat_map(super::Measured::looked_at) {
            engines.entry(&set.selection.model).or_default().insert(&set.selection.engine);
        }
        engines.values().map(BTreeSet::len).max().unwrap_or(1) as f64
    }

    fn catalogue_value(&self, field: Field) -> Option<f64> {
        match field {
            Field::Layers => Some(f64::from(self.architecture()?.layer_count())),
            Field::Hidden => Some(f64::from(self.architecture()?.hidden)),
            Field::WeightBits => Some(self.narrow_bits(&self.quantisation()?.precision)),
            Field::AllreducesPerLayer => {
                let architecture = self.architecture()?;
                Some(f64::from(architecture.allreduces()) / f64::from(architecture.layer_count().max(1)))
            }
            Field::Bandwidth => {
                let gpu = self.gpu()?;
                Some(gpu.achieved_bandwidth.unwrap_or(gpu.bandwidth).as_giga())
            }
            Field::Memory => Some(self.gpu()?.memory_gib()).filter(|memory| memory.is_finite()),
            Field::MatrixRate => Some(self.gpu()?.bf16?.as_tera()),
            Field::LinkBandwidth => Some(self.gpu()?.link.bandwidth?.as_giga()),
            Field::AllreduceLatency => Some(self.allreduce_model()?.latency.as_micros()),
            Field::AllreduceBandwidth => Some(self.allreduce_model()?.bandwidth.as_giga()),
            _ => None,
        }
    }

    fn assumed_value(&self, field: Field) -> Option<f64> {
        match field {
            Field::ReplyTokens => Some(USUAL_REPLY_TOKENS),
            Field::Context => Some(USUAL_CONTEXT),
            Field::TokensPerStep | Field::Batch => Some(1.0),
            // At least those that layers are split over.
            Field::Gpus => Some(self.typed.get(&Field::TensorParallel).map_or(1.0, |ranks| ranks * self.engines())),
            // An engine that has several GPUs nearly always splits every layer over all of them.
            Field::TensorParallel => {
                let (gpus, engines) = (self.typed.get(&Field::Gpus).copied().unwrap_or(1.0), self.engines());
                Some(if gpus % engines == 0.0 { gpus / engines } else { gpus })
            }
            Field::WeightBits => Some(Precision::default().weights_bits),
            Field::KvBits => Some(self.precision().kv_bits),
            Field::ElementBytes | Field::AllreducesPerLayer => Some(2.0),
            Field::LayerSaving => Some(10.0),
            Field::AllreduceSpeedup | Field::BytesFactor => Some(1.0),
            _ => None,
        }
    }
}

/// Mean streams of one engine's step over the life of its counters, else those running now.
///
/// # Formula
/// ITL observations / engine steps: each stream of a step is observed once, but for its first token.
fn streams_at_once(set: &ServingMetrics, batches: f64) -> Option<f64> {
    let whole = |meaning| set.histogram(meaning).and_then(|histogram| histogram.count);
    let over_time = whole(Meaning::InterTokenLatency)
        .zip(whole(Meaning::IterationTokens))
        .filter(|(_, steps)| *steps > 0.0 && !set.per_token)
        .map(|(observed, steps)| observed / steps);
    let now = || set.value(Meaning::RequestsRunning).map(|running| running / batches);
    over_time.filter(|streams| *streams >= 1.0).or_else(now).filter(|streams| *streams >= 1.0).map(to_a_tenth)
}

/// Tokens of an average request: of the finished ones, else all tokens over all that got a first one.
fn tokens_per_request(set: &ServingMetrics, finished: Meaning, all: Meaning) -> Option<f64> {
    let started = || set.histogram(Meaning::TimeToFirstToken).and_then(|histogram| histogram.count);
    let over_all = || Some(set.value(all)? / started().filter(|started| *started > 0.0)?);
    set.histogram(finished).and_then(Histogram::mean).or_else(over_all).map(f64::round)
}

fn to_a_tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
