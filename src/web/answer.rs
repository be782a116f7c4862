//! The answer, above the fold: the verdict and the figures that matter.

use super::spoken::Spoken;
use super::state::State;
use crate::report::{NO_TIMINGS, key_figures, verdict};
use leptos::prelude::*;

/// The verdict and the key figures.
#[component]
pub fn Answer() -> impl IntoView {
    let state = State::expect();
    let said = state.derive(verdict);
    let doubts = Memo::new(move |_| said.with(|said| said.doubts.clone()));
    let figures = state.derive(key_figures);
    view! {
        <section class="answer" aria-labelledby="headline">
            <p class="origin">{move || origin(state)}</p>
            <h1 id="headline">{move || said.with(|said| said.headline.clone())}</h1>
            <div role="alert">
                <ul class="doubts">
                    {move || doubts.get().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
                </ul>
            </div>
            <dl class="figures">
                {move || figures.get().into_iter().map(|figure| view! {
                    <div class="figure" data-figure=figure.key>
                        <dt>{figure.label}</dt>
                        <dd class="value">{figure.value}</dd>
                        <dd class="note">{figure.note}</dd>
                    </div>
                }).collect_view()}
            </dl>
            <Spoken figures=figures/>
            <div class="verdict">
                {move || said.with(|said| said.sentences.clone()).into_iter().map(|text| view! { <p>{text}</p> }).collect_view()}
                <p class="caveat">{NO_TIMINGS}</p>
            </div>
            <div class="next" hidden=move || said.with(|said| said.next.is_empty())>
                <h2>"What one would do next"</h2>
                <ul>
                    {move || said.with(|said| said.next.clone()).into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
                </ul>
            </div>
        </section>
    }
}

/// What the page is showing, in a line.
fn origin(state: State) -> String {
    let scenario = state.scenario();
    match &scenario.measured {
        Some(_) if scenario.is_unchanged_example() => {
            "Worked example: GLM-5 in 4-bit GGUF on eight RTX PRO 6000 over PCIe, one request".to_owned()
        }
        Some(_) if scenario.is_example() => "Worked example, with changed numbers".to_owned(),
        Some(measured) => {
            let set = measured.selected();
            let unnamed = measured.sets.iter().all(|set| set.selection.model.is_none());
            let other = if unnamed { "a model it does not name" } else { "several models" };
            let model = measured.model_name().unwrap_or(other);
            format!("{}: {} serving {model}", measured.name, set.product)
        }
        None => "No dump: what is shown follows from the inputs alone".to_owned(),
    }
}
