//! Texts far larger than any server's: nothing fails, and what was made of them is said.
#![allow(clippy::unwrap_used)]

use decodescope::metrics::{Dump, Meaning, Selection, read_dump, read_dump_in_steps};
use decodescope::pace::{Step, Work};
use decodescope::paste::WarningKind;
use decodescope::paste::prometheus::{read, read_in_steps};
use std::fmt::Write as _;

const ITL: &str = "vllm:inter_token_latency_seconds";

/// A histogram of one observation in each of so many buckets of 1 µs; the mean is in the middle.
fn fine(buckets: u32) -> String {
    let mut text = format!("# TYPE {ITL} histogram\n");
    for bucket in 1..=buckets {
        writeln!(text, "{ITL}_bucket{{engine=\"0\",le=\"{}\"}} {bucket}", f64::from(bucket) / 1e6).unwrap();
    }
    let sum = f64::from(buckets) * f64::from(buckets) / 2e6;
    writeln!(text, "{ITL}_bucket{{engine=\"0\",le=\"+Inf\"}} {buckets}\n{ITL}_count{{engine=\"0\"}} {buckets}")
        .unwrap();
    writeln!(text, "{ITL}_sum{{engine=\"0\"}} {sum}").unwrap();
    text
}

/// So many servers of two tokens of 20 ms each.
fn servers(number: u32) -> String {
    (0..number)
        .map(|pod| {
            let labels = format!("engine=\"0\",model_name=\"m\",pod=\"p-{pod}\"");
            format!("{ITL}_sum{{{labels}}} 0.04\n{ITL}_count{{{labels}}} 2\n")
        })
        .collect()
}

fn whole(dump: &Dump) -> decodescope::metrics::ServingMetrics {
    dump.select(&Selection::default())
}

#[test]
fn a_histogram_of_very_many_buckets_is_coarser_and_no_less_right() {
    let dump = read_dump(&read(&fine(108_000)));
    let all = whole(&dump);
    let histogram = all.histogram(Meaning::InterTokenLatency).unwrap();
    // 108 001 bounds; every 217th, 108 001 / 498 rounded up, makes 498, and the last finite one and +Inf are kept.
    assert_eq!(histogram.buckets.len(), 500);
    assert_eq!(histogram.total(), 108_000.0);
    assert!((histogram.mean().unwrap() - 0.054).abs() < 1e-12);
    // The 54 000th of 108 000 observations lies in (53 999, 54 000] µs.
    let median = histogram.quantile(0.5).unwrap();
    assert!(median.low <= 0.053_999 && 0.054 <= median.high, "{median:?}");
    assert!(median.high - median.low <= 217e-6 + 1e-9, "{median:?}");
    let said: Vec<_> = dump.warnings.iter().filter(|warning| warning.message.contains("joined")).collect();
    assert_eq!(said.len(), 1);
    assert_eq!((said[0].line, said[0].kind), (Some(2), WarningKind::Repaired));
    assert_eq!(said[0].message, format!("{ITL}: 108001 buckets, neighbours were joined: 500 are left"));
}

#[test]
fn as_many_buckets_as_are_kept_stay_as_they_are() {
    let dump = read_dump(&read(&fine(499)));
    assert_eq!(whole(&dump).histogram(Meaning::InterTokenLatency).unwrap().buckets.len(), 500);
    assert!(!dump.warnings.iter().any(|warning| warning.message.contains("joined")));
}

#[test]
fn more_servers_than_anybody_can_choose_from_are_added_up() {
    let few = read_dump(&read(&servers(1000)));
    assert_eq!(few.sets.len(), 1000);
    let many = read_dump(&read(&servers(1001)));
    let all = whole(&many);
    assert_eq!((many.sets.len(), all.selection.model.as_deref()), (1, Some("m")));
    assert_eq!(all.histogram(Meaning::InterTokenLatency).unwrap().total(), 2002.0);
    assert!((all.mean(Meaning::InterTokenLatency).unwrap().as_millis() - 20.0).abs() < 1e-9);
    assert!(many.warnings.iter().any(|warning| warning.message.contains("engines: only models are told apart")));
}

#[test]
fn reading_in_steps_rests_often_comes_forward_and_ends_the_same() {
    let text = servers(20_000);
    let mut work = Work::new(|pace| {
        let text = text.as_str();
        async move {
            let exposition = read_in_steps(text, &pace.part(0.0, 0.5)).await;
            read_dump_in_steps(&exposition, &pace.part(0.5, 1.0)).await
        }
    });
    let mut shares = vec![0.0];
    let dump = loop {
        match work.step() {
            Step::Underway(rest) => work = rest,
            Step::Done(dump) => break dump,
        }
        shares.push(work.share());
    };
    assert_eq!(dump, read_dump(&read(&text)));
    // 40 000 samples in strides of 2048 are counted and then taken, 20 000 series in strides of 128 brought together.
    assert!(shares.len() > 150, "{}", shares.len());
    assert!(shares.is_sorted() && shares.last().is_some_and(|last| (0.9..=1.0).contains(last)));
}
