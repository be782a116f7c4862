//! Taking in what a person pastes, drops or chooses: bytes to a changed scenario and an [`Import`].

use super::platform::{file, transfer::Transfer};
use super::scrapes::adopt;
use super::state::{Action, State};
use crate::metrics::{Dump, read_dump};
use crate::model;
use crate::paste::{self, prometheus};
use crate::scenario::ModelChoice;
use leptos::prelude::{Set, set_timeout};
use leptos::task::spawn_local;
use std::time::Duration;
use web_sys::File;

/// Takes in a paste or a drop.
pub fn take_transfer(state: State, transfer: Transfer) {
    match transfer {
        Transfer::Text(text) => take_text(state, "pasted text", text),
        Transfer::Files(files) => take_files(state, files),
    }
}

/// Takes in files. Several dumps are several servers, side by side; a model's configuration among them sets the model.
pub fn take_files(state: State, files: Vec<File>) {
    spawn_local(async move {
        let mut dumps: Vec<(String, Dump)> = Vec::new();
        let mut notices = Vec::new();
        for file in files {
            let name = file.name();
            say_if_slow(state, file.size(), &name);
            match file::read_bytes(&file).await {
                Ok(bytes) => match read(state, &name, &bytes) {
                    Ok(dump) => dumps.push((name, dump)),
                    Err(notice) => notices.push(notice),
                },
                Err(error) => notices.push(sentence(&error.to_string())),
            }
        }
        state.notice.set((!notices.is_empty()).then(|| notices.join(" ")));
        adopt(state, dumps);
    });
}

/// Takes in text. The page shows that it is reading before it does.
pub fn take_text(state: State, name: &'static str, text: String) {
    say_if_slow(state, text.len() as f64, name);
    let take = move || match read(state, name, text.as_bytes()) {
        Ok(dump) => {
            state.notice.set(None);
            adopt(state, vec![(name.to_owned(), dump)]);
        }
        Err(notice) => state.notice.set(Some(notice)),
    };
    set_timeout(take, Duration::ZERO);
}

/// Bytes as a dump; or, for a configuration or what cannot be read, what to say of it.
fn read(state: State, name: &str, bytes: &[u8]) -> Result<Dump, String> {
    let decoded = paste::decode(bytes).map_err(|error| sentence(&format!("{name}: {error}")))?;
    if let Some(notice) = take_configuration(state, &decoded.text) {
        return Err(notice);
    }
    let mut dump = read_dump(&prometheus::read(&decoded.text));
    dump.warnings.splice(0..0, decoded.warnings);
    Ok(dump)
}

/// Only what takes a while is announced: a line that comes and goes at once makes the page jump.
fn say_if_slow(state: State, bytes: f64, name: &str) {
    const SLOW_BYTES: f64 = 1e6;
    state.notice.set((bytes > SLOW_BYTES).then(|| format!("Reading {name}…")));
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
