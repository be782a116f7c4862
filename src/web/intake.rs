//! Taking in what a person pastes, drops or chooses: bytes to a changed scenario and an [`Import`].

use super::gguf::{read_head, take_model};
use super::platform::file::{FileError, LIMIT_BYTES, Slices, Source, begins_with};
use super::platform::transfer::Transfer;
use super::reading::Task;
use super::scrapes::adopt;
use super::state::{Action, Import, State};
use crate::metrics::{Dump, Outcome, read_dump_in_steps};
use crate::model::{self, Architecture, Gguf};
use crate::pace::Work;
use crate::paste::{DecodeError, Decoder, prometheus};
use crate::scenario::{Configured, ModelChoice};
use leptos::prelude::{GetUntracked, Set, Update};
use leptos::task::spawn_local;

/// A model's configuration is a few thousand bytes; a larger text is none.
const LARGEST_CONFIGURATION: usize = 4 << 20;

/// Takes in what a person pastes, drops or chooses. Several dumps are several servers, side by side; a model's
/// configuration or a GGUF file among them sets the model, and a `hf_quant_config.json` how its weights are held.
pub fn take(state: State, Transfer(sources): Transfer) {
    let task = Task::start(state);
    spawn_local(async move {
        let bytes: f64 = sources.iter().map(Source::size).sum();
        let mut dumps: Vec<(String, Dump)> = Vec::new();
        let mut notices = Vec::new();
        let (mut quantisations, mut heads) = (Vec::new(), Vec::new());
        for source in sources {
            match read(state, &task, &source).await {
                Ok(Some(Brought::Dump(dump))) => dumps.push((source.name(), *dump)),
                Ok(Some(Brought::Quantisation(text))) => quantisations.push(text),
                Ok(Some(Brought::Head(head))) => heads.push(*head),
                Ok(None) => return,
                Err(notice) => notices.push(notice),
            }
        }
        if !heads.is_empty() {
            notices.push(take_model(state, heads));
        }
        // After the configurations, whatever came first: it is of the model that they set.
        notices.extend(quantisations.iter().map(|text| take_quantisation(state, text)));
        if adopt(state, &task, bytes, dumps).await.is_none() {
            return;
        }
        task.end();
        if !notices.is_empty() {
            // What taking it in has said itself comes after.
            notices.extend(state.notice.get_untracked());
            state.notice.set(Some(notices.join(" ")));
        }
    });
}

/// What a source turned out to be, where that is still to be taken in.
enum Brought {
    Dump(Box<Dump>),
    /// The text of a `hf_quant_config.json`.
    Quantisation(String),
    /// The head of a GGUF file.
    Head(Box<Gguf>),
}

/// What a source brings; nothing once it is cancelled; or, of a configuration or what cannot be read, what to say.
async fn read(state: State, task: &Task, source: &Source) -> Result<Option<Brought>, String> {
    if begins_with(source, b"GGUF").await {
        return Ok(read_head(task, source).await?.map(|head| Brought::Head(Box::new(head))));
    }
    let (name, size) = (source.name(), source.size());
    let failed = |error: DecodeError| sentence(&format!("{name}: {error}"));
    let what = format!("Reading {name}");
    task.show(size, &what, 0.0);
    let mut slices = Slices::of(source);
    let mut decoder = Decoder::expecting(size.min(LIMIT_BYTES) as usize).map_err(failed)?;
    loop {
        match slices.next(&task.cancel).await {
            Ok(Some(bytes)) => decoder.push(&bytes).map_err(failed)?,
            Ok(None) => break,
            Err(FileError::Cancelled) => return Ok(None),
            Err(error) => return Err(sentence(&error.to_string())),
        }
        task.show(size, &what, slices.share());
    }
    let what = format!("Unpacking {name}");
    let unpacking = Work::new(|pace| async move { decoder.finish(&pace).await });
    let Some(decoded) = task.work(size, &what, unpacking).await else { return Ok(None) };
    let decoded = decoded.map_err(failed)?;
    let text = decoded.text.as_ref();
    if let Some(notice) = take_configuration(state, text) {
        return Err(notice);
    }
    if is_quantisation(text) {
        return Ok(Some(Brought::Quantisation(text.to_owned())));
    }
    // What was compressed is more than it seemed.
    let size = text.len() as f64;
    let what = format!("Understanding the {:.0} MB of {name}", size / 1e6);
    let understanding = Work::new(|pace| async move {
        let exposition = prometheus::read_in_steps(text, &pace.part(0.0, 0.4)).await;
        read_dump_in_steps(&exposition, &pace.part(0.4, 0.9)).await
    });
    let Some(mut dump) = task.work(size, &what, understanding).await else { return Ok(None) };
    dump.warnings.splice(0..0, decoded.warnings);
    Ok(Some(Brought::Dump(Box::new(dump))))
}

/// A model's configuration, if that is what the text is. Says what became of it.
fn take_configuration(state: State, text: &str) -> Option<String> {
    let begins_like_one = text.len() < LARGEST_CONFIGURATION && text.trim_start().starts_with('{');
    let looks_like_one = begins_like_one && text.contains("\"hidden_size\"");
    if !looks_like_one {
        return None;
    }
    Some(match model::read_config(text) {
        Ok(reading) => {
            let mut reading = reading;
            if let Some(known) = preset_like(&reading.architecture) {
                reading.architecture.name.clone_from(&known.name);
            }
            let name = reading.architecture.name.clone();
            let remarks: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
            // What is said of an earlier text, that it was none, is no longer what happened last.
            state.import.update(|import| {
                if import.outcome != Some(Outcome::Fine) {
                    *import = Import::default();
                }
            });
            state.apply(Action::Model(Some(reading.into())));
            sentence(&[vec![format!("model set from its configuration: {name}")], remarks].concat().join("; "))
        }
        Err(error) => sentence(&format!("this configuration cannot be read: {error}")),
    })
}

/// Whether a text is a `hf_quant_config.json`, which ModelOpt writes beside a model's configuration.
fn is_quantisation(text: &str) -> bool {
    let begins_like_one = text.len() < LARGEST_CONFIGURATION && text.trim_start().starts_with('{');
    begins_like_one && text.contains("\"quantization\"") && text.contains("\"quant_algo\"")
}

/// How the weights of the model on the page are held, as its own file says. Says what became of it.
fn take_quantisation(state: State, text: &str) -> String {
    let architecture = state.read_untracked(|scenario| match scenario.model.as_ref()? {
        ModelChoice::Preset(id) => model::preset(id).map(|preset| preset.architecture.clone()),
        ModelChoice::Custom(configured) => Some(configured.architecture.clone()),
    });
    let Some(architecture) = architecture else {
        return "This says how a model’s weights are held, but not of which: choose the model first, or bring its \
                config.json with it."
            .to_owned();
    };
    match model::read_quantisation(text, &architecture) {
        Ok(Some(quantisation)) => {
            let said =
                sentence(&format!("weights of {} as its own file says: {}", architecture.name, quantisation.name));
            let configured = Configured { architecture, quantisation: Some(quantisation) };
            state.apply(Action::Model(Some(ModelChoice::Custom(Box::new(configured)))));
            said
        }
        Ok(None) => "This file does not say how the weights are held in a way that is known.".to_owned(),
        Err(error) => sentence(&format!("this quantisation cannot be read: {error}")),
    }
}

/// The known model of this very architecture, if any: a configuration says a family's name, not a model's.
fn preset_like(architecture: &Architecture) -> Option<&'static model::Preset> {
    let named = |name: &str| Architecture { name: name.to_owned(), ..architecture.clone() };
    model::presets().iter().find(|preset| preset.architecture == named(&preset.architecture.name))
}

/// A fact in lower case as a sentence on the page.
pub fn sentence(fact: &str) -> String {
    let mut characters = fact.chars();
    let first = characters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if fact.ends_with(['.', '…', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}
