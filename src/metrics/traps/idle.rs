//! Counters are of the past.

use super::Scene;
use crate::metrics::meaning::Meaning;
use crate::units::format::count;

/// Nothing runs now, so nothing in the dump is of now.
pub fn nothing_runs(scene: &Scene<'_>) -> Option<String> {
    let idle = |meaning| scene.all.value(meaning) == Some(0.0);
    if !idle(Meaning::RequestsRunning) || scene.all.value(Meaning::RequestsWaiting).is_some_and(|waiting| waiting > 0.0)
    {
        return None;
    }
    let observed = scene.observed(Meaning::InterTokenLatency).or_else(|| scene.observed(Meaning::TimeToFirstToken))?;
    Some(format!(
        "no request is running: the {} latencies are of all the time since the server started, warm-up included; two \
         scrapes, before and after a load, give that load's own",
        count(observed)
    ))
}
