//! From a text to what it means: total, and no statistic that is no number.
#![no_main]

use decodescope::metrics::{Selection, named_histograms, read_dump, window};
use decodescope::paste::prometheus::read;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let exposition = read(text);
    for one in named_histograms(&exposition).histograms {
        for q in [0.0, 0.5, 0.99, 1.0] {
            if let Some(found) = one.quantile(q) {
                assert!(found.low <= found.high, "{found:?}");
            }
        }
    }
    let dump = read_dump(&exposition);
    for set in dump.sets.iter().chain([&dump.select(&Selection::default())]) {
        for latency in set.histograms.values() {
            assert!(latency.histogram.mean().is_none_or(f64::is_finite));
            assert!(latency.histogram.total() >= 0.0);
        }
    }
    let _ = window(&dump, &dump);
});
