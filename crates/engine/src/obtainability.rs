//! The providers' reports on the obtainability of an offer, in one form.
//!
//! Providers report stock as records, or only as a word beside each price, and AWS reports spot placement scores,
//! interruption rates, capacity blocks and quotas. All of them become [`ObtainabilityOut`]. No figure is converted to
//! the scale of another provider.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan as _};
use sky_accel_core::catalog::{Availability, CapacityType, Catalog, Offer, PriceKind};
use sky_accel_core::money::Count;
use sky_accel_live::{
    CapacityBlock, CapacityWindow, Extras, InterruptionRisk, Interruptions, Likelihood,
    LikelihoodScale, Live, Obtainability, QueryOutcome, Quota, RiskKind, SpotScore, StockState,
    WORD,
};

use crate::contract::{CandidateCapacity, ObtainabilityOut, QuotaLeftOut};

/// The number of days of the interruption rates of AWS.
const INTERRUPTION_DAYS: u32 = 30;

/// The answers for an offer with a number of accelerators, for the number of machines of the query.
pub(crate) fn of_offer(
    live: &Live,
    catalog: &Catalog<'_>,
    offer: &Offer,
    count: Count,
    vcpu: Option<f64>,
) -> Vec<ObtainabilityOut> {
    let key = (offer.provider, catalog.str(offer.id).to_owned());
    let none = Extras::default();
    let extras = live.extras.get(&key).unwrap_or(&none);
    let (machines, accelerators) = (live.machines, count.decimal());
    let own = extras.obtainability.get(&count.0);
    let own = own.map_or(&[][..], |records| &records[..]);
    let out = |record: &Obtainability| ObtainabilityOut::of(record, machines, accelerators);
    let mut answers: Vec<ObtainabilityOut> = own.iter().map(out).collect();
    answers.extend(of_prices(catalog, offer, count, own, machines));
    let fetched_at = fetched_at(live, offer);
    let sold = |record: Obtainability| with_sale(catalog, offer, record);
    let scores = extras.spot_scores.iter().map(of_score).map(sold);
    let rates = extras.interruptions.iter();
    let rates = rates
        .map(|rate| of_interruptions(rate, fetched_at))
        .map(sold);
    answers.extend(scores.chain(rates).map(|record| out(&record)));
    answers.extend(extras.capacity_blocks.iter().filter_map(|block| {
        Some(ObtainabilityOut {
            capacity_type: CandidateCapacity::CapacityBlock,
            ..out(&of_block(block)?)
        })
    }));
    let bare = without_answer(&extras.quotas, &answers, (machines, fetched_at));
    answers.extend(bare.iter().map(out));
    for answer in &mut answers {
        add_quota(answer, &extras.quotas, vcpu, (machines, accelerators));
    }
    answers
}

/// The time of a provider's answer in seconds since 1970; 0 without an answer.
fn fetched_at(live: &Live, offer: &Offer) -> i64 {
    let mut answers = live.answers.iter();
    let answer = answers.find(|answer| answer.provider == offer.provider);
    match answer.map(|answer| &answer.outcome) {
        Some(QueryOutcome::Answered { fetched_at, .. }) => *fetched_at,
        _ => 0,
    }
}

/// The stock that a provider reports beside its prices, for the places that it has no answer for. The best of several
/// prices of a place decides: the machine can be had at that price.
fn of_prices(
    catalog: &Catalog<'_>,
    offer: &Offer,
    count: Count,
    own: &[Obtainability],
    machines: u32,
) -> Vec<ObtainabilityOut> {
    let mut places: BTreeMap<(CapacityType, &str, &str), (Availability, &str)> = BTreeMap::new();
    for price in catalog.prices(offer) {
        let is_reported = price.kind == PriceKind::Live
            && price.availability != Availability::Unknown
            && price.count.is_none_or(|of| of == count);
        let region = price.region.map(|id| catalog.region_id(id));
        let zone = catalog.text(price.zone);
        let is_answered = || {
            let mut own = own.iter();
            own.any(|record| {
                // A price of every region says less than a report on any of them.
                region.is_none() && record.capacity == price.capacity
                    || record.covers(price.capacity, region, zone)
            })
        };
        if !is_reported || is_answered() {
            continue;
        }
        let (region, zone) = (region.unwrap_or_default(), zone.unwrap_or_default());
        let found = (price.availability, catalog.str(price.as_of));
        let best = places
            .entry((price.capacity, region, zone))
            .or_insert(found);
        if found.0 < best.0 {
            *best = found;
        }
    }
    let answers = places.into_iter();
    let answers = answers.map(|((capacity, region, zone), (availability, as_of))| {
        // A word beside a price is for one machine.
        let mut record = Obtainability::new(capacity, 1, WORD);
        record.state = match availability {
            Availability::Available => StockState::Available,
            Availability::Limited => StockState::Limited,
            Availability::Unavailable => StockState::Unavailable,
            Availability::Unknown => StockState::Unknown,
        };
        let known = |place: &str| (!place.is_empty()).then(|| place.to_owned());
        record.place.region = known(region);
        record.place.zone = known(zone);
        ObtainabilityOut {
            fetched_at: as_of.to_owned(),
            ..ObtainabilityOut::of(&record, machines, count.decimal())
        }
    });
    answers.collect()
}

/// Sets the state of an answer that does not tell stock: `offered` where the offer has a price for its capacity type.
fn with_sale(catalog: &Catalog<'_>, offer: &Offer, mut record: Obtainability) -> Obtainability {
    let mut prices = catalog.prices(offer).iter();
    let is_sold = prices.any(|price| {
        let region = price.region.map(|id| catalog.region_id(id));
        price.capacity == record.capacity
            && region.is_none_or(|id| record.place.region.as_deref() == Some(id))
    });
    if is_sold {
        record.state = StockState::Offered;
    }
    record
}

fn of_score(score: &SpotScore) -> Obtainability {
    let record = Obtainability::new(CapacityType::Spot, score.machines, "spot placement scores");
    Obtainability {
        likelihood: Some(Likelihood {
            value: score.score.to_string(),
            scale: LikelihoodScale::AwsScore,
            band: None,
        }),
        is_account_specific: true,
        fetched_at: score.as_of,
        ..record.in_region(&score.region)
    }
}

fn of_interruptions(rate: &Interruptions, fetched_at: i64) -> Obtainability {
    let record = Obtainability::new(CapacityType::Spot, 1, "spot instance advisor");
    Obtainability {
        risk: Some(InterruptionRisk {
            rate: rate.rate.clone(),
            highest: None,
            kind: RiskKind::AwsInterruptedOfRunning,
            window_days: INTERRUPTION_DAYS,
        }),
        fetched_at,
        ..record.in_region(&rate.region)
    }
}

/// Converts a capacity block; `None` if its start is unknown.
fn of_block(block: &CapacityBlock) -> Option<Obtainability> {
    let record = Obtainability::new(CapacityType::OnDemand, block.machines, "capacity blocks");
    let starts_at = block.starts_at.clone()?;
    let start: Option<Timestamp> = starts_at.parse().ok();
    let end = start.and_then(|start| start.checked_add(i64::from(block.hours).hours()).ok());
    let mut record = Obtainability {
        state: StockState::Available,
        windows: vec![CapacityWindow {
            starts_at,
            ends_at: end.map(|end| end.to_string()),
            machines: Some(block.machines),
            usd_per_hour: Some(block.upfront_usd / f64::from(block.hours.max(1))),
        }],
        is_account_specific: true,
        fetched_at: block.as_of,
        ..record.in_region(&block.region)
    };
    record.place.zone.clone_from(&block.zone);
    Some(record)
}

/// Answers without stock for the quotas that limit no other answer.
fn without_answer(
    quotas: &[Quota],
    answers: &[ObtainabilityOut],
    (machines, fetched_at): (u32, i64),
) -> Vec<Obtainability> {
    let is_alone = |quota: &&Quota| !answers.iter().any(|answer| limits(quota, answer));
    let alone = quotas.iter().filter(is_alone);
    let mut records: Vec<Obtainability> = Vec::new();
    for quota in alone {
        let record = Obtainability {
            is_account_specific: true,
            fetched_at,
            ..Obtainability::new(quota.capacity, machines, "quotas")
        };
        let record = match &quota.region {
            Some(region) => record.in_region(region),
            None => record,
        };
        if !records.contains(&record) {
            records.push(record);
        }
    }
    records
}

/// Returns true if a quota limits the machines of an answer. Blocks that are reserved in advance have other quotas.
fn limits(quota: &Quota, answer: &ObtainabilityOut) -> bool {
    let capacity = match answer.capacity_type {
        CandidateCapacity::OnDemand => CapacityType::OnDemand,
        CandidateCapacity::Spot => CapacityType::Spot,
        CandidateCapacity::Reservation | CandidateCapacity::CapacityBlock => return false,
    };
    quota.covers(capacity, answer.place.region.as_deref())
}

/// Adds the quota that admits the fewest machines. An answer is blocked if the quota admits fewer than requested, unless
/// the machine is out of stock.
fn add_quota(
    answer: &mut ObtainabilityOut,
    quotas: &[Quota],
    vcpu: Option<f64>,
    (machines, accelerators): (u32, f64),
) {
    let quotas = quotas.iter().filter(|quota| limits(quota, answer));
    let quotas = quotas.map(|quota| QuotaLeftOut::of(quota, vcpu, accelerators));
    // A quota of unknown or unlimited size decides only if there is no other.
    let smallest = quotas.min_by_key(|quota| (quota.machines.is_none(), quota.machines));
    let fit = smallest.as_ref().and_then(|quota| quota.machines);
    if let Some(fit) = fit {
        let is_out = |state| matches!(state, StockState::Unavailable | StockState::NotOffered);
        if fit < machines && !is_out(answer.state_for_request) {
            answer.state_for_request = StockState::Blocked;
        }
        if fit < answer.machines_asked && !is_out(answer.state) {
            answer.state = StockState::Blocked;
        }
    }
    answer.quota = smallest;
}

#[cfg(test)]
mod tests {
    use sky_accel_catalog::Tables;
    use sky_accel_core::catalog::ProviderId;
    use sky_accel_embedded::TEST_CATALOG as CATALOG;
    use sky_accel_live::{QuotaUnit, StockCount, StockUnit};

    use super::*;

    const TYPE: &str = "p5.48xlarge";

    fn offer() -> Offer {
        let mut offers = CATALOG.offers.iter();
        offers.find(|row| CATALOG.str(row.id) == TYPE).unwrap()
    }

    fn answers(machines: u32, extras: Extras) -> Vec<ObtainabilityOut> {
        let (offer, provider) = (offer(), CATALOG.provider_named("aws").unwrap());
        let live = Live {
            tables: Tables::copy_of(&CATALOG),
            machines,
            extras: BTreeMap::from([((provider, TYPE.to_owned()), extras)]),
            answers: Vec::new(),
            notes: Vec::new(),
        };
        of_offer(
            &live,
            &live.tables.catalog(),
            &offer,
            Count::whole(8),
            Some(192.0),
        )
    }

    fn quota(unit: QuotaUnit, limit: Option<f64>, used: Option<f64>) -> Quota {
        Quota {
            region: Some("us-east-1".to_owned()),
            capacity: CapacityType::OnDemand,
            code: format!("L-{unit}"),
            name: None,
            unit,
            limit,
            used,
            is_adjustable: Some(true),
        }
    }

    #[test]
    fn a_score_keeps_its_scale_and_its_number_of_machines() {
        let extras = Extras {
            spot_scores: vec![SpotScore {
                region: "us-east-1".to_owned(),
                score: 7,
                instance_types: Vec::new(),
                machines: 4,
                as_of: 60,
            }],
            ..Extras::default()
        };
        let answer = answers(4, extras).remove(0);
        let likelihood = answer.likelihood.unwrap();
        assert_eq!(
            (&*likelihood.value, likelihood.scale),
            ("7", LikelihoodScale::AwsScore)
        );
        assert_eq!(likelihood.band, None);
        assert_eq!(
            (answer.machines_asked, answer.state),
            (4, StockState::Offered)
        );
        assert_eq!(answer.capacity_type, CandidateCapacity::Spot);
        assert_eq!(answer.fetched_at, "1970-01-01T00:01:00Z");
    }

    #[test]
    fn an_interruption_rate_keeps_its_kind() {
        let extras = Extras {
            interruptions: vec![Interruptions {
                region: "nowhere".to_owned(),
                rate: "5-10%".to_owned(),
            }],
            ..Extras::default()
        };
        let answer = answers(1, extras).remove(0);
        let risk = answer.risk.unwrap();
        assert_eq!((&*risk.rate, risk.window_days), ("5-10%", 30));
        assert_eq!(risk.kind, RiskKind::AwsInterruptedOfRunning);
        assert_eq!(answer.state, StockState::Unknown);
    }

    #[test]
    fn a_block_is_a_window_with_an_hourly_price() {
        let block = CapacityBlock {
            region: "us-east-1".to_owned(),
            zone: Some("us-east-1a".to_owned()),
            starts_at: Some("2026-12-01T11:30:00Z".to_owned()),
            hours: 48,
            machines: 4,
            upfront_usd: 4_800.0,
            as_of: 0,
        };
        let extras = Extras {
            capacity_blocks: vec![block],
            quotas: vec![quota(QuotaUnit::Machines, Some(0.0), None)],
            ..Extras::default()
        };
        let found = answers(4, extras);
        let answer = &found[0];
        assert_eq!(answer.capacity_type, CandidateCapacity::CapacityBlock);
        assert_eq!(
            (answer.machines_asked, answer.state),
            (4, StockState::Available)
        );
        assert_eq!(answer.place.zone.as_deref(), Some("us-east-1a"));
        let window = &answer.windows[0];
        assert_eq!(window.ends_at.as_deref(), Some("2026-12-03T11:30:00Z"));
        assert_eq!(window.usd_per_hour.map(|usd| usd.0), Some(100.0));
        // Quotas of on-demand machines do not limit blocks: they block only the on-demand machines.
        assert_eq!(answer.quota, None);
        assert_eq!(found[1].state, StockState::Blocked);
    }

    #[test]
    fn the_smallest_quota_decides_and_blocks() {
        let of = |machines, quotas: &[Quota]| {
            let mut record = Obtainability::new(CapacityType::OnDemand, 1, "stock");
            record.state = StockState::Available;
            record.place.region = Some("us-east-1".to_owned());
            record.count = Some(StockCount {
                value: 9,
                qualifier: sky_accel_live::CountQualifier::Exact,
                unit: StockUnit::Machines,
            });
            let extras = Extras {
                obtainability: BTreeMap::from([(Count::whole(8).0, vec![record])]),
                quotas: quotas.to_vec(),
                ..Extras::default()
            };
            let found = answers(machines, extras);
            assert_eq!(found.len(), 1);
            found.into_iter().next().unwrap()
        };
        let vcpus = quota(QuotaUnit::Vcpus, Some(768.0), Some(384.0));
        let accelerators = quota(QuotaUnit::Accelerators, Some(32.0), None);
        let unlimited = quota(QuotaUnit::Machines, None, Some(3.0));
        let quotas = [unlimited.clone(), accelerators, vcpus];
        let four = of(4, &quotas);
        let left = four.quota.unwrap();
        assert_eq!((&*left.code, left.machines), ("L-vcpus", Some(2)));
        assert_eq!(
            (left.left, left.used),
            (
                Some(crate::contract::Num(384.0)),
                Some(crate::contract::Num(384.0))
            )
        );
        assert_eq!(four.state_for_request, StockState::Blocked);
        // The provider's answer is for one machine, which the quota admits.
        assert_eq!(four.state, StockState::Available);
        assert_eq!(of(2, &quotas).state_for_request, StockState::Available);
        let free = of(4, &[unlimited]);
        assert_eq!(free.state_for_request, StockState::Available);
        let left = free.quota.unwrap();
        assert!(left.unlimited && left.limit.is_none() && left.left.is_none());
    }

    #[test]
    fn a_quota_of_unknown_use_has_no_rest() {
        let extras = Extras {
            quotas: vec![quota(QuotaUnit::Vcpus, Some(768.0), None)],
            ..Extras::default()
        };
        let answer = answers(1, extras).remove(0);
        let quota = answer.quota.unwrap();
        assert_eq!((quota.left, quota.machines), (None, Some(4)));
        assert_eq!(answer.state, StockState::Unknown);
        assert!(answer.account_specific);
    }

    #[test]
    fn the_stock_beside_prices_is_for_one_machine() {
        let mut tables = Tables::copy_of(&CATALOG);
        let offer = offer();
        let listed = CATALOG.prices(&offer).iter().next().unwrap();
        let price = |availability| sky_accel_core::catalog::Price {
            kind: PriceKind::Live,
            capacity: CapacityType::OnDemand,
            count: None,
            availability,
            ..listed
        };
        let fresh = sky_accel_catalog::FreshOffer {
            row: offer,
            accelerators: CATALOG.accelerators(offer.accelerators).to_vec(),
            regions: Vec::new(),
            prices: vec![price(Availability::Limited), price(Availability::Available)],
        };
        let aws: ProviderId = offer.provider;
        tables.replace_offers(&[aws], vec![fresh]);
        let live = Live {
            tables,
            machines: 4,
            extras: BTreeMap::new(),
            answers: Vec::new(),
            notes: Vec::new(),
        };
        let catalog = live.tables.catalog();
        let mut offers = catalog.offers.iter();
        let offer = offers.find(|row| row.provider == aws).unwrap();
        let found = of_offer(&live, &catalog, &offer, Count::whole(8), None);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].state, found[0].machines_asked),
            (StockState::Available, 1)
        );
        assert_eq!(found[0].state_for_request, StockState::Unknown);
    }
}
