//! Reading `config.json`, as Hugging Face checkpoints carry it.

mod attention;
mod conventions;
mod doubts;
mod error;
mod family;
mod feed_forward;
mod json;
mod keys;
mod layers;

pub use error::ConfigError;
pub(super) use keys::Keys;

use super::architecture::{AlternatingUpdates, Architecture, MOST_LAYERS, PerLayerEmbedding};
use crate::model::quantisation::{Quantisation, declared};
use crate::paste::{Warning, WarningKind};
use family::Family;

/// The keys that say of what kind each layer is.
const LAYER_LISTS: [&str; 6] = [
    "layer_types",
    "layers_block_type",
    "hybrid_layer_pattern",
    "attn_type_list",
    "linear_attn_config",
    "compress_ratios",
];

/// What a `config.json` says.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The architecture.
    pub architecture: Architecture,
    /// How the checkpoint says it is quantised; `None` when it says nothing.
    pub quantisation: Option<Quantisation>,
    /// What was doubtful, and what was assumed.
    pub warnings: Vec<Warning>,
}

/// Reads a `config.json`.
///
/// Wrappers of vision and speech models are opened: only the language model counts. Keys that are
/// absent mean what the family's code takes for them, and dimensions so assumed are said. `NaN` and
/// `Infinity`, which Python writes into JSON, are no numbers; a Markdown fence around it does no harm.
///
/// # Errors
/// When the text is not JSON (with line and column), is not an object, or lacks a key without
/// which there is no architecture.
///
/// ```
/// let reading = decodescope::model::read_config(r#"{
///     "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "vocab_size": 128256,
///     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8
/// }"#).unwrap();
/// assert_eq!(reading.architecture.totals().total, 8_030_261_248);
/// ```
pub fn read_config(json: &str) -> Result<Reading, ConfigError> {
    let value = json::parse(json)?;
    let object = value.as_object().ok_or_else(|| ConfigError::not_an_object(&value))?;
    let keys = Keys::open(object);
    let family = Family::of(&keys);
    let defaults = family.defaults();
    let keys = keys.assuming(&defaults);
    let architecture = architecture(&keys, &family)?;
    doubts::doubt(&keys, &architecture);
    if family.biased_mlp(&keys) && architecture.has_plain_experts() {
        keys.warn(WarningKind::Trap, "experts are counted without biases, though the MLPs have them".into());
    }
    let quantisation = declared(&keys, &architecture);
    if family.has("lists-layers") && !LAYER_LISTS.iter().any(|key| keys.has(key)) {
        let fact = "no layer_types, and the family's own pattern is not known: the kinds of layers are approximate";
        keys.warn(WarningKind::Trap, fact.into());
    }
    if family.has("by-modality") {
        let fact = "text experts only: the vision experts of the same layers are not counted";
        keys.warn(WarningKind::Trap, fact.into());
    }
    if let Some(name) = &family.unknown {
        let assumed = family.assumptions(&keys, &architecture);
        keys.warn(WarningKind::Trap, format!("unknown model type {name:?}, read by its keys; assumed {assumed}"));
    }
    let warnings = keys.into_warnings();
    Ok(Reading { architecture, quantisation, warnings })
}

/// Reads a `hf_quant_config.json`, which NVIDIA's checkpoints carry beside their `config.json`, for
/// the architecture it belongs to; `None` when it declares nothing.
///
/// # Errors
/// When the text is not JSON (with line and column), or not an object.
pub fn read_quantisation(json: &str, architecture: &Architecture) -> Result<Option<Quantisation>, ConfigError> {
    let value = json::parse(json)?;
    let object = value.as_object().ok_or_else(|| ConfigError::not_an_object(&value))?;
    Ok(declared(&Keys::open(object), architecture))
}

fn architecture(keys: &Keys, family: &Family) -> Result<Architecture, ConfigError> {
    let hidden = keys.require(
        &["hidden_size", "n_embd", "n_embed", "d_model", "model_dim", "dim"],
        "the width of the hidden state",
    )?;
    let vocabulary = keys.require(&["vocab_size", "padded_vocab_size"], "the number of rows of the embedding")?;
    let count = layer_count(keys, family)?;
    let built = layers::layers(keys, family, hidden, count)?;
    let per_layer_embedding = keys.number(&["hidden_size_per_layer_input"]).filter(|&width| width > 0).map(|width| {
        PerLayerEmbedding { width, vocabulary: keys.number_or(&["vocab_size_per_layer_input"], vocabulary) }
    });
    Ok(Architecture {
        name: keys.name().unwrap_or_else(|| family.label()),
        hidden,
        vocabulary,
        more_rows: family.number("more-rows").unwrap_or(0),
        embedding_width: keys.number(&["word_embed_proj_dim"]).filter(|&width| width != hidden).unwrap_or(0),
        tied_embeddings: keys.flag("tie_embedding").or(keys.flag("tie_word_embeddings")) == Some(true),
        head_bias: family.head_bias(keys),
        layers: built.layers,
        positions: positions(keys, family),
        alternating_updates: alternating_updates(keys, family),
        final_norm_vectors: family.final_norm_vectors(keys),
        per_layer_embedding,
        residual_streams: keys.number_or(&["hc_mult"], 0),
        prediction: built.prediction,
    })
}

fn positions(keys: &Keys, family: &Family) -> u32 {
    let more = family.number("positions");
    let longest = || keys.number(&["n_positions", "max_position_embeddings", "n_ctx"]);
    more.zip(more.and_then(|_| longest())).map_or(0, |(more, longest)| longest.saturating_add(more))
}

fn alternating_updates(keys: &Keys, family: &Family) -> Option<AlternatingUpdates> {
    family.has("alternating-updates").then(|| AlternatingUpdates {
        streams: keys.number_or(&["altup_num_inputs"], 4),
        rank: keys.number_or(&["laurel_rank"], 64),
    })
}

fn layer_count(keys: &Keys, family: &Family) -> Result<u32, ConfigError> {
    if let Some(pattern) = layers::block_pattern(keys) {
        return Ok(pattern.len() as u32);
    }
    let mut names = ["num_hidden_layers", "n_layer", "num_layers", "n_layers"];
    if family.has("paired") {
        // Transformers counts LongCat's halves as layers.
        names.swap(0, 2);
    }
    let count = keys.require(&names, "the number of layers")?;
    if count > MOST_LAYERS {
        let found = count.to_string();
        return Err(ConfigError::unusable("num_hidden_layers", found, "at most 4096 layers"));
    }
    Ok(count)
}
