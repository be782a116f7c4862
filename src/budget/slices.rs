//! The step, and the layer, as parts that add up.

use super::{Estimate, Memory, Step};
use crate::units::{Bytes, Seconds};

/// What a slice of the step is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Reading the attention's weights and cache.
    Attention,
    /// Reading the feed-forward's weights: an MLP, or the experts that were hit.
    FeedForward,
    /// Reading what is outside the layers: the head.
    Head,
    /// The allreduces.
    Allreduce,
    /// What nothing above explains: launches, synchronisation, small kernels, waiting, the host.
    Residual,
}

impl Part {
    /// Its name in JSON.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Attention => "attention",
            Self::FeedForward => "feed-forward",
            Self::Head => "head",
            Self::Allreduce => "allreduce",
            Self::Residual => "residual",
        }
    }

    /// Its name for people, in a model with experts or without.
    #[must_use]
    pub fn title(self, experts: bool) -> &'static str {
        match self {
            Self::Attention => "Attention: weights and cache",
            Self::FeedForward if experts => "MLP or experts: weights",
            Self::FeedForward => "MLP: weights",
            Self::Head => "Head",
            Self::Allreduce => "Allreduce",
            Self::Residual => "Residual",
        }
    }

    /// What it is, in a sentence, in a model with experts or without.
    #[must_use]
    pub fn explanation(self, experts: bool) -> &'static str {
        match self {
            Self::Attention => "reading the attention's projections and the KV cache at the bandwidth above",
            Self::FeedForward if !experts => "reading the MLP; dequantisation happens inside these kernels",
            Self::FeedForward => {
                "reading the MLP, or the experts that were hit; dequantisation happens inside these kernels"
            }
            Self::Head => "reading the output head once per step",
            Self::Allreduce => "the estimate chosen above",
            Self::Residual => "everything not explained: launches, synchronisation, small kernels, the host",
        }
    }
}

/// One part of a whole that adds up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// What it is spent on.
    pub part: Part,
    /// How long; negative only for the residual, where the model over-explains the step.
    pub time: Seconds,
}

/// The step as parts that add up to it: what the model explains, and the residual.
///
/// # Limits
/// Memory and allreduce are taken one after the other. Where kernels overlap, or the model counts too
/// much, the residual turns negative: the model over-explains by so much. Less than a millionth of the step is
/// rounding, and no residual.
#[must_use]
pub fn step_slices(step: &Step, memory: Option<&Memory>, allreduce: Option<&Estimate>) -> Vec<Slice> {
    let mut slices = Vec::new();
    if let Some(memory) = memory {
        let mut add = |part, bytes: Bytes| {
            if bytes.get() > 0.0 {
                slices.push(Slice { part, time: bytes / memory.bandwidth.value });
            }
        };
        let layer = memory.read.per_layer();
        let layers = f64::from(memory.read.layers);
        add(Part::Attention, layer.attention * layers);
        add(Part::FeedForward, layer.feed_forward * layers);
        add(Part::Head, layer.outside);
    }
    if let Some(estimate) = allreduce.filter(|estimate| estimate.time.likely.get() > 0.0) {
        slices.push(Slice { part: Part::Allreduce, time: estimate.time.likely });
    }
    let explained: Seconds = slices.iter().map(|slice| slice.time).sum();
    slices.push(Slice { part: Part::Residual, time: residual(step.time.value, explained) });
    slices
}

/// Below this share of the step, what sums of rounded numbers leave over is rounding.
const ROUNDING: f64 = 1e-6;

/// What nothing explains; nothing where only rounding is left.
fn residual(step: Seconds, explained: Seconds) -> Seconds {
    let rest = step - explained;
    if rest.get().abs() < step.get() * ROUNDING { Seconds::ZERO } else { rest }
}

/// One layer's part of every slice: the head's part is spread over the layers like the rest.
#[must_use]
pub fn layer_slices(slices: &[Slice], layers: f64) -> Vec<Slice> {
    slices.iter().map(|slice| Slice { time: slice.time / layers, ..*slice }).collect()
}
