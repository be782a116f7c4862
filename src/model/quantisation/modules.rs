//! What checkpoints call the matrices of a layer's components, and how large each is.

use crate::model::architecture::Layer;
use crate::model::attention::{CompressedAttention, GroupedAttention, Indexer, LatentAttention, Mixer};
use crate::model::feed_forward::{DenseMlp, Mixture};
use crate::model::part::{Component, product};

/// Every name a matrix goes by, fused with its neighbours or alone.
type Names = &'static [&'static str];

/// A quantisable matrix.
pub(super) struct Module {
    /// Of what it is part.
    pub(super) component: Component,
    /// Every name it goes by.
    pub(super) names: Names,
    /// How many weights it has: what its bits weigh in the component's average.
    pub(super) parameters: u64,
}

/// The head and the embedding, which have no layer.
pub(super) const HEAD: Names = &["lm_head", "head", "output"];
pub(super) const EMBEDDING: Names = &["model.embed_tokens", "embed_tokens", "tok_embeddings"];

const QUERIES: Names =
    &["self_attn.q_proj", "self_attn.qkv_proj", "mixer.q_proj", "attention.wq", "self_attention.query_key_value"];
const KEYS: Names =
    &["self_attn.k_proj", "self_attn.qkv_proj", "mixer.k_proj", "attention.wk", "self_attention.query_key_value"];
const VALUES: Names =
    &["self_attn.v_proj", "self_attn.qkv_proj", "mixer.v_proj", "attention.wv", "self_attention.query_key_value"];
const OUTPUT: Names = &["self_attn.o_proj", "mixer.o_proj", "attn.wo_b", "attention.wo"];
const GATE: Names = &["mlp.gate_proj", "mlp.gate_up_proj", "feed_forward.gate_proj", "feed_forward.w1"];
const UP: Names = &["mlp.up_proj", "mlp.gate_up_proj", "feed_forward.up_proj", "feed_forward.w3", "mixer.up_proj"];
const DOWN: Names = &["mlp.down_proj", "feed_forward.down_proj", "feed_forward.w2", "mixer.down_proj"];
const EXPERT_GATE: Names = &[
    "mlp.experts.0.gate_proj",
    "mlp.experts.gate_up_proj",
    "block_sparse_moe.experts.0.w1",
    "ffn.experts.0.w1",
    "ffn.experts.0.gate_proj",
    "feed_forward.experts.0.gate_proj",
    "feed_forward.experts.gate_up_proj",
    "experts.0.gate_proj",
];
const EXPERT_UP: Names = &[
    "mlp.experts.0.up_proj",
    "mlp.experts.gate_up_proj",
    "block_sparse_moe.experts.0.w3",
    "ffn.experts.0.w3",
    "ffn.experts.0.up_proj",
    "mixer.experts.0.up_proj",
    "feed_forward.experts.0.up_proj",
    "feed_forward.experts.gate_up_proj",
    "experts.0.up_proj",
];
const EXPERT_DOWN: Names = &[
    "mlp.experts.0.down_proj",
    "mlp.experts.down_proj",
    "block_sparse_moe.experts.0.w2",
    "ffn.experts.0.w2",
    "ffn.experts.0.down_proj",
    "mixer.experts.0.down_proj",
    "feed_forward.experts.0.down_proj",
    "feed_forward.experts.down_proj",
    "experts.0.down_proj",
];
const SHARED_GATE: Names = &[
    "mlp.shared_experts.gate_proj",
    "mlp.shared_expert.gate_proj",
    "ffn.shared_experts.w1",
    "ffn.shared_experts.gate_proj",
    "feed_forward.shared_expert.gate_proj",
    "block_sparse_moe.shared_experts.gate_proj",
];
const SHARED_UP: Names = &[
    "mlp.shared_experts.up_proj",
    "mlp.shared_expert.up_proj",
    "ffn.shared_experts.w3",
    "ffn.shared_experts.up_proj",
    "mixer.shared_experts.up_proj",
    "feed_forward.shared_expert.up_proj",
    "block_sparse_moe.shared_experts.up_proj",
];
const SHARED_DOWN: Names = &[
    "mlp.shared_experts.down_proj",
    "mlp.shared_expert.down_proj",
    "ffn.shared_experts.w2",
    "ffn.shared_experts.down_proj",
    "mixer.shared_experts.down_proj",
    "feed_forward.shared_expert.down_proj",
    "block_sparse_moe.shared_experts.down_proj",
];
const LINEAR_IN: Names =
    &["linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz", "self_attn.qkv_proj", "self_attn.q_proj"];
const LINEAR_OUT: Names = &["linear_attn.out_proj", "self_attn.out_proj", "self_attn.o_proj"];

fn module(component: Component, names: Names, parameters: u64) -> Module {
    Module { component, names, parameters }
}

/// The quantisable matrices of a layer. Norms, routers and the expansion of a latent are not among
/// them: engines hold them in 16 bit.
pub(super) fn modules(layer: &Layer, hidden: u32) -> Vec<Module> {
    let mut modules = layer.mixer.as_ref().map(|mixer| mixer_modules(mixer, hidden)).unwrap_or_default();
    if let Some(DenseMlp { width, gated, .. }) = layer.dense {
        modules.extend(mlp(Component::DenseMlp, gated, [GATE, UP, DOWN], product([hidden, width])));
    }
    if let Some(Mixture { experts, width, shared_width, gated, latent, .. }) = layer.experts {
        let matrix = product([experts, latent.unwrap_or(hidden), width]);
        modules.extend(mlp(Component::RoutedExperts, gated, [EXPERT_GATE, EXPERT_UP, EXPERT_DOWN], matrix));
        if shared_width > 0 {
            let matrix = product([hidden, shared_width]);
            modules.extend(mlp(Component::SharedExperts, gated, [SHARED_GATE, SHARED_UP, SHARED_DOWN], matrix));
        }
        if let Some(latent) = latent {
            const NAMES: [Names; 2] =
                [&["mixer.fc1_latent_proj", "mlp.latent_down_proj"], &["mixer.fc2_latent_proj", "mlp.latent_up_proj"]];
            let matrix = product([hidden, latent]);
            modules.extend(NAMES.map(|names| module(Component::ExpertLatent, names, matrix)));
        }
    }
    modules
}

/// Two or three matrices of one size.
fn mlp(component: Component, gated: bool, names: [Names; 3], each: u64) -> impl Iterator<Item = Module> {
    names.into_iter().skip(usize::from(!gated)).map(move |names| module(component, names, each))
}

fn mixer_modules(mixer: &Mixer, hidden: u32) -> Vec<Module> {
    use Component::{LinearAttention, StateSpace};
    let linear = |input: u64, output: u64| {
        vec![module(LinearAttention, LINEAR_IN, input), module(LinearAttention, LINEAR_OUT, output)]
    };
    let state_space = |input: (Names, u64), output: (Names, u64)| {
        vec![module(StateSpace, input.0, input.1), module(StateSpace, output.0, output.1)]
    };
    let wide = |width: u32| product([hidden, width]);
    const MAMBA: [Names; 2] = [&["mixer.in_proj", "mamba.in_proj"], &["mixer.out_proj", "mamba.out_proj"]];
    match mixer {
        Mixer::Grouped(grouped) => grouped_modules(grouped, hidden),
        Mixer::Latent(latent) => latent_modules(latent, hidden),
        Mixer::Compressed(compressed) => compressed_modules(compressed, hidden),
        Mixer::GatedDelta(delta) => {
            let (keys, values) =
                (product([delta.key_heads, delta.key_size]), product([delta.value_heads, delta.value_size]));
            let hidden = u64::from(hidden);
            let mut modules = linear(hidden * (2 * keys + values), hidden * values);
            modules.push(module(
                LinearAttention,
                &["linear_attn.in_proj_z", "linear_attn.in_proj_qkvz"],
                hidden * values,
            ));
            modules
        }
        Mixer::Delta(delta) => {
            let each = product([hidden, delta.heads, delta.head_size]);
            let mut modules = linear(each, each);
            modules.push(module(LinearAttention, KEYS, each));
            modules.push(module(LinearAttention, VALUES, each));
            modules
        }
        Mixer::Lightning(lightning) => {
            let each = product([hidden, lightning.heads, lightning.head_size]);
            let mut modules = linear(3 * each, each);
            modules.push(module(LinearAttention, &["self_attn.output_gate"], each));
            modules
        }
        Mixer::Mamba1(mamba) => state_space((MAMBA[0], 2 * wide(mamba.inner)), (MAMBA[1], wide(mamba.inner))),
        Mixer::Mamba2(mamba) => {
            let inner = mamba.heads.saturating_mul(mamba.head_size);
            let mixed = product([2, mamba.groups, mamba.state]) + u64::from(mamba.heads);
            let input = 2 * wide(inner) + mixed * u64::from(hidden);
            state_space((MAMBA[0], input), (MAMBA[1], wide(inner)))
        }
        Mixer::ShortConvolution(short) => {
            state_space((&["conv.in_proj"], 3 * wide(short.width)), (&["conv.out_proj"], wide(short.width)))
        }
        Mixer::GatedRecurrence(recurrence) => {
            const NAMES: [Names; 3] =
                [&["temporal_block.linear_x"], &["temporal_block.linear_y"], &["temporal_block.linear_out"]];
            NAMES.into_iter().map(|names| module(StateSpace, names, wide(recurrence.width))).collect()
        }
        Mixer::Parallel(mixers) => mixers.iter().flat_map(|mixer| mixer_modules(mixer, hidden)).collect(),
        Mixer::Rwkv(_) | Mixer::Linear => Vec::new(),
    }
}

fn grouped_modules(attention: &GroupedAttention, hidden: u32) -> Vec<Module> {
    use Component::{AttentionOutput, AttentionProjections};
    let GroupedAttention { heads, key_value_heads: pairs, head_size, value_size, query_rank, .. } = *attention;
    let input = if query_rank > 0 { query_rank } else { hidden };
    let gates = 1 + u64::from(attention.output_gate);
    let mut modules = vec![module(AttentionProjections, QUERIES, gates * product([input, heads, head_size]))];
    if !attention.borrows_cache {
        modules.push(module(AttentionProjections, KEYS, product([hidden, pairs, head_size])));
        if !attention.values_are_keys {
            modules.push(module(AttentionProjections, VALUES, product([hidden, pairs, value_size])));
        }
    }
    modules.push(module(AttentionOutput, OUTPUT, product([heads, value_size, hidden])));
    modules.extend(indexer_modules(attention.indexer.as_ref(), hidden));
    modules
}

fn latent_modules(attention: &LatentAttention, hidden: u32) -> Vec<Module> {
    use Component::{AttentionOutput, AttentionProjections};
    let LatentAttention { heads, latent, plain_size, rotary_size, value_size, .. } = *attention;
    let head = plain_size.saturating_add(rotary_size);
    let mut modules = match attention.query_rank {
        Some(rank) => vec![
            module(AttentionProjections, &["self_attn.q_a_proj"], product([hidden, rank])),
            module(AttentionProjections, &["self_attn.q_b_proj"], product([rank, heads, head])),
        ],
        None => vec![module(AttentionProjections, &["self_attn.q_proj"], product([hidden, heads, head]))],
    };
    let compressed = product([hidden, latent.saturating_add(rotary_size)]);
    modules.push(module(AttentionProjections, &["self_attn.kv_a_proj_with_mqa"], compressed));
    modules.push(module(AttentionOutput, OUTPUT, product([heads, value_size, hidden])));
    modules.extend(indexer_modules(attention.indexer.as_ref(), hidden));
    modules
}

fn compressed_modules(attention: &CompressedAttention, hidden: u32) -> Vec<Module> {
    use Component::{AttentionOutput, AttentionProjections};
    let CompressedAttention { heads, head_size, query_rank, output_groups, output_rank, .. } = *attention;
    let output = product([output_rank, heads, head_size]) + product([output_groups, output_rank, hidden]);
    let mut modules = vec![
        module(AttentionProjections, &["attn.wq_a", "attn.fused_wqa_wkv"], product([hidden, query_rank])),
        module(AttentionProjections, &["attn.wq_b"], product([query_rank, heads, head_size])),
        module(AttentionProjections, &["attn.wkv", "attn.fused_wqa_wkv"], product([hidden, head_size])),
        module(AttentionOutput, OUTPUT, output),
    ];
    modules.extend(indexer_modules(attention.indexer.as_ref(), hidden));
    modules
}

fn indexer_modules(indexer: Option<&Indexer>, hidden: u32) -> Vec<Module> {
    let Some(Indexer { heads, head_size, query_input, .. }) = indexer.copied() else { return Vec::new() };
    let queries = product([query_input, heads, head_size]);
    vec![
        module(Component::Indexer, &["self_attn.indexer.wq_b", "attn.indexer.wq_b"], queries),
        module(Component::Indexer, &["self_attn.indexer.wk", "attn.indexer.wk"], product([hidden, head_size])),
    ]
}
