//! The page's state: one scenario, what follows from it, and the one door through which it changes.

use super::reading::Reading;
use crate::budget::{Analysis, analyse};
use crate::metrics::{Dump, NameCount, Outcome, Selection};
use crate::paste::Warning;
use crate::scenario::{EstimateChoice, Field, GpuChoice, Measured, ModelChoice, Scenario};
use leptos::prelude::*;
use std::sync::Arc;

/// What is said where the worked example's measurements go.
const PARTED: &str = "The worked example’s measurements and stated figures were of another system and are gone: what is \
                      shown is computed from the inputs. Undo brings them back.";

/// How many steps back one can go.
const MOST_UNDO: usize = 200;

/// Something a person does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sets a number, or goes back to the looked-up one.
    Set(Field, Option<f64>),
    /// Chooses the model.
    Model(Option<ModelChoice>),
    /// Chooses the GPU.
    Gpu(Option<GpuChoice>),
    /// Chooses the estimate that the budget uses.
    Estimate(EstimateChoice),
    /// Looks at another part of the dump.
    Select(Selection),
    /// Takes in a dump's numbers, or those of a window between scrapes.
    Adopt(Box<Measured>),
    /// Goes to a whole other scenario.
    Load(Box<Scenario>),
}

/// What the last text or file taken in was, beyond the numbers in the scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// What became of it; `None` before anything was taken in.
    pub outcome: Option<Outcome>,
    /// What it was called.
    pub name: String,
    /// What there is to say about it.
    pub warnings: Vec<Warning>,
    /// Every metric name in it.
    pub names: Vec<NameCount>,
}

/// Scrapes of one server, each with its name.
pub type Scrapes = Vec<(String, Arc<Dump>)>;

/// Scrapes that can be looked at in more ways than one.
#[derive(Clone, Debug, PartialEq)]
pub struct Views {
    /// What they were taken for.
    pub told: String,
    /// The ways, each with its name.
    pub choices: Vec<(String, Measured)>,
}

#[derive(Clone, Default)]
struct History {
    undo: Vec<Scenario>,
    redo: Vec<Scenario>,
    /// The field being dragged: its further changes belong to the step already kept.
    dragging: Option<Field>,
}

/// The page's state. It is `Copy`; all of it lives as long as the page.
#[derive(Clone, Copy)]
pub struct State {
    scenario: RwSignal<Scenario>,
    history: RwSignal<History>,
    /// What follows from the scenario.
    pub analysis: Memo<Analysis>,
    /// The last text or file taken in.
    pub import: RwSignal<Import>,
    /// The scrapes of one server taken in so far, each with its name.
    pub scrapes: RwSignal<Scrapes>,
    /// How the scrapes can be looked at, where in more ways than one.
    pub views: RwSignal<Option<Views>>,
    /// A message for the person, such as why something was not done.
    pub notice: RwSignal<Option<String>>,
    /// What is being read and takes a while.
    pub reading: RwSignal<Option<Reading>>,
}

impl State {
    /// Starts with a scenario.
    #[must_use]
    pub fn new(scenario: Scenario) -> Self {
        let scenario = RwSignal::new(scenario);
        Self {
            scenario,
            history: RwSignal::new(History::default()),
            analysis: Memo::new(move |_| scenario.with(analyse)),
            import: RwSignal::new(Import::default()),
            scrapes: RwSignal::new(Vec::new()),
            views: RwSignal::new(None),
            notice: RwSignal::new(None),
            reading: RwSignal::new(None),
        }
    }

    /// The state that the page was started with.
    ///
    /// # Panics
    /// Outside the page.
    #[must_use]
    pub fn expect() -> Self {
        expect_context()
    }

    /// Something of the scenario, followed as it changes.
    pub fn read<T: PartialEq + Send + Sync + 'static>(
        self,
        get: impl Fn(&Scenario) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move |_| self.scenario.with(&get))
    }

    /// What follows from the scenario and its analysis together, followed as they change.
    pub fn derive<T: PartialEq + Send + Sync + 'static>(self, get: fn(&Scenario, &Analysis) -> T) -> Memo<T> {
        // The analysis first: it reads the scenario itself when it is out of date.
        Memo::new(move |_| self.analysis.with(|analysis| self.scenario.with(|scenario| get(scenario, analysis))))
    }

    /// Something of the scenario as it is now, not followed.
    #[must_use]
    pub fn read_untracked<T>(self, get: impl FnOnce(&Scenario) -> T) -> T {
        self.scenario.with_untracked(get)
    }

    /// The scenario as it is now, followed as it changes.
    #[must_use]
    pub fn scenario(self) -> Scenario {
        self.scenario.get()
    }

    /// Does what a person asked for, and remembers how it was before.
    pub fn apply(self, action: Action) {
        let before = self.scenario.get_untracked();
        let mut after = before.clone();
        let field = if let Action::Set(field, _) = &action { Some(*field) } else { None };
        let other_system = match &action {
            Action::Model(model) => *model != before.model,
            Action::Gpu(gpu) => *gpu != before.gpu,
            _ => false,
        };
        let parted = other_system && after.part_from_example();
        match action {
            Action::Set(field, value) => after.set(field, value),
            Action::Model(model) => after.set_model(model),
            Action::Gpu(gpu) => after.set_gpu(gpu),
            Action::Estimate(choice) => after.choice = choice,
            Action::Select(selection) => after.select(selection),
            Action::Adopt(measured) => after.adopt(*measured),
            Action::Load(scenario) => after = *scenario,
        }
        if after == before {
            return;
        }
        self.history.update(|history| {
            let same_drag = field.is_some() && history.dragging == field;
            if !same_drag {
                history.undo.push(before);
                let excess = history.undo.len().saturating_sub(MOST_UNDO);
                history.undo.drain(..excess);
            }
            history.redo.clear();
            history.dragging = field;
        });
        self.scenario.set(after);
        if parted {
            self.notice.set(Some(PARTED.to_owned()));
        }
    }

    /// Goes to a whole other scenario, which no text that was taken in is behind.
    pub fn start_over(self, scenario: Scenario) {
        self.notice.set(None);
        self.import.set(Import::default());
        self.scrapes.set(Vec::new());
        self.apply(Action::Load(Box::new(scenario)));
    }

    /// Ends a drag: the next change of the same field is a step of its own.
    pub fn end_drag(self) {
        self.history.update_untracked(|history| history.dragging = None);
    }

    /// Goes one step back.
    pub fn undo(self) {
        self.travel(|history| (&mut history.undo, &mut history.redo));
    }

    /// Goes one step forward again.
    pub fn redo(self) {
        self.travel(|history| (&mut history.redo, &mut history.undo));
    }

    fn travel(self, stacks: impl Fn(&mut History) -> (&mut Vec<Scenario>, &mut Vec<Scenario>)) {
        let now = self.scenario.get_untracked();
        let mut there = None;
        self.history.update(|history| {
            history.dragging = None;
            let (from, to) = stacks(history);
            if let Some(scenario) = from.pop() {
                to.push(now);
                there = Some(scenario);
            }
        });
        if let Some(scenario) = there {
            self.notice.set(None);
            self.scenario.set(scenario);
        }
    }

    /// Whether there is a step to go back to.
    #[must_use]
    pub fn can_undo(self) -> bool {
        self.history.with(|history| !history.undo.is_empty())
    }

    /// Whether there is a step to go forward to.
    #[must_use]
    pub fn can_redo(self) -> bool {
        self.history.with(|history| !history.redo.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_owner(test: impl FnOnce(State)) {
        let owner = Owner::new();
        owner.set();
        test(State::new(Scenario::default()));
    }

    fn layers(state: State) -> Option<f64> {
        state.scenario.with_untracked(|scenario| scenario.typed.get(&Field::Layers).copied())
    }

    #[test]
    fn a_drag_is_one_step_back() {
        with_owner(|state| {
            for value in [10.0, 11.0, 12.0] {
                state.apply(Action::Set(Field::Layers, Some(value)));
            }
            state.end_drag();
            state.apply(Action::Set(Field::Layers, Some(40.0)));
            state.undo();
            assert_eq!(layers(state), Some(12.0));
            state.undo();
            assert_eq!(layers(state), None);
            assert!(!state.can_undo());
            state.redo();
            assert_eq!(layers(state), Some(12.0));
        });
    }

    #[test]
    fn a_change_after_going_back_forgets_the_way_forward() {
        with_owner(|state| {
            state.apply(Action::Set(Field::Gpus, Some(4.0)));
            state.undo();
            state.apply(Action::Set(Field::Layers, Some(3.0)));
            assert!(!state.can_redo());
        });
    }

    #[test]
    fn doing_nothing_is_not_a_step() {
        with_owner(|state| {
            state.apply(Action::Set(Field::Gpus, None));
            assert!(!state.can_undo());
        });
    }
}
