//! What only a browser can tell. Run by `make test STEPS=wasm`, in headless Chromium.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod address;
mod memory;
mod observers;
mod panic_banner;
mod support;
mod timing;
mod transfers;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
