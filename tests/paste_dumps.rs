//! Real dumps as people posted them: every sample is read, with its value.
#![allow(clippy::unwrap_used)]

mod paste_support;

use decodescope::paste::prometheus::{Exposition, read};
use decodescope::paste::{Warning, WarningKind};

/// File, number of samples, and one sample in it: name, a label, value.
type Fact = (&'static str, usize, &'static str, (&'static str, &'static str), f64);

/// Counted and read by eye.
const FACTS: &[Fact] = &[
    ("01-vllm-v0.11-v1-idle-engine0.txt", 379, "process_virtual_memory_bytes", ("", ""), 8_982_228_992.0),
    ("03-vllm-v0-aibrix-docs-indented-truncated.txt", 29, "vllm:iteration_tokens_total_bucket", ("le", "96.0"), 998.0),
    ("05-vllm-v0-oci-blueprints-shell-prompt.txt", 2, "vllm:cache_config_info", ("num_gpu_blocks", "10947"), 1.0),
    (
        "07-sglang-docs-2026-loaded-11008-requests.txt",
        93,
        "sglang:time_to_first_token_seconds_sum",
        ("model_name", "meta-llama/Llama-3.1-8B-Instruct"),
        2_351_897.947_411_775_6,
    ),
    ("09-ray-serve-vllm-v0-first-part.txt", 57, "ray_vllm:time_to_first_token_seconds_bucket", ("le", "5.0"), 1.0),
    (
        "11-vllm-v1-dp2-two-api-servers.txt",
        39,
        "vllm:inter_token_latency_seconds_sum",
        ("engine", "1"),
        3.849_267_225_945_368_4,
    ),
    (
        "12b-vllm-lora-requests-info.txt",
        3,
        "vllm:lora_requests_info",
        ("waiting_lora_adapters", "test-lora"),
        1_739_557_571.764_714_7,
    ),
    ("14-vllm-0.5.3-ttft-sum-too-small.txt", 17, "vllm:time_to_first_token_seconds_bucket", ("le", "5.0"), 8060.0),
    (
        "16-vllm-v1-dp8-spec-decode-prometheus-table.txt",
        8,
        "vllm:spec_decode_num_accepted_tokens_created",
        ("engine", "1"),
        1_756_736_798.733_875_5,
    ),
    ("18-vllm-0.8-v1-no-engine-label-coder32b.txt", 57, "vllm:iteration_tokens_total_bucket", ("le", "1.0"), 110_540.0),
    ("20-llamacpp-minus-nan.txt", 7, "llamacpp:prompt_tokens_seconds", ("", ""), 0.0),
    (
        "22-ibm-tgis-on-vllm-dict-as-label.txt",
        24,
        "tgi_batch_inference_duration_bucket",
        ("method", "{'method': 'prefill'}"),
        215.0,
    ),
    (
        "26-vllm-0.29-cpu-book-lab-trimmed.txt",
        11,
        "vllm:time_to_first_token_seconds_sum",
        ("engine", "0"),
        50.285_691_261_291_504,
    ),
    ("28-sglang-behind-gateway-underscore.txt", 3, "sglang_realtime_tokens_total", ("mode", "prefill_compute"), 55.0),
    ("30-vllm-design-doc-ellipsis.txt", 14, "vllm:request_success_total", ("finished_reason", "abort"), 0.0),
    ("31b-sglang-first-version-label-name.txt", 7, "sglang:e2e_request_latency_seconds_bucket", ("le", "20.0"), 870.0),
    ("33-vllm-v0-qwenvl-gauges.txt", 6, "vllm:cache_config_info", ("swap_space_bytes", "0.0"), 1.0),
    ("35-mindie-unprefixed-integers.txt", 7, "generation_tokens_total", ("", ""), 578.0),
];

#[test]
fn every_sample_of_every_dump() {
    let Some(folder) = paste_support::shared("dumps") else {
        println!("skipped {} dumps: the reference data is not here", FACTS.len());
        return;
    };
    let mut skipped = 0;
    for (file, count, name, (label, label_value), value) in FACTS {
        let Ok(text) = std::fs::read_to_string(folder.join(file)) else {
            skipped += 1;
            continue;
        };
        let exposition = read(&text);
        assert_eq!(exposition.samples().len(), *count, "{file}: {:#?}", exposition.warnings());
        // The last of that name and label, so that cumulative buckets have reached their end.
        let sample = exposition
            .samples()
            .filter(|sample| sample.name() == *name)
            .rfind(|sample| label.is_empty() || sample.label(label) == Some(label_value));
        assert_eq!(sample.map(|sample| sample.value()), Some(*value), "{file}: {name}");
    }
    println!("skipped {skipped} of {} dumps", FACTS.len());
}

#[test]
fn a_line_for_everything_that_is_not_a_metric() {
    let Some(folder) = paste_support::shared("dumps") else {
        println!("skipped 6 dumps: the reference data is not here");
        return;
    };
    let warned = |file: &str| -> Vec<(Option<usize>, WarningKind)> {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        read(&text).warnings().iter().map(|warning| (warning.line, warning.kind)).collect()
    };
    assert_eq!(warned("01-vllm-v0.11-v1-idle-engine0.txt"), []);
    assert_eq!(warned("03-vllm-v0-aibrix-docs-indented-truncated.txt"), [(Some(1), WarningKind::Repaired)]);
    let shell = [(Some(1), WarningKind::Skipped), (Some(9), WarningKind::Truncated)];
    assert_eq!(warned("05-vllm-v0-oci-blueprints-shell-prompt.txt"), shell);
    assert_eq!(warned("16-vllm-v1-dp8-spec-decode-prometheus-table.txt"), [(Some(1), WarningKind::Repaired)]);
    assert_eq!(warned("20-llamacpp-minus-nan.txt"), [(Some(18), WarningKind::BadValue)]);
    assert_eq!(warned("26-vllm-0.29-cpu-book-lab-trimmed.txt"), [(Some(3), WarningKind::Truncated)]);
}

#[test]
fn a_server_before_its_first_request() {
    let exposition = read("# HELP vllm:request_success_total x\n# TYPE vllm:request_success_total counter\n");
    assert!(exposition.has_metadata_only());
    assert!(!read("").has_metadata_only());
    assert!(!read("a 1\n").has_metadata_only());
}

fn said(exposition: &Exposition<'_>) -> Vec<(Option<usize>, WarningKind)> {
    exposition.warnings().iter().map(|Warning { line, kind, .. }| (*line, *kind)).collect()
}

#[test]
fn openmetrics_as_a_server_prints_it() {
    let text = "# HELP vllm:prompt_tokens Prefill tokens.\n# TYPE vllm:prompt_tokens counter\n\
        vllm:prompt_tokens_total{model_name=\"a \\\"b\\\"\\\\\\n\",engine=\"0\"} 34567503\n\
        # TYPE itl_seconds histogram\n# UNIT itl_seconds seconds\n\
        itl_seconds_bucket{le=\"0.025\"} 3 1520879607.789 # {trace_id=\"KOO5S4vxi0o\"} 0.0174 1520879607.5\n\
        itl_seconds_bucket{le=\"+Inf\"} 3\nitl_seconds_count 3\nitl_seconds_sum 5.2e-02\n# EOF\n";
    let exposition = read(text);
    assert_eq!(said(&exposition), []);
    assert!(exposition.ended_with_eof());
    let samples: Vec<_> = exposition.samples().collect();
    assert_eq!(samples.len(), 5);
    assert_eq!(samples[0].label("model_name"), Some("a \"b\"\\\n"));
    assert_eq!(samples[0].family().unwrap().help.as_deref(), Some("Prefill tokens."));
    assert_eq!(samples[1].timestamp().unwrap().seconds(), 1_520_879_607.789);
    let exemplar = samples[1].exemplars().next().unwrap();
    assert_eq!(exemplar.labels().collect::<Vec<_>>(), [("trace_id", "KOO5S4vxi0o")]);
    assert_eq!((exemplar.value, exemplar.timestamp.unwrap().seconds()), (0.0174, 1_520_879_607.5));
    assert_eq!(samples[4].value(), 0.052);
    assert_eq!(exposition.family("itl_seconds").unwrap().unit.as_deref(), Some("seconds"));
}

#[test]
fn timestamps_in_the_unit_of_their_format() {
    let seconds = |text: &str| read(text).samples().next().and_then(|sample| sample.timestamp()).map(|t| t.seconds());
    assert_eq!(seconds("a 1 1395066363000\n"), Some(1_395_066_363.0));
    assert_eq!(seconds("a 1 -3982045\n"), Some(-3982.045));
    assert_eq!(seconds("a 1 1395066363.5\n"), Some(1_395_066_363.5));
    assert_eq!(seconds("a 1 123\n# EOF\n"), Some(123.0));
    assert_eq!(seconds("a 1\n"), None);
    // By the letter milliseconds, by its size seconds: read by the letter, and doubted.
    assert_eq!(seconds("a 1 1395066363\n"), Some(1_395_066.363));
    assert_eq!(said(&read("a 1 1395066363\n")), [(Some(1), WarningKind::Trap)]);
}

#[test]
fn one_odd_line_does_not_change_the_unit_of_the_others() {
    for other in [
        "b 1 92233720368547758080000",
        "b 1 1715829785083.5",
        "b 1 1e3",
        "b 1 1715829785.083",
        "b_total 1 # {t=\"1\"} 1 1715829785.083",
        "# UNIT b_s s",
        "# EOF",
    ] {
        let text = format!("a 1 1715829785083\n{other}\n");
        let exposition = read(&text);
        let time = exposition.samples().next().and_then(|sample| sample.timestamp()).map(|time| time.seconds());
        assert_eq!(time, Some(1_715_829_785.083), "{other}");
        // Where OpenMetrics is sure, its letter says seconds.
        let openmetrics = other.contains('#');
        assert_eq!(said(&exposition).contains(&(Some(1), WarningKind::Trap)), openmetrics, "{other}");
    }
    let mixed = read("a 1 1715829785\nb 1 1e3\nc 1 1715829785083\n");
    let times: Vec<f64> = mixed.samples().filter_map(|sample| sample.timestamp()).map(|time| time.seconds()).collect();
    assert_eq!(times, [1_715_829_785.0, 1000.0, 1_715_829_785.083]);
    // A comment is no end, and proves nothing.
    let text = read("a 1 1395066363000\n#EOF\n");
    assert_eq!(text.samples().next().unwrap().timestamp().unwrap().seconds(), 1_395_066_363.0);
    assert!(text.warnings().is_empty());
}

#[test]
fn as_copied_from_a_terminal_or_a_page() {
    let text = "user@host:~$ curl localhost:8000/metrics\r\n\
          % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\r\n\
        \x20                                Dload  Upload   Total   Spent    Left  Speed\r\n\
        ```\r\n> a{x=\"1\"} 1\r\n    b\t2\r\n# # TYPE c gauge\r\n# c 3\r\n| `d` | 4 |\r\n| d | 4 |\r\n\r\n\
        e{x=\"y\"} 8192\r\n...\r\nuser@host:~$ ";
    let exposition = read(text);
    let read: Vec<_> = exposition.samples().map(|sample| (sample.name(), sample.value(), sample.line())).collect();
    assert_eq!(read, [("a", 1.0, 5), ("b", 2.0, 6), ("c", 3.0, 8), ("d", 4.0, 10), ("e", 8192.0, 12)]);
    let mentioned: Vec<usize> = exposition.warnings().iter().filter_map(|warning| warning.line).collect();
    for line in [1, 2, 4, 5, 6, 7, 9, 10, 13] {
        assert!(mentioned.contains(&line), "line {line}: {:#?}", exposition.warnings());
    }
}

#[test]
fn a_cut_last_line_is_left_out_or_doubted() {
    for cut in
        ["a 1\nb{x=\"y", "a 1\nb{x=", "a 1\nb{x=\"y\"", "a 1\nb{x=\"y\"}", "a 1\nb{x=\"y\"} 1e", "a 1\n# TYPE b cou"]
    {
        let exposition = read(cut);
        assert_eq!(exposition.samples().len(), 1, "{cut}");
        assert_eq!(said(&exposition), [(Some(2), WarningKind::Truncated)], "{cut}");
    }
    let whole = read("a 1\nb{x=\"y\"} 12");
    assert_eq!(whole.samples().len(), 2);
    assert_eq!(said(&whole), [(Some(2), WarningKind::Truncated)]);
    assert_eq!(said(&read("a 1\n# EOF")), []);
}

#[test]
fn one_bad_line_costs_one_line() {
    let text = "a 1\nt{name=\"MacBook Pro 14\" registry R/W\",id=\"1\"} -794\nm{code=200} 20\nb 1,5\n\
        {\"__name__\":\"x\"} 12\nP99: 0\nc 2 # {bad\nd{a=\"\\u003c\"} 3\ne 1 2 3\nf 4\n";
    let exposition = read(text);
    let names: String = exposition.samples().map(|sample| sample.name()).collect();
    assert_eq!(names, "acdf");
    assert_eq!(exposition.samples().nth(2).unwrap().label("a"), Some("\\u003c"));
    let lines: Vec<usize> = exposition.warnings().iter().filter_map(|warning| warning.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_line_that_begins_like_the_one_before_is_read_the_same() {
    // Each pair shares a beginning in another way; the second must not depend on the first.
    let lines = [
        "a{x=\"1\",le=\"1\",y=\"2\"} 1",
        "a{x=\"1\",le=\"2.5\",y=\"2\"} 2",
        "a{x=\"1\",le=\"2\",y=\"3\"} 3",
        "a{x=\"1\",le=\"q\\\"\",y=\"3\"} 3",
        "a{x=\"1\",le=\"+Inf\",y=\"3\"} 4 # broken",
        "a{x=\"1\"} 5",
        "a{x=\"1\" } 5",
        "ab{x=\"1\",} 5",
        "a{x=\"1\",le=\"5\",y=\"3\"} oops",
        "a{x=\"1\",le=\"6\",y=\"3\"} 6",
        "a{le=\"1\",x=\"1\"} 7",
        "a{le=\"2\",x=\"1\"} 8",
        "a{x=\"1\",x=\"1\",le=\"2\"} 9",
        "a{x=\"1\",le=\"2\",x=\"4\"} 9",
        "a{x=\"1\",le=\"3\",x=\"4\"} 9",
        "a{x=\"12\",y=\"3\",z=\"4\"} 10",
        "a{x=\"12\",y=\"3\",w=\"4\"} 11",
        "{\"a\",x=\"12\",y=\"3\",w=\"4\"} 11",
        "{\"a\",x=\"12\",y=\"3\",w=\"5\"} 12",
        "{x=\"12\",y=\"3\",w=\"5\"} 12",
    ];
    let dump = |text: &str| -> Vec<String> {
        let exposition = read(text);
        exposition.samples().map(|sample| format!("{sample:?}")).collect()
    };
    for first in lines {
        for second in lines {
            let alone = [dump(&format!("{first}\n")), dump(&format!("{second}\n"))].concat();
            assert_eq!(dump(&format!("{first}\n{second}\n")), alone, "{first} | {second}");
            let again = dump(&format!("{first}\n{second}\n{first}\n{second}\n"));
            assert_eq!(again, [alone.clone(), alone].concat(), "{first} | {second}");
        }
    }
}
