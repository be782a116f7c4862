//! Several histograms of the same metric as one: engines, replicas, label sets.

use super::{Bucket, Histogram};

impl Histogram {
    /// Adds another histogram of the same metric.
    ///
    /// With equal bounds the buckets add up. With differing bounds (two engine versions) only the bounds both have are
    /// kept, since only there both cumulative counts are known. A sum or count that one side lacks is lacking in the
    /// result: half of it would be a wrong number. An empty histogram adds nothing.
    pub fn add(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        if self.same_bounds(other) {
            for (bucket, added) in self.buckets.iter_mut().zip(&other.buckets) {
                bucket.count += added.count;
            }
        } else {
            let (ours, theirs) = (self.restricted_to(other), other.restricted_to(self));
            self.buckets = ours.zip(theirs).map(|(a, b)| Bucket { le: a.le, count: a.count + b.count }).collect();
        }
        self.sum = self.sum.zip(other.sum).map(|(a, b)| a + b);
        self.count = self.count.zip(other.count).map(|(a, b)| a + b);
    }

    /// The buckets at those bounds that the other histogram has too, each taking in the finer ones left out.
    pub(crate) fn restricted_to(&self, other: &Self) -> impl Iterator<Item = Bucket> {
        let theirs = other.cumulative();
        let mut below = 0.0;
        self.cumulative()
            .into_iter()
            .filter(move |(le, _)| theirs.binary_search_by(|(bound, _)| bound.total_cmp(le)).is_ok())
            .map(move |(le, up_to)| Bucket { le, count: up_to - std::mem::replace(&mut below, up_to) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(cumulative: &[(f64, f64)], sum: f64) -> Histogram {
        let count = cumulative.last().map(|&(_, count)| count);
        Histogram::from_cumulative(cumulative.to_vec(), Some(sum), count).0
    }

    #[test]
    fn two_engines_add_up() {
        let mut all = Histogram::default();
        all.add(&histogram(&[(1.0, 2.0), (f64::INFINITY, 3.0)], 4.0));
        all.add(&histogram(&[(1.0, 5.0), (f64::INFINITY, 5.0)], 2.0));
        assert_eq!(all, histogram(&[(1.0, 7.0), (f64::INFINITY, 8.0)], 6.0));
    }

    #[test]
    fn differing_bounds_keep_what_both_know() {
        let mut all = histogram(&[(1.0, 1.0), (2.0, 3.0), (4.0, 4.0), (f64::INFINITY, 4.0)], 6.0);
        all.add(&histogram(&[(2.0, 2.0), (3.0, 5.0), (f64::INFINITY, 6.0)], 12.0));
        assert_eq!(all, histogram(&[(2.0, 5.0), (f64::INFINITY, 10.0)], 18.0));
    }

    #[test]
    fn half_a_sum_is_no_sum() {
        let mut all = histogram(&[(1.0, 1.0), (f64::INFINITY, 1.0)], 0.5);
        all.add(&Histogram { sum: None, ..all.clone() });
        assert_eq!((all.sum, all.count), (None, Some(2.0)));
        assert_eq!(all.mean(), None);
    }
}
