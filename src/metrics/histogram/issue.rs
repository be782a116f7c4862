//! What can be wrong with a histogram as scraped.

use crate::paste::WarningKind;
use std::fmt;

/// One thing found wrong with a histogram, and what was done about it. Displayed as a neutral fact in lower case.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum HistogramIssue {
    /// A bucket bound that is NaN or −∞; the bucket was left out.
    BadBound {
        /// The bound.
        le: f64,
    },
    /// A bucket count that is NaN, infinite, or beyond all measure; the bucket was left out.
    BadCount {
        /// The bucket's bound.
        le: f64,
        /// Its count.
        count: f64,
    },
    /// A cumulative count below zero, read as 0.
    NegativeCount {
        /// The bucket's bound.
        le: f64,
        /// Its count.
        count: f64,
    },
    /// Bucket bounds that do not ascend; they were sorted.
    NotAscending {
        /// The first bound that is lower than the one before it.
        le: f64,
    },
    /// The same bound more than once (`0.2` and `2e-1`); the counts were added, as Prometheus does.
    DuplicateBound {
        /// The bound.
        le: f64,
    },
    /// A cumulative count below that of a lower bound; it was raised to it, as Prometheus does.
    NotMonotonic {
        /// The bucket's bound.
        le: f64,
        /// The cumulative count as given.
        count: f64,
        /// The cumulative count it was raised to.
        raised_to: f64,
    },
    /// There is no +Inf bucket; where the count is known, it was restored from it.
    MissingInfinity {
        /// The stated count.
        count: Option<f64>,
    },
    /// The count is not what the buckets hold in all; the statistics of buckets use the buckets.
    CountDisagrees {
        /// The stated count.
        count: f64,
        /// What the buckets hold.
        buckets: f64,
    },
    /// A count that is negative, NaN, infinite, or beyond all measure; it was left out.
    BadTotal {
        /// The count as given.
        count: f64,
    },
    /// A sum that is NaN or infinite; it was left out.
    BadSum {
        /// The sum as given.
        sum: f64,
    },
    /// A sum that no observations in these buckets can have; the bounds do without it.
    ///
    /// A torn scrape, negative values, two different units, or a damaged paste.
    SumOutside {
        /// The sum as given.
        sum: f64,
        /// All observations at their bucket's lower bound.
        low: f64,
        /// All observations at their bucket's upper bound; infinite if any lies in the +Inf bucket.
        high: f64,
    },
    /// More buckets than are kept; neighbours were joined, so that quantiles are coarser. The mean is what it was.
    TooManyBuckets {
        /// How many there are.
        buckets: usize,
        /// How many are left.
        kept: usize,
    },
    /// A sum or count without buckets: means only.
    NoBuckets,
    /// No sum: no mean, and bounds from counts alone.
    NoSum,
    /// No count; the buckets stand in for it.
    NoCount,
}

impl HistogramIssue {
    /// The kind of remark this is to a reader of the dump.
    pub fn kind(&self) -> WarningKind {
        match self {
            Self::BadBound { .. } | Self::BadCount { .. } | Self::BadTotal { .. } | Self::BadSum { .. } => {
                WarningKind::BadValue
            }
            Self::NegativeCount { .. } => WarningKind::BadValue,
            Self::NotAscending { .. } | Self::TooManyBuckets { .. } => WarningKind::Repaired,
            Self::DuplicateBound { .. } => WarningKind::Duplicate,
            Self::NotMonotonic { .. } | Self::CountDisagrees { .. } | Self::SumOutside { .. } => {
                WarningKind::Inconsistent
            }
            Self::MissingInfinity { .. } | Self::NoBuckets | Self::NoSum | Self::NoCount => WarningKind::Missing,
        }
    }
}

impl fmt::Display for HistogramIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BadBound { le } => write!(f, "bucket left out: its bound is {le}"),
            Self::BadCount { le, count } => write!(f, "bucket le={le} left out: its count is {count}"),
            Self::NegativeCount { le, count } => write!(f, "bucket le={le} counts {count}, read as 0"),
            Self::NotAscending { le } => write!(f, "bucket le={le} stands after a higher one, sorted"),
            Self::DuplicateBound { le } => write!(f, "bucket le={le} appears more than once, counts added"),
            Self::NotMonotonic { le, count, raised_to } => {
                write!(f, "bucket le={le} counts {count}, fewer than a lower bucket, raised to {raised_to}")
            }
            Self::MissingInfinity { count: Some(count) } => {
                write!(f, "no +Inf bucket, restored from the count {count}")
            }
            Self::MissingInfinity { count: None } => {
                f.write_str("no +Inf bucket and no count: how many observations lie above the last bucket is unknown")
            }
            Self::CountDisagrees { count, buckets } => write!(f, "count is {count} but the buckets hold {buckets}"),
            Self::BadTotal { count } => write!(f, "count left out: it is {count}"),
            Self::BadSum { sum } => write!(f, "sum left out: it is {sum}"),
            Self::SumOutside { sum, low, high } => {
                write!(f, "sum is {sum} but the buckets allow only {low} to {high}, bounds use counts alone")
            }
            Self::TooManyBuckets { buckets, kept } => {
                write!(f, "{buckets} buckets, neighbours were joined: {kept} are left")
            }
            Self::NoBuckets => f.write_str("no buckets: only the mean can be told"),
            Self::NoSum => f.write_str("no sum: no mean, bounds use counts alone"),
            Self::NoCount => f.write_str("no count, taken from the buckets"),
        }
    }
}
