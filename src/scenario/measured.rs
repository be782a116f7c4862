//! What a dump said, distilled: small enough to travel in a link.

use crate::metrics::{Dump, Histogram, Latency, Meaning, Selection, ServingMetrics, Shape, Window, timeline};
use crate::paste::Warning;
use crate::units::{Seconds, TokensPerSecond};
use serde::{Deserialize, Serialize};

/// A dump's numbers without its text.
///
/// The two latencies keep their buckets; of every other distribution only the sum and the count are
/// kept, since only its mean is used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Measured {
    /// What the dump was called: a file's name, or how it came in.
    pub name: String,
    /// Its sets, one per model and engine.
    pub sets: Vec<ServingMetrics>,
    /// Which of them are looked at.
    #[serde(default)]
    pub selection: Selection,
    /// The windows between scrapes that the numbers are of; empty for one scrape, counted since the server started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Moment>,
}

/// One window between two scrapes, all engines together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Moment {
    /// How long it is, where the scrapes carry timestamps.
    pub duration: Option<Seconds>,
    /// The mean inter-token latency in it.
    pub inter_token_latency: Option<Seconds>,
    /// The mean time to first token in it.
    pub time_to_first_token: Option<Seconds>,
    /// Tokens generated in it.
    pub tokens: Option<f64>,
}

impl Moment {
    fn of(window: &Window) -> Self {
        let all = window.select(&Selection::default());
        Self {
            duration: window.duration,
            inter_token_latency: all.mean(Meaning::InterTokenLatency),
            time_to_first_token: all.mean(Meaning::TimeToFirstToken),
            tokens: all.value(Meaning::GenerationTokens),
        }
    }

    /// Tokens generated per second, all streams together.
    #[must_use]
    pub fn throughput(&self) -> Option<TokensPerSecond> {
        let duration = self.duration.filter(|duration| duration.get() > 0.0)?;
        Some(TokensPerSecond::new(self.tokens? / duration.get()))
    }
}

impl Measured {
    /// Takes the numbers out of a dump's sets (or a window's) and looks at all of them together.
    #[must_use]
    pub fn distil(name: &str, sets: &[ServingMetrics]) -> Self {
        let mut sets = sets.to_vec();
        for set in &mut sets {
            for (meaning, latency) in &mut set.histograms {
                if !matches!(meaning, Meaning::InterTokenLatency | Meaning::TimeToFirstToken) {
                    let histogram = &latency.histogram;
                    // Where the dump was cut the count is only a lower bound, and there is no mean.
                    let (sum, count) = histogram.mean().and(histogram.sum.zip(Some(histogram.total()))).unzip();
                    latency.histogram = Histogram { buckets: Vec::new(), sum, count };
                }
            }
            set.values.retain(|_, value| value.is_finite());
        }
        Self { name: name.to_owned(), sets, ..Self::default() }
    }

    /// What happened from the first of several scrapes of a server to the last, and in each window between; and what
    /// there is to say about it. `None` for less than two.
    ///
    /// # Formula
    /// The growth of every window added up, so that a restart in between loses nothing; gauges are the last scrape's.
    #[must_use]
    pub fn between<'a>(name: &str, scrapes: impl IntoIterator<Item = &'a Dump>) -> Option<(Self, Vec<Warning>)> {
        let windows = timeline(scrapes).windows;
        let (last, earlier) = windows.split_last()?;
        let mut sets = last.sets.clone();
        for set in &mut sets {
            let same = earlier.iter().flat_map(|window| &window.sets).filter(|other| other.selection == set.selection);
            for other in same {
                for (&meaning, latency) in &other.histograms {
                    let all = set
                        .histograms
                        .entry(meaning)
                        .or_insert_with(|| Latency { metric: latency.metric.clone(), histogram: Histogram::default() });
                    all.histogram.add(&latency.histogram);
                }
                let counters = other.values.iter().filter(|(meaning, _)| meaning.shape() == Shape::Counter);
                counters.for_each(|(&meaning, value)| *set.values.entry(meaning).or_insert(0.0) += value);
            }
        }
        let measured = Self { windows: windows.iter().map(Moment::of).collect(), ..Self::distil(name, &sets) };
        Some((measured, windows.into_iter().flat_map(|window| window.warnings).collect()))
    }

    /// Tokens per second over all windows together, all streams of the server, where their durations are known.
    #[must_use]
    pub fn throughput(&self) -> Option<TokensPerSecond> {
        let sum = |get: fn(&Moment) -> Option<f64>| self.windows.iter().map(get).sum::<Option<f64>>();
        let seconds = sum(|moment| moment.duration.map(Seconds::get)).filter(|seconds| *seconds > 0.0)?;
        Some(TokensPerSecond::new(sum(|moment| moment.tokens)? / seconds))
    }

    /// The selected sets as one.
    #[must_use]
    pub fn selected(&self) -> ServingMetrics {
        self.selection.of(&self.sets)
    }

    /// The selected sets.
    pub(super) fn looked_at(&self) -> impl Iterator<Item = &ServingMetrics> {
        self.selection.among(&self.sets)
    }

    /// The selections there are to choose from: all together, each model, each engine of each model.
    #[must_use]
    pub fn selections(&self) -> Vec<Selection> {
        // Engines 2 and 10 in this order.
        let number =
            |set: &&ServingMetrics| set.selection.engine.as_ref().and_then(|engine| engine.parse::<u64>().ok());
        let mut sets: Vec<&ServingMetrics> = self.sets.iter().collect();
        sets.sort_by_key(|set| (set.selection.model.clone(), number(set)));
        let mut selections = vec![Selection::default()];
        let mut add = |selection: Selection| {
            if !selections.contains(&selection) {
                selections.push(selection);
            }
        };
        let several_models =
            self.sets.iter().any(|set| Some(&set.selection.model) != self.sets.first().map(|s| &s.selection.model));
        if several_models {
            for set in &sets {
                add(Selection { model: set.selection.model.clone(), engine: None });
            }
        }
        if self.sets.len() > 1 {
            for set in &sets {
                add(set.selection.clone());
            }
        }
        selections
    }

    /// The served model's name, where the looked-at sets agree on one.
    #[must_use]
    pub fn model_name(&self) -> Option<&str> {
        let mut names = self.looked_at().map(|set| &set.selection.model);
        let first = names.next()?.as_deref()?;
        names.all(|name| name.as_deref() == Some(first)).then_some(first)
    }
}
