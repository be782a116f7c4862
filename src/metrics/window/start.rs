//! When the server says it started, in two scrapes.

/// Start times that differ by less than this, in seconds, are one and the same: exporters derive them from the boot
/// time, which the system's clock adjustment shifts by about a second. No model server restarts faster.
const JITTER: f64 = 2.0;

/// How the start time (`process_start_time_seconds`, or a series' `_created`) changed between two scrapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartChange {
    /// The same process: whatever fell did not fall by a restart.
    Same,
    /// A later start: restarted in between.
    Restarted,
    /// An earlier start: the two scrapes are in the wrong order, or of two servers.
    Earlier,
    /// At least one scrape does not say.
    Unknown,
}

impl StartChange {
    /// From the two start times, in seconds since the epoch.
    ///
    /// ```
    /// use decodescope::metrics::window::StartChange;
    /// assert_eq!(StartChange::of(Some(1.7e9), Some(1.7e9 + 600.0)), StartChange::Restarted);
    /// assert_eq!(StartChange::of(Some(1.7e9), Some(1.7e9 + 1.0)), StartChange::Same);
    /// ```
    pub fn of(before: Option<f64>, after: Option<f64>) -> Self {
        match before.zip(after).map(|(before, after)| after - before) {
            Some(later) if later.abs() <= JITTER => Self::Same,
            Some(later) if later > 0.0 => Self::Restarted,
            Some(later) if later < 0.0 => Self::Earlier,
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_is_missing_or_no_number_is_unknown() {
        assert_eq!(StartChange::of(None, Some(1.0)), StartChange::Unknown);
        assert_eq!(StartChange::of(Some(f64::NAN), Some(1.0)), StartChange::Unknown);
        assert_eq!(StartChange::of(Some(9.0), Some(1.0)), StartChange::Earlier);
    }
}
