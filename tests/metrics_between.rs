//! Two scrapes: what happened between them, whatever came in between; and texts that hold several.
#![allow(clippy::unwrap_used)]

mod metrics_support;

use decodescope::metrics::window::Order;
use decodescope::metrics::{Dump, Meaning, Selection, Window, timeline, window};
use decodescope::paste::WarningKind;
use metrics_support::{dump, fixture, says};
use std::fmt::Write as _;

const ITL: Meaning = Meaning::InterTokenLatency;

/// A scrape of one engine: latencies up to 10, 25 and 50 ms, their sum, tokens generated, requests stopped.
struct Scrape {
    start: Option<f64>,
    cumulative: [f64; 3],
    sum: f64,
    tokens: f64,
    stopped: f64,
    running: f64,
    time: Option<i64>,
}

impl Scrape {
    fn text(&self) -> String {
        let time = self.time.map(|time| format!(" {time}")).unwrap_or_default();
        let labels = "engine=\"0\",model_name=\"m\"";
        let mut text = String::new();
        let mut line = |series: String, value: f64| writeln!(text, "{series} {value}{time}").unwrap();
        if let Some(start) = self.start {
            line("process_start_time_seconds".to_owned(), start);
        }
        line(format!("vllm:num_requests_running{{{labels}}}"), self.running);
        line(format!("vllm:generation_tokens_total{{{labels}}}"), self.tokens);
        line(
            "vllm:request_success_total{engine=\"0\",finished_reason=\"stop\",model_name=\"m\"}".to_owned(),
            self.stopped,
        );
        for (le, count) in ["0.01", "0.025", "+Inf"].iter().zip(self.cumulative) {
            line(format!("vllm:inter_token_latency_seconds_bucket{{{labels},le=\"{le}\"}}"), count);
        }
        line(format!("vllm:inter_token_latency_seconds_count{{{labels}}}"), self.cumulative[2]);
        line(format!("vllm:inter_token_latency_seconds_sum{{{labels}}}"), self.sum);
        text
    }

    fn dump(&self) -> Dump {
        dump(&self.text())
    }
}

fn before() -> Scrape {
    let cumulative = [0.0, 900.0, 1000.0];
    Scrape { start: Some(1.7e9), cumulative, sum: 30.0, tokens: 1010.0, stopped: 10.0, running: 1.0, time: None }
}

/// 600 latencies of 18 ms, 12 requests and 612 tokens later.
fn after() -> Scrape {
    let cumulative = [0.0, 1500.0, 1600.0];
    Scrape { start: Some(1.7e9), cumulative, sum: 40.8, tokens: 1622.0, stopped: 22.0, running: 1.0, time: None }
}

fn of(window: &Window) -> decodescope::metrics::ServingMetrics {
    window.select(&Selection::default())
}

#[track_caller]
fn tells(window: &Window, kind: WarningKind, words: &str) {
    let told = window.warnings.iter().any(|warning| warning.kind == kind && warning.message.contains(words));
    assert!(told, "{words}: {:#?}", window.warnings);
}

#[test]
fn warm_up_is_out_of_the_window() {
    let window = window(&before().dump(), &after().dump());
    assert_eq!((window.order, window.duration), (Order::AsGiven, None));
    let load = of(&window);
    let histogram = load.histogram(ITL).unwrap();
    assert_eq!((histogram.total(), histogram.buckets[1].count, histogram.buckets[2].count), (600.0, 600.0, 0.0));
    assert!((load.mean(ITL).unwrap().as_millis() - 18.0).abs() < 1e-9);
    assert_eq!(load.value(Meaning::GenerationTokens), Some(612.0));
    assert_eq!(load.value(Meaning::RequestsFinished), Some(12.0));
    assert_eq!(load.value(Meaning::RequestsRunning), Some(1.0));
    assert!(window.warnings.iter().all(|warning| warning.kind == WarningKind::Trap), "{:#?}", window.warnings);
}

#[test]
fn timestamps_give_the_duration_and_the_throughput() {
    let (before, after) =
        (Scrape { time: Some(1_780_000_000_000), ..before() }, Scrape { time: Some(1_780_000_010_200), ..after() });
    let forward = window(&before.dump(), &after.dump());
    let rate = forward.throughput(&Selection::default()).unwrap();
    assert!((rate.get() - 60.0).abs() < 1e-6); // 612 tokens in 10.2 s
    let turned = window(&after.dump(), &before.dump());
    assert_eq!((turned.order, of(&turned)), (Order::Swapped, of(&forward)));
}

/// One exemplar, or a number beyond all time, in text with milliseconds: they stay milliseconds.
#[test]
fn one_odd_timestamp_leaves_the_duration() {
    let dumps = [(before(), 1_780_000_000), (after(), 1_780_000_010)]
        .map(|(scrape, seconds)| Scrape { time: Some(seconds), ..scrape }.dump());
    // Seconds where the format has milliseconds.
    assert_eq!(window(&dumps[0], &dumps[1]).duration.map(|took| took.get().round()), Some(10.0));
    for odd in ["x_total 1 # {t=\"1\"} 1 1780000000.5\n", "x 1 92233720368547758080000\n", "x 1 1e3\n"] {
        let dump = |scrape: Scrape, time| dump(&(Scrape { time: Some(time), ..scrape }.text() + odd));
        let window = window(&dump(before(), 1_780_000_000_000), &dump(after(), 1_780_000_010_000));
        assert!(window.duration.is_some_and(|took| (took.get() - 10.0).abs() < 1e-6), "{odd}: {:?}", window.duration);
    }
}

#[test]
fn the_wrong_way_round() {
    let turned = window(&after().dump(), &before().dump());
    assert_eq!(turned.order, Order::Swapped);
    assert_eq!(of(&turned).histogram(ITL).unwrap().total(), 600.0);
    tells(&turned, WarningKind::Inconsistent, "wrong order");
}

#[test]
fn a_restart_in_between_is_not_subtracted() {
    // Even though every counter is above what it was.
    let restarted = window(&before().dump(), &Scrape { start: Some(1.7e9 + 500.0), ..after() }.dump());
    assert_eq!(restarted.order, Order::Restarted);
    assert_eq!(of(&restarted).histogram(ITL).unwrap().total(), 1600.0);
    tells(&restarted, WarningKind::Inconsistent, "restarted");
}

#[test]
fn a_fall_of_some_counters_is_a_restart() {
    let later = Scrape { start: None, cumulative: [0.0, 50.0, 50.0], sum: 0.9, tokens: 60.0, stopped: 30.0, ..after() };
    let fallen = window(&Scrape { start: None, ..before() }.dump(), &later.dump());
    assert_eq!(fallen.order, Order::Restarted);
    assert_eq!(of(&fallen).mean(ITL).unwrap().get(), 0.9 / 50.0);
    assert_eq!(of(&fallen).value(Meaning::RequestsFinished), Some(20.0));
    tells(&fallen, WarningKind::Inconsistent, "set back");
}

#[test]
fn a_fall_of_all_without_a_start_time_is_unclear() {
    let (before, after) = (Scrape { start: None, ..before() }, Scrape { start: None, ..after() });
    let unclear = window(&after.dump(), &before.dump());
    assert_eq!(unclear.order, Order::Unclear);
    tells(&unclear, WarningKind::Inconsistent, "nothing says when the server started");
}

#[test]
fn series_that_come_and_go() {
    let gone = before().text() + "vllm:num_preemptions_total{engine=\"0\",model_name=\"m\"} 3\n";
    let come = after().text()
        + "vllm:request_success_total{engine=\"0\",finished_reason=\"abort\",model_name=\"m\"} 2\n\
           vllm:prompt_tokens_total{engine=\"0\",model_name=\"m\"} 5000\n";
    let window = window(&dump(&gone), &dump(&come));
    // A reason that came up is new; a metric that the first scrape does not have counts since nobody knows when.
    assert_eq!(of(&window).value(Meaning::RequestsFinished), Some(14.0));
    assert_eq!(of(&window).value(Meaning::RequestsAborted), Some(2.0));
    assert_eq!(of(&window).value(Meaning::PromptTokens), None);
    tells(&window, WarningKind::Missing, "vllm:num_preemptions: 1 series of the earlier scrape are not");
    tells(&window, WarningKind::Missing, "vllm:prompt_tokens is only in the later scrape");
}

#[test]
fn other_buckets_in_the_later_scrape() {
    let finer = after().text().replace("le=\"0.01\"", "le=\"0.02\"");
    let window = window(&before().dump(), &dump(&finer));
    assert_eq!(of(&window).histogram(ITL).unwrap().buckets.len(), 2);
    tells(&window, WarningKind::Inconsistent, "other buckets");
}

#[test]
fn a_gauge_that_is_stale() {
    let still = window(&before().dump(), &before().dump());
    tells(&still, WarningKind::Trap, "1 running requests");
    let idle = Scrape { running: 0.0, ..before() };
    tells(&window(&idle.dump(), &idle.dump()), WarningKind::Missing, "nothing was observed between");
}

#[test]
fn the_start_of_a_series_tells_a_restart_of_one_engine() {
    let text = |engine: u32, tokens: f64, created: f64| {
        format!(
            "vllm:generation_tokens_total{{engine=\"{engine}\"}} {tokens}\n\
             vllm:generation_tokens_created{{engine=\"{engine}\"}} {created}\n"
        )
    };
    let before = dump(&(text(0, 100.0, 1.7e9) + &text(1, 100.0, 1.7e9)));
    let after = dump(&(text(0, 150.0, 1.7e9) + &text(1, 130.0, 1.7e9 + 900.0)));
    assert_eq!(of(&window(&before, &after)).value(Meaning::GenerationTokens), Some(50.0 + 130.0));
}

#[test]
fn one_text_with_two_scrapes() {
    let read = dump(&(before().text() + "\n$ sleep 60; curl -s localhost:8000/metrics\n" + &after().text()));
    assert_eq!((read.earlier.len(), read.sets.len()), (1, 1));
    assert!(says(&read, WarningKind::Duplicate, None, "2 scrapes of the same server"), "{:#?}", read.warnings);
    assert!(!says(&read, WarningKind::Duplicate, None, "repeat"), "{:#?}", read.warnings);
    assert_eq!(read.select(&Selection::default()).histogram(ITL).unwrap().total(), 1600.0);
    let load = window(&read.earlier[0], &read);
    assert_eq!(of(&load).histogram(ITL).unwrap().total(), 600.0);
}

#[test]
fn the_second_scrape_is_cut() {
    let cut: String = after().text().lines().take(3).map(|line| format!("{line}\n")).collect();
    let read = dump(&(before().text() + &cut));
    assert!(says(&read, WarningKind::Duplicate, None, "the last whole one"), "{:#?}", read.warnings);
    // Not the older latencies with the newer tokens.
    let all = read.select(&Selection::default());
    assert_eq!(all.histogram(ITL).unwrap().total(), 1000.0);
    assert_eq!(all.value(Meaning::GenerationTokens), Some(1010.0));
}

#[test]
fn two_scrapes_in_openmetrics() {
    let text = fixture("openmetrics.txt");
    let later = text.replace("34567503", "34567603");
    let read = dump(&(text.clone() + &later));
    assert_eq!(read.earlier.len(), 1, "{:#?}", read.warnings);
    assert_eq!(of(&window(&read.earlier[0], &read)).value(Meaning::GenerationTokens), Some(100.0));
}

#[test]
fn a_timeline_of_three() {
    let third = Scrape { cumulative: [0.0, 1500.0, 1700.0], sum: 44.8, tokens: 1724.0, stopped: 24.0, ..after() };
    let read = dump(&(before().text() + &after().text() + &third.text()));
    let scrapes: Vec<Dump> = read.scrapes().cloned().collect();
    let timeline = timeline(&scrapes);
    let means: Vec<f64> =
        timeline.windows.iter().map(|window| (of(window).mean(ITL).unwrap().as_millis() * 1e6).round() / 1e6).collect();
    assert_eq!(means, [18.0, 40.0]);
}

#[test]
fn two_servers_whose_labels_were_dropped_are_not_two_scrapes() {
    // One ahead in latencies, the other in requests.
    let other = Scrape { stopped: 4.0, ..after() };
    let read = dump(&(before().text() + &other.text()));
    assert!(read.earlier.is_empty());
    assert!(says(&read, WarningKind::Duplicate, None, "repeat an earlier one"), "{:#?}", read.warnings);
    // Families one after the other, each with the series of both.
    let mixed: String =
        before().text().lines().zip(after().text().lines()).map(|(a, b)| format!("{a}\n{b}\n")).collect();
    assert!(dump(&mixed).earlier.is_empty());
    assert!(dump(&fixture("dropped-label.txt")).earlier.is_empty());
}

/// OpenMetrics 2.0 says beside each sample when what it counts began: a later start is a restart, though nothing fell.
#[test]
fn a_start_timestamp_tells_a_restart_that_the_counts_hide() {
    let text = |tokens: f64, start: f64| {
        format!("# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total {tokens} st@{start}\n# EOF\n")
    };
    let grown = |start: f64| {
        let (before, after) = (dump(&text(100.0, 1000.0)), dump(&text(150.0, start)));
        of(&window(&before, &after)).value(Meaning::GenerationTokens)
    };
    assert_eq!((grown(1000.0), grown(2000.0)), (Some(50.0), Some(150.0)));
}

/// A line that stands there again is no scrape of its own: what its neighbours counted stays.
#[test]
fn a_repeated_line_is_no_scrape() {
    let name = "vllm:inter_token_latency_seconds";
    for rest in ["", "vllm:time_to_first_token_seconds_sum 5\nvllm:time_to_first_token_seconds_count 9\n"] {
        let dump = dump(&format!("{name}_sum 10\n{name}_count 500\n{name}_sum 90\n{rest}"));
        assert!(dump.earlier.is_empty());
        let latency = dump.select(&Selection::default());
        // The last of each counts: 90 s over 500.
        assert_eq!(latency.mean(ITL).unwrap().get(), 0.18, "{rest}");
        assert!(says(&dump, WarningKind::Duplicate, None, "the last of each counts"));
    }
    // Two scrapes of two lines are two.
    let dump = dump(&format!("{name}_sum 10\n{name}_count 500\n{name}_sum 90\n{name}_count 600\n"));
    assert_eq!((dump.earlier.len(), dump.sets[0].mean(ITL).unwrap().get()), (1, 0.15));
}
