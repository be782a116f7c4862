//! Whether two scrapes are in order of time.

use super::StartChange;
use super::counter::fell;

/// What the counters and the start time together say about two scrapes given as before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In order, the same process throughout.
    AsGiven,
    /// In order, with a restart in between.
    Restarted,
    /// The other way round.
    Swapped,
    /// Counters fell, and without a start time that can be a restart or the wrong order.
    Unclear,
}

impl Order {
    /// From the counters both scrapes have, as `(before, after)`, and the change of the start time.
    ///
    /// Within one process no counter falls. So where some fell and none grew though the start is the same, the scrapes
    /// are swapped; an earlier start says so by itself. Where some fell and others grew it was a restart: a swap makes
    /// all fall.
    ///
    /// ```
    /// use decodescope::metrics::window::{Order, StartChange};
    /// assert_eq!(Order::of([(90.0, 40.0), (7.0, 7.0)], StartChange::Same), Order::Swapped);
    /// assert_eq!(Order::of([(90.0, 40.0), (7.0, 7.0)], StartChange::Unknown), Order::Unclear);
    /// assert_eq!(Order::of([(90.0, 40.0), (7.0, 9.0)], StartChange::Unknown), Order::Restarted);
    /// ```
    pub fn of(counters: impl IntoIterator<Item = (f64, f64)>, start: StartChange) -> Self {
        let (mut any_fell, mut any_grew) = (false, false);
        for (before, after) in counters {
            any_fell |= fell(before, after);
            any_grew |= fell(after, before);
        }
        match start {
            StartChange::Earlier => Self::Swapped,
            StartChange::Restarted => Self::Restarted,
            _ if !any_fell => Self::AsGiven,
            _ if any_grew => Self::Restarted,
            StartChange::Same => Self::Swapped,
            StartChange::Unknown => Self::Unclear,
        }
    }
}
