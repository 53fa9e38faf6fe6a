//! The differences between two catalogs.

use std::collections::{BTreeMap, BTreeSet};

use sky_accel_core::catalog::{
    Accelerator, AcceleratorId, CapacityType, Catalog, ChangeKind, Offer, Override,
};
use sky_accel_core::money::Count;
use sky_accel_core::text::number;

use crate::facts::facts;
use crate::{Tables, parallel};

/// One change from an older catalog to a newer one.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The kind of the change, which determines the other fields that are set.
    pub kind: ChangeKind,
    /// The id of the provider; empty for changes of accelerators.
    pub provider: String,
    /// The id of the accelerator, offer or provider that changed; for another fact its kind and name,
    /// such as `model Llama-3.1-8B`.
    pub what: String,
    /// The id of the accelerator, also for an offer; empty for changes of providers.
    pub accelerator: String,
    /// The name of the changed field, such as `memory_gb`. For a price, its capacity type with the
    /// price tier and the count where it has them, such as `spot secure of 8`. Empty otherwise.
    pub field: String,
    /// The region of a region or price that changed; `None` for a price that holds in every region,
    /// and for other changes.
    pub region: Option<String>,
    /// The old value; `None` if unknown or not applicable. A price is in USD per hour: for the
    /// count in `field`, otherwise for the whole offer.
    pub before: Option<String>,
    /// The new value, in the form of `before`; `None` if unknown or not applicable.
    pub after: Option<String>,
    /// The change of a price in percent, negative if it fell; `None` unless a price moved.
    pub percent: Option<f64>,
}

/// Returns the changes from an older catalog to a newer one in a fixed order: accelerators,
/// providers, other facts, offers, regions, prices.
pub fn diff(before: &Catalog<'_>, after: &Catalog<'_>) -> Vec<Change> {
    let mut changes = diff_facts(before, after);
    let listed = [before.offers.to_vec(), after.offers.to_vec()];
    of_offers([before, after], &listed, &mut changes);
    changes
}

/// Returns the changes of everything but offers: accelerators, providers, other facts.
pub fn diff_facts(before: &Catalog<'_>, after: &Catalog<'_>) -> Vec<Change> {
    let of = |catalog: &Catalog<'_>| (accelerators(catalog), facts(catalog));
    let ((old, old_facts), (new, new_facts)) = parallel::join(|| of(before), || of(after));
    let mut changes = Vec::new();
    tables(
        &old,
        &new,
        [ChangeKind::AcceleratorAdded, ChangeKind::AcceleratorRemoved],
        |key| Change::of(ChangeKind::FigureChanged, "", &key[0], &key[0]),
        &mut changes,
    );
    let providers = |catalog: &Catalog<'_>| -> BTreeSet<String> {
        let rows = catalog.providers.iter();
        rows.map(|row| catalog.str(row.id).to_owned()).collect()
    };
    let (old, new) = (providers(before), providers(after));
    for id in new.difference(&old) {
        changes.push(Change::of(ChangeKind::ProviderAdded, id, id, ""));
    }
    for id in old.difference(&new) {
        changes.push(Change::of(ChangeKind::ProviderRemoved, id, id, ""));
    }
    tables(
        &old_facts,
        &new_facts,
        [ChangeKind::FactAdded, ChangeKind::FactRemoved],
        |key| Change::of(ChangeKind::FactChanged, "", &key[0], ""),
        &mut changes,
    );
    changes
}

/// What names an offer in every catalog.
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

    /// The offers that a catalog has under this id: several where it covers several memory sizes.
    fn of_catalog(&self, catalog: &Catalog<'_>) -> Vec<Offer> {
        let Some(provider) = catalog.provider_named(self.provider) else {
            return Vec::new();
        };
        let offers = catalog.offers_with_id(provider, self.id);
        offers.map(|id| catalog.offer(id)).collect()
    }
}

/// Returns the changes of some offers, each of which one of the catalogs has. Of an offer that is new, nothing else is
/// said, and it is not looked up: there may be a million others.
pub fn diff_offers<'o>(
    before: &Catalog<'_>,
    after: &Catalog<'_>,
    offers: impl IntoIterator<Item = OfferKey<'o>>,
) -> Vec<Change> {
    let (mut listed, mut changes) = ([Vec::new(), Vec::new()], Vec::new());
    for offer in offers {
        let old = offer.of_catalog(before);
        if old.is_empty() {
            changes.push(offer.change(ChangeKind::TypeAdded));
            continue;
        }
        listed[0].extend(old);
        listed[1].extend(offer.of_catalog(after));
    }
    of_offers([before, after], &listed, &mut changes);
    changes
}

/// The changes of some offers of both catalogs, with their regions and prices.
fn of_offers(catalogs: [&Catalog<'_>; 2], offers: &[Vec<Offer>; 2], changes: &mut Vec<Change>) {
    let [before, after] = catalogs;
    let [old, new] = offers;
    tables(
        &types(before, old),
        &types(after, new),
        [ChangeKind::TypeAdded, ChangeKind::TypeRemoved],
        |key| Change::of(ChangeKind::TypeChanged, &key[0], &key[1], &key[2]),
        changes,
    );
    regions(&sold_in(before, old), &sold_in(after, new), changes);
    prices(&all_prices(before, old), &all_prices(after, new), changes);
}

impl Change {
    fn of(kind: ChangeKind, provider: &str, what: &str, accelerator: &str) -> Self {
        Self {
            kind,
            provider: provider.to_owned(),
            what: what.to_owned(),
            accelerator: accelerator.to_owned(),
            field: String::new(),
            region: None,
            before: None,
            after: None,
            percent: None,
        }
    }

    /// Returns the change in words for people, without a period.
    pub fn sentence(&self) -> String {
        let subject = if self.provider.is_empty() {
            self.what.clone()
        } else {
            format!("{} {}", self.provider, self.what)
        };
        let region = self.region.as_deref().unwrap_or("any region");
        let unknown = "unknown".to_owned();
        let before = self.before.as_ref().unwrap_or(&unknown);
        let after = self.after.as_ref().unwrap_or(&unknown);
        let field = &self.field;
        match self.kind {
            ChangeKind::AcceleratorAdded => format!("new accelerator {subject}"),
            ChangeKind::AcceleratorRemoved => format!("accelerator {subject} is gone"),
            ChangeKind::FactAdded => format!("new {subject}"),
            ChangeKind::FactRemoved => format!("{subject} is gone"),
            ChangeKind::ProviderAdded => format!("new provider {}", self.what),
            ChangeKind::ProviderRemoved => format!("provider {} is gone", self.what),
            ChangeKind::TypeAdded => format!("new type {subject}: {}", self.accelerator),
            ChangeKind::TypeRemoved => format!("type {subject} is gone"),
            ChangeKind::FigureChanged | ChangeKind::TypeChanged | ChangeKind::FactChanged => {
                format!("{subject}: {field} was {before}, is {after}")
            }
            ChangeKind::RegionAdded => format!("{subject}: now in {region}"),
            ChangeKind::RegionGone => format!("{subject}: no longer in {region}"),
            ChangeKind::PriceAdded => format!("{subject}: {field} in {region} is ${after}"),
            ChangeKind::PriceGone => {
                format!("{subject}: {field} in {region} was ${before}, is not known any more")
            }
            ChangeKind::PriceMoved => {
                let percent = self.percent.unwrap_or_default();
                format!("{subject}: {field} in {region} ${before} -> ${after} ({percent:+.1}%)")
            }
        }
    }
}

impl Tables {
    /// Sets the table of overrides: what the tables change of the catalog under the overlays.
    pub fn set_overrides(&mut self, embedded: &Catalog<'_>) {
        let changes = diff_facts(embedded, &self.catalog());
        let rows = changes.iter().map(|change| Override {
            kind: change.kind,
            provider: self.intern(&change.provider),
            what: self.intern(&change.what),
            accelerator: self.intern(&change.accelerator),
            field: self.intern(&change.field),
            before: self.intern(change.before.as_deref().unwrap_or_default()),
            after: self.intern(change.after.as_deref().unwrap_or_default()),
        });
        self.overrides = rows.collect();
    }
}

/// Returns the facts that overlays changed, as a catalog with overlays has them.
pub fn overrides<'a>(catalog: &Catalog<'a>) -> impl Iterator<Item = Change> + use<'a> {
    let catalog = *catalog;
    let text = move |text| catalog.text(text).map(str::to_owned);
    catalog.overrides.iter().map(move |row| Change {
        before: text(row.before),
        after: text(row.after),
        field: catalog.str(row.field).to_owned(),
        ..Change::of(
            row.kind,
            catalog.str(row.provider),
            catalog.str(row.what),
            catalog.str(row.accelerator),
        )
    })
}

type Rows<const N: usize> = BTreeMap<[String; N], Vec<(&'static str, String)>>;

/// Rows that came, went, or have another figure.
fn tables<const N: usize>(
    before: &Rows<N>,
    after: &Rows<N>,
    [added, removed]: [ChangeKind; 2],
    change: impl Fn(&[String; N]) -> Change,
    changes: &mut Vec<Change>,
) {
    for (key, new) in after {
        let Some(old) = before.get(key) else {
            changes.push(Change {
                kind: added,
                ..change(key)
            });
            continue;
        };
        for ((field, old), (_, new)) in old.iter().zip(new) {
            let known = |text: &String| (!text.is_empty()).then(|| text.clone());
            if old != new {
                changes.push(Change {
                    field: (*field).to_owned(),
                    before: known(old),
                    after: known(new),
                    ..change(key)
                });
            }
        }
    }
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        changes.push(Change {
            kind: removed,
            ..change(key)
        });
    }
}

fn figure(value: Option<f64>) -> String {
    value.map(number).unwrap_or_default()
}

fn accelerators(catalog: &Catalog<'_>) -> Rows<1> {
    let rows = catalog.accelerator_ids().map(|id| {
        let row = catalog.accelerator(id);
        // A new field has to be named here: compared, or left to another table.
        let Accelerator {
            id: word,
            family,
            vendor,
            line,
            architecture,
            class,
            form_factor,
            sdk,
            memory_gb,
            memory_mib,
            memory_mib_ec2,
            memory_type,
            memory_bandwidth_gb_s,
            fp64_tflops,
            fp32_tflops,
            tf32_tflops,
            fp16_tflops,
            bf16_tflops,
            fp8_tflops,
            fp4_tflops,
            int8_tops,
            tdp_w,
            interconnect,
            interconnect_gb_s,
            pcie_gen,
            compute_capability,
            cuda_min,
            cuda_last,
            rocm_gfx,
            mig,
            mig_geometry: _,
            release_year,
            max_per_node,
            note,
            sources: _,
            disputed: _,
            quoted_memory: _,
        } = row;
        let text = |text| catalog.str(text).to_owned();
        let geometry = catalog.geometry(&row);
        let fields = vec![
            ("family", text(family)),
            ("vendor", text(vendor)),
            ("line", text(line)),
            ("architecture", text(architecture)),
            ("class", text(class)),
            ("form_factor", text(form_factor)),
            ("sdk", text(sdk)),
            ("memory_gb", figure(memory_gb)),
            ("memory_mib", figure(memory_mib)),
            ("memory_mib_ec2", figure(memory_mib_ec2)),
            ("memory_type", text(memory_type)),
            ("memory_bandwidth_gb_s", figure(memory_bandwidth_gb_s)),
            ("fp64_tflops", figure(fp64_tflops)),
            ("fp32_tflops", figure(fp32_tflops)),
            ("tf32_tflops", figure(tf32_tflops)),
            ("fp16_tflops", figure(fp16_tflops)),
            ("bf16_tflops", figure(bf16_tflops)),
            ("fp8_tflops", figure(fp8_tflops)),
            ("fp4_tflops", figure(fp4_tflops)),
            ("int8_tops", figure(int8_tops)),
            ("tdp_w", figure(tdp_w)),
            ("interconnect", text(interconnect)),
            ("interconnect_gb_s", figure(interconnect_gb_s)),
            ("pcie_gen", figure(pcie_gen)),
            ("compute_capability", text(compute_capability)),
            ("cuda_min", text(cuda_min)),
            ("cuda_last", text(cuda_last)),
            ("rocm_gfx", text(rocm_gfx)),
            ("mig", mig.map(|mig| mig.to_string()).unwrap_or_default()),
            (
                "mig_geometry",
                geometry.map(|row| text(row.id)).unwrap_or_default(),
            ),
            ("release_year", figure(release_year)),
            ("max_per_node", figure(max_per_node)),
            ("note", text(note)),
            ("names", names(catalog, id)),
        ];
        ([text(word)], fields)
    });
    rows.collect()
}

/// The names that mean the accelerator, in order.
fn names(catalog: &Catalog<'_>, id: AcceleratorId) -> String {
    let spellings = catalog.spellings_of(id).iter();
    let names: BTreeSet<&str> = spellings.map(|row| catalog.str(row.text)).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Provider, its own id, accelerator.
fn key(catalog: &Catalog<'_>, offer: &Offer) -> [String; 3] {
    let key = OfferKey::of(catalog, offer);
    [key.provider, key.id, key.accelerator].map(str::to_owned)
}

fn types(catalog: &Catalog<'_>, offers: &[Offer]) -> Rows<3> {
    let rows = offers.iter().map(|offer| {
        // Regions and prices have changes of their own; a source and a date are no facts.
        let Offer {
            provider: _,
            id: _,
            display_name,
            kind,
            hosts,
            topology,
            upstream,
            accelerator: _,
            accelerators,
            count,
            max_count,
            counts,
            mig_profile,
            memory_mib,
            vcpu,
            host_memory_gib,
            vcpu_per_accelerator,
            host_memory_per_accelerator,
            host_arch,
            efa_interfaces,
            status,
            status_note,
            note,
            interruption_rate,
            regions: _,
            source: _,
            as_of: _,
            prices: _,
        } = *offer;
        let text = |text| catalog.str(text).to_owned();
        let ids = catalog.accelerators(accelerators).iter();
        let ids: Vec<&str> = ids.map(|id| catalog.accelerator_id(id)).collect();
        let fields = vec![
            ("display_name", text(display_name)),
            ("kind", kind.word().to_owned()),
            ("hosts", hosts.to_string()),
            ("topology", text(topology)),
            ("upstream", text(upstream)),
            ("any_of", ids.join(", ")),
            ("count", figure(count.map(Count::decimal))),
            ("max_count", figure(max_count.map(Count::decimal))),
            (
                "counts",
                format!("{:?}", catalog.sold_counts.run(counts).to_vec()),
            ),
            ("mig_profile", text(mig_profile)),
            ("memory_mib", figure(memory_mib)),
            ("vcpu", of_host(vcpu, vcpu_per_accelerator)),
            (
                "host_memory_gib",
                of_host(host_memory_gib, host_memory_per_accelerator),
            ),
            ("host_arch", text(host_arch)),
            ("efa_interfaces", figure(efa_interfaces)),
            ("status", status.word().to_owned()),
            ("status_note", text(status_note)),
            ("note", text(note)),
            ("interruption_rate", text(interruption_rate)),
        ];
        (key(catalog, offer), fields)
    });
    rows.collect()
}

/// A size of a host, for the machine or for one accelerator.
fn of_host(value: Option<f64>, is_per_accelerator: bool) -> String {
    match value {
        Some(value) if is_per_accelerator => format!("{} per accelerator", number(value)),
        _ => figure(value),
    }
}

/// The regions of each offer.
type SoldIn<'a> = BTreeMap<OfferKey<'a>, BTreeSet<&'a str>>;

fn sold_in<'a>(catalog: &Catalog<'a>, offers: &[Offer]) -> SoldIn<'a> {
    let rows = offers.iter().map(|offer| {
        let regions = catalog.regions(offer.regions).iter();
        let regions = regions.map(|id| catalog.region_id(id));
        (OfferKey::of(catalog, offer), regions.collect())
    });
    rows.collect()
}

fn regions(old: &SoldIn<'_>, new: &SoldIn<'_>, changes: &mut Vec<Change>) {
    for (key, new) in new {
        let Some(old) = old.get(key) else { continue };
        let mut say = |kind, region: &str| {
            changes.push(Change {
                region: Some(region.to_owned()),
                ..key.change(kind)
            });
        };
        for region in new.difference(old) {
            say(ChangeKind::RegionAdded, region);
        }
        for region in old.difference(new) {
            say(ChangeKind::RegionGone, region);
        }
    }
}

/// What a price is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Subject<'a> {
    offer: OfferKey<'a>,
    capacity: CapacityType,
    tier: Option<&'a str>,
    count: Option<Count>,
    is_for_one: bool,
    /// Empty where the price names none.
    region: &'a str,
}

impl Subject<'_> {
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

type Prices<'a> = BTreeMap<Subject<'a>, f64>;

fn all_prices<'a>(catalog: &Catalog<'a>, offers: &[Offer]) -> Prices<'a> {
    let mut usd = BTreeMap::new();
    for offer in offers {
        let tiers = catalog.provider(offer.provider).tiers;
        for price in catalog.prices(offer) {
            let subject = Subject {
                offer: OfferKey::of(catalog, offer),
                capacity: price.capacity,
                tier: catalog.strings(tiers).nth(price.tier.into()),
                count: price.count,
                is_for_one: price.count.is_none() && price.per_accelerator,
                region: price.region.map_or("", |id| catalog.region_id(id)),
            };
            usd.insert(subject, price.usd.decimal());
        }
    }
    usd
}

fn prices(old: &Prices<'_>, new: &Prices<'_>, changes: &mut Vec<Change>) {
    let mut say = |kind, subject: &Subject<'_>, before: Option<f64>, after: Option<f64>| {
        let moved = before.zip(after);
        changes.push(Change {
            field: subject.field(),
            region: (!subject.region.is_empty()).then(|| subject.region.to_owned()),
            before: before.map(number),
            after: after.map(number),
            percent: moved.map(|(before, after)| (after / before - 1.0) * 100.0),
            ..subject.offer.change(kind)
        });
    };
    for (subject, usd) in new {
        match old.get(subject) {
            None => say(ChangeKind::PriceAdded, subject, None, Some(*usd)),
            Some(other) if (other - usd).abs() > 1e-9 => {
                say(ChangeKind::PriceMoved, subject, Some(*other), Some(*usd));
            }
            Some(_) => {}
        }
    }
    for (subject, usd) in old
        .iter()
        .filter(|(subject, _)| !new.contains_key(*subject))
    {
        say(ChangeKind::PriceGone, subject, Some(*usd), None);
    }
}
