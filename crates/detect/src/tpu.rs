//! Google TPU: PCI functions and device nodes.

use crate::bus::functions;
use crate::host::Host;
use crate::report::{Device, Report, Source};

pub(crate) const VENDOR: &str = "Google";
const PCI_VENDOR: &str = "1ae0";
/// The device id of v2 and v3, which differ only in the subsystem id.
const BY_SUBSYSTEM: &str = "0027";
/// Other devices of Google: network adapters and disks.
const OTHERS: [&str; 2] = ["0042", "001f"];

pub(crate) fn detect(host: &dyn Host) -> Option<Report> {
    let functions = functions(host);
    let chips = functions.iter().filter(|function| {
        function.vendor == PCI_VENDOR && !OTHERS.contains(&function.device.as_str())
    });
    let mut devices: Vec<Device> = Vec::new();
    for function in chips {
        // A chip of the newest generation has two functions.
        let chip = function
            .bus_id
            .rsplit_once('.')
            .map_or("", |(chip, _)| chip);
        let is_same_chip = |other: &Device| {
            other
                .bus_id
                .as_deref()
                .is_some_and(|bus| bus.starts_with(chip))
        };
        if devices.iter().any(is_same_chip) {
            continue;
        }
        let mut name = format!("{PCI_VENDOR}:{}", function.device);
        if function.device == BY_SUBSYSTEM {
            name = format!("{PCI_VENDOR}-{}-{}", function.device, function.subsystem);
        }
        devices.push(Device {
            vendor: VENDOR,
            names: vec![name],
            bus_id: Some(function.bus_id.clone()),
            ..Device::default()
        });
    }
    let nodes = host.list("/dev");
    let has_node = nodes.iter().any(|name| {
        let number = name.strip_prefix("accel").map(str::parse::<u32>);
        name == "vfio" || matches!(number, Some(Ok(_)))
    });
    let mut problems = Vec::new();
    if !devices.is_empty() && !has_node {
        problems.push(
            "TPU chips are on the bus but have no device node, so programs cannot use them"
                .to_owned(),
        );
    }
    (!devices.is_empty()).then_some(Report {
        devices,
        problems,
        ..Report::new(Source::Tpu)
    })
}
