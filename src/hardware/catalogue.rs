//! The table of GPUs.

use super::{Link, LinkKind};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Ratio, Seconds};
use std::borrow::Cow;
use std::sync::OnceLock;

/// One GPU as published and as measured. Rates are dense; an empty one has no source.
#[derive(Debug, Clone, PartialEq)]
pub struct Gpu {
    /// The stable name for links and command lines, such as `rtx-pro-6000`.
    pub id: &'static str,
    /// The name for people.
    pub name: Cow<'static, str>,
    /// The chip's generation and compute target, such as `Hopper (sm_90)`.
    pub architecture: &'static str,
    /// Its memory, as the driver reports it where that is known. Datasheets' "GB" of memory are 2³⁰
    /// bytes, since memory chips are; see [`Gpu::memory_gib`].
    pub memory: Bytes,
    /// Memory bandwidth as published (10⁹ bytes a "GB").
    pub bandwidth: BytesPerSecond,
    /// Memory bandwidth that reading large tensors was measured to reach.
    pub achieved_bandwidth: Option<BytesPerSecond>,
    /// The time a matrix-vector product takes beyond its bytes, measured; see [`super::TensorRead`].
    pub launch_floor: Option<Seconds>,
    /// BF16 matrix rate.
    pub bf16: Option<FlopsPerSecond>,
    /// FP8 matrix rate.
    pub fp8: Option<FlopsPerSecond>,
    /// FP4 matrix rate.
    pub fp4: Option<FlopsPerSecond>,
    /// INT8 matrix rate.
    pub int8: Option<FlopsPerSecond>,
    /// How it reaches its neighbours.
    pub link: Link,
    /// Other names it goes by, comma-separated.
    pub(super) aliases: &'static str,
    /// Where the figures come from.
    pub source: &'static str,
    /// What sources disagree on, or what to know about the figures; may be empty.
    pub conflicts: &'static str,
}

impl Gpu {
    /// The id of a GPU that is in no catalogue.
    pub const OWN: &'static str = "own";

    /// A GPU of one's own, of which nothing is known but what its memory delivers. How much memory that is stays
    /// unknown, hence without end, until somebody says.
    ///
    /// ```
    /// use decodescope::{hardware::Gpu, units::BytesPerSecond};
    /// let gpu = Gpu::own("Prototype 7", BytesPerSecond::from_giga(900.0));
    /// assert_eq!((gpu.id, gpu.expected_bandwidth().as_giga()), ("own", 900.0));
    /// assert!(!gpu.memory.is_finite() && gpu.bf16.is_none());
    /// ```
    #[must_use]
    pub fn own(name: &str, bandwidth: BytesPerSecond) -> Self {
        let name = if name.trim().is_empty() { "your GPU" } else { name.trim() };
        Self {
            id: Self::OWN,
            name: Cow::Owned(name.to_owned()),
            architecture: "",
            memory: Bytes::new(f64::INFINITY),
            bandwidth,
            achieved_bandwidth: Some(bandwidth),
            launch_floor: None,
            bf16: None,
            fp8: None,
            fp4: None,
            int8: None,
            link: Link { kind: LinkKind::Pcie, bandwidth: None, pcie_generation: None },
            aliases: "",
            source: "",
            conflicts: "",
        }
    }

    /// So many GiB of memory.
    #[must_use]
    pub fn with_memory_gib(self, gib: f64) -> Self {
        Self { memory: Bytes::new(gib * GIB), ..self }
    }

    /// The same with another 16-bit matrix rate; those of narrower numbers follow in the GPU's own proportion.
    ///
    /// ```
    /// use decodescope::{hardware::find, units::FlopsPerSecond};
    /// // H200: 989 and 1979 TFLOP/s. At 100 in 16 bit, FP8 has 100 × 1979 / 989 = 200.1.
    /// let gpu = find("h200-sxm").unwrap().clone().with_matrix_rate(FlopsPerSecond::from_tera(100.0));
    /// assert_eq!(gpu.bf16.unwrap().as_tera(), 100.0);
    /// assert!((gpu.fp8.unwrap().as_tera() - 200.1).abs() < 0.01);
    /// ```
    #[must_use]
    pub fn with_matrix_rate(self, rate: FlopsPerSecond) -> Self {
        let factor = self.bf16.map_or(1.0, |published| rate / published);
        let scaled = |other: Option<FlopsPerSecond>| other.map(|other| other * factor);
        Self { bf16: Some(rate), fp8: scaled(self.fp8), fp4: scaled(self.fp4), int8: scaled(self.int8), ..self }
    }

    /// The memory in GiB, the "GB" of datasheets.
    #[must_use]
    pub fn memory_gib(&self) -> f64 {
        self.memory.get() / GIB
    }

    /// The bandwidth to reckon with: the measured one, or 80 % of the published one.
    ///
    /// # Formula
    /// achieved, else 0.8 × published
    /// # Units
    /// bytes per second
    /// # Source
    /// Ten GPUs measured reach 0.74 to 0.89 of what is published on their large tensors (the fits of
    /// [`super::tensor_reads`]); 0.8 is also what other calculators assume.
    /// # Limits
    /// Large tensors only; a small one is ruled by its launch, see [`super::TensorRead`].
    ///
    /// ```
    /// let gpu = decodescope::hardware::find("rtx-pro-6000").unwrap();
    /// assert_eq!(gpu.expected_bandwidth().as_giga(), 1458.0);
    /// let gpu = decodescope::hardware::find("h20").unwrap();
    /// assert_eq!(gpu.expected_bandwidth().as_giga(), 0.8 * 4000.0);
    /// ```
    #[must_use]
    pub fn expected_bandwidth(&self) -> BytesPerSecond {
        self.achieved_bandwidth.unwrap_or(self.bandwidth * 0.8)
    }

    /// The share of the published bandwidth that was measured.
    #[must_use]
    pub fn achieved_share(&self) -> Option<Ratio> {
        self.achieved_bandwidth.map(|achieved| Ratio::new(achieved / self.bandwidth))
    }
}

const GIB: f64 = 1_073_741_824.0;
const TABLE: &str = include_str!("gpus.psv");

/// Every GPU known, related ones together.
#[must_use]
pub fn catalogue() -> &'static [Gpu] {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    GPUS.get_or_init(|| rows().filter_map(row).collect())
}

fn rows() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#'))
}

fn row(line: &'static str) -> Option<Gpu> {
    let cells: Vec<_> = line.split('|').collect();
    let [
        id,
        name,
        architecture,
        memory,
        bandwidth,
        achieved,
        floor,
        bf16,
        fp8,
        fp4,
        int8,
        link,
        link_bandwidth,
        pcie,
        aliases,
        source,
        conflicts,
    ] = cells[..]
    else {
        return None;
    };
    let giga = BytesPerSecond::from_giga;
    let tera = FlopsPerSecond::from_tera;
    Some(Gpu {
        id,
        name: Cow::Borrowed(name),
        architecture,
        memory: Bytes::new(number(memory)?? * GIB),
        bandwidth: giga(number(bandwidth)??),
        achieved_bandwidth: number(achieved)?.map(giga),
        launch_floor: number(floor)?.map(Seconds::from_micros),
        bf16: number(bf16)?.map(tera),
        fp8: number(fp8)?.map(tera),
        fp4: number(fp4)?.map(tera),
        int8: number(int8)?.map(tera),
        link: Link {
            kind: LinkKind::from_name(link)?,
            bandwidth: number(link_bandwidth)?.map(giga),
            pcie_generation: number(pcie)?.map(|generation| generation as u8),
        },
        aliases,
        source,
        conflicts,
    })
}

/// `Some(None)` for an empty cell, `None` for one that is not a number.
#[expect(clippy::option_option, reason = "an empty cell and a broken one differ")]
fn number(cell: &str) -> Option<Option<f64>> {
    if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_parses_and_ids_are_unique() {
        for line in rows() {
            assert!(row(line).is_some(), "{line}");
        }
        let ids: BTreeSet<_> = catalogue().iter().map(|gpu| gpu.id).collect();
        assert_eq!(ids.len(), catalogue().len());
        assert!(catalogue().len() >= 40, "{}", catalogue().len());
    }

    #[test]
    fn figures_are_of_the_right_size() {
        for gpu in catalogue() {
            assert!((10.0..=512.0).contains(&gpu.memory_gib()), "{}", gpu.id);
            assert!((250.0..=8000.0).contains(&gpu.bandwidth.as_giga()), "{}", gpu.id);
            let share = gpu.achieved_share().map_or(0.8, Ratio::get);
            assert!((0.7..0.95).contains(&share), "{} reaches {share}", gpu.id);
            assert!(!gpu.source.is_empty(), "{}", gpu.id);
        }
    }

    #[test]
    fn what_has_no_source_stays_empty_and_conflicts_are_kept() {
        let by_id = |id| catalogue().iter().find(|gpu| gpu.id == id).unwrap();
        assert_eq!(by_id("rtx-5090").bf16, None);
        assert_eq!(by_id("mi350x").fp8, None);
        assert!(by_id("b300-sxm").conflicts.contains("13500"));
        assert!(by_id("rtx-pro-6000-server").conflicts.contains("1597"));
    }
}
