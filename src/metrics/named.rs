//! Every histogram of a dump by its own name and labels, known to us or not.

use super::histogram::{Histogram, HistogramIssue, NativeHistogram, Quantile};
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
    /// The same with a native histogram's own buckets, where it is one.
    pub native: Option<NativeHistogram>,
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
    native: Option<NativeHistogram>,
}

impl NamedHistogram {
    /// As [`Histogram::quantile`], interpolated as Prometheus does it for this kind of histogram.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<Quantile> {
        let quantile = self.histogram.quantile(q)?;
        let native = self.native.as_ref().map(|native| native.quantile(q));
        let interpolated = native.map_or(quantile.interpolated, |value| Some(value).filter(|value| value.is_finite()));
        Some(Quantile { interpolated, ..quantile })
    }
}

/// Every series of samples with buckets, as a histogram; in order of names and labels.
///
/// A bucket without a number as `le` is left out, as Prometheus does.
#[must_use]
pub fn named_histograms(exposition: &Exposition<'_>) -> Vec<NamedHistogram> {
    let mut all: BTreeMap<(&str, BTreeMap<&str, &str>), Parts> = BTreeMap::new();
    for sample in exposition.samples() {
        if let Some(composite) = sample.composite() {
            let native = composite.native.as_ref().and_then(|native| NativeHistogram::new(native).ok());
            let parts = Parts {
                line: sample.line(),
                buckets: native.as_ref().map_or_else(|| composite.buckets.clone(), NativeHistogram::cumulative),
                sum: composite.sum,
                count: composite.count,
                native,
            };
            all.insert((sample.name(), sample.labels().collect()), parts);
            continue;
        }
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
            NamedHistogram {
                metric: metric.to_owned(),
                labels,
                histogram,
                native: parts.native,
                issues,
                line: parts.line,
            }
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

    #[test]
    fn a_histogram_in_one_value_is_one_too_and_its_native_buckets_are_the_finer_ones() {
        let text = "x{a=\"1\"} {count:3,sum:4,bucket:[1:2,+Inf:3]}\n\
                    y {count:4,sum:5,schema:0,zero_threshold:0,zero_count:0,positive_spans:[0:3],\
                    positive_buckets:[1,2,1],bucket:[4:4,+Inf:4]}\nz {count:1,sum:2,quantile:[0.5:2]}\n";
        let found = named_histograms(&read(text));
        let bounds = |place: usize| found[place].histogram.buckets.iter().map(|b| b.le).collect::<Vec<_>>();
        assert_eq!(found.len(), 2);
        assert_eq!((bounds(0), found[0].labels["a"].as_str()), (vec![1.0, f64::INFINITY], "1"));
        // 1, 2 and 1 observations in (0.5, 1], (1, 2] and (2, 4]
        assert_eq!(bounds(1), [0.5, 1.0, 2.0, 4.0, f64::INFINITY]);
        assert_eq!(found[1].histogram.mean(), Some(1.25));
        // Half-way through the 2 in (1, 2], on a logarithmic scale
        let median = |place: usize| found[place].quantile(0.5).and_then(|quantile| quantile.interpolated);
        assert!(median(1).is_some_and(|median| (median - 2_f64.sqrt()).abs() < 1e-12));
        assert_eq!(median(0), Some(0.75));
    }
}
