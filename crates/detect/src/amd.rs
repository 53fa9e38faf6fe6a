//! AMD: the kernel driver and the ROCm tools.

use serde_json::{Map, Value};

use crate::fields::{bytes, json, mib};
use crate::host::Host;
use crate::report::{Device, Report, Source, failed, not_understood};

pub(crate) const VENDOR: &str = "AMD";
const PCI_VENDOR: &str = "0x1002";

pub(crate) fn detect(host: &dyn Host) -> Option<Report> {
    let kernel = kernel(host);
    let tools = rocm_smi(host).or_else(|| amd_smi(host));
    match (kernel, tools) {
        // The kernel driver has the count and the memory of the cards, the tools have their names.
        (Some(mut kernel), Some(tools)) => {
            if kernel.devices.len() == tools.devices.len() {
                for (device, other) in kernel.devices.iter_mut().zip(tools.devices) {
                    let names = other
                        .names
                        .into_iter()
                        .filter(|name| !device.names.contains(name));
                    let names: Vec<String> = names.collect();
                    device.names.extend(names);
                }
            }
            kernel.driver = kernel.driver.or(tools.driver);
            Some(kernel)
        }
        (None, None) => {
            let outputs = host.outputs("rocm-smi", &ROCM_SMI);
            let problem = not_understood("rocm-smi", "--json", &outputs);
            let other = || {
                not_understood(
                    "amd-smi",
                    "static --json",
                    &host.outputs("amd-smi", &AMD_SMI),
                )
            };
            Some(failed(Source::RocmSmi, problem.or_else(other)?))
        }
        (kernel, tools) => kernel.or(tools),
    }
}

/// Reads `/sys/class/drm`, which has one card for each device, even if it is partitioned.
fn kernel(host: &dyn Host) -> Option<Report> {
    let mut cards: Vec<(u32, String)> = Vec::new();
    for name in host.list("/sys/class/drm") {
        // Connectors are named after their card: card0-DP-1.
        if let Some(number) = name.strip_prefix("card").and_then(|n| n.parse().ok()) {
            cards.push((number, format!("/sys/class/drm/{name}/device")));
        }
    }
    cards.sort();
    let mut report = Report {
        driver: host
            .read("/sys/module/amdgpu/version")
            .map(|text| text.trim().to_owned()),
        ..Report::new(Source::Amdgpu)
    };
    for (_, folder) in cards {
        let read = |file: &str| {
            let text = host.read(&format!("{folder}/{file}"))?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        if read("vendor").as_deref() != Some(PCI_VENDOR) {
            continue;
        }
        let total = read("mem_info_vram_total").as_deref().and_then(bytes);
        let used = read("mem_info_vram_used")
            .as_deref()
            .and_then(|text| text.parse::<f64>().ok());
        let id = read("device").map(|id| format!("1002:{}", id.trim_start_matches("0x")));
        let partition = read("current_compute_partition").filter(|mode| mode != "SPX");
        report.devices.push(Device {
            vendor: VENDOR,
            names: read("product_name").into_iter().chain(id).collect(),
            bus_id: read("uevent")
                .and_then(|text| {
                    let slot = text
                        .lines()
                        .find_map(|line| line.strip_prefix("PCI_SLOT_NAME="));
                    slot.map(str::to_owned)
                })
                .or_else(|| host.link(&folder)),
            memory_mib: total,
            memory_free_mib: total
                .zip(used)
                .map(|(total, used)| (total - used / f64::from(1 << 20)).max(0.0)),
            partition,
            ..Device::default()
        });
    }
    (!report.devices.is_empty()).then_some(report)
}

const ROCM_SMI: [&str; 8] = [
    "--showproductname",
    "--showid",
    "--showbus",
    "--showmeminfo",
    "vram",
    "--showdriverversion",
    "--showcomputepartition",
    "--json",
];
const AMD_SMI: [&str; 7] = [
    "static",
    "--asic",
    "--vram",
    "--driver",
    "--bus",
    "--partition",
    "--json",
];

fn rocm_smi(host: &dyn Host) -> Option<Report> {
    let outputs = host.outputs("rocm-smi", &ROCM_SMI);
    outputs.iter().find_map(|text| parse_rocm_smi(&json(text)?))
}

fn parse_rocm_smi(value: &Value) -> Option<Report> {
    let entries = value.as_object()?;
    let mut cards: Vec<(u32, &Map<String, Value>)> = entries
        .iter()
        .filter_map(|(name, card)| {
            let number = name.strip_prefix("card")?.parse().ok()?;
            Some((number, card.as_object()?))
        })
        .collect();
    cards.sort_by_key(|(number, _)| *number);
    if cards.is_empty() {
        return None;
    }
    let text = |card: &Map<String, Value>, key: &str| {
        let text = card.get(key)?.as_str()?.trim();
        (!text.is_empty() && text != "N/A").then(|| text.to_owned())
    };
    let device = |card: &Map<String, Value>| {
        let series = text(card, "Card Series").or_else(|| text(card, "Card series"));
        // In old versions, `Card Model` is the id of the subsystem, so it comes last.
        let id = ["Device ID", "GPU ID", "Card Model"]
            .iter()
            .find_map(|key| text(card, key));
        let id = id.filter(|id| id.starts_with("0x"));
        let total = text(card, "VRAM Total Memory (B)")
            .as_deref()
            .and_then(bytes);
        let used =
            text(card, "VRAM Total Used Memory (B)").and_then(|text| text.parse::<f64>().ok());
        Device {
            vendor: VENDOR,
            names: [text(card, "Device Name"), series]
                .into_iter()
                .flatten()
                .filter(|name| !name.starts_with("0x"))
                .chain(id.map(|id| format!("1002:{}", id.trim_start_matches("0x"))))
                .collect(),
            bus_id: text(card, "PCI Bus").map(|bus| bus.to_lowercase()),
            memory_mib: total,
            memory_free_mib: total
                .zip(used)
                .map(|(total, used)| (total - used / f64::from(1 << 20)).max(0.0)),
            partition: text(card, "Compute Partition").filter(|mode| mode != "SPX"),
            ..Device::default()
        }
    };
    let system = entries.get("system").and_then(Value::as_object);
    Some(Report {
        driver: system.and_then(|system| text(system, "Driver version")),
        devices: cards.into_iter().map(|(_, card)| device(card)).collect(),
        ..Report::new(Source::RocmSmi)
    })
}

fn amd_smi(host: &dyn Host) -> Option<Report> {
    let outputs = host.outputs("amd-smi", &AMD_SMI);
    outputs.iter().find_map(|text| parse_amd_smi(&json(text)?))
}

fn parse_amd_smi(value: &Value) -> Option<Report> {
    let cards = value.as_array().or_else(|| value["gpu_data"].as_array())?;
    let text = |value: &Value| {
        let text = value.as_str()?.trim();
        (!text.is_empty() && text != "N/A").then(|| text.to_owned())
    };
    let mut report = Report {
        ..Report::new(Source::AmdSmi)
    };
    for card in cards.iter().filter(|card| card["asic"].is_object()) {
        let partition = &card["partition"];
        let mode = text(&partition["accelerator_partition"])
            .or_else(|| text(&partition["compute_partition"]));
        // Every partition is listed. Only the first represents the card.
        if partition["partition_id"].as_u64().is_some_and(|id| id > 0) {
            continue;
        }
        let id = text(&card["asic"]["device_id"]);
        let size = &card["vram"]["size"];
        let size = size["value"].as_f64().or(size.as_f64());
        report.driver = report.driver.or_else(|| text(&card["driver"]["version"]));
        report.devices.push(Device {
            vendor: VENDOR,
            names: text(&card["asic"]["market_name"])
                .into_iter()
                .chain(id.map(|id| format!("1002:{}", id.trim_start_matches("0x"))))
                .collect(),
            bus_id: text(&card["bus"]["bdf"]),
            memory_mib: size.and_then(|size| mib(&size.to_string())),
            partition: mode.filter(|mode| mode != "SPX"),
            ..Device::default()
        });
    }
    (!report.devices.is_empty()).then_some(report)
}
