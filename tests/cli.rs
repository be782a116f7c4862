//! The terminal: what it prints for what it is given, and its exit codes.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cli_support;

use cli_support::{json, run};
use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn close(value: &Value, expected: f64, tolerance: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ± {tolerance}");
}

const TWO_ENGINES: &str = "\
vllm:inter_token_latency_seconds_bucket{engine=\"0\",le=\"0.01\",model_name=\"m\"} 1
vllm:inter_token_latency_seconds_bucket{engine=\"0\",le=\"0.025\",model_name=\"m\"} 10
vllm:inter_token_latency_seconds_bucket{engine=\"0\",le=\"+Inf\",model_name=\"m\"} 10
vllm:inter_token_latency_seconds_count{engine=\"0\",model_name=\"m\"} 10
vllm:inter_token_latency_seconds_sum{engine=\"0\",model_name=\"m\"} 0.2
vllm:inter_token_latency_seconds_bucket{engine=\"1\",le=\"0.01\",model_name=\"m\"} 0
vllm:inter_token_latency_seconds_bucket{engine=\"1\",le=\"0.025\",model_name=\"m\"} 30
vllm:inter_token_latency_seconds_bucket{engine=\"1\",le=\"+Inf\",model_name=\"m\"} 30
vllm:inter_token_latency_seconds_count{engine=\"1\",model_name=\"m\"} 30
vllm:inter_token_latency_seconds_sum{engine=\"1\",model_name=\"m\"} 0.6
";

#[test]
fn the_worked_example_as_json_keeps_the_contract() {
    let report = json(&["report", "--example"], "");
    assert_eq!(report["schema"], "decodescope.report/1");
    close(&report["itl_seconds"], 0.017_39, 5e-6);
    close(&report["tokens_per_second"], 57.5, 0.05);
    assert_eq!(report["layers"], 78.0);
    close(&report["layer_seconds"], 223e-6, 5e-7);
    assert_eq!(report["allreduces_per_token"], 156.0);
    assert_eq!(report["allreduce_bytes"], 12_288.0);
    close(&report["experiment"]["saved_seconds_per_token"], 3.828e-3, 1e-6);
    close(&report["experiment"]["saved_seconds_per_allreduce"], 24.5e-6, 1e-7);
    close(&report["bandwidth_utilisation"], 0.14, 0.0099);
    let metrics = &report["metrics"][0];
    assert_eq!(metrics["requests"], 12.0);
    assert_eq!(metrics["itl"]["count"], 1623.0);
    close(&metrics["itl"]["sum_seconds"], 28.225, 0.0);
    close(&metrics["ttft"]["mean_seconds"], 0.0521, 5e-5);
    let buckets = metrics["itl"]["buckets"].as_array().unwrap();
    assert_eq!(buckets.len(), 20);
    assert_eq!(buckets[1]["le"], 0.025);
    assert_eq!(buckets[1]["count"], 1623.0);
    assert_eq!(buckets[19]["le"], "+Inf");
    assert_eq!(buckets[19]["count"], 0.0);
    let p99 = &metrics["itl"]["quantiles"]["p99"];
    // 0.01 + 0.015 × 0.99
    close(&p99["interpolated_seconds"], 0.024_85, 1e-9);
    assert_eq!(p99["bucket"][0], 0.01);
    let estimate = |name: &str| {
        report["estimates"].as_array().unwrap().iter().find(|estimate| estimate["name"] == name).unwrap().clone()
    };
    let compute = estimate("stated-compute");
    close(&compute["ceiling_tokens_per_second"]["low"], 100.0, 0.01);
    close(&compute["ceiling_tokens_per_second"]["high"], 166.7, 0.1);
    let share = estimate("stated-share");
    close(&share["allreduce_share"]["low"], 0.55, 1e-12);
    close(&share["ceiling_tokens_per_second"]["low"], 128.0, 0.5);
    close(&share["ceiling_tokens_per_second"]["high"], 164.0, 0.5);
    let experiment = estimate("experiment");
    close(&experiment["allreduce_seconds_per_token"]["low"], 3.828e-3, 1e-6);
    assert!(experiment["allreduce_seconds_per_token"]["high"].is_null());
    assert!(report["warnings"].is_array());
}

#[test]
fn several_engines_are_one_by_default_and_each_can_be_looked_at() {
    let report = json(&["report"], TWO_ENGINES);
    let metrics = report["metrics"].as_array().unwrap();
    assert_eq!(metrics.len(), 3);
    assert_eq!(metrics[0]["selection"], "all together");
    assert_eq!(metrics[0]["itl"]["count"], 40.0);
    // De-cumulated and added up: 1 + 0, 9 + 30, none beyond.
    let counts: Vec<f64> =
        metrics[0]["itl"]["buckets"].as_array().unwrap().iter().map(|b| b["count"].as_f64().unwrap()).collect();
    assert_eq!(counts, [1.0, 39.0, 0.0]);
    close(&report["itl_seconds"], 0.02, 1e-12);
    let one = json(&["report", "--engine", "0"], TWO_ENGINES);
    assert_eq!(one["metrics"][1]["itl"]["count"], 10.0);
    close(&one["itl_seconds"], 0.02, 1e-12);
    let output = run(&["report", "--engine", "7"], TWO_ENGINES);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("engine 7") && stderr(&output).contains("m, engine 1"), "{}", stderr(&output));
}

#[test]
fn a_pipe_alone_is_a_report() {
    let output = run(&[], TWO_ENGINES);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("50.0 tok/s"), "{}", stdout(&output));
}

#[test]
fn what_is_not_metrics_exits_with_one_and_says_so() {
    for input in ["hello\nworld\n", "# HELP vllm:x y\n# TYPE vllm:x gauge\n", "node_cpu_seconds_total{cpu=\"0\"} 12\n"]
    {
        let output = run(&["report"], input);
        assert_eq!(code(&output), 1, "{input}");
        assert!(stdout(&output).contains("Remarks on the input"), "{}", stdout(&output));
    }
    let report = json(&["report"], "hello\nworld\n");
    assert!(!report["warnings"].as_array().unwrap().is_empty());
    assert!(report["itl_seconds"].is_null());
}

#[test]
fn wrong_usage_exits_with_two_and_says_what_was_expected() {
    for (arguments, expected) in [
        (vec!["report", "--tensor-parallel", "many"], "expected a whole number from 1 to 64"),
        (vec!["report", "--bandwidth", "-5"], "expected a number from 10 to 20000 GB/s"),
        (vec!["report", "--format", "xml"], "json"),
        (vec!["report", "--gpu", "rtx-pro-600"], "did you mean rtx-pro-6000?"),
        (vec!["report", "--model", "lama-3.1-70b"], "did you mean llama-3.1-70b?"),
        (vec!["report", "no-such-file.txt"], "cannot read no-such-file.txt"),
        (vec!["report", "--no-such-option"], "--no-such-option"),
    ] {
        let output = run(&arguments, TWO_ENGINES);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn by_hand_without_a_dump() {
    let report =
        json(&["report", "--model", "llama-3.1-70b", "--gpu", "h100-sxm", "--gpus", "4", "--itl", "12.5ms"], "");
    close(&report["tokens_per_second"], 80.0, 1e-9);
    assert_eq!(report["layers"], 80.0);
    assert_eq!(report["allreduces_per_token"], 160.0);
    assert_eq!(report["inputs"]["itl"]["source"], "typed");
    assert!(report["bandwidth_utilisation"].as_f64().unwrap() > 0.2);
    // Nothing measured: a floor, and it says so.
    let floor = json(&["report", "--model", "llama-3.1-70b", "--gpu", "h100-sxm", "--gpus", "4"], "");
    assert_eq!(floor["step_source"], "modelled");
}

#[test]
fn several_files_are_several_servers() {
    let folder = std::env::temp_dir().join(format!("decodescope-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (first, second) = (folder.join("first.txt"), folder.join("second.txt"));
    let text = |sum, count| {
        format!("vllm:inter_token_latency_seconds_sum {sum}\nvllm:inter_token_latency_seconds_count {count}\n")
    };
    std::fs::write(&first, text(1.0, 100)).unwrap();
    std::fs::write(&second, text(3.0, 100)).unwrap();
    let report = json(&["report", first.to_str().unwrap(), second.to_str().unwrap()], "");
    close(&report["itl_seconds"], 0.02, 1e-12);
    // The files might as well be scrapes of one server: it says which it took them for.
    let told = report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| one["message"].as_str().unwrap().contains("decodescope diff"));
    assert!(told, "{}", report["warnings"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_link_opens_to_the_same_scenario() {
    let output = run(&["report", "--example", "--link"], "");
    let link = stdout(&output);
    let scenario = decodescope::scenario::link::decode(&link).unwrap().unwrap();
    assert_eq!(scenario, decodescope::scenario::Scenario::example());
}

#[test]
fn markdown_and_lists() {
    let output = run(&["report", "--example", "--format", "markdown"], "");
    assert!(stdout(&output).starts_with("# Decodescope: "));
    assert!(stdout(&run(&["models"], "")).contains("glm-5 "));
    assert!(stdout(&run(&["gpus"], "")).contains("rtx-pro-6000 "));
    assert!(stdout(&run(&["--help"], "")).contains("Exit codes"));
}

#[test]
fn lint_gives_the_specifications_verdict_with_the_place() {
    let output = run(&["lint", "--strict"], "a{x=\"y\"} 1\n");
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "-: valid as Prometheus text 0.0.4; 1 samples read\n"));
    let output = run(&["lint", "--strict"], "a 1\nb{x=y} 2\n");
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("-:2:5: error: the label value is not in double quotes [unquoted-value]"),
        "{}",
        stdout(&output)
    );
    // OpenMetrics demands its end; the text format takes it for a comment.
    assert_eq!(code(&run(&["lint", "--strict", "--openmetrics"], "a 1\n")), 1);
    assert_eq!(code(&run(&["lint", "--strict", "--openmetrics"], "a 1\n# EOF\n")), 0);
    // Tolerant: whatever can be read of is accepted, and what stands in its way is named.
    let output = run(&["lint", "--format", "json"], "$ curl host\na 1\n");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((code(&output), &report["accepted"], &report["samples"]), (0, &Value::Bool(true), &Value::from(1)));
    assert_eq!(report["findings"][0]["line"], 1);
    assert!(report["findings"][0]["refused_by"].as_array().unwrap().contains(&Value::from("Prometheus")));
    assert_eq!(code(&run(&["lint"], "hello\n")), 1);
}

#[test]
fn samples_print_what_was_read() {
    let output = run(&["samples", "--format", "json"], "a{le=\"+Inf\",b=\"x\\ny\"} NaN 1500\nc -Inf\n");
    let samples: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(samples[0]["labels"]["b"], "x\ny");
    assert_eq!((&samples[0]["value"], &samples[1]["value"]), (&Value::from("NaN"), &Value::from("-Inf")));
    assert_eq!(samples[0]["timestamp_seconds"], 1.5);
    assert_eq!(stdout(&run(&["samples"], "a{b=\"x\"} 1e3\n")), "a{b=\"x\"} 1000\n");
}

#[test]
fn quantiles_stand_beside_their_bounds() {
    let text = "x_bucket{le=\"1\"} 0\nx_bucket{le=\"3\"} 4\nx_bucket{le=\"+Inf\"} 4\nx_sum 6\nx_count 4\n";
    let output = run(&["quantile", "-q", "0.5", "-f", "json"], text);
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Rank 2 of 4 in (1, 3]: 1 + 2 × 2/4 = 2; mean 1.5, so the excess over 1 is 2 in all, shared by 3 at most.
    assert_eq!(rows[0]["mean"], 1.5);
    let quantile = &rows[0]["quantiles"][0];
    assert_eq!(quantile["prometheus"], 2.0);
    close(&quantile["high"], 1.0 + 2.0 / 3.0, 1e-12);
    assert_eq!(code(&run(&["quantile", "-q", "2"], text)), 2);
}

#[test]
fn quantiles_are_of_the_last_scrape_and_say_so() {
    let scrape = |held: u32, all: u32| {
        format!("x_bucket{{le=\"1\"}} {held}\nx_bucket{{le=\"+Inf\"}} {all}\nx_sum {held}\nx_count {all}\n")
    };
    let output = run(&["quantile", "-q", "0.5", "-f", "json"], &(scrape(10, 10) + &scrape(20, 30)));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Rank 15 of 30, of which 20 are up to 1.
    assert_eq!((&rows[0]["count"], &rows[0]["quantiles"][0]["prometheus"]), (&Value::from(30.0), &Value::from(0.75)));
    assert!(
        stderr(&output).contains("2 scrapes of the same server in one text: this is the last"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn quantiles_where_prometheus_has_none_are_a_dash_with_the_reason() {
    let text = "x_bucket{le=\"1\"} 5\nx_bucket{le=\"2\"} 10\nx_count 10\n";
    let row = &json(&["quantile"], text)[0];
    assert_eq!(row["quantiles"][0]["prometheus"], Value::Null);
    assert_eq!(
        row["remarks"].as_array().unwrap().last().unwrap(),
        "without a +Inf bucket Prometheus' histogram_quantile is NaN"
    );
    let output = run(&["quantile", "-q", "0.5"], text);
    let row = stdout(&output).lines().find(|line| line.starts_with("0.5")).map(str::to_owned).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["0.5", "—", "0", "1.000", "—"]);
    assert!(stderr(&output).contains("without a +Inf bucket Prometheus' histogram_quantile is NaN"));
}

#[test]
fn no_quantile_is_never_without_a_word() {
    for (text, words) in [
        ("hello\n", "no metrics"),
        ("a 1\n", "none of the 1 samples is a bucket"),
        ("x{quantile=\"0.5\"} 3\nx_sum 1\nx_count 1\n", "x on line 1 is a summary"),
        ("x_bucket 3\n", "x_bucket on line 1, have no usable le"),
    ] {
        let output = run(&["quantile"], text);
        assert_eq!((code(&output), stdout(&output).trim()), (1, ""), "{text}");
        assert!(stderr(&output).contains(words), "{text}: {}", stderr(&output));
    }
    let output = run(&["quantile", "--metric", "ttft"], "x_bucket{le=\"+Inf\"} 1\n");
    assert!(stderr(&output).contains("none of the 1 histograms has ttft in its name"));
}

#[test]
fn the_lines_of_a_remark_are_data_too() {
    let text: String = (1..=7).map(|line| format!("a{{x=\"{line}\",,y=\"1\"}} 1\n")).collect();
    let report = json(&["lint"], &text);
    assert_eq!(report["warnings"][0]["lines"], serde_json::json!([1, 2, 3, 4, 5, 6, 7]));
    assert!(report["warnings"][0]["message"].as_str().unwrap().ends_with("(also lines 2, 3, 4, 5 and 2 more)"));
    let report = json(&["report"], &(TWO_ENGINES.to_owned() + &text));
    let lines = report["warnings"].as_array().unwrap().iter().find_map(|one| one["lines"].as_array());
    assert_eq!(lines.unwrap().len(), 7);
    // Of a million the first thousand.
    let text: String = (0..3000).map(|line| format!("a{{x=\"{line}\",,y=\"1\"}} 1\n")).collect();
    let report = json(&["lint"], &text);
    assert_eq!(report["warnings"][0]["lines"].as_array().unwrap().len(), 1000);
    assert!(report["warnings"][0]["message"].as_str().unwrap().ends_with("and 2995 more)"));
}

#[test]
fn shares_are_of_what_the_buckets_hold_whatever_the_count_says() {
    let text = "vllm:inter_token_latency_seconds_bucket{le=\"0.01\"} 200000\n\
                vllm:inter_token_latency_seconds_bucket{le=\"0.025\"} 1000000\n\
                vllm:inter_token_latency_seconds_bucket{le=\"+Inf\"} 1200000\n\
                vllm:inter_token_latency_seconds_count 1.2\nvllm:inter_token_latency_seconds_sum 20\n";
    let said = stdout(&run(&[], text)).replace('\n', " ");
    // 200 000, 800 000 and 200 000 of 1 200 000
    assert!(said.contains("66.7 % of the observations lie between 10 and 25 ms, 16.7 % below, 16.7 % above"), "{said}");
    let text = text.replace("count 1.2", "count 900000000");
    let said = stdout(&run(&[], &text)).replace('\n', " ");
    assert!(!said.contains("of 900"), "{said}");
    let usage = |usage: f64| stdout(&run(&[], &format!("{text}vllm:kv_cache_usage_perc {usage}\n")));
    assert!(usage(0.25).lines().any(|line| line.starts_with("KV cache in use") && line.ends_with("25 %")));
    assert!(!usage(30.0).lines().any(|line| line.starts_with("KV cache in use")));
}

#[test]
fn by_hand_standard_input_is_left_alone() {
    // A loop's list stays the loop's: nothing of it is read, nothing of it is an error.
    let output =
        run(&["report", "--model", "glm-5", "--gpu", "h100-sxm", "--gpus", "8", "--itl", "20"], "line of a list\n");
    assert_eq!(code(&output), 0);
    assert!(!stdout(&output).contains("Remarks"));
}

#[test]
fn names_from_a_dump_send_no_commands_to_the_terminal() {
    let text = TWO_ENGINES.replace("\"m\"", "\"x\u{1b}]0;pwn\u{7}y\"");
    for arguments in [vec!["report"], vec!["report", "--format", "markdown"]] {
        assert!(!stdout(&run(&arguments, &text)).contains('\u{1b}'));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_decodescope"))
        .args(["report", "--example"])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}

/// A scrape of one server: so many outputs in so many seconds, so many tokens, taken at a time.
fn scrape(count: u32, sum: f64, tokens: u32, millis: u64) -> String {
    format!(
        "vllm:inter_token_latency_seconds_count {count} {millis}\nvllm:inter_token_latency_seconds_sum {sum} {millis}\n\
         vllm:generation_tokens_total {tokens} {millis}\n"
    )
}

#[test]
fn between_two_scrapes_the_warm_up_is_left_out() {
    let folder = std::env::temp_dir().join(format!("decodescope-diff-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // 1000 slow tokens while warming up; then 600 of 18 ms within 30 s; then 300 of 20 ms within 10 s.
    let before = path("before.txt", scrape(1000, 50.0, 1000, 1_700_000_000_000));
    let after = path("after.txt", scrape(1600, 60.8, 1600, 1_700_000_030_000));
    let later = path("later.txt", scrape(1900, 66.8, 1900, 1_700_000_040_000));
    let report = json(&["diff", &before, &after], "");
    close(&report["itl_seconds"], 0.018, 1e-12);
    assert_eq!(report["metrics"][0]["itl"]["count"], 600.0);
    close(&report["throughput_tokens_per_second"], 20.0, 1e-12);
    let report = json(&["diff", &before, &after, &later], "");
    assert_eq!(report["windows"].as_array().unwrap().len(), 2);
    close(&report["windows"][1]["itl_seconds"], 0.02, 1e-9);
    // (600 × 18 + 300 × 20) / 900 ms
    close(&report["itl_seconds"], 0.018_666_666_667, 1e-9);
    close(&report["throughput_tokens_per_second"], 22.5, 1e-9);
    // The wrong way round is turned, and said.
    let turned = json(&["diff", &after, &before], "");
    close(&turned["itl_seconds"], 0.018, 1e-12);
    assert!(!turned["warnings"].as_array().unwrap().is_empty());
    let output = run(&["diff", &before], "");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("two scrapes"), "{}", stderr(&output));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_restart_between_scrapes_loses_nothing_that_was_seen() {
    let both = scrape(1000, 20.0, 1000, 1_700_000_000_000) + &scrape(100, 3.0, 100, 1_700_000_060_000);
    let folder = std::env::temp_dir().join(format!("decodescope-restart-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (first, second) = both.split_at(both.find("vllm:inter_token_latency_seconds_count 100 ").unwrap());
    let paths: Vec<String> = [("a", first), ("b", second)]
        .map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .to_vec();
    let report = json(&["diff", &paths[0], &paths[1]], "");
    // Set back in between: what the second shows happened since. 3 s / 100 = 30 ms.
    close(&report["itl_seconds"], 0.03, 1e-12);
    std::fs::remove_dir_all(folder).unwrap();
}
