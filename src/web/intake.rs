//! Taking in what a person pastes, drops or chooses: bytes to a changed scenario and an [`Import`].

use super::platform::{file, transfer::Transfer};
use super::state::{Action, Import, State};
use crate::metrics::{Outcome, read_dump};
use crate::model;
use crate::paste::{self, prometheus};
use crate::scenario::ModelChoice;
use leptos::prelude::{Set, document, request_animation_frame, set_timeout};
use leptos::task::spawn_local;
use std::time::Duration;
use web_sys::{File, ScrollIntoViewOptions, ScrollLogicalPosition};

/// Takes in a paste or a drop.
pub fn take_transfer(state: State, transfer: Transfer) {
    match transfer {
        Transfer::Text(text) => take_text(state, "pasted text", text),
        Transfer::Files(files) => take_files(state, files),
    }
}

/// Takes in files one after the other; the last one that says anything is what the page shows.
pub fn take_files(state: State, files: Vec<File>) {
    spawn_local(async move {
        for file in files {
            say_if_slow(state, file.size(), &file.name());
            match file::read_bytes(&file).await {
                Ok(bytes) => take_bytes(state, &file.name(), &bytes),
                Err(error) => state.notice.set(Some(sentence(&error.to_string()))),
            }
        }
    });
}

/// Takes in text. The page shows that it is reading before it does.
pub fn take_text(state: State, name: &'static str, text: String) {
    say_if_slow(state, text.len() as f64, name);
    set_timeout(move || take_bytes(state, name, text.as_bytes()), Duration::ZERO);
}

fn take_bytes(state: State, name: &str, bytes: &[u8]) {
    state.notice.set(None);
    let decoded = match paste::decode(bytes) {
        Ok(decoded) => decoded,
        Err(error) => return state.notice.set(Some(sentence(&format!("{name}: {error}")))),
    };
    if let Some(notice) = take_configuration(state, &decoded.text) {
        return state.notice.set(Some(notice));
    }
    let mut dump = read_dump(&prometheus::read(&decoded.text));
    dump.warnings.splice(0..0, decoded.warnings);
    let outcome = dump.outcome;
    state.import.set(Import {
        outcome: Some(outcome),
        name: name.to_owned(),
        warnings: dump.warnings.clone(),
        names: dump.names.clone(),
    });
    // What says nothing does not replace what is on the page.
    if outcome == Outcome::Fine {
        state.apply(Action::Adopt(name.to_owned(), Box::new(dump)));
    } else {
        request_animation_frame(show_outcome);
    }
}

/// Only what takes a while is announced: a line that comes and goes at once makes the page jump.
fn say_if_slow(state: State, bytes: f64, name: &str) {
    const SLOW_BYTES: f64 = 1e6;
    state.notice.set((bytes > SLOW_BYTES).then(|| format!("Reading {name}…")));
}

/// Scrolls to why nothing changed, if that is out of sight.
fn show_outcome() {
    let Ok(Some(panel)) = document().query_selector(".import") else { return };
    let place = ScrollIntoViewOptions::new();
    place.set_block(ScrollLogicalPosition::Nearest);
    panel.scroll_into_view_with_scroll_into_view_options(&place);
}

/// A model's configuration, if that is what the text is. Says what became of it.
fn take_configuration(state: State, text: &str) -> Option<String> {
    let looks_like_one = text.trim_start().starts_with('{') && text.contains("\"hidden_size\"");
    if !looks_like_one {
        return None;
    }
    Some(match model::read_config(text) {
        Ok(reading) => {
            let name = reading.architecture.name.clone();
            let remarks: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
            state.apply(Action::Model(Some(ModelChoice::Custom(Box::new(reading.architecture)))));
            sentence(&[vec![format!("model set from its configuration: {name}")], remarks].concat().join("; "))
        }
        Err(error) => sentence(&format!("this configuration cannot be read: {error}")),
    })
}

/// A fact in lower case as a sentence on the page.
pub fn sentence(fact: &str) -> String {
    let mut characters = fact.chars();
    let first = characters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if fact.ends_with(['.', '…', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}
