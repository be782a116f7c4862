//! Which series two scrapes share, and which came or went.

use std::collections::BTreeMap;

/// One series in two scrapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair<'a, V> {
    /// In both.
    Both {
        /// Its value in the first.
        before: &'a V,
        /// Its value in the second.
        after: &'a V,
    },
    /// Only in the second: its first observation came in between, so that all it shows is new, or it was not scraped
    /// before.
    Appeared(&'a V),
    /// Only in the first: nothing can be said of the time in between.
    Vanished(&'a V),
}

/// Brings the series of two scrapes together by key (name and labels), in the keys' order.
///
/// ```
/// use decodescope::metrics::window::{Pair, pair};
/// let (before, after) = ([("a", 1), ("b", 2)].into(), [("b", 5), ("c", 1)].into());
/// let pairs: Vec<_> = pair(&before, &after).into_iter().collect();
/// assert_eq!(
///     pairs,
///     [(&"a", Pair::Vanished(&1)), (&"b", Pair::Both { before: &2, after: &5 }), (&"c", Pair::Appeared(&1))]
/// );
/// ```
pub fn pair<'a, K: Ord, V>(before: &'a BTreeMap<K, V>, after: &'a BTreeMap<K, V>) -> BTreeMap<&'a K, Pair<'a, V>> {
    let gone =
        before.iter().filter(|(key, _)| !after.contains_key(key)).map(|(key, value)| (key, Pair::Vanished(value)));
    let here = after.iter().map(|(key, after)| match before.get(key) {
        Some(before) => (key, Pair::Both { before, after }),
        None => (key, Pair::Appeared(after)),
    });
    gone.chain(here).collect()
}
