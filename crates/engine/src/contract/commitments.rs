//! The prices of an offer under commitments.

use serde::Serialize;
use sky_accel_core::catalog::{
    Catalog, CommitmentBasis, CommitmentBilling, CommitmentFilter, Quality, RegionId, Upfront,
};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{
    CommittedPrice, LikelyPrices, Match, PricedMachine, Quote, applies_in, committed_prices,
};

use super::Num;

/// The hours of a day.
const HOURS_OF_DAY: f64 = 24.0;

/// A price of an offer for a promise to pay for a term.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommitmentOut<'a> {
    /// The kind of commitment: the id of the provider's program, such as `aws-standard-ri`.
    pub kind: &'a str,
    /// The same id.
    pub program: &'a str,
    /// Its name, such as `standard reserved instance`.
    pub name: &'a str,
    /// The term: `1y`, `3mo`, `7d`, a range such as `1d-182d` or `up to 7d`, or `1mo+`.
    pub term: String,
    /// How much is paid at the start: `none`, `partial` or `all`; `null` if not stated.
    pub upfront: Option<Upfront>,
    /// The hours that it bills: `whole-term` (used or not) or `used`.
    pub billing: CommitmentBilling,
    /// The provider's region id. Omitted if the price names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The provider's name of the price tier whose price on demand it is compared with, or is a share of. Omitted if
    /// the provider has no tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_tier: Option<&'a str>,
    /// The effective price in US dollars per hour of the whole offer, upfront payments included; `null` if not known.
    pub usd_per_hour: Option<Num>,
    /// The same for one accelerator; `null` if not known.
    pub usd_per_accelerator_hour: Option<Num>,
    /// The price of one accelerator without the vCPUs and the memory, which are billed apart. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_accelerator_alone_hour: Option<Num>,
    /// The stated price on demand in US dollars per hour in the same region and price tier; `null` if not known.
    pub on_demand_usd_per_hour: Option<Num>,
    /// The part of the price on demand that is saved; negative if the commitment costs more. `null` if not known.
    pub discount: Option<Num>,
    /// The share of the term from which the commitment is cheaper than the price on demand: 1 − `discount`. `null` if
    /// not known, and where only used hours are paid.
    pub break_even_utilization: Option<Num>,
    /// US dollars paid at the start for one machine; `null` if not known, as for partial payments, whose amount no
    /// source of the catalog publishes.
    pub upfront_usd: Option<Num>,
    /// US dollars for one machine and the whole term; `null` if not known.
    pub term_usd: Option<Num>,
    /// The greatest discount that the provider states. Omitted if it states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to_discount: Option<Num>,
    /// True if the price is the lowest of several that the provider does not publish.
    pub is_lowest: bool,
    /// True if this price ranks the offer.
    pub ranks: bool,
    /// The outcome at the end of the term. Omitted if not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_end: Option<&'a str>,
    /// True if the provider ends the machines at the end of the term.
    pub ends_machines: bool,
    /// Remarks. Omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'a str>,
    /// The reliability of the price.
    pub quality: Quality,
    /// The date of the price: a day, a month or a year.
    pub as_of: &'a str,
    /// The source of the price.
    pub source: &'a str,
}

/// Returns the prices of a match under the requested commitments, the lowest first.
pub(crate) fn commitments<'a>(
    catalog: &Catalog<'a>,
    likely: Option<&LikelyPrices>,
    filter: CommitmentFilter,
    found: &Match,
) -> Vec<CommitmentOut<'a>> {
    let offer = catalog.uncommitted(found.offer);
    let quote = found
        .on_demand
        .filter(|quote| catalog.price(quote.price).is_committed());
    let default_region = catalog.provider(offer.provider).default_region;
    let region = quote.map_or(default_region, |quote| quote.region);
    let place = CommitmentPlace {
        catalog,
        likely,
        filter,
        found,
        region,
    };
    let mut rows: Vec<(Option<Usd>, CommitmentOut<'a>)> = committed_prices(catalog, &offer, filter)
        .into_iter()
        .filter(|price| applies_in(&price.commitment, region))
        .flat_map(|price| {
            let tiers = place.tiers(&price).into_iter();
            tiers.map(move |tier| place.row(&price, tier))
        })
        .collect();
    rows.sort_by(|(a, one), (b, two)| {
        let key = |usd: &Option<Usd>| (usd.is_none(), *usd);
        key(a)
            .cmp(&key(b))
            .then_with(|| (&one.name, &one.term).cmp(&(&two.name, &two.term)))
    });
    let ranks = quote.and_then(|quote| {
        let price = catalog.price(quote.price);
        let tier = place.tier_name(price.tier);
        let is_it = |usd: &Option<Usd>, row: &CommitmentOut<'_>| {
            *usd == Some(quote.usd) && row.price_tier.is_none_or(|name| Some(name) == tier)
        };
        let as_of = catalog.str(price.as_of);
        let dated = rows
            .iter()
            .position(|(usd, row)| is_it(usd, row) && row.as_of == as_of);
        // A share of a price on demand has the date of that price.
        dated.or_else(|| rows.iter().position(|(usd, row)| is_it(usd, row)))
    });
    if let Some((_, row)) = ranks.and_then(|at| rows.get_mut(at)) {
        row.ranks = true;
    }
    // Without a region that all prices share, only the cheapest of each kind says something.
    let mut seen = std::collections::BTreeSet::new();
    rows.retain(|(_, row)| {
        let kind = (row.program, row.term.clone(), row.upfront, row.price_tier);
        region.is_some() || seen.insert(kind)
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns the commitment whose price ranks a match; `None` in a catalog with prices on demand.
pub(crate) fn ranking_commitment<'a>(
    catalog: &Catalog<'a>,
    likely: Option<&LikelyPrices>,
    found: &Match,
) -> Option<Box<CommitmentOut<'a>>> {
    let filter = catalog.commitment_filter()?;
    let rows = commitments(catalog, likely, filter, found);
    rows.into_iter().find(|row| row.ranks).map(Box::new)
}

/// Returns the contract form of a price of a match under a commitment, beside the price on demand of a quote.
pub(crate) fn commitment_of<'a>(
    catalog: &Catalog<'a>,
    likely: Option<&LikelyPrices>,
    filter: CommitmentFilter,
    found: &Match,
    price: &CommittedPrice,
    quote: &Quote,
) -> CommitmentOut<'a> {
    let place = CommitmentPlace {
        catalog,
        likely,
        filter,
        found,
        region: quote.region,
    };
    let tier = catalog.price(quote.price).tier;
    let has_tiers = place.tier_name(tier).is_some();
    place.row(price, has_tiers.then_some(tier)).1
}

/// Where prices are compared.
#[derive(Clone, Copy)]
struct CommitmentPlace<'p, 'a> {
    catalog: &'p Catalog<'a>,
    /// The estimator of the prices on demand; `None` for the stated prices.
    likely: Option<&'p LikelyPrices>,
    filter: CommitmentFilter,
    found: &'p Match,
    region: Option<RegionId>,
}

impl<'a> CommitmentPlace<'_, 'a> {
    /// Returns the provider's name of a price tier; `None` if it has no tiers.
    fn tier_name(&self, tier: u8) -> Option<&'a str> {
        let provider = self.catalog.offer(self.found.offer).provider;
        let mut tiers = self.catalog.strings(self.catalog.provider(provider).tiers);
        tiers.nth(tier.into())
    }

    /// Returns the tiers in which a price under a commitment is compared; one `None` if the provider has no tiers.
    fn tiers(&self, price: &CommittedPrice) -> Vec<Option<u8>> {
        let commitment = &price.commitment;
        let offer = self.catalog.uncommitted(self.found.offer);
        let machine = PricedMachine {
            offer: &offer,
            count: self.found.count,
            region: commitment.region.or(self.region),
        };
        let tiers = match commitment.tier {
            Some(tier) => vec![tier],
            None => machine.tiers(self.catalog).into_iter().collect(),
        };
        let named: Vec<Option<u8>> = tiers
            .into_iter()
            .filter(|tier| self.tier_name(*tier).is_some())
            .map(Some)
            .collect();
        if named.is_empty() { vec![None] } else { named }
    }

    /// Returns the row of a price beside the price on demand of a tier, or of any tier.
    fn row(&self, price: &CommittedPrice, tier: Option<u8>) -> (Option<Usd>, CommitmentOut<'a>) {
        let Self {
            catalog,
            likely,
            filter,
            found,
            region,
        } = *self;
        let commitment = &price.commitment;
        let program = catalog.program(commitment);
        let offer = catalog.uncommitted(found.offer);
        let at = commitment.region.or(region);
        let machine = PricedMachine {
            offer: &offer,
            count: found.count,
            region: at,
        };
        let on_demand = machine.on_demand(catalog, tier);
        let usd = price.of_machine(found.count, on_demand);
        // A share of the stated price saves the rest of it, whatever the price is today.
        let likely = likely.filter(|_| commitment.basis != CommitmentBasis::Share);
        let today = likely.and_then(|likely| machine.likely_on_demand(catalog, likely, tier));
        let ratio = usd
            .zip(today.or(on_demand))
            .filter(|(_, list)| list.0 > 0)
            .map(|(usd, list)| usd.decimal() / list.decimal());
        let is_used_only = program.billing == CommitmentBilling::Used;
        let term = commitment.term();
        let days = term.days().or(filter.days);
        let term_usd = usd
            .zip(days)
            .filter(|_| !is_used_only)
            .and_then(|(usd, days)| usd.for_hours(f64::from(days) * HOURS_OF_DAY));
        let upfront_usd = match price.upfront_share() {
            Some(0.0) => Some(Usd(0)),
            Some(share) => term_usd.and_then(|usd| Usd::from_decimal(usd.decimal() * share)),
            None => None,
        };
        let num = |usd: Usd| Num(usd.decimal());
        let notes = [commitment.note, program.note];
        let row = CommitmentOut {
            kind: catalog.str(program.id),
            program: catalog.str(program.id),
            name: catalog.str(program.name),
            term: term.to_string(),
            upfront: price.upfront,
            billing: program.billing,
            region: commitment.region.map(|id| catalog.region_id(id)),
            price_tier: tier.and_then(|tier| self.tier_name(tier)),
            usd_per_hour: usd.map(num),
            usd_per_accelerator_hour: usd.map(|usd| num(usd.per(found.count))),
            usd_per_accelerator_alone_hour: price.of_accelerator_alone().map(num),
            on_demand_usd_per_hour: on_demand.map(num),
            discount: ratio.map(|ratio| Num(rounded(1.0 - ratio))),
            break_even_utilization: ratio
                .filter(|_| !is_used_only)
                .map(|ratio| Num(rounded(ratio))),
            upfront_usd: upfront_usd.map(num),
            term_usd: term_usd.map(num),
            up_to_discount: (commitment.up_to_discount > 0)
                .then(|| Num(f64::from(commitment.up_to_discount) / 1e6)),
            is_lowest: commitment.is_lowest,
            ranks: false,
            at_end: catalog.text(program.at_end),
            ends_machines: program.ends_machines,
            notes: notes
                .into_iter()
                .filter_map(|note| catalog.text(note))
                .collect(),
            quality: price.quality,
            as_of: catalog.str(price.as_of),
            source: catalog.str(price.source),
        };
        (usd, row)
    }
}

/// Rounds a share to four places.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}
