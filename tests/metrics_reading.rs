//! Small dumps of every odd kind, with sums done by hand.
#![allow(clippy::unwrap_used)]

mod metrics_support;

use decodescope::metrics::{Meaning, Outcome, Selection};
use decodescope::paste::WarningKind;
use metrics_support::{all, dump, fixture, occupied, of_engine, says, traps};

const ITL: Meaning = Meaning::InterTokenLatency;
const TTFT: Meaning = Meaning::TimeToFirstToken;
const INF: f64 = f64::INFINITY;

#[test]
fn two_engines_whose_lines_alternate() {
    let dump = dump(&fixture("two-engines-interleaved.txt"));
    assert_eq!(dump.warnings.len(), traps(&dump).len(), "{:#?}", dump.warnings);
    let (zero, one, both) = (of_engine(&dump, "0"), of_engine(&dump, "1"), all(&dump));
    assert_eq!(occupied(&zero, ITL), [(0.01, 10.0), (0.025, 80.0), (0.05, 10.0)]);
    assert_eq!(occupied(&one, ITL), [(0.025, 40.0), (0.05, 9.0), (INF, 1.0)]);
    assert_eq!(occupied(&both, ITL), [(0.01, 10.0), (0.025, 120.0), (0.05, 19.0), (INF, 1.0)]);
    assert_eq!(both.mean(ITL).map(|mean| mean.get()), Some(3.0 / 150.0));
    // 3 + 1 + 2 + 4 + 1 + 0 whatever the reason, of which one aborted
    assert_eq!(both.value(Meaning::RequestsFinished), Some(11.0));
    assert_eq!(both.value(Meaning::RequestsAborted), Some(1.0));
    assert_eq!(both.value(Meaning::KvCacheUsage), Some(0.3));
    assert_eq!(both.value(Meaning::RequestsRunning), Some(6.0));
    assert_eq!((one.value(Meaning::KvCacheCapacity), both.value(Meaning::KvCacheCapacity)), (Some(16e3), Some(32e3)));
    assert_eq!((both.selection.model.as_deref(), both.selection.engine), (Some("m"), None));
}

#[test]
fn two_models() {
    let dump = dump(&fixture("two-models.txt"));
    let names: Vec<String> = dump.sets.iter().map(|set| set.selection.to_string()).collect();
    assert_eq!(names, ["adapter", "base"]);
    let base = dump.select(&Selection { model: Some("base".into()), engine: None });
    assert_eq!(base.mean(TTFT).map(|mean| mean.get()), Some(0.7 / 7.0));
    assert_eq!(all(&dump).histogram(TTFT).unwrap().sum, Some(0.7 + 0.6));
}

#[test]
fn names_of_the_older_engine() {
    let all = all(&dump(&fixture("vllm-v0.txt")));
    assert_eq!(all.histograms[&ITL].metric, "vllm:time_per_output_token_seconds");
    assert_eq!(occupied(&all, ITL), [(0.025, 198.0), (0.05, 2.0)]);
    assert_eq!(all.value(Meaning::KvCacheUsage), Some(0.25));
    assert_eq!(all.value(Meaning::GenerationThroughput), Some(31.5));
    assert_eq!(all.prefix_hit_rate(), None, "−1 says that there is no such cache");
}

#[test]
fn old_and_new_names_of_one_thing_are_not_added_up() {
    let all = all(&dump(&fixture("both-old-and-new-names.txt")));
    assert_eq!(all.histograms[&ITL].metric, "vllm:inter_token_latency_seconds");
    assert_eq!((all.histogram(ITL).unwrap().total(), all.value(Meaning::KvCacheUsage)), (300.0, Some(0.3)));
    assert_eq!(all.value(Meaning::PrefixCacheQueries), Some(400.0));
    assert_eq!(all.prefix_hit_rate().unwrap().get(), 0.25);
}

#[test]
fn only_the_lines_about_first_tokens() {
    let text = fixture("ttft-only.txt");
    for text in [&text, &text.replace('\n', "\r\n"), &fixture("shell-prompt.txt")] {
        let all = all(&dump(text));
        assert_eq!(occupied(&all, TTFT), [(0.04, 3.0), (0.06, 6.0), (0.08, 2.0), (0.1, 1.0)]);
        assert_eq!(all.mean(TTFT).unwrap().get(), 0.625 / 12.0);
        assert_eq!((all.requests(), all.tokens_per_step()), (Some(12.0), None));
    }
    let dump = dump(&fixture("shell-prompt.txt"));
    assert!(says(&dump, WarningKind::Skipped, Some(1), "curl"), "{:#?}", dump.warnings);
}

#[test]
fn only_sum_and_count_give_the_mean_and_say_that_there_is_no_more() {
    let dump = dump(&fixture("sum-and-count-only.txt"));
    assert_eq!(all(&dump).mean(ITL).unwrap().get(), 28.225 / 1623.0);
    assert_eq!(all(&dump).histogram(ITL).unwrap().quantile(0.5), None);
    assert!(says(&dump, WarningKind::Missing, Some(1), "only the mean"));
}

#[test]
fn cut_within_a_label() {
    let dump = dump(&fixture("cut-within-a-label.txt"));
    let all = all(&dump);
    assert_eq!(all.mean(ITL).unwrap().get(), 4.1 / 200.0);
    let e2e = all.histogram(Meaning::EndToEndLatency).unwrap();
    assert_eq!((e2e.total(), e2e.mean()), (3.0, None));
    assert!(says(&dump, WarningKind::Truncated, Some(13), ""), "{:#?}", dump.warnings);
    assert!(says(&dump, WarningKind::Missing, Some(12), "at least 3, and no mean"), "{:#?}", dump.warnings);
}

#[test]
fn openmetrics() {
    let dump = dump(&fixture("openmetrics.txt"));
    assert_eq!(dump.warnings.len(), traps(&dump).len(), "{:#?}", dump.warnings);
    let all = all(&dump);
    assert_eq!(all.value(Meaning::GenerationTokens), Some(34_567_503.0));
    assert_eq!((occupied(&all, ITL), all.mean(ITL).unwrap().get()), (vec![(0.01, 5.0), (0.025, 15.0)], 0.28 / 20.0));
}

#[test]
fn the_share_of_one_cache_from_each_process_is_not_added_up() {
    let dump = dump(&fixture("share-per-process.txt"));
    assert_eq!(of_engine(&dump, "0").value(Meaning::KvCacheUsage), Some(0.6));
    assert_eq!(of_engine(&dump, "1").value(Meaning::KvCacheUsage), Some(0.2));
    assert_eq!(all(&dump).value(Meaning::KvCacheUsage), Some(0.4));
}

#[test]
fn a_series_that_comes_twice_is_told() {
    let dump = dump(&fixture("dropped-label.txt"));
    assert!(
        says(&dump, WarningKind::Duplicate, Some(3), "repeat an earlier one with the same name and labels: 1 "),
        "{:#?}",
        dump.warnings
    );
    assert!(dump.earlier.is_empty());
    assert_eq!(all(&dump).value(Meaning::GenerationTokens), Some(90.0));
}

#[test]
fn braces_in_labels() {
    let all = all(&dump(&fixture("braces-in-labels.txt")));
    assert_eq!((all.product.as_str(), all.value(Meaning::RequestsFinished)), ("TGI", Some(5.0)));
    assert_eq!(all.mean(ITL).unwrap().get(), 3.0 / 100.0);
    assert_eq!(all.mean(Meaning::PrefillTime).unwrap().get(), 0.2 / 5.0);
}

#[test]
fn a_federation_of_two_servers_with_more_labels() {
    let dump = dump(&fixture("federation.txt"));
    let names: Vec<String> = dump.sets.iter().map(|set| set.selection.to_string()).collect();
    assert_eq!(names, ["m, engine pod-a 0", "m, engine pod-b 0"]);
    assert_eq!(dump.sets[0].histogram(TTFT).unwrap().total(), 24.0); // two priorities of 12
    let all = all(&dump);
    assert_eq!(all.histogram(TTFT).unwrap().total(), 72.0);
    assert_eq!(occupied(&all, TTFT), [(0.1, 60.0), (INF, 12.0)]);
    assert!((all.value(Meaning::KvCacheUsage).unwrap() - 0.3).abs() < 1e-12);
    assert_eq!(dump.taken, Some(1_780_000_000.0));
}

#[test]
fn a_metric_of_another_shape_or_without_a_usable_number_is_told() {
    let text = "vllm:time_to_first_token_seconds 0.5\nvllm:generation_tokens_total NaN\n\
        vllm:prompt_tokens_total -4\nvllm:num_requests_running +Inf\nvllm:num_requests_waiting 1\n";
    let dump = dump(text);
    for (line, words) in [(1, "not a histogram"), (2, "NaN"), (3, "-4"), (4, "inf")] {
        assert!(says(&dump, WarningKind::BadValue, Some(line), words), "{:#?}", dump.warnings);
    }
    assert_eq!((dump.outcome, all(&dump).values.len()), (Outcome::Fine, 1));
}

#[test]
fn headers_alone_are_a_server_before_its_first_request() {
    let dump = dump("# HELP vllm:request_success_total x\n# TYPE vllm:request_success_total counter\n");
    assert_eq!(dump.outcome, Outcome::NotMetrics);
    assert!(says(&dump, WarningKind::Missing, None, "has not answered a request yet"));
}

#[test]
fn of_a_summary_the_mean_is_used() {
    let name = "vllm:time_to_first_token_seconds";
    let text =
        format!("{name}{{quantile=\"0.5\"}} 0.1\n{name}{{quantile=\"0.9\"}} 0.3\n{name}_sum 2\n{name}_count 10\n");
    let dump = dump(&text);
    assert_eq!(all(&dump).mean(TTFT).unwrap().get(), 0.2);
    assert!(says(&dump, WarningKind::Skipped, Some(1), "quantiles are left out"), "{:#?}", dump.warnings);
}

#[test]
fn histograms_written_as_one_value() {
    let text = "vllm:inter_token_latency_seconds{engine=\"0\"} {count:17,sum:0.3,bucket:[0.01:0,0.025:17,+Inf:17]}\n\
                vllm:time_to_first_token_seconds{engine=\"0\"} {count:17,sum:2,schema:0,zero_threshold:1e-4,\
                zero_count:0,positive_spans:[-3:2],positive_buckets:[5,12]}\n\
                vllm:e2e_request_latency_seconds{engine=\"0\"} {count:4,sum:8,quantile:[0.5:2]}\n\
                vllm:num_requests_running{engine=\"0\"} {count:1,sum:1}\n";
    let dump = dump(text);
    let all = all(&dump);
    assert_eq!(occupied(&all, ITL), [(0.025, 17.0)]);
    assert_eq!(all.mean(ITL).map(|mean| mean.get()), Some(0.3 / 17.0));
    // Schema 0, indices −3 and −2: (2⁻⁴, 2⁻³] and (2⁻³, 2⁻²]
    assert_eq!(occupied(&all, TTFT), [(0.125, 5.0), (0.25, 12.0)]);
    assert!(says(&dump, WarningKind::Repaired, Some(2), "a native histogram, read as buckets"), "{:#?}", dump.warnings);
    // Of a summary the mean is left.
    assert_eq!(all.mean(Meaning::EndToEndLatency).map(|mean| mean.get()), Some(2.0));
    assert!(says(&dump, WarningKind::BadValue, Some(4), "is not one value"), "{:#?}", dump.warnings);
    assert_eq!(all.value(Meaning::RequestsRunning), None);
}

#[test]
fn a_native_histogram_that_contradicts_itself_is_told_and_its_mean_is_left() {
    let text = "vllm:inter_token_latency_seconds {count:17,sum:0.34,schema:0,zero_threshold:0,zero_count:0,\
                positive_spans:[-6:2],positive_buckets:[17]}\n";
    let dump = dump(text);
    assert!(says(&dump, WarningKind::BadValue, Some(1), "2 buckets in spans but 1 counts"), "{:#?}", dump.warnings);
    assert_eq!(all(&dump).mean(ITL).map(|mean| mean.get()), Some(0.02));
}
