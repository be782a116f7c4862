//! The published validation, as a document and a chart.

use super::{Errors, KNOBS, Row, errors, fit, fit_without, grouped, rows, unusable};
use decodescope::chart::{Axis, Chart, Curve, Line, LineStyle, MarkedPoint, PointRole};
use decodescope::prediction::{Ceiling, Constants, Runtime};
use decodescope::report::Document;

const FITTED: Constants = Constants::FITTED;

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn signed(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

fn cells(name: &str, errors: &Errors) -> Vec<String> {
    vec![name.to_owned(), errors.count.to_string(), percent(errors.median), percent(errors.p90), signed(errors.bias)]
}

const ERRORS: [&str; 5] = ["rows", "number", "median error", "p90 error", "median of signed errors"];

/// The chart's axes, in milliseconds.
const ENDS: [f64; 2] = [2.0, 250.0];
/// The factor from which the chart names a point.
const FAR_OFF: f64 = 1.3;

/// Predicted against measured, both in milliseconds per step.
pub fn chart() -> Chart {
    let rows = rows();
    let [low, high] = ENDS;
    let line = |label: &str, factor: f64, style| {
        let ends = [low.max(low / factor), high.min(high / factor)];
        Line { label: label.to_owned(), points: ends.map(|x| (x, x * factor)).to_vec(), style }
    };
    let point = |row: &Row| {
        let (x, y) = (row.measured.as_millis(), row.predict(&FITTED).time().likely.as_millis());
        let role = if row.is_fitted() { PointRole::Estimate } else { PointRole::Today };
        // Only what is far off is named.
        let label = if (y / x).ln().abs() > FAR_OFF.ln() { row.id.to_owned() } else { String::new() };
        MarkedPoint { x, y, label, text: String::new(), role }
    };
    let axis = |label: &str| Axis { from: Some(low), to: Some(high), ..Axis::log(label) };
    Chart::Curve(Curve {
        title: "Predicted against measured time of a decode step".to_owned(),
        x: axis("measured, ms"),
        y: axis("predicted, ms"),
        lines: vec![
            line("predicted = measured", 1.0, LineStyle::Solid),
            line("10 % above", 1.1, LineStyle::Dashed),
            line("10 % below", 1.0 / 1.1, LineStyle::Dashed),
        ],
        points: rows.iter().map(point).collect(),
        bands: Vec::new(),
        ribbons: Vec::new(),
    })
}

/// Everything there is to say of how well the step model does; fitting anew for every model takes
/// its time and may be left out.
pub fn document(thorough: bool) -> Document {
    let rows = rows();
    let mut document = Document::default();
    document.blocks.push(decodescope::report::Block::Heading(1, "How well steps are predicted".to_owned()));
    document.paragraph(
        "Every published measurement whose facts suffice, against the step model of `src/prediction`. The constants are \
         fitted to one half, drawn by a checksum of each row's name; no row of the other half entered \
         the fit, though its errors were seen while the model was being made. An error is |predicted / measured − 1|. `make validate` writes this page; a test keeps it current.",
    );
    let half = |fitted: bool| errors(&FITTED, rows.iter().filter(|row| row.is_fitted() == fitted));
    let served = |row: &&Row| !row.is_fitted() && row.workload.runtime != Runtime::LlamaCpp;
    document.table(
        &ERRORS,
        vec![
            cells("held out", &half(false)),
            cells("held out, without llama.cpp", &errors(&FITTED, rows.iter().filter(served))),
            cells("fitted", &half(true)),
            cells("all", &errors(&FITTED, &rows)),
        ],
    );
    summary(&mut document, &rows);

    document.section("The constants");
    let best = fit(&rows.iter().filter(|row| row.is_fitted()).collect::<Vec<_>>(), 60);
    document.paragraph(
        "One value each for all models, GPUs and engines; what each stands for is told in `src/prediction/constants.rs`. \
         The share of published FLOPs that is reached, 0.8, is not fitted: no row is bound by it.",
    );
    let knobs = KNOBS.iter().map(|knob| {
        let show = |constants: &Constants| format!("{:.3} {}", (knob.get)(constants), knob.unit).trim_end().to_owned();
        vec![knob.name.to_owned(), show(&FITTED), show(&best)]
    });
    document.table(&["constant", "value", "as fitted anew"], knobs.collect());

    if thorough {
        left_out(&mut document, &rows);
        unseen_models(&mut document, &rows);
    }

    type Key = fn(&Row) -> String;
    let groupings: [(&str, Key); 5] = [
        ("By GPU", |row| row.gpu.name.clone().into_owned()),
        ("By engine", |row| row.workload.runtime.key().to_owned()),
        ("By model", |row| row.model.to_owned()),
        ("By quantisation", |row| row.recipe.to_owned()),
        ("By tensor parallelism", |row| format!("TP {}", row.split.tensor_parallel)),
    ];
    for (title, key) in groupings {
        document.section(title);
        let mut table = Vec::new();
        for (name, own) in grouped(&rows, key) {
            for (half, fitted) in [("held out", false), ("fitted", true)] {
                let own: Vec<&Row> = own.iter().copied().filter(|row| row.is_fitted() == fitted).collect();
                if !own.is_empty() {
                    table.push(cells(&format!("{name}, {half}"), &errors(&FITTED, own)));
                }
            }
        }
        document.table(&ERRORS, table);
    }

    document.section("Every row");
    document.table(
        &[
            "row",
            "half",
            "GPU",
            "model",
            "quantisation",
            "engine",
            "sequences",
            "context",
            "measured",
            "predicted",
            "error",
            "ceiling",
        ],
        rows.iter().map(row_cells).collect(),
    );
    document.section("Rows left out");
    document.paragraph("Published too, but without what a prediction needs.");
    document
        .table(&["row", "why"], unusable().iter().map(|(id, why)| vec![(*id).to_owned(), (*why).to_owned()]).collect());
    document
}

/// Fits once for every constant, without it.
fn left_out(document: &mut Document, rows: &[Row]) {
    document.section("What each constant is worth");
    document.paragraph(
        "The other five fitted anew without it, to the same half. `cache_share` is then 1, `unmeasured_share` the \
         catalogue's 0.8, `plain_kernel` unlimited, any other 0.",
    );
    let fitted: Vec<&Row> = rows.iter().filter(|row| row.is_fitted()).collect();
    let held: Vec<&Row> = rows.iter().filter(|row| !row.is_fitted()).collect();
    let mut table = Vec::new();
    for name in std::iter::once("").chain(KNOBS.iter().map(|knob| knob.name)) {
        let constants = fit_without(&fitted, 60, &[name]);
        let [fitted, held] = [&fitted, &held].map(|half| errors(&constants, half.iter().copied()));
        let name = if name.is_empty() { "none".to_owned() } else { name.to_owned() };
        let figures = [fitted.median, fitted.p90, held.median, held.p90].map(percent);
        table.push(std::iter::once(name).chain(figures).collect());
    }
    document.table(&["left out", "fitted: median", "p90", "held out: median", "p90"], table);
}

/// Fits once for every model, without it.
fn unseen_models(document: &mut Document, rows: &[Row]) {
    document.section("A model nobody fitted to");
    document.paragraph("Constants fitted without any row of a model, neither half, then asked for that model.");
    let mut unseen = Vec::new();
    for (model, own) in grouped(rows, |row| row.model.to_owned()) {
        let others: Vec<&Row> = rows.iter().filter(|row| row.model != model).collect();
        unseen.push(cells(&model, &errors(&fit(&others, 40), own)));
    }
    document.table(&ERRORS, unseen);
}

fn summary(document: &mut Document, rows: &[Row]) {
    let within = |row: &&Row| {
        let range = row.predict(&FITTED).time();
        !row.is_fitted() && range.low <= row.measured && row.measured <= range.high
    };
    let held = rows.iter().filter(|row| !row.is_fitted()).count();
    let inside = rows.iter().filter(within).count();
    let share = |row: &Row| row.predict(&FITTED).ceiling.time / row.measured;
    let violations = rows.iter().filter(|row| share(row) > 1.0).count();
    let nearest = rows.iter().max_by(|one, other| share(one).total_cmp(&share(other))).unwrap();
    document.list(vec![
        "Which constants there are was decided within the fitted half, by cross-validation. A term for waiting while \
         other requests prefill, which published times at concurrency should hold, fitted to nothing and was dropped."
            .to_owned(),
        format!("{inside} of {held} held-out measurements lie within the predicted range."),
        format!(
            "{violations} of {} measured speeds are above the ceiling, which idealises: {}. The nearest, {}, reaches {}.",
            rows.len(),
            Ceiling::IDEALISES,
            nearest.id,
            percent(share(nearest))
        ),
        "Some rows resemble each other (one deployment at several loads), so the halves are not wholly independent: see \
         the models nobody fitted to, below."
            .to_owned(),
    ]);
}

fn row_cells(row: &Row) -> Vec<String> {
    let prediction = row.predict(&FITTED);
    let (time, workload) = (prediction.time(), &row.workload);
    let millis = |seconds: decodescope::units::Seconds| format!("{:.2}", seconds.as_millis());
    let drafts = if workload.tokens > 1.0 { format!(" × {} tokens", workload.tokens) } else { String::new() };
    let layout = match (row.split.tensor_parallel, row.split.pipeline_parallel) {
        (1, 1) => String::new(),
        (1, stages) => format!(", {stages} stages"),
        (ranks, _) => format!(", TP {ranks}{}", if row.split.expert_parallel { " EP" } else { "" }),
    };
    vec![
        row.id.to_owned(),
        if row.is_fitted() { "fitted" } else { "held out" }.to_owned(),
        format!("{}{layout}", row.gpu.name),
        row.model.to_owned(),
        row.recipe.to_owned(),
        workload.runtime.key().to_owned(),
        format!("{}{drafts}", workload.sequences),
        format!("{}", workload.context),
        format!("{} ms", millis(row.measured)),
        format!("{} ({} to {})", millis(time.likely), millis(time.low), millis(time.high)),
        signed(time.likely / row.measured - 1.0),
        format!("{} ms", millis(prediction.ceiling.time)),
    ]
}

/// The page in docs/, with the chart after its first table.
pub fn markdown(thorough: bool) -> String {
    let chart = chart();
    let image = format!(
        "\n![{}](validation.svg)\n\n*Black: held out. Blue: fitted. Dashed: 10 % off.*\n\n## The constants",
        chart.title()
    );
    document(thorough).to_markdown().replacen("\n## The constants", &image, 1)
}
