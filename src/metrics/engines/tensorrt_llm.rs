//! TensorRT-LLM's own server (`trtllm-serve`, at `/prometheus/metrics`), and as Dynamo passes it on (`trtllm:`). Its
//! time per output token is each finished request's mean; it has no inter-token latency.

use super::{ENGINE, Engine, Name, name};
use crate::metrics::meaning::Meaning::*;

pub static TENSORRT_LLM: Engine =
    Engine { title: "TensorRT-LLM", prefixes: &["trtllm_", "trtllm:"], names: NAMES, unused: UNUSED, ..ENGINE };

pub(super) const NAMES: &[Name] = &[
    name("time_per_output_token_seconds", TimePerOutputToken),
    name("time_to_first_token_seconds", TimeToFirstToken),
    name("e2e_request_latency_seconds", EndToEndLatency),
    name("request_queue_time_seconds", QueueTime),
    name("request_prefill_time_seconds", PrefillTime),
    name("request_decode_time_seconds", DecodeTime),
    name("request_success", RequestsFinished),
    name("prompt_tokens", PromptTokens),
    name("generation_tokens", GenerationTokens),
    name("num_requests_running", RequestsRunning),
    name("num_requests_waiting", RequestsWaiting),
    name("kv_cache_utilization", KvCacheUsage),
    name("kv_cache_hit_rate", PrefixCacheHitRate),
];

const UNUSED: &[&str] = &["request_inference_time_seconds", "iteration_latency_seconds"];
