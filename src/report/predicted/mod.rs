//! The charts of what the step model predicts: the step, its operations in the roofline, its speed elsewhere, and
//! the memory it takes.

mod limit;
mod memory;
mod roofline;
mod speed;
mod step;

use super::Figure;
use crate::budget::Analysis;
use crate::chart::{Segment, SegmentRole};
use crate::hardware::Gpu;
use crate::metrics::Meaning;
use crate::model::{self, Architecture, Component, Precision, Split};
use crate::prediction::{Prediction, Runtime, Workload, predict};
use crate::scenario::{Field, Scenario, Source};
use crate::units::{Bytes, Range, Seconds, TokensPerSecond};

/// Every figure that the scenario knows enough for.
pub(super) fn figures(scenario: &Scenario, analysis: &Analysis) -> Vec<Figure> {
    let Some(served) = Served::of(scenario) else { return Vec::new() };
    let measured = analysis.step.map(|step| step.time).filter(|time| time.source != Source::Modelled);
    let figures = [
        step::step(&served, measured),
        roofline::roofline(&served, measured),
        speed::speed_by_streams(&served, measured),
        speed::speed_by_context(&served, measured),
        memory::memory(&served),
    ];
    figures.into_iter().flatten().collect()
}

/// What is predicted of today's step.
pub(super) struct Predicted {
    /// The step.
    pub time: Range<Seconds>,
    /// One stream's speed.
    pub speed: Range<TokensPerSecond>,
    /// Whether weights and caches fit the memory, as far as that is known.
    pub fits: bool,
}

impl Predicted {
    /// `None` where too little is known, or it comes to no number.
    pub(super) fn of(scenario: &Scenario) -> Option<Self> {
        let served = Served::of(scenario)?;
        let speed = served.speed(&served.today)?;
        Some(Self { time: served.predict(&served.today).time(), speed, fits: served.fits(&served.today) })
    }
}

/// What is predicted: a model on hardware, with today's batch and context.
struct Served {
    architecture: Architecture,
    precision: Precision,
    split: Split,
    gpu: Gpu,
    today: Workload,
    tokens_per_step: f64,
    /// Tokens that the KV cache of one engine holds, and the share of the memory it may take, as the server says.
    server: (Option<f64>, Option<f64>),
}

impl Served {
    fn of(scenario: &Scenario) -> Option<Self> {
        let value = |field| Some(scenario.value(field)?.value);
        let (tokens_per_step, step) = (value(Field::TokensPerStep)?, scenario.step()?);
        let product = scenario.metrics().map(|set| set.product).unwrap_or_default();
        let runtime = Runtime::ALL.into_iter().find(|runtime| runtime.key().eq_ignore_ascii_case(&product));
        let today = Workload {
            tokens: step.tokens,
            runtime: runtime.unwrap_or_default(),
            own_allreduce: scenario.typed_allreduce(),
            allreduces_per_layer: scenario.typed.get(&Field::AllreducesPerLayer).copied(),
            ..Workload::new(step.sequences.max(1.0), step.context)
        };
        Some(Self {
            architecture: scenario.architecture()?,
            precision: scenario.precision(),
            split: Split::tensor(value(Field::TensorParallel)? as u32),
            gpu: scenario.gpu()?,
            today,
            tokens_per_step,
            server: (scenario.cache_capacity(), scenario.metrics().and_then(|set| set.value(Meaning::MemoryShare))),
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

    fn has_experts(&self) -> bool {
        let weights = model::resident_weights(&self.architecture, &self.precision, &self.split);
        weights.into_iter().any(|(component, bytes)| component == Component::RoutedExperts && bytes.get() > 0.0)
    }

    fn fits(&self, workload: &Workload) -> bool {
        let (weights, cache) = self.resident(workload);
        weights + cache <= self.gpu.memory
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::budget::analyse;
    use crate::chart::{Chart, SpotRole, StackBar};

    fn example() -> (Scenario, Vec<Figure>) {
        let scenario = Scenario::example();
        let drawn = figures(&scenario, &analyse(&scenario));
        (scenario, drawn)
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
        let Chart::Stack(stack) = &figures[4].chart else { panic!("{:?}", figures[4].chart) };
        let served = Served::of(&scenario).unwrap();
        let (weights, cache) = served.resident(&served.today);
        let sum: f64 = stack.bars[0].segments.iter().map(|segment| segment.value).sum();
        assert!((sum / (weights + cache).get() - 1.0).abs() < 1e-9);
        assert!(figures[4].notes[0].starts_with("It fits"), "{:?}", figures[4].notes);
    }

    #[test]
    fn a_single_stream_lies_left_of_the_ridge_and_weights_move_with_streams() {
        let (mut scenario, figures) = example();
        let Chart::Roofline(alone) = &figures[1].chart else { panic!("{:?}", figures[1].chart) };
        // 0.8 × 503.8 TFLOP/s over 1458 GB/s = 276.4; every weight of 4.266 bits is used once: 2 / (4.266 / 8) = 3.75.
        assert_eq!(alone.flats[0].ridge, "ridge at 276 FLOP/B");
        // Some of the file's tensors have 8.5 bits, for which FP8 counts: twice the FLOPs, and twice the ridge.
        let note = &figures[1].notes[0];
        assert!(
            note.contains("With 1 stream every operation lies left of its ridge (BF16 at 276 FLOP/B, FP8 at 5"),
            "{note}"
        );
        let head = |chart: &crate::chart::Roofline| chart.spots.iter().find(|s| s.label == "LM head").unwrap().clone();
        assert!((head(alone).places[0].x - 3.75).abs() < 0.01, "{:?}", head(alone));
        scenario.set(Field::Batch, Some(32.0));
        let many = super::figures(&scenario, &analyse(&scenario));
        let Chart::Roofline(many) = &many[1].chart else { panic!("no roofline") };
        assert!((head(many).places[1].x / head(many).places[0].x - 32.0).abs() < 1e-9);
        // No point lies above the roofs.
        for place in many.spots.iter().filter(|spot| spot.role != SpotRole::Whole).flat_map(|spot| &spot.places) {
            assert!(place.y <= (place.x * many.slope.value).min(many.flats[0].value) * (1.0 + 1e-9), "{place:?}");
        }
    }

    /// B200: 0.8 of 9000 TFLOP/s in FP4 and of 2250 in 16 bit; nothing of NVFP4 is computed in FP8.
    #[test]
    fn every_kind_of_number_used_has_its_roof() {
        let (scenario, _) = example();
        let precision = crate::model::Quantisation::by_recipe("nvfp4").unwrap().precision;
        let gpu = crate::hardware::find("b200-sxm").unwrap().clone();
        let served =
            Served { precision: precision.with(Component::IndexerKeys, 16.0), gpu, ..Served::of(&scenario).unwrap() };
        let figure = roofline::roofline(&served, None).unwrap();
        let Chart::Roofline(chart) = &figure.chart else { panic!("{:?}", figure.chart) };
        let flats: Vec<_> =
            chart.flats.iter().map(|flat| (flat.label.split(' ').next().unwrap(), flat.value)).collect();
        // What multiplies the most bytes stands first.
        assert_eq!(flats, [("FP4", 7200.0), ("BF16", 1800.0)]);
        assert!(figure.notes[2].contains("FP4 9"), "{:?}", figure.notes);
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
        assert!(full.iter().any(|figure| figure.notes.iter().any(|note| note.ends_with("the curve ends there."))));
    }

    #[test]
    fn nothing_is_drawn_of_what_is_unknown() {
        let scenario = Scenario { gpu: None, ..Scenario::example() };
        assert!(figures(&scenario, &analyse(&scenario)).is_empty());
        let scenario = Scenario { model: None, ..Scenario::example() };
        assert!(figures(&scenario, &analyse(&scenario)).is_empty());
    }
}
