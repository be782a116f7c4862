//! Taking in what a person pastes, drops or chooses: bytes to a changed scenario and an [`Import`].

use super::platform::file::{self, FileError};
use super::platform::transfer::Transfer;
use super::reading::Task;
use super::scrapes::adopt;
use super::state::{Action, State};
use crate::metrics::{Dump, read_dump};
use crate::model;
use crate::paste::{self, prometheus};
use crate::scenario::ModelChoice;
use leptos::prelude::Set;
use leptos::task::spawn_local;
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
    let task = Task::start(state);
    spawn_local(async move {
        let mut dumps: Vec<(String, Dump)> = Vec::new();
        let mut notices = Vec::new();
        for file in files {
            let (name, size) = (file.name(), file.size());
            let progress = |share| task.show(size, &format!("Reading {name}"), Some(share));
            progress(0.0);
            let bytes = match file::read_bytes(&file, &task.cancel, progress).await {
                Ok(bytes) => bytes,
                Err(FileError::Cancelled) => return,
                Err(error) => {
                    notices.push(sentence(&error.to_string()));
                    continue;
                }
            };
            match read(state, &task, &name, bytes).await {
                Some(Ok(dump)) => dumps.push((name, dump)),
                Some(Err(notice)) => notices.push(notice),
                None => return,
            }
        }
        task.end();
        state.notice.set((!notices.is_empty()).then(|| notices.join(" ")));
        adopt(state, dumps);
    });
}

/// Takes in text.
pub fn take_text(state: State, name: &'static str, text: String) {
    let task = Task::start(state);
    spawn_local(async move {
        let Some(result) = read(state, &task, name, text.into_bytes()).await else { return };
        task.end();
        match result {
            Ok(dump) => adopt(state, vec![(name.to_owned(), dump)]),
            Err(notice) => state.notice.set(Some(notice)),
        }
    });
}

/// Bytes as a dump; or, for a configuration or what cannot be read, what to say of it; or nothing once it is cancelled.
///
/// The page paints and listens between the steps, of which each takes its time with a hundred megabytes.
async fn read(state: State, task: &Task, name: &str, bytes: Vec<u8>) -> Option<Result<Dump, String>> {
    let size = bytes.len() as f64;
    let what = format!("Understanding the {:.0} MB of {name}", size / 1e6);
    task.pause(size, &what).await?;
    let decoded = match paste::decode(&bytes) {
        Ok(decoded) => decoded,
        Err(error) => return Some(Err(sentence(&format!("{name}: {error}")))),
    };
    if let Some(notice) = take_configuration(state, &decoded.text) {
        return Some(Err(notice));
    }
    // What was compressed is more than it seemed.
    let size = decoded.text.len() as f64;
    task.pause(size, &what).await?;
    let exposition = prometheus::read(&decoded.text);
    task.pause(size, &what).await?;
    let mut dump = read_dump(&exposition);
    dump.warnings.splice(0..0, decoded.warnings);
    Some(Ok(dump))
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
