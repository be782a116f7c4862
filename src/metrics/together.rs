//! Several sets of metrics as one.

use super::histogram::Histogram;
use super::meaning::{Meaning, Merge, Shape};
use super::serving::{Latency, Selection, ServingMetrics};
use std::collections::BTreeMap;

impl Latency {
    /// The observations of both. Where their buckets were cut in different places so that nothing of a sum is left,
    /// the one that holds more stands for both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let mut histogram = self.histogram.clone();
        histogram.add(&other.histogram);
        let (ours, theirs) = (self.histogram.total(), other.histogram.total());
        if histogram.total() < ours.max(theirs) {
            return if theirs > ours { other } else { self };
        }
        Self { metric: self.metric, histogram }
    }
}

impl Selection {
    fn shared_with(&self, other: &Selection) -> Selection {
        let shared = |ours: &Option<String>, theirs: &Option<String>| ours.clone().filter(|_| ours == theirs);
        Selection { model: shared(&self.model, &other.model), engine: shared(&self.engine, &other.engine) }
    }
}

impl ServingMetrics {
    /// Several sets as one: distributions and totals add up, shares are averaged.
    ///
    /// The selection keeps what all the sets have in common. Only the sets of one product add up: two in one dump are
    /// two views of the same requests (a front end and the servers behind it), of which the servers' is taken, and the
    /// other's for what the first does not tell.
    #[must_use]
    pub fn together<'a>(sets: impl IntoIterator<Item = &'a ServingMetrics>) -> ServingMetrics {
        let mut products: Vec<(&str, Vec<&ServingMetrics>)> = Vec::new();
        for set in sets {
            match products.iter_mut().find(|(product, _)| *product == set.product) {
                Some((_, sets)) => sets.push(set),
                None => products.push((&set.product, vec![set])),
            }
        }
        let mut views: Vec<ServingMetrics> = products.into_iter().map(|(_, sets)| Self::added(&sets)).collect();
        views.sort_by_key(|view| (!view.has_latency(), view.front_end));
        views.into_iter().reduce(Self::completed_by).unwrap_or_default()
    }

    /// Takes in what was observed in another window: distributions and counters add up, gauges stay.
    pub fn grow(&mut self, other: &ServingMetrics) {
        for (&meaning, latency) in &other.histograms {
            let empty = || Latency { metric: latency.metric.clone(), histogram: Histogram::default() };
            self.histograms.entry(meaning).or_insert_with(empty).histogram.add(&latency.histogram);
        }
        let counters = other.values.iter().filter(|(meaning, _)| meaning.shape() == Shape::Counter);
        counters.for_each(|(&meaning, value)| *self.values.entry(meaning).or_insert(0.0) += value);
    }

    /// Sets of one product as one.
    fn added(sets: &[&ServingMetrics]) -> ServingMetrics {
        let Some((first, others)) = sets.split_first() else { return ServingMetrics::default() };
        let mut all = (*first).clone();
        let mut averaged: BTreeMap<Meaning, f64> = BTreeMap::new();
        for set in others {
            all.selection = all.selection.shared_with(&set.selection);
            for (&meaning, latency) in &set.histograms {
                let sum = match all.histograms.remove(&meaning) {
                    Some(existing) => existing.and(latency.clone()),
                    None => latency.clone(),
                };
                all.histograms.insert(meaning, sum);
            }
            for (&meaning, &value) in &set.values {
                if meaning.merge() == Merge::Mean && all.values.contains_key(&meaning) {
                    *averaged.entry(meaning).or_insert(1.0) += 1.0;
                }
                *all.values.entry(meaning).or_insert(0.0) += value;
            }
        }
        for (meaning, sets) in averaged {
            all.values.entry(meaning).and_modify(|sum| *sum /= sets);
        }
        all
    }

    /// This view of the requests, with what only the other tells.
    fn completed_by(mut self, other: ServingMetrics) -> ServingMetrics {
        let before = self.histograms.len() + self.values.len();
        for (meaning, latency) in other.histograms {
            self.histograms.entry(meaning).or_insert(latency);
        }
        for (meaning, value) in other.values {
            self.values.entry(meaning).or_insert(value);
        }
        if self.histograms.len() + self.values.len() > before {
            self.product = format!("{} and {}", self.product, other.product);
        }
        self.selection = self.selection.shared_with(&other.selection);
        self
    }
}
