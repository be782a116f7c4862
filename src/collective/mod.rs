//! What an allreduce costs, how many of them a token takes, and the evidence for both.
//!
//! With tensor parallelism every layer ends its attention and its MLP by summing a small vector over
//! all GPUs. In decode that vector is a few KiB, so an allreduce is nearly all latency.
//!
//! | question | evidence, best first |
//! |---|---|
//! | what did it cost on this box? | two timed runs that differ only in the allreduce: [`Experiment`] |
//! | what does one cost on such a box? | published measurements: [`Fit`], [`default_fit`] |
//! | what would NCCL do on a box nobody measured, or otherwise? | its own tuning model: [`nccl`] |
//! | what does the algorithm allow at best? | textbook forms: [`generic`] |
//!
//! The spread between boxes is far wider than any fit's own error: eight PCIe GPUs take from 9 µs
//! (one-shot kernel behind one switch) over 27 µs (NCCL) to 48 µs (NCCL where its search for a
//! graph fails) for messages of a few KiB.

mod alpha_beta;
mod experiment;
mod fit;
pub mod generic;
pub mod nccl;
mod path;
mod traffic;

pub use alpha_beta::AlphaBeta;
pub use experiment::{Experiment, ExperimentError, ExperimentReading};
pub use fit::{Fit, Point, default_fit, fits, fits_for};
pub use path::{Engine, Path, describe, path};
pub use traffic::{allreduces_per_token, message_bytes};
