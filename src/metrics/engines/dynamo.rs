//! Dynamo's front end (and NIM's, which is the same under another prefix). It sees requests as their clients do; the
//! workers behind it count the same requests under their own names.

use super::{ENGINE, Engine, name};
use crate::metrics::meaning::Meaning::*;

pub static DYNAMO: Engine = Engine {
    title: "Dynamo front end",
    prefixes: &["dynamo_frontend_", "nv_llm_http_service_"],
    front_end: true,
    model_labels: &["model"],
    names: &[
        name("inter_token_latency_seconds", InterTokenLatency),
        name("time_to_first_token_seconds", TimeToFirstToken),
        name("request_duration_seconds", EndToEndLatency),
        name("input_sequence_tokens", RequestPromptTokens),
        name("output_sequence_tokens", RequestGenerationTokens),
        name("requests", RequestsFinished),
        name("output_tokens", GenerationTokens),
        name("inflight_requests", RequestsRunning),
        name("queued_requests", RequestsWaiting),
    ],
    unused: &[
        "disconnected_clients",
        "cached_tokens",
        "tokenizer_latency_ms",
        "model_context_length",
        "model_kv_cache_block_size",
        "model_total_kv_blocks",
        "model_max_num_seqs",
        "model_max_num_batched_tokens",
    ],
    ..ENGINE
};
