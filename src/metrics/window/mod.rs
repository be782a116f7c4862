//! What happened between two scrapes of the same server.
//!
//! Counters and histograms count since the server started, warm-up included; the difference of two scrapes is the time
//! between them alone. A restart in between sets them back to zero, which must not be subtracted.
//!
//! | question | answer |
//! |---|---|
//! | by how much did a counter grow? | [`increase`], [`increase_between`] |
//! | what did a histogram see? | [`histogram_between`] |
//! | did the server restart? | [`StartChange::of`], and what fell |
//! | were the two mixed up? | [`Order::of`] |
//! | which series came, which went? | [`pair`] |
//!
//! Nothing is extrapolated: Prometheus stretches an increase to the borders of its query range, whereas here the two
//! scrapes are the borders.

mod counter;
mod histogram;
mod order;
mod series;
mod start;

pub use counter::{Increase, increase, increase_between};
pub use histogram::{HistogramWindow, Reset, histogram_between};
pub use order::Order;
pub use series::{Pair, pair};
pub use start::StartChange;
