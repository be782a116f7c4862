//! Series to sets of serving metrics, one per model and engine.

use super::engines::{ENGINES, NamePart, Observes, REPLICA_LABELS};
use super::histogram::Histogram;
use super::meaning::{Meaning, Merge};
use super::series::{Content, Series, SeriesKey, SeriesMap};
use super::serving::{Latency, Selection, ServingMetrics};
use crate::pace::Pace;
use crate::paste::{Warning, WarningKind};
use crate::units::format::count;
use std::collections::{BTreeMap, BTreeSet};

/// More sets are no choice for anybody, and each costs every view of them.
const MOST_SETS: usize = 1000;
/// So many series are taken between two rests.
const STRIDE: usize = 128;

/// What sets are told apart by; of too many, the next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Apart {
    Engines,
    Models,
    Nothing,
}

/// Brings series together into sets, in the order of products, models and engines.
pub(super) async fn sets(series: &SeriesMap, pace: &Pace) -> (Vec<ServingMetrics>, Option<Warning>) {
    let mut under_way: BTreeMap<(usize, Selection), SetUnderWay> = BTreeMap::new();
    let replica_labels = replica_labels(series, &pace.part(0.0, 0.2)).await;
    let taking = pace.part(0.2, 0.8);
    let mut apart = Apart::Engines;
    let mut rest = series.iter().enumerate();
    while let Some((place, (key, one))) = rest.next() {
        taking.rest_every(STRIDE, place, series.len()).await;
        let mut selection = key.selection(one.engine());
        let replica = replica_labels.get(&one.engine).and_then(|label| key.label(label));
        if let Some(replica) = replica {
            selection.engine = Some(match selection.engine {
                Some(rank) => format!("{replica} {rank}"),
                None => replica.to_owned(),
            });
        }
        if apart != Apart::Engines {
            selection.engine = None;
        }
        if apart == Apart::Nothing {
            selection.model = None;
        }
        under_way.entry((one.engine, selection)).or_default().add(key, one);
        if under_way.len() > MOST_SETS {
            apart = if apart == Apart::Engines { Apart::Models } else { Apart::Nothing };
            under_way.clear();
            rest = series.iter().enumerate();
        }
    }
    let finishing = pace.part(0.8, 1.0);
    let mut sets = Vec::new();
    for ((engine, selection), set) in under_way {
        let set = set.finish(engine, selection, &finishing).await;
        sets.extend(Some(set).filter(|set| !set.histograms.is_empty() || !set.values.is_empty()));
    }
    let mut sets = give_away_the_nameless(sets);
    let place = |set: &ServingMetrics| (ENGINES.iter().position(|e| e.title == set.product), set.selection.clone());
    sets.sort_by_cached_key(place);
    let told = match apart {
        Apart::Engines => None,
        Apart::Models => Some("engines: only models are told apart, each with all its engines"),
        Apart::Nothing => Some("models: they are not told apart, the numbers are of all together"),
    };
    let warning = told.map(|told| format!("more than {} {told}", count(MOST_SETS as f64)));
    (sets, warning.map(|message| Warning::whole(WarningKind::Trap, message)))
}

/// For each engine the label that tells its servers apart, where there are several in the text.
async fn replica_labels(series: &SeriesMap, pace: &Pace) -> BTreeMap<usize, &'static str> {
    let mut texts: BTreeMap<(usize, usize), BTreeSet<&str>> = BTreeMap::new();
    for (place, (key, one)) in series.iter().enumerate() {
        pace.rest_every(STRIDE, place, series.len()).await;
        for (rank, label) in REPLICA_LABELS.iter().enumerate() {
            if let Some(text) = key.label(label) {
                texts.entry((one.engine, rank)).or_default().insert(text);
            }
        }
    }
    let mut found = BTreeMap::new();
    for ((engine, rank), texts) in texts {
        if let (true, Some(label)) = (texts.len() > 1, REPLICA_LABELS.get(rank)) {
            found.entry(engine).or_insert(*label);
        }
    }
    found
}

/// A metric about the whole server names no model or no engine; where only one set would do, it is that one's.
fn give_away_the_nameless(sets: Vec<ServingMetrics>) -> Vec<ServingMetrics> {
    let (mut named, nameless): (Vec<_>, Vec<_>) =
        sets.into_iter().partition(|set| set.selection.model.is_some() && set.selection.engine.is_some());
    // Those with a model before those without, so that what is left of the first can take the second in.
    let (first, second): (Vec<_>, Vec<_>) = nameless.into_iter().partition(|set| set.selection.model.is_some());
    for set in first.into_iter().chain(second) {
        let fits =
            |other: &&mut ServingMetrics| other.product == set.product && set.selection.includes(&other.selection);
        let mut fitting = named.iter_mut().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => {
                for (meaning, latency) in set.histograms {
                    only.histograms.entry(meaning).or_insert(latency);
                }
                for (meaning, value) in set.values {
                    only.values.entry(meaning).or_insert(value);
                }
            }
            _ => named.push(set),
        }
    }
    named
}

/// One set while its series are being added up. Per meaning and row of the engine's table: what each label set of its
/// own counts, so that copies of one value are not added.
#[derive(Default)]
struct SetUnderWay {
    histograms: BTreeMap<(Meaning, usize), BTreeMap<String, Latency>>,
    values: BTreeMap<(Meaning, usize), BTreeMap<String, f64>>,
}

impl SetUnderWay {
    fn add(&mut self, key: &SeriesKey, series: &Series) {
        for (rank, name) in series.rows(key) {
            let mut copies = series.engine().copies.to_vec();
            if name.meaning.merge() == Merge::Mean {
                // Several processes each export the share of the one cache; all but one say 0.
                copies.push("pid");
            }
            let own = key.labels_without(&copies);
            let metric = key.metric.clone();
            match (&series.content, name.part) {
                (Content::Histogram(histogram), _) => {
                    let latency = Latency { metric, histogram: histogram.clone() };
                    self.add_histogram((name.meaning, rank), own, latency);
                }
                (Content::Value(value), NamePart::Whole) => {
                    let kept = self.values.entry((name.meaning, rank)).or_default().entry(own).or_insert(*value);
                    *kept = kept.max(*value);
                }
                (Content::Value(value), NamePart::Sum | NamePart::Count) => {
                    let part = Some(*value);
                    let (sum, count) = if name.part == NamePart::Sum { (part, None) } else { (None, part) };
                    let histogram = Histogram { buckets: Vec::new(), sum, count };
                    self.add_part(name.meaning, own, Latency { metric, histogram });
                }
                (Content::Value(_), NamePart::Labels(labels)) => {
                    let numbers = labels.iter().map(|label| key.label(label)?.parse::<f64>().ok());
                    self.add_label(name.meaning, rank, own, numbers.product());
                }
                (Content::Value(_), NamePart::Word(label, words)) => {
                    let meant = |text: &str| words.iter().find(|(word, _)| *word == text).map(|(_, number)| *number);
                    self.add_label(name.meaning, rank, own, key.label(label).and_then(meant));
                }
            }
        }
    }

    fn add_label(&mut self, meaning: Meaning, rank: usize, own: String, number: Option<f64>) {
        if let Some(number) = number.filter(|number| *number > 0.0 && number.is_finite()) {
            self.values.entry((meaning, rank)).or_default().insert(own, number);
        }
    }

    fn add_histogram(&mut self, slot: (Meaning, usize), own: String, latency: Latency) {
        let copies = self.histograms.entry(slot).or_default();
        let kept = copies.entry(own).or_insert_with(|| latency.clone());
        if latency.histogram.total() > kept.histogram.total() {
            *kept = latency;
        }
    }

    /// A sum and a count that come as two counters make one distribution without buckets.
    fn add_part(&mut self, meaning: Meaning, own: String, latency: Latency) {
        let slot = self.histograms.entry((meaning, usize::MAX)).or_default();
        let kept = slot.entry(own).or_insert_with(|| Latency { metric: String::new(), ..latency.clone() });
        kept.histogram.sum = kept.histogram.sum.or(latency.histogram.sum);
        kept.histogram.count = kept.histogram.count.or(latency.histogram.count);
        let (first, second) = if latency.histogram.sum.is_some() {
            (latency.metric, std::mem::take(&mut kept.metric))
        } else {
            (std::mem::take(&mut kept.metric), latency.metric)
        };
        kept.metric = [first, second].into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" / ");
    }

    /// Takes the best name of each meaning: the first of the engine's table that observed anything.
    async fn finish(self, engine: usize, selection: Selection, pace: &Pace) -> ServingMetrics {
        let engine = ENGINES.get(engine).copied();
        let mut set = ServingMetrics {
            product: engine.map_or("", |engine| engine.title).to_owned(),
            per_token: engine.is_some_and(|engine| engine.observes == Observes::Tokens),
            front_end: engine.is_some_and(|engine| engine.front_end),
            selection,
            ..ServingMetrics::default()
        };
        for ((meaning, _), parts) in self.histograms {
            let all = parts.len();
            let mut together: Option<Latency> = None;
            for (place, latency) in parts.into_values().enumerate() {
                pace.rest_every(STRIDE, place, all).await;
                together = Some(match together {
                    Some(before) => before.and(latency),
                    None => latency,
                });
            }
            let Some(latency) = together else { continue };
            match set.histograms.get(&meaning) {
                Some(better) if better.histogram.total() > 0.0 || latency.histogram.total() == 0.0 => {}
                _ => {
                    set.histograms.insert(meaning, latency);
                }
            }
        }
        for ((meaning, _), parts) in self.values {
            let (number, sum) = (parts.len() as f64, parts.into_values().sum::<f64>());
            let value = if meaning.merge() == Merge::Mean { sum / number } else { sum };
            set.values.entry(meaning).or_insert(value);
        }
        set
    }
}
