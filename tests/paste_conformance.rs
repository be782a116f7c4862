//! Other parsers' own test cases: the verdict each expects, and the samples.
#![allow(clippy::unwrap_used)]

mod paste_support;

use decodescope::paste::prometheus::{Composite, Format, Rule, Verdict, check_bytes, read};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SUITES: &[&str] = &[
    "client_python_text",
    "expfmt",
    "expfmt_openmetrics",
    "netdata",
    "openmetrics_testdata",
    "probes",
    "spec_openmetrics1",
    "spec_text004",
    "telegraf",
    "textparse_prom",
];

/// Cases whose expectation we do not share, and why: the specification's word, then Prometheus' own.
const DIFFERENCES: &[(&str, &str)] = &[
    ("client_python_text/test_commas_0", "a comma without a label, which the grammar and all other parsers refuse"),
    ("client_python_text/test_escaping_0", "`\\z`: a backslash must be escaped in 0.0.4; expfmt refuses it too"),
    ("client_python_text/test_label_escaping_1", "`\\f`: a backslash must be escaped in 0.0.4; expfmt refuses it too"),
    ("expfmt/parse_10", "the grammar has the quoted metric name first"),
    ("expfmt/parse_15", "gaugehistogram is no type of 0.0.4; Prometheus refuses it"),
    ("expfmt/parse_16", "gauge_histogram is no type of either format; Prometheus refuses it"),
    ("expfmt/parse_17", "gauge_histogram is no type of either format; Prometheus refuses it"),
    ("expfmt_openmetrics/create_2", "two points of one metric, one of them without timestamp"),
    ("expfmt_openmetrics/create_6", "a negative quantile value, which the specification forbids"),
    ("netdata/testdata_testdata.txt", "the last line must end in a line feed"),
    ("textparse_prom/TestUTF8PromParse", "the last line must end in a line feed"),
    ("textparse_prom/TestPromNullByteHandling_0", "the last line must end in a line feed"),
    (
        "textparse_prom/TestPromParse",
        "a comma is missing between labels; Prometheus' own test calls accepting it unintended",
    ),
    ("probe/interleaved", "no parser refuses it; a finding of the linter here"),
    ("probe/h_inf_ne_count", "no parser refuses it; a finding of the linter here"),
    ("probe/h_unsorted", "no parser refuses it; a finding of the linter here"),
];

fn cases(suite: &str) -> Option<Vec<Value>> {
    let path = paste_support::shared("prometheus")?.join(format!("{suite}.jsonl"));
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn input(case: &Value) -> Vec<u8> {
    match case["input_b64"].as_str() {
        Some(encoded) => base64(encoded),
        None => case["input"].as_str().unwrap().as_bytes().to_vec(),
    }
}

fn base64(text: &str) -> Vec<u8> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for digit in text.bytes().filter_map(|byte| digits.iter().position(|digit| *digit == byte)) {
        bits = bits << 6 | digit as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

fn format(case: &Value) -> Format {
    if case["format"] == "openmetrics" { Format::OpenMetrics } else { Format::Text }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// The JSON reader of these tests is a unit in the last place off at times; the tests of numbers are exact.
fn near(a: f64, b: f64) -> bool {
    same(a, b) || (a - b).abs() <= b.abs() * 2.0 * f64::EPSILON
}

/// Has a timestamp of 10¹⁹ seconds, which overflows Prometheus' milliseconds and here is taken for milliseconds.
const BEYOND_TIME: &str = "openmetrics_testdata/timestamps";

#[test]
fn verdicts() {
    let mut skipped = 0;
    let mut wrong = Vec::new();
    let mut used = Vec::new();
    for suite in SUITES {
        let Some(cases) = cases(suite) else {
            skipped += 1;
            continue;
        };
        for case in cases {
            let id = case["id"].as_str().unwrap();
            let expected = match case["expect"].as_str().unwrap() {
                "ok" => true,
                "error" => false,
                _ => continue,
            };
            let verdict = check_bytes(&input(&case), format(&case));
            let differs = DIFFERENCES.iter().find(|(differing, _)| *differing == id);
            match (verdict.is_accepted() == expected, differs) {
                (true, None) => {}
                (false, Some(_)) => used.push(id.to_owned()),
                (true, Some(_)) => wrong.push(format!("{id}: listed as different, but is not")),
                (false, None) => wrong.push(format!("{id}: expected {expected}, {verdict:?}: {:?}", case["input"])),
            }
        }
    }
    println!("skipped {skipped} of {} suites", SUITES.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn samples_of_valid_texts() {
    let mut skipped = 0;
    let mut wrong = Vec::new();
    for suite in SUITES.iter().chain(&["openmetrics2"]) {
        let Some(cases) = cases(suite) else {
            skipped += 1;
            continue;
        };
        for case in cases.iter().filter(|case| case["expect"] == "ok" && case["om_version"].is_null()) {
            let id = case["id"].as_str().unwrap();
            let bytes = input(case);
            let text = String::from_utf8(bytes).unwrap();
            let exposition = read(&text);
            let expected = case["samples"].as_array().unwrap();
            let got: Vec<_> = exposition.samples().collect();
            if got.len() != expected.len() {
                wrong.push(format!("{id}: {} samples for {}: {:?}", got.len(), expected.len(), exposition.warnings()));
                continue;
            }
            for (sample, expected) in got.iter().zip(expected) {
                let labels: BTreeMap<&str, &str> = sample.labels().collect();
                let wanted: BTreeMap<&str, &str> = expected["labels"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(k, v)| (k.as_str(), v.as_str().unwrap()))
                    .collect();
                let millis = format(case) == Format::Text;
                let time = sample.timestamp().map(|time| if millis { time.millis() } else { time.seconds() });
                let wanted_time = expected.get("timestamp").map(number);
                let right = sample.name() == expected["name"].as_str().unwrap()
                    && labels == wanted
                    && near(sample.value(), number(&expected["value"]))
                    && time.is_some() == wanted_time.is_some()
                    // Go's parsers cut OpenMetrics' seconds to milliseconds.
                    && time.zip(wanted_time).is_none_or(|(a, b)| (a - b).abs() < 1e-3);
                if !right && id != BEYOND_TIME {
                    wrong.push(format!("{id}: {sample:?} @ {time:?} for {expected}"));
                }
            }
        }
    }
    println!("skipped {skipped} suites");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A composite value as the suite writes it, from ours.
fn composite(value: &Composite, gauge: bool) -> Value {
    let number = |value: f64| if value.is_finite() { json!(value) } else { json!("+Inf") };
    let pairs = |pairs: &[(f64, f64)]| pairs.iter().map(|(a, b)| json!([number(*a), number(*b)])).collect::<Vec<_>>();
    let prefix = if gauge { "g" } else { "" };
    let mut all = json!({ format!("{prefix}count"): value.count, format!("{prefix}sum"): value.sum });
    if let Some(native) = &value.native {
        all["schema"] = json!(native.schema);
        all["zero_threshold"] = json!(native.zero_threshold);
        all["zero_count"] = json!(native.zero_count);
        for (side, runs) in [("negative", &native.negative), ("positive", &native.positive)] {
            if !runs.spans.is_empty() {
                all[format!("{side}_spans")] = json!(runs.spans);
                all[format!("{side}_buckets")] = json!(runs.counts);
            }
        }
    }
    if !value.buckets.is_empty() {
        all["bucket"] = json!(pairs(&value.buckets));
    }
    all["quantile"] = json!(pairs(&value.quantiles));
    all
}

/// Whether two are equal, whatever the kind of number, and an empty list or none.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let empty = json!([]);
            let keys = a.keys().chain(b.keys());
            keys.into_iter().all(|key| alike(a.get(key).unwrap_or(&empty), b.get(key).unwrap_or(&empty)))
        }
        _ => a == b || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| near(a, b)),
    }
}

#[test]
fn what_openmetrics_2_adds() {
    let Some(cases) = cases("openmetrics2") else {
        println!("skipped the suite of OpenMetrics 2.0: the reference data is not here");
        return;
    };
    let mut read_values = 0;
    for case in cases.iter().filter(|case| case["expect"] == "ok" && !case["samples"].is_null()) {
        let id = case["id"].as_str().unwrap();
        let exposition = read(case["input"].as_str().unwrap());
        let expected = case["samples"].as_array().unwrap();
        assert_eq!(exposition.samples().len(), expected.len(), "{id}: {:?}", exposition.warnings());
        for (sample, expected) in exposition.samples().zip(expected) {
            let began = expected.get("start_timestamp").map(number);
            assert_eq!(sample.start().map(|time| time.seconds()), began, "{id}");
            let exemplars = expected["exemplars"].as_array().map_or(&[][..], Vec::as_slice);
            assert_eq!(sample.exemplars().count(), exemplars.len(), "{id}");
            for (one, expected) in sample.exemplars().zip(exemplars) {
                assert!(near(one.value, number(&expected["value"])), "{id}");
                assert!(near(one.timestamp.unwrap().seconds(), number(&expected["timestamp"])), "{id}");
            }
            match expected.get("composite") {
                Some(wanted) => {
                    let value = composite(sample.composite().unwrap(), wanted.get("gcount").is_some());
                    assert!(alike(&value, wanted), "{id}: {value} for {wanted}");
                    read_values += 1;
                }
                None => assert!(near(sample.value(), number(&expected["value"])), "{id}"),
            }
        }
    }
    assert!(read_values > 10, "{read_values}");
}

#[test]
fn numbers_as_most_parsers_read_them() {
    let Some(cases) = cases("numbers") else {
        println!("skipped the numbers: the reference data is not here");
        return;
    };
    let mut wrong = Vec::new();
    for case in cases {
        // Two tokens are given only in part, by their length.
        let Some(token) = case["token"].as_str().filter(|token| !token.contains(" chars)")) else { continue };
        let text = format!("a {token}\n");
        let expected = case["textparse"].as_str().unwrap_or("error");
        let verdict = check_bytes(text.as_bytes(), Format::Text);
        let wanted: Option<f64> = expected.split(' ').next().and_then(|value| value.parse().ok());
        if verdict.is_accepted() != wanted.is_some() {
            wrong.push(format!("{token:?}: {expected}"));
        }
        if let Some(wanted) = wanted {
            let value = read(&text).samples().next().map(|sample| sample.value());
            assert!(value.is_some_and(|value| same(value, wanted)), "{token}: {value:?} for {wanted}");
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn each_parser_refuses_what_the_rule_says() {
    let mut tally: BTreeMap<(Rule, &str), (usize, usize)> = BTreeMap::new();
    for suite in SUITES {
        for case in cases(suite).unwrap_or_default() {
            let Ok(text) = String::from_utf8(input(&case)) else { continue };
            let format = format(&case);
            let mut rules: Vec<Rule> =
                decodescope::paste::prometheus::lint(&text, format).iter().map(|finding| finding.rule).collect();
            rules.dedup();
            let [rule] = rules[..] else { continue };
            for (parser, key) in [
                ("expfmt", "prometheus_expfmt"),
                ("Prometheus", if format == Format::Text { "prometheus_textparse" } else { "prometheus_textparse_om" }),
                ("VictoriaMetrics", "victoriametrics"),
                ("client_python", "client_python"),
            ] {
                let Some(verdict) = case["verdicts"][key].as_str() else { continue };
                let refused = rule.refused_by(format).any(|refusing| refusing.name() == parser);
                let entry = tally.entry((rule, parser)).or_default();
                entry.0 += 1;
                if (verdict != "ok") != refused {
                    entry.1 += 1;
                    println!("{:?} {parser} {verdict}: {}", rule, case["id"]);
                }
            }
        }
    }
    let wrong: Vec<_> = tally.iter().filter(|(_, (all, wrong))| wrong * 2 > *all).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_rejection_says_where() {
    let Verdict::Rejected(finding) = check_bytes("é".as_bytes(), Format::Text) else { panic!("accepted") };
    assert_eq!((finding.line, finding.column, finding.rule), (1, 1, Rule::NotASample));
    let Verdict::Rejected(finding) = check_bytes(b"a 1\nb{x=\"\xff\"} 1\n", Format::Text) else { panic!("accepted") };
    assert_eq!((finding.line, finding.column, finding.rule), (2, 6, Rule::NotUtf8));
}
