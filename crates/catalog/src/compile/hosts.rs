//! `[[host]]` and `[[host_limit]]`: machines that accelerators are attached to.

use sky_accel_core::catalog::{HostFamily, HostLimit, HostPrice, ProviderId, RegionId};
use sky_accel_core::money::Usd;

use super::Compiler;
use crate::schema::{Layer, Spanned};
use crate::source::CatalogDocument;
use crate::{bounds, schema};

impl Compiler<'_> {
    /// Compiles hosts. Regions already have their final ids.
    pub(super) fn hosts(&mut self) {
        let mut rows: Vec<(Layer, HostFamily)> = Vec::new();
        for document in self.documents {
            for item in &document.content.host {
                let Some(row) = self.host(document, item) else {
                    continue;
                };
                let is_it = |known: &HostFamily| {
                    (known.provider, known.family) == (row.provider, row.family)
                };
                match rows.iter_mut().find(|(_, known)| is_it(known)) {
                    Some((layer, _)) if *layer == document.layer => {
                        self.fail(document, &item.family, "this host is defined twice");
                    }
                    Some(known) => *known = (document.layer, row),
                    None => rows.push((document.layer, row)),
                }
            }
        }
        self.tables.hosts = rows.into_iter().map(|(_, row)| row).collect();
        self.host_limits();
    }

    fn host(&mut self, document: &CatalogDocument, item: &schema::HostEntry) -> Option<HostFamily> {
        let provider = self.provider_of(document, item.provider.as_ref(), &item.family)?;
        if !item.vcpus.is_sorted() || item.vcpus.first().is_none_or(|least| *least == 0) {
            let message = "`vcpus` lists the sizes in ascending order, from 1";
            self.fail(document, &item.family, message);
        }
        let gib = *item.gib_per_vcpu.get_ref();
        self.within(document, &item.gib_per_vcpu, gib, &bounds::HOST_GIB);
        for region in item.spot_usd_per_vcpu_hour.keys() {
            let mut priced_regions = item.usd_per_vcpu_hour.keys();
            if !priced_regions.any(|other| other.get_ref() == region.get_ref()) {
                let message = "`usd_per_vcpu_hour` has no price for this region";
                self.fail(document, region, message);
            }
        }
        let mut prices = Vec::new();
        for (name, amount) in &item.usd_per_vcpu_hour {
            let Some(region) = self.known_region(document, provider, name) else {
                continue;
            };
            let spot = item.spot_usd_per_vcpu_hour.iter();
            let mut spot = spot.filter(|(other, _)| other.get_ref() == name.get_ref());
            prices.push(HostPrice {
                region,
                usd_per_vcpu: self.usd(document, amount)?,
                spot_usd_per_vcpu: match spot.next() {
                    Some((_, amount)) => Some(self.usd(document, amount)?),
                    None => None,
                },
            });
        }
        Some(HostFamily {
            provider,
            family: self.text(document, Some(&item.family)),
            sizes: self.tables.host_sizes.append(item.vcpus.iter().copied()),
            gib_per_vcpu: gib,
            prices: self.tables.host_prices.append(prices),
            source: self.text(document, Some(&item.source)),
            as_of: self.date(document, &item.as_of),
        })
    }

    /// Compiles the limits of hosts. Limits of later layers come first, because the first match applies.
    fn host_limits(&mut self) {
        let mut rows: Vec<(Layer, HostLimit)> = Vec::new();
        for document in self.documents {
            for item in &document.content.host_limit {
                let provider =
                    self.provider_of(document, item.provider.as_ref(), &item.accelerator);
                let accelerator = self.accelerator_ref(document, &item.accelerator);
                let (Some(provider), Some(accelerator)) = (provider, accelerator) else {
                    continue;
                };
                let memory_gb = *item.memory_gb.get_ref();
                self.within(document, &item.memory_gb, memory_gb, &bounds::HOST_GIB);
                let row = HostLimit {
                    provider,
                    accelerator,
                    count: item.count,
                    vcpu: item.vcpu,
                    memory_gb,
                };
                let key = |row: &HostLimit| (row.provider, row.accelerator, row.count);
                let is_twice = rows
                    .iter()
                    .any(|(layer, known)| *layer == document.layer && key(known) == key(&row));
                if is_twice {
                    self.fail(document, &item.accelerator, "this limit is stated twice");
                }
                rows.push((document.layer, row));
            }
        }
        rows.sort_by_key(|(layer, _)| std::cmp::Reverse(*layer));
        self.tables.host_limits = rows.into_iter().map(|(_, row)| row).collect();
    }

    /// Returns the region of a provider with a name. A missing region is an error unless a later layer may have removed
    /// it.
    fn known_region(
        &mut self,
        document: &CatalogDocument,
        provider: ProviderId,
        name: &Spanned<String>,
    ) -> Option<RegionId> {
        let catalog = self.tables.catalog();
        let mut ids = (0..catalog.regions.len()).map(RegionId::of_index);
        let found = ids.find(|id| {
            let row = catalog.region(*id);
            row.provider == provider && catalog.str(row.id) == name.get_ref().as_str()
        });
        let mut later = self.documents.iter();
        if found.is_none() && !later.any(|other| other.layer > document.layer) {
            self.fail(document, name, "the provider has no such region");
        }
        found
    }

    fn usd(&mut self, document: &CatalogDocument, amount: &Spanned<f64>) -> Option<Usd> {
        let usd = *amount.get_ref();
        self.within(document, amount, usd, &bounds::USD_PER_HOUR);
        Usd::from_decimal(usd)
    }
}
