//! Long work in steps: in between, whoever asked for it does something else, sees how far it is, or lets it be.
//!
//! The work is written once, as plain code that [rests](Pace::rest) about every millisecond. [`Work::step`] goes on to
//! the next rest, [`Work::finish`] to the end; dropping it stops it. How long a step takes is known to nobody here: the
//! engine has no clock, and the page decides by its own how many steps it takes before it lets the browser paint.
//!
//! ```
//! use decodescope::pace::{Step, Work};
//! let mut work = Work::new(|pace| async move {
//!     let mut sum = 0;
//!     for number in 1..=4 {
//!         sum += number;
//!         pace.rest(f64::from(number) / 4.0).await;
//!     }
//!     sum
//! });
//! let mut shares = Vec::new();
//! let sum = loop {
//!     match work.step() {
//!         Step::Underway(rest) => work = rest,
//!         Step::Done(sum) => break sum,
//!     }
//!     shares.push(work.share());
//! };
//! assert_eq!((sum, shares), (10, vec![0.25, 0.5, 0.75, 1.0]));
//! ```

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Work that goes on step by step.
pub struct Work<'a, T> {
    rest: Pin<Box<dyn Future<Output = T> + 'a>>,
    share: Rc<Cell<f64>>,
}

/// What a step came to.
pub enum Step<'a, T> {
    /// There is more to do.
    Underway(Work<'a, T>),
    /// The work is done.
    Done(T),
}

impl<'a, T> Work<'a, T> {
    /// Work that rests where it is told to. Nothing is done before the first step.
    pub fn new<F: Future<Output = T> + 'a>(start: impl FnOnce(Pace) -> F) -> Self {
        let share = Rc::new(Cell::new(0.0));
        let pace = Pace { share: share.clone(), from: 0.0, to: 1.0 };
        Self { rest: Box::pin(start(pace)), share }
    }

    /// Goes on to the next rest.
    #[must_use]
    pub fn step(mut self) -> Step<'a, T> {
        match self.rest.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Step::Done(done),
            Poll::Pending => Step::Underway(self),
        }
    }

    /// Goes on to the end.
    pub fn finish(mut self) -> T {
        loop {
            match self.step() {
                Step::Underway(rest) => self = rest,
                Step::Done(done) => return done,
            }
        }
    }

    /// How much of it is done, from 0 to 1, as far as that can be told beforehand.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.share.get()
    }
}

/// Where work rests, and says how far it is.
#[derive(Debug, Clone)]
pub struct Pace {
    share: Rc<Cell<f64>>,
    from: f64,
    to: f64,
}

impl Pace {
    /// The pace of a part, which goes from one share of the work to another.
    #[must_use]
    pub fn part(&self, from: f64, to: f64) -> Self {
        let place = |share: f64| self.from + (self.to - self.from) * share;
        Self { share: self.share.clone(), from: place(from), to: place(to) }
    }

    /// Lets a step end here, with this share of the work done. What begins anew does not take the share back.
    pub fn rest(&self, share: f64) -> Rest {
        let share = self.from + (self.to - self.from) * share.clamp(0.0, 1.0);
        self.share.set(self.share.get().max(share));
        Rest { due: true }
    }

    /// Rests before each piece of work whose place among all is a multiple of `stride`.
    pub fn rest_every(&self, stride: usize, place: usize, all: usize) -> Rest {
        if place.is_multiple_of(stride) { self.rest(place as f64 / all.max(1) as f64) } else { Rest { due: false } }
    }
}

/// The end of a step, once it is awaited.
#[derive(Debug)]
#[must_use = "a rest is none until it is awaited"]
pub struct Rest {
    due: bool,
}

impl Future for Rest {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::take(&mut self.due) { Poll::Pending } else { Poll::Ready(()) }
    }
}
