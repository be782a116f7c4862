//! `decodescope models` and `decodescope gpus`: what the catalogues hold.

use crate::Outcome;
use decodescope::report::Document;
use decodescope::units::format::{count, show};
use decodescope::{hardware, model};

/// The models known.
pub fn models() -> Outcome {
    let rows = model::presets().iter().map(|preset| {
        let architecture = &preset.architecture;
        let totals = architecture.totals();
        let billions = |parameters: f64| format!("{:.1} B", parameters / 1e9);
        vec![
            preset.id.clone(),
            preset.name.clone(),
            billions(totals.total as f64),
            billions(totals.active_excluding_input_embedding as f64),
            count(f64::from(architecture.layer_count())),
        ]
    });
    table(&["id", "model", "parameters", "read per token", "layers"], rows.collect())
}

/// The GPUs known.
pub fn gpus() -> Outcome {
    let rows = hardware::catalogue().iter().map(|gpu| {
        vec![
            gpu.id.to_owned(),
            gpu.name.clone().into_owned(),
            format!("{:.0} GiB", gpu.memory_gib()),
            show(gpu.bandwidth).to_string(),
            gpu.achieved_bandwidth.map_or("—".to_owned(), |achieved| show(achieved).to_string()),
            gpu.source.to_owned(),
        ]
    });
    table(&["id", "GPU", "memory", "bandwidth", "achieved", "source"], rows.collect())
}

fn table(header: &[&str], rows: Vec<Vec<String>>) -> Outcome {
    let mut document = Document::default();
    document.table(header, rows);
    Outcome { text: document.to_text(), usable: true }
}
