//! The charts of an analysis.

use super::sentences::{experiment_sentence, layer_sentence};
use crate::budget::{Analysis, Estimate, EstimateKind, Memory, Part, RungKind, Slice, layer_slices};
use crate::chart::{
    Axis, Band, Bucket, Chart, Curve, Histogram, Ladder, Line, LineStyle, MarkedPoint, Marker, PointRole, RangeRow,
    Ranges, Reference, Rung, RungRole, Segment, SegmentRole, Stack, StackBar, StackScale,
};
use crate::metrics::{self, Meaning};
use crate::scenario::{Scenario, Source};
use crate::units::format::{count, many, show, show_micros, show_range, trimmed};
use crate::units::{Bytes, Range, Ratio, Seconds};

/// Points along the curve: enough that it looks smooth at any width.
const CURVE_POINTS: u32 = 96;

/// As many components as there are colours to tell apart; the smaller ones are shown together.
const MOST_NAMED: usize = 7;

/// A chart, where it stands on the page, and what is worth saying beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// A name for tests, styles and file names.
    pub key: &'static str,
    /// The chart.
    pub chart: Chart,
    /// Sentences that belong with it, a paragraph each.
    pub notes: Vec<String>,
}

/// Every chart there is data for, in the order of the page.
#[must_use]
pub fn figures(scenario: &Scenario, analysis: &Analysis) -> Vec<Figure> {
    let set = scenario.metrics();
    let histogram = |meaning, key| histogram(key, meaning, set.as_ref()?.histogram(meaning)?);
    [
        budget(scenario, analysis),
        estimates(analysis),
        curve(analysis),
        ladder(analysis),
        windows(scenario),
        histogram(Meaning::InterTokenLatency, "itl"),
        histogram(Meaning::TimeToFirstToken, "ttft"),
        bytes(scenario, analysis),
    ]
    .into_iter()
    .flatten()
    .chain(super::predicted::figures(scenario, analysis))
    .collect()
}

fn budget(scenario: &Scenario, analysis: &Analysis) -> Option<Figure> {
    let step = analysis.step.as_ref()?;
    let bar = |label: String, whole: String, slices: &[Slice], text: &dyn Fn(Seconds) -> String| StackBar {
        label,
        total_text: whole,
        segments: slices
            .iter()
            .map(|slice| Segment {
                label: slice.part.title(analysis.has_experts()).to_owned(),
                value: slice.time.as_micros(),
                text: text(slice.time),
                role: if slice.part == Part::Residual { SegmentRole::Residual } else { SegmentRole::Part },
            })
            .collect(),
    };
    let millis = |time: Seconds| show(time).to_string();
    let mut bars = vec![bar("one step".to_owned(), millis(step.time.value), &analysis.slices, &millis)];
    if let (Some(layers), Some(layer)) = (analysis.layers, analysis.layer_time()) {
        let slices = layer_slices(&analysis.slices, layers.value);
        let micros = |time: Seconds| show_micros(time).to_string();
        bars.push(bar(format!("each of {} layers", count(layers.value)), micros(layer), &slices, &micros));
    }
    let over = analysis.slices.iter().find(|slice| slice.part == Part::Residual && slice.time.get() < 0.0);
    let note = match over {
        _ if step.time.source == Source::Modelled => {
            "Nothing measured: these parts are all that the floor counts. What is predicted below counts starting kernels \
             and the host too."
                .to_owned()
        }
        Some(slice) => format!(
            "The parts add up to {} more than the step: the model over-explains it, or parts overlap.",
            show(Seconds::ZERO - slice.time)
        ),
        None => "The parts add up to the step. The residual is what neither reading memory nor the allreduce estimate \
                 explains: launches, synchronisation, small kernels, waiting, the host."
            .to_owned(),
    };
    let chart = Chart::Stack(Stack { title: "Where a step's time goes".to_owned(), bars, scale: StackScale::Own });
    let example = scenario
        .left_over
        .any()
        .then(|| "All but the step itself counts with the worked example's hardware, until yours is set.".to_owned());
    let notes = example.into_iter().chain(layer_sentence(scenario, analysis)).chain([note]).collect();
    Some(Figure { key: "budget", chart, notes })
}

fn estimates(analysis: &Analysis) -> Option<Figure> {
    let step = analysis.step.as_ref()?;
    let shown: Vec<&Estimate> = analysis.estimates.iter().filter(|estimate| estimate.time.high.get() > 0.0).collect();
    if shown.is_empty() {
        return None;
    }
    let finite = |time: Seconds| Some(time.as_millis()).filter(|millis| millis.is_finite());
    let rows = shown.iter().map(|estimate| RangeRow {
        label: estimate.kind.title().to_owned(),
        note: evidence(estimate.kind).to_owned(),
        low: finite(estimate.time.low),
        likely: finite(estimate.time.likely),
        high: finite(estimate.time.high),
        text: format!("{} · {}", show_range(estimate.time), show_range(estimate.share)),
        emphasis: analysis.chosen.is_some_and(|chosen| chosen.kind == estimate.kind),
    });
    let reference = Reference { value: step.time.value.as_millis(), text: format!("step {}", show(step.time.value)) };
    let chart = Chart::Ranges(Ranges {
        title: "What the allreduces take".to_owned(),
        axis: Axis::from_zero("allreduce time per step, ms"),
        rows: rows.collect(),
        references: vec![reference],
    });
    let note =
        "No single number: each estimate stands with its own evidence and range. The A/B experiment bounds only \
                the slower of its two runs."
            .to_owned();
    Some(Figure {
        key: "allreduce",
        chart,
        notes: analysis.experiment.as_ref().map(experiment_sentence).into_iter().chain([note]).collect(),
    })
}

fn evidence(kind: EstimateKind) -> &'static str {
    match kind {
        EstimateKind::AlphaBeta => {
            "count × (latency + message / bandwidth), from published microbenchmarks unless typed"
        }
        EstimateKind::Experiment => {
            "two timed runs that differ only in the allreduce: a lower bound for each token of the slower"
        }
        EstimateKind::StatedShare => "somebody's own estimate of the share",
        EstimateKind::StatedCompute => "the step less somebody's own estimate of the rest",
        EstimateKind::Combined => "covers all estimates of today's step; likely value of the best evidence",
    }
}

fn ladder(analysis: &Analysis) -> Option<Figure> {
    let rungs = analysis.rungs.iter().map(|rung| Rung {
        label: rung.kind.title(),
        note: rung.remark(),
        low: rung.speed.low.get(),
        likely: rung.speed.likely.get(),
        high: rung.speed.high.get(),
        text: show_range(rung.speed).to_string(),
        role: if rung.kind == RungKind::Today { RungRole::Today } else { RungRole::Ceiling },
    });
    let rungs: Vec<Rung> = rungs.collect();
    if rungs.len() < 2 {
        return None;
    }
    let axis = Axis::from_zero("tokens per second of one stream");
    let chart = Chart::Ladder(Ladder { title: "How fast could it be?".to_owned(), axis, rungs });
    let note = "Each rung idealises what it names and leaves the rest as it is. None is a promise.".to_owned();
    Some(Figure { key: "ceilings", chart, notes: vec![note] })
}

/// Speed against allreduce time: a line per estimate, since what else the step holds depends on it.
fn curve(analysis: &Analysis) -> Option<Figure> {
    let step = analysis.step.as_ref()?;
    let today: Vec<&Estimate> = analysis
        .estimates
        .iter()
        .filter(|e| {
            e.is_of_today()
                && e.kind != EstimateKind::Combined
                && e.time.likely.get() > 0.0
                && e.time.likely < step.time.value
        })
        .collect();
    let longest = today.iter().map(|e| e.time.likely.get()).fold(0.0, f64::max) * 1.5;
    if longest <= 0.0 {
        return None;
    }
    let speed = |estimate: &Estimate, time: f64| {
        step.speed_at(step.time.value - estimate.time.likely + Seconds::new(time)).get()
    };
    let lines = today.iter().map(|estimate| {
        let points = (0..=CURVE_POINTS).map(|i| f64::from(i) / f64::from(CURVE_POINTS) * longest);
        // The marked point names the line.
        Line {
            label: String::new(),
            points: points.map(|time| (time * 1e3, speed(estimate, time))).collect(),
            style: LineStyle::Solid,
        }
    });
    let now = Line {
        label: format!("today {}", show(step.speed)),
        points: vec![(0.0, step.speed.get()), (longest * 1e3, step.speed.get())],
        style: LineStyle::Dashed,
    };
    let points = today.iter().map(|estimate| MarkedPoint {
        x: estimate.time.likely.as_millis(),
        y: step.speed.get(),
        label: estimate.kind.title().to_owned(),
        text: format!("{} now", show(estimate.time.likely)),
        role: PointRole::Today,
    });
    let bands = analysis.chosen.map(|chosen| Band {
        label: chosen.kind.title().to_owned(),
        low: chosen.time.low.as_millis(),
        high: chosen.time.high.as_millis(),
    });
    let chart = Chart::Curve(Curve {
        title: "Speed against allreduce time".to_owned(),
        x: Axis::from_zero("allreduce time per step, ms"),
        y: Axis::from_zero("tok/s"),
        lines: lines.chain([now]).collect(),
        points: points.collect(),
        bands: bands.into_iter().filter(|band| band.low.is_finite() && band.high.is_finite()).collect(),
        ribbons: Vec::new(),
    });
    let note =
        "If the allreduce changed and all else stayed. Each line starts from its own estimate of today's allreduce \
                and meets the axis at that estimate's ceiling. The dashed line is today."
            .to_owned();
    Some(Figure { key: "curve", chart, notes: vec![note] })
}

/// The inter-token latency of each window between scrapes, where there are several.
fn windows(scenario: &Scenario) -> Option<Figure> {
    let windows = &scenario.measured.as_ref()?.windows;
    let places: Vec<(f64, Seconds)> = windows
        .iter()
        .zip(1..)
        .filter_map(|(window, place)| Some((f64::from(place), window.inter_token_latency?)))
        .collect();
    if places.len() < 2 {
        return None;
    }
    let points = places.iter().map(|&(place, latency)| MarkedPoint {
        x: place,
        y: latency.as_millis(),
        label: format!("window {place}"),
        text: show(latency).to_string(),
        role: PointRole::Estimate,
    });
    let line = Line {
        label: String::new(),
        points: places.iter().map(|&(place, latency)| (place, latency.as_millis())).collect(),
        style: LineStyle::Solid,
    };
    let chart = Chart::Curve(Curve {
        title: "Inter-token latency from scrape to scrape".to_owned(),
        x: Axis::linear("window between scrapes"),
        y: Axis::from_zero("mean, ms"),
        lines: vec![line],
        points: points.collect(),
        bands: Vec::new(),
        ribbons: Vec::new(),
    });
    let note = "Each point is the exact mean of what happened between one scrape and the next.".to_owned();
    Some(Figure { key: "windows", chart, notes: vec![note] })
}

fn histogram(key: &'static str, meaning: Meaning, histogram: &metrics::Histogram) -> Option<Figure> {
    let (total, held) = (histogram.total(), histogram.in_buckets());
    // Without a finite bound there is nothing to draw.
    if total <= 0.0 || !histogram.buckets.iter().any(|bucket| bucket.le.is_finite()) {
        return None;
    }
    // In seconds where most of it takes that long.
    let (size, unit) =
        if histogram.main_bucket().is_some_and(|main| main.lower >= 1.0) { (1.0, "s") } else { (1e-3, "ms") };
    let buckets = histogram.buckets.iter().map(|bucket| Bucket {
        upper: bucket.le / size,
        upper_text: trimmed(bucket.le / size),
        count: bucket.count,
        count_text: count(bucket.count),
        share_text: if bucket.count > 0.0 { show(Ratio::new(bucket.count / held)).to_string() } else { String::new() },
    });
    let mean =
        histogram.mean().map(|mean| Marker { value: mean / size, text: format!("mean {}", show(Seconds::new(mean))) });
    let title = meaning.title();
    let chart = Chart::Histogram(Histogram {
        title: super::capitalised(title),
        unit: unit.to_owned(),
        total_text: many(total, "observation"),
        buckets: buckets.collect(),
        mean,
    });
    Some(Figure { key, chart, notes: bounds(histogram) })
}

/// What the buckets and the sum allow to say of the quantiles.
fn bounds(histogram: &metrics::Histogram) -> Vec<String> {
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)].map(|(name, q)| {
        let quantile = histogram.quantile(q)?;
        let [low, high] = [quantile.low, quantile.high].map(Seconds::new);
        // "At least nothing" says nothing.
        if low == Seconds::ZERO && !high.is_finite() {
            return None;
        }
        let range = show_range(Range { low, likely: low, high });
        let guess = quantile.interpolated.map(|value| format!(" (Prometheus: {})", show(Seconds::new(value))));
        Some(format!("{name} {range}{}", guess.unwrap_or_default()))
    });
    let known: Vec<String> = quantiles.into_iter().flatten().collect();
    let within = (!known.is_empty()).then(|| format!("What buckets and sum allow: {}.", known.join("; ")));
    let single = histogram.single_bucket().filter(|only| only.count > 1.0 && histogram.mean().is_some()).map(|only| {
        format!(
            "All {} observations sit in one bucket: only their mean is known exactly, the rest within these bounds.",
            count(only.count)
        )
    });
    within.into_iter().chain(single).collect()
}

/// The server's own estimate of the bytes a step reads, beside ours, where its counters say.
///
/// # Limits
/// The counters hold prefill steps too, and leave the scales of quantised weights and all communication out.
fn servers_own_estimate(scenario: &Scenario, memory: &Memory) -> Option<String> {
    let set = scenario.metrics()?;
    let steps =
        set.histogram(Meaning::IterationTokens).and_then(|histogram| histogram.count).filter(|steps| *steps > 0.0)?;
    let theirs = Bytes::new(set.value(Meaning::EstimatedReadBytes)? / steps);
    Some(format!(
        "The server's own counters estimate {} read per GPU and step, prefill steps included: {} of the {} above.",
        show(theirs),
        show(Ratio::new(theirs / memory.bytes)),
        show(memory.bytes)
    ))
}

fn bytes(scenario: &Scenario, analysis: &Analysis) -> Option<Figure> {
    let memory = analysis.memory.as_ref()?;
    let mut named = memory.components();
    let small = named.split_off(MOST_NAMED.min(named.len()));
    let rest: Bytes = small.into_iter().map(|(_, bytes)| bytes).sum();
    let segment = |label: String, bytes: Bytes| Segment {
        label,
        value: bytes.get(),
        text: show(bytes).to_string(),
        role: SegmentRole::Part,
    };
    let segments = named.into_iter().map(|(component, bytes)| segment(component.to_string(), bytes));
    let segments = segments.chain((rest.get() > 0.0).then(|| segment("all else".to_owned(), rest)));
    let bar = StackBar {
        label: "read per step by each GPU".to_owned(),
        total_text: show(memory.bytes).to_string(),
        segments: segments.collect(),
    };
    let chart = Chart::Stack(Stack {
        title: "What a step reads from memory".to_owned(),
        bars: vec![bar],
        scale: StackScale::Own,
    });
    let note = format!(
        "{} take {} at {} ({}): {} of the bandwidth over the step. {}hat tensor parallelism replicates counts whole on every \
         GPU.",
        show(memory.bytes),
        show(memory.time),
        show(memory.bandwidth.value),
        memory.bandwidth.source.word(),
        show(memory.utilisation),
        if analysis.has_experts() { "Only the experts that are hit count; w" } else { "W" },
    );
    let notes = [note].into_iter().chain(servers_own_estimate(scenario, memory)).collect();
    Some(Figure { key: "bytes", chart, notes })
}
