//! The value of every field, and where it came from.

use super::{Field, ModelChoice, Scenario, Source, Sourced};
use crate::collective::{self, Fit};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::model::{self, Precision, Quantisation};
use crate::units::{Bytes, BytesPerSecond, Seconds};

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
            return Some(Sourced { value, source: Source::Typed });
        }
        let layers = [
            (Source::Measured, self.measured_value(field)),
            (Source::Catalogue, self.catalogue_value(field)),
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

    /// How the weights are held: as the served model's name tells, where it is the model chosen; else
    /// as that model is published.
    #[must_use]
    pub fn quantisation(&self) -> Option<Quantisation> {
        let ModelChoice::Preset(id) = self.model.as_ref()? else { return None };
        let served = self.measured.as_ref().and_then(super::Measured::model_name).and_then(model::recognise);
        if let Some(served) = served.filter(|served| served.preset.id == *id) {
            return Some(served.quantisation);
        }
        Quantisation::by_recipe(model::preset(id)?.native_quantisation.as_deref()?)
    }

    /// The published microbenchmark behind the allreduce's latency and bandwidth, if one fits.
    #[must_use]
    pub fn allreduce_fit(&self) -> Option<&'static Fit> {
        let ranks = self.value(Field::TensorParallel)?.value as u32;
        collective::default_fit(self.gpu()?.id, ranks)
    }

    /// The message each allreduce carries in a step.
    #[must_use]
    pub fn allreduce_message(&self) -> Option<Bytes> {
        let hidden = self.value(Field::Hidden)?.value as u32;
        let element = self.value(Field::ElementBytes)?.value;
        let tokens = self.value(Field::Batch)?.value;
        Some(collective::message_bytes(hidden, element, tokens))
    }

    /// What one GPU's memory delivers.
    #[must_use]
    pub fn bandwidth(&self) -> Option<Sourced<BytesPerSecond>> {
        Some(self.value(Field::Bandwidth)?.map(BytesPerSecond::from_giga))
    }

    fn measured_value(&self, field: Field) -> Option<f64> {
        let set = self.metrics()?;
        match field {
            Field::InterTokenLatency => set.mean(Meaning::InterTokenLatency).map(Seconds::as_millis),
            Field::TimeToFirstToken => set.mean(Meaning::TimeToFirstToken).map(Seconds::as_millis),
            Field::TokensPerStep => set.tokens_per_step().filter(|&tokens| tokens > MORE_THAN_ONE_TOKEN),
            // Half of a reply is in the cache on average while it is being written.
            Field::Context => {
                let mean = |meaning| set.histogram(meaning).and_then(Histogram::mean);
                Some(mean(Meaning::RequestPromptTokens)? + mean(Meaning::RequestGenerationTokens).unwrap_or(0.0) / 2.0)
            }
            _ => None,
        }
        .filter(|value| value.is_finite() && *value > 0.0)
    }

    fn catalogue_value(&self, field: Field) -> Option<f64> {
        match field {
            Field::Layers => Some(f64::from(self.architecture()?.layer_count())),
            Field::Hidden => Some(f64::from(self.architecture()?.hidden)),
            Field::WeightBits => Some(self.quantisation()?.precision.weights_bits),
            Field::AllreducesPerLayer => {
                let architecture = self.architecture()?;
                Some(f64::from(architecture.allreduces()) / f64::from(architecture.layer_count().max(1)))
            }
            Field::Bandwidth => {
                let gpu = self.gpu()?;
                Some(gpu.achieved_bandwidth.unwrap_or(gpu.bandwidth).as_giga())
            }
            Field::AllreduceLatency => Some(self.allreduce_fit()?.model.latency.as_micros()),
            Field::AllreduceBandwidth => Some(self.allreduce_fit()?.model.bandwidth.as_giga()),
            _ => None,
        }
    }

    fn assumed_value(&self, field: Field) -> Option<f64> {
        match field {
            Field::ReplyTokens => Some(USUAL_REPLY_TOKENS),
            Field::Context => Some(USUAL_CONTEXT),
            Field::TokensPerStep | Field::Batch | Field::Gpus => Some(1.0),
            // A server that spans several GPUs nearly always splits every layer over all of them.
            Field::TensorParallel => self.value(Field::Gpus).map(|gpus| gpus.value),
            Field::WeightBits => Some(Precision::default().weights_bits),
            Field::KvBits => Some(self.precision().kv_bits),
            Field::ElementBytes | Field::AllreducesPerLayer => Some(2.0),
            Field::LayerSaving => Some(10.0),
            Field::AllreduceSpeedup | Field::BytesFactor => Some(1.0),
            _ => None,
        }
    }
}
