//! Lines read together and alone: what they have in common is read once, which must show in nothing.
#![no_main]

use decodescope::paste::prometheus::{Format, check, read};

libfuzzer_sys::fuzz_target!(|text: &str| {
    // Only plain lines: what stands around metrics may be told from its neighbours.
    let plain = |line: &&str| check(&format!("{line}\n"), Format::Text).is_accepted();
    let lines: Vec<&str> = text.lines().filter(plain).filter(|line| !line.trim_start().starts_with('#')).collect();
    let together = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let together = read(&together);
    let mut samples = together.samples();
    for line in lines {
        let alone = format!("{line}\n");
        for alone in read(&alone).samples() {
            let sample = samples.next().expect("as many samples together as alone");
            assert_eq!(sample.name(), alone.name());
            assert!(sample.labels().eq(alone.labels()), "{sample:?} for {alone:?}");
            assert!(sample.value().to_bits() == alone.value().to_bits() || alone.value().is_nan());
        }
    }
});
