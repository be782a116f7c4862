//! What is decoded, and by which engine.

use crate::collective::{AlphaBeta, Engine, Path};
use serde::{Deserialize, Serialize};

/// What runs the model, as far as the step's time depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// vLLM, its decode in CUDA graphs.
    #[default]
    Vllm,
    /// SGLang, its decode in CUDA graphs.
    Sglang,
    /// TensorRT-LLM, its decode in CUDA graphs.
    TensorRtLlm,
    /// llama.cpp, its kernels launched one by one.
    LlamaCpp,
}

impl Runtime {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Vllm, Self::Sglang, Self::TensorRtLlm, Self::LlamaCpp];

    /// Its name in options and tables.
    ///
    /// ```
    /// use decodescope::prediction::Runtime;
    /// assert_eq!(Runtime::from_key("tensorrt-llm"), Some(Runtime::TensorRtLlm));
    /// assert!(Runtime::ALL.iter().all(|&runtime| Runtime::from_key(runtime.key()) == Some(runtime)));
    /// ```
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::TensorRtLlm => "tensorrt-llm",
            Self::LlamaCpp => "llama.cpp",
        }
    }

    /// The runtime of that name.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|runtime| runtime.key() == key)
    }

    /// The engine whose choice of an allreduce is known; llama.cpp takes NCCL.
    pub(super) const fn engine(self) -> Option<Engine> {
        match self {
            Self::Vllm => Some(Engine::Vllm),
            Self::Sglang => Some(Engine::Sglang),
            Self::TensorRtLlm => Some(Engine::TensorRtLlm),
            Self::LlamaCpp => None,
        }
    }
}

/// One decode step to predict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// Sequences decoded together, over all data-parallel groups.
    pub sequences: f64,
    /// Tokens of each that go through the model: 1, or 1 + the draft length. Drafts are then drafted,
    /// one after another, by the model's own prediction layers where it has any.
    pub tokens: f64,
    /// Tokens of context each sequence has.
    pub context: f64,
    /// What runs it.
    pub runtime: Runtime,
    /// The allreduce, where it is not what the engine takes by default.
    pub allreduce: Option<Path>,
    /// What one allreduce takes, where somebody measured it on the very system: it beats all that was published.
    pub own_allreduce: Option<AlphaBeta>,
    /// How many allreduces each layer takes, where somebody says; else as the architecture has it.
    pub allreduces_per_layer: Option<f64>,
}

impl Workload {
    /// Plain decoding under vLLM.
    #[must_use]
    pub const fn new(sequences: f64, context: f64) -> Self {
        Self {
            sequences,
            tokens: 1.0,
            context,
            runtime: Runtime::Vllm,
            allreduce: None,
            own_allreduce: None,
            allreduces_per_layer: None,
        }
    }
}
