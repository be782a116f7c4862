//! Number formats of weights, with what their scales cost.

/// A format weights are stored in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Weights that share scales.
    pub block_weights: u32,
    /// Bytes of such a block, scales included.
    pub block_bytes: f64,
}

impl Format {
    /// Bits per weight, scales included.
    ///
    /// ```
    /// use decodescope::model::formats;
    /// let nvfp4 = formats().iter().find(|format| format.name == "NVFP4").unwrap();
    /// // 16 weights of 4 bits and a one-byte scale: 9 bytes.
    /// assert_eq!(nvfp4.bits(), 4.5);
    /// ```
    #[must_use]
    pub fn bits(&self) -> f64 {
        8.0 * self.block_bytes / f64::from(self.block_weights)
    }
}

const fn format(name: &'static str, block_weights: u32, block_bytes: f64) -> Format {
    Format { name, block_weights, block_bytes }
}

/// The formats of checkpoints for vLLM, SGLang and MLX. GGUF's are in the GGUF reader.
const FORMATS: [Format; 16] = [
    format("FP32", 1, 4.0),
    format("BF16", 1, 2.0),
    format("FP8", 1, 1.0),
    // One 32-bit scale per block.
    format("FP8, 128×128 blocks", 128 * 128, 16_388.0),
    // One 8-bit power of two per block.
    format("FP8, 128×128 blocks, 8-bit scales", 128 * 128, 16_385.0),
    format("MXFP8", 32, 33.0),
    format("INT8", 1, 1.0),
    format("NVFP4", 16, 9.0),
    format("MXFP4", 32, 17.0),
    // A 16-bit scale and a 4-bit zero per 128 weights.
    format("INT4, groups of 128 with zeros", 128, 66.5),
    format("INT4, groups of 128", 128, 66.0),
    format("INT4, groups of 32", 32, 18.0),
    // bitsandbytes: one 32-bit scale per block, or 8-bit scales with a 32-bit one per 256 of them.
    format("NF4", 64, 36.0),
    format("NF4, scales quantised", 64 * 256, 8192.0 + 256.0 + 4.0),
    // MLX: a 16-bit scale and a 16-bit bias per 64 weights.
    format("MLX 4 bit", 64, 36.0),
    format("MLX 8 bit", 64, 68.0),
];

/// The formats of checkpoints for vLLM, SGLang and MLX.
#[must_use]
pub fn formats() -> &'static [Format] {
    &FORMATS
}

/// Bits per weight of a format by name; 16 for an unknown one.
pub(super) fn bits(name: &str) -> f64 {
    FORMATS.iter().find(|format| format.name == name).map_or(16.0, Format::bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_include_scales() {
        assert_eq!(bits("FP8, 128×128 blocks"), 8.0 + 32.0 / 16_384.0);
        assert_eq!(bits("MXFP4"), 4.25);
        assert_eq!(bits("INT4, groups of 128 with zeros"), 4.156_25);
        assert_eq!(bits("MLX 4 bit"), 4.5);
        assert_eq!(bits("NF4, scales quantised"), 4.0 + 8.0 / 64.0 + 32.0 / 16_384.0);
    }
}
