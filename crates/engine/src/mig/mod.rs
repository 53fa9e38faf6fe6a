//! MIG: the profiles of a GPU, placing slices on one GPU, and packing slices onto a minimum number of GPUs.

mod compare;
mod demand;
mod fit;
mod layout;
mod listing;
mod model;
mod notation;
mod pack;
mod packing;
mod profiles;
mod refusal;
mod sizes;

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{self, Chip};

use crate::contract::{self, PlacementOut};

pub use fit::MigFitAnswer;
pub use layout::MigLayout;
pub use packing::{PackAnswer, Packing};
pub use sky_accel_targets::mig::MigTool;

/// The placements of a spec's slices on GPUs of one kind. With a count, every GPU has the same layout.
pub(crate) fn placements(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    wanted: &BoundChoice,
    gpus: u32,
) -> Vec<PlacementOut> {
    let geometry = catalog.geometry(&catalog.accelerator(accelerator));
    let packed = geometry.and_then(|geometry| {
        let chip = Chip::new(catalog, geometry);
        let gpus_per_machine = wanted.count_given.then_some(gpus);
        let gpus = mig::cut_gpus(&chip, wanted.mig.as_ref()?, gpus_per_machine)?;
        Some(contract::placements(&chip, &gpus))
    });
    packed.unwrap_or_default()
}
