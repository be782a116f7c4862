//! Dumps that came in, in the light of those before: several servers side by side, or one server over time.

use super::platform::scroll;
use super::reading::Task;
use super::state::{Action, Import, Scrapes, State};
use crate::metrics::window::Order;
use crate::metrics::{Dump, Outcome, ServingMetrics, window_in_steps};
use crate::pace::{Pace, Work};
use crate::scenario::Measured;
use leptos::prelude::{GetUntracked, Set, request_animation_frame};
use std::sync::Arc;

/// Shows what became of dumps, and takes in those that say something; what says nothing does not replace what is
/// on the page. `None` once it is cancelled.
pub async fn adopt(state: State, task: &Task, bytes: f64, mut dumps: Vec<(String, Dump)>) -> Option<()> {
    if dumps.len() > 1 {
        dumps.iter_mut().for_each(|(name, dump)| dump.name_warnings(name));
    }
    let before = state.scrapes.get_untracked();
    let work = Work::new(|pace| async move { Intake::of(dumps, &before, &pace.part(0.9, 1.0)).await });
    let Some(intake) = task.work(bytes, "Comparing the scrapes", work).await? else { return Some(()) };
    let Intake { import, scrapes, since, between, together } = intake;
    let fine = import.outcome == Some(Outcome::Fine);
    state.import.set(import);
    if !fine {
        request_animation_frame(|| scroll::to_nearest(".import"));
        return Some(());
    }
    state.scrapes.set(scrapes);
    state.spans.set(between.clone().map(|between| (since.clone(), between)));
    state.apply(Action::Adopt(Box::new(between.filter(|_| together).unwrap_or(since))));
    scroll::to_answer();
    Some(())
}

/// What came in, in the light of what came before.
struct Intake {
    /// The last scrape, or several servers side by side.
    import: Import,
    /// The scrapes of one server so far, each with its name; one alone where there is nothing to compare.
    scrapes: Scrapes,
    /// The numbers since the server started.
    since: Measured,
    /// The numbers between the scrapes, where there are several.
    between: Option<Measured>,
    /// Several scrapes came in together, to be compared.
    together: bool,
}

impl Intake {
    async fn of(dumps: Vec<(String, Dump)>, before: &Scrapes, pace: &Pace) -> Option<Self> {
        let name = dumps.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let mut came: Vec<(String, Dump)> = Vec::new();
        for (name, mut dump) in dumps {
            let earlier = std::mem::take(&mut dump.earlier);
            came.extend(earlier.into_iter().map(|dump| (name.clone(), dump)));
            came.push((name, dump));
        }
        let share = |place: usize| 0.5 * place as f64 / came.len() as f64;
        let mut one_server = true;
        for (place, ((_, one), (_, next))) in came.iter().zip(came.iter().skip(1)).enumerate() {
            let part = pace.part(share(place), share(place + 1));
            one_server = one_server && same_server(one, next, &part).await;
        }
        let together = came.len() > 1 && one_server;
        let (dump, scrapes) = if one_server {
            let came: Scrapes = came.into_iter().map(|(name, dump)| (name, Arc::new(dump))).collect();
            let dump = came.last()?.1.clone();
            // A single scrape that continues the ones before it is compared with them where a person asks for it.
            let continues = match before.last().filter(|_| !together) {
                Some((_, last)) => same_server(last, &dump, pace).await,
                None => false,
            };
            (dump, if continues { [before.clone(), came].concat() } else { came })
        } else {
            (Arc::new(came.into_iter().map(|(_, dump)| dump).reduce(Dump::beside)?), Vec::new())
        };
        let mut names: Vec<&str> = scrapes.iter().map(|(name, _)| name.as_str()).collect();
        names.dedup();
        let in_order = scrapes.iter().map(|(_, dump)| &**dump).collect();
        let between = Measured::between_in_steps(&names.join(" → "), in_order, &pace.part(0.5, 1.0)).await;
        let (between, told) = between.unzip();
        let since = Measured::distil(&name, &dump.sets);
        let warnings = [dump.warnings.clone(), told.unwrap_or_default()].concat();
        let import = Import { outcome: Some(dump.outcome), name, warnings, names: dump.names.clone() };
        Some(Self { import, scrapes, since, between, together })
    }
}

/// Whether a scrape can be a later one of the same server: the same models and engines, not restarted for all that is
/// said, and more observed.
async fn same_server(before: &Dump, after: &Dump, pace: &Pace) -> bool {
    let of = |dump: &Dump| dump.sets.iter().map(|set| set.selection.clone()).collect::<Vec<_>>();
    let started_alike = before.started.is_none() || after.started.is_none() || before.started == after.started;
    if of(before) != of(after) || before.sets.is_empty() || !started_alike {
        return false;
    }
    let window = window_in_steps(before, after, pace).await;
    window.order == Order::AsGiven && window.sets.iter().any(ServingMetrics::has_latency)
}
