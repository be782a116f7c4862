//! How many bits each component's elements take.

use super::part::Component;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bits per element, scales included; weights by component.
///
/// ```
/// use decodescope::model::{Component, Precision};
/// let precision = Precision::flat(4.5).with(Component::LmHead, 16.0);
/// assert_eq!(precision.bits(Component::RoutedExperts), 4.5);
/// assert_eq!(precision.bits(Component::LmHead), 16.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// Bits per weight of every component without a figure of its own.
    pub weights_bits: f64,
    /// Bits per weight of single components.
    pub components: BTreeMap<Component, f64>,
    /// Bits per element of the KV cache.
    pub kv_bits: f64,
    /// Bits per element of the indexer's keys. vLLM keeps FP8 with a 4-byte scale per 128-wide
    /// key, whatever the rest of the cache is in: 8.25.
    pub indexer_bits: f64,
    /// Bits per element of recurrent states; mostly 32.
    pub state_bits: f64,
    /// Bytes per element of the hidden states.
    pub activation_bytes: f64,
}

impl Default for Precision {
    /// 16 bit throughout.
    fn default() -> Self {
        Self::flat(16.0)
    }
}

impl Precision {
    /// The same bits for every weight; caches and activations in 16 bit.
    #[must_use]
    pub fn flat(weights_bits: f64) -> Self {
        Self {
            weights_bits,
            components: BTreeMap::new(),
            kv_bits: 16.0,
            indexer_bits: 8.25,
            state_bits: 32.0,
            activation_bytes: 2.0,
        }
    }

    /// Other bits for every weight but those left in 16 bit, or wider, beside narrower ones.
    ///
    /// ```
    /// use decodescope::model::{Component, Precision};
    /// let mixed = Precision::flat(4.25).with(Component::LmHead, 16.0).narrowed_to(8.0);
    /// assert_eq!((mixed.weights_bits, mixed.bits(Component::LmHead)), (8.0, 16.0));
    /// assert_eq!(Precision::default().narrowed_to(8.0), Precision::flat(8.0));
    /// ```
    #[must_use]
    pub fn narrowed_to(mut self, bits: f64) -> Self {
        let whole = |bits: f64| bits >= 16.0;
        // Where only single components are narrow, the rest was left as it is.
        if !whole(self.weights_bits) || self.components.values().all(|bits| whole(*bits)) {
            self.weights_bits = bits;
        }
        self.components.values_mut().filter(|bits| !whole(**bits)).for_each(|own| *own = bits);
        self
    }

    /// A file's average: its size over the parameters in it.
    ///
    /// # Formula
    /// `8 × bytes / parameters`
    ///
    /// # Limits
    /// An average over the file is not what a token reads: mixes give attention more bits than
    /// experts.
    ///
    /// ```
    /// use decodescope::model::Precision;
    /// // GLM-5 UD-Q4_K_XL: 402 GB for 753.9 billion parameters, the prediction layer among them.
    /// let bits = Precision::of_file(402e9, 753_864_139_008).weights_bits;
    /// assert!((bits - 4.266).abs() < 0.001);
    /// ```
    #[must_use]
    pub fn of_file(bytes: f64, parameters: u64) -> Self {
        Self::flat(8.0 * bytes / parameters.max(1) as f64)
    }

    /// The same with other bits for one component.
    #[must_use]
    pub fn with(mut self, component: Component, bits: f64) -> Self {
        match component {
            Component::KvCache => self.kv_bits = bits,
            Component::IndexerKeys => self.indexer_bits = bits,
            Component::RecurrentState => self.state_bits = bits,
            Component::Activations => self.activation_bytes = bits / 8.0,
            _ => {
                self.components.insert(component, bits);
            }
        }
        self
    }

    /// Bits per element of a component.
    #[must_use]
    pub fn bits(&self, component: Component) -> f64 {
        match component {
            Component::KvCache => self.kv_bits,
            Component::IndexerKeys => self.indexer_bits,
            Component::RecurrentState => self.state_bits,
            Component::Activations => self.activation_bytes * 8.0,
            _ => self.components.get(&component).copied().unwrap_or(self.weights_bits),
        }
    }

    /// Whether no weight is held in less than 16 bit.
    #[must_use]
    pub(crate) fn is_16_bit(&self) -> bool {
        self.weights_bits >= 16.0 && self.components.values().all(|&bits| bits >= 16.0)
    }

    /// Bytes of `elements` of a component.
    #[must_use]
    pub(crate) fn bytes(&self, component: Component, elements: f64) -> f64 {
        elements * self.bits(component) / 8.0
    }
}
