//! The MIG slices of a spec on the GPUs of a candidate.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{self, Chip, Gpu};
use sky_accel_core::plan::Candidate;

use crate::contract::{MigOut, placements};

/// The slices on the GPUs of a candidate.
pub(crate) struct Cut<'a> {
    chip: Chip<'a>,
    accelerators: Vec<AcceleratorId>,
    gpus: Vec<Gpu>,
}

impl<'a> Cut<'a> {
    pub fn of(
        catalog: &Catalog<'a>,
        wanted: &[BoundChoice],
        candidate: &Candidate,
    ) -> Option<Self> {
        let choice = &wanted[candidate.found.choice];
        // An offer of a slice is already partitioned.
        if catalog.offer(candidate.found.offer).mig_profile.len > 0 {
            return None;
        }
        let accelerator = candidate.found.accelerator;
        let chip = Chip::new(
            catalog,
            catalog.geometry(&catalog.accelerator(accelerator))?,
        );
        let gpus_per_machine = choice.count_given.then_some(candidate.found.gpus_needed);
        let gpus = mig::cut_gpus(&chip, choice.mig.as_ref()?, gpus_per_machine)?;
        Some(Self {
            chip,
            accelerators: vec![accelerator],
            gpus,
        })
    }

    pub fn out(&self) -> MigOut {
        MigOut {
            gpus_needed: self.gpus.len() as u32,
            placements: placements(&self.chip, &self.gpus),
        }
    }

    pub fn layout(&self) -> Layout<'_, 'a> {
        Layout {
            chip: &self.chip,
            accelerators: &self.accelerators,
            gpus: &self.gpus,
        }
    }
}
