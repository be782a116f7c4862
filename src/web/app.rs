//! The root component: the scenario comes from the address, and goes back into it.

use super::answer::Answer;
use super::cards::Cards;
use super::import::ImportPanel;
use super::inputs::Inputs;
use super::intake::{sentence, take};
use super::platform::{drop::on_drop, listen::listen, paste::on_paste, theme::use_theme, timer::Debounce, url};
use super::reading::ReadingProgress;
use super::state::{Action, State};
use super::toolbar::Toolbar;
use crate::scenario::{Scenario, link};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use std::time::Duration;

/// Browsers allow about a hundred changes of the address in ten seconds; a drag makes more.
const ADDRESS_DELAY: Duration = Duration::from_millis(300);

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let hash = url::hash();
    let opened = link::decode(&hash);
    let notice = match &opened {
        Ok(_) => cut_short(&hash),
        Err(error) => Some(format!("{} The worked example is shown instead.", sentence(&error.to_string()))),
    };
    let state = State::new(opened.ok().flatten().unwrap_or_else(Scenario::example));
    state.notice.set(notice);
    provide_context(state);
    provide_context(use_theme());
    keep_address(state);
    listen_to_keys(state);
    on_paste(move |transfer| take(state, transfer));
    let dragging = on_drop(move |transfer| take(state, transfer));
    view! {
        <a class="skip" href="#headline" on:click=skip>"Skip to the answer"</a>
        <header class="top">
            <div class="brand">
                <span class="name">"Decodescope"</span>
                <span class="tagline">"Where does each decoded token’s time go, and how fast could it be?"</span>
            </div>
            <Toolbar/>
        </header>
        <ReadingProgress/>
        <Notice/>
        <main>
            <Answer/>
            <aside class="inputs" aria-label="Inputs">
                <ImportPanel/>
                <Inputs/>
            </aside>
            <Cards/>
        </main>
        <footer>
            <p>
                "Decodescope " {env!("CARGO_PKG_VERSION")}
                ". Everything is computed in this browser; the page cannot send what you paste. Keys: Ctrl+Z undo, Ctrl+Shift+Z redo, Ctrl+V anywhere reads a dump; arrow keys move through a focused slider or chart."
            </p>
        </footer>
        <Show when=move || dragging.get()>
            <div class="dropping" aria-hidden="true">"Drop to read"</div>
        </Show>
    }
}

/// What to say of a link whose end is missing.
fn cut_short(hash: &str) -> Option<String> {
    let last = link::cut_at(hash)?;
    let last = if last.is_empty() { "with “&”".to_owned() } else { format!("at “{last}”") };
    Some(format!("The link ends {last}, so it was cut short: what else it held is missing here."))
}

/// What the page has to say, on top, where it is seen at any width: for instance why a link was not opened.
#[component]
fn Notice() -> impl IntoView {
    let notice = State::expect().notice;
    view! {
        <div class="notice" role="status">
            {move || notice.get().map(|text| view! {
                <p>{text}</p>
                <button type="button" aria-label="Dismiss" title="Dismiss" on:click=move |_| notice.set(None)>"×"</button>
            })}
        </div>
    }
}

/// Writes every change into the address, and follows the address when a person changes it.
fn keep_address(state: State) {
    let debounce = Debounce::new(ADDRESS_DELAY, move |hash: String| {
        // A browser that refuses (too many changes) gets it with the next one.
        let _ = url::replace_hash(&hash);
    });
    let encoded = Memo::new(move |_| link::encode(&state.scenario()));
    Effect::new(move |before: Option<String>| {
        let hash = encoded.get();
        // The page as it was opened keeps the address it was opened with.
        if before.is_some_and(|before| before != hash) {
            debounce.call(hash.clone());
        }
        hash
    });
    url::on_hash_change(move |hash| match link::decode(&hash) {
        Ok(scenario) => {
            state.apply(Action::Load(Box::new(scenario.unwrap_or_else(Scenario::example))));
            state.notice.set(cut_short(&hash));
        }
        Err(error) => state.notice.set(Some(format!("{} What was on the page stays.", sentence(&error.to_string())))),
    });
    listen(&window(), "pagehide", move |_| debounce.flush());
}

/// Undo and redo, unless the focus is in a text field that is being typed in, which has its own.
fn listen_to_keys(state: State) {
    listen(&document(), "keydown", move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        if !(event.ctrl_key() || event.meta_key()) || in_text(event) {
            return;
        }
        match (event.key().to_lowercase().as_str(), event.shift_key()) {
            ("z", false) => state.undo(),
            ("z", true) | ("y", false) => state.redo(),
            _ => return,
        }
        event.prevent_default();
    });
}

fn in_text(event: &KeyboardEvent) -> bool {
    let target = event.target();
    let element = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element
        .is_some_and(|element| element.matches("textarea, input[type=text]:not([data-settled=true])").unwrap_or(false))
}

/// Moves the focus without touching the part of the address that holds the scenario.
fn skip(event: leptos::ev::MouseEvent) {
    event.prevent_default();
    if let Some(headline) = document().get_element_by_id("headline") {
        headline.scroll_into_view();
        let _ = headline.set_attribute("tabindex", "-1");
        if let Some(headline) = headline.dyn_ref::<web_sys::HtmlElement>() {
            let _ = headline.focus();
        }
    }
}
