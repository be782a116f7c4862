//! The shortcut for three of four lines of a scrape: a bucket that differs from the one before only in `le` and its count.

use super::super::arena::{Arena, Label, Record, Span};
use super::super::number::leading_number;
use super::Previous;
use std::ops::Range;

/// A bucket's line but for `le` and the count, as an earlier line spells it.
#[derive(Debug, Clone, Default)]
pub(super) struct BucketLine {
    /// From the line's first byte to the opening quote of `le`. Empty where no such line came before.
    pub head: Range<usize>,
    /// How much of it is the name.
    pub name_length: usize,
    /// From the closing quote of `le` to the space before the count.
    pub tail: Range<usize>,
    /// The labels after `le`.
    pub tail_labels: Range<usize>,
}

impl Previous {
    /// Takes the line that begins at `start` if it is such a bucket, written without any breach; returns where its line
    /// feed is.
    #[inline(always)]
    pub fn another_bucket(&self, text: &[u8], arena: &mut Arena, start: usize, line: u32) -> Option<usize> {
        let BucketLine { head, name_length, tail, tail_labels } = &self.bucket;
        let known = text.get(head.clone()).filter(|head| !head.is_empty())?;
        let bound = start + known.len();
        if text.get(start..bound)? != known {
            return None;
        }
        let length = text.get(bound..)?.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n'))?;
        let known = text.get(tail.clone())?;
        let value = bound + length + known.len();
        if text.get(bound + length..value)? != known {
            return None;
        }
        let (number, digits) = leading_number(text.get(value..)?)?;
        let end = value + digits;
        if number.deviation.is_some() || text.get(end) != Some(&b'\n') || tail_labels.end > arena.labels.len() {
            return None;
        }
        let span = |start: usize, length: usize| Span { start: start as u32, length: length as u32 };
        let own_start = arena.labels.len() as u32;
        arena.labels.push(Label { name: span(bound - b"le=\"".len(), 2), value: span(bound, length) });
        for place in tail_labels.clone() {
            let Some(label) = arena.labels.get(place) else { break };
            arena.labels.push(*label);
        }
        arena.records.push(Record {
            name: span(start, *name_length),
            shared_start: self.labels_start,
            own_start,
            shared_count: self.labels_count,
            own_count: 1 + tail_labels.len() as u16,
            line,
            value: number.value,
        });
        Some(end)
    }
}
