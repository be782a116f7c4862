//! `decodescope predict`: how long a decode step will take, term by term.

use crate::arguments::{field_argument, own_gpu};
use crate::report::typed;
use crate::serving::{self, Model};
use crate::{Failure, Outcome};
use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use decodescope::collective::Path;
use decodescope::hardware::Gpu;
use decodescope::model::{Speculation, Split, Step, decode_step, draft_step};
use decodescope::prediction::{Ceiling, Prediction, Runtime, Workload, predict};
use decodescope::report::{Block, Document};
use decodescope::scenario::{Field, GpuChoice, Scenario};
use decodescope::units::format::{count, show, show_range, significant};
use decodescope::units::{Bytes, Range, Ratio, TokensPerSecond};
use serde_json::{Value, json};

/// The name and version of the JSON contract; within one, fields are only added.
const SCHEMA: &str = "decodescope.prediction/1";

/// The command.
pub fn command() -> Command {
    let runtimes = PossibleValuesParser::new(Runtime::ALL.map(Runtime::key));
    serving::with_options(Command::new("predict").about("Predict a decode step's time, term by term, with its range"))
        .arg(
            Arg::new("gpu")
                .long("gpu")
                .value_name("GPU")
                .required_unless_present("own-gpu")
                .conflicts_with("own-gpu")
                .help("A GPU's id (see decodescope gpus)"),
        )
        .arg(own_gpu())
        .args(Field::OF_THE_GPU.map(field_argument))
        .arg(Arg::new("engine").long("engine").value_parser(runtimes).default_value("vllm").help("What runs the model"))
        .arg(
            Arg::new("one-shot-allreduce")
                .long("one-shot-allreduce")
                .action(clap::ArgAction::SetTrue)
                .help("PCIe GPUs reduce with a one-shot kernel instead of NCCL"),
        )
        .arg(
            Arg::new("drafts")
                .long("drafts")
                .value_name("N")
                .value_parser(value_parser!(u32).range(0..=32))
                .default_value("0")
                .help("Tokens drafted per step by the model's own prediction layers"),
        )
        .arg(
            Arg::new("acceptance")
                .long("acceptance")
                .value_name("SHARE")
                .value_parser(|text: &str| match text.parse::<f64>() {
                    Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
                    _ => Err("a share from 0 to 1"),
                })
                .requires("drafts")
                .default_value("0.7")
                .help("The chance that a draft is accepted, given those before it were"),
        )
}

/// What is predicted, and what a step yields.
struct Question<'a> {
    model: &'a Model,
    split: Split,
    gpu: Gpu,
    workload: Workload,
    tokens_per_step: f64,
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let model = serving::model(matches)?;
    let split = serving::split(matches);
    let system = system(matches, split.tensor_parallel)?;
    let gpu = system.gpu().ok_or_else(|| Failure::usage("a GPU of your own needs its --bandwidth"))?;
    let step = serving::step(matches);
    let drafts = serving::number(matches, "drafts");
    let acceptance = matches.get_one::<f64>("acceptance").copied().unwrap_or_default();
    let speculation = Speculation { draft_length: drafts, acceptance };
    let engine = matches.get_one::<String>("engine").and_then(|key| Runtime::from_key(key));
    let question = Question {
        model: &model,
        split,
        gpu,
        workload: Workload {
            tokens: speculation.verified_tokens(),
            runtime: engine.unwrap_or_default(),
            own_allreduce: system.typed_allreduce(),
            allreduce: matches.get_flag("one-shot-allreduce").then_some(Path::OneShotPcie),
            ..Workload::new(step.sequences.max(1.0), step.context)
        },
        tokens_per_step: speculation.tokens_per_step(),
    };
    let precision = &model.quantisation.precision;
    let gpu = &question.gpu;
    let mut prediction = predict(&model.architecture, precision, &question.split, gpu, &question.workload);
    let read = decode_step(&model.architecture, precision, &question.split, &step);
    let mut needed = read.resident_weights + read.resident_cache;
    if drafts > 0 {
        needed += drafting(&model, &question.split, &step);
    }
    if needed > gpu.memory {
        let text = format!("it does not fit: {} of {} on each {}", show(needed), show(gpu.memory), gpu.name);
        prediction.assumptions.insert(0, text);
    }
    let text = match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => format!("{:#}\n", as_json(&question, &prediction, needed)),
        Some("markdown") => document(&question, &prediction).to_markdown(),
        _ => document(&question, &prediction).to_text(),
    };
    Ok(Outcome { text, usable: true })
}

/// What drafting keeps in a GPU's memory: the prediction modules, all of which are loaded, and their caches.
/// Head and embedding are the main model's.
fn drafting(model: &Model, split: &Split, step: &Step) -> Bytes {
    let modules = model.architecture.prediction.as_ref().map_or(0, |prediction| prediction.modules);
    let one = draft_step(&model.architecture, &model.quantisation.precision, split, step);
    one.map_or(Bytes::new(0.0), |one| (one.resident_weights + one.resident_cache) * f64::from(modules))
}

/// The GPU as named, with what the options say of it.
fn system(matches: &ArgMatches, ranks: u32) -> Result<Scenario, Failure> {
    let mut system = Scenario::default();
    let known = matches.get_one::<String>("gpu").map(|name| serving::gpu(name)).transpose()?;
    let own = matches.get_one::<String>("own-gpu").map(|name| GpuChoice::own(name));
    system.set_gpu(known.map(|gpu| GpuChoice::Known(gpu.id.to_owned())).or(own));
    system.set(Field::TensorParallel, Some(f64::from(ranks)));
    for field in Field::OF_THE_GPU.into_iter().filter(|&field| typed(matches, field).is_some()) {
        system.set(field, typed(matches, field));
    }
    Ok(system)
}

fn as_json(question: &Question, prediction: &Prediction, needed: Bytes) -> Value {
    let all = |speed: Range<TokensPerSecond>| speed.map(|one| one * question.workload.sequences);
    let speed = prediction.speed(question.tokens_per_step);
    json!({
        "schema": SCHEMA,
        "model": question.model.architecture.name,
        "quantisation": question.model.quantisation.name,
        "gpu": question.gpu.id,
        "gpu_name": question.gpu.name,
        "gpus": question.split.gpus(),
        "split": question.split,
        "engine": question.workload.runtime.key(),
        "sequences": question.workload.sequences,
        "context": question.workload.context,
        "tokens_per_step": question.tokens_per_step,
        "step_seconds": prediction.time(),
        "tokens_per_second": speed,
        "tokens_per_second_all_sequences": all(speed),
        "ceiling": {
            "step_seconds": prediction.ceiling.time,
            "tokens_per_second": prediction.fastest(question.tokens_per_step),
            "bytes": prediction.ceiling.bytes,
            "flops": prediction.ceiling.flops,
            "idealises": Ceiling::IDEALISES,
        },
        "terms": prediction.terms,
        "resident_bytes": needed,
        "fits": question.gpu.memory.is_finite().then_some(needed <= question.gpu.memory),
        "assumptions": prediction.assumptions,
        "warnings": question.model.warnings,
    })
}

fn document(question: &Question, prediction: &Prediction) -> Document {
    let (time, workload) = (prediction.time(), &question.workload);
    let speed = prediction.speed(question.tokens_per_step);
    let fastest = prediction.fastest(question.tokens_per_step);
    let mut document = Document::default();
    let gpus = question.split.gpus();
    let title = format!("{} on {gpus} × {}", question.model.architecture.name, question.gpu.name);
    document.blocks.push(Block::Heading(1, title));
    document.paragraph(format!(
        "A step of {} × {} tokens of context takes {}, most likely {}: {} for each stream, most likely {}. Weights: {}; \
         engine: {}.",
        count(workload.sequences),
        count(workload.context),
        show_range(time),
        show(time.likely),
        show_range(speed),
        show(speed.likely),
        question.model.quantisation.name,
        workload.runtime.key(),
    ));
    document.paragraph(format!("No speed above {} is possible even if {}.", show(fastest), Ceiling::IDEALISES));
    let rows = prediction.terms.iter().map(|term| {
        let share = Ratio::new(term.seconds.likely / time.likely);
        let some = |zero: bool, text: String| if zero { String::new() } else { text };
        vec![
            term.name.clone(),
            show(term.seconds.likely).to_string(),
            show(share).to_string(),
            some(term.bytes.get() == 0.0, show(term.bytes).to_string()),
            some(term.flops.get() == 0.0, show(term.flops).to_string()),
            some(term.flops.get() == 0.0, significant(term.flops.get() / term.bytes.get(), 3)),
            some(term.count == 0.0, count(term.count)),
        ]
    });
    document.table(&["term", "time", "share", "bytes", "FLOPs", "FLOPs per byte", "number"], rows.collect());
    document.list(prediction.assumptions.clone());
    document.list(question.model.warnings.iter().map(|warning| warning.message.clone()).collect());
    document
}
