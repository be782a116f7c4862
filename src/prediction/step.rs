//! The step's terms from the model's reads, the GPU's rates and the constants.

use super::allreduce;
use super::{Arithmetic, Ceiling, Constants, Prediction, Roof, Runtime, Term, TermKind, Workload};
use crate::collective::{allreduces_per_token, message_bytes};
use crate::hardware::Gpu;
use crate::model::{
    Activations, Architecture, Component, Layer, Precision, Read, Split, Step, decode_step, draft_step,
};
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Range, Seconds};

/// How far a bandwidth may lie from the truth: the fits' own deviations where measured, and twice
/// that of the catalogue's spread (0.74 to 0.89 of what is published) where not.
const BANDWIDTH_ERROR: f64 = 0.08;
const UNMEASURED_ERROR: f64 = 0.15;
/// How far the fitted times of kernels and host may: engines and kernels differ by so much.
const OVERHEAD_ERROR: f64 = 0.35;

/// Predicts one decode step.
///
/// # Formula
/// Σ over components max(bytes / achieved bandwidth, FLOPs / achieved rate) + operations × start +
/// quantised operations × quantising + allreduces × one + forward passes × host
///
/// # Units
/// seconds per step; bytes and FLOPs of one GPU
///
/// # Source
/// [`decode_step`], [`crate::hardware::Gpu::achieved_bandwidth`], [`crate::collective::fits`] and [`Constants::FITTED`]
///
/// # Limits
/// Prefill of other requests, stragglers among nodes, all-to-alls other than as allreduces, and
/// hand-overs between pipeline stages are not counted.
///
/// ```
/// use decodescope::{hardware, model, prediction::{Workload, predict}};
/// let glm5 = &model::preset("glm-5").unwrap().architecture;
/// let precision = model::Quantisation::by_recipe("nvfp4-experts").unwrap().precision;
/// let gpu = hardware::find("rtx-pro-6000").unwrap();
/// let step = predict(glm5, &precision, &model::Split::tensor(8), gpu, &Workload::new(1.0, 500.0));
/// // Every term is there, and they add up.
/// let sum: f64 = step.terms.iter().map(|term| term.seconds.likely.get()).sum();
/// assert!((sum - step.time().likely.get()).abs() < 1e-12);
/// // 156 allreduces of 12 KiB at 26.9 µs each.
/// let allreduces = step.terms.iter().find(|term| term.name == "allreduces").unwrap();
/// assert_eq!(allreduces.count, 156.0);
/// assert!((allreduces.seconds.likely.as_millis() - 4.194).abs() < 0.001);
/// ```
#[must_use]
pub fn predict(
    architecture: &Architecture,
    precision: &Precision,
    split: &Split,
    gpu: &Gpu,
    workload: &Workload,
) -> Prediction {
    predict_with(&Constants::FITTED, architecture, precision, split, gpu, workload)
}

/// [`predict`] with other constants.
#[must_use]
pub fn predict_with(
    constants: &Constants,
    architecture: &Architecture,
    precision: &Precision,
    split: &Split,
    gpu: &Gpu,
    workload: &Workload,
) -> Prediction {
    let mut sum = Sum {
        constants,
        precision,
        gpu,
        runtime: workload.runtime,
        terms: Vec::new(),
        operations: 0.0,
        quantised: 0.0,
    };
    let mut assumptions = sum.assumptions();
    let at = |tokens| Step { sequences: workload.sequences, tokens, context: workload.context };
    sum.add(&decode_step(architecture, precision, split, &at(workload.tokens)).reads, 1.0);
    let drafts = (workload.tokens - 1.0).max(0.0);
    let mut exchanges = Exchanges::of(architecture, split, workload);
    let mut passes = 1.0;
    if drafts > 0.0 {
        match draft_step(architecture, precision, split, &at(1.0)).zip(architecture.prediction.as_ref()) {
            Some((draft, prediction)) => {
                sum.add(&draft.reads, drafts);
                prediction.layers.iter().for_each(|layer| exchanges.add(layer, split, drafts));
                passes += drafts;
            }
            None => {
                assumptions.push("drafting takes no time: the model has no prediction layers of its own".to_owned())
            }
        }
    }
    let ceiling = sum.ceiling();
    sum.overheads();
    let tokens = split.sequences_of_a_group(workload.sequences) * workload.tokens;
    let message = message_bytes(architecture.hidden, precision.activation_bytes, tokens);
    for (name, ranks, number) in [
        ("allreduces", split.tensor_parallel.max(1), exchanges.allreduces),
        ("expert exchanges", split.stage_ranks(), exchanges.experts),
    ] {
        if ranks > 1 && number > 0.0 {
            let (one, assumption) = allreduce::one(gpu, ranks, message, workload);
            assumptions.extend(assumption);
            sum.push(name, TermKind::Allreduce, one.map(|time| time * number), message * number, number);
        }
    }
    sum.push("host", TermKind::Host, spread(constants.host * passes, OVERHEAD_ERROR), Bytes::ZERO, passes);
    Prediction { bandwidth: sum.achieved(), terms: sum.terms, ceiling, assumptions }
}

/// How often ranks sum up in a forward pass. Data-parallel groups have attention and dense blocks to themselves: only
/// their experts, spread over all of them, need the other groups.
struct Exchanges {
    /// Within a group.
    allreduces: f64,
    /// Among all groups, counted as allreduces.
    experts: f64,
}

impl Exchanges {
    fn of(architecture: &Architecture, split: &Split, workload: &Workload) -> Self {
        if let Some(each) = workload.allreduces_per_layer {
            return Self { allreduces: allreduces_per_token(architecture.layer_count(), each), experts: 0.0 };
        }
        let mut all = Self { allreduces: 0.0, experts: 0.0 };
        architecture.layers.iter().for_each(|group| all.add(&group.layer, split, f64::from(group.count)));
        all
    }

    fn add(&mut self, layer: &Layer, split: &Split, times: f64) {
        let among_groups = u32::from(split.data_parallel_attention > 1 && layer.experts.is_some());
        self.allreduces += times * f64::from(layer.allreduces() - among_groups);
        self.experts += times * f64::from(among_groups);
    }
}

/// The terms so far.
struct Sum<'a> {
    constants: &'a Constants,
    precision: &'a Precision,
    gpu: &'a Gpu,
    runtime: Runtime,
    terms: Vec<Term>,
    operations: f64,
    quantised: f64,
}

impl Sum<'_> {
    fn assumptions(&self) -> Vec<String> {
        let mut assumptions = Vec::new();
        let gpu = self.gpu;
        if gpu.achieved_bandwidth.is_none() {
            let share = self.constants.unmeasured_share * 100.0;
            let text =
                format!("nobody published measured reads of {}: {share:.0} % of its published bandwidth", gpu.name);
            assumptions.push(text);
        }
        if gpu.bf16.is_none() {
            assumptions.push(format!("no source for the FLOPs of {}: only its reads are counted", gpu.name));
        }
        assumptions
    }

    /// Adds the reads of a forward pass, so many times.
    fn add(&mut self, reads: &[Read], times: f64) {
        for read in reads {
            let (bytes, flops) = (read.bytes * times, read.flops * times);
            let reading = bytes / self.bandwidth(read.component);
            let roof = self.roof(read.component);
            let computing = roof.map_or(Seconds::ZERO, |roof| flops / roof.rate);
            let operations = read.operations * times;
            self.operations += operations;
            let mut start = self.constants.operation * operations;
            if self.is_quantised(read.component) {
                self.quantised += operations;
                start += self.constants.quantising * operations;
            }
            let error = if self.gpu.achieved_bandwidth.is_some() { BANDWIDTH_ERROR } else { UNMEASURED_ERROR };
            let seconds = spread(reading.max(computing), error);
            match self.terms.iter_mut().find(|term| term.component == Some(read.component)) {
                Some(term) => {
                    term.seconds = plus(term.seconds, seconds);
                    term.bytes += bytes;
                    term.flops += flops;
                    term.start += start;
                    term.count += operations;
                    term.compute_bound |= computing > reading;
                }
                None => self.terms.push(Term {
                    name: read.component.label().to_owned(),
                    kind: TermKind::Read,
                    component: Some(read.component),
                    seconds,
                    bytes,
                    flops,
                    start,
                    roof,
                    count: operations,
                    compute_bound: computing > reading,
                }),
            }
        }
    }

    /// What the GPU's memory delivers.
    fn achieved(&self) -> BytesPerSecond {
        self.gpu.achieved_bandwidth.unwrap_or(self.gpu.bandwidth * self.constants.unmeasured_share)
    }

    /// What a component is read at.
    fn bandwidth(&self, component: Component) -> BytesPerSecond {
        let (constants, achieved) = (self.constants, self.achieved());
        let plain = if self.runtime == Runtime::LlamaCpp { achieved.min(constants.plain_kernel) } else { achieved };
        let is_cache = !component.is_weights() && component != Component::Activations;
        if is_cache { plain * constants.cache_share } else { plain }
    }

    /// What a component's products take in: as its format says where the GPU can. Caches of 8 bit are
    /// read by kernels that compute in FP8.
    fn activations(&self, component: Component) -> Activations {
        let wanted = if component.is_weights() {
            self.precision.activations_of(component)
        } else if (8.0..9.0).contains(&self.precision.bits(component)) {
            Activations::Fp8
        } else {
            Activations::Sixteen
        };
        if Arithmetic::of(wanted).runs_on(self.gpu) { wanted } else { Activations::Sixteen }
    }

    /// The most that is computed in a second with a component. A rate without a source is taken as that of 16 bit.
    fn roof(&self, component: Component) -> Option<Roof> {
        let narrow = Arithmetic::of(self.activations(component));
        let of = |arithmetic: Arithmetic| Some((arithmetic, arithmetic.published(self.gpu)?));
        let (arithmetic, published) = of(narrow).or_else(|| of(Arithmetic::Bf16))?;
        Some(Roof { arithmetic, rate: published * self.constants.compute_share })
    }

    /// Whether an operation's activations are quantised by a kernel of their own.
    fn is_quantised(&self, component: Component) -> bool {
        component.is_weights()
            && self.runtime != Runtime::LlamaCpp
            && self.activations(component) == Activations::Fp8Blocks
    }

    /// The least time the datasheet (or a measurement that beats it) allows for what has been added: bytes and FLOPs of all terms so
    /// far, at the highest rate the GPU has at all, or for 16 bits where nothing is held in fewer.
    fn ceiling(&self) -> Ceiling {
        let bytes: Bytes = self.terms.iter().map(|term| term.bytes).sum();
        let flops: Flops = self.terms.iter().map(|term| term.flops).sum();
        let gpu = self.gpu;
        let components = self.terms.iter().filter_map(|term| term.component);
        let is_narrow = components.map(|component| self.precision.bits(component)).any(|bits| bits < 16.0);
        let candidates = Arithmetic::ALL.into_iter().filter(|&one| is_narrow || one == Arithmetic::Bf16);
        let rates = candidates.filter_map(|arithmetic| arithmetic.published(gpu));
        let fastest = rates.reduce(FlopsPerSecond::max);
        let computing = fastest.map_or(Seconds::ZERO, |rate| flops / rate);
        Ceiling { time: (bytes / gpu.bandwidth.max(self.achieved())).max(computing), bytes, flops }
    }

    fn overheads(&mut self) {
        let constants = self.constants;
        let (operations, quantised) = (self.operations, self.quantised);
        let mut push = |name, kind, each: Seconds, count: f64| {
            if count > 0.0 {
                self.push(name, kind, spread(each * count, OVERHEAD_ERROR), Bytes::ZERO, count);
            }
        };
        push("starting operations", TermKind::Start, constants.operation, operations);
        push("quantising activations", TermKind::Quantise, constants.quantising, quantised);
    }

    fn push(&mut self, name: &str, kind: TermKind, seconds: Range<Seconds>, bytes: Bytes, count: f64) {
        let term = Term {
            name: name.to_owned(),
            kind,
            component: None,
            seconds,
            bytes,
            flops: Flops::ZERO,
            start: Seconds::ZERO,
            roof: None,
            count,
            compute_bound: false,
        };
        self.terms.push(term);
    }
}

fn spread(likely: Seconds, error: f64) -> Range<Seconds> {
    Range { low: likely * (1.0 - error), likely, high: likely * (1.0 + error) }
}

fn plus(one: Range<Seconds>, other: Range<Seconds>) -> Range<Seconds> {
    Range { low: one.low + other.low, likely: one.likely + other.likely, high: one.high + other.high }
}
