//! The accelerators of a machine, as drivers, tools and the kernel report them.
//!
//! Every source is read through a [`Host`]: this machine, or one that was recorded into files. This
//! crate reports names and ids without interpreting them.

mod amd;
mod bus;
mod fields;
mod gaudi;
mod host;
mod neuron;
mod nvidia;
mod nvml;
mod pci;
mod report;
mod tpu;

pub use host::{Host, Local, Recorded, RecordedError};
pub use report::{Device, DriverError, Report, Slice, Source};

/// Returns a report for each maker from the best source that answers, and one from the PCI bus for
/// devices that no driver reports.
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
