//! What a dump means: engines' names, histogram statistics, the window between two dumps.

pub mod histogram;
pub mod window;
