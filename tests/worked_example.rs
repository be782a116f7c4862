//! The worked example: GLM-5 in 4-bit GGUF on eight RTX PRO 6000 over PCIe. Every figure of the story, each with
//! the calculation that gives it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::budget::{Analysis, EstimateKind, Part, RungKind, analyse};
use decodescope::metrics::Meaning;
use decodescope::report::{figures, key_figures, report, verdict};
use decodescope::scenario::{Field, Scenario, Source};
use decodescope::units::format::show;

fn example() -> (Scenario, Analysis) {
    let scenario = Scenario::example();
    let analysis = analyse(&scenario);
    (scenario, analysis)
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ± {tolerance}");
}

#[test]
fn the_dump_gives_latencies_and_counts() {
    let set = Scenario::example().metrics().unwrap();
    assert_eq!(set.product, "vLLM");
    let itl = set.histogram(Meaning::InterTokenLatency).unwrap();
    assert_eq!(itl.total(), 1623.0);
    let only = itl.single_bucket().unwrap();
    assert_eq!((only.lower, only.upper), (0.01, 0.025));
    // 28.225 s / 1623 = 17.391 ms
    close(itl.mean().unwrap(), 0.017_391, 1e-6);
    let ttft = set.histogram(Meaning::TimeToFirstToken).unwrap();
    // 0.625 s / 12 = 52.1 ms
    assert_eq!(ttft.total(), 12.0);
    close(ttft.mean().unwrap(), 0.052_083, 1e-6);
    assert_eq!(set.requests(), Some(12.0));
    // 12 first tokens and 1623 further ones: one token a step.
    assert_eq!(set.tokens_per_step(), Some(1.0));
}

#[test]
fn the_step_and_the_layer() {
    let (_, analysis) = example();
    let step = analysis.step.unwrap();
    assert_eq!(step.time.source, Source::Measured);
    assert_eq!(show(step.speed).to_string(), "57.5 tok/s");
    // 17.391 ms / 78 = 222.96 µs
    close(analysis.layer_time().unwrap().as_micros(), 223.0, 0.5);
    let saving = analysis.saving.unwrap();
    // 10 / 222.96 = 4.49 %; 57.502 × 4.485 % = 2.579; 1 / (17.391 − 0.78) ms = 60.20
    close(saving.share.get(), 0.0449, 1e-4);
    close(saving.first_order_gain.get(), 2.58, 0.01);
    close(saving.gain.get(), 2.70, 0.01);
}

#[test]
fn the_first_token_is_a_small_part_of_a_reply() {
    let (_, analysis) = example();
    let reply = analysis.reply.unwrap();
    // 52.08 / (127 × 17.391) = 2.36 %; 52.08 / (52.08 + 2208.6) = 2.30 %
    close(reply.over_decode.get(), 0.0236, 1e-4);
    close(reply.share_of_reply.get(), 0.0230, 1e-4);
}

#[test]
fn allreduces_and_the_experiment() {
    let (_, analysis) = example();
    let traffic = analysis.traffic.unwrap();
    assert_eq!(traffic.per_step, 156.0);
    assert_eq!(traffic.message.get(), 12_288.0);
    let reading = analysis.experiment.unwrap().unwrap();
    // (2.71 − 2.22) s / 128 = 3.828 ms; / 156 = 24.54 µs; 2.71 / 2.22 = 1.2207; 0.49 / 2.71 = 18.08 %
    close(reading.saved_per_token.as_millis(), 3.828, 0.001);
    close(reading.saved_per_allreduce.unwrap().as_micros(), 24.54, 0.01);
    close(reading.speedup, 1.2207, 1e-4);
    close(reading.slower_share_at_least.get(), 0.1808, 1e-4);
}

#[test]
fn bandwidth_is_hardly_used() {
    let (scenario, analysis) = example();
    let memory = analysis.memory.unwrap();
    assert_eq!(scenario.bandwidth().unwrap().value.as_giga(), 1458.0);
    // From the architecture: about 3.7 GB × 57.5 / s of 1458 GB/s.
    assert!((0.13..0.15).contains(&memory.utilisation.get()), "{}", memory.utilisation.get());
    // 4.266 bits: 402 GB × 8 over the 753.9 billion parameters in the file.
    close(scenario.value(Field::WeightBits).unwrap().value, 4.266, 0.001);
}

#[test]
fn estimates_stand_side_by_side_and_pull_apart() {
    let (_, analysis) = example();
    let of = |kind| *analysis.estimates.iter().find(|estimate| estimate.kind == kind).unwrap();
    // 156 × (24.6 µs + 12 288 B / 6.0 GB/s) = 4.16 ms = 24 %
    let alpha_beta = of(EstimateKind::AlphaBeta);
    close(alpha_beta.time.likely.as_millis(), 4.16, 0.05);
    close(alpha_beta.share.likely.get(), 0.24, 0.005);
    close(alpha_beta.ceiling.likely.get(), 76.0, 1.0);
    // 17.391 × (1 − 0.55) = 7.83 ms → 127.8; × (1 − 0.65) = 6.09 ms → 164.3
    let share = of(EstimateKind::StatedShare);
    close(share.ceiling.low.get(), 127.8, 0.1);
    close(share.ceiling.high.get(), 164.3, 0.1);
    // 10 ms → 100; 6 ms → 166.7
    let compute = of(EstimateKind::StatedCompute);
    close(compute.ceiling.low.get(), 100.0, 0.01);
    close(compute.ceiling.high.get(), 166.7, 0.1);
    // The experiment bounds its slower run, and only from below.
    let experiment = of(EstimateKind::Experiment);
    close(experiment.time.low.as_millis(), 3.828, 0.001);
    assert!(experiment.time.high.get().is_infinite() && experiment.time.likely.get().is_nan());
    // All together: the best-evidenced value, and a range over all of today's step.
    let combined = of(EstimateKind::Combined);
    assert_eq!(combined.time.likely, alpha_beta.time.likely);
    assert_eq!((combined.time.low, combined.time.high), (alpha_beta.time.low, compute.time.high));
    assert_eq!(analysis.chosen.unwrap().kind, EstimateKind::Combined);
}

#[test]
fn the_budget_adds_up_to_the_measured_step() {
    let (_, analysis) = example();
    let sum: f64 = analysis.slices.iter().map(|slice| slice.time.get()).sum();
    close(sum, analysis.step.unwrap().time.value.get(), 1e-15);
    let residual = analysis.slices.iter().find(|slice| slice.part == Part::Residual).unwrap();
    assert!(residual.time.get() > 0.0);
}

#[test]
fn every_rung_is_named_and_climbs_from_today() {
    let (_, analysis) = example();
    assert_eq!(analysis.rungs[0].kind, RungKind::Today);
    let today = analysis.rungs[0].speed.likely;
    for rung in &analysis.rungs {
        assert!(!rung.kind.idealises().is_empty() && rung.speed.likely >= today, "{:?}", rung.kind);
    }
}

#[test]
fn the_words_carry_the_figures() {
    let (scenario, analysis) = example();
    let said = verdict(&scenario, &analysis);
    let text = said.sentences.join(" ");
    for figure in [
        "17.4 ms",
        "57.5 tok/s",
        "all 1623 observations",
        "between 10 and 25 ms",
        "2.4 %",
        "1458 GB/s",
        "156",
        "12 KiB",
    ] {
        assert!(text.contains(figure), "{figure} is not in: {text}");
    }
    assert!(!said.next.is_empty());
    let values: Vec<String> = key_figures(&scenario, &analysis).into_iter().map(|figure| figure.value).collect();
    assert!(values.contains(&"57.5 tok/s".to_owned()) && values.contains(&"223 µs".to_owned()), "{values:?}");
    let keys: Vec<&str> = figures(&scenario, &analysis).iter().map(|figure| figure.key).collect();
    assert_eq!(
        keys,
        [
            "budget",
            "allreduce",
            "curve",
            "ceilings",
            "itl",
            "ttft",
            "bytes",
            "predicted-step",
            "roofline",
            "predicted-batch",
            "predicted-context",
            "memory"
        ]
    );
    let page = report(&scenario, &analysis, &[]).to_markdown();
    for figure in ["3.83 ms a token", "24.5 µs an allreduce", "223 µs", "+2.70 tok/s", "+2.58 tok/s"] {
        assert!(page.contains(figure), "{figure}");
    }
}

#[test]
fn a_cheaper_allreduce_moves_the_step_by_what_it_saves() {
    let (mut scenario, before) = example();
    scenario.set(Field::AllreduceSpeedup, Some(2.0));
    let after = analyse(&scenario).what_if.unwrap();
    let saved = before.step.unwrap().time.value - after.step.likely;
    // Half of 4.15 ms.
    close(saved.get(), before.chosen.unwrap().time.likely.get() / 2.0, 1e-12);
}
