//! What a dump means: engines' metric names, histogram statistics, and one meaning out of them all.
//!
//! | file | what |
//! |---|---|
//! | `meaning` | the quantities the engine knows, whatever a server calls them |
//! | `engines/` | one small table per serving engine: its names for those meanings |
//! | `gather` | samples to series: names taken apart, engines recognised |
//! | `series` | one series: whose, its labels, its content |
//! | `sets` | series to [`ServingMetrics`], one set per model and engine |
//! | `serving` | one set of metrics, and several of them together |
//! | `dump` | a whole dump, read |
//! | `named` | every histogram of a dump by its own name and labels |
//! | `scrapes` | several scrapes in one text |
//! | `traps/` | what is easily misread, where a dump shows it |
//! | `histogram/` | statistics from buckets and a sum |
//! | `window/` | what happened between two scrapes |

mod dump;
pub mod engines;
mod gather;
pub mod histogram;
mod meaning;
mod named;
mod scrapes;
mod series;
mod serving;
mod sets;
mod traps;
pub mod window;

pub use dump::{Dump, NameCount, Outcome, read_dump};
pub use histogram::Histogram;
pub use meaning::{Meaning, Merge, Shape};
pub use named::{NamedHistogram, named_histograms};
pub use serving::{Latency, Selection, ServingMetrics};
