//! Every kind of chart with the worked example's numbers.

use decodescope::chart::*;

pub fn histogram() -> Chart {
    let bounds = [10.0, 25.0, 50.0, 80.0];
    let counts = [0.0, 1623.0, 0.0, 0.0];
    let buckets = bounds.iter().zip(counts).map(|(bound, count)| Bucket {
        upper: *bound,
        upper_text: bound.to_string(),
        count,
        count_text: if count > 0.0 { "1,623".into() } else { "0".into() },
        share_text: if count > 0.0 { "100 %".into() } else { String::new() },
    });
    Chart::Histogram(Histogram {
        title: "Inter-token latency".into(),
        unit: "ms".into(),
        total_text: "1,623 tokens".into(),
        buckets: buckets.collect(),
        mean: Some(Marker { value: 17.39, text: "mean 17.4 ms".into() }),
    })
}

pub fn long_histogram() -> Chart {
    let bounds =
        [1.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2500.0, 5000.0, f64::INFINITY];
    let counts = [0.0, 3.0, 18.0, 240.0, 1310.0, 910.0, 402.0, 220.0, 160.0, 41.0, 12.0, 0.0, 7.0, 2.0, 1.0];
    let buckets = bounds.iter().zip(counts).map(|(bound, count): (&f64, f64)| Bucket {
        upper: *bound,
        upper_text: bound.to_string(),
        count,
        count_text: count.to_string(),
        share_text: format!("{:.1} %", count / 33.26),
    });
    Chart::Histogram(Histogram {
        title: "Time to first token".into(),
        unit: "ms".into(),
        total_text: "3,326 requests".into(),
        buckets: buckets.collect(),
        mean: Some(Marker { value: 52.1, text: "mean 52.1 ms".into() }),
    })
}

fn segment(label: &str, value: f64, unit: &str, role: SegmentRole) -> Segment {
    let text = format!("{value:.1} {unit}").replace('-', "−");
    Segment { label: label.into(), value, text, role }
}

pub fn stack(overhang: bool) -> Chart {
    let allreduce = if overhang { 17.2 } else { 4.2 };
    let rest = 17.4 - 1.1 - 1.5 - 0.2 - allreduce;
    let bar = |label: &str, unit: &str, factor: f64, total: &str| StackBar {
        label: label.into(),
        total_text: total.into(),
        segments: vec![
            segment("Attention weights", 1.1 * factor, unit, SegmentRole::Part),
            segment("MoE weights", 1.5 * factor, unit, SegmentRole::Part),
            segment("KV cache", 0.2 * factor, unit, SegmentRole::Part),
            segment("Allreduce", allreduce * factor, unit, SegmentRole::Part),
            segment("Residual", rest * factor, unit, SegmentRole::Residual),
        ],
    };
    Chart::Stack(Stack {
        title: "Where a token's time goes".into(),
        bars: vec![bar("Per token", "ms", 1.0, "17.4 ms"), bar("Per layer", "µs", 1000.0 / 78.0, "223 µs")],
        scale: StackScale::Own,
    })
}

pub fn ranges() -> Chart {
    let row = |label: &str, note: &str, low: f64, likely: f64, high: f64, text: &str| RangeRow {
        label: label.into(),
        note: note.into(),
        low: low.is_finite().then_some(low),
        likely: likely.is_finite().then_some(likely),
        high: high.is_finite().then_some(high),
        text: text.into(),
        emphasis: false,
    };
    let none = f64::NAN;
    Chart::Ranges(Ranges {
        title: "Allreduce time per token".into(),
        axis: Axis::from_zero("allreduce per token, ms"),
        rows: vec![
            row(
                "A/B experiment",
                "what the faster protocol saved is a lower bound on the slower run",
                3.83,
                none,
                none,
                "≥ 3.83 ms",
            ),
            RangeRow {
                emphasis: true,
                ..row("Microbenchmark", "published on the same GPUs, 16 KiB over 8 ranks", 3.7, 4.2, 7.5, "3.7–7.5 ms")
            },
            row("Stated share", "55–65 % of the step, as the original analysis put it", 9.6, 10.4, 11.3, "9.6–11.3 ms"),
            row("Stated compute time", "6–10 ms of compute leave the rest", 7.4, 9.4, 11.4, "7.4–11.4 ms"),
            row("Alpha-beta model", "", none, none, 5.2, "≤ 5.2 ms"),
        ],
        references: vec![Reference { value: 17.4, text: "measured step 17.4 ms".into() }],
    })
}

pub fn ladder() -> Chart {
    let rung = |label: &str, note: &str, low: f64, likely: f64, high: f64, text: &str, role| Rung {
        label: label.into(),
        note: note.into(),
        low,
        likely,
        high,
        text: text.into(),
        role,
    };
    Chart::Ladder(Ladder {
        title: "How fast could it be?".into(),
        axis: Axis::from_zero("tokens per second, one stream"),
        rungs: vec![
            rung("Today", "measured", 57.5, 57.5, 57.5, "57.5 tok/s", RungRole::Today),
            rung("10 µs off each layer", "all else as today", 60.2, 60.2, 60.2, "60.2 tok/s", RungRole::Ceiling),
            rung(
                "Free allreduce, microbenchmark",
                "communication costs nothing",
                70.0,
                76.0,
                101.0,
                "70–101 tok/s",
                RungRole::Ceiling,
            ),
            rung(
                "Free allreduce, stated compute time",
                "communication costs nothing",
                100.0,
                122.0,
                167.0,
                "100–167 tok/s",
                RungRole::Ceiling,
            ),
            rung(
                "Perfect bandwidth",
                "weights read at 1458 GB/s and nothing else takes time",
                380.0,
                411.0,
                440.0,
                "380–440 tok/s",
                RungRole::Ceiling,
            ),
        ],
    })
}

pub fn curve() -> Chart {
    let speed = |compute: f64, allreduce: f64| 1000.0 / (compute + allreduce);
    let line = |compute: f64, label: &str, style| Line {
        label: label.into(),
        points: (0..=120).map(|step| f64::from(step) / 10.0).map(|x| (x, speed(compute, x))).collect(),
        style,
    };
    let point = |x: f64, label: &str, role| MarkedPoint {
        x,
        y: speed(13.2, x),
        label: label.into(),
        text: format!("{:.1} tok/s", speed(13.2, x)),
        role,
    };
    Chart::Curve(Curve {
        title: "Speed against allreduce time".into(),
        x: Axis::from_zero("allreduce per token, ms"),
        y: Axis::linear("tokens per second"),
        lines: vec![line(13.2, "this scenario", LineStyle::Solid), line(15.0, "baseline", LineStyle::Dashed)],
        points: vec![
            point(4.2, "Today", PointRole::Today),
            point(2.1, "Allreduce 2× faster", PointRole::Estimate),
            point(0.0, "Free allreduce", PointRole::Estimate),
            point(7.5, "Default protocol", PointRole::Estimate),
        ],
        bands: vec![Band { label: "estimates".into(), low: 3.7, high: 7.5 }],
        ribbons: Vec::new(),
    })
}

/// An alpha-beta model over four decades of message size: 20 µs and 25 GB/s.
pub fn logarithmic_curve() -> Chart {
    let time = |kib: f64| 20.0 + kib * 1024.0 / 25e3;
    let point = |kib: f64, label: &str, role| MarkedPoint {
        x: kib,
        y: time(kib),
        label: label.into(),
        text: format!("{:.0} µs", time(kib)),
        role,
    };
    Chart::Curve(Curve {
        title: "Allreduce time against message size".into(),
        x: Axis::log("message, KiB"),
        y: Axis::log("allreduce, µs"),
        lines: vec![Line {
            label: "model".into(),
            points: (0..=80).map(|step| 10f64.powf(f64::from(step) / 20.0)).map(|kib| (kib, time(kib))).collect(),
            style: LineStyle::Solid,
        }],
        points: vec![point(12.0, "Today", PointRole::Today), point(4096.0, "Prefill", PointRole::Estimate)],
        bands: Vec::new(),
        ribbons: Vec::new(),
    })
}

/// Eight names at three intensities, two of them moving, under two flat roofs.
pub fn roofline() -> Chart {
    let place = |load: &str, x: f64, y: f64| Place {
        load: load.into(),
        x,
        y,
        at: [format!("{x} FLOP/B"), format!("{y} TFLOP/s")],
        of: ["12 MB".into(), "45 MFLOP".into(), "9 µs".into()],
    };
    let spot = |label: &str, role, one: (f64, f64), many: Option<(f64, f64)>| Spot {
        label: label.into(),
        role,
        places: [("1 stream", Some(one)), ("32 streams", many)]
            .into_iter()
            .filter_map(|(load, at)| at.map(|(x, y)| place(load, x, y)))
            .collect(),
    };
    let weights = SpotRole::Weights;
    Chart::Roofline(Roofline {
        title: "Memory or arithmetic?".into(),
        x: Axis::log("FLOPs per byte read"),
        y: Axis::log("TFLOP/s achieved"),
        slope: Roof { label: "1458 GB/s".into(), value: 1.458, ridge: String::new() },
        flats: vec![
            Roof { label: "BF16 403 TFLOP/s".into(), value: 403.0, ridge: "ridge at 276 FLOP/B".into() },
            Roof { label: "FP8 806 TFLOP/s".into(), value: 806.0, ridge: "ridge at 553 FLOP/B".into() },
        ],
        spots: vec![
            spot("Attention projections", weights, (2.0, 2.5), Some((64.0, 80.0))),
            spot("Attention output", weights, (2.0, 2.4), None),
            spot("Dense MLP", weights, (2.0, 2.6), None),
            spot("Routed experts", weights, (2.0, 2.0), Some((4.0, 5.0))),
            spot("Router", weights, (2.0, 0.1), None),
            spot("LM head", weights, (2.0, 2.8), None),
            spot("KV cache", SpotRole::Caches, (128.0, 20.0), None),
            spot("Whole step, measured", SpotRole::Whole, (3.0, 0.4), None),
        ],
    })
}

pub fn gallery() -> Vec<(&'static str, Chart)> {
    let empty = Chart::Ladder(Ladder { title: "Nothing".into(), ..Ladder::default() });
    vec![
        ("histogram", histogram()),
        ("histogram-long", long_histogram()),
        ("stack", stack(false)),
        ("stack-over", stack(true)),
        ("ranges", ranges()),
        ("ladder", ladder()),
        ("curve", curve()),
        ("curve-log", logarithmic_curve()),
        ("roofline", roofline()),
        ("empty", empty),
    ]
}
