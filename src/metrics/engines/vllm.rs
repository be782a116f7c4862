//! vLLM, V0 and V1: plain, re-exported by Ray (`ray_vllm:`, `ray_vllm_`), a proxy (`vllm_`) or AIBrix, and as Triton's
//! backend (labels `model` and `version`).

use super::{ENGINE, Engine, Name, NamePart, name};
use crate::metrics::meaning::Meaning::*;

pub static VLLM: Engine = Engine {
    title: "vLLM",
    prefixes: &["vllm:", "ray_vllm:", "ray_vllm_", "vllm_", "aibrix:"],
    names: NAMES,
    unused: UNUSED,
    ..ENGINE
};

const NAMES: &[Name] = &[
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
    name("request_success", RequestsAborted).only("finished_reason", "abort"),
    name("prompt_tokens", PromptTokens),
    name("generation_tokens", GenerationTokens),
    name("num_preemptions", Preemptions),
    name("prefix_cache_queries", PrefixCacheQueries),
    name("gpu_prefix_cache_queries", PrefixCacheQueries),
    name("prefix_cache_hits", PrefixCacheHits),
    name("gpu_prefix_cache_hits", PrefixCacheHits),
    // V0: −1 where prefix caching is off.
    name("gpu_prefix_cache_hit_rate", PrefixCacheHitRate),
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
    name("cache_config_info", KvCacheCapacity).given_as(NamePart::Labels(&["num_gpu_blocks", "block_size"])),
    name("cache_config_info", KvCacheBits).given_as(NamePart::Word("cache_dtype", CACHE_TYPES)),
    name("cache_config_info", MemoryShare).given_as(NamePart::Labels(&["gpu_memory_utilization"])),
    name("avg_generation_throughput_toks_per_s", GenerationThroughput),
];

/// Types of the KV cache by bits an element. `auto` is the model's own type, which no metric says. A latent in the layout
/// of DeepSeek's sparse attention takes 656 bytes for 576 elements: 512 in 8 bit, 4 scales of 4 bytes, 64 in 16 bit.
const CACHE_TYPES: &[(&str, f64)] = &[
    ("bfloat16", 16.0),
    ("float16", 16.0),
    ("half", 16.0),
    ("fp8", 8.0),
    ("fp8_e4m3", 8.0),
    ("fp8_e5m2", 8.0),
    ("fp8_inc", 8.0),
    ("int8", 8.0),
    ("fp8_ds_mla", 656.0 * 8.0 / 576.0),
];

const UNUSED: &[&str] = &[
    "num_requests_waiting_by_reason",
    "num_requests_swapped",
    "engine_sleep_state",
    "lora_requests_info",
    "cpu_cache_usage_perc",
    "cpu_prefix_cache_hit_rate",
    "avg_prompt_throughput_toks_per_s",
    "prompt_tokens_by_source",
    "prompt_tokens_cached",
    "prompt_tokens_recomputed",
    "external_prefix_cache_queries",
    "external_prefix_cache_hits",
    "mm_cache_queries",
    "mm_cache_hits",
    "corrupted_requests",
    "spec_decode_num_accepted_tokens_per_pos",
    "spec_decode_num_emitted_tokens",
    "spec_decode_draft_acceptance_rate",
    "spec_decode_efficiency",
    "request_inference_time_seconds",
    "request_max_num_generation_tokens",
    "request_params_max_tokens",
    "request_params_n",
    "request_params_best_of",
    "request_prefill_kv_computed_tokens",
    "request_num_preemptions",
    "kv_block_lifetime_seconds",
    "kv_block_idle_before_evict_seconds",
    "kv_block_reuse_gap_seconds",
    "model_forward_time_milliseconds",
    "model_execute_time_milliseconds",
    "tokens",
    "tool_call_parser_invocations",
];
