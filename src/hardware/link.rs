//! How the GPUs of one box reach each other.

use crate::units::BytesPerSecond;
use std::fmt;

/// The kinds of link, by what they mean for a collective among several GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// NVLink through switches: every pair at full speed.
    NvLink,
    /// NVLink between some pairs only, as in the cube mesh of eight V100.
    NvLinkPartial,
    /// An NVLink bridge that joins two cards; further cards are reached over PCIe.
    NvLinkBridge,
    /// PCI Express alone.
    Pcie,
    /// AMD's xGMI, one link for every pair: all joined, but a pair has only its own link's speed.
    XgmiMesh,
    /// AMD's older Infinity Fabric, not every pair joined.
    InfinityFabric,
    /// Ethernet ports on the accelerator.
    Ethernet,
    /// One chip with memory shared with its host; it has no neighbour.
    Unified,
}

impl LinkKind {
    /// Whether each of so many GPUs reaches every other without going over PCIe: the condition under
    /// which engines use their own allreduce on more than two GPUs.
    #[must_use]
    pub fn joins_every_pair(self, gpus: u32) -> bool {
        match self {
            Self::NvLink | Self::XgmiMesh => true,
            Self::NvLinkBridge | Self::NvLinkPartial => gpus <= 2,
            Self::Pcie | Self::InfinityFabric | Self::Ethernet | Self::Unified => false,
        }
    }

    /// The name used in the catalogue's table.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "nvlink" => Self::NvLink,
            "nvlink-partial" => Self::NvLinkPartial,
            "nvlink-bridge" => Self::NvLinkBridge,
            "pcie" => Self::Pcie,
            "xgmi-mesh" => Self::XgmiMesh,
            "infinity-fabric" => Self::InfinityFabric,
            "ethernet" => Self::Ethernet,
            "unified" => Self::Unified,
            _ => return None,
        })
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NvLink => "NVLink",
            Self::NvLinkPartial => "NVLink between some pairs",
            Self::NvLinkBridge => "NVLink bridge between two",
            Self::Pcie => "PCIe",
            Self::XgmiMesh => "xGMI mesh",
            Self::InfinityFabric => "Infinity Fabric",
            Self::Ethernet => "Ethernet",
            Self::Unified => "unified memory",
        })
    }
}

/// A GPU's link to the others of its box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Its kind.
    pub kind: LinkKind,
    /// All of one GPU's links together, in one direction, as published; `None` where no source was found.
    pub bandwidth: Option<BytesPerSecond>,
    /// The generation of PCI Express the card plugs into.
    pub pcie_generation: Option<u8>,
}

#[cfg(test)]
mod tests {
    use super::LinkKind;

    #[test]
    fn only_switches_and_meshes_join_eight() {
        assert!(LinkKind::NvLink.joins_every_pair(8) && LinkKind::XgmiMesh.joins_every_pair(8));
        assert!(LinkKind::NvLinkBridge.joins_every_pair(2) && !LinkKind::NvLinkBridge.joins_every_pair(4));
        assert!(!LinkKind::Pcie.joins_every_pair(2));
    }
}
