//! Which model, and which GPU.

use super::choices::Choice;
use super::combobox::Combobox;
use super::platform::{focus, scroll};
use super::state::{Action, State};
use crate::hardware::Gpu;
use crate::model::Architecture;
use crate::scenario::{Configured, GpuChoice, ModelChoice};
use crate::units::format::{show, significant};
use crate::{hardware, model};
use leptos::prelude::*;

/// The key of nothing chosen.
const NONE: &str = "";
/// What the list calls a GPU that it does not have.
const OWN_LABEL: &str = "Your own GPU";
/// The key of a pasted configuration.
const CUSTOM: &str = "custom";
/// The key of the way to one.
const PASTE: &str = "paste";

fn not_known() -> Choice {
    Choice { label: "not known".to_owned(), always: true, ..Choice::default() }
}

fn models() -> Vec<Choice> {
    let billions = |parameters: u64| significant(parameters as f64 / 1e9, 3);
    let of = |preset: &model::Preset| {
        let totals = preset.architecture.totals();
        let (all, read) = (billions(totals.total), billions(totals.active_excluding_input_embedding));
        Choice {
            key: preset.id.clone(),
            label: preset.name.clone(),
            note: if all == read { format!("{all} B") } else { format!("{all} B, {read} B a token") },
            names: preset.other_names.clone(),
            always: false,
        }
    };
    model::presets().iter().map(of).collect()
}

/// The model that a served name means: a repository, a path, or a name with its quantisation.
fn meant_model(name: &str) -> Option<String> {
    model::recognise(name).map(|named| named.preset.id.clone())
}

/// A known model with the weights that its name says.
fn held_as_named(named: model::Recognised) -> ModelChoice {
    let known = &named.preset.architecture;
    let architecture = Architecture { name: format!("{}, {}", known.name, named.quantisation.name), ..known.clone() };
    ModelChoice::Custom(Box::new(Configured { architecture, quantisation: Some(named.quantisation) }))
}

/// The model's architecture.
#[component]
pub fn ModelPicker() -> impl IntoView {
    let state = State::expect();
    let chosen = state.read(|scenario| scenario.model.clone());
    let known = StoredValue::new(models());
    let choices = Memo::new(move |_| {
        let custom = chosen.with(|chosen| match chosen {
            Some(ModelChoice::Custom(configured)) => Some(configured.architecture.name.clone()),
            _ => None,
        });
        let custom = custom.map(|name| Choice {
            key: CUSTOM.to_owned(),
            label: name,
            note: "as pasted or named".to_owned(),
            always: true,
            ..Choice::default()
        });
        let paste = Choice {
            key: PASTE.to_owned(),
            label: "Another: paste its config.json…".to_owned(),
            always: true,
            ..Choice::default()
        };
        known.with_value(|known| custom.into_iter().chain([not_known(), paste]).chain(known.iter().cloned()).collect())
    });
    let key = Memo::new(move |_| match chosen.get() {
        Some(ModelChoice::Preset(id)) => id,
        Some(ModelChoice::Custom(_)) => CUSTOM.to_owned(),
        None => NONE.to_owned(),
    });
    let choose = move |(key, typed): (String, String)| match key.as_str() {
        NONE => state.apply(Action::Model(None)),
        CUSTOM => {}
        PASTE => {
            scroll::to_nearest(".import");
            focus::on("dump");
        }
        _ => {
            // A name that says how the weights are held is taken at its word.
            let named = model::recognise(&typed).filter(|named| named.quantisation_named && named.preset.id == key);
            state.apply(Action::Model(Some(match named {
                Some(named) => held_as_named(named),
                None => ModelChoice::Preset(key),
            })));
        }
    };
    let hint = state.read(|scenario| match scenario.served_model() {
        Some(served) => {
            let held = if served.quantisation_named { "" } else { ", as it is published" };
            format!("Measured: the served name says so. Weights: {}{held}.", served.quantisation.name)
        }
        None => "Or paste a model’s config.json.".to_owned(),
    });
    view! {
        <div class="picker">
            <Combobox id="model" label="Architecture" choices=choices chosen=key choose=choose none="No model of this name." means=meant_model/>
            <p class="hint">{move || hint.get()}</p>
        </div>
    }
}

fn gpus() -> Vec<Choice> {
    let own = Choice {
        key: Gpu::OWN.to_owned(),
        label: OWN_LABEL.to_owned(),
        note: "memory, bandwidth, FLOP/s".to_owned(),
        always: true,
        ..Choice::default()
    };
    let known = hardware::catalogue().iter().map(|gpu| Choice {
        key: gpu.id.to_owned(),
        label: gpu.name.clone().into_owned(),
        note: format!("{:.0} GiB, {}", gpu.memory_gib(), show(gpu.bandwidth)),
        names: gpu.aliases().map(str::to_owned).collect(),
        always: false,
    });
    [not_known(), own].into_iter().chain(known).collect()
}

/// Which bandwidth the catalogue offers, and of what kind.
fn gpu_hint(gpu: Option<&GpuChoice>) -> String {
    let known = match gpu {
        Some(GpuChoice::Own(_)) => {
            return "Type what it can below: bandwidth first, then memory and matrix rate. Its link and the allreduce's \
                    latency count where several share a layer."
                .to_owned();
        }
        Some(GpuChoice::Known(id)) => hardware::find(id),
        None => None,
    };
    let Some(gpu) = known else { return "No metrics endpoint names the hardware.".to_owned() };
    let datasheet = show(gpu.bandwidth);
    match gpu.achieved_bandwidth {
        Some(achieved) => {
            format!("Datasheet {datasheet}; published measurements reach {}, used here.", show(achieved))
        }
        None => format!("Datasheet {datasheet}; no measurement is published, so what it delivers is less."),
    }
}

/// The GPU, one of the catalogue's or a person's own.
#[component]
pub fn GpuPicker() -> impl IntoView {
    let state = State::expect();
    let chosen = state.read(|scenario| scenario.gpu.clone());
    let left_over = state.read(|scenario| scenario.left_over.gpu);
    let choices = StoredValue::new(gpus());
    let key = Memo::new(move |_| chosen.with(|gpu| gpu.as_ref().map_or(NONE, GpuChoice::id).to_owned()));
    let choose = move |(key, typed): (String, String)| {
        let gpu = match key.as_str() {
            NONE => None,
            // Whoever typed what the list calls it has not given it a name.
            Gpu::OWN if OWN_LABEL.to_lowercase().contains(&typed.trim().to_lowercase()) => Some(GpuChoice::own("")),
            Gpu::OWN => Some(GpuChoice::own(&typed)),
            _ => Some(GpuChoice::Known(key)),
        };
        state.apply(Action::Gpu(gpu));
    };
    let own = Memo::new(move |_| match chosen.get() {
        Some(GpuChoice::Own(name)) => Some(name),
        _ => None,
    });
    view! {
        <div class="picker" class:attention=move || left_over.get()>
            <Combobox
                id="gpu"
                label="GPU"
                choices=Signal::derive(move || choices.get_value())
                chosen=key
                choose=choose
                none="No GPU of this name."
                means=|name| hardware::find(name).map(|gpu| gpu.id.to_owned())
            />
            <Show when=move || own.with(Option::is_some)>
                <label for="gpu-name">"Its name"</label>
                <input
                    id="gpu-name"
                    type="text"
                    autocomplete="off"
                    maxlength="60"
                    placeholder="your GPU"
                    prop:value=move || own.get().unwrap_or_default()
                    on:change=move |event| state.apply(Action::Gpu(Some(GpuChoice::own(&event_target_value(&event)))))
                />
            </Show>
            <p class="hint">
                {move || if left_over.get() {
                    "Still the worked example's GPU: no dump names it, so set your own.".to_owned()
                } else {
                    gpu_hint(chosen.get().as_ref())
                }}
            </p>
        </div>
    }
}
