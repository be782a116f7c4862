//! SGLang: plain (`sglang:`), and behind its gateway (`sglang_`, with `worker_addr`).
//!
//! Its inter-token latency is per token: the time since the last output is divided by the output's tokens and observed
//! once for each. Token counters grow when a request finishes, so they lag behind the histograms under load.

use super::{ENGINE, Engine, NamePart, Observes, name};
use crate::metrics::meaning::Meaning::*;

pub static SGLANG: Engine = Engine {
    title: "SGLang",
    prefixes: &["sglang:", "sglang_"],
    observes: Observes::Tokens,
    // The very first version called it `name`.
    model_labels: &["model_name", "name"],
    engine_labels: &["dp_rank"],
    copies: &["tp_rank", "pp_rank", "moe_ep_rank"],
    names: &[
        name("inter_token_latency_seconds", InterTokenLatency),
        // Until March 2025.
        name("time_per_output_token_seconds", InterTokenLatency),
        name("time_to_first_token_seconds", TimeToFirstToken),
        name("request_time_per_output_token_seconds", TimePerOutputToken),
        name("e2e_request_latency_seconds", EndToEndLatency),
        name("queue_time_seconds", QueueTime),
        name("prompt_tokens_histogram", RequestPromptTokens),
        name("request_prompt_tokens", RequestPromptTokens),
        name("generation_tokens_histogram", RequestGenerationTokens),
        name("request_generation_tokens", RequestGenerationTokens),
        name("prompt_tokens", PromptTokens),
        name("generation_tokens", GenerationTokens),
        name("num_requests", RequestsFinished),
        name("num_aborted_requests", RequestsAborted),
        name("num_running_reqs", RequestsRunning),
        name("num_queue_reqs", RequestsWaiting),
        name("token_usage", KvCacheUsage),
        name("max_total_num_tokens", KvCacheCapacity),
        name("cache_config_info", KvCacheCapacity).given_as(NamePart::Labels(&["num_pages", "page_size"])),
        name("cache_hit_rate", PrefixCacheHitRate),
        name("spec_accept_length", AcceptedLength),
        name("gen_throughput", GenerationThroughput),
        name("estimated_flops_per_gpu", EstimatedFlops),
        name("estimated_read_bytes_per_gpu", EstimatedReadBytes),
        name("estimated_write_bytes_per_gpu", EstimatedWriteBytes),
    ],
    unused: &[
        "cached_tokens",
        "num_used_tokens",
        "func_latency_seconds",
        "per_stage_req_latency_seconds",
        "spec_accept_rate",
        "spec_num_steps",
        "spec_num_draft_tokens",
        "realtime_tokens",
        "forward_execution_seconds",
        "cuda_graph_passes",
        "num_grammar_queue_reqs",
        "num_so_requests",
        "uncached_prompt_tokens_histogram",
        "full_token_usage",
        "spec_verify_calls",
    ],
    ..ENGINE
};
