//! One number: its label, a text field, a slider, its unit, where it came from, and the way back.

use super::state::{Action, State};
use crate::scenario::{Field, Source, Steps};
use crate::units::format::trimmed;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// Places on a slider.
const PLACES: f64 = 1000.0;

/// A number of the scenario, by slider or by hand.
///
/// While a person types, the text is theirs: only leaving the field or Enter rewrites it. What cannot
/// be read is marked and said; the last good value stays in force.
#[component]
pub fn NumberField(field: Field) -> impl IntoView {
    let state = State::expect();
    let spec = field.spec();
    let value = state.read(move |scenario| scenario.value(field));
    let number = move || value.get().map(|sourced| sourced.value);
    let typed = move || value.get().is_some_and(|sourced| sourced.source == Source::Typed);
    // What was typed stays as it is; of what was looked up, as many digits as the field has room for.
    let text = move || number().map(|number| if typed() { trimmed(number) } else { short(number) }).unwrap_or_default();

    let draft = RwSignal::new(None::<String>);
    // What was in force before the typing began: what is refused, or given up, goes back to it.
    let before = StoredValue::new(None::<f64>);
    let now = move || state.read_untracked(|scenario| scenario.typed.get(&field).copied());
    let error = RwSignal::new(None::<String>);
    let commit = move |written: String| {
        draft.set(Some(written.clone()));
        if written.trim().is_empty() {
            error.set(None);
            state.apply(Action::Set(field, None));
            return;
        }
        match spec.parse(&written) {
            Ok(value) => {
                error.set(None);
                state.apply(Action::Set(field, Some(value)));
            }
            Err(refusal) => error.set(Some(refusal.to_string())),
        }
    };
    let leave = move |keep: bool| {
        if draft.get_untracked().is_some() && !(keep && error.with_untracked(Option::is_none)) {
            state.apply(Action::Set(field, before.get_value()));
        }
        // What was refused leaves its reason beside the value it went back to, until that is dismissed.
        if !keep {
            error.set(None);
        }
        draft.set(None);
        state.end_drag();
    };
    let begin = move || {
        before.set_value(now());
        error.set(None);
        state.end_drag();
    };
    // Whole numbers have a place each, so that an arrow key is a step.
    let places = if spec.steps == Steps::Whole { spec.max - spec.min } else { PLACES };
    let position = move || number().map_or(0.0, |value| (spec.position(value) * places).round());
    let slide = move |place: f64| {
        error.set(None);
        state.apply(Action::Set(field, Some(spec.value_at(place / places))));
    };
    let id = format!("field-{}", spec.key);
    let help = format!("help-{}", spec.key);
    let problem = format!("problem-{}", spec.key);
    let spoken = move || format!("{} {}", text(), spec.unit);

    view! {
        <div class="field" class:typed=typed class:unknown=move || number().is_none() title=spec.help>
            <label for=id.clone()>{spec.label}</label>
            <span class="source">{move || value.get().map_or("not set", |sourced| sourced.source.word())}</span>
            <input
                class="number"
                id=id.clone()
                type="text"
                inputmode="decimal"
                autocomplete="off"
                placeholder="—"
                aria-describedby=format!("{help} {problem}")
                aria-invalid=move || error.with(Option::is_some).to_string()
                prop:value=move || draft.get().unwrap_or_else(text)
                on:input=move |event| commit(event_target_value(&event))
                on:focus=move |_| begin()
                on:blur=move |_| leave(true)
                on:keydown=move |event: KeyboardEvent| match event.key().as_str() {
                    "Enter" => { leave(true); before.set_value(now()) }
                    "Escape" => leave(false),
                    _ => {}
                }
            />
            <span class="unit">{spec.unit}</span>
            <input
                class="slider"
                type="range"
                min="0"
                max=places.to_string()
                step="1"
                aria-label=spec.label
                aria-valuetext=spoken
                prop:value=move || position().to_string()
                on:input=move |event| if let Ok(place) = event_target_value(&event).parse() { slide(place) }
                // Each press of an arrow key is a change: one step back takes all of one focus, or one drag, back.
                on:pointerdown=move |_| state.end_drag()
                on:pointerup=move |_| state.end_drag()
                on:blur=move |_| state.end_drag()
            />
            <button
                class="reset"
                type="button"
                title="Back to the value looked up"
                aria-label=format!("Reset {}", spec.label)
                disabled=move || !typed()
                on:click=move |_| { leave(false); state.apply(Action::Set(field, None)) }
            >"↺"</button>
            <span class="help" id=help>{spec.help}</span>
            <span class="problem" id=problem role="alert">{move || error.get()}</span>
        </div>
    }
}

/// A number in seven characters or less where its whole part allows.
fn short(number: f64) -> String {
    let whole = number.abs().max(1.0).log10().floor();
    let kept = 10f64.powf((5.0 - whole).clamp(0.0, 3.0));
    trimmed((number * kept).round() / kept)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_long_number_keeps_what_the_field_has_room_for() {
        for (number, text) in [
            (213_653.123, "213653"),
            (12_345.678, "12345.7"),
            (1234.567, "1234.57"),
            (17.391, "17.391"),
            (0.05, "0.05"),
            (0.0, "0"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
