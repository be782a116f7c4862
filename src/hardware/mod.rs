//! GPUs, the links between them, and the memory bandwidth they achieve.
//!
//! The catalogue is one small table of facts, `gpus.psv`. A figure without a source is `None`, never
//! a guess, and where sources disagree the disagreement travels with the row.
//!
//! | wanted | where |
//! |---|---|
//! | all GPUs, or one by whatever it is called | [`catalogue`], [`find`], [`suggest`] |
//! | how two GPUs reach each other | [`Link`] |
//! | what reading a tensor of some size takes | [`TensorRead`], [`tensor_read`] |

mod catalogue;
mod link;
mod lookup;
mod tensor_read;

pub use catalogue::{Gpu, catalogue};
pub use link::{Link, LinkKind};
pub use lookup::{find, suggest};
pub use tensor_read::{TensorRead, WeightType, tensor_read, tensor_reads};

/// The GPU whose measurements stand for this one's: the same silicon and the same link under another
/// name. Most stand for themselves.
///
/// ```
/// use decodescope::hardware::measured_as;
/// assert_eq!(measured_as("rtx-pro-6000"), "rtx-pro-6000-server");
/// assert_eq!(measured_as("h100-sxm"), "h100-sxm");
/// ```
#[must_use]
pub fn measured_as(id: &str) -> &str {
    match id {
        "rtx-pro-6000" | "rtx-pro-6000-max-q" => "rtx-pro-6000-server",
        "a100-sxm-40gb" => "a100-sxm-80gb",
        other => other,
    }
}
