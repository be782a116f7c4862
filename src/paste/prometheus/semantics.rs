//! What metrics must be like beyond the form of their lines: families in one piece, each sample as its
//! type requires, and no series twice.

use super::comment::Comment;
use super::exposition::{Exemplar, Sample, Type};
use super::number::number;
use super::points::Points;
use super::rule::{Format, Rule};
use std::collections::{HashMap, HashSet, hash_map::DefaultHasher};
use std::hash::{Hash, Hasher};

/// What is known of one metric family.
#[derive(Debug, Default)]
struct Family {
    name: String,
    kind: Option<Type>,
    help: bool,
    unit: Option<String>,
    sampled: bool,
    line: usize,
    /// The state of each label set, without `le` and `quantile`.
    metrics: HashMap<u64, Points>,
    /// The label set of the family's last sample.
    latest: Option<u64>,
}

/// Follows a text line by line.
pub(super) struct Semantics {
    format: Format,
    families: Vec<Family>,
    by_name: HashMap<String, usize>,
    current: Option<usize>,
    series: HashSet<u64>,
    found: Vec<(usize, Rule)>,
}

impl Semantics {
    pub fn new(format: Format) -> Self {
        Self {
            format,
            families: Vec::new(),
            by_name: HashMap::new(),
            current: None,
            series: HashSet::new(),
            found: Vec::new(),
        }
    }

    pub fn metadata(&mut self, line: usize, comment: &Comment<'_>) {
        let (Comment::Help(name, _) | Comment::Type(name, _) | Comment::Unit(name, _)) = comment else { return };
        if self.format == Format::Text && matches!(comment, Comment::Unit(..)) {
            return;
        }
        let (place, new) = self.open(name, line);
        let Some(family) = self.families.get_mut(place) else { return };
        let mut find = |rule| self.found.push((line, rule));
        let again = match comment {
            // In the text format a HELP line without text says nothing.
            Comment::Help(_, text) if text.trim().is_empty() && self.format == Format::Text => false,
            Comment::Help(..) => std::mem::replace(&mut family.help, true),
            Comment::Unit(_, unit) => {
                let again = family.unit.is_some();
                let stem = name.strip_suffix(unit.as_ref()).filter(|stem| stem.len() > 1 && stem.ends_with('_'));
                if !unit.is_empty() && stem.is_none() {
                    find(Rule::UnitSuffix);
                }
                if !again || !unit.is_empty() {
                    family.unit = Some(unit.to_string());
                }
                again
            }
            Comment::Type(_, kind) => {
                let again = family.kind.is_some();
                if family.sampled && self.format == Format::Text {
                    find(Rule::LateType);
                }
                family.kind = family.kind.or(*kind).or(Some(Type::Unknown));
                again
            }
            _ => false,
        };
        if again {
            find(Rule::RepeatedMetadata);
        }
        if family.sampled {
            find(Rule::LateMetadata);
        } else if !new && self.current != Some(place) {
            find(Rule::Interleaved);
        }
        if family.unit.as_ref().is_some_and(|unit| !unit.is_empty())
            && matches!(family.kind, Some(Type::Info | Type::StateSet))
        {
            find(Rule::UnitNotAllowed);
        }
        self.current = Some(place);
    }

    pub fn sample(&mut self, sample: &Sample<'_>) {
        // Neither format has one; what they say of a histogram's lines does not fit it.
        if sample.composite().is_some() {
            return;
        }
        let line = sample.line();
        let name = sample.name();
        let known = self.families.len();
        let place = self.family_of(name, line);
        let Some(family) = self.families.get_mut(place) else { return };
        let mut find = |rule| self.found.push((line, rule));
        if self.current != Some(place) && place < known {
            find(Rule::Interleaved);
        }
        self.current = Some(place);
        family.sampled = true;

        let kind = family.kind.unwrap_or(Type::Unknown);
        let suffix = name.get(family.name.len()..).unwrap_or_default();
        let openmetrics = self.format == Format::OpenMetrics;
        let exemplars = sample.exemplars().filter(|_| openmetrics).flat_map(|exemplar| exemplar.labels());
        for (label, _) in sample.labels().chain(exemplars) {
            if label == "__name__" {
                find(Rule::ReservedLabel);
            } else if label.starts_with("__") {
                find(Rule::TwoUnderscores);
            } else if label.starts_with('_') {
                find(Rule::Underscore);
            }
        }
        exemplar(sample, kind, suffix, &mut find);
        if exemplar_outside(sample, suffix) {
            find(Rule::ExemplarOutside);
        }
        value(sample, self.format, kind, suffix, &family.name, &mut find);
        bound(sample, kind, suffix, &mut find);

        let timestamp = sample.timestamp().map(|time| time.seconds());
        if (self.format == Format::Text || timestamp.is_none()) && !self.series.insert(series(sample, None)) {
            find(Rule::DuplicateSeries);
        }
        let aside = match kind {
            Type::Histogram | Type::GaugeHistogram => Some("le"),
            Type::Summary => Some("quantile"),
            Type::StateSet => Some(family.name.as_str()),
            _ => None,
        };
        let metric = series_labels(sample, aside);
        let known = family.metrics.contains_key(&metric);
        if known && family.latest != Some(metric) && self.format == Format::OpenMetrics {
            find(Rule::MetricInterleaved);
        }
        family.latest = Some(metric);
        let points = family.metrics.entry(metric).or_insert_with(|| Points::new(kind, line));
        points.sample(sample, suffix, self.format, &mut find);
    }

    pub fn finish(mut self) -> Vec<(usize, Rule)> {
        let mut taken: HashMap<String, usize> = HashMap::new();
        for (place, family) in self.families.iter().enumerate() {
            for points in family.metrics.values() {
                points.close(&mut |line, rule| self.found.push((line, rule)));
            }
            let suffixes = family.kind.unwrap_or(Type::Unknown).suffixes();
            for suffix in suffixes.iter().chain([&""]) {
                let owner = *taken.entry(format!("{}{suffix}", family.name)).or_insert(place);
                if owner != place {
                    self.found.push((family.line, Rule::NameClash));
                }
            }
        }
        self.found
    }

    /// The family of this name, made where there is none; and whether it was made.
    fn open(&mut self, name: &str, line: usize) -> (usize, bool) {
        if let Some(place) = self.by_name.get(name) {
            return (*place, false);
        }
        self.by_name.insert(name.to_owned(), self.families.len());
        self.families.push(Family { name: name.to_owned(), line, ..Family::default() });
        if name.starts_with('_') {
            self.found.push((line, Rule::Underscore));
        }
        (self.families.len() - 1, true)
    }

    /// The family a sample of this name belongs to.
    fn family_of(&mut self, name: &str, line: usize) -> usize {
        let allows = |family: &Family| {
            let suffix = name.strip_prefix(family.name.as_str());
            suffix.is_some_and(|suffix| may_have(family.kind.unwrap_or(Type::Unknown), suffix, self.format))
        };
        if let Some(current) = self.current.filter(|current| self.families.get(*current).is_some_and(allows)) {
            return current;
        }
        let stem = name.rsplit_once('_').map_or("", |(stem, _)| stem);
        for candidate in [name, stem] {
            let place = self.by_name.get(candidate).copied();
            if let Some(place) = place.filter(|place| self.families.get(*place).is_some_and(allows)) {
                return place;
            }
        }
        let (place, new) = self.open(name, line);
        if !new {
            self.found.push((line, Rule::SampleSuffix));
        }
        place
    }
}

/// Whether samples of a type may add this to the family's name.
fn may_have(kind: Type, suffix: &str, format: Format) -> bool {
    match (format, kind) {
        (_, Type::Gauge | Type::StateSet | Type::Unknown) => suffix.is_empty(),
        (_, Type::Summary) => suffix.is_empty() || kind.suffixes().contains(&suffix),
        (Format::Text, Type::Counter | Type::Info) => suffix.is_empty(),
        (Format::Text, Type::GaugeHistogram) => ["_bucket", "_count", "_sum", "_gcount", "_gsum"].contains(&suffix),
        _ => kind.suffixes().contains(&suffix),
    }
}

fn exemplar(sample: &Sample<'_>, kind: Type, suffix: &str, find: &mut impl FnMut(Rule)) {
    let mut exemplars = sample.exemplars().peekable();
    if exemplars.peek().is_none() {
        return;
    }
    let allowed = match kind {
        Type::Counter => suffix == "_total",
        Type::Histogram | Type::GaugeHistogram => suffix == "_bucket",
        _ => false,
    };
    if !allowed {
        find(Rule::ExemplarPlace);
    }
    let length = |exemplar: Exemplar<'_>| -> usize {
        exemplar.labels().map(|(name, value)| name.chars().count() + value.chars().count()).sum()
    };
    if exemplars.any(|exemplar| length(exemplar) > 128) {
        find(Rule::ExemplarTooLong);
    }
}

/// Whether an exemplar of a bucket measures more than the bucket holds. Less it may: buckets are cumulative.
fn exemplar_outside(sample: &Sample<'_>, suffix: &str) -> bool {
    let bound = sample.label("le").filter(|_| suffix == "_bucket").and_then(|le| number(le.as_bytes()));
    bound.is_some_and(|bound| sample.exemplars().any(|exemplar| exemplar.value > bound.value))
}

/// What a type says about its samples' values.
fn value(sample: &Sample<'_>, format: Format, kind: Type, suffix: &str, family: &str, find: &mut impl FnMut(Rule)) {
    let value = sample.value();
    match (kind, suffix) {
        (Type::Histogram, "_bucket" | "_count")
        | (Type::GaugeHistogram, "_bucket" | "_gcount")
        | (Type::Summary, "_count") => {
            if value < 0.0 {
                find(Rule::NegativeCount);
            } else if value.is_nan() {
                find(Rule::NotANumberValue);
            } else if value.fract() != 0.0 {
                find(Rule::FractionalCount);
            }
        }
        (Type::Counter, "_total") | (Type::Histogram | Type::Summary, "_sum") => {
            if value.is_nan() {
                find(Rule::NotANumberValue);
            } else if value < 0.0 {
                find(Rule::NegativeValue);
            }
        }
        (Type::Counter, "") if format == Format::Text && (value < 0.0 || value.is_nan()) => {
            find(if value.is_nan() { Rule::NotANumberValue } else { Rule::NegativeValue });
        }
        (Type::GaugeHistogram, "_gsum") if value.is_nan() => find(Rule::NotANumberValue),
        (Type::Summary, "") if value < 0.0 => find(Rule::NegativeQuantile),
        (Type::Info, _) if value != 1.0 => find(Rule::InfoValue),
        (Type::StateSet, _) => {
            if value != 0.0 && value != 1.0 {
                find(Rule::StateValue);
            }
            if sample.label(family).is_none() {
                find(Rule::StateLabel);
            }
        }
        _ => {}
    }
}

/// What a bucket's `le` and a quantile's `quantile` must be.
fn bound(sample: &Sample<'_>, kind: Type, suffix: &str, find: &mut impl FnMut(Rule)) {
    let label = match (kind, suffix) {
        (Type::Histogram | Type::GaugeHistogram, "_bucket") => "le",
        (Type::Summary, "") => "quantile",
        _ => return,
    };
    let Some(text) = sample.label(label) else { return find(Rule::MissingBound) };
    let Some(bound) = number(text.as_bytes()) else { return find(Rule::BoundNotANumber) };
    if label == "quantile" {
        if !(0.0..=1.0).contains(&bound.value) {
            find(Rule::QuantileRange);
        }
    } else if bound.value.is_nan() || (bound.value.is_infinite() && text != "+Inf") {
        find(Rule::InfinityForm);
    }
}

/// A name with a label set, whatever the order of the labels.
fn series(sample: &Sample<'_>, aside: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    sample.name().hash(&mut hasher);
    series_labels(sample, aside).hash(&mut hasher);
    hasher.finish()
}

/// A label set, whatever its order, without one label.
fn series_labels(sample: &Sample<'_>, aside: Option<&str>) -> u64 {
    let mut labels: Vec<(&str, &str)> = sample.labels().filter(|(name, _)| Some(*name) != aside).collect();
    labels.sort_unstable();
    let mut hasher = DefaultHasher::new();
    labels.hash(&mut hasher);
    hasher.finish()
}
