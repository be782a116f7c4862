//! A ladder of ceilings: today's value at the foot, and what each idealisation would make of it.

use super::axis::Axis;
use super::table::{Description, Table};
use serde::Serialize;

/// Rungs from today's value up.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Ladder {
    /// What climbs, e.g. "How fast could it be?".
    pub title: String,
    /// The axis all rungs share; it starts at zero unless it says otherwise.
    pub axis: Axis,
    /// The rungs, from the top; one of them is today.
    pub rungs: Vec<Rung>,
}

/// One rung.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Rung {
    /// Its name, e.g. "Free allreduce".
    pub label: String,
    /// What it idealises, e.g. "communication costs nothing, all else as today"; may be empty.
    pub note: String,
    /// The least it can be; equal to `likely` when known exactly.
    pub low: f64,
    /// The value the bar reaches.
    pub likely: f64,
    /// The most it can be; equal to `likely` when known exactly, infinite when unbounded.
    pub high: f64,
    /// The value as text, e.g. "100–140 tok/s".
    pub text: String,
    /// Today, or a ceiling.
    pub role: RungRole,
}

/// What a rung stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RungRole {
    /// The measured value, from which the others climb.
    Today,
    /// What an idealisation would reach.
    #[default]
    Ceiling,
}

impl Ladder {
    /// Today's value, if a rung says so.
    pub(super) fn today(&self) -> Option<f64> {
        self.rungs
            .iter()
            .find(|rung| rung.role == RungRole::Today)
            .map(|rung| rung.likely)
            .filter(|value| value.is_finite())
    }
}

impl Description for Ladder {
    fn title(&self) -> &str {
        &self.title
    }

    fn sentence(&self) -> String {
        let rungs: Vec<String> = self.rungs.iter().map(|rung| format!("{} {}", rung.label, rung.text)).collect();
        format!("{} {}.", self.title.trim_end_matches('.'), rungs.join("; "))
    }

    fn rows(&self) -> Table {
        Table::new(
            ["rung", "value", "idealises"],
            self.rungs.iter().map(|rung| [rung.label.clone(), rung.text.clone(), rung.note.clone()]),
        )
    }
}
