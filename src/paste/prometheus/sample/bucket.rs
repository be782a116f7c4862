//! The shortcut for three of four lines of a scrape: a bucket that differs from the one before only in `le` and its count.

use super::super::arena::{Arena, Own, Record, Span};
use super::super::number::leading_number;
use super::{Previous, stands};
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
    pub labels_start: u32,
    pub labels_count: u16,
    /// Which of the labels is `le`.
    pub place: u16,
}

impl Previous {
    /// Takes the line that begins at `start` if it is such a bucket, written without any breach; returns where its line
    /// feed is.
    #[inline(always)]
    pub fn another_bucket(&self, text: &[u8], arena: &mut Arena, start: usize, line: u32) -> Option<usize> {
        let like = &self.bucket;
        let head = text.get(like.head.clone()).filter(|head| !head.is_empty())?;
        let bound = start + head.len();
        if !stands(head, text, start) {
            return None;
        }
        let mut length = 0;
        while !matches!(text.get(bound + length)?, b'"' | b'\\' | b'\n') {
            length += 1;
        }
        let own = Own::bound(like.place, length)?;
        let tail = text.get(like.tail.clone())?;
        let value = bound + length + tail.len();
        if !stands(tail, text, bound + length) {
            return None;
        }
        let (number, digits) = leading_number(text.get(value..)?)?;
        let end = value + digits;
        if number.deviation.is_some() || text.get(end) != Some(&b'\n') {
            return None;
        }
        arena.records.push(Record {
            name: Span { start: start as u32, length: like.name_length as u32 },
            shared_start: like.labels_start,
            own_start: bound as u32,
            shared_count: like.labels_count,
            own,
            line,
            value: number.value,
        });
        Some(end)
    }
}
