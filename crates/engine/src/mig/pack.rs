//! `mig pack`: packs slices onto a minimum number of GPUs.

use sky_accel_core::mig::{Chip, Fleet};

use super::compare;
use super::demand::{SliceDemand, is_any, read, read_sized};
use super::layout::MigLayout;
use super::listing::existing;
use super::packing::{PackAnswer, Packed, Packing, pack_out};
use super::sizes::{by_size, sizes};
use crate::code::ErrorCode;
use crate::contract::{Envelope, PackRequest};
use crate::engine::Engine;
use crate::error::{Error, Result};

impl<'c> Engine<'c> {
    /// Packs slices onto a minimum number of GPUs, with a proof if possible.
    ///
    /// # Errors
    ///
    /// An unknown GPU, profile or size, a slice that does not fit on any such GPU, an invalid listing of
    /// existing GPUs, or a limit lower than the number of existing GPUs.
    pub fn mig_pack(&self, request: &PackRequest) -> Result<PackAnswer<'c>> {
        if is_any(&request.gpu) {
            return compare::run(self, request);
        }
        let catalog = self.catalog();
        let SliceDemand {
            accelerators,
            chip,
            list,
            demand,
            notes,
        } = if request.sizes.is_empty() {
            read(&catalog, &request.gpu, &request.slices)?
        } else {
            let sizes = sizes(&request.sizes)?;
            read_sized(&catalog, &request.gpu, |chip| by_size(chip, &sizes))?
        };
        let gpu = catalog.accelerator_id(accelerators[0]);
        let fleet = fleet(request, &chip, gpu)?;
        let Some(packed) = pack_out(&catalog, accelerators[0], &chip, &demand, &fleet) else {
            let message = format!("{gpu} cannot hold one of {list}");
            return Err(Error::new(ErrorCode::MigImpossible, message));
        };
        let Packed {
            mut result,
            groups,
            gpus,
        } = packed;
        if request.onto.is_none() {
            result.gpus_new = None;
        }
        let slices = if demand.cuts.is_empty() {
            result.slices.clone()
        } else {
            format!("{list}, as {},", result.slices)
        };
        let understood = PackRequest {
            slices: list,
            existing: None,
            ..request.clone()
        };
        let envelope = Envelope::new("sky-accel.mig-pack.v1", &catalog, understood, vec![result]);
        Ok(PackAnswer {
            envelope: envelope.with_notes(notes),
            packing: Some(Packing {
                layout: MigLayout {
                    chip,
                    accelerators,
                    gpus,
                },
                groups,
                existing: fleet.there.iter().map(|(index, _)| *index).collect(),
                slices,
            }),
        })
    }
}

/// The existing GPUs, and the limit on GPUs.
fn fleet(request: &PackRequest, chip: &Chip<'_>, gpu: &str) -> Result<Fleet> {
    let there = match &request.existing {
        None => Vec::new(),
        Some(text) => {
            let name = request.onto.as_deref().unwrap_or("the listing");
            existing(chip, gpu, name, text)?
        }
    };
    if let Some(limit) = request.gpus.filter(|limit| (*limit as usize) < there.len()) {
        let there = there.len();
        let message = format!("`gpus` is {limit}, fewer than the {there} GPUs of `onto`");
        return Err(Error::new(ErrorCode::Count, message));
    }
    Ok(Fleet {
        there,
        limit: request.gpus,
    })
}
