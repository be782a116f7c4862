//! Published measurements of small allreduces.

use super::AlphaBeta;
use super::path::{Engine, Path, path};
use crate::hardware::{find, measured_as};
use crate::units::{Bytes, Range, Seconds};
use std::sync::OnceLock;

/// One measured allreduce: its message and its time.
pub type Point = (Bytes, Seconds);

/// The measurements of one implementation on one box, and the line through them.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// A stable name: system, GPUs and implementation, such as `h100-sxm/8/nccl`.
    pub id: &'static str,
    /// The GPU measured, by its id in the catalogue.
    pub system: &'static str,
    /// How many of them took part.
    pub gpus: u32,
    /// The implementation.
    pub path: Path,
    /// Its version, and the circumstances where they matter.
    pub version: &'static str,
    /// The line through the points up to 128 KiB (through all of them where fewer than two are as
    /// small), fitted as [`AlphaBeta::fit`] says.
    pub model: AlphaBeta,
    /// What was measured, smallest message first.
    pub points: Vec<Point>,
    /// The same where no larger message takes less; see [`monotone`].
    rising: Vec<Point>,
    /// Who measured it.
    pub source: &'static str,
}

impl Fit {
    /// The time of a message between the sizes measured, on the straight line in log-log between
    /// its two neighbours; `None` outside of them.
    ///
    /// Better than [`Fit::model`] where the points are not on a line: above 64 KiB, and on boxes
    /// where an algorithm changes in between.
    ///
    /// # Formula
    /// time = t₀ · (t₁ / t₀)^(ln(s / s₀) / ln(s₁ / s₀))
    /// # Units
    /// bytes, seconds
    /// # Source
    /// times of collectives follow a power of the size between two powers of two
    /// # Limits
    /// No extrapolation.
    ///
    /// ```
    /// use decodescope::collective::fits;
    /// use decodescope::units::Bytes;
    /// let fit = fits().iter().find(|fit| fit.id == "rtx-pro-6000-server/8/nccl").unwrap();
    /// // 8 KiB took 26.67 µs and 16 KiB 27.04: 12 KiB 26.67 · (27.04 / 26.67)^log2(1.5) = 26.89 µs.
    /// let time = fit.measured(Bytes::new(12_288.0)).unwrap();
    /// assert!((time.as_micros() - 26.886).abs() < 0.001);
    /// ```
    #[must_use]
    pub fn measured(&self, message: Bytes) -> Option<Seconds> {
        between(&self.points, message)
    }

    /// The best that is known of a message's time: as measured between the sizes there are, but that a larger one
    /// never takes less (where it was measured to, both take their mean); else the line, which is not above the first
    /// time below its size, nor below the last beyond, where times go on rising as between the last two sizes.
    ///
    /// ```
    /// use decodescope::collective::fits;
    /// use decodescope::units::Bytes;
    /// let fit = fits().iter().find(|fit| fit.id == "gb300/2/vllm-custom").unwrap();
    /// // 2 MiB took 20.93 µs and 4 MiB 33.72: 6 MiB 33.72 + 12.79 = 46.51 µs.
    /// let time = fit.time(Bytes::new(6.0 * 1_048_576.0));
    /// assert!((time.as_micros() - 46.51).abs() < 0.001);
    /// ```
    #[must_use]
    pub fn time(&self, message: Bytes) -> Seconds {
        let line = self.model.time(message);
        let outside = || match self.rising.as_slice() {
            [(first, time), ..] if message < *first => line.min(*time),
            [.., (size0, time0), (size, time)] if message > *size => {
                line.max(*time + (*time - *time0) * ((message - *size) / (*size - *size0)))
            }
            _ => line,
        };
        between(&self.rising, message).unwrap_or_else(outside)
    }

    /// The same, with how far the published points lie from the line.
    #[must_use]
    pub fn range(&self, message: Bytes) -> Range<Seconds> {
        AlphaBeta::around(self.time(message), self.model.relative_error)
    }

    /// The measurement in words, to follow "that of": implementation, box and source.
    #[must_use]
    pub fn describe(&self) -> String {
        let system = find(self.system).map_or(self.system, |gpu| &*gpu.name);
        format!("{} on {} × {system} ({})", self.version, self.gpus, self.source)
    }
}

const TABLE: &str = include_str!("measured.psv");

/// Every measurement there is.
#[must_use]
pub fn fits() -> &'static [Fit] {
    static FITS: OnceLock<Vec<Fit>> = OnceLock::new();
    FITS.get_or_init(|| rows().filter_map(row).collect())
}

/// The measurements on so many of this GPU, or of the same silicon under another name.
pub fn fits_for(gpu_id: &str, gpus: u32) -> impl Iterator<Item = &'static Fit> {
    let (own, same_silicon) = (gpu_id.to_owned(), measured_as(gpu_id).to_owned());
    fits().iter().filter(move |fit| fit.gpus == gpus && (fit.system == own || fit.system == same_silicon))
}

/// The measurement of what vLLM takes by default on so many of this GPU: its custom allreduce between
/// two GPUs or over NVLink, else NCCL. `None` for one GPU, and where nobody measured that box.
///
/// ```
/// use decodescope::collective::default_fit;
/// use decodescope::units::Bytes;
/// let fit = default_fit("rtx-pro-6000", 8).unwrap();
/// assert_eq!(fit.version, "NCCL 2.29.2");
/// assert!((fit.model.latency.as_micros() - 24.6).abs() < 0.05);
/// assert!((fit.model.bandwidth.as_giga() - 6.0).abs() < 0.05);
/// assert!((fit.model.time(Bytes::new(12_288.0)).as_micros() - 26.6).abs() < 0.05);
/// assert!(default_fit("rtx-pro-6000", 1).is_none());
/// ```
#[must_use]
pub fn default_fit(gpu_id: &str, gpus: u32) -> Option<&'static Fit> {
    let gpu = find(gpu_id)?;
    let taken = path(Engine::Vllm, gpu, gpus)?;
    fits_for(gpu.id, gpus).find(|fit| fit.path == taken)
}

fn rows() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#'))
}

fn row(line: &'static str) -> Option<Fit> {
    let cells: Vec<_> = line.split('|').collect();
    let [id, system, gpus, path, version, source, points] = cells[..] else {
        return None;
    };
    let points = points.split(' ').map(point).collect::<Option<Vec<_>>>()?;
    Some(Fit {
        id,
        system,
        gpus: gpus.parse().ok()?,
        path: Path::from_name(path)?,
        version,
        model: line_through(&points)?,
        rising: monotone(&points),
        points,
        source,
    })
}

fn between(points: &[Point], message: Bytes) -> Option<Seconds> {
    let after = points.iter().position(|(size, _)| *size >= message)?;
    let &(size, time) = points.get(after)?;
    if size == message {
        return Some(time);
    }
    let &(size0, time0) = points.get(after.checked_sub(1)?)?;
    let part = (message / size0).ln() / (size / size0).ln();
    Some(time0 * (time / time0).powf(part))
}

/// The nearest times that never fall as messages grow.
///
/// # Formula
/// isotonic regression: neighbours that fall are replaced by their geometric mean, until none falls
/// # Source
/// pool adjacent violators, on logarithms since errors are relative
fn monotone(points: &[Point]) -> Vec<Point> {
    let mut pools: Vec<(f64, i32)> = Vec::new();
    for (_, time) in points {
        let (mut sum, mut count) = (time.get().ln(), 1);
        while let Some(&(before, many)) =
            pools.last().filter(|(before, many)| before / f64::from(*many) > sum / f64::from(count))
        {
            (sum, count) = (sum + before, count + many);
            pools.pop();
        }
        pools.push((sum, count));
    }
    let times = pools.iter().flat_map(|&(sum, count)| std::iter::repeat_n((sum, count), count as usize));
    let kept = |(&(size, measured), (sum, count)): (&Point, (f64, i32))| {
        (size, if count == 1 { measured } else { Seconds::new((sum / f64::from(count)).exp()) })
    };
    points.iter().zip(times).map(kept).collect()
}

fn line_through(points: &[Point]) -> Option<AlphaBeta> {
    let small: Vec<_> = points.iter().copied().filter(|(size, _)| size.get() <= 131_072.0).collect();
    AlphaBeta::fit(&small).or_else(|| AlphaBeta::fit(points))
}

/// `16K=27.04`: KiB or MiB (or bytes), and microseconds.
fn point(text: &str) -> Option<Point> {
    let (size, micros) = text.split_once('=')?;
    let bytes = match (size.strip_suffix('K'), size.strip_suffix('M')) {
        (Some(kibi), _) => kibi.parse::<f64>().ok()? * 1024.0,
        (_, Some(mebi)) => mebi.parse::<f64>().ok()? * 1_048_576.0,
        _ => size.parse().ok()?,
    };
    Some((Bytes::new(bytes), Seconds::from_micros(micros.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_parses_and_names_a_known_gpu() {
        for line in rows() {
            let fit = row(line).unwrap_or_else(|| panic!("{line}"));
            assert!(find(fit.system).is_some_and(|gpu| gpu.id == fit.system), "{line}");
            assert!(fit.points.is_sorted_by(|a, b| a.0 < b.0), "{line}");
            assert!(fit.id.starts_with(&format!("{}/{}/", fit.system, fit.gpus)), "{line}");
        }
        let ids: BTreeSet<_> = fits().iter().map(|fit| fit.id).collect();
        assert_eq!(ids.len(), fits().len());
    }

    #[test]
    fn nothing_is_extrapolated() {
        let fit = default_fit("h100-sxm", 8).unwrap();
        assert_eq!(fit.measured(Bytes::new(100.0)), None);
        assert_eq!(fit.measured(Bytes::new(1e9)), None);
        assert_eq!(fit.measured(Bytes::new(f64::NAN)), None);
        assert_eq!(fit.measured(Bytes::new(8192.0)).map(Seconds::as_micros).map(f64::round), Some(5.0));
        // The line through the small ones starts at 4.85 µs, but 1 KiB took 4.61.
        assert_eq!(fit.time(Bytes::new(100.0)).as_micros(), 4.61);
    }

    /// Eight B200: 256K, 512K, 1M and 2M took 25.8, 26.15, 17.17 and 20.72 µs, whose geometric mean is
    /// (25.8 × 26.15 × 17.17 × 20.72)^¼ = 22.13 µs.
    #[test]
    fn times_that_fall_are_pooled() {
        let fit = default_fit("b200-sxm", 8).unwrap();
        for kibi in [256.0, 512.0, 700.0, 1024.0, 2048.0] {
            assert!((fit.time(Bytes::new(kibi * 1024.0)).as_micros() - 22.13).abs() < 0.01, "{kibi}");
        }
        assert!((fit.time(Bytes::new(4.0 * 1_048_576.0)).as_micros() - 26.31).abs() < 1e-9);
    }

    #[test]
    fn a_larger_message_never_takes_less() {
        for fit in fits() {
            let mut before = Seconds::ZERO;
            // From 64 bytes to 256 MiB, thirty-two sizes a doubling.
            for step in 0..=22 * 32 {
                let message = Bytes::new(64.0 * (f64::from(step) / 32.0).exp2());
                let time = fit.time(message);
                assert!(time >= before * (1.0 - 1e-12), "{} at {message:?}: {time:?} after {before:?}", fit.id);
                before = time;
            }
        }
    }

    #[test]
    fn every_measured_box_has_its_default() {
        for id in ["a100-sxm-80gb", "h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "l40s", "rtx-pro-6000-server"] {
            for gpus in [2, 4, 8] {
                let fit = default_fit(id, gpus).unwrap();
                let pcie = id.starts_with('l') || id.starts_with('r');
                assert_eq!(fit.path == Path::Nccl, pcie && gpus > 2, "{}", fit.id);
            }
        }
        assert!(default_fit("rtx-4090", 8).is_none());
        assert!(default_fit("nonsense", 8).is_none());
    }

    #[test]
    fn the_same_box_takes_more_than_one_time() {
        let takes = |id: &str| fits().iter().find(|fit| fit.id == id).unwrap().measured(Bytes::new(32_768.0)).unwrap();
        let default = takes("rtx-pro-6000/8/untuned-nccl");
        let low_latency = takes("rtx-pro-6000/8/tuned-nccl");
        assert!((default.as_micros() - 48.16).abs() < 1e-9 && (low_latency.as_micros() - 26.20).abs() < 1e-9);
    }
}
