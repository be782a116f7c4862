//! LMDeploy: vLLM's names and buckets under its own prefix.

use super::{ENGINE, Engine, name};
use crate::metrics::meaning::Meaning::*;

pub static LMDEPLOY: Engine = Engine {
    title: "LMDeploy",
    prefixes: &["lmdeploy:", "lmdeploy_"],
    names: &[
        // The time of an engine's iteration for each request: an output, like vLLM's.
        name("iter_token_latency", InterTokenLatency),
        name("inter_token_latency_seconds", InterTokenLatency),
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
        name("gpu_cache_usage_perc", KvCacheUsage),
        name("prefix_cache_hit_rate", PrefixCacheHitRate),
    ],
    unused: &["request_inference_time_seconds", "num_api_requests_total", "num_api_requests_waiting"],
    ..ENGINE
};
