//! Reading dumps from files and standard input.

use crate::Failure;
use decodescope::metrics::{Dump, read_dump};
use decodescope::paste::{self, Decoded, Warning, WarningKind, prometheus};
use std::io::{IsTerminal as _, Read as _};

/// The dumps of a command line, read and put together.
pub struct Input {
    /// What to call it.
    pub name: String,
    /// Everything in it.
    pub dump: Dump,
}

/// Reads every file, or standard input where there is none. `None`: there was nothing to read.
pub fn read(files: &[String]) -> Result<Option<Input>, Failure> {
    let standard_input = files.is_empty();
    if standard_input && std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let names: Vec<&str> = if standard_input { vec!["-"] } else { files.iter().map(String::as_str).collect() };
    let mut dumps = Vec::new();
    for &name in &names {
        let bytes = read_bytes(name)?;
        if standard_input && bytes.is_empty() {
            return Ok(None);
        }
        dumps.push(read_one(name, &bytes, names.len() > 1)?);
    }
    let repeated = dumps.iter().enumerate().find(|(index, dump)| {
        let before = dumps.iter().take(*index).flat_map(|other| &other.sets);
        before.into_iter().any(|set| dump.sets.iter().any(|other| other.selection == set.selection))
    });
    if let Some((index, _)) = repeated {
        let message = "the same model and engine are in more than one file: they count as several servers and are added \
                       up; for scrapes of one server use decodescope diff";
        let warning = Warning::whole(WarningKind::Trap, message);
        dumps.iter_mut().skip(index).take(1).for_each(|dump| dump.warnings.push(warning.clone()));
    }
    let name = if standard_input { "standard input".to_owned() } else { names.join(", ") };
    Ok(dumps.into_iter().reduce(Dump::beside).map(|dump| Input { name, dump }))
}

/// The scrapes of one server in several files, or in one that holds them all; in the order given.
pub fn scrapes(files: &[String]) -> Result<Vec<Dump>, Failure> {
    let mut scrapes = Vec::new();
    for name in files {
        let mut dump = read_one(name, &read_bytes(name)?, files.len() > 1)?;
        scrapes.append(&mut dump.earlier);
        scrapes.push(dump);
    }
    Ok(scrapes)
}

/// The bytes of one file, or of standard input for `-`.
pub fn read_bytes(name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if name == "-" {
        std::io::stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(name).map(|content| bytes = content)
    };
    read.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    Ok(bytes)
}

/// Bytes as text, or why they are none.
pub fn decode<'a>(name: &str, bytes: &'a [u8]) -> Result<Decoded<'a>, Failure> {
    paste::decode(bytes).map_err(|error| Failure::unusable(format!("{name}: {error}")))
}

fn read_one(name: &str, bytes: &[u8], several: bool) -> Result<Dump, Failure> {
    let decoded = decode(name, bytes)?;
    let mut dump = read_dump(&prometheus::read(&decoded.text));
    dump.warnings.splice(0..0, decoded.warnings);
    if several {
        dump.name_warnings(name);
    }
    Ok(dump)
}
