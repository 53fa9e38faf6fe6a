//! A MIG layout, and its rendering for tools.

use sky_accel_core::catalog::AcceleratorId;
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{Chip, Gpu};
use sky_accel_targets::mig as words;

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// GPUs of one kind with their slices, for output in the format of a tool.
#[derive(Debug)]
pub struct MigLayout<'c> {
    /// The placement rules of the GPU.
    pub chip: Chip<'c>,
    /// The accelerators that the request may mean; they have the same placement rules.
    pub accelerators: Vec<AcceleratorId>,
    /// The GPUs with their slices.
    pub gpus: Vec<Gpu>,
}

/// A tool that creates MIG slices or requests them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigTool {
    /// `nvidia-smi` commands that create the slices.
    NvidiaSmi,
    /// `nvidia-smi` commands that remove all slices.
    NvidiaSmiUndo,
    /// A configuration of NVIDIA's `mig-parted`.
    MigParted,
    /// Kubernetes resource requests for the device plugin.
    Kubernetes,
    /// A configuration of NVIDIA's GPU operator.
    GpuOperator,
    /// Kubernetes resource claims (dynamic resource allocation).
    Dra,
    /// Accelerators of the Flyte SDK.
    Flyte,
    /// Node pools of Google Kubernetes Engine.
    Gke,
    /// Node pools of Azure Kubernetes Service.
    Aks,
}

impl MigLayout<'_> {
    /// Renders the layout in the format of a tool.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::MigCannotSay`] if the tool cannot express it.
    pub fn render(&self, tool: MigTool) -> Result<String> {
        let layout = &Layout {
            chip: &self.chip,
            accelerators: &self.accelerators,
            gpus: &self.gpus,
        };
        let text = match tool {
            MigTool::NvidiaSmi => Ok(words::nvidia_smi(layout)),
            MigTool::NvidiaSmiUndo => Ok(words::nvidia_smi_undo(layout)),
            MigTool::MigParted => Ok(words::mig_parted(layout)),
            MigTool::Kubernetes => words::kubernetes(layout),
            MigTool::GpuOperator => words::gpu_operator(layout),
            MigTool::Dra => words::dra(layout),
            MigTool::Flyte => words::flyte(layout),
            MigTool::Gke => words::gke(layout),
            MigTool::Aks => words::aks(layout),
        };
        text.map_err(|why| Error::new(ErrorCode::MigCannotSay, why.to_string()))
    }
}
