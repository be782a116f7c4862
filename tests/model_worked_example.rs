//! The worked example: GLM-5 as a 402 GB GGUF file on eight GPUs, one request.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{Component, DecodeRead, Placement, Precision, Split, decode_read, preset, recognise};

const TOKENS_PER_SECOND: f64 = 57.5;
const BANDWIDTH: f64 = 1458e9;

fn read(kv_bits: f64, context: f64) -> DecodeRead {
    let found = recognise("/shared/glm5-gguf/GLM-5-UD-Q4_K_XL.gguf").unwrap();
    let precision = found.quantisation.precision.with(Component::KvCache, kv_bits);
    decode_read(&found.preset.architecture, &precision, &Split::tensor(8), 1.0, context)
}

fn utilisation(read: &DecodeRead) -> f64 {
    read.total().get() * TOKENS_PER_SECOND / BANDWIDTH
}

#[test]
fn parameters_in_all_active_and_per_gpu() {
    let totals = preset("glm-5").unwrap().architecture.totals();
    assert_eq!(totals.total, 743_911_218_432);
    assert_eq!(totals.active_excluding_input_embedding, 40_833_146_112);
    assert_eq!(totals.per_gpu(8), 94_833_106_176.0);
    assert_eq!(totals.prediction, 9_952_920_576);
}

/// By hand, in billions of parameters: the replicated parts r follow from what a GPU holds,
/// r + (743.911 − r)/8 = 94.833, so r = 2.1077; a token's sharded share is (40.833 − 2.1077)/8 =
/// 4.8407; together 6.9483, times 402 GB × 8 / 753.864 = 4.266 bits: 3.7052 GB per token and GPU.
#[test]
fn weights_read_per_token_and_gpu_by_hand() {
    let weights = read(16.0, 1000.0).weights().get();
    assert!((weights / 1e9 - 3.7052).abs() < 0.0001, "{weights}");
}

/// 78 layers × 1000 tokens × 576 elements × 2 bytes, whole on every GPU, and 132-byte indexer keys.
#[test]
fn the_latent_cache_is_not_divided() {
    let read = read(16.0, 1000.0);
    assert_eq!(read.of(Component::KvCache).get(), 89_856_000.0);
    assert_eq!(read.of(Component::IndexerKeys).get(), 10_296_000.0);
    let kv = read.reads.iter().find(|read| read.component == Component::KvCache).unwrap();
    assert_eq!(kv.placement, Placement::Replicated);
}

#[test]
fn bandwidth_utilisation_is_13_to_15_percent() {
    // The dump's replies have 135 tokens and its prefills take 52 ms: contexts of a few hundred tokens.
    for (kv_bits, context) in [(16.0, 200.0), (16.0, 500.0), (8.0, 1000.0)] {
        let utilisation = utilisation(&read(kv_bits, context));
        eprintln!("{kv_bits} bit, {context} tokens: {utilisation:.4}");
        assert!((0.13..0.15).contains(&utilisation), "{utilisation}");
    }
    eprintln!("16 bit, 1000 tokens: {:.4}", utilisation(&read(16.0, 1000.0)));
}

#[test]
fn other_layers_and_bits_are_a_matter_of_a_call() {
    let glm5 = &preset("glm-5").unwrap().architecture;
    let read = |precision: &Precision, layers: u32| {
        decode_read(&glm5.with_layers(layers), precision, &Split::tensor(8), 1.0, 1000.0)
    };
    let flat = Precision::flat(4.5);
    assert!(read(&flat, 39).total() < read(&flat, 78).total());
    assert_eq!(read(&flat, 100).layers, 100);
    let head = read(&flat.clone().with(Component::LmHead, 16.0), 78).of(Component::LmHead).get();
    assert_eq!(head, 154_880.0 * 6144.0 * 2.0 / 8.0);
}
