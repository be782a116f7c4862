//! Prometheus text: format 0.0.4 and OpenMetrics 1.0, quoted UTF-8 names included, as servers print it
//! and as people paste it; and what OpenMetrics 2.0 adds: composite values, native histograms, start timestamps.
//!
//! [`read`] is tolerant and total: it reads every line it can, whatever stands around it, and says what
//! it mended or left out. Numbers are exact (each is the double nearest to the decimal written), and a
//! number that may be cut is never taken in silence.
//!
//! Three ways in:
//!
//! - [`read`] takes whatever is there. It undoes indentation, quotes, tables, diffs, comment marks, terminal colours,
//!   log prefixes, JSON strings, HTML, Markdown, typographic quotes, line wraps and lost line feeds, reads what
//!   `promtool` prints and the JSON replies of Prometheus and VictoriaMetrics; shell prompts, progress displays, fences,
//!   ellipses and prose are named and left out. A value that may go on elsewhere is doubted or left out.
//! - [`check`] is strict: is the text valid in a [`Format`], and if not, where and by which [`Rule`].
//! - [`lint`] says all that is wrong, also what no parser minds: buckets out of order, a count that is not
//!   what the `+Inf` bucket holds, a series twice, a metric in pieces.
//!
//! All three share one grammar of a line (`sample.rs`, `comment.rs`), which reads what can be read and notes
//! each breach on the way: strictness is a matter of which breaches count.
//!
//! A sample keeps offsets into the text, and labels that a line has in common with the line before are kept
//! once, so that an exposition takes less memory than its text.
//!
//! ```
//! use decodescope::paste::prometheus::read;
//!
//! let dump = "$ curl -s localhost:8000/metrics\n\
//!     # TYPE vllm:num_requests_running gauge\n\
//!     vllm:num_requests_running{engine=\"0\"} 3.0\n";
//! let exposition = read(dump);
//! let sample = exposition.samples().next().unwrap();
//! assert_eq!(sample.name(), "vllm:num_requests_running");
//! assert_eq!(sample.label("engine"), Some("0"));
//! assert_eq!((sample.value(), sample.line()), (3.0, 3));
//! assert_eq!(exposition.warnings()[0].line, Some(1));
//! ```

mod arena;
mod awkward;
mod clutter;
mod comment;
mod composite;
mod exposition;
mod flat;
mod foreign;
mod grouped;
mod index;
mod inspect;
mod mend;
mod number;
mod points;
mod reader;
mod remarks;
mod repeated;
mod reply;
mod room;
mod rule;
mod sample;
mod semantics;
mod tail;
mod wrapped;

pub use composite::{Composite, NativeParts, Runs};
pub use exposition::{Exemplar, Exposition, Family, Sample, Timestamp, Type};
pub use inspect::{Finding, Verdict, check, check_bytes, guess_format, lint};
pub use rule::{Format, Parser, Rule};

use crate::pace::{Pace, Work};

/// Reads Prometheus text, whichever of its formats it is in and whatever stands around it.
///
/// Never fails and never panics: see [`Exposition::warnings`] for what was mended or left out.
#[must_use]
pub fn read(text: &str) -> Exposition<'_> {
    Work::new(|pace| async move { read_in_steps(text, &pace).await }).finish()
}

/// As [`read`], resting about every 256 KiB of the text.
pub async fn read_in_steps<'a>(text: &'a str, pace: &Pace) -> Exposition<'a> {
    reader::Reader::read(text, reader::SLICE, pace).await
}
