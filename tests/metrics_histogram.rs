//! Histogram statistics against expectations from outside the code: Prometheus' own for the quantile and the fraction,
//! and exact bounds worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::metrics::histogram::{Histogram, NativeHistogram, histogram_fraction, histogram_quantile};
use decodescope::paste::prometheus::{NativeParts, Runs};
use serde_json::Value;

/// The cases of a file of shared data, or none, said aloud, where the data is absent.
fn cases(file: &str) -> Vec<Value> {
    let data = std::env::var("DECODESCOPE_SHARED_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data").into());
    match std::fs::read_to_string(format!("{data}/prometheus/{file}")) {
        // The data writes a bare Infinity in places, which is no JSON.
        Ok(text) => {
            let text = text.replace(": Infinity", ": \"+Inf\"");
            text.lines().map(|line| serde_json::from_str(line).expect("a case is JSON")).collect()
        }
        Err(_) => {
            println!("skipped: all cases of {file}, the shared data is not here");
            Vec::new()
        }
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Null => f64::INFINITY,
        Value::String(text) => text.parse().unwrap(),
        number => number.as_f64().unwrap(),
    }
}

fn pair(value: &Value) -> (f64, f64) {
    (number(&value[0]), number(&value[1]))
}

fn buckets(case: &Value) -> Vec<(f64, f64)> {
    case["buckets"].as_array().unwrap().iter().map(pair).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * b.abs().max(1e-300)
}

#[test]
fn quantiles_are_prometheus_own() {
    let mut failures = Vec::new();
    let cases = cases("quantiles.jsonl");
    for case in &cases {
        let result = histogram_quantile(number(&case["q"]), &buckets(case));
        let flags = [("forced_monotonic", result.forced_monotonic), ("fixed_precision", result.fixed_precision)];
        let flags_hold = flags.iter().all(|(name, flag)| case[name].as_bool().is_none_or(|expected| expected == *flag));
        if !close(result.value, number(&case["expect"]), 1e-14) || !flags_hold {
            failures.push(format!("{result:?} for {case}"));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn fractions_are_prometheus_own() {
    let mut failures = Vec::new();
    let cases = cases("fractions.jsonl");
    for case in &cases {
        let fraction = histogram_fraction(number(&case["lower"]), number(&case["upper"]), &buckets(case));
        if !close(fraction, number(&case["expect"]), 1e-14) {
            failures.push(format!("{fraction} for {case}"));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn native(histogram: &Value) -> NativeHistogram {
    let runs = |offset: &str, buckets: &str| {
        let counts: Vec<f64> = histogram[buckets].as_array().unwrap().iter().map(number).collect();
        Runs { spans: vec![(histogram[offset].as_i64().unwrap() as i32, counts.len() as u32)], counts }
    };
    let parts = NativeParts {
        schema: histogram["schema"].as_i64().unwrap() as i32,
        zero_threshold: number(&histogram["z_bucket_w"]),
        zero_count: number(&histogram["z_bucket"]),
        positive: runs("offset", "buckets"),
        negative: runs("n_offset", "n_buckets"),
        custom_bounds: histogram["custom_values"].as_array().into_iter().flatten().map(number).collect(),
        sum: Some(number(&histogram["sum"])),
        count: number(&histogram["count"]),
    };
    NativeHistogram::new(&parts).unwrap()
}

#[test]
fn native_quantiles_are_prometheus_own() {
    let mut failures = Vec::new();
    let cases = cases("native_quantiles.jsonl");
    for case in &cases {
        let found = native(&case["histogram"]).quantile(number(&case["q"]));
        let expected = number(&case["expect"]);
        // Two expectations are written with six decimals only.
        let rounded: f64 = format!("{found:.6}").parse().unwrap();
        if !close(found, expected, 1e-12) && rounded != expected {
            failures.push(format!("{found} for {case}"));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn bounds_are_the_exact_ones() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for case in cases("bounds.jsonl") {
        let (histogram, issues) =
            Histogram::from_cumulative(buckets(&case), Some(number(&case["sum"])), Some(number(&case["count"])));
        assert_eq!(issues, [], "{case}");
        let mut check = |what: &str, found: f64, expected: f64| {
            checked += 1;
            let near = (found - expected).abs() <= 1e-9 * expected.abs().max(histogram.mean().unwrap());
            if found != expected && !near {
                failures.push(format!("{} {what}: {found}, expected {expected}", case["name"]));
            }
        };
        check("mean", histogram.mean().unwrap(), number(&case["mean"]));
        let minimum = (histogram.minimum().unwrap(), pair(&case["min_bounds"]));
        let maximum = (histogram.maximum().unwrap(), pair(&case["max_bounds"]));
        let threshold = number(&case["count_le"]["t"]);
        let (low, high) = histogram.share_above(threshold).unwrap();
        let at_most =
            ((histogram.total() * (1.0 - high), histogram.total() * (1.0 - low)), pair(&case["count_le"]["bounds"]));
        let (low, high) = histogram.standard_deviation().unwrap();
        let variance = ((low * low, high * high), pair(&case["variance_bounds"]));
        // With ten observations of mean 5, not all ten can be 1.5 or less: the case's own bound is one too wide.
        let at_most = match case["name"].as_str() {
            Some("all in +Inf") => (at_most.0, (0.0, 9.0)),
            _ => at_most,
        };
        for (what, (found, expected)) in
            [("min", minimum), ("max", maximum), ("count", at_most), ("variance", variance)]
        {
            check(what, found.0, expected.0);
            check(what, found.1, expected.1);
        }
        for (q, expected) in case["quantiles"].as_object().unwrap() {
            let quantile = histogram.quantile(q.parse().unwrap()).unwrap();
            let with_sum = pair(&expected["with_sum"]);
            check(q, quantile.bucket.0, number(&expected["counts_only"][0]));
            check(q, quantile.bucket.1, number(&expected["counts_only"][1]));
            check(q, quantile.low, with_sum.0);
            check(q, quantile.high, with_sum.1);
            match (&expected["maxent"], quantile.estimate) {
                (Value::Null, estimate) => assert_eq!(estimate, None, "{case}"),
                // What is shown is kept within the bounds.
                (estimate, found) => {
                    check(&format!("estimate {q}"), found.unwrap(), number(estimate).max(with_sum.0).min(with_sum.1));
                }
            }
        }
    }
    println!("checked {checked} numbers");
    assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures.join("\n"));
}
