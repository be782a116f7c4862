//! Everything a person can set, in groups.

use super::field::NumberField;
use super::platform::media;
use super::state::{Action, State};
use crate::report::what_if_figures;
use crate::scenario::{Field, Group, ModelChoice};
use crate::units::format::show;
use crate::{hardware, model};
use leptos::prelude::*;

/// The groups of inputs.
#[component]
pub fn Inputs() -> impl IntoView {
    // Where the inputs stand above the charts, all of them open would push the charts out of sight.
    let wide = media::matches("(min-width: 1001px)");
    view! {
        <FieldGroup group=Group::WhatIf title="What if" open=true><Outlook/></FieldGroup>
        <FieldGroup group=Group::Model title="Model" open=wide><ModelPicker/></FieldGroup>
        <FieldGroup group=Group::Hardware title="Hardware" open=wide><GpuPicker/></FieldGroup>
        <FieldGroup group=Group::Measurement title="Measurement and load" open=wide/>
        <FieldGroup group=Group::Allreduce title="Allreduce and its evidence" open=wide/>
    }
}

#[component]
fn FieldGroup(
    group: Group,
    title: &'static str,
    open: bool,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let fields = Field::ALL.iter().copied().filter(move |field| field.spec().group == group);
    view! {
        <details class="group" open=open>
            <summary><h2>{title}</h2></summary>
            <div class="fields">
                {children.map(|children| children())}
                {fields.map(|field| view! { <NumberField field=field/> }).collect_view()}
            </div>
        </details>
    }
}

/// What the changes under trial come to, beside the sliders that make them.
#[component]
fn Outlook() -> impl IntoView {
    let state = State::expect();
    let outlook = Memo::new(move |_| state.analysis.with(what_if_figures));
    view! {
        <dl class="outlook">
            {move || outlook.get().into_iter().map(|figure| view! {
                <div data-figure=figure.key><dt>{figure.label}</dt><dd><strong>{figure.value}</strong>" "{figure.note}</dd></div>
            }).collect_view()}
        </dl>
    }
}

/// The value of the option that stands for nothing chosen.
const NONE: &str = "";
/// The value of the option that stands for a pasted configuration.
const CUSTOM: &str = "custom";

#[component]
fn ModelPicker() -> impl IntoView {
    let state = State::expect();
    let chosen = state.read(|scenario| scenario.model.clone());
    let custom = move || match chosen.get() {
        Some(ModelChoice::Custom(architecture)) => Some(architecture.name),
        _ => None,
    };
    let value = move || match chosen.get() {
        Some(ModelChoice::Preset(id)) => id,
        Some(ModelChoice::Custom(_)) => CUSTOM.to_owned(),
        None => NONE.to_owned(),
    };
    let choose = move |id: String| match id.as_str() {
        NONE => state.apply(Action::Model(None)),
        CUSTOM => {}
        _ => state.apply(Action::Model(Some(ModelChoice::Preset(id)))),
    };
    view! {
        <div class="picker">
            <label for="model">"Architecture"</label>
            <select id="model" prop:value=value on:change=move |event| choose(event_target_value(&event))>
                <option value=NONE selected=move || value() == NONE>"not known"</option>
                {move || custom().map(|name| view! { <option value=CUSTOM selected=true>{name}</option> })}
                {model::presets()
                    .iter()
                    .map(|preset| view! { <option value=preset.id.as_str() selected=move || value() == preset.id>{preset.name.as_str()}</option> })
                    .collect_view()}
            </select>
            <p class="hint">"Or paste a model's config.json."</p>
        </div>
    }
}

/// Which bandwidth the catalogue offers, and of what kind.
fn gpu_hint(id: &str) -> String {
    let Some(gpu) = hardware::find(id) else { return "No metrics endpoint names the hardware.".to_owned() };
    let datasheet = show(gpu.bandwidth);
    match gpu.achieved_bandwidth {
        Some(achieved) => format!(
            "Datasheet {datasheet}; published measurements reach {achieved}, used here.",
            achieved = show(achieved)
        ),
        None => format!("Datasheet {datasheet}; no measurement is published, so what it delivers is less."),
    }
}

#[component]
fn GpuPicker() -> impl IntoView {
    let state = State::expect();
    let chosen = state.read(|scenario| scenario.gpu.clone().unwrap_or_default());
    let left_over = state.read(|scenario| scenario.left_over.gpu);
    let choose = move |id: String| state.apply(Action::Gpu((id != NONE).then_some(id)));
    view! {
        <div class="picker" class:attention=move || left_over.get()>
            <label for="gpu">"GPU"</label>
            <select id="gpu" prop:value=move || chosen.get() on:change=move |event| choose(event_target_value(&event))>
                <option value=NONE selected=move || chosen.get() == NONE>"not known"</option>
                {hardware::catalogue()
                    .iter()
                    .map(|gpu| view! { <option value=gpu.id selected=move || chosen.get() == gpu.id>{gpu.name}</option> })
                    .collect_view()}
            </select>
            <p class="hint">
                {move || if left_over.get() {
                    "Still the worked example's GPU: no dump names it, so set your own.".to_owned()
                } else {
                    gpu_hint(&chosen.get())
                }}
            </p>
        </div>
    }
}
