//! The figures for those who listen to the page: what changed, once it has come to rest.

use super::platform::timer::Debounce;
use super::state::State;
use crate::report::{KeyFigure, what_if_figures};
use leptos::prelude::*;
use std::time::Duration;

/// A drag changes figures at every step: reading each aloud would bury the one that counts.
const REST: Duration = Duration::from_secs(1);

/// Says which of the answer's figures and of the what-ifs changed.
#[component]
pub fn Spoken(
    /// The answer's figures.
    figures: Memo<Vec<KeyFigure>>,
) -> impl IntoView {
    let state = State::expect();
    let outlook = Memo::new(move |_| state.analysis.with(what_if_figures));
    let told = StoredValue::new(Vec::<String>::new());
    let text = RwSignal::new(String::new());
    let debounce = Debounce::new(REST, move |now: Vec<String>| {
        let changed: Vec<String> =
            told.with_value(|told| now.iter().filter(|line| !told.contains(line)).cloned().collect());
        told.set_value(now);
        text.set(changed.join("; "));
    });
    Effect::new(move |before: Option<()>| {
        let all = [figures.get(), outlook.get()].concat();
        let now: Vec<String> = all.into_iter().map(|figure| format!("{}: {}", figure.label, figure.value)).collect();
        if before.is_some() { debounce.call(now) } else { told.set_value(now) }
    });
    view! { <p class="visually-hidden" id="spoken" role="status">{text}</p> }
}
