//! How long reading a weight tensor takes, by its size.

use crate::units::{Bytes, BytesPerSecond, Seconds};

/// How a weight is stored, as far as measured kernels differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightType {
    /// 16 bits.
    Bf16,
    /// 8 bits; the times include quantising the activation.
    Fp8,
    /// 4 bits with a scale per 16.
    NvFp4,
}

/// The time of one matrix-vector product, fitted to kernels timed one by one.
///
/// # Formula
/// time = floor + bytes / bandwidth
/// # Units
/// seconds; bytes of the weight tensor, scales included
/// # Source
/// Least squares over measured GEMMs with one row of activations (aiconfigurator's tables, vLLM 0.24
/// unless stated), 42 to 400 sizes each; `error` is the median relative deviation.
/// # Limits
/// Inside a CUDA graph some of the floor may be hidden, so it is an upper bound. Tensors that fit in
/// the cache (below about 64 MB on RTX PRO 6000 and L40S) were left out of those fits.
///
/// ```
/// use decodescope::hardware::{tensor_read, WeightType};
/// use decodescope::units::Bytes;
/// let read = tensor_read("h100-sxm", WeightType::Bf16).unwrap();
/// // 8 MB: 3.69 µs + 8e6 / 2979e9 s = 6.38 µs, not the 2.39 µs of 3350 GB/s.
/// assert!((read.time(Bytes::new(8e6)).as_micros() - 6.375).abs() < 0.001);
/// assert!((read.bandwidth_at(Bytes::new(8e6)).as_giga() - 1254.8).abs() < 0.1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TensorRead {
    /// The GPU's id in the catalogue.
    pub gpu: &'static str,
    /// How the weights are stored.
    pub weights: WeightType,
    /// What a product takes beyond its bytes.
    pub floor: Seconds,
    /// What its bytes are read at.
    pub bandwidth: BytesPerSecond,
    /// The median relative deviation of the measured times from the formula.
    pub error: f64,
}

impl TensorRead {
    /// The time a tensor of this size takes.
    #[must_use]
    pub fn time(&self, tensor: Bytes) -> Seconds {
        self.floor + tensor / self.bandwidth
    }

    /// The bandwidth a tensor of this size is read at, floor included.
    #[must_use]
    pub fn bandwidth_at(&self, tensor: Bytes) -> BytesPerSecond {
        tensor / self.time(tensor)
    }
}

const fn read(gpu: &'static str, weights: WeightType, micros: f64, giga: f64, error: f64) -> TensorRead {
    TensorRead { gpu, weights, floor: Seconds::from_micros(micros), bandwidth: BytesPerSecond::from_giga(giga), error }
}

/// Left out: fits with a negative floor, and block-scaled FP8, whose measurements have a floor of
/// their own (56 µs and more) that no server shows.
static READS: [TensorRead; 21] = {
    use WeightType::{Bf16, Fp8, NvFp4};
    [
        read("a100-sxm-80gb", Bf16, 4.74, 1527.0, 0.059),
        read("h100-sxm", Bf16, 3.69, 2979.0, 0.057),
        read("h100-sxm", Fp8, 6.89, 2829.0, 0.094),
        read("h200-sxm", Bf16, 4.23, 4176.0, 0.062),
        read("h200-sxm", Fp8, 7.06, 3839.0, 0.095),
        read("b200-sxm", Bf16, 4.41, 6769.0, 0.074),
        read("b200-sxm", Fp8, 20.96, 5763.0, 0.082),
        read("b200-sxm", NvFp4, 7.70, 5928.0, 0.120),
        read("b300-sxm", Bf16, 4.11, 6712.0, 0.070),
        read("b300-sxm", Fp8, 19.89, 5893.0, 0.057),
        read("b300-sxm", NvFp4, 7.26, 6154.0, 0.129),
        read("gb200", Bf16, 4.43, 6959.0, 0.070),
        read("gb200", Fp8, 22.21, 5117.0, 0.065),
        read("gb200", NvFp4, 8.24, 6338.0, 0.110),
        read("gb300", Bf16, 4.15, 6838.0, 0.066),
        read("gb300", Fp8, 22.30, 5823.0, 0.077),
        read("gb300", NvFp4, 8.15, 6361.0, 0.104),
        read("l40s", Bf16, 9.52, 732.0, 0.033),
        read("rtx-pro-6000-server", Bf16, 2.27, 1481.0, 0.018),
        read("arc-pro-b60", Bf16, 17.49, 385.0, 0.067),
        read("arc-pro-b60", Fp8, 12.62, 455.0, 0.069),
    ]
};

/// Every fit there is.
#[must_use]
pub fn tensor_reads() -> &'static [TensorRead] {
    &READS
}

/// The fit for a GPU, or for the same silicon under another name.
#[must_use]
pub fn tensor_read(gpu: &str, weights: WeightType) -> Option<&'static TensorRead> {
    let gpu = super::measured_as(gpu);
    READS.iter().find(|read| read.gpu == gpu && read.weights == weights)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::hardware::find;

    #[test]
    fn sixteen_bit_fits_are_the_catalogues_achieved_bandwidth() {
        for read in READS.iter().filter(|read| read.weights == WeightType::Bf16) {
            let gpu = find(read.gpu).unwrap();
            assert_eq!(gpu.achieved_bandwidth, Some(read.bandwidth), "{}", read.gpu);
            assert_eq!(gpu.launch_floor, Some(read.floor), "{}", read.gpu);
        }
    }

    #[test]
    fn small_tensors_see_a_fraction_of_the_bandwidth() {
        // A100, 4-16 MB: 0.38 of 2039 GB/s measured (775 GB/s); the fit at 8 MB says 802.
        let read = tensor_read("a100-sxm-40gb", WeightType::Bf16).unwrap();
        assert!((read.bandwidth_at(Bytes::new(8e6)).as_giga() / 775.0 - 1.0).abs() < 0.06);
    }
}
