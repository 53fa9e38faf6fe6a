//! MIG slices of a spec: checks that the GPUs support them, and counts the GPUs they need.

use super::binder::Binder;
use super::bound::Candidate;
use crate::catalog::{AcceleratorId, Catalog, Geometry};
use crate::mig::{
    self, Chip, ChipProfile, Demand, Fleet, Packing, ProfileRef, SliceList, SliceRequest,
};
use crate::note::{self, Note};
use crate::spec::{CountRange, Span, SpecError, SpecErrorCode};
use crate::text::counted;

/// The slices of a spec, packed onto GPUs of one geometry.
struct SlicedGpus {
    geometry: Geometry,
    packing: Packing,
    /// The sizes of the slices with their counts. The same name may mean slices of different sizes
    /// on different GPUs.
    shape: Vec<(Option<u8>, u32)>,
    /// The slices with the canonical names of the geometry.
    list: SliceList,
}

impl SlicedGpus {
    /// Packs the slices; `None` when a GPU of this geometry lacks a profile.
    fn new(catalog: &Catalog<'_>, geometry: Geometry, slices: &SliceList) -> Option<Self> {
        let chip = Chip::new(catalog, geometry);
        let demand = Demand::new(&chip, slices)?;
        let packing = mig::pack(&chip, &demand.counts, &Fleet::default())?;
        if packing.gpus == 0 {
            return None;
        }
        let sizes = chip.kinds.iter().map(ChipProfile::size);
        Some(Self {
            geometry,
            packing,
            shape: sizes.zip(demand.counts).filter(|(_, n)| *n > 0).collect(),
            list: canonical_list(catalog, &geometry, slices),
        })
    }
}

/// Divides GPUs into the slices of a list. Returns the accelerators that hold them, each with the index of its entry.
fn divide(
    catalog: &Catalog<'_>,
    cut: &[(AcceleratorId, Geometry)],
    list: &SliceList,
) -> (Vec<(AcceleratorId, usize)>, Vec<SlicedGpus>) {
    let mut kept = Vec::new();
    // One entry for each geometry: many accelerators share a geometry, and packing is slow.
    let mut divided: Vec<SlicedGpus> = Vec::new();
    for &(id, geometry) in cut {
        let position = divided
            .iter()
            .position(|sliced| sliced.geometry.id == geometry.id);
        let at = match position {
            Some(at) => at,
            None => match SlicedGpus::new(catalog, geometry, list) {
                Some(new) => {
                    divided.push(new);
                    divided.len() - 1
                }
                None => continue,
            },
        };
        kept.push((id, at));
    }
    (kept, divided)
}

impl Binder<'_, '_, '_> {
    /// Keeps the candidates with every profile, each with the number of GPUs that the list takes,
    /// and returns the list with canonical names. With a count, the list describes the layout of
    /// each GPU.
    pub(super) fn by_slices(
        &mut self,
        name: &str,
        candidates: &[AcceleratorId],
        list: &SliceList,
        count: Option<CountRange>,
        span: &Span,
    ) -> Option<(Vec<Candidate>, SliceList)> {
        let catalog = self.catalog;
        let cut: Vec<(AcceleratorId, Geometry)> = candidates
            .iter()
            .filter_map(|id| Some((*id, catalog.geometry(&catalog.accelerator(*id))?)))
            .collect();
        if cut.is_empty() {
            self.fail(no_mig(catalog, name, candidates, span));
            return None;
        }
        let before = self.errors.len();
        for slice in &list.slices {
            self.check(name, &cut, slice);
        }
        if self.errors.len() > before {
            return None;
        }

        let merged = list.merged();
        let (kept, divided) = divide(catalog, &cut, &merged);
        let kept: Vec<(AcceleratorId, &SlicedGpus)> = kept
            .into_iter()
            .map(|(id, at)| (id, &divided[at]))
            .collect();
        let Some(first) = kept.first().map(|(_, divided)| &divided.packing) else {
            let message = format!("no {name} has all these profiles");
            self.fail(SpecError::new(
                SpecErrorCode::NoSuchProfile,
                span.clone(),
                message,
            ));
            return None;
        };
        let is_cut = |divided: &SlicedGpus| count.is_none() || divided.packing.gpus == 1;
        if !kept.iter().any(|(_, divided)| is_cut(divided)) {
            let message = format!(
                "with a count, each GPU must hold {merged}, but that takes {}",
                counted(first.gpus, "GPU")
            );
            let error = SpecError::new(SpecErrorCode::MigDoesNotFit, span.clone(), message);
            self.fail(error.suggest([format!("{name}:mig={merged}")]));
            return None;
        }
        if first.gpus > 1 && count.is_none() {
            let at_most = if first.is_proved() { "" } else { "at most " };
            let message = format!("{merged} takes {at_most}{}", counted(first.gpus, "GPU"));
            note::add(&mut self.notes, Note::new("mig-gpus", message));
        }
        let other = kept
            .iter()
            .find(|(_, divided)| divided.shape != kept[0].1.shape);
        if let Some((other, _)) = other {
            let [a, b] = [kept[0].0, *other].map(|id| catalog.accelerator_id(id));
            let message = format!(
                "{merged} means different slices on {a} and on {b}: add the memory of the GPU to select one"
            );
            note::add(&mut self.notes, Note::new("mig-differs", message));
        }
        let kept = kept
            .into_iter()
            .filter(|(_, divided)| is_cut(divided))
            .map(|(accelerator, divided)| Candidate {
                accelerator,
                // With a count, each GPU of the count gets the whole list.
                gpus_needed: count.map_or(divided.packing.gpus, |count| count.min.0.div_ceil(1000)),
            })
            .collect();
        // A profile id becomes a name only if the name is the same on all candidates.
        let names: Vec<String> = divided
            .iter()
            .map(|sliced| sliced.list.to_string())
            .collect();
        let is_same = names.iter().all(|list| *list == names[0]);
        let list = divided.into_iter().next().map(|first| first.list);
        Some((kept, list.filter(|_| is_same).unwrap_or(merged)))
    }

    /// Adds an error unless one of the GPUs has the profile.
    fn check(&mut self, name: &str, cut: &[(AcceleratorId, Geometry)], slice: &SliceRequest) {
        let catalog = self.catalog;
        let found = cut
            .iter()
            .find_map(|(_, g)| mig::find_profile(catalog, g, slice.profile));
        let written = match slice.profile {
            ProfileRef::Name(name) => name.to_string(),
            ProfileRef::Id(id) => format!("with the id {id}"),
        };
        match (found, slice.profile) {
            (Some((profile, alias)), reference) => {
                if alias {
                    let message = format!(
                        "some drivers use {written} for {}",
                        catalog.str(profile.name)
                    );
                    note::add(&mut self.notes, Note::new("mig-alias", message));
                }
                if let ProfileRef::Name(p) = reference
                    && let Some(compute) = p.compute
                    && !catalog
                        .compute_instances(p.slices)
                        .any(|instance| instance.compute == compute)
                {
                    let sizes: Vec<String> = catalog
                        .compute_instances(p.slices)
                        .map(|instance| mig::ProfileName {
                            compute: Some(instance.compute).filter(|size| *size != p.slices),
                            ..p
                        })
                        .map(|name| name.to_string())
                        .collect();
                    let message = format!(
                        "a {}g slice has no {compute}c compute instance; it supports {}",
                        p.slices,
                        sizes.join(", ")
                    );
                    self.fail(SpecError::new(
                        SpecErrorCode::NoSuchProfile,
                        slice.span.clone(),
                        message,
                    ));
                }
            }
            (None, reference) => {
                let geometry = cut[0].1;
                let valid: Vec<&str> = catalog
                    .profiles(&geometry)
                    .iter()
                    .map(|p| catalog.str(p.name))
                    .collect();
                let message = match owner(catalog, reference, name) {
                    Some(owner) => format!(
                        "{written} is a profile of {owner}; valid on {name}: {}",
                        valid.join(", ")
                    ),
                    None => format!(
                        "{name} has no profile {written}; valid on {name}: {}",
                        valid.join(", ")
                    ),
                };
                let error =
                    SpecError::new(SpecErrorCode::NoSuchProfile, slice.span.clone(), message);
                self.fail(error.suggest(mig::nearest_profiles(&valid, reference)));
            }
        }
    }
}

fn no_mig(
    catalog: &Catalog<'_>,
    name: &str,
    candidates: &[AcceleratorId],
    span: &Span,
) -> SpecError {
    let claims = candidates
        .iter()
        .any(|id| catalog.accelerator(*id).mig == Some(true));
    if claims {
        let message = format!("the MIG profiles of {name} are not published");
        return SpecError::new(SpecErrorCode::NoMig, span.clone(), message);
    }
    SpecError::new(
        SpecErrorCode::NoMig,
        span.clone(),
        format!("{name} has no MIG support"),
    )
}

/// Returns the list with the canonical names of a geometry.
fn canonical_list(catalog: &Catalog<'_>, geometry: &Geometry, list: &SliceList) -> SliceList {
    let slices = list.slices.iter().map(|slice| {
        let compute = match slice.profile {
            ProfileRef::Name(name) => name.compute,
            ProfileRef::Id(_) => None,
        };
        let found = mig::find_profile(catalog, geometry, slice.profile);
        let name = found.and_then(|(profile, _)| mig::parse_profile(catalog.str(profile.name)));
        SliceRequest {
            profile: name.map_or(slice.profile, |name| {
                ProfileRef::Name(mig::ProfileName { compute, ..name })
            }),
            ..slice.clone()
        }
    });
    SliceList {
        slices: slices.collect(),
    }
    .merged()
}

/// Returns a family with the profile, for messages; preferably a family on sale.
fn owner<'a>(catalog: &Catalog<'a>, reference: ProfileRef, name: &str) -> Option<&'a str> {
    let ProfileRef::Name(_) = reference else {
        return None;
    };
    let mut owners: Vec<AcceleratorId> = catalog
        .accelerator_ids()
        .filter(|id| {
            let geometry = catalog.geometry(&catalog.accelerator(*id));
            geometry
                .is_some_and(|geometry| mig::find_profile(catalog, &geometry, reference).is_some())
        })
        .collect();
    owners.sort_by_key(|id| !catalog.is_sold(*id));
    let first = catalog.accelerator(*owners.first()?);
    let family = catalog.str(first.family);
    let is_same_family = crate::text::same_name(family, name);
    catalog
        .geometry(&first)
        .filter(|_| is_same_family)
        .map_or(Some(family), |geometry| Some(catalog.str(geometry.title)))
}
