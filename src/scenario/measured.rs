//! What a dump said, distilled: small enough to travel in a link.

use crate::metrics::{Dump, Histogram, Meaning, Selection, ServingMetrics, Window, timeline_in_steps};
use crate::pace::{Pace, Work};
use crate::paste::{Warning, WarningKind};
use crate::units::{Seconds, TokensPerSecond};
use serde::{Deserialize, Serialize};

/// How many windows are kept apart; of more, neighbours are taken together.
const MOST_WINDOWS: usize = 500;
/// Of how many windows, the last ones, the remarks are told.
const MOST_TOLD: usize = 20;

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

/// One window between two scrapes, or several neighbouring ones together; all engines together.
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
    fn of(windows: &[Window]) -> Self {
        let mut all = ServingMetrics::default();
        let parts: Vec<ServingMetrics> = windows.iter().map(|window| window.select(&Selection::default())).collect();
        parts.iter().for_each(|part| all.grow(part));
        Self {
            duration: windows.iter().map(|window| window.duration).sum(),
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
        let scrapes = scrapes.into_iter().collect();
        Work::new(|pace| async move { Self::between_in_steps(name, scrapes, &pace).await }).finish()
    }

    /// As [`between`](Self::between), resting in and between the windows.
    pub async fn between_in_steps(name: &str, scrapes: Vec<&Dump>, pace: &Pace) -> Option<(Self, Vec<Warning>)> {
        let windows = timeline_in_steps(scrapes, &pace.part(0.0, 0.8)).await.windows;
        let (last, earlier) = windows.split_last()?;
        let mut sets = last.sets.clone();
        let adding = pace.part(0.8, 1.0);
        for (place, window) in earlier.iter().enumerate() {
            adding.rest_every(1, place, earlier.len()).await;
            // Most windows hold the same sets in the same order.
            for (place, other) in window.sets.iter().enumerate() {
                let same = |set: &&mut ServingMetrics| set.selection == other.selection;
                match sets.get_mut(place).filter(same) {
                    Some(set) => set.grow(other),
                    None => sets.iter_mut().find(same).into_iter().for_each(|set| set.grow(other)),
                }
            }
        }
        let together = windows.len().div_ceil(MOST_WINDOWS);
        let moments = windows.chunks(together).map(Moment::of).collect();
        let untold = windows.len().saturating_sub(MOST_TOLD);
        let mut warnings: Vec<Warning> = windows.into_iter().skip(untold).flat_map(|window| window.warnings).collect();
        if untold > 0 {
            let message = format!("what there is to say of the first {untold} windows between scrapes is left out");
            warnings.push(Warning::whole(WarningKind::Skipped, message));
        }
        if together > 1 {
            let message = format!("{together} windows between scrapes each are shown as one");
            warnings.push(Warning::whole(WarningKind::Repaired, message));
        }
        Some((Self { windows: moments, ..Self::distil(name, &sets) }, warnings))
    }

    /// The selected sets as a single one, without the windows: the same answer from less.
    #[must_use]
    pub(super) fn as_one(&self) -> Self {
        Self { name: self.name.clone(), sets: vec![self.selected()], ..Self::default() }
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
