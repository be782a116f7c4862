//! One series of a dump that we know: whose it is, its labels, and its content.

use super::engines::{ENGINES, Engine, Name, NamePart};
use super::histogram::Histogram;
use super::meaning::Shape;
use super::serving::Selection;
use std::collections::BTreeMap;

/// What makes a series one and the same in two scrapes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesKey {
    /// The metric's name, without a histogram's or counter's suffix.
    pub metric: String,
    /// All labels but `le`, sorted.
    pub labels: Vec<(String, String)>,
}

/// The series of a dump.
pub(super) type SeriesMap = BTreeMap<SeriesKey, Series>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series {
    /// Whose it is: its place in [`ENGINES`].
    pub engine: usize,
    /// The line of its first sample.
    pub line: usize,
    /// When the server says it began, in seconds since 1970.
    pub created: Option<f64>,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    /// In the meaning's own unit.
    Histogram(Histogram),
    /// In the meaning's own unit.
    Value(f64),
}

impl SeriesKey {
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(label, _)| label == name).map(|(_, text)| text.as_str())
    }

    /// The labels without some of them, as one text.
    pub fn labels_without(&self, left_out: &[&str]) -> String {
        let kept = self.labels.iter().filter(|(label, _)| !left_out.contains(&label.as_str()));
        kept.map(|(label, text)| format!("{label}={text}\u{0}")).collect()
    }

    /// The model and the engine these labels name.
    pub fn selection(&self, engine: &Engine) -> Selection {
        let best = |labels: &[&str]| {
            let mut found = labels.iter().filter_map(|label| self.label(label));
            found.find(|text| !text.is_empty()).map(str::to_owned)
        };
        Selection { model: best(engine.model_labels), engine: best(engine.engine_labels) }
    }
}

impl Series {
    pub fn engine(&self) -> &'static Engine {
        ENGINES.get(self.engine).copied().unwrap_or(&super::engines::NO_ENGINE)
    }

    /// The rows of its engine's table that it is the content of.
    pub fn rows<'k>(&self, key: &'k SeriesKey) -> impl Iterator<Item = (usize, &'static Name)> + use<'k> {
        self.engine().rows(&key.metric).filter(move |(_, name)| is_meant(name, key))
    }
}

/// Whether a row's condition on labels holds. A label may hold more than the word: some servers print a whole
/// dictionary into it.
fn is_meant(name: &Name, key: &SeriesKey) -> bool {
    name.only.is_none_or(|(label, word)| {
        let holds = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
        key.label(label).is_some_and(holds)
    })
}

/// The shape in which a row's samples come.
pub(super) fn shape(name: &Name) -> Shape {
    match name.part {
        NamePart::Whole => name.meaning.shape(),
        NamePart::Sum | NamePart::Count => Shape::Counter,
        NamePart::Labels(_) | NamePart::Word(..) => Shape::Gauge,
    }
}
