//! What a dump means: engines' metric names, histogram statistics, and one meaning out of them all.
//!
//! | file | what |
//! |---|---|
//! | `meaning` | the quantities the engine knows, whatever a server calls them |
//! | `engines/` | one small table per serving engine: its names for those meanings |
//! | `gather` | samples to [`ServingMetrics`], one set per model and engine |
//! | `serving` | one set of metrics, and several of them together |
//! | `histogram/` | statistics from buckets and a sum |
//! | `window/` | what happened between two scrapes |

pub mod engines;
mod gather;
pub mod histogram;
mod meaning;
mod named;
mod serving;
pub mod window;

pub use gather::{Dump, NameCount, Outcome, read_dump};
pub use histogram::Histogram;
pub use meaning::{Meaning, Merge, Shape};
pub use named::{NamedHistogram, named_histograms};
pub use serving::{Latency, Selection, ServingMetrics};
