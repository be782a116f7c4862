//! The reader of Prometheus text without the page around it, as a WebAssembly module that benches/parse/others.mjs times.
#![allow(unsafe_code, missing_docs)]

use decodescope::paste::prometheus::read;

/// Room for a text of so many bytes, which stays.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    Vec::with_capacity(bytes).leak().as_mut_ptr()
}

/// Reads the text; how many samples it holds.
///
/// # Safety
/// `start` is what [`room`] returned for at least as many bytes, and they are UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn samples(start: *const u8, bytes: usize) -> usize {
    // SAFETY: as above.
    let text = unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, bytes)) };
    read(text).samples().len()
}
