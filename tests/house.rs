//! The house keeps its order: rooms use only the rooms below them, and only the fronts know browser and terminal.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};

/// Each room of the engine, and the rooms it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("pace", &[]),
    ("paste", &["units", "pace"]),
    ("metrics", &["units", "pace", "paste"]),
    ("model", &["units", "paste"]),
    ("hardware", &["units"]),
    ("collective", &["units", "hardware"]),
    ("prediction", &["units", "model", "hardware", "collective"]),
    ("scenario", &["units", "pace", "paste", "metrics", "model", "hardware", "collective"]),
    ("budget", &["units", "metrics", "model", "hardware", "collective", "scenario"]),
    ("chart", &["units"]),
    (
        "report",
        &["units", "paste", "metrics", "model", "hardware", "collective", "prediction", "scenario", "budget", "chart"],
    ),
];

fn sources(room: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let single = root.join(format!("{room}.rs"));
    files.extend(single.exists().then_some(single));
    let mut folders = vec![root.join(room)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(!files.is_empty(), "the room {room} is gone");
    files
}

/// Code without comments and without the tests at a file's end, which may use any room.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn rooms_use_only_the_rooms_below_them() {
    for (room, may_use) in MAY_USE {
        for path in sources(room) {
            let code = code(&path);
            for (other, _) in MAY_USE.iter().filter(|(other, _)| other != room && !may_use.contains(other)) {
                let uses = code.contains(&format!("crate::{other}::")) || code.contains(&format!("crate::{{{other}"));
                assert!(!uses, "{} uses the room {other}", path.display());
            }
        }
    }
}

#[test]
fn the_engine_knows_no_browser_no_terminal_and_no_clock() {
    const FORBIDDEN: [&str; 9] =
        ["leptos", "web_sys", "js_sys", "wasm_bindgen", "gloo_net", "clap::", "std::fs", "std::io::std", "std::time::"];
    for (room, _) in MAY_USE {
        for path in sources(room) {
            for word in FORBIDDEN {
                assert!(!code(&path).contains(word), "{} uses {word}", path.display());
            }
        }
    }
}

#[test]
fn only_the_platform_calls_the_browser_from_the_page() {
    for path in sources("web").into_iter().filter(|path| !path.components().any(|part| part.as_os_str() == "platform"))
    {
        for word in ["js_sys", "local_storage", "navigator()", "history()", "gloo_net"] {
            assert!(!code(&path).contains(word), "{} uses {word}", path.display());
        }
    }
}
