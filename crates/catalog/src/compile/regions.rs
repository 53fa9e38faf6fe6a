//! Regions: listed by a `[[provider]]`, or named by offers and prices.

use std::collections::HashMap;

use sky_accel_core::catalog::{ProviderId, Region, RegionId, Rows, Sells, Str};

use super::Compiler;
use crate::schema::{RegionGroupEntry, Spanned};
use crate::source::CatalogDocument;

/// The maximum number of regions of a provider.
const MAX_REGIONS: usize = 50_000;

/// The regions of all providers by name.
pub(super) type RegionsByName = HashMap<(ProviderId, String), RegionId>;

impl Compiler<'_> {
    /// Returns the regions by name. They already have their final ids.
    pub(super) fn regions_by_name(&self) -> RegionsByName {
        let catalog = self.tables.catalog();
        let regions = catalog.regions.iter().enumerate();
        regions
            .map(|(at, row)| {
                let key = (row.provider, catalog.str(row.id).to_owned());
                (key, RegionId::of_index(at))
            })
            .collect()
    }

    /// Adds the error for an unknown region of a provider.
    pub(super) fn unknown_region<T>(
        &mut self,
        document: &CatalogDocument,
        at: &Spanned<T>,
        name: &str,
    ) {
        let message = format!("the provider has no region '{name}'");
        self.fail(document, at, message);
    }

    /// Compiles the groups of countries.
    pub(super) fn region_groups(&mut self) {
        let merged = self.layered(
            |document| &document.content.region_group,
            |_, item| (item.name.get_ref().to_lowercase(), &item.name),
            RegionGroupEntry::clone_from,
        );
        for (document, item) in &merged {
            self.date(document, &item.as_of);
            self.checked(document, &item.source);
            for country in &item.countries {
                let code = country.get_ref();
                if code.len() != 2 || !code.bytes().all(|b| b.is_ascii_uppercase()) {
                    self.fail(
                        document,
                        country,
                        "a country is an ISO 3166-1 code such as DE",
                    );
                }
            }
            let row = sky_accel_core::catalog::RegionGroup {
                name: self.text(document, Some(&item.name)),
                aliases: self.texts(document, &item.aliases),
                countries: self.texts(document, &item.countries),
            };
            self.tables.region_groups.push(row);
        }
    }

    /// Adds a region that a provider lists.
    pub(super) fn list_region(&mut self, region: Region) {
        let id = RegionId::of_index(self.tables.regions.len());
        let key = (region.provider, region.id);
        if self.regions.by_name.insert(key, id).is_none() {
            *self.regions.of_provider.entry(region.provider).or_default() += 1;
            self.tables.regions.push(region);
        }
    }

    /// Returns the region of a provider with a name, and adds it if it is new. Until [`Self::settle_regions`], ids
    /// number regions by first mention.
    pub(super) fn region<T>(
        &mut self,
        document: &CatalogDocument,
        provider: ProviderId,
        name: &str,
        at: &Spanned<T>,
    ) -> Option<RegionId> {
        let id = self.tables.intern(name);
        if let Some(known) = self.regions.by_name.get(&(provider, id)) {
            return Some(*known);
        }
        let of_provider = self.regions.of_provider.get(&provider).copied();
        if of_provider.unwrap_or_default() >= MAX_REGIONS {
            let message = format!("the provider has more than {MAX_REGIONS} regions");
            self.fail(document, at, message);
            return None;
        }
        let is_market = self.tables.providers.at(provider.index()).sells == Sells::Marketplace;
        let region = Region {
            provider,
            id,
            // The regions of a marketplace are countries.
            country: if is_market { id } else { Str::default() },
            open: None,
            separate: false,
        };
        self.list_region(region);
        self.regions.by_name.get(&(provider, id)).copied()
    }

    /// Sorts the regions by provider and name, and returns the new id of each.
    pub(super) fn settle_regions(&mut self) -> Vec<RegionId> {
        let catalog = self.tables.catalog();
        let mut order: Vec<usize> = (0..catalog.regions.len()).collect();
        order.sort_by_key(|at| {
            let region = catalog.regions.at(*at);
            (region.provider, catalog.str(region.id))
        });
        let mut new_ids = vec![RegionId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            new_ids[*old] = RegionId::of_index(new);
        }
        let sorted: Vec<Region> = order.iter().map(|at| catalog.regions.at(*at)).collect();
        let new_id = |id: RegionId| new_ids[id.index()];
        let lists = catalog.region_lists.iter().map(new_id).collect();
        let providers = catalog.providers.iter().enumerate();
        let providers = providers.map(|(at, provider)| {
            let id = ProviderId::of_index(at);
            let start = sorted.partition_point(|region| region.provider < id);
            let end = sorted.partition_point(|region| region.provider <= id);
            sky_accel_core::catalog::Provider {
                regions: Rows {
                    start: start as u32,
                    len: (end - start) as u32,
                },
                ..provider
            }
        });
        let providers = providers.collect();
        self.tables.region_lists = lists;
        self.tables.providers = providers;
        self.tables.regions = sorted.into_iter().collect();
        self.default_regions();
        new_ids
    }

    /// Sets the default region of each provider that names one.
    fn default_regions(&mut self) {
        for (provider, document, wanted) in std::mem::take(&mut self.default_regions) {
            let mut row = self.tables.providers.at(provider.index());
            let catalog = self.tables.catalog();
            let regions = catalog.regions.run(row.regions);
            let name = wanted.get_ref();
            let at = regions.partition_point(|region| catalog.str(region.id) < &name[..]);
            let is_found = regions
                .get(at)
                .is_some_and(|row| catalog.str(row.id) == name);
            if is_found {
                row.default_region = Some(RegionId::of_index(row.regions.start as usize + at));
                self.tables.providers.set(provider.index(), row);
            } else {
                let message = "no offer, price or data center names this region";
                self.fail(document, &wanted, message);
            }
        }
    }
}
