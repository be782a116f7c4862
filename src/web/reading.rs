//! What is being read, how far it is, and the way to stop it.

use super::platform::file::Cancel;
use super::platform::timer::{breathe, now};
use super::state::State;
use crate::pace::{Step, Work};
use leptos::prelude::*;

/// Only what takes a while is shown: a line that comes and goes at once makes the page jump.
const SLOW_BYTES: f64 = 1e6;

/// How long work goes on before the page paints and listens: some frames, which nobody notices.
const TURN_MILLISECONDS: f64 = 30.0;

/// Something that is being read, as it is shown.
#[derive(Clone)]
pub struct Reading {
    what: String,
    /// From 0 to 1.
    share: f64,
    cancel: Cancel,
}

/// The taking in of one paste, drop or choice.
pub struct Task {
    state: State,
    /// The wish that it stops.
    pub cancel: Cancel,
}

impl Task {
    /// Starts one. It takes the place of the one under way: what a person brought last is what they want to see.
    pub fn start(state: State) -> Self {
        stop(state);
        state.notice.set(None);
        Self { state, cancel: Cancel::default() }
    }

    /// Shows how far it is, if there is enough of it to take a while.
    pub fn show(&self, bytes: f64, what: &str, share: f64) {
        if bytes > SLOW_BYTES && !self.cancel.is_cancelled() {
            let what = format!("{what}, {:.0} %", share * 100.0);
            self.state.reading.set(Some(Reading { what, share, cancel: self.cancel.clone() }));
        }
    }

    /// Does some work, about so many bytes of it, a little at a time: in between the page paints, and a person can stop
    /// it. `None` once it is cancelled.
    pub async fn work<T>(&self, bytes: f64, what: &str, mut work: Work<'_, T>) -> Option<T> {
        loop {
            let until = now() + TURN_MILLISECONDS;
            while now() < until {
                match work.step() {
                    Step::Underway(rest) => work = rest,
                    Step::Done(done) => return Some(done),
                }
            }
            self.show(bytes, what, work.share());
            breathe().await;
            if self.cancel.is_cancelled() {
                return None;
            }
        }
    }

    /// Ends it.
    pub fn end(self) {
        if !self.cancel.is_cancelled() {
            self.state.reading.set(None);
        }
    }
}

fn stop(state: State) {
    state.reading.with_untracked(|reading| reading.iter().for_each(|reading| reading.cancel.cancel()));
    state.reading.set(None);
}

/// How far the reading is, and a button that stops it.
#[component]
pub fn ReadingProgress() -> impl IntoView {
    let state = State::expect();
    let what = move || state.reading.with(|reading| reading.as_ref().map(|reading| reading.what.clone()));
    let share = move || state.reading.with(|reading| reading.as_ref().map(|reading| reading.share));
    // The button stays the same one while the text changes: a click on it takes longer than a slice.
    view! {
        <Show when=move || state.reading.with(Option::is_some)>
            <div class="notice reading">
                <label for="reading">{what}</label>
                <progress id="reading" value=share></progress>
                <button type="button" on:click=move |_| stop(state)>"Cancel"</button>
            </div>
        </Show>
    }
}
