//! Where parsed samples live: three flat tables that point into the text instead of copying it.

use super::composite::Composite;

/// A piece of text: an offset into the pasted text or, from its end on, into the pool of rewritten text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    pub start: u32,
    pub length: u32,
}

/// One label of a sample, both parts without quotes and with escapes resolved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Label {
    pub name: Span,
    pub value: Span,
}

/// One sample. Its labels are `shared_count` entries from `shared_start` (the beginning it has in common
/// with an earlier line) and then `own_count` entries from `own_start`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub name: Span,
    pub shared_start: u32,
    pub own_start: u32,
    pub shared_count: u16,
    pub own_count: u16,
    pub line: u32,
    pub value: f64,
}

/// An example measurement attached to a sample by OpenMetrics.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExemplarRecord {
    /// Index of the sample it belongs to.
    pub sample: u32,
    pub labels_start: u32,
    pub labels_count: u16,
    pub value: f64,
    pub timestamp: f64,
}

/// Everything read, in reading order.
#[derive(Debug, Clone, Default)]
pub(super) struct Arena {
    pub records: Vec<Record>,
    pub labels: Vec<Label>,
    pub exemplars: Vec<ExemplarRecord>,
    /// Timestamps as written, by the index of their sample. Their unit is known only once the whole text is.
    pub times: Vec<(u32, f64)>,
    /// Start timestamps in seconds, likewise.
    pub starts: Vec<(u32, f64)>,
    /// Composite values, likewise.
    pub composites: Vec<(u32, Composite)>,
    /// Text that is not in the input as such: unescaped values and repaired lines.
    pub pool: String,
    /// Where the pool begins in the address space of [`Span`]: the length of the text.
    pub pool_start: u32,
}

impl Arena {
    /// An arena for a text of this many bytes, with room for what such a text usually holds.
    pub fn for_text(bytes: u32) -> Self {
        Self {
            records: Vec::with_capacity(bytes as usize / 140),
            labels: Vec::with_capacity(bytes as usize / 80),
            pool_start: bytes,
            ..Self::default()
        }
    }

    /// The text a span stands for.
    pub fn text<'a>(&'a self, source: &'a str, span: Span) -> &'a str {
        let (from, start) = match span.start.checked_sub(self.pool_start) {
            Some(start) if span.length > 0 => (self.pool.as_str(), start),
            _ => (source, span.start),
        };
        from.get(start as usize..start as usize + span.length as usize).unwrap_or("")
    }

    /// Takes back the latest sample.
    pub fn forget_latest(&mut self) {
        self.records.pop();
        let records = self.records.len();
        self.times.pop_if(|(sample, _)| *sample as usize == records);
        self.starts.pop_if(|(sample, _)| *sample as usize == records);
        self.composites.pop_if(|(sample, _)| *sample as usize == records);
        while self.exemplars.pop_if(|exemplar| exemplar.sample as usize == records).is_some() {}
    }

    /// Where the next text put into the pool will begin.
    pub fn pool_end(&self) -> u32 {
        self.pool_start.saturating_add(u32::try_from(self.pool.len()).unwrap_or(u32::MAX))
    }

    /// Puts text into the pool.
    pub fn pool(&mut self, text: &str) -> Span {
        let start = self.pool_end();
        match u32::try_from(text.len()) {
            Ok(length) if start.checked_add(length).is_some() => {
                self.pool.push_str(text);
                Span { start, length }
            }
            // Beyond 4 GiB there is no address left; the reader refuses such texts before it comes to this.
            _ => Span::default(),
        }
    }
}
