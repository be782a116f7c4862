//! `decodescope model`: an architecture's parameters, bytes and memory.

use crate::serving::{self, Model};
use crate::{Failure, Outcome};
use clap::{Arg, ArgMatches, Command};
use decodescope::hardware::Gpu;
use decodescope::model::{Component, DecodeRead, Split, Step, decode_step};
use decodescope::paste::Warning;
use decodescope::report::{Block, Document};
use decodescope::units::Bytes;
use decodescope::units::format::show;
use serde::Serialize;

/// The name and version of the JSON contract; within one, fields are only added.
const SCHEMA: &str = "decodescope.model/1";

/// The command.
pub fn command() -> Command {
    serving::with_options(
        Command::new("model").about("Count a model's parameters, what a step reads, and whether it fits"),
    )
    .arg(
        Arg::new("gpu")
            .long("gpu")
            .value_name("GPU")
            .help("A GPU's id (see decodescope gpus), to tell whether it fits"),
    )
}

/// One component's weights, or what it leaves in memory.
#[derive(Serialize)]
struct Part {
    component: Component,
    parameters: u64,
    active_per_token: f64,
    sharded: u64,
    replicated: u64,
    bits: f64,
    bytes_per_step_per_gpu: f64,
}

/// Everything the command tells; bytes are bytes, counts are counts.
#[derive(Serialize)]
struct Account<'a> {
    schema: &'static str,
    name: &'a str,
    quantisation: &'a str,
    layers: u32,
    hidden: u32,
    vocabulary: u32,
    tied_embeddings: bool,
    allreduces: u32,
    total: u64,
    active: u64,
    active_excluding_input_embedding: u64,
    per_gpu: f64,
    embedding: u64,
    lm_head: u64,
    routed_experts: u64,
    prediction: u64,
    components: Vec<Part>,
    split: Split,
    gpus: u32,
    sequences: f64,
    context: f64,
    bytes_per_step_per_gpu: f64,
    bytes_per_token_per_gpu: f64,
    flops_per_step_per_gpu: f64,
    kv_elements_per_token: f64,
    kv_bytes_per_token: f64,
    kv_bytes_per_token_per_gpu: f64,
    indexer_bytes_per_token_per_gpu: f64,
    windowed_bytes_per_token: f64,
    window: u32,
    indexer_bytes_per_token: f64,
    state_bytes_per_sequence: f64,
    resident_weights_bytes: f64,
    resident_cache_bytes: f64,
    resident_bytes: f64,
    gpu: Option<&'static str>,
    gpu_memory_bytes: Option<f64>,
    fits: Option<bool>,
    warnings: &'a [Warning],
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let model = serving::model(matches)?;
    let gpu = matches.get_one::<String>("gpu").map(|name| serving::gpu(name)).transpose()?;
    let account = account(&model, serving::split(matches), &serving::step(matches), gpu);
    let text = match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => serde_json::to_string_pretty(&account).unwrap_or_default() + "\n",
        Some("markdown") => document(&account, gpu).to_markdown(),
        _ => document(&account, gpu).to_text(),
    };
    Ok(Outcome { text, usable: true })
}

fn account<'a>(model: &'a Model, split: Split, step: &Step, gpu: Option<&'static Gpu>) -> Account<'a> {
    let (architecture, precision) = (&model.architecture, &model.quantisation.precision);
    let totals = architecture.totals();
    let read = decode_step(architecture, precision, &split, step);
    let counted = architecture.components();
    let of = |component: Component| counted.iter().find(|count| count.component == component);
    let components = Component::ALL.into_iter().filter_map(|component| {
        let bytes = read.of(component).get();
        let count = of(component);
        (count.is_some() || bytes > 0.0).then(|| Part {
            component,
            parameters: count.map_or(0, |count| count.parameters),
            active_per_token: count.map_or(0.0, |count| count.active_per_token),
            sharded: count.map_or(0, |count| count.sharded),
            replicated: count.map_or(0, |count| count.replicated),
            bits: precision.bits(component),
            bytes_per_step_per_gpu: bytes,
        })
    });
    let cache = architecture.cache_totals();
    let bytes = |component: Component, elements: f64| elements * precision.bits(component) / 8.0;
    let kv = bytes(Component::KvCache, cache.per_token);
    let indexer = bytes(Component::IndexerKeys, cache.indexer_per_token);
    // Of keys and values alone, and of the indexer's keys alone: the other's bits are set to none.
    let kept = |without: Component| {
        let precision = precision.clone().with(without, 0.0);
        kept_per_token(&|context| {
            decode_step(architecture, &precision, &split, &Step { sequences: 1.0, tokens: 1.0, context })
        })
    };
    let resident = read.resident_weights + read.resident_cache;
    Account {
        schema: SCHEMA,
        name: &architecture.name,
        quantisation: &model.quantisation.name,
        layers: architecture.layer_count(),
        hidden: architecture.hidden,
        vocabulary: architecture.vocabulary,
        tied_embeddings: architecture.tied_embeddings,
        allreduces: architecture.allreduces(),
        total: totals.total,
        active: totals.active,
        active_excluding_input_embedding: totals.active_excluding_input_embedding,
        per_gpu: totals.per_gpu(split.tensor_parallel),
        embedding: totals.embedding,
        lm_head: totals.lm_head,
        routed_experts: totals.routed_experts,
        prediction: totals.prediction,
        components: components.collect(),
        gpus: split.gpus(),
        sequences: step.sequences,
        context: step.context,
        bytes_per_step_per_gpu: read.total().get(),
        bytes_per_token_per_gpu: read.total().get() / step.sequences.max(1.0),
        flops_per_step_per_gpu: read.flops().get(),
        kv_elements_per_token: cache.per_token,
        kv_bytes_per_token: kv,
        kv_bytes_per_token_per_gpu: kept(Component::IndexerKeys),
        indexer_bytes_per_token_per_gpu: kept(Component::KvCache),
        windowed_bytes_per_token: bytes(Component::KvCache, cache.windowed_per_token),
        window: cache.window,
        indexer_bytes_per_token: indexer,
        state_bytes_per_sequence: bytes(Component::RecurrentState, cache.state),
        resident_weights_bytes: read.resident_weights.get(),
        resident_cache_bytes: read.resident_cache.get(),
        resident_bytes: resident.get(),
        split,
        gpu: gpu.map(|gpu| gpu.id),
        gpu_memory_bytes: gpu.map(|gpu| gpu.memory.get()),
        fits: gpu.map(|gpu| resident <= gpu.memory),
        warnings: &model.warnings,
    }
}

/// What one more token of context leaves on a GPU for good, once every window is full.
fn kept_per_token(read: &dyn Fn(f64) -> DecodeRead) -> f64 {
    const LONG: f64 = 16_777_216.0;
    (read(2.0 * LONG).resident_cache - read(LONG).resident_cache).get() / LONG
}

fn billions(parameters: f64) -> String {
    match parameters {
        0.0 => "0".to_owned(),
        few if few < 1e6 => format!("{:.1} k", few / 1e3),
        some if some < 1e9 => format!("{:.1} M", some / 1e6),
        many => format!("{:.2} B", many / 1e9),
    }
}

fn document(account: &Account, gpu: Option<&Gpu>) -> Document {
    let size = |bytes: f64| show(Bytes::new(bytes)).to_string();
    let mut document = Document::default();
    document.blocks.push(Block::Heading(1, account.name.to_owned()));
    let experts = account.total as f64 / account.active_excluding_input_embedding.max(1) as f64;
    let per_token = if experts > 1.5 { ", of which a token uses " } else { "; a token uses " };
    document.paragraph(format!(
        "{} parameters{per_token}{}, in {} layers of width {}. Weights: {}.",
        billions(account.total as f64),
        billions(account.active_excluding_input_embedding as f64),
        account.layers,
        account.hidden,
        account.quantisation,
    ));
    let parts = account.components.iter().map(|part| {
        vec![
            part.component.to_string(),
            if part.component.is_weights() { billions(part.parameters as f64) } else { "—".to_owned() },
            format!("{:.3}", part.bits).trim_end_matches('0').trim_end_matches('.').to_owned(),
            size(part.bytes_per_step_per_gpu),
        ]
    });
    document.table(&["component", "parameters", "bits", "read per step and GPU"], parts.collect());
    document.section(&match account.gpus {
        1 => "On one GPU".to_owned(),
        gpus => format!("On each of {gpus} GPUs"),
    });
    let count = |number: f64| decodescope::units::format::count(number);
    let load = format!("{} × {} tokens of context", count(account.sequences), count(account.context));
    let mut rows = vec![
        vec!["parameters (tensor parallel alone)".to_owned(), billions(account.per_gpu)],
        vec![format!("read per step ({load})"), size(account.bytes_per_step_per_gpu)],
        vec!["read per token".to_owned(), size(account.bytes_per_token_per_gpu)],
        vec!["weights in memory".to_owned(), size(account.resident_weights_bytes)],
        vec![format!("cache and state in memory ({load})"), size(account.resident_cache_bytes)],
        vec!["keys and values per further token of context".to_owned(), size(account.kv_bytes_per_token_per_gpu)],
    ];
    if account.indexer_bytes_per_token_per_gpu > 0.0 {
        let keys = size(account.indexer_bytes_per_token_per_gpu);
        rows.push(vec!["indexer keys per further token of context".to_owned(), keys]);
    }
    if account.state_bytes_per_sequence > 0.0 {
        rows.push(vec!["state per sequence, all GPUs".to_owned(), size(account.state_bytes_per_sequence)]);
    }
    document.table(&["", "amount"], rows);
    if let Some((gpu, fits)) = gpu.zip(account.fits) {
        let (needed, memory) = (size(account.resident_bytes), show(gpu.memory));
        let verdict = if fits { "It fits" } else { "It does not fit" };
        document.paragraph(format!(
            "{verdict}: weights, cache and state take {needed} of the {memory} of a {}, before activations and the engine's own.",
            gpu.name
        ));
    }
    document.list(account.warnings.iter().map(|warning| warning.message.clone()).collect());
    document
}
