//! The buckets of one histogram as they come, of which equal bounds are one.

use super::histogram::HistogramIssue;
use std::collections::HashMap;

/// How many buckets of a histogram are kept. No server has a fifth of it, and nothing shows more.
const MOST: usize = 500;

/// Cumulative buckets in the order of the text, `(le, count)`.
///
/// Bounds that ascend, as nearly all do, are only put at the end. The first that does not has all bounds looked up in
/// an index from then on, so that however many there are, in whatever order, each costs the same.
#[derive(Default)]
pub(super) struct Buckets {
    list: Vec<(f64, f64)>,
    places: Option<HashMap<u64, usize>>,
}

impl Buckets {
    /// Puts a bucket in, over an earlier one with the same bound; says whether there was one.
    pub fn put(&mut self, bound: f64, cumulative: f64) -> bool {
        let end = self.list.len();
        let ascends = self.list.last().is_none_or(|(last, _)| *last < bound);
        if self.places.is_some() || !ascends {
            let list = &self.list;
            let index = || list.iter().enumerate().map(|(place, (bound, _))| (key(*bound), place)).collect();
            let place = *self.places.get_or_insert_with(index).entry(key(bound)).or_insert(end);
            if let Some(bucket) = self.list.get_mut(place) {
                bucket.1 = cumulative;
                return true;
            }
        }
        self.list.push((bound, cumulative));
        false
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The buckets in the order of the text; of too many, evenly chosen ones in ascending order, with the remark that
    /// they are joined.
    ///
    /// Since counts are cumulative, leaving out a bound joins two buckets and makes nothing wrong, only coarser. The
    /// first stays, and the last two: where the highest finite bucket ends, and the whole. Which stay depends on their
    /// number alone, so that two scrapes of a histogram keep the same.
    pub fn into_list(mut self) -> (Vec<(f64, f64)>, Option<HistogramIssue>) {
        let buckets = self.list.len();
        if buckets <= MOST {
            return (self.list, None);
        }
        self.list.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
        let step = buckets.div_ceil(MOST - 2);
        let mut place = 0..buckets;
        self.list.retain(|_| place.next().is_some_and(|place| place % step == 0 || place + 2 >= buckets));
        let kept = self.list.len();
        (self.list, Some(HistogramIssue::TooManyBuckets { buckets, kept }))
    }
}

/// Equal bounds have equal keys: zero is zero with either sign.
fn key(bound: f64) -> u64 {
    (bound + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(bounds: &[f64]) -> (Vec<bool>, Vec<(f64, f64)>) {
        let mut buckets = Buckets::default();
        let again = bounds.iter().enumerate().map(|(turn, bound)| buckets.put(*bound, turn as f64)).collect();
        (again, buckets.into_list().0)
    }

    #[test]
    fn a_bound_that_comes_again_takes_the_place_of_the_first() {
        let (again, list) = put(&[1.0, 5.0, 2.0, 5.0, 9.0, 1.0]);
        assert_eq!(again, [false, false, false, true, false, true]);
        assert_eq!(list, [(1.0, 5.0), (5.0, 3.0), (2.0, 2.0), (9.0, 4.0)]);
        assert_eq!(put(&[0.0, -0.0]).1, [(0.0, 1.0)]);
        assert_eq!(put(&[f64::INFINITY, f64::INFINITY]).1, [(f64::INFINITY, 1.0)]);
    }

    /// A million bounds each compared with all before it would take an hour.
    #[test]
    fn very_many_buckets_in_any_order_take_no_longer_each() {
        let mut bounds: Vec<f64> = (0..300_000).map(f64::from).collect();
        let ascending = put(&bounds).1;
        bounds.reverse();
        let twice = [bounds.clone(), bounds].concat();
        let (again, list) = put(&twice);
        assert_eq!(again.into_iter().filter(|again| *again).count(), 300_000);
        // Every 603rd is kept, 300 000 / 498 rounded up: 498, and the last two; the bounds are those of the other order.
        assert_eq!(ascending.get(..2), Some([(0.0, 0.0), (603.0, 603.0)].as_slice()));
        assert_eq!(ascending.len(), 500);
        assert!(ascending.ends_with(&[(299_998.0, 299_998.0), (299_999.0, 299_999.0)]));
        assert!(list.iter().map(|(bound, _)| bound).eq(ascending.iter().map(|(bound, _)| bound)));
    }
}
