//! MIG layouts as text, for tools that create the slices and for tools that request them.

pub(crate) mod commands;
mod counts;
mod flyte;
mod kubernetes;
mod machine;
pub(crate) mod parted;

use sky_accel_core::mig::targets::Layout;

use crate::Unsupported;

pub use commands::{nvidia_smi, nvidia_smi_undo};
pub use parted::mig_parted;

sky_accel_core::words! {
    /// A tool that creates MIG slices or requests them.
    pub enum MigTool {
        /// `nvidia-smi` commands that create the slices.
        NvidiaSmi = "nvidia-smi",
        /// `nvidia-smi` commands that remove the slices again.
        NvidiaSmiUndo = "nvidia-smi-undo",
        /// A configuration of NVIDIA's `mig-parted`.
        MigParted = "mig-parted",
        /// Resource requests of containers, for the device plugin.
        Kubernetes = "kubernetes",
        /// A node label or a configuration of NVIDIA's GPU operator.
        GpuOperator = "gpu-operator",
        /// Resource claims for the driver of dynamic resource allocation.
        Dra = "dra",
        /// Resources of the Flyte SDK.
        Flyte = "flyte",
        /// A node pool of Google Kubernetes Engine.
        Gke = "gke",
        /// A node pool of Azure Kubernetes Service.
        Aks = "aks",
    }
}

impl MigTool {
    /// Writes a layout in the format of the tool.
    ///
    /// # Errors
    ///
    /// Fails if the tool does not support a slice of the layout, or the mix of slices.
    pub fn write(self, layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
        match self {
            Self::NvidiaSmi => Ok(nvidia_smi(layout)),
            Self::NvidiaSmiUndo => Ok(nvidia_smi_undo(layout)),
            Self::MigParted => Ok(mig_parted(layout)),
            Self::Kubernetes => kubernetes::kubernetes(layout),
            Self::GpuOperator => kubernetes::gpu_operator(layout),
            Self::Dra => kubernetes::dra(layout),
            Self::Flyte => flyte::flyte(layout),
            Self::Gke => commands::gke(layout),
            Self::Aks => commands::aks(layout),
        }
    }
}
