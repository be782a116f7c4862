//! Which component a GGUF tensor's name stands for.

use super::Tensor;
use crate::model::part::Component;
use std::collections::BTreeSet;

/// The component of a tensor of the main model; `None` for prediction layers and constants.
pub(super) fn component(name: &str, predicting: &BTreeSet<u32>) -> Option<Component> {
    let Some((block, tensor)) = block(name) else {
        return match name.split('.').next()? {
            "token_embd" => Some(Component::Embedding),
            "per_layer_token_embd" | "per_layer_model_proj" => Some(Component::PerLayerEmbedding),
            "output" => Some(Component::LmHead),
            "output_norm" => Some(Component::Norms),
            _ => None,
        };
    };
    if predicting.contains(&block) {
        return None;
    }
    let tensor = tensor.trim_end_matches(".weight").trim_end_matches(".bias");
    Some(match tensor {
        _ if tensor.starts_with("indexer") => Component::Indexer,
        _ if tensor.ends_with("norm") => Component::Norms,
        "attn_kv_b" | "attn_k_b" | "attn_v_b" => Component::LatentUpProjection,
        "attn_output" => Component::AttentionOutput,
        "ffn_gate_inp" | "exp_probs_b" => Component::Router,
        _ if tensor.ends_with("_exps") => Component::RoutedExperts,
        _ if tensor.ends_with("_shexp") => Component::SharedExperts,
        _ if tensor.starts_with("ffn_latent") => Component::ExpertLatent,
        _ if tensor.starts_with("ffn") => Component::DenseMlp,
        _ if tensor.starts_with("ssm") => Component::StateSpace,
        _ if tensor.starts_with("attn") => Component::AttentionProjections,
        _ => return None,
    })
}

/// The blocks that hold multi-token prediction: those with a tensor that only it has.
pub(super) fn prediction_blocks(tensors: &[Tensor]) -> BTreeSet<u32> {
    let of =
        |tensor: &Tensor| block(&tensor.name).filter(|(_, rest)| rest.starts_with("nextn")).map(|(block, _)| block);
    tensors.iter().filter_map(of).collect()
}

/// `blk.3.attn_q.weight` is `attn_q.weight` of block 3.
fn block(name: &str) -> Option<(u32, &str)> {
    let (number, tensor) = name.strip_prefix("blk.")?.split_once('.')?;
    Some((number.parse().ok()?, tensor))
}
