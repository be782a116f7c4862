//! What one GPU keeps against what it can.

use super::{Served, group, grouped, segment};
use crate::chart::{Chart, SegmentRole, Stack, StackBar, StackScale};
use crate::model::{self, Component};
use crate::report::Figure;
use crate::units::Bytes;
use crate::units::format::{count, show};

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
        "Weights of {} and a KV cache of {} for {} × {} tokens, over {} GPUs. What the engine itself takes \
         (activations, CUDA graphs, its reserve) is not counted.",
        show(weights),
        show(cache),
        count(served.today.sequences),
        count(served.today.context),
        served.split.gpus(),
    );
    let chart = Chart::Stack(Stack { title: "What a GPU's memory holds".to_owned(), bars, scale: StackScale::Shared });
    Some(Figure { key: "memory", chart, notes: vec![verdict, note] })
}
