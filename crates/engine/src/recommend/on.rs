//! The hardware that recommendations are limited to, as a spec.

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Offer};
use sky_accel_core::mig::{ProfileRef, SliceList, parse_profile};
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;

use super::Nodes;
use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::specs::{canonical, read_spec, with_anything};

/// A spec whose choices are the only hardware that counts. A choice without a count allows machines with
/// any number of devices: `any:x1` is one device.
#[derive(Clone, Debug)]
pub(super) struct On {
    choices: Vec<Wanted>,
}

impl On {
    /// Reads a spec.
    ///
    /// # Errors
    ///
    /// A spec that is wrong, or one that cuts slices: only slices that are sold ready-made are looked for.
    pub fn read(catalog: &Catalog<'_>, spec: &str) -> Result<Self> {
        let choices = read_spec(catalog, &with_anything(spec))?;
        let is_single = |list: &SliceList| list.slices.len() == 1 && list.slices[0].count == 1;
        let cut = choices
            .iter()
            .find(|choice| choice.mig.as_ref().is_some_and(|list| !is_single(list)));
        if let Some(choice) = cut {
            let message = format!(
                "--on takes one slice that is sold ready-made, not several as in {}: try `fit` or `mig pack`",
                choice.spec
            );
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        Ok(Self { choices })
    }

    /// Refuses parts of devices where several machines are asked for: only whole ones are joined.
    ///
    /// # Errors
    ///
    /// Where each choice is of a part.
    pub fn check_nodes(&self, nodes: Nodes) -> Result<()> {
        let is_part = |choice: &Wanted| {
            choice.mig.is_some()
                || choice.count_given && choice.count.max.is_some_and(|most| most < Count::ONE)
        };
        if nodes.least > 1 && self.choices.iter().all(is_part) {
            let message = format!(
                "--nodes {nodes} joins whole machines, and --on {} is a part of a device",
                self.canonical()
            );
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        Ok(())
    }

    /// The spec in its canonical form.
    pub fn canonical(&self) -> String {
        canonical(&self.choices)
    }

    /// Remarks on how the spec was read, but for those on the one device that it stands for elsewhere.
    pub fn notes(&self) -> impl Iterator<Item = Note> + '_ {
        self.choices
            .iter()
            .flat_map(|choice| choice.notes.iter().cloned())
    }

    /// Whether machines with so many whole devices, or such a fraction of one, are wanted.
    pub fn allows(&self, accelerator: AcceleratorId, count: Count) -> bool {
        self.choice_of(accelerator, count).is_some()
    }

    /// The choice that wants machines with so many whole devices, or such a fraction of one: the first that names their
    /// number, else the first.
    pub fn choice_of(&self, accelerator: AcceleratorId, count: Count) -> Option<usize> {
        let is_wanted = |choice: &&Wanted| {
            choice.mig.is_none()
                && is_candidate(choice, accelerator)
                && (!choice.count_given || choice.count.contains(count))
        };
        let wanted = || {
            self.choices
                .iter()
                .zip(0..)
                .filter(|(choice, _)| is_wanted(choice))
        };
        let named = wanted().find(|(choice, _)| choice.count_given);
        named.or_else(|| wanted().next()).map(|(_, at)| at)
    }

    /// Whether a slice that is sold ready-made is wanted.
    pub fn allows_slice(&self, catalog: &Catalog<'_>, offer: &Offer) -> bool {
        let profile = parse_profile(catalog.str(offer.mig_profile));
        self.choices.iter().any(|choice| {
            let wanted = choice.mig.as_ref().and_then(|list| list.slices.first());
            let is_profile = match wanted.map(|slice| &slice.profile) {
                Some(ProfileRef::Name(name)) => profile.as_ref() == Some(name),
                Some(ProfileRef::Id(_)) => false,
                None => !choice.count_given,
            };
            is_profile && is_candidate(choice, offer.accelerator)
        })
    }
}

fn is_candidate(choice: &Wanted, accelerator: AcceleratorId) -> bool {
    let mut candidates = choice.candidates.iter();
    candidates.any(|candidate| candidate.accelerator == accelerator)
}
