//! Dumps that came in, in the light of those before: several servers side by side, or one server over time.

use super::kinship::{Kinship, in_order_of_time};
use super::platform::scroll;
use super::reading::Task;
use super::state::{Action, Import, Scrapes, State, Views};
use crate::metrics::{Dump, Outcome, ServingMetrics};
use crate::pace::{Pace, Work};
use crate::paste::{Warning, WarningKind};
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
    let Intake { import, scrapes, views, shown } = intake;
    let fine = import.outcome == Some(Outcome::Fine);
    state.import.set(import);
    if !fine {
        request_animation_frame(|| scroll::to_nearest(".import"));
        return Some(());
    }
    state.scrapes.set(scrapes);
    state.views.set(views);
    state.apply(Action::Adopt(Box::new(shown)));
    scroll::to_answer();
    Some(())
}

/// What came in, in the light of what came before.
struct Intake {
    /// What there is to say of it.
    import: Import,
    /// The scrapes of one server so far, each with its name; one alone where there is nothing to compare.
    scrapes: Scrapes,
    /// How they can be looked at, where in more ways than one.
    views: Option<Views>,
    /// How they are looked at first.
    shown: Measured,
}

impl Intake {
    async fn of(dumps: Vec<(String, Dump)>, before: &Scrapes, pace: &Pace) -> Option<Self> {
        let name = dumps.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let mut warnings: Vec<Warning> = dumps.iter().flat_map(|(_, dump)| dump.warnings.clone()).collect();
        let fine = dumps.iter().any(|(_, dump)| dump.outcome == Outcome::Fine);
        let last_outcome = dumps.last()?.1.outcome;
        let import = |warnings, names| Import {
            outcome: Some(if fine { Outcome::Fine } else { last_outcome }),
            name: name.clone(),
            warnings,
            names,
        };
        let mut came: Scrapes = Vec::new();
        for (name, mut dump) in dumps {
            let earlier = std::mem::take(&mut dump.earlier);
            came.extend(earlier.into_iter().chain([dump]).map(|dump| (name.clone(), Arc::new(dump))));
        }
        // A file that says nothing is no server and no scrape.
        if came.iter().any(|(_, dump)| !dump.sets.is_empty()) {
            came.retain(|(_, dump)| !dump.sets.is_empty());
        }
        let mut turned = in_order_of_time(&mut came);
        let (together, newest) = (came.len() > 1, came.last()?.1.clone());
        let mut kin = Kinship::of(&came, &pace.part(0.0, 0.4)).await;
        let mut scrapes = came.clone();
        // A single scrape that continues the ones before it is compared with them where a person asks for it.
        if !together && !before.is_empty() {
            let mut all = [&before[..], &came[..]].concat();
            let late = in_order_of_time(&mut all);
            let with_before = Kinship::of(&all, &pace.part(0.4, 0.5)).await;
            if let Kinship::OneServer { .. } = with_before {
                (kin, scrapes, turned) = (with_before, all, late);
            }
        }
        let arrow = joined(&scrapes, " → ");
        let beside = |scrapes: &Scrapes| {
            let sets: Vec<ServingMetrics> = scrapes.iter().flat_map(|(_, dump)| dump.sets.clone()).collect();
            Measured::distil(&joined(scrapes, ", "), &sets)
        };
        if kin == Kinship::Strangers {
            let shown = beside(&came);
            // Nothing else holds them now, so that the large part is not copied.
            drop((scrapes, newest));
            let names = came.into_iter().map(|(_, dump)| Arc::unwrap_or_clone(dump)).reduce(Dump::beside)?.names;
            return Some(Self { import: import(warnings, names), scrapes: Vec::new(), views: None, shown });
        }
        let in_order = scrapes.iter().map(|(_, dump)| &**dump).collect();
        let (between, told) = Measured::between_in_steps(&arrow, in_order, &pace.part(0.5, 1.0)).await.unzip();
        let between = between.filter(|between| between.sets.iter().any(ServingMetrics::has_latency));
        let since = Measured::distil(&joined(&came[came.len() - 1..], ""), &newest.sets);
        let several = kin == Kinship::SeveralServers;
        if !several {
            // What is easily misread in an older scrape is not what is shown.
            warnings.retain(|one| one.kind != WarningKind::Trap || newest.warnings.contains(one));
            warnings.extend(told.unwrap_or_default());
        }
        let told = kin.told(scrapes.len(), turned);
        if scrapes.len() > 1 {
            warnings.push(Warning::whole(WarningKind::Duplicate, told.clone()));
        }
        let beside = (scrapes.len() > 1).then(|| beside(&scrapes));
        let first = if several { &beside } else { &between };
        let shown = first.clone().filter(|_| together).unwrap_or_else(|| since.clone());
        let choices: Vec<(String, Measured)> = [
            (!several).then(|| ("since the server started".to_owned(), since)),
            between.map(|between| ("between the scrapes".to_owned(), between)),
            beside.map(|beside| (format!("as {} servers, added up", scrapes.len()), beside)),
        ]
        .into_iter()
        .flatten()
        .collect();
        let views = (choices.len() > 1).then_some(Views { told: super::intake::sentence(&told), choices });
        let scrapes = if several { Vec::new() } else { scrapes };
        Some(Self { import: import(warnings, newest.names.clone()), scrapes, views, shown })
    }
}

/// The names of scrapes, each once.
fn joined(scrapes: &[(String, Arc<Dump>)], between: &str) -> String {
    let mut names: Vec<&str> = scrapes.iter().map(|(name, _)| name.as_str()).collect();
    names.dedup();
    names.join(between)
}
