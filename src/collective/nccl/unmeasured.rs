//! A guess for boxes nobody published measurements of.

use super::{Algorithm, Generation, Graph, Node, Protocol, Wire};
use crate::collective::AlphaBeta;
use crate::hardware::{Gpu, LinkKind};
use crate::units::Bytes;

/// Measured messages of 4 to 16 KiB took from 0.72 (L40S, two GPUs) to 1.81 times (L40S, eight GPUs)
/// what the model says; B200 1.76 times.
const RELATIVE_ERROR: f64 = 0.85;

/// What NCCL's model expects of its LL ring on so many of this GPU, as a line: the prior to fall
/// back to where [`crate::collective::default_fit`] has nothing. `None` where NCCL does not run, and
/// for one GPU.
///
/// # Formula
/// latency and bandwidth of ring and LL of a [`Node::typical`]
/// # Units
/// seconds, bytes per second
/// # Source
/// NCCL's tuning model, see [`super`]
/// # Limits
/// Its error is the worst seen against measured boxes up to 16 KiB, so the range is wide. Beyond, eight
/// L40S without peer-to-peer access took up to 5.5 times as long; and it knows nothing of a search that
/// fails, which doubles the time.
///
/// ```
/// use decodescope::{collective::nccl::unmeasured, hardware::find, units::Bytes};
/// let line = unmeasured(find("rtx-4090").unwrap(), 8).unwrap();
/// // 6.6 + 14 × 1.0 = 20.6 µs; PCIe 4 at 24 GB/s, half for LL, × 8/14 = 6.857 GB/s.
/// assert!((line.latency.as_micros() - 20.6).abs() < 1e-9);
/// assert!((line.bandwidth.as_giga() - 6.857).abs() < 0.001);
/// ```
#[must_use]
pub fn unmeasured(gpu: &Gpu, gpus: u32) -> Option<AlphaBeta> {
    let node = Node::typical(gpu, gpus)?;
    Some(AlphaBeta {
        latency: node.latency(Algorithm::Ring, Protocol::Ll)?,
        bandwidth: node.bandwidth(Algorithm::Ring, Protocol::Ll, Bytes::ZERO)?,
        relative_error: RELATIVE_ERROR,
    })
}

impl Node {
    /// The node NCCL usually finds: over NVLink 0.8 of the link's bandwidth, as its logs show for
    /// A100 and H100; over PCIe what it takes a slot of the card's generation for, 12, 24 or 48
    /// GB/s. `None` for GPUs that NCCL does not run on, and fewer than two.
    #[must_use]
    pub fn typical(gpu: &Gpu, gpus: u32) -> Option<Self> {
        let generation = Generation::of(gpu)?;
        if gpus < 2 {
            return None;
        }
        if gpu.link.kind.joins_every_pair(gpus) && gpu.link.kind != LinkKind::XgmiMesh {
            let graph = Graph::new(8, gpu.link.bandwidth?.as_giga() * 0.8 / 8.0);
            return Some(Self { gpus, generation, wire: Wire::NvLink, graph, nvls: None, force_ll128: false });
        }
        let slot = match gpu.link.pcie_generation? {
            ..=3 => 12.0,
            4 => 24.0,
            5.. => 48.0,
        };
        Some(Self::pcie(gpus, generation, Graph::new(2, slot / 2.0)))
    }
}

impl Generation {
    /// By the compute target in the architecture's name; `None` for other makers' GPUs.
    fn of(gpu: &Gpu) -> Option<Self> {
        let (_, target) = gpu.architecture.split_once("sm_")?;
        match target.trim_end_matches(')').parse::<u32>().ok()? {
            70..80 => Some(Self::Volta),
            80..90 => Some(Self::Ampere),
            90..100 => Some(Self::Hopper),
            100.. => Some(Self::Blackwell),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::collective::{Path, fits};
    use crate::hardware::find;

    #[test]
    fn the_error_covers_every_measured_box() {
        let mut worst = (1.0_f64, 1.0_f64);
        for fit in fits().iter().filter(|fit| fit.path == Path::Nccl && fit.source == "aiconfigurator") {
            let line = unmeasured(find(fit.system).unwrap(), fit.gpus).unwrap();
            for &(size, time) in fit.points.iter().filter(|(size, _)| (4096.0..=16_384.0).contains(&size.get())) {
                let range = line.range(size);
                assert!(range.low < time && time < range.high, "{} at {size:?}", fit.id);
                worst = (worst.0.min(time / range.likely), worst.1.max(time / range.likely));
            }
        }
        assert!((worst.0 - 0.72).abs() < 0.01 && (worst.1 - 1.81).abs() < 0.01, "{worst:?}");
    }

    #[test]
    fn only_what_nccl_runs_on_has_a_node() {
        let node = |id, gpus| Node::typical(find(id).unwrap(), gpus);
        assert!(node("mi300x", 8).is_none() && node("m3-ultra", 2).is_none() && node("h100-sxm", 1).is_none());
        assert_eq!(node("h100-nvl", 2).map(|node| node.wire), None);
        assert_eq!(node("h100-nvl", 4).map(|node| node.wire), Some(Wire::Pcie));
        assert_eq!(node("h100-sxm", 16).map(|node| node.wire), Some(Wire::NvLink));
    }
}
