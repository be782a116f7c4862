//! Which model a name means, and how it is quantised.

mod held;

use super::presets::{Preset, presets};
use super::quantisation::Quantisation;
use held::{published, quantisation_in};

/// What a model's name says.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// The model.
    pub preset: &'static Preset,
    /// How its weights are held: as the name says, else as the published checkpoint has them.
    pub quantisation: Quantisation,
    /// Whether the name itself says how they are held.
    pub quantisation_named: bool,
}

/// The model a served name means: a repository (`zai-org/GLM-5-FP8`), a path
/// (`/models/GLM-5-UD-Q4_K_XL.gguf`) or a plain name. `None` when no preset is meant.
///
/// ```
/// use decodescope::model::recognise;
/// let found = recognise("/shared/glm5-gguf/GLM-5-UD-Q4_K_XL.gguf").unwrap();
/// assert_eq!(found.preset.id, "glm-5");
/// assert_eq!(found.quantisation.name, "GGUF UD-Q4_K_XL");
/// assert!(recognise("my-own-model").is_none());
/// ```
#[must_use]
pub fn recognise(model_name: &str) -> Option<Recognised> {
    let name = model_name.trim();
    // The last part of a path names the model best; a directory may, when a file is called model.gguf.
    let parts = name.trim_end_matches('/').rsplit(['/', '\\']).take(4);
    let preset = parts.filter(|part| !part.is_empty()).find_map(preset_in)?;
    let named = quantisation_in(name, preset);
    let quantisation_named = named.is_some();
    let quantisation = named.or_else(|| published(name, preset))?;
    Some(Recognised { preset, quantisation, quantisation_named })
}

/// The preset whose name is the longest one in the text, if any is.
fn preset_in(text: &str) -> Option<&'static Preset> {
    /// Small models that draft for the one they are named after.
    const DRAFTERS: [&str; 7] = ["draft", "drafter", "eagle", "medusa", "nextn", "speculator", "speculators"];
    let words = words(text);
    if words.iter().any(|word| DRAFTERS.contains(&word.as_str())) {
        return None;
    }
    let distilled = words.iter().any(|word| word == "distill");
    let names = |preset: &'static Preset| {
        let names = [&preset.id, &preset.name].into_iter().chain(&preset.other_names);
        names.map(move |name| (self::words(name), preset))
    };
    let within = |(name, _): &(Vec<String>, &Preset)| {
        // A distilled model is its student, not its teacher.
        let teacher = distilled && !name.iter().any(|word| word == "distill");
        let places = words.windows(name.len().max(1)).enumerate().filter(|(_, window)| *window == name.as_slice());
        !teacher && places.into_iter().any(|(at, _)| !is_variant(words.get(at + name.len()..).unwrap_or_default()))
    };
    let found = presets().iter().flat_map(names).filter(within);
    let longest = found.max_by_key(|(name, _)| name.iter().map(String::len).sum::<usize>());
    longest.filter(|(name, preset)| !sizes(name).is_empty() || suits(&sizes(&words), preset)).map(|(_, preset)| preset)
}

/// The billions of parameters a name's words speak of; those of the part a token uses (`A3B`) left out.
fn sizes(words: &[String]) -> Vec<f64> {
    let size = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let whole = before.is_none_or(|word| !["a", "e", "x"].contains(&word.as_str()));
        let billions = whole && words.get(at + 1).is_some_and(|word| word == "b");
        words.get(at).filter(|_| billions).and_then(|word| word.parse().ok())
    };
    (0..words.len()).filter_map(size).collect()
}

/// Whether a model has one of these sizes, in all or of what a token uses, as far as names round them.
fn suits(sizes: &[f64], preset: &Preset) -> bool {
    let totals = preset.architecture.totals();
    let near = |size: f64, count: u64| (count as f64 / 1e9 / size - 1.0).abs() < 0.15;
    sizes.is_empty() || sizes.iter().any(|&size| near(size, totals.total) || near(size, totals.active))
}

/// Whether a name goes on to say that another model of the family is meant: Phi-4 *mini*, GLM-4.5*V*.
fn is_variant(rest: &[String]) -> bool {
    const VARIANTS: [&str; 15] = [
        "air",
        "audio",
        "flash",
        "large",
        "lite",
        "max",
        "medium",
        "mini",
        "minitron",
        "multimodal",
        "nano",
        "omni",
        "small",
        "tiny",
        "vl",
    ];
    let is_number = |word: &String| word.starts_with(|letter: char| letter.is_ascii_digit());
    match rest.first().map(String::as_str) {
        // A version, as in v0.1, is none.
        Some("v") => !rest.get(1).is_some_and(is_number),
        Some(word) => VARIANTS.contains(&word),
        None => false,
    }
}

/// Words and numbers of a name: `Qwen3-30B-A3B` is `qwen 3 30 b a 3 b`, and 2.5 is one number.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_point = letter == '.' && before.is_ascii_digit() && letters.peek().is_some_and(char::is_ascii_digit);
        if letter.is_ascii_alphanumeric() || is_point {
            let kind = |letter: char| letter.is_ascii_digit() || letter == '.';
            let continues = before.is_ascii_alphanumeric() || before == '.';
            match words.last_mut() {
                Some(word) if continues && kind(before) == kind(letter) => word.push(letter.to_ascii_lowercase()),
                _ => words.push(letter.to_ascii_lowercase().to_string()),
            }
            before = letter;
        } else {
            before = ' ';
        }
    }
    words
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn id(name: &str) -> Option<&'static str> {
        recognise(name).map(|found| found.preset.id.as_str())
    }

    #[test]
    fn names_as_servers_report_them() {
        for (name, expected) in [
            ("zai-org/GLM-5-FP8", "glm-5"),
            ("zai-org/GLM-4.5-Air", "glm-4.5-air"),
            ("zai-org/GLM-4.5", "glm-4.5"),
            ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
            ("Qwen/Qwen3-8B", "qwen3-8b"),
            ("qwen3:8b", "qwen3-8b"),
            ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2"),
            ("deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"),
            ("deepseek-ai/DeepSeek-R1", "deepseek-r1"),
            ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama-3.1-70b"),
            ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
            ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.1-70b"),
            ("openai/gpt-oss-120b", "gpt-oss-120b"),
            ("MiniMaxAI/MiniMax-M2.5", "minimax-m2"),
            ("moonshotai/Kimi-K2-Instruct-0905", "kimi-k2"),
            ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
            ("mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b"),
            ("zai-org/GLM-4.5V", "glm-4.5-air"),
            ("microsoft/Phi-4-mini-instruct", "phi-4-mini"),
            ("/models/glm5/model.gguf", "glm-5"),
        ] {
            assert_eq!(id(name), Some(expected), "{name}");
        }
    }

    /// As repositories, files, containers and served aliases spell them.
    #[test]
    fn spellings_of_names_and_quantisations() {
        for (name, expected, quantisation) in [
            ("/shared/glm5-gguf/GLM-5-UD-Q4_K_XL.gguf", "glm-5", "GGUF UD-Q4_K_XL"),
            ("/models/GLM-5-UD-Q4_K_XL-00001-of-00009.gguf", "glm-5", "GGUF UD-Q4_K_XL"),
            ("unsloth/GLM-5-GGUF:UD-Q4_K_XL", "glm-5", "GGUF UD-Q4_K_XL"),
            ("unsloth/GLM-5-GGUF:Q2_K", "glm-5", "GGUF Q2_K"),
            ("zai-org/GLM-5-FP8", "glm-5", "FP8, 128×128 blocks"),
            ("glm-5-fp8", "glm-5", "FP8, 128×128 blocks"),
            ("GLM5", "glm-5", "BF16"),
            ("glm_5", "glm-5", "BF16"),
            ("/models/huggingface/hub/models--zai-org--GLM-5-FP8/snapshots/8f1c2ab", "glm-5", "FP8, 128×128 blocks"),
            ("deepseek-ai/DeepSeek-V3.1", "deepseek-v3", "FP8, 128×128 blocks"),
            ("nvidia/DeepSeek-R1-0528-NVFP4", "deepseek-r1", "NVFP4, attention in 16 bit"),
            ("nvidia/DeepSeek-R1-FP4", "deepseek-r1", "NVFP4, attention in 16 bit"),
            ("cognitivecomputations/DeepSeek-R1-AWQ", "deepseek-r1", "AWQ 4 bit"),
            ("QuixiAI/DeepSeek-V3-0324-AWQ", "deepseek-v3", "AWQ 4 bit"),
            ("deepseek-r1:671b", "deepseek-r1", "FP8, 128×128 blocks"),
            ("neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8", "llama-3.1-70b", "FP8 per tensor"),
            ("RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic", "llama-3.1-8b", "FP8 per tensor"),
            ("hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4", "llama-3.1-70b", "AWQ 4 bit"),
            ("TheBloke/Llama-2-70B-Chat-GPTQ", "llama-2-70b", "GPTQ 4 bit"),
            ("Qwen/Qwen2.5-32B-Instruct-GPTQ-Int4", "qwen2.5-32b", "GPTQ 4 bit"),
            ("Qwen/Qwen3-30B-A3B-GPTQ-Int4", "qwen3-30b-a3b", "GPTQ 4 bit"),
            ("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen3-235b-a22b", "FP8, 128×128 blocks"),
            ("bartowski/Qwen_Qwen3-32B-GGUF/Qwen_Qwen3-32B-Q4_K_M.gguf", "qwen3-32b", "GGUF Q4_K_M"),
            ("C:\\models\\Qwen3-8B-Q8_0.gguf", "qwen3-8b", "GGUF Q8_0"),
            ("s3://bucket/models/qwen3-8b/", "qwen3-8b", "BF16"),
            ("openai/gpt-oss-120b", "gpt-oss-120b", "MXFP4, experts only"),
            ("gpt-oss:20b", "gpt-oss-20b", "MXFP4, experts only"),
            ("unsloth/gpt-oss-20b-GGUF", "gpt-oss-20b", "MXFP4, experts only"),
            ("mlx-community/Qwen3-8B-4bit", "qwen3-8b", "MLX 4 bit"),
            ("RedHatAI/Mixtral-8x7B-Instruct-v0.1-FP8", "mixtral-8x7b", "FP8 per tensor"),
            ("RedHatAI/Qwen3-32B-FP8-block", "qwen3-32b", "FP8, 128×128 blocks"),
            ("nvidia/Llama-3.1-70B-Instruct-FP8", "llama-3.1-70b", "FP8 per tensor"),
            ("moonshotai/Kimi-K2-Thinking", "kimi-k2.5", "INT4, experts only"),
        ] {
            let found = recognise(name);
            let found = found.as_ref().map(|found| (found.preset.id.as_str(), found.quantisation.name.as_str()));
            assert_eq!(found, Some((expected, quantisation)), "{name}");
        }
    }

    #[test]
    fn a_name_that_means_no_preset_is_not_guessed() {
        for name in ["", "/", "model", "GLM-5.9", "DeepSeek-R1-Distill-Qwen-1.5B", "Qwen3", "GLM-4.7-Flash"] {
            assert_eq!(id(name), None, "{name}");
        }
    }

    #[test]
    fn another_model_than_the_one_it_is_named_after_is_not_taken_for_it() {
        for name in [
            "microsoft/Phi-4-multimodal-instruct",
            "nvidia/Mistral-NeMo-Minitron-8B-Instruct",
            "RedHatAI/Qwen3-8B-speculator.eagle3",
            "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B",
            "lmsys/DeepSeek-V3-0324-NextN",
            // A REAP of 355 billion down to 218, and a distillation that names its teacher alone.
            "cerebras/GLM-4.6-REAP-218B-A32B-FP8",
            "deepseek-r1:70b",
        ] {
            assert_eq!(id(name), None, "{name}");
        }
        // A size of what a token uses is none of the whole's.
        assert_eq!(id("meta-llama/Llama-4-Scout-17B-16E-Instruct"), Some("llama-4-scout"));
        assert_eq!(id("MiniMax-M2-230B-A10B"), Some("minimax-m2"));
        assert_eq!(id("mistralai/Mistral-Small-3.2-24B-Instruct-2506"), Some("mistral-small-24b"));
    }
}
