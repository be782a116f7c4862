//! Whether there is memory for what comes next, so that a text too large for it ends in a remark.

use super::index::Index;
use super::reader::{FITS, LONGEST_LINE, Reader, SLICE};
use crate::paste::WarningKind;

impl Reader<'_> {
    /// Whether there is memory for what the next slice of a long text can hold at most.
    pub(super) fn has_room(&mut self) -> bool {
        if self.source.len() < FITS {
            return true;
        }
        // What has come so far tells how much more will: a list that grows by doubling is copied, and twice as large,
        // each time. The least are what a slice can hold: `a 1` is a sample, `a="",` a label, `# TYPE a x` a family;
        // a line that has to be mended comes into the pool.
        let more = 1.1 * (self.source.len() - self.next) as f64 / self.next.max(1) as f64;
        let more = |length: usize| (length as f64 * more) as usize;
        let (records, labels) = (&mut self.arena.records, &mut self.arena.labels);
        let room = records.has_room(SLICE / 4, more(records.len()))
            && labels.has_room(SLICE / 5, more(labels.len()))
            && self.arena.pool.has_room(2 * LONGEST_LINE, more(self.arena.pool.len()))
            && self.families.has_room(SLICE / 11, more(self.families.len()))
            && self.index.has_room(SLICE / 11, more(self.index.len()));
        if !room {
            let share = self.next as f64 / self.source.len() as f64;
            let message =
                format!("memory is full; what follows, {:.0} % of the text, was left out", 100.0 - share * 100.0);
            self.remarks.say(self.number as usize + 1, WarningKind::Truncated, &message);
        }
        room
    }
}

/// A list that can run out of memory without a panic.
trait Room {
    /// Makes room for at least so many more elements, if possible for those that are expected after them too.
    fn has_room(&mut self, least: usize, expected: usize) -> bool;
}

impl<T> Room for Vec<T> {
    fn has_room(&mut self, least: usize, expected: usize) -> bool {
        let has = self.capacity() - self.len() >= least;
        has || self.try_reserve_exact(expected + least).is_ok() || self.try_reserve_exact(least).is_ok()
    }
}

impl Room for String {
    fn has_room(&mut self, least: usize, expected: usize) -> bool {
        let has = self.capacity() - self.len() >= least;
        has || self.try_reserve_exact(expected + least).is_ok() || self.try_reserve_exact(least).is_ok()
    }
}

impl Room for Index<'_> {
    fn has_room(&mut self, least: usize, expected: usize) -> bool {
        let has = self.capacity() - self.len() >= least;
        has || self.try_reserve(expected + least).is_ok() || self.try_reserve(least).is_ok()
    }
}
