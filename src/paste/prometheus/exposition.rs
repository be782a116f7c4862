//! What was read: samples, families and remarks.

use super::arena::{Arena, Label, Record, Span};
use super::composite::Composite;
use super::index::Index;
use crate::paste::Warning;
use std::borrow::Cow;
use std::ops::Range;

/// A metric's type, as its `# TYPE` line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Only rises, except at a restart.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Cumulative buckets, a count and a sum.
    Histogram,
    /// A histogram whose counts may fall.
    GaugeHistogram,
    /// Quantiles, a count and a sum.
    Summary,
    /// Facts in labels; the value is 1.
    Info,
    /// One of several states is on.
    StateSet,
    /// `unknown` in OpenMetrics, `untyped` in the text format.
    Unknown,
}

impl Type {
    /// The word for it in OpenMetrics.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
            Self::GaugeHistogram => "gaugehistogram",
            Self::Summary => "summary",
            Self::Info => "info",
            Self::StateSet => "stateset",
            Self::Unknown => "unknown",
        }
    }

    /// The type a word stands for in either format, in any case.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        const WORDS: [(&str, Type); 10] = [
            ("counter", Type::Counter),
            ("gauge", Type::Gauge),
            ("histogram", Type::Histogram),
            ("summary", Type::Summary),
            ("untyped", Type::Unknown),
            ("unknown", Type::Unknown),
            ("info", Type::Info),
            ("stateset", Type::StateSet),
            ("gaugehistogram", Type::GaugeHistogram),
            ("gauge_histogram", Type::GaugeHistogram),
        ];
        let same = |(known, _): &&(&str, Type)| *known == word;
        let alike = |(known, _): &&(&str, Type)| known.eq_ignore_ascii_case(word);
        WORDS.iter().find(same).or_else(|| WORDS.iter().find(alike)).map(|(_, kind)| *kind)
    }

    /// The endings this type's samples add to the family's name.
    #[must_use]
    pub const fn suffixes(self) -> &'static [&'static str] {
        match self {
            Self::Counter => &["_total", "_created"],
            Self::Histogram => &["_bucket", "_count", "_sum", "_created"],
            Self::GaugeHistogram => &["_bucket", "_gcount", "_gsum"],
            Self::Summary => &["_count", "_sum", "_created"],
            Self::Info => &["_info"],
            Self::Gauge | Self::StateSet | Self::Unknown => &[],
        }
    }
}

/// A moment in Unix time.
///
/// The text format writes milliseconds, OpenMetrics seconds; here it is seconds. In a text that has anything of
/// OpenMetrics', or a timestamp with a fraction, each number tells by its size: from 10¹¹ on it is milliseconds, since
/// as seconds it would be beyond the year 5138.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Timestamp(f64);

impl Timestamp {
    /// From seconds since 1970.
    #[must_use]
    pub const fn from_seconds(seconds: f64) -> Self {
        Self(seconds)
    }

    /// Seconds since 1970.
    #[must_use]
    pub const fn seconds(self) -> f64 {
        self.0
    }

    /// Milliseconds since 1970, rounded to whole ones.
    #[must_use]
    pub fn millis(self) -> f64 {
        (self.0 * 1e3).round()
    }
}

/// A metric's metadata.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Family<'a> {
    /// The name the metadata gives, without the samples' suffixes.
    pub name: Cow<'a, str>,
    /// Its type; `None` where no line says or the word is unknown.
    pub kind: Option<Type>,
    /// Its explanation, unescaped.
    pub help: Option<Cow<'a, str>>,
    /// Its unit, from OpenMetrics' `# UNIT`.
    pub unit: Option<Cow<'a, str>>,
    /// The line of its first metadata, counted from 1.
    pub line: usize,
}

/// All that was read from one text.
#[derive(Debug, Clone)]
pub struct Exposition<'a> {
    pub(super) source: &'a str,
    pub(super) arena: Arena,
    pub(super) families: Vec<Family<'a>>,
    pub(super) index: Index<'a>,
    pub(super) warnings: Vec<Warning>,
    pub(super) eof: bool,
    /// From this number on timestamps are milliseconds, whatever their sign; below it seconds.
    pub(super) milliseconds_from: f64,
}

impl<'a> Exposition<'a> {
    /// Every sample, in the order of its line.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = Sample<'_>> + DoubleEndedIterator {
        self.samples_within(0..self.arena.records.len())
    }

    /// The samples at these places, without a walk over those before.
    pub(crate) fn samples_within(
        &self,
        places: Range<usize>,
    ) -> impl ExactSizeIterator<Item = Sample<'_>> + DoubleEndedIterator {
        let records = self.arena.records.get(places.clone()).unwrap_or_default();
        let start = places.start;
        let sample = move |(index, record)| Sample { exposition: self, record, index: start + index };
        records.iter().enumerate().map(sample)
    }

    /// Every metric that has metadata, in the order of its first line.
    #[must_use]
    pub fn families(&self) -> &[Family<'a>] {
        &self.families
    }

    /// The family of this name.
    #[must_use]
    pub fn family(&self, name: &str) -> Option<&Family<'a>> {
        self.index.get(name).and_then(|index| self.families.get(*index))
    }

    /// The family a sample of this name belongs to: the one of the same name, or the one whose type
    /// adds the suffix the name has.
    #[must_use]
    pub fn family_of(&self, sample_name: &str) -> Option<&Family<'a>> {
        self.family(sample_name).or_else(|| {
            let (base, _) = sample_name.rsplit_once('_')?;
            let family = self.family(base)?;
            let suffix = sample_name.get(base.len()..)?;
            family.kind?.suffixes().contains(&suffix).then_some(family)
        })
    }

    /// What there is to say about the text, by line.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Whether there is metadata but not one sample, as before a server's first request.
    #[must_use]
    pub fn has_metadata_only(&self) -> bool {
        self.arena.records.is_empty() && !self.families.is_empty()
    }

    /// Whether the text ends with OpenMetrics' `# EOF`.
    #[must_use]
    pub fn ended_with_eof(&self) -> bool {
        self.eof
    }

    fn text(&self, span: Span) -> &str {
        self.arena.text(self.source, span)
    }

    fn time(&self, raw: f64) -> Option<Timestamp> {
        (!raw.is_nan()).then_some(Timestamp(if raw.abs() < self.milliseconds_from { raw } else { raw / 1e3 }))
    }
}

/// One sample: a view into the [`Exposition`] it was read by.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    exposition: &'a Exposition<'a>,
    record: &'a Record,
    index: usize,
}

impl<'a> Sample<'a> {
    /// The name, unescaped where it was quoted.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.exposition.text(self.record.name)
    }

    /// The labels as (name, value), unescaped, in the order of the line.
    pub fn labels(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let exposition = self.exposition;
        exposition
            .arena
            .labels_of(self.record)
            .map(move |label| (exposition.text(label.name), exposition.text(label.value)))
    }

    /// The value of a label; the last one where the name is there twice.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&'a str> {
        let exposition = self.exposition;
        (exposition.arena.labels_of(self.record))
            .filter(|label| label.name.length as usize == name.len() && exposition.text(label.name) == name)
            .last()
            .map(|label| exposition.text(label.value))
    }

    /// The value; not a number where it is [composite](Self::composite).
    #[must_use]
    pub fn value(&self) -> f64 {
        self.record.value
    }

    /// The time of the sample, where one is written.
    #[must_use]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.aside(&self.exposition.arena.times).and_then(|raw| self.exposition.time(*raw))
    }

    /// When what it counts began, where OpenMetrics 2.0's `st@` says.
    #[must_use]
    pub fn start(&self) -> Option<Timestamp> {
        self.aside(&self.exposition.arena.starts).copied().map(Timestamp)
    }

    /// The whole histogram or summary that is its value, where it is one.
    #[must_use]
    pub fn composite(&self) -> Option<&'a Composite> {
        self.aside(&self.exposition.arena.composites)
    }

    /// What is kept of few samples, by the sample's place.
    fn aside<T>(&self, table: &'a [(u32, T)]) -> Option<&'a T> {
        let found = table.binary_search_by_key(&self.index, |(sample, _)| *sample as usize).ok()?;
        table.get(found).map(|(_, value)| value)
    }

    /// The line it was read from, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.record.line as usize
    }

    /// The metric's metadata, where there is any.
    #[must_use]
    pub fn family(&self) -> Option<&'a Family<'a>> {
        self.exposition.family_of(self.name())
    }

    /// The exemplars attached to it: one at most in OpenMetrics 1.0.
    pub fn exemplars(&self) -> impl Iterator<Item = Exemplar<'a>> + use<'a> {
        let exposition = self.exposition;
        let all = &exposition.arena.exemplars;
        let (first, sample) = (all.partition_point(|one| (one.sample as usize) < self.index), self.index);
        let own = all.get(first..).unwrap_or_default().iter().take_while(move |one| one.sample as usize == sample);
        own.map(move |record| {
            let start = record.labels_start as usize;
            let labels = exposition.arena.labels.get(start..start + record.labels_count as usize).unwrap_or_default();
            Exemplar { exposition, labels, value: record.value, timestamp: exposition.time(record.timestamp) }
        })
    }
}

impl std::fmt::Debug for Sample<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name())?;
        f.debug_map().entries(self.labels()).finish()?;
        write!(f, " {:?}", self.value())
    }
}

/// An example measurement behind a sample, usually with a trace to look up.
#[derive(Clone, Copy)]
pub struct Exemplar<'a> {
    exposition: &'a Exposition<'a>,
    labels: &'a [Label],
    /// The measured value.
    pub value: f64,
    /// When it was measured.
    pub timestamp: Option<Timestamp>,
}

impl<'a> Exemplar<'a> {
    /// Its labels as (name, value), unescaped.
    pub fn labels(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let exposition = self.exposition;
        self.labels.iter().map(move |label| (exposition.text(label.name), exposition.text(label.value)))
    }
}
