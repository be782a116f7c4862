//! The dual of every drawing: the same data as rows of text.

use serde::Serialize;

/// What a chart says of itself in words, from its data alone.
pub(super) trait Description {
    fn title(&self) -> &str;
    /// One sentence for a screen reader.
    fn sentence(&self) -> String;
    /// The same data as rows.
    fn rows(&self) -> Table;
}

/// A header and rows of as many cells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Table {
    /// The columns' names.
    pub header: Vec<String>,
    /// One row per thing drawn.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<const N: usize>(header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Self {
        Self {
            header: header.iter().map(ToString::to_string).collect(),
            rows: rows.into_iter().map(Vec::from).collect(),
        }
    }
}
