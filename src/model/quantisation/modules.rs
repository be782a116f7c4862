//! What checkpoints call the modules of a layer's components.

use crate::model::architecture::Layer;
use crate::model::attention::Mixer;
use crate::model::part::Component;

/// The modules of one component, each under every name it goes by.
pub(super) type Modules = &'static [&'static [&'static str]];

const GROUPED: Modules = &[
    &["self_attn.q_proj", "mixer.q_proj", "attention.wq"],
    &["self_attn.k_proj", "mixer.k_proj", "attention.wk"],
    &["self_attn.v_proj", "mixer.v_proj", "attention.wv"],
];
const LATENT: Modules = &[
    &["self_attn.q_a_proj", "self_attn.q_proj"],
    &["self_attn.q_b_proj", "self_attn.q_proj"],
    &["self_attn.kv_a_proj_with_mqa"],
];
const COMPRESSED: Modules =
    &[&["attn.wq_a", "attn.fused_wqa_wkv"], &["attn.wq_b"], &["attn.wkv", "attn.fused_wqa_wkv"]];
const OUTPUT: Modules = &[&["self_attn.o_proj", "mixer.o_proj", "attn.wo_b", "attention.wo"]];
const INDEXER: Modules =
    &[&["self_attn.indexer.wq_b", "attn.indexer.wq_b"], &["self_attn.indexer.wk", "attn.indexer.wk"]];
const LINEAR: Modules = &[
    &["linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz", "self_attn.qkv_proj", "self_attn.q_proj"],
    &["linear_attn.out_proj", "self_attn.out_proj", "self_attn.o_proj"],
];
const STATE_SPACE: Modules = &[&["mixer.in_proj", "mamba.in_proj"], &["mixer.out_proj", "mamba.out_proj"]];
const CONVOLUTION: Modules = &[&["conv.in_proj"], &["conv.out_proj"]];
const RECURRENCE: Modules =
    &[&["temporal_block.linear_x"], &["temporal_block.linear_y"], &["temporal_block.linear_out"]];
const DENSE: Modules = &[&["mlp.gate_proj", "mlp.up_proj", "mixer.up_proj"], &["mlp.down_proj", "mixer.down_proj"]];
const EXPERTS: Modules = &[
    &[
        "mlp.experts.0.gate_proj",
        "mlp.experts.0.up_proj",
        "block_sparse_moe.experts.0.w1",
        "ffn.experts.0.w1",
        "ffn.experts.0.gate_proj",
        "mixer.experts.0.up_proj",
        "experts.0.gate_proj",
    ],
    &[
        "mlp.experts.0.down_proj",
        "block_sparse_moe.experts.0.w2",
        "ffn.experts.0.w2",
        "ffn.experts.0.down_proj",
        "mixer.experts.0.down_proj",
        "experts.0.down_proj",
    ],
];
const SHARED: Modules = &[
    &[
        "mlp.shared_experts.gate_proj",
        "mlp.shared_expert.gate_proj",
        "ffn.shared_experts.w1",
        "ffn.shared_experts.gate_proj",
        "mixer.shared_experts.up_proj",
        "block_sparse_moe.shared_experts.gate_proj",
    ],
    &[
        "mlp.shared_experts.down_proj",
        "mlp.shared_expert.down_proj",
        "ffn.shared_experts.w2",
        "ffn.shared_experts.down_proj",
        "mixer.shared_experts.down_proj",
        "block_sparse_moe.shared_experts.down_proj",
    ],
];
const EXPERT_LATENT: Modules =
    &[&["mixer.fc1_latent_proj", "mlp.latent_down_proj"], &["mixer.fc2_latent_proj", "mlp.latent_up_proj"]];

/// The quantisable components of a layer, with their modules. Norms, routers and the expansion of
/// a latent are not among them: engines hold them in 16 bit.
pub(super) fn modules(layer: &Layer) -> Vec<(Component, Modules)> {
    let mut modules = layer.mixer.as_ref().map(mixer_modules).unwrap_or_default();
    modules.extend(layer.dense.map(|_| (Component::DenseMlp, DENSE)));
    if let Some(mixture) = &layer.experts {
        modules.push((Component::RoutedExperts, EXPERTS));
        if mixture.shared_width > 0 {
            modules.push((Component::SharedExperts, SHARED));
        }
        modules.extend(mixture.latent.map(|_| (Component::ExpertLatent, EXPERT_LATENT)));
    }
    modules
}

fn mixer_modules(mixer: &Mixer) -> Vec<(Component, Modules)> {
    use Component::{AttentionOutput, AttentionProjections, Indexer, LinearAttention, StateSpace};
    let attention = |projections, indexed: bool| {
        let mut modules = vec![(AttentionProjections, projections), (AttentionOutput, OUTPUT)];
        modules.extend(indexed.then_some((Indexer, INDEXER)));
        modules
    };
    match mixer {
        Mixer::Grouped(grouped) => attention(GROUPED, grouped.indexer.is_some()),
        Mixer::Latent(latent) => attention(LATENT, latent.indexer.is_some()),
        Mixer::Compressed(compressed) => attention(COMPRESSED, compressed.indexer.is_some()),
        Mixer::GatedDelta(_) | Mixer::Delta(_) | Mixer::Lightning(_) => vec![(LinearAttention, LINEAR)],
        Mixer::Mamba1(_) | Mixer::Mamba2(_) => vec![(StateSpace, STATE_SPACE)],
        Mixer::ShortConvolution(_) => vec![(StateSpace, CONVOLUTION)],
        Mixer::GatedRecurrence(_) => vec![(StateSpace, RECURRENCE)],
        Mixer::Parallel(mixers) => mixers.iter().flat_map(mixer_modules).collect(),
        Mixer::Rwkv(_) | Mixer::Linear => Vec::new(),
    }
}
