//! The step model: its terms against hand calculations, and what it does at the edges.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::hardware::{catalogue, find};
use decodescope::model::{Component, Precision, Quantisation, Split, preset, presets};
use decodescope::prediction::{Arithmetic, Constants, Prediction, Runtime, TermKind, Workload, predict};

fn ask(model: &str, recipe: &str, gpu: &str, ranks: u32, workload: &Workload) -> Prediction {
    let architecture = &preset(model).unwrap().architecture;
    let precision = Quantisation::by_recipe(recipe).unwrap().precision;
    predict(architecture, &precision, &Split::tensor(ranks), find(gpu).unwrap(), workload)
}

fn micros(prediction: &Prediction, kind: TermKind) -> f64 {
    let terms = prediction.terms.iter().filter(|term| term.kind == kind);
    terms.map(|term| term.seconds.likely.as_micros()).sum()
}

/// Llama-3.1-8B in BF16 on one H100 (2979 GB/s measured), one sequence of 1000 tokens.
#[test]
fn a_step_as_reckoned_by_hand() {
    let step = ask("llama-3.1-8b", "bf16", "h100-sxm", 1, &Workload::new(1.0, 1000.0));
    let constants = Constants::FITTED;
    // 8,030,261,248 parameters without the embedding's 128,256 × 4096, of which one row is read:
    // 15.01 GB, 5038 µs. Cache: 2 × 32 × 8 × 128 × 2 B × 1000 = 131 MB at 0.487 of the bandwidth, 90 µs.
    let weights = (8_030_261_248.0 - 525_336_576.0 + 4096.0) * 2.0 / 2979e9 * 1e6;
    let cache = 131_072_000.0 / (2979e9 * constants.cache_share) * 1e6;
    assert!((micros(&step, TermKind::Read) / (weights + cache) - 1.0).abs() < 0.001);
    // Five operations a layer (fused QKV, attention, output, two of the MLP) and the head.
    assert!((micros(&step, TermKind::Start) - 161.0 * constants.operation.as_micros()).abs() < 1e-6);
    assert!((micros(&step, TermKind::Host) - constants.host.as_micros()).abs() < 1e-6);
    assert_eq!(micros(&step, TermKind::Allreduce), 0.0);
    // The ceiling: the same bytes at 3350 GB/s, and nothing else.
    let least = step.ceiling.bytes.get() / 3350e9;
    assert!((step.ceiling.time.get() - least).abs() < 1e-12);
    assert!(step.assumptions.is_empty());
}

#[test]
fn tensor_parallelism_divides_reads_and_adds_allreduces() {
    let workload = Workload::new(1.0, 1000.0);
    let [one, eight] = [1, 8].map(|ranks| ask("llama-3.1-70b", "fp8-tensor", "h100-sxm", ranks, &workload));
    assert!((micros(&one, TermKind::Read) / micros(&eight, TermKind::Read) - 8.0).abs() < 0.1);
    assert_eq!(micros(&one, TermKind::Start), micros(&eight, TermKind::Start));
    // 160 allreduces of 16 KiB, 5.31 µs each by vLLM's own kernel.
    assert!((micros(&eight, TermKind::Allreduce) / (160.0 * 5.31) - 1.0).abs() < 0.01);
}

#[test]
fn a_large_batch_is_bound_by_computing() {
    let bound = |batch| ask("llama-3.1-8b", "bf16", "a100-sxm-80gb", 1, &Workload::new(batch, 100.0));
    let mlp = |step: &Prediction| step.terms.iter().find(|term| term.name == "dense MLP").unwrap().compute_bound;
    assert!(!mlp(&bound(8.0)) && mlp(&bound(1024.0)));
    // And then the ceiling is the datasheet's FLOPs.
    let step = bound(4096.0);
    assert!((step.ceiling.time.get() - step.ceiling.flops.get() / 312e12).abs() < 1e-9);
}

#[test]
fn block_scales_cost_a_kernel_and_a_scale_per_tensor_does_not() {
    let workload = Workload::new(1.0, 1000.0);
    let quantising = |recipe| micros(&ask("qwen3-32b", recipe, "h100-sxm", 1, &workload), TermKind::Quantise);
    // Four quantised products in each of 64 layers.
    assert!((quantising("fp8") - 256.0 * Constants::FITTED.quantising.as_micros()).abs() < 1e-6);
    assert_eq!((quantising("fp8-tensor"), quantising("bf16"), quantising("nvfp4")), (0.0, 0.0, 0.0));
}

#[test]
fn drafting_runs_the_prediction_layers_once_per_draft() {
    let at = |model, tokens| ask(model, "fp8", "b200-sxm", 8, &Workload { tokens, ..Workload::new(1.0, 1000.0) });
    let (plain, drafted) = (at("deepseek-v3", 1.0), at("deepseek-v3", 3.0));
    assert_eq!(micros(&drafted, TermKind::Host), 3.0 * micros(&plain, TermKind::Host));
    let heads = |step: &Prediction| step.terms.iter().find(|term| term.name == "LM head").unwrap().bytes.get();
    assert!((heads(&drafted) / heads(&plain) - 3.0).abs() < 1e-9);
    assert!(at("llama-3.1-8b", 3.0).assumptions.iter().any(|text| text.starts_with("drafting takes no time")));
}

#[test]
fn llama_cpp_does_not_fill_fast_memory() {
    let with = |runtime| {
        ask("llama-3.1-70b", "q4_k_m", "a100-sxm-80gb", 1, &Workload { runtime, ..Workload::new(1.0, 500.0) })
    };
    let (vllm, plain) = (with(Runtime::Vllm), with(Runtime::LlamaCpp));
    assert!(micros(&plain, TermKind::Read) > 1.3 * micros(&vllm, TermKind::Read));
    // The ceiling knows no engine.
    assert_eq!(vllm.ceiling, plain.ceiling);
}

#[test]
fn what_nobody_measured_is_said() {
    let says = |gpu: &str, ranks, what: &str| {
        let step = ask("llama-3.1-8b", "bf16", gpu, ranks, &Workload::new(1.0, 100.0));
        assert!(step.assumptions.iter().any(|text| text.contains(what)), "{gpu}: {:?}", step.assumptions);
    };
    says("rtx-4090", 1, "published measured reads");
    says("rtx-5090", 1, "no source for the FLOPs");
    says("rtx-4090", 2, "NCCL's own model stands in");
    says("mi300x", 8, "are a guess");
}

#[test]
fn every_model_on_every_gpu_has_a_finite_prediction_above_its_ceiling() {
    let split = Split { expert_parallel: true, data_parallel_attention: 2, ..Split::tensor(4) };
    for gpu in catalogue() {
        for preset in presets() {
            for (sequences, context) in [(0.0, 0.0), (1.0, 0.0), (3.0, 1e6), (4096.0, 1e3)] {
                let step = predict(
                    &preset.architecture,
                    &Precision::flat(8.5),
                    &split,
                    gpu,
                    &Workload::new(sequences, context),
                );
                let time = step.time();
                let name = (gpu.id, &preset.id);
                assert!(time.high.is_finite() && time.low.get() > 0.0, "{name:?}");
                assert!(time.low <= time.likely && time.likely <= time.high, "{name:?}");
                assert!(time.low >= step.ceiling.time, "{name:?}");
            }
        }
    }
}

/// One layer's down to the last byte: Llama-3.1-8B in BF16 on one H100, where attention's output is 4096 × 4096.
#[test]
fn an_operations_place_in_the_roofline_as_reckoned_by_hand() {
    let at = |batch| ask("llama-3.1-8b", "bf16", "h100-sxm", 1, &Workload::new(batch, 1000.0));
    let operation = |step: &Prediction, component| {
        step.operations().into_iter().find(|operation| operation.component == component).unwrap()
    };
    let output = operation(&at(1.0), Component::AttentionOutput);
    // 32 layers × 4096 × 4096 weights of 2 bytes: 1.0737 GB; two FLOPs a weight: 1.0737 GFLOP, 1 a byte.
    assert_eq!((output.bytes.get(), output.flops.get()), (1_073_741_824.0, 1_073_741_824.0));
    assert_eq!(output.intensity(), 1.0);
    // Read at 2979 GB/s in 360.4 µs, and 32 starts of 6.86 µs: 579.9 µs, hence 1.851 TFLOP/s.
    assert!((output.time.as_micros() - 579.95).abs() < 0.1, "{:?}", output.time);
    assert!((output.rate().get() / 1.8514e12 - 1.0).abs() < 1e-3);
    // Sixteen streams read the same weights: 16 FLOPs a byte. Each reads a cache of its own, so attention stays
    // where it was: 4 × 32 heads × 128 FLOPs for 2 × 8 heads × 128 × 2 bytes a token, 4 a byte.
    assert_eq!(operation(&at(16.0), Component::AttentionOutput).intensity(), 16.0);
    for batch in [1.0, 16.0] {
        assert!((operation(&at(batch), Component::KvCache).intensity() - 4.0).abs() < 1e-9);
    }
    // The ridge: 0.8 × 989 TFLOP/s over 2979 GB/s.
    assert!((output.roof.unwrap().ridge(at(1.0).bandwidth) - 265.6).abs() < 0.1);
}

#[test]
fn starting_is_told_once_as_a_term_and_shared_out_among_the_operations() {
    for recipe in ["bf16", "fp8"] {
        let step = ask("qwen3-32b", recipe, "h100-sxm", 1, &Workload::new(4.0, 1000.0));
        let shared: f64 = step.terms.iter().map(|term| term.start.as_micros()).sum();
        let told = micros(&step, TermKind::Start) + micros(&step, TermKind::Quantise);
        assert!((shared - told).abs() < 1e-6, "{recipe}: {shared} {told}");
    }
}

/// Weights of few bits make products faster only where their format's activations are quantised too and the GPU
/// multiplies such numbers.
#[test]
fn products_take_the_numbers_that_format_and_gpu_share() {
    use Arithmetic::{Bf16, Fp4, Fp8, Int8};
    for (recipe, gpu, arithmetic, rate) in [
        // W4A4 and W8A8 where the GPU has them.
        ("nvfp4", "b200-sxm", Fp4, 9000.0),
        ("fp8", "h100-sxm", Fp8, 1979.0),
        ("fp8-tensor", "h100-sxm", Fp8, 1979.0),
        ("mxfp8", "b200-sxm", Fp8, 4500.0),
        ("int8", "h100-sxm", Int8, 1979.0),
        ("int8", "a100-sxm-80gb", Int8, 624.0),
        // Widened to 16 bit where it has not.
        ("nvfp4", "h100-sxm", Bf16, 989.0),
        ("fp8", "a100-sxm-80gb", Bf16, 312.0),
        // Weights alone.
        ("gptq", "h100-sxm", Bf16, 989.0),
        ("awq", "b200-sxm", Bf16, 2250.0),
        ("mlx-8bit", "h100-sxm", Bf16, 989.0),
        ("q8_0", "h100-sxm", Bf16, 989.0),
    ] {
        let step = ask("qwen3-32b", recipe, gpu, 1, &Workload::new(1.0, 100.0));
        let roof = step.operations().into_iter().find(|one| one.component == Component::DenseMlp).unwrap().roof;
        let roof = roof.unwrap();
        assert_eq!(roof.arithmetic, arithmetic, "{recipe} on {gpu}");
        assert!((roof.rate.as_tera() - 0.8 * rate).abs() < 1e-6, "{recipe} on {gpu}: {roof:?}");
    }
    // gpt-oss's MXFP4 experts meet 16-bit activations.
    let step = ask("gpt-oss-120b", "mxfp4", "h100-sxm", 1, &Workload::new(1.0, 100.0));
    let experts = step.operations().into_iter().find(|one| one.component == Component::RoutedExperts).unwrap();
    assert_eq!(experts.roof.unwrap().arithmetic, Bf16);
}

#[test]
fn only_block_scaled_activations_on_a_gpu_with_fp8_are_quantised() {
    let quantising =
        |recipe, gpu| micros(&ask("llama-3.1-8b", recipe, gpu, 1, &Workload::new(1.0, 1000.0)), TermKind::Quantise);
    // Four products in each of 32 layers.
    assert!((quantising("fp8", "h100-sxm") - 128.0 * Constants::FITTED.quantising.as_micros()).abs() < 1e-6);
    for (recipe, gpu) in [("fp8", "a100-sxm-80gb"), ("mlx-8bit", "h100-sxm"), ("q8_0", "h100-sxm")] {
        assert_eq!(quantising(recipe, gpu), 0.0, "{recipe} on {gpu}");
    }
    let step = |precision: &Precision| {
        let llama = &preset("llama-3.1-8b").unwrap().architecture;
        predict(llama, precision, &Split::tensor(1), find("h100-sxm").unwrap(), &Workload::new(1.0, 1000.0))
    };
    // GPTQ of 8 bit has 8.19, and bits that somebody types say nothing of activations.
    assert_eq!(micros(&step(&Precision::flat(8.1875)), TermKind::Quantise), 0.0);
}

/// Qwen3-32B's MLP: 64 × 3 × 5120 × 25,600 weights. 256 tokens: 12.88 TFLOP at 0.8 × 9000 take 1.79 ms; 9 bytes for 16
/// weights are 14.16 GB, at 6769 GB/s 2.09 ms.
#[test]
fn four_bits_are_faster_than_eight_on_a_gpu_that_multiplies_them() {
    let at = |recipe| ask("qwen3-32b", recipe, "b200-sxm", 1, &Workload::new(256.0, 100.0));
    let (four, eight) = (at("nvfp4"), at("fp8-tensor"));
    let mlp = four.terms.iter().find(|term| term.name == "dense MLP").unwrap();
    assert!((mlp.seconds.likely.as_millis() - 2.092).abs() < 0.001, "{:?}", mlp.seconds);
    assert!((mlp.flops.get() / 12.885e12 - 1.0).abs() < 1e-3 && !mlp.compute_bound);
    assert!(four.time().likely < eight.time().likely);
}

#[test]
fn data_parallel_groups_exchange_nothing_but_experts() {
    let split = |tensor| Split { data_parallel_attention: 8, ..Split::tensor(tensor) };
    let exchanged = |model: &str, tensor| {
        let precision = Quantisation::by_recipe("fp8").unwrap().precision;
        let gpu = find("h200-sxm").unwrap();
        let architecture = &preset(model).unwrap().architecture;
        let step = predict(architecture, &precision, &split(tensor), gpu, &Workload::new(64.0, 1000.0));
        let terms = step.terms.into_iter().filter(|term| term.kind == TermKind::Allreduce);
        terms.map(|term| (term.name, term.count)).collect::<Vec<_>>()
    };
    let of = |all: &[(&str, f64)]| all.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect::<Vec<_>>();
    assert_eq!(exchanged("llama-3.1-70b", 1), of(&[]));
    assert_eq!(exchanged("llama-3.1-70b", 2), of(&[("allreduces", 160.0)]));
    // 61 layers, the first three dense: 58 with experts.
    assert_eq!(exchanged("deepseek-v3", 1), of(&[("expert exchanges", 58.0)]));
    assert_eq!(exchanged("deepseek-v3", 2), of(&[("allreduces", 64.0), ("expert exchanges", 58.0)]));
}

/// On eight B200, messages of 512 KiB were measured to take longer than those of 1 MiB.
#[test]
fn more_streams_never_take_less() {
    for gpu in ["b200-sxm", "h100-sxm", "gb300", "l40s", "rtx-pro-6000"] {
        let mut before = 0.0;
        for batch in (0..=11).map(|doublings| f64::from(1 << doublings)) {
            let step =
                ask("llama-3.1-70b", "fp8", gpu, if gpu == "gb300" { 2 } else { 8 }, &Workload::new(batch, 2000.0));
            let time = step.time().likely.as_micros();
            assert!(time > before, "{gpu}, {batch} streams: {time} after {before}");
            before = time;
        }
    }
}
