//! Numbers with blanks between their thousands, `23 456.7`: to the format a value and a timestamp.

use super::reader::Reader;
use crate::paste::WarningKind;

/// A group of thousands is less, and no clock has shown so little since 1970.
const BEYOND_GROUPS: f64 = 1e3;

impl Reader<'_> {
    /// Leaves out the latest sample if its timestamp has a fraction and is too small for one: the text format has no
    /// fractions there. Whether it did.
    #[cold]
    pub(super) fn refuse_group(&mut self, number: u32) -> bool {
        let latest = self.arena.records.len().saturating_sub(1);
        let time = self.arena.times.last().filter(|(sample, _)| *sample as usize == latest).map(|(_, time)| *time);
        let small = time.is_some_and(|time| (0.0..BEYOND_GROUPS).contains(&time));
        if !small || self.openmetrics || self.ends_as_openmetrics() {
            return false;
        }
        self.arena.forget_latest();
        let message = "left out: a blank inside the number, or a timestamp that is none";
        self.remarks.say(number as usize, WarningKind::BadValue, message);
        true
    }

    fn ends_as_openmetrics(&self) -> bool {
        let bytes = self.source.as_bytes();
        let end = bytes.get(bytes.len().saturating_sub(64)..).unwrap_or_default();
        end.trim_ascii_end().ends_with(b"# EOF")
    }

    /// Says where a value and a timestamp look like one number: up to three digits, and up to three more.
    pub(super) fn doubt_groups(&mut self) {
        if self.openmetrics {
            return;
        }
        let group = 1.0..BEYOND_GROUPS;
        for (sample, time) in &self.arena.times {
            let Some(record) = self.arena.records.get(*sample as usize) else { continue };
            if group.contains(time) && group.contains(&record.value.abs()) && record.value.fract() == 0.0 {
                let message = "a value and a timestamp, as the format says, or one number with a blank in it";
                self.remarks.say(record.line as usize, WarningKind::BadValue, message);
            }
        }
    }
}
