//! What happened between two scrapes, as metrics of their own; and a timeline of several.

use super::difference::{Difference, is_gauge};
use super::dump::Dump;
use super::meaning::{Meaning, Shape};
use super::series::Content;
use super::serving::{Selection, ServingMetrics, is_whole};
use super::sets;
use super::traps::{Scene, traps_between};
use super::window::{Order, StartChange};
use crate::pace::{Pace, Work};
use crate::paste::{Warning, WarningKind};
use crate::units::format::count;
use crate::units::{Seconds, TokensPerSecond};

/// What happened between two scrapes of the same server.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// One set per model and engine: distributions and counters of the window alone, gauges of its end.
    pub sets: Vec<ServingMetrics>,
    /// How long it is, where both scrapes carry timestamps.
    pub duration: Option<Seconds>,
    /// How the two scrapes stood to each other as they were given.
    pub order: Order,
    /// What there is to say about it.
    pub warnings: Vec<Warning>,
}

impl Window {
    /// The sets of one selection as one.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> ServingMetrics {
        selection.of(&self.sets)
    }

    /// Tokens generated per second over the window, all requests together, where its duration is known.
    #[must_use]
    pub fn throughput(&self, selection: &Selection) -> Option<TokensPerSecond> {
        let seconds = self.duration.filter(|duration| duration.get() > 0.0)?.get();
        Some(TokensPerSecond::new(self.select(selection).value(Meaning::GenerationTokens)? / seconds))
    }
}

/// What happened between two scrapes: the growth of each series, as Prometheus' `increase` has it without
/// extrapolation. A series that was set back to zero in between counts from there; two scrapes given the wrong way round
/// are turned. Both are told.
///
/// ```
/// use decodescope::metrics::{Meaning, Selection, read_dump, window};
/// use decodescope::paste::prometheus::read;
/// let scrape = |count: f64, sum: f64| {
///     let name = "vllm:inter_token_latency_seconds";
///     read_dump(&read(&format!("{name}_sum {sum}\n{name}_count {count}\n")))
/// };
/// // 1000 slow tokens while warming up, then 600 of 18 ms
/// let load = window(&scrape(1000.0, 50.0), &scrape(1600.0, 60.8));
/// let mean = load.select(&Selection::default()).mean(Meaning::InterTokenLatency).unwrap();
/// assert!((mean.as_millis() - 18.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn window(before: &Dump, after: &Dump) -> Window {
    Work::new(|pace| async move { window_in_steps(before, after, &pace).await }).finish()
}

/// As [`window`](fn@window), resting every few hundred series.
pub async fn window_in_steps(before: &Dump, after: &Dump, pace: &Pace) -> Window {
    let order = order(before, after);
    let (before, after) = if order == Order::Swapped { (after, before) } else { (before, after) };
    let restarted = StartChange::of(before.started, after.started) == StartChange::Restarted;
    let difference = Difference::between(&before.series, &after.series, restarted, &pace.part(0.0, 0.5)).await;
    let (sets, too_many) = sets::sets(&difference.series, &pace.part(0.5, 1.0)).await;
    let mut warnings: Vec<_> = in_order(order).into_iter().chain(too_many).collect();
    difference.tell(&mut warnings, order);
    let all = ServingMetrics::together(&sets);
    if !grew(&all) {
        warnings.push(nothing_grew(&all, before));
    }
    let scene = Scene { all, sets: &sets, names: &after.names, series: &difference.series, exposition: None };
    warnings.extend(traps_between(&scene, &pace.part(1.0, 1.0)).await);
    let seconds = before.taken.zip(after.taken).map(|(before, after)| after - before);
    let duration = seconds.filter(|seconds| *seconds > 0.0).map(Seconds::new);
    Window { sets, duration, order, warnings }
}

/// Several scrapes in a row, and what happened between each and the next.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// One window between each scrape and the next.
    pub windows: Vec<Window>,
}

/// What happened between each scrape and the next. Scrapes that all carry timestamps are first put in their order.
#[must_use]
pub fn timeline<'a>(scrapes: impl IntoIterator<Item = &'a Dump>) -> Timeline {
    let scrapes = scrapes.into_iter().collect();
    Work::new(|pace| async move { timeline_in_steps(scrapes, &pace).await }).finish()
}

/// As [`timeline`], resting in and between the windows.
pub async fn timeline_in_steps(mut scrapes: Vec<&Dump>, pace: &Pace) -> Timeline {
    if scrapes.iter().all(|scrape| scrape.taken.is_some()) {
        scrapes.sort_by(|a, b| a.taken.partial_cmp(&b.taken).unwrap_or(std::cmp::Ordering::Equal));
    }
    let mut windows = Vec::new();
    let share = |place: usize| place as f64 / scrapes.len() as f64;
    for (place, (before, after)) in scrapes.iter().zip(scrapes.iter().skip(1)).enumerate() {
        windows.push(window_in_steps(before, after, &pace.part(share(place), share(place + 1))).await);
    }
    Timeline { windows }
}

/// Whether the two are in order, by what can only grow, when the server started, and when they were taken.
fn order(before: &Dump, after: &Dump) -> Order {
    let totals = before.series.iter().filter_map(|(key, old)| {
        let new = after.series.get(key)?;
        match (&old.content, &new.content) {
            (Content::Histogram(old), Content::Histogram(new)) if is_whole(old) && is_whole(new) => {
                Some((old.total(), new.total()))
            }
            (Content::Value(a), Content::Value(b)) if !is_gauge(key, old) => Some((*a, *b)),
            _ => None,
        }
    });
    let order = Order::of(totals, StartChange::of(before.started, after.started));
    match before.taken.zip(after.taken) {
        Some((before, after)) if after < before => Order::Swapped,
        Some((before, after)) if after > before && matches!(order, Order::Unclear | Order::Swapped) => Order::Restarted,
        _ => order,
    }
}

fn in_order(order: Order) -> Option<Warning> {
    let message = match order {
        Order::Swapped => "the two scrapes were given in the wrong order; they were turned",
        Order::Unclear => {
            "counters are lower in the later scrape and nothing says when the server started: a restart in between, or \
             the two are in the wrong order; all of the later scrape is shown"
        }
        Order::AsGiven | Order::Restarted => return None,
    };
    Some(Warning::whole(WarningKind::Inconsistent, message))
}

fn grew(all: &ServingMetrics) -> bool {
    let counters = all.values.iter().filter(|(meaning, _)| meaning.shape() == Shape::Counter);
    all.histograms.values().any(|latency| latency.histogram.total() > 0.0)
        || counters.into_iter().any(|(_, v)| *v > 0.0)
}

fn nothing_grew(all: &ServingMetrics, before: &Dump) -> Warning {
    let running = all.value(Meaning::RequestsRunning).filter(|running| *running > 0.0);
    let ran = before.select(&Selection::default()).value(Meaning::RequestsRunning).is_some_and(|ran| ran > 0.0);
    match running.filter(|_| ran) {
        Some(running) => Warning::whole(
            WarningKind::Trap,
            format!(
                "both scrapes speak of {} running requests, yet no counter grew in between: the gauge is stale, or the \
                 server hangs",
                count(running)
            ),
        ),
        None => Warning::whole(WarningKind::Missing, "nothing was observed between the two scrapes"),
    }
}
