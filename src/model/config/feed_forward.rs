//! Which feed-forward block a layer has, and its widths.

use super::error::ConfigError;
use super::family::Family;
use super::keys::Keys;
use crate::model::feed_forward::{DenseMlp, Mixture};
use crate::paste::WarningKind;

const EXPERTS: [&str; 5] =
    ["n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts", "num_moe_experts"];
const CHOSEN: [&str; 9] = [
    "num_experts_per_tok",
    "num_experts_per_token",
    "moe_k",
    "top_k_experts",
    "moe_topk",
    "experts_per_token",
    "num_selected_experts",
    "moe_top_k",
    "topk_experts",
];
const EXPERT_WIDTH: [&str; 3] = ["moe_intermediate_size", "expert_ffn_hidden_size", "expert_intermediate_size"];
const WIDTH: [&str; 6] = ["block_ff_dim", "intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "hidden_dim"];
const SHARED: [&str; 4] = ["n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"];
/// Keys that hold the width of all shared experts together.
const SHARED_WIDTH: [&str; 4] = [
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "share_expert_dim",
    "shared_intermediate_size",
];

/// Reads the feed-forward blocks of a configuration's layers.
pub(super) struct FeedForwards<'a, 'b> {
    pub(super) keys: &'b Keys<'a>,
    pub(super) family: &'b Family,
    pub(super) hidden: u32,
    pub(super) layers: u32,
}

impl FeedForwards<'_, '_> {
    /// The MLP and the mixture of one layer (counted from 0).
    pub(super) fn of(&self, layer: u32) -> Result<(Option<DenseMlp>, Option<Mixture>), ConfigError> {
        if self.family.is(&["gemma4"]) {
            let beside = self.keys.flag("enable_moe_block") == Some(true);
            return Ok((Some(self.dense(layer)?), if beside { Some(self.mixture(layer)?) } else { None }));
        }
        if self.family.has("no-feed-forward") {
            return Ok((None, None));
        }
        // Granite-4 without experts keeps the shared one.
        if self.family.is(&["granitemoe"]) && self.experts() == 0 {
            let width = self.keys.number_or(&["shared_intermediate_size"], 0);
            return Ok((Some(DenseMlp { width, gated: true, bias: false }), None));
        }
        if self.experts() > 0 && self.is_mixture(layer) {
            // Grok-2 adds an MLP's output to the experts'.
            let beside = self.keys.flag("residual_moe") == Some(true);
            let dense = if beside { Some(self.dense(layer)?) } else { None };
            Ok((dense, Some(self.mixture(layer)?)))
        } else {
            Ok((Some(self.dense(layer)?), None))
        }
    }

    fn experts(&self) -> u32 {
        let nested = || self.keys.object("ffn_config")?.number(&["moe_num_experts"]);
        let experts = self.keys.number(&EXPERTS).or_else(nested).unwrap_or(0);
        // Jamba's only expert is a plain MLP.
        let dense = (experts == 1 && self.family.has("one-is-dense")) || self.keys.flag("is_moe") == Some(false);
        if dense { 0 } else { experts }
    }

    fn is_mixture(&self, layer: u32) -> bool {
        let keys = self.keys;
        if let Some(kind) = keys.texts("mlp_layer_types").and_then(|types| types.get(layer as usize).copied()) {
            return kind != "dense";
        }
        if let Some(list) =
            keys.numbers("moe_layer_freq").filter(|_| keys.get("moe_layer_freq").is_some_and(|it| it.is_array()))
        {
            return list.get(layer as usize).is_some_and(|&sparse| sparse != 0);
        }
        if let Some(first) = keys.number(&["first_k_dense_replace", "num_dense_layers"]) {
            return layer >= first && layer.is_multiple_of(keys.number_or(&["moe_layer_freq"], 1).max(1));
        }
        if keys.has("moe_layers_enum") {
            let listed = keys.text("moe_layers_enum").unwrap_or_default();
            return listed.split(',').any(|one| one.trim().parse() == Ok(layer));
        }
        if let Some(listed) = keys.numbers("moe_layers").filter(|list| !list.is_empty()) {
            return listed.contains(&layer);
        }
        if let Some(step) = keys.number(&["interleave_moe_layer_step"]) {
            return step > 0 && (layer + 1).is_multiple_of(step);
        }
        if let Some(period) = keys.number(&["expert_layer_period"]) {
            let offset = keys.number_or(&["expert_layer_offset"], 0);
            return layer % period.max(1) == offset % period.max(1);
        }
        if keys.has("moe_layer_start_index") {
            let last = keys.number(&["moe_layer_end_index"]).unwrap_or(self.layers.saturating_sub(1));
            let interval = keys.number_or(&["moe_layer_interval"], 1).max(1);
            let first = keys.number_or(&["moe_layer_start_index"], 0);
            return (layer + 1).is_multiple_of(interval) && (first..=last).contains(&layer);
        }
        if keys.numbers("mlp_only_layers").is_some_and(|dense| dense.contains(&layer)) {
            return false;
        }
        (layer + 1).is_multiple_of(keys.number_or(&["decoder_sparse_step"], 1).max(1))
    }

    /// The MLP of one layer.
    pub(super) fn dense(&self, layer: u32) -> Result<DenseMlp, ConfigError> {
        let (keys, family) = (self.keys, self.family);
        let at = layer as usize;
        let names = ["dense_intermediate_size", "intermediate_size_mlp"];
        let width = match keys.number_at(&names, at).or_else(|| keys.number_at(&WIDTH, at)) {
            Some(width) => width,
            None if family.has("four-wide") || family.unknown.is_some() => {
                if family.unknown.is_some() {
                    let fact = "no key \"intermediate_size\", an MLP four times as wide as the hidden state assumed";
                    keys.warn(WarningKind::Missing, fact.into());
                }
                self.hidden.saturating_mul(keys.number_or(&["expansion_ratio"], 4))
            }
            None => return Err(ConfigError::missing("intermediate_size", "the inner width of the MLP")),
        };
        let borrowing = keys.number_or(&["num_kv_shared_layers"], 0);
        let wide = keys.flag("use_double_wide_mlp") == Some(true) && layer >= self.layers.saturating_sub(borrowing);
        let width = match () {
            () if wide => width.saturating_mul(2),
            () if family.has("half-width") => width / 2,
            () => self.adjusted(width),
        };
        Ok(DenseMlp { width, gated: family.gated(keys), bias: family.biased_mlp(keys) })
    }

    /// LFM2 takes two thirds of the width its configuration names, rounded up.
    fn adjusted(&self, width: u32) -> u32 {
        let keys = self.keys;
        if keys.flag("block_auto_adjust_ff_dim") != Some(true) {
            return width;
        }
        let factor = keys.get("block_ffn_dim_multiplier").and_then(serde_json::Value::as_f64).unwrap_or(1.0);
        let thirds = f64::from(width.saturating_mul(2) / 3);
        let multiple = keys.number_or(&["block_multiple_of"], 256).max(1);
        ((thirds * factor).clamp(0.0, 1e9) as u32).div_ceil(multiple).saturating_mul(multiple)
    }

    /// The mixture of one layer.
    pub(super) fn mixture(&self, layer: u32) -> Result<Mixture, ConfigError> {
        let (keys, family) = (self.keys, self.family);
        // ERNIE-VL's lists are of modalities, not of layers; text comes first.
        let at = if family.has("by-modality") { 0 } else { layer as usize };
        let width = keys.number_at(&EXPERT_WIDTH, at).or_else(|| keys.number_at(&WIDTH, at));
        // DBRX keeps these in an object of their own.
        let nested = |name: &str| keys.object("ffn_config")?.number(&[name]);
        let width = width.or_else(|| nested("ffn_hidden_size"));
        let width =
            width.ok_or_else(|| ConfigError::missing("moe_intermediate_size", "the inner width of an expert"))?;
        let chosen = keys.number_at(&CHOSEN, at).or_else(|| nested("moe_top_k"));
        let chosen =
            chosen.ok_or_else(|| ConfigError::missing("num_experts_per_tok", "how many experts a token is sent to"))?;
        let shared_width = self.shared_width(at, width);
        let (experts, idle) = (self.experts(), keys.number_or(&["zero_expert_num"], 0));
        let chosen = if idle > 0 { self.busy(chosen, experts, idle) } else { chosen };
        let latent = keys.number(&["moe_latent_size", "routed_expert_hidden_size"]).filter(|&latent| latent > 0);
        // The first layers of DeepSeek-V4 route by a hash of the token: no load correction.
        let kinds = keys.texts("mlp_layer_types");
        let hashed = match kinds.and_then(|kinds| kinds.get(at).copied()) {
            Some(kind) => kind == "hash_moe",
            None => layer < keys.number_or(&["num_hash_layers"], 0),
        };
        Ok(Mixture {
            experts,
            chosen,
            idle,
            width,
            shared_width,
            gated: family.gated(keys),
            expert_bias: family.has("expert-bias"),
            router_extras: if hashed { 0 } else { family.router_extras(keys) },
            router_input_scale: family.is(&["gemma4"]),
            shared_gate: shared_width > 0 && family.has("shared-gate"),
            latent,
            latent_norm: keys.flag("latent_moe_use_norm") == Some(true),
        })
    }

    /// How many of the chosen experts compute, on average, when the router favours none.
    fn busy(&self, chosen: u32, experts: u32, idle: u32) -> u32 {
        let share = f64::from(experts) / (f64::from(experts) + f64::from(idle)).max(1.0);
        let busy = (f64::from(chosen) * share).round() as u32;
        let fact =
            format!("of {chosen} experts chosen of {experts} and {idle} that compute nothing, {busy} assumed busy");
        self.keys.warn(WarningKind::Trap, fact);
        busy
    }

    fn shared_width(&self, at: usize, width: u32) -> u32 {
        let (keys, family) = (self.keys, self.family);
        if family.is(&["llama4"]) {
            return width;
        }
        if let Some(together) = keys.number_at(&SHARED_WIDTH, at) {
            return together;
        }
        let count = keys.number_at(&SHARED, at).unwrap_or(0);
        let each = if family.is(&["hunyuan"]) { keys.number_at(&WIDTH, at).unwrap_or(width) } else { width };
        each.saturating_mul(count)
    }
}
