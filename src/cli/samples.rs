//! `decodescope samples`: what was read, one by one.

use crate::arguments::{file_name, wants_json};
use crate::input::{decode, read_bytes};
use crate::{Failure, Outcome};
use clap::ArgMatches;
use decodescope::paste::prometheus;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{Debug, Display, Write as _};

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    labels: BTreeMap<&'a str, &'a str>,
    #[serde(serialize_with = "number")]
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp_seconds: Option<f64>,
    line: usize,
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
            value: sample.value(),
            timestamp_seconds: sample.timestamp().map(prometheus::Timestamp::seconds),
            line: sample.line(),
        })
        .collect();
    let usable = !rows.is_empty();
    let text = if wants_json(matches) {
        serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
    } else {
        rows.iter().fold(String::new(), |mut text, row| {
            let labels = if row.labels.is_empty() { String::new() } else { label_text(&row.labels) };
            let _ = writeln!(text, "{}{labels} {}", row.name, spelled(row.value));
            text
        })
    };
    Ok(Outcome { text, usable })
}

/// JSON has no number for these; Prometheus' own spelling stands in.
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_str(&spelled(*value)) }
}

/// Labels as Prometheus writes them, in braces.
pub fn label_text(labels: &BTreeMap<impl Display, impl Debug>) -> String {
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    format!("{{{}}}", pairs.join(","))
}

fn spelled(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        _ => format!("{value}"),
    }
}
