//! NVIDIA: the driver's library, or the output of `nvidia-smi -q -x`.

use roxmltree::{Document, Node, ParsingOptions};

use crate::fields::{NVIDIA, mib, profile_in};
use crate::host::Host;
use crate::report::{Device, Report, Slice, Source, not_understood};

const START: &str = "<nvidia_smi_log";
const END: &str = "</nvidia_smi_log>";
/// The maximum number of attributes of an element: elements have one, but the name of a process may
/// contain `=` too.
const MAX_ATTRIBUTES: usize = 128;
/// The maximum number of elements and texts of a log: a GPU has a few hundred.
const MAX_NODES: u32 = 1 << 18;

pub(crate) fn detect(host: &dyn Host) -> Option<Report> {
    let problem = match host.nvml() {
        Some(Ok(report)) => return Some(report),
        Some(Err(error)) => Some(format!("the NVIDIA driver does not answer: {error}")),
        None => None,
    };
    let outputs = host.outputs("nvidia-smi", &["-q", "-x"]);
    let mut report = outputs.iter().find_map(|text| parse(text));
    if let Some(report) = &mut report {
        report.problems.extend(problem);
        // The XML does not name the MIG profiles; `nvidia-smi -L` does.
        let list = host.outputs("nvidia-smi", &["-L"]);
        if let Some(list) = list
            .iter()
            .find(|text| text.trim_start().starts_with("GPU 0:"))
        {
            name_slices(report, list);
        }
        let links = host.outputs("nvidia-smi", &["nvlink", "-s"]);
        if let Some(text) = links.iter().find(|text| text.contains("Link 0:")) {
            count_links(report, text);
        }
        return Some(report.clone());
    }
    let failure = outputs.iter().find_map(|text| failure(text));
    let failure = failure.or_else(|| not_understood("nvidia-smi", "-q -x", &outputs));
    let problems: Vec<String> = problem.into_iter().chain(failure).collect();
    (!problems.is_empty()).then(|| Report {
        problems,
        ..Report::new(Source::NvidiaSmi)
    })
}

/// Returns the error message of `nvidia-smi`, which it prints on standard output.
fn failure(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_one = [
        "NVIDIA-SMI",
        "Failed to initialize NVML",
        "No devices",
        "Unable to determine",
    ]
    .iter()
    .any(|begin| line.starts_with(begin));
    is_one.then(|| format!("nvidia-smi: {}", line.trim_end_matches('.')))
}

/// Returns whether an element has too many attributes: the parser takes quadratic time for them.
/// Real logs have no namespaces, so these count as too many.
fn has_many_attributes(log: &str) -> bool {
    log.contains("xmlns")
        // Count up to the next tag, including text: the value of an attribute may contain `>`.
        || log.split('<').any(|tag| {
            tag.bytes().filter(|byte| *byte == b'=').count() > MAX_ATTRIBUTES
        })
}

fn parse(text: &str) -> Option<Report> {
    // Skip warnings before the log, and the document type, which could define exponentially growing
    // entities.
    let start = text.find(START)?;
    let options = ParsingOptions {
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    // Skip warnings after the log.
    let end = text.rfind(END).map_or(text.len(), |at| at + END.len());
    let log = text.get(start..end).unwrap_or_default();
    let broken = |why: &dyn std::fmt::Display| {
        Some(Report {
            problems: vec![format!(
                "nvidia-smi: its output is truncated or malformed: {why}"
            )],
            ..Report::new(Source::NvidiaSmi)
        })
    };
    if has_many_attributes(log) {
        return broken(&"an element has too many attributes");
    }
    let document = match Document::parse_with_options(log, options) {
        Ok(document) => document,
        Err(error) => return broken(&error),
    };
    let log = document.root_element();
    if !log.has_tag_name("nvidia_smi_log") {
        return None;
    }
    let mut report = Report {
        driver: value(log, &["driver_version"]),
        cuda: value(log, &["cuda_version"]),
        ..Report::new(Source::NvidiaSmi)
    };
    report.problems.extend(value(log, &["error_string"]));
    let mut lost = 0;
    for gpu in log.children().filter(|child| child.has_tag_name("gpu")) {
        let device = device(gpu);
        if let Some(why) = text_at(gpu, &["fb_memory_usage", "total"])
            && device.memory_mib.is_none()
            && ["lost", "reset", "Unknown Error"]
                .iter()
                .any(|word| why.contains(word))
        {
            let bus = gpu.attribute("id").unwrap_or_default();
            report.problems.push(format!("GPU {bus} is skipped: {why}"));
            lost += 1;
            continue;
        }
        report.devices.push(device);
    }
    let attached = value(log, &["attached_gpus"]).and_then(|count| count.parse().ok());
    let found = report.devices.len() + lost;
    if let Some(attached) = attached.filter(|attached: &usize| *attached != found) {
        report.problems.push(format!(
            "the driver counts {attached} GPUs but reports {found}"
        ));
    }
    Some(report)
}

fn device(gpu: Node<'_, '_>) -> Device {
    let id = text_at(gpu, &["pci", "pci_device_id"]).and_then(|id| {
        // The id holds the device, then the vendor.
        let digits = id.trim_start_matches("0x").to_lowercase();
        let is_one = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_one.then(|| format!("{}:{}", &digits[4..], &digits[..4]))
    });
    let mig = match text_at(gpu, &["mig_mode", "current_mig"]) {
        Some("Enabled") => Some(true),
        Some("Disabled") => Some(false),
        _ => None,
    };
    let bus = text_at(gpu, &["pci", "pci_bus_id"]).or(gpu.attribute("id"));
    let slices = child(gpu, "mig_devices").into_iter().flat_map(|devices| {
        devices
            .children()
            .filter(|child| child.has_tag_name("mig_device"))
            .map(slice)
    });
    Device {
        vendor: NVIDIA,
        names: value(gpu, &["product_name"])
            .into_iter()
            .chain(id)
            .collect(),
        bus_id: bus.map(str::to_lowercase),
        memory_mib: text_at(gpu, &["fb_memory_usage", "total"]).and_then(mib),
        memory_free_mib: text_at(gpu, &["fb_memory_usage", "free"]).and_then(mib),
        links: None,
        mig,
        slices: slices.collect(),
        partition: None,
        is_display: false,
    }
}

fn slice(device: Node<'_, '_>) -> Slice {
    let shared = |name| {
        let text = text_at(device, &["device_attributes", "shared", name]);
        text.and_then(|text| text.parse().ok())
    };
    Slice {
        profile: value(device, &["profile"])
            .or_else(|| value(device, &["name"]).as_deref().and_then(profile_in)),
        memory_mib: text_at(device, &["fb_memory_usage", "total"]).and_then(mib),
        multiprocessors: shared("multiprocessor_count"),
        decoders: shared("decoder_count"),
    }
}

/// Reads `nvidia-smi -L`, which lists the instances below each GPU.
fn name_slices(report: &mut Report, list: &str) {
    let mut gpus = report.devices.iter_mut();
    let mut slices = [].iter_mut();
    for line in list.lines() {
        let line = line.trim();
        if line.starts_with("GPU ") {
            let Some(gpu) = gpus.next() else { return };
            slices = gpu.slices.iter_mut();
        } else if let Some(profile) = line.starts_with("MIG ").then(|| profile_in(line)).flatten()
            && let Some(slice) = slices.next()
        {
            slice.profile = Some(profile);
        }
    }
}

/// Reads `nvidia-smi nvlink -s`, which lists the links below each GPU.
fn count_links(report: &mut Report, text: &str) {
    let mut at = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with("GPU ") {
            at = Some(at.map_or(0, |at: usize| at + 1));
        } else if line.starts_with("Link ")
            && line.ends_with("GB/s")
            && let Some(device) = at.and_then(|at| report.devices.get_mut(at))
        {
            device.links = Some(device.links.unwrap_or(0) + 1);
        }
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn text_at<'a>(node: Node<'a, '_>, path: &[&str]) -> Option<&'a str> {
    let mut node = node;
    for name in path {
        node = child(node, name)?;
    }
    node.text().map(str::trim).filter(|text| !text.is_empty())
}

/// Returns the text at a path; `None` for placeholders such as `N/A`.
fn value(node: Node<'_, '_>, path: &[&str]) -> Option<String> {
    let text = text_at(node, path)?;
    (!matches!(text, "N/A" | "[N/A]" | "Not Found")).then(|| text.to_owned())
}
