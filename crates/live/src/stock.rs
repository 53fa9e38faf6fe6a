//! The availability of a price, from the provider's answers on stock and quotas.

use std::borrow::Cow;
use std::collections::BTreeSet;

use sky_accel_core::catalog::{Availability, CapacityType};
use sky_accel_core::money::Count;
use sky_accel_providers::{Obtainability, Offer, StockPlace, StockState};

/// The source of an answer that is a word beside a price.
pub const WORD: &str = "stock of the price list";

/// The place and the capacity type of a price, with the word on stock beside it, which is for one machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriceStock<'p> {
    pub capacity: CapacityType,
    pub region: Option<&'p str>,
    pub zone: Option<&'p str>,
    pub word: Availability,
}

/// Returns the availability of machines at a price. Answers on stock are more precise than the word beside the price,
/// and a quota that excludes the machines makes them unavailable whatever the stock is. A price without a region is the
/// price of every region, so the best region with an answer decides.
pub(crate) fn availability(
    offer: &Offer,
    price: PriceStock<'_>,
    needed: (u32, Count),
    vcpu: impl FnOnce() -> Option<f64>,
) -> Availability {
    let vcpu = if offer.quotas.is_empty() {
        None
    } else {
        vcpu()
    };
    if price.region.is_some() {
        return in_region(offer, price, needed, vcpu);
    }
    let records = offer.obtainability.iter();
    let records = records.filter(|record| record.capacity == price.capacity);
    let quotas = offer.quotas.iter();
    let quotas = quotas.filter(|quota| quota.capacity == price.capacity);
    let of_records = records.filter_map(|record| record.place.region.as_deref());
    let of_quotas = quotas.filter_map(|quota| quota.region.as_deref());
    let regions: BTreeSet<&str> = of_records.chain(of_quotas).collect();
    let in_regions = regions.into_iter().map(|region| {
        let price = PriceStock {
            region: Some(region),
            ..price
        };
        in_region(offer, price, needed, vcpu)
    });
    in_regions
        .min_by_key(|availability| match availability {
            Availability::Available => 0,
            Availability::Limited => 1,
            Availability::Unknown => 2,
            Availability::Unavailable => 3,
        })
        .unwrap_or_else(|| in_region(offer, price, needed, vcpu))
}

/// Returns the availability at a price in its region, or in an unknown region.
fn in_region(
    offer: &Offer,
    price: PriceStock<'_>,
    (machines, count): (u32, Count),
    vcpu: Option<f64>,
) -> Availability {
    let region = price.region;
    let accelerators = count.decimal();
    let mut quotas = offer.quotas.iter();
    let is_too_small = quotas.any(|quota| {
        let fit = quota.machines(vcpu, accelerators);
        quota.covers(price.capacity, region) && fit.is_some_and(|fit| fit < machines)
    });
    if is_too_small {
        return Availability::Unavailable;
    }
    let of_price = offer
        .obtainability
        .iter()
        .filter(|record| record.covers(price.capacity, region, price.zone));
    let states = of_price.map(|record| (&record.place, record.state_for(machines, accelerators)));
    match best_state(states) {
        StockState::Available => Availability::Available,
        StockState::Limited => Availability::Limited,
        StockState::Unavailable | StockState::Blocked | StockState::NotOffered => {
            Availability::Unavailable
        }
        StockState::Offered | StockState::Unknown => match price.word {
            Availability::Available | Availability::Limited if machines > 1 => {
                Availability::Unknown
            }
            word => word,
        },
    }
}

/// Returns the offer with an answer for one machine in place of each word on stock beside a price, if several machines
/// are needed: the word says nothing about them.
pub(crate) fn with_words_as_answers(offer: &Offer, machines: u32) -> Cow<'_, Offer> {
    let mut answers: Vec<Obtainability> = Vec::new();
    let prices = offer.prices.iter().filter(|_| machines > 1);
    for price in prices {
        let state = match price.availability {
            Availability::Available => StockState::Available,
            Availability::Limited => StockState::Limited,
            // Stock for several machines needs stock for one machine.
            Availability::Unavailable | Availability::Unknown => continue,
        };
        let (region, zone) = (price.region.as_deref(), price.zone.as_deref());
        let mut known = offer.obtainability.iter().chain(&answers);
        let is_answered = |record: &Obtainability| record.covers(price.capacity, region, zone);
        if known.any(is_answered) {
            continue;
        }
        let record = Obtainability::new(price.capacity, 1, WORD);
        answers.push(Obtainability {
            state,
            place: StockPlace {
                region: price.region.clone(),
                zone: price.zone.clone(),
                site: None,
            },
            fetched_at: price.as_of,
            ..record
        });
    }
    if answers.is_empty() {
        return Cow::Borrowed(offer);
    }
    let mut offer = offer.clone();
    offer.obtainability.extend(answers);
    Cow::Owned(offer)
}

/// Returns the best state of the places of a region: the machines can be had there. A place with unknown stock is not
/// out of stock, so the region is not either, unless an answer for the whole region says so.
pub fn best_state<'p>(states: impl Iterator<Item = (&'p StockPlace, StockState)>) -> StockState {
    let (mut known, mut open) = (Vec::new(), Vec::new());
    for (place, state) in states {
        match state {
            StockState::Available => return state,
            StockState::Offered | StockState::Unknown => open.push((place, state)),
            _ => known.push((place, state)),
        }
    }
    let of_whole = |place: &StockPlace| place.zone.is_none() && place.site.is_none();
    if let Some((_, state)) = known
        .iter()
        .find(|(_, state)| *state == StockState::Limited)
    {
        return *state;
    }
    let whole = known.iter().find(|(place, _)| of_whole(place));
    let is_closed = |place: &StockPlace| known.iter().any(|(closed, _)| *closed == place);
    let elsewhere = open
        .iter()
        .find(|(place, _)| !of_whole(place) && !is_closed(place));
    let decisive = whole.or(elsewhere).or(known.first()).or(open.first());
    decisive.map_or(StockState::Unknown, |(_, state)| *state)
}

#[cfg(test)]
mod tests {
    use sky_accel_providers::{Price, Quota, QuotaUnit};

    use super::*;

    fn offer(states: &[(&str, StockState)]) -> Offer {
        let record = |(region, state): &(&str, StockState)| {
            let record = Obtainability::new(CapacityType::OnDemand, 1, "stock");
            Obtainability {
                state: *state,
                ..record.in_region(region)
            }
        };
        Offer {
            obtainability: states.iter().map(record).collect(),
            ..Offer::default()
        }
    }

    fn price(region: &str, word: Availability) -> PriceStock<'_> {
        PriceStock {
            capacity: CapacityType::OnDemand,
            region: Some(region),
            zone: None,
            word,
        }
    }

    #[test]
    fn the_best_answer_for_the_place_of_a_price_decides() {
        use StockState::{Available, Blocked, Limited, Offered, Unavailable};
        let offer = offer(&[
            ("a", Unavailable),
            ("a", Limited),
            ("a", Available),
            ("b", Blocked),
            ("c", Offered),
        ]);
        let of = |region, machines| {
            let price = price(region, Availability::Unknown);
            availability(&offer, price, (machines, Count::ONE), || None)
        };
        assert_eq!(of("a", 1), Availability::Available);
        assert_eq!(of("b", 1), Availability::Unavailable);
        assert_eq!(of("c", 1), Availability::Unknown);
        assert_eq!(of("d", 1), Availability::Unknown);
        let limited = price("c", Availability::Limited);
        let of_price = availability(&offer, limited, (1, Count::ONE), || None);
        assert_eq!(of_price, Availability::Limited);
        // The word beside a price is for one machine.
        let of_price = availability(&offer, limited, (4, Count::ONE), || None);
        assert_eq!(of_price, Availability::Unknown);
        let none = price("c", Availability::Unavailable);
        let of_price = availability(&offer, none, (4, Count::ONE), || None);
        assert_eq!(of_price, Availability::Unavailable);
    }

    #[test]
    fn the_best_region_decides_for_a_price_without_a_region() {
        use StockState::{Available, Blocked, Limited, Offered, Unavailable};
        let quota = |region: &str, limit| Quota {
            region: Some(region.to_owned()),
            capacity: CapacityType::OnDemand,
            code: "Q".to_owned(),
            name: None,
            unit: QuotaUnit::Machines,
            limit: Some(limit),
            used: Some(0.0),
            is_adjustable: None,
        };
        let of = |states: &[(&str, StockState)], quotas: &[Quota]| {
            let offer = Offer {
                quotas: quotas.to_vec(),
                ..offer(states)
            };
            let price = PriceStock {
                region: None,
                ..price("", Availability::Unknown)
            };
            availability(&offer, price, (1, Count::ONE), || None)
        };
        let (none, one) = (|region| quota(region, 0.0), |region| quota(region, 1.0));
        assert_eq!(of(&[], &[]), Availability::Unknown);
        assert_eq!(of(&[("a", Blocked)], &[]), Availability::Unavailable);
        assert_eq!(of(&[], &[none("a"), none("b")]), Availability::Unavailable);
        assert_eq!(of(&[], &[none("a"), one("b")]), Availability::Unknown);
        let (closed, open) = (("a", Unavailable), ("b", Offered));
        assert_eq!(of(&[closed, open], &[]), Availability::Unknown);
        let stock = [("a", Available), ("b", Limited)];
        assert_eq!(of(&stock, &[]), Availability::Available);
        // The quota is in one region and the stock in the other.
        assert_eq!(of(&stock, &[none("a")]), Availability::Limited);
        let (full, empty) = (("a", Available), ("b", Unavailable));
        assert_eq!(
            of(&[full, empty], &[none("a"), one("b")]),
            Availability::Unavailable
        );
    }

    #[test]
    fn a_word_beside_a_price_is_an_answer_for_one_machine() {
        let price = |region: &str, availability| Price {
            region: Some(region.to_owned()),
            availability,
            as_of: 7,
            ..Price::new(CapacityType::OnDemand, 1.0)
        };
        let offer = Offer {
            prices: vec![
                price("a", Availability::Available),
                price("b", Availability::Limited),
                price("b", Availability::Limited),
                price("c", Availability::Unavailable),
                price("d", Availability::Unknown),
            ],
            ..offer(&[("a", StockState::Unavailable)])
        };
        assert_eq!(*with_words_as_answers(&offer, 1), offer);
        let several = with_words_as_answers(&offer, 4);
        let [_, added] = &several.obtainability[..] else {
            panic!("{:?}", several.obtainability);
        };
        assert_eq!((added.state, added.machines), (StockState::Limited, 1));
        assert_eq!(added.place.region.as_deref(), Some("b"));
        assert_eq!(added.fetched_at, 7);
    }

    #[test]
    fn a_zone_of_unknown_stock_keeps_its_region_open() {
        use StockState::{Blocked, Limited, NotOffered, Offered, Unavailable, Unknown};
        let place = |zone: &str| StockPlace {
            region: Some("a".to_owned()),
            zone: (!zone.is_empty()).then(|| zone.to_owned()),
            site: None,
        };
        for (states, expected) in [
            (vec![("a-1", Unavailable), ("a-2", Offered)], Offered),
            (vec![("a-1", Unavailable), ("a-1", Unknown)], Unavailable),
            (vec![("a-1", Unavailable), ("", Offered)], Unavailable),
            (vec![("", Blocked), ("a-2", Offered)], Blocked),
            (vec![("a-1", NotOffered), ("a-2", Limited)], Limited),
            (vec![("", Offered)], Offered),
            (vec![], Unknown),
        ] {
            let places: Vec<_> = states
                .iter()
                .map(|(zone, state)| (place(zone), *state))
                .collect();
            let state = best_state(places.iter().map(|(place, state)| (place, *state)));
            assert_eq!(state, expected, "{states:?}");
        }
    }

    #[test]
    fn a_quota_that_excludes_the_machines_makes_them_unavailable() {
        let quota = |unit, limit, used| Quota {
            region: Some("a".to_owned()),
            capacity: CapacityType::OnDemand,
            code: "Q".to_owned(),
            name: None,
            unit,
            limit,
            used,
            is_adjustable: None,
        };
        let of = |quota: Quota, region, machines| {
            let offer = Offer {
                quotas: vec![quota],
                ..offer(&[("a", StockState::Available)])
            };
            let price = price(region, Availability::Unknown);
            availability(&offer, price, (machines, Count::whole(8)), || Some(96.0))
        };
        let vcpus = || quota(QuotaUnit::Vcpus, Some(200.0), Some(100.0));
        assert_eq!(of(vcpus(), "a", 1), Availability::Available);
        assert_eq!(of(vcpus(), "a", 2), Availability::Unavailable);
        assert_eq!(of(vcpus(), "b", 2), Availability::Unknown);
        let accelerators = quota(QuotaUnit::Accelerators, Some(8.0), None);
        assert_eq!(of(accelerators, "a", 1), Availability::Available);
        let none = quota(QuotaUnit::Machines, Some(0.0), None);
        assert_eq!(of(none, "a", 1), Availability::Unavailable);
        let unlimited = quota(QuotaUnit::Machines, None, Some(7.0));
        assert_eq!(of(unlimited, "a", 1), Availability::Available);
    }
}
