//! How a model is spread over GPUs.

use super::part::{Part, Sharding, Usage};
use serde::{Deserialize, Serialize};

/// Ranks of each kind of parallelism. GPUs in all: `tensor × pipeline × data`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// Ranks that share every matrix.
    pub tensor_parallel: u32,
    /// Stages the layers are dealt to; a token passes them one after another.
    pub pipeline_parallel: u32,
    /// Groups that each serve their share of the batch with their own copy of attention, while
    /// experts are spread over all of them.
    pub data_parallel_attention: u32,
    /// Whether experts are dealt whole to ranks instead of each being cut.
    pub expert_parallel: bool,
    /// Ranks of a tensor-parallel group that share a cache they would otherwise each hold whole.
    pub decode_context_parallel: u32,
    /// How many times more experts the busiest rank reads, under expert parallelism, than chance
    /// alone gives it ([`busiest_rank`](super::busiest_rank)): 1 where routing is uniform.
    pub expert_imbalance: f64,
}

impl Default for Split {
    /// One GPU.
    fn default() -> Self {
        Self::tensor(1)
    }
}

impl Split {
    /// Tensor parallelism alone.
    #[must_use]
    pub const fn tensor(ranks: u32) -> Self {
        Self {
            tensor_parallel: ranks,
            pipeline_parallel: 1,
            data_parallel_attention: 1,
            expert_parallel: false,
            decode_context_parallel: 1,
            expert_imbalance: 1.0,
        }
    }

    /// How many GPUs it takes.
    #[must_use]
    pub fn gpus(&self) -> u32 {
        self.stage_ranks().saturating_mul(self.pipeline_parallel.max(1))
    }

    /// How many GPUs one pipeline stage takes, over which experts are spread.
    #[must_use]
    pub fn stage_ranks(&self) -> u32 {
        self.tensor_parallel.max(1).saturating_mul(self.data_parallel_attention.max(1))
    }

    /// How many of the sequences the fullest data-parallel group has: the slowest rank sets the pace.
    ///
    /// ```
    /// use decodescope::model::Split;
    /// let split = Split { data_parallel_attention: 64, ..Split::tensor(1) };
    /// assert_eq!((split.sequences_of_a_group(1.0), split.sequences_of_a_group(65.0)), (1.0, 2.0));
    /// ```
    #[must_use]
    pub fn sequences_of_a_group(&self, sequences: f64) -> f64 {
        match self.data_parallel_attention {
            0 | 1 => sequences,
            groups => (sequences / f64::from(groups)).ceil(),
        }
    }

    /// The stages' numbers of layers. As vLLM deals them: what does not divide goes one each to the stages before
    /// the last, since the last has the head.
    ///
    /// ```
    /// use decodescope::model::Split;
    /// let split = Split { pipeline_parallel: 8, ..Split::tensor(1) };
    /// assert_eq!(split.stages(61), [7, 7, 8, 8, 8, 8, 8, 7]);
    /// ```
    #[must_use]
    pub fn stages(&self, layers: u32) -> Vec<u32> {
        let stages = self.pipeline_parallel.max(1);
        let (each, more) = (layers / stages, layers % stages);
        (0..stages).map(|stage| each + u32::from(stage + 1 < stages && stage + 1 + more >= stages)).collect()
    }

    /// The share of a part's weights that the fullest rank of a stage holds: experts that are dealt are whole.
    pub(crate) fn held(&self, part: &Part) -> f64 {
        match part.usage {
            Usage::Routed { experts, .. } if self.expert_parallel => {
                let experts = experts.max(1);
                f64::from(experts.div_ceil(self.stage_ranks())) / f64::from(experts)
            }
            _ => 1.0 / self.divisor(part.sharding),
        }
    }

    /// Over how many ranks of a stage a tensor is divided.
    pub(crate) fn divisor(&self, sharding: Sharding) -> f64 {
        let groups = if sharding == Sharding::Experts { self.data_parallel_attention.max(1) } else { 1 };
        f64::from(sharding.divisor(self.tensor_parallel)) * f64::from(groups)
    }

    /// Over how many ranks a cache is divided: by heads, and by context where it would be copied.
    pub(crate) fn cache_divisor(&self, sharding: Sharding) -> f64 {
        let copies = f64::from(self.tensor_parallel.max(1)) / f64::from(sharding.divisor(self.tensor_parallel));
        self.divisor(sharding) * f64::from(self.decode_context_parallel.max(1)).min(copies)
    }
}
