//! Samples to sets of serving metrics, one per model and engine.

use super::engines::{self, Recognised};
use super::histogram::Histogram;
use super::meaning::{Meaning, Shape};
use super::serving::{Latency, Selection, ServingMetrics};
use crate::paste::prometheus::{Exposition, Sample};
use crate::paste::{Warning, WarningKind};
use std::collections::{BTreeMap, HashMap};

/// What became of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No sample at all: this is not metrics text.
    NotMetrics,
    /// Samples, but none of them says anything about serving (or nothing was observed yet).
    NothingUsable,
    /// There is something to look at.
    Fine,
}

/// A metric name in the dump and how many samples carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameCount {
    /// The name, without a histogram's or counter's suffix.
    pub name: String,
    /// How many samples.
    pub samples: usize,
    /// What we take it for, if we know it.
    pub meaning: Option<Meaning>,
}

/// A whole dump, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Dump {
    /// One set per model and engine, in order of their names.
    pub sets: Vec<ServingMetrics>,
    /// What there is to say about it, by line.
    pub warnings: Vec<Warning>,
    /// Whether there is anything to look at.
    pub outcome: Outcome,
    /// Every metric name in it, in order of appearance.
    pub names: Vec<NameCount>,
}

impl Dump {
    /// The sets of one selection as one.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> ServingMetrics {
        ServingMetrics::together(self.sets.iter().filter(|set| selection.includes(&set.selection)))
    }
}

/// Reads what the samples mean.
#[must_use]
pub fn read_dump(exposition: &Exposition<'_>) -> Dump {
    let mut gathering = Gathering { warnings: exposition.warnings().to_vec(), ..Gathering::default() };
    for sample in exposition.samples() {
        gathering.take(sample);
    }
    gathering.finish(exposition.has_metadata_only())
}

/// Which part of its metric a sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Bucket,
    Sum,
    Count,
    Value,
    Created,
}

const SUFFIXES: [(&str, Part); 5] = [
    ("_bucket", Part::Bucket),
    ("_sum", Part::Sum),
    ("_count", Part::Count),
    ("_total", Part::Value),
    ("_created", Part::Created),
];

/// A sample's name taken apart. A name is looked up whole first, since `iteration_tokens_total` is
/// the base name of a histogram.
fn take_apart(name: &str) -> (&str, Part, Option<Recognised>) {
    if let Some(recognised) = engines::recognise(name) {
        return (name, Part::Value, Some(recognised));
    }
    for (suffix, part) in SUFFIXES {
        if let Some(base) = name.strip_suffix(suffix) {
            return (base, part, engines::recognise(base));
        }
    }
    (name, Part::Value, None)
}

/// Where a sample belongs: the set, the metric, and all its other labels.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Clone)]
struct SeriesKey {
    product: &'static str,
    selection: Selection,
    metric: String,
    rest: String,
}

struct Series {
    recognised: Recognised,
    first_line: usize,
    buckets: Vec<(f64, f64)>,
    sum: Option<f64>,
    count: Option<f64>,
    value: Option<f64>,
}

#[derive(Default)]
struct Gathering {
    series: BTreeMap<SeriesKey, Series>,
    names: Vec<NameCount>,
    places: HashMap<String, usize>,
    duplicates: usize,
    first_duplicate: usize,
    warnings: Vec<Warning>,
}

impl Gathering {
    fn take(&mut self, sample: Sample<'_>) {
        let (base, part, recognised) = take_apart(sample.name());
        self.count_name(base, recognised);
        let Some(recognised) = recognised else { return };
        let fits = match recognised.name.meaning.shape() {
            Shape::Histogram => matches!(part, Part::Bucket | Part::Sum | Part::Count),
            Shape::Counter | Shape::Gauge => part == Part::Value,
        };
        if !fits {
            return;
        }
        let value = sample.value();
        if value.is_nan() {
            let message = format!("{} is not a number; the sample was left out", sample.name());
            self.warnings.push(Warning::at(sample.line(), WarningKind::BadValue, message));
            return;
        }
        let scale = recognised.name.scale;
        let (key, bound) = place(sample, base, recognised);
        let series = self.series.entry(key).or_insert_with(|| Series {
            recognised,
            first_line: sample.line(),
            buckets: Vec::new(),
            sum: None,
            count: None,
            value: None,
        });
        let again = match part {
            Part::Bucket => {
                let Some(bound) = bound else {
                    let message = format!("{} has no usable le label; the sample was left out", sample.name());
                    self.warnings.push(Warning::at(sample.line(), WarningKind::BadValue, message));
                    return;
                };
                put_bucket(&mut series.buckets, bound * scale, value)
            }
            Part::Sum => series.sum.replace(value * scale).is_some(),
            Part::Count => series.count.replace(value).is_some(),
            Part::Value => series.value.replace(value * scale).is_some(),
            Part::Created => false,
        };
        if again {
            self.duplicates += 1;
            if self.first_duplicate == 0 {
                self.first_duplicate = sample.line();
            }
        }
    }

    fn count_name(&mut self, base: &str, recognised: Option<Recognised>) {
        if let Some(&place) = self.places.get(base) {
            if let Some(name) = self.names.get_mut(place) {
                name.samples += 1;
            }
            return;
        }
        self.places.insert(base.to_owned(), self.names.len());
        let meaning = recognised.map(|found| found.name.meaning);
        self.names.push(NameCount { name: base.to_owned(), samples: 1, meaning });
    }

    fn finish(mut self, metadata_only: bool) -> Dump {
        if self.duplicates > 0 {
            let message = format!(
                "{} samples repeat an earlier one with the same name and labels (two scrapes in one paste?); \
                 the last of each counts",
                self.duplicates
            );
            self.warnings.push(Warning::at(self.first_duplicate, WarningKind::Duplicate, message));
        }
        let mut sets: BTreeMap<(&str, Selection), SetUnderWay> = BTreeMap::new();
        for (key, series) in std::mem::take(&mut self.series) {
            let set = sets.entry((key.product, key.selection.clone())).or_default();
            set.add(&key, series, &mut self.warnings);
        }
        let sets: Vec<ServingMetrics> = sets
            .into_iter()
            .map(|((product, selection), set)| set.finish(product.to_owned(), selection))
            .filter(|set| !set.histograms.is_empty() || !set.values.is_empty())
            .collect();
        let outcome = outcome(&sets, &self.names);
        if let Some(warning) = explain(outcome, &sets, &self.names, metadata_only) {
            self.warnings.push(warning);
        }
        self.warnings.sort_by_key(|warning| warning.line.unwrap_or(usize::MAX));
        Dump { sets, warnings: self.warnings, outcome, names: self.names }
    }
}

fn place(sample: Sample<'_>, base: &str, recognised: Recognised) -> (SeriesKey, Option<f64>) {
    let engine = recognised.engine;
    let best = |wanted: &'static [&'static str]| {
        wanted.iter().find_map(|label| sample.label(label).filter(|text| !text.is_empty()).map(|text| (*label, text)))
    };
    let (model, rank) = (best(engine.model_labels), best(engine.engine_labels));
    let taken = |label: &str| {
        label == "le" || model.is_some_and(|(name, _)| name == label) || rank.is_some_and(|(name, _)| name == label)
    };
    let mut rest: Vec<(&str, &str)> = sample.labels().filter(|(label, _)| !taken(label)).collect();
    rest.sort_unstable();
    let rest = rest.iter().map(|(label, text)| format!("{label}={text}\u{0}")).collect();
    let selection =
        Selection { model: model.map(|(_, text)| text.to_owned()), engine: rank.map(|(_, text)| text.to_owned()) };
    let bound = sample.label("le").and_then(|text| text.trim().parse().ok()).filter(|bound: &f64| !bound.is_nan());
    (SeriesKey { product: engine.title, selection, metric: base.to_owned(), rest }, bound)
}

/// Puts a cumulative bucket in, over an earlier one with the same bound; says whether there was one.
fn put_bucket(buckets: &mut Vec<(f64, f64)>, bound: f64, cumulative: f64) -> bool {
    // Buckets nearly always come in order, so an equal bound is looked for from the end.
    match buckets.iter_mut().rev().find(|(le, _)| *le == bound) {
        Some(bucket) => {
            bucket.1 = cumulative;
            true
        }
        None => {
            buckets.push((bound, cumulative));
            false
        }
    }
}

/// One set while its series are being added up.
#[derive(Default)]
struct SetUnderWay {
    histograms: BTreeMap<(Meaning, usize), Latency>,
    values: BTreeMap<(Meaning, usize), f64>,
}

impl SetUnderWay {
    fn add(&mut self, key: &SeriesKey, series: Series, warnings: &mut Vec<Warning>) {
        let meaning = series.recognised.name.meaning;
        let slot = (meaning, series.recognised.rank);
        if meaning.shape() == Shape::Histogram {
            let (histogram, issues) = Histogram::from_cumulative(series.buckets, series.sum, series.count);
            for issue in issues {
                warnings.push(Warning::at(series.first_line, issue.kind(), format!("{}: {issue}", key.metric)));
            }
            self.histograms
                .entry(slot)
                .and_modify(|latency| latency.histogram.add(&histogram))
                .or_insert_with(|| Latency { metric: key.metric.clone(), histogram });
        } else if let Some(value) = series.value {
            let existing = self.values.entry(slot).or_insert(0.0);
            // Several processes each export the share of the one cache; all but one say 0.
            *existing = if meaning == Meaning::KvCacheUsage { existing.max(value) } else { *existing + value };
        }
    }

    /// Takes the best name of each meaning: the first of the engine's table that observed anything.
    fn finish(self, product: String, selection: Selection) -> ServingMetrics {
        let mut set = ServingMetrics { product, selection, ..ServingMetrics::default() };
        for ((meaning, _), latency) in self.histograms {
            match set.histograms.get(&meaning) {
                Some(better) if better.histogram.total() > 0.0 || latency.histogram.total() == 0.0 => {}
                _ => {
                    set.histograms.insert(meaning, latency);
                }
            }
        }
        for ((meaning, _), value) in self.values {
            set.values.entry(meaning).or_insert(value);
        }
        set
    }
}

fn outcome(sets: &[ServingMetrics], names: &[NameCount]) -> Outcome {
    let tells = |set: &ServingMetrics| {
        set.values.values().any(|&value| value != 0.0)
            || set
                .histograms
                .values()
                .any(|latency| latency.histogram.total() > 0.0 || latency.histogram.sum.is_some_and(|sum| sum > 0.0))
    };
    match (names.is_empty(), sets.iter().any(tells)) {
        (true, _) => Outcome::NotMetrics,
        (false, false) => Outcome::NothingUsable,
        (false, true) => Outcome::Fine,
    }
}

/// Why there is nothing to look at, and what would help.
fn explain(outcome: Outcome, sets: &[ServingMetrics], names: &[NameCount], metadata_only: bool) -> Option<Warning> {
    let known_prefix = names.iter().any(|name| engines::has_known_prefix(&name.name));
    let message = match outcome {
        Outcome::Fine if !sets.iter().any(ServingMetrics::has_latency) => {
            "no inter-token latency and no time to first token with observations in this dump"
        }
        Outcome::Fine => return None,
        Outcome::NotMetrics if metadata_only => {
            "only HELP and TYPE lines, no samples: the server has not answered a request yet"
        }
        Outcome::NotMetrics => "no metrics in this text: expected lines such as vllm:generation_tokens_total{…} 1635.0",
        Outcome::NothingUsable if !sets.is_empty() => {
            "serving metrics, but nothing observed yet: send a request and scrape again"
        }
        Outcome::NothingUsable if known_prefix => "a serving engine's metrics, but none that this tool uses",
        Outcome::NothingUsable => {
            "metrics, but none of a known serving engine: the server may run with --disable-log-stats, this may be \
             another process's port (a router), or no request has come yet"
        }
    };
    Some(Warning::whole(WarningKind::Missing, message))
}
