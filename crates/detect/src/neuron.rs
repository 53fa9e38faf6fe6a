//! AWS Neuron: `neuron-ls`, or the kernel driver.

use serde_json::Value;

use crate::fields::json;
use crate::host::Host;
use crate::report::{Device, Report, Source, failed, not_understood};

pub(crate) const VENDOR: &str = "AWS";
pub(crate) const PCI_VENDOR: &str = "1d0f";

pub(crate) fn detect(host: &dyn Host) -> Option<Report> {
    let driver = host
        .read("/sys/module/neuron/version")
        .map(|text| text.trim().to_owned());
    let outputs = host.outputs("neuron-ls", &["--json-output"]);
    let mut report = outputs.iter().find_map(|text| parse(&json(text.trim())?));
    // Device files give the number of devices, the driver their names.
    let nodes: Vec<u32> = host
        .list("/dev")
        .iter()
        .filter_map(|name| name.strip_prefix("neuron")?.parse().ok())
        .collect();
    let name = |index: u32| {
        let path = format!("/sys/devices/virtual/neuron_device/neuron{index}/info/architecture");
        let names =
            ["device_name", "instance_type"].map(|file| host.read(&format!("{path}/{file}")));
        let names = names
            .into_iter()
            .flatten()
            .map(|text| text.trim().to_owned());
        names
            .filter(|text| !text.is_empty())
            .take(1)
            .collect::<Vec<_>>()
    };
    match &mut report {
        Some(report) => {
            for (index, device) in report.devices.iter_mut().enumerate() {
                device.names.extend(name(index as u32));
            }
        }
        None if !nodes.is_empty() => {
            let device = |index: &u32| Device {
                vendor: VENDOR,
                names: name(*index),
                ..Device::default()
            };
            report = Some(Report {
                devices: nodes.iter().map(device).collect(),
                ..Report::new(Source::Neuron)
            });
        }
        None => {
            let problem = not_understood("neuron-ls", "-j", &outputs)?;
            return Some(failed(Source::NeuronLs, problem));
        }
    }
    let mut report = report?;
    report.driver = driver;
    Some(report)
}

fn parse(value: &Value) -> Option<Report> {
    let is_device = |item: &Value| item["neuron_device"].is_number();
    let is_list = |value: &&Value| {
        let items = value.as_array();
        items.is_some_and(|items| items.iter().any(is_device))
    };
    let list = Some(value)
        .filter(is_list)
        .or_else(|| value.as_object()?.values().find(is_list))?;
    let device = |item: &Value| {
        let memory = item["memory_size"].as_f64().filter(|bytes| *bytes > 0.0);
        let instance_type = item["instance_type"].as_str().map(str::to_owned);
        Device {
            vendor: VENDOR,
            names: instance_type.into_iter().collect(),
            bus_id: item["bdf"].as_str().map(full),
            memory_mib: memory.map(|bytes| bytes / f64::from(1 << 20)),
            links: item["connected_to"]
                .as_array()
                .map(|links| links.len() as u32),
            ..Device::default()
        }
    };
    let list = list.as_array()?.iter();
    Some(Report {
        devices: list.filter(|item| is_device(item)).map(device).collect(),
        ..Report::new(Source::NeuronLs)
    })
}

/// Returns a PCI address with its domain, which old tools omit.
fn full(bus: &str) -> String {
    if bus.matches(':').count() == 1 {
        format!("0000:{bus}")
    } else {
        bus.to_owned()
    }
}
