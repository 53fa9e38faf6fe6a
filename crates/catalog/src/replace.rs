//! Replacement of the catalog's offers by live offers.

use sky_accel_core::catalog::{
    AcceleratorId, Meaning, Name, Offer, OfferId, Price, ProviderId, Region, RegionId,
    ReplacedPrices,
};

use crate::Tables;
use crate::bounds::MAX_ROWS;
use crate::tables::Buffer;

/// An offer that is not in the tables yet. [`Tables::replace_offers`] sets the row ranges of `row`.
#[derive(Clone, Debug)]
pub struct FreshOffer {
    /// The offer, with empty ranges for its accelerators, regions and prices.
    pub row: Offer,
    /// The accelerators that the offer may have; several if its name is ambiguous.
    pub accelerators: Vec<AcceleratorId>,
    /// The regions in which the offer is sold; empty if not known.
    pub regions: Vec<RegionId>,
    /// The prices of the offer.
    pub prices: Vec<Price>,
}

impl Tables {
    /// Adds a region of a provider, which the provider must not have yet. `country` is its
    /// ISO 3166-1 alpha-2 code, if known. `None` if the table of regions is full.
    pub fn add_region(
        &mut self,
        provider: ProviderId,
        name: &str,
        country: Option<&str>,
    ) -> Option<RegionId> {
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
        Some(RegionId::of_index(self.regions.len() - 1))
    }

    /// Sets a region to open, because its provider sells something there.
    pub fn open_region(&mut self, id: RegionId) {
        let mut region = self.regions.at(id.index());
        region.open = None;
        self.regions.set(id.index(), region);
    }

    /// Replaces the offers of `providers` with `fresh`. Names of instance types that no longer
    /// exist are removed.
    pub fn replace_offers(&mut self, providers: &[ProviderId], fresh: Vec<FreshOffer>) {
        let mut new_ids = vec![None; self.offers.len()];
        let mut offers: Vec<(Option<usize>, Offer)> = Vec::new();
        for (at, offer) in self.offers.table().iter().enumerate() {
            if !providers.contains(&offer.provider) {
                offers.push((Some(at), offer));
            }
        }
        let room = MAX_ROWS.saturating_sub(offers.len());
        for fresh in fresh.into_iter().take(room) {
            offers.push((
                None,
                Offer {
                    accelerators: self.accelerator_lists.append(fresh.accelerators),
                    regions: self.region_lists.append(fresh.regions),
                    prices: self.prices.append(fresh.prices),
                    ..fresh.row
                },
            ));
        }
        offers.sort_by_key(|(_, offer)| offer.provider);
        for (at, (old, _)) in offers.iter().enumerate() {
            if let Some(old) = old {
                new_ids[*old] = Some(OfferId::of_index(at));
            }
        }
        self.offers = offers.into_iter().map(|(_, offer)| offer).collect();
        self.index_offers();
        let displaced = self.displaced_prices.table();
        let kept = displaced.iter().filter_map(|row| {
            let offer = new_ids.get(row.offer.index()).copied()??;
            Some(ReplacedPrices { offer, ..row })
        });
        self.displaced_prices = kept.collect();
        // These ids were rows of the table that is replaced.
        self.untouched = Buffer::default();
        let renumbered = |name: Name| match name.meaning {
            Meaning::InstanceType(id) => {
                let id = new_ids.get(id.index()).copied()??;
                let meaning = Meaning::InstanceType(id);
                Some(Name { meaning, ..name })
            }
            _ => Some(name),
        };
        let names = self.names.table();
        self.names = names.iter().filter_map(renumbered).collect();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sky_accel_core::catalog::Catalog;

    use super::*;
    use crate::{Layer, Source, compile};

    fn sources(folder: &Path, found: &mut Vec<Source>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "toml" || extension == "csv")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push(Source::toml(Layer::EMBEDDED, &path.to_string_lossy(), text));
            }
        }
    }

    #[test]
    fn copies_every_table() {
        let mut found = Vec::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
        sources(&root, &mut found);
        found.sort_by_key(|source| source.file.clone());
        found.push(Source::toml(Layer::overlay(0), "overlay.toml", ""));
        let mut tables = compile(&found).unwrap();
        tables.set_overrides(&Catalog::default());
        tables.untouched.push(OfferId(1));
        tables.replaced_prices.push(ReplacedPrices {
            offer: OfferId(1),
            prices: sky_accel_core::catalog::Rows::default(),
        });
        tables.displaced_prices = tables.replaced_prices.clone();
        tables
            .commitment_request
            .push(sky_accel_core::catalog::CommitmentFilter::default());
        let catalog = tables.catalog();
        // `Debug` prints every field of a catalog with every row.
        let print = |catalog: &Catalog<'_>| format!("{catalog:#?}");
        let (whole, copy) = (print(&catalog), print(&Tables::copy_of(&catalog).catalog()));
        assert!(
            !whole
                .lines()
                .any(|line| line.starts_with("    ") && line.ends_with(": [],")),
            "every table needs a row, or the test proves nothing"
        );
        let differing = whole.lines().zip(copy.lines()).find(|(a, b)| a != b);
        assert_eq!(differing, None);
        assert_eq!(whole.len(), copy.len());
    }
}
