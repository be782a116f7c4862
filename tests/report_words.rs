//! What a report says of one system and another: each sentence where it is true, and only there.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(not(target_arch = "wasm32"))]

use decodescope::budget::{Analysis, Part, analyse};
use decodescope::chart::{Chart, PointRole};
use decodescope::metrics::read_dump;
use decodescope::model::Quantisation;
use decodescope::paste::prometheus;
use decodescope::report::{Figure, KeyFigure, Verdict, figures, json, key_figures, report, verdict, what_if_figures};
use decodescope::scenario::{Configured, Field, GpuChoice, Measured, ModelChoice, Scenario};

fn system(model: &str, gpu: &str, fields: &[(Field, f64)]) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.set_model(Some(ModelChoice::Preset(model.to_owned())));
    scenario.set_gpu(Some(GpuChoice::Known(gpu.to_owned())));
    fields.iter().for_each(|&(field, value)| scenario.set(field, Some(value)));
    scenario
}

fn on_four(fields: &[(Field, f64)]) -> Scenario {
    let mut scenario = system("llama-3.1-70b", "h100-sxm", &[(Field::Gpus, 4.0)]);
    fields.iter().for_each(|&(field, value)| scenario.set(field, Some(value)));
    scenario
}

/// A vLLM dump with so many observations of both latencies, their sums in seconds, and further lines.
fn dump(model: &str, itl: (u32, f64), ttft: (u32, f64), more: &str) -> String {
    let latency = |name: &str, (count, sum): (u32, f64)| {
        let name = format!("vllm:{name}_seconds");
        format!(
            "{name}_bucket{{model_name=\"{model}\",le=\"+Inf\"}} {count}\n{name}_count{{model_name=\"{model}\"}} {count}\n\
             {name}_sum{{model_name=\"{model}\"}} {sum}\n"
        )
    };
    let more = more.replace("{}", &format!("{{model_name=\"{model}\"}}"));
    latency("inter_token_latency", itl) + &latency("time_to_first_token", ttft) + &more
}

fn pasted(mut scenario: Scenario, text: &str) -> Scenario {
    scenario.adopt(Measured::distil("pasted text", &read_dump(&prometheus::read(text)).sets));
    scenario
}

fn said(scenario: &Scenario) -> (Analysis, Verdict) {
    let analysis = analyse(scenario);
    let verdict = verdict(scenario, &analysis);
    (analysis, verdict)
}

fn tile(scenario: &Scenario, key: &str) -> KeyFigure {
    key_figures(scenario, &analyse(scenario)).into_iter().find(|figure| figure.key == key).unwrap()
}

fn figure(scenario: &Scenario, key: &str) -> Figure {
    figures(scenario, &analyse(scenario)).into_iter().find(|figure| figure.key == key).unwrap()
}

const LLAMA: &str = "meta-llama/Llama-3.1-70B-Instruct";

#[test]
fn whose_hardware_is_not_said_is_asked_before_anything_is_judged() {
    // 10 ms on average, which eight cards over PCIe cannot do with 70 billion weights of 16 bit.
    let text = dump(LLAMA, (1000, 10.0), (10, 0.5), "");
    let mut scenario = pasted(Scenario::example(), &text);
    let (_, verdict) = said(&scenario);
    assert_eq!(verdict.headline, "The hardware is not said yet: set your GPU, how many, and tensor parallel");
    assert!(verdict.doubts.is_empty(), "{:?}", verdict.doubts);
    assert!(verdict.next[0].starts_with("The hardware is still the worked example's"), "{:?}", verdict.next);
    assert!(verdict.sentences.last().unwrap().contains("still count with 8 × RTX PRO 6000"), "{:?}", verdict.sentences);
    assert!(tile(&scenario, "bandwidth").note.starts_with("by the example's hardware"));
    // What the same numbers cannot be is said once somebody has said that it is this hardware.
    scenario.set_gpu(Some(GpuChoice::Known("rtx-pro-6000".to_owned())));
    assert_eq!(said(&scenario).1.headline, "How many GPUs is not said yet: set how many, and tensor parallel");
    scenario.set(Field::Gpus, Some(8.0));
    let (_, verdict) = said(&scenario);
    assert_eq!(verdict.headline, "These numbers cannot all be right");
    assert!(!tile(&scenario, "bandwidth").note.contains("example"));
}

#[test]
fn rounding_is_no_residual() {
    for context in [4096.0, 131_072.0] {
        let (analysis, _) = said(&on_four(&[(Field::Batch, 64.0), (Field::Context, context)]));
        let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual).unwrap();
        assert_eq!(residual.time.get(), 0.0);
    }
    // A hundredth of the step is a finding.
    let floor = analyse(&on_four(&[])).step.unwrap().time.value.as_millis();
    let (analysis, _) = said(&on_four(&[(Field::InterTokenLatency, floor * 1.01)]));
    let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual).unwrap();
    assert!((residual.time.as_millis() / floor - 0.01).abs() < 0.001, "{residual:?}");
}

#[test]
fn a_cache_that_cannot_fit_is_doubted_and_not_predicted() {
    // 64 × 131 072 tokens × 80 layers × 2 heads × 2 × 128 × 2 bytes = 687 GB on each of four GPUs.
    let scenario = on_four(&[(Field::Batch, 64.0), (Field::Context, 131_072.0)]);
    let (_, verdict) = said(&scenario);
    assert_eq!(verdict.headline, "These numbers cannot all be right");
    assert!(verdict.doubts[0].contains("64 streams of 131\u{202f}072 tokens takes 687 GB"), "{:?}", verdict.doubts);
    let Chart::Curve(curve) = figure(&scenario, "predicted-context").chart else { panic!("no curve") };
    assert!(curve.points.iter().all(|point| point.role == PointRole::Sample), "{:?}", curve.points);
    assert_eq!(curve.lines[0].points.last().unwrap().0, 9655.0);
    let (_, verdict) = said(&on_four(&[(Field::Batch, 64.0), (Field::Context, 9655.0)]));
    assert!(verdict.doubts.is_empty(), "{:?}", verdict.doubts);
}

#[test]
fn what_the_servers_own_cache_cannot_hold_is_doubted_unless_prompts_are_shared() {
    let info = "vllm:cache_config_info{num_gpu_blocks=\"100\",block_size=\"16\"} 1\n";
    let load = "vllm:num_requests_running{} 8\nvllm:prompt_tokens_total{} 20000\nvllm:generation_tokens_total{} 1010\n";
    let text = dump(LLAMA, (1000, 20.0), (10, 0.5), load) + info;
    let scenario = pasted(on_four(&[]), &text);
    // 8 × (2000 + 101 / 2) tokens where 100 blocks of 16 are.
    assert!(
        said(&scenario).1.doubts.iter().any(|doubt| doubt.contains("its KV cache holds 1600")),
        "{:?}",
        said(&scenario).1
    );
    let hits = "vllm:prefix_cache_queries_total{} 1000\nvllm:prefix_cache_hits_total{} 900\n";
    let shared = dump(LLAMA, (1000, 20.0), (10, 0.5), &(load.to_owned() + hits)) + info;
    assert!(said(&pasted(on_four(&[]), &shared)).1.doubts.is_empty());
    let larger = text.replace("\"100\"", "\"1100\"");
    assert!(said(&pasted(on_four(&[]), &larger)).1.doubts.is_empty());
}

#[test]
fn curves_say_why_they_stop() {
    let note = |scenario: &Scenario, key| figure(scenario, key).notes[0].clone();
    let deepseek = |streams, context| {
        system("deepseek-v3", "h200-sxm", &[(Field::Gpus, 8.0), (Field::Batch, streams), (Field::Context, context)])
    };
    let scenario = deepseek(32.0, 4096.0);
    assert!(note(&scenario, "predicted-batch").starts_with("The KV cache of up to 229 streams of 4096 tokens fits"));
    assert!(note(&scenario, "predicted-batch").ends_with("the curve ends there."));
    assert!(note(&scenario, "predicted-context").contains("up to 29\u{202f}407 tokens each"));
    let alone = deepseek(1.0, 4096.0);
    assert!(note(&alone, "predicted-context").starts_with("With 1 stream at once, a KV cache of up to 94"));
    assert!(note(&alone, "predicted-context").ends_with("the curve stops at 131\u{202f}072."));
}

#[test]
fn a_curves_table_holds_the_curve() {
    let chart = figure(&on_four(&[(Field::Batch, 3.0)]), "predicted-batch").chart;
    let rows = chart.table().rows;
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names[0], "predicted of today");
    for name in ["1 stream", "2 streams", "64 streams", "256 streams"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let one = &rows[1][1];
    assert!(one.contains(" tok/s (") && one.ends_with("tok/s together"), "{one}");
    assert!(!chart.summary().contains("64 streams"), "{}", chart.summary());
}

#[test]
fn a_layer_gives_no_more_than_it_takes_and_no_speed_passes_memory_unsaid() {
    // 80 layers in 20 ms: 250 µs each; memory alone takes 11.7 ms.
    let saved = |micros| {
        let scenario = on_four(&[(Field::InterTokenLatency, 20.0), (Field::LayerSaving, micros)]);
        what_if_figures(&analyse(&scenario)).remove(0)
    };
    assert_eq!((&*saved(50.0).label, &*saved(50.0).value), ("50 µs off each layer, 20 % of it", "62.5 tok/s"));
    assert!(!saved(50.0).note.contains("memory"), "{}", saved(50.0).note);
    assert!(saved(200.0).note.ends_with("; but memory allows only 85.5 tok/s"), "{}", saved(200.0).note);
    let all = saved(500.0);
    assert_eq!((&*all.label, &*all.value), ("500 µs off each layer", "—"));
    assert_eq!(all.note, "all that a layer takes, or more: each takes 250 µs");
    let scenario = on_four(&[(Field::InterTokenLatency, 20.0), (Field::LayerSaving, 500.0)]);
    assert!(analyse(&scenario).rungs.iter().all(|rung| rung.speed.likely.is_finite()));
}

#[test]
fn changes_are_shown_together() {
    let scenario = on_four(&[(Field::InterTokenLatency, 40.0), (Field::LayerSaving, 100.0), (Field::BytesFactor, 0.5)]);
    // 40 ms − 80 × 100 µs − half of 34.8 GB / 2979 GB/s, 5.85 ms = 26.15 ms.
    let together = what_if_figures(&analyse(&scenario)).pop().unwrap();
    assert_eq!((together.key, &*together.value), ("together", "38.2 tok/s"));
    let written: serde_json::Value = serde_json::from_str(&json(&scenario, &analyse(&scenario), &[])).unwrap();
    let step = written["what_if_together"]["step_seconds"]["likely"].as_f64().unwrap();
    assert!((step - 0.026_15).abs() < 2e-5, "{step}");
    let saved = written["what_if_together"]["layer_saving_seconds"].as_f64().unwrap();
    assert!((saved - 1e-4).abs() < 1e-9, "{saved}");
    let alone = on_four(&[(Field::InterTokenLatency, 40.0), (Field::LayerSaving, 100.0)]);
    assert!(what_if_figures(&analyse(&alone)).iter().all(|figure| figure.key == "saving"));
}

#[test]
fn what_a_step_takes_is_not_called_a_tokens() {
    let scenario = on_four(&[(Field::InterTokenLatency, 20.0), (Field::TokensPerStep, 3.0)]);
    let analysis = analyse(&scenario);
    assert!(report(&scenario, &analysis, &[]).to_text().contains("time per step"));
    let written: serde_json::Value = serde_json::from_str(&json(&scenario, &analysis, &[])).unwrap();
    assert_eq!(written["allreduces_per_step"], 160.0);
    assert_eq!(written["read_bytes_per_step_per_gpu"], written["read_bytes_per_token_per_gpu"]);
    let estimate = &written["estimates"][0];
    assert_eq!(estimate["allreduce_seconds_per_step"], estimate["allreduce_seconds_per_token"]);
    // The experiment times tokens: 3.828 ms of each, so three times that of a step of three.
    let mut example = Scenario::example();
    example.set(Field::TokensPerStep, Some(3.0));
    let written: serde_json::Value = serde_json::from_str(&json(&example, &analyse(&example), &[])).unwrap();
    let rows = written["estimates"].as_array().unwrap();
    let experiment = rows.iter().find(|row| row["name"] == "experiment").unwrap();
    assert!((experiment["allreduce_seconds_per_step"]["low"].as_f64().unwrap() - 3.0 * 3.828e-3).abs() < 1e-5);
}

#[test]
fn nothing_is_concluded_from_a_first_token_that_cannot_be() {
    let scenario = pasted(on_four(&[]), &dump(LLAMA, (1000, 20.0), (1000, 0.0729), ""));
    let (analysis, verdict) = said(&scenario);
    assert!(analysis.reply.is_none());
    let text = verdict.sentences.join(" ");
    assert!(text.contains("72.9 µs on average, cannot be right") && !text.contains("prefill"), "{text}");
    assert_eq!(tile(&scenario, "first-token").value, "72.9 µs");
    assert!(json(&scenario, &analysis, &[]).contains("\"ttft_seconds\": null"));
}

#[test]
fn a_queue_is_not_called_prefill() {
    let waits = "vllm:num_requests_running{} 162\nvllm:num_requests_waiting{} 2826\n";
    let scenario = pasted(on_four(&[]), &dump(LLAMA, (1000, 35.0), (10, 2140.0), waits));
    let (_, verdict) = said(&scenario);
    assert_eq!(verdict.headline, "The queue is the bottleneck: 2826 requests wait, 162 run");
    let text = verdict.sentences.join(" ");
    assert!(text.contains("2826 requests wait while 162 run") && !text.contains("so prefill"), "{text}");
    assert!(verdict.next.iter().any(|step| step.starts_with("Shorten the queue")));
    // The same times where nobody waits are prefill's.
    let scenario = pasted(on_four(&[]), &dump(LLAMA, (1000, 35.0), (10, 2140.0), ""));
    let text = said(&scenario).1.sentences.join(" ");
    assert!(text.contains("prefill is part of the bottleneck"), "{text}");
    // A server that times its queue says how much of it is.
    let timed = "vllm:request_queue_time_seconds_count{} 10\nvllm:request_queue_time_seconds_sum{} 1605\n";
    let scenario = pasted(on_four(&[]), &dump(LLAMA, (1000, 35.0), (10, 2140.0), timed));
    let text = said(&scenario).1.sentences.join(" ");
    assert!(text.contains("Of the time to first token, 214 s, 75 % is waiting in the queue"), "{text}");
    // A short first token holds a short queue: prefill cannot be more than that.
    let scenario = pasted(on_four(&[]), &dump(LLAMA, (1000, 35.0), (10, 0.5), waits));
    let text = said(&scenario).1.sentences.join(" ");
    assert!(text.contains("so prefill is not the bottleneck") && !text.contains("queue"), "{text}");
}

#[test]
fn a_first_token_without_a_sum_is_between_its_buckets() {
    let name = "vllm:time_to_first_token_seconds_bucket";
    let text = format!("{name}{{le=\"0.25\"}} 0\n{name}{{le=\"0.5\"}} 1\n{name}{{le=\"+Inf\"}} 1\n");
    let scenario = pasted(on_four(&[]), &text);
    let tile = tile(&scenario, "first-token");
    assert_eq!((&*tile.value, &*tile.note), ("250–500 ms", "1 observation, their sum not in the dump"));
    let summary = figure(&scenario, "ttft").chart.summary();
    assert!(summary.contains("1 observation lies in 250–500 ms"), "{summary}");
}

#[test]
fn with_nothing_measured_the_prediction_is_the_answer_and_memory_the_ceiling() {
    let scenario = on_four(&[]);
    let (analysis, verdict) = said(&scenario);
    let written: serde_json::Value = serde_json::from_str(&json(&scenario, &analysis, &[])).unwrap();
    let predicted = written["predicted"]["tokens_per_second"]["likely"].as_f64().unwrap();
    assert_eq!(tile(&scenario, "speed").value, format!("{predicted:.1} tok/s"));
    // 34.8 GB over 2979 GB/s: 85.5 a second.
    assert!(
        tile(&scenario, "speed").note.ends_with("memory alone allows 85.5 tok/s"),
        "{}",
        tile(&scenario, "speed").note
    );
    assert!(predicted < 85.5);
    assert!(
        tile(&scenario, "bandwidth").note.starts_with("of the floor, 12.5 ms; "),
        "{:?}",
        tile(&scenario, "bandwidth")
    );
    let saving = what_if_figures(&analysis).remove(0);
    assert!(saving.note.contains("from the floor's 80.2 tok/s"), "{}", saving.note);
    assert!(
        verdict.headline.starts_with(&format!("Predicted, not measured: {predicted:.1} tok/s (")),
        "{}",
        verdict.headline
    );
    assert!(!verdict.sentences.join(" ").contains("would become"), "{:?}", verdict.sentences);
}

#[test]
fn a_step_far_from_the_predicted_one_is_said_to_be() {
    let predicted = figure(&on_four(&[]), "predicted-step");
    assert!(predicted.notes[0].contains("most likely 16.6 ms"), "{:?}", predicted.notes);
    let (_, verdict) = said(&on_four(&[(Field::InterTokenLatency, 83.0)]));
    assert_eq!(verdict.headline, "Decode takes 5.0 times as long as predicted for this system");
    let check = verdict.next.iter().find(|step| step.starts_with("Check why decode is slow")).unwrap();
    assert!(check.contains("eager mode") && check.contains("than is assumed here"), "{check}");
    for near in [16.0, 30.0] {
        let (_, verdict) = said(&on_four(&[(Field::InterTokenLatency, near)]));
        assert!(!verdict.headline.contains("predicted"), "{}", verdict.headline);
    }
}

#[test]
fn nccl_tests_time_only_what_nccl_does() {
    let advice = |scenario: &Scenario| {
        said(scenario).1.next.into_iter().find(|step| step.starts_with("Time the allreduce")).unwrap()
    };
    let custom = advice(&on_four(&[(Field::InterTokenLatency, 20.0)]));
    assert!(custom.contains("vLLM's custom allreduce by default") && !custom.contains("-b "), "{custom}");
    // More than two over PCIe: NCCL.
    let pcie = system("llama-3.1-8b", "rtx-pro-6000", &[(Field::Gpus, 8.0), (Field::InterTokenLatency, 20.0)]);
    assert!(advice(&pcie).contains("all_reduce_perf -b 8192 -e 8192 -g 8"), "{}", advice(&pcie));
}

#[test]
fn a_dense_model_has_no_experts() {
    let scenario = on_four(&[(Field::InterTokenLatency, 20.0)]);
    let text = report(&scenario, &analyse(&scenario), &[]).to_text();
    let notes: Vec<String> =
        figures(&scenario, &analyse(&scenario)).into_iter().flat_map(|figure| figure.notes).collect();
    assert!(!text.contains("expert") && text.contains("MLP: weights"), "{text}");
    assert!(!notes.join(" ").contains("xperts"), "{notes:?}");
    let example = Scenario::example();
    let text = report(&example, &analyse(&example), &[]).to_text();
    assert!(text.contains("MLP or experts: weights") && text.contains("the experts that are hit"), "{text}");
}

#[test]
fn the_roofline_says_what_is_predicted_and_names_the_ridge_in_use() {
    let roofline = |scenario: &Scenario| {
        let figure = figure(scenario, "roofline");
        let Chart::Roofline(chart) = figure.chart else { panic!("no roofline") };
        (chart, figure.notes)
    };
    let (chart, _) = roofline(&on_four(&[]));
    assert_eq!(chart.y.label, "TFLOP/s, predicted");
    // H100: 0.8 × 989 TFLOP/s over 2979 GB/s in 16 bit.
    assert_eq!(chart.flats[0].ridge, "ridge at 266 FLOP/B");
    let mut scenario = on_four(&[(Field::InterTokenLatency, 20.0)]);
    let (architecture, quantisation) = (scenario.architecture().unwrap(), Quantisation::by_recipe("fp8-tensor"));
    scenario.model = Some(ModelChoice::Custom(Box::new(Configured { architecture, quantisation })));
    let (chart, notes) = roofline(&scenario);
    assert!(chart.y.label.contains("whole step as it is"), "{}", chart.y.label);
    assert_eq!(chart.flats[0].ridge, "ridge at 531 FLOP/B");
    assert!(notes[0].contains("its ridge (FP8 at 531 FLOP/B, BF16 at 266 FLOP/B)"), "{}", notes[0]);
    assert!(notes[1].contains("caches keep their FLOPs per byte"), "{}", notes[1]);
}
