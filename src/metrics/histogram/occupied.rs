//! Where the mass of a histogram sits.

use super::Histogram;
use serde::{Deserialize, Serialize};

/// A bucket that holds observations, with both its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OccupiedBucket {
    /// The lower bound, exclusive; the first bucket's is 0 (inclusive), or −∞ if its upper bound is negative.
    #[serde(with = "super::number")]
    pub lower: f64,
    /// The upper bound, inclusive; +∞ for the last.
    #[serde(with = "super::number")]
    pub upper: f64,
    /// How many observations it holds.
    #[serde(with = "super::number")]
    pub count: f64,
    /// Its share of all observations, 0 to 1.
    pub share: f64,
}

impl Histogram {
    /// The buckets that hold observations, ascending. Observations the count states beyond a last finite bucket are
    /// in a bucket up to +∞.
    pub fn occupied(&self) -> Vec<OccupiedBucket> {
        let cumulative = self.cumulative();
        let total = cumulative.last().map_or(0.0, |&(_, total)| total);
        let mut occupied = Vec::new();
        let mut before = None;
        for (upper, up_to) in cumulative {
            let (lower, below) = before.unwrap_or((if upper < 0.0 { f64::NEG_INFINITY } else { 0.0 }, 0.0));
            let count = up_to - below;
            if count > 0.0 {
                occupied.push(OccupiedBucket { lower, upper, count, share: count / total });
            }
            before = Some((upper, up_to));
        }
        occupied
    }

    /// The bucket with the most observations; the lowest such. `None` without observations.
    pub fn main_bucket(&self) -> Option<OccupiedBucket> {
        self.occupied().into_iter().reduce(|main, other| if other.count > main.count { other } else { main })
    }

    /// The one bucket all observations sit in, if they do. Then only the mean says anything about their size.
    pub fn single_bucket(&self) -> Option<OccupiedBucket> {
        match self.occupied()[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// How many observations lie above the main bucket.
    pub fn tail_beyond_main(&self) -> f64 {
        self.beside_main(|bucket, main| bucket.lower >= main.upper)
    }

    /// How many observations lie below the main bucket.
    pub fn head_below_main(&self) -> f64 {
        self.beside_main(|bucket, main| bucket.upper <= main.lower)
    }

    fn beside_main(&self, beside: impl Fn(&OccupiedBucket, &OccupiedBucket) -> bool) -> f64 {
        let Some(main) = self.main_bucket() else { return 0.0 };
        self.occupied().iter().filter(|bucket| beside(bucket, &main)).map(|bucket| bucket.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::worked_example;
    use super::*;

    #[test]
    fn the_worked_examples_tokens_all_sit_between_10_and_25_milliseconds() {
        let only = OccupiedBucket { lower: 0.01, upper: 0.025, count: 1623.0, share: 1.0 };
        assert_eq!(worked_example().single_bucket(), Some(only));
        assert_eq!(worked_example().main_bucket(), Some(only));
        assert_eq!(worked_example().tail_beyond_main(), 0.0);
        assert_eq!(worked_example().head_below_main(), 0.0);
    }

    #[test]
    fn mass_on_both_sides_of_the_main_bucket_is_counted() {
        let cumulative = vec![(1.0, 2.0), (2.0, 2.0), (3.0, 7.0), (4.0, 8.0)];
        let (histogram, _) = Histogram::from_cumulative(cumulative, None, Some(10.0));
        assert_eq!(histogram.head_below_main(), 2.0);
        assert_eq!(histogram.tail_beyond_main(), 3.0); // one in (3, 4], two that only the count knows of
        assert_eq!(histogram.single_bucket(), None);
        let last = OccupiedBucket { lower: 4.0, upper: f64::INFINITY, count: 2.0, share: 0.2 };
        assert_eq!(histogram.occupied().last(), Some(&last));
    }

    #[test]
    fn the_first_bucket_starts_at_zero_unless_its_bound_is_negative() {
        let lower = |le| Histogram::from_cumulative(vec![(le, 1.0)], None, Some(1.0)).0.occupied()[0].lower;
        assert_eq!((lower(0.5), lower(0.0), lower(-1.0)), (0.0, 0.0, f64::NEG_INFINITY));
    }
}
