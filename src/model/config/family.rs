//! A model's family: what its code does that its configuration does not say.
//!
//! `families.psv` has one line per model type: its conventions, and what its code takes for keys
//! that are absent. [`super::conventions`] says what the conventions mean.

use super::keys::Keys;
use serde_json::{Map, Value};

/// Model types, their conventions and defaults. Source: the configuration and model classes of
/// Hugging Face Transformers 5.24, or the code published with the checkpoints.
const TABLE: &str = include_str!("families.psv");

/// A model family, by the `model_type` of its configuration.
pub(super) struct Family {
    /// The type, in lower case, without suffixes of text models.
    name: String,
    /// The type as written, when the table does not have it.
    pub(super) unknown: Option<String>,
    /// The listed type it is read like.
    pub(super) like: Option<&'static str>,
    conventions: &'static str,
    defaults: &'static str,
}

impl Family {
    pub(super) fn of(keys: &Keys) -> Self {
        let by_class = || keys.class().map(snake_case).unwrap_or_default();
        let written = keys.model_type().map_or_else(by_class, str::to_owned);
        let plain = written.to_ascii_lowercase().replace(['-', '.'], "_");
        let name = plain.trim_end_matches("_model").trim_end_matches("_text").to_owned();
        let exact = line(&name);
        let found = exact.or_else(|| relative(&name));
        let written = if written.is_empty() { "none".to_owned() } else { written };
        let (like, conventions, defaults) = found.unwrap_or(("", "", ""));
        let otherwise = conventions == "otherwise";
        Self {
            unknown: (exact.is_none() || otherwise).then_some(written),
            like: Some(like).filter(|like| exact.is_none() && !otherwise && !like.is_empty()),
            conventions,
            defaults,
            name,
        }
    }

    /// The family's name for people.
    pub(super) fn label(&self) -> String {
        if self.name.is_empty() { "unnamed model".into() } else { self.name.clone() }
    }

    /// Whether the name starts so.
    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.starts_with(name))
    }

    /// Whether its code has this convention.
    pub(super) fn has(&self, convention: &str) -> bool {
        self.conventions.split_whitespace().any(|one| one == convention)
    }

    /// What its code has for this convention, as in `norms=4`.
    pub(super) fn value(&self, convention: &str) -> Option<&'static str> {
        let pair = |one: &'static str| one.strip_prefix(convention)?.strip_prefix('=');
        self.conventions.split_whitespace().find_map(pair)
    }

    /// The same as a number.
    pub(super) fn number(&self, convention: &str) -> Option<u32> {
        self.value(convention)?.parse().ok()
    }

    /// A truth value among those of which a family's code knows some only: its line names them.
    /// Where the table has no defaults of the family all are heard.
    pub(super) fn says(&self, keys: &Keys, key: &str) -> Option<bool> {
        let named = |pair: &str| pair.strip_prefix(key).is_some_and(|rest| rest.starts_with('='));
        let hears = self.unknown.is_some() || self.defaults.is_empty() || self.defaults.split_whitespace().any(named);
        keys.flag(key).filter(|_| hears)
    }

    /// Nothing is known of it but its keys.
    pub(super) fn is_guessed(&self) -> bool {
        self.unknown.is_some() && self.like.is_none()
    }

    /// What its code takes for keys that are absent. Of a relative these are its conventions alone,
    /// since its dimensions would be a guess.
    pub(super) fn defaults(&self) -> Map<String, Value> {
        let pair = |pair: &str| {
            let (key, value) = pair.split_once('=')?;
            let value: Value = serde_json::from_str(value).ok()?;
            (self.unknown.is_none() || value.is_boolean()).then(|| (key.to_owned(), value))
        };
        self.defaults.split_whitespace().filter_map(pair).collect()
    }
}

/// A model type from the name of a class: `Qwen2MoeForCausalLM` is of type `qwen2_moe`.
fn snake_case(class: &str) -> String {
    let stem = class.split("For").next().unwrap_or(class);
    let mut name = String::new();
    let mut before = None;
    for letter in stem.chars() {
        if letter.is_ascii_uppercase() && before.is_some_and(|before: char| !before.is_ascii_uppercase()) {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
        before = Some(letter);
    }
    name
}

/// A line of the table: type, conventions, defaults.
type Line = (&'static str, &'static str, &'static str);

fn lines() -> impl Iterator<Item = Line> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.splitn(3, '|');
        Some((cells.next()?, cells.next()?, cells.next()?))
    })
}

fn line(name: &str) -> Option<Line> {
    lines().find(|line| line.0 == name)
}

/// The listed type with the longest name that this one continues, as `qwen3_moe_next` continues
/// `qwen3_moe`.
fn relative(name: &str) -> Option<Line> {
    let continues = |line: &Line| name.strip_prefix(line.0).is_some_and(|rest| rest.starts_with('_'));
    lines().filter(continues).max_by_key(|line| line.0.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_the_table_is_read_whole() {
        let mut names = BTreeSet::new();
        for (name, _, defaults) in lines() {
            assert!(names.insert(name), "{name} twice");
            for pair in defaults.split_whitespace() {
                let (_, value) = pair.split_once('=').unwrap();
                assert!(serde_json::from_str::<Value>(value).is_ok(), "{name}: {pair}");
            }
        }
        let written = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(names.len(), written);
    }

    #[test]
    fn a_relative_shares_the_longest_name() {
        assert_eq!(relative("qwen3_moe_future").unwrap().0, "qwen3_moe");
        assert!(relative("glm5_future").is_none());
    }

    #[test]
    fn a_class_names_a_type() {
        let pairs = [
            ("LlamaForCausalLM", "llama"),
            ("Qwen2MoeForCausalLM", "qwen2_moe"),
            ("DeepseekV3ForCausalLM", "deepseek_v3"),
            ("Gemma3ForConditionalGeneration", "gemma3"),
            ("GPT2LMHeadModel", "gpt2_lmhead_model"),
        ];
        for (class, name) in pairs {
            assert_eq!(snake_case(class), name);
        }
    }
}
