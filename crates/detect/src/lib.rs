//! The accelerators of a machine: what drivers, tools and the kernel say of them.
//!
//! Every source is read through a [`Host`]: this machine, or one that was recorded into files. What
//! the names and ids mean is not known here.

mod amd;
mod gaudi;
mod host;
mod neuron;
mod nvidia;
mod nvml;
mod pci;
mod tpu;

pub use host::{Host, Local, Recorded, RecordedError};

/// One device, as its source tells of it. What is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    pub vendor: &'static str,
    /// Names, the most telling first: the driver's, then `10de:2330`.
    pub names: Vec<String>,
    /// `0000:01:00.0`
    pub bus_id: Option<String>,
    pub memory_mib: Option<f64>,
    pub memory_free_mib: Option<f64>,
    /// Links to other devices that are up.
    pub links: Option<u32>,
    /// Whether MIG is on; `None` where the device has none.
    pub mig: Option<bool>,
    pub slices: Vec<Slice>,
    /// How it is divided otherwise: `CPX`.
    pub partition: Option<String>,
}

/// A MIG instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// `1g.10gb`, where the source names it.
    pub profile: Option<String>,
    pub memory_mib: Option<f64>,
    pub multiprocessors: Option<u32>,
    pub decoders: Option<u32>,
}

/// The report of one source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// `nvml`, `nvidia-smi`, `amdgpu`, `rocm-smi`, `amd-smi`, `neuron-ls`, `neuron`, `hl-smi`, `tpu`
    /// or `pci`.
    pub source: &'static str,
    pub driver: Option<String>,
    /// CUDA that the driver can run.
    pub cuda: Option<String>,
    pub devices: Vec<Device>,
    /// Faults of the machine, in sentences without a period.
    pub problems: Vec<String>,
}

/// Asks every source, the best of each maker first; the PCI bus for what no driver knows.
pub fn detect(host: &dyn Host) -> Vec<Report> {
    let mut reports: Vec<Report> = [
        nvidia::detect(host),
        amd::detect(host),
        neuron::detect(host),
        gaudi::detect(host),
        tpu::detect(host),
    ]
    .into_iter()
    .flatten()
    .collect();
    pci::complete(host, &mut reports);
    reports
}

/// The fault of a tool that printed something, and nothing about devices.
fn not_understood(tool: &str, arguments: &str, outputs: &[String]) -> Option<String> {
    let first = outputs.first()?;
    let line = first.lines().map(str::trim).find(|line| !line.is_empty());
    let line: String = line.unwrap_or("nothing").chars().take(120).collect();
    Some(format!(
        "{tool} {arguments} tells of no device: {}",
        line.trim_end_matches('.')
    ))
}

/// A report of nothing but what is wrong.
fn failed(source: &'static str, problem: String) -> Report {
    Report {
        source,
        problems: vec![problem],
        ..Report::default()
    }
}

/// A number with a unit that a tool prints, in MiB. Words in its place are no number.
fn mib(text: &str) -> Option<f64> {
    let text = text.trim().trim_matches(['[', ']']);
    let (number, unit) = text.split_once(' ').unwrap_or((text, "MiB"));
    let number: f64 = number
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite() && *n >= 0.0)?;
    Some(match unit.trim() {
        "MiB" | "MB" => number,
        "GiB" | "GB" => number * 1024.0,
        "KiB" => number / 1024.0,
        _ => return None,
    })
}

/// Bytes as MiB.
fn bytes(text: &str) -> Option<f64> {
    let bytes: f64 = text.trim().parse().ok()?;
    (bytes.is_finite() && bytes > 0.0).then_some(bytes / f64::from(1 << 20))
}
