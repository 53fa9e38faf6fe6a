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

use crate::contract::{self, PlacementOut};

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

impl<'c> MigLayout<'c> {
    /// The layout as the writers of tools take it.
    pub fn layout(&self) -> Layout<'_, 'c> {
        Layout {
            chip: &self.chip,
            accelerators: &self.accelerators,
            gpus: &self.gpus,
        }
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
