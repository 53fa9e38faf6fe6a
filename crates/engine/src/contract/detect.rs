//! The accelerators of a machine.

use serde::Serialize;
use sky_accel_detect::Source;

use super::{Num, OfferOut};

/// A request to list the accelerators of a machine, as it was understood.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectRequest {
    /// The spec to check the machine against. Omitted if nothing is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The recorded machine to read. Omitted if the local machine is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// Devices of one kind in a machine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HardwareOut<'a> {
    /// The devices as a spec, such as `H100-80GB-SXM:x8`; `null` if the catalog does not know them.
    pub spec: Option<String>,
    /// The vendor of the devices.
    pub vendor: String,
    /// The name that the driver reports, or the PCI id without a driver.
    pub name: String,
    /// The catalog ids of the accelerators that the devices may be; empty if unknown.
    pub accelerators: Vec<&'a str>,
    /// The number of devices.
    pub count: u32,
    /// The driver, tool or bus that reported the devices.
    pub source: Source,
    /// The driver version; `null` if unknown.
    pub driver: Option<String>,
    /// The newest CUDA version that the driver supports. Omitted if it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// The individual devices.
    pub devices: Vec<DeviceOut>,
    /// If a spec was checked: true if these devices belong to a combination that meets it. Omitted
    /// otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    /// Equivalent machines from providers, the cheapest offer of each.
    pub offers: Vec<OfferOut<'a>>,
}

/// One device.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceOut {
    /// The index of the device among all devices of its source.
    pub index: u32,
    /// The PCI address; `null` if unknown.
    pub bus_id: Option<String>,
    /// Total memory in MiB; `null` if unknown.
    pub memory_mib: Option<Num>,
    /// Free memory in MiB; `null` if unknown.
    pub memory_free_mib: Option<Num>,
    /// The number of active links to other devices. Omitted if not reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<u32>,
    /// True if MIG is enabled. Omitted if the device does not support MIG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<bool>,
    /// The MIG instances on the device; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceOut>,
    /// The partition mode of a device that is partitioned without MIG, such as `CPX`. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
}

/// A MIG instance on a device.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceOut {
    /// The MIG profile; `null` if it cannot be determined.
    pub profile: Option<String>,
    /// Memory of the instance in MiB; `null` if unknown.
    pub memory_mib: Option<Num>,
}
