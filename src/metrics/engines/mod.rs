//! Serving engines and their names for what we know. Adding an engine is adding one small table.

mod vllm;

use super::meaning::Meaning;

/// One engine's naming.
#[derive(Debug)]
pub struct Engine {
    /// What people call it.
    pub title: &'static str,
    /// Prefixes of its metric names, longest first where one begins another.
    pub prefixes: &'static [&'static str],
    /// Labels that may hold the model's name, best first.
    pub model_labels: &'static [&'static str],
    /// Labels that may hold the engine's number among several, best first.
    pub engine_labels: &'static [&'static str],
    /// Its names, without prefix; where several share a meaning, the better comes first.
    pub names: &'static [Name],
}

/// One metric name of an engine.
#[derive(Debug)]
pub struct Name {
    /// The name after the prefix, as declared (a counter's without `_total`).
    pub metric: &'static str,
    /// What it tells.
    pub meaning: Meaning,
    /// What one of its units is in ours (seconds, tokens, bytes): 0.001 for milliseconds.
    pub scale: f64,
}

const fn name(metric: &'static str, meaning: Meaning) -> Name {
    Name { metric, meaning, scale: 1.0 }
}

/// All engines known.
pub static ENGINES: &[&Engine] = &[&vllm::VLLM];

/// A metric name taken apart.
#[derive(Debug, Clone, Copy)]
pub struct Recognised {
    /// Whose name it is.
    pub engine: &'static Engine,
    /// The row of the engine's table.
    pub name: &'static Name,
    /// Its place in that table: lower is better where several share a meaning.
    pub rank: usize,
}

/// Finds the engine and the meaning behind a metric's name (a histogram's or counter's suffix
/// already taken off).
#[must_use]
pub fn recognise(metric: &str) -> Option<Recognised> {
    ENGINES.iter().find_map(|engine| {
        let bare = engine.prefixes.iter().find_map(|prefix| metric.strip_prefix(prefix))?;
        let rank = engine.names.iter().position(|name| name.metric == bare)?;
        Some(Recognised { engine, name: engine.names.get(rank)?, rank })
    })
}

/// Whether some engine's prefix begins this name, even if the rest is unknown.
#[must_use]
pub fn has_known_prefix(metric: &str) -> bool {
    ENGINES.iter().any(|engine| engine.prefixes.iter().any(|prefix| metric.starts_with(prefix)))
}
