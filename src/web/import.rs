//! Where a dump comes in, what became of it, and which part of it is looked at.

use super::intake::{sentence, take};
use super::platform::file;
use super::platform::transfer::Transfer;
use super::state::{Action, State, Views};
use crate::metrics::Outcome;
use crate::scenario::EXAMPLE_DUMP;
use leptos::prelude::*;

/// How many remarks are listed before the rest is only counted.
const MOST_REMARKS: usize = 50;
/// How many metric names are listed before the rest is only counted.
const MOST_NAMES: usize = 500;

/// The text field, the file button, and what became of the last input.
#[component]
pub fn ImportPanel() -> impl IntoView {
    let state = State::expect();
    let text = RwSignal::new(String::new());
    let files = NodeRef::<leptos::html::Input>::new();
    let read = move || {
        let content = text.get_untracked();
        if !content.trim().is_empty() {
            take(state, Transfer::text(&content));
        }
    };
    view! {
        <section class="import" aria-labelledby="import-title">
            <h2 id="import-title">"Your server's metrics"</h2>
            <label class="visually-hidden" for="dump">"Text of a /metrics dump"</label>
            <textarea
                id="dump"
                rows="3"
                spellcheck="false"
                placeholder="Paste what curl -s localhost:8000/metrics prints. Or drop a file anywhere."
                prop:value=move || text.get()
                // A paste is read at once and leaves the field as it is; what is typed by hand waits for the button.
                data-reads-pastes="true"
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
            <div class="buttons">
                <button type="button" class="primary" on:click=move |_| read() disabled=move || text.with(|t| t.trim().is_empty())>"Read"</button>
                <button type="button" on:click=move |_| if let Some(input) = files.get() { input.click() }>"Choose a file…"</button>
                <button type="button" on:click=move |_| { text.set(EXAMPLE_DUMP.to_owned()); read() } title="Puts the worked example's dump into the field and reads it">"Sample"</button>
                <input
                    node_ref=files
                    type="file"
                    multiple=true
                    class="visually-hidden"
                    tabindex="-1"
                    aria-label="Choose files with metrics"
                    on:change=move |_| if let Some(input) = files.get() { take(state, Transfer::files(file::take_chosen(&input))) }
                />
            </div>
            <p class="privacy">"Nothing you paste leaves this browser."</p>
            <ImportOutcome/>
            <SpanPicker/>
            <SelectionPicker/>
        </section>
    }
}

#[component]
fn ImportOutcome() -> impl IntoView {
    let state = State::expect();
    let import = state.import;
    let summary = move || {
        import.with(|import| {
            let lines: usize = import.names.iter().map(|name| name.samples).sum();
            Some(match import.outcome? {
                Outcome::NotMetrics => format!("{}: not metrics text; what was on the page stays", import.name),
                Outcome::NothingUsable => format!(
                    "{}: {} read, nothing usable among them; what was on the page stays",
                    import.name,
                    counted(lines, "sample")
                ),
                Outcome::Fine => format!(
                    "{}: {} of {} read",
                    import.name,
                    counted(lines, "sample"),
                    counted(import.names.len(), "metric")
                ),
            })
        })
    };
    let failed = move || import.with(|import| import.outcome.is_some_and(|outcome| outcome != Outcome::Fine));
    let remarks = move || import.with(|import| import.warnings.len());
    view! {
        <p class="outcome" class:failed=failed role="status">{summary}</p>
        <Show when=move || import.with(|import| !import.names.is_empty())>
            <details class="remarks">
                <summary>{move || import.with(|import| format!("{} in it", counted(import.names.len(), "metric name")))}</summary>
                <ul>
                    {move || import.with(|import| import.names.iter().take(MOST_NAMES).map(|name| {
                        let meaning = name.meaning.map(|meaning| format!(", read as {}", meaning.title())).unwrap_or_default();
                        view! { <li><code>{name.name.clone()}</code>{format!(" × {}{meaning}", name.samples)}</li> }
                    }).collect_view())}
                </ul>
            </details>
        </Show>
        <Show when=move || remarks() != 0>
            <details class="remarks" open=failed>
                <summary>{move || format!("{} on it", counted(remarks(), "remark"))}</summary>
                <ul>
                    {move || import.with(|import| {
                        import.warnings.iter().take(MOST_REMARKS).map(|warning| view! { <li>{sentence(&warning.to_string())}</li> }).collect_view()
                    })}
                    {move || (remarks() > MOST_REMARKS).then(|| view! { <li>{format!("And {} more.", remarks() - MOST_REMARKS)}</li> })}
                </ul>
            </details>
        </Show>
    }
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The parts of a dump of several models or engines; all together by default.
#[component]
fn SelectionPicker() -> impl IntoView {
    let state = State::expect();
    let selections = state.read(|scenario| scenario.measured.as_ref().map(|m| m.selections()).unwrap_or_default());
    let chosen = state.read(|scenario| scenario.measured.as_ref().map(|m| m.selection.clone()).unwrap_or_default());
    let place = move || selections.with(|all| all.iter().position(|one| *one == chosen.get())).unwrap_or(0);
    let choose = move |place: usize| {
        if let Some(selection) = selections.with(|all| all.get(place).cloned()) {
            state.apply(Action::Select(selection));
        }
    };
    view! {
        <Show when=move || selections.with(|all| all.len() > 1)>
            <div class="picker">
                <label for="selection">"Look at"</label>
                <select id="selection" on:change=move |event| if let Ok(place) = event_target_value(&event).parse() { choose(place) }>
                    {move || selections.get().into_iter().enumerate().map(|(index, selection)| view! {
                        <option value=index.to_string() selected=move || place() == index>{selection.to_string()}</option>
                    }).collect_view()}
                </select>
            </div>
        </Show>
    }
}

/// Since the server started, between the scrapes, or as several servers, where several scrapes came in; and what they
/// were taken for.
#[component]
fn SpanPicker() -> impl IntoView {
    let state = State::expect();
    let shown = state
        .read(|scenario| scenario.measured.as_ref().map(|measured| (measured.sets.clone(), measured.windows.len())));
    // Nothing where the page shows something else by now.
    let place = Memo::new(move |_| {
        let (sets, windows) = shown.get()?;
        state.views.with(|views| {
            let choices = &views.as_ref()?.choices;
            choices.iter().position(|(_, one)| one.sets == sets && one.windows.len() == windows)
        })
    });
    let choose = move |place: usize| {
        let chosen = state.views.with_untracked(|views| Some(views.as_ref()?.choices.get(place)?.1.clone()));
        if let Some(chosen) = chosen {
            state.apply(Action::Adopt(Box::new(chosen)));
        }
    };
    let labels = move || {
        let labels = |views: &Views| views.choices.iter().map(|(label, _)| label.clone()).collect::<Vec<_>>();
        state.views.with(|views| views.as_ref().map(labels)).unwrap_or_default()
    };
    view! {
        <Show when=move || place.get().is_some()>
            <fieldset class="segmented">
                <legend>"Counted"</legend>
                {move || labels().into_iter().enumerate().map(|(index, label)| view! {
                    <label class:chosen=move || place.get() == Some(index)>
                        <input type="radio" name="span" prop:checked=move || place.get() == Some(index) on:change=move |_| choose(index)/>
                        {label}
                    </label>
                }).collect_view()}
            </fieldset>
            <p class="taken-for">{move || state.views.with(|views| views.as_ref().map(|views| views.told.clone()))}</p>
        </Show>
    }
}
