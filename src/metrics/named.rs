//! Every histogram of a dump by its own name and labels, known to us or not.

use super::histogram::{Histogram, HistogramIssue, NativeHistogram, Quantile, histogram_quantile};
use super::scrapes;
use crate::pace::Work;
use crate::paste::Warning;
use crate::paste::prometheus::Exposition;
use std::collections::{BTreeMap, HashMap};

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
    /// Cumulative buckets as they are in the dump, which is what Prometheus has; none where it has no `le`.
    scraped: Vec<(f64, f64)>,
}

/// The histograms of a dump, and what there is to say about the dump as a whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedHistograms {
    /// In order of names and labels.
    pub histograms: Vec<NamedHistogram>,
    /// Which of several scrapes they are of; series that stand there twice; metrics that might be taken for histograms.
    pub warnings: Vec<Warning>,
}

#[derive(Default)]
struct Parts<'a> {
    line: usize,
    /// By `le` as it is spelled: of one that comes again, the last counts.
    buckets: Vec<(&'a str, f64, f64)>,
    /// VictoriaMetrics' buckets: observations above the first number and up to the second.
    ranges: Vec<(f64, f64, f64)>,
    composite: Vec<(f64, f64)>,
    sum: Option<f64>,
    count: Option<f64>,
    native: Option<NativeHistogram>,
}

impl NamedHistogram {
    /// As [`Histogram::quantile`], interpolated as Prometheus does it for this kind of histogram: from the buckets that
    /// are there, not from those that were mended. Without a +Inf bucket it has no quantile.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<Quantile> {
        let quantile = self.histogram.quantile(q)?;
        let interpolated = match &self.native {
            Some(native) => native.quantile(q),
            None => histogram_quantile(q, &self.scraped).value,
        };
        Some(Quantile { interpolated: Some(interpolated).filter(|value| value.is_finite()), ..quantile })
    }

    /// Why Prometheus has no quantile of this histogram at all, where that is so.
    #[must_use]
    pub fn without_prometheus(&self) -> Option<&'static str> {
        let endless = self.scraped.iter().any(|(le, _)| *le == f64::INFINITY);
        match (self.native.is_some() || endless, self.scraped.is_empty()) {
            (true, _) => None,
            (false, true) => Some("buckets labelled vmrange, of which Prometheus' histogram_quantile knows nothing"),
            (false, false) => Some("without a +Inf bucket Prometheus' histogram_quantile is NaN"),
        }
    }
}

/// Every series of samples with buckets, as a histogram; of several scrapes in one text the last whole one's.
///
/// A bucket without a number as `le` is left out, as Prometheus does. VictoriaMetrics' buckets, which hold their own
/// observations alone and are labelled `vmrange="low...high"`, are read too.
#[must_use]
pub fn named_histograms(exposition: &Exposition<'_>) -> NamedHistograms {
    let scrapes = Work::new(|pace| async move { scrapes::split(exposition, &pace).await }).finish();
    let mut warnings = Vec::new();
    if scrapes.len() > 1 {
        warnings.push(scrapes::several(&scrapes));
    } else {
        warnings.extend(exposition.repeated_series());
    }
    let samples = scrapes.get(scrapes::last_whole(&scrapes)).cloned().unwrap_or_default();
    let mut all: BTreeMap<(&str, BTreeMap<&str, &str>), Parts<'_>> = BTreeMap::new();
    for sample in exposition.samples_within(samples) {
        if let Some(composite) = sample.composite() {
            let native = composite.native.as_ref().and_then(|native| NativeHistogram::new(native).ok());
            let parts = Parts {
                line: sample.line(),
                composite: native.as_ref().map_or_else(|| composite.buckets.clone(), NativeHistogram::cumulative),
                sum: composite.sum,
                count: composite.count,
                native,
                ..Parts::default()
            };
            all.insert((sample.name(), sample.labels().collect()), parts);
            continue;
        }
        let Some((metric, part)) = sample.name().rsplit_once('_') else { continue };
        if !matches!(part, "bucket" | "sum" | "count") {
            continue;
        }
        let labels = sample.labels().filter(|(name, _)| !matches!(*name, "le" | "vmrange")).collect();
        let parts = all.entry((metric, labels)).or_insert_with(|| Parts { line: sample.line(), ..Parts::default() });
        match part {
            "sum" => parts.sum = Some(sample.value()),
            "count" => parts.count = Some(sample.value()),
            _ => parts.bucket(sample.label("le"), sample.label("vmrange"), sample.value()),
        }
    }
    let histograms = all.into_iter().filter_map(|((metric, labels), parts)| parts.into_named(metric, labels)).collect();
    NamedHistograms { histograms, warnings }
}

impl<'a> Parts<'a> {
    fn bucket(&mut self, le: Option<&'a str>, range: Option<&str>, value: f64) {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|bound| !bound.is_nan());
        if let Some((text, bound)) = le.and_then(|text| Some((text, number(text)?))) {
            self.buckets.push((text, bound, value));
        } else if let Some((low, high)) = range.and_then(|range| range.split_once("...")) {
            self.ranges.extend(number(low).zip(number(high)).map(|(low, high)| (low, high, value)));
        }
    }

    /// The histogram; `None` without buckets.
    fn into_named(self, metric: &str, labels: BTreeMap<&str, &str>) -> Option<NamedHistogram> {
        let mut scraped = self.composite;
        let mut places = HashMap::with_capacity(self.buckets.len());
        for (text, bound, held) in self.buckets {
            let place = *places.entry(text).or_insert(scraped.len());
            match scraped.get_mut(place) {
                Some(bucket) => *bucket = (bound, held),
                None => scraped.push((bound, held)),
            }
        }
        let buckets = if scraped.is_empty() { cumulated(self.ranges) } else { scraped.clone() };
        if buckets.is_empty() {
            return None;
        }
        let (histogram, issues) = Histogram::from_cumulative(buckets, self.sum, self.count);
        let labels = labels.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let Self { line, native, .. } = self;
        Some(NamedHistogram { metric: metric.to_owned(), labels, histogram, native, issues, line, scraped })
    }
}

/// Ranges that hold their own observations, as cumulative buckets: `(1, 2] 3` is nothing up to 1 and 3 up to 2. Empty
/// ranges are not in the dump.
fn cumulated(mut ranges: Vec<(f64, f64, f64)>) -> Vec<(f64, f64)> {
    ranges.sort_unstable_by(|one, other| one.1.total_cmp(&other.1));
    let mut buckets: Vec<(f64, f64)> = Vec::with_capacity(2 * ranges.len() + 1);
    let mut held = 0.0;
    for (low, high, own) in ranges {
        if low != 0.0 && buckets.last().is_none_or(|(bound, _)| *bound < low) {
            buckets.push((low, held));
        }
        held += own;
        buckets.push((high, held));
    }
    if buckets.last().is_some_and(|(bound, _)| *bound < f64::INFINITY) {
        buckets.push((f64::INFINITY, held));
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::prometheus::read;

    #[test]
    fn histograms_are_told_apart_by_their_labels_and_summaries_are_none() {
        let text = "x_bucket{a=\"1\",le=\"1\"} 2\nx_bucket{a=\"1\",le=\"+Inf\"} 3\nx_sum{a=\"1\"} 4\nx_count{a=\"1\"} 3\n\
                    x_bucket{a=\"2\",le=\"+Inf\"} 5\ny_sum 1\ny_count 1\n";
        let found = named_histograms(&read(text)).histograms;
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
        let found = named_histograms(&read(text)).histograms;
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

    #[test]
    fn of_several_scrapes_the_last_counts_and_of_a_repeated_series_too() {
        let scrape = |held: u32| {
            format!("x_bucket{{le=\"1\"}} {held}\nx_bucket{{le=\"+Inf\"}} {held}\nx_sum {held}\nx_count {held}\n")
        };
        let found = named_histograms(&read(&(scrape(10) + &scrape(30))));
        assert_eq!(found.histograms[0].histogram.total(), 30.0);
        assert_eq!(found.histograms[0].quantile(0.5).and_then(|median| median.interpolated), Some(0.5));
        assert!(found.warnings[0].message.starts_with("2 scrapes of the same server"), "{:?}", found.warnings);
        // No second scrape: one line again. Prometheus adds up only what is spelled differently.
        let found = named_histograms(&read(&(scrape(10) + "x_bucket{le=\"1\"} 4\n")));
        assert_eq!(found.histograms[0].histogram.buckets[0].count, 4.0);
        assert_eq!(found.warnings.len(), 1);
    }

    #[test]
    fn prometheus_has_no_quantile_without_an_infinite_bucket() {
        let found = named_histograms(&read("x_bucket{le=\"1\"} 5\nx_bucket{le=\"2\"} 10\nx_sum 11\nx_count 10\n"));
        let one = &found.histograms[0];
        let median = one.quantile(0.5).map(|median| (median.interpolated, median.high));
        assert_eq!(median, Some((None, 1.0)));
        assert!(one.without_prometheus().is_some());
    }

    /// What VictoriaMetrics' client library writes: only buckets that hold something, each its own.
    #[test]
    fn victoria_metrics_ranges_are_read() {
        let text = "x_bucket{a=\"1\",vmrange=\"0...1.000e-09\"} 1\n\
                    x_bucket{a=\"1\",vmrange=\"1.136e+00...1.292e+00\"} 4\n\
                    x_bucket{a=\"1\",vmrange=\"1.000e+00...1.136e+00\"} 3\nx_sum{a=\"1\"} 8\nx_count{a=\"1\"} 8\n";
        let found = named_histograms(&read(text)).histograms;
        let buckets: Vec<(f64, f64)> =
            found[0].histogram.buckets.iter().map(|bucket| (bucket.le, bucket.count)).collect();
        assert_eq!(buckets, [(1e-9, 1.0), (1.0, 0.0), (1.136, 3.0), (1.292, 4.0), (f64::INFINITY, 0.0)]);
        assert_eq!((found[0].issues.as_slice(), found[0].histogram.mean()), ([].as_slice(), Some(1.0)));
        let median = found[0].quantile(0.5).map(|median| (median.bucket, median.interpolated));
        assert_eq!(median, Some(((1.0, 1.136), None)));
    }
}
