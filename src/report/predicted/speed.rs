//! Predicted speed against streams at once and against context.

use super::Served;
use super::limit::{Limit, limit};
use crate::chart::{Axis, Chart, Curve, Line, LineStyle, MarkedPoint, PointRole};
use crate::prediction::Workload;
use crate::report::Figure;
use crate::scenario::Sourced;
use crate::units::format::{count, many, show, show_range};
use crate::units::{Range, Seconds, TokensPerSecond};

/// Points for each doubling along a curve: few enough to draw anew within a frame.
const PER_DOUBLING: u32 = 4;
/// How far the curves reach, unless today lies beyond or the memory ends before.
const STREAMS: (f64, f64) = (1.0, 256.0);
const CONTEXT: (f64, f64) = (1024.0, 131_072.0);

/// From end to end, so many values for each doubling.
fn steps((low, high): (f64, f64)) -> impl Iterator<Item = f64> {
    let intervals = ((high / low).log2() * f64::from(PER_DOUBLING)).ceil().max(1.0);
    (0..=intervals as u32).map(move |i| low * (high / low).powf(f64::from(i) / intervals))
}

/// Doublings from end to end, and the end.
fn doublings((low, high): (f64, f64)) -> impl Iterator<Item = f64> {
    let between = (0..64).map(move |power: i32| low * 2.0_f64.powi(power)).take_while(move |value| *value < high);
    between.chain([high])
}

/// Workloads along one axis as far as they fit, each with a stream's speed.
struct Sweep<'a> {
    served: &'a Served,
    at: &'a dyn Fn(f64) -> Workload,
    /// From where to where the curve goes.
    ends: (f64, f64),
    /// The most that fits.
    limit: Limit,
    speeds: Vec<(f64, Range<TokensPerSecond>)>,
}

impl<'a> Sweep<'a> {
    /// `None` where nothing fits, or nothing is known.
    fn of(served: &'a Served, (low, high): (f64, f64), today: f64, at: &'a dyn Fn(f64) -> Workload) -> Option<Self> {
        let limit = limit(served, at);
        let fits = served.fits(&served.today);
        let (low, high) = if fits { (low.min(today), high.max(today)) } else { (low, high) };
        let high = match limit {
            Limit::Nothing => return None,
            Limit::At(most) => high.min(most),
            Limit::None | Limit::Unknown => high,
        };
        // Less memory than the curve's usual start: from an eighth of what fits.
        let low = if low < high { low } else { (high / 8.0).ceil().max(1.0) };
        let mut values: Vec<f64> = steps((low, high)).chain(fits.then_some(today)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let speeds: Vec<_> = values.into_iter().filter_map(|value| Some((value, served.speed(&at(value))?))).collect();
        (speeds.len() > 1).then_some(Self { served, at, ends: (low, high), limit, speeds })
    }

    fn line(&self, label: &str, scale: fn(f64) -> f64) -> Line {
        let points = self.speeds.iter().map(|(x, speed)| (*x, speed.likely.get() * scale(*x)));
        Line { label: label.to_owned(), points: points.collect(), style: LineStyle::Solid }
    }

    fn ribbon(&self, scale: fn(f64) -> f64) -> Vec<(f64, f64, f64)> {
        let ends = |(x, speed): &(f64, Range<TokensPerSecond>)| {
            (*x, speed.low.get() * scale(*x), speed.high.get() * scale(*x))
        };
        self.speeds.iter().map(ends).collect()
    }

    /// Today's points (what is predicted of it if it fits, and what was measured), and some along the curve.
    fn points(
        &self,
        today: f64,
        measured: Option<Sourced<Seconds>>,
        name: &dyn Fn(f64, TokensPerSecond) -> (String, String),
    ) -> Vec<MarkedPoint> {
        let (served, fits) = (self.served, self.served.fits(&self.served.today));
        let point = |x: f64, label: String, speed: TokensPerSecond, text: String, role| MarkedPoint {
            x,
            y: speed.get(),
            label,
            text,
            role,
        };
        let predicted = served.speed(&served.today).filter(|_| fits).map(|speed| {
            let text = show(speed.likely).to_string();
            point(today, "predicted of today".to_owned(), speed.likely, text, PointRole::Estimate)
        });
        let measured = measured.filter(|time| time.value > Seconds::ZERO).map(|time| {
            let speed = TokensPerSecond::new(served.tokens_per_step / time.value.get());
            point(today, format!("today, {}", time.source.word()), speed, show(speed).to_string(), PointRole::Today)
        });
        let samples = doublings(self.ends).filter(|x| *x != today).filter_map(|x| {
            let speed = served.speed(&(self.at)(x))?;
            let (label, more) = name(x, speed.likely);
            let text = format!("{} ({}){more}", show(speed.likely), show_range(speed).number);
            Some(point(x, label, speed.likely, text, PointRole::Sample))
        });
        predicted.into_iter().chain(measured).chain(samples).collect()
    }
}

/// What the engine itself takes is left out of what fits.
const BEFORE_THE_ENGINE: &str = "before what the engine itself takes";

pub(super) fn speed_by_streams(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
    let batch = served.today.sequences;
    let at = |sequences| Workload { sequences, ..served.today };
    let sweep = Sweep::of(served, STREAMS, batch, &at)?;
    let chart = Chart::Curve(Curve {
        title: "Predicted speed against streams at once".to_owned(),
        x: Axis::log("streams at once"),
        y: Axis::log("tok/s"),
        lines: vec![sweep.line("one stream", |_| 1.0), sweep.line("all streams", |streams| streams)],
        points: sweep
            .points(batch, measured, &|x, each| (many(x, "stream"), format!(" each, {} together", show(each * x)))),
        bands: Vec::new(),
        ribbons: vec![sweep.ribbon(|_| 1.0), sweep.ribbon(|streams| streams)],
    });
    let (gpu, context) = (&served.gpu.name, many(served.today.context, "token"));
    let end = match sweep.limit {
        Limit::At(most) => format!(
            "The KV cache of up to {} of {context} fits {gpu}, {BEFORE_THE_ENGINE}; the curve {}.",
            many(most, "stream"),
            stops(sweep.ends.1, most)
        ),
        Limit::Unknown => {
            format!("All streams have {context} of context. How many fit is not known without the GPU's memory.")
        }
        Limit::None | Limit::Nothing => {
            format!("All streams have {context} of context; what they keep fits {gpu} however many there are.")
        }
    };
    let experts = if served.has_experts() { "hit more experts and " } else { "" };
    let shaded = format!(
        "What is shaded is the predicted range. More streams {experts}read more caches, while each weight is still read once."
    );
    Some(Figure { key: "predicted-batch", chart, notes: vec![end, shaded] })
}

pub(super) fn speed_by_context(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
    let now = served.today.context;
    let at = |context| Workload { context, ..served.today };
    let sweep = Sweep::of(served, CONTEXT, now, &at)?;
    let chart = Chart::Curve(Curve {
        title: "Predicted speed against context".to_owned(),
        x: Axis::log("tokens of context"),
        y: Axis::from_zero("tok/s of one stream"),
        lines: vec![sweep.line("", |_| 1.0)],
        points: sweep.points(now, measured, &|x, _| (many(x, "token"), String::new())),
        bands: Vec::new(),
        ribbons: vec![sweep.ribbon(|_| 1.0)],
    });
    let (gpu, streams) = (&served.gpu.name, many(served.today.sequences, "stream"));
    let end = match sweep.limit {
        Limit::At(most) => format!(
            "With {streams} at once, a KV cache of up to {} each fits {gpu}, {BEFORE_THE_ENGINE}; the curve {}.",
            many(most, "token"),
            stops(sweep.ends.1, most)
        ),
        Limit::Unknown => format!("With {streams} at once. What fits is not known without the GPU's memory."),
        Limit::None | Limit::Nothing => {
            format!("With {streams} at once, what they keep fits {gpu} however long the context.")
        }
    };
    let shaded =
        "What is shaded is the predicted range. Nothing is said of how long a context the model was trained for."
            .to_owned();
    Some(Figure { key: "predicted-context", chart, notes: vec![end, shaded] })
}

/// Where a curve stops, if anything beyond would fit.
fn stops(end: f64, most: f64) -> String {
    if end < most { format!("stops at {}", count(end)) } else { "ends there".to_owned() }
}
