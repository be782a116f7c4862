//! The prediction beside what was measured.

use super::is_measured;
use crate::budget::{Analysis, Step};
use crate::report::predicted::Predicted;
use crate::units::format::{show, show_range, significant, trimmed};
use crate::units::{Range, Seconds, TokensPerSecond};

/// From so many times the predicted step on, the system is not what it seems.
const MUCH_SLOWER: f64 = 2.0;

/// What is predicted of today's step, where it fits the memory.
pub(in crate::report) struct Outlook {
    /// The step.
    pub time: Range<Seconds>,
    /// One stream's speed.
    pub speed: Range<TokensPerSecond>,
}

impl Outlook {
    /// The prediction; `None` where what it is of cannot be run, or comes to no number.
    pub(in crate::report) fn of(predicted: Predicted) -> Option<Self> {
        predicted.fits.then_some(Self { time: predicted.time, speed: predicted.speed })
    }

    /// Times the predicted step that was measured, where that is far more and outside the range, as "5.0 times".
    pub(super) fn times_slower(&self, analysis: &Analysis) -> Option<String> {
        let measured = analysis.step.as_ref().filter(|_| is_measured(analysis))?.time.value;
        let times = measured / self.time.likely;
        (times >= MUCH_SLOWER && measured > self.time.high).then(|| format!("{} times", significant(times, 2)))
    }

    /// The predicted step beside a much slower one.
    pub(super) fn against(&self, analysis: &Analysis) -> Option<String> {
        let times = self.times_slower(analysis)?;
        let step = analysis.step.as_ref()?;
        Some(format!(
            "For this model, hardware and load {} a step is predicted, {} most likely: the {} step takes {times} that.",
            show_range(self.time),
            show(self.time.likely),
            step.time.source.word()
        ))
    }

    /// The predicted step, where none was measured.
    pub(super) fn sentence(&self, step: &Step) -> Option<String> {
        let yields = if step.tokens > 1.0 {
            format!(", yielding {} tokens to each stream", trimmed(step.tokens))
        } else {
            String::new()
        };
        Some(format!(
            "A decode step is predicted to take {}, {} most likely ({}){yields}.",
            show_range(self.time),
            show(self.time.likely),
            show(self.speed.likely)
        ))
    }

    /// What no prediction passes: memory alone.
    pub(super) fn most(&self, analysis: &Analysis, step: &Step) -> Option<String> {
        let most = step.speed_at(analysis.memory.as_ref()?.time);
        Some(format!("The ceiling by memory is {}: as if nothing but reading took time.", show(most)))
    }
}
