//! `decodescope samples`: what was read, one by one.

use crate::arguments::{file_name, wants_json};
use crate::input::{decode, read_bytes};
use crate::{Failure, Outcome};
use clap::ArgMatches;
use decodescope::paste::prometheus::{self, Composite, Exemplar, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display, Write as _};

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    labels: BTreeMap<&'a str, &'a str>,
    #[serde(flatten)]
    value: Value<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_timestamp_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exemplars: Vec<ExemplarRow<'a>>,
    line: usize,
}

#[derive(Serialize)]
struct ExemplarRow<'a> {
    labels: BTreeMap<&'a str, &'a str>,
    value: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp_seconds: Option<f64>,
}

/// A number, or a whole histogram or summary with the keys that OpenMetrics 2.0 gives its parts.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Value<'a> {
    #[serde(rename = "value")]
    Number(Number),
    #[serde(serialize_with = "composite")]
    Composite(&'a Composite),
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let name = file_name(matches);
    let bytes = read_bytes(name)?;
    let decoded = decode(name, &bytes)?;
    let exposition = prometheus::read(&decoded.text);
    for warning in decoded.warnings.iter().chain(exposition.warnings()) {
        eprintln!("decodescope: {name}: {warning}");
    }
    let rows: Vec<Row<'_>> = exposition
        .samples()
        .map(|sample| Row {
            name: sample.name(),
            labels: sample.labels().collect(),
            value: sample.composite().map_or(Value::Number(Number(sample.value())), Value::Composite),
            timestamp_seconds: sample.timestamp().map(Timestamp::seconds),
            start_timestamp_seconds: sample.start().map(Timestamp::seconds),
            exemplars: sample.exemplars().map(ExemplarRow::of).collect(),
            line: sample.line(),
        })
        .collect();
    let usable = !rows.is_empty();
    let text = if wants_json(matches) {
        serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
    } else {
        rows.iter().fold(String::new(), |mut text, row| {
            let labels = if row.labels.is_empty() { String::new() } else { label_text(&row.labels) };
            let _ = match &row.value {
                Value::Number(value) => writeln!(text, "{}{labels} {value}", row.name),
                Value::Composite(value) => writeln!(text, "{}{labels} {value}", row.name),
            };
            text
        })
    };
    Ok(Outcome { text, usable })
}

impl<'a> ExemplarRow<'a> {
    fn of(exemplar: Exemplar<'a>) -> Self {
        Self {
            labels: exemplar.labels().collect(),
            value: Number(exemplar.value),
            timestamp_seconds: exemplar.timestamp.map(Timestamp::seconds),
        }
    }
}

/// A value, spelled as Prometheus does where JSON has no number for it.
#[derive(Clone, Copy)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() { serializer.serialize_f64(self.0) } else { serializer.collect_str(self) }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            f64::INFINITY => f.write_str("+Inf"),
            f64::NEG_INFINITY => f.write_str("-Inf"),
            value => write!(f, "{value}"),
        }
    }
}

fn composite<S: Serializer>(composite: &&Composite, serializer: S) -> Result<S::Ok, S::Error> {
    let pairs = |pairs: &[(f64, f64)]| pairs.iter().map(|(a, b)| json!([Number(*a), Number(*b)])).collect::<Vec<_>>();
    let Composite { count, sum, buckets, quantiles, native } = composite;
    let mut fields = Map::new();
    let mut put = |key: &str, value: Json| fields.insert(key.to_owned(), value);
    if let Some(count) = count {
        put("count", json!(Number(*count)));
    }
    if let Some(sum) = sum {
        put("sum", json!(Number(*sum)));
    }
    if let Some(native) = native {
        put("schema", json!(native.schema));
        put("zero_threshold", json!(native.zero_threshold));
        put("zero_count", json!(native.zero_count));
        for (side, runs) in [("negative", &native.negative), ("positive", &native.positive)] {
            if !runs.spans.is_empty() || !runs.counts.is_empty() {
                put(&format!("{side}_spans"), json!(runs.spans));
                put(&format!("{side}_buckets"), json!(runs.counts));
            }
        }
        if !native.custom_bounds.is_empty() {
            put("custom_values", json!(native.custom_bounds));
        }
    }
    if !buckets.is_empty() {
        put("bucket", json!(pairs(buckets)));
    }
    if !quantiles.is_empty() {
        put("quantile", json!(pairs(quantiles)));
    }
    fields.serialize(serializer)
}

/// Labels as Prometheus writes them, in braces.
pub fn label_text(labels: &BTreeMap<impl Display, impl Debug>) -> String {
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    format!("{{{}}}", pairs.join(","))
}
