//! Detection of the accelerators of a machine, from drivers, tools and the kernel.
//!
//! Every source is read through a [`Host`]: this machine, or a recorded machine. This crate reports
//! names and ids without interpreting them.

mod amd;
mod bus;
mod fields;
mod gaudi;
mod host;
mod neuron;
mod nvidia;
#[cfg_attr(target_family = "wasm", path = "no_nvml.rs")]
mod nvml;
mod pci;
mod report;
mod tpu;

pub use host::{Host, Local, Recorded, RecordedError};
pub use report::{Device, DriverError, Report, Slice, Source};

/// Returns a report for each vendor from the best available source, and a report of the PCI bus for
/// devices without a driver.
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
