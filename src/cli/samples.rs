//! `decodescope samples`: what was read, one by one.

use crate::input::read_bytes;
use crate::{Failure, Outcome};
use clap::ArgMatches;
use decodescope::paste::{self, prometheus};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write as _;

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
    let name = matches.get_one::<String>("file").map_or("-", String::as_str);
    let bytes = read_bytes(name)?;
    let decoded = paste::decode(&bytes).map_err(|error| Failure::unusable(format!("{name}: {error}")))?;
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
    let text = if matches.get_one::<String>("format").is_some_and(|format| format == "json") {
        serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
    } else {
        rows.iter().fold(String::new(), |mut text, row| {
            let labels: Vec<String> = row.labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
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

fn spelled(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        _ => format!("{value}"),
    }
}
