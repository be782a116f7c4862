//! The growth of each series between two scrapes.

use super::meaning::Shape;
use super::series::{Content, Series, SeriesKey, SeriesMap, shape};
use super::window::{HistogramWindow, Order, Pair, Reset, StartChange, histogram_between, increase_between, pair};
use crate::pace::Pace;
use crate::paste::{Warning, WarningKind};
use crate::units::format::count;
use std::collections::{BTreeMap, BTreeSet};

/// The series of a window, and what was found on the way to them.
#[derive(Default)]
pub(super) struct Difference<'a> {
    /// Whether the server is known to have restarted in between.
    restarted: bool,
    /// The metrics of the earlier scrape.
    known: BTreeSet<&'a str>,
    pub series: SeriesMap,
    resets: Vec<(&'a str, Reset)>,
    bounds_differ: BTreeSet<&'a str>,
    vanished: BTreeMap<&'a str, usize>,
    left_out: BTreeSet<&'a str>,
}

impl<'a> Difference<'a> {
    pub async fn between(before: &'a SeriesMap, after: &'a SeriesMap, restarted: bool, pace: &Pace) -> Self {
        let known = before.keys().map(|key| key.metric.as_str()).collect();
        let mut difference = Self { restarted, known, ..Self::default() };
        let pairs = pair(before, after);
        let all = pairs.len();
        for (place, (key, pair)) in pairs.into_iter().enumerate() {
            pace.rest_every(256, place, all).await;
            difference.take(key, pair);
        }
        difference
    }

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
            Pair::Both { before, after } => (self.grown(key, before, after), after),
        };
        self.series.insert(key.clone(), Series { content, ..series.clone() });
    }

    fn grown(&mut self, key: &'a SeriesKey, before: &Series, after: &Series) -> Content {
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

    pub fn tell(&self, warnings: &mut Vec<Warning>, order: Order) {
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

pub(super) fn is_gauge(key: &SeriesKey, series: &Series) -> bool {
    series.rows(key).next().is_none_or(|(_, name)| shape(name) == Shape::Gauge)
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
