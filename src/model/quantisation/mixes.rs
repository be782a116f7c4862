//! GGUF files mix tensor types; each mix's average over a whole file.

/// A GGUF mix and the bits per weight it averages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    /// Its name, as file names carry it.
    pub name: &'static str,
    /// Bits per weight over the file.
    pub bits: f64,
}

const fn mix(name: &'static str, bits: f64) -> Mix {
    Mix { name, bits }
}

/// llama.cpp's averages on Llama-3.1-8B (its `quantize` README); larger models come out a little
/// lower, since embedding and head weigh less. UD-Q4_K_XL is Unsloth's recipe, different for each
/// model: the figure is MiniMax-M2.1's. Where no average is published, the type most tensors have.
const MIXES: [Mix; 34] = [
    mix("IQ1_S", 2.004),
    mix("IQ1_M", 2.146),
    mix("IQ2_XXS", 2.382),
    mix("IQ2_XS", 2.588),
    mix("IQ2_S", 2.74),
    mix("IQ2_M", 2.929),
    mix("IQ3_XXS", 3.255),
    mix("IQ3_XS", 3.498),
    mix("IQ3_S", 3.661),
    mix("IQ3_M", 3.763),
    mix("IQ4_XS", 4.46),
    mix("IQ4_NL", 4.682),
    mix("Q2_K_S", 2.97),
    mix("Q2_K", 3.159),
    mix("Q2_K_L", 3.159),
    mix("Q3_K_S", 3.643),
    mix("Q3_K_M", 3.97),
    mix("Q3_K_L", 4.298),
    mix("Q4_0", 4.5),
    mix("Q4_1", 5.0),
    mix("Q4_K_S", 4.667),
    mix("Q4_K_M", 4.894),
    mix("Q5_0", 5.5),
    mix("Q5_1", 6.0),
    mix("Q5_K_S", 5.57),
    mix("Q5_K_M", 5.704),
    mix("Q6_K", 6.563),
    mix("Q8_0", 8.501),
    mix("UD-Q2_K_XL", 3.159),
    mix("UD-Q3_K_XL", 3.97),
    mix("UD-Q4_K_XL", 4.5826),
    mix("UD-Q5_K_XL", 5.704),
    mix("UD-Q6_K_XL", 6.563),
    mix("UD-Q8_K_XL", 8.501),
];

/// The known GGUF mixes.
#[must_use]
pub fn mixes() -> &'static [Mix] {
    &MIXES
}

/// Published file sizes, by preset and mix: where one is known, the average follows from it.
const FILES: [(&str, &str, f64); 1] = [("glm-5", "UD-Q4_K_XL", 402e9)];

/// The size of a preset's file in a mix, in bytes, where it is known.
pub(crate) fn file_bytes(preset: &str, mix: &str) -> Option<f64> {
    FILES.iter().find(|(id, name, _)| (*id, *name) == (preset, mix)).map(|(_, _, bytes)| *bytes)
}

/// The mix a file name carries: `GLM-5-UD-Q4_K_XL-00001-of-00009.gguf` has UD-Q4_K_XL.
pub(crate) fn mix_in_name(name: &str) -> Option<Mix> {
    let name = plain(name);
    let carries = |mix: &&Mix| name.contains(&plain(mix.name));
    MIXES.iter().filter(carries).max_by_key(|mix| mix.name.len()).copied()
}

/// Upper case between bars, so that a mix is only found whole.
fn plain(name: &str) -> String {
    let letters =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
    std::iter::once('_').chain(letters).chain(std::iter::once('_')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<&'static str> {
        mix_in_name(name).map(|mix| mix.name)
    }

    #[test]
    fn the_longest_mix_in_a_name_is_meant() {
        assert_eq!(found("/shared/glm5-gguf/GLM-5-UD-Q4_K_XL.gguf"), Some("UD-Q4_K_XL"));
        assert_eq!(found("Qwen3-8B-Q4_K_M.gguf"), Some("Q4_K_M"));
        assert_eq!(found("model-iq4_xs-00001-of-00003.gguf"), Some("IQ4_XS"));
        assert_eq!(found("Qwen3-8B"), None);
    }
}
