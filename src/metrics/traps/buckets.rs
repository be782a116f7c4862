//! Buckets that are too coarse for what they hold.

use super::Scene;
use super::releases::IMPOSSIBLE;
use crate::metrics::histogram::OccupiedBucket;
use crate::metrics::meaning::Meaning;
use crate::units::format::{count, show, show_range};
use crate::units::{Range, Ratio, Seconds};

/// With fewer observations a bucket holds most of them by chance.
const ENOUGH: f64 = 10.0;
/// From this share in one bucket on, its borders are all that a quantile tells.
const MOST: f64 = 0.8;

pub fn coarse_inter_token_latency(scene: &Scene<'_>) -> Option<String> {
    coarse(scene, Meaning::InterTokenLatency)
}

pub fn coarse_time_to_first_token(scene: &Scene<'_>) -> Option<String> {
    coarse(scene, Meaning::TimeToFirstToken)
}

pub fn coarse_queue_time(scene: &Scene<'_>) -> Option<String> {
    coarse(scene, Meaning::QueueTime)
}

pub fn inter_token_latency_above_the_last_bound(scene: &Scene<'_>) -> Option<String> {
    above_the_last_bound(scene, Meaning::InterTokenLatency)
}

pub fn time_to_first_token_above_the_last_bound(scene: &Scene<'_>) -> Option<String> {
    above_the_last_bound(scene, Meaning::TimeToFirstToken)
}

pub fn end_to_end_latency_above_the_last_bound(scene: &Scene<'_>) -> Option<String> {
    above_the_last_bound(scene, Meaning::EndToEndLatency)
}

/// Most observations in one bucket: a quantile there is a line drawn between its borders.
fn coarse(scene: &Scene<'_>, meaning: Meaning) -> Option<String> {
    scene.observed(meaning).filter(|total| *total >= ENOUGH)?;
    let histogram = scene.all.histogram(meaning)?;
    // What the buckets hold; a stated count may be another number.
    let total = histogram.in_buckets();
    let main = histogram.main_bucket().filter(|main| main.share >= MOST && main.upper.is_finite())?;
    let exact = scene.all.mean(meaning);
    if exact.is_some_and(|mean| mean < IMPOSSIBLE) {
        // Then the mean is no more to be trusted than the buckets, which is told elsewhere.
        return None;
    }
    let what = meaning.title();
    let how_many = if main.share == 1.0 {
        format!("all {} observations of {what}", count(total))
    } else {
        format!("{} of {} observations of {what}", count(main.count), count(total))
    };
    let median = histogram.quantile(0.5).and_then(|median| median.interpolated);
    let guess = median.map(|median| format!(" (the {} of an interpolated p50 is a guess)", show(Seconds::new(median))));
    let mean = exact.map(|mean| format!("; the mean, {}, is exact", show(mean)));
    Some(format!(
        "{how_many} lie in one bucket, {}: they tell no quantile closer than that{}{}",
        borders(&main),
        guess.unwrap_or_default(),
        mean.unwrap_or_default()
    ))
}

/// Observations of which only a lower bound is known.
fn above_the_last_bound(scene: &Scene<'_>, meaning: Meaning) -> Option<String> {
    let histogram = scene.all.histogram(meaning)?;
    let above = histogram.occupied().last().copied().filter(|last| last.upper == f64::INFINITY && last.lower > 0.0)?;
    let within = |q: f64| histogram.quantile(q).is_some_and(|quantile| quantile.bucket.1 == f64::INFINITY);
    let quantiles = [(0.5, "p50"), (0.9, "p90"), (0.99, "p99")];
    let unknown: Vec<&str> = quantiles.iter().filter(|(q, _)| within(*q)).map(|(_, name)| *name).collect();
    let consequence = if unknown.is_empty() {
        "its tail is longer than the buckets show".to_owned()
    } else {
        format!("what is read of {} is a lower bound", unknown.join(", "))
    };
    Some(format!(
        "{} of {} observations of {} ({}) lie above the last bound, {}: {consequence}",
        count(above.count),
        count(histogram.in_buckets()),
        meaning.title(),
        show(Ratio::new(above.share)),
        show(Seconds::new(above.lower)),
    ))
}

fn borders(bucket: &OccupiedBucket) -> String {
    if bucket.lower <= 0.0 {
        return format!("up to {}, the lowest bound there is", show(Seconds::new(bucket.upper)));
    }
    let (low, high) = (Seconds::new(bucket.lower), Seconds::new(bucket.upper));
    show_range(Range { low, likely: high, high }).to_string()
}
