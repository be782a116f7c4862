//! The tolerant reader: total, and its views stay inside the text.
#![no_main]

use decodescope::paste::prometheus::read;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let exposition = read(text);
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    for sample in exposition.samples() {
        assert!(!sample.name().is_empty());
        assert!((1..=lines).contains(&sample.line()));
        let labels = sample.labels().filter(|(name, _)| !name.is_empty()).count();
        assert_eq!(labels, sample.labels().count());
        let _ = (sample.timestamp(), sample.family());
        for exemplar in sample.exemplars() {
            assert!(exemplar.labels().count() <= text.len());
        }
    }
});
