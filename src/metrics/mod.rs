//! What a dump means: engines' metric names, histogram statistics, and one meaning out of them all.
//!
//! | file | what |
//! |---|---|
//! | `meaning` | the quantities the engine knows, whatever a server calls them |
//! | `engines/` | one small table per serving engine: its names for those meanings |
//! | `names` | sample names taken apart, engines recognised |
//! | `gather`, `buckets` | samples to series |
//! | `series` | one series: whose, its labels, its content |
//! | `sets` | series to [`ServingMetrics`], one set per model and engine |
//! | `serving` | one set of metrics, and what follows from it |
//! | `together` | several sets as one |
//! | `dump` | a whole dump, read |
//! | `named` | every histogram of a dump by its own name and labels |
//! | `scrapes` | several scrapes in one text |
//! | `difference` | the growth of each series between two scrapes |
//! | `between` | what happened between two scrapes, and a timeline |
//! | `version` | which releases a dump may come from |
//! | `resemble` | unknown names close to known ones |
//! | `remarks` | folds remarks that many series share |
//! | `traps/` | what is easily misread, where a dump shows it |
//! | `histogram/` | statistics from buckets and a sum |
//! | `window/` | the arithmetic of two scrapes: increases, resets, order |

mod between;
mod buckets;
mod difference;
mod dump;
pub mod engines;
mod gather;
pub mod histogram;
mod meaning;
mod named;
mod names;
mod remarks;
mod resemble;
mod scrapes;
mod series;
mod serving;
mod sets;
mod together;
mod traps;
mod version;
pub mod window;

pub use between::{Timeline, Window, timeline, timeline_in_steps, window, window_in_steps};
pub use dump::{Dump, NameCount, Outcome, read_dump, read_dump_in_steps};
pub use histogram::Histogram;
pub use meaning::{Meaning, Merge, Shape};
pub use named::{NamedHistogram, NamedHistograms, named_histograms};
pub use serving::{Latency, Selection, ServingMetrics};
pub use traps::IMPOSSIBLE;
pub use version::VersionHint;
