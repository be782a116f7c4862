//! How a model's weights are held, as far as its name tells.

use super::super::precision::Precision;
use super::super::presets::Preset;
use super::super::quantisation::{Quantisation, file_bytes, mix_in_name};
use super::words;

/// The quantisation a name carries.
pub(super) fn quantisation_in(name: &str, preset: &Preset) -> Option<Quantisation> {
    if let Some(mix) = mix_in_name(name) {
        let parameters = preset.architecture.totals().with_prediction();
        let precision = match file_bytes(&preset.id, mix.name) {
            Some(bytes) => Precision::of_file(bytes, parameters),
            None => Precision::flat(mix.bits),
        };
        return Some(Quantisation::new(format!("GGUF {}", mix.name), precision));
    }
    if let Some(named) = mix_in_short(name).or_else(|| exllama(name)) {
        return Some(named);
    }
    let lower = name.to_ascii_lowercase();
    let carries = |word: &str| lower.contains(word);
    let mlx = carries("mlx");
    let recipe = if carries("mxfp4") {
        "mxfp4"
    } else if carries("fp4") {
        nvidia_recipe(preset, &lower)
    } else if carries("mxfp8") {
        "mxfp8"
    } else if carries("fp8") {
        if is_per_tensor(&lower) { "fp8-tensor" } else { "fp8" }
    } else if carries("awq") {
        "awq"
    } else if carries("gptq") {
        "gptq"
    } else if carries("nf4") || (carries("bnb") && (carries("4bit") || carries("4-bit"))) {
        "bnb-4bit"
    } else if carries("w4a16") || carries("int4") {
        if preset.native_quantisation.as_deref() == Some("int4-experts") { "int4-experts" } else { "int4" }
    } else if carries("w8a8") || carries("w8a16") || carries("int8") {
        "int8"
    } else if mlx && (carries("4bit") || carries("4-bit")) {
        "mlx-4bit"
    } else if mlx && (carries("8bit") || carries("8-bit")) {
        "mlx-8bit"
    } else if carries("bf16") || carries("fp16") {
        "bf16"
    } else {
        // So many bits, in a format that the name leaves open.
        let (bits, recipe) = [("4bit", "int4"), ("8bit", "int8")]
            .into_iter()
            .find(|(bits, _)| tokens(name).any(|token| token == *bits))?;
        let name = format!("{} bit, in a format not named", bits.trim_end_matches("bit"));
        return Some(Quantisation::new(name, Quantisation::by_recipe(recipe)?.precision));
    };
    Quantisation::by_recipe_for(recipe, &preset.architecture).ok().flatten()
}

/// A GGUF's bits without its mix: there is one mix each of 8 and 6 bits; of the others the usual one is
/// taken, which the name says.
fn mix_in_short(name: &str) -> Option<Quantisation> {
    const USUAL: [(&str, &str); 4] = [("q2", "Q2_K"), ("q3", "Q3_K_M"), ("q4", "Q4_K_M"), ("q5", "Q5_K_M")];
    const ONLY: [(&str, &str); 2] = [("q6", "Q6_K"), ("q8", "Q8_0")];
    let find = |short: &[(&str, &'static str)]| {
        tokens(name).find_map(|token| short.iter().find(|(short, _)| *short == token).map(|(_, mix)| *mix))
    };
    if let Some(mix) = find(&ONLY) {
        return Quantisation::by_recipe(mix);
    }
    let mix = find(&USUAL)?;
    let precision = Quantisation::by_recipe(mix)?.precision;
    Some(Quantisation::new(format!("GGUF, {mix} assumed of its mixes"), precision))
}

/// ExLlama's average over the layers, as names carry it: `exl2-4.0bpw`.
fn exllama(name: &str) -> Option<Quantisation> {
    let words = words(name);
    let bits = words.iter().zip(words.iter().skip(1)).find(|(_, unit)| *unit == "bpw").map(|(bits, _)| bits)?;
    Quantisation::exllama(bits.parse().ok()?)
}

/// Whether FP8 weights have a scale for a whole tensor or channel: some makers' do unless the name says otherwise. The
/// models' own makers mostly take blocks.
fn is_per_tensor(name: &str) -> bool {
    const SAYS_SO: [&str; 3] = ["dynamic", "per-tensor", "pertensor"];
    const MAKERS: [&str; 4] = ["neuralmagic", "redhatai", "nvidia/", "meta-llama/"];
    let carries = |words: &[&str]| words.iter().any(|word| name.contains(word));
    carries(&SAYS_SO) || (carries(&MAKERS) && !name.contains("block"))
}

/// What NVIDIA's NVFP4 checkpoints quantise: everything in Qwen3 and in dense Llamas, all but
/// attention in most others, experts alone in the latest.
fn nvidia_recipe(preset: &Preset, name: &str) -> &'static str {
    let starts = |heads: &[&str]| heads.iter().any(|head| preset.id.starts_with(head));
    if starts(&["qwen3.5", "kimi-k3", "deepseek-v4"]) || ["glm-5.1", "k2.6", "k2.7"].iter().any(|it| name.contains(it))
    {
        // Of a model without experts, its MLP.
        let dense = Quantisation::by_recipe_for("nvfp4-experts", &preset.architecture).is_err();
        if dense { "nvfp4-mlp" } else { "nvfp4-experts" }
    } else if starts(&["glm", "deepseek", "kimi", "minimax", "gemma-4"]) {
        "nvfp4-mlp"
    } else {
        "nvfp4"
    }
}

/// How the model is published; where the name speaks of a quantisation without its bits, the name of this
/// one says that it is assumed.
pub(super) fn published(name: &str, preset: &Preset) -> Option<Quantisation> {
    const SPEAKING: [&str; 7] = ["gguf", "exl2", "exl3", "hqq", "aqlm", "quip", "autoround"];
    let native = preset.native_quantisation.as_deref().unwrap_or("bf16");
    let quantisation = Quantisation::by_recipe(native)?;
    let said = SPEAKING.into_iter().find(|word| tokens(name).any(|token| token == *word));
    // GGUFs of models published in MXFP4 leave the experts as they are.
    match said.filter(|_| !native.starts_with("mxfp4")) {
        Some(word) => {
            let name = format!("{} assumed: the name says {}, not its bits", quantisation.name, word.to_uppercase());
            Some(Quantisation::new(name, quantisation.precision))
        }
        None => Some(quantisation),
    }
}

/// What stands between a name's punctuation, in lower case.
fn tokens(name: &str) -> impl Iterator<Item = String> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric()).map(str::to_ascii_lowercase)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::recognise;

    #[test]
    fn a_quantisation_named_in_part_is_said_to_be_assumed() {
        let named = |name: &str| {
            let found = recognise(name).unwrap();
            (found.quantisation.name, found.quantisation.precision.weights_bits, found.quantisation_named)
        };
        let double = 4.0 + 8.0 / 64.0 + 32.0 / 16_384.0;
        assert_eq!(named("unsloth/Llama-3.3-70B-Instruct-bnb-4bit"), ("bitsandbytes 4 bit".into(), double, true));
        assert_eq!(named("turboderp/Llama-3.1-8B-exl2-4.0bpw"), ("EXL 4 bit".into(), 4.0, true));
        assert_eq!(named("qwen3-32b-q4"), ("GGUF, Q4_K_M assumed of its mixes".into(), 4.894, true));
        assert_eq!(named("Qwen3-30B-A3B-2507-Q8"), ("GGUF Q8_0".into(), 8.501, true));
        let unsaid = "BF16 assumed: the name says GGUF, not its bits";
        assert_eq!(named("Qwen/Qwen3-32B-GGUF"), (unsaid.into(), 16.0, false));
        assert_eq!(named("Qwen3-8B-4bit"), ("4 bit, in a format not named".into(), 4.125, true));
    }

    #[test]
    fn the_quantisation_is_the_names_or_the_checkpoints_own() {
        let named = |name: &str| recognise(name).unwrap().quantisation.name;
        assert_eq!(named("zai-org/GLM-5-FP8"), "FP8, 128×128 blocks");
        assert_eq!(named("nvidia/GLM-5-NVFP4"), "NVFP4, attention in 16 bit");
        assert_eq!(named("Qwen/Qwen3-32B-AWQ"), "AWQ 4 bit");
        assert_eq!(named("openai/gpt-oss-20b"), "MXFP4, experts only");
        assert_eq!(named("ggml-org/gpt-oss-20b-mxfp4"), "MXFP4, experts only");
        assert_eq!(named("nvidia/Qwen3-235B-A22B-FP4"), "NVFP4");
        assert_eq!(named("deepseek-ai/DeepSeek-V3"), "FP8, 128×128 blocks");
        assert_eq!(named("Qwen/Qwen3-8B"), "BF16");
        assert!(!recognise("Qwen/Qwen3-8B").unwrap().quantisation_named);
    }
}
