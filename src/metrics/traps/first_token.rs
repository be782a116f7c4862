//! What the time to first token is made of.

use super::Scene;
use crate::metrics::meaning::Meaning;
use crate::units::format::show;
use crate::units::{Ratio, Seconds};

/// From this share on, the queue changes what the time to first token says about prefill.
const NOTABLE: f64 = 0.1;

/// The queue is part of it.
pub fn queue_within(scene: &Scene<'_>) -> Option<String> {
    let first = scene.all.mean(Meaning::TimeToFirstToken)?;
    let queue = scene.all.mean(Meaning::QueueTime)?;
    let share = queue / first;
    if !(NOTABLE..=1.05).contains(&share) {
        return None;
    }
    let prefill = scene.all.mean(Meaning::PrefillTime).map(|prefill| format!(", {} prefill", show(prefill)));
    Some(format!(
        "time to first token includes the queue: of {} on average, {} ({}) were spent waiting{}",
        show(first),
        show(queue),
        show(Ratio::new(share.min(1.0))),
        prefill.unwrap_or_default()
    ))
}

/// Prefill and decode on different instances.
pub fn prefill_elsewhere(scene: &Scene<'_>) -> Option<String> {
    const SIGNS: [&str; 4] =
        ["nixl_", "mooncake_store_", "num_decode_prealloc_queue_reqs", "num_prefill_prealloc_queue_reqs"];
    let sign = scene.names.iter().find(|name| SIGNS.iter().any(|sign| name.name.contains(sign)))?;
    Some(format!(
        "{} shows that prefill and decode run on different instances: the time to first token here is this \
         instance's, not the user's, which the two have to be combined for",
        sign.name
    ))
}

/// A request's time per token that takes the prefill in.
pub fn prefill_within_token_time(scene: &Scene<'_>) -> Option<String> {
    if !scene.is_of("TGI") {
        return None;
    }
    let per_token = scene.all.mean(Meaning::TimePerOutputToken)?;
    let step = scene.all.mean(Meaning::InterTokenLatency);
    let step = step.map(|step: Seconds| format!("; a decode step takes {}", show(step)));
    Some(format!(
        "TGI's mean time per token, {}, divides a request's whole time by its tokens, prefill included{}",
        show(per_token),
        step.unwrap_or_default()
    ))
}
