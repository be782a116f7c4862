//! The dimensions of linear attention and of Mamba mixers.

use super::Mixers;
use crate::model::attention::{DeltaAttention, GatedDeltaNet, Mamba1, Mamba2};
use crate::model::config::error::ConfigError;

impl Mixers<'_, '_> {
    pub(super) fn delta(&self, layer: u32) -> Result<Option<DeltaAttention>, ConfigError> {
        let Some(linear) = self.keys.object("linear_attn_config") else { return Ok(None) };
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

    pub(super) fn mamba1(&self) -> Result<Mamba1, ConfigError> {
        let keys = self.keys;
        Ok(Mamba1 {
            inner: keys.number_or(&["mamba_expand"], 2).saturating_mul(self.hidden),
            state: keys.require(&["mamba_d_state"], "the state elements per channel")?,
            kernel: keys.number_or(&["mamba_d_conv"], 4),
            step_rank: keys.number_or(&["mamba_dt_rank"], self.hidden.div_ceil(16)),
            normed: true,
        })
    }

    /// Mamba-2 as Nemotron-H and Granite-4 configure it.
    pub(in crate::model::config) fn mamba2(&self) -> Result<Mamba2, ConfigError> {
        let keys = self.keys;
        Ok(Mamba2 {
            heads: keys.require(&["mamba_num_heads", "mamba_n_heads"], "the number of Mamba heads")?,
            head_size: keys.require(&["mamba_head_dim", "mamba_d_head"], "the width of a Mamba head")?,
            groups: keys.number_or(&["n_groups", "mamba_n_groups"], 1),
            state: keys.require(&["ssm_state_size", "mamba_d_state"], "the state elements per channel")?,
            kernel: keys.number_or(&["conv_kernel", "mamba_d_conv"], 4),
            convolution_bias: keys.flag("use_conv_bias").or(keys.flag("mamba_conv_bias")).unwrap_or(true),
        })
    }
}
