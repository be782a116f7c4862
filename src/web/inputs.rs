//! Everything a person can set, in groups.

use super::field::NumberField;
use super::pickers::{GpuPicker, ModelPicker};
use super::platform::media;
use super::state::State;
use crate::report::what_if_figures;
use crate::scenario::{Field, Group};
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
