//! A link: total, and what opens is written back as a link that opens.
#![no_main]

use decodescope::scenario::link::{decode, encode};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(Some(scenario)) = decode(text) {
        assert!(matches!(decode(&encode(&scenario)), Ok(Some(_))));
    }
});
