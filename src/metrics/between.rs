//! What happened between two scrapes, as metrics of their own; and a timeline of several.

use super::dump::Dump;
use super::meaning::{Meaning, Shape};
use super::series::{Content, Series, SeriesKey, SeriesMap, shape};
use super::serving::{Selection, ServingMetrics, is_whole};
use super::sets;
use super::traps::{Scene, traps_between};
use super::window::{HistogramWindow, Order, Pair, Reset, StartChange, histogram_between, increase_between, pair};
use crate::paste::{Warning, WarningKind};
use crate::units::format::count;
use crate::units::{Seconds, TokensPerSecond};
use std::collections::{BTreeMap, BTreeSet};

/// What happened between two scrapes of the same server.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// One set per model and engine: distributions and counters of the window alone, gauges of its end.
    pub sets: Vec<ServingMetrics>,
    /// How long it is, where both scrapes carry timestamps.
    pub duration: Option<Seconds>,
    /// How the two scrapes stood to each other as they were given.
    pub order: Order,
    /// What there is to say about it.
    pub warnings: Vec<Warning>,
}

impl Window {
    /// The sets of one selection as one.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> ServingMetrics {
        ServingMetrics::together(self.sets.iter().filter(|set| selection.includes(&set.selection)))
    }

    /// Tokens generated per second over the window, all requests together, where its duration is known.
    #[must_use]
    pub fn throughput(&self, selection: &Selection) -> Option<TokensPerSecond> {
        let seconds = self.duration.filter(|duration| duration.get() > 0.0)?.get();
        Some(TokensPerSecond::new(self.select(selection).value(Meaning::GenerationTokens)? / seconds))
    }
}

/// What happened between two scrapes: the growth of each series, as Prometheus' `increase` has it without
/// extrapolation. A series that was set back to zero in between counts from there; two scrapes given the wrong way round
/// are turned. Both are told.
///
/// ```
/// use decodescope::metrics::{Meaning, Selection, read_dump, window};
/// use decodescope::paste::prometheus::read;
/// let scrape = |count: f64, sum: f64| {
///     let name = "vllm:inter_token_latency_seconds";
///     read_dump(&read(&format!("{name}_sum {sum}\n{name}_count {count}\n")))
/// };
/// // 1000 slow tokens while warming up, then 600 of 18 ms
/// let load = window(&scrape(1000.0, 50.0), &scrape(1600.0, 60.8));
/// let mean = load.select(&Selection::default()).mean(Meaning::InterTokenLatency).unwrap();
/// assert!((mean.as_millis() - 18.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn window(before: &Dump, after: &Dump) -> Window {
    let order = order(before, after);
    let (before, after) = if order == Order::Swapped { (after, before) } else { (before, after) };
    let mut difference = Difference {
        restarted: StartChange::of(before.started, after.started) == StartChange::Restarted,
        known: before.series.keys().map(|key| key.metric.as_str()).collect(),
        ..Difference::default()
    };
    for (key, pair) in pair(&before.series, &after.series) {
        difference.take(key, pair);
    }
    let sets = sets::sets(&difference.series);
    let mut warnings = in_order(order).into_iter().collect::<Vec<_>>();
    difference.tell(&mut warnings, order);
    let all = ServingMetrics::together(&sets);
    if !grew(&all) {
        warnings.push(nothing_grew(&all, before));
    }
    warnings.extend(traps_between(&Scene {
        all,
        sets: &sets,
        names: &after.names,
        series: &difference.series,
        exposition: None,
    }));
    let seconds = before.taken.zip(after.taken).map(|(before, after)| after - before);
    let duration = seconds.filter(|seconds| *seconds > 0.0).map(Seconds::new);
    Window { sets, duration, order, warnings }
}

/// Several scrapes in a row, and what happened between each and the next.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// One window between each scrape and the next.
    pub windows: Vec<Window>,
}

/// What happened between each scrape and the next. Scrapes that all carry timestamps are first put in their order.
#[must_use]
pub fn timeline(scrapes: &[Dump]) -> Timeline {
    let mut scrapes: Vec<&Dump> = scrapes.iter().collect();
    if scrapes.iter().all(|scrape| scrape.taken.is_some()) {
        scrapes.sort_by(|a, b| a.taken.partial_cmp(&b.taken).unwrap_or(std::cmp::Ordering::Equal));
    }
    let next = scrapes.iter().skip(1);
    Timeline { windows: scrapes.iter().zip(next).map(|(before, after)| window(before, after)).collect() }
}

/// The series of a window, and what was found on the way to them.
#[derive(Default)]
struct Difference<'a> {
    restarted: bool,
    /// The metrics of the earlier scrape.
    known: BTreeSet<&'a str>,
    series: SeriesMap,
    resets: Vec<(&'a str, Reset)>,
    bounds_differ: BTreeSet<&'a str>,
    vanished: BTreeMap<&'a str, usize>,
    left_out: BTreeSet<&'a str>,
}

impl<'a> Difference<'a> {
    fn take(&mut self, key: &'a SeriesKey, pair: Pair<'_, Series>) {
        let (content, series) = match pair {
            Pair::Vanished(_) => {
                *self.vanished.entry(&key.metric).or_insert(0) += 1;
                return;
            }
            // A reason for finishing that came up for the first time; but of a metric that the earlier scrape does not
            // have at all, nothing says since when it counts.
            Pair::Appeared(after) => {
                if !self.known.contains(key.metric.as_str()) && !is_gauge(key, after) {
                    self.left_out.insert(&key.metric);
                    return;
                }
                (after.content.clone(), after)
            }
            Pair::Both { before, after } => (self.between(key, before, after), after),
        };
        self.series.insert(key.clone(), Series { content, ..series.clone() });
    }

    fn between(&mut self, key: &'a SeriesKey, before: &Series, after: &Series) -> Content {
        let restarted = self.restarted || StartChange::of(before.created, after.created) == StartChange::Restarted;
        match (&before.content, &after.content) {
            (Content::Histogram(old), Content::Histogram(new)) => {
                let HistogramWindow { histogram, reset, bounds_differ, .. } = histogram_between(old, new, restarted);
                self.resets.extend(reset.map(|reset| (key.metric.as_str(), reset)));
                if bounds_differ {
                    self.bounds_differ.insert(&key.metric);
                }
                Content::Histogram(histogram)
            }
            (Content::Value(old), Content::Value(new)) if !is_gauge(key, after) => {
                let grown = increase_between(*old, *new, restarted);
                if grown.is_some_and(|grown| grown.resets > 0) {
                    let reset = Reset::CountFell { before: *old, after: *new };
                    self.resets.push((&key.metric, if restarted { Reset::Restarted } else { reset }));
                }
                Content::Value(grown.map_or(*new, |grown| grown.amount))
            }
            _ => after.content.clone(),
        }
    }

    fn tell(&self, warnings: &mut Vec<Warning>, order: Order) {
        let mut tell = |kind, message: String| warnings.push(Warning::whole(kind, message));
        let fell = self.resets.iter().find(|(_, reset)| *reset != Reset::Restarted);
        match (fell, self.restarted) {
            (_, true) => tell(
                WarningKind::Inconsistent,
                "the server restarted between the two scrapes: what it did before the restart is lost, what is shown \
                 came after"
                    .to_owned(),
            ),
            (Some((metric, reset)), false) if order != Order::Unclear => tell(
                WarningKind::Inconsistent,
                format!(
                    "{} series were set back between the two scrapes ({metric}: {}): of those only what came after is \
                     shown",
                    self.resets.len(),
                    in_words(*reset)
                ),
            ),
            _ => {}
        }
        for metric in &self.bounds_differ {
            tell(
                WarningKind::Inconsistent,
                format!("{metric} has other buckets in the later scrape: only the bounds both have are kept"),
            );
        }
        for (metric, series) in &self.vanished {
            tell(
                WarningKind::Missing,
                format!("{metric}: {series} series of the earlier scrape are not in the later one; left out"),
            );
        }
        for metric in &self.left_out {
            tell(
                WarningKind::Missing,
                format!("{metric} is only in the later scrape, so nothing says since when it counts; left out"),
            );
        }
    }
}

fn is_gauge(key: &SeriesKey, series: &Series) -> bool {
    series.rows(key).next().is_none_or(|(_, name)| shape(name) == Shape::Gauge)
}

/// Whether the two are in order, by what can only grow, when the server started, and when they were taken.
fn order(before: &Dump, after: &Dump) -> Order {
    let totals = before.series.iter().filter_map(|(key, old)| {
        let new = after.series.get(key)?;
        match (&old.content, &new.content) {
            (Content::Histogram(old), Content::Histogram(new)) if is_whole(old) && is_whole(new) => {
                Some((old.total(), new.total()))
            }
            (Content::Value(a), Content::Value(b)) if !is_gauge(key, old) => Some((*a, *b)),
            _ => None,
        }
    });
    let order = Order::of(totals, StartChange::of(before.started, after.started));
    match before.taken.zip(after.taken) {
        Some((before, after)) if after < before => Order::Swapped,
        Some((before, after)) if after > before && matches!(order, Order::Unclear | Order::Swapped) => Order::Restarted,
        _ => order,
    }
}

fn in_order(order: Order) -> Option<Warning> {
    let message = match order {
        Order::Swapped => "the two scrapes were given in the wrong order; they were turned",
        Order::Unclear => {
            "counters are lower in the later scrape and nothing says when the server started: a restart in between, or \
             the two are in the wrong order; all of the later scrape is shown"
        }
        Order::AsGiven | Order::Restarted => return None,
    };
    Some(Warning::whole(WarningKind::Inconsistent, message))
}

fn in_words(reset: Reset) -> String {
    match reset {
        Reset::Restarted => "a later start".to_owned(),
        Reset::CountFell { before, after } => format!("from {} to {}", count(before), count(after)),
        Reset::BucketFell { le, before, after } => {
            format!("bucket le={le} from {} to {}", count(before), count(after))
        }
        Reset::SumFell { before, after } => format!("sum from {before} to {after}"),
    }
}

fn grew(all: &ServingMetrics) -> bool {
    let counters = all.values.iter().filter(|(meaning, _)| meaning.shape() == Shape::Counter);
    all.histograms.values().any(|latency| latency.histogram.total() > 0.0)
        || counters.into_iter().any(|(_, v)| *v > 0.0)
}

fn nothing_grew(all: &ServingMetrics, before: &Dump) -> Warning {
    let running = all.value(Meaning::RequestsRunning).filter(|running| *running > 0.0);
    let ran = before.select(&Selection::default()).value(Meaning::RequestsRunning).is_some_and(|ran| ran > 0.0);
    match running.filter(|_| ran) {
        Some(running) => Warning::whole(
            WarningKind::Trap,
            format!(
                "both scrapes speak of {} running requests, yet no counter grew in between: the gauge is stale, or the \
                 server hangs",
                count(running)
            ),
        ),
        None => Warning::whole(WarningKind::Missing, "nothing was observed between the two scrapes"),
    }
}
