//! The page. [`app`] is what a person sees, [`platform`] alone touches the browser, [`panic_banner`] is the last
//! resort. The binary `main.rs` beside this file only starts it.

pub mod app;
pub mod panic_banner;
pub mod platform;
