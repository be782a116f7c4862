//! Models everyone serves, by the facts their architecture follows from.

use super::architecture::Architecture;
use super::config::read_config;
use serde::Deserialize;
use std::sync::LazyLock;

/// A model the page and the terminal know by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// A short name for links and options: `"glm-5"`.
    pub id: String,
    /// The name for people: `"GLM-5"`.
    pub name: String,
    /// Other models of the same architecture.
    pub other_names: Vec<String>,
    /// The recipe its published checkpoint is quantised by, unless that is 16 bit throughout.
    pub native_quantisation: Option<String>,
    /// Its architecture.
    pub architecture: Architecture,
}

/// One line of the table of facts.
#[derive(Deserialize)]
struct Facts {
    id: String,
    name: String,
    #[serde(default)]
    names: Vec<String>,
    native: Option<String>,
    config: serde_json::Value,
}

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    // The table is part of the program and a test reads every line of it; a line that could not be
    // read would be left out.
    let facts: Vec<Facts> = serde_json::from_str(include_str!("presets.json")).unwrap_or_default();
    facts.into_iter().filter_map(Facts::into_preset).collect()
});

impl Facts {
    fn into_preset(self) -> Option<Preset> {
        let architecture = read_config(&self.config.to_string()).ok()?.architecture;
        Some(Preset {
            architecture: Architecture { name: self.name.clone(), ..architecture },
            id: self.id,
            name: self.name,
            other_names: self.names,
            native_quantisation: self.native,
        })
    }
}

/// All presets, grouped by maker.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

/// The preset with this id.
///
/// ```
/// assert_eq!(decodescope::model::preset("glm-5").unwrap().name, "GLM-5");
/// ```
#[must_use]
pub fn preset(id: &str) -> Option<&'static Preset> {
    presets().iter().find(|preset| preset.id == id)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::Quantisation;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_the_table_is_read_without_a_doubt() {
        let lines: Vec<Facts> = serde_json::from_str(include_str!("presets.json")).unwrap();
        assert_eq!(lines.len(), presets().len());
        for line in lines {
            let reading = read_config(&line.config.to_string()).unwrap();
            assert!(reading.warnings.is_empty(), "{}: {:?}", line.id, reading.warnings);
            if let Some(native) = &line.native {
                assert!(Quantisation::by_recipe(native).is_some(), "{}: {native}", line.id);
            }
        }
        assert!(presets().len() >= 30);
    }

    #[test]
    fn ids_are_unique() {
        let ids: BTreeSet<&str> = presets().iter().map(|preset| preset.id.as_str()).collect();
        assert_eq!(ids.len(), presets().len());
    }

    /// Totals as their makers publish them, in billions, for presets without a shared configuration.
    #[test]
    fn published_totals_hold() {
        let published = [
            ("qwen3-coder-480b-a35b", 480.0, 0.001),
            ("llama-3.2-1b", 1.23, 0.01),
            ("llama-3.2-3b", 3.21, 0.005),
            ("llama-4-maverick", 400.0, 0.005),
            ("mixtral-8x22b", 141.0, 0.005),
            ("qwen3-1.7b", 1.72, 0.005),
            ("qwen3-0.6b", 0.596, 0.005),
            ("qwen2.5-32b", 32.8, 0.005),
            ("mistral-small-24b", 23.6, 0.005),
            ("llama-2-70b", 69.0, 0.001),
            ("hunyuan-a13b", 80.0, 0.005),
            ("command-r-35b", 35.0, 0.001),
            ("qwen3.5-27b", 27.0, 0.005),
            ("glm-5.2", 743.0, 0.001),
        ];
        for (id, billions, tolerance) in published {
            let total = preset(id).unwrap().architecture.totals().total as f64 / 1e9;
            assert!((total / billions - 1.0).abs() < tolerance, "{id}: {total}");
        }
    }
}
