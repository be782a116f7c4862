//! The browser, one piece per file, behind small safe functions. Nothing else in the crate touches it.
//!
//! What lasts (listeners, observers, timers) belongs to the reactive owner it was created under and ends with it; what
//! fires later all the same finds its signals gone and does nothing. What may fail says so in its type.

pub mod clipboard;
pub mod download;
pub mod dpr;
pub mod drop;
pub mod fetch;
pub mod file;
pub mod focus;
pub mod frame;
pub mod listen;
pub mod media;
pub mod paste;
pub mod resize;
pub mod scroll;
pub mod storage;
pub mod theme;
pub mod timer;
pub mod transfer;
pub mod url;
