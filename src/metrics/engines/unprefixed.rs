//! Servers that give their names no prefix. Such names are common words, so they are believed only in company.

use super::{ENGINE, Engine, Evidence, Name, name, tensorrt_llm};
use crate::metrics::meaning::Meaning::*;

/// NVIDIA NIM for language models.
pub static NIM: Engine = Engine {
    title: "NIM",
    prefixes: &[""],
    evidence: Evidence::OneOf(&["num_request_max", "request_finish"]),
    names: NAMES,
    ..ENGINE
};

/// MindIE, for Ascend: its time per output token is named as vLLM's was.
pub static MINDIE: Engine = Engine {
    title: "MindIE",
    prefixes: &[""],
    evidence: Evidence::OneOf(&["request_received", "request_failed"]),
    names: NAMES,
    ..ENGINE
};

/// The first version of TensorRT-LLM's metrics.
pub static TENSORRT_LLM: Engine = Engine {
    title: "TensorRT-LLM",
    prefixes: &[""],
    evidence: Evidence::Label("engine_type"),
    names: tensorrt_llm::NAMES,
    ..ENGINE
};

/// Any other that names its metrics as vLLM does.
pub static UNNAMED: Engine =
    Engine { title: "unnamed server", prefixes: &[""], evidence: Evidence::Names, names: NAMES, ..ENGINE };

const NAMES: &[Name] = &[
    name("inter_token_latency_seconds", InterTokenLatency),
    name("time_per_output_token_seconds", InterTokenLatency),
    name("time_to_first_token_seconds", TimeToFirstToken),
    name("e2e_request_latency_seconds", EndToEndLatency),
    name("request_queue_time_seconds", QueueTime),
    name("request_prefill_time_seconds", PrefillTime),
    name("request_decode_time_seconds", DecodeTime),
    name("request_prompt_tokens", RequestPromptTokens),
    name("request_generation_tokens", RequestGenerationTokens),
    // What came to an end, for whatever reason, before what did so well.
    name("request_finish", RequestsFinished),
    name("request_success", RequestsFinished),
    name("prompt_tokens", PromptTokens),
    name("generation_tokens", GenerationTokens),
    name("num_preemptions", Preemptions),
    name("num_requests_running", RequestsRunning),
    name("num_requests_waiting", RequestsWaiting),
    name("kv_cache_usage_perc", KvCacheUsage),
    name("gpu_cache_usage_perc", KvCacheUsage),
];
