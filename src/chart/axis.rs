//! What an axis is asked to be, and the range it gets: one that can always be drawn.

use super::ticks::ticks;
use serde::Serialize;

/// How values become lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// Equal differences are equal lengths.
    #[default]
    Linear,
    /// Equal factors are equal lengths.
    Log,
}

/// An axis as a chart asks for it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Axis {
    /// What it shows, with the unit, e.g. "allreduce per step, ms".
    pub label: String,
    /// Linear or logarithmic.
    pub scaling: Scaling,
    /// Where it starts, unless the data decide.
    pub from: Option<f64>,
    /// Where it ends, unless the data decide.
    pub to: Option<f64>,
}

impl Axis {
    /// A linear axis whose ends follow the data.
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// A linear axis that starts at zero, as bars need it.
    #[must_use]
    pub fn from_zero(label: impl Into<String>) -> Self {
        Self { label: label.into(), from: Some(0.0), ..Self::default() }
    }

    /// A logarithmic axis whose ends follow the data.
    #[must_use]
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scaling: Scaling::Log, ..Self::default() }
    }

    /// The range that shows `values`; those not finite are left out.
    pub(super) fn range(&self, values: impl IntoIterator<Item = f64>) -> AxisRange {
        let usable = |value: &f64| value.is_finite() && (self.scaling == Scaling::Linear || *value > 0.0);
        let (from, to) = (self.from.filter(usable), self.to.filter(usable));
        let (low, high) = values
            .into_iter()
            .chain(from)
            .chain(to)
            .filter(usable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        AxisRange::new(from.unwrap_or(low), to.unwrap_or(high), self.scaling)
    }

    /// The same, widened to the next tick at ends the axis does not fix, where that adds little. A logarithmic
    /// axis keeps the data's ends: its next tick may be a decade away.
    pub(super) fn widened(&self, values: impl IntoIterator<Item = f64>, most_ticks: usize) -> AxisRange {
        const LITTLE: f64 = 0.2;
        let tight = self.range(values);
        let marks = ticks(&tight, most_ticks);
        let (Some(first), Some(second), Some(last)) = (marks.first(), marks.get(1), marks.last()) else { return tight };
        if self.scaling == Scaling::Log {
            return tight;
        }
        let (step, slack) = (second.value - first.value, (tight.high() - tight.low()) * LITTLE);
        let near = |end: f64, next: f64| if (next - end).abs() <= slack { next } else { end };
        let misses = |end: f64, tick: f64| (end - tick).abs() > step * 1e-6;
        let below = if misses(tight.low(), first.value) { first.value - step } else { tight.low() };
        let above = if misses(tight.high(), last.value) { last.value + step } else { tight.high() };
        let low = if self.from.is_none() { near(tight.low(), below) } else { tight.low() };
        let high = if self.to.is_none() { near(tight.high(), above) } else { tight.high() };
        AxisRange::new(low, high, self.scaling)
    }
}

/// A range that can always be drawn: finite, `low < high`, and `low > 0` when logarithmic.
///
/// Drawing libraries hang on infinite ranges and panic on NaN; every range of this room passes here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AxisRange {
    low: f64,
    high: f64,
    scaling: Scaling,
}

/// The largest magnitude an axis shows; far beyond any quantity, and far from overflow.
const LARGEST: f64 = 1e30;
/// The smallest span, relative to the larger end, that floating point still divides into ticks.
const THINNEST: f64 = 1e-9;

impl AxisRange {
    /// The nearest drawable range: ends in order, a point widened around itself, what is not finite
    /// replaced by a default, and for a logarithmic range a positive start.
    ///
    /// ```
    /// use decodescope::chart::{AxisRange, Scaling};
    /// let range = AxisRange::new(f64::NAN, f64::INFINITY, Scaling::Linear);
    /// assert_eq!((range.low(), range.high()), (0.0, 1.0));
    /// let point = AxisRange::new(5.0, 5.0, Scaling::Linear);
    /// assert!(point.low() < 5.0 && 5.0 < point.high());
    /// ```
    #[must_use]
    pub fn new(low: f64, high: f64, scaling: Scaling) -> Self {
        let (low, high) = match (low.is_finite(), high.is_finite()) {
            (true, true) => (low.min(high), low.max(high)),
            (true, false) => (low, low + low.abs().max(1.0)),
            (false, true) => (high - high.abs().max(1.0), high),
            (false, false) => (0.0, 1.0),
        };
        let (low, high) = (low.clamp(-LARGEST, LARGEST), high.clamp(-LARGEST, LARGEST));
        let (low, high) = match scaling {
            Scaling::Linear => {
                let least = (low.abs().max(high.abs()) * THINNEST).max(f64::MIN_POSITIVE / THINNEST);
                if high - low >= least {
                    (low, high)
                } else {
                    let pad = if low == 0.0 { 1.0 } else { (low.abs() * 0.1).max(least) };
                    (low - pad, high + pad)
                }
            }
            Scaling::Log => {
                let high = if high > 1.0 / LARGEST { high } else { 1.0 };
                let low = if low > 0.0 { low.max(1.0 / LARGEST) } else { high / 1e3 };
                if high / low >= 1.0 + 1e-6 { (low, high) } else { (low / 2.0, high * 2.0) }
            }
        };
        Self { low, high, scaling }
    }

    /// The lower end.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Linear or logarithmic.
    #[must_use]
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// How far along a value lies, 0 at the lower end and 1 at the upper; clamped to within the range.
    #[must_use]
    pub fn fraction(&self, value: f64) -> f64 {
        let fraction = match self.scaling {
            Scaling::Linear => (value - self.low) / (self.high - self.low),
            Scaling::Log => (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
        };
        if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) }
    }

    /// The value that lies so far along; the inverse of [`AxisRange::fraction`].
    #[must_use]
    pub fn value(&self, fraction: f64) -> f64 {
        match self.scaling {
            Scaling::Linear => self.low + (self.high - self.low) * fraction,
            Scaling::Log => self.low * (self.high / self.low).powf(fraction),
        }
    }

    /// Whether the value lies in it.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        // A drawing library hung on an infinite range and panicked on NaN: no input may make one.
        #[test]
        fn every_range_can_be_drawn(low in any::<f64>(), high in any::<f64>(), log in any::<bool>()) {
            let range = AxisRange::new(low, high, if log { Scaling::Log } else { Scaling::Linear });
            prop_assert!(range.low().is_finite() && range.high().is_finite());
            prop_assert!(range.low() < range.high());
            prop_assert!(!log || range.low() > 0.0);
            prop_assert!(range.fraction(low) >= 0.0 && range.fraction(low) <= 1.0);
        }

        #[test]
        fn a_fraction_of_a_value_comes_back(low in -1e6..1e6, span in 1e-3..1e6, at in 0.0..1.0) {
            let range = AxisRange::new(low, low + span, Scaling::Linear);
            prop_assert!((range.fraction(range.value(at)) - at).abs() < 1e-6);
            let log = AxisRange::new(span, span * 1e4, Scaling::Log);
            prop_assert!((log.fraction(log.value(at)) - at).abs() < 1e-6);
        }
    }

    #[test]
    fn a_free_end_is_widened_to_a_near_tick_and_a_fixed_one_is_not() {
        let range = Axis::from_zero("ms").widened([3.0, 17.4], 6);
        assert_eq!((range.low(), range.high()), (0.0, 20.0));
        let fixed = Axis { to: Some(17.4), ..Axis::from_zero("ms") }.widened([3.0], 6);
        assert_eq!(fixed.high(), 17.4);
        // Ticks at 0, 200 and 400: the next would leave a quarter of the axis empty.
        assert_eq!(Axis::from_zero("tok/s").widened([440.0], 3).high(), 440.0);
    }

    #[test]
    fn the_middle_of_a_logarithmic_range_is_its_geometric_mean() {
        let range = AxisRange::new(1.0, 100.0, Scaling::Log);
        assert!((range.fraction(10.0) - 0.5).abs() < 1e-12);
        assert!((range.value(0.5) - 10.0).abs() < 1e-12);
    }
}
