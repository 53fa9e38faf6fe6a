//! The devices on the PCI bus, including devices without a driver.

use crate::bus::{PciFunction, functions};
use crate::fields::NVIDIA;
use crate::host::Host;
use crate::report::{Device, Report, Source};
use crate::{amd, gaudi, neuron, tpu};

/// Vendors of accelerators by PCI id. Displays of other vendors are not accelerators.
const MAKERS: [(&str, &str); 7] = [
    ("10de", NVIDIA),
    ("1002", amd::VENDOR),
    (neuron::PCI_VENDOR, neuron::VENDOR),
    ("1da3", gaudi::VENDOR),
    ("1ae0", tpu::VENDOR),
    ("8086", "Intel"),
    ("1e52", "Tenstorrent"),
];
/// The PCI class of displays and 3D controllers.
const DISPLAY: &str = "03";
/// The PCI classes of displays and of processing accelerators.
const CLASSES: [&str; 2] = [DISPLAY, "1200"];
/// The last digits of the ids of Neuron devices, 7064 to 7565. Their PCI class is not specific.
const NEURON: [&str; 4] = ["64", "65", "66", "67"];

fn is_accelerator(function: &PciFunction) -> bool {
    let (vendor, device) = (function.vendor.as_str(), function.device.as_str());
    if vendor == neuron::PCI_VENDOR {
        return device.starts_with('7') && NEURON.iter().any(|end| device.get(2..) == Some(end));
    }
    CLASSES
        .iter()
        .any(|class| function.class.starts_with(class))
}

/// Adds devices that no driver reports, and adds PCI ids to the names of reported devices.
pub(crate) fn complete(host: &dyn Host, reports: &mut Vec<Report>) {
    let functions = functions(host);
    let mut unknown: Vec<Device> = Vec::new();
    for (id, vendor) in MAKERS {
        let vendor_functions: Vec<&PciFunction> = functions
            .iter()
            .filter(|function| function.vendor == id && is_accelerator(function))
            .collect();
        let device = |function: &&PciFunction| Device {
            vendor,
            names: vec![format!("{}:{}", function.vendor, function.device)],
            bus_id: Some(function.bus_id.clone()),
            // Displays of NVIDIA are GPUs with CUDA; displays of other vendors may be graphics
            // only.
            is_display: function.class.starts_with(DISPLAY) && vendor != NVIDIA,
            ..Device::default()
        };
        let reported = reports.iter_mut().find(|report| {
            report
                .devices
                .first()
                .is_some_and(|device| device.vendor == vendor)
        });
        match reported {
            None => {
                unknown.extend(vendor_functions.iter().map(device));
            }
            Some(report) => {
                name(report, &vendor_functions);
                let (reported_count, bus_count) = (report.devices.len(), vendor_functions.len());
                if bus_count > reported_count && id != "1ae0" && id != "8086" {
                    report.problems.push(format!(
                        "{bus_count} {vendor} devices are on the bus, but {} reports {reported_count}",
                        report.source
                    ));
                }
            }
        }
    }
    if unknown.is_empty() {
        return;
    }
    reports.push(Report {
        devices: unknown,
        ..Report::new(Source::Pci)
    });
}

/// Adds PCI ids to reported devices, by bus address or by index.
fn name(report: &mut Report, functions: &[&PciFunction]) {
    for (at, device) in report.devices.iter_mut().enumerate() {
        let by_bus = device.bus_id.as_ref().and_then(|bus| {
            let short = |id: &str| id.trim_start_matches('0').to_owned();
            functions
                .iter()
                .find(|function| short(&function.bus_id) == short(bus))
        });
        let Some(function) = by_bus.or_else(|| functions.get(at)) else {
            continue;
        };
        let id = format!("{}:{}", function.vendor, function.device);
        if !device.names.iter().any(|name| name.starts_with(&id)) && device.names.len() < 4 {
            device.names.push(id);
        }
    }
}
