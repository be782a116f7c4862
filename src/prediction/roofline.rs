//! Where each operation of a step stands between memory and arithmetic.

use super::Prediction;
use crate::hardware::Gpu;
use crate::model::{Activations, Component};
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};
use serde::Serialize;

/// The numbers that matrix products multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// 16 bit, to which narrower weights are widened first.
    Bf16,
    /// 8 bit, floating.
    Fp8,
    /// 8 bit, whole.
    Int8,
    /// 4 bit, floating.
    Fp4,
}

impl Arithmetic {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Bf16, Self::Fp8, Self::Int8, Self::Fp4];

    /// Its name for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Bf16 => "BF16",
            Self::Fp8 => "FP8",
            Self::Int8 => "INT8",
            Self::Fp4 => "FP4",
        }
    }

    /// The rate a GPU's datasheet gives for it.
    #[must_use]
    pub fn published(self, gpu: &Gpu) -> Option<FlopsPerSecond> {
        match self {
            Self::Bf16 => gpu.bf16,
            Self::Fp8 => gpu.fp8,
            Self::Int8 => gpu.int8,
            Self::Fp4 => gpu.fp4,
        }
    }

    /// What products with such activations are computed in where the GPU can; else weights are widened
    /// to 16 bit.
    pub(super) const fn of(activations: Activations) -> Self {
        match activations {
            Activations::Sixteen => Self::Bf16,
            Activations::Fp8 | Activations::Fp8Blocks => Self::Fp8,
            Activations::Int8 => Self::Int8,
            Activations::Fp4 => Self::Fp4,
        }
    }

    /// Whether a GPU multiplies such numbers: by its datasheet's rate, else by its generation, since
    /// some rates have no source. FP8 came with Ada and CDNA3, FP4 with Blackwell and CDNA4.
    pub(super) fn runs_on(self, gpu: &Gpu) -> bool {
        let target =
            |prefix| gpu.architecture.split_once(prefix).and_then(|(_, rest)| rest.trim_end_matches(')').parse().ok());
        let at_least = |nvidia: u32, amd: u32| {
            target("sm_").is_some_and(|found: u32| found >= nvidia)
                || target("gfx").is_some_and(|found: u32| (amd..1000).contains(&found))
        };
        self.published(gpu).is_some()
            || match self {
                Self::Bf16 => true,
                Self::Fp8 => at_least(89, 942),
                Self::Int8 => at_least(75, 908),
                Self::Fp4 => at_least(100, 950),
            }
    }
}

/// The most that is computed in a second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Roof {
    /// With which numbers.
    pub arithmetic: Arithmetic,
    /// The published rate times [`super::Constants::compute_share`].
    pub rate: FlopsPerSecond,
}

impl Roof {
    /// The FLOPs per byte from which on computing takes longer than reading.
    ///
    /// # Formula
    /// rate / bandwidth
    ///
    /// # Source
    /// Williams, Waterman and Patterson 2009, the roofline's ridge point
    ///
    /// ```
    /// use decodescope::prediction::{Arithmetic, Roof};
    /// use decodescope::units::{BytesPerSecond, FlopsPerSecond};
    /// // RTX PRO 6000: 0.8 × 503.8 TFLOP/s over 1458 GB/s.
    /// let roof = Roof { arithmetic: Arithmetic::Bf16, rate: FlopsPerSecond::from_tera(0.8 * 503.8) };
    /// assert!((roof.ridge(BytesPerSecond::from_giga(1458.0)) - 276.4).abs() < 0.1);
    /// ```
    #[must_use]
    pub fn ridge(&self, bandwidth: BytesPerSecond) -> f64 {
        self.rate.get() / bandwidth.get()
    }
}

/// All that a step does with one component, as a point of the roofline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation {
    /// What is computed with.
    pub component: Component,
    /// What is read for it.
    pub bytes: Bytes,
    /// What is computed.
    pub flops: Flops,
    /// Reading or computing, whichever takes longer, and starting.
    pub time: Seconds,
    /// The most it can compute at, where that is known.
    pub roof: Option<Roof>,
}

impl Operation {
    /// Its arithmetic intensity.
    ///
    /// # Formula
    /// FLOPs / bytes read
    ///
    /// # Limits
    /// Activations between operations are not counted to any one of them: at decode's batches they are
    /// small beside weights and caches.
    #[must_use]
    pub fn intensity(&self) -> f64 {
        self.flops.get() / self.bytes.get()
    }

    /// What it computes in a second.
    ///
    /// # Formula
    /// FLOPs / (max(bytes / bandwidth, FLOPs / rate) + starts)
    #[must_use]
    pub fn rate(&self) -> FlopsPerSecond {
        self.flops / self.time
    }
}

impl Prediction {
    /// The operations that compute anything, in the order of a step. Looking up embeddings and handing
    /// activations on compute nothing; norms are no operations of their own but go with those around them.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        let computing =
            self.terms.iter().filter(|term| term.count > 0.0 && term.flops.get() > 0.0 && term.bytes.get() > 0.0);
        let operations = computing.filter_map(|term| {
            Some(Operation {
                component: term.component?,
                bytes: term.bytes,
                flops: term.flops,
                time: term.seconds.likely + term.start,
                roof: term.roof,
            })
        });
        operations.collect()
    }
}
