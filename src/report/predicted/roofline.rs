//! Every operation of the step under the roofs of the GPU.

use super::Served;
use crate::chart::{Axis, Chart, Place, Roof, Roofline, Spot, SpotRole};
use crate::prediction::{Arithmetic, Constants, Operation, Prediction, Roof as ComputeRoof, Workload};
use crate::report::{Figure, capitalised};
use crate::scenario::Sourced;
use crate::units::format::{many, show, significant};
use crate::units::{Bytes, Flops, Ratio, Seconds};

/// One stream and today's, where they differ.
struct Loads {
    one: Option<Prediction>,
    today: Prediction,
}

pub(super) fn roofline(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
    let streams = served.today.sequences;
    let loads = Loads {
        one: (streams > 1.0).then(|| served.predict(&Workload { sequences: 1.0, ..served.today })),
        today: served.predict(&served.today),
    };
    let operations = loads.today.operations();
    if operations.is_empty() || !loads.today.time().likely.is_finite() {
        return None;
    }
    let bandwidth = loads.today.bandwidth;
    let flats = roofs(&operations).into_iter().map(|roof| Roof {
        label: format!("{} {}", roof.arithmetic.label(), show(roof.rate)),
        value: roof.rate.as_tera(),
        ridge: format!("ridge at {}", per_byte(roof.ridge(bandwidth))),
    });
    let spots = operations.iter().map(|operation| {
        let alone = loads.one.iter().flat_map(Prediction::operations);
        let alone = alone.filter(|one| one.component == operation.component);
        let places = alone.map(|one| place(&one, 1.0)).chain([place(operation, streams)]);
        let role = if operation.component.is_weights() { SpotRole::Weights } else { SpotRole::Caches };
        Spot { label: capitalised(operation.component.label()), role, places: places.collect() }
    });
    let whole = |label: &str, time: Seconds| Spot {
        label: label.to_owned(),
        role: SpotRole::Whole,
        places: vec![whole_place(&loads.today, time, streams)],
    };
    let step = match measured {
        Some(time) => whole(&format!("Whole step, {}", time.source.word()), time.value),
        None => whole("Whole step, predicted", loads.today.time().likely),
    };
    let chart = Chart::Roofline(Roofline {
        title: "Memory or arithmetic? The roofline of a step".to_owned(),
        x: Axis::log("FLOPs per byte read"),
        y: Axis::log(if measured.is_some() {
            "TFLOP/s: predicted, of the whole step as it is"
        } else {
            "TFLOP/s, predicted"
        }),
        slope: Roof { label: show(bandwidth).to_string(), value: bandwidth.get() / 1e12, ridge: String::new() },
        flats: flats.collect(),
        spots: spots.chain([step]).collect(),
    });
    let notes = [loads.verdict(streams), Some(under_the_roofs(served)), roofs_used(served, &loads.today)];
    Some(Figure { key: "roofline", chart, notes: notes.into_iter().flatten().collect() })
}

/// The roofs in use, first the one that most is read under.
fn roofs(operations: &[Operation]) -> Vec<ComputeRoof> {
    let under = |arithmetic| operations.iter().filter(move |one| one.roof.is_some_and(|r| r.arithmetic == arithmetic));
    let mut roofs: Vec<(f64, ComputeRoof)> = Arithmetic::ALL
        .into_iter()
        .filter_map(|arithmetic| {
            let bytes = under(arithmetic).map(|one| one.bytes.get()).sum();
            Some((bytes, under(arithmetic).find_map(|one| one.roof)?))
        })
        .collect();
    let most = roofs.iter().enumerate().max_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b)).map_or(0, |(place, _)| place);
    if let Some(up_to) = roofs.get_mut(..=most) {
        up_to.rotate_right(1);
    }
    roofs.into_iter().map(|(_, roof)| roof).collect()
}

fn per_byte(intensity: f64) -> String {
    format!("{} FLOP/B", significant(intensity, 3))
}

fn place_of(bytes: Bytes, flops: Flops, time: Seconds, streams: f64) -> Place {
    let (intensity, rate) = (flops.get() / bytes.get(), flops / time);
    Place {
        load: many(streams, "stream"),
        x: intensity,
        y: rate.as_tera(),
        at: [per_byte(intensity), show(rate).to_string()],
        of: [show(bytes).to_string(), show(flops).to_string(), show(time).to_string()],
    }
}

fn place(operation: &Operation, streams: f64) -> Place {
    place_of(operation.bytes, operation.flops, operation.time, streams)
}

/// All that one GPU reads and computes, in the time the whole step takes.
fn whole_place(prediction: &Prediction, time: Seconds, streams: f64) -> Place {
    place_of(prediction.ceiling.bytes, prediction.ceiling.flops, time, streams)
}

impl Loads {
    /// How many of the operations lie left of the ridge, and which do not.
    fn verdict(&self, streams: f64) -> Option<String> {
        let bandwidth = self.today.bandwidth;
        let beyond = |prediction: &Prediction| {
            let operations = prediction.operations();
            let all = operations.len();
            let right =
                operations.into_iter().filter(|one| one.roof.is_some_and(|r| one.intensity() >= r.ridge(bandwidth)));
            (all, right.map(|one| one.component.label()).collect::<Vec<_>>())
        };
        let roofs = roofs(&self.today.operations());
        let at = |roof: &ComputeRoof| per_byte(roof.ridge(bandwidth));
        // Each operation has the ridge of its own numbers.
        let (ridge, ridges) = match roofs.as_slice() {
            [] => return None,
            [only] => (format!("the ridge at {}", at(only)), format!("the ridge is at {}", at(only))),
            several => {
                let named = several.iter().map(|roof| format!("{} at {}", roof.arithmetic.label(), at(roof)));
                let named = named.collect::<Vec<_>>().join(", ");
                (format!("its ridge ({named})"), format!("the ridges are {named}"))
            }
        };
        let load = |streams: f64| many(streams, "stream");
        let (all, right) = beyond(&self.today);
        let today = match right.len() {
            // What is left of the ridge with many streams is so with one.
            0 => {
                let alone = if self.one.is_some() { "1 stream as with " } else { "" };
                return Some(format!(
                    "With {alone}{} every operation lies left of {ridge}: reading memory bounds it, not computing.",
                    load(streams)
                ));
            }
            some if some == all => "computing bounds every operation".to_owned(),
            some => format!("computing bounds {some} of {all} operations ({})", right.join(", ")),
        };
        let alone = self.one.as_ref().map(|one| match beyond(one).1.len() {
            0 => "With 1 stream every operation lies left of its ridge and waits for memory. ".to_owned(),
            some => format!("With 1 stream computing bounds {some} of {all} operations. "),
        });
        Some(format!("{}With {} {today}; {ridges}.", alone.unwrap_or_default(), load(streams)))
    }
}

/// What there is to know to read it.
fn under_the_roofs(served: &Served) -> String {
    let moving = if served.today.sequences > 1.0 {
        " A ring is one stream, and a line leads from it to today's load."
    } else {
        ""
    };
    format!(
        "More streams move weights to the right, since each is still read once; caches keep their FLOPs per \
         byte, since every stream reads its own, and only rise as starting them weighs less.{moving} What lies below the slope waits for its operations to start, or reads in short \
         pieces; the whole step waits for the allreduces and the host too."
    )
}

/// What the roofs are, and what the datasheet says.
fn roofs_used(served: &Served, prediction: &Prediction) -> Option<String> {
    let gpu = &served.gpu;
    let operations = prediction.operations();
    let used =
        |arithmetic: &Arithmetic| operations.iter().any(|one| one.roof.is_some_and(|r| r.arithmetic == *arithmetic));
    let published: Vec<String> = Arithmetic::ALL
        .into_iter()
        .filter(used)
        .filter_map(|arithmetic| Some(format!("{} {}", arithmetic.label(), show(arithmetic.published(gpu)?))))
        .collect();
    let arithmetic = if published.is_empty() {
        "no source for its FLOPs, hence no flat roof".to_owned()
    } else {
        let reached = Ratio::new(Constants::FITTED.compute_share);
        format!("{}, of which large products reach {}", published.join(", "), show(reached))
    };
    let memory = show(prediction.bandwidth);
    Some(format!(
        "The roofs are those the prediction counts with: memory at {memory}. Figures of {}: {}; {arithmetic}.",
        gpu.name,
        show(gpu.bandwidth)
    ))
}
