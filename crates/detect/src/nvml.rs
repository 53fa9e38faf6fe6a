//! NVIDIA's management library, loaded at run time.

use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{
    Device as NvmlDevice, Nvml, cuda_driver_version_major, cuda_driver_version_minor,
};

use crate::fields::{NVIDIA, profile_in};
use crate::report::{Device, DriverError, Report, Slice, Source};

impl From<NvmlError> for DriverError {
    fn from(error: NvmlError) -> Self {
        Self(error.to_string())
    }
}

/// The maximum number of NVLinks of a device, from NVML's `NVML_NVLINK_MAX_LINKS`.
const MAX_LINKS: u32 = 18;

/// Returns the report of the library; `None` if the library is not installed.
pub(crate) fn detect() -> Option<Result<Report, DriverError>> {
    match Nvml::init() {
        Ok(nvml) => Some(report(&nvml).map_err(DriverError::from)),
        Err(NvmlError::LibloadingError(_)) => None,
        Err(error) => Some(Err(error.into())),
    }
}

fn report(nvml: &Nvml) -> Result<Report, NvmlError> {
    let count = nvml.device_count()?;
    let mut report = Report {
        driver: nvml.sys_driver_version().ok(),
        cuda: nvml.sys_cuda_driver_version().ok().map(|version| {
            let (major, minor) = (
                cuda_driver_version_major(version),
                cuda_driver_version_minor(version),
            );
            format!("{major}.{minor}")
        }),
        ..Report::new(Source::Nvml)
    };
    for index in 0..count {
        match nvml.device_by_index(index) {
            Ok(gpu) => report.devices.push(device(&gpu)),
            Err(error) => report.problems.push(format!("GPU {index}: {error}")),
        }
    }
    Ok(report)
}

fn device(gpu: &NvmlDevice<'_>) -> Device {
    let memory = gpu.memory_info().ok();
    let pci = gpu.pci_info().ok();
    let id = pci.as_ref().map(|pci| {
        let id = pci.pci_device_id;
        format!("{:04x}:{:04x}", id & 0xffff, id >> 16)
    });
    let mig = gpu.mig_mode().ok().map(|mode| mode.current == 1);
    let mut slices = Vec::new();
    if mig == Some(true) {
        // The count is the maximum of instances; most indexes may be empty.
        for place in 0..gpu.mig_device_count().unwrap_or_default() {
            if let Ok(slice) = gpu.mig_device_by_index(place) {
                slices.push(Slice {
                    profile: slice.name().ok().as_deref().and_then(profile_in),
                    memory_mib: slice.memory_info().ok().map(|memory| as_mib(memory.total)),
                    multiprocessors: slice
                        .attributes()
                        .ok()
                        .map(|slice| slice.multiprocessor_count),
                    decoders: slice
                        .attributes()
                        .ok()
                        .map(|slice| slice.shared_decoder_count),
                });
            }
        }
    }
    let links = (0..MAX_LINKS)
        .filter(|link| gpu.link_wrapper_for(*link).is_active().unwrap_or(false))
        .count();
    Device {
        vendor: NVIDIA,
        names: gpu.name().ok().into_iter().chain(id).collect(),
        bus_id: pci.map(|pci| pci.bus_id.to_lowercase()),
        memory_mib: memory.as_ref().map(|memory| as_mib(memory.total)),
        memory_free_mib: memory.as_ref().map(|memory| as_mib(memory.free)),
        links: (links > 0).then_some(links as u32),
        mig,
        slices,
        partition: None,
        is_display: false,
    }
}

fn as_mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
