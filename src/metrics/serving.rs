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

impl Selection {
    fn shared_with(&self, other: &Selection) -> Selection {
        let shared = |ours: &Option<String>, theirs: &Option<String>| ours.clone().filter(|_| ours == theirs);
        Selection { model: shared(&self.model, &other.model), engine: shared(&self.engine, &other.engine) }
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
    /// Whether inter-token latency is observed once per token rather than once per output of a step.
    #[serde(default, skip_serializing_if = "is_false")]
    pub per_token: bool,
    /// Whether these are a front end's, whose requests the servers behind it count too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub front_end: bool,
    /// Distributions, in seconds or tokens.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub histograms: BTreeMap<Meaning, Latency>,
    /// Counters and gauges.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<Meaning, f64>,
}

/// Whether it is known how many observations there are: the dump was not cut before the count.
pub(super) fn is_whole(histogram: &Histogram) -> bool {
    histogram.count.is_some() || histogram.buckets.last().is_some_and(|last| last.le == f64::INFINITY)
}

fn is_false(flag: &bool) -> bool {
    !flag
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
        let started = || self.histogram(Meaning::TimeToFirstToken).map(|histogram| histogram.total() + 0.0);
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
    /// Absent where one of the three is missing or cut, where nothing was decoded, and for servers that observe the
    /// latency once per token ([`ServingMetrics::per_token`]): theirs needs no such division.
    #[must_use]
    pub fn tokens_per_step(&self) -> Option<f64> {
        if self.per_token {
            return None;
        }
        let known = |meaning| self.histogram(meaning).filter(|histogram| is_whole(histogram)).map(Histogram::total);
        let steps = known(Meaning::InterTokenLatency)?;
        let first = known(Meaning::TimeToFirstToken)?;
        let decoded = self.value(Meaning::GenerationTokens)? - first;
        (steps > 0.0 && decoded > 0.0).then(|| decoded / steps)
    }

    /// The share of looked-up prompt tokens (or blocks) found in the prefix cache; else what the server averages.
    #[must_use]
    pub fn prefix_hit_rate(&self) -> Option<Ratio> {
        let queries = self.value(Meaning::PrefixCacheQueries).filter(|queries| *queries > 0.0);
        let counted = queries.and_then(|queries| Some(self.value(Meaning::PrefixCacheHits)? / queries));
        counted.or_else(|| self.value(Meaning::PrefixCacheHitRate)).map(Ratio::new)
    }

    /// Tokens a drafting step yields on average: the accepted draft tokens and the one sampled in any case.
    ///
    /// # Formula
    /// 1 + accepted tokens / draft rounds; else what the server itself averages.
    #[must_use]
    pub fn accepted_length(&self) -> Option<f64> {
        let rounds = self.value(Meaning::SpeculativeDrafts).filter(|rounds| *rounds > 0.0);
        let counted = rounds.and_then(|rounds| Some(1.0 + self.value(Meaning::SpeculativeAcceptedTokens)? / rounds));
        // A server without speculative decoding may say 0.
        counted.or_else(|| self.value(Meaning::AcceptedLength).filter(|length| *length >= 1.0))
    }

    /// The share of drafted tokens that were accepted.
    #[must_use]
    pub fn acceptance_rate(&self) -> Option<Ratio> {
        let drafted = self.value(Meaning::SpeculativeDraftTokens).filter(|drafted| *drafted > 0.0)?;
        Some(Ratio::new(self.value(Meaning::SpeculativeAcceptedTokens)? / drafted))
    }

    /// How many tokens an engine step works on, on average over the steps that did any work.
    ///
    /// Near a batch's number of requests while decoding; a prefill's prompt counts whole.
    #[must_use]
    pub fn tokens_per_iteration(&self) -> Option<f64> {
        self.histogram(Meaning::IterationTokens)?.mean()
    }

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
