//! Quantities with their units, and ranges of them.
//!
//! Every boundary between rooms speaks in these types, so that a millisecond is never read as a
//! second. Each wraps an `f64` in the SI unit its name says; only physically sensible operators
//! exist (bytes over bytes-per-second are seconds, and so on).
//!
//! A value may be infinite or NaN only by arithmetic on such a value: constructors do not check,
//! and [`format`] shows either as `—`, so NaN never reaches a screen.

pub mod format;

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Div, Mul, Sub};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// Nothing of it.
            pub const ZERO: Self = Self(0.0);

            /// Wraps a number that is already in this unit.
            #[must_use]
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// The number in this unit.
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }

            /// The smaller of two.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            /// The larger of two.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// Whether it is neither infinite nor NaN.
            #[must_use]
            pub fn is_finite(self) -> bool {
                self.0.is_finite()
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }

        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, Add::add)
            }
        }
    };
}

quantity! {
    /// A duration in seconds.
    Seconds
}
quantity! {
    /// An amount of memory or traffic in bytes; fractional, since averages and bits per weight are.
    Bytes
}
quantity! {
    /// A memory or link bandwidth in bytes per second. Catalogues' GB/s are 10⁹ bytes per second.
    BytesPerSecond
}
quantity! {
    /// A number of floating-point operations (a multiply-add counts as two).
    Flops
}
quantity! {
    /// Floating-point operations per second.
    FlopsPerSecond
}
quantity! {
    /// Decode speed of one stream, in tokens per second.
    TokensPerSecond
}
quantity! {
    /// A share or a utilisation: 1 is the whole.
    Ratio
}

impl Seconds {
    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(millis: f64) -> Self {
        Self(millis / 1e3)
    }

    /// From microseconds.
    #[must_use]
    pub const fn from_micros(micros: f64) -> Self {
        Self(micros / 1e6)
    }

    /// In milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> f64 {
        self.0 * 1e3
    }

    /// In microseconds.
    #[must_use]
    pub const fn as_micros(self) -> f64 {
        self.0 * 1e6
    }

    /// The speed of one token every so long.
    ///
    /// ```
    /// use decodescope::units::Seconds;
    /// assert_eq!(Seconds::from_millis(20.0).per_token().get(), 50.0);
    /// ```
    #[must_use]
    pub const fn per_token(self) -> TokensPerSecond {
        TokensPerSecond(1.0 / self.0)
    }
}

impl TokensPerSecond {
    /// The time between two tokens at this speed.
    #[must_use]
    pub const fn token_time(self) -> Seconds {
        Seconds(1.0 / self.0)
    }
}

impl BytesPerSecond {
    /// From gigabytes (10⁹ bytes) per second.
    #[must_use]
    pub const fn from_giga(giga: f64) -> Self {
        Self(giga * 1e9)
    }

    /// In gigabytes (10⁹ bytes) per second.
    #[must_use]
    pub const fn as_giga(self) -> f64 {
        self.0 / 1e9
    }
}

impl FlopsPerSecond {
    /// From teraFLOPS, the unit of datasheets.
    #[must_use]
    pub const fn from_tera(tera: f64) -> Self {
        Self(tera * 1e12)
    }

    /// In teraFLOPS.
    #[must_use]
    pub const fn as_tera(self) -> f64 {
        self.0 / 1e12
    }
}

impl Div<BytesPerSecond> for Bytes {
    type Output = Seconds;
    fn div(self, bandwidth: BytesPerSecond) -> Seconds {
        Seconds(self.0 / bandwidth.0)
    }
}

impl Div<Seconds> for Bytes {
    type Output = BytesPerSecond;
    fn div(self, time: Seconds) -> BytesPerSecond {
        BytesPerSecond(self.0 / time.0)
    }
}

impl Div<FlopsPerSecond> for Flops {
    type Output = Seconds;
    fn div(self, speed: FlopsPerSecond) -> Seconds {
        Seconds(self.0 / speed.0)
    }
}

impl Div<Seconds> for Flops {
    type Output = FlopsPerSecond;
    fn div(self, time: Seconds) -> FlopsPerSecond {
        FlopsPerSecond(self.0 / time.0)
    }
}

/// What is known of an uncertain quantity: it lies between `low` and `high`, most likely at `likely`.
///
/// Uncertain inputs are ranges and stay ranges to the end; see [`Range::map`] and
/// [`Range::map_decreasing`] for carrying one through a formula.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Range<T> {
    /// The least it can be.
    pub low: T,
    /// The single value to use where only one can be.
    pub likely: T,
    /// The most it can be.
    pub high: T,
}

impl<T: Copy> Range<T> {
    /// A quantity known exactly.
    #[must_use]
    pub const fn exact(value: T) -> Self {
        Self { low: value, likely: value, high: value }
    }

    /// Carries the range through a function that rises with its argument.
    #[must_use]
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Range<U> {
        Range { low: f(self.low), likely: f(self.likely), high: f(self.high) }
    }

    /// Carries the range through a function that falls as its argument rises: low and high swap.
    ///
    /// ```
    /// use decodescope::units::{Range, Seconds};
    /// let step = Range { low: Seconds::new(0.01), likely: Seconds::new(0.02), high: Seconds::new(0.04) };
    /// let speed = step.map_decreasing(Seconds::per_token);
    /// assert_eq!((speed.low.get(), speed.likely.get(), speed.high.get()), (25.0, 50.0, 100.0));
    /// ```
    #[must_use]
    pub fn map_decreasing<U>(self, f: impl Fn(T) -> U) -> Range<U> {
        Range { low: f(self.high), likely: f(self.likely), high: f(self.low) }
    }
}
