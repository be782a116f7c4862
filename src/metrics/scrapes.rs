//! Several scrapes of one server in one text, told from series that merely stand there twice.

use crate::pace::Pace;
use crate::paste::prometheus::{Exposition, Sample};
use crate::paste::{Warning, WarningKind};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The samples of each scrape in a text. One range if there is but one scrape, or if repeated samples are not a
/// sequence of scrapes.
///
/// A scrape ends where a series comes again. It is one if it begins with what the one before begins with, most of the
/// smaller is in the other too, and totals do not grow in some series and fall in others, as they would between two
/// servers whose telling labels were dropped. One line that comes again at the end is no scrape.
pub(super) async fn split(exposition: &Exposition<'_>, pace: &Pace) -> Vec<Range<usize>> {
    let whole = 0..exposition.samples().len();
    let mut scrapes: Vec<Scrape> = Vec::new();
    for (place, sample) in exposition.samples().enumerate() {
        pace.rest_every(STRIDE, place, whole.end).await;
        let series = identity(&sample);
        let again = scrapes.last().is_none_or(|scrape| scrape.series.contains_key(&series));
        if again {
            scrapes.push(Scrape { start: place, first: series, series: HashMap::new() });
        }
        if let Some(scrape) = scrapes.last_mut() {
            let order = scrape.series.len();
            scrape.series.insert(series, Seen { order, value: sample.value(), total: is_total(&sample) });
        }
    }
    let repeated_line = match &scrapes[..] {
        [only, rest] => only.series.len() > 1 && rest.series.len() == 1,
        _ => false,
    };
    let mut sequence = scrapes.len() > 1 && !repeated_line;
    for (one, next) in scrapes.iter().zip(scrapes.iter().skip(1)) {
        pace.rest(1.0).await;
        sequence = sequence && next.follows(one);
    }
    if !sequence {
        return vec![whole];
    }
    let ends = scrapes.iter().skip(1).map(|scrape| scrape.start).chain([whole.end]);
    scrapes.iter().zip(ends).map(|(scrape, end)| scrape.start..end).collect()
}

/// Which of the scrapes is the last whole one: a paste that ends in the middle of a scrape has a whole one before.
pub(super) fn last_whole(scrapes: &[Range<usize>]) -> usize {
    let largest = scrapes.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    scrapes.iter().rposition(|scrape| scrape.len() * 2 > largest).unwrap_or(0)
}

/// What there is to say where a text holds several scrapes and one is shown.
pub(super) fn several(scrapes: &[Range<usize>]) -> Warning {
    let which = match last_whole(scrapes) + 1 == scrapes.len() {
        true => "this is the last",
        false => "this is the last whole one, what follows is cut",
    };
    let message =
        format!("{} scrapes of the same server in one text: {which}, counted since the server started", scrapes.len());
    Warning::whole(WarningKind::Duplicate, message)
}

/// So many samples are looked at between two rests.
const STRIDE: usize = 2048;

struct Scrape {
    start: usize,
    first: u64,
    series: HashMap<u64, Seen>,
}

struct Seen {
    order: usize,
    value: f64,
    total: bool,
}

impl Scrape {
    fn follows(&self, before: &Self) -> bool {
        let smaller = before.series.len().min(self.series.len());
        let begins_alike = before.series.get(&self.first).is_some_and(|seen| seen.order * 4 <= before.series.len());
        let (mut shared, mut totals, mut grew, mut fell) = (0, 0, 0, 0);
        for (series, seen) in &self.series {
            let Some(earlier) = before.series.get(series) else { continue };
            shared += 1;
            if seen.total {
                totals += 1;
                grew += usize::from(seen.value > earlier.value);
                fell += usize::from(seen.value < earlier.value);
            }
        }
        // After a restart all fall but those that had not moved; a swapped pair falls throughout.
        begins_alike && shared * 2 > smaller && totals > 0 && (grew == 0 || fell == 0)
    }
}

/// Only totals tell time's direction; what says when they began is none.
fn is_total(sample: &Sample<'_>) -> bool {
    ["_bucket", "_count", "_sum", "_total"].iter().any(|suffix| sample.name().ends_with(suffix))
}

fn identity(sample: &Sample<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    sample.name().hash(&mut hasher);
    let mut labels: Vec<(&str, &str)> = sample.labels().collect();
    labels.sort_unstable();
    labels.hash(&mut hasher);
    hasher.finish()
}
