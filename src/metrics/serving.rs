//! One set of serving metrics, and several of them together.

use super::histogram::Histogram;
use super::meaning::Meaning;
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

    /// The sets that are part of it.
    pub fn among<'a>(&self, sets: &'a [ServingMetrics]) -> impl Iterator<Item = &'a ServingMetrics> {
        sets.iter().filter(|set| self.includes(&set.selection))
    }

    /// Those sets as one.
    #[must_use]
    pub fn of(&self, sets: &[ServingMetrics]) -> ServingMetrics {
        ServingMetrics::together(self.among(sets))
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

    /// How long an engine step takes for one request, on average.
    ///
    /// # Formula
    /// The mean inter-token latency; for servers that observe it per token, times the tokens a step yields.
    #[must_use]
    pub fn step_time(&self) -> Option<Seconds> {
        let latency = self.mean(Meaning::InterTokenLatency)?;
        let tokens = if self.per_token { self.accepted_length().unwrap_or(1.0) } else { 1.0 };
        Some(latency * tokens)
    }

    /// How long a token takes for one request, on average.
    ///
    /// # Formula
    /// The mean inter-token latency; for servers that observe it per output, divided by the tokens an output brings
    /// where that is more than one.
    #[must_use]
    pub fn token_time(&self) -> Option<Seconds> {
        let latency = self.mean(Meaning::InterTokenLatency)?;
        let tokens = self.tokens_per_step().or_else(|| self.accepted_length().filter(|_| !self.per_token));
        Some(latency / tokens.unwrap_or(1.0).max(1.0))
    }

    /// How many tokens an engine step works on, on average over the steps that did any work.
    ///
    /// Near a batch's number of requests while decoding; a prefill's prompt counts whole.
    #[must_use]
    pub fn tokens_per_iteration(&self) -> Option<f64> {
        self.histogram(Meaning::IterationTokens)?.mean()
    }
}
