//! `[[offer]]`, and the tables of offers and prices.

use std::collections::BTreeSet;

use sky_accel_core::catalog::{
    AcceleratorId, Meaning, Offer, OfferId, OfferKind, Price, ProviderId, RegionId, ReplacedPrices,
    Rows, Sells, Status, Str,
};
use sky_accel_core::memory;
use sky_accel_core::money::Count;
use sky_accel_core::text::number;
use sky_accel_core::word::Word;
use smallvec::{SmallVec, smallvec};

use super::collected::{
    AcceleratorIds, CollectedOffer, CollectedOffers, CurrentPrices, OfferGroup, OfferGroups,
};
use super::{Compiler, MAX_LARGE};
use crate::bounds::{self, MAX_ROWS};
use crate::schema::{OfferEntry, Spanned};
use crate::source::CatalogDocument;

/// Sets a plain column to the value that an entry states, by its kind.
macro_rules! set_column {
    ($compiler:ident, $document:ident, $row:ident, $item:ident, $name:ident, Text) => {
        if $item.$name.is_some() {
            $row.$name = $compiler.text($document, $item.$name.as_ref());
        }
    };
    ($compiler:ident, $document:ident, $row:ident, $item:ident, $name:ident, Figure, $bounds:ident) => {
        if $item.$name.is_some() {
            $row.$name = $compiler.figure($document, $item.$name.as_ref(), &bounds::$bounds);
        }
    };
}

macro_rules! define_plain_columns {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $(($bounds:ident))?;)+) => {
        impl Compiler<'_> {
            /// Sets the plain columns that an entry states; the others keep the values of an earlier layer.
            fn plain_columns(&mut self, document: &CatalogDocument, item: &OfferEntry, row: &mut Offer) {
                $(set_column!(self, document, row, item, $name, $kind $(, $bounds)?);)+
            }
        }
    };
}

sky_accel_core::offer_columns!(define_plain_columns);

impl Compiler<'_> {
    pub(super) fn offers(&mut self) {
        let sources = self.sources;
        let mut listing = CollectedOffers::default();
        sources.each_with_offers(|part, document| match document {
            Ok(document) => {
                for error in &document.row_errors {
                    self.report(error.clone());
                }
                for item in &document.content.offer {
                    self.offer(document, item, &mut listing);
                }
                for (at, item) in document.content.price.iter().enumerate() {
                    let at = (part as u32, at as u32);
                    if !self.price(document, item, at, &mut listing, false) {
                        listing.waiting.insert(at);
                    }
                }
            }
            Err(error) => self.report(error),
        });
        if !listing.waiting.is_empty() {
            sources.each_with_offers(|part, document| {
                let Ok(document) = document else { return };
                for (at, item) in document.content.price.iter().enumerate() {
                    let at = (part as u32, at as u32);
                    if listing.waiting.contains(&at) {
                        self.price(document, item, at, &mut listing, true);
                    }
                }
            });
        }
        self.settle(listing);
    }

    /// Builds the tables of regions, offers and prices.
    fn settle(&mut self, mut listing: CollectedOffers) {
        let region = self.settle_regions();
        listing
            .prices
            .sort_by_key(|stated| (stated.listed, stated.at));
        let mut current = CurrentPrices::default();
        // The index of the first price of each offer.
        let mut starts = vec![0; listing.offers.len() + 1];
        for stated in &listing.prices {
            starts[stated.listed as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        // Sort by provider; the sort is stable, so offers of a provider keep their order.
        let mut order: Vec<usize> = (0..listing.offers.len()).collect();
        order.sort_by_key(|at| listing.offers[*at].row.provider);
        for at in order {
            let CollectedOffer {
                row,
                groups,
                regions,
                is_row,
                ..
            } = &listing.offers[at];
            let mut sold_in: Vec<RegionId> = regions.iter().map(|id| region[id.index()]).collect();
            if *is_row {
                sold_in.sort_unstable();
                sold_in.dedup();
            }
            let regions = self.tables.region_lists.append(sold_in);
            let prices = &listing.prices[starts[at]..starts[at + 1]];
            for group in groups {
                let of_group = prices
                    .iter()
                    .filter(|stated| groups.len() == 1 || stated.memory_gb == group.memory_gb);
                current.find(of_group.map(|stated| Price {
                    region: stated.price.region.map(|id| region[id.index()]),
                    ..stated.price
                }));
                let prices = self.tables.prices.append(current.prices.iter().copied());
                if !current.displaced.is_empty() {
                    let displaced = current.displaced.iter().copied();
                    let prices = self.tables.prices.append(displaced);
                    let offer = OfferId::of_index(self.tables.offers.len());
                    let row = ReplacedPrices { offer, prices };
                    self.tables.displaced_prices.push(row);
                }
                self.tables.offers.push(Offer {
                    accelerator: group.accelerator,
                    accelerators: group.accelerators,
                    regions,
                    prices,
                    ..*row
                });
            }
        }
        self.tables.index_offers();
    }

    pub(super) fn provider_of(
        &mut self,
        document: &CatalogDocument,
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

    /// Adds an offer, or lays it over the offer of an earlier layer.
    fn offer(
        &mut self,
        document: &CatalogDocument,
        item: &OfferEntry,
        listing: &mut CollectedOffers,
    ) {
        let Some(provider) = self.provider_of(document, item.provider.as_ref(), &item.id) else {
            return;
        };
        let id = self.text(document, Some(&item.id));
        let at = listing.by_id.get(&(provider, id)).map(|at| *at as usize);
        let known = at.map(|at| &mut listing.offers[at]);
        if let Some(known) = known.filter(|known| known.layer == document.layer) {
            if !(document.has_rows && known.is_row) {
                let message = format!("'{}' is defined twice", item.id.get_ref());
                return self.fail(document, &item.id, message);
            }
            // Each further row of a CSV file adds a region.
            let count = self.row_count(document, item, provider);
            if known.row.count != count {
                return self.fail(document, &item.id, "an earlier row has a different count");
            }
            return known
                .regions
                .extend(self.regions_of(document, item, provider));
        }
        if at.is_none() && listing.offers.len() >= MAX_ROWS {
            let message = format!("there are more than {MAX_ROWS} offers in total");
            return self.fail(document, &item.id, message);
        }
        let known = at.map(|at| &listing.offers[at]);
        let Some(groups) = self.sold_groups(document, item, known) else {
            return;
        };
        let mut regions = self.regions_of(document, item, provider);
        // A CSV row states one region of several, so the earlier regions stay.
        if let Some(known) = known.filter(|_| document.has_rows || item.regions.is_none()) {
            regions.extend(known.regions.iter().copied());
        }
        let row = self.offer_row(document, item, provider, known.map(|known| known.row));
        let listed = CollectedOffer {
            row: Offer { id, ..row },
            groups,
            regions,
            layer: document.layer,
            is_row: document.has_rows,
        };
        if let Some(at) = at {
            listing.offers[at] = listed;
        } else {
            let at = listing.offers.len() as u32;
            listing.by_id.insert((provider, id), at);
            listing.offers.push(listed);
        }
    }

    /// Returns the accelerators that an offer may have: the accelerators that an item names, or the known ones.
    fn sold_groups(
        &mut self,
        document: &CatalogDocument,
        item: &OfferEntry,
        known: Option<&CollectedOffer>,
    ) -> Option<OfferGroups> {
        let Some(known) = known else {
            let accelerators = self.sold_accelerators(document, item)?;
            return Some(self.groups(accelerators));
        };
        let names_none = item.accelerator.is_none() && item.any_of.is_none();
        // Names in other projects are often less exact than the known accelerators.
        if names_none || document.dialect.is_some() {
            return Some(known.groups.clone());
        }
        let named = self.sold_accelerators(document, item)?;
        let is_named = |group: &OfferGroup| named.contains(&group.accelerator);
        if document.has_rows && known.groups.iter().any(is_named) {
            return Some(known.groups.clone());
        }
        Some(self.groups(named))
    }

    fn groups(&mut self, accelerators: AcceleratorIds) -> OfferGroups {
        let mut groups: SmallVec<[(Option<f64>, AcceleratorIds); 1]> = SmallVec::new();
        for id in accelerators {
            let memory = self.tables.accelerators.at(id.index()).memory_gb;
            match groups.iter_mut().find(|(size, _)| *size == memory) {
                Some((_, group)) => group.push(id),
                None => groups.push((memory, smallvec![id])),
            }
        }
        let groups = groups.into_iter().map(|(memory_gb, group)| OfferGroup {
            memory_gb,
            accelerator: group[0],
            accelerators: self.list(&group),
        });
        groups.collect()
    }

    /// Returns the accelerators that an offer names; `None` after an error.
    fn sold_accelerators(
        &mut self,
        document: &CatalogDocument,
        item: &OfferEntry,
    ) -> Option<AcceleratorIds> {
        let mut accelerators = match (&item.accelerator, &item.any_of) {
            (Some(name), None) if document.has_rows => self.named(document, name, item)?,
            (Some(one), None) => self.accelerator_ref(document, one).into_iter().collect(),
            (None, Some(several)) => self.accelerator_refs(document, several).into(),
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

    /// Returns the accelerators that a CSV row names by an id, or by any name and a memory size.
    fn named(
        &mut self,
        document: &CatalogDocument,
        name: &Spanned<String>,
        item: &OfferEntry,
    ) -> Option<AcceleratorIds> {
        let word = name.get_ref();
        if let Some(id) = self.accelerators.get(word) {
            return Some(smallvec![*id]);
        }
        let catalog = self.tables.catalog();
        let tool = document.dialect.and_then(|dialect| catalog.tool(dialect));
        let of_tool = tool.and_then(|tool| {
            let mut words = catalog.tool_words(&tool).iter();
            words.find(|row| catalog.str(row.word) == word)
        });
        let mut found = match (of_tool, catalog.name(word).map(|name| name.meaning)) {
            (Some(row), _) => catalog.accelerators(row.accelerators).iter().collect(),
            (None, Some(Meaning::Exact(id))) => smallvec![id],
            (None, Some(Meaning::AnyOf(rows))) => catalog.accelerators(rows).iter().collect(),
            _ => AcceleratorIds::new(),
        };
        let size = |id: &AcceleratorId| catalog.accelerator(*id).memory_gb;
        let is_known = !found.is_empty();
        if let Some(gb) = &item.memory_gb {
            found.retain(|id| size(id).is_some_and(|size| memory::is_same(size, *gb.get_ref())));
        } else if document.dialect.is_some() {
            let usual = found.first().and_then(size);
            found.retain(|id| size(id) == usual);
        }
        let sizes = found.iter().filter_map(size).map(number);
        let sizes: BTreeSet<String> = sizes.collect();
        match document.dialect {
            _ if sizes.len() < 2 && !found.is_empty() => return Some(found),
            Some(_) if self.tables.left_out.len() < MAX_LARGE => {
                self.tables.left_out.insert(word.clone());
            }
            Some(_) => {}
            None if sizes.len() > 1 => {
                let sizes: Vec<String> = sizes.into_iter().collect();
                let message = format!("this name covers {} GB: set `memory_gb`", sizes.join(", "));
                self.fail(document, name, message);
            }
            None if is_known => {
                self.fail(
                    document,
                    name,
                    "no accelerator with this name has that `memory_gb`",
                );
            }
            None => {
                let _ = self.accelerator_ref(document, name);
            }
        }
        None
    }

    /// Returns the count of an offer in a CSV row. If the provider sells any count, the count belongs to the price.
    fn row_count(
        &mut self,
        document: &CatalogDocument,
        item: &OfferEntry,
        provider: ProviderId,
    ) -> Option<Count> {
        let sells = self.tables.providers.at(provider.index()).sells;
        let stated = item.count.as_ref();
        self.count(document, stated.filter(|_| sells == Sells::InstanceTypes))
    }

    fn regions_of(
        &mut self,
        document: &CatalogDocument,
        item: &OfferEntry,
        provider: ProviderId,
    ) -> SmallVec<[RegionId; 2]> {
        let names = item.regions.as_deref().unwrap_or_default();
        let mut ids = SmallVec::with_capacity(names.len());
        for name in names {
            self.checked(document, name);
            ids.extend(self.region(document, provider, name.get_ref(), name));
        }
        ids
    }

    /// Returns the row of an offer without its accelerators, regions and prices: the fields of an item over the known
    /// fields.
    fn offer_row(
        &mut self,
        document: &CatalogDocument,
        item: &OfferEntry,
        provider: ProviderId,
        known: Option<Offer>,
    ) -> Offer {
        let mut row =
            known.unwrap_or_else(|| Offer::bare(provider, Str::default(), AcceleratorId(0)));
        self.check_host(document, item);
        self.plain_columns(document, item, &mut row);
        let vcpu = item.vcpu.as_ref().or(item.vcpu_per_accelerator.as_ref());
        if vcpu.is_some() {
            row.vcpu_per_accelerator = item.vcpu_per_accelerator.is_some();
        }
        let per_accelerator = item.host_memory_gib_per_accelerator.as_ref();
        let host_memory = item.host_memory_gib.as_ref().or(per_accelerator);
        if host_memory.is_some() {
            row.host_memory_per_accelerator = per_accelerator.is_some();
        }
        for (figure, stated, bounds) in [
            (&mut row.vcpu, vcpu, &bounds::VCPU),
            (&mut row.host_memory_gib, host_memory, &bounds::HOST_GIB),
        ] {
            if stated.is_some() {
                *figure = self.figure(document, stated, bounds);
            }
        }
        let sells = self.tables.providers.at(provider.index()).sells;
        self.offer_count(document, item, sells, &mut row);
        if let Some(hosts) = &item.hosts {
            row.hosts = *hosts.get_ref();
        }
        row.kind = match &item.kind {
            Some(kind) => self
                .one_of(document, kind, OfferKind::ALL)
                .unwrap_or(row.kind),
            None if known.is_some() => row.kind,
            None => usual_kind(&row, sells),
        };
        if let Some(status) = &item.status {
            row.status = self
                .one_of(document, status, Status::ALL)
                .unwrap_or(row.status);
        }
        if let Some(profile) = &item.mig_profile
            && sky_accel_core::mig::parse_profile(profile.get_ref()).is_none()
        {
            self.fail(document, profile, "not a profile name such as 3g.40gb");
        }
        if let Some(date) = &item.as_of {
            row.as_of = self.date(document, date);
        }
        let has_source = item.source.is_some() || !document.layer.is_embedded();
        if !has_source || row.as_of.len == 0 {
            self.fail(document, &item.id, "an offer has a `source` and an `as_of`");
        }
        if item.source.is_some() || row.source.len == 0 {
            row.source = self.source(document, item.source.as_ref());
        }
        row
    }

    /// Sets the numbers of devices that an offer is sold in.
    fn offer_count(
        &mut self,
        document: &CatalogDocument,
        item: &OfferEntry,
        sells: Sells,
        row: &mut Offer,
    ) {
        let stated = item.count.as_ref();
        let stated = stated.filter(|_| !document.has_rows || sells == Sells::InstanceTypes);
        row.count = self.count(document, stated).or(row.count);
        row.max_count = self
            .per_machine(document, item.max_count.as_ref())
            .or(row.max_count);
        if item.max_count.is_some() {
            row.counts = Rows::default();
        }
        if let Some(counts) = &item.counts {
            if item.max_count.is_some() || counts.iter().any(|count| *count.get_ref() == 0) {
                let message = "`counts` are whole numbers from 1, in place of `max_count`";
                self.fail(document, &item.id, message);
            }
            let counts = counts.iter().map(|count| *count.get_ref());
            row.max_count = counts.clone().max().map(|most| Count::whole(most.into()));
            row.counts = self.tables.sold_counts.append(counts);
        }
        let has_count = match sells {
            Sells::InstanceTypes => {
                stated.is_some() || row.count.is_some() || row.max_count.is_some()
            }
            _ => stated.is_none() && row.count.is_none(),
        };
        if !has_count {
            let message = match sells {
                Sells::InstanceTypes => {
                    "an instance type has a `count`, or a `max_count` where any count is sold"
                }
                _ => "this provider sells any count: leave out `count`, or set `max_count`",
            };
            self.fail(document, &item.id, message);
        }
    }

    /// Checks that sizes of the host are stated either for the machine or for one accelerator.
    fn check_host(&mut self, document: &CatalogDocument, item: &OfferEntry) {
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
                let message =
                    format!("`{field}` is stated both for the machine and for one accelerator");
                self.fail(document, &item.id, message);
            }
        }
    }

    /// Returns the source of an item. The default in an overlay is the overlay.
    pub(super) fn source(
        &mut self,
        document: &CatalogDocument,
        source: Option<&Spanned<String>>,
    ) -> Str {
        match source {
            Some(source) => self.text(document, Some(source)),
            None => self.tables.intern(&format!("overlay {}", document.file)),
        }
    }
}

/// Returns the default kind of an offer.
fn usual_kind(row: &Offer, sells: Sells) -> OfferKind {
    if row.topology.len > 0 {
        OfferKind::Slice
    } else if row.count.is_some_and(|count| count < Count::ONE) {
        OfferKind::Share
    } else if sells == Sells::InstanceTypes {
        OfferKind::Machine
    } else {
        OfferKind::Container
    }
}
