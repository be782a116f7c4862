//! `decodescope report`: a scenario from the command line and the dump, analysed and printed.

use crate::arguments::field_id;
use crate::input::{self, Input};
use crate::serving;
use crate::{Failure, Outcome};
use clap::ArgMatches;
use decodescope::metrics::{self, Selection};
use decodescope::model::{self, Recognised};
use decodescope::paste::Warning;
use decodescope::scenario::{Configured, EstimateChoice, Field, GpuChoice, Measured, ModelChoice, Scenario, link};
use decodescope::{budget, hardware, report};

/// A scenario under way: with what there is to say about the input, and whether that was of any use.
#[derive(Default)]
struct Given {
    scenario: Scenario,
    warnings: Vec<Warning>,
    unusable: bool,
}

/// Runs `report`.
pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    if matches.get_flag("example") {
        return finish(matches, Given { scenario: Scenario::example(), ..Given::default() });
    }
    let files = files(matches);
    // A latency given by hand stands in for a dump: then standard input is somebody else's, such as a loop's.
    let by_hand_alone = files.is_empty() && typed(matches, Field::InterTokenLatency).is_some();
    let read = if by_hand_alone { None } else { input::read(&files)? };
    let mut given = Given::default();
    match read {
        Some(Input { name, dump }) => {
            given.scenario.adopt(Measured::distil(&name, &dump.sets));
            given.unusable = dump.outcome != metrics::Outcome::Fine;
            given.warnings = dump.warnings;
        }
        None if by_hand(matches) => {}
        None => {
            return Err(Failure::usage(
                "nothing to read: name a file, pipe a dump in, or try --example (--help tells more)",
            ));
        }
    }
    finish(matches, given)
}

/// Runs `diff`: the same report on what happened between scrapes of one server.
pub fn diff(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let files = files(matches);
    let scrapes = input::scrapes(&files)?;
    let mut given =
        Given { warnings: scrapes.iter().flat_map(|scrape| scrape.warnings.clone()).collect(), ..Given::default() };
    let Some((measured, warnings)) = Measured::between(&files.join(" → "), &scrapes) else {
        return Err(Failure::usage("a difference needs two scrapes: two files, or one that holds both"));
    };
    given.unusable = !measured.sets.iter().any(metrics::ServingMetrics::has_latency);
    given.scenario.adopt(measured);
    given.warnings.extend(warnings);
    finish(matches, given)
}

fn files(matches: &ArgMatches) -> Vec<String> {
    matches.get_many("files").into_iter().flatten().cloned().collect()
}

fn finish(matches: &ArgMatches, given: Given) -> Result<Outcome, Failure> {
    let Given { mut scenario, mut warnings, unusable } = given;
    apply(matches, &mut scenario, &mut warnings)?;
    let usable = !unusable;
    if matches.get_flag("link") {
        return Ok(Outcome { text: format!("#{}\n", link::encode(&scenario)), usable });
    }
    let analysis = budget::analyse(&scenario);
    let text = match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => report::json(&scenario, &analysis, &warnings) + "\n",
        Some("markdown") => report::report(&scenario, &analysis, &warnings).to_markdown(),
        _ => report::report(&scenario, &analysis, &warnings).to_text(),
    };
    Ok(Outcome { text, usable })
}

/// Whether the options alone describe something to analyse.
fn by_hand(matches: &ArgMatches) -> bool {
    matches.contains_id("model")
        || matches.contains_id("gpu")
        || matches.contains_id("own-gpu")
        || Field::ALL.iter().any(|&f| typed(matches, f).is_some())
}

/// What an option says of a field.
pub fn typed(matches: &ArgMatches, field: Field) -> Option<f64> {
    matches.get_one::<f64>(&field_id(field)).copied()
}

fn apply(matches: &ArgMatches, scenario: &mut Scenario, warnings: &mut Vec<Warning>) -> Result<(), Failure> {
    if let Some(name) = matches.get_one::<String>("model") {
        scenario.set_model(Some(model_choice(name, warnings)?));
    }
    if let Some(id) = matches.get_one::<String>("gpu") {
        let gpu = hardware::find(id)
            .ok_or_else(|| unknown("GPU", id, hardware::catalogue().iter().map(|gpu| gpu.id), "gpus"))?;
        let gpu = Some(GpuChoice::Known(gpu.id.to_owned()));
        if scenario.gpu != gpu {
            scenario.set_gpu(gpu);
        }
    }
    if let Some(name) = matches.get_one::<String>("own-gpu") {
        scenario.set_gpu(Some(GpuChoice::own(name)));
    }
    let selection = Selection {
        model: matches.get_one::<String>("served-model").cloned(),
        engine: matches.get_one::<String>("engine").cloned(),
    };
    if selection != Selection::default() {
        select(scenario, selection)?;
    }
    if let Some(name) = matches.get_one::<String>("estimate") {
        scenario.choice = EstimateChoice::by_key(name).unwrap_or_default();
    }
    for &field in Field::ALL {
        if let Some(value) = typed(matches, field) {
            scenario.set(field, Some(value));
        }
    }
    Ok(())
}

fn select(scenario: &mut Scenario, selection: Selection) -> Result<(), Failure> {
    let Some(measured) = &scenario.measured else { return Ok(()) };
    if selection.among(&measured.sets).next().is_none() {
        let known: Vec<String> = measured.selections().iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!("the dump has nothing of {selection}; it has: {}", known.join("; "))));
    }
    scenario.select(selection);
    Ok(())
}

/// A preset by its name, or what a config.json or GGUF file says. A name that says how the weights are held
/// counts as a configuration of the preset's that does.
fn model_choice(name: &str, warnings: &mut Vec<Warning>) -> Result<ModelChoice, Failure> {
    if std::path::Path::new(name).is_file() {
        let reading = serving::reading(&[name])?;
        warnings.extend(reading.warnings.clone());
        return Ok(reading.into());
    }
    let Some(Recognised { preset, quantisation, quantisation_named }) = model::recognise(name) else {
        return Err(unknown("model", name, model::presets().iter().map(|preset| preset.id.as_str()), "models"));
    };
    if quantisation_named {
        let (architecture, quantisation) = (preset.architecture.clone(), Some(quantisation));
        return Ok(ModelChoice::Custom(Box::new(Configured { architecture, quantisation })));
    }
    Ok(ModelChoice::Preset(preset.id.clone()))
}

/// Names closer than this are worth suggesting: 1 is the same, 0 has nothing in common.
const CLOSE: f64 = 0.8;

/// Something that no list has, with the nearest name it may mean.
pub fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>, list: &str) -> Failure {
    let likeness = |id: &str| strsim::jaro_winkler(&name.to_lowercase(), id);
    let closest = known.map(|id| (likeness(id), id)).max_by(|(a, _), (b, _)| a.total_cmp(b));
    let hint = closest
        .filter(|(likeness, _)| *likeness >= CLOSE)
        .map_or(String::new(), |(_, id)| format!("did you mean {id}? "));
    Failure::usage(format!("unknown {what} {name}: {hint}`decodescope {list}` lists those known"))
}
