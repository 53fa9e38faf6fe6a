//! `[[offer]]` and `[[price]]`.

use std::collections::{HashMap, HashSet};

use sky_accel_core::catalog::{
    AcceleratorId, Availability, CapacityType, Offer, OfferId, Price, PriceKind, ProviderId,
    RegionId, Rows, Sells, Statistic, Status, Str,
};
use sky_accel_core::memory;
use sky_accel_core::money::Usd;
use toml::Spanned;

use super::{Compiler, lay_over, layered};
use crate::bounds;
use crate::schema::{self, Amount};
use crate::{Document, Layer};

const STATUS: [(&str, Status); 3] = [
    ("offered", Status::Offered),
    ("reserved-only", Status::ReservedOnly),
    ("retired", Status::Retired),
];
const CAPACITY: [(&str, CapacityType); 2] = [
    ("on-demand", CapacityType::OnDemand),
    ("spot", CapacityType::Spot),
];
const KIND: [(&str, PriceKind); 3] = [
    ("list", PriceKind::List),
    ("snapshot", PriceKind::Snapshot),
    ("estimate", PriceKind::Estimate),
];
const STATISTIC: [(&str, Statistic); 2] = [
    ("lowest-zone", Statistic::LowestZone),
    ("median-zone", Statistic::MedianZone),
];

/// An offer of a document: one row for each memory size that its name covers.
struct Listed {
    row: Offer,
    memory_gb: Option<f64>,
    prices: Vec<Price>,
}

impl Compiler<'_> {
    pub(super) fn offers(&mut self) {
        let documents = self.documents;
        let merged = layered(
            documents,
            |document| &document.content.offer,
            |document, item| {
                let provider = item.provider.as_ref().or(document.content.sold_by.as_ref());
                (
                    format!(
                        "{} {}",
                        provider.map_or("", |p| p.get_ref()),
                        item.id.get_ref()
                    ),
                    &item.id,
                )
            },
            |under, over| {
                under.id.clone_from(&over.id);
                // Of two ways to say one thing, the last one replaces the other.
                if over.accelerator.is_some() || over.any_of.is_some() {
                    (under.accelerator, under.any_of) = (None, None);
                }
                if over.vcpu.is_some() || over.vcpu_per_accelerator.is_some() {
                    (under.vcpu, under.vcpu_per_accelerator) = (None, None);
                }
                if over.host_memory_gib.is_some() || over.host_memory_gib_per_accelerator.is_some()
                {
                    (under.host_memory_gib, under.host_memory_gib_per_accelerator) = (None, None);
                }
                lay_over!(under, over; provider, display_name, accelerator, any_of, count, max_count, mig_profile,
                    memory_mib, vcpu, host_memory_gib, vcpu_per_accelerator, host_memory_gib_per_accelerator,
                    host_arch, efa_interfaces, status, status_note, note, interruption_rate, regions, source, as_of);
            },
            &mut self.errors,
        );
        let mut listed: Vec<Listed> = Vec::new();
        let mut by_id: HashMap<(ProviderId, String), Vec<usize>> = HashMap::new();
        for (document, item) in &merged {
            let Some(provider) = self.provider_of(document, item.provider.as_ref(), &item.id)
            else {
                continue;
            };
            for row in self.offer(document, item, provider) {
                by_id
                    .entry((provider, item.id.get_ref().clone()))
                    .or_default()
                    .push(listed.len());
                listed.push(row);
            }
        }
        for document in documents {
            for item in &document.content.price {
                self.price(document, item, &by_id, &mut listed);
            }
        }
        // Rows of one provider stand together, in the order of the files.
        listed.sort_by_key(|offer| offer.row.provider);
        let mut by_accelerator = Vec::new();
        for mut offer in listed {
            let id = OfferId::of_index(self.tables.offers.len());
            offer.row.prices = self.tables.prices.append(current(&offer.prices));
            let carried = self.tables.catalog().accelerators(offer.row.accelerators);
            by_accelerator.extend(carried.iter().map(|accelerator| (accelerator, id)));
            self.tables.offers.push(offer.row);
        }
        by_accelerator.sort_unstable();
        self.tables.offers_by_accelerator.extend(by_accelerator);
    }

    pub(super) fn provider_of(
        &mut self,
        document: &Document,
        provider: Option<&Spanned<String>>,
        at: &Spanned<String>,
    ) -> Option<ProviderId> {
        let Some(word) = provider.or(document.content.sold_by.as_ref()) else {
            self.fail(
                document,
                at,
                "no provider: write `provider` here or `sold_by` at the top of the file",
            );
            return None;
        };
        let found = self.providers.get(word.get_ref()).copied();
        if found.is_none() {
            self.fail(
                document,
                word,
                format!("no [[provider]] has the id '{}'", word.get_ref()),
            );
        }
        found
    }

    fn offer(
        &mut self,
        document: &Document,
        item: &schema::Offer,
        provider: ProviderId,
    ) -> Vec<Listed> {
        let Some(accelerators) = self.sold_accelerators(document, item) else {
            return Vec::new();
        };
        let row = self.offer_row(document, item, provider);
        let mut groups: Vec<(Option<f64>, Vec<AcceleratorId>)> = Vec::new();
        for id in accelerators {
            let memory = self.tables.accelerators.at(id.index()).memory_gb;
            match groups.iter_mut().find(|(size, _)| *size == memory) {
                Some((_, group)) => group.push(id),
                None => groups.push((memory, vec![id])),
            }
        }
        groups
            .into_iter()
            .map(|(memory_gb, group)| Listed {
                row: Offer {
                    accelerator: group[0],
                    accelerators: self.list(&group),
                    ..row
                },
                memory_gb,
                prices: Vec::new(),
            })
            .collect()
    }

    /// The accelerators that an offer names; `None` where it names them in no way or in two.
    fn sold_accelerators(
        &mut self,
        document: &Document,
        item: &schema::Offer,
    ) -> Option<Vec<AcceleratorId>> {
        let mut accelerators = match (&item.accelerator, &item.any_of) {
            (Some(one), None) => self.accelerator_refs(document, std::slice::from_ref(one)),
            (None, Some(several)) => self.accelerator_refs(document, several),
            _ => {
                self.fail(
                    document,
                    &item.id,
                    "an offer has either `accelerator` or `any_of`",
                );
                return None;
            }
        };
        accelerators.dedup();
        Some(accelerators)
    }

    /// The row of an offer without its accelerators and prices.
    fn offer_row(
        &mut self,
        document: &Document,
        item: &schema::Offer,
        provider: ProviderId,
    ) -> Offer {
        let sells = self.tables.providers.at(provider.index()).sells;
        let count = self.count(document, item.count.as_ref());
        let max_count = self.per_machine(document, item.max_count.as_ref());
        if (sells == Sells::InstanceTypes) != item.count.is_some() {
            let message = match sells {
                Sells::InstanceTypes => "an instance type has a `count`",
                _ => "this provider sells any count: leave `count` out, or say `max_count`",
            };
            self.fail(document, &item.id, message);
        }
        if item.source.is_none() && document.layer == Layer::EMBEDDED || item.as_of.is_none() {
            self.fail(document, &item.id, "an offer has a `source` and an `as_of`");
        }
        let status = item
            .status
            .as_ref()
            .and_then(|status| self.one_of(document, status, &STATUS));
        if let Some(profile) = &item.mig_profile
            && sky_accel_core::mig::parse_profile(profile.get_ref()).is_none()
        {
            self.fail(document, profile, "not a profile name such as 3g.40gb");
        }
        let regions = self.region_list(
            document,
            provider,
            item.regions.as_deref().unwrap_or_default(),
        );
        self.check_host(document, item);
        let vcpu = item.vcpu.as_ref().or(item.vcpu_per_accelerator.as_ref());
        let host_memory = item
            .host_memory_gib
            .as_ref()
            .or(item.host_memory_gib_per_accelerator.as_ref());
        let source = self.source(document, item.source.as_ref());
        Offer {
            provider,
            id: self.text(document, Some(&item.id)),
            display_name: self.text(document, item.display_name.as_ref()),
            accelerator: AcceleratorId(0),
            accelerators: Rows::default(),
            count,
            max_count,
            mig_profile: self.text(document, item.mig_profile.as_ref()),
            memory_mib: self.figure(document, item.memory_mib.as_ref(), &bounds::MEMORY_MIB),
            vcpu: self.figure(document, vcpu, &bounds::VCPU),
            host_memory_gib: self.figure(document, host_memory, &bounds::HOST_GIB),
            vcpu_per_accelerator: item.vcpu_per_accelerator.is_some(),
            host_memory_per_accelerator: item.host_memory_gib_per_accelerator.is_some(),
            host_arch: self.text(document, item.host_arch.as_ref()),
            efa_interfaces: self.figure(document, item.efa_interfaces.as_ref(), &bounds::ADAPTERS),
            status: status.unwrap_or(Status::Offered),
            status_note: self.text(document, item.status_note.as_ref()),
            note: self.text(document, item.note.as_ref()),
            interruption_rate: self.text(document, item.interruption_rate.as_ref()),
            regions,
            source,
            as_of: item
                .as_of
                .as_ref()
                .map_or_else(Str::default, |date| self.date(document, date)),
            prices: Rows::default(),
        }
    }

    /// A size of the host is stated once, for the machine or for one accelerator.
    fn check_host(&mut self, document: &Document, item: &schema::Offer) {
        for (field, twice) in [
            (
                "vcpu",
                item.vcpu.is_some() && item.vcpu_per_accelerator.is_some(),
            ),
            (
                "host_memory_gib",
                item.host_memory_gib.is_some() && item.host_memory_gib_per_accelerator.is_some(),
            ),
        ] {
            if twice {
                let message = format!("`{field}` is said for the machine and for one accelerator");
                self.fail(document, &item.id, message);
            }
        }
    }

    /// The source of an item of an overlay is the overlay, where it names no other.
    fn source(&mut self, document: &Document, source: Option<&Spanned<String>>) -> Str {
        match source {
            Some(source) => self.text(document, Some(source)),
            None => self.tables.intern(&format!("overlay {}", document.file)),
        }
    }

    fn region_list(
        &mut self,
        document: &Document,
        provider: ProviderId,
        names: &[Spanned<String>],
    ) -> Rows {
        let mut ids: Vec<RegionId> = Vec::new();
        for name in names {
            self.checked(document, name);
            let found = self.region(
                self.tables.providers.at(provider.index()).regions,
                name.get_ref(),
            );
            ids.extend(found);
        }
        self.tables.region_lists.append(ids)
    }

    fn price(
        &mut self,
        document: &Document,
        item: &schema::Price,
        by_id: &HashMap<(ProviderId, String), Vec<usize>>,
        listed: &mut [Listed],
    ) {
        let Some(provider) = self.provider_of(document, item.provider.as_ref(), &item.offer) else {
            return;
        };
        let Some(places) = by_id.get(&(provider, item.offer.get_ref().clone())) else {
            return self.fail(
                document,
                &item.offer,
                format!("no offer has the id '{}'", item.offer.get_ref()),
            );
        };
        let Some(place) = self.priced(document, item, places, listed) else {
            return;
        };
        let capacity = self.one_of(document, &item.capacity_type, &CAPACITY);
        let kind = match &item.kind {
            Some(kind) => self.one_of(document, kind, &KIND),
            None => Some(PriceKind::List),
        };
        let statistic = item
            .statistic
            .as_ref()
            .and_then(|s| self.one_of(document, s, &STATISTIC));
        if item.source.is_none() && document.layer == Layer::EMBEDDED {
            self.fail(document, &item.offer, "a price has a `source`");
        }
        let Some((amount, per_accelerator)) = self.amount(document, item) else {
            return;
        };
        let count = self.count(document, item.count.as_ref());
        if count.is_none() && !per_accelerator && listed[place].row.count.is_none() {
            self.fail(
                document,
                &item.offer,
                "say with `count` how many accelerators the price is for",
            );
        }
        let tier = self.tier(document, provider, item.tier.as_ref());
        let (Some(capacity), Some(kind)) = (capacity, kind) else {
            return;
        };
        let source = self.source(document, item.source.as_ref());
        let row = Price {
            capacity,
            kind,
            tier,
            statistic,
            count,
            region: None,
            seen_in: self.region_list(
                document,
                provider,
                item.regions.as_deref().unwrap_or_default(),
            ),
            usd: Usd(0),
            per_accelerator,
            source,
            as_of: self.date(document, &item.as_of),
            availability: Availability::Unknown,
            zone: Str::default(),
            listing: Str::default(),
        };
        for (region, usd) in self.by_region(document, provider, amount) {
            self.within(document, amount, usd, &bounds::USD_PER_HOUR);
            if let Some(usd) = Usd::from_decimal(usd) {
                listed[place].prices.push(Price { region, usd, ..row });
            }
        }
    }

    /// The place among `listed` of the row that a price is for, one of `places`.
    fn priced(
        &mut self,
        document: &Document,
        item: &schema::Price,
        places: &[usize],
        listed: &[Listed],
    ) -> Option<usize> {
        let wanted = item.memory_gb.as_ref().map(|gb| *gb.get_ref());
        let message = match (places, wanted) {
            ([only], None) => return Some(*only),
            (_, None) => "the offer covers several memory sizes: say `memory_gb`",
            (places, Some(wanted)) => {
                let is_wanted = |at: &&usize| {
                    listed[**at]
                        .memory_gb
                        .is_some_and(|gb| memory::is_same(gb, wanted))
                };
                if let Some(found) = places.iter().find(is_wanted) {
                    return Some(*found);
                }
                "the offer does not cover that memory size"
            }
        };
        self.fail(document, &item.offer, message);
        None
    }

    /// The amount of a price, and whether it is for one accelerator.
    fn amount<'i>(
        &mut self,
        document: &Document,
        item: &'i schema::Price,
    ) -> Option<(&'i Spanned<Amount>, bool)> {
        match (&item.usd_per_hour, &item.usd_per_accelerator_hour) {
            (Some(amount), None) => Some((amount, false)),
            (None, Some(amount)) => Some((amount, true)),
            _ => {
                self.fail(
                    document,
                    &item.offer,
                    "a price has either `usd_per_hour` or `usd_per_accelerator_hour`",
                );
                None
            }
        }
    }

    /// Dollars by region; without one where they hold everywhere.
    fn by_region(
        &mut self,
        document: &Document,
        provider: ProviderId,
        amount: &Spanned<Amount>,
    ) -> Vec<(Option<RegionId>, f64)> {
        let by_region = match amount.get_ref() {
            Amount::Everywhere(usd) => return vec![(None, *usd)],
            Amount::ByRegion(by_region) => by_region,
        };
        let unprintable = |name: &String| name.chars().any(sky_accel_core::text::is_unprintable);
        if by_region.keys().any(unprintable) {
            self.fail(
                document,
                amount,
                "control characters may not stand in a region",
            );
        }
        let regions = self.tables.providers.at(provider.index()).regions;
        by_region
            .iter()
            .map(|(name, usd)| (self.region(regions, name), *usd))
            .collect()
    }

    fn tier(
        &mut self,
        document: &Document,
        provider: ProviderId,
        tier: Option<&Spanned<String>>,
    ) -> u8 {
        let Some(tier) = tier else { return 0 };
        let tiers = self.tables.providers.at(provider.index()).tiers;
        let found = self
            .tables
            .catalog()
            .strings(tiers)
            .position(|known| known == tier.get_ref());
        if found.is_none() {
            self.fail(document, tier, "the provider has no such tier");
        }
        found.and_then(|tier| u8::try_from(tier).ok()).unwrap_or(0)
    }
}

/// The prices that hold: one replaces the earlier ones for the same thing, and one without a region
/// holds everywhere, so it replaces those of all regions.
fn current(prices: &[Price]) -> Vec<Price> {
    let mut replaced = HashSet::new();
    let mut current: Vec<Price> = Vec::new();
    for price in prices.iter().rev() {
        let of = |region| (price.capacity, price.tier, price.count, region);
        if !replaced.contains(&of(None)) && replaced.insert(of(price.region)) {
            current.push(*price);
        }
    }
    current.reverse();
    current
}
