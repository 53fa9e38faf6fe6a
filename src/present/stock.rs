//! Stock and quotas as text for people.

use sky_accel_core::catalog::{Availability, CapacityType, PriceKind, Status};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_engine::asking::{LikelihoodScale, StockState, now, timestamp};
use sky_accel_engine::contract::{
    CandidateCapacity, ObtainabilityOut, OfferOut, StockCountOut, best_state,
};

/// Titles of the two columns.
pub const STOCK: &str = "STOCK";
pub const QUOTA: &str = "QUOTA";

/// Returns the answers for the capacity type and the place of the price that ranks an offer, or for all places if no
/// answer is for that place.
pub fn of_offer<'o>(
    offer: &'o OfferOut<'_>,
    capacity_filter: CapacityFilter,
) -> Vec<&'o ObtainabilityOut> {
    let ruling = offer.ranking_quote(capacity_filter);
    let is_spot = match capacity_filter {
        CapacityFilter::Spot => true,
        CapacityFilter::Any => {
            let spot = offer.spot.as_ref();
            ruling.is_some_and(|ruling| spot.is_some_and(|spot| std::ptr::eq(ruling, spot)))
        }
        CapacityFilter::Unspecified | CapacityFilter::OnDemand => false,
    };
    let capacity = match offer.status {
        Status::ReservedOnly => CandidateCapacity::CapacityBlock,
        _ if is_spot => CapacityType::Spot.into(),
        _ => CapacityType::OnDemand.into(),
    };
    let of_capacity = offer.obtainability.iter();
    let of_capacity = of_capacity.filter(|answer| answer.capacity_type == capacity);
    let all: Vec<&ObtainabilityOut> = of_capacity.collect();
    let region = ruling.and_then(|price| price.region);
    let is_there = |answer: &&&ObtainabilityOut| {
        let of = answer.place.region.as_deref();
        of.is_none() || region.is_none() || of == region
    };
    let there: Vec<&ObtainabilityOut> = all.iter().filter(is_there).copied().collect();
    if there.is_empty() { all } else { there }
}

/// Returns the stock for the machines of the request: `yes`, `12`, `10+`, `few`, `only 3`, `no`, `blocked`, or the
/// likelihood with its scale; empty if nothing is known.
pub fn stock(answers: &[&ObtainabilityOut]) -> String {
    let state = best_state(answers.iter().copied());
    let counted = || {
        let mut answers = answers.iter();
        let counted = answers.find(|answer| answer.state_for_request == state)?;
        counted.count
    };
    let count = || counted().map(count_words);
    match state {
        StockState::Available => count().unwrap_or_else(|| "yes".to_owned()),
        StockState::Limited => count().unwrap_or_else(|| "few".to_owned()),
        StockState::Unavailable => match (counted(), first_day(answers)) {
            (Some(count), _) if count.value > 0 => format!("only {}", count_words(count)),
            (_, Some(later)) => later,
            _ => "no".to_owned(),
        },
        StockState::Blocked => "blocked".to_owned(),
        StockState::NotOffered => "not sold".to_owned(),
        StockState::Offered | StockState::Unknown => hint(answers).unwrap_or_default(),
    }
}

/// Returns why an offer cannot be rented with a capacity type; `None` if it can be.
pub fn obstacle(offer: &OfferOut<'_>, capacity_filter: CapacityFilter) -> Option<&'static str> {
    let is_for_spot = matches!(capacity_filter, CapacityFilter::Spot | CapacityFilter::Any);
    let is_blocked = || {
        let mut answers = offer.obtainability.iter();
        answers.any(|answer| answer.state_for_request == StockState::Blocked)
    };
    let has_some = || {
        let mut counts = of_offer(offer, capacity_filter).into_iter();
        counts.any(|answer| answer.count.is_some_and(|count| count.value > 0))
    };
    let is_agreed = || {
        let price = offer.ranking_quote(capacity_filter);
        price.is_some_and(|price| price.kind == PriceKind::Contract)
    };
    match (offer.status, offer.availability) {
        (Status::Offered, Availability::Unavailable) if is_blocked() => Some("blocked"),
        (Status::Offered, Availability::Unavailable) if has_some() => Some("too few"),
        (Status::Offered, Availability::Unavailable) => Some("out of stock"),
        (Status::Offered, _) => None,
        (Status::SpotOnly, _) if is_for_spot => None,
        // A contract replaces the reservation that other users need.
        (Status::ReservedOnly, _) if is_agreed() => None,
        (status, _) => Some(status.word()),
    }
}

fn count_words(count: StockCountOut) -> String {
    use sky_accel_engine::asking::{CountQualifier, StockUnit};
    let unit = match count.unit {
        StockUnit::Machines => "",
        StockUnit::Accelerators => " GPUs",
    };
    match count.qualifier {
        CountQualifier::Exact => format!("{}{unit}", count.value),
        CountQualifier::AtMost => format!("up to {}{unit}", count.value),
        CountQualifier::AtLeast
        | CountQualifier::CappedByRequest
        | CountQualifier::CappedByQuota => {
            format!("{}+{unit}", count.value)
        }
    }
}

/// Returns what is known beside the stock: a likelihood, a date, or stock for fewer machines.
fn hint(answers: &[&ObtainabilityOut]) -> Option<String> {
    let likelihood = answers.iter().find_map(|answer| answer.likelihood.as_ref());
    if let Some(likelihood) = likelihood {
        let value = &likelihood.value;
        return Some(match likelihood.scale {
            LikelihoodScale::AwsScore => format!("{value} of 10"),
            LikelihoodScale::AzureMix => format!("{value} of 9"),
            LikelihoodScale::Rank => format!("rank {value}"),
            LikelihoodScale::GcpObtainability => format!("{value} of 1"),
            LikelihoodScale::AzureSpot
            | LikelihoodScale::NebiusLevel
            | LikelihoodScale::StockClass => value.clone(),
        });
    }
    if let Some(later) = first_day(answers) {
        return Some(later);
    }
    // Stock for one machine says nothing about four.
    let is_smaller = |answer: &&&ObtainabilityOut| {
        matches!(answer.state, StockState::Available | StockState::Limited)
    };
    let smaller = answers.iter().find(is_smaller)?;
    Some(format!("for {}", smaller.machines_asked))
}

/// Returns the first day at which the machines can be reserved, as in `from 2026-12-01`; `None` if nothing is known.
fn first_day(answers: &[&ObtainabilityOut]) -> Option<String> {
    let windows = answers.iter().flat_map(|answer| &answer.windows);
    let day = |start: &'_ str| start.get(..10).unwrap_or(start).to_owned();
    let days = windows.map(|window| day(&window.starts_at));
    days.min().map(|day| format!("from {day}"))
}

/// Returns the number of machines that the smallest quota admits; empty if nothing is known.
pub fn quota(answers: &[&ObtainabilityOut]) -> String {
    let quotas = answers.iter().filter_map(|answer| answer.quota.as_ref());
    let smallest = quotas.min_by_key(|quota| (quota.machines.is_none(), quota.machines));
    smallest.map_or(String::new(), |quota| match quota.machines {
        _ if quota.unlimited => "no limit".to_owned(),
        None => "?".to_owned(),
        // Without the use, the rest is unknown.
        Some(machines) if quota.used.is_none() && machines > 0 => format!("up to {machines}"),
        Some(machines) => machines.to_string(),
    })
}

/// Returns `stock as of 12:03 UTC`, with the date if it is of another day: the time of the oldest answer that a table
/// shows; `None` without answers.
pub fn as_of<'o>(answers: impl IntoIterator<Item = &'o ObtainabilityOut>) -> Option<String> {
    let times = answers
        .into_iter()
        .filter(|answer| !stock(&[answer]).is_empty() || answer.quota.is_some())
        .map(|answer| answer.measured_at.as_deref().unwrap_or(&answer.fetched_at));
    let oldest = times.min()?;
    let (day, time) = (oldest.get(..10)?, oldest.get(11..16)?);
    let today = timestamp(now());
    Some(if today.starts_with(day) {
        format!("stock as of {time} UTC")
    } else {
        format!("stock as of {day} {time} UTC")
    })
}

/// Describes an answer in one line, for the details of an offer.
#[cfg(not(target_family = "wasm"))]
pub fn sentence(answer: &ObtainabilityOut) -> String {
    let place = &answer.place;
    let site = place.site.as_deref().or(place.zone.as_deref());
    let region = site.or(place.region.as_deref()).unwrap_or("all regions");
    let stock = match answer.state_for_request {
        state @ (StockState::Offered | StockState::Unknown) => {
            hint(&[answer]).unwrap_or_else(|| state.to_string())
        }
        _ => stock(&[answer]),
    };
    let risk = answer.risk.as_ref().map(|risk| {
        let days = risk.window_days;
        format!("interrupted {} in {days} days", risk.rate)
    });
    let quota = answer.quota.as_ref().map(|quota| {
        let name = quota.name.as_deref().unwrap_or(&quota.code);
        format!("quota {} ({name})", self::quota(&[answer]))
    });
    let window = answer.windows.first();
    let window = window.map(|window| format!("starts {}", window.starts_at));
    let parts = [Some(stock), window, risk, quota];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{region} {}: {}", answer.capacity_type, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sky_accel_engine::asking::{
        CountQualifier, Likelihood, Obtainability, StockCount, StockUnit,
    };

    fn answer(change: impl FnOnce(&mut Obtainability), machines: u32) -> ObtainabilityOut {
        let mut record = Obtainability::new(CapacityType::OnDemand, 1, "stock");
        change(&mut record);
        ObtainabilityOut::of(&record, machines, 8.0)
    }

    #[test]
    fn a_contract_replaces_a_reservation() {
        let engine = sky_accel_engine::Engine::embedded();
        let request = sky_accel_engine::ResolveRequest {
            specs: vec!["H100:x8".into()],
            ..Default::default()
        };
        let mut offer = engine.resolve(&request).unwrap().envelope.results.remove(0);
        let filter = CapacityFilter::Unspecified;
        offer.status = Status::ReservedOnly;
        assert_eq!(obstacle(&offer, filter), Some("reserved-only"));
        offer.on_demand.as_mut().unwrap().kind = PriceKind::Contract;
        assert_eq!(obstacle(&offer, filter), None);
    }

    #[test]
    fn stock_is_one_word_or_a_number() {
        let of = |state, machines| stock(&[&answer(|record| record.state = state, machines)]);
        for (state, machines, expected) in [
            (StockState::Available, 1, "yes"),
            (StockState::Available, 4, "for 1"),
            (StockState::Limited, 1, "few"),
            (StockState::Unavailable, 4, "no"),
            (StockState::Blocked, 1, "blocked"),
            (StockState::NotOffered, 1, "not sold"),
            (StockState::Offered, 1, ""),
            (StockState::Unknown, 1, ""),
        ] {
            assert_eq!(of(state, machines), expected, "{state}");
        }
        let counted = |qualifier| {
            let set = |record: &mut Obtainability| {
                record.state = StockState::Available;
                record.count = Some(StockCount {
                    value: 10,
                    qualifier,
                    unit: StockUnit::Machines,
                });
            };
            stock(&[&answer(set, 4)])
        };
        assert_eq!(counted(CountQualifier::Exact), "10");
        assert_eq!(counted(CountQualifier::AtLeast), "10+");
        // Three machines are fewer than four.
        let three = |record: &mut Obtainability| {
            record.state = StockState::Available;
            record.count = Some(StockCount {
                value: 3,
                qualifier: CountQualifier::Exact,
                unit: StockUnit::Machines,
            });
        };
        assert_eq!(stock(&[&answer(three, 4)]), "only 3");
    }

    #[test]
    fn a_likelihood_is_shown_with_its_scale() {
        let of = |scale, value: &str| {
            let set = |record: &mut Obtainability| {
                record.likelihood = Some(Likelihood {
                    value: value.to_owned(),
                    scale,
                    band: None,
                });
            };
            stock(&[&answer(set, 1)])
        };
        assert_eq!(of(LikelihoodScale::AwsScore, "7"), "7 of 10");
        assert_eq!(of(LikelihoodScale::GcpObtainability, "0.7"), "0.7 of 1");
        assert_eq!(of(LikelihoodScale::AzureSpot, "high"), "high");
    }

    #[test]
    fn the_oldest_answer_dates_the_stock() {
        let at = |time: i64, state| {
            answer(
                |record| {
                    record.fetched_at = time;
                    record.state = state;
                },
                1,
            )
        };
        let known = [
            at(7_380, StockState::Available),
            at(99_999, StockState::Unavailable),
        ];
        assert_eq!(
            as_of(&known).as_deref(),
            Some("stock as of 1970-01-01 02:03 UTC")
        );
        assert_eq!(as_of(&[at(0, StockState::Offered)]), None);
        let today = as_of(&[at(now(), StockState::Available)]).unwrap();
        assert!(today.len() == "stock as of 12:03 UTC".len(), "{today}");
    }
}
