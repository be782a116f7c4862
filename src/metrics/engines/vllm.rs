//! vLLM, V0 and V1, plain and re-exported by Ray (`ray_vllm:`, `ray_vllm_`) or a proxy (`vllm_`).

use super::{Engine, name};
use crate::metrics::meaning::Meaning::*;

pub static VLLM: Engine = Engine {
    title: "vLLM",
    prefixes: &["vllm:", "ray_vllm:", "ray_vllm_", "vllm_"],
    model_labels: &["model_name", "model"],
    engine_labels: &["engine"],
    names: &[
        // Renamed in 0.10.2; releases between expose both, so they are never added up.
        name("inter_token_latency_seconds", InterTokenLatency),
        name("time_per_output_token_seconds", InterTokenLatency),
        name("time_to_first_token_seconds", TimeToFirstToken),
        name("request_time_per_output_token_seconds", TimePerOutputToken),
        name("e2e_request_latency_seconds", EndToEndLatency),
        name("request_queue_time_seconds", QueueTime),
        name("time_in_queue_requests", QueueTime),
        name("request_prefill_time_seconds", PrefillTime),
        name("request_decode_time_seconds", DecodeTime),
        // A histogram in spite of its name.
        name("iteration_tokens_total", IterationTokens),
        name("request_prompt_tokens", RequestPromptTokens),
        name("request_generation_tokens", RequestGenerationTokens),
        name("request_success", RequestsFinished),
        name("prompt_tokens", PromptTokens),
        name("generation_tokens", GenerationTokens),
        name("num_preemptions", Preemptions),
        name("prefix_cache_queries", PrefixCacheQueries),
        name("gpu_prefix_cache_queries", PrefixCacheQueries),
        name("prefix_cache_hits", PrefixCacheHits),
        name("gpu_prefix_cache_hits", PrefixCacheHits),
        name("spec_decode_num_drafts", SpeculativeDrafts),
        name("spec_decode_num_draft_tokens", SpeculativeDraftTokens),
        name("spec_decode_num_accepted_tokens", SpeculativeAcceptedTokens),
        name("estimated_flops_per_gpu", EstimatedFlops),
        name("estimated_read_bytes_per_gpu", EstimatedReadBytes),
        name("estimated_write_bytes_per_gpu", EstimatedWriteBytes),
        name("num_requests_running", RequestsRunning),
        name("num_requests_waiting", RequestsWaiting),
        name("kv_cache_usage_perc", KvCacheUsage),
        name("gpu_cache_usage_perc", KvCacheUsage),
        name("avg_generation_throughput_toks_per_s", GenerationThroughput),
    ],
};
