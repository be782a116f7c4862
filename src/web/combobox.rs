//! A list that one searches by typing: the combobox of the ARIA authoring practices, a text field with a list below.

use super::choices::{Choice, search};
use super::platform::scroll;
use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;

/// A choice among many, by name.
///
/// What is typed filters the list; Enter or a click chooses, Escape and leaving go back to what was chosen. While
/// nothing is typed the field is marked as settled, so that Ctrl+Z is the page's and not the field's.
#[component]
pub fn Combobox(
    /// The field's id.
    id: &'static str,
    /// Its label.
    label: &'static str,
    /// What there is to choose.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// The key of what is chosen.
    #[prop(into)]
    chosen: Signal<String>,
    /// Takes a choice: its key, and what was typed.
    #[prop(into)]
    choose: Callback<(String, String)>,
    /// What to say where nothing has the name.
    none: &'static str,
    /// The key of the choice that a name means which has other words than any choice.
    means: fn(&str) -> Option<String>,
) -> impl IntoView {
    let draft = RwSignal::new(None::<String>);
    let open = RwSignal::new(false);
    // A place in what was found.
    let active = RwSignal::new(None::<usize>);
    let input = NodeRef::<Input>::new();
    let found = Memo::new(move |_| choices.with(|all| search(all, &draft.get().unwrap_or_default(), means)));
    let label_of = move |key: &str| {
        choices.with(|all| all.iter().find(|choice| choice.key == key).map(|choice| choice.label.clone()))
    };
    let settled = move || label_of(&chosen.get()).unwrap_or_default();
    let option_id = move |place: usize| format!("{id}-option-{place}");
    let many = move || found.with(|found| found.places.len());

    let close = move || {
        open.set(false);
        active.set(None);
        draft.set(None);
        // The value may not have changed in the reactive sense, while the field shows what was typed.
        if let Some(input) = input.get_untracked() {
            input.set_value(&untrack(settled));
        }
    };
    let unfold = move || {
        if !open.get_untracked() {
            open.set(true);
            let key = chosen.get_untracked();
            let place = found.with_untracked(|found| {
                choices.with_untracked(|all| {
                    found.places.iter().position(|(at, _)| all.get(*at).is_some_and(|c| c.key == key))
                })
            });
            active.set(place);
        }
    };
    let pick = move |place: usize| {
        let at = found.with_untracked(|found| found.places.get(place).map(|(at, _)| *at));
        let key = at.and_then(|at| choices.with_untracked(|all| all.get(at).map(|choice| choice.key.clone())));
        let typed = draft.get_untracked().unwrap_or_default();
        close();
        if let Some(key) = key {
            choose.run((key, typed));
        }
    };
    let type_in = move |typed: String| {
        let nothing = typed.trim().is_empty();
        draft.set(Some(typed));
        open.set(true);
        // The first is what Enter takes, a guess too; but nothing where nothing is even near.
        let first = found.with_untracked(|found| (!found.none || found.near) && !found.places.is_empty());
        active.set((first && !nothing).then_some(0));
    };
    let go = move |step: isize| {
        let many = many() as isize;
        if many == 0 {
            return;
        }
        let start = if step > 0 { -1 } else { many };
        let next = active.get_untracked().map_or(start, |place| place as isize) + step;
        active.set(usize::try_from(next.rem_euclid(many)).ok());
    };
    let press = move |event: KeyboardEvent| {
        let was_open = open.get_untracked();
        match event.key().as_str() {
            "ArrowDown" | "ArrowUp" if !was_open => unfold(),
            "ArrowUp" if event.alt_key() => close(),
            "ArrowDown" => go(1),
            "ArrowUp" => go(-1),
            "PageDown" => (0..8).for_each(|_| go(1)),
            "PageUp" => (0..8).for_each(|_| go(-1)),
            "Enter" if was_open => match active.get_untracked() {
                Some(place) => pick(place),
                None => return,
            },
            "Escape" if was_open => close(),
            _ => return,
        }
        event.prevent_default();
    };
    Effect::new(move |_| {
        if let Some(place) = active.get().filter(|_| open.get()) {
            scroll::to_nearest(&format!("#{}", option_id(place)));
        }
    });
    let status = move || {
        if !open.get() {
            return String::new();
        }
        found.with(|found| match (found.none, found.near) {
            (false, _) => format!("{} to choose from", found.places.len()),
            (true, true) => format!("{none} Did you mean this one?"),
            (true, false) => none.to_owned(),
        })
    };
    let items = move || {
        let (all, found) = (choices.get(), found.get());
        let near = found.near;
        let items = found.places.into_iter().enumerate().filter_map(|(place, (at, name))| {
            let choice = all.get(at)?.clone();
            Some((
                place,
                Choice { note: name.into_iter().chain([choice.note]).collect::<Vec<_>>().join(", "), ..choice },
            ))
        });
        let items = items.map(|(place, choice)| {
            let key = choice.key.clone();
            view! {
                <li
                    id=option_id(place)
                    role="option"
                    data-key=choice.key
                    class:active=move || active.get() == Some(place)
                    aria-selected=move || (chosen.get() == key).to_string()
                    on:click=move |_| pick(place)
                >
                    <span>{(near && place == 0).then_some("Did you mean ")}{choice.label}</span>
                    <span class="note">{choice.note}</span>
                </li>
            }
        });
        items.collect_view()
    };
    view! {
        <div class="combobox">
            <label for=id>{label}</label>
            <input
                node_ref=input
                id=id
                type="text"
                role="combobox"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                enterkeyhint="done"
                placeholder="Type to search"
                aria-autocomplete="list"
                aria-controls=format!("{id}-list")
                aria-expanded=move || open.get().to_string()
                aria-activedescendant=move || active.get().filter(|_| open.get()).map(option_id)
                data-key=move || chosen.get()
                data-settled=move || draft.with(Option::is_none).to_string()
                prop:value=move || draft.get().unwrap_or_else(settled)
                on:input=move |event| type_in(event_target_value(&event))
                on:focus=move |_| if let Some(input) = input.get_untracked() { input.select() }
                on:click=move |_| unfold()
                on:blur=move |_| close()
                on:keydown=press
            />
            <span class="toggle" aria-hidden="true">"▾"</span>
            <ul
                id=format!("{id}-list")
                role="listbox"
                aria-label=label
                hidden=move || !open.get()
                // The field keeps the focus, and with it the list stays open.
                on:mousedown=move |event| event.prevent_default()
            >{move || open.get().then(items)}</ul>
            <p class="none" hidden=move || !(open.get() && found.with(|found| found.none))>{none}</p>
            <p class="visually-hidden" role="status">{status}</p>
        </div>
    }
}
