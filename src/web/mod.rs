//! The page.
//!
//! | file | what |
//! |---|---|
//! | `main.rs` | the binary: starts the page |
//! | `app` | the root component; the scenario and the address follow each other |
//! | `state` | the scenario, what follows from it, and the one door through which it changes |
//! | `intake` | what a person pastes, drops or chooses, taken in |
//! | `scrapes`, `kinship` | several servers side by side, or one server over time |
//! | `reading` | how far that is, and the way to stop it |
//! | `answer`, `cards`, `chart_view` | what is shown |
//! | `spoken` | what is read aloud |
//! | `import`, `inputs`, `field`, `pickers`, `toolbar` | what is set and done |
//! | `combobox`, `choices` | a list that one searches by typing |
//! | `platform/` | the browser's pieces; nothing else touches the browser |
//! | `panic_banner` | the last resort |

mod answer;
pub mod app;
mod cards;
mod chart_view;
mod choices;
mod combobox;
mod field;
mod gguf;
mod import;
mod inputs;
mod intake;
mod kinship;
pub mod panic_banner;
mod pickers;
pub mod platform;
mod reading;
mod scrapes;
mod spoken;
pub mod state;
mod toolbar;
