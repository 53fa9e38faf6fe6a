//! The accelerators of a machine.

use serde::Serialize;

use super::{Num, OfferOut};

/// The question, as it was understood.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Of a recorded machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// Devices of one kind.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HardwareOut<'a> {
    /// `H100-80GB-SXM:x8`; `null` when the catalog does not know the device.
    pub spec: Option<String>,
    pub vendor: String,
    /// The driver's name, or the PCI id.
    pub name: String,
    /// All that it may be.
    pub accelerators: Vec<&'a str>,
    pub count: u32,
    /// `nvml`, `nvidia-smi`, `amdgpu`, `rocm-smi`, `amd-smi`, `neuron-ls`, `neuron`, `hl-smi`, `tpu` or
    /// `pci`.
    pub source: &'static str,
    pub driver: Option<String>,
    /// That the driver can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    pub devices: Vec<DeviceOut>,
    /// With `--check`: whether these devices are what is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    /// The same machine, of each provider the cheapest.
    pub offers: Vec<OfferOut<'a>>,
}

/// One device.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceOut {
    /// Among all that its source tells of.
    pub index: u32,
    pub bus_id: Option<String>,
    pub memory_mib: Option<Num>,
    pub memory_free_mib: Option<Num>,
    /// Links to other devices that are up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<u32>,
    /// Whether MIG is on; missing where the device has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceOut>,
    /// How it is divided otherwise: `CPX`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
}

/// A MIG instance.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceOut {
    pub profile: Option<String>,
    pub memory_mib: Option<Num>,
}
