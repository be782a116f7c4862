//! What splits share, what they copy, and how a batch hits experts; all calculated by hand.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{
    Architecture, Component, DecodeRead, Placement, Precision, Split, Step, decode_read, decode_step, draft_step,
    preset, resident_weights,
};

fn architecture(id: &str) -> &'static Architecture {
    &preset(id).unwrap().architecture
}

fn read(id: &str, split: Split, batch: f64, context: f64) -> DecodeRead {
    decode_read(architecture(id), &Precision::flat(16.0), &split, batch, context)
}

fn bytes(read: &DecodeRead, component: Component) -> f64 {
    read.of(component).get()
}

/// Qwen3-30B has 4 key/value heads: at TP 8 each is held twice, so keys and values are divided by 4.
#[test]
fn key_value_heads_are_copied_when_ranks_outnumber_them() {
    let (at4, at8) =
        (read("qwen3-30b-a3b", Split::tensor(4), 1.0, 1000.0), read("qwen3-30b-a3b", Split::tensor(8), 1.0, 1000.0));
    assert_eq!(bytes(&at4, Component::KvCache), bytes(&at8, Component::KvCache));
    // Queries 2048×4096 are divided by 8, keys and values 2 × 2048×512 by 4; 48 layers, 2 bytes.
    let expected = 48.0 * 2.0 * (2048.0 * 4096.0 / 8.0 + 2.0 * 2048.0 * 512.0 / 4.0);
    assert_eq!(bytes(&at8, Component::AttentionProjections), expected);
}

/// 48 layers × 1000 tokens × 2 × 4 heads × 128 × 2 bytes on one GPU.
#[test]
fn cache_bytes_of_grouped_attention() {
    let read = read("qwen3-30b-a3b", Split::tensor(1), 1.0, 1000.0);
    assert_eq!(bytes(&read, Component::KvCache), 48.0 * 1000.0 * 1024.0 * 2.0);
    assert_eq!(read.resident_cache.get(), bytes(&read, Component::KvCache));
}

#[test]
fn one_token_hits_its_chosen_experts_and_a_large_batch_all() {
    let expert = 3.0 * 2048.0 * 768.0 * 2.0;
    let experts = |batch| bytes(&read("qwen3-30b-a3b", Split::tensor(1), batch, 0.0), Component::RoutedExperts);
    assert!((experts(1.0) / (48.0 * 8.0 * expert) - 1.0).abs() < 1e-9);
    assert!((experts(1e6) / (48.0 * 128.0 * expert) - 1.0).abs() < 1e-9);
    // 4 tokens: 128 × (1 − (15/16)^4) = 29.12305 distinct experts.
    assert!((experts(4.0) / (48.0 * 29.123_05 * expert) - 1.0).abs() < 1e-5);
}

/// 16 tokens hit 256 × (1 − (31/32)^16) = 101.96 experts, 12.745 per rank; the busiest of 8 has 16.72.
#[test]
fn expert_parallelism_reads_more_on_the_busiest_rank() {
    let with = |imbalance| Split { expert_parallel: true, expert_imbalance: imbalance, ..Split::tensor(8) };
    let plain = bytes(&read("glm-5", Split::tensor(8), 16.0, 0.0), Component::RoutedExperts);
    let uniform = bytes(&read("glm-5", with(1.0), 16.0, 0.0), Component::RoutedExperts);
    let skewed = bytes(&read("glm-5", with(1.5), 16.0, 0.0), Component::RoutedExperts);
    assert!((uniform / plain - 16.72 / 12.745).abs() < 0.002, "{}", uniform / plain);
    assert!((skewed / uniform - 1.5).abs() < 1e-9);
    // But never more than a rank holds: 256 / 8 experts of 75 layers.
    let all = bytes(&read("glm-5", with(100.0), 1000.0, 0.0), Component::RoutedExperts);
    assert_eq!(all, 75.0 * 32.0 * 3.0 * 6144.0 * 2048.0 * 2.0);
}

#[test]
fn data_parallel_attention_copies_attention_and_divides_the_batch_and_the_experts() {
    let split = Split { data_parallel_attention: 8, ..Split::tensor(1) };
    assert_eq!(split.gpus(), 8);
    let (data, tensor) =
        (read("deepseek-v3", split, 64.0, 1000.0), read("deepseek-v3", Split::tensor(8), 64.0, 1000.0));
    assert_eq!(bytes(&data, Component::AttentionOutput), 8.0 * bytes(&tensor, Component::AttentionOutput));
    assert_eq!(bytes(&data, Component::KvCache) * 8.0, bytes(&tensor, Component::KvCache));
    assert_eq!(bytes(&data, Component::RoutedExperts), bytes(&tensor, Component::RoutedExperts));
}

#[test]
fn decode_context_parallelism_shares_the_latent_cache() {
    let split = Split { decode_context_parallel: 8, ..Split::tensor(8) };
    let (shared, copied) = (read("glm-5", split, 1.0, 8000.0), read("glm-5", Split::tensor(8), 1.0, 8000.0));
    assert_eq!(bytes(&shared, Component::KvCache) * 8.0, bytes(&copied, Component::KvCache));
}

#[test]
fn pipeline_stages_divide_what_is_resident_and_not_what_a_token_passes() {
    let split = Split { pipeline_parallel: 4, ..Split::tensor(2) };
    let (staged, flat) = (read("qwen3-32b", split, 1.0, 0.0), read("qwen3-32b", Split::tensor(2), 1.0, 0.0));
    assert_eq!(staged.total(), flat.total());
    // Sixteen layers each; the first also has the embedding, the last the head: 151,936 × 5120 of 16 bit, in halves.
    let table = 151_936.0 * 5120.0;
    let layers = (flat.resident_weights.get() - 2.0 * table) / 4.0;
    assert!((staged.resident_weights.get() / (layers + table) - 1.0).abs() < 1e-5);
}

/// GLM-5 looks at 2048 tokens at most, but its indexer scores all.
#[test]
fn sparse_attention_reads_what_it_selects_and_every_index_key() {
    let read = read("glm-5", Split::tensor(8), 1.0, 100_000.0);
    assert_eq!(bytes(&read, Component::KvCache), 78.0 * 2048.0 * 576.0 * 2.0);
    assert_eq!(bytes(&read, Component::IndexerKeys), 78.0 * 100_000.0 * 132.0);
}

/// gpt-oss-120b: 18 of 36 layers see 128 tokens; 2 × 8 heads × 64 elements.
#[test]
fn windows_stop_growing() {
    let read = read("gpt-oss-120b", Split::tensor(1), 1.0, 10_000.0);
    assert_eq!(bytes(&read, Component::KvCache), 18.0 * (128.0 + 10_000.0) * 1024.0 * 2.0);
}

#[test]
fn recurrent_states_are_read_and_written_whatever_the_context() {
    let (short, long) = (
        read("qwen3-next-80b-a3b", Split::tensor(1), 1.0, 10.0),
        read("qwen3-next-80b-a3b", Split::tensor(1), 1.0, 1e5),
    );
    assert_eq!(bytes(&short, Component::RecurrentState), 2.0 * 19_759_104.0 * 4.0);
    assert_eq!(bytes(&short, Component::RecurrentState), bytes(&long, Component::RecurrentState));
}

/// 2 operations per active parameter and 4 × heads × size per layer and token of context.
#[test]
fn operations_of_a_dense_model() {
    let read = read("llama-3.1-8b", Split::tensor(1), 1.0, 1000.0);
    let expected = 2.0 * 7_504_924_672.0 + 32.0 * 4.0 * 32.0 * 128.0 * 1000.0;
    assert!((read.flops().get() / expected - 1.0).abs() < 1e-9);
}

#[test]
fn a_tied_head_is_read_but_not_stored_twice() {
    let read = read("llama-3.2-1b", Split::tensor(1), 1.0, 0.0);
    assert_eq!(bytes(&read, Component::LmHead), 128_256.0 * 2048.0 * 2.0);
    assert_eq!(read.resident_weights.get(), 2.0 * architecture("llama-3.2-1b").totals().total as f64);
}

/// 100278 rows are padded to 100288, a multiple of 64.
#[test]
fn vocabularies_are_padded_where_they_are_held() {
    let mut olmo = architecture("llama-3.1-8b").with_layers(0);
    olmo.vocabulary = 100_278;
    let read = decode_read(&olmo, &Precision::flat(16.0), &Split::tensor(8), 1.0, 0.0);
    let expected = 2.0 * (2.0 * 100_288.0 * 4096.0 / 8.0 + 4096.0);
    assert!((read.resident_weights.get() - expected).abs() < 1e-6);
}

#[test]
fn verifying_drafts_reads_more_experts_and_the_cache_once() {
    let step = |tokens| Step { sequences: 1.0, tokens, context: 1000.0 };
    let read = |tokens| decode_step(architecture("glm-5"), &Precision::flat(8.0), &Split::tensor(8), &step(tokens));
    let (one, four) = (read(1.0), read(4.0));
    assert_eq!(bytes(&one, Component::KvCache), bytes(&four, Component::KvCache));
    assert_eq!(bytes(&one, Component::AttentionOutput), bytes(&four, Component::AttentionOutput));
    // 256 × (1 − (31/32)^4) = 30.5 distinct experts instead of 8.
    let ratio = bytes(&four, Component::RoutedExperts) / bytes(&one, Component::RoutedExperts);
    assert!((ratio - 30.533 / 8.0).abs() < 0.001, "{ratio}");
}

#[test]
fn drafting_reads_one_prediction_layer_and_the_head() {
    let step = Step { sequences: 1.0, tokens: 1.0, context: 1000.0 };
    let precision = Precision::flat(8.0);
    let draft = draft_step(architecture("glm-5"), &precision, &Split::tensor(8), &step).unwrap();
    let main = decode_step(architecture("glm-5"), &precision, &Split::tensor(8), &step);
    assert_eq!(draft.layers, 1);
    assert_eq!(draft.of(Component::LmHead), main.of(Component::LmHead));
    // What it holds are its own layer's weights: the head and the embedding are the main model's.
    let own = architecture("glm-5").totals().prediction as f64;
    assert!(draft.resident_weights.get() < own);
    assert_eq!(bytes(&draft, Component::RoutedExperts) * 75.0, bytes(&main, Component::RoutedExperts));
    assert!(draft_step(architecture("llama-3.1-8b"), &precision, &Split::tensor(1), &step).is_none());
}

#[test]
fn the_parts_of_a_step_add_up() {
    let read = read("glm-5", Split::tensor(8), 4.0, 3000.0);
    let layers = read.per_layer();
    let sum = (layers.attention.get() + layers.feed_forward.get()) * 78.0 + layers.outside.get();
    assert!((sum / read.total().get() - 1.0).abs() < 1e-12);
    assert!(read.replicated() < read.total());
    let replicated = read.reads.iter().filter(|read| read.placement == Placement::Replicated);
    assert!(replicated.map(|read| read.component).any(|component| component == Component::Indexer));
}

#[test]
fn a_step_of_nothing_or_nonsense_reads_nothing_and_is_finite() {
    for batch in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let read = read("deepseek-v4-flash", Split::tensor(0), batch, f64::NAN);
        assert_eq!(read.total().get(), 0.0, "{batch}");
        assert!(read.resident_weights.is_finite());
    }
}

/// DeepSeek-V3: 61 layers of 576 numbers of 16 bit a token. One stream over 64 groups lies on one rank whole; 65 are
/// two on the fullest.
#[test]
fn the_fullest_group_reads_whole_sequences() {
    let split = Split { data_parallel_attention: 64, ..Split::tensor(1) };
    for (batch, sequences) in [(1.0, 1.0), (64.0, 1.0), (65.0, 2.0)] {
        let cache = read("deepseek-v3", split, batch, 4096.0).of(Component::KvCache).get();
        assert_eq!(cache, sequences * 61.0 * 576.0 * 2.0 * 4096.0, "{batch}");
    }
}

/// Mixtral: 32 layers of 8 experts of 3 × 4096 × 14,336 weights. Over 16 ranks eight hold one each, 11.27 GB in 16 bit,
/// which a batch of 64 hits for certain. DeepSeek-V2's 160 over 64 ranks are three on the fullest.
#[test]
fn dealt_experts_are_whole() {
    let split = |ranks| Split { expert_parallel: true, ..Split::tensor(ranks) };
    let expert = 32.0 * 3.0 * 4096.0 * 14_336.0 * 2.0;
    let mixtral = read("mixtral-8x7b", split(16), 64.0, 1.0);
    assert!((mixtral.of(Component::RoutedExperts).get() / expert - 1.0).abs() < 1e-3);
    let resident = |id: &str, ranks| {
        let of = resident_weights(architecture(id), &Precision::flat(16.0), &split(ranks));
        of.into_iter().find(|(component, _)| *component == Component::RoutedExperts).unwrap().1.get()
    };
    assert_eq!(resident("mixtral-8x7b", 16), expert);
    // 59 layers of experts of 3 × 5120 × 1536.
    assert_eq!(resident("deepseek-v2", 64), 3.0 * 59.0 * 3.0 * 5120.0 * 1536.0 * 2.0);
    // However many are hit, a rank reads no more than it holds.
    let all = read("deepseek-v2", split(64), 1e6, 1.0).of(Component::RoutedExperts).get();
    assert!((all / resident("deepseek-v2", 64) - 1.0).abs() < 1e-9);
}

/// DeepSeek-V3 in FP8: 256 routed experts and a shared one of 3 × 7168 × 2048 weights, 11.319 GB a layer in 8 bit.
/// Sixty-one layers over eight stages are eight in the fullest: more than 8 × 11.319 = 90.6 GB, not 61 / 8 of them.
#[test]
fn the_fullest_stage_decides_whether_it_fits() {
    let precision = decodescope::model::Quantisation::by_recipe("fp8").unwrap().precision;
    let at = |stages| {
        let split = Split { pipeline_parallel: stages, ..Split::tensor(1) };
        decode_read(architecture("deepseek-v3"), &precision, &split, 1.0, 1.0).resident_weights.get() / 1e9
    };
    assert!((at(8) - 92.2).abs() < 0.1, "{}", at(8));
    // One layer a stage: the head's 129,280 × 7168 in 16 bit lies with the last layer.
    let layer = (at(8) / 8.0, 129_280.0 * 7168.0 * 2.0 / 1e9);
    assert!((at(61) - layer.0 - layer.1).abs() < 0.01, "{} {layer:?}", at(61));
}
