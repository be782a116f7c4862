//! What the textbook algorithms cost, from one hop's latency and bandwidth.
//!
//! | form | time for n GPUs, message S, hop a + S·b |
//! |---|---|
//! | [`ring`] | 2(n−1)·a + 2(n−1)/n · S·b |
//! | [`one_shot`] | a + (n−1)·S·b |
//! | [`two_shot`] | 2a + 2(n−1)/n · S·b |

use crate::units::{Bytes, BytesPerSecond, Seconds};

/// One transfer between two GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hop {
    /// What a transfer takes beyond its bytes, synchronisation included.
    pub latency: Seconds,
    /// What one GPU receives at.
    pub bandwidth: BytesPerSecond,
}

/// A reduce-scatter and an allgather around a ring.
///
/// # Formula
/// 2(n−1)·a + 2(n−1)/n · S / B
/// # Units
/// seconds, bytes, bytes per second
/// # Source
/// Patarasuk and Yuan 2009
/// # Limits
/// Every hop is taken to be alike.
///
/// ```
/// use decodescope::collective::generic::{Hop, ring};
/// use decodescope::units::{Bytes, BytesPerSecond, Seconds};
/// let hop = Hop { latency: Seconds::from_micros(1.0), bandwidth: BytesPerSecond::from_giga(50.0) };
/// // Eight GPUs, 12,288 B: 14 µs + 1.75 × 12,288 / 50e9 = 14.43 µs.
/// assert!((ring(hop, 8, Bytes::new(12_288.0)).as_micros() - 14.430).abs() < 0.001);
/// ```
#[must_use]
pub fn ring(hop: Hop, gpus: u32, message: Bytes) -> Seconds {
    hop.latency * (2.0 * others(gpus)) + message * passes(gpus) / hop.bandwidth
}

/// Every GPU reads everybody's whole message and sums for itself.
///
/// # Formula
/// a + (n−1) · S / B
/// # Units
/// seconds, bytes, bytes per second
/// # Source
/// the one-stage kernels of vLLM, SGLang and TensorRT-LLM
/// # Limits
/// One synchronisation, part of the hop's latency.
///
/// ```
/// use decodescope::collective::generic::{Hop, one_shot};
/// use decodescope::units::{Bytes, BytesPerSecond, Seconds};
/// let hop = Hop { latency: Seconds::from_micros(6.0), bandwidth: BytesPerSecond::from_giga(50.0) };
/// // Eight GPUs, 12,288 B: 6 µs + 7 × 12,288 / 50e9 = 7.72 µs.
/// assert!((one_shot(hop, 8, Bytes::new(12_288.0)).as_micros() - 7.720).abs() < 0.001);
/// ```
#[must_use]
pub fn one_shot(hop: Hop, gpus: u32, message: Bytes) -> Seconds {
    if gpus < 2 { Seconds::ZERO } else { hop.latency + message * others(gpus) / hop.bandwidth }
}

/// Every GPU sums its part of the message, then all read all parts.
///
/// # Formula
/// 2a + 2(n−1)/n · S / B
/// # Units
/// seconds, bytes, bytes per second
/// # Source
/// the two-stage kernels of vLLM, SGLang and TensorRT-LLM
/// # Limits
/// Two synchronisations, each part of a hop's latency.
///
/// ```
/// use decodescope::collective::generic::{Hop, two_shot};
/// use decodescope::units::{Bytes, BytesPerSecond, Seconds};
/// let hop = Hop { latency: Seconds::from_micros(6.0), bandwidth: BytesPerSecond::from_giga(50.0) };
/// // Eight GPUs, 12,288 B: 12 µs + 1.75 × 12,288 / 50e9 = 12.43 µs.
/// assert!((two_shot(hop, 8, Bytes::new(12_288.0)).as_micros() - 12.430).abs() < 0.001);
/// ```
#[must_use]
pub fn two_shot(hop: Hop, gpus: u32, message: Bytes) -> Seconds {
    if gpus < 2 { Seconds::ZERO } else { hop.latency * 2.0 + message * passes(gpus) / hop.bandwidth }
}

/// The message from which two shots beat one; `None` for two GPUs or fewer, where one always wins.
///
/// # Formula
/// a·B / ((n−1)(1 − 2/n))
/// # Units
/// bytes
/// # Source
/// [`one_shot`] = [`two_shot`] solved for the message
/// # Limits
/// As of both.
///
/// ```
/// use decodescope::collective::generic::{Hop, one_shot_until};
/// use decodescope::units::{BytesPerSecond, Seconds};
/// let hop = Hop { latency: Seconds::from_micros(6.0), bandwidth: BytesPerSecond::from_giga(50.0) };
/// // Eight GPUs: 6e-6 × 50e9 / (7 × 0.75) = 57,143 B.
/// assert!((one_shot_until(hop, 8).unwrap().get() - 57_142.86).abs() < 0.01);
/// assert!(one_shot_until(hop, 2).is_none());
/// ```
#[must_use]
pub fn one_shot_until(hop: Hop, gpus: u32) -> Option<Bytes> {
    let extra = others(gpus) - passes(gpus);
    (gpus > 2).then(|| Bytes::new(hop.latency.get() * hop.bandwidth.get() / extra))
}

fn others(gpus: u32) -> f64 {
    f64::from(gpus.saturating_sub(1))
}

/// How many times the message passes each GPU in a reduce-scatter and an allgather.
fn passes(gpus: u32) -> f64 {
    2.0 * others(gpus) / f64::from(gpus.max(1))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    const HOP: Hop = Hop { latency: Seconds::from_micros(6.0), bandwidth: BytesPerSecond::from_giga(50.0) };

    #[test]
    fn one_gpu_reduces_for_free() {
        for form in [ring, one_shot, two_shot] {
            assert_eq!(form(HOP, 1, Bytes::new(1e6)), Seconds::ZERO);
            assert_eq!(form(HOP, 0, Bytes::new(1e6)), Seconds::ZERO);
        }
    }

    #[test]
    fn both_shots_take_the_same_at_the_crossover() {
        let message = one_shot_until(HOP, 4).unwrap();
        assert!((one_shot(HOP, 4, message) / two_shot(HOP, 4, message) - 1.0).abs() < 1e-12);
    }
}
