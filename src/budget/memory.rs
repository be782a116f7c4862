//! Bytes read per step, the bandwidth they use, and the floor they set.

use super::Step;
use crate::model::{self, Component, DecodeRead, Split};
use crate::scenario::{Field, Scenario, Sourced};
use crate::units::{Bytes, BytesPerSecond, Ratio, Seconds};

/// What one decode step reads from each GPU's memory, and what that means.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Bytes read per step and GPU, by component.
    pub read: DecodeRead,
    /// Their total.
    pub bytes: Bytes,
    /// The bandwidth they are measured against.
    pub bandwidth: Sourced<BytesPerSecond>,
    /// The time the reading alone takes at that bandwidth.
    pub time: Seconds,
    /// What one GPU's memory holds, if the GPU is known.
    pub capacity: Option<Bytes>,
    /// The share of the bandwidth in use over a whole step; zero until the step is known.
    pub utilisation: Ratio,
}

impl Memory {
    /// Whether the weights are more than the GPU's memory holds.
    #[must_use]
    pub fn overflows(&self) -> bool {
        self.capacity.is_some_and(|capacity| self.read.resident_weights > capacity)
    }

    /// What is read of each component, the largest first.
    #[must_use]
    pub fn components(&self) -> Vec<(Component, Bytes)> {
        let mut components: Vec<(Component, Bytes)> = Component::ALL
            .iter()
            .map(|&component| (component, self.read.of(component)))
            .filter(|(_, bytes)| bytes.get() > 0.0)
            .collect();
        components.sort_by(|(_, a), (_, b)| b.get().total_cmp(&a.get()));
        components
    }

    /// The utilisation over a step of known length.
    ///
    /// # Formula
    /// MBU = (bytes per step per GPU / step) / bandwidth
    ///
    /// # Source
    /// Model bandwidth utilisation as in Databricks' "LLM inference performance engineering" (2023).
    pub(super) fn used_at(mut self, step: Option<&Step>) -> Self {
        if let Some(step) = step {
            self.utilisation = Ratio::new(self.time / step.time.value);
        }
        self
    }
}

/// # Formula
/// time = bytes read per step per GPU / bandwidth per GPU; see [`model::decode_step`] for the bytes.
///
/// # Limits
/// Activations are left out: at decode they are thousands of times smaller than the weights.
pub(super) fn memory(scenario: &Scenario) -> Option<Memory> {
    let architecture = scenario.architecture()?;
    let bandwidth = scenario.bandwidth()?;
    let split = Split { tensor_parallel: scenario.value(Field::TensorParallel)?.value as u32, ..Split::default() };
    let read = model::decode_step(&architecture, &scenario.precision(), &split, &scenario.step()?);
    let bytes = read.total();
    let capacity = scenario.gpu().map(|gpu| gpu.memory).filter(|memory| memory.is_finite());
    Some(Memory { bytes, bandwidth, time: bytes / bandwidth.value, utilisation: Ratio::ZERO, capacity, read })
}
