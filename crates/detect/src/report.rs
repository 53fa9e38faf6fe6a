//! Reports of devices.

/// A device, as a source reports it. A field that the source does not report is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The vendor: `NVIDIA`, `AMD`, `AWS`, `Intel`, `Google` or `Tenstorrent`.
    pub vendor: &'static str,
    /// Names and ids, the most specific first: the driver's name, then the PCI id, such as
    /// `10de:2330`.
    pub names: Vec<String>,
    /// The PCI address, such as `0000:01:00.0`.
    pub bus_id: Option<String>,
    /// The total memory in MiB, as the driver reports it.
    pub memory_mib: Option<f64>,
    /// The free memory in MiB at the time of the report.
    pub memory_free_mib: Option<f64>,
    /// The number of active links to other devices.
    pub links: Option<u32>,
    /// True if MIG mode is on; `None` if the device does not support MIG.
    pub mig: Option<bool>,
    /// The MIG instances of the device; empty without instances.
    pub slices: Vec<Slice>,
    /// The compute partition mode of an AMD GPU, such as `CPX`; `None` if the GPU is not
    /// partitioned.
    pub partition: Option<String>,
    /// True if the device may be a display adapter without compute: only the PCI bus reports it,
    /// with the class of displays, and its vendor also makes such adapters.
    pub is_display: bool,
}

/// A MIG instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// The name of the profile, such as `1g.10gb`; `None` if the source does not name it.
    pub profile: Option<String>,
    /// The memory of the instance in MiB, as the driver reports it; `None` if not reported.
    pub memory_mib: Option<f64>,
    /// The number of streaming multiprocessors; `None` if not reported.
    pub multiprocessors: Option<u32>,
    /// The number of video decoders; `None` if not reported.
    pub decoders: Option<u32>,
}

sky_accel_core::words! {
    /// The driver, tool or bus that reports devices.
    pub enum Source {
        /// NVIDIA's management library.
        Nvml = "nvml",
        /// NVIDIA's tool.
        NvidiaSmi = "nvidia-smi",
        /// AMD's kernel driver.
        Amdgpu = "amdgpu",
        /// AMD's older tool.
        RocmSmi = "rocm-smi",
        /// AMD's tool.
        AmdSmi = "amd-smi",
        /// The tool of AWS Neuron.
        NeuronLs = "neuron-ls",
        /// The kernel driver of AWS Neuron.
        Neuron = "neuron",
        /// The tool of Intel Gaudi.
        HlSmi = "hl-smi",
        /// The device files of TPUs.
        Tpu = "tpu",
        /// The PCI bus, for devices that no driver reports.
        Pci = "pci",
    }
}

/// The report of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The source.
    pub source: Source,
    /// The version of the driver, as the source prints it; `None` if not reported.
    pub driver: Option<String>,
    /// The newest CUDA version that the driver supports, such as `12.8`; `None` if not reported.
    pub cuda: Option<String>,
    /// The devices, ordered as in the source.
    pub devices: Vec<Device>,
    /// Problems of the machine or of the source, as sentences without a period.
    pub problems: Vec<String>,
}

impl Report {
    /// Makes a report without devices.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            driver: None,
            cuda: None,
            devices: Vec::new(),
            problems: Vec::new(),
        }
    }
}

/// The error message of a driver that does not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DriverError(pub String);

/// Returns the problem of a tool that printed something other than devices.
pub(crate) fn not_understood(tool: &str, arguments: &str, outputs: &[String]) -> Option<String> {
    let first = outputs.first()?;
    let line = first.lines().map(str::trim).find(|line| !line.is_empty());
    let line: String = line.unwrap_or("nothing").chars().take(120).collect();
    Some(format!(
        "{tool} {arguments} reports no device: {}",
        line.trim_end_matches('.')
    ))
}

/// Makes a report with a problem and without devices.
pub(crate) fn failed(source: Source, problem: String) -> Report {
    Report {
        problems: vec![problem],
        ..Report::new(source)
    }
}
