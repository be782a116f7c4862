//! What an analysis says: sentences, text, Markdown, JSON, and the charts of it.
//!
//! | file | what |
//! |---|---|
//! | `key_figures` | the handful of figures that answer at a glance |
//! | `verdict` | the two or three sentences that matter, and what to do next |
//! | `sentences` | sentences and rows that the page and the terminal share |
//! | `sections` | the whole report as a [`Document`] |
//! | `document` | headings, paragraphs, lists and tables, rendered as text or Markdown |
//! | `json` | the versioned contract for programs |
//! | `figures` | the charts of an analysis |
//! | `predicted` | those of what the step model predicts |

mod document;
mod figures;
mod json;
mod key_figures;
mod predicted;
mod sections;
mod sentences;
mod verdict;

pub use document::{Block, Document};
pub use figures::{Figure, figures};
pub use json::{SCHEMA, json};
pub use key_figures::{KeyFigure, key_figures, what_if_figures};
pub use sections::report;
pub use sentences::server_facts;
pub use verdict::{NO_TIMINGS, Verdict, verdict};

/// A text with its first letter raised.
fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
