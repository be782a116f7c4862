//! Requests counted in one place and not in another.

use super::Scene;
use crate::metrics::meaning::Meaning;
use crate::units::format::count;

/// Requests between two counters at the moment of the scrape.
const SLACK: f64 = 0.02;

/// Requests that got a first token and are not counted as finished. What is observed at the end leaves them out.
pub fn unfinished(scene: &Scene<'_>) -> Option<String> {
    let started = scene.observed(Meaning::TimeToFirstToken)?;
    let finished = scene.all.value(Meaning::RequestsFinished)?;
    let running = scene.all.value(Meaning::RequestsRunning);
    let missing = started - finished;
    if missing <= running.unwrap_or(0.0) || missing <= (started * SLACK).max(1.0) {
        return None;
    }
    let fate = match running {
        Some(0.0) => "they were aborted or lost".to_owned(),
        Some(running) => format!("{} still run, the others were aborted or lost", count(running)),
        None => "they still run, were aborted, or were lost".to_owned(),
    };
    Some(format!(
        "{} of {} requests that got a first token are not counted as finished: {fate}; what is observed at a request's \
         end (end-to-end, queue, prefill and decode time) leaves them out",
        count(missing),
        count(started)
    ))
}

/// Sequences counted as requests.
pub fn more_finished_than_started(scene: &Scene<'_>) -> Option<String> {
    let started = scene.observed(Meaning::TimeToFirstToken)?;
    let finished = scene.all.value(Meaning::RequestsFinished)?;
    let aborted = scene.all.value(Meaning::RequestsAborted).unwrap_or(0.0);
    // A request aborted in the queue ends without a first token.
    (finished - aborted > started * (1.0 + SLACK) + 1.0).then(|| {
        format!(
            "{} requests finished but only {} had a first token: with n or best_of above 1 each sequence counts as a \
             request, or the counters are of different age",
            count(finished - aborted),
            count(started)
        )
    })
}
