//! What the tests of the metrics room share.
#![allow(dead_code, clippy::unwrap_used)]

use decodescope::metrics::{Dump, Meaning, Selection, ServingMetrics, read_dump};
use decodescope::paste::{WarningKind, prometheus};
use std::path::PathBuf;

/// A dump from its text.
pub fn dump(text: &str) -> Dump {
    read_dump(&prometheus::read(text))
}

/// One of our own small dumps.
pub fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/metrics").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The folder of dumps kept beside the repository, not in it; `None` where it is absent.
pub fn shared_dumps() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data");
    let root = std::env::var("DECODESCOPE_SHARED_DATA").unwrap_or_else(|_| beside.to_owned());
    Some(PathBuf::from(root).join("dumps")).filter(|path| path.is_dir())
}

/// Everything in a dump as one set.
pub fn all(dump: &Dump) -> ServingMetrics {
    dump.select(&Selection::default())
}

/// The set of one engine.
pub fn of_engine(dump: &Dump, engine: &str) -> ServingMetrics {
    dump.select(&Selection { model: None, engine: Some(engine.to_owned()) })
}

/// The buckets that hold observations: upper bound and how many of its own.
pub fn occupied(set: &ServingMetrics, meaning: Meaning) -> Vec<(f64, f64)> {
    let occupied = set.histogram(meaning).map(|histogram| histogram.occupied()).unwrap_or_default();
    occupied.iter().map(|bucket| (bucket.upper, bucket.count)).collect()
}

/// Whether a remark of this kind says this, in this line if one is given.
pub fn says(dump: &Dump, kind: WarningKind, line: Option<usize>, words: &str) -> bool {
    let mut all = dump.warnings.iter();
    all.any(|w| w.kind == kind && (line.is_none() || w.line == line) && w.message.contains(words))
}

/// The traps told of, as text.
pub fn traps(dump: &Dump) -> Vec<String> {
    let traps = dump.warnings.iter().filter(|warning| warning.kind == WarningKind::Trap);
    traps.map(|warning| warning.message.clone()).collect()
}
