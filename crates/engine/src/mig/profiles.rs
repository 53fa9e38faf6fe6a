//! `mig profiles`: the MIG profiles of a GPU.

use sky_accel_core::catalog::Geometry;
use sky_accel_core::mig::Chip;
use sky_accel_core::mig::targets;

use super::demand::disputed;
use crate::code::ErrorCode;
use crate::contract::{Envelope, ProfileRow, ProfilesRequest, profile};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::specs::read_accelerators;

impl<'c> Engine<'c> {
    /// Lists the MIG profiles of a GPU, with the names that tools use for them.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] for an unknown name; [`ErrorCode::SpecNoMig`] for a GPU without MIG or with
    /// unpublished profiles.
    pub fn mig_profiles(
        &self,
        request: &ProfilesRequest,
    ) -> Result<Envelope<'c, ProfilesRequest, ProfileRow<'c>>> {
        let catalog = self.catalog();
        let (ids, mut notes) = read_accelerators(&catalog, &request.gpu)?;
        let mut geometries: Vec<Geometry> = Vec::new();
        for id in &ids {
            let geometry = catalog.geometry(&catalog.accelerator(*id));
            geometries
                .extend(geometry.filter(|new| geometries.iter().all(|known| known.id != new.id)));
        }
        if geometries.is_empty() {
            let claims = ids
                .iter()
                .any(|id| catalog.accelerator(*id).mig == Some(true));
            let message = if claims {
                format!("the MIG profiles of {} are not published", request.gpu)
            } else {
                format!("{} does not support MIG", request.gpu)
            };
            return Err(Error::new(ErrorCode::SpecNoMig, message));
        }
        let rows: Vec<ProfileRow<'_>> = geometries
            .iter()
            .flat_map(|geometry| {
                catalog.profiles(geometry).iter().map(|row| ProfileRow {
                    gpu: catalog.str(geometry.title),
                    driver_min: catalog
                        .text(row.driver_min)
                        .or_else(|| catalog.text(geometry.driver_min)),
                    aliases: catalog.strings(row.aliases).collect(),
                    profile: profile(&catalog, geometry, &row),
                    names: targets::names(&catalog, geometry, &row).into(),
                })
            })
            .collect();
        notes.extend(
            geometries
                .iter()
                .filter_map(|geometry| disputed(&Chip::new(&catalog, *geometry))),
        );
        let envelope = Envelope::new("sky-accel.mig-profiles.v1", &catalog, request.clone(), rows);
        Ok(envelope.with_notes(notes))
    }
}
