//! What published recipes quantise, and what they leave in 16 bit.

use super::Quantisation;
use super::formats::bits;
use crate::model::architecture::Architecture;
use crate::model::part::Component;
use crate::model::precision::Precision;

use Component::{
    AttentionOutput, AttentionProjections, DenseMlp, Embedding, ExpertLatent, Indexer, LatentUpProjection,
    LinearAttention, LmHead, Norms, PerLayerEmbedding, ResidualMixing, RoutedExperts, Router, SharedExperts,
    StateSpace,
};

/// Left in 16 bit by every recipe. Latent attention's up-projection is absorbed into queries and
/// output when decoding, which engines hold in 16 bit whatever the checkpoint.
const ALWAYS: [Component; 7] =
    [Embedding, PerLayerEmbedding, LmHead, Norms, Router, ResidualMixing, LatentUpProjection];
/// What MLX quantises of that.
const TABLES: [Component; 4] = [Embedding, PerLayerEmbedding, LmHead, LatentUpProjection];
const ATTENTION: [Component; 5] = [AttentionProjections, AttentionOutput, Indexer, LinearAttention, StateSpace];

/// A recipe: its id, its name, the format of what it quantises, and what it leaves alone beside
/// what every recipe does.
struct Recipe {
    id: &'static str,
    name: &'static str,
    format: &'static str,
    left: &'static [&'static [Component]],
}

/// What recipes that quantise experts alone leave.
const BESIDE_EXPERTS: &[&[Component]] = &[&ATTENTION, &[SharedExperts, DenseMlp, ExpertLatent]];

const RECIPES: [Recipe; 18] = [
    Recipe { id: "bf16", name: "BF16", format: "BF16", left: &[] },
    Recipe { id: "fp8", name: "FP8, 128×128 blocks", format: "FP8, 128×128 blocks", left: &[] },
    Recipe { id: "fp8-tensor", name: "FP8 per tensor", format: "FP8", left: &[] },
    Recipe { id: "mxfp8", name: "MXFP8", format: "MXFP8", left: &[] },
    Recipe { id: "int8", name: "INT8", format: "INT8", left: &[] },
    Recipe { id: "nvfp4", name: "NVFP4", format: "NVFP4", left: &[] },
    Recipe { id: "nvfp4-mlp", name: "NVFP4, attention in 16 bit", format: "NVFP4", left: &[&ATTENTION] },
    Recipe { id: "nvfp4-experts", name: "NVFP4, experts only", format: "NVFP4", left: BESIDE_EXPERTS },
    Recipe { id: "mxfp4", name: "MXFP4, experts only", format: "MXFP4", left: BESIDE_EXPERTS },
    Recipe { id: "mxfp4-experts", name: "MXFP4, experts only", format: "MXFP4", left: BESIDE_EXPERTS },
    Recipe { id: "mxfp4-linear", name: "MXFP4", format: "MXFP4", left: &[] },
    Recipe { id: "int4-experts", name: "INT4, experts only", format: "INT4, groups of 32", left: BESIDE_EXPERTS },
    Recipe { id: "awq", name: "AWQ 4 bit", format: "INT4, groups of 128 with zeros", left: &[] },
    Recipe { id: "gptq", name: "GPTQ 4 bit", format: "INT4, groups of 128 with zeros", left: &[] },
    Recipe { id: "int4", name: "INT4, groups of 128", format: "INT4, groups of 128", left: &[] },
    Recipe { id: "bnb-4bit", name: "bitsandbytes 4 bit", format: "NF4, scales quantised", left: &[] },
    Recipe { id: "mlx-4bit", name: "MLX 4 bit", format: "MLX 4 bit", left: &[] },
    Recipe { id: "mlx-8bit", name: "MLX 8 bit", format: "MLX 8 bit", left: &[] },
];

impl Recipe {
    fn precision(&self) -> Precision {
        let bits = bits(self.format);
        let precision = leaving(bits, self.left);
        // MLX quantises every matrix, tables among them.
        let tables: &[Component] = if self.format.starts_with("MLX") { &TABLES } else { &[] };
        tables.iter().fold(precision, |precision, table| precision.with(*table, bits))
    }
}

/// The bits of DeepSeek-V4's own mix: experts FP4 in blocks of 32, the rest FP8.
fn fp8_with_fp4_experts() -> Quantisation {
    let precision = leaving(bits("FP8, 128×128 blocks, 8-bit scales"), &[]).with(RoutedExperts, bits("MXFP4"));
    Quantisation::new("FP8, experts FP4", precision)
}

/// A flat precision that leaves some components, and what every recipe leaves, in 16 bit.
pub(super) fn leaving(weights_bits: f64, left: &[&[Component]]) -> Precision {
    let all = left.iter().copied().flatten().chain(&ALWAYS);
    all.fold(Precision::flat(weights_bits), |precision, component| precision.with(*component, 16.0))
}

impl Quantisation {
    /// A recipe by its id, as options and links write it: `fp8`, `nvfp4-mlp`, `q4_k_m`…
    ///
    /// ```
    /// use decodescope::model::{Component, Quantisation};
    /// let precision = Quantisation::by_recipe("nvfp4-mlp").unwrap().precision;
    /// assert_eq!(precision.bits(Component::RoutedExperts), 4.5);
    /// assert_eq!(precision.bits(Component::AttentionOutput), 16.0);
    /// ```
    #[must_use]
    pub fn by_recipe(id: &str) -> Option<Self> {
        let id = id.trim().to_ascii_lowercase();
        if id == "fp8-fp4-experts" {
            return Some(fp8_with_fp4_experts());
        }
        if let Some(recipe) = RECIPES.iter().find(|recipe| recipe.id == id) {
            return Some(Self::new(recipe.name, recipe.precision()));
        }
        let mix = super::mixes::mix_in_name(&id).filter(|mix| mix.name.len() == id.len())?;
        Some(Self::new(format!("GGUF {}", mix.name), Precision::flat(mix.bits)))
    }

    /// A recipe for a model: where it has no experts, MXFP4 holds every linear layer, as checkpoints of
    /// dense models do, and a recipe for experts alone is none.
    ///
    /// # Errors
    /// With what to say, for a recipe that would quantise nothing of the model.
    ///
    /// ```
    /// use decodescope::model::{Component, Quantisation, preset};
    /// let llama = &preset("llama-3.1-405b").unwrap().architecture;
    /// let mxfp4 = Quantisation::by_recipe_for("mxfp4", llama).unwrap().unwrap();
    /// assert_eq!(mxfp4.precision.bits(Component::DenseMlp), 4.25);
    /// assert!(Quantisation::by_recipe_for("int4-experts", llama).is_err());
    /// ```
    pub fn by_recipe_for(id: &str, architecture: &Architecture) -> Result<Option<Self>, String> {
        let id = id.trim().to_ascii_lowercase();
        let dense = architecture.layers.iter().all(|group| group.layer.experts.is_none());
        match id.as_str() {
            "mxfp4" if dense => Ok(Self::by_recipe("mxfp4-linear")),
            experts if dense && experts.ends_with("-experts") && Self::by_recipe(experts).is_some() => {
                Err(format!("{id} is a recipe for experts, and {} has none", architecture.name))
            }
            id => Ok(Self::by_recipe(id)),
        }
    }

    /// ExLlama's: an average over the layers, which leaves the head, 6 bits unless told otherwise, and the
    /// embedding aside. `None` for bits it does not have.
    pub(crate) fn exllama(bits: f64) -> Option<Self> {
        let precision = || leaving(bits, &[]).with(LmHead, 6.0);
        (1.0..=8.0).contains(&bits).then(|| Self::new(format!("EXL {bits} bit"), precision()))
    }

    /// The ids [`Quantisation::by_recipe`] knows, GGUF mixes aside.
    #[must_use]
    pub fn recipes() -> Vec<&'static str> {
        RECIPES.iter().map(|recipe| recipe.id).chain(["fp8-fp4-experts"]).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_names_a_known_format() {
        for recipe in RECIPES {
            assert!(super::super::formats().iter().any(|format| format.name == recipe.format), "{}", recipe.id);
        }
    }

    #[test]
    fn recipes_differ_in_what_they_leave() {
        let bits = |id: &str, component| Quantisation::by_recipe(id).unwrap().precision.bits(component);
        assert_eq!(bits("mxfp4", RoutedExperts), 4.25);
        assert_eq!(bits("mxfp4", AttentionProjections), 16.0);
        assert_eq!(bits("nvfp4", AttentionProjections), 4.5);
        assert_eq!(bits("nvfp4", LmHead), 16.0);
        assert_eq!(bits("fp8-fp4-experts", SharedExperts), 8.0 + 8.0 / 16_384.0);
        assert_eq!(bits("Q4_K_M", LmHead), 4.894);
        assert_eq!((bits("mlx-4bit", LmHead), bits("mlx-4bit", Embedding), bits("mlx-4bit", Norms)), (4.5, 4.5, 16.0));
    }
}
