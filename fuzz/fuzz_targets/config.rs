//! A model's configuration, and the head of a GGUF file: total, whatever stands there.
#![no_main]

use decodescope::model::{read_config, read_gguf};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(reading) = read_config(text)
    {
        let _ = reading.architecture.name.len();
    }
    let _ = read_gguf(bytes);
});
