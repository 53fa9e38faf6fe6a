//! Offers as text for people: table, names.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use sky_accel_core::catalog::{Availability, CapacityType, Catalog, OfferKind, PriceKind, Status};
use sky_accel_core::resolve::{CapacityFilter, Reason};
use sky_accel_core::text::{counted, grouped, grouped_to, number};
use sky_accel_engine::Money;
use sky_accel_engine::contract::{Num, ObtainabilityOut, OfferOut, PriceOut};

use super::{commitments, prices, stock};
use crate::render::{Column, MarkNote, RowStyle, Table};

/// CSV columns of an offer, as paths into the JSON.
pub const OFFER_CSV: &[&str] = &[
    "spec",
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "memory_gb",
    "memory_mib",
    "total_memory_gb",
    "vcpu",
    "host_memory_gib",
    "host_arch",
    "status",
    "availability",
    "on_demand.usd_per_hour",
    "on_demand.usd_per_accelerator_hour",
    "on_demand.likely_usd_per_hour",
    "on_demand.age_days",
    "on_demand.region",
    "on_demand.kind",
    "on_demand.as_of",
    "on_demand.availability",
    "on_demand.offer_id",
    "spot.usd_per_hour",
    "spot.usd_per_accelerator_hour",
    "spot.likely_usd_per_hour",
    "spot.age_days",
    "spot.region",
    "spot.kind",
    "spot.as_of",
    "spot.availability",
    "spot.offer_id",
    "regions",
    "reasons",
    "on_demand.source",
    "on_demand.quality",
    "on_demand.currency.code",
    "on_demand.currency.per_hour",
    "spot.source",
    "spot.quality",
    "spot.currency.code",
    "spot.currency.per_hour",
    "hours",
    "billed_hours",
    "usd_total",
    "on_demand.low",
    "on_demand.high",
    "on_demand.sources",
    "spot.low",
    "spot.high",
    "spot.sources",
    "url",
    "sells",
    "on_demand.tier",
    "on_demand.doubts",
    "spot.tier",
    "spot.doubts",
];

/// CSV columns of an offer with the price of a commitment.
pub static COMMITTED_CSV: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let of_commitment = [
        "committed.usd_per_hour",
        "committed.usd_per_accelerator_hour",
        "committed.region",
        "committed.as_of",
        "committed.source",
        "committed.quality",
    ];
    [OFFER_CSV, &of_commitment].concat()
});

/// Marks a value that the provider does not offer.
const NONE: &str = "—";
/// Marks an unknown value.
pub(super) const UNKNOWN: &str = "?";
/// Marks the first choice.
pub const BEST_MARK: &str = "*";
/// Marks a doubtful row: narrow tables have no room for the remark.
pub const DOUBT_MARK: &str = "!";

/// Products that are not machines with whole devices.
pub const ENDPOINT: &str = "managed service";
pub const SHARE: &str = "share of a GPU";
pub const WITHOUT_HOST: &str = "without its host";

/// The title of the price of one accelerator.
const PER_GPU: &str = "PER GPU";

/// Columns that lead to the provider's page.
pub const LINKED: [&str; 2] = ["PROVIDER", "INSTANCE TYPE"];
/// The caption of a table of offers on a page.
const CAPTION: &str = "Best first. * is the first choice; ! marks offers to check first; ~ is the likely price of today, from an old one.";

/// Returns the page of a provider, unless its address depends on the machine.
pub fn provider_page<'c>(catalog: &Catalog<'c>, id: &str) -> Option<&'c str> {
    catalog.pricing_page(&catalog.provider(catalog.provider_named(id)?))
}

/// The position of the total among the cells of an offer: after the price.
const AFTER_PRICE: usize = 5;

/// Table of offers, best first.
pub struct OfferTable<'o> {
    /// Optional first column with its title, such as the spec or the role.
    pub lead: Option<(&'static str, Vec<String>)>,
    pub offers: Vec<&'o OfferOut<'o>>,
    pub capacity_filter: CapacityFilter,
    pub money: Money<'o>,
    pub wide: bool,
    /// Whether the price of one accelerator sorts the rows.
    pub is_by_one: bool,
}

/// CSV columns of a folded row: the group, then its best offer.
pub static FOLDED_CSV: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let group = [
        "group.key",
        "group.offers",
        "group.usd_per_hour_min",
        "group.usd_per_hour_max",
    ];
    [&group, OFFER_CSV].concat()
});

impl OfferTable<'_> {
    pub fn build(self) -> Table {
        let columns_of_stock = self.columns_of_stock();
        let columns = self.columns(&columns_of_stock);
        let (hours, is_committed) = (self.hours(), self.is_committed());
        let mut table = Table::new(columns).with_caption(CAPTION);
        let prices = self
            .offers
            .iter()
            .flat_map(|o| [&o.on_demand, &o.spot])
            .flatten();
        let each = |price: &PriceOut<'_>| self.money.from_usd(prices::likely_of_one(price));
        let places = if prices.clone().any(|price| each(price).0 < 1.0) {
            3
        } else {
            2
        };
        // A table in another order than the rank may begin with a share.
        let has_machines = self
            .offers
            .iter()
            .any(|offer| offer.sells == OfferKind::Machine);
        for (at, offer) in self.offers.iter().copied().enumerate() {
            let can_be_rented = stock::obstacle(offer, self.capacity_filter).is_none();
            let is_best = at == 0
                && can_be_rented
                && !is_doubtful(offer)
                && (offer.sells != OfferKind::Share || offer.count.0 < 1.0 || !has_machines)
                && offer.ranking_quote(self.capacity_filter).is_some();
            let style = match can_be_rented {
                _ if is_best => RowStyle::Best,
                true => RowStyle::Plain,
                false => RowStyle::Dim,
            };
            let mark = match () {
                () if is_best => BEST_MARK,
                () if is_doubtful(offer) => DOUBT_MARK,
                () => "",
            };
            let mut cells = vec![mark.to_owned()];
            cells.extend(
                self.lead
                    .as_ref()
                    .map(|(_, lead)| lead.get(at).cloned().unwrap_or_default()),
            );
            let mut figures = self.cells(offer, places, &columns_of_stock);
            let total = hours.map(|_| {
                prices::total(
                    offer.usd_total,
                    offer.ranking_quote(self.capacity_filter),
                    &self.money,
                )
            });
            figures.splice(AFTER_PRICE..AFTER_PRICE, total);
            if is_committed {
                let of_commitment = commitments::cells(offer, &self.money);
                figures.splice(AFTER_PRICE..AFTER_PRICE, of_commitment);
            }
            cells.extend(figures);
            table.row(style, cells);
            table.link(&LINKED, offer.url.as_deref());
        }
        if self.is_by_one && !self.has_one_count() {
            table.lead_with(PER_GPU, &self.price_title());
        }
        if self.wide {
            table = table.with_link_column();
        }
        table
    }

    fn columns(&self, columns_of_stock: &[&'static str]) -> Vec<Column> {
        let mut columns = vec![Column::left("", 0)];
        columns.extend(self.lead.as_ref().map(|(title, _)| Column::left(*title, 0)));
        columns.extend([
            Column::left("PROVIDER", 0),
            Column::left("INSTANCE TYPE", 0),
            Column::left("ACCELERATOR", 3),
            Column::right("COUNT", if self.has_one_count() { 3 } else { 0 }),
            Column::right(self.price_title(), 0),
        ]);
        let title = self
            .hours()
            .map(|hours| prices::total_title(hours, &self.money));
        columns.extend(title.map(|title| Column::right(title, 0)));
        columns.extend(
            self.is_committed()
                .then(|| commitments::columns(&self.money))
                .into_iter()
                .flatten(),
        );
        // Spot prices of one machine differ several times between regions.
        let is_spot = self.capacity_filter == CapacityFilter::Spot;
        let of_region = if is_spot { 1 } else { 6 };
        // A spot price that the request does not ask for is worth less than a remark.
        let is_asked = self.capacity_filter != CapacityFilter::Unspecified || self.is_committed();
        let of_other = if is_asked { 3 } else { 5 };
        let stated = Column::right("STATED", 1);
        columns.extend([
            if is_spot { stated } else { stated.yielding() },
            Column::of_ages(1),
            Column::right(PER_GPU, 7),
            Column::right(self.other_title(), of_other),
            Column::left("REGION", of_region),
            Column::right("VCPU", 9),
            Column::right("RAM GIB", 9),
        ]);
        columns.extend(
            columns_of_stock
                .iter()
                .map(|column| Column::left(*column, 1)),
        );
        // A reader has to see why a row is marked.
        let is_marked = |offer: &&OfferOut<'_>| {
            let has_status = status(offer, self.capacity_filter).is_some();
            has_status || is_doubtful(offer) || is_unreached(offer)
        };
        let is_brokered = |offer: &&OfferOut<'_>| offer.broker.is_some();
        columns.push(if self.offers.iter().any(is_marked) {
            Column::of_marks()
        } else if self.offers.iter().any(is_brokered) {
            Column::left("REMARK", 1).yielding()
        } else {
            Column::left("REMARK", 4).filling()
        });
        if self.wide {
            columns.extend([
                Column::right("MEM GB", 8),
                Column::right("MEM MIB", 8),
                Column::left("ARCH", 8),
                Column::left("KIND", 8),
                Column::left("AS OF", 8),
                Column::left("SPOT KIND", 8),
                Column::left("SPOT AS OF", 8),
                Column::left("SOURCE", 8),
            ]);
        }
        columns
    }

    /// The title of the price.
    fn price_title(&self) -> String {
        format!("{}/H", self.money.code)
    }

    /// The hours of the totals.
    fn hours(&self) -> Option<Num> {
        self.offers.iter().find_map(|offer| offer.hours)
    }

    /// The columns with stock and quotas that any row has. A price that is out of stock already has a status.
    fn columns_of_stock(&self) -> Vec<&'static str> {
        let answers = |offer| stock::of_offer(offer, self.capacity_filter);
        let mut titles = Vec::new();
        let has = |text: fn(&[&ObtainabilityOut]) -> String| {
            let mut offers = self.offers.iter();
            offers.any(|offer| !text(&answers(offer)).is_empty())
        };
        titles.extend(has(stock::stock).then_some(stock::STOCK));
        titles.extend(has(stock::quota).then_some(stock::QUOTA));
        titles
    }

    /// Whether the machines have the same number of accelerators, which the spec usually states.
    fn has_one_count(&self) -> bool {
        self.offers
            .windows(2)
            .all(|pair| pair[0].count == pair[1].count)
    }

    /// Whether committed prices rank the rows.
    fn is_committed(&self) -> bool {
        self.offers.iter().any(|offer| offer.is_by_commitment)
    }

    /// The title of the column with the prices that do not rank the rows.
    fn other_title(&self) -> &'static str {
        if self.is_committed() {
            return "ON-DEMAND";
        }
        match self.capacity_filter {
            CapacityFilter::Spot => "ON-DEMAND",
            CapacityFilter::Unspecified | CapacityFilter::OnDemand | CapacityFilter::Any => "SPOT",
        }
    }

    fn cells(&self, offer: &OfferOut, places: usize, of_stock: &[&str]) -> Vec<String> {
        let figure = |figure: Option<Num>| figure.map_or(UNKNOWN.to_owned(), |n| grouped(n.0));
        let absent = if offer.status == Status::ReservedOnly {
            NONE
        } else {
            UNKNOWN
        };
        let on_demand = offer.on_demand.as_ref();
        let spot = offer.spot.as_ref();
        let ruling = offer.ranking_quote(self.capacity_filter);
        let is_ruling =
            |price: &PriceOut<'_>| ruling.is_some_and(|ruling| std::ptr::eq(ruling, price));
        // With either kind of price in the column, AGE says which of them ranks the row.
        let is_marked = self.capacity_filter == CapacityFilter::Any && spot.is_some_and(is_ruling);
        let mark = if is_marked { prices::SPOT } else { "" };
        let (leading, other) = match self.capacity_filter {
            _ if offer.is_by_commitment => (ruling, on_demand),
            CapacityFilter::Spot => (spot, on_demand),
            CapacityFilter::Any => (ruling, spot),
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => (on_demand, spot),
        };
        // Hide prices at which the offer cannot be rented. The price that ranks the row is shown with its
        // status.
        let hourly = |price: Option<&PriceOut<'_>>, absent: &str| match price {
            Some(price) if is_out(price) && !is_ruling(price) => NONE.to_owned(),
            price => price.map_or(absent.to_owned(), |price| {
                prices::amount(price, &self.money, places)
            }),
        };
        // The mark of the row is of the price that ranks it.
        let doubt = other
            .filter(|price| !is_ruling(price) && is_price_doubtful(price))
            .map_or("", |_| DOUBT_MARK);
        let mut cells = vec![
            offer.provider.to_owned(),
            offer.instance_type.to_owned(),
            offer.accelerator.to_owned(),
            number(offer.count.0),
            hourly(leading, absent),
            ruling.map_or(String::new(), |price| {
                prices::stated(price, &self.money, places)
            }),
            ruling.map_or(String::new(), |price| prices::age(price) + mark),
            ruling.map_or(absent.to_owned(), |price| {
                prices::amount_of_one(price, &self.money, places)
            }),
            format!("{doubt}{}", hourly(other, UNKNOWN)),
            region(offer, self.capacity_filter, self.wide),
            figure(offer.vcpu),
            figure(offer.host_memory_gib),
        ];
        let answers = stock::of_offer(offer, self.capacity_filter);
        cells.extend(of_stock.iter().map(|column| match *column {
            stock::QUOTA => stock::quota(&answers),
            _ => stock::stock(&answers),
        }));
        cells.push(remark(offer, self.capacity_filter, &self.money));
        if self.wide {
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
            cells.extend([
                figure(offer.memory_gb),
                figure(offer.memory_mib),
                text(offer.host_arch),
                text(on_demand.map(|price| price.kind.word())),
                text(on_demand.map(|price| price.as_of)),
                text(spot.map(|price| price.kind.word())),
                text(spot.map(|price| price.as_of)),
                text(on_demand.map(|price| price.source).or(Some(offer.source))),
            ]);
        }
        cells
    }
}

/// Default number of rows in a table.
const FIRST_ROWS: usize = 10;

/// Returns the first rows of a table: the best offer of each provider, then the next best ones, in order.
pub fn first_rows<'o, 'a>(offers: &'o [OfferOut<'a>]) -> Vec<&'o OfferOut<'a>> {
    let mut providers = BTreeSet::new();
    let (best, others): (Vec<usize>, Vec<usize>) =
        (0..offers.len()).partition(|at| providers.insert(offers[*at].provider));
    let mut rows: Vec<usize> = best.into_iter().chain(others).take(FIRST_ROWS).collect();
    rows.sort_unstable();
    rows.into_iter().map(|at| &offers[at]).collect()
}

/// Returns `31 more: --all`, with `verbose` the number of other providers too; `None` if every offer is shown.
pub fn more_line(
    shown: &[&OfferOut<'_>],
    offers: &[OfferOut<'_>],
    verbose: bool,
) -> Option<String> {
    let more = offers.len() - shown.len();
    let seen: BTreeSet<&str> = shown.iter().map(|offer| offer.provider).collect();
    let others: BTreeSet<&str> = offers.iter().map(|offer| offer.provider).collect();
    let of_others = match others.difference(&seen).count() {
        n if verbose && n > 0 => format!(", with {}", counted(n, "other provider")),
        _ => String::new(),
    };
    (more > 0).then(|| format!("{} more{of_others}: --all", grouped(more as f64)))
}

/// Returns whether a live query did not reach an offer.
fn is_unreached(offer: &OfferOut<'_>) -> bool {
    offer.reasons.contains(&Reason::NotReached)
}

/// Returns whether an offer is doubtful: the price that ranks it, its host, or what is sold.
pub fn is_doubtful(offer: &OfferOut<'_>) -> bool {
    doubts(offer).next().is_some()
}

/// Returns the doubts about an offer in a few words each.
pub fn doubts(offer: &OfferOut<'_>) -> impl Iterator<Item = String> {
    doubts_about(&offer.reasons, offer.sells, offer.count)
}

/// Returns the doubts about an offer as one text, for the column of remarks.
pub fn doubts_in_words(offer: &OfferOut<'_>) -> String {
    doubts(offer).collect::<Vec<_>>().join(", ")
}

/// Same as [`doubts`], for the parts of an offer.
pub fn doubts_about(
    reasons: &[Reason],
    sells: OfferKind,
    count: Num,
) -> impl Iterator<Item = String> {
    let reasons = reasons.iter().copied().filter(|reason| reason.is_doubt());
    let product = match sells {
        OfferKind::Endpoint => Some(ENDPOINT),
        OfferKind::Share if count.0 >= 1.0 => Some(SHARE),
        OfferKind::Attached => Some(WITHOUT_HOST),
        _ => None,
    };
    let product = product.map(str::to_owned);
    product.into_iter().chain(reasons.filter_map(reason_words))
}

/// Returns whether a price itself is doubtful.
pub fn is_price_doubtful(price: &PriceOut<'_>) -> bool {
    !price.doubts.is_empty()
}

/// Returns the explanation of the mark of doubtful rows and prices: `! too cheap or unconfirmed`; `None` without
/// doubts.
pub fn doubt_note(doubts: impl IntoIterator<Item = String>) -> Option<MarkNote> {
    let words = BTreeSet::from_iter(doubts);
    let words: Vec<String> = words.into_iter().collect();
    (!words.is_empty()).then(|| MarkNote {
        mark: DOUBT_MARK,
        meaning: words.join(" or "),
    })
}

/// Returns the doubts about all shown prices of an offer.
pub fn doubts_of_prices(offer: &OfferOut<'_>) -> impl Iterator<Item = String> {
    let prices = [&offer.on_demand, &offer.spot].into_iter().flatten();
    let reasons = prices.flat_map(|price| price.doubts.iter().copied());
    reasons.filter_map(reason_words)
}

/// Whether the offer cannot be rented at a price.
fn is_out(price: &PriceOut<'_>) -> bool {
    price.availability == Some(Availability::Unavailable)
}

/// Returns the region of the price and the number of other regions; all regions in wide output.
pub fn region(offer: &OfferOut<'_>, capacity_filter: CapacityFilter, is_complete: bool) -> String {
    let price = offer
        .ranking_quote(capacity_filter)
        .or(offer.on_demand.as_ref())
        .or(offer.spot.as_ref());
    let of_price = price.and_then(|price| price.region);
    let Some(regions) = &offer.regions else {
        return UNKNOWN.to_owned();
    };
    let first = of_price.or(regions.first().copied()).unwrap_or_default();
    if is_complete {
        let others = regions.iter().copied().filter(|region| *region != first);
        return std::iter::once(first)
            .chain(others)
            .collect::<Vec<_>>()
            .join(" ");
    }
    match regions.len() {
        0 => String::new(),
        1 => first.to_owned(),
        n => format!("{first} +{}", n - 1),
    }
}

/// Returns why an offer cannot be rented with a capacity type, or that little of it is left; `None` if it can be
/// rented.
fn status(offer: &OfferOut<'_>, capacity_filter: CapacityFilter) -> Option<&'static str> {
    let is_limited = offer.availability == Availability::Limited;
    stock::obstacle(offer, capacity_filter).or(is_limited.then_some("low stock"))
}

fn remark(offer: &OfferOut<'_>, capacity_filter: CapacityFilter, money: &Money<'_>) -> String {
    let mut remarks: Vec<String> = Vec::new();
    remarks.extend(status(offer, capacity_filter).map(str::to_owned));
    remarks.extend(is_unreached(offer).then(|| "not reached".to_owned()));
    let (doubts, reasons): (Vec<Reason>, Vec<Reason>) =
        offer.reasons.iter().partition(|reason| reason.is_doubt());
    // A narrow table cuts the end: another product than a machine comes first, and then the doubts.
    let (product, other) = match (what_is_sold(offer, capacity_filter, money), offer.sells) {
        (Some(sold), OfferKind::Endpoint | OfferKind::Share | OfferKind::Attached) => {
            (Some(sold), None)
        }
        (sold, _) => (None, sold),
    };
    remarks.extend(product);
    remarks.extend(doubts.into_iter().rev().filter_map(reason_words));
    remarks.extend(other);
    let ruling = offer.ranking_quote(capacity_filter);
    let is_agreed = ruling.is_some_and(|price| price.kind == PriceKind::Contract);
    remarks.extend(is_agreed.then(|| prices::YOURS.to_owned()));
    let tier = offer.on_demand.as_ref().and_then(|price| price.tier);
    // AGE has the tier of a price from a list.
    let is_in_age = ruling.is_some_and(|price| price.kind == PriceKind::List);
    let cheaper = offer.other_prices.iter().find(|price| {
        price.capacity_type == Some(CapacityType::OnDemand)
            && !is_out(price)
            && offer
                .on_demand
                .as_ref()
                .is_some_and(|quoted| price.likely_usd_per_hour < quoted.likely_usd_per_hour)
    });
    if let (Some(tier), Some(other)) = (tier, cheaper) {
        let name = other.tier.unwrap_or("other");
        let amount = prices::amount(other, money, 2);
        remarks.push(format!("{tier}; {name} {amount}"));
    } else {
        remarks.extend(tier.filter(|_| !is_in_age).map(str::to_owned));
    }
    if let Some(currency) = &offer.currency
        && currency.code != money.code
    {
        remarks.push(format!(
            "{} {}",
            grouped_to(currency.per_hour.0, 2),
            currency.code
        ));
    }
    remarks.extend((offer.host_arch == Some("arm64")).then(|| "Arm host".to_owned()));
    if let Some(mig) = &offer.mig {
        remarks.push(format!("uses {}", counted(mig.gpus_needed, "GPU")));
    }
    if let Some(id) = ruling.and_then(|price| price.offer_id) {
        remarks.push(format!("offer {id}"));
    }
    if let Some(machines) = offer.machines.filter(|machines| *machines > 1) {
        remarks.push(format!("{machines} machines"));
    }
    if let Some(best) = offer.spot_placement_scores.first() {
        remarks.push(format!(
            "spot score {} of 10 for {} of {} types in {}",
            best.score,
            counted(best.machines, "machine"),
            best.instance_types.len(),
            best.region
        ));
    }
    if let Some(block) = offer.capacity_blocks.first() {
        let usd = money.text(block.usd_per_hour);
        remarks.push(format!(
            "block of {} for {} h in {}: {usd} per hour",
            counted(block.machines, "machine"),
            block.hours,
            block.region
        ));
    }
    for quota in offer
        .quotas
        .iter()
        .filter(|quota| quota.allows == Some(false))
    {
        let (limit, region) = (grouped(quota.limit_vcpu.0), &quota.region);
        let capacity = quota.capacity_type.word();
        remarks.push(match quota.left_vcpu.filter(|left| left.0 > 0.0) {
            Some(left) if left.0 < quota.limit_vcpu.0 => format!(
                "{capacity} quota in {region} has only {} of {limit} vCPU left",
                grouped(left.0)
            ),
            _ => format!("{capacity} quota of {limit} vCPU in {region} is too small"),
        });
    }
    let reasons = reasons
        .into_iter()
        .filter(|reason| *reason != Reason::NotReached);
    remarks.extend(reasons.filter_map(reason_words));
    remarks.join(", ")
}

/// Describes a reason to check an offer; `None` if another column shows it.
pub fn reason_words(reason: Reason) -> Option<String> {
    match reason {
        // AGE and the stated price show it.
        Reason::OldPrice => None,
        Reason::UnconfirmedPrice => Some("unconfirmed".to_owned()),
        Reason::ImplausiblePrice => Some("too cheap".to_owned()),
        Reason::SmallHost => Some("small host".to_owned()),
        Reason::PrivateHost => Some("private host".to_owned()),
        Reason::NotReached => Some("not reached".to_owned()),
        Reason::MaxCountUnknown => Some("count unknown".to_owned()),
        Reason::RegionUnverified => Some("region unknown".to_owned()),
        Reason::MayBeAnother => Some("may be another GPU".to_owned()),
        Reason::MigUnverified => Some("MIG unknown".to_owned()),
        Reason::Larger => Some("larger".to_owned()),
    }
}

/// Describes what is sold, unless it is a plain machine or container.
fn what_is_sold(
    offer: &OfferOut<'_>,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
) -> Option<String> {
    if offer.sells == OfferKind::Endpoint {
        return Some(ENDPOINT.to_owned());
    }
    if let Some(owner) = owner(offer.broker, offer.upstream) {
        return Some(owner);
    }
    match offer.sells {
        OfferKind::Share => Some(SHARE.to_owned()),
        OfferKind::Attached => Some(match &offer.host {
            Some(host) => {
                let usd = match capacity_filter {
                    CapacityFilter::Spot => host.spot_usd_per_hour,
                    _ => host.usd_per_hour,
                };
                let price = usd.map_or_else(String::new, |usd| format!(" {}", money.text(usd)));
                format!("{WITHOUT_HOST}, {}{price}", host.instance_type)
            }
            None => WITHOUT_HOST.to_owned(),
        }),
        OfferKind::Slice => {
            let hosts = offer.hosts.filter(|hosts| *hosts > 1);
            let hosts = hosts.map(|hosts| format!(" on {hosts} hosts"));
            let topology = offer.topology.unwrap_or_default();
            Some(format!("slice {topology}{}", hosts.unwrap_or_default()))
        }
        OfferKind::Machine | OfferKind::Container | OfferKind::Endpoint => None,
    }
}

/// Describes who has the machines of a broker; `None` if they are the provider's.
pub fn owner(broker: Option<&str>, upstream: Option<&str>) -> Option<String> {
    match (broker, upstream) {
        (Some(_), Some(upstream)) => Some(format!("broker of {upstream}")),
        (Some(_), None) => Some("broker".to_owned()),
        (None, Some(upstream)) => Some(format!("runs at {upstream}")),
        (None, None) => None,
    }
}

/// Returns the ids for `-o names`: distinct ids of offers that are not known to be unavailable, in order. With
/// several providers, ids are qualified: `aws/p5.48xlarge`.
pub fn names<'a: 'o, 'o>(offers: impl IntoIterator<Item = &'o OfferOut<'a>>) -> Vec<String> {
    let can_be_rented =
        |offer: &&OfferOut<'_>| offer.can_be_rented() && !offer.is_region_unverified();
    let mut seen = HashSet::new();
    let offers = offers.into_iter().filter(can_be_rented);
    let ids = offers.map(|offer| (offer.provider, offer.instance_type));
    let ids: Vec<(&str, &str)> = ids.filter(|id| seen.insert(*id)).collect();
    qualified(&ids)
}

/// Returns ids, qualified by provider if there are several providers.
pub fn qualified(ids: &[(&str, &str)]) -> Vec<String> {
    let is_one = ids.windows(2).all(|pair| pair[0].0 == pair[1].0);
    let each = ids.iter().map(|(provider, id)| {
        if is_one {
            (*id).to_owned()
        } else {
            format!("{provider}/{id}")
        }
    });
    each.collect()
}

#[cfg(test)]
mod tests;
