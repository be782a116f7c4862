//! The charts of what the step model predicts: the step, its speed elsewhere, and the memory it takes.

use super::Figure;
use crate::budget::Analysis;
use crate::chart::{
    Axis, Chart, Curve, Line, LineStyle, MarkedPoint, PointRole, Segment, SegmentRole, Stack, StackBar, StackScale,
};
use crate::hardware::Gpu;
use crate::model::{self, Architecture, Component, Precision, Split};
use crate::prediction::{Prediction, Runtime, Term, TermKind, Workload, predict};
use crate::scenario::{Field, Scenario, Source, Sourced};
use crate::units::format::{count, show, show_range, trimmed};
use crate::units::{Bytes, Range, Ratio, Seconds, TokensPerSecond};

/// The median error on measurements that did not enter the fit: `docs/validation.md`.
const HELD_OUT_MEDIAN: Ratio = Ratio::new(0.071);
/// Points for each doubling along a curve: few enough to draw anew within a frame.
const PER_DOUBLING: u32 = 4;
/// How far the curves reach, unless today lies beyond.
const STREAMS: (f64, f64) = (1.0, 256.0);
const CONTEXT: (f64, f64) = (1024.0, 131_072.0);

/// Every figure that the scenario knows enough for.
pub(super) fn figures(scenario: &Scenario, analysis: &Analysis) -> Vec<Figure> {
    let Some(served) = Served::of(scenario) else { return Vec::new() };
    let measured = analysis.step.map(|step| step.time).filter(|time| time.source != Source::Modelled);
    let figures = [
        step(&served, measured),
        speed_by_streams(&served, measured),
        speed_by_context(&served, measured),
        Some(memory(&served)),
    ];
    figures.into_iter().flatten().collect()
}

/// What is predicted: a model on hardware, with today's batch and context.
struct Served {
    architecture: Architecture,
    precision: Precision,
    split: Split,
    gpu: Gpu,
    today: Workload,
    tokens_per_step: f64,
}

impl Served {
    fn of(scenario: &Scenario) -> Option<Self> {
        let value = |field| Some(scenario.value(field)?.value);
        let mut gpu = scenario.gpu()?.clone();
        // A bandwidth somebody measured overrides the published one.
        if let Some(typed) = scenario.bandwidth().filter(|bandwidth| bandwidth.source == Source::Typed) {
            gpu.achieved_bandwidth = Some(typed.value);
        }
        let tokens_per_step = value(Field::TokensPerStep)?;
        let product = scenario.metrics().map(|set| set.product).unwrap_or_default();
        let runtime = Runtime::ALL.into_iter().find(|runtime| runtime.key().eq_ignore_ascii_case(&product));
        let today = Workload {
            tokens: tokens_per_step.max(1.0),
            runtime: runtime.unwrap_or_default(),
            ..Workload::new(value(Field::Batch)?.max(1.0), value(Field::Context)?)
        };
        Some(Self {
            architecture: scenario.architecture()?,
            precision: scenario.precision(),
            split: Split::tensor(value(Field::TensorParallel)? as u32),
            gpu,
            today,
            tokens_per_step,
        })
    }

    fn predict(&self, workload: &Workload) -> Prediction {
        predict(&self.architecture, &self.precision, &self.split, &self.gpu, workload)
    }

    /// One stream's speed; `None` where it is no number.
    fn speed(&self, workload: &Workload) -> Option<Range<TokensPerSecond>> {
        let speed = self.predict(workload).speed(self.tokens_per_step);
        let ends = [speed.low, speed.likely, speed.high];
        ends.iter().all(|end| end.is_finite() && end.get() > 0.0).then_some(speed)
    }

    /// What one GPU keeps: weights, and caches.
    fn resident(&self, workload: &Workload) -> (Bytes, Bytes) {
        let (batch, context) = (workload.sequences, workload.context);
        let read = model::decode_read(&self.architecture, &self.precision, &self.split, batch, context);
        (read.resident_weights, read.resident_cache)
    }

    fn fits(&self, workload: &Workload) -> bool {
        let (weights, cache) = self.resident(workload);
        weights + cache <= self.gpu.memory
    }
}

/// What a term's time goes to, in the words of the chart.
fn part(term: &Term) -> &'static str {
    match (term.kind, term.component) {
        (TermKind::Read, Some(component)) => group(component),
        (TermKind::Read, None) | (TermKind::Start | TermKind::Quantise, _) => "Starting kernels",
        (TermKind::Allreduce, _) => "Allreduces",
        (TermKind::Host, _) => "Host",
    }
}

/// Components few enough to tell apart by colour.
fn group(component: Component) -> &'static str {
    use Component as C;
    match component {
        C::AttentionProjections
        | C::LatentUpProjection
        | C::AttentionOutput
        | C::Indexer
        | C::LinearAttention
        | C::StateSpace => "Attention",
        C::KvCache | C::IndexerKeys | C::RecurrentState => "KV cache",
        C::Router | C::RoutedExperts | C::SharedExperts | C::ExpertLatent => "Experts",
        C::DenseMlp => "Dense MLP",
        C::Embedding | C::PerLayerEmbedding | C::LmHead | C::Norms | C::ResidualMixing | C::Activations => {
            "Head and the rest"
        }
    }
}

/// Amounts of the same name added up, in order of appearance; those of nothing left out.
fn grouped(amounts: impl Iterator<Item = (&'static str, f64)>) -> Vec<(&'static str, f64)> {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for (name, amount) in amounts.filter(|(_, amount)| *amount > 0.0) {
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += amount,
            None => sums.push((name, amount)),
        }
    }
    sums
}

fn segment(label: &str, value: f64, text: String, role: SegmentRole) -> Segment {
    Segment { label: label.to_owned(), value, text, role }
}

/// A step's predicted time by part, and beside it the measured one.
fn step(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
    let prediction = served.predict(&served.today);
    let time = prediction.time();
    if !(time.high.is_finite() && time.likely > Seconds::ZERO) {
        return None;
    }
    let millis = |label: &str, time: Seconds, role| segment(label, time.as_millis(), show(time).to_string(), role);
    let parts = grouped(prediction.terms.iter().map(|term| (part(term), term.seconds.likely.get())));
    let sum: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    // The parts may promise more than the datasheet allows.
    let held_up =
        Some(time.likely.get() - sum).filter(|rest| *rest > sum * 1e-9).map(|rest| ("Datasheet's limit", rest));
    let parts = parts.into_iter().chain(held_up);
    let mut bars = vec![StackBar {
        label: "predicted".to_owned(),
        total_text: show(time.likely).to_string(),
        segments: parts.map(|(name, seconds)| millis(name, Seconds::new(seconds), SegmentRole::Part)).collect(),
    }];
    let range = format!("Predicted: {}, most likely {}", show_range(time), show(time.likely));
    let mut sentence = format!("{range}; nothing was measured to compare it with.");
    if let Some(measured) = measured {
        let residual = measured.value - time.likely;
        bars.push(StackBar {
            label: measured.source.word().to_owned(),
            total_text: show(measured.value).to_string(),
            segments: vec![
                millis("All that is predicted", time.likely, SegmentRole::Part),
                millis("Residual", residual, SegmentRole::Residual),
            ],
        });
        let error = Ratio::new(residual.get().abs() / measured.value.get());
        let side = if residual < Seconds::ZERO { "over" } else { "under" };
        let within = if time.low <= measured.value && measured.value <= time.high { "within" } else { "outside" };
        sentence = format!(
            "{range}; {} {}, {within} the range: the prediction is {} {side} it.",
            measured.source.word(),
            show(measured.value),
            show(error)
        );
    }
    let error = format!(
        "Of published measurements that did not enter the fit, half are predicted within {}.",
        show(HELD_OUT_MEDIAN)
    );
    let notes = [sentence, error].into_iter().chain(prediction.assumptions.iter().map(|text| as_sentence(text)));
    let title = "What the model predicts of a step".to_owned();
    Some(Figure {
        key: "predicted-step",
        chart: Chart::Stack(Stack { title, bars, scale: StackScale::Shared }),
        notes: notes.chain(verification(served)).collect(),
    })
}

fn as_sentence(fact: &str) -> String {
    format!("{}.", super::capitalised(fact))
}

fn verification(served: &Served) -> Option<String> {
    (served.today.tokens > 1.0).then(|| {
        format!(
            "A step yields {} tokens: predicted as if no more were drafted than were accepted.",
            trimmed(served.tokens_per_step)
        )
    })
}

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

fn speed_by_streams(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
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
    let (gpu, context) = (served.gpu.name, count(served.today.context));
    let end = match sweep.last {
        Some(last) => format!(
            "The KV cache of more than about {} streams of {context} tokens does not fit {gpu}.",
            count(last.floor())
        ),
        None => format!("All streams have {context} tokens of context; their KV cache fits {gpu} throughout."),
    };
    let shaded = "What is shaded is the predicted range. More streams hit more experts and read more caches, while \
                  each weight is still read once."
        .to_owned();
    Some(Figure { key: "predicted-batch", chart, notes: vec![end, shaded] })
}

fn speed_by_context(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
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
    let (gpu, streams) = (served.gpu.name, count(served.today.sequences));
    let end = match sweep.last {
        Some(last) => format!(
            "With streams at once: {streams}, a KV cache of more than about {} tokens each does not fit {gpu}.",
            count(last.floor())
        ),
        None => format!("With streams at once: {streams}. The KV cache fits {gpu} throughout."),
    };
    let shaded = "What is shaded is the predicted range. It ends where the memory does, and says nothing of how long \
                  a context the model was trained for."
        .to_owned();
    Some(Figure { key: "predicted-context", chart, notes: vec![end, shaded] })
}

/// What one GPU holds against what it can.
fn memory(served: &Served) -> Figure {
    let (weights, cache) = served.resident(&served.today);
    let (needed, capacity) = (weights + cache, served.gpu.memory);
    let of = model::resident_weights(&served.architecture, &served.precision, &served.split);
    let amounts = of.into_iter().map(|(component, bytes)| (group(component), bytes.get()));
    let segments = grouped(amounts.chain([(group(Component::KvCache), cache.get())]));
    let bytes = |label: &str, bytes: Bytes, role| segment(label, bytes.get(), show(bytes).to_string(), role);
    let bars = vec![
        StackBar {
            label: "needed on each GPU".to_owned(),
            total_text: show(needed).to_string(),
            segments: segments
                .into_iter()
                .map(|(name, amount)| bytes(name, Bytes::new(amount), SegmentRole::Part))
                .collect(),
        },
        StackBar {
            label: format!("memory of {}", served.gpu.name),
            total_text: show(capacity).to_string(),
            segments: vec![bytes("Capacity", capacity, SegmentRole::Residual)],
        },
    ];
    let verdict = if needed <= capacity {
        format!("It fits: {} of {}, {} are left.", show(needed), show(capacity), show(capacity - needed))
    } else {
        format!("It does not fit: {} of {}, {} too much.", show(needed), show(capacity), show(needed - capacity))
    };
    let note = format!(
        "Weights of {} and a KV cache of {} for {} × {} tokens, over {} GPUs. What the engine itself takes \
         (activations, CUDA graphs, its reserve) is not counted.",
        show(weights),
        show(cache),
        count(served.today.sequences),
        count(served.today.context),
        served.split.gpus(),
    );
    let chart = Chart::Stack(Stack { title: "What a GPU's memory holds".to_owned(), bars, scale: StackScale::Shared });
    Figure { key: "memory", chart, notes: vec![verdict, note] }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::budget::analyse;

    fn example() -> (Scenario, Vec<Figure>) {
        let scenario = Scenario::example();
        let drawn = figures(&scenario, &analyse(&scenario));
        (scenario, drawn)
    }

    #[test]
    fn the_error_is_the_published_one() {
        let published = include_str!("../../docs/validation.md");
        let row = published.lines().find(|line| line.starts_with("| held out |")).unwrap();
        assert!(row.contains(&show(HELD_OUT_MEDIAN).to_string()), "{row}");
    }

    #[test]
    fn the_measured_step_is_the_predicted_one_and_the_residual() {
        let (_, figures) = example();
        let Chart::Stack(stack) = &figures[0].chart else { panic!("{:?}", figures[0].chart) };
        let whole = |bar: &StackBar| bar.segments.iter().map(|segment| segment.value).sum::<f64>();
        assert!((whole(&stack.bars[0]) - stack.bars[1].segments[0].value).abs() < 1e-9);
        // 28.225 s / 1623
        assert!((whole(&stack.bars[1]) - 17.391).abs() < 0.001);
    }

    #[test]
    fn the_parts_of_the_memory_add_up() {
        let (scenario, figures) = example();
        let Chart::Stack(stack) = &figures[3].chart else { panic!("{:?}", figures[3].chart) };
        let served = Served::of(&scenario).unwrap();
        let (weights, cache) = served.resident(&served.today);
        let sum: f64 = stack.bars[0].segments.iter().map(|segment| segment.value).sum();
        assert!((sum / (weights + cache).get() - 1.0).abs() < 1e-9);
        assert!(figures[3].notes[0].starts_with("It fits"), "{:?}", figures[3].notes);
    }

    #[test]
    fn curves_end_where_the_memory_does() {
        let (mut scenario, figures) = example();
        let ends = |figures: &[Figure], key| {
            let figure = figures.iter().find(|figure| figure.key == key)?;
            let Chart::Curve(curve) = &figure.chart else { return None };
            curve.lines[0].points.last().map(|point| point.0)
        };
        assert_eq!(ends(&figures, "predicted-context"), Some(131_072.0));
        // 256 streams of 128k tokens: 45 kB × 33 M tokens are more than eight GPUs hold.
        scenario.set(Field::Batch, Some(256.0));
        let full = super::figures(&scenario, &analyse(&scenario));
        assert!(ends(&full, "predicted-context").unwrap() < 131_072.0);
        assert!(full.iter().any(|figure| figure.notes.iter().any(|note| note.contains("does not fit"))));
    }

    #[test]
    fn nothing_is_drawn_of_what_is_unknown() {
        let scenario = Scenario { gpu: None, ..Scenario::example() };
        assert!(figures(&scenario, &analyse(&scenario)).is_empty());
        let scenario = Scenario { model: None, ..Scenario::example() };
        assert!(figures(&scenario, &analyse(&scenario)).is_empty());
    }
}
