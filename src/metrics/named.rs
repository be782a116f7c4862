//! Every histogram of a dump by its own name and labels, known to us or not.

use super::histogram::{Histogram, HistogramIssue};
use crate::paste::prometheus::Exposition;
use std::collections::BTreeMap;

/// A histogram as the dump names it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedHistogram {
    /// The metric's name, without the samples' suffixes.
    pub metric: String,
    /// Its labels but `le`, by name.
    pub labels: BTreeMap<String, String>,
    /// Its observations, in the metric's own unit.
    pub histogram: Histogram,
    /// What had to be mended in it.
    pub issues: Vec<HistogramIssue>,
    /// The line of its first sample.
    pub line: usize,
}

#[derive(Default)]
struct Parts {
    line: usize,
    buckets: Vec<(f64, f64)>,
    sum: Option<f64>,
    count: Option<f64>,
}

/// Every series of samples with buckets, as a histogram; in order of names and labels.
///
/// A bucket without a number as `le` is left out, as Prometheus does.
#[must_use]
pub fn named_histograms(exposition: &Exposition<'_>) -> Vec<NamedHistogram> {
    let mut all: BTreeMap<(&str, BTreeMap<&str, &str>), Parts> = BTreeMap::new();
    for sample in exposition.samples() {
        let Some((metric, part)) = sample.name().rsplit_once('_') else { continue };
        if !matches!(part, "bucket" | "sum" | "count") {
            continue;
        }
        let labels = sample.labels().filter(|(name, _)| *name != "le").collect();
        let parts = all.entry((metric, labels)).or_insert_with(|| Parts { line: sample.line(), ..Parts::default() });
        match part {
            "sum" => parts.sum = Some(sample.value()),
            "count" => parts.count = Some(sample.value()),
            _ => {
                let bound = sample.label("le").and_then(|text| text.trim().parse::<f64>().ok());
                parts.buckets.extend(bound.filter(|bound| !bound.is_nan()).map(|bound| (bound, sample.value())));
            }
        }
    }
    let with_buckets = all.into_iter().filter(|(_, parts)| !parts.buckets.is_empty());
    with_buckets
        .map(|((metric, labels), parts)| {
            let (histogram, issues) = Histogram::from_cumulative(parts.buckets, parts.sum, parts.count);
            let labels = labels.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            NamedHistogram { metric: metric.to_owned(), labels, histogram, issues, line: parts.line }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::prometheus::read;

    #[test]
    fn histograms_are_told_apart_by_their_labels_and_summaries_are_none() {
        let text = "x_bucket{a=\"1\",le=\"1\"} 2\nx_bucket{a=\"1\",le=\"+Inf\"} 3\nx_sum{a=\"1\"} 4\nx_count{a=\"1\"} 3\n\
                    x_bucket{a=\"2\",le=\"+Inf\"} 5\ny_sum 1\ny_count 1\n";
        let found = named_histograms(&read(text));
        let totals: Vec<(&str, f64)> =
            found.iter().map(|one| (one.labels["a"].as_str(), one.histogram.total())).collect();
        assert_eq!(totals, [("1", 3.0), ("2", 5.0)]);
        assert_eq!(found[0].histogram.mean(), Some(4.0 / 3.0));
    }
}
