//! What `model` and `predict` share: which model, held how, spread over which GPUs, decoding what.

use crate::Failure;
use crate::report::unknown;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use decodescope::hardware::{self, Gpu};
use decodescope::model::{
    self, Architecture, Component, Gguf, GgufError, Precision, Quantisation, Reading, Split, Step,
};
use decodescope::paste::Warning;
use std::collections::BTreeSet;
use std::io::Read as _;

/// A GGUF file's head is at most so long: vocabularies are the most of it.
const LONGEST_HEAD: u64 = 256 << 20;
/// Enough for a file without a vocabulary.
const FIRST_READ: u64 = 1 << 20;

/// A model as a command line names it.
pub struct Model {
    /// Its architecture.
    pub architecture: Architecture,
    /// How its weights are held.
    pub quantisation: Quantisation,
    /// What was doubtful.
    pub warnings: Vec<Warning>,
}

/// Adds the options both commands take.
pub fn with_options(command: Command) -> Command {
    let ranks = |name: &'static str, short: &'static str, help: &'static str| {
        let most = value_parser!(u32).range(1..=1024);
        Arg::new(name).long(name).visible_alias(short).value_name("N").value_parser(most).default_value("1").help(help)
    };
    let number = |name: &'static str, help: &'static str, start: &'static str| {
        let most = value_parser!(u32).range(0..=100_000_000);
        Arg::new(name).long(name).value_name("N").value_parser(most).default_value(start).help(help)
    };
    command
        .arg(
            Arg::new("model")
                .value_name("MODEL")
                .required(true)
                .num_args(1..)
                .help("A config.json, a GGUF file (of a split model any or all), - for a config.json on standard input, or a model's id or name"),
        )
        .arg(
            Arg::new("quantisation")
                .long("quantisation")
                .visible_aliases(["quantization", "quant"])
                .value_name("RECIPE")
                .help("A recipe (fp8, nvfp4-mlp, int4-experts, q4_k_m …) or the path of a hf_quant_config.json"),
        )
        .arg(
            Arg::new("kv-bits")
                .long("kv-bits")
                .value_name("BITS")
                .value_parser(value_parser!(u32).range(2..=32))
                .help("Bits per element of the KV cache [as the quantisation says, else 16]"),
        )
        .arg(ranks("tensor-parallel", "tp", "GPUs that share every matrix"))
        .arg(ranks("pipeline-parallel", "pp", "Stages that the layers are dealt to"))
        .arg(ranks("data-parallel-attention", "dpa", "Groups that each serve their share of the batch"))
        .arg(ranks("decode-context-parallel", "dcp", "Ranks that share a cache each would else hold whole"))
        .arg(
            Arg::new("expert-parallel")
                .long("expert-parallel")
                .visible_alias("ep")
                .action(ArgAction::SetTrue)
                .help("Deal whole experts to GPUs"),
        )
        .arg(number("sequences", "Sequences decoded together", "1").visible_alias("batch"))
        .arg(number("context", "Tokens of context each has", "1024").visible_alias("ctx"))
        .arg(
            Arg::new("format")
                .long("format")
                .short('f')
                .value_parser(["text", "markdown", "json"])
                .default_value("text")
                .help("How to print"),
        )
}

/// A number that has a default.
pub fn number(matches: &ArgMatches, name: &str) -> u32 {
    matches.get_one::<u32>(name).copied().unwrap_or_default()
}

/// The model, held as the options say, else as it is published.
pub fn model(matches: &ArgMatches) -> Result<Model, Failure> {
    let names: Vec<&str> = matches.get_many::<String>("model").into_iter().flatten().map(String::as_str).collect();
    let mut model = load(&names)?;
    if let Some(recipe) = matches.get_one::<String>("quantisation") {
        model.quantisation = quantisation(recipe, &model.architecture)?;
    }
    if let Some(&bits) = matches.get_one::<u32>("kv-bits") {
        let precision = model.quantisation.precision.with(Component::KvCache, f64::from(bits));
        model.quantisation.precision = precision;
    }
    Ok(model)
}

/// How the model is spread.
pub fn split(matches: &ArgMatches) -> Split {
    Split {
        pipeline_parallel: number(matches, "pipeline-parallel"),
        data_parallel_attention: number(matches, "data-parallel-attention"),
        expert_parallel: matches.get_flag("expert-parallel"),
        decode_context_parallel: number(matches, "decode-context-parallel"),
        ..Split::tensor(number(matches, "tensor-parallel"))
    }
}

/// The step: one token of each sequence.
pub fn step(matches: &ArgMatches) -> Step {
    Step {
        sequences: f64::from(number(matches, "sequences")),
        tokens: 1.0,
        context: f64::from(number(matches, "context")),
    }
}

/// The GPU of that name.
pub fn gpu(name: &str) -> Result<&'static Gpu, Failure> {
    hardware::find(name).ok_or_else(|| unknown("GPU", name, hardware::catalogue().iter().map(|gpu| gpu.id), "gpus"))
}

fn load(names: &[&str]) -> Result<Model, Failure> {
    let name = names.first().copied().unwrap_or_default();
    if !is_file(name) {
        if names.len() > 1 {
            return Err(Failure::usage(format!("{name} is no file: only the files of a split GGUF go together")));
        }
        let Some(found) = model::recognise(name) else {
            return Err(unknown("model", name, model::presets().iter().map(|preset| preset.id.as_str()), "models"));
        };
        let architecture = found.preset.architecture.clone();
        return Ok(Model { architecture, quantisation: found.quantisation, warnings: Vec::new() });
    }
    let reading = reading(names)?;
    let sixteen_bit = || Quantisation { name: "BF16".to_owned(), precision: Precision::flat(16.0) };
    let quantisation = reading.quantisation.unwrap_or_else(sixteen_bit);
    Ok(Model { architecture: reading.architecture, quantisation, warnings: reading.warnings })
}

/// Whether there is something to read under this name.
fn is_file(name: &str) -> bool {
    name == "-" || std::path::Path::new(name).is_file()
}

/// What a config.json says, or the files of one GGUF model.
pub fn reading(names: &[&str]) -> Result<Reading, Failure> {
    let name = names.first().copied().unwrap_or_default();
    let unusable = |error: &dyn std::fmt::Display| Failure::unusable(format!("{name}: {error}"));
    let bytes = head(name, FIRST_READ)?;
    if bytes.starts_with(b"GGUF") {
        return gguf(names, bytes)?.reading().map_err(|error| unusable(&error));
    }
    if names.len() > 1 {
        return Err(Failure::usage(format!("{name} is no GGUF file: only the files of a split GGUF go together")));
    }
    let bytes = if name == "-" { bytes } else { head(name, LONGEST_HEAD)? };
    model::read_config(&String::from_utf8_lossy(&bytes)).map_err(|error| unusable(&error))
}

/// A GGUF model, whole: the files named, with those beside them that belong to the same. The first one's
/// beginning is read already.
fn gguf(names: &[&str], beginning: Vec<u8>) -> Result<Gguf, Failure> {
    let (name, mut beginning) = (names.first().copied().unwrap_or_default(), Some(beginning));
    let mut files = Vec::new();
    for file in names.iter().flat_map(|name| split_files(name)) {
        let read = if file == name { beginning.take() } else { None };
        files.push(gguf_head(&file, read)?);
    }
    let models: BTreeSet<u32> = files.iter().map(|file| file.files).collect();
    if models.len() > 1 || (names.len() > 1 && models.contains(&1)) {
        return Err(Failure::unusable(format!("{}: not the files of one model", names.join(", "))));
    }
    let whole = Gguf::joined(files);
    match whole.incomplete() {
        Some(lack) => Err(Failure::unusable(format!("{name}: {lack}"))),
        None => Ok(whole),
    }
}

/// The head of a GGUF file, reading no more of the file than that takes.
fn gguf_head(name: &str, beginning: Option<Vec<u8>>) -> Result<Gguf, Failure> {
    let mut limit = FIRST_READ;
    let mut bytes = beginning.map_or_else(|| head(name, limit), Ok)?;
    loop {
        match model::read_gguf(&bytes) {
            Err(GgufError::NeedMore(needed)) if bytes.len() as u64 == limit && limit < LONGEST_HEAD => {
                limit = (4 * limit).max(needed as u64).min(LONGEST_HEAD);
                bytes = head(name, limit)?;
            }
            read => return read.map_err(|error| Failure::unusable(format!("{name}: {error}"))),
        }
    }
}

/// A file, or all files there are of the split model that its name says it is part of: `m-00001-of-00003.gguf`.
fn split_files(name: &str) -> Vec<String> {
    let parts = || {
        let (stem, last) = name.strip_suffix(".gguf")?.rsplit_once("-of-")?;
        let (stem, first) = stem.rsplit_once('-')?;
        let number = |digits: &str| digits.parse::<u16>().ok().filter(|_| digits.len() == 5);
        number(first)?;
        Some((stem, number(last)?))
    };
    let Some((stem, count)) = parts() else { return vec![name.to_owned()] };
    let all = (1..=count).map(|number| format!("{stem}-{number:05}-of-{count:05}.gguf"));
    all.filter(|other| other == name || is_file(other)).collect()
}

/// The first bytes of a file; of standard input, which cannot be read again, all.
fn head(name: &str, limit: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if name == "-" {
        std::io::stdin().take(LONGEST_HEAD).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(name).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    Ok(bytes)
}

fn quantisation(recipe: &str, architecture: &Architecture) -> Result<Quantisation, Failure> {
    if let Some(known) = Quantisation::by_recipe_for(recipe, architecture).map_err(Failure::usage)? {
        return Ok(known);
    }
    let Ok(text) = std::fs::read_to_string(recipe) else {
        let known = Quantisation::recipes().join(", ");
        let message = format!("unknown quantisation {recipe}: known are {known}, and GGUF mixes such as q4_k_m");
        return Err(Failure::usage(message));
    };
    let declared = model::read_quantisation(&text, architecture);
    let declared = declared.map_err(|error| Failure::unusable(format!("{recipe}: {error}")))?;
    declared.ok_or_else(|| Failure::unusable(format!("{recipe}: says nothing of a quantisation")))
}
