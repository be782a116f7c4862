//! Dumps that came in, in the light of those before: several servers side by side, or one server over time.

use super::platform::scroll;
use super::state::{Action, Import, State};
use crate::metrics::window::Order;
use crate::metrics::{Dump, Outcome, ServingMetrics, window};
use crate::scenario::Measured;
use leptos::prelude::{GetUntracked, Set, request_animation_frame};

/// Shows what became of dumps, and takes in those that say something; what says nothing does not replace what is
/// on the page.
pub fn adopt(state: State, mut dumps: Vec<(String, Dump)>) {
    if dumps.len() > 1 {
        dumps.iter_mut().for_each(|(name, dump)| dump.name_warnings(name));
    }
    let Some(Intake { name, dump, scrapes, together }) = Intake::of(dumps, &state.scrapes.get_untracked()) else {
        return;
    };
    let outcome = dump.outcome;
    let mut warnings = dump.warnings.clone();
    let since = Measured::distil(&name, &dump.sets);
    let names: Vec<&str> = scrapes.iter().map(|(name, _)| name.as_str()).collect();
    let in_order = scrapes.iter().map(|(_, dump)| dump);
    let between = Measured::between(&names.join(" → "), in_order).map(|(measured, told)| {
        warnings.extend(told);
        measured
    });
    state.import.set(Import { outcome: Some(outcome), name, warnings, names: dump.names });
    if outcome != Outcome::Fine {
        request_animation_frame(|| scroll::to_nearest(".import"));
        return;
    }
    state.scrapes.set(scrapes);
    state.spans.set(between.clone().map(|between| (since.clone(), between)));
    state.apply(Action::Adopt(Box::new(between.filter(|_| together).unwrap_or(since))));
    scroll::to_answer();
}

/// What came in, in the light of what came before.
struct Intake {
    name: String,
    /// The last scrape, or several servers side by side.
    dump: Dump,
    /// The scrapes of one server so far, each with its name; one alone where there is nothing to compare.
    scrapes: Vec<(String, Dump)>,
    /// Several scrapes came in together, to be compared.
    together: bool,
}

impl Intake {
    fn of(dumps: Vec<(String, Dump)>, before: &[(String, Dump)]) -> Option<Self> {
        let name = dumps.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let mut came: Vec<(String, Dump)> = Vec::new();
        for (name, mut dump) in dumps {
            let earlier = std::mem::take(&mut dump.earlier);
            came.extend(earlier.into_iter().map(|dump| (name.clone(), dump)));
            came.push((name, dump));
        }
        let one_server = came.windows(2).all(|pair| matches!(pair, [a, b] if same_server(&a.1, &b.1)));
        if !one_server {
            let dump = came.into_iter().map(|(_, dump)| dump).reduce(Dump::beside)?;
            return Some(Self { name, dump, scrapes: Vec::new(), together: false });
        }
        let together = came.len() > 1;
        let dump = came.last()?.1.clone();
        // A single scrape that continues the ones before it is compared with them where a person asks for it.
        let continues = !together && before.last().is_some_and(|(_, last)| same_server(last, &dump));
        let scrapes = if continues { before.iter().cloned().chain(came).collect() } else { came };
        Some(Self { name, dump, scrapes, together })
    }
}

/// Whether a scrape can be a later one of the same server: the same models and engines, not restarted for all that is
/// said, and more observed.
fn same_server(before: &Dump, after: &Dump) -> bool {
    let of = |dump: &Dump| dump.sets.iter().map(|set| set.selection.clone()).collect::<Vec<_>>();
    let started_alike = before.started.is_none() || after.started.is_none() || before.started == after.started;
    if of(before) != of(after) || before.sets.is_empty() || !started_alike {
        return false;
    }
    let window = window(before, after);
    window.order == Order::AsGiven && window.sets.iter().any(ServingMetrics::has_latency)
}
