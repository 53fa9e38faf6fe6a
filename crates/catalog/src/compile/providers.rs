//! `[[provider]]`, with the regions that its offers and prices speak of.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sky_accel_core::catalog::{Provider, ProviderId, Region, RegionId, Rows, Sells};
use toml::Spanned;

use super::{Compiler, MAX_REGIONS, lay_over, layered};
use crate::Document;
use crate::schema::{self, Amount};

const SELLS: [(&str, Sells); 3] = [
    ("instance-types", Sells::InstanceTypes),
    ("any-count", Sells::AnyCount),
    ("marketplace", Sells::Marketplace),
];

/// Prices of a provider that does not say count as old after so many days.
const DEFAULT_MAX_AGE_DAYS: u16 = 30;

/// The regions that offers and prices name, by provider.
fn mentioned(documents: &[Document]) -> HashMap<&str, BTreeSet<&str>> {
    let mut mentioned: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for document in documents {
        let content = &document.content;
        for offer in &content.offer {
            let provider = offer.provider.as_ref().or(content.sold_by.as_ref());
            if let Some(provider) = provider {
                let regions = mentioned.entry(provider.get_ref()).or_default();
                regions.extend(
                    offer
                        .regions
                        .iter()
                        .flatten()
                        .map(|name| &name.get_ref()[..]),
                );
            }
        }
        for price in &content.price {
            let provider = price.provider.as_ref().or(content.sold_by.as_ref());
            if let Some(provider) = provider {
                let regions = mentioned.entry(provider.get_ref()).or_default();
                regions.extend(
                    price
                        .regions
                        .iter()
                        .flatten()
                        .map(|name| &name.get_ref()[..]),
                );
                for amount in [&price.usd_per_hour, &price.usd_per_accelerator_hour] {
                    if let Some(Amount::ByRegion(by_region)) = amount.as_ref().map(Spanned::get_ref)
                    {
                        regions.extend(by_region.keys().map(String::as_str));
                    }
                }
            }
        }
    }
    mentioned
}

impl Compiler<'_> {
    pub(super) fn providers(&mut self) {
        let documents = self.documents;
        let merged = layered(
            documents,
            |document| &document.content.provider,
            |_, item| (item.id.get_ref().clone(), &item.id),
            |under, over| {
                lay_over!(under, over; name, aliases, sells, default_region, tiers, tenant_mig, tenant_mig_note,
                    sells_reservations, tells_stock, price_max_age_days, data_centers);
            },
            &mut self.errors,
        );
        let mentioned = mentioned(documents);
        for (document, item) in &merged {
            let id = ProviderId::of_index(self.tables.providers.len());
            self.providers.insert(item.id.get_ref().clone(), id);
            let mut regions = Self::regions_of(item, mentioned.get(&item.id.get_ref()[..]));
            if regions.len() > MAX_REGIONS {
                let message = format!("it has more than {MAX_REGIONS} regions");
                self.fail(document, &item.id, message);
                regions.clear();
            }
            self.provider(document, item, id, regions);
        }
    }

    fn provider(
        &mut self,
        document: &Document,
        item: &schema::Provider,
        id: ProviderId,
        named: BTreeMap<String, (String, Option<bool>, bool)>,
    ) {
        let word = item.id.get_ref();
        if !word
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            || word.is_empty()
        {
            self.fail(
                document,
                &item.id,
                "a provider id is lower-case letters, digits and `-`",
            );
        }
        for center in item.data_centers.iter().flatten() {
            self.checked(document, &center.id);
            if let Some(country) = &center.country {
                self.checked(document, country);
            }
        }
        let mut words = std::iter::once(&item.id).chain(item.aliases.iter().flatten());
        let known = self.tables.catalog();
        let taken = words.find(|word| known.provider_named(word.get_ref()).is_some());
        if let Some(word) = taken {
            self.fail(document, word, "another provider has this name already");
        }
        let start = self.tables.regions.len() as u32;
        for (name, (country, open, separate)) in named {
            let region = Region {
                provider: id,
                id: self.tables.intern(&name),
                country: self.tables.intern(&country),
                open,
                separate,
            };
            self.tables.regions.push(region);
        }
        let regions = Rows {
            start,
            len: self.tables.regions.len() as u32 - start,
        };
        let default_region = item.default_region.as_ref().and_then(|wanted| {
            let found = self.region(regions, wanted.get_ref());
            if found.is_none() {
                self.fail(
                    document,
                    wanted,
                    "no offer, price or data center names this region",
                );
            }
            found
        });
        let sells = item
            .sells
            .as_ref()
            .and_then(|sells| self.one_of(document, sells, &SELLS));
        let tiers = item.tiers.as_deref().unwrap_or_default();
        let row = Provider {
            id: self.text(document, Some(&item.id)),
            name: self.text(document, Some(item.name.as_ref().unwrap_or(&item.id))),
            aliases: self.texts(document, item.aliases.as_deref().unwrap_or_default()),
            sells: sells.unwrap_or(Sells::InstanceTypes),
            default_region,
            tiers: self.texts(document, tiers),
            tenant_mig: item.tenant_mig.as_ref().map(|may| *may.get_ref()),
            tenant_mig_note: self.text(document, item.tenant_mig_note.as_ref()),
            sells_reservations: item
                .sells_reservations
                .as_ref()
                .is_some_and(|sells| *sells.get_ref()),
            tells_stock: item
                .tells_stock
                .as_ref()
                .is_none_or(|tells| *tells.get_ref()),
            price_max_age_days: item
                .price_max_age_days
                .as_ref()
                .map_or(DEFAULT_MAX_AGE_DAYS, |days| *days.get_ref()),
            regions,
        };
        self.tables.providers.push(row);
    }

    /// Every region of a provider, by name: its country, whether it is open, whether it takes
    /// accounts of its own. Offers and prices name those of `mentioned`.
    fn regions_of(
        provider: &schema::Provider,
        mentioned: Option<&BTreeSet<&str>>,
    ) -> BTreeMap<String, (String, Option<bool>, bool)> {
        let is_market = provider
            .sells
            .as_ref()
            .is_some_and(|sells| sells.get_ref() == "marketplace");
        let mut regions: BTreeMap<String, (String, Option<bool>, bool)> = BTreeMap::new();
        for name in mentioned.into_iter().flatten() {
            // A marketplace knows countries only.
            let country = if is_market { *name } else { "" };
            regions.insert((*name).to_owned(), (country.to_owned(), None, false));
        }
        for center in provider.data_centers.iter().flatten() {
            let country = center
                .country
                .as_ref()
                .map(|country| country.get_ref().clone())
                .unwrap_or_default();
            let row = (country, center.open, center.separate);
            regions.insert(center.id.get_ref().clone(), row);
        }
        regions
    }

    /// A region of a provider by name.
    pub(super) fn region(&self, regions: Rows, name: &str) -> Option<RegionId> {
        let catalog = self.tables.catalog();
        // They are in order of their names.
        let rows = catalog.regions.run(regions);
        let at = rows.partition_point(|region| catalog.str(region.id) < name);
        let is_found = rows.get(at).is_some_and(|row| catalog.str(row.id) == name);
        is_found.then(|| RegionId::of_index(regions.start as usize + at))
    }
}
