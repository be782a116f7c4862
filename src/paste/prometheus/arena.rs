//! Where parsed samples live: three flat tables that point into the text instead of copying it.

use super::composite::Composite;
use std::ops::Range;

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

/// One sample. Its labels are `shared_count` entries from `shared_start`, which it has in common with an earlier line,
/// and what [`Own`] says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub name: Span,
    pub shared_start: u32,
    pub own_start: u32,
    pub shared_count: u16,
    pub own: Own,
    pub line: u32,
    pub value: f64,
}

/// What a sample's labels are beside the shared ones, in two bytes: so many entries from `own_start` behind them; or
/// nothing but another bound, since it is a bucket like the one before, and `own_start` is where that is in the text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Own(u16);

impl Own {
    const BOUND: u16 = 1 << 15;
    const PLACES: u16 = 1 << 10;
    const LENGTHS: usize = 1 << 5;

    pub const fn labels(count: u16) -> Self {
        Self(count)
    }

    /// Another value of this many bytes for the shared label at this place; `None` if either is too large for it.
    pub const fn bound(place: u16, length: usize) -> Option<Self> {
        if place >= Self::PLACES || length >= Self::LENGTHS {
            return None;
        }
        Some(Self(Self::BOUND | (length as u16 * Self::PLACES) | place))
    }

    /// How many labels of its own there are.
    pub const fn count(self) -> u16 {
        if self.0 & Self::BOUND == 0 { self.0 } else { 0 }
    }

    /// Which shared label has another value, and how long that is.
    const fn another(self) -> Option<(usize, u32)> {
        let length = self.0 % Self::BOUND / Self::PLACES;
        if self.0 & Self::BOUND == 0 { None } else { Some(((self.0 % Self::PLACES) as usize, length as u32)) }
    }
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
            records: Vec::with_capacity(bytes as usize / 110),
            labels: Vec::with_capacity(bytes as usize / 160),
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

    /// A sample's labels, in the order of its line.
    pub fn labels_of(&self, record: &Record) -> impl Iterator<Item = Label> + use<'_> {
        let range = |start: u32, count: u16| start as usize..start as usize + count as usize;
        let listed = |range: Range<usize>| self.labels.get(range).unwrap_or_default().iter().copied();
        let (another, start) = (record.own.another(), record.own_start);
        let shared = listed(range(record.shared_start, record.shared_count)).enumerate().map(move |(at, label)| {
            let value = another.filter(|(place, _)| *place == at).map(|(_, length)| Span { start, length });
            Label { value: value.unwrap_or(label.value), ..label }
        });
        shared.chain(listed(range(record.own_start, record.own.count())))
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
