//! Samples to series: names taken apart, engines recognised, the parts of a histogram brought together.

use super::buckets::Buckets;
use super::dump::NameCount;
use super::engines::ENGINES;
use super::histogram::{Histogram, HistogramIssue, NativeHistogram};
use super::meaning::{Meaning, Shape};
use super::names::{MOST_NAMES, Names, Part, SampleName};
use super::remarks::Remarks;
use super::series::{Content, Series, SeriesKey, SeriesMap, shape};
use crate::pace::Pace;
use crate::paste::prometheus::{Composite, Exposition, Sample, Timestamp};
use crate::paste::{Warning, WarningKind};
use crate::units::format::count;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// What the samples of a text are, before anything is concluded from it.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub series: SeriesMap,
    pub names: Vec<NameCount>,
    pub warnings: Vec<Warning>,
    pub repeated: Repeated,
    /// When the process started, in seconds since 1970.
    pub started: Option<f64>,
    /// When the samples were taken, in seconds since 1970: the latest timestamp on one.
    pub taken: Option<f64>,
}

/// Samples that stand in the text more than once.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Repeated {
    pub samples: usize,
    pub first_line: usize,
}

/// So many samples, or series, are taken between two rests.
const STRIDE: usize = 2048;
/// A text with more series that we know is no scrape of servers but damage, or made to be large.
const MOST_SERIES: usize = 1_000_000;

/// Gathers the samples of these places in the text.
pub(super) async fn gather(exposition: &Exposition<'_>, samples: Range<usize>, pace: &Pace) -> Gathered {
    let mut names = Names::default();
    let within = || exposition.samples_within(samples.clone());
    let all = samples.len();
    let counting = pace.part(0.0, 0.3);
    for (place, sample) in within().enumerate() {
        counting.rest_every(STRIDE, place, all).await;
        names.count(exposition, &sample);
    }
    names.recognise_unprefixed(within);
    let mut gathering = Gathering {
        names,
        gathered: Gathered::default(),
        parts: Vec::new(),
        starts: Vec::new(),
        remarks: Remarks::default(),
        places: HashMap::new(),
        beyond: 0,
    };
    let mut last = None;
    let taking = pace.part(0.3, 0.8);
    for (place, sample) in within().enumerate() {
        taking.rest_every(STRIDE, place, all).await;
        last = gathering.take(&sample, last);
    }
    gathering.finish(&pace.part(0.8, 1.0)).await
}

/// Numbers outside of this, but for zero, are damage: no count, time or size is as large or as small, and their quotient
/// might not be a number.
const MEASURABLE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

const NATIVE: &str = "a native histogram, read as buckets at its bounds; within one, Prometheus interpolates on a \
                      logarithmic scale and this linearly";

type Labels<'a> = Vec<(&'a str, &'a str)>;

/// A series whose samples are being collected.
struct Parts<'a> {
    entry: usize,
    labels: Labels<'a>,
    line: usize,
    buckets: Buckets,
    sum: Option<f64>,
    count: Option<f64>,
    value: Option<f64>,
    created: Option<f64>,
}

struct Gathering<'a> {
    names: Names<'a>,
    gathered: Gathered,
    parts: Vec<Parts<'a>>,
    starts: Vec<f64>,
    remarks: Remarks,
    /// Where a series is among the parts, by the hash of its name and sorted labels; of two with the same hash the
    /// second has the next one. A table of the labels themselves would hash them all again whenever it grows.
    places: HashMap<u64, usize>,
    /// Samples of series beyond the most that are kept.
    beyond: usize,
}

impl<'a> Gathering<'a> {
    /// Takes one sample; returns the series it belongs to.
    fn take(&mut self, sample: &Sample<'a>, last: Option<usize>) -> Option<usize> {
        let value = sample.value();
        if let Some(time) = sample.timestamp().and_then(taken) {
            self.gathered.taken = Some(self.gathered.taken.map_or(time, |taken| taken.max(time)));
        }
        if sample.name() == "process_start_time_seconds" && value.is_finite() {
            self.starts.push(value);
        }
        let entry = *self.names.index.get(sample.name())?;
        let SampleName { base, part, engine, misshapen, .. } = self.names.entries.get_mut(entry)?;
        let (base, part) = (*base, *part);
        let (_, row) = ENGINES.get((*engine)?)?.rows(base).next()?;
        let composite = sample.composite();
        let fits = match shape(row) {
            Shape::Histogram if composite.is_some() => true,
            _ if composite.is_some() => false,
            _ if part == Part::Created => true,
            Shape::Histogram => matches!(part, Part::Bucket | Part::Sum | Part::Count),
            Shape::Counter | Shape::Gauge => part == Part::Value,
        };
        if !fits {
            if !std::mem::replace(misshapen, true) {
                let (line, name) = (sample.line(), sample.name());
                if sample.label("quantile").is_some() {
                    let message = format!("{name} is a summary: its quantiles are left out, its mean is used");
                    self.remarks.say(line, WarningKind::Skipped, message);
                } else {
                    let expected = if shape(row) == Shape::Histogram { "a histogram" } else { "one value" };
                    self.remarks.say(
                        line,
                        WarningKind::BadValue,
                        format!("{name} is not {expected} as expected; it was left out"),
                    );
                }
            }
            return last;
        }
        if let Some(composite) = composite {
            let Some(place) = self.series_of(sample, entry, base, last) else {
                self.beyond += 1;
                return last;
            };
            self.take_composite(sample, composite, row.scale, place);
            return Some(place);
        }
        let negative = value < 0.0 && matches!(part, Part::Value | Part::Created);
        if !MEASURABLE.contains(&value.abs()) && value != 0.0 || negative {
            // The hit rate of a cache that is off is −1.
            if row.meaning != Meaning::PrefixCacheHitRate || value != -1.0 {
                let message = format!("{} is {value}, no usable number; the sample was left out", sample.name());
                self.warn(sample, message);
            }
            return last;
        }
        let Some(place) = self.series_of(sample, entry, base, last) else {
            self.beyond += 1;
            return last;
        };
        let parts = self.parts.get_mut(place)?;
        parts.created = parts.created.or(sample.start().map(Timestamp::seconds));
        let again = match part {
            Part::Bucket => {
                let text = sample.label("le").unwrap_or_default();
                let Some(bound) = text.trim().parse().ok().filter(|bound: &f64| !bound.is_nan()) else {
                    let message = format!("{} has no usable le label; the sample was left out", sample.name());
                    self.warn(sample, message);
                    return Some(place);
                };
                parts.buckets.put(bound * row.scale, value)
            }
            Part::Sum => parts.sum.replace(value * row.scale).is_some(),
            Part::Count => parts.count.replace(value).is_some(),
            Part::Value => parts.value.replace(value * row.scale).is_some(),
            Part::Created => parts.created.replace(value).is_some(),
        };
        if again {
            self.repeats(sample);
        }
        Some(place)
    }

    /// Takes a whole histogram at once. A native one's buckets are the finer ones where both are there.
    fn take_composite(&mut self, sample: &Sample<'a>, composite: &Composite, scale: f64, place: usize) {
        let Composite { count, sum, buckets, native, .. } = composite;
        let mut cumulative = None;
        match native.as_ref().map(NativeHistogram::new) {
            Some(Ok(native)) => {
                cumulative = Some(native.cumulative());
                self.remarks.say(sample.line(), WarningKind::Repaired, format!("{}: {NATIVE}", sample.name()));
            }
            Some(Err(error)) => self.warn(sample, format!("{}: {error}", sample.name())),
            None => {}
        }
        let usable = |value: &f64| *value == 0.0 || MEASURABLE.contains(&value.abs());
        let Some(parts) = self.parts.get_mut(place) else { return };
        let again = parts.count.is_some() || parts.sum.is_some() || !parts.buckets.is_empty();
        parts.count = count.filter(usable);
        parts.sum = sum.filter(usable).map(|sum| sum * scale);
        parts.created = sample.start().map(Timestamp::seconds);
        for (bound, held) in cumulative.as_ref().unwrap_or(buckets) {
            parts.buckets.put(bound * scale, *held);
        }
        if again {
            self.repeats(sample);
        }
    }

    /// Counts a sample that is there again.
    fn repeats(&mut self, sample: &Sample<'_>) {
        let repeated = &mut self.gathered.repeated;
        repeated.samples += 1;
        if repeated.first_line == 0 {
            repeated.first_line = sample.line();
        }
    }

    /// The series a sample belongs to; the last one nearly always is it. `None` for one more than are kept.
    fn series_of(&mut self, sample: &Sample<'a>, entry: usize, base: &'a str, last: Option<usize>) -> Option<usize> {
        let labels = || sample.labels().filter(|(label, _)| *label != "le");
        if let Some(last) = last {
            let same_metric = |parts: &&Parts<'_>| self.names.entries.get(parts.entry).is_some_and(|e| e.base == base);
            let parts = self.parts.get(last).filter(same_metric);
            if parts.is_some_and(|parts| parts.labels.iter().copied().eq(labels())) {
                return Some(last);
            }
        }
        let mut sorted: Labels<'_> = labels().collect();
        if !sorted.is_sorted() {
            sorted.sort_unstable();
        }
        let mut hash = hash(base, &sorted);
        while let Some(place) = self.places.get(&hash) {
            let parts = self.parts.get(*place)?;
            if parts.labels == sorted && self.names.entries.get(parts.entry)?.base == base {
                return Some(*place);
            }
            hash = hash.wrapping_add(1);
        }
        if self.parts.len() >= MOST_SERIES {
            return None;
        }
        self.places.insert(hash, self.parts.len());
        self.parts.push(Parts {
            entry,
            labels: sorted,
            line: sample.line(),
            buckets: Buckets::default(),
            sum: None,
            count: None,
            value: None,
            created: None,
        });
        Some(self.parts.len() - 1)
    }

    fn warn(&mut self, sample: &Sample<'_>, message: String) {
        self.remarks.say(sample.line(), WarningKind::BadValue, message);
    }

    async fn finish(mut self, pace: &Pace) -> Gathered {
        let all = self.parts.len();
        // A counter and what says when it began are one series, but one may be there without the other.
        for (place, parts) in self.parts.into_iter().enumerate() {
            pace.rest_every(STRIDE / 16, place, all).await;
            let Some(entry) = self.names.entries.get(parts.entry) else { continue };
            let Some(engine) = entry.engine else { continue };
            let Some((_, name)) = ENGINES.get(engine).and_then(|engine| engine.rows(entry.base).next()) else {
                continue;
            };
            let content = match (shape(name), parts.value) {
                (Shape::Histogram, _) => {
                    if parts.buckets.is_empty() && parts.sum.is_none() && parts.count.is_none() {
                        continue;
                    }
                    let (buckets, joined) = parts.buckets.into_list();
                    let (histogram, mut issues) = Histogram::from_cumulative(buckets, parts.sum, parts.count);
                    issues.extend(joined);
                    // Without buckets or a count it is said already that there is no mean.
                    let cut = issues.iter().any(|issue| {
                        matches!(issue, HistogramIssue::MissingInfinity { count: None } | HistogramIssue::NoBuckets)
                    });
                    for issue in issues.into_iter().filter(|issue| !cut || *issue != HistogramIssue::NoSum) {
                        let message = format!("{}: {}", entry.base, in_words(issue, &histogram));
                        self.remarks.say(parts.line, issue.kind(), message);
                    }
                    Content::Histogram(histogram)
                }
                (_, Some(value)) => Content::Value(value),
                _ => continue,
            };
            let owned = |(label, text): (&str, &str)| (label.to_owned(), text.to_owned());
            let mut labels: Vec<_> = parts.labels.into_iter().map(owned).collect();
            labels.sort_unstable();
            let key = SeriesKey { metric: entry.base.to_owned(), labels };
            let series = Series { engine, line: parts.line, created: parts.created, content };
            self.gathered.series.insert(key, series);
        }
        self.gathered.warnings = self.remarks.finish().collect();
        let beyond = [(MOST_SERIES, "series", self.beyond), (MOST_NAMES, "metric names", self.names.beyond)];
        for (most, what, samples) in beyond.into_iter().filter(|(.., samples)| *samples > 0) {
            let message = format!(
                "more than {} {what}: {} samples of further ones were left out",
                count(most as f64),
                count(samples as f64)
            );
            self.gathered.warnings.push(Warning::whole(WarningKind::Truncated, message));
        }
        self.gathered.names = self.names.counts;
        // Of several processes each has a start of its own, which says nothing of the others.
        self.gathered.started = self.starts.first().copied().filter(|_| self.starts.len() == 1);
        self.gathered
    }
}

/// When a scrape was taken by a sample's timestamp, in seconds since 1970; `None` beyond the year 5138, which is damage.
/// The years 1970 to 1973 are seconds that the text format's letter makes milliseconds.
fn taken(time: Timestamp) -> Option<f64> {
    let seconds = time.seconds();
    let by_the_letter = (1e5..1e8).contains(&seconds.abs());
    (seconds.abs() < 1e11).then_some(if by_the_letter { seconds * 1e3 } else { seconds })
}

fn hash(base: &str, labels: &[(&str, &str)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (base, labels).hash(&mut hasher);
    hasher.finish()
}

/// An issue in words that say what is left to know.
fn in_words(issue: HistogramIssue, histogram: &Histogram) -> String {
    match issue {
        HistogramIssue::MissingInfinity { count: None } => {
            format!("{issue}; at least {}, and no mean", count(histogram.total()))
        }
        HistogramIssue::NoBuckets if histogram.count.is_none() => {
            "a sum without buckets and without a count: nothing can be told from it".to_owned()
        }
        HistogramIssue::NoBuckets if histogram.sum.is_none() => {
            "a count without buckets and without a sum: only the number is known".to_owned()
        }
        _ => issue.to_string(),
    }
}
