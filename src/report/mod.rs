//! What an analysis says: sentences, text, Markdown, JSON, and the charts of it.
//!
//! | file | what |
//! |---|---|
//! | `verdict` | the two or three sentences that matter, and what to do next |
//! | `sections` | the whole report as a [`Document`] |
//! | `document` | headings, paragraphs, lists and tables, rendered as text or Markdown |
//! | `json` | the versioned contract for programs |
//! | `figures` | the charts of an analysis |

mod document;
mod figures;
mod json;
mod sections;
mod verdict;

pub use document::{Block, Document};
pub use figures::{Figure, figures};
pub use json::{SCHEMA, json};
pub use sections::report;
pub use verdict::{NO_TIMINGS, Verdict, verdict};
