//! Reading a GGUF file's head from its first bytes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::model::{Component, Gguf, GgufError, read_gguf};

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// A head with a name, a list of texts as tokenisers have, and tensors of (name, dimensions, type).
fn head(tensors: &[(&str, &[u64], u32)]) -> Vec<u8> {
    file(tensors, 0, 1, tensors.len() as i32)
}

/// The same as one of `count` files, counted from 0, of a model with so many tensors.
fn file(tensors: &[(&str, &[u64], u32)], number: u16, count: u16, all: i32) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend((tensors.len() as u64).to_le_bytes());
    bytes.extend(5_u64.to_le_bytes());
    text(&mut bytes, "general.name");
    bytes.extend(8_u32.to_le_bytes());
    text(&mut bytes, "Little Model");
    text(&mut bytes, "tokenizer.ggml.tokens");
    bytes.extend(9_u32.to_le_bytes());
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend(2_u64.to_le_bytes());
    text(&mut bytes, "a");
    text(&mut bytes, "b");
    text(&mut bytes, "split.count");
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    text(&mut bytes, "split.no");
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(number.to_le_bytes());
    text(&mut bytes, "split.tensors.count");
    bytes.extend(5_u32.to_le_bytes());
    bytes.extend(all.to_le_bytes());
    for (name, dimensions, kind) in tensors {
        text(&mut bytes, name);
        bytes.extend((dimensions.len() as u32).to_le_bytes());
        for dimension in *dimensions {
            bytes.extend(dimension.to_le_bytes());
        }
        bytes.extend(kind.to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
    }
    bytes
}

/// Types: 0 is F32, 12 Q4_K (4.5 bits), 14 Q6_K (6.5625), 8 Q8_0 (8.5).
fn little() -> Vec<u8> {
    head(&[
        ("token_embd.weight", &[256, 1000], 8),
        ("output.weight", &[256, 1000], 14),
        ("blk.0.attn_norm.weight", &[256], 0),
        ("blk.0.attn_q.weight", &[256, 256], 12),
        ("blk.0.ffn_up_exps.weight", &[256, 512, 8], 12),
        ("blk.0.ffn_down_exps.weight", &[512, 256, 8], 14),
        ("blk.0.ffn_gate_inp.weight", &[256, 8], 0),
        ("blk.1.attn_q.weight", &[256, 256], 8),
        ("blk.1.nextn.eh_proj.weight", &[512, 256], 8),
    ])
}

#[test]
fn bits_per_weight_are_exact_per_component() {
    let file = read_gguf(&little()).unwrap();
    assert_eq!((file.name.as_deref(), file.files), (Some("Little Model"), 1));
    let precision = file.quantisation().precision;
    // Two projections of equal size, one Q4_K and one Q6_K.
    assert_eq!(precision.bits(Component::RoutedExperts), (4.5 + 6.5625) / 2.0);
    assert_eq!(precision.bits(Component::LmHead), 6.5625);
    assert_eq!(precision.bits(Component::Router), 32.0);
    assert_eq!(precision.bits(Component::AttentionProjections), 4.5, "block 1 is a prediction layer");
    assert_eq!(file.parameters(), 2 * 256_000 + 256 + 65_536 + 2 * 1_048_576 + 2048 + 65_536 + 131_072);
}

#[test]
fn split_files_are_read_as_one() {
    let part = |number| read_gguf(&file(&[("output.weight", &[256, 10], 8)], number, 2, 2)).unwrap();
    let whole = Gguf::joined(vec![part(1), part(0)]);
    assert_eq!((whole.parameters(), whole.incomplete()), (5120, None));
    // One file twice is still one file.
    let half = Gguf::joined(vec![part(1), part(1)]);
    assert_eq!((half.parameters(), half.missing()), (2560, vec![1]));
}

#[test]
fn what_is_missing_of_a_split_model_is_said() {
    let part = |number| read_gguf(&file(&[("output.weight", &[256, 10], 8)], number, 4, 4)).unwrap();
    assert_eq!(part(1).missing(), [1, 3, 4]);
    assert!(part(1).incomplete().unwrap().ends_with("split into 4 files, of which missing: 1, 3, 4"));
    let fewer = Gguf::joined((0..4).map(|number| read_gguf(&file(&[], number, 4, 4)).unwrap()).collect());
    assert_eq!(fewer.incomplete().unwrap(), "it holds no tensors");
    let fewer = [&[("output.weight", &[256, 10][..], 8)][..], &[]];
    let fewer = fewer.into_iter().zip(0..).map(|(tensors, number)| read_gguf(&file(tensors, number, 2, 2)).unwrap());
    let lack = Gguf::joined(fewer.collect()).incomplete().unwrap();
    assert_eq!(lack, "its 2 files hold 1 tensors, though they say 2");
}

#[test]
fn too_few_bytes_ask_for_more_and_never_panic() {
    let bytes = little();
    for end in 0..bytes.len() {
        match read_gguf(&bytes[..end]) {
            Err(GgufError::NeedMore(needed)) => assert!(needed > end),
            other => panic!("{end} bytes: {other:?}"),
        }
    }
}

#[test]
fn what_is_no_gguf_is_said() {
    assert_eq!(read_gguf(b"PK\x03\x04 and so on"), Err(GgufError::NotGguf));
    let mut version = little();
    version[4] = 9;
    assert_eq!(read_gguf(&version), Err(GgufError::Version(9)));
    let unknown = read_gguf(&head(&[("output.weight", &[1], 4)])).unwrap_err();
    assert_eq!(unknown.to_string(), "unknown type 4 of output.weight");
}

/// Qwen3-8B's own numbers, under llama.cpp's keys: 8 190 735 360 parameters.
#[test]
fn the_architecture_follows_from_the_metadata() {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    let numbers = [
        ("qwen3.block_count", 36_u32),
        ("qwen3.embedding_length", 4096),
        ("qwen3.feed_forward_length", 12288),
        ("qwen3.attention.head_count", 32),
        ("qwen3.attention.head_count_kv", 8),
        ("qwen3.attention.key_length", 128),
        ("qwen3.attention.value_length", 128),
        ("qwen3.vocab_size", 151_936),
    ];
    bytes.extend((numbers.len() as u64 + 1).to_le_bytes());
    text(&mut bytes, "general.architecture");
    bytes.extend(8_u32.to_le_bytes());
    text(&mut bytes, "qwen3");
    for (key, number) in numbers {
        text(&mut bytes, key);
        bytes.extend(4_u32.to_le_bytes());
        bytes.extend(number.to_le_bytes());
    }
    text(&mut bytes, "output.weight");
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(8_190_735_360_u64.to_le_bytes());
    bytes.extend(12_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    let reading = read_gguf(&bytes).unwrap().reading().unwrap();
    assert_eq!(reading.architecture.totals().total, 8_190_735_360);
    assert!(reading.warnings.is_empty(), "{:?}", reading.warnings);
    assert_eq!(reading.quantisation.unwrap().precision.weights_bits, 4.5);
}
