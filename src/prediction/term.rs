//! What a prediction is made of.

use super::Roof;
use crate::model::Component;
use crate::units::{Bytes, BytesPerSecond, Flops, Range, Seconds, TokensPerSecond};
use serde::Serialize;

/// What a term's time goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TermKind {
    /// Reading a component's bytes or computing with them, whichever takes longer.
    Read,
    /// Starting operations.
    Start,
    /// Quantising activations.
    Quantise,
    /// Summing over tensor-parallel ranks.
    Allreduce,
    /// The host.
    Host,
}

/// One summand of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// Its name for people.
    pub name: String,
    /// What its time goes to.
    pub kind: TermKind,
    /// What is read, where something is.
    pub component: Option<Component>,
    /// What it takes per step, all of it together.
    pub seconds: Range<Seconds>,
    /// Bytes it moves: read from memory, or summed over ranks.
    pub bytes: Bytes,
    /// What it computes.
    pub flops: Flops,
    /// What starting its operations and quantising for them takes: in the terms of those names, not in `seconds`.
    pub start: Seconds,
    /// What it computes at, at most.
    pub roof: Option<Roof>,
    /// How many operations, blocks, allreduces or forward passes it is made of.
    pub count: f64,
    /// Whether computing takes longer than reading.
    pub compute_bound: bool,
}

/// The least a step can take: what the datasheet allows, and nothing else.
///
/// # Formula
/// max(all bytes / published bandwidth, all FLOPs / published rate)
/// # Units
/// seconds per step; bytes and FLOPs of one GPU
/// # Source
/// the roofline, with reading and computing fully overlapped
/// # Limits
/// Experts are those hit on average if routing is uniform; a batch whose tokens agree reads fewer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ceiling {
    /// The least time of a step.
    pub time: Seconds,
    /// Bytes one GPU reads in it.
    pub bytes: Bytes,
    /// What one GPU computes in it.
    pub flops: Flops,
}

impl Ceiling {
    /// What it leaves out, to follow "if".
    pub const IDEALISES: &'static str = "memory is read at the datasheet's bandwidth, computing overlaps with it, and \
                                         allreduces, kernel starts and the host take no time";
}

/// A step's predicted time, term by term.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The summands, in the order of a step.
    pub terms: Vec<Term>,
    /// What no speed can exceed.
    pub ceiling: Ceiling,
    /// What the GPU's memory delivers: as measured, else the usual share of what is published.
    pub bandwidth: BytesPerSecond,
    /// What was assumed for want of knowledge, one sentence each.
    pub assumptions: Vec<String>,
}

impl Prediction {
    /// The step's time: the sum of its terms, never below the ceiling's.
    #[must_use]
    pub fn time(&self) -> Range<Seconds> {
        let sum = |end: fn(&Range<Seconds>) -> Seconds| {
            self.terms.iter().map(|term| end(&term.seconds)).sum::<Seconds>().max(self.ceiling.time)
        };
        Range { low: sum(|range| range.low), likely: sum(|range| range.likely), high: sum(|range| range.high) }
    }

    /// What one stream gets when a step yields so many tokens of it.
    #[must_use]
    pub fn speed(&self, tokens_per_step: f64) -> Range<TokensPerSecond> {
        self.time().map_decreasing(|time| TokensPerSecond::new(tokens_per_step / time.get()))
    }

    /// The speed of one stream that no measurement may exceed, when a step yields so many tokens of it.
    #[must_use]
    pub fn fastest(&self, tokens_per_step: f64) -> TokensPerSecond {
        TokensPerSecond::new(tokens_per_step / self.ceiling.time.get())
    }
}
