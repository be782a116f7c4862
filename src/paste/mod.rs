//! What a person can paste: one file per format, each turning text into typed facts and warnings.
//!
//! A reader never panics and never drops a line in silence: what it cannot use becomes a
//! [`Warning`] with the line, and the rest still counts. [`decode`] turns bytes into text first.

mod decode;
pub mod prometheus;
mod warning;

pub use decode::{DecodeError, Decoded, Decoder, decode};
pub use warning::{MOST_LINES, Warning, WarningKind};
