//! Serving engines and their names for what we know. Adding an engine is adding one small table.
//!
//! | file | engines |
//! |---|---|
//! | `vllm` | vLLM V0 and V1; through Ray, a proxy, Triton's vLLM backend or AIBrix |
//! | `sglang` | SGLang, plain and behind its gateway |
//! | `tgi` | Text Generation Inference |
//! | `tensorrt_llm` | `trtllm-serve`, plain and behind Dynamo |
//! | `triton` | Triton with the TensorRT-LLM backend |
//! | `llama_cpp` | llama.cpp's server |
//! | `lmdeploy` | LMDeploy |
//! | `dynamo` | Dynamo's front end |
//! | `unprefixed` | NIM, MindIE and others that give their names no prefix |

mod dynamo;
mod llama_cpp;
mod lmdeploy;
mod sglang;
mod tensorrt_llm;
mod tgi;
mod triton;
mod unprefixed;
mod vllm;

use super::meaning::Meaning;

/// One engine's naming.
#[derive(Debug)]
pub struct Engine {
    /// What people call it.
    pub title: &'static str,
    /// Prefixes of its metric names, longest first where one begins another; empty for none.
    pub prefixes: &'static [&'static str],
    /// What must be in a dump before a name without prefix is taken for this engine's.
    pub evidence: Evidence,
    /// What one observation of its inter-token latency is.
    pub observes: Observes,
    /// Whether it passes requests on to others, which count them too.
    pub front_end: bool,
    /// Labels that may hold the model's name, best first.
    pub model_labels: &'static [&'static str],
    /// Labels that may hold the engine's number among several, best first.
    pub engine_labels: &'static [&'static str],
    /// Labels that number the processes of one engine, each of which exports the same value.
    pub copies: &'static [&'static str],
    /// Its names, without prefix; where several share a meaning, the better comes first.
    pub names: &'static [Name],
    /// Names it has and we do not use, so that they are not taken for misspelt ones.
    pub unused: &'static [&'static str],
}

/// What shows that names without a prefix are an engine's.
#[derive(Debug, Clone, Copy)]
pub enum Evidence {
    /// The prefix.
    Prefix,
    /// Enough of its names, and one of these.
    OneOf(&'static [&'static str]),
    /// Enough of its names, and this label on one of them.
    Label(&'static str),
    /// Enough of its names.
    Names,
}

/// What an engine observes as inter-token latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observes {
    /// The time between two outputs, once per output, however many tokens it brings.
    Outputs,
    /// The time per token, once per token: an output's time divided by its tokens.
    Tokens,
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
    /// Which part of the meaning it is.
    pub part: NamePart,
    /// Only samples whose label holds this word.
    pub only: Option<(&'static str, &'static str)>,
}

/// Which part of its meaning a name gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NamePart {
    /// All of it.
    Whole,
    /// The sum of a distribution: a counter of seconds.
    Sum,
    /// The number of observations of a distribution: a counter of tokens, say.
    Count,
    /// The product of numbers in these labels, whatever the value.
    Labels(&'static [&'static str]),
    /// What a word in this label stands for, whatever the value; other words say nothing.
    Word(&'static str, &'static [(&'static str, f64)]),
}

const fn name(metric: &'static str, meaning: Meaning) -> Name {
    Name { metric, meaning, scale: 1.0, part: NamePart::Whole, only: None }
}

impl Name {
    const fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    const fn given_as(self, part: NamePart) -> Self {
        Self { part, ..self }
    }

    const fn only(self, label: &'static str, word: &'static str) -> Self {
        Self { only: Some((label, word)), ..self }
    }
}

/// What most engines have in common.
const ENGINE: Engine = Engine {
    title: "",
    prefixes: &[],
    evidence: Evidence::Prefix,
    observes: Observes::Outputs,
    front_end: false,
    model_labels: &["model_name", "model"],
    engine_labels: &["engine"],
    copies: &[],
    names: &[],
    unused: &[],
};

/// Stands where there is none.
pub(super) static NO_ENGINE: Engine = ENGINE;

/// All engines known; those without a prefix last, the more particular before the more general.
pub static ENGINES: &[&Engine] = &[
    &vllm::VLLM,
    &sglang::SGLANG,
    &tgi::TGI,
    &tensorrt_llm::TENSORRT_LLM,
    &triton::TRITON,
    &llama_cpp::LLAMA_CPP,
    &lmdeploy::LMDEPLOY,
    &dynamo::DYNAMO,
    &unprefixed::NIM,
    &unprefixed::MINDIE,
    &unprefixed::TENSORRT_LLM,
    &unprefixed::UNNAMED,
];

/// Labels that tell servers apart where one text holds several of them (a federation, a cluster of Ray).
pub const REPLICA_LABELS: &[&str] =
    &["ReplicaId", "WorkerId", "worker_addr", "pod", "pod_name", "instance", "server", "replica"];

/// How many of an engine's names it takes before names without prefix are believed to be its own.
const ENOUGH_NAMES: usize = 3;

/// Names that only servers of language models have: one is enough.
pub(super) const TELLING: &[&str] =
    &["time_to_first_token_seconds", "time_per_output_token_seconds", "inter_token_latency_seconds"];

impl Engine {
    /// The rows that a metric's name (a histogram's or counter's suffix already taken off) stands for.
    pub fn rows(&self, metric: &str) -> impl Iterator<Item = (usize, &'static Name)> + use<> {
        let names: &'static [Name] = self.names;
        let bare = self.bare(metric).and_then(|bare| names.iter().position(|name| name.metric == bare));
        let first = bare.and_then(|at| names.get(at));
        let metric = first.map(|name| name.metric);
        names.iter().enumerate().filter(move |(_, name)| Some(name.metric) == metric)
    }

    /// The name without this engine's prefix.
    #[must_use]
    pub fn bare<'n>(&self, metric: &'n str) -> Option<&'n str> {
        self.prefixes.iter().find_map(|prefix| metric.strip_prefix(prefix))
    }

    /// Whether the name is one that this engine's table gives a meaning.
    #[must_use]
    pub fn knows(&self, metric: &str) -> bool {
        self.bare(metric).is_some_and(|bare| self.names.iter().any(|name| name.metric == bare))
    }

    /// Whether this engine's names are to be believed in a dump with these names and labels.
    pub fn is_evident<'n>(&self, names: impl Iterator<Item = &'n str>, has_label: impl Fn(&str) -> bool) -> bool {
        let marks: &[&str] = match self.evidence {
            Evidence::Prefix => return true,
            Evidence::OneOf(marks) => marks,
            Evidence::Label(label) if !has_label(label) => return false,
            Evidence::Label(_) | Evidence::Names => &[],
        };
        let (mut known, mut marked) = (0, marks.is_empty());
        for name in names {
            marked |= marks.contains(&name);
            if self.knows(name) || marks.contains(&name) {
                known += if TELLING.contains(&name) { ENOUGH_NAMES } else { 1 };
            }
        }
        marked && known >= ENOUGH_NAMES
    }
}

/// Finds the engine whose table knows a metric's name by its prefix.
#[must_use]
pub fn by_prefix(metric: &str) -> Option<usize> {
    ENGINES.iter().position(|engine| matches!(engine.evidence, Evidence::Prefix) && engine.knows(metric))
}

/// The engine whose prefix begins this name, even if the rest is unknown.
#[must_use]
pub fn with_prefix_of(metric: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| matches!(engine.evidence, Evidence::Prefix) && engine.bare(metric).is_some()).copied()
}

/// The engine of this title.
#[must_use]
pub fn by_title(title: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.title == title).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_engine_claims_a_name_twice_or_calls_a_used_one_unused() {
        for engine in ENGINES {
            let rows: BTreeSet<_> =
                engine.names.iter().map(|name| (name.metric, name.meaning, format!("{:?}", name.part))).collect();
            assert_eq!(rows.len(), engine.names.len(), "{}", engine.title);
            assert!(!engine.unused.iter().any(|unused| engine.names.iter().any(|name| name.metric == *unused)));
        }
    }

    #[test]
    fn names_without_prefix_need_company() {
        let evident = |names: &[&str]| {
            ENGINES
                .iter()
                .find(|engine| {
                    !matches!(engine.evidence, Evidence::Prefix) && engine.is_evident(names.iter().copied(), |_| false)
                })
                .map(|engine| engine.title)
        };
        assert_eq!(evident(&["request_success", "http_requests"]), None);
        assert_eq!(evident(&["num_requests_running", "prompt_tokens", "num_request_max"]), Some("NIM"));
        assert_eq!(evident(&["request_received", "request_success", "generation_tokens"]), Some("MindIE"));
        assert_eq!(evident(&["time_to_first_token_seconds"]), Some("unnamed server"));
    }
}
