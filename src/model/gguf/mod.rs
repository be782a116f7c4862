//! GGUF files: which tensors they hold, and in which types, from the head of the file alone.

mod config;
mod header;
mod names;
mod types;

pub use header::{GgufError, read_gguf};
pub use types::TensorType;

use super::part::Component;
use super::precision::Precision;
use super::quantisation::Quantisation;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One tensor of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Its name: `blk.3.attn_q.weight`.
    pub name: String,
    /// The type its elements are stored in.
    pub kind: TensorType,
    /// How many elements it has.
    pub elements: u64,
}

impl Tensor {
    /// What it weighs.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.elements as f64 * self.kind.bits() / 8.0
    }
}

/// What the head of a GGUF file says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gguf {
    /// The model's name, if the file gives one.
    pub name: Option<String>,
    /// The architecture's name in llama.cpp: `deepseek2`, `qwen3moe`.
    pub architecture: Option<String>,
    /// How many files the model is split into, this one included.
    pub files: u32,
    /// Which of those files these are, counted from 1.
    pub held: BTreeSet<u32>,
    /// The tensors of this file.
    pub tensors: Vec<Tensor>,
    /// All short metadata; of a list of texts, its length.
    pub metadata: BTreeMap<String, Value>,
}

impl Gguf {
    /// A model split into several files, as one; a file given twice counts once.
    #[must_use]
    pub fn joined(files: Vec<Self>) -> Self {
        let mut files = files.into_iter();
        let mut all = files.next().unwrap_or_default();
        for file in files {
            if file.held.is_subset(&all.held) {
                continue;
            }
            all.name = all.name.or(file.name);
            all.architecture = all.architecture.or(file.architecture);
            all.files = all.files.max(file.files);
            all.held.extend(file.held);
            all.tensors.extend(file.tensors);
            for (key, value) in file.metadata {
                all.metadata.entry(key).or_insert(value);
            }
        }
        all
    }

    /// The files of a split model that are not here, counted from 1.
    #[must_use]
    pub fn missing(&self) -> Vec<u32> {
        (1..=self.files).filter(|number| !self.held.contains(number)).collect()
    }

    /// Why this is not a whole model, if it is none: then neither its size nor its bits are known.
    #[must_use]
    pub fn incomplete(&self) -> Option<String> {
        const MOST_NAMED: usize = 12;
        let missing = self.missing();
        if !missing.is_empty() {
            let named: Vec<String> = missing.iter().take(MOST_NAMED).map(u32::to_string).collect();
            let more = if missing.len() > MOST_NAMED { " …" } else { "" };
            return Some(format!(
                "the model is split into {} files, of which missing: {}{more}",
                self.files,
                named.join(", ")
            ));
        }
        if self.tensors.is_empty() {
            return Some("it holds no tensors".to_owned());
        }
        let (held, counted) = (self.tensors.len(), self.number("split.tensors.count"));
        let counted = counted.filter(|&counted| self.files > 1 && counted as usize != held);
        counted.map(|counted| format!("its {} files hold {held} tensors, though they say {counted}", self.files))
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key)?.as_str()
    }

    fn number(&self, key: &str) -> Option<u32> {
        u32::try_from(self.metadata.get(key)?.as_u64()?).ok()
    }

    /// Parameters in the file, its multi-token prediction layers among them.
    #[must_use]
    pub fn parameters(&self) -> u64 {
        self.tensors.iter().fold(0, |sum, tensor| sum.saturating_add(tensor.elements))
    }

    /// What its tensors weigh together.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.tensors.iter().map(Tensor::bytes).sum()
    }

    /// The type most of its parameters are stored in.
    #[must_use]
    pub fn main_type(&self) -> Option<TensorType> {
        let mut elements: BTreeMap<TensorType, u64> = BTreeMap::new();
        for tensor in &self.tensors {
            let sum = elements.entry(tensor.kind).or_default();
            *sum = sum.saturating_add(tensor.elements);
        }
        elements.into_iter().max_by_key(|(_, elements)| *elements).map(|(kind, _)| kind)
    }

    /// The exact bits per weight of each component, averaged over its tensors; multi-token
    /// prediction left out. A component without tensors has the file's average.
    #[must_use]
    pub fn quantisation(&self) -> Quantisation {
        let predicting = names::prediction_blocks(&self.tensors);
        let mut sums: BTreeMap<Component, (f64, f64)> = BTreeMap::new();
        for tensor in &self.tensors {
            let Some(component) = names::component(&tensor.name, &predicting) else { continue };
            let (bytes, elements) = sums.entry(component).or_default();
            *bytes += tensor.bytes();
            *elements += tensor.elements as f64;
        }
        let mut precision = Precision::of_file(self.bytes(), self.parameters());
        for (component, (bytes, elements)) in sums {
            if elements > 0.0 {
                precision = precision.with(component, 8.0 * bytes / elements);
            }
        }
        // llama.cpp calls the tensors of delta nets and of Mamba alike.
        if let Some(bits) = precision.components.get(&Component::StateSpace).copied() {
            precision = precision.with(Component::LinearAttention, bits);
        }
        if let (false, Some(table)) =
            (precision.components.contains_key(&Component::LmHead), precision.components.get(&Component::Embedding))
        {
            // No head of its own: the embedding serves as one.
            precision = precision.clone().with(Component::LmHead, *table);
        }
        let kind = self.main_type().map_or_else(String::new, |kind| format!(", mostly {}", kind.name()));
        Quantisation::new(format!("GGUF{kind}"), precision)
    }
}
