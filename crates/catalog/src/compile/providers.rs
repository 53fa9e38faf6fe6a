//! `[[provider]]`, with the regions that it lists.

use sky_accel_core::catalog::{Provider, ProviderId, Region, Rows, Sells};
use sky_accel_core::text::is_web_address;

use super::Compiler;
use crate::bounds;
use crate::schema::{ProviderEntry, SpannedText};
use crate::source::CatalogDocument;

const SELLS: [(&str, Sells); 3] = [
    ("instance-types", Sells::InstanceTypes),
    ("any-count", Sells::AnyCount),
    ("marketplace", Sells::Marketplace),
];

/// The default maximum age of a current price in days.
const DEFAULT_MAX_AGE_DAYS: u16 = 30;

impl<'d> Compiler<'d> {
    pub(super) fn providers(&mut self) {
        let merged = self.layered(
            |document| &document.content.provider,
            |_, item| (item.id.get_ref().clone(), &item.id),
            ProviderEntry::lay_over,
        );
        for (document, item) in &merged {
            let id = ProviderId::of_index(self.tables.providers.len());
            self.providers.insert(item.id.get_ref().clone(), id);
            self.provider(document, item, id);
        }
    }

    fn check_provider_names(&mut self, document: &'d CatalogDocument, item: &ProviderEntry) {
        let word = item.id.get_ref();
        if !word
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            || word.is_empty()
        {
            self.fail(
                document,
                &item.id,
                "a provider id is lowercase letters, digits and `-`",
            );
        }
        let mut words = std::iter::once(&item.id).chain(item.aliases.iter().flatten());
        let known = self.tables.catalog();
        let taken = words.find(|word| known.provider_named(word.get_ref()).is_some());
        if let Some(word) = taken {
            self.fail(document, word, "another provider has this name");
        }
    }

    fn provider(&mut self, document: &'d CatalogDocument, item: &ProviderEntry, id: ProviderId) {
        self.check_provider_names(document, item);
        for center in item.data_centers.iter().flatten() {
            let region = Region {
                provider: id,
                id: self.text(document, Some(&center.id)),
                country: self.text(document, center.country.as_ref()),
                open: center.open,
                separate: center.separate,
            };
            self.list_region(region);
        }
        if let Some(wanted) = &item.default_region {
            self.default_regions.push((id, document, wanted.clone()));
        }
        if let Some(link) = &item.link
            && !is_web_address(link.get_ref())
        {
            self.fail(document, link, "a link begins with https:// or http://");
        }
        let sells = item
            .sells
            .as_ref()
            .and_then(|sells| self.one_of(document, sells, &SELLS));
        let tiers = item.tiers.as_deref().unwrap_or_default();
        let of_others = item.marketplace_tiers.as_deref().unwrap_or_default();
        let is_tier =
            |name: &&SpannedText| tiers.iter().any(|tier| tier.get_ref() == name.get_ref());
        if let Some(unknown) = of_others.iter().find(|name| !is_tier(name)) {
            self.fail(
                document,
                unknown,
                "the provider's `tiers` do not include this tier",
            );
        }
        let row = Provider {
            id: self.text(document, Some(&item.id)),
            name: self.text(document, Some(item.name.as_ref().unwrap_or(&item.id))),
            aliases: self.texts(document, item.aliases.as_deref().unwrap_or_default()),
            sells: sells.unwrap_or(Sells::InstanceTypes),
            default_region: None,
            tiers: self.texts(document, tiers),
            marketplace_tiers: self.texts(document, of_others),
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
            is_broker: item.broker.as_ref().is_some_and(|is| *is.get_ref()),
            is_auction: item.auction.as_ref().is_some_and(|is| *is.get_ref()),
            has_all_types_everywhere: item
                .all_types_everywhere
                .as_ref()
                .is_some_and(|has| *has.get_ref()),
            windows_usd_per_vcpu: self.figure(
                document,
                item.windows_usd_per_vcpu.as_ref(),
                &bounds::USD_PER_HOUR,
            ),
            groups: self.texts(document, item.groups.as_deref().unwrap_or_default()),
            billing: self.text(document, item.billing.as_ref()),
            billing_unit_s: item
                .billing_unit_s
                .as_ref()
                .map_or(0, |seconds| *seconds.get_ref()),
            billing_minimum_s: item
                .billing_minimum_s
                .as_ref()
                .map_or(0, |seconds| *seconds.get_ref()),
            billing_source: self.text(document, item.billing_source.as_ref()),
            billing_as_of: item
                .billing_as_of
                .as_ref()
                .map(|date| self.date(document, date))
                .unwrap_or_default(),
            docs: self.text(document, item.docs.as_ref()),
            link: self.text(document, item.link.as_ref()),
            regions: Rows::default(),
        };
        self.tables.providers.push(row);
    }
}
