//! Increases and resets against Prometheus' own expectations, and a window's histogram against the observations in it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::metrics::histogram::Histogram;
use decodescope::metrics::window::{histogram_between, increase};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// How Prometheus stretches an increase between samples to the query's range: towards each border by the distance to it,
/// or half a sample interval where that is farther than 1.1 intervals; at the start no further than where the counter,
/// going back in a straight line, was zero.
fn stretched(case: &Value, samples: &[(f64, f64)], amount: f64) -> f64 {
    let (first, last) = (samples[0], *samples.last().unwrap());
    let covered = last.0 - first.0;
    let interval = covered / (samples.len() - 1) as f64;
    let towards = |distance: f64| if distance >= 1.1 * interval { interval / 2.0 } else { distance };
    let end = number(&case["at_s"]);
    let mut before = towards(first.0 - (end - number(&case["window_s"])));
    if amount > 0.0 {
        before = before.min(covered * first.1 / amount);
    }
    amount * (covered + before + towards(end - last.0)) / covered
}

#[test]
fn increases_and_resets_are_prometheus_own() {
    let data = std::env::var("DECODESCOPE_SHARED_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data").into());
    let Ok(text) = std::fs::read_to_string(format!("{data}/prometheus/rates.jsonl")) else {
        println!("skipped: all cases of rates.jsonl, the shared data is not here");
        return;
    };
    let (mut checked, mut others) = (0, 0);
    for case in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let samples: Vec<(f64, f64)> =
            case["samples"].as_array().unwrap().iter().map(|sample| (number(&sample[0]), number(&sample[1]))).collect();
        let values: Vec<f64> = samples.iter().map(|sample| sample.1).collect();
        let grown = increase(&values);
        let found = match case["fn"].as_str().unwrap() {
            "resets" => grown.map_or(0.0, |grown| grown.resets as f64),
            "increase" => stretched(&case, &samples, grown.unwrap().amount),
            "rate" => stretched(&case, &samples, grown.unwrap().amount) / number(&case["window_s"]),
            "irate" => {
                let [.., (from, before), (to, after)] = samples[..] else { panic!("{case}") };
                increase(&[before, after]).unwrap().amount / (to - from)
            }
            _ => {
                others += 1;
                continue;
            }
        };
        let expected = number(&case["expect"]);
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found}: {case}");
        checked += 1;
    }
    println!("checked {checked}, left out {others} of functions for gauges (changes, delta, idelta)");
}

fn observe(observations: &[f64]) -> Histogram {
    let up_to = |le: f64| (le, observations.iter().filter(|&&value| value <= le).count() as f64);
    let cumulative = [0.1, 0.5, 1.0, 5.0, f64::INFINITY].map(up_to).to_vec();
    Histogram::from_cumulative(cumulative, Some(observations.iter().sum()), Some(observations.len() as f64)).0
}

proptest! {
    #[test]
    fn a_window_holds_what_was_observed_in_it(warm_up in vec(0.0..20.0, 0..50), later in vec(0.0..9.0, 0..50)) {
        let all: Vec<f64> = warm_up.iter().chain(&later).copied().collect();
        let window = histogram_between(&observe(&warm_up), &observe(&all), false);
        let truth = observe(&later);
        prop_assert_eq!(window.reset, None);
        prop_assert_eq!(&window.histogram.buckets, &truth.buckets);
        prop_assert_eq!(window.histogram.count, truth.count);
        let rounding = window.sum_error + later.len() as f64 * f64::EPSILON * truth.sum.unwrap();
        prop_assert!((window.histogram.sum.unwrap() - truth.sum.unwrap()).abs() <= rounding);
    }

    #[test]
    fn after_a_known_restart_all_is_new(warm_up in vec(0.0..20.0, 0..50), later in vec(0.0..9.0, 0..50)) {
        prop_assert_eq!(histogram_between(&observe(&warm_up), &observe(&later), true).histogram, observe(&later));
    }
}
