//! The bar on top: what one can do to the whole scenario.

use super::intake::sentence;
use super::platform::{clipboard, download, theme::Theme, theme::ThemeControl, url};
use super::state::State;
use crate::report::{json, report};
use crate::scenario::{Scenario, link};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// How long a confirmation stays.
const CONFIRMATION: Duration = Duration::from_secs(4);

/// Undo, redo, new, example, copies and the theme.
#[component]
pub fn Toolbar() -> impl IntoView {
    let state = State::expect();
    let theme: ThemeControl = expect_context();
    let said = RwSignal::new(None::<String>);
    let say = move |text: String| {
        said.set(Some(text));
        set_timeout(
            move || {
                said.try_set(None);
            },
            CONFIRMATION,
        );
    };
    let copy = move |what: &'static str, text: String| {
        spawn_local(async move {
            match clipboard::write_text(&text).await {
                Ok(()) => say(format!("{what} copied.")),
                Err(error) => say(sentence(&error.to_string())),
            }
        });
    };
    // The address may lag behind the inputs by the time of its debounce: the link is made anew.
    let copy_link = move |_| {
        let hash = link::encode(&state.scenario());
        let _ = url::replace_hash(&hash);
        copy("Link", url::href());
    };
    let document = move || {
        let scenario = state.scenario();
        let warnings = state.import.with(|import| import.warnings.clone());
        let mut text = state.analysis.with(|analysis| report(&scenario, analysis, &warnings)).to_markdown();
        text += &format!("\nOpen it: {}\n", url::href());
        text
    };
    let save_json = move |_| {
        let warnings = state.import.with(|import| import.warnings.clone());
        let text = state.analysis.with(|analysis| json(&state.scenario(), analysis, &warnings));
        if let Err(error) = download::save_text("decodescope.json", "application/json", &text) {
            say(sentence(&error.to_string()));
        }
    };
    let dark = move || theme.theme() == Theme::Dark;
    view! {
        <div class="toolbar" role="toolbar" aria-label="Scenario">
            <button type="button" on:click=move |_| state.undo() disabled=move || !state.can_undo() title="Undo (Ctrl+Z)" aria-label="Undo">"↶"</button>
            <button type="button" on:click=move |_| state.redo() disabled=move || !state.can_redo() title="Redo (Ctrl+Shift+Z)" aria-label="Redo">"↷"</button>
            <button type="button" title="Start empty: no server yet, or another one" on:click=move |_| state.start_over(Scenario::default())>"New"</button>
            <button type="button" on:click=move |_| state.start_over(Scenario::example())>"Example"</button>
            <button type="button" on:click=move |_| copy("Report", document())>"Copy as Markdown"</button>
            <button type="button" on:click=save_json>"Save JSON"</button>
            <button type="button" class="primary" id="copy-link" on:click=copy_link>"Copy link"</button>
            <button
                type="button"
                aria-label=move || if dark() { "Light theme" } else { "Dark theme" }
                title=move || if dark() { "Light theme" } else { "Dark theme" }
                on:click=move |_| theme.choose(Some(if dark() { Theme::Light } else { Theme::Dark }))
            >{move || if dark() { "☀" } else { "☾" }}</button>
            <span class="said" role="status">{move || said.get()}</span>
        </div>
    }
}
