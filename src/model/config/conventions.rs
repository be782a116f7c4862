//! What a family's conventions mean for its weights.
//!
//! | convention | meaning |
//! |---|---|
//! | `norms=N`, `final=N` | N norm weights of the hidden width per layer instead of 2, outside instead of 1 |
//! | `layer-norm` | norms have biases |
//! | `falcon`, `one-norm-if-parallel` | one norm per layer where attention and MLP stand side by side |
//! | `post-norms`, `sub-norms` | two more with `use_post_norm`; norms before the output and down projections |
//! | `expert-norms=N` | N more norms in layers with experts |
//! | `qk=…` | queries and keys are normalised: by `head`, by `head-bias`, `wide` over all heads |
//! | `qk-asked=…` | the same where `use_qk_norm`, `qk_norm` or `qk_layernorm` says so |
//! | `qk-unless` | the same unless `use_qk_norm` says no |
//! | `in-bias`, `out-bias` | queries, keys and values, or the output, have biases |
//! | `bias-in` | `attention_bias` speaks of queries, keys and values only |
//! | `use-bias` | `use_bias` or `bias` speaks of attention's projections, `use_bias` also of the MLP's |
//! | `mlp-by-bias` | `bias` speaks of the MLP's as well |
//! | `even-heads`, `one-size` | heads share the hidden width; values are as wide as keys, whatever keys say |
//! | `multi-query`, `all-or-one` | `multi_query` means one key/value head; without it all |
//! | `slides=N` | all layers but every Nth see a window only |
//! | `asks-types`, `lists-layers` | without `layer_types` the pattern is assumed, or not known |
//! | `wider-slides` | layers with a window have twice the key/value heads, and sinks |
//! | `output-gate`, `head-gate`, `sinks` | gates of attention's output, by element or by head; a sink per head |
//! | `full-rank` | delta attention's decay and gate are whole matrices |
//! | `mamba1`, `mamba2`, `mamba-beside` | every mixer is Mamba's; Mamba-2 stands beside attention |
//! | `recurrence`, `rwkv` | mixers are gated recurrences, or RWKV's |
//! | `no-feed-forward` | layers are mixers alone |
//! | `paired` | a layer is two of mixer and MLP, with experts beside the first |
//! | `ungated` | MLPs and experts have two matrices instead of three |
//! | `mlp-bias`, `head-bias`, `expert-bias` | the MLP's projections, the head, or experts have biases |
//! | `four-wide`, `half-width` | the MLP is four times as wide as the hidden state; half as wide as written |
//! | `one-is-dense`, `shared-gate` | an only expert is an MLP; the shared expert's output is gated |
//! | `corrected`, `router-bias` | the router has a load correction, or a bias, per expert |
//! | `by-modality` | lists are of modalities instead of layers |
//! | `positions=N` | learned positions, N more than the longest context |
//! | `more-rows=N` | the embedding has N rows more than the head |
//! | `scalars=N`, `lambdas=N` | N single numbers per layer; N vectors as wide as a head |
//! | `alternating-updates` | Gemma-3n's residual |
//! | `otherwise` | built of layers this reader does not know |
//! | `predicts` | a multi-token prediction module, though no key says so |

use super::family::Family;
use super::keys::Keys;
use crate::model::architecture::Architecture;
use crate::model::attention::HeadNorm;

impl Family {
    /// Whether the head has a bias.
    pub(super) fn head_bias(&self, keys: &Keys) -> bool {
        self.says(keys, "lm_head_bias").unwrap_or(self.has("head-bias"))
    }

    /// Biases of (queries, keys, values) and of the output projection.
    pub(super) fn attention_biases(&self, keys: &Keys) -> (bool, bool) {
        let says = |key: &str| self.says(keys, key) == Some(true);
        let both = says("attention_bias");
        let inputs = ["qkv_bias", "add_qkv_bias", "use_qkv_bias"].into_iter().any(says);
        if self.has("use-bias") {
            let bias = says("use_bias") || says("bias");
            return (self.says(keys, "qkv_bias").unwrap_or(bias || inputs), bias);
        }
        if let Some(output) = ["attention_out_bias", "add_bias_linear"].iter().find_map(|key| self.says(keys, key)) {
            return (both || inputs || says("add_bias_linear"), output);
        }
        if says("enable_bias") {
            return (true, true);
        }
        let hard_wired = self.has("in-bias") && keys.flag("qkv_bias") != Some(false);
        (both || inputs || hard_wired, (both && !self.has("bias-in")) || self.has("out-bias"))
    }

    /// How queries and keys are normalised.
    pub(super) fn head_norm(&self, keys: &Keys) -> HeadNorm {
        let asked = ["use_qk_norm", "qk_norm", "qk_layernorm"].iter().find_map(|key| self.says(keys, key));
        let (wanted, how) = match (self.value("qk"), self.value("qk-asked")) {
            (Some(how), _) => (true, how),
            (None, Some(how)) => (asked == Some(true), how),
            (None, None) if self.has("qk-unless") => (keys.flag("use_qk_norm") != Some(false), "head"),
            // Llama-4 normalises without weights.
            (None, None) if self.is(&["llama4"]) => (false, ""),
            (None, None) if keys.text("qk_norm_type") == Some("per_layer") => (asked == Some(true), "wide"),
            (None, None) => (asked == Some(true), "head"),
        };
        match how {
            _ if !wanted => HeadNorm::None,
            "wide" => HeadNorm::FullWidth,
            "head-bias" => HeadNorm::PerHeadBiased,
            _ => HeadNorm::PerHead,
        }
    }

    /// Norm weights of a layer with a mixer and a feed-forward block, in vectors of the hidden width.
    pub(super) fn norm_vectors(&self, keys: &Keys) -> u32 {
        let says = |key: &str| keys.flag(key) == Some(true);
        let mut norms = self.number("norms").unwrap_or(2);
        // Falcon's and StableLM's parallel blocks share one norm, unless the newer Falcon asks for two.
        if self.has("falcon") && !says("new_decoder_architecture") && keys.flag("parallel_attn") != Some(false) {
            norms = 1;
        }
        if self.has("falcon") && says("new_decoder_architecture") {
            norms = keys.number_or(&["num_ln_in_parallel_attn"], 2);
        }
        if self.has("one-norm-if-parallel") && says("use_parallel_residual") {
            norms = 1;
        }
        if self.has("post-norms") && says("use_post_norm") {
            norms += 2;
        }
        // Kimi-K3's attention over the residuals of earlier blocks brings norms of its own.
        if keys.has("attn_res_block_size") {
            norms += 4;
        }
        if self.layer_norm(keys) { norms * 2 } else { norms }
    }

    /// The final norm's weights, and those of a norm behind the embedding, in vectors of the hidden width.
    pub(super) fn final_norm_vectors(&self, keys: &Keys) -> u32 {
        let residuals = if keys.has("attn_res_block_size") { 2 } else { 0 };
        let norms = self.number("final").unwrap_or(1) + residuals;
        // The one OPT that norms after its blocks has none at the end.
        let none = keys.flag("do_layer_norm_before") == Some(false);
        if none {
            0
        } else if self.layer_norm(keys) {
            norms * 2
        } else {
            norms
        }
    }

    /// Whether norms have biases: in an unknown family when it names its constant as layer norms do.
    fn layer_norm(&self, keys: &Keys) -> bool {
        let named = ["layer_norm_eps", "layer_norm_epsilon"].iter().any(|name| keys.has(name));
        self.has("layer-norm") || (self.is_guessed() && !keys.has("rms_norm_eps") && named)
    }

    /// Whether MLPs and experts are gated: three matrices instead of two. An unknown family's are
    /// unless its activation is one that older, ungated MLPs use.
    pub(super) fn gated(&self, keys: &Keys) -> bool {
        if self.is_guessed() {
            let activation =
                ["hidden_act", "activation_function", "mlp_hidden_act"].iter().find_map(|key| keys.text(key));
            let ungated = ["gelu", "gelu_new", "gelu_fast", "quick_gelu", "relu", "relu2", "squared_relu"];
            return !activation.is_some_and(|activation| ungated.contains(&activation));
        }
        !self.has("ungated")
    }

    /// Whether the projections of the MLP have biases: of an unknown family those of old, ungated ones.
    pub(super) fn biased_mlp(&self, keys: &Keys) -> bool {
        let says = |key: &str| self.says(keys, key);
        let by_key = says("mlp_bias").or(says("enable_bias")).or(says("add_bias_linear"));
        let by_use = self.has("use-bias") && says("use_bias") == Some(true);
        let by_bias = self.has("mlp-by-bias") && says("bias") == Some(true);
        let old = self.is_guessed() && !self.gated(keys) && self.layer_norm(keys);
        by_key.unwrap_or(by_use || by_bias || self.has("mlp-bias") || old)
    }

    /// Numbers the router holds per expert beside its matrix.
    pub(super) fn router_extras(&self, keys: &Keys) -> u32 {
        let asked = ["use_routing_bias", "use_moe_router_bias", "moe_router_enable_expert_bias", "use_expert_bias"]
            .into_iter()
            .find_map(|key| keys.flag(key));
        let by_name = self.has("corrected") || keys.text("topk_method") == Some("noaux_tc");
        u32::from(asked.unwrap_or(by_name)) + u32::from(self.has("router-bias"))
    }

    /// What was assumed for an unknown family.
    pub(super) fn assumptions(&self, keys: &Keys, architecture: &Architecture) -> String {
        if self.has("otherwise") {
            return "it is built of known layers, which it is not: counts can be far off".into();
        }
        if let Some(like) = self.like {
            return format!("it is built like {like:?}");
        }
        let gated = if self.gated(keys) { "gated MLPs" } else { "MLPs without a gate" };
        let norms = if self.layer_norm(keys) { "norms with biases" } else { "norms without biases" };
        let head = if architecture.tied_embeddings { "a head tied to the embedding" } else { "a head of its own" };
        let biases = if self.biased_mlp(keys) { "biases in MLPs" } else { "biases only where keys say so" };
        format!("{gated}, two {norms} per layer, {head}, {biases}")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    #[test]
    fn every_convention_of_the_table_is_explained() {
        let source = include_str!("conventions.rs");
        for line in include_str!("families.psv").lines().filter(|line| !line.starts_with('#')) {
            for convention in line.split('|').nth(1).unwrap().split_whitespace() {
                let word = convention.split('=').next().unwrap();
                let explained = [format!("`{word}`"), format!("`{word}=")].iter().any(|it| source.contains(it));
                assert!(explained, "{convention}");
            }
        }
    }
}
