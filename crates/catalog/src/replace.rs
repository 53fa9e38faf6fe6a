//! What providers sell, replaced by what they say they sell now.

use sky_accel_core::catalog::{
    AcceleratorId, Catalog, Meaning, Offer, OfferId, Price, ProviderId, Region, RegionId,
};

use crate::Tables;
use crate::compile::MAX_ROWS;
use crate::tables::append;

/// An offer that is not in the tables yet: the runs of its row are filled in when it gets there.
#[derive(Clone, Debug)]
pub struct FreshOffer {
    pub row: Offer,
    pub accelerators: Vec<AcceleratorId>,
    pub regions: Vec<RegionId>,
    pub prices: Vec<Price>,
}

impl Tables {
    /// A copy of a catalog, to be changed.
    pub fn copy_of(catalog: &Catalog<'_>) -> Self {
        Self {
            version: catalog.version.to_owned(),
            as_of: catalog.as_of.to_owned(),
            pool: catalog.pool.to_owned(),
            strings: catalog.strings.to_vec(),
            accelerators: catalog.accelerators.to_vec(),
            disputed: catalog.disputed.to_vec(),
            quoted_memory: catalog.quoted_memory.to_vec(),
            names: catalog.names.to_vec(),
            spellings: catalog.spellings.to_vec(),
            accelerator_lists: catalog.accelerator_lists.to_vec(),
            vendors: catalog.vendors.to_vec(),
            providers: catalog.providers.to_vec(),
            regions: catalog.regions.to_vec(),
            region_lists: catalog.region_lists.to_vec(),
            offers: catalog.offers.to_vec(),
            offers_by_accelerator: catalog.offers_by_accelerator.to_vec(),
            prices: catalog.prices.to_vec(),
            geometries: catalog.geometries.to_vec(),
            profiles: catalog.profiles.to_vec(),
            starts: catalog.starts.to_vec(),
            compute_instances: catalog.compute_instances.to_vec(),
            said_by: catalog.said_by.to_vec(),
            sharing: catalog.sharing.to_vec(),
            models: catalog.models.to_vec(),
            model_names: catalog.model_names.to_vec(),
            family_defaults: catalog.family_defaults.to_vec(),
            families: catalog.families.to_vec(),
            weight_formats: catalog.weight_formats.to_vec(),
            coefficients: catalog.coefficients.to_vec(),
            guide_source: catalog.guide_source.to_owned(),
            guide_as_of: catalog.guide_as_of.to_owned(),
            guide_workloads: catalog.guide_workloads.to_vec(),
            guide_sizes: catalog.guide_sizes.to_vec(),
            guide_strategies: catalog.guide_strategies.to_vec(),
            ..Self::default()
        }
    }

    /// A region that a provider sells in, made when it is new. `None` when there is no room.
    pub fn open_region(
        &mut self,
        provider: ProviderId,
        name: &str,
        country: Option<&str>,
    ) -> Option<RegionId> {
        let catalog = self.catalog();
        let known = catalog
            .regions
            .iter()
            .position(|region| region.provider == provider && catalog.str(region.id) == name);
        if let Some(at) = known {
            self.regions[at].open = None;
            return Some(RegionId(at as u16));
        }
        if self.regions.len() >= MAX_ROWS {
            return None;
        }
        let region = Region {
            provider,
            id: self.intern(name),
            country: self.intern(country.unwrap_or_default()),
            open: None,
            separate: false,
        };
        self.regions.push(region);
        Some(RegionId(self.regions.len() as u16 - 1))
    }

    /// Replaces all that some providers sell. Names of instance types that are gone are gone too.
    pub fn replace_offers(&mut self, providers: &[ProviderId], fresh: Vec<FreshOffer>) {
        let mut new_ids = vec![None; self.offers.len()];
        let mut offers: Vec<(Option<usize>, Offer)> = Vec::new();
        for (at, offer) in self.offers.iter().enumerate() {
            if !providers.contains(&offer.provider) {
                offers.push((Some(at), *offer));
            }
        }
        let room = MAX_ROWS - offers.len();
        for fresh in fresh.into_iter().take(room) {
            offers.push((
                None,
                Offer {
                    accelerators: append(&mut self.accelerator_lists, fresh.accelerators),
                    regions: append(&mut self.region_lists, fresh.regions),
                    prices: append(&mut self.prices, fresh.prices),
                    ..fresh.row
                },
            ));
        }
        offers.sort_by_key(|(_, offer)| offer.provider);
        self.offers_by_accelerator.clear();
        for (at, (old, offer)) in offers.iter().enumerate() {
            let id = OfferId(at as u16);
            if let Some(old) = old {
                new_ids[*old] = Some(id);
            }
            let rows = offer.accelerators;
            let own =
                &self.accelerator_lists[rows.start as usize..(rows.start + rows.len) as usize];
            self.offers_by_accelerator
                .extend(own.iter().map(|accelerator| (*accelerator, id)));
        }
        self.offers_by_accelerator.sort_unstable();
        self.offers = offers.into_iter().map(|(_, offer)| offer).collect();
        self.names.retain_mut(|name| match &mut name.meaning {
            Meaning::InstanceType(id) => match new_ids.get(id.0 as usize).copied().flatten() {
                Some(new) => {
                    *id = new;
                    true
                }
                None => false,
            },
            _ => true,
        });
    }
}
