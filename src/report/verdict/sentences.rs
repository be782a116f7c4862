//! The two or three sentences.

use super::{BANDWIDTH_BOUND, BANDWIDTH_MINOR, Outlook, ROUNDING, SMALL_FIRST_TOKEN};
use crate::budget::{Analysis, Estimate, EstimateKind, FirstToken, Reply, Step};
use crate::metrics::{Histogram, Meaning, ServingMetrics};
use crate::scenario::{Field, Scenario, Source};
use crate::units::format::{count, many, show, show_bounds, show_message, show_range, trimmed};
use crate::units::{Ratio, Seconds};

pub(super) fn sentences(
    scenario: &Scenario,
    analysis: &Analysis,
    outlook: Option<&Outlook>,
    metrics: Option<&ServingMetrics>,
) -> Vec<String> {
    let Some(step) = &analysis.step else { return Vec::new() };
    let (modelled, said) = (step.time.source == Source::Modelled, !scenario.left_over.any());
    let mut sentences = Vec::new();
    match outlook.filter(|_| modelled && said) {
        Some(outlook) => sentences.extend([outlook.sentence(step), outlook.most(analysis, step)].into_iter().flatten()),
        None if modelled && !said => {}
        None => sentences.push(speed(scenario, analysis, step, metrics)),
    }
    sentences.extend(first_token(scenario, analysis));
    if said {
        sentences.extend(outlook.and_then(|outlook| outlook.against(analysis)));
        sentences.extend(bandwidth(analysis));
        sentences.extend(allreduce(analysis));
    } else {
        let hardware = scenario.gpu().map_or("one".to_owned(), |gpu| {
            let gpus = scenario.value(Field::Gpus).map_or(1.0, |gpus| gpus.value);
            format!("{} × {}", count(gpus), gpu.name)
        });
        sentences.push(format!(
            "No dump names its hardware: bandwidth, allreduce and ceilings below still count with {hardware}."
        ));
    }
    sentences
}

fn speed(scenario: &Scenario, analysis: &Analysis, step: &Step, metrics: Option<&ServingMetrics>) -> String {
    let takes = match step.time.source {
        Source::Modelled => "By reading memory and the allreduces alone a decode step would take",
        _ => "A decode step takes",
    };
    let mut sentence = format!("{takes} {} ({})", show(step.time.value), show(step.speed));
    if step.tokens > 1.0 {
        sentence += &format!(", yielding {} tokens to each stream", trimmed(step.tokens));
    }
    let itl = metrics.and_then(|set| set.histogram(Meaning::InterTokenLatency));
    if scenario.value(Field::InterTokenLatency).is_some_and(|itl| itl.source == Source::Measured) {
        sentence += &itl.map(spread).unwrap_or_default();
    }
    if let Some(reply) = analysis.reply.filter(|_| step.time.source != Source::Modelled) {
        sentence += &weight(&reply, analysis, metrics);
    }
    sentence + "."
}

/// What the first token weighs, as the end of a sentence; what holds a queue says of prefill only what it cannot be.
fn weight(reply: &Reply, analysis: &Analysis, metrics: Option<&ServingMetrics>) -> String {
    let small = reply.over_decode.get() < SMALL_FIRST_TOKEN;
    let waits = metrics.is_some_and(|set| {
        set.value(Meaning::RequestsWaiting).is_some_and(|waiting| waiting >= 1.0)
            && set.mean(Meaning::QueueTime).is_none()
    });
    let conclusion = match analysis.first_token {
        _ if small => ", so prefill is not the bottleneck",
        FirstToken::Queue(_) | FirstToken::Waiting { .. } => "",
        _ if waits => ", so prefill, or the queue that it holds too, is part of the bottleneck",
        _ => ", so prefill is part of the bottleneck",
    };
    format!(
        "; the first token costs {} of the decode time of a {}-token reply{conclusion}",
        show(reply.over_decode),
        count(reply.tokens)
    )
}

/// What the time to first token is not: a forward pass, or prefill's.
fn first_token(scenario: &Scenario, analysis: &Analysis) -> Option<String> {
    let weighs = analysis.reply.is_none_or(|reply| reply.over_decode.get() >= SMALL_FIRST_TOKEN);
    let first = || scenario.seconds(Field::TimeToFirstToken).map(show);
    match analysis.first_token {
        FirstToken::Impossible(first) => Some(format!(
            "The time to first token, {} on average, cannot be right: nothing is concluded from it.",
            show(first)
        )),
        FirstToken::Queue(share) if weighs => Some(format!(
            "Of the time to first token, {}, {} is waiting in the queue: the queue is the bottleneck, not prefill.",
            first()?,
            show(share)
        )),
        FirstToken::Waiting { waiting, running } if weighs => Some(format!(
            "{} {} while {} {}: the time to first token, {}, holds the queue, which is the bottleneck; what of it is \
             prefill is not told.",
            many(waiting, "request"),
            if waiting == 1.0 { "waits" } else { "wait" },
            count(running),
            if running == 1.0 { "runs" } else { "run" },
            first()?
        )),
        _ => None,
    }
}

/// Where the observations lie, as the end of a sentence.
fn spread(histogram: &Histogram) -> String {
    let between = |lower: f64, upper: f64| {
        let ([low, high], unit) = show_bounds(Seconds::new(lower), Seconds::new(upper));
        if upper.is_finite() { format!("between {low} and {high} {unit}") } else { format!("above {low} {unit}") }
    };
    if let Some(bucket) = histogram.single_bucket() {
        if bucket.lower == 0.0 && bucket.upper.is_infinite() {
            return String::new();
        }
        return format!(
            ", and {} in one bucket, {}: no fast path and no tail, but no finer detail either",
            observations_lie(bucket.count),
            between(bucket.lower, bucket.upper)
        );
    }
    let Some(main) = histogram.main_bucket() else { return String::new() };
    let share = |count: f64| show(Ratio::new(count / histogram.in_buckets()));
    format!(
        "; {} of the observations lie {}, {} below, {} above",
        show(Ratio::new(main.share)),
        between(main.lower, main.upper),
        share(histogram.head_below_main()),
        share(histogram.tail_beyond_main()),
    )
}

fn observations_lie(number: f64) -> String {
    if number == 1.0 {
        "the only observation lies".to_owned()
    } else {
        format!("all {} observations lie", count(number))
    }
}

fn bandwidth(analysis: &Analysis) -> Option<String> {
    let memory = analysis.memory.as_ref()?;
    let step = analysis.step.as_ref()?;
    if step.time.source == Source::Modelled {
        return Some(format!(
            "Each GPU reads {} a step, {} at {}.",
            show(memory.bytes),
            show(memory.time),
            show(memory.bandwidth.value)
        ));
    }
    let used = memory.utilisation;
    let judgement = match used.get() {
        used if used > 1.0 + ROUNDING => "more than there is",
        used if used >= BANDWIDTH_BOUND => "so memory is what limits the step",
        used if used >= BANDWIDTH_MINOR => "so memory is a large part of the step, but not all of it",
        _ => "so memory is not what limits the step",
    };
    Some(format!(
        "Reading {} per GPU and step uses {} of {}, {judgement}.",
        show(memory.bytes),
        show(used),
        show(memory.bandwidth.value)
    ))
}

fn allreduce(analysis: &Analysis) -> Option<String> {
    let traffic = analysis.traffic.filter(|traffic| traffic.per_step > 0.0)?;
    let step = analysis.step.as_ref()?;
    let of_today = |kind: EstimateKind| analysis.estimates.iter().find(|estimate| estimate.kind == kind);
    let Some(best) = analysis.estimates.iter().find(|estimate| estimate.is_of_today()) else {
        return Some(format!(
            "What the {} allreduces of {} take is not known for this GPU: type a latency; until then they are part of the residual.",
            count(traffic.per_step),
            show_message(traffic.message)
        ));
    };
    if step.time.source == Source::Modelled {
        return Some(format!(
            "The {} allreduces of {} take {} {}.",
            count(traffic.per_step),
            show_message(traffic.message),
            show(best.time.likely),
            by(best),
        ));
    }
    let mut sentence = format!(
        "The {} allreduces of {} take {} of the step {}",
        count(traffic.per_step),
        show_message(traffic.message),
        show(best.share.likely),
        by(best),
    );
    if let Some(all) = of_today(EstimateKind::Combined) {
        sentence += &format!(" and up to {} by the other estimates", show(all.share.high));
    }
    let ceiling = of_today(EstimateKind::Combined).unwrap_or(best).ceiling;
    Some(if ceiling.low.is_finite() {
        sentence + &format!("; were they free, {} would become {}.", show(step.speed), show_range(ceiling))
    } else {
        sentence + ", which is the whole step: the estimate must be too high."
    })
}

fn by(estimate: &Estimate) -> &'static str {
    match estimate.kind {
        EstimateKind::AlphaBeta => "by latency and bandwidth",
        EstimateKind::StatedShare => "as stated",
        EstimateKind::StatedCompute => "by the stated compute time",
        EstimateKind::Experiment | EstimateKind::Combined => "by the evidence",
    }
}
