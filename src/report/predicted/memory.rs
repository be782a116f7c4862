//! What one GPU keeps against what it can.

use super::{Served, group, grouped, segment};
use crate::chart::{Chart, SegmentRole, Stack, StackBar, StackScale};
use crate::model::{self, Component};
use crate::prediction::Workload;
use crate::report::Figure;
use crate::units::format::{count, many, show};
use crate::units::{Bytes, Ratio};

/// What one GPU holds against what it can.
pub(super) fn memory(served: &Served) -> Option<Figure> {
    if !served.gpu.memory.is_finite() {
        return None;
    }
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
        "Weights of {} and a KV cache of {} for {} of {}, over {}. What the engine itself takes \
         (activations, CUDA graphs, its reserve) is not counted.",
        show(weights),
        show(cache),
        many(served.today.sequences, "stream"),
        many(served.today.context, "token"),
        many(f64::from(served.split.gpus()), "GPU"),
    );
    let chart = Chart::Stack(Stack { title: "What a GPU's memory holds".to_owned(), bars, scale: StackScale::Shared });
    Some(Figure { key: "memory", chart, notes: [verdict, note].into_iter().chain(servers_cache(served)).collect() })
}

/// What the server says its cache holds, beside what our count leaves for it.
///
/// # Formula
/// (memory × share − weights) / bytes of cache per token
///
/// # Limits
/// The engine takes some of that for activations and CUDA graphs, so the server's figure is mostly the smaller. Where
/// layers keep a window or a state instead of every token, a token's bytes are an average over today's context.
fn servers_cache(served: &Served) -> Option<String> {
    let (capacity, share) = served.server;
    let capacity = capacity?;
    let (weights, cache) = served.resident(&Workload { sequences: 1.0, ..served.today });
    let per_token = cache / served.today.context.max(1.0);
    if per_token.get() <= 0.0 {
        return None;
    }
    let wanted = served.today.sequences * served.today.context;
    let said = format!(
        "The server says that its KV cache holds {} tokens (measured), {} on each GPU; today's load fills {} of it.",
        count(capacity.floor()),
        show(per_token * capacity),
        show(Ratio::new(wanted / capacity)),
    );
    let known = share.filter(|share| *share <= 1.0);
    let left = served.gpu.memory * known.unwrap_or(USUAL_SHARE) - weights;
    let of = format!(
        "{} of the memory ({})",
        show(Ratio::new(known.unwrap_or(USUAL_SHARE))),
        if known.is_some() { "measured" } else { "vLLM's default" }
    );
    let ours = if left.get() > 0.0 {
        format!(" By our count the weights leave room for {} in {of}.", count((left / per_token).floor()))
    } else {
        format!(" By our count the weights do not even fit in {of}: model, GPU or split are other than the server's.")
    };
    Some(said + &ours)
}

/// The share of the memory that vLLM takes unless told otherwise.
const USUAL_SHARE: f64 = 0.9;
