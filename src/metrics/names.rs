//! Sample names taken apart, counted, and the engines behind them recognised.

use super::dump::NameCount;
use super::engines::{self, ENGINES, Engine, Evidence};
use super::meaning::Meaning;
use crate::paste::prometheus::{Exposition, Sample, Type};
use std::collections::{HashMap, HashSet};

/// Which part of its metric a sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
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

/// A sample's name taken apart. A name is looked up whole first, since `iteration_tokens_total` is the base name of a
/// histogram.
fn take_apart<'n>(exposition: &Exposition<'_>, name: &'n str) -> (&'n str, Part) {
    if ENGINES.iter().any(|engine| engine.knows(name)) {
        return (name, Part::Value);
    }
    for (suffix, part) in SUFFIXES {
        if let Some(base) = name.strip_suffix(suffix) {
            // A gauge may be called what it likes; only what declares when something began is not one of its own.
            let own = part != Part::Created && exposition.family(name).is_some_and(|f| f.kind == Some(Type::Gauge));
            return if own { (name, Part::Value) } else { (base, part) };
        }
    }
    (name, Part::Value)
}

/// A text with more metric names is no scrape of servers but damage, or made to be large.
pub(super) const MOST_NAMES: usize = 100_000;

/// A sample name of the text.
pub(super) struct SampleName<'a> {
    pub base: &'a str,
    pub part: Part,
    /// Where its base is in the list of names.
    place: usize,
    pub engine: Option<usize>,
    /// Whether it was said that its shape is not the expected one.
    pub misshapen: bool,
}

/// All names of a text.
#[derive(Default)]
pub(super) struct Names<'a> {
    pub counts: Vec<NameCount>,
    places: HashMap<&'a str, usize>,
    pub entries: Vec<SampleName<'a>>,
    /// Where a sample's name is among the entries.
    pub index: HashMap<&'a str, usize>,
    last: Option<(&'a str, usize)>,
    /// Samples of names beyond the most that are kept.
    pub beyond: usize,
}

impl<'a> Names<'a> {
    pub fn count(&mut self, exposition: &Exposition<'_>, sample: &Sample<'a>) {
        let Some(entry) = self.entry(exposition, sample.name()) else {
            self.beyond += 1;
            return;
        };
        let place = self.entries.get(entry).map_or(0, |entry| entry.place);
        if let Some(count) = self.counts.get_mut(place) {
            count.samples += 1;
        }
    }

    fn entry(&mut self, exposition: &Exposition<'_>, name: &'a str) -> Option<usize> {
        // Samples of one name stand together, so the last one nearly always is it again.
        if let Some((_, entry)) = self.last.filter(|(last, _)| *last == name) {
            return Some(entry);
        }
        let entry = match self.index.get(name) {
            Some(entry) => *entry,
            None if self.entries.len() >= MOST_NAMES => return None,
            None => {
                let (base, part) = take_apart(exposition, name);
                let engine = engines::by_prefix(base);
                let place = *self.places.entry(base).or_insert(self.counts.len());
                if place == self.counts.len() {
                    let meaning = engine.and_then(|engine| meaning(ENGINES.get(engine)?, base));
                    self.counts.push(NameCount { name: base.to_owned(), samples: 0, meaning, resembles: None });
                }
                self.entries.push(SampleName { base, part, place, engine, misshapen: false });
                self.index.insert(name, self.entries.len() - 1);
                self.entries.len() - 1
            }
        };
        self.last = Some((name, entry));
        Some(entry)
    }

    /// Names without prefix are looked at only where no name with one tells anything of speed: what has both is an
    /// exporter with metrics of its own.
    pub fn recognise_unprefixed<I: Iterator<Item = Sample<'a>>>(&mut self, samples: impl Fn() -> I) {
        let tells = |name: &NameCount| name.meaning.is_some_and(Meaning::is_time);
        if self.counts.iter().any(tells) {
            return;
        }
        let bases: HashSet<&str> = self.entries.iter().map(|entry| entry.base).collect();
        let mut unprefixed = ENGINES.iter().enumerate().filter(|(_, e)| !matches!(e.evidence, Evidence::Prefix));
        let has_label = |engine: &Engine, label: &str| {
            let known = self.entries.iter().filter(|entry| engine.knows(entry.base));
            let known: HashSet<&str> = known.map(|entry| entry.base).collect();
            samples().any(|s| known.iter().any(|base| s.name().starts_with(base)) && s.label(label).is_some())
        };
        let is_evident = |engine: &Engine| engine.is_evident(bases.iter().copied(), |label| has_label(engine, label));
        let found = unprefixed.find(|(_, engine)| is_evident(engine));
        let Some((found, engine)) = found else { return };
        for entry in self.entries.iter_mut().filter(|entry| entry.engine.is_none() && engine.knows(entry.base)) {
            entry.engine = Some(found);
            if let Some(name) = self.counts.get_mut(entry.place) {
                name.meaning = meaning(engine, entry.base);
            }
        }
    }
}

fn meaning(engine: &Engine, base: &str) -> Option<Meaning> {
    engine.rows(base).next().map(|(_, name)| name.meaning)
}
