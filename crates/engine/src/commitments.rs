//! Commitments: an engine whose prices are those for a promise to pay for a term.

use std::collections::{BTreeMap, BTreeSet};

use sky_accel_catalog::Tables;
use sky_accel_core::catalog::{
    CapacityType, Catalog, CommitmentFilter, Price, ProviderId, Term, Upfront,
};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{CapacityFilter, Match, committed_prices};
use sky_accel_core::text::{counted, grouped, printable, some_of};

use crate::bill::BillUse;
use crate::code::ErrorCode;
use crate::contract::Num;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::OfferFilter;

/// The hours of a day.
const HOURS_OF_DAY: f64 = 24.0;
/// The word for every term.
const ANY: &str = "any";

/// A catalog with committed prices instead of the prices on demand.
#[derive(Debug)]
pub struct Committed {
    tables: Tables,
}

impl Engine<'_> {
    /// Makes a catalog with the prices of the commitments that a filter asks for; `None` if it asks for none. An engine
    /// [over it](Engine::with_commitments) ranks offers by these prices.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] for a term that no commitment of the catalog has, and for a filter that contradicts a
    /// commitment.
    pub fn committed(&self, offers: &OfferFilter) -> Result<Option<Committed>> {
        let Some(term) = &offers.commit else {
            return match offers.upfront {
                Some(_) => Err(bad(
                    "`upfront` needs `commit`: only a commitment has an upfront payment",
                )),
                None => Ok(None),
            };
        };
        match offers.capacity_type {
            CapacityFilter::Spot | CapacityFilter::Any => {
                let message = format!(
                    "`commit` and `capacity_type` {} contradict each other: a commitment is for capacity that is not spot",
                    offers.capacity_type
                );
                return Err(bad(&message));
            }
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => {}
        }
        if offers.hours.is_some() {
            return Err(bills_its_term("hours"));
        }
        let catalog = self.catalog();
        let filter = CommitmentFilter {
            days: days_of_term(&catalog, term)?,
            upfront: offers.upfront,
        };
        Ok(Some(Committed {
            tables: Tables::committed(&catalog, filter),
        }))
    }
}

impl<'c> Engine<'c> {
    /// Returns an engine whose offers have the prices of commitments.
    #[must_use]
    pub fn with_commitments<'l>(&self, committed: &'l Committed) -> Engine<'l>
    where
        'c: 'l,
    {
        self.over_tables(&committed.tables.catalog())
    }

    /// The notes on an answer with the prices of commitments; none without a commitment.
    pub(crate) fn commitment_notes(&self) -> Option<Note> {
        let catalog = self.catalog();
        let filter = catalog.commitment_filter()?;
        let term = filter.days.map_or_else(
            || "of any term".to_owned(),
            |days| format!("for {}", Term::of_days(days)),
        );
        let payment = match filter.upfront {
            None => "with the least upfront payment",
            Some(Upfront::None) => "without upfront payment",
            Some(Upfront::Partial) => "with a part paid upfront",
            Some(Upfront::All) => "paid upfront",
        };
        let (mut priced, mut committed) = (0_u32, 0_u32);
        for replaced in catalog.replaced_prices {
            let is_on_demand = |price: Price| price.capacity == CapacityType::OnDemand;
            priced += u32::from(catalog.prices.run(replaced.prices).iter().any(is_on_demand));
            let now = catalog.prices(&catalog.offer(replaced.offer));
            committed += u32::from(now.iter().any(is_on_demand));
        }
        let message = format!(
            "offers rank by the effective price of commitments {term}, {payment}, which bill every hour, used or not, \
             unless they say otherwise; {} offers of the catalog have such a price, {} have a price on demand",
            grouped(committed.into()),
            grouped(priced.into()),
        );
        Some(Note::new("committed-prices", message))
    }

    /// The note that a plan does not buy commitments; none without a commitment.
    pub(crate) fn bought_apart(&self) -> Option<Note> {
        self.catalog().commitment_filter()?;
        let message = "a plan starts machines and buys no commitment: buy it first, or the price is that on demand";
        Some(Note::new("commitment-apart", message))
    }

    /// The note on matches without a known committed price, which an answer leaves out; `None` without such matches.
    pub(crate) fn uncommitted_note(&self, left_out: &[Match]) -> Option<Note> {
        let catalog = self.catalog();
        let filter = catalog.commitment_filter()?;
        if left_out.is_empty() {
            return None;
        }
        let mut on_request: BTreeMap<ProviderId, BTreeSet<String>> = BTreeMap::new();
        let mut others: BTreeSet<ProviderId> = BTreeSet::new();
        for found in left_out {
            let offer = catalog.uncommitted(found.offer);
            let sold = committed_prices(&catalog, &offer, filter);
            if sold.is_empty() {
                others.insert(offer.provider);
            }
            for price in sold {
                let program = catalog.program(&price.commitment);
                let percent = price.commitment.up_to_discount / 10_000;
                let name = catalog.str(program.name);
                let words = match percent {
                    0 => name.to_owned(),
                    percent => format!("{name}, up to {percent}% off"),
                };
                on_request.entry(offer.provider).or_default().insert(words);
            }
        }
        others.retain(|provider| !on_request.contains_key(provider));
        let mut message = format!(
            "{} left out: no committed price is known",
            counted(left_out.len(), "matching offer")
        );
        if !on_request.is_empty() {
            let sold: Vec<String> = on_request
                .iter()
                .map(|(provider, words)| {
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    format!("{} ({})", catalog.provider_id(*provider), words.join("; "))
                })
                .collect();
            message.push_str("; sold without a published price of the whole machine: ");
            message.push_str(&sold.join(", "));
        }
        if !others.is_empty() {
            let ids: Vec<&str> = others.iter().map(|id| catalog.provider_id(*id)).collect();
            message.push_str("; no commitment is known for machines of ");
            message.push_str(&some_of(&ids));
        }
        Some(Note::new("commitment-unknown", message))
    }
}

fn bills_its_term(field: &str) -> Error {
    bad(&format!(
        "`commit` and `{field}` contradict each other: a commitment bills its whole term; the bill command computes the \
         bill of a month"
    ))
}

/// Rejects an amount of work under commitments: a bill of its hours would leave out the rest of the term. `amounts` has
/// the fields, and whether each is given.
pub(crate) fn check_amounts(
    catalog: &Catalog<'_>,
    amounts: &[(&'static str, bool)],
    bill: Option<&BillUse>,
) -> Result<()> {
    let of_bill = bill.map(|bill| (bill.given().unwrap_or("bill"), true));
    let mut given = amounts.iter().copied().chain(of_bill);
    let given = given.find(|(_, is_given)| *is_given);
    match given.filter(|_| catalog.commitment_filter().is_some()) {
        Some((field, _)) => Err(bills_its_term(field)),
        None => Ok(()),
    }
}

/// Rejects a use that is shorter than the term of the requested commitments. Without a time, a bill is for a month of
/// the term.
pub(crate) fn check_use(catalog: &Catalog<'_>, of: &BillUse) -> Result<()> {
    let Some(filter) = catalog.commitment_filter() else {
        return Ok(());
    };
    if of.sessions.is_some() || of.hours_per_session.is_some() {
        return Err(bad(
            "`commit` and `sessions` contradict each other: a commitment bills its whole term",
        ));
    }
    let Some(Num(hours)) = of.hours else {
        return Ok(());
    };
    let Some(days) = filter.days else {
        return Err(bad(
            "`hours` need a term of `commit`, such as 1y: the terms of any differ",
        ));
    };
    let term = f64::from(days) * HOURS_OF_DAY;
    if hours < term {
        return Err(bad(&format!(
            "`hours` are {} and the term of `commit` has {}: a commitment bills its whole term; leave out `hours` for \
             the bill of a month",
            grouped(hours),
            grouped(term)
        )));
    }
    Ok(())
}

fn bad(message: &str) -> Error {
    Error::new(ErrorCode::BadValue, message)
}

/// Returns the days of a term; `None` for any term.
pub(crate) fn days_of_term(catalog: &Catalog<'_>, text: &str) -> Result<Option<u16>> {
    if text == ANY {
        return Ok(None);
    }
    let days = Term::parse(text).and_then(Term::days);
    let is_sold = |days: u16| {
        catalog.commitments.iter().any(|row| {
            let is_closed = row.until_days < Term::OPEN;
            is_closed && row.term().contains(days) && catalog.program(&row).has_length(days)
        })
    };
    if let Some(days) = days.filter(|days| *days > 0 && is_sold(*days)) {
        return Ok(Some(days));
    }
    let terms: BTreeSet<Term> = catalog.commitments.iter().map(|row| row.term()).collect();
    let closed = terms.into_iter().filter(|term| term.until < Term::OPEN);
    let (lengths, ranges): (Vec<Term>, Vec<Term>) = closed.partition(|term| term.days().is_some());
    let list = |terms: &[Term]| {
        let words: Vec<String> = terms.iter().map(Term::to_string).collect();
        words.join(", ")
    };
    let why = match days {
        Some(_) => "no commitment of this length is known",
        None => "is not a term",
    };
    let message = match days {
        Some(_) => format!("`commit` {}: {why}", printable(text)),
        None => format!("`commit`: '{}' {why}", printable(text)),
    };
    let mut known = format!("known terms: {ANY}, {}", list(&lengths));
    if !ranges.is_empty() {
        known.push_str("; lengths within ");
        known.push_str(&list(&ranges));
    }
    Err(Error::new(ErrorCode::BadValue, message).advise(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::OfferOut;
    use crate::resolve::ResolveRequest;

    /// The offers of machines with eight H100, with or without commitments for three years.
    fn machines(commit: Option<&str>, check: impl FnOnce(&Engine<'_>, &[OfferOut<'_>])) {
        let request = ResolveRequest {
            specs: vec!["H100:x8".into()],
            offers: OfferFilter {
                commit: commit.map(str::to_owned),
                ..OfferFilter::default()
            },
            ..ResolveRequest::default()
        };
        let engine = Engine::new(*crate::catalog::EMBEDDED, "2027-06-01".parse().unwrap());
        let committed = engine.committed(&request.offers).unwrap();
        let engine = match &committed {
            Some(committed) => engine.with_commitments(committed),
            None => engine,
        };
        let answer = engine.resolve(&request).unwrap();
        check(&engine, &answer.envelope.results);
    }

    /// The likely prices of an offer, on demand and spot.
    fn likely(offer: &OfferOut<'_>) -> [Option<f64>; 2] {
        [&offer.on_demand, &offer.spot]
            .map(|price| price.as_ref().map(|price| price.likely_usd_per_hour.0))
    }

    #[test]
    fn a_price_on_demand_is_the_same_beside_a_commitment() {
        let mut usual = BTreeMap::new();
        machines(None, |_, offers| {
            for offer in offers {
                let key = (offer.provider.to_owned(), offer.instance_type.to_owned());
                usual.insert(key, likely(offer));
            }
        });
        let mut compared = 0;
        machines(Some("3y"), |engine, offers| {
            for offer in offers {
                let key = (offer.provider.to_owned(), offer.instance_type.to_owned());
                assert_eq!(likely(offer), usual[&key], "{key:?}");
                // Others pay prices on demand.
                assert!(
                    engine
                        .standing_of(offer, CapacityFilter::default())
                        .is_none()
                );
                let Some(price) = &offer.on_demand else {
                    continue;
                };
                for row in offer.commitments.iter().filter(|row| row.ranks) {
                    let ratio = row.usd_per_hour.unwrap().0 / price.likely_usd_per_hour.0;
                    let discount = row.discount.unwrap().0;
                    assert!((1.0 - ratio - discount).abs() < 1e-4, "{key:?}: {discount}");
                    compared += 1;
                }
            }
        });
        assert!(compared > 0);
    }
}
