//! `decodescope quantile`: quantiles of every histogram of a dump, with what is known of each.

use crate::arguments::{file_name, wants_json};
use crate::input::{decode, read_bytes};
use crate::samples::label_text;
use crate::{Failure, Outcome};
use clap::ArgMatches;
use decodescope::metrics::{NamedHistogram, NamedHistograms, named_histograms};
use decodescope::paste::prometheus::{self, Exposition};
use decodescope::report::Document;
use decodescope::units::format::{count, significant, trimmed};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Row<'a> {
    metric: &'a str,
    labels: &'a BTreeMap<String, String>,
    count: f64,
    mean: Option<f64>,
    quantiles: Vec<Quantile>,
    /// What had to be mended, and why a number is not there.
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct Quantile {
    q: f64,
    prometheus: Option<f64>,
    low: f64,
    high: f64,
    estimate: Option<f64>,
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let name = file_name(matches);
    let wanted: Vec<f64> = matches.get_many("quantiles").into_iter().flatten().copied().collect();
    let filter = matches.get_one::<String>("metric");
    let bytes = read_bytes(name)?;
    let decoded = decode(name, &bytes)?;
    let exposition = prometheus::read(&decoded.text);
    let NamedHistograms { mut histograms, warnings } = named_histograms(&exposition);
    for warning in decoded.warnings.iter().chain(&warnings) {
        eprintln!("decodescope: {name}: {warning}");
    }
    let all = histograms.len();
    histograms.retain(|one| filter.is_none_or(|filter| one.metric.contains(filter.as_str())));
    if histograms.is_empty() {
        eprintln!("decodescope: {name}: {}", why_none(&exposition, all, filter));
    }
    let rows: Vec<Row<'_>> = histograms.iter().map(|one| row(one, &wanted)).collect();
    for (one, row) in histograms.iter().zip(&rows) {
        for remark in &row.remarks {
            eprintln!("decodescope: {name}: line {}: {}: {remark}", one.line, one.metric);
        }
    }
    let text = if wants_json(matches) {
        serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
    } else {
        in_words(&rows)
    };
    Ok(Outcome { text, usable: !rows.is_empty() })
}

/// Why there is no histogram to tell quantiles of.
fn why_none(exposition: &Exposition<'_>, all: usize, filter: Option<&String>) -> String {
    if let Some(filter) = filter.filter(|_| all > 0) {
        return format!("none of the {all} histograms has {filter} in its name");
    }
    let summary = exposition.samples().find(|sample| {
        sample.label("quantile").is_some() || sample.composite().is_some_and(|value| !value.quantiles.is_empty())
    });
    let buckets = exposition.samples().find(|sample| sample.name().ends_with("_bucket"));
    match (summary, buckets) {
        _ if exposition.samples().len() == 0 => "no metrics in this text".to_owned(),
        (_, Some(bucket)) => {
            format!("no histogram: the buckets, such as {} on line {}, have no usable le", bucket.name(), bucket.line())
        }
        (Some(summary), None) => format!(
            "no histogram: {} on line {} is a summary, which holds the quantiles its process chose and no others",
            summary.name(),
            summary.line()
        ),
        (None, None) => {
            format!("no histogram: none of the {} samples is a bucket", exposition.samples().len())
        }
    }
}

fn row<'a>(one: &'a NamedHistogram, wanted: &[f64]) -> Row<'a> {
    let quantiles = wanted.iter().filter_map(|&q| {
        let found = one.quantile(q)?;
        Some(Quantile { q, prometheus: found.interpolated, low: found.low, high: found.high, estimate: found.estimate })
    });
    let reason = one.without_prometheus().map(str::to_owned);
    Row {
        metric: &one.metric,
        labels: &one.labels,
        count: one.histogram.total(),
        mean: one.histogram.mean(),
        quantiles: quantiles.collect(),
        remarks: one.issues.iter().map(ToString::to_string).chain(reason).collect(),
    }
}

fn in_words(rows: &[Row<'_>]) -> String {
    let mut document = Document::default();
    let number = |value: Option<f64>| value.map_or("—".to_owned(), |value| significant(value, 4));
    for row in rows {
        document.section(row.metric);
        let mean = number(row.mean);
        document.paragraph(format!("{}: {} observations, mean {mean}", label_text(row.labels), count(row.count)));
        let cells = row.quantiles.iter().map(|found| {
            let bounds = [Some(found.low), Some(found.high)].map(number);
            vec![
                trimmed(found.q),
                number(found.prometheus),
                bounds[0].clone(),
                bounds[1].clone(),
                number(found.estimate),
            ]
        });
        document.table(&["q", "Prometheus", "at least", "at most", "likely"], cells.collect());
    }
    document.to_text()
}
