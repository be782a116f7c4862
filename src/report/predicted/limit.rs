//! How many streams, or tokens of each, the memory holds.

use super::Served;
use crate::prediction::Workload;

/// The most that fits beside the weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Limit {
    /// The GPU's memory is not known.
    Unknown,
    /// Not even one.
    Nothing,
    /// So many, in whole numbers.
    At(f64),
    /// However many: what is kept does not grow.
    None,
}

/// More than any server holds.
const ENDLESS: f64 = (1_u64 << 40) as f64;

/// # Formula
/// (memory − weights) / bytes of cache per stream (or token), rounded down; found by halving, since layers with a
/// window keep no more from its end on.
///
/// # Source
/// [`crate::model::decode_read`] for the bytes that are kept.
pub(super) fn limit(served: &Served, at: &dyn Fn(f64) -> Workload) -> Limit {
    if !served.gpu.memory.is_finite() {
        return Limit::Unknown;
    }
    let fits = |value: f64| served.fits(&at(value));
    if !fits(1.0) {
        return Limit::Nothing;
    }
    let mut low = 1.0;
    while fits(low * 2.0) {
        low *= 2.0;
        if low >= ENDLESS {
            return Limit::None;
        }
    }
    let mut high = low * 2.0;
    while high - low > 1.0 {
        let middle = ((low + high) / 2.0).floor();
        if fits(middle) { low = middle } else { high = middle }
    }
    Limit::At(low)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::scenario::{Field, GpuChoice, ModelChoice, Scenario};

    fn limits(model: &str, gpu: &str, gpus: f64, streams: f64, context: f64) -> (Limit, Limit) {
        let mut scenario = Scenario::default();
        scenario.set_model(Some(ModelChoice::Preset(model.to_owned())));
        scenario.set_gpu(Some(GpuChoice::Known(gpu.to_owned())));
        for (field, value) in [(Field::Gpus, gpus), (Field::Batch, streams), (Field::Context, context)] {
            scenario.set(field, Some(value));
        }
        let served = Served::of(&scenario).unwrap();
        let by_streams = limit(&served, &|sequences| Workload { sequences, ..served.today });
        (by_streams, limit(&served, &|context| Workload { context, ..served.today }))
    }

    #[test]
    fn the_limit_is_the_memory_left_over_what_each_keeps() {
        // Llama-3.1-70B, 70 553 706 496 weights of 2 bytes, over four of 80 GiB: 35.277 GB of weights on each leave
        // 50.622 GB; a token keeps 80 layers × 2 heads × 2 × 128 × 2 bytes on each: 50.622 GB / (64 × 81 920 B) = 9655.
        let (_, context) = limits("llama-3.1-70b", "h100-sxm", 4.0, 64.0, 1024.0);
        assert_eq!(context, Limit::At(9655.0));
        // DeepSeek-V3 over eight of 151.4 GB, of which the weights leave 66.13 GB; each keeps all of the latent cache,
        // 61 layers × 576 values × 2 bytes a token: 66.13 GB / 70 272 B are 941 000 tokens, 229 × 4096 or 32 × 29 407.
        let (streams, context) = limits("deepseek-v3", "h200-sxm", 8.0, 32.0, 4096.0);
        assert_eq!((streams, context), (Limit::At(229.0), Limit::At(29_407.0)));
    }

    #[test]
    fn what_does_not_fit_or_is_not_known_has_no_limit() {
        assert_eq!(limits("llama-3.1-70b", "h100-sxm", 1.0, 1.0, 1024.0).0, Limit::Nothing);
    }
}
