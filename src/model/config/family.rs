//! What a family's code does that its configuration does not say.

use super::keys::Keys;
use crate::model::architecture::Architecture;
use crate::model::attention::HeadNorm;

/// A model family, by the `model_type` of its configuration.
pub(super) struct Family {
    /// The type, in lower case, without suffixes of text models.
    name: String,
    /// The type as written, when it is not a known one.
    pub(super) unknown: Option<String>,
}

/// Families whose conventions are known; a name stands for all that start with it.
const KNOWN: &str = "apertus arcee baichuan bailing bamba code_llama cohere deepseek dots1 ernie4_5 exaone4 falcon \
    gemma glm gpt_oss granite hunyuan internlm jamba kimi llama mimo minimax ministral mistral mixtral nemotron olmo \
    phi3 phi4 phimoe qwen2 qwen3 refinedweb seed_oss smollm3 solar stablelm starcoder2 step3p step3v yi";

/// Families whose names start like a known one, but which are built otherwise.
const OTHERWISE: &str = "falcon_h1 falcon_mamba gemma3n glm5 kimi_audio minimax_vl olmo_hybrid phi4flash";

impl Family {
    pub(super) fn of(keys: &Keys) -> Self {
        let written = keys.model_type().unwrap_or("");
        let name = written.to_ascii_lowercase();
        let listed = |list: &str| list.split_whitespace().any(|known| name.starts_with(known));
        let known = listed(KNOWN) && !listed(OTHERWISE);
        let unknown = if known { None } else { Some(if written.is_empty() { "none".into() } else { written.into() }) };
        Self { name, unknown }
    }

    /// The family's name for people.
    pub(super) fn label(&self) -> String {
        if self.name.is_empty() { "unnamed model".into() } else { self.name.clone() }
    }

    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.starts_with(name))
    }

    fn exactly(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Dimensions the family's code assumes where configurations leave them out, as Gemma-3's do.
    pub(super) fn defaults(&self) -> &'static [(&'static str, u32)] {
        if self.is(&["gemma3"]) && self.unknown.is_none() {
            &[("vocab_size", 262_208), ("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256)]
        } else {
            &[]
        }
    }

    /// Whether the head is the embedding when the configuration does not say.
    pub(super) fn ties_embeddings(&self) -> bool {
        self.is(&["gemma", "cohere", "starcoder2", "falcon", "refinedweb", "gpt2", "ernie4_5"])
    }

    /// Whether the head has a bias when the configuration does not say.
    pub(super) fn head_bias(&self) -> bool {
        self.is(&["phimoe"])
    }

    /// Biases of (queries, keys, values) and of the output projection.
    pub(super) fn attention_biases(&self, keys: &Keys) -> (bool, bool) {
        let says = |key: &str| keys.flag(key).unwrap_or(false);
        if self.is(&["qwen2"]) || self.exactly(&["mimo"]) {
            return (keys.flag("qkv_bias").unwrap_or(true), false);
        }
        if self.is(&["glm", "mimo_v2"]) {
            return (says("attention_bias"), false);
        }
        if self.is(&["starcoder2"]) {
            let bias = keys.flag("use_bias").unwrap_or(true);
            return (bias, bias);
        }
        if self.is(&["ernie4_5"]) {
            return (says("use_bias"), says("use_bias"));
        }
        if self.is(&["seed_oss"]) {
            return (says("attention_bias"), says("attention_out_bias"));
        }
        if self.is(&["stablelm"]) {
            return (says("use_qkv_bias"), false);
        }
        let inputs = ["qkv_bias", "add_qkv_bias", "use_qkv_bias"].into_iter().any(says);
        let both = says("attention_bias");
        (both || inputs, both)
    }

    /// How queries and keys are normalised.
    pub(super) fn head_norm(&self, keys: &Keys) -> HeadNorm {
        let asked = keys.flag("use_qk_norm").or_else(|| keys.flag("qk_norm"));
        let always_per_head = ["qwen3", "gemma3", "gemma4", "minimax_m3", "step3", "dots1", "exaone4", "apertus"];
        if self.is(&always_per_head) {
            return HeadNorm::PerHead;
        }
        if self.is(&["hunyuan"]) {
            return if asked == Some(false) { HeadNorm::None } else { HeadNorm::PerHead };
        }
        if self.is(&["olmo2", "olmo3", "olmoe"]) {
            return HeadNorm::FullWidth;
        }
        if asked != Some(true) || self.is(&["llama4"]) {
            // Llama-4 normalises without weights.
            return HeadNorm::None;
        }
        let per_layer = keys.text("qk_norm_type") == Some("per_layer");
        if per_layer || self.is(&["minimax_m2", "cohere"]) { HeadNorm::FullWidth } else { HeadNorm::PerHead }
    }

    /// Norm weights of a layer with a mixer and a feed-forward block, in vectors of the hidden width.
    pub(super) fn norm_vectors(&self, keys: &Keys) -> u32 {
        if self.is(&["gemma2", "gemma3", "gemma4"]) || self.exactly(&["glm4", "glm4v", "glm4v_text"]) {
            return 4;
        }
        if self.is(&["cohere"]) {
            return 1;
        }
        if self.exactly(&["olmo"]) {
            return 0;
        }
        if self.layer_norm_with_bias(keys) {
            let parallel = self.is(&["falcon", "refinedweb"]) && keys.flag("new_decoder_architecture") != Some(true);
            return if parallel { 2 } else { 4 };
        }
        // Kimi-K3's attention over the residuals of earlier blocks brings norms of its own.
        if keys.has("attn_res_block_size") { 6 } else { 2 }
    }

    /// The final norm's weights, in vectors of the hidden width.
    pub(super) fn final_norm_vectors(&self, keys: &Keys) -> u32 {
        if self.exactly(&["olmo"]) {
            0
        } else if self.layer_norm_with_bias(keys) {
            2
        } else if keys.has("attn_res_block_size") {
            3
        } else {
            1
        }
    }

    fn layer_norm_with_bias(&self, keys: &Keys) -> bool {
        let names = ["layer_norm_eps", "layer_norm_epsilon"];
        let layer_norm = self.unknown.is_some() && !keys.has("rms_norm_eps") && names.iter().any(|name| keys.has(name));
        layer_norm
            || self.is(&["starcoder2", "phimoe", "falcon", "refinedweb", "stablelm"])
            || self.exactly(&["nemotron"])
    }

    /// Whether MLPs and experts are gated: three matrices instead of two. An unknown family's are
    /// unless its activation is one that older, ungated MLPs use.
    pub(super) fn gated(&self, keys: &Keys) -> bool {
        if self.unknown.is_some() {
            let activation =
                ["hidden_act", "activation_function", "mlp_hidden_act"].iter().find_map(|key| keys.text(key));
            let ungated = ["gelu", "gelu_new", "gelu_fast", "quick_gelu", "relu", "relu2", "squared_relu"];
            return !activation.is_some_and(|activation| ungated.contains(&activation));
        }
        !(self.is(&["starcoder2", "falcon", "refinedweb", "nemotron_h", "arcee", "apertus"])
            || self.exactly(&["nemotron"]))
    }

    /// Whether the projections of an unknown family's MLP have biases: those of old, ungated ones do.
    pub(super) fn biased_mlp(&self, keys: &Keys) -> bool {
        self.unknown.is_some() && !self.gated(keys) && self.layer_norm_with_bias(keys)
    }

    /// Numbers the router holds per expert beside its matrix.
    pub(super) fn router_extras(&self, keys: &Keys) -> u32 {
        let corrected = if self.exactly(&["deepseek", "deepseek_v2"]) {
            false
        } else if self.is(&["deepseek", "kimi", "glm", "mimo_v2", "ernie4_5", "nemotron_h", "dots1"]) {
            true
        } else if self.is(&["minimax_m2", "minimax_m3"]) {
            keys.flag("use_routing_bias").unwrap_or(true)
        } else if self.is(&["step3"]) {
            keys.flag("use_moe_router_bias").unwrap_or(true)
        } else if self.is(&["bailing"]) {
            keys.flag("moe_router_enable_expert_bias").unwrap_or(false)
        } else {
            keys.text("topk_method") == Some("noaux_tc")
        };
        u32::from(corrected) + u32::from(self.is(&["gpt_oss", "gemma4"]))
    }

    /// What was assumed for an unknown family.
    pub(super) fn assumptions(&self, keys: &Keys, architecture: &Architecture) -> String {
        let gated = if self.gated(keys) { "gated MLPs" } else { "MLPs without a gate" };
        let norms = if self.layer_norm_with_bias(keys) { "norms with biases" } else { "norms without biases" };
        let head = if architecture.tied_embeddings { "a head tied to the embedding" } else { "a head of its own" };
        let biases = if self.biased_mlp(keys) { "biases in MLPs" } else { "biases only where keys say so" };
        format!("{gated}, two {norms} per layer, {head}, {biases}")
    }
}
