//! The numbers a user may set: one table with each one's key, label, unit and limits.
//!
//! The page's sliders, the link's keys and the checks of the terminal's options all read this table.

use serde::{Deserialize, Serialize};

macro_rules! fields {
    ($($(#[$doc:meta])* $variant:ident = $key:literal, $label:literal, $unit:literal, $scale:literal,
        $group:ident, $min:literal ..= $max:literal, $steps:ident, $help:literal;)*) => {
        /// A number a user may set.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Field {
            $($(#[$doc])* $variant,)*
        }

        impl Field {
            /// All of them, in the order of the page.
            pub const ALL: &'static [Field] = &[$(Field::$variant,)*];

            /// The row of the table.
            #[must_use]
            pub const fn spec(self) -> &'static Spec {
                match self {
                    $(Field::$variant => &Spec {
                        key: $key, label: $label, unit: $unit, scale: $scale, group: Group::$group,
                        min: $min, max: $max, steps: Steps::$steps, help: $help,
                    },)*
                }
            }

            /// The field with this key, if any.
            #[must_use]
            pub fn by_key(key: &str) -> Option<Field> {
                Field::ALL.iter().copied().find(|field| field.spec().key == key)
            }
        }
    };
}

/// What the page and the link need to know of a field.
#[derive(Debug, PartialEq)]
pub struct Spec {
    /// Its short name in the link and in JSON.
    pub key: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// The unit it is typed in; empty for a plain number.
    pub unit: &'static str,
    /// What one of that unit is in SI: 1e-3 for ms.
    pub scale: f64,
    /// The group it belongs to on the page.
    pub group: Group,
    /// The least it can be, in its unit.
    pub min: f64,
    /// The most it can be, in its unit.
    pub max: f64,
    /// How a slider moves through it.
    pub steps: Steps,
    /// One sentence that explains it.
    pub help: &'static str,
}

/// Groups of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// What was measured, and the load it was measured under.
    Measurement,
    /// The model.
    Model,
    /// GPUs and how the model is split over them.
    Hardware,
    /// What an allreduce costs, and the evidence for it.
    Allreduce,
    /// Changes to try.
    WhatIf,
}

/// How a slider moves through a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// Equal differences.
    Even,
    /// Whole numbers in equal differences.
    Whole,
    /// Equal ratios: for values over several orders of magnitude.
    Ratio,
    /// Equal ratios, a slider's steps rounded to whole numbers; a mean typed by hand may lie between.
    WholeRatio,
}

fields! {
    /// Mean time between two outputs of one stream.
    InterTokenLatency = "itl", "Inter-token latency", "ms", 1e-3, Measurement, 0.05..=5000.0, Ratio,
        "Mean time between two outputs of one stream: the time of a decode step.";
    /// Mean time to the first token.
    TimeToFirstToken = "ttft", "Time to first token", "ms", 1e-3, Measurement, 0.1..=600000.0, Ratio,
        "Mean time from a request's arrival to its first token, the queue included.";
    /// Tokens a decode step yields per stream.
    TokensPerStep = "k", "Tokens per step", "", 1.0, Measurement, 1.0..=16.0, Even,
        "Above 1 with speculative decoding: a step then yields several tokens per stream.";
    /// Length of the reply looked at.
    ReplyTokens = "reply", "Reply length", "tokens", 1.0, Measurement, 1.0..=32768.0, WholeRatio,
        "Tokens in a reply, to weigh the first token against the rest.";
    /// Streams decoded at once.
    Batch = "batch", "Streams at once", "", 1.0, Measurement, 1.0..=1024.0, WholeRatio,
        "Requests decoded together in one step. Each hits its own experts and reads its own cache.";
    /// Tokens already in each stream's cache.
    Context = "ctx", "Context", "tokens", 1.0, Measurement, 1.0..=1048576.0, WholeRatio,
        "Tokens already in each stream's KV cache, read again at every step.";
    /// Decoder layers.
    Layers = "layers", "Layers", "", 1.0, Model, 1.0..=256.0, Whole,
        "Decoder layers; each takes an equal part of the step in the per-layer budget.";
    /// Hidden size.
    Hidden = "hidden", "Hidden size", "", 1.0, Model, 128.0..=32768.0, WholeRatio,
        "Width of the residual stream: what every allreduce carries per token.";
    /// Bits per weight, scales included.
    WeightBits = "wbits", "Bits per weight", "bit", 1.0, Model, 1.0..=32.0, Even,
        "Average bits a weight takes in memory, scales and zero points included.";
    /// Bits per cached element.
    KvBits = "kvbits", "Bits per cache element", "bit", 1.0, Model, 2.0..=32.0, Even,
        "Bits an element of the KV cache takes.";
    /// Bytes per element of an allreduce.
    ElementBytes = "act", "Bytes per activation", "B", 1.0, Model, 1.0..=4.0, Whole,
        "Bytes an activation takes on the wire: 2 for BF16.";
    /// GPUs in all.
    Gpus = "gpus", "GPUs", "", 1.0, Hardware, 1.0..=64.0, Whole,
        "GPUs that serve the model.";
    /// Ranks every layer is split over.
    TensorParallel = "tp", "Tensor parallel", "", 1.0, Hardware, 1.0..=64.0, Whole,
        "GPUs that each layer is split over; above 1 every layer needs its allreduces.";
    /// Memory bandwidth per GPU.
    Bandwidth = "bw", "Memory bandwidth", "GB/s", 1e9, Hardware, 10.0..=20000.0, Ratio,
        "What one GPU's memory delivers: measured if you have it, else the catalogue's.";
    /// Memory of one GPU.
    Memory = "mem", "Memory", "GiB", 1_073_741_824.0, Hardware, 1.0..=4096.0, Ratio,
        "What one GPU's memory holds, in GiB. What datasheets call 80 GB are mostly 80 GiB, which is 85.9 GB.";
    /// 16-bit matrix rate of one GPU.
    MatrixRate = "flops", "Matrix rate", "TFLOP/s", 1e12, Hardware, 0.1..=50000.0, Ratio,
        "16-bit matrix products without sparsity, as a datasheet gives them. Large ones reach about 80 % of it.";
    /// Bandwidth of one GPU's links.
    LinkBandwidth = "linkbw", "Link bandwidth", "GB/s", 1e9, Hardware, 0.5..=5000.0, Ratio,
        "All of one GPU's links to the others, one way. Only used where nobody measured the allreduce.";
    /// Allreduces in each layer.
    AllreducesPerLayer = "arl", "Allreduces per layer", "", 1.0, Allreduce, 0.0..=6.0, Whole,
        "Two in nearly every model under tensor parallelism: after attention and after the MLP or MoE.";
    /// Latency of one allreduce.
    AllreduceLatency = "alpha", "Allreduce latency", "µs", 1e-6, Allreduce, 0.1..=2000.0, Ratio,
        "Time of an allreduce of an empty message: the α of the alpha-beta model.";
    /// Bandwidth of one allreduce.
    AllreduceBandwidth = "beta", "Allreduce bandwidth", "GB/s", 1e9, Allreduce, 0.05..=2000.0, Ratio,
        "Message bytes per second beyond the latency (algorithm bandwidth): the β of the alpha-beta model.";
    /// Tokens in each run of the experiment.
    ExperimentTokens = "abn", "Tokens in each run", "tokens", 1.0, Allreduce, 1.0..=100000.0, WholeRatio,
        "Tokens generated in each of two runs that differ only in how the allreduce is done.";
    /// Time of the slower run.
    ExperimentSlower = "abslow", "Slower run", "s", 1.0, Allreduce, 0.01..=3600.0, Ratio,
        "Time of the slower run.";
    /// Time of the faster run.
    ExperimentFaster = "abfast", "Faster run", "s", 1.0, Allreduce, 0.01..=3600.0, Ratio,
        "Time of the faster run.";
    /// Lower end of a stated share.
    StatedShareLow = "shlow", "Stated share, at least", "%", 1e-2, Allreduce, 0.0..=100.0, Even,
        "Somebody's own estimate of the allreduce's share of a step, lower end.";
    /// Upper end of a stated share.
    StatedShareHigh = "shhigh", "Stated share, at most", "%", 1e-2, Allreduce, 0.0..=100.0, Even,
        "Somebody's own estimate of the allreduce's share of a step, upper end.";
    /// Lower end of a stated compute time.
    StatedComputeLow = "colow", "Stated compute, at least", "ms", 1e-3, Allreduce, 0.0..=1000.0, Even,
        "Somebody's own estimate of a step's time without the allreduce, lower end.";
    /// Upper end of a stated compute time.
    StatedComputeHigh = "cohigh", "Stated compute, at most", "ms", 1e-3, Allreduce, 0.0..=1000.0, Even,
        "Somebody's own estimate of a step's time without the allreduce, upper end.";
    /// Time to take off every layer.
    LayerSaving = "save", "Off each layer", "µs", 1e-6, WhatIf, 0.0..=500.0, Even,
        "What if every layer took this much less?";
    /// How many times faster the allreduce becomes.
    AllreduceSpeedup = "arx", "Allreduce faster by", "×", 1.0, WhatIf, 1.0..=20.0, Ratio,
        "What if every allreduce were this many times faster?";
    /// What part of the bytes is still read.
    BytesFactor = "bytesx", "Bytes read", "×", 1.0, WhatIf, 0.1..=2.0, Ratio,
        "What if every step read this many times the bytes: 0.5 is half the bits per weight.";
}

impl Field {
    /// What describes one GPU and the way to its neighbours.
    pub const OF_THE_GPU: [Self; 6] = [
        Self::Bandwidth,
        Self::Memory,
        Self::MatrixRate,
        Self::LinkBandwidth,
        Self::AllreduceLatency,
        Self::AllreduceBandwidth,
    ];
}

impl Spec {
    /// The nearest value the field can hold: within its limits, and whole where it counts things.
    #[must_use]
    pub fn nearest(&self, value: f64) -> f64 {
        let whole = self.steps == Steps::Whole;
        (if whole { value.round() } else { value }).clamp(self.min, self.max)
    }

    /// Reads what a person typed: a number, perhaps with a decimal comma, a unit (`1.2 s` where
    /// milliseconds are asked for) or a `k` or `M`.
    ///
    /// # Errors
    /// [`FieldError`] for what is not such a number, or outside the field's limits.
    pub fn parse(&'static self, text: &str) -> Result<f64, FieldError> {
        let error = FieldError { spec: self };
        let text = text.trim().replace('−', "-");
        let digits = text.find(|c: char| !(c.is_ascii_digit() || "+-.,eE".contains(c))).unwrap_or(text.len());
        let (number, unit) = text.split_at_checked(digits).ok_or(error)?;
        let number: f64 = self.without_commas(number).ok_or(error)?.parse().map_err(|_| error)?;
        let value = number * self.unit_scale(unit.trim()).ok_or(error)?;
        let whole = matches!(self.steps, Steps::Whole) && value.fract() != 0.0;
        if value.is_finite() && (self.min..=self.max).contains(&value) && !whole { Ok(value) } else { Err(error) }
    }

    /// Commas as what they can only mean: thousands where things are counted, else a decimal comma; neither
    /// where both are possible (1,234 ms).
    fn without_commas(&self, number: &str) -> Option<String> {
        let grouped = number.split(',').enumerate().all(|(place, digits)| {
            let whole = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            whole && if place == 0 { digits.len() <= 3 } else { digits.len() == 3 }
        });
        let counted = matches!(self.steps, Steps::Whole | Steps::WholeRatio);
        match (number.contains(','), counted, grouped) {
            (false, _, _) => Some(number.to_owned()),
            (true, true, true) => Some(number.replace(',', "")),
            (true, false, false) => Some(number.replacen(',', ".", 1)),
            (true, _, _) => None,
        }
    }

    /// What one of a typed unit is in the field's own.
    fn unit_scale(&self, unit: &str) -> Option<f64> {
        type Family = &'static [(&'static str, f64)];
        const FAMILIES: [Family; 4] = [
            &[("ns", 1e-9), ("µs", 1e-6), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)],
            &[("MB/s", 1e6), ("GB/s", 1e9), ("TB/s", 1e12)],
            &[
                ("MiB", 1_048_576.0),
                ("GiB", 1_073_741_824.0),
                ("MB", 1e6),
                ("GB", 1e9),
                ("TB", 1e12),
                ("TiB", 1_099_511_627_776.0),
            ],
            &[("GFLOP/s", 1e9), ("TFLOP/s", 1e12), ("PFLOP/s", 1e15)],
        ];
        if unit.is_empty() || unit == self.unit {
            return Some(1.0);
        }
        let find = |family: Family, name: &str| family.iter().find(|(known, _)| *known == name).map(|(_, size)| *size);
        match FAMILIES.into_iter().find(|&family| find(family, self.unit).is_some()) {
            Some(family) => find(family, unit).map(|size| size / self.scale),
            None => find(&[("k", 1e3), ("M", 1e6)], unit),
        }
    }

    /// The place of a value on a slider from 0 to 1.
    #[must_use]
    pub fn position(&self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        let position = match self.steps {
            Steps::Even | Steps::Whole => (value - self.min) / (self.max - self.min),
            Steps::Ratio | Steps::WholeRatio => (value / self.min).ln() / (self.max / self.min).ln(),
        };
        position.clamp(0.0, 1.0)
    }

    /// The value at a place on a slider from 0 to 1, to three significant digits.
    #[must_use]
    pub fn value_at(&self, position: f64) -> f64 {
        let position = position.clamp(0.0, 1.0);
        let value = match self.steps {
            Steps::Even | Steps::Whole => self.min + position * (self.max - self.min),
            Steps::Ratio | Steps::WholeRatio => self.min * (self.max / self.min).powf(position),
        };
        let value = match self.steps {
            Steps::Whole | Steps::WholeRatio => value.round(),
            Steps::Even | Steps::Ratio => round_to_digits(value, 3),
        };
        value.clamp(self.min, self.max)
    }
}

/// What a person typed is not a number that the field can hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldError {
    spec: &'static Spec,
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Spec { min, max, unit, steps, .. } = self.spec;
        let kind = if *steps == Steps::Whole { "whole number" } else { "number" };
        write!(f, "expected a {kind} from {min} to {max}")?;
        if unit.is_empty() { Ok(()) } else { write!(f, " {unit}") }
    }
}

impl std::error::Error for FieldError {}

fn round_to_digits(value: f64, digits: i32) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let size = 10f64.powi(digits - 1 - value.abs().log10().floor() as i32);
    (value * size).round() / size
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn keys_are_unique_and_limits_make_sense() {
        for (index, field) in Field::ALL.iter().enumerate() {
            let spec = field.spec();
            assert_eq!(Field::by_key(spec.key), Some(*field));
            assert!(Field::ALL.iter().take(index).all(|other| other.spec().key != spec.key), "{}", spec.key);
            assert!(spec.min < spec.max, "{}", spec.key);
            let ratio = matches!(spec.steps, Steps::Ratio | Steps::WholeRatio);
            assert!(!ratio || spec.min > 0.0, "{}: equal ratios need a least above zero", spec.key);
        }
    }

    #[test]
    fn what_people_type_is_understood_or_refused_with_the_limits() {
        for (field, text, value) in [
            (Field::InterTokenLatency, "17.39", 17.39),
            (Field::InterTokenLatency, " 17,39 ms", 17.39),
            (Field::InterTokenLatency, "1.2s", 1200.0),
            (Field::InterTokenLatency, "250 us", 0.25),
            (Field::Bandwidth, "3.35 TB/s", 3350.0),
            (Field::Context, "128k", 128_000.0),
            (Field::Context, "131,072", 131_072.0),
            (Field::StatedShareLow, "55 %", 55.0),
            // 80 × 2³⁰ bytes are 85.899 GB, and 80 × 10⁹ are 74.506 GiB.
            (Field::Memory, "80 GiB", 80.0),
            (Field::Memory, "85.89934592 GB", 80.0),
            (Field::Memory, "80 GB", 74.505_805_969_238_28),
            (Field::Layers, "7.8e1", 78.0),
        ] {
            let read = field.spec().parse(text).unwrap();
            assert!((read - value).abs() < 1e-9 * value, "{text}: {read}");
        }
        for text in ["", "-", "x", "17 GB/s", "-4", "1e9", "NaN", "inf", "1,234.5", "1,234", "17,39,1"] {
            let error = Field::InterTokenLatency.spec().parse(text).unwrap_err();
            assert_eq!(error.to_string(), "expected a number from 0.05 to 5000 ms", "{text}");
        }
    }

    #[test]
    fn a_slider_reaches_both_ends_and_comes_back_to_where_it_was() {
        for field in Field::ALL {
            let spec = field.spec();
            assert_eq!(spec.value_at(0.0), spec.min);
            assert_eq!(spec.value_at(1.0), spec.max);
            for step in 0..=200 {
                let value = spec.value_at(f64::from(step) / 200.0);
                let again = spec.value_at(spec.position(value));
                assert!((again - value).abs() <= 1e-9 * value.abs().max(1e-9), "{}: {value} {again}", spec.key);
            }
        }
    }
}
