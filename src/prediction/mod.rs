//! How long a decode step takes on hardware nobody has run it on: a sum of terms, each visible.
//!
//! ```text
//! step = Σ components max(bytes / bandwidth, FLOPs / rate)      what is read and computed
//!      + operations × start + quantised operations × quantising  what each takes beyond that
//!      + allreduces × time of one                                 measured where somebody did
//!      + the host's floor
//! ```
//!
//! Bytes, FLOPs and operations are the model room's ([`crate::model::decode_step`]), bandwidths the
//! hardware room's, allreduces the collective room's. What none of them can know is in six
//! [`Constants`], the same for every model, GPU and engine, fitted to one half of the published
//! measurements in `tests/data` and tested on the other; `make validate` prints both.
//!
//! A [`Prediction`] carries a range, and a [`Ceiling`] that idealises everything but the datasheet. Its
//! [`Operation`]s say where each part of the step stands in the roofline.

mod allreduce;
mod constants;
mod roofline;
mod step;
mod term;
mod workload;

pub use constants::Constants;
pub use roofline::{Arithmetic, Operation, Roof};
pub use step::{predict, predict_with};
pub use term::{Ceiling, Prediction, Term, TermKind};
pub use workload::{Runtime, Workload};
