//! The worked example: the story the tool comes from, and what the page opens on.
//!
//! GLM-5 (GGUF, Q4_K_XL, 402 GB) under vLLM on eight RTX PRO 6000 Blackwell over PCIe, tensor
//! parallel 8, one request at a time: 57.5 tokens a second, and nothing in the metrics that says why.

use super::{EstimateChoice, Field, GpuChoice, Measured, ModelChoice, Scenario};
use crate::metrics::read_dump;
use crate::paste::prometheus;
use std::sync::LazyLock;

/// The worked example's `/metrics` dump, written from the facts of the story.
pub const EXAMPLE_DUMP: &str = include_str!("example.txt");

const EXAMPLE_NAME: &str = "worked example";

/// Built once: every look at whether a scenario still is the example would read the dump again.
static EXAMPLE: LazyLock<Scenario> = LazyLock::new(Scenario::build_example);

impl Scenario {
    /// The worked example.
    #[must_use]
    pub fn example() -> Self {
        EXAMPLE.clone()
    }

    /// Whether this is the worked example as it is, nothing changed.
    #[must_use]
    pub fn is_unchanged_example(&self) -> bool {
        *self == *EXAMPLE
    }

    fn build_example() -> Self {
        let dump = read_dump(&prometheus::read(EXAMPLE_DUMP));
        let mut scenario = Self {
            model: Some(ModelChoice::Preset("glm-5".to_owned())),
            gpu: Some(GpuChoice::Known("rtx-pro-6000".to_owned())),
            measured: Some(Measured::distil(EXAMPLE_NAME, &dump.sets)),
            choice: EstimateChoice::Combined,
            ..Self::default()
        };
        for (field, value) in [
            (Field::ReplyTokens, 128.0),
            // Replies of 128 tokens to short prompts: about as many lie in the cache on average.
            (Field::Context, 128.0),
            (Field::Gpus, 8.0),
            (Field::TensorParallel, 8.0),
            // Measured on these cards; the catalogue says 1792.
            (Field::Bandwidth, 1458.0),
            // Two runs of 128 tokens: NCCL_PROTO=LL against NCCL's own choice.
            (Field::ExperimentTokens, 128.0),
            (Field::ExperimentSlower, 2.71),
            (Field::ExperimentFaster, 2.22),
            // What the original analysis estimated.
            (Field::StatedShareLow, 55.0),
            (Field::StatedShareHigh, 65.0),
            (Field::StatedComputeLow, 6.0),
            (Field::StatedComputeHigh, 10.0),
        ] {
            scenario.set(field, Some(value));
        }
        scenario
    }

    /// Whether this is the worked example, perhaps with changed numbers.
    #[must_use]
    pub fn is_example(&self) -> bool {
        self.measured.as_ref().is_some_and(|measured| measured.name == EXAMPLE_NAME)
    }
}
