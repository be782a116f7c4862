//! What one allreduce of a step takes: as somebody says, else measured, else NCCL's own model, else a guess that says so.

use super::Workload;
use crate::collective::generic::{Hop, two_shot};
use crate::collective::{AlphaBeta, Path, fits_for, nccl, path};
use crate::hardware::Gpu;
use crate::units::{Bytes, BytesPerSecond, Range, Seconds};

/// A hop where nobody measured and NCCL does not run: wide, and said to be a guess.
const GUESS: Hop = Hop { latency: Seconds::from_micros(10.0), bandwidth: BytesPerSecond::from_giga(25.0) };
const GUESS_ERROR: f64 = 0.85;

/// One allreduce of `message` among `ranks`, and what had to be assumed for it.
pub(super) fn one(gpu: &Gpu, ranks: u32, message: Bytes, workload: &Workload) -> (Range<Seconds>, Option<String>) {
    if let Some(own) = workload.own_allreduce {
        return (own.range(message), None);
    }
    let default = match workload.runtime.engine() {
        Some(engine) => path(engine, gpu, ranks),
        None => Some(Path::Nccl),
    };
    let measured =
        |wanted: Option<Path>| Some(fits_for(gpu.id, ranks).find(|fit| Some(fit.path) == wanted)?.range(message));
    if let Some(taken) = measured(workload.allreduce.or(default)) {
        // Engines hand messages above a cutoff to NCCL.
        let cut = measured(Some(Path::Nccl)).filter(|_| workload.allreduce == Some(Path::OneShotPcie));
        return (cut.filter(|nccl| nccl.likely < taken.likely).unwrap_or(taken), None);
    }
    let server = format!("{ranks} × {}", gpu.name);
    if let Some(line) = nccl::unmeasured(gpu, ranks) {
        let note = format!("nobody published this allreduce of {server}: NCCL's own model stands in");
        return (line.range(message), Some(note));
    }
    let hop = Hop { bandwidth: gpu.link.bandwidth.unwrap_or(GUESS.bandwidth), ..GUESS };
    let range = AlphaBeta::around(two_shot(hop, ranks, message), GUESS_ERROR);
    (range, Some(format!("nothing is known of the allreduce of {server}: two hops of 10 µs are a guess")))
}
