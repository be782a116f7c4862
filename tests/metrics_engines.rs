//! Each serving engine's own names, units and labels.
#![allow(clippy::unwrap_used)]

mod metrics_support;

use decodescope::metrics::{Meaning, Outcome};
use metrics_support::{all, dump};

const ITL: Meaning = Meaning::InterTokenLatency;
const TTFT: Meaning = Meaning::TimeToFirstToken;

/// A histogram with 8 of 10 observations up to the first bound, in a server's own names.
fn histogram(name: &str, labels: &str, first: &str, sum: &str) -> String {
    let comma = if labels.is_empty() { "" } else { "," };
    format!(
        "{name}_bucket{{{labels}{comma}le=\"{first}\"}} 8\n{name}_bucket{{{labels}{comma}le=\"+Inf\"}} 10\n\
         {name}_count{{{labels}}} 10\n{name}_sum{{{labels}}} {sum}\n"
    )
}

#[test]
fn sglang_observes_per_token_and_its_ranks_are_copies() {
    for prefix in ["sglang:", "sglang_"] {
        let mut text = histogram(&format!("{prefix}inter_token_latency_seconds"), "model_name=\"m\"", "0.01", "0.09");
        text += &histogram(&format!("{prefix}time_to_first_token_seconds"), "model_name=\"m\"", "0.1", "1");
        for rank in 0..4 {
            text += &format!("{prefix}num_running_reqs{{model_name=\"m\",tp_rank=\"{rank}\"}} 6\n");
            text += &format!("{prefix}token_usage{{model_name=\"m\",tp_rank=\"{rank}\"}} 0.5\n");
        }
        text += &format!("{prefix}spec_accept_length{{model_name=\"m\"}} 2.4\n");
        text += &format!("{prefix}generation_tokens_total{{model_name=\"m\"}} 40\n");
        text += &format!("{prefix}max_total_num_tokens{{model_name=\"m\"}} 120000\n");
        let all = all(&dump(&text));
        assert_eq!((all.product.as_str(), all.per_token), ("SGLang", true));
        assert_eq!(all.mean(ITL).unwrap().get(), 0.009);
        assert_eq!(all.value(Meaning::RequestsRunning), Some(6.0));
        assert_eq!(all.value(Meaning::KvCacheUsage), Some(0.5));
        assert_eq!(all.value(Meaning::KvCacheCapacity), Some(120_000.0));
        assert_eq!((all.tokens_per_step(), all.accepted_length()), (None, Some(2.4)));
        assert_eq!((all.token_time().unwrap().get(), all.step_time().unwrap().get()), (0.009, 0.009 * 2.4));
    }
}

#[test]
fn sglangs_data_parallel_ranks_are_engines() {
    let line = |rank: u32| format!("sglang:num_running_reqs{{dp_rank=\"{rank}\",model_name=\"m\",tp_rank=\"0\"}} 3\n");
    let dump = dump(&(line(0) + &line(1)));
    assert_eq!((dump.sets.len(), all(&dump).value(Meaning::RequestsRunning)), (2, Some(6.0)));
}

#[test]
fn what_names_no_engine_is_the_only_engines() {
    let text = |ranks: &[u32]| {
        let line = |rank: &u32| format!("sglang:num_running_reqs{{dp_rank=\"{rank}\",model_name=\"m\"}} 3\n");
        ranks.iter().map(line).collect::<String>()
            + &histogram("sglang:inter_token_latency_seconds", "model_name=\"m\"", "0.01", "0.09")
            + "sglang:cache_config_info{num_pages=\"100\",page_size=\"64\"} 1\n"
    };
    let one = dump(&text(&[0]));
    assert_eq!((one.sets.len(), one.sets[0].selection.to_string()), (1, "m, engine 0".to_owned()));
    assert!(one.sets[0].has_latency());
    assert_eq!(one.sets[0].value(Meaning::KvCacheCapacity), Some(6400.0));
    let two = dump(&text(&[0, 1]));
    let selections: Vec<String> = two.sets.iter().map(|set| set.selection.to_string()).collect();
    assert_eq!(selections, ["all together", "m", "m, engine 0", "m, engine 1"]);
    assert_eq!(all(&two).value(Meaning::RequestsRunning), Some(6.0));
}

#[test]
fn tgi_takes_a_decode_batch_for_a_step() {
    let text = histogram("tgi_batch_inference_duration", "method=\"decode\"", "0.05", "0.4")
        + &histogram("tgi_batch_inference_duration", "method=\"prefill\"", "0.5", "2.5")
        + &histogram("tgi_request_mean_time_per_token_duration", "", "0.05", "0.6")
        + &histogram("tgi_request_queue_duration", "", "0.0005", "0.01")
        + "tgi_request_count 12\ntgi_request_success 10\ntgi_queue_size 2\ntgi_batch_current_size 5\n";
    let dump = dump(&text);
    let all = all(&dump);
    assert!(dump.warnings.iter().all(|w| w.line.is_none()), "{:#?}", dump.warnings);
    assert_eq!((all.product.as_str(), all.mean(ITL).unwrap().get()), ("TGI", 0.04));
    assert_eq!(all.mean(Meaning::PrefillTime).unwrap().get(), 0.25);
    assert_eq!(all.mean(Meaning::TimePerOutputToken).unwrap().get(), 0.06);
    assert_eq!((all.value(Meaning::RequestsFinished), all.histogram(TTFT)), (Some(10.0), None));
    assert_eq!((all.value(Meaning::RequestsWaiting), all.value(Meaning::RequestsRunning)), (Some(2.0), Some(5.0)));
}

#[test]
fn tensorrt_llm_with_and_without_its_prefix() {
    let labels = "engine_type=\"undefined\",model_name=\"undefined\"";
    for prefix in ["trtllm_", "trtllm:", ""] {
        let text = histogram(&format!("{prefix}time_per_output_token_seconds"), labels, "0.025", "0.2")
            + &histogram(&format!("{prefix}time_to_first_token_seconds"), labels, "0.1", "0.75")
            + &format!("{prefix}request_success_total{{{labels},finished_reason=\"stop\"}} 10\n");
        let all = all(&dump(&text));
        assert_eq!(all.product, "TensorRT-LLM", "{prefix}");
        // One observation per finished request: no inter-token latency.
        assert_eq!((all.mean(Meaning::TimePerOutputToken).unwrap().get(), all.histogram(ITL)), (0.02, None));
        assert_eq!((all.mean(TTFT).unwrap().get(), all.requests()), (0.075, Some(10.0)));
    }
}

#[test]
fn triton_counts_in_microseconds_and_passes_vllm_on() {
    let text = "nv_inference_request_success{model=\"tensorrt_llm\",version=\"1\"} 20\n\
        nv_inference_request_duration_us{model=\"tensorrt_llm\",version=\"1\"} 50000000\n\
        nv_inference_queue_duration_us{model=\"tensorrt_llm\",version=\"1\"} 4000\n\
        nv_trt_llm_request_metrics{model=\"tensorrt_llm\",request_type=\"waiting\",version=\"1\"} 3\n\
        nv_trt_llm_request_metrics{model=\"tensorrt_llm\",request_type=\"scheduled\",version=\"1\"} 8\n\
        nv_trt_llm_request_metrics{model=\"tensorrt_llm\",request_type=\"max\",version=\"1\"} 512\n\
        nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=\"fraction\",model=\"tensorrt_llm\",version=\"1\"} 0.25\n\
        nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=\"used\",model=\"tensorrt_llm\",version=\"1\"} 64\n";
    let triton = all(&dump(text));
    assert_eq!(triton.mean(Meaning::EndToEndLatency).unwrap().get(), 2.5);
    assert_eq!(triton.mean(Meaning::QueueTime).unwrap().get(), 0.0002);
    assert_eq!(
        (triton.value(Meaning::RequestsRunning), triton.value(Meaning::RequestsWaiting)),
        (Some(8.0), Some(3.0))
    );
    assert_eq!(triton.value(Meaning::KvCacheUsage), Some(0.25));

    let text = histogram("vllm:time_to_first_token_seconds", "model=\"vllm_model\",version=\"1\"", "0.1", "0.5");
    let vllm = all(&dump(&text));
    assert_eq!((vllm.product.as_str(), vllm.selection.model.as_deref()), ("vLLM", Some("vllm_model")));
}

#[test]
fn llama_cpps_counters_give_a_mean() {
    let text = "llamacpp:prompt_tokens_total 1200\nllamacpp:prompt_seconds_total 3.5\n\
        llamacpp:tokens_predicted_total 500\nllamacpp:tokens_predicted_seconds_total 25\n\
        llamacpp:predicted_tokens_seconds 19.5\nllamacpp:requests_processing 1\nllamacpp:requests_deferred 0\n";
    let dump = dump(text);
    let all = all(&dump);
    assert_eq!((dump.outcome, all.mean(ITL).unwrap().get()), (Outcome::Fine, 0.05));
    assert_eq!(all.histograms[&ITL].metric, "llamacpp:tokens_predicted_seconds / llamacpp:tokens_predicted");
    assert_eq!(all.histogram(ITL).unwrap().quantile(0.5), None);
    assert_eq!(all.value(Meaning::GenerationTokens), Some(500.0));
    assert!(all.has_latency() && dump.warnings.iter().all(|warning| warning.line.is_none()), "{:#?}", dump.warnings);
}

#[test]
fn a_front_end_and_the_workers_behind_it_are_not_added_up() {
    let front = histogram("dynamo_frontend_inter_token_latency_seconds", "model=\"m\"", "0.05", "0.5")
        + &histogram("dynamo_frontend_time_to_first_token_seconds", "model=\"m\"", "0.5", "4");
    let alone = all(&dump(&front));
    assert_eq!((alone.product.as_str(), alone.mean(ITL).unwrap().get()), ("Dynamo front end", 0.05));

    let worker = histogram("vllm:inter_token_latency_seconds", "engine=\"0\",model_name=\"m\"", "0.025", "0.2");
    let both = all(&dump(&(front + &worker)));
    assert_eq!((both.histogram(ITL).unwrap().total(), both.mean(ITL).unwrap().get()), (10.0, 0.02));
    // What the worker does not tell, the front end may.
    assert_eq!((both.product.as_str(), both.mean(TTFT).unwrap().get()), ("vLLM and Dynamo front end", 0.4));
}

#[test]
fn lmdeploy_nim_and_ray() {
    let text = histogram("lmdeploy:iter_token_latency", "engine=\"0\",model_name=\"m\"", "0.025", "0.2");
    assert_eq!(all(&dump(&text)).product, "LMDeploy");

    let text = histogram("time_per_output_token_seconds", "model_name=\"m\"", "0.025", "0.11")
        + "num_request_max{model_name=\"m\"} 256\nrequest_finish_total{finished_reason=\"stop\",model_name=\"m\"} 5\n\
           request_success_total{model_name=\"m\"} 4\n";
    let nim = all(&dump(&text));
    assert_eq!((nim.product.as_str(), nim.mean(ITL).unwrap().get(), nim.requests()), ("NIM", 0.011, Some(5.0)));

    let labels = |worker: &str| format!("Component=\"core_worker\",WorkerId=\"{worker}\",model_name=\"m\"");
    let of = |worker: &str| histogram("ray_vllm_inter_token_latency_seconds", &labels(worker), "0.025", "0.2");
    let ray = dump(&(of("a1") + &of("b2")));
    assert_eq!((ray.sets.len(), all(&ray).histogram(ITL).unwrap().total()), (2, 20.0));
    assert_eq!(ray.sets[1].selection.engine.as_deref(), Some("b2"));
}

#[test]
fn other_programs_metrics_are_not_taken_for_an_engines() {
    let text = "request_success_total 7\nrequest_received_total 9\nprompt_tokens 3\nhttp_requests_total 4\n";
    assert_eq!(dump(text).outcome, Outcome::Fine, "three names that only servers of language models share");
    let text = "request_success_total 7\nhttp_requests_total 4\nrequest_failed_total 1\n";
    assert_eq!((dump(text).outcome, dump(text).sets.len()), (Outcome::NothingUsable, 0));
    // An exporter with a prefixed engine's speed and counters of its own.
    let text = histogram("vllm:inter_token_latency_seconds", "", "0.025", "0.2")
        + "generation_tokens_total 5\nprompt_tokens_total 6\nnum_requests_running 7\nnum_preemptions_total 8\n";
    assert_eq!(all(&dump(&text)).value(Meaning::RequestsRunning), None);
}
