//! What a dump gives away beside its numbers: the release it comes from, misspelt names, the cache's size.
#![allow(clippy::unwrap_used)]

mod metrics_support;

use decodescope::metrics::Meaning;
use decodescope::paste::WarningKind;
use metrics_support::{all, dump, fixture, says, shared_dumps};

fn hint(text: &str) -> (Option<&'static str>, Option<&'static str>) {
    let hint = dump(text).version_hint;
    hint.map_or((None, None), |hint| (hint.at_least.map(|(r, _)| r), hint.before.map(|(r, _)| r)))
}

#[test]
fn releases_by_the_names_that_came_and_went() {
    let names = |names: &[&str]| -> String { names.iter().map(|name| format!("vllm:{name} 1\n")).collect() };
    assert_eq!(hint(&names(&["avg_generation_throughput_toks_per_s", "num_requests_swapped"])), (None, Some("0.7")));
    assert_eq!(hint(&names(&["kv_cache_usage_perc", "gpu_cache_usage_perc"])), (Some("0.9.2"), Some("0.12")));
    assert_eq!(hint(&names(&["engine_sleep_state", "kv_cache_usage_perc"])), (Some("0.11.1"), None));
    assert_eq!(hint(&fixture("both-old-and-new-names.txt")), (Some("0.10.2"), Some("0.12")));
    // A mixture of two releases, and no vLLM at all.
    assert_eq!(hint(&names(&["num_requests_waiting_by_reason", "num_requests_swapped"])), (None, None));
    assert_eq!(hint("sglang:num_running_reqs 1\n"), (None, None));
    let said = dump(&names(&["kv_cache_usage_perc"])).version_hint.unwrap().to_string();
    assert_eq!(said, "vLLM 0.9.2 or later (kv_cache_usage_perc came with it)");
}

#[test]
fn releases_of_real_dumps() {
    let Some(folder) = shared_dumps() else {
        println!("skipped 4 dumps: the reference data is not here");
        return;
    };
    for (file, at_least, before) in [
        // V1 of about 0.11; 0.6.6 or 0.7; 0.10.2-dev; about 0.8.1
        ("01-vllm-v0.11-v1-idle-engine0.txt", Some("0.11"), Some("0.15")),
        ("03-vllm-v0-aibrix-docs-indented-truncated.txt", None, Some("0.9.1")),
        ("11-vllm-v1-dp2-two-api-servers.txt", Some("0.10.2"), Some("0.15")),
        ("18-vllm-0.8-v1-no-engine-label-coder32b.txt", Some("0.6.4"), Some("0.12")),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(hint(&text), (at_least, before), "{file}");
    }
}

#[test]
fn misspelt_names() {
    let dump = dump("vllm:time_to_first_token_second_count 3\nvllm:time_to_first_token_second_sum 0.3\n");
    assert_eq!(dump.names[0].resembles.as_deref(), Some("vllm:time_to_first_token_seconds"));
    assert!(says(&dump, WarningKind::Missing, None, "vllm:time_to_first_token_seconds may be meant"));
}

#[test]
fn no_real_name_is_taken_for_a_misspelt_one() {
    let Some(folder) = shared_dumps() else {
        println!("skipped: the reference data is not here");
        return;
    };
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for name in dump(&text).names {
            assert_eq!(name.resembles, None, "{}", name.name);
        }
    }
}

#[test]
fn a_step_and_a_token() {
    // 20 ms per output, (270 − 20) / 100 = 2.5 tokens in each
    let text = "vllm:inter_token_latency_seconds_sum 2\nvllm:inter_token_latency_seconds_count 100\n\
        vllm:time_to_first_token_seconds_sum 1\nvllm:time_to_first_token_seconds_count 20\n\
        vllm:generation_tokens_total 270\n";
    let all = all(&dump(text));
    assert_eq!((all.step_time().unwrap().get(), all.token_time().unwrap().get()), (0.02, 0.008));
}

#[test]
fn speculation_caches_and_the_servers_own_estimates() {
    let text = "vllm:spec_decode_num_drafts_total{engine=\"0\"} 200\n\
        vllm:spec_decode_num_draft_tokens_total{engine=\"0\"} 600\n\
        vllm:spec_decode_num_accepted_tokens_total{engine=\"0\"} 300\n\
        vllm:prefix_cache_queries_total{engine=\"0\"} 1000\nvllm:prefix_cache_hits_total{engine=\"0\"} 250\n\
        vllm:estimated_flops_per_gpu_total{engine=\"0\"} 2.5e15\n\
        vllm:estimated_read_bytes_per_gpu_total{engine=\"0\"} 4e12\n\
        vllm:iteration_tokens_total_sum{engine=\"0\"} 4800\nvllm:iteration_tokens_total_count{engine=\"0\"} 1200\n\
        vllm:cache_config_info{block_size=\"None\",engine=\"0\",num_gpu_blocks=\"100\"} 1\n";
    let all = all(&dump(text));
    assert_eq!(all.accepted_length(), Some(2.5)); // 1 + 300/200
    assert_eq!(all.acceptance_rate().unwrap().get(), 0.5);
    assert_eq!(all.prefix_hit_rate().unwrap().get(), 0.25);
    assert_eq!(all.tokens_per_iteration(), Some(4.0));
    assert_eq!(
        (all.value(Meaning::EstimatedFlops), all.value(Meaning::EstimatedReadBytes)),
        (Some(2.5e15), Some(4e12))
    );
    assert_eq!(all.value(Meaning::KvCacheCapacity), None, "a hybrid model's blocks have no one size");
}
