//! The machines to size if very many are on offer.
//!
//! A model runs alike on machines with the same devices. Among machines whose prices are equally sound, the cheapest of
//! a few providers therefore fill an answer: a more expensive machine can be neither listed nor picked.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Catalog, Offer, OfferId, Price, ProviderId, SoldAccelerator,
    Status,
};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{CapacityFilter, Request, quote};

/// Every offer is sized up to this number, so that an answer accounts for all of them.
pub(super) const MANY: usize = if cfg!(test) { 64 } else { 4096 };

/// The number of providers to choose picks from: the best, or a provider of no other pick.
const PICKED: usize = 6;

/// The number of sources that confirm a price.
const CONFIRMED: u8 = 2;

/// The properties of a machine and its price, other than the amount, that its place in an answer depends on: as one
/// number, since very many are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MachineKind(u128);

impl MachineKind {
    fn of(count: Count, offer: &Offer, price: &Price, keep_days: u16) -> Self {
        let properties = [
            (count.0, 32),
            (price.as_of.start, 32),
            (price.as_of.len.min(0xff), 8),
            (keep_days.into(), 16),
            (offer.kind as u32, 8),
            (price.kind as u32, 8),
            (price.quality as u32, 8),
            (u32::from(price.sources >= CONFIRMED), 1),
            (u32::from(offer.regions.len > 0), 1),
        ];
        let number = properties
            .into_iter()
            .fold(0, |number: u128, (value, bits)| {
                number << bits | u128::from(value)
            });
        Self(number)
    }
}

/// An offer with the lowest price that it can have.
#[derive(Clone, Copy)]
struct Entry {
    kind: MachineKind,
    usd: Usd,
    provider: ProviderId,
    offer: OfferId,
}

/// Offers of one accelerator and one kind, the cheapest first.
struct Group {
    accelerator: AcceleratorId,
    entries: Vec<Entry>,
    /// The best machine of each provider that no other machine of the provider can replace, with its price.
    settled: BTreeMap<ProviderId, (Usd, OfferId)>,
    /// True if such machines serve the work, whatever they cost.
    serves: bool,
}

/// The offers of a spec to size.
pub(super) struct Shortlist {
    /// The number of providers per group that fill an answer.
    enough: usize,
    groups: Vec<Group>,
    /// The group of each offer of the catalog; `None` for others.
    group_of: Vec<Option<u32>>,
    /// The offers of the catalog to size.
    listed: Vec<bool>,
}

impl Shortlist {
    /// The shortlist of the offers with a fixed count, or without one, for an answer with a number of rows; `None` if
    /// all offers need sizing.
    pub fn of(
        catalog: &Catalog<'_>,
        (offers, rows): (&Request, usize),
        wanted: &BoundChoice,
        is_fixed: bool,
    ) -> Option<Self> {
        let candidates = wanted.candidates.iter();
        let sold = candidates.flat_map(|candidate| catalog.sold(candidate.accelerator));
        let meant = sold.filter(|sold| sold.count.is_some() == is_fixed);
        if meant.take(MANY + 1).count() <= MANY {
            return None;
        }
        let mut list = Self {
            enough: rows.max(PICKED),
            groups: Vec::new(),
            group_of: vec![None; catalog.offers.len()],
            listed: vec![false; catalog.offers.len()],
        };
        for candidate in &wanted.candidates {
            let mut entries = Vec::new();
            for sold in catalog.sold(candidate.accelerator) {
                let is_meant = sold.count.is_some() == is_fixed && sold.status == Status::Offered;
                if !is_meant {
                    continue;
                }
                match entry(catalog, offers, wanted, &sold) {
                    Some(entry) => entries.push(entry),
                    None => list.listed[sold.offer.index()] = true,
                }
            }
            entries.sort_by(|a: &Entry, b| {
                a.kind
                    .cmp(&b.kind)
                    .then_with(|| order(catalog, (a.usd, a.offer), (b.usd, b.offer)))
            });
            for entries in entries.chunk_by(|a, b| a.kind == b.kind) {
                list.add(candidate.accelerator, entries);
            }
        }
        Some(list)
    }

    fn add(&mut self, accelerator: AcceleratorId, entries: &[Entry]) {
        let group = self.groups.len() as u32;
        let mut providers: Vec<ProviderId> = Vec::new();
        for entry in entries {
            let at = entry.offer.index();
            self.group_of[at] = Some(group);
            if providers.len() < self.enough && !providers.contains(&entry.provider) {
                providers.push(entry.provider);
                self.listed[at] = true;
            }
        }
        self.groups.push(Group {
            accelerator,
            entries: entries.to_vec(),
            settled: BTreeMap::new(),
            serves: false,
        });
    }

    /// True for an offer to size.
    pub fn has(&self, sold: &SoldAccelerator) -> bool {
        self.listed.get(sold.offer.index()) == Some(&true)
    }

    /// Settles the machine of a provider: no more expensive machine of its group is better. `serves` is true if the
    /// machine serves the work, whatever it costs.
    pub fn settle(&mut self, catalog: &Catalog<'_>, offer: OfferId, usd: Usd, serves: bool) {
        let group = self.group_of.get(offer.index()).copied().flatten();
        let Some(group) = group.and_then(|at| self.groups.get_mut(at as usize)) else {
            return;
        };
        group.serves |= serves;
        let found = (usd, offer);
        let provider = catalog.offer(offer).provider;
        let best = group.settled.entry(provider).or_insert(found);
        if order(catalog, found, *best).is_lt() {
            *best = found;
        }
    }

    /// Replaces the offers to size by the others that may still be among the answers. `most` is the maximum price.
    pub fn rest(&mut self, catalog: &Catalog<'_>, most: Option<Usd>) -> Rest {
        let mut rest = Rest::default();
        let done = std::mem::replace(&mut self.listed, vec![false; catalog.offers.len()]);
        for group in &self.groups {
            let settled = group.settled.values().copied();
            let last = settled.max_by(|a, b| order(catalog, *a, *b));
            let last = last.filter(|_| group.settled.len() >= self.enough);
            let others = group.entries.iter();
            for entry in others.filter(|entry| !done[entry.offer.index()]) {
                let limit = group.settled.get(&entry.provider).copied().or(last);
                let this = (entry.usd, entry.offer);
                if limit.is_none_or(|limit| order(catalog, this, limit).is_lt()) {
                    self.listed[entry.offer.index()] = true;
                    rest.open += 1;
                    continue;
                }
                rest.skipped += 1;
                if group.serves && most.is_none_or(|most| entry.usd <= most) {
                    rest.left_out.insert((entry.provider, group.accelerator));
                }
            }
        }
        rest
    }
}

/// The offers that were not sized at first.
#[derive(Default)]
pub(super) struct Rest {
    /// The number of offers to size.
    pub open: usize,
    /// The number of offers that cannot be among the answers.
    pub skipped: usize,
    /// The providers and accelerators of machines that serve the work within the price limit.
    pub left_out: BTreeSet<(ProviderId, AcceleratorId)>,
}

impl Rest {
    /// Adds the rest of another spec.
    pub fn add(&mut self, other: Self) {
        self.open += other.open;
        self.skipped += other.skipped;
        self.left_out.extend(other.left_out);
    }
}

/// The order of machines with the same devices.
fn order(catalog: &Catalog<'_>, a: (Usd, OfferId), b: (Usd, OfferId)) -> Ordering {
    let id = |offer: OfferId| catalog.pool.bytes_of(catalog.offer(offer).id);
    a.0.cmp(&b.0)
        .then_with(|| id(a.1).cmp(id(b.1)))
        .then(a.1.cmp(&b.1))
}

/// The entry of an offer; `None` if it cannot be compared with others.
fn entry(
    catalog: &Catalog<'_>,
    offers: &Request,
    wanted: &BoundChoice,
    sold: &SoldAccelerator,
) -> Option<Entry> {
    let count = sold.count.unwrap_or(wanted.count.min);
    let offer = catalog.offer(sold.offer);
    // The name of an offer may cover several accelerators, and the memory of a fraction is its own.
    if offer.accelerators.len != 1 || offer.mig_profile.len > 0 || !count.is_whole() {
        return None;
    }
    let filter = offers.capacity_filter;
    let ranks = |price: &Price| {
        let is_of_type = match filter {
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => {
                price.capacity == CapacityType::OnDemand
            }
            CapacityFilter::Spot => price.capacity == CapacityType::Spot,
            CapacityFilter::Any => true,
        };
        is_of_type && price.count.is_none_or(|other| other == count)
    };
    let likely = offers.likely.as_ref();
    let keep_days = catalog.provider(offer.provider).price_max_age_days;
    let prices = catalog.prices(&offer).iter().zip(offer.prices.start..);
    let mut lowest: Option<(MachineKind, Usd)> = None;
    for (price, at) in prices.filter(|(price, _)| ranks(price)) {
        let kind = MachineKind::of(count, &offer, &price, keep_days);
        let usd = quote(catalog, likely, &offer, &price, at, count).likely.usd;
        lowest = match lowest {
            Some((other, _)) if other != kind => return None,
            Some((_, least)) => Some((kind, least.min(usd))),
            None => Some((kind, usd)),
        };
    }
    let (kind, usd) = lowest?;
    Some(Entry {
        kind,
        usd,
        provider: sold.provider,
        offer: sold.offer,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use sky_accel_catalog::{Layer, Source, Tables, compile};
    use sky_accel_core::bind::BoundChoice;
    use sky_accel_core::catalog::{AcceleratorId, Catalog, OfferId};
    use sky_accel_core::money::{Count, Usd};
    use sky_accel_core::resolve::Request;
    use sky_accel_core::spec::CountRange;
    use sky_accel_embedded::test_catalog::files;

    use super::{MANY, Shortlist};
    use crate::contract::RecommendOut;
    use crate::recommend::Recommendation;
    use crate::recommend_words::Objective;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, OfferFilter, RecommendRequest};

    const CLOUDS: usize = 30;
    const ACCELERATORS: [&str; 5] = [
        "H100-80GB-SXM",
        "L40S",
        "A100-80GB-SXM",
        "MI300X",
        "RTX4090",
    ];

    /// The price list of a cloud: old and new prices, prices of third parties, and hosts with little memory.
    fn offers(cloud: usize) -> String {
        let mut seed = cloud as u64 + 1;
        let mut random = |below: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut toml = format!(
            "sold_by = \"cloud-{cloud}\"\n[[provider]]\nid = \"cloud-{cloud}\"\n[defaults]\nsource = \"list\"\n"
        );
        for at in 0..20 {
            let (accelerator, count) = (ACCELERATORS[at % ACCELERATORS.len()], 1 << random(3));
            let id = format!("c{cloud}-{}-{at}", random(100));
            let memory = [64, 512, 1024][random(3) as usize];
            let usd = count as f64 * (0.5 + random(20) as f64 / 10.0);
            let as_of = ["2026-11-01", "2026-11-01", "2026-10", "2025-02-01"][random(4) as usize];
            let quality = ["provider", "provider", "aggregator"][random(3) as usize];
            let regions = ["", "regions = [\"here\"]\n"][random(2) as usize];
            let _ = write!(
                toml,
                "[[offer]]\nid = \"{id}\"\naccelerator = \"{accelerator}\"\ncount = {count}\nhost_memory_gib = {memory}\n\
                 as_of = \"{as_of}\"\n{regions}[[price]]\noffer = \"{id}\"\nusd_per_hour = {usd}\nas_of = \"{as_of}\"\n\
                 quality = \"{quality}\"\n"
            );
        }
        toml
    }

    fn tables() -> Tables {
        let mut sources: Vec<Source> = files()
            .iter()
            .map(|file| Source::toml(Layer::EMBEDDED, file.path, file.text))
            .collect();
        let lists = (0..CLOUDS).map(|cloud| {
            let path = format!("cloud-{cloud}.toml");
            Source::toml(Layer::EMBEDDED, &path, offers(cloud))
        });
        sources.extend(lists);
        compile(&sources).unwrap()
    }

    fn words(row: &RecommendOut<'_>) -> String {
        let offer = &row.offer;
        format!(
            "{} {} {:?} {:?} {:?}",
            offer.provider, offer.instance_type, row.usd_per_hour, row.pareto, row.tier
        )
    }

    #[test]
    fn many_offers_have_the_answer_of_all_offers() {
        let tables = tables();
        let engine = Engine::new(tables.catalog(), jiff::civil::date(2026, 11, 26));
        let ask =
            |users: Option<f64>, objective: Objective, every_machine: bool| -> Recommendation<'_> {
                let request = RecommendRequest {
                    run: RunRequest {
                        model: Some(ModelSource::read("Llama-3.1-8B")),
                        concurrency: users,
                        ..RunRequest::default()
                    },
                    objective,
                    every_machine,
                    offers: OfferFilter {
                        limit: Some(if every_machine { 5000 } else { 10 }),
                        ..OfferFilter::default()
                    },
                    ..RecommendRequest::default()
                };
                engine.recommend(&request, None).unwrap()
            };
        for (users, objective) in [
            (None, Objective::Cost),
            (Some(50.0), Objective::Cost),
            (None, Objective::Speed),
            (None, Objective::Memory),
        ] {
            let (some, all) = (ask(users, objective, false), ask(users, objective, true));
            // Some machines are not sized.
            assert!(some.points.len() < all.points.len());
            let mut seen = BTreeSet::new();
            let is_picked = |row: &&RecommendOut<'_>| {
                let offer = &row.offer;
                let mut picks = all.envelope.more.picks.iter();
                picks.any(|pick| {
                    pick.provider == offer.provider && pick.instance_type == offer.instance_type
                })
            };
            let best = all.envelope.results.iter().filter(|row| {
                let key = (
                    row.offer.provider,
                    row.offer.accelerator,
                    format!("{:?}", row.tier),
                );
                seen.insert(key) || is_picked(row)
            });
            let best: Vec<String> = best.take(10).map(words).collect();
            let rows: Vec<String> = some.envelope.results.iter().map(words).collect();
            assert_eq!(rows, best, "{users:?} {objective:?}");
            let picks = |answer: &Recommendation<'_>| {
                let picks = answer.envelope.more.picks.iter();
                let words = picks.map(|pick| {
                    format!(
                        "{:?} {} {}",
                        (pick.kind, &pick.also),
                        pick.provider,
                        pick.instance_type
                    )
                });
                words.collect::<Vec<_>>()
            };
            assert_eq!(picks(&some), picks(&all), "{users:?} {objective:?}");
        }
    }

    /// Offers of three H100s, which no file of the frozen catalog sells: the provider, the id and the price, and what
    /// else the price and the provider state.
    const OF_THREE: [(&str, &str, &str, &str); 16] = [
        ("p0", "z", "3", ""),
        ("p0", "y", "3", ""),
        ("p0", "x", "3.5", ""),
        ("p1", "a", "4", ""),
        ("p2", "a", "5", ""),
        ("p3", "a", "6", ""),
        ("p4", "a", "7", ""),
        ("p5", "a", "8", ""),
        ("p5", "b", "9", ""),
        ("p6", "a", "8.5", ""),
        ("p6", "b", "20", ""),
        // Other kinds of prices and machines are not compared with these.
        ("p6", "old", "30", "as_of = \"2026-10-03\"\n"),
        ("p6", "guess", "30", "kind = \"estimate\"\n"),
        ("p6", "third-party", "30", "quality = \"aggregator\"\n"),
        ("p6", "here", "30", "regions"),
        ("p7", "slow-to-change", "30", "price_max_age_days"),
    ];

    /// Five H100s at a provider: a machine with two prices of one kind, one between them, and one with prices of two
    /// kinds, which cannot be compared.
    const OF_FIVE: &str = r#"
        sold_by = "p8"
        provider = [{ id = "p8" }]
        defaults = { source = "list", as_of = "2026-11-03" }
        offer = [
            { id = "p8-between", accelerator = "H100-80GB-SXM", count = 5 },
            { id = "p8-two-kinds", accelerator = "H100-80GB-SXM", count = 5 },
            { id = "p8-two-regions", accelerator = "H100-80GB-SXM", count = 5 },
        ]
        price = [
            { offer = "p8-between", usd_per_hour = 10 },
            { offer = "p8-two-kinds", usd_per_hour = 20 },
            { offer = "p8-two-kinds", usd_per_hour = 21, regions = ["here"], kind = "estimate" },
            { offer = "p8-two-kinds", usd_per_hour = 22, regions = ["there"] },
            { offer = "p8-two-regions", usd_per_hour = 9, regions = ["here"] },
            { offer = "p8-two-regions", usd_per_hour = 30, regions = ["there"] },
        ]
    "#;

    fn three_devices() -> Tables {
        let mut sources: Vec<Source> = files()
            .iter()
            .map(|file| Source::toml(Layer::EMBEDDED, file.path, file.text))
            .collect();
        for provider in ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"] {
            let days = if provider == "p7" { 300 } else { 30 };
            let mut toml = format!(
                "sold_by = \"{provider}\"\n[[provider]]\nid = \"{provider}\"\nprice_max_age_days = {days}\n\
                 [defaults]\nsource = \"list\"\nas_of = \"2026-11-03\"\n"
            );
            for (_, id, usd, other) in OF_THREE.iter().filter(|(of, ..)| *of == provider) {
                let regions = if *other == "regions" {
                    "regions = [\"here\"]\n"
                } else {
                    ""
                };
                let other = if other.contains('=') { other } else { "" };
                let _ = write!(
                    toml,
                    "[[offer]]\nid = \"{provider}-{id}\"\naccelerator = \"H100-80GB-SXM\"\ncount = 3\n{regions}\
                     [[price]]\noffer = \"{provider}-{id}\"\nusd_per_hour = {usd}\n{other}"
                );
            }
            sources.push(Source::toml(
                Layer::EMBEDDED,
                &format!("{provider}.toml"),
                toml,
            ));
        }
        sources.push(Source::toml(Layer::EMBEDDED, "p8.toml", OF_FIVE));
        compile(&sources).unwrap()
    }

    /// The shortlist of machines with a fixed number of H100s, for a number of rows.
    fn shortlist(catalog: &Catalog<'_>, rows: usize) -> Shortlist {
        let mut names = catalog.accelerators.iter().map(|row| catalog.str(row.id));
        let id = AcceleratorId::of_index(names.position(|name| name == "H100-80GB-SXM").unwrap());
        let any = CountRange {
            min: Count(1),
            max: None,
        };
        let wanted = BoundChoice::accelerator(catalog, id, Some(any));
        Shortlist::of(catalog, (&Request::default(), rows), &wanted, true).unwrap()
    }

    /// The offer with an id.
    fn offer_named(catalog: &Catalog<'_>, id: &str) -> OfferId {
        let found = catalog
            .offers
            .iter()
            .position(|offer| catalog.str(offer.id) == id);
        OfferId::of_index(found.unwrap())
    }

    /// The ids of the offers of three H100s to size.
    fn listed(catalog: &Catalog<'_>, list: &Shortlist) -> Vec<String> {
        let ids = OF_THREE
            .iter()
            .map(|(provider, id, ..)| format!("{provider}-{id}"));
        ids.filter(|id| list.listed[offer_named(catalog, id).index()])
            .collect()
    }

    #[test]
    fn the_first_machine_by_price_and_id_of_the_cheapest_providers_is_sized() {
        let tables = three_devices();
        let catalog = tables.catalog();
        // Of two machines at one price, the first by id; the seventh provider has no place beside six others, except with
        // prices of other kinds.
        let others = [
            "p6-old",
            "p6-guess",
            "p6-third-party",
            "p6-here",
            "p7-slow-to-change",
        ];
        let first = ["p0-y", "p1-a", "p2-a", "p3-a", "p4-a", "p5-a"];
        let few: Vec<&str> = first.into_iter().chain(others).collect();
        assert_eq!(listed(&catalog, &shortlist(&catalog, 1)), few);
        // The lowest price of a machine decides, and machines with several kinds of prices are all sized.
        let list = shortlist(&catalog, 1);
        let of_five = ["between", "two-kinds", "two-regions"].map(|id| {
            let at = offer_named(&catalog, &format!("p8-{id}")).index();
            list.listed[at]
        });
        assert_eq!(of_five, [false, true, true]);
        // More rows need more providers.
        let first = ["p0-y", "p1-a", "p2-a", "p3-a", "p4-a", "p5-a", "p6-a"];
        let more: Vec<&str> = first.into_iter().chain(others).collect();
        assert_eq!(listed(&catalog, &shortlist(&catalog, 7)), more);
    }

    #[test]
    fn only_machines_before_the_settled_ones_are_sized_later() {
        let tables = three_devices();
        let catalog = tables.catalog();
        let usd = |dollars: f64| Usd((dollars * 1e6) as u64);
        let settled = |machines: &[(&str, f64, bool)]| {
            let mut list = shortlist(&catalog, 1);
            for (id, dollars, serves) in machines {
                list.settle(&catalog, offer_named(&catalog, id), usd(*dollars), *serves);
            }
            list
        };
        let six = [
            ("p0-y", 3.0, false),
            ("p1-a", 4.0, true),
            ("p2-a", 5.0, false),
            ("p3-a", 6.0, false),
            ("p4-a", 7.0, false),
            ("p5-a", 8.75, false),
        ];
        let rest = |mut list: Shortlist, most: Option<f64>| {
            let rest = list.rest(&catalog, most.map(usd));
            let left_out: Vec<String> = rest
                .left_out
                .iter()
                .map(|(provider, _)| catalog.provider_id(*provider).to_owned())
                .filter(|provider| provider.starts_with('p') && provider.len() == 2)
                .collect();
            (listed(&catalog, &list), left_out)
        };
        let names = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        // A provider without a settled machine is compared with the last settled machine.
        let (open, left_out) = rest(settled(&six), None);
        assert_eq!(open, ["p6-a"]);
        assert_eq!(left_out, names(&["p0", "p5", "p6"]));
        // Machines above the price limit are not mentioned, one at the limit is.
        assert_eq!(rest(settled(&six), Some(3.5)).1, names(&["p0"]));
        assert_eq!(rest(settled(&six), Some(3.0)).1, names(&["p0"]));
        assert_eq!(rest(settled(&six), Some(2.99)).1, names(&[]));
        // While fewer than six providers have one, all their other machines may still be among the answers.
        let (open, _) = rest(settled(&six[..5]), None);
        assert_eq!(open, ["p5-b", "p6-a", "p6-b"]);
        // A provider keeps its best machine, in whichever order they are settled.
        let mut twice = six.to_vec();
        twice.insert(0, ("p5-b", 9.25, false));
        assert_eq!(rest(settled(&twice), None).0, ["p6-a"]);
        twice.remove(0);
        twice.push(("p5-b", 9.25, false));
        assert_eq!(rest(settled(&twice), None).0, ["p6-a"]);
        // Among equal prices, the smaller id is the better machine.
        let mut later = six.to_vec();
        later[0] = ("p0-z", 3.0, false);
        assert_eq!(rest(settled(&later), None).0, ["p6-a"]);
        // No machine serves the work, so no name is mentioned.
        let mut none = six.to_vec();
        none[1].2 = false;
        assert_eq!(rest(settled(&none), None).1, names(&[]));
    }

    #[test]
    fn a_spec_with_few_offers_needs_no_shortlist() {
        let tables = three_devices();
        let catalog = tables.catalog();
        let sold = |at: usize| {
            let id = AcceleratorId::of_index(at);
            (
                id,
                catalog
                    .sold(id)
                    .iter()
                    .filter(|sold| sold.count.is_some())
                    .count(),
            )
        };
        let mut seen = [false; 2];
        for (id, offers) in (0..catalog.accelerators.len()).map(sold) {
            let wanted = BoundChoice::accelerator(&catalog, id, None);
            let list = Shortlist::of(&catalog, (&Request::default(), 1), &wanted, true);
            assert_eq!(list.is_some(), offers > MANY);
            seen[usize::from(offers > MANY)] = true;
        }
        assert_eq!(seen, [true, true]);
    }
}
