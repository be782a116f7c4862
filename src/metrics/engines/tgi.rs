//! Text Generation Inference.
//!
//! It has no time to first token; the nearest is the prefill batch. A decode batch's time is one decode step, while the
//! mean time per token of a request takes the prefill in.

use super::{ENGINE, Engine, name};
use crate::metrics::meaning::Meaning::*;

pub static TGI: Engine = Engine {
    title: "TGI",
    prefixes: &["tgi_"],
    names: &[
        name("batch_inference_duration", InterTokenLatency).only("method", "decode"),
        name("batch_inference_duration", PrefillTime).only("method", "prefill"),
        name("request_mean_time_per_token_duration", TimePerOutputToken),
        name("request_duration", EndToEndLatency),
        name("request_queue_duration", QueueTime),
        name("request_input_length", RequestPromptTokens),
        name("request_generated_tokens", RequestGenerationTokens),
        name("request_success", RequestsFinished),
        name("batch_current_size", RequestsRunning),
        name("queue_size", RequestsWaiting),
    ],
    unused: &[
        "request_count",
        "request_failure",
        "request_inference_duration",
        "request_validation_duration",
        "request_max_new_tokens",
        "batch_next_size",
        "batch_next_tokens",
        "batch_current_max_tokens",
        "batch_inference_count",
        "batch_inference_success",
        "batch_forward_duration",
        "batch_decode_duration",
        "batch_filter_duration",
        "batch_concat",
        "batch_concat_duration",
    ],
    ..ENGINE
};
