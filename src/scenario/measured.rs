//! What a dump said, distilled: small enough to travel in a link.

use crate::metrics::{Dump, Histogram, Meaning, Selection, ServingMetrics};
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
}

impl Measured {
    /// Takes the numbers out of a dump and looks at all of its sets together.
    #[must_use]
    pub fn distil(name: &str, dump: &Dump) -> Self {
        let mut sets = dump.sets.clone();
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
        Self { name: name.to_owned(), sets, selection: Selection::default() }
    }

    /// The selected sets as one.
    #[must_use]
    pub fn selected(&self) -> ServingMetrics {
        ServingMetrics::together(self.sets.iter().filter(|set| self.selection.includes(&set.selection)))
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
        let mut names =
            self.sets.iter().filter(|set| self.selection.includes(&set.selection)).map(|set| &set.selection.model);
        let first = names.next()?.as_deref()?;
        names.all(|name| name.as_deref() == Some(first)).then_some(first)
    }
}
