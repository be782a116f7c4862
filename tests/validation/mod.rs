//! Predictions against published measurements: the rows, their two halves, errors by group, the fit.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, missing_docs)]

pub mod document;

use decodescope::collective::Path;
use decodescope::hardware::{Gpu, find};
use decodescope::model::{Architecture, Component, Precision, Quantisation, Split, preset};
use decodescope::prediction::{Constants, Prediction, Runtime, Workload, predict_with};
use decodescope::units::{BytesPerSecond, Seconds};
use std::collections::BTreeMap;

const ROWS: &str = include_str!("../data/measurements.psv");
const UNUSABLE: &str = include_str!("../data/measurements_unusable.psv");

/// One published measurement.
pub struct Row {
    pub id: &'static str,
    pub gpu: &'static Gpu,
    pub split: Split,
    pub model: &'static str,
    pub architecture: &'static Architecture,
    pub recipe: &'static str,
    pub precision: Precision,
    pub workload: Workload,
    pub measured: Seconds,
    pub source: &'static str,
}

impl Row {
    fn parse(line: &'static str) -> Self {
        let cells: Vec<&'static str> = line.split('|').collect();
        let [
            id,
            gpu,
            gpus,
            tensor,
            stages,
            expert,
            model,
            recipe,
            kv,
            engine,
            allreduce,
            drafts,
            sequences,
            prompt,
            generated,
            millis,
            source,
        ] = cells[..]
        else {
            panic!("{line}")
        };
        let number = |cell: &str| if cell.is_empty() { 0.0 } else { cell.parse::<f64>().unwrap() };
        let split = Split {
            pipeline_parallel: number(stages) as u32,
            expert_parallel: expert == "ep",
            ..Split::tensor(number(tensor) as u32)
        };
        assert_eq!(f64::from(split.gpus()), number(gpus), "{id}");
        let precision = Quantisation::by_recipe(recipe).unwrap_or_else(|| panic!("{recipe}")).precision;
        let context = number(prompt) + number(generated) / 2.0;
        Self {
            id,
            gpu: find(gpu).unwrap_or_else(|| panic!("{gpu}")),
            split,
            model,
            architecture: &preset(model).unwrap_or_else(|| panic!("{model}")).architecture,
            recipe,
            precision: if kv.is_empty() { precision } else { precision.with(Component::KvCache, number(kv)) },
            workload: Workload {
                tokens: 1.0 + number(drafts),
                runtime: Runtime::from_key(engine).unwrap(),
                allreduce: (allreduce == "one-shot-pcie").then_some(Path::OneShotPcie),
                ..Workload::new(number(sequences), context)
            },
            measured: Seconds::from_millis(number(millis)),
            source,
        }
    }

    /// Whether the constants are fitted to it: its id's FNV-1a checksum is even, so nobody chose.
    pub fn is_fitted(&self) -> bool {
        self.id.bytes().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)) % 2 == 0
    }

    pub fn predict(&self, constants: &Constants) -> Prediction {
        predict_with(constants, self.architecture, &self.precision, &self.split, self.gpu, &self.workload)
    }

    /// Predicted over measured.
    pub fn ratio(&self, constants: &Constants) -> f64 {
        self.predict(constants).time().likely / self.measured
    }
}

pub fn rows() -> Vec<Row> {
    ROWS.lines().filter(|line| !line.starts_with('#')).map(Row::parse).collect()
}

/// Rows left out: id and reason.
pub fn unusable() -> Vec<(&'static str, &'static str)> {
    UNUSABLE.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once('|').unwrap()).collect()
}

/// The constants that are fitted: name, unit, and how to read and write them.
pub struct Knob {
    pub name: &'static str,
    pub unit: &'static str,
    /// Its value where the model does without it.
    pub without: f64,
    pub get: fn(&Constants) -> f64,
    pub set: fn(&mut Constants, f64),
}

pub const KNOBS: [Knob; 6] = [
    Knob {
        name: "operation",
        unit: "µs",
        without: 0.0,
        get: |c| c.operation.as_micros(),
        set: |c, v| c.operation = Seconds::from_micros(v),
    },
    Knob {
        name: "quantising",
        unit: "µs",
        without: 0.0,
        get: |c| c.quantising.as_micros(),
        set: |c, v| c.quantising = Seconds::from_micros(v),
    },
    Knob {
        name: "host",
        unit: "µs",
        without: 0.0,
        get: |c| c.host.as_micros(),
        set: |c, v| c.host = Seconds::from_micros(v),
    },
    Knob { name: "cache_share", unit: "", without: 1.0, get: |c| c.cache_share, set: |c, v| c.cache_share = v },
    Knob {
        name: "unmeasured_share",
        unit: "",
        without: 0.8,
        get: |c| c.unmeasured_share,
        set: |c, v| c.unmeasured_share = v,
    },
    Knob {
        name: "plain_kernel",
        unit: "GB/s",
        without: f64::INFINITY,
        get: |c| c.plain_kernel.as_giga(),
        set: |c, v| c.plain_kernel = BytesPerSecond::from_giga(v),
    },
];

/// What the fit makes as small as it can: mean |ln(predicted / measured)|.
pub fn loss(constants: &Constants, rows: &[&Row]) -> f64 {
    rows.iter().map(|row| row.ratio(constants).ln().abs()).sum::<f64>() / rows.len().max(1) as f64
}

/// Fits one constant after the other, in steps that shrink, from a start no row had a say in.
pub fn fit(rows: &[&Row], rounds: u32) -> Constants {
    fit_without(rows, rounds, &[])
}

/// The same with some constants left out.
pub fn fit_without(rows: &[&Row], rounds: u32, left_out: &[&str]) -> Constants {
    const START: [f64; KNOBS.len()] = [4.0, 4.0, 1000.0, 0.8, 0.8, 1500.0];
    let mut best = Constants::FITTED;
    for (knob, start) in KNOBS.iter().zip(START) {
        (knob.set)(&mut best, if left_out.contains(&knob.name) { knob.without } else { start });
    }
    let mut least = loss(&best, rows);
    let mut steps = [0.3; KNOBS.len()];
    for _ in 0..rounds {
        for (knob, step) in KNOBS.iter().zip(&mut steps).filter(|(knob, _)| !left_out.contains(&knob.name)) {
            let better = [1.0 + *step, 1.0 / (1.0 + *step)].into_iter().find_map(|factor| {
                let mut tried = best;
                (knob.set)(&mut tried, (knob.get)(&best) * factor);
                let reached = loss(&tried, rows);
                (reached < least).then_some((tried, reached))
            });
            *step *= if better.is_some() { 1.3 } else { 0.6 };
            (best, least) = better.unwrap_or((best, least));
        }
    }
    best
}

/// How far predictions lie from measurements.
pub struct Errors {
    pub count: usize,
    pub median: f64,
    pub p90: f64,
    /// The median of signed errors: whether the group is predicted too slow (+) or too fast.
    pub bias: f64,
}

pub fn errors<'a>(constants: &Constants, rows: impl IntoIterator<Item = &'a Row>) -> Errors {
    let mut signed: Vec<f64> = rows.into_iter().map(|row| row.ratio(constants) - 1.0).collect();
    signed.sort_by(f64::total_cmp);
    let mut absolute: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
    absolute.sort_by(f64::total_cmp);
    Errors {
        count: absolute.len(),
        median: quantile(&absolute, 0.5),
        p90: quantile(&absolute, 0.9),
        bias: quantile(&signed, 0.5),
    }
}

/// Interpolated between the two nearest.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len().max(1) - 1) as f64;
    let value = |index: f64| sorted.get(index as usize).copied().unwrap_or(f64::NAN);
    value(at.floor()) + (value(at.ceil()) - value(at.floor())) * at.fract()
}

/// Rows by what a function says of them.
pub fn grouped(rows: &[Row], by: impl Fn(&Row) -> String) -> BTreeMap<String, Vec<&Row>> {
    let mut groups: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(by(row)).or_default().push(row);
    }
    groups
}
