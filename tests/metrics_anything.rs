//! Whatever stands in a text, it is read without a panic, and what does not matter changes nothing.
#![allow(clippy::unwrap_used)]
#![cfg(not(target_arch = "wasm32"))]

mod metrics_support;

use decodescope::metrics::{Dump, timeline, window};
use metrics_support::{dump, fixture};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const FIXTURES: &[&str] = &[
    "both-old-and-new-names.txt",
    "braces-in-labels.txt",
    "federation.txt",
    "openmetrics.txt",
    "share-per-process.txt",
    "two-engines-interleaved.txt",
    "two-models.txt",
    "vllm-v0.txt",
];

/// A number as it may stand in a dump.
const NUMBERS: &[&str] = &["0", "1e300", "-5", "NaN", "+Inf", "-Inf", "1.5", "9007199254740993", "1e-320", "x", ""];

/// A line with another number, cut, twice, or gone.
fn damaged(lines: &[String], damages: &[(Index, u8, Index)]) -> String {
    let mut lines = lines.to_vec();
    for (at, kind, detail) in damages {
        if lines.is_empty() {
            break;
        }
        let at = at.index(lines.len());
        let line = lines[at].clone();
        match kind % 5 {
            0 => {
                let number = NUMBERS[detail.index(NUMBERS.len())];
                lines[at] = format!("{} {number}", line.rsplit_once(' ').map_or("", |(series, _)| series));
            }
            1 => lines[at] = line.chars().take(detail.index(line.chars().count() + 1)).collect(),
            2 => lines.insert(at, line),
            3 => drop(lines.remove(at)),
            _ => lines[at] = line.replace("le=\"0.0", "le=\"-0.0").replace("engine=\"0\"", "engine=\"\""),
        }
    }
    lines.join("\n")
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    vec(select(FIXTURES), 1..3).prop_map(|names| {
        let text: String = names.into_iter().map(fixture).collect();
        text.lines().map(str::to_owned).collect()
    })
}

fn numbers_are_sound(dump: &Dump) {
    for set in &dump.sets {
        assert!(set.values.values().all(|value| value.is_finite() && *value >= 0.0));
        for latency in set.histograms.values() {
            assert!(latency.histogram.total() >= 0.0);
            assert!(latency.histogram.mean().is_none_or(f64::is_finite));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_dump_is_read(lines in lines(), damages in vec(any::<(Index, u8, Index)>(), 0..12)) {
        let (whole, damaged) = (dump(&lines.join("\n")), dump(&damaged(&lines, &damages)));
        numbers_are_sound(&damaged);
        for (before, after) in [(&whole, &damaged), (&damaged, &whole), (&damaged, &damaged)] {
            let between = window(before, after);
            for set in &between.sets {
                assert!(set.values.values().all(|value| value.is_finite() && *value >= 0.0));
            }
        }
        prop_assert_eq!(timeline(&[whole, damaged]).windows.len(), 1);
    }

    #[test]
    fn the_order_of_lines_does_not_matter(name in select(FIXTURES), seed in vec(any::<Index>(), 60)) {
        let text = fixture(name);
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let read = |lines: &[&str]| dump(&(lines.join("\n") + "\n")).sets;
        let ordered = read(&lines);
        for (at, index) in seed.iter().enumerate().take(lines.len()) {
            let other = index.index(lines.len());
            lines.swap(at, other);
        }
        prop_assert_eq!(read(&lines), ordered);
    }

    #[test]
    fn any_text_is_read(text in "(vllm:|sglang_|nv_)?[a-z_]{0,30}(_bucket|_sum|_count|_total)?(\\{[a-z_]{0,6}=\"[^\"]{0,9}\",?\\})? ?[-+0-9.eINaf]{0,9}\n?") {
        numbers_are_sound(&dump(&text));
    }
}
