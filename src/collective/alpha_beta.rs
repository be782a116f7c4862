//! Latency plus bytes over bandwidth.

use crate::units::{Bytes, BytesPerSecond, Range, Seconds};

/// The alpha-beta (Hockney) model of one collective, with how well it fits what was measured.
///
/// # Formula
/// time = latency + message / bandwidth
/// # Units
/// seconds; bandwidth is the algorithm bandwidth of nccl-tests (message over time), not the bus's
/// # Source
/// Hockney 1994; the numbers come from [`super::fits`] or are typed
/// # Limits
/// One algorithm only: where the library changes algorithm or protocol with the message's size, the
/// points bend away from the line. That is what `relative_error` shows.
///
/// ```
/// use decodescope::collective::AlphaBeta;
/// use decodescope::units::{Bytes, BytesPerSecond, Seconds};
/// let nccl = AlphaBeta {
///     latency: Seconds::from_micros(24.6),
///     bandwidth: BytesPerSecond::from_giga(6.0),
///     relative_error: 0.04,
/// };
/// // 24.6 + 12,288 / 6.0e9 = 26.65 µs; 156 of them are 4.16 ms.
/// let one = nccl.time(Bytes::new(12_288.0));
/// assert!((one.as_micros() - 26.648).abs() < 0.001);
/// assert!(((one * 156.0).as_millis() - 4.157).abs() < 0.001);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaBeta {
    /// What an empty message takes.
    pub latency: Seconds,
    /// What further bytes are moved at; infinite where size made no difference.
    pub bandwidth: BytesPerSecond,
    /// The largest relative distance of a measured point from the line, over the sizes of decode.
    pub relative_error: f64,
}

impl AlphaBeta {
    /// The time of one collective of this size.
    #[must_use]
    pub fn time(&self, message: Bytes) -> Seconds {
        self.latency + message / self.bandwidth
    }

    /// The time with the fit's own error on both sides.
    #[must_use]
    pub fn range(&self, message: Bytes) -> Range<Seconds> {
        let likely = self.time(message);
        let error = self.relative_error.clamp(0.0, 1.0);
        Range { low: likely * (1.0 - error), likely, high: likely * (1.0 + self.relative_error.max(0.0)) }
    }

    /// A time that holds its message's bytes already, with an error on both sides.
    #[must_use]
    pub fn around(time: Seconds, relative_error: f64) -> Range<Seconds> {
        let instant = BytesPerSecond::new(f64::INFINITY);
        Self { latency: time, bandwidth: instant, relative_error }.range(Bytes::new(0.0))
    }

    /// The line nearest to measured points; `None` with fewer than two different sizes, or with a
    /// time that is not positive.
    ///
    /// # Formula
    /// minimises Σ ((latency + size / bandwidth − time) / time)², so a microsecond counts more where
    /// times are short. A slope below zero is taken as zero (infinite bandwidth), a latency below
    /// zero as zero, and the other number is fitted again. `relative_error` is
    /// max |time / (latency + size / bandwidth) − 1| over the points of 4 to 64 KiB, where decode lives,
    /// or over all points where none is there: [`AlphaBeta::range`] just covers them.
    /// # Units
    /// bytes and seconds
    /// # Source
    /// weighted linear least squares, weights 1 / time²
    /// # Limits
    /// With two points the error is zero by construction and says nothing.
    ///
    /// ```
    /// use decodescope::collective::AlphaBeta;
    /// use decodescope::units::{Bytes, Seconds};
    /// // Points exactly on 10 µs + S / 1 GB/s.
    /// let points = [4e3, 8e3, 64e3].map(|size| (Bytes::new(size), Seconds::new(10e-6 + size / 1e9)));
    /// let line = AlphaBeta::fit(&points).unwrap();
    /// assert!((line.latency.as_micros() - 10.0).abs() < 1e-9);
    /// assert!((line.bandwidth.as_giga() - 1.0).abs() < 1e-9);
    /// assert!(line.relative_error < 1e-9);
    /// ```
    #[must_use]
    pub fn fit(points: &[(Bytes, Seconds)]) -> Option<Self> {
        let usable = |&(size, time): &(Bytes, Seconds)| size.is_finite() && time.is_finite() && time.get() > 0.0;
        if !points.iter().all(usable) {
            return None;
        }
        // In relative terms each point asks latency·u + slope·v = 1, with u = 1/time and v = size/time.
        let (mut uu, mut uv, mut vv, mut u1, mut v1) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (size, time) in points {
            let (u, v) = (1.0 / time.get(), size.get() / time.get());
            uu += u * u;
            uv += u * v;
            vv += v * v;
            u1 += u;
            v1 += v;
        }
        let determinant = uu * vv - uv * uv;
        // Relative to its terms, so that one size repeated counts as one whatever the unit.
        if points.len() < 2 || determinant <= 1e-12 * uu * vv {
            return None;
        }
        let (mut latency, mut slope) = ((u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant);
        if slope < 0.0 {
            (latency, slope) = (u1 / uu, 0.0);
        } else if latency < 0.0 {
            (latency, slope) = (0.0, v1 / vv);
        }
        let mut line =
            Self { latency: Seconds::new(latency), bandwidth: BytesPerSecond::new(1.0 / slope), relative_error: 0.0 };
        line.relative_error = line.distance(points);
        Some(line)
    }

    fn distance(&self, points: &[(Bytes, Seconds)]) -> f64 {
        let decode = |size: Bytes| (4096.0..=65_536.0).contains(&size.get());
        let any = points.iter().any(|&(size, _)| decode(size));
        let considered = points.iter().filter(|&&(size, _)| !any || decode(size));
        considered.map(|&(size, time)| (time / self.time(size) - 1.0).abs()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn points(list: &[(f64, f64)]) -> Vec<(Bytes, Seconds)> {
        list.iter().map(|&(size, micros)| (Bytes::new(size), Seconds::from_micros(micros))).collect()
    }

    #[test]
    fn a_falling_line_becomes_a_flat_one() {
        let line = AlphaBeta::fit(&points(&[(4096.0, 10.2), (8192.0, 10.0), (16_384.0, 9.8)])).unwrap();
        assert!(line.bandwidth.get().is_infinite());
        assert!((line.time(Bytes::new(1e6)).as_micros() - 10.0).abs() < 0.02);
        assert!((line.relative_error - 0.02).abs() < 0.001);
    }

    #[test]
    fn too_little_to_fit_is_no_fit() {
        assert_eq!(AlphaBeta::fit(&[]), None);
        assert_eq!(AlphaBeta::fit(&points(&[(4096.0, 10.0)])), None);
        assert_eq!(AlphaBeta::fit(&points(&[(4096.0, 10.0), (4096.0, 11.0)])), None);
        assert_eq!(AlphaBeta::fit(&points(&[(4096.0, 10.0), (8192.0, 0.0)])), None);
        assert_eq!(AlphaBeta::fit(&points(&[(4096.0, f64::NAN), (8192.0, 1.0)])), None);
    }

    #[test]
    fn the_error_is_the_farthest_point_of_decodes_sizes() {
        // The 1 MB point lies far off but is outside 4 to 64 KiB.
        let line = AlphaBeta {
            latency: Seconds::from_micros(10.0),
            ..AlphaBeta::fit(&points(&[(0.0, 10.0), (1.0, 10.0)])).unwrap()
        };
        assert!((line.distance(&points(&[(4096.0, 10.0), (8192.0, 12.5), (1e6, 99.0)])) - 0.25).abs() < 1e-9);
        assert!((line.distance(&points(&[(1e6, 20.0)])) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_error_above_one_leaves_no_negative_time() {
        let model = AlphaBeta {
            latency: Seconds::from_micros(1.0),
            bandwidth: BytesPerSecond::from_giga(1.0),
            relative_error: 3.0,
        };
        let range = model.range(Bytes::ZERO);
        assert_eq!((range.low.get(), range.high.as_micros()), (0.0, 4.0));
    }
}
