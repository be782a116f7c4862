//! Predicted speed against streams at once and against context.

use super::Served;
use crate::chart::{Axis, Chart, Curve, Line, LineStyle, MarkedPoint, PointRole};
use crate::prediction::Workload;
use crate::report::Figure;
use crate::scenario::Sourced;
use crate::units::format::{count, show};
use crate::units::{Range, Seconds, TokensPerSecond};

/// Points for each doubling along a curve: few enough to draw anew within a frame.
const PER_DOUBLING: u32 = 4;
/// How far the curves reach, unless today lies beyond.
const STREAMS: (f64, f64) = (1.0, 256.0);
const CONTEXT: (f64, f64) = (1024.0, 131_072.0);

/// Values from end to end, so many for each doubling, with today's among them.
fn steps((low, high): (f64, f64), today: f64) -> Vec<f64> {
    let (low, high) = (low.min(today), high.max(today));
    let intervals = ((high / low).log2() * f64::from(PER_DOUBLING)).ceil().max(1.0);
    let mut values: Vec<f64> =
        (0..=intervals as u32).map(|i| low * (high / low).powf(f64::from(i) / intervals)).collect();
    values.push(today);
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Workloads along one axis as far as they fit, each with a stream's speed, and the last that fits if not all do.
struct Sweep {
    speeds: Vec<(f64, Range<TokensPerSecond>)>,
    last: Option<f64>,
}

impl Sweep {
    fn of(served: &Served, values: Vec<f64>, at: impl Fn(f64) -> Workload) -> Self {
        let all = values.len();
        let fitting: Vec<f64> = values.into_iter().take_while(|&value| served.fits(&at(value))).collect();
        let last = (fitting.len() < all).then(|| fitting.last().copied()).flatten();
        let speeds = fitting.into_iter().filter_map(|value| Some((value, served.speed(&at(value))?)));
        Self { speeds: speeds.collect(), last }
    }

    fn line(&self, label: &str, scale: impl Fn(f64) -> f64) -> Line {
        let points = self.speeds.iter().map(|(x, speed)| (*x, speed.likely.get() * scale(*x)));
        Line { label: label.to_owned(), points: points.collect(), style: LineStyle::Solid }
    }

    fn ribbon(&self, scale: impl Fn(f64) -> f64) -> Vec<(f64, f64, f64)> {
        let ends = |(x, speed): &(f64, Range<TokensPerSecond>)| {
            (*x, speed.low.get() * scale(*x), speed.high.get() * scale(*x))
        };
        self.speeds.iter().map(ends).collect()
    }
}

/// Today's points: what is predicted of it, and what was measured.
fn today(served: &Served, x: f64, measured: Option<Sourced<Seconds>>) -> Vec<MarkedPoint> {
    let point = |label: String, speed: TokensPerSecond, role| MarkedPoint {
        x,
        y: speed.get(),
        label,
        text: show(speed).to_string(),
        role,
    };
    let predicted = served
        .speed(&served.today)
        .map(|speed| point("predicted of today".to_owned(), speed.likely, PointRole::Estimate));
    let measured = measured.filter(|time| time.value > Seconds::ZERO).map(|time| {
        let speed = TokensPerSecond::new(served.tokens_per_step / time.value.get());
        point(format!("today, {}", time.source.word()), speed, PointRole::Today)
    });
    predicted.into_iter().chain(measured).collect()
}

pub(super) fn speed_by_streams(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
    let batch = served.today.sequences;
    let sweep = Sweep::of(served, steps(STREAMS, batch), |sequences| Workload { sequences, ..served.today });
    if sweep.speeds.len() < 2 {
        return None;
    }
    let chart = Chart::Curve(Curve {
        title: "Predicted speed against streams at once".to_owned(),
        x: Axis::log("streams at once"),
        y: Axis::log("tok/s"),
        lines: vec![sweep.line("one stream", |_| 1.0), sweep.line("all streams", |streams| streams)],
        points: today(served, batch, measured),
        bands: Vec::new(),
        ribbons: vec![sweep.ribbon(|_| 1.0), sweep.ribbon(|streams| streams)],
    });
    let (gpu, context) = (&served.gpu.name, count(served.today.context));
    let end = match sweep.last {
        Some(last) => format!(
            "The KV cache of more than about {} streams of {context} tokens does not fit {gpu}.",
            count(last.floor())
        ),
        None if !served.gpu.memory.is_finite() => {
            format!("All streams have {context} tokens of context. How many fit is not known without the GPU's memory.")
        }
        None => format!("All streams have {context} tokens of context; their KV cache fits {gpu} throughout."),
    };
    let shaded = "What is shaded is the predicted range. More streams hit more experts and read more caches, while \
                  each weight is still read once."
        .to_owned();
    Some(Figure { key: "predicted-batch", chart, notes: vec![end, shaded] })
}

pub(super) fn speed_by_context(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
    let now = served.today.context;
    let sweep = Sweep::of(served, steps(CONTEXT, now), |context| Workload { context, ..served.today });
    if sweep.speeds.len() < 2 {
        return None;
    }
    let chart = Chart::Curve(Curve {
        title: "Predicted speed against context".to_owned(),
        x: Axis::log("tokens of context"),
        y: Axis::from_zero("tok/s of one stream"),
        lines: vec![sweep.line("", |_| 1.0)],
        points: today(served, now, measured),
        bands: Vec::new(),
        ribbons: vec![sweep.ribbon(|_| 1.0)],
    });
    let (gpu, streams) = (&served.gpu.name, count(served.today.sequences));
    let end = match sweep.last {
        Some(last) => format!(
            "With streams at once: {streams}, a KV cache of more than about {} tokens each does not fit {gpu}.",
            count(last.floor())
        ),
        None if !served.gpu.memory.is_finite() => {
            format!("With streams at once: {streams}. What fits is not known without the GPU's memory.")
        }
        None => format!("With streams at once: {streams}. The KV cache fits {gpu} throughout."),
    };
    let shaded = "What is shaded is the predicted range. It ends where the memory does, and says nothing of how long \
                  a context the model was trained for."
        .to_owned();
    Some(Figure { key: "predicted-context", chart, notes: vec![end, shaded] })
}
