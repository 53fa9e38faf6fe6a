//! MIG: the profiles of a GPU, whether a mix can be placed and where, and the fewest GPUs for many
//! slices.

mod compare;
mod demand;
mod fit;
mod listing;
mod pack;
mod profiles;
mod refusal;
mod sizes;

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{self, Chip, Gpu};

use sky_accel_targets::mig as words;

use crate::code::ErrorCode;
use crate::contract::{self, PlacementOut};
use crate::error::{Error, Result};

pub use fit::MigFitAnswer;
pub use pack::{PackAnswer, Packing};
pub use refusal::plural;

/// GPUs of one kind with their slices: the form that tools are told.
#[derive(Debug)]
pub struct MigLayout<'c> {
    pub chip: Chip<'c>,
    /// All accelerators that are meant.
    pub accelerators: Vec<AcceleratorId>,
    pub gpus: Vec<Gpu>,
}

/// A tool that cuts GPUs, or asks for slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigTool {
    NvidiaSmi,
    /// The commands that remove all slices.
    NvidiaSmiUndo,
    MigParted,
    Kubernetes,
    GpuOperator,
    Dra,
    Flyte,
    Gke,
    Aks,
}

impl MigLayout<'_> {
    /// The layout in the words of a tool.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::MigCannotSay`] when the tool has no words for it.
    pub fn written_for(&self, tool: MigTool) -> Result<String> {
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

/// The places of a spec's slices on GPUs of one kind. With a count each of so many GPUs is cut.
pub(crate) fn placements(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    wanted: &Wanted,
    gpus: u32,
) -> Vec<PlacementOut> {
    let geometry = catalog.geometry(catalog.accelerator(accelerator));
    let packed = geometry.and_then(|geometry| {
        let chip = Chip::new(catalog, geometry);
        let each = wanted.count_given.then_some(gpus);
        let gpus = mig::cut_gpus(&chip, wanted.mig.as_ref()?, each)?;
        Some(contract::placements(&chip, &gpus))
    });
    packed.unwrap_or_default()
}
