//! The differences between the offers of two catalogs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use sky_accel_core::catalog::{CapacityType, Catalog, ChangeKind, Offer, OfferId, ProviderId};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::text::number;

use super::change::Change;

/// The key of an offer in every catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfferKey<'o> {
    /// The id of the provider.
    pub provider: &'o str,
    /// The provider's own id.
    pub id: &'o str,
    /// The id of the accelerator.
    pub accelerator: &'o str,
}

impl<'o> OfferKey<'o> {
    /// The key of an offer of a catalog.
    pub fn of(catalog: &Catalog<'o>, offer: &Offer) -> Self {
        Self {
            provider: catalog.provider_id(offer.provider),
            id: catalog.str(offer.id),
            accelerator: catalog.accelerator_id(offer.accelerator),
        }
    }

    fn change(&self, kind: ChangeKind) -> Change {
        Change::of(kind, self.provider, self.id, self.accelerator)
    }
}

/// The offers of one of the catalogs by their keys.
type Offers<'a> = BTreeMap<OfferKey<'a>, Offer>;

/// Returns the changes of all offers.
pub(super) fn all(catalogs: [&Catalog<'_>; 2]) -> Vec<Change> {
    let [before, after] = catalogs;
    let mut found = OfferChanges::default();
    found.compare([&OffersOf::all(before), &OffersOf::all(after)]);
    found.changes()
}

/// Returns the changes of some offers, each of which one of the catalogs has. A new offer is one change: it is not
/// looked up, because there may be a million of them.
pub fn diff_offers<'o>(
    before: &Catalog<'_>,
    after: &Catalog<'_>,
    offers: impl IntoIterator<Item = OfferKey<'o>>,
) -> Vec<Change> {
    let (mut old, mut new) = (OffersOf::empty(before), OffersOf::empty(after));
    let mut found = OfferChanges::default();
    for offer in offers {
        if old.add(&offer) {
            new.add(&offer);
        } else {
            found.types.push(offer.change(ChangeKind::TypeAdded));
        }
    }
    found.compare([&old, &new]);
    found.changes()
}

/// Returns the offers of a catalog that an older catalog has with the same fields, regions and prices, in order.
pub(super) fn same(before: &Catalog<'_>, after: &Catalog<'_>) -> Vec<OfferId> {
    let mut side = OffersOf::empty(after);
    let mut found = Vec::new();
    for old in &before.offers {
        let key = OfferKey::of(before, &old);
        let Some(provider) = side.provider(key.provider) else {
            continue;
        };
        for id in after.offers_with_id(provider, key.id) {
            let new = after.offer(id);
            let (old, new) = ((before, &old), (after, &new));
            let is_same = OfferKey::of(after, new.1) == key
                && fields(old) == fields(new)
                && region_ids(old).eq(region_ids(new))
                && prices(before, old.1).eq(prices(after, new.1));
            if is_same {
                found.push(id);
            }
        }
    }
    found.sort_unstable();
    found
}

/// A selection of the offers of one catalog.
struct OffersOf<'c, 'a> {
    catalog: &'c Catalog<'a>,
    offers: Offers<'a>,
    /// The provider that was looked up last, because offers are sorted by provider.
    provider: Option<(String, Option<ProviderId>)>,
}

impl<'c, 'a> OffersOf<'c, 'a> {
    fn empty(catalog: &'c Catalog<'a>) -> Self {
        Self {
            catalog,
            offers: Offers::new(),
            provider: None,
        }
    }

    fn all(catalog: &'c Catalog<'a>) -> Self {
        let rows = catalog.offers.iter();
        Self {
            offers: rows
                .map(|offer| (OfferKey::of(catalog, &offer), offer))
                .collect(),
            ..Self::empty(catalog)
        }
    }

    /// Adds the offers of the catalog with an id: several if the id covers several memory sizes. Returns whether there
    /// are any.
    fn add(&mut self, key: &OfferKey<'_>) -> bool {
        let Some(provider) = self.provider(key.provider) else {
            return false;
        };
        let mut any = false;
        for id in self.catalog.offers_with_id(provider, key.id) {
            let offer = self.catalog.offer(id);
            self.offers
                .insert(OfferKey::of(self.catalog, &offer), offer);
            any = true;
        }
        any
    }

    fn provider(&mut self, name: &str) -> Option<ProviderId> {
        match &self.provider {
            Some((known, id)) if known == name => *id,
            _ => {
                let id = self.catalog.provider_named(name);
                self.provider = Some((name.to_owned(), id));
                id
            }
        }
    }
}

/// Changes of offers by their kind, in output order.
#[derive(Default)]
struct OfferChanges {
    types: Vec<Change>,
    types_gone: Vec<Change>,
    regions: Vec<Change>,
    prices: Vec<Change>,
    prices_gone: Vec<Change>,
}

impl OfferChanges {
    fn changes(self) -> Vec<Change> {
        let mut changes = self.types;
        changes.extend(self.types_gone);
        changes.extend(self.regions);
        changes.extend(self.prices);
        changes.extend(self.prices_gone);
        changes
    }

    fn compare(&mut self, [old, new]: [&OffersOf<'_, '_>; 2]) {
        for (key, offer) in &new.offers {
            let after = (new.catalog, offer);
            let Some(known) = old.offers.get(key) else {
                self.types.push(key.change(ChangeKind::TypeAdded));
                for (price, usd) in prices(new.catalog, offer) {
                    self.price(ChangeKind::PriceAdded, key, &price, [None, Some(usd)]);
                }
                continue;
            };
            let before = (old.catalog, known);
            self.fields(key, before, after);
            self.sold_in(key, before, after);
            self.moved(key, before, after);
        }
        for (key, offer) in &old.offers {
            if !new.offers.contains_key(key) {
                self.types_gone.push(key.change(ChangeKind::TypeRemoved));
                for (price, usd) in prices(old.catalog, offer) {
                    self.price(ChangeKind::PriceGone, key, &price, [Some(usd), None]);
                }
            }
        }
    }

    fn fields(&mut self, key: &OfferKey<'_>, before: OfferIn<'_, '_>, after: OfferIn<'_, '_>) {
        let nonempty = |value: &FieldValue<'_>| Some(value.text()).filter(|text| !text.is_empty());
        for ((field, old), (_, new)) in fields(before).into_iter().zip(fields(after)) {
            if old != new {
                self.types.push(Change {
                    field: field.to_owned(),
                    before: nonempty(&old),
                    after: nonempty(&new),
                    ..key.change(ChangeKind::TypeChanged)
                });
            }
        }
    }

    fn sold_in(&mut self, key: &OfferKey<'_>, before: OfferIn<'_, '_>, after: OfferIn<'_, '_>) {
        if region_ids(before).eq(region_ids(after)) {
            return;
        }
        let old: BTreeSet<&str> = region_ids(before).collect();
        let new: BTreeSet<&str> = region_ids(after).collect();
        let mut report = |kind, region: &str| {
            self.regions.push(Change {
                region: Some(region.to_owned()),
                ..key.change(kind)
            });
        };
        for region in new.difference(&old) {
            report(ChangeKind::RegionAdded, region);
        }
        for region in old.difference(&new) {
            report(ChangeKind::RegionGone, region);
        }
    }

    fn moved(&mut self, key: &OfferKey<'_>, before: OfferIn<'_, '_>, after: OfferIn<'_, '_>) {
        if prices(before.0, before.1).eq(prices(after.0, after.1)) {
            return;
        }
        let old: BTreeMap<PriceSubject<'_>, Usd> = prices(before.0, before.1).collect();
        let new: BTreeMap<PriceSubject<'_>, Usd> = prices(after.0, after.1).collect();
        for (price, usd) in &new {
            match old.get(price) {
                None => self.price(ChangeKind::PriceAdded, key, price, [None, Some(*usd)]),
                Some(known) if known != usd => {
                    self.price(
                        ChangeKind::PriceMoved,
                        key,
                        price,
                        [Some(*known), Some(*usd)],
                    );
                }
                Some(_) => {}
            }
        }
        for (price, usd) in old.iter().filter(|(price, _)| !new.contains_key(*price)) {
            // A price for every region replaces the prices of regions.
            let everywhere = PriceSubject {
                region: "",
                ..*price
            };
            match new.get(&everywhere) {
                Some(now) if now != usd => {
                    self.price(ChangeKind::PriceMoved, key, price, [Some(*usd), Some(*now)]);
                }
                Some(_) => {}
                None => self.price(ChangeKind::PriceGone, key, price, [Some(*usd), None]),
            }
        }
    }

    fn price(
        &mut self,
        kind: ChangeKind,
        key: &OfferKey<'_>,
        subject: &PriceSubject<'_>,
        usd: [Option<Usd>; 2],
    ) {
        let [before, after] = usd.map(|usd| usd.map(Usd::decimal));
        let moved = before.zip(after);
        let change = Change {
            field: subject.field(),
            region: (!subject.region.is_empty()).then(|| subject.region.to_owned()),
            before: before.map(number),
            after: after.map(number),
            percent: moved.map(|(before, after)| (after / before - 1.0) * 100.0),
            ..key.change(kind)
        };
        match kind {
            ChangeKind::PriceGone => self.prices_gone.push(change),
            _ => self.prices.push(change),
        }
    }
}

/// An offer, and the catalog that has it.
type OfferIn<'c, 'a> = (&'c Catalog<'a>, &'c Offer);

/// The value of a field, which becomes text only for output.
#[derive(PartialEq)]
enum FieldValue<'a> {
    Text(Cow<'a, str>),
    Number(Option<f64>),
    /// A size of a host: for one accelerator if the flag is set, otherwise for the machine.
    OfHost(Option<f64>, bool),
}

impl FieldValue<'_> {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::OfHost(Some(value), true) => format!("{} per accelerator", number(*value)),
            Self::Number(value) | Self::OfHost(value, _) => value.map(number).unwrap_or_default(),
        }
    }
}

/// The regions where an offer is sold.
fn region_ids<'c, 'a>(
    (catalog, offer): OfferIn<'c, 'a>,
) -> impl Iterator<Item = &'a str> + use<'c, 'a> {
    let regions = catalog.regions(offer.regions).iter();
    regions.map(move |id| catalog.region_id(id))
}

/// The value of a plain column, by its kind.
macro_rules! column_value {
    ($catalog:ident, $value:expr, Text) => {
        FieldValue::Text(Cow::Borrowed($catalog.str($value)))
    };
    ($catalog:ident, $value:expr, Figure) => {
        FieldValue::Number($value)
    };
}

macro_rules! define_fields {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $(($bounds:ident))?;)+) => {
        /// The number of fields of an offer that are compared.
        const FIELDS: usize = 9 + [$(stringify!($name)),+].len();

        fn fields<'a>(
            (catalog, offer): OfferIn<'_, 'a>,
        ) -> [(&'static str, FieldValue<'a>); FIELDS] {
            // Changes of regions and prices are separate; a source and a date are not facts. The pattern names every
            // field, so that a new field cannot be forgotten.
            let Offer {
                provider: _,
                id: _,
                kind,
                hosts,
                accelerator: _,
                accelerators,
                count,
                max_count,
                counts,
                vcpu,
                host_memory_gib,
                vcpu_per_accelerator,
                host_memory_per_accelerator,
                status,
                regions: _,
                source: _,
                as_of: _,
                prices: _,
                $($name,)+
            } = *offer;
            let word = |word: &'static str| FieldValue::Text(Cow::Borrowed(word));
            let count_of = |count: Option<Count>| FieldValue::Number(count.map(Count::decimal));
            let ids = catalog.accelerators(accelerators).iter();
            let ids = ids.map(|id| Cow::Borrowed(catalog.accelerator_id(id)));
            let counts = catalog.sold_counts.run(counts).iter();
            let counts = counts.map(|count| Cow::Owned(count.to_string()));
            [
                ("kind", word(kind.word())),
                ("hosts", FieldValue::Number(Some(hosts.into()))),
                ("any_of", joined(ids)),
                ("count", count_of(count)),
                ("max_count", count_of(max_count)),
                ("counts", joined(counts)),
                ("vcpu", FieldValue::OfHost(vcpu, vcpu_per_accelerator)),
                (
                    "host_memory_gib",
                    FieldValue::OfHost(host_memory_gib, host_memory_per_accelerator),
                ),
                ("status", word(status.word())),
                $((stringify!($name), column_value!(catalog, $name, $kind)),)+
            ]
        }
    };
}

sky_accel_core::offer_columns!(define_fields);

/// Joins texts to one value. A single text, as nearly every offer has, is not copied.
fn joined<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> FieldValue<'a> {
    let texts: Vec<Cow<'a, str>> = texts.collect();
    match <[_; 1]>::try_from(texts) {
        Ok([text]) => FieldValue::Text(text),
        Err(texts) => FieldValue::Text(Cow::Owned(texts.join(", "))),
    }
}

/// The subject of a price.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PriceSubject<'a> {
    capacity: CapacityType,
    tier: Option<&'a str>,
    count: Option<Count>,
    is_for_one: bool,
    /// Empty if the price names no region.
    region: &'a str,
}

impl PriceSubject<'_> {
    fn field(&self) -> String {
        let capacity = self.capacity.word();
        let tier = self.tier.map(|tier| format!(" {tier}")).unwrap_or_default();
        let count = match self.count {
            Some(count) => format!(" of {count}"),
            None if self.is_for_one => " of one".to_owned(),
            None => String::new(),
        };
        format!("{capacity}{tier}{count}")
    }
}

fn prices<'c, 'a>(
    catalog: &'c Catalog<'a>,
    offer: &Offer,
) -> impl Iterator<Item = (PriceSubject<'a>, Usd)> + use<'c, 'a> {
    let tiers = catalog.provider(offer.provider).tiers;
    let of_machine = offer.count;
    catalog.prices(offer).into_iter().map(move |price| {
        let is_for_one = price.count.is_none() && price.per_accelerator;
        // A price of one accelerator of a machine is a price of the machine.
        let count = of_machine.filter(|_| is_for_one);
        let subject = PriceSubject {
            capacity: price.capacity,
            tier: catalog.strings(tiers).nth(price.tier.into()),
            count: price.count,
            is_for_one: is_for_one && count.is_none(),
            region: price.region.map_or("", |id| catalog.region_id(id)),
        };
        (
            subject,
            count.map_or(price.usd, |count| price.usd.times(count)),
        )
    })
}
