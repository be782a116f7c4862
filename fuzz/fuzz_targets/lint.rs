//! The strict check: total, its places inside the text, and what it accepts the tolerant reader takes whole.
#![no_main]

use decodescope::paste::prometheus::{Format, check, lint, read};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    for format in [Format::Text, Format::OpenMetrics] {
        for finding in lint(text, format) {
            assert!((1..=lines).contains(&finding.line) && finding.column >= 1);
        }
    }
    // Comments that hold a commented-out dump are read as one.
    if check(text, Format::Text).is_accepted() && !text.contains("# #") {
        let exposition = read(text);
        let skipped = exposition.warnings().iter().filter(|warning| {
            // A name that ends in a colon is valid, and prose.
            warning.kind == decodescope::paste::WarningKind::Skipped && !text.contains(':')
        });
        assert_eq!(skipped.count(), 0, "{:?}", exposition.warnings());
    }
});
