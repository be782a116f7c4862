//! Each trap: a dump that shows it, and one that is like it and does not.
#![allow(clippy::unwrap_used)]

mod metrics_support;

use metrics_support::{dump, fixture, traps};
use std::fmt::Write as _;

/// Builds a dump line by line.
#[derive(Clone, Default)]
struct Text(String);

impl Text {
    fn new() -> Self {
        Self::default()
    }

    fn line(mut self, name: &str, value: f64) -> Self {
        writeln!(self.0, "vllm:{name}{{engine=\"0\",model_name=\"m\"}} {value}").unwrap();
        self
    }

    /// A histogram from cumulative counts; the last is all.
    fn histogram(mut self, name: &str, cumulative: &[(f64, f64)], sum: f64) -> Self {
        let all = cumulative.last().unwrap().1;
        for (le, count) in cumulative {
            let le = if le.is_infinite() { "+Inf".to_owned() } else { le.to_string() };
            writeln!(self.0, "vllm:{name}_bucket{{engine=\"0\",le=\"{le}\",model_name=\"m\"}} {count}").unwrap();
        }
        self.line(&format!("{name}_count"), all).line(&format!("{name}_sum"), sum)
    }

    fn itl(self, cumulative: &[(f64, f64)], sum: f64) -> Self {
        self.histogram("inter_token_latency_seconds", cumulative, sum)
    }

    fn ttft(self, cumulative: &[(f64, f64)], sum: f64) -> Self {
        self.histogram("time_to_first_token_seconds", cumulative, sum)
    }

    fn times(self, name: &str, count: f64, sum: f64) -> Self {
        self.histogram(name, &[(0.3, count), (INF, count)], sum)
    }

    fn told(&self) -> Vec<String> {
        traps(&dump(&self.0))
    }

    #[track_caller]
    fn shows(&self, words: &[&str]) {
        let told = self.told();
        assert!(told.iter().any(|told| words.iter().all(|word| told.contains(word))), "{words:?}: {told:#?}");
    }

    #[track_caller]
    fn hides(&self, word: &str) {
        let told = self.told();
        assert!(!told.iter().any(|told| told.contains(word)), "{word}: {told:#?}");
    }
}

const INF: f64 = f64::INFINITY;

/// 100 latencies of 20 ms on average over four buckets: nothing to say about the buckets.
fn healthy() -> Text {
    Text::new().itl(&[(0.01, 20.0), (0.025, 60.0), (0.05, 90.0), (0.075, 100.0), (INF, 100.0)], 2.0)
}

#[test]
fn nothing_is_told_of_a_healthy_dump() {
    let busy = healthy()
        .ttft(&[(0.1, 4.0), (0.25, 8.0), (0.5, 10.0), (INF, 10.0)], 1.5)
        .times("request_queue_time_seconds", 8.0, 0.001)
        .line("generation_tokens_total", 110.0)
        .line("request_success_total", 8.0)
        .line("num_requests_running", 2.0)
        .line("kv_cache_usage_perc", 0.4);
    assert_eq!(busy.told(), Vec::<String>::new());
}

#[test]
fn coarse_buckets() {
    let one = Text::new().itl(&[(0.01, 0.0), (0.025, 1623.0), (INF, 1623.0)], 28.225);
    one.shows(&["all 1623", "10.0–25.0 ms", "17.4 ms, is exact"]);
    // NIM's dump of metrics.md: 168 of 169 in one bucket, mean 10.99 ms, p50 interpolated to 17.5 ms
    let most = Text::new().itl(&[(0.01, 0.0), (0.025, 168.0), (0.05, 169.0), (INF, 169.0)], 1.857);
    most.shows(&["168 of 169", "the 17.5 ms of an interpolated p50", "11.0 ms, is exact"]);
    let floor = Text::new().itl(&[(0.01, 141.0), (0.1, 144.0), (INF, 144.0)], 0.6237);
    floor.shows(&["141 of 144", "up to 10.0 ms, the lowest bound", "4.33 ms"]);
    healthy().hides("one bucket");
    Text::new().itl(&[(0.025, 3.0), (INF, 3.0)], 0.06).hides("one bucket");
}

#[test]
fn a_queue_below_its_lowest_bound() {
    Text::new().times("request_queue_time_seconds", 38.0, 0.0179).shows(&["queue time", "up to 300 ms", "471 µs"]);
}

#[test]
fn observations_above_the_last_bound() {
    let late = Text::new().ttft(&[(10.0, 23.0), (30.0, 40.0), (INF, 100.0)], 20_000.0);
    late.shows(&["60 of 100", "60 %", "30.0 s", "p50, p90, p99"]);
    let few = Text::new().ttft(&[(10.0, 500.0), (30.0, 999.0), (INF, 1000.0)], 9000.0);
    few.shows(&["1 of 1000", "tail is longer"]);
    // 90 of 100 below it: p90 is known, p99 is not.
    let tenth = Text::new().ttft(&[(10.0, 50.0), (30.0, 90.0), (INF, 100.0)], 900.0);
    tenth.shows(&["10 of 100", "read of p99 is"]);
    healthy().hides("above the last bound");
}

#[test]
fn several_tokens_per_step() {
    let drafting =
        |tokens| healthy().ttft(&[(0.25, 10.0), (0.5, 20.0), (INF, 20.0)], 4.0).line("generation_tokens_total", tokens);
    // (270 − 20) / 100 = 2.5 tokens per output, so 20 ms per step are 8 ms per token
    drafting(270.0).shows(&[
        "2.50 tokens",
        "250 tokens after the first in 100 outputs",
        "20.0 ms",
        "8.00 ms per token",
    ]);
    drafting(120.0).hides("tokens on average");
    // 1 + 60/40 by the drafter's own counters, where first tokens are not in the dump
    let counters =
        healthy().line("spec_decode_num_drafts_total", 40.0).line("spec_decode_num_accepted_tokens_total", 60.0);
    counters.shows(&["2.50 tokens", "8.00 ms per token"]);
}

#[test]
fn more_outputs_than_tokens() {
    let text = healthy().ttft(&[(0.25, 10.0), (0.5, 20.0), (INF, 20.0)], 4.0);
    text.clone().line("generation_tokens_total", 80.0).shows(&["100 inter-token", "20 first", "only 80 tokens"]);
    text.line("generation_tokens_total", 120.0).hides("tokens generated");
}

#[test]
fn a_first_token_that_waited() {
    let text = |queue| {
        Text::new()
            .ttft(&[(0.5, 5.0), (1.0, 10.0), (INF, 10.0)], 5.0)
            .times("request_queue_time_seconds", 10.0, queue)
            .times("request_prefill_time_seconds", 10.0, 0.8)
    };
    text(4.0).shows(&["includes the queue", "500 ms", "400 ms (80 %)", "80.0 ms prefill"]);
    text(0.01).hides("includes the queue");
}

#[test]
fn times_near_zero() {
    let bug = Text::new().ttft(&[(0.001, 8060.0), (INF, 8060.0)], 0.587);
    bug.shows(&["72.8 µs", "8060", "0.5.1 to 0.5.3"]);
    bug.hides("is exact");
    Text::new().ttft(&[(0.001, 0.0), (0.1, 8060.0), (INF, 8060.0)], 400.0).hides("cannot be");
}

#[test]
fn prefill_and_decode_swapped() {
    let text = |prefill, decode| {
        let text = healthy().times("request_prefill_time_seconds", 5.0, prefill);
        text.times("request_decode_time_seconds", 5.0, decode)
    };
    text(2.02, 0.3).shows(&["look swapped", "2.00 s", "300 ms"]);
    text(0.3, 2.02).hides("swapped");
    text(9.0, 2.02).hides("swapped");
}

#[test]
fn requests_that_never_finish() {
    let text = |finished, running| {
        let text = Text::new().ttft(&[(0.5, 30.0), (1.0, 69.0), (INF, 69.0)], 40.0);
        text.line("request_success_total", finished).line("num_requests_running", running)
    };
    text(38.0, 8.0).shows(&["31 of 69", "8 still run"]);
    text(38.0, 0.0).shows(&["31 of 69", "they were aborted or lost"]);
    text(61.0, 8.0).hides("not counted as finished");
    text(140.0, 0.0).shows(&["140 requests finished but only 69"]);
    text(69.0, 0.0).hides("each sequence");
}

#[test]
fn the_names_of_two_releases() {
    let both = healthy().histogram("time_per_output_token_seconds", &[(0.05, 100.0), (INF, 100.0)], 2.0);
    both.shows(&["old and a new name"]);
    healthy()
        .histogram("request_time_per_output_token_seconds", &[(0.05, 100.0), (INF, 100.0)], 2.0)
        .hides("old and a new name");
}

#[test]
fn prefix_counters_in_blocks() {
    let text = |unit: &str| {
        let help = format!(
            "# HELP vllm:gpu_prefix_cache_queries_total Prefix cache queries, in terms of number of queried {unit}.\n"
        );
        let mut text = Text(help).line("gpu_prefix_cache_queries_total", 500.0);
        text.0.insert_str(
            text.0.find("vllm:gpu_prefix_cache_queries_total{").unwrap(),
            "# TYPE vllm:gpu_prefix_cache_queries_total counter\n",
        );
        text.line("gpu_prefix_cache_hits_total", 100.0)
    };
    text("blocks").shows(&["counts blocks", "500 blocks"]);
    text("tokens").hides("blocks");
}

#[test]
fn several_processes() {
    let told = traps(&dump(&fixture("share-per-process.txt")));
    assert!(told.iter().any(|told| told.contains("4 processes")), "{told:#?}");
    healthy().line("kv_cache_usage_perc", 0.5).hides("processes");
    healthy().line("gpu_cache_usage_perc", 1.4).shows(&["140 % full"]);

    let engines = |numbers: &[u32]| {
        let line = |number: &u32| format!("vllm:num_requests_running{{engine=\"{number}\",model_name=\"m\"}} 1\n");
        Text(numbers.iter().map(line).collect())
    };
    engines(&[0, 1, 3]).shows(&["engines up to 3", "not 2"]);
    engines(&[0, 1, 2]).hides("in this dump but not");
    engines(&[5]).hides("in this dump but not");
}

#[test]
fn an_ensemble_counts_a_request_in_each_model() {
    let model = |name: &str| format!("nv_inference_request_success{{model=\"{name}\",version=\"1\"}} 20\n");
    Text(model("preprocessing") + &model("tensorrt_llm")).shows(&["preprocessing, tensorrt_llm"]);
    Text(model("tensorrt_llm")).hides("Triton");
}

#[test]
fn a_latency_per_token() {
    let text = |length: f64| {
        Text(format!(
            "sglang:inter_token_latency_seconds_sum 8\nsglang:inter_token_latency_seconds_count 1000\n\
             sglang:spec_accept_length {length}\n"
        ))
    };
    text(2.5).shows(&["SGLang observes its latency per token, 8.00 ms", "2.50 tokens", "a step takes 20.0 ms"]);
    text(1.0).hides("per token");
}

#[test]
fn a_prefix_cache_that_never_hits() {
    let text = |hits| {
        let config = "vllm:cache_config_info{block_size=\"784\",engine=\"0\",num_gpu_blocks=\"50\"} 1\n";
        Text(config.to_owned()).line("prefix_cache_queries_total", 9000.0).line("prefix_cache_hits_total", hits)
    };
    text(0.0).shows(&["of 9000 tokens", "784 tokens"]);
    text(16.0).hides("none was there");
}

#[test]
fn an_idle_server() {
    healthy().line("num_requests_running", 0.0).shows(&["no request is running", "100 latencies"]);
    healthy().line("num_requests_running", 2.0).hides("no request is running");
    healthy().line("num_requests_running", 0.0).line("num_requests_waiting", 3.0).hides("no request is running");
    healthy().hides("no request is running");
}

#[test]
fn prefill_on_another_instance() {
    healthy().times("nixl_xfer_time_seconds", 10.0, 0.1).shows(&["vllm:nixl_xfer_time_seconds", "different instances"]);
    healthy().line("external_prefix_cache_queries_total", 10.0).hides("different instances");
}

#[test]
fn tgis_time_per_token_has_the_prefill_in_it() {
    let text = "tgi_request_mean_time_per_token_duration_sum 0.6\ntgi_request_mean_time_per_token_duration_count 10\n";
    Text(text.to_owned()).shows(&["60.0 ms", "prefill included"]);
}

#[test]
fn a_router_or_a_silent_server() {
    let router =
        "vllm:current_qps{server=\"http://a:8000\"} 2\nvllm:num_requests_running{server=\"http://a:8000\"} 3\n";
    Text(router.to_owned()).shows(&["vllm:current_qps is a router's"]);
    healthy().line("current_qps", 2.0).hides("router");
    let silent = "python_gc_objects_collected_total{generation=\"0\"} 1\nprocess_open_fds 45\nhttp_requests_total 3\n";
    Text(silent.to_owned()).shows(&["--disable-log-stats"]);
    Text(silent.to_owned() + "vllm:prompt_tokens_total 3\n").hides("--disable-log-stats");
}
