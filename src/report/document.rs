//! Headings, paragraphs, lists and tables, rendered as text or Markdown.

use std::fmt::Write as _;

/// A report as blocks, whatever it will be rendered as.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// From top to bottom.
    pub blocks: Vec<Block>,
}

/// One block of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A title: level 1 for the document's, 2 for a section's.
    Heading(u8, String),
    /// Running text.
    Paragraph(String),
    /// Points, one a line.
    List(Vec<String>),
    /// Rows under a header; every column but the first is set right where it holds figures.
    Table {
        /// Names of the columns.
        header: Vec<String>,
        /// Cells by row.
        rows: Vec<Vec<String>>,
    },
}

/// How wide running text is set in a terminal.
const TEXT_WIDTH: usize = 96;
/// Spaces between a table's columns.
const GAP: usize = 2;
/// A table's last column never gets narrower than this.
const LEAST_LAST_COLUMN: usize = 24;

impl Document {
    /// Adds a section's heading.
    pub fn section(&mut self, title: &str) {
        self.blocks.push(Block::Heading(2, title.to_owned()));
    }

    /// Adds running text.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds points, if there are any.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Adds a table, if it has rows.
    pub fn table(&mut self, header: &[&str], rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            self.blocks.push(Block::Table { header: header.iter().map(|&name| name.to_owned()).collect(), rows });
        }
    }

    /// The document as plain text for a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Heading(level, title) => {
                    let rule = if *level == 1 { "═" } else { "─" };
                    let _ = write!(out, "{title}\n{}\n", rule.repeat(title.chars().count()));
                }
                Block::Paragraph(text) => wrap(&mut out, text, "", ""),
                Block::List(items) => items.iter().for_each(|item| wrap(&mut out, item, "• ", "  ")),
                Block::Table { header, rows } => text_table(&mut out, header, rows),
            }
            if !matches!(block, Block::Heading(2, _)) {
                out.push('\n');
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    /// The document as Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Heading(level, title) => {
                    let _ = writeln!(out, "{} {}", "#".repeat(usize::from(*level)), escape(title));
                }
                Block::Paragraph(text) => {
                    let _ = writeln!(out, "{}", escape(text));
                }
                Block::List(items) => {
                    for item in items {
                        let _ = writeln!(out, "- {}", escape(item));
                    }
                }
                Block::Table { header, rows } => {
                    let line = |cells: &[String]| {
                        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    out += &line(header);
                    let rule: Vec<&str> =
                        (0..header.len()).map(|column| if is_figures(rows, column) { "---:" } else { "---" }).collect();
                    let _ = writeln!(out, "| {} |", rule.join(" | "));
                    rows.iter().for_each(|row| out += &line(row));
                }
            }
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

/// Keeps Markdown from reading a model's or a metric's name as markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '|' | '*' | '_' | '`' | '<' | '[' | ']') {
            out.push('\\');
        }
        out.push(if character.is_control() { ' ' } else { character });
    }
    out
}

/// A column holds figures when every cell begins like one; the first column never does.
fn is_figures(rows: &[Vec<String>], column: usize) -> bool {
    let is_figure = |cell: &str| {
        cell.starts_with(|c: char| c.is_ascii_digit() || "−+≥≤–—~".contains(c)) && cell.chars().count() < 24
    };
    column > 0 && rows.iter().filter_map(|row| row.get(column)).all(|cell| cell.is_empty() || is_figure(cell))
}

fn text_table(out: &mut String, header: &[String], rows: &[Vec<String>]) {
    let length = |text: &str| text.chars().count();
    let mut widths: Vec<usize> = (0..header.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.chain(header.get(column)).map(|cell| length(cell)).max().unwrap_or(0)
        })
        .collect();
    let right: Vec<bool> = (0..header.len()).map(|column| is_figures(rows, column)).collect();
    // Words in the last column are broken into lines where the row would be too long for a terminal.
    if let Some((last, others)) = widths.split_last_mut() {
        let before: usize = others.iter().map(|width| width + GAP).sum();
        *last = (*last).min(TEXT_WIDTH.saturating_sub(before).max(LEAST_LAST_COLUMN));
    }
    let mut line = |cells: &[String]| {
        let cells: Vec<Vec<String>> = cells.iter().zip(&widths).map(|(cell, &width)| lines(cell, width)).collect();
        for row in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut text = String::new();
            for ((cell, &width), &right) in cells.iter().zip(&widths).zip(&right) {
                let cell = cell.get(row).map_or("", String::as_str);
                let space = " ".repeat(width.saturating_sub(length(cell)));
                let gap = " ".repeat(GAP);
                let _ = if right { write!(text, "{space}{cell}{gap}") } else { write!(text, "{cell}{space}{gap}") };
            }
            let _ = writeln!(out, "{}", text.trim_end());
        }
    };
    line(header);
    line(&widths.iter().map(|&width| "─".repeat(width)).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
}

/// Text broken between words into lines of so many characters; a longer word stands alone.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    // Names in a dump may hold anything; only text reaches the terminal, never a command to it.
    let text: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    // Only plain spaces part words: a no-break space keeps a number together.
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            *line += word;
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            *line += word;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

fn wrap(out: &mut String, text: &str, first: &str, rest: &str) {
    for (index, line) in lines(text, TEXT_WIDTH - rest.chars().count()).iter().enumerate() {
        let _ = writeln!(out, "{}{line}", if index == 0 { first } else { rest });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Document {
        let mut document = Document::default();
        document.blocks.push(Block::Heading(1, "Report".to_owned()));
        document.section("Speed");
        document.table(
            &["part", "time"],
            vec![vec!["a|b_c".to_owned(), "17.4 ms".to_owned()], vec!["rest".to_owned(), "−1.00 ms".to_owned()]],
        );
        document.list(vec!["word ".repeat(30)]);
        document
    }

    #[test]
    fn markdown_escapes_names_and_sets_figures_right() {
        assert!(sample().to_markdown().contains("| part | time |\n| --- | ---: |\n| a\\|b\\_c | 17.4 ms |\n"));
    }

    #[test]
    fn text_aligns_columns_and_wraps_lists_with_a_hanging_indent() {
        let text = sample().to_text();
        assert!(text.contains("part       time\n─────  ────────\na|b_c   17.4 ms\nrest   −1.00 ms\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= TEXT_WIDTH));
        assert!(text.contains("\n  word"));
    }
}
