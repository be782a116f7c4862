//! NCCL's own tuning model, for one node: what it expects of each algorithm and protocol, and so
//! which it takes. The "what if" behind a measured fit.
//!
//! The constants are those of NCCL 2.23 and later (NVIDIA, `src/graph/tuning.cc`); they are
//! facts about NCCL's choice, not measurements. Against measurements at 8 KiB on eight GPUs the model
//! is 22 µs to 26.7 (RTX PRO 6000), 15.2 to 16.0 (H100) and 15.1 to 26.0 (B200).
//!
//! # Formula
//! time = latency + message / algorithm bandwidth, where
//!
//! | algorithm | latency | algorithm bandwidth from bus bandwidth C = channels × bandwidth |
//! |---|---|---|
//! | ring | base + 2(n−1)·hop | n / (2(n−1)) of: LL min(cap, C/2); LL128 min(0.92 C, channels × cap); Simple C |
//! | tree | base + 2(n−1)·hop | ½ of T = min(0.92 C, channels × cap): LL min(T/3.8, cap); LL128 min(7/9 T, channels × cap); Simple T; times a correction by size |
//! | NVLS | 25 µs | n / (2(n−1)) of channels × min(2·intra·efficiency·(channels−1)/channels, inter) |
//!
//! # Units
//! microseconds and GB/s inside, seconds and bytes outside
//!
//! # Limits
//! It knows two kinds of link, NVLink and everything else; peer-to-peer access and shared memory cost
//! it the same. Inside one node a tree is a chain. At small sizes only some channels are used, so the
//! bandwidth term is a little too fast. Where the search for a graph fails NCCL falls back to
//! 0.1 GB/s; it then believes 12 KiB to be bound by bandwidth, and takes Simple where LL would be far
//! faster: the estimate is meaningless, the choice real ([`Node::search_failed`]).

mod constants;
mod unmeasured;

pub use unmeasured::unmeasured;

use crate::units::{Bytes, BytesPerSecond, Seconds};
use std::fmt;

/// How the sum travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Around a ring.
    Ring,
    /// Up and down a tree, which inside one node is a chain.
    Tree,
    /// Summed by the NVLink switch.
    Nvls,
}

/// How a step tells its neighbour that data are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// A flag beside every 4 bytes: lowest latency, half the bandwidth.
    Ll,
    /// A flag in every 128 bytes; by default only over NVLink.
    Ll128,
    /// Fences and counters: all the bandwidth, highest latency.
    Simple,
}

/// GPU generations, as NCCL's caps differ by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// sm_70 to sm_75.
    Volta,
    /// sm_80 to sm_89.
    Ampere,
    /// sm_90.
    Hopper,
    /// sm_100 and later, workstation cards too.
    Blackwell,
}

/// The two kinds of link NCCL's latencies know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// NVLink.
    NvLink,
    /// Anything else inside one node.
    Pcie,
}

/// What NCCL's search found, as its `GRAPH` log prints it: `nChannels 2, bw 10.0/10.0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Graph {
    /// Parallel channels.
    pub channels: u32,
    /// The first of the two bandwidths, for one channel.
    pub intra: BytesPerSecond,
    /// The second; it only limits NVLS.
    pub inter: BytesPerSecond,
}

impl Graph {
    /// A graph with the same bandwidth twice.
    #[must_use]
    pub const fn new(channels: u32, giga_per_channel: f64) -> Self {
        let bandwidth = BytesPerSecond::from_giga(giga_per_channel);
        Self { channels, intra: bandwidth, inter: bandwidth }
    }

    fn bus(&self) -> f64 {
        f64::from(self.channels) * self.intra.as_giga()
    }
}

/// One node as NCCL sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// GPUs that take part.
    pub gpus: u32,
    /// Their generation.
    pub generation: Generation,
    /// The slowest kind of link between them.
    pub wire: Wire,
    /// The graph found for rings and trees.
    pub graph: Graph,
    /// The graph found for NVLS, on switches that can sum.
    pub nvls: Option<Graph>,
    /// Whether LL128 is forced, as `NCCL_PROTO` with LL128 in it does even over PCIe.
    pub force_ll128: bool,
}

/// What NCCL takes for one message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The protocol.
    pub protocol: Protocol,
    /// The time its model expects.
    pub time: Seconds,
}

impl Node {
    /// GPUs without NVLink, with this graph.
    #[must_use]
    pub const fn pcie(gpus: u32, generation: Generation, graph: Graph) -> Self {
        Self { gpus, generation, wire: Wire::Pcie, graph, nvls: None, force_ll128: false }
    }

    /// GPUs with NVLink, with this graph.
    #[must_use]
    pub const fn nvlink(gpus: u32, generation: Generation, graph: Graph, nvls: Option<Graph>) -> Self {
        Self { gpus, generation, wire: Wire::NvLink, graph, nvls, force_ll128: false }
    }

    /// GPUs for whom NCCL found no graph ("Could not find a path for pattern"): one channel of
    /// 0.1 GB/s, as on two sockets whose interconnect it thinks slower than the GPUs' PCIe.
    ///
    /// ```
    /// use decodescope::collective::nccl::{Algorithm, Node, Generation, Graph, Protocol};
    /// use decodescope::units::Bytes;
    /// let message = Bytes::new(12_288.0);
    /// let lost = Node::search_failed(8, Generation::Blackwell).choose(message).unwrap();
    /// assert_eq!((lost.algorithm, lost.protocol), (Algorithm::Ring, Protocol::Simple));
    /// let found = Node::pcie(8, Generation::Blackwell, Graph::new(2, 10.0)).choose(message).unwrap();
    /// assert_eq!((found.algorithm, found.protocol), (Algorithm::Ring, Protocol::Ll));
    /// // 6.6 + 14 × 1.0 + 12.288 / (0.5 × 20 × 8/14) = 22.75 µs.
    /// assert!((found.time.as_micros() - 22.75).abs() < 0.01);
    /// ```
    #[must_use]
    pub const fn search_failed(gpus: u32, generation: Generation) -> Self {
        Self::pcie(gpus, generation, Graph::new(1, 0.1))
    }

    /// What NCCL takes for this message: the least time among what is on; `None` for a single GPU.
    #[must_use]
    pub fn choose(&self, message: Bytes) -> Option<Choice> {
        use Algorithm::{Nvls, Ring, Tree};
        use Protocol::{Ll, Ll128, Simple};
        [(Ring, Ll), (Ring, Ll128), (Ring, Simple), (Tree, Ll), (Tree, Ll128), (Tree, Simple), (Nvls, Simple)]
            .into_iter()
            .filter(|&(_, protocol)| protocol != Ll128 || self.wire == Wire::NvLink || self.force_ll128)
            .filter_map(|(algorithm, protocol)| {
                Some(Choice { algorithm, protocol, time: self.time(algorithm, protocol, message)? })
            })
            .min_by(|a, b| a.time.get().total_cmp(&b.time.get()))
    }

    /// The time NCCL's model expects of one algorithm and protocol, whether it would take them or
    /// not; `None` where they do not exist on this box.
    #[must_use]
    pub fn time(&self, algorithm: Algorithm, protocol: Protocol, message: Bytes) -> Option<Seconds> {
        let latency = self.latency(algorithm, protocol)?;
        let bandwidth = self.bandwidth(algorithm, protocol, message)?;
        let time = latency.as_micros() + message.get() / 1e3 / bandwidth.as_giga();
        (time.is_finite() && self.graph.bus() > 0.0).then(|| Seconds::from_micros(time))
    }

    /// The latency part.
    #[must_use]
    pub fn latency(&self, algorithm: Algorithm, protocol: Protocol) -> Option<Seconds> {
        if self.gpus < 2 {
            return None;
        }
        let steps = 2.0 * f64::from(self.gpus - 1);
        let (base, hop) = constants::latency(algorithm, protocol, self.wire)?;
        Some(Seconds::from_micros(base + steps * hop))
    }

    /// The algorithm bandwidth part; by the message's size only for trees.
    #[must_use]
    pub fn bandwidth(&self, algorithm: Algorithm, protocol: Protocol, message: Bytes) -> Option<BytesPerSecond> {
        if self.gpus < 2 {
            return None;
        }
        let caps = constants::caps(self.generation);
        let channels = f64::from(self.graph.channels);
        let bus = self.graph.bus();
        let around = f64::from(self.gpus) / (2.0 * f64::from(self.gpus - 1));
        let giga = match (algorithm, protocol) {
            (Algorithm::Ring, Protocol::Ll) => around * caps.ll.min(0.5 * bus),
            (Algorithm::Ring, Protocol::Ll128) => around * (0.92 * bus).min(channels * caps.ring_ll128),
            (Algorithm::Ring, Protocol::Simple) => around * bus,
            (Algorithm::Tree, _) => {
                let tree = (0.92 * bus).min(channels * caps.tree);
                let limited = match protocol {
                    Protocol::Ll => (tree / 3.8).min(caps.ll),
                    Protocol::Ll128 => (tree * 7.0 / 9.0).min(channels * caps.tree_ll128),
                    Protocol::Simple => tree,
                };
                0.5 * limited * constants::tree_correction(protocol, message)
            }
            (Algorithm::Nvls, Protocol::Simple) => {
                let graph = self.nvls.filter(|graph| graph.channels >= 2)?;
                let channels = f64::from(graph.channels);
                let efficiency = constants::nvls_efficiency(self.generation)?;
                let one = graph.intra.as_giga() * efficiency * 2.0 * (channels - 1.0) / channels;
                around * channels * one.min(graph.inter.as_giga())
            }
            (Algorithm::Nvls, _) => return None,
        };
        Some(BytesPerSecond::from_giga(giga))
    }

    /// The message from which a ring's Simple beats its LL.
    ///
    /// # Formula
    /// (latency(Simple) − latency(LL)) / (1 / bandwidth(LL) − 1 / bandwidth(Simple))
    ///
    /// ```
    /// use decodescope::collective::nccl::{Node, Generation, Graph};
    /// // Eight GPUs on PCIe at 20 GB/s: 67.6 µs × 20 GB/s × 8/14 = 772.6 kB.
    /// let message = Node::pcie(8, Generation::Blackwell, Graph::new(2, 10.0)).simple_from().unwrap();
    /// assert!((message.get() - 772_571.4).abs() < 0.1);
    /// ```
    #[must_use]
    pub fn simple_from(&self) -> Option<Bytes> {
        let part = |protocol| {
            let slope = 1.0 / self.bandwidth(Algorithm::Ring, protocol, Bytes::ZERO)?.get();
            Some((self.latency(Algorithm::Ring, protocol)?.get(), slope))
        };
        let ((ll, ll_slope), (simple, simple_slope)) = (part(Protocol::Ll)?, part(Protocol::Simple)?);
        Some(Bytes::new((simple - ll) / (ll_slope - simple_slope)))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ring => "ring",
            Self::Tree => "tree",
            Self::Nvls => "NVLS",
        })
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ll => "LL",
            Self::Ll128 => "LL128",
            Self::Simple => "Simple",
        })
    }
}
