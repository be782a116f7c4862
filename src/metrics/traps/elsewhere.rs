//! Metrics of something else than the engine.

use super::Scene;

/// Names that only routers in front of engines have.
const OF_ROUTERS: &[&str] = &[
    "vllm:current_qps",
    "vllm:avg_decoding_length",
    "vllm:num_prefill_requests",
    "vllm:num_decoding_requests",
    "vllm:healthy_pods",
    "vllm:healthy_pods_total",
    "router:current_qps",
    "vllm:avg_itl",
    "router_queueing_delay_seconds",
];
const PREFIXES_OF_ROUTERS: &[&str] = &["sgl_router_", "smg_", "litellm_", "vllm_router_"];

/// A router's metrics.
pub fn router(scene: &Scene<'_>) -> Option<String> {
    if scene.all.has_latency() {
        return None;
    }
    let of_router =
        |name: &str| OF_ROUTERS.contains(&name) || PREFIXES_OF_ROUTERS.iter().any(|prefix| name.starts_with(prefix));
    let sign = scene.names.iter().find(|name| of_router(&name.name))?;
    Some(format!("{} is a router's: its latencies are in the metrics of the engines behind it", sign.name))
}

/// A server whose own metrics are all there is.
pub fn statistics_off(scene: &Scene<'_>) -> Option<String> {
    let own = |name: &str| ["python_", "process_", "http_"].iter().any(|prefix| name.starts_with(prefix));
    let all_own = !scene.names.is_empty() && scene.names.iter().all(|name| own(&name.name));
    all_own.then(|| {
        "only the process's own metrics (python_, process_, http_): vLLM started with --disable-log-stats looks like \
         this, and so does another server"
            .to_owned()
    })
}
