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

use crate::code::ErrorCode;
use crate::contract::{self, PlacementOut};
use crate::error::{Error, Result};

pub use fit::MigFitAnswer;
pub use pack::{PackAnswer, Packing};
pub use sky_accel_targets::mig::MigTool;

/// GPUs of one kind with their slices, to be written for a tool.
#[derive(Debug)]
pub struct MigLayout<'c> {
    /// The placement rules of the GPU.
    pub chip: Chip<'c>,
    /// The accelerators that the request may mean; all of them are cut alike.
    pub accelerators: Vec<AcceleratorId>,
    /// The GPUs with their slices.
    pub gpus: Vec<Gpu>,
}

impl MigLayout<'_> {
    /// The layout in the format of a tool.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::MigCannotSay`] when the tool cannot express it.
    pub fn written_for(&self, tool: MigTool) -> Result<String> {
        let layout = &Layout {
            chip: &self.chip,
            accelerators: &self.accelerators,
            gpus: &self.gpus,
        };
        tool.write(layout)
            .map_err(|why| Error::new(ErrorCode::MigCannotSay, why.to_string()))
    }
}

/// The places of a spec's slices on GPUs of one kind. With a count each of so many GPUs is cut.
pub(crate) fn placements(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    wanted: &Wanted,
    gpus: u32,
) -> Vec<PlacementOut> {
    let geometry = catalog.geometry(&catalog.accelerator(accelerator));
    let packed = geometry.and_then(|geometry| {
        let chip = Chip::new(catalog, geometry);
        let each = wanted.count_given.then_some(gpus);
        let gpus = mig::cut_gpus(&chip, wanted.mig.as_ref()?, each)?;
        Some(contract::placements(&chip, &gpus))
    });
    packed.unwrap_or_default()
}
