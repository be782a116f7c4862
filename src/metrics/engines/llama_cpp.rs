//! llama.cpp's server: counters and gauges, no histograms and no labels.
//!
//! The mean inter-token latency is seconds of generation over tokens generated. The first token of a reply comes out of
//! the prefill but is counted, so that short replies read too fast by one part in their length.

use super::NamePart::{Count, Sum};
use super::{ENGINE, Engine, Observes, name};
use crate::metrics::meaning::Meaning::*;

pub static LLAMA_CPP: Engine = Engine {
    title: "llama.cpp",
    prefixes: &["llamacpp:", "llamacpp_"],
    observes: Observes::Tokens,
    names: &[
        name("tokens_predicted_seconds", InterTokenLatency).given_as(Sum),
        name("tokens_predicted", InterTokenLatency).given_as(Count),
        name("tokens_predicted", GenerationTokens),
        name("prompt_tokens", PromptTokens),
        name("requests_processing", RequestsRunning),
        name("requests_deferred", RequestsWaiting),
        name("kv_cache_usage_ratio", KvCacheUsage),
        name("predicted_tokens_seconds", GenerationThroughput),
        name("spec_decode_num_drafts", SpeculativeDrafts),
        name("spec_decode_num_draft_tokens", SpeculativeDraftTokens),
        name("spec_decode_num_accepted_tokens", SpeculativeAcceptedTokens),
    ],
    unused: &[
        "prompt_seconds",
        "prompt_tokens_seconds",
        "prompt_tokens_cached",
        "n_decode",
        "n_tokens_max",
        "n_busy_slots_per_decode",
        "kv_cache_tokens",
    ],
    ..ENGINE
};
