//! Series that are there more than once: a block pasted twice, two scrapes in one text, or a lost label.

use super::exposition::Exposition;
use super::remarks::Remarks;
use crate::paste::{Warning, WarningKind};
use std::collections::HashMap;

impl Exposition<'_> {
    /// A remark for the series that are there more than once, apart from points at different times. Asked
    /// for separately, since it takes as long as reading does.
    ///
    /// ```
    /// use decodescope::paste::prometheus::read;
    /// let twice = read("a{x=\"1\",y=\"2\"} 1\nb 2\na{y=\"2\",x=\"1\"} 3\n");
    /// let said = twice.repeated_series();
    /// assert_eq!(said[0].to_string(), "line 3: a series that is there already, with another value: `a`");
    /// ```
    #[must_use]
    pub fn repeated_series(&self) -> Vec<Warning> {
        let mut seen = HashMap::with_capacity(self.samples().len());
        let mut remarks = Remarks::default();
        for sample in self.samples() {
            let mut labels: Vec<(&str, &str)> = sample.labels().collect();
            labels.sort_unstable();
            let time = sample.timestamp().map(|time| time.seconds().to_bits());
            let value = sample.value();
            let Some(earlier) = seen.insert((sample.name(), labels, time), value) else { continue };
            let message = match earlier == value || (earlier.is_nan() && value.is_nan()) {
                true => "a series that is there already, with the same value",
                false => "a series that is there already, with another value",
            };
            remarks.say_of(sample.line(), WarningKind::Duplicate, message, sample.name());
        }
        remarks.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::paste::prometheus::read;

    #[test]
    fn points_in_time_are_no_repetition() {
        assert_eq!(read("a 1 1000\na 2 2000\nb{x=\"1\"} 1\nb{x=\"2\"} 1\n").repeated_series(), []);
        assert_eq!(read("a NaN\na NaN\na NaN\n").repeated_series().len(), 1);
    }
}
