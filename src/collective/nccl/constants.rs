//! The constants of NCCL's tuning model from 2.23 on, one node.

use super::{Algorithm, Generation, Protocol, Wire};
use crate::units::Bytes;

/// Microseconds: what a collective takes at all, and what each of its steps adds; `None` where the
/// combination does not exist.
pub(super) const fn latency(algorithm: Algorithm, protocol: Protocol, wire: Wire) -> Option<(f64, f64)> {
    use Algorithm::{Nvls, Ring, Tree};
    use Protocol::{Ll, Ll128, Simple};
    use Wire::{NvLink, Pcie};
    Some(match (algorithm, protocol, wire) {
        (Ring, Ll, NvLink) => (6.6, 0.6),
        (Ring, Ll, Pcie) => (6.6, 1.0),
        (Ring, Ll128, NvLink) => (14.0, 1.9),
        (Ring, Ll128, Pcie) => (14.0, 2.5),
        (Ring, Simple, NvLink) => (8.4, 3.4),
        (Ring, Simple, Pcie) => (8.4, 5.7),
        (Tree, Ll, NvLink) => (6.8, 0.6),
        (Tree, Ll, Pcie) => (6.8, 1.0),
        (Tree, Ll128, NvLink) => (14.0, 1.25),
        (Tree, Ll128, Pcie) => (14.0, 1.9),
        (Tree, Simple, _) => (8.4, 4.0),
        (Nvls, Simple, NvLink) => (25.0, 0.0),
        (Nvls, ..) => return None,
    })
}

/// Caps on one node, in GB/s: `ll` in all, the others for each channel.
pub(super) struct Caps {
    pub ll: f64,
    pub ring_ll128: f64,
    pub tree_ll128: f64,
    pub tree: f64,
}

pub(super) const fn caps(generation: Generation) -> Caps {
    use Generation::{Ampere, Blackwell, Hopper, Volta};
    match generation {
        Volta => Caps { ll: 39.0, ring_ll128: 20.0, tree_ll128: 20.0, tree: 26.5 },
        Ampere => Caps { ll: 87.7, ring_ll128: 20.0, tree_ll128: 20.0, tree: 24.0 },
        Hopper => Caps { ll: 141.0, ring_ll128: 36.7, tree_ll128: 36.7, tree: 38.7 },
        Blackwell => Caps { ll: 282.0, ring_ll128: 40.0, tree_ll128: 55.6, tree: 70.0 },
    }
}

/// The share of its bandwidth a channel of NVLS reaches.
pub(super) const fn nvls_efficiency(generation: Generation) -> Option<f64> {
    use Generation::{Ampere, Blackwell, Hopper, Volta};
    match generation {
        Volta | Ampere => None,
        Hopper => Some(0.85),
        Blackwell => Some(0.74),
    }
}

/// How much of a tree's bandwidth a message of 64, 128, 256 … bytes gets.
pub(super) fn tree_correction(protocol: Protocol, message: Bytes) -> f64 {
    const LL: [f64; 24] = [
        1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0,
        1.0, 1.0,
    ];
    const LL128: [f64; 24] = [
        1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0,
        1.0, 1.0,
    ];
    const SIMPLE: [f64; 24] = [
        0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9,
        0.9, 0.9,
    ];
    let table = match protocol {
        Protocol::Ll => &LL,
        Protocol::Ll128 => &LL128,
        Protocol::Simple => &SIMPLE,
    };
    let doublings = (message.get() / 64.0).log2().floor();
    // As in NCCL, sizes outside of the table (and its last entry) are not corrected.
    if (0.0..23.0).contains(&doublings) { table.get(doublings as usize).copied().unwrap_or(1.0) } else { 1.0 }
}
