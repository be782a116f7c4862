//! The dimensions of linear attention and of Mamba mixers.

use super::{HEADS, Mixers};
use crate::model::attention::{DeltaAttention, GatedDeltaNet, GatedRecurrence, Mamba1, Mamba2, Rwkv, ShortConvolution};
use crate::model::config::error::ConfigError;

impl Mixers<'_, '_> {
    pub(super) fn delta(&self, layer: u32) -> Result<Option<DeltaAttention>, ConfigError> {
        let Some(linear) = self.keys.object("linear_attn_config") else { return self.delta_by_type(layer) };
        // Kimi counts layers from 1 here.
        let full = linear.numbers("full_attn_layers").unwrap_or_default();
        if full.contains(&(layer + 1)) {
            return Ok(None);
        }
        Ok(Some(DeltaAttention {
            heads: linear.require(&["num_heads"], "the number of linear attention heads")?,
            head_size: linear.require(&["head_dim"], "the width of a linear attention head")?,
            kernel: linear.number_or(&["short_conv_kernel_size"], 4),
            full_rank_gate: linear.flag("use_full_rank_gate") == Some(true),
            full_rank_decay: false,
        }))
    }

    /// The form Transformers gives Kimi's configuration.
    fn delta_by_type(&self, layer: u32) -> Result<Option<DeltaAttention>, ConfigError> {
        let keys = self.keys;
        if !keys.has("linear_num_heads") || !self.layer_type(layer).is_some_and(|kind| kind.contains("linear")) {
            return Ok(None);
        }
        let full_rank = self.family.has("full-rank");
        Ok(Some(DeltaAttention {
            heads: keys.require(&["linear_num_heads"], "the number of linear attention heads")?,
            head_size: keys.require(&["linear_head_dim"], "the width of a linear attention head")?,
            kernel: keys.number_or(&["linear_conv_kernel_dim"], 4),
            full_rank_gate: full_rank,
            full_rank_decay: full_rank,
        }))
    }

    pub(super) fn gated_delta(&self) -> Result<GatedDeltaNet, ConfigError> {
        let keys = self.keys;
        Ok(GatedDeltaNet {
            key_heads: keys.require(&["linear_num_key_heads"], "the number of linear key heads")?,
            value_heads: keys.require(&["linear_num_value_heads"], "the number of linear value heads")?,
            key_size: keys.require(&["linear_key_head_dim"], "the width of a linear key head")?,
            value_size: keys.require(&["linear_value_head_dim"], "the width of a linear value head")?,
            kernel: keys.number_or(&["linear_conv_kernel_dim"], 4),
        })
    }

    /// Mamba as Jamba configures it, or as the models do that are nothing else.
    pub(super) fn mamba1(&self) -> Result<Mamba1, ConfigError> {
        let (keys, alone) = (self.keys, self.family.has("mamba1"));
        let expanded = || keys.number_or(&["mamba_expand", "expand"], 2).saturating_mul(self.hidden);
        let inner = keys.number(&["intermediate_size"]).filter(|&inner| alone && inner > 0);
        Ok(Mamba1 {
            inner: inner.unwrap_or_else(expanded),
            state: keys.require(&["mamba_d_state", "state_size"], "the state elements per channel")?,
            kernel: keys.number_or(&["mamba_d_conv", "conv_kernel"], 4),
            step_rank: self.number_unless_auto(&["mamba_dt_rank", "time_step_rank"], || self.hidden.div_ceil(16)),
            normed: !alone,
            convolution_bias: keys.flag("mamba_conv_bias").or(keys.flag("use_conv_bias")).unwrap_or(true),
            projection_bias: keys.flag("mamba_proj_bias").or(keys.flag("use_bias")).unwrap_or(false),
        })
    }

    /// Mamba-2 as Nemotron-H, Granite-4, Falcon-H1 and Mamba-2 itself configure it.
    pub(in crate::model::config) fn mamba2(&self) -> Result<Mamba2, ConfigError> {
        let (keys, beside) = (self.keys, self.family.has("mamba-beside"));
        let mut names = vec!["mamba_num_heads", "mamba_n_heads"];
        let mut sizes = vec!["mamba_head_dim", "mamba_d_head"];
        if self.family.has("mamba2") {
            names.push("num_heads");
            sizes.push("head_dim");
        }
        let heads = keys.require(&names, "the number of Mamba heads")?;
        let expanded = || keys.number_or(&["mamba_expand", "expand"], 2).saturating_mul(self.hidden);
        let head_size = || keys.number(&["mamba_d_ssm"]).unwrap_or_else(expanded) / heads.max(1);
        let bias = if self.family.is(&["nemotron"]) { "use_bias" } else { "mamba_proj_bias" };
        let bias = keys.flag(bias).or(keys.flag("use_bias")).or(keys.flag("projectors_bias"));
        Ok(Mamba2 {
            heads,
            head_size: self.number_unless_auto(&sizes, head_size),
            groups: keys.number_or(&["n_groups", "mamba_n_groups"], 1),
            state: keys
                .require(&["ssm_state_size", "mamba_d_state", "state_size"], "the state elements per channel")?,
            kernel: keys.number_or(&["conv_kernel", "mamba_d_conv"], 4),
            convolution_bias: keys.flag("use_conv_bias").or(keys.flag("mamba_conv_bias")).unwrap_or(true),
            projection_bias: bias == Some(true),
            normed: !beside || keys.flag("mamba_rms_norm") == Some(true),
        })
    }

    /// A number some configurations leave to the code, by the word `auto`.
    fn number_unless_auto(&self, names: &[&str], automatic: impl Fn() -> u32) -> u32 {
        if names.iter().any(|name| self.keys.text(name) == Some("auto")) {
            return automatic();
        }
        self.keys.number(names).unwrap_or_else(automatic)
    }

    pub(super) fn short_convolution(&self) -> ShortConvolution {
        let kernel = self.keys.number_or(&["conv_L_cache"], 3);
        ShortConvolution { kernel, bias: self.keys.flag("conv_bias") == Some(true), width: self.hidden }
    }

    pub(super) fn gated_recurrence(&self) -> Result<GatedRecurrence, ConfigError> {
        Ok(GatedRecurrence {
            width: self.keys.number_or(&["lru_width"], self.hidden),
            heads: self.keys.require(&HEADS, "the number of attention heads")?,
            kernel: self.keys.number_or(&["conv1d_width"], 4),
        })
    }

    pub(super) fn rwkv(&self) -> Rwkv {
        Rwkv { width: self.keys.number_or(&["attention_hidden_size"], self.hidden) }
    }
}
