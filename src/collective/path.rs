//! Which implementation of the allreduce an engine takes, and why.

use crate::hardware::{Gpu, LinkKind};
use std::fmt;

/// An implementation of the allreduce, as far as published measurements tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Path {
    /// NCCL as it comes.
    Nccl,
    /// NCCL given the machine's graph or protocol by hand, where its own search fails.
    TunedNccl,
    /// NCCL whose search for a graph failed and who therefore chose the slow protocol.
    UntunedNccl,
    /// vLLM's custom allreduce.
    VllmCustom,
    /// SGLang's custom allreduce.
    SglangCustom,
    /// TensorRT-LLM's allreduce.
    TrtLlm,
    /// A one-shot kernel over PCIe peer-to-peer, which engines do not ship by default.
    OneShotPcie,
}

impl Path {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "nccl" => Self::Nccl,
            "tuned-nccl" => Self::TunedNccl,
            "untuned-nccl" => Self::UntunedNccl,
            "vllm-custom" => Self::VllmCustom,
            "sglang-custom" => Self::SglangCustom,
            "trt-llm" => Self::TrtLlm,
            "one-shot-pcie" => Self::OneShotPcie,
            _ => return None,
        })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nccl => "NCCL",
            Self::TunedNccl => "NCCL tuned by hand",
            Self::UntunedNccl => "NCCL with its graph search failed",
            Self::VllmCustom => "vLLM's custom allreduce",
            Self::SglangCustom => "SGLang's custom allreduce",
            Self::TrtLlm => "TensorRT-LLM's allreduce",
            Self::OneShotPcie => "a one-shot kernel over PCIe",
        })
    }
}

/// The engines whose choice is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// TensorRT-LLM.
    TensorRtLlm,
}

impl Engine {
    fn custom(self) -> Path {
        match self {
            Self::Vllm => Path::VllmCustom,
            Self::Sglang => Path::SglangCustom,
            Self::TensorRtLlm => Path::TrtLlm,
        }
    }

    /// vLLM's kernel exists for even numbers of GPUs, SGLang's for any from 2 to 8.
    fn serves(self, gpus: u32) -> bool {
        match self {
            Self::Vllm | Self::TensorRtLlm => [2, 4, 6, 8].contains(&gpus),
            Self::Sglang => (2..=8).contains(&gpus),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::TensorRtLlm => "TensorRT-LLM",
        })
    }
}

/// The path an engine takes by default for decode's small messages; `None` where there is nothing to
/// reduce with.
///
/// # Source
/// vLLM's `custom_all_reduce.py` and SGLang's `parallel_state.py`: the custom kernel runs on one node,
/// for the world sizes it was written for, between two GPUs that can reach each other's memory or
/// among more of which every pair has NVLink (xGMI on AMD). TensorRT-LLM measured the same as NCCL on
/// more than two PCIe GPUs.
/// # Limits
/// Two PCIe GPUs are taken to have working peer-to-peer access; without, every engine uses NCCL.
#[must_use]
pub fn path(engine: Engine, gpu: &Gpu, gpus: u32) -> Option<Path> {
    match gpus {
        0 | 1 => None,
        _ if !engine.serves(gpus) => Some(Path::Nccl),
        2 if gpu.link.kind != LinkKind::Unified => Some(engine.custom()),
        _ if gpu.link.kind.joins_every_pair(gpus) => Some(engine.custom()),
        _ => Some(Path::Nccl),
    }
}

/// [`path`] in one sentence, with the reason.
///
/// ```
/// use decodescope::{collective::{describe, Engine}, hardware::find};
/// let gpu = find("rtx-pro-6000").unwrap();
/// assert_eq!(
///     describe(Engine::Vllm, gpu, 8),
///     "vLLM leaves the allreduce of 8 × RTX PRO 6000 Blackwell Workstation to NCCL: its own kernel is off for \
///      more than two GPUs without NVLink between every pair, where it gains little over NCCL."
/// );
/// ```
#[must_use]
pub fn describe(engine: Engine, gpu: &Gpu, gpus: u32) -> String {
    let server = format!("{gpus} × {}", gpu.name);
    match path(engine, gpu, gpus) {
        None => format!("One {} has nobody to reduce with: there is no allreduce.", gpu.name),
        Some(Path::Nccl) if !engine.serves(gpus) => format!(
            "{engine} leaves the allreduce of {server} to NCCL: its own kernel is not written for a group of {gpus}."
        ),
        Some(Path::Nccl) => format!(
            "{engine} leaves the allreduce of {server} to NCCL: its own kernel is off for more than two GPUs without \
             NVLink between every pair, where it gains little over NCCL."
        ),
        Some(own) if gpus == 2 => format!(
            "On {server} the allreduce is {own}: between two GPUs it runs over any link with working peer-to-peer access."
        ),
        Some(own) => format!("On {server} the allreduce is {own}: {} joins every pair.", gpu.link.kind),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::hardware::find;

    #[test]
    fn custom_kernels_need_two_gpus_or_every_pair_joined() {
        let takes = |engine, id, gpus| path(engine, find(id).unwrap(), gpus);
        assert_eq!(takes(Engine::Vllm, "rtx-pro-6000", 8), Some(Path::Nccl));
        assert_eq!(takes(Engine::Vllm, "rtx-pro-6000", 2), Some(Path::VllmCustom));
        assert_eq!(takes(Engine::Vllm, "h100-sxm", 8), Some(Path::VllmCustom));
        assert_eq!(takes(Engine::Vllm, "v100-sxm2", 8), Some(Path::Nccl));
        assert_eq!(takes(Engine::Vllm, "h100-sxm", 3), Some(Path::Nccl));
        assert_eq!(takes(Engine::Sglang, "h100-sxm", 3), Some(Path::SglangCustom));
        assert_eq!(takes(Engine::Sglang, "h100-sxm", 16), Some(Path::Nccl));
        assert_eq!(takes(Engine::TensorRtLlm, "l40s", 4), Some(Path::Nccl));
        assert_eq!(takes(Engine::Vllm, "h100-sxm", 1), None);
    }

    #[test]
    fn every_choice_has_its_reason() {
        let says = |id, gpus| describe(Engine::Vllm, find(id).unwrap(), gpus);
        assert!(says("h100-sxm", 8).ends_with("NVLink joins every pair."));
        assert!(says("h100-sxm", 3).ends_with("not written for a group of 3."));
        assert!(says("l40s", 2).contains("peer-to-peer"));
        assert!(says("l40s", 1).contains("no allreduce"));
    }
}
