//! GGUF files: of each only the head is read, whatever its size; the files of a split model are taken together.

use super::intake::sentence;
use super::platform::file::{FileError, Slices, Source};
use super::reading::Task;
use super::state::{Action, State};
use crate::model::{Gguf, GgufError, read_gguf};

/// Vocabularies make heads of some ten MB; what goes on longer is damaged.
const LONGEST_HEAD: usize = 256 << 20;

/// The head of a file; nothing once it is cancelled; or why it cannot be read.
pub async fn read_head(task: &Task, source: &Source) -> Result<Option<Gguf>, String> {
    let name = source.name();
    let what = format!("Reading the head of {name}");
    let mut slices = Slices::of_any_size(source);
    let (mut bytes, mut needed) = (Vec::new(), 0);
    loop {
        match slices.next(&task.cancel).await {
            Ok(Some(more)) => bytes.extend(more),
            Ok(None) => return Err(sentence(&format!("{name}: {}", GgufError::NeedMore(needed)))),
            Err(FileError::Cancelled) => return Ok(None),
            Err(error) => return Err(sentence(&error.to_string())),
        }
        task.show(source.size(), &what, slices.share());
        if bytes.len() < needed {
            continue;
        }
        match read_gguf(&bytes) {
            Ok(gguf) => return Ok(Some(gguf)),
            Err(GgufError::NeedMore(more)) if bytes.len() < LONGEST_HEAD => needed = more,
            Err(error) => return Err(sentence(&format!("{name}: {error}"))),
        }
    }
}

/// Sets the model that these files hold. Says what became of them.
pub fn take_model(state: State, files: Vec<Gguf>) -> String {
    let (several, parts) = (files.len() > 1, files.first().map_or(0, |file| file.files));
    if several && (parts == 1 || files.iter().any(|file| file.files != parts)) {
        return "These GGUF files are not of one model: bring one model’s at a time.".to_owned();
    }
    let model = Gguf::joined(files);
    if let Some(lack) = model.incomplete() {
        return sentence(&format!("this GGUF model is not whole: {lack}; bring its files together"));
    }
    match model.reading() {
        Ok(reading) => {
            let held = reading.quantisation.as_ref().map(|held| format!(", weights in {}", held.name));
            let said =
                format!("model set from its GGUF head: {}{}", reading.architecture.name, held.unwrap_or_default());
            let remarks: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
            state.apply(Action::Model(Some(reading.into())));
            sentence(&[vec![said], remarks].concat().join("; "))
        }
        Err(error) => sentence(&format!("this GGUF file’s metadata cannot be read: {error}")),
    }
}
