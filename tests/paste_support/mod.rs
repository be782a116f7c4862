//! What the tests of the paste room share: where the reference data may be.
#![allow(dead_code)]

use std::path::PathBuf;

/// A folder of reference data that is kept beside the repository, not in it; `None` where it is absent.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data");
    let root = std::env::var("DECODESCOPE_SHARED_DATA").unwrap_or_else(|_| beside.to_owned());
    Some(PathBuf::from(root).join(folder)).filter(|path| path.is_dir())
}
