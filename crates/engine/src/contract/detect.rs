//! The accelerators of a machine.

use serde::Serialize;
use sky_accel_detect::Source;

use super::{Num, OfferOut};

/// A question about the accelerators of a machine, as it was understood.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectRequest {
    /// The spec to check the machine against. Missing where nothing is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The recorded machine to read. Missing where this machine is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// Devices of one kind in a machine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HardwareOut<'a> {
    /// The devices as a spec, such as `H100-80GB-SXM:x8`; `null` when the catalog does not know
    /// them.
    pub spec: Option<String>,
    /// The vendor of the devices.
    pub vendor: String,
    /// The name that the driver reports, or the PCI id where there is no driver.
    pub name: String,
    /// The catalog's ids of the accelerators that the devices may be; empty when none is known.
    pub accelerators: Vec<&'a str>,
    /// The number of devices.
    pub count: u32,
    /// The driver, tool or bus that reported the devices.
    pub source: Source,
    /// The driver version; `null` when unknown.
    pub driver: Option<String>,
    /// The newest CUDA version that the driver supports. Missing where it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// The devices one by one.
    pub devices: Vec<DeviceOut>,
    /// With `--check`: true if these devices belong to a combination that fulfils the spec. Missing
    /// otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    /// The same machine at providers, the cheapest offer of each.
    pub offers: Vec<OfferOut<'a>>,
}

/// One device.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceOut {
    /// The index of the device among all devices of its source.
    pub index: u32,
    /// The PCI address; `null` when unknown.
    pub bus_id: Option<String>,
    /// Total memory in MiB; `null` when unknown.
    pub memory_mib: Option<Num>,
    /// Free memory in MiB; `null` when unknown.
    pub memory_free_mib: Option<Num>,
    /// The number of active links to other devices. Missing where it is not reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<u32>,
    /// True if MIG is enabled. Missing where the device does not support MIG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<bool>,
    /// The MIG instances on the device; missing when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceOut>,
    /// The partition mode of a device that is divided by other means than MIG, such as `CPX`.
    /// Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
}

/// A MIG instance on a device.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceOut {
    /// The MIG profile; `null` when it cannot be determined.
    pub profile: Option<String>,
    /// Memory of the instance in MiB; `null` when unknown.
    pub memory_mib: Option<Num>,
}
