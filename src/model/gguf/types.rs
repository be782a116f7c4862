//! The types a GGUF file stores tensors in.

/// A tensor type of ggml, by its number in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorType(pub(super) u32);

/// Number, name, elements of a block, bytes of a block.
const TYPES: [(u32, &str, u32, u32); 33] = [
    (0, "F32", 1, 4),
    (1, "F16", 1, 2),
    (2, "Q4_0", 32, 18),
    (3, "Q4_1", 32, 20),
    (6, "Q5_0", 32, 22),
    (7, "Q5_1", 32, 24),
    (8, "Q8_0", 32, 34),
    (9, "Q8_1", 32, 36),
    (10, "Q2_K", 256, 84),
    (11, "Q3_K", 256, 110),
    (12, "Q4_K", 256, 144),
    (13, "Q5_K", 256, 176),
    (14, "Q6_K", 256, 210),
    (15, "Q8_K", 256, 292),
    (16, "IQ2_XXS", 256, 66),
    (17, "IQ2_XS", 256, 74),
    (18, "IQ3_XXS", 256, 98),
    (19, "IQ1_S", 256, 50),
    (20, "IQ4_NL", 32, 18),
    (21, "IQ3_S", 256, 110),
    (22, "IQ2_S", 256, 82),
    (23, "IQ4_XS", 256, 136),
    (24, "I8", 1, 1),
    (25, "I16", 1, 2),
    (26, "I32", 1, 4),
    (27, "I64", 1, 8),
    (28, "F64", 1, 8),
    (29, "IQ1_M", 256, 56),
    (30, "BF16", 1, 2),
    (34, "TQ1_0", 256, 54),
    (35, "TQ2_0", 256, 66),
    (39, "MXFP4", 32, 17),
    (40, "NVFP4", 64, 36),
];

impl TensorType {
    /// The type with this number, if it is a known one.
    pub(super) fn from_number(number: u32) -> Option<Self> {
        TYPES.iter().any(|(known, ..)| *known == number).then_some(Self(number))
    }

    fn row(self) -> (&'static str, u32, u32) {
        let row = TYPES.iter().find(|(number, ..)| *number == self.0);
        row.map_or(("unknown", 1, 2), |&(_, name, elements, bytes)| (name, elements, bytes))
    }

    /// Its name: `Q4_K`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Bits per element, scales included.
    #[must_use]
    pub fn bits(self) -> f64 {
        let (_, elements, bytes) = self.row();
        8.0 * f64::from(bytes) / f64::from(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_per_weight_as_ggml_blocks_have_them() {
        let bits = |name: &str| TYPES.iter().find(|row| row.1 == name).map(|row| TensorType(row.0).bits());
        for (name, expected) in [("Q4_K", 4.5), ("Q6_K", 6.5625), ("Q8_0", 8.5), ("IQ4_XS", 4.25), ("MXFP4", 4.25)] {
            assert_eq!(bits(name), Some(expected), "{name}");
        }
        assert_eq!(TensorType::from_number(4), None);
    }
}
