//! One set of serving metrics, and several of them together.

use super::histogram::Histogram;
use super::meaning::{Meaning, Merge};
use crate::units::{Ratio, Seconds};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A histogram with the name the server gives it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Latency {
    /// The metric's name in the dump.
    pub metric: String,
    /// Its observations.
    pub histogram: Histogram,
}

/// Which set of a dump is looked at: `None` is any.
#[derive(Debug, Clone, PartialEq, Eq, Default, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Selection {
    /// The model's name as the server gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The engine's number among several (the data-parallel rank).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
}

impl Selection {
    /// Whether a set with these names is part of this selection.
    #[must_use]
    pub fn includes(&self, other: &Selection) -> bool {
        (self.model.is_none() || self.model == other.model) && (self.engine.is_none() || self.engine == other.engine)
    }
}

impl std::fmt::Display for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.model, &self.engine) {
            (None, None) => f.write_str("all together"),
            (Some(model), None) => f.write_str(model),
            (None, Some(engine)) => write!(f, "engine {engine}"),
            (Some(model), Some(engine)) => write!(f, "{model}, engine {engine}"),
        }
    }
}

/// What one engine of one model tells, or several of them together.
///
/// A quantity that the dump does not hold is absent, never zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ServingMetrics {
    /// The serving engine's name, such as vLLM.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub product: String,
    /// Whose metrics these are.
    #[serde(default)]
    pub selection: Selection,
    /// Distributions, in seconds or tokens.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub histograms: BTreeMap<Meaning, Latency>,
    /// Counters and gauges.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<Meaning, f64>,
}

impl ServingMetrics {
    /// The distribution of one meaning, if the dump has it.
    #[must_use]
    pub fn histogram(&self, meaning: Meaning) -> Option<&Histogram> {
        self.histograms.get(&meaning).map(|latency| &latency.histogram)
    }

    /// The value of one counter or gauge, if the dump has it.
    #[must_use]
    pub fn value(&self, meaning: Meaning) -> Option<f64> {
        self.values.get(&meaning).copied()
    }

    /// The exact mean of a distribution of times, if it has observations and a sum.
    #[must_use]
    pub fn mean(&self, meaning: Meaning) -> Option<Seconds> {
        self.histogram(meaning)?.mean().map(Seconds::new)
    }

    /// Whether anything was ever observed of the two latencies that matter.
    #[must_use]
    pub fn has_latency(&self) -> bool {
        [Meaning::InterTokenLatency, Meaning::TimeToFirstToken]
            .into_iter()
            .any(|meaning| self.histogram(meaning).is_some_and(|h| h.total() > 0.0))
    }

    /// Requests seen: those finished, else those that produced a first token.
    #[must_use]
    pub fn requests(&self) -> Option<f64> {
        let started = || self.histogram(Meaning::TimeToFirstToken).map(Histogram::total);
        self.value(Meaning::RequestsFinished).or_else(started)
    }

    /// Tokens each decode step yields per request, when the dump can tell.
    ///
    /// # Formula
    /// (generated tokens − first tokens) / ITL observations. Above 1 with speculative decoding or
    /// several scheduler steps at once, since the server observes ITL once per output, not per token.
    ///
    /// # Source
    /// vLLM's accounting of outputs: TTFT is observed at the first output, ITL at each further one.
    ///
    /// # Limits
    /// Absent where one of the three is missing or nothing was decoded.
    #[must_use]
    pub fn tokens_per_step(&self) -> Option<f64> {
        let steps = self.histogram(Meaning::InterTokenLatency)?.total();
        let first = self.histogram(Meaning::TimeToFirstToken)?.total();
        let decoded = self.value(Meaning::GenerationTokens)? - first;
        (steps > 0.0 && decoded > 0.0).then(|| decoded / steps)
    }

    /// The share of looked-up prompt tokens (or blocks) found in the prefix cache.
    #[must_use]
    pub fn prefix_hit_rate(&self) -> Option<Ratio> {
        let queries = self.value(Meaning::PrefixCacheQueries)?;
        (queries > 0.0).then(|| self.value(Meaning::PrefixCacheHits).map(|hits| Ratio::new(hits / queries)))?
    }

    /// Several sets as one: distributions and totals add up, shares are averaged.
    ///
    /// The selection keeps what all the sets have in common.
    #[must_use]
    pub fn together<'a>(sets: impl IntoIterator<Item = &'a ServingMetrics>) -> ServingMetrics {
        let mut sets = sets.into_iter();
        let Some(first) = sets.next() else { return ServingMetrics::default() };
        let mut all = first.clone();
        let mut averaged: BTreeMap<Meaning, f64> = BTreeMap::new();
        for set in sets {
            if all.selection.model != set.selection.model {
                all.selection.model = None;
            }
            if all.selection.engine != set.selection.engine {
                all.selection.engine = None;
            }
            if !all.product.split(" and ").any(|product| product == set.product) {
                all.product = format!("{} and {}", all.product, set.product);
            }
            for (&meaning, latency) in &set.histograms {
                all.histograms
                    .entry(meaning)
                    .and_modify(|existing| existing.histogram.add(&latency.histogram))
                    .or_insert_with(|| latency.clone());
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
}
