//! The hardware filter of recommendations.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Offer};
use sky_accel_core::mig::{ProfileRef, SliceList, parse_profile};
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;

use super::requirements::Requirements;
use super::{Nodes, RecommendRequest};
use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::fit::HostSpec;
use crate::specs::{canonical, read_spec_or_any};

/// A spec that limits the hardware. A choice without a count allows any number of devices; `any:x1` allows one device.
#[derive(Clone, Debug)]
pub(super) struct HardwareFilter {
    choices: Vec<BoundChoice>,
}

impl HardwareFilter {
    /// Reads the filter of a request, if it has one. Numbers of devices that it names need no margin.
    ///
    /// # Errors
    ///
    /// As [`Self::read`] and [`Self::check_nodes`].
    pub fn of(
        catalog: &Catalog<'_>,
        request: &RecommendRequest,
        requirements: &mut Requirements,
    ) -> Result<Option<Self>> {
        let Some(spec) = &request.on else {
            return Ok(None);
        };
        let filter = Self::read(catalog, spec)?;
        if let Some(nodes) = request.nodes {
            filter.check_nodes(nodes)?;
        }
        requirements.is_hardware_named = true;
        if filter.choices.iter().all(|choice| choice.count_given) {
            requirements.slow_link_margin = 0.0;
        }
        Ok(Some(filter))
    }

    /// Reads a spec.
    ///
    /// # Errors
    ///
    /// An invalid spec, a host without accelerators, or a spec with several MIG slices: only slices that are sold
    /// separately are searched.
    pub fn read(catalog: &Catalog<'_>, spec: &str) -> Result<Self> {
        if HostSpec::read(spec)?.is_some() {
            let message = "`on` cpu: `recommend` ranks machines with accelerators that can be rented; `sky-accel fit cpu` sizes the model on a host, and `sky-accel models --on cpu` lists the models that run there";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let choices = read_spec_or_any(catalog, spec)?;
        let is_single = |list: &SliceList| list.slices.len() == 1 && list.slices[0].count == 1;
        let several = choices
            .iter()
            .find(|choice| choice.mig.as_ref().is_some_and(|list| !is_single(list)));
        if let Some(choice) = several {
            let message = format!(
                "`on` accepts one MIG slice that is sold separately, not several as in {}: try `fit` or `mig pack`",
                choice.spec
            );
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        Ok(Self { choices })
    }

    /// Rejects parts of devices for several machines: only whole devices form a cluster.
    ///
    /// # Errors
    ///
    /// If every choice is a part of a device.
    pub fn check_nodes(&self, nodes: Nodes) -> Result<()> {
        let is_part = |choice: &BoundChoice| {
            choice.mig.is_some()
                || choice.count_given && choice.count.max.is_some_and(|most| most < Count::ONE)
        };
        if nodes.least > 1 && self.choices.iter().all(is_part) {
            let message = format!(
                "`nodes` {nodes} needs whole devices, but `on` {} is a part of a device",
                self.canonical()
            );
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        Ok(())
    }

    /// The spec in canonical form.
    pub fn canonical(&self) -> String {
        canonical(&self.choices)
    }

    /// Notes on how the spec was read.
    pub fn notes(&self) -> impl Iterator<Item = Note> + '_ {
        self.choices
            .iter()
            .flat_map(|choice| choice.notes.iter().cloned())
    }

    /// True if machines with this number, or this fraction, of devices are allowed.
    pub fn allows(&self, accelerator: AcceleratorId, count: Count) -> bool {
        self.choice_of(accelerator, count).is_some()
    }

    /// The choice that allows machines with this number, or this fraction, of devices: the first choice with a matching
    /// count, else the first without a count.
    pub fn choice_of(&self, accelerator: AcceleratorId, count: Count) -> Option<usize> {
        let is_match = |choice: &&BoundChoice| {
            choice.mig.is_none()
                && is_candidate(choice, accelerator)
                && (!choice.count_given || choice.count.contains(count))
        };
        let matching = || {
            self.choices
                .iter()
                .zip(0..)
                .filter(|(choice, _)| is_match(choice))
        };
        let counted = matching().find(|(choice, _)| choice.count_given);
        counted.or_else(|| matching().next()).map(|(_, at)| at)
    }

    /// True if the spec has several alternatives.
    pub fn is_of_several(&self) -> bool {
        self.choices.len() > 1
    }

    /// Whether an alternative is a MIG slice.
    pub fn is_slice(&self, choice: usize) -> bool {
        self.choices
            .get(choice)
            .is_some_and(|choice| choice.mig.is_some())
    }

    /// The accelerators of an alternative.
    pub fn accelerators(&self, choice: usize) -> impl Iterator<Item = AcceleratorId> {
        let candidates = self.choices.get(choice).map(|choice| &choice.candidates);
        candidates
            .into_iter()
            .flatten()
            .map(|candidate| candidate.accelerator)
    }

    /// The alternatives, by index.
    pub fn specs(&self) -> impl Iterator<Item = (usize, &str)> {
        let choices = self.choices.iter().enumerate();
        choices.map(|(at, choice)| (at, choice.spec.as_str()))
    }

    /// True if a MIG slice that is sold separately is allowed.
    pub fn allows_slice(&self, catalog: &Catalog<'_>, offer: &Offer) -> bool {
        self.choice_of_slice(catalog, offer).is_some()
    }

    /// The first choice that allows a MIG slice that is sold separately.
    pub fn choice_of_slice(&self, catalog: &Catalog<'_>, offer: &Offer) -> Option<usize> {
        let profile = parse_profile(catalog.str(offer.mig_profile));
        self.choices.iter().position(|choice| {
            let slice = choice.mig.as_ref().and_then(|list| list.slices.first());
            let is_profile = match slice.map(|slice| &slice.profile) {
                Some(ProfileRef::Name(name)) => profile.as_ref() == Some(name),
                Some(ProfileRef::Id(_)) => false,
                None => !choice.count_given,
            };
            is_profile && is_candidate(choice, offer.accelerator)
        })
    }
}

fn is_candidate(choice: &BoundChoice, accelerator: AcceleratorId) -> bool {
    let mut candidates = choice.candidates.iter();
    candidates.any(|candidate| candidate.accelerator == accelerator)
}
