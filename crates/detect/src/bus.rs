//! The functions of the PCI bus.

use crate::host::Host;

/// A PCI function. Ids are four hexadecimal digits.
pub(crate) struct PciFunction {
    pub bus_id: String,
    pub vendor: String,
    pub device: String,
    pub subsystem: String,
    pub class: String,
}

/// Returns the functions on the bus, ordered by address.
pub(crate) fn functions(host: &dyn Host) -> Vec<PciFunction> {
    const BUS: &str = "/sys/bus/pci/devices";
    let functions = host.list(BUS).into_iter().filter_map(|bus_id| {
        let read = |file: &str| {
            let text = host.read(&format!("{BUS}/{bus_id}/{file}"))?;
            Some(text.trim().trim_start_matches("0x").to_lowercase())
        };
        Some(PciFunction {
            vendor: read("vendor")?,
            device: read("device")?,
            class: read("class").unwrap_or_default(),
            subsystem: read("subsystem_device").unwrap_or_default(),
            bus_id,
        })
    });
    functions.collect()
}
