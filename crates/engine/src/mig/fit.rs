//! `mig fit`: places slices on one GPU.

use sky_accel_core::mig::{self, Fleet, Instance, PackedGpus};

use super::demand::{SliceDemand, read};
use super::layout::MigLayout;
use super::listing::occupied;
use super::model::slice_for_model;
use super::notation::at;
use super::refusal::why;
use crate::contract::{Envelope, FreeOut, MigFitOut, MigFitRequest, NoteOut, placements};
use crate::engine::Engine;
use crate::error::Result;

/// The placement of slices on one GPU.
#[derive(Debug)]
pub struct MigFitAnswer<'c> {
    /// The JSON document, with one result.
    pub envelope: Envelope<'c, MigFitRequest, MigFitOut>,
    /// The GPU with the placed slices, for [`MigLayout::render`].
    pub layout: MigLayout<'c>,
    /// Existing instances.
    pub existing: Vec<Instance>,
    /// Placed instances; empty if the slices do not fit.
    pub placed: Vec<Instance>,
    /// The placed instances as `profile@start`, such as `3g.40gb@4`.
    pub names: Vec<String>,
}

impl<'c> Engine<'c> {
    /// Places slices on one GPU, next to existing instances.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] for an unknown GPU; [`ErrorCode::SpecNoSuchProfile`], [`ErrorCode::SpecNoMig`]
    /// or [`ErrorCode::SpecAmbiguous`] for slices that the GPU does not have; [`ErrorCode::MigOccupied`]
    /// for impossible existing instances.
    pub fn mig_fit(&self, request: &MigFitRequest) -> Result<MigFitAnswer<'c>> {
        let catalog = self.catalog();
        let for_model = slice_for_model(&catalog, &request.gpu, &request.profiles)?;
        let profiles = match &for_model {
            Some(slice) => &slice.profile,
            None => &request.profiles,
        };
        let SliceDemand {
            accelerators,
            chip,
            list,
            demand,
            mut notes,
        } = read(&catalog, &request.gpu, profiles)?;
        notes.extend(for_model.map(|slice| slice.note));
        let gpu = catalog.accelerator_id(accelerators[0]);
        let existing = occupied(&chip, gpu, &request.occupied)?;
        let placed = mig::place(&chip, &existing, &demand.counts);
        let gpus_needed = match &placed {
            Ok(_) => Some(1),
            Err(_) if existing.is_empty() => {
                mig::pack(&chip, &demand.counts, &Fleet::default()).map(|packing| packing.gpus)
            }
            Err(_) => None,
        };
        let one_gpu = |instances: &[Instance]| PackedGpus {
            gpus: vec![0],
            existing: existing.clone(),
            instances: instances.to_vec(),
        };
        let fit: Vec<PackedGpus> = placed.iter().map(|placed| one_gpu(placed)).collect();
        let gpus = mig::gpus(&fit, &demand.cuts);
        let mut instances = existing.clone();
        instances.extend(placed.iter().flatten());
        let free = mig::free(&chip, &instances).into_iter();
        let result = MigFitOut {
            gpu: gpu.to_owned(),
            fits: placed.is_ok(),
            gpus_needed,
            placements: placements(&chip, &gpus),
            existing: placements(&chip, &mig::gpus(&[one_gpu(&existing)], &[])),
            reason: placed.as_ref().err().map(|refusal| NoteOut {
                code: refusal.code().to_owned(),
                message: why(&chip, *refusal, &existing),
                quoted: None,
                is_detail: false,
            }),
            free: free
                .map(|free| FreeOut {
                    gpu_index: 0,
                    profile: chip.kinds[free.kind].name.to_owned(),
                    starts: free.starts,
                })
                .collect(),
        };
        let understood = MigFitRequest {
            gpu: request.gpu.clone(),
            profiles: list,
            occupied: existing.iter().map(|one| at(&chip, one)).collect(),
        };
        let envelope = Envelope::new("sky-accel.mig-fit.v1", &catalog, understood, vec![result]);
        let placed = placed.unwrap_or_default();
        Ok(MigFitAnswer {
            envelope: envelope.with_notes(notes),
            names: placed.iter().map(|one| at(&chip, one)).collect(),
            layout: MigLayout {
                chip,
                accelerators,
                gpus,
            },
            existing,
            placed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ErrorCode;

    fn fit(profiles: &str, occupied: &[&str]) -> Result<MigFitAnswer<'static>> {
        Engine::embedded().mig_fit(&MigFitRequest {
            gpu: "H100-80GB-SXM".to_owned(),
            profiles: profiles.to_owned(),
            occupied: occupied.iter().map(|at| (*at).to_owned()).collect(),
        })
    }

    #[test]
    fn places_slices_next_to_existing_instances() {
        let answer = fit("3g.40gb", &["3g.40gb@4"]).unwrap();
        assert_eq!(answer.names, ["3g.40gb@0"]);
        assert!(answer.envelope.results[0].fits);
    }

    #[test]
    fn explains_why_slices_do_not_fit() {
        let empty = fit("3g.40gb*3", &[]).unwrap();
        let result = &empty.envelope.results[0];
        assert_eq!((result.fits, result.gpus_needed), (false, Some(2)));
        assert!(result.reason.is_some() && result.placements.is_empty());
        let occupied = fit("7g.80gb", &["3g.40gb@4"]).unwrap();
        let result = &occupied.envelope.results[0];
        assert_eq!((result.fits, result.gpus_needed), (false, None));
    }

    #[test]
    fn rejects_impossible_existing_instances() {
        for occupied in [
            &["3g.40gb@1"][..],
            &["7g.80gb@0", "1g.10gb@0"],
            &["3g.40gb"],
        ] {
            let error = fit("1g.10gb", occupied).unwrap_err();
            assert_eq!(
                error.problems[0].code,
                ErrorCode::MigOccupied,
                "{occupied:?}"
            );
        }
    }
}
