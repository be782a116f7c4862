//! `make validate`: predicted against measured for every usable row, printed and written to docs/.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/validation/mod.rs"]
mod validation;

use decodescope::chart::{Theme, svg};
use std::path::Path;
use validation::document::{chart, markdown};

fn main() -> std::io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    std::fs::create_dir_all(&docs)?;
    let text = validation::document::document(true).to_text();
    println!("{text}");
    std::fs::write(docs.join("validation.md"), markdown(true))?;
    let drawing = svg(&chart(), &Theme::print(), 720, 560).expect("the chart can be drawn");
    std::fs::write(docs.join("validation.svg"), drawing)
}
