//! Access to a configuration's keys, under any of the names families give them.

use super::error::ConfigError;
use super::json::kind;
use crate::paste::{Warning, WarningKind};
use serde_json::{Map, Value};
use std::cell::RefCell;

/// Where wrappers of vision and speech models keep the language model's configuration.
const NESTED: [&str; 9] = [
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config",
    "decoder_config",
    "language_model",
    "text_model",
    "lm_config",
    "model_config",
];

/// The keys of the language model's configuration, with what was doubtful in them.
pub(in crate::model) struct Keys<'a> {
    /// From the wrapper inwards; inner keys win.
    objects: Vec<&'a Map<String, Value>>,
    /// What the family's code takes for keys that are absent.
    defaults: Option<&'a Map<String, Value>>,
    /// The numbers among them that were used.
    used: RefCell<Vec<String>>,
    warnings: RefCell<Vec<Warning>>,
}

/// No dimension of a model is larger: the longest contexts and the largest vocabularies are smaller.
const LARGEST: u32 = 1 << 24;

impl<'a> Keys<'a> {
    /// Opens wrappers.
    pub(in crate::model) fn open(object: &'a Map<String, Value>) -> Self {
        let mut objects = vec![object];
        // A wrapper may nest twice; a limit keeps absurd input from nesting on.
        while let Some(inner) = objects.last().and_then(|object| nested(object)).filter(|_| objects.len() < 4) {
            objects.push(inner);
        }
        Self::over(objects)
    }

    fn over(objects: Vec<&'a Map<String, Value>>) -> Self {
        Self { objects, defaults: None, used: RefCell::default(), warnings: RefCell::default() }
    }

    /// The same keys, with what the family's code takes for absent ones.
    pub(in crate::model) fn assuming<'b>(self, defaults: &'b Map<String, Value>) -> Keys<'b>
    where
        'a: 'b,
    {
        Keys { defaults: Some(defaults), ..self }
    }

    pub(in crate::model) fn into_warnings(self) -> Vec<Warning> {
        let used = self.used.into_inner();
        let mut warnings = self.warnings.into_inner();
        if !used.is_empty() {
            let fact = format!("no keys for these, the family's own assumed: {}", used.join(", "));
            warnings.push(Warning::whole(WarningKind::Missing, fact));
        }
        warnings
    }

    pub(in crate::model) fn warn(&self, kind: WarningKind, message: String) {
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.iter().any(|warning| warning.message == message) {
            warnings.push(Warning::whole(kind, message));
        }
    }

    /// A key of the language model itself; `null` counts as absent.
    pub(in crate::model) fn get(&self, key: &str) -> Option<&'a Value> {
        self.written(key).filter(|value| !value.is_null())
    }

    /// The same with `null` where it is written; an absent key is the family's.
    fn written(&self, key: &str) -> Option<&'a Value> {
        self.objects.last().and_then(|object| object.get(key)).or_else(|| self.defaults?.get(key))
    }

    /// Whether it is there.
    pub(in crate::model) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether the file itself has it, be it `null`.
    pub(in crate::model) fn is_written(&self, key: &str) -> bool {
        self.objects.last().is_some_and(|object| object.contains_key(key))
    }

    /// Whether the file says something else than the family's code would take.
    pub(in crate::model) fn differs_from_default(&self, key: &str) -> bool {
        let own = self.defaults.and_then(|defaults| defaults.get(key));
        own.is_some_and(|own| self.written(key) != Some(own))
    }

    /// The first of these keys that holds a count, or a list of one per layer.
    pub(in crate::model) fn first(&self, names: &[&str]) -> Option<(&'a Value, String)> {
        names.iter().find_map(|name| self.get(name).map(|value| (value, (*name).to_owned())))
    }

    /// The number under the first of these keys that has one; of a list, its first.
    pub(in crate::model) fn number(&self, names: &[&str]) -> Option<u32> {
        self.number_at(names, 0)
    }

    /// The same, of a list the number for one layer.
    pub(in crate::model) fn number_at(&self, names: &[&str], layer: usize) -> Option<u32> {
        let object = self.objects.last()?;
        let at = |name: &str, value: &Value| {
            let value = value.as_array().map_or(Some(value), |list| list.get(layer).or(list.last()))?;
            self.count(name, value)
        };
        let written = names.iter().find_map(|name| at(name, object.get(*name)?));
        // A `null` says that there is none.
        let silent = !names.iter().any(|name| object.contains_key(*name));
        written.or_else(|| if silent { self.default_of(names) } else { None })
    }

    /// The family's own number for an absent key, noted as used.
    fn default_of(&self, names: &[&str]) -> Option<u32> {
        let (key, number) = self.own_of(names)?;
        let used = format!("{key} {number}");
        let mut list = self.used.borrow_mut();
        if !list.contains(&used) {
            list.push(used);
        }
        Some(number)
    }

    fn own_of<'n>(&self, names: &[&'n str]) -> Option<(&'n str, u32)> {
        let own = |name: &str| u32::try_from(self.defaults?.get(name)?.as_u64()?).ok();
        names.iter().find_map(|&name| Some((name, own(name)?)))
    }

    /// The same, or a default.
    pub(in crate::model) fn number_or(&self, names: &[&str], default: u32) -> u32 {
        // What any family would have is not worth a word.
        let usual = self.own_of(names).is_some_and(|(_, own)| own == default);
        if usual && !names.iter().any(|name| self.is_written(name)) {
            default
        } else {
            self.number(names).unwrap_or(default)
        }
    }

    /// The same, or an error that says what it would hold.
    pub(in crate::model) fn require(&self, names: &[&str], expected: &str) -> Result<u32, ConfigError> {
        let key = names.first().copied().unwrap_or_default();
        match self.number(names) {
            Some(0) => Err(ConfigError::unusable(key, "0", expected)),
            Some(number) => Ok(number),
            None => match self.first(names) {
                Some((value, name)) if value.is_number() => {
                    Err(ConfigError::unusable(&name, value.to_string(), expected))
                }
                Some((value, name)) => Err(ConfigError::unusable(&name, kind(value), expected)),
                None => Err(ConfigError::missing(key, expected)),
            },
        }
    }

    /// A truth value. Tying is said by the wrapper, where there is one.
    pub(in crate::model) fn flag(&self, key: &str) -> Option<bool> {
        let wrapper = || self.objects.iter().find_map(|object| self.truth(key, object.get(key)?));
        let said = if key == "tie_word_embeddings" { wrapper() } else { None };
        said.or_else(|| self.truth(key, self.written(key)?))
    }

    /// Some tools write truth values as texts or numbers.
    fn truth(&self, key: &str, value: &Value) -> Option<bool> {
        if value.is_boolean() || value.is_null() {
            return value.as_bool();
        }
        let spelled = value.as_str().map(str::to_ascii_lowercase);
        let truth = match (spelled.as_deref(), value.as_f64()) {
            (Some("true" | "1"), _) | (_, Some(1.0)) => Some(true),
            (Some("false" | "0"), _) | (_, Some(0.0)) => Some(false),
            _ => None,
        };
        let shown: String = value.to_string().chars().take(40).collect();
        let reading = truth.map_or("expected true or false".into(), |truth| format!("read as {truth}"));
        self.warn(WarningKind::BadValue, format!("{key:?} is {shown}, {reading}"));
        truth
    }

    /// A text.
    pub(in crate::model) fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    /// A list of texts.
    pub(in crate::model) fn texts(&self, key: &str) -> Option<Vec<&'a str>> {
        self.get(key)?.as_array()?.iter().map(Value::as_str).collect()
    }

    /// A list of numbers.
    pub(in crate::model) fn numbers(&self, key: &str) -> Option<Vec<u32>> {
        self.get(key)?.as_array()?.iter().map(|value| self.count(key, value)).collect()
    }

    /// The names of all keys.
    pub(in crate::model) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.objects.last().copied().into_iter().flatten().map(|(name, _)| name.as_str())
    }

    /// An object inside, as keys of its own; one of a wrapper counts where the model has none.
    pub(in crate::model) fn object(&self, key: &str) -> Option<Keys<'a>> {
        let object = self.objects.iter().rev().find_map(|object| object.get(key)?.as_object())?;
        Some(Keys::over(vec![object]))
    }

    /// What `per_layer_config` says of one layer alone.
    pub(in crate::model) fn of_layer(&self, layer: u32) -> Option<Keys<'a>> {
        let mut layers = self.get("per_layer_config")?.as_object()?.iter();
        let own = layers.find(|(name, _)| name.parse() == Ok(layer))?.1.as_object()?;
        Some(Keys::over(vec![own]))
    }

    /// The model's type, of the language model or else of the wrapper.
    pub(in crate::model) fn model_type(&self) -> Option<&'a str> {
        self.objects.iter().rev().find_map(|object| object.get("model_type")?.as_str().filter(|kind| !kind.is_empty()))
    }

    /// The name of the model's class, as in `LlamaForCausalLM`.
    pub(in crate::model) fn class(&self) -> Option<&'a str> {
        self.objects.iter().rev().find_map(|object| object.get("architectures")?.as_array()?.first()?.as_str())
    }

    /// The name the checkpoint gives itself, without its owner.
    pub(in crate::model) fn name(&self) -> Option<String> {
        let name =
            self.objects.iter().find_map(|object| object.get("_name_or_path")?.as_str().filter(|it| !it.is_empty()));
        name.map(|name| name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_owned())
    }

    fn count(&self, name: &str, value: &Value) -> Option<u32> {
        // Some tools write numbers as texts.
        let spelled = value.as_str().and_then(|text| text.trim().parse().ok());
        let number = value.as_f64().or(spelled);
        let number = number.filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number));
        let doubt = match number {
            _ if value.as_i64() == Some(-1) || value.is_boolean() || value.is_null() => return None,
            None => "expected a whole number",
            Some(number) if number > f64::from(LARGEST) => "larger than any model's",
            Some(_) if spelled.is_some() => "a text, read as the number in it",
            Some(number) => return Some(number as u32),
        };
        let shown: String = value.to_string().chars().take(40).collect();
        self.warn(WarningKind::BadValue, format!("{name:?} is {shown}, {doubt}"));
        number.map(|number| number as u32)
    }
}

fn nested(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let inner = NESTED.iter().find_map(|key| object.get(*key)?.as_object())?;
    // An empty shell beside a configuration that is complete is no wrapper's.
    let described = |object: &Map<String, Value>| object.contains_key("hidden_size");
    (described(inner) || inner.contains_key("model_type") || !described(object)).then_some(inner)
}
