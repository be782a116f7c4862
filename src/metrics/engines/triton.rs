//! Triton Inference Server with the TensorRT-LLM backend: gauges of its batcher and cache, and counters of microseconds.
//! Neither a time to first token nor an inter-token latency.

use super::NamePart::{Count, Sum};
use super::{ENGINE, Engine, name};
use crate::metrics::meaning::Meaning::*;

const MICROSECONDS: f64 = 1e-6;

pub static TRITON: Engine = Engine {
    title: "Triton",
    prefixes: &["nv_"],
    names: &[
        name("trt_llm_request_metrics", RequestsRunning).only("request_type", "scheduled"),
        name("trt_llm_request_metrics", RequestsWaiting).only("request_type", "waiting"),
        name("inference_pending_request_count", RequestsWaiting),
        name("trt_llm_kv_cache_block_metrics", KvCacheUsage).only("kv_cache_block_type", "fraction"),
        name("inference_request_success", RequestsFinished),
        name("inference_request_success", EndToEndLatency).given_as(Count),
        name("inference_request_success", QueueTime).given_as(Count),
        name("inference_request_duration_us", EndToEndLatency).given_as(Sum).scaled(MICROSECONDS),
        name("inference_queue_duration_us", QueueTime).given_as(Sum).scaled(MICROSECONDS),
    ],
    ..ENGINE
};
