//! Advice on spot capacity: the likelihood of getting machines, how often they were preempted, and
//! their price.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sky_accel_core::catalog::CapacityType;

use super::batch::TypePlace;
use crate::clock::timestamp;
use crate::json::{Maybe, MaybeList, MaybeObject};
use crate::obtainability::{
    InterruptionRisk, Likelihood, LikelihoodBand, LikelihoodScale, Obtainability, RiskKind,
    StockPlace,
};
use crate::offer::Price;

/// The endpoints, which name the sources of answers.
pub(super) const CAPACITY: &str = "advice/capacity";
pub(super) const HISTORY: &str = "advice/capacityHistory";
/// The number of days that a rate of preemptions covers at most.
const MAX_DAYS: usize = 30;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CapacityAnswer {
    recommendations: MaybeList<MaybeObject<Recommendation>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Recommendation {
    scores: MaybeObject<Scores>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Scores {
    obtainability: Maybe<f64>,
    estimated_uptime: Maybe<String>,
}

/// The likelihood of getting spot machines in a zone. Every field may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SpotAdvice {
    obtainability: Option<f64>,
    uptime_s: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct HistoryAnswer {
    preemption_history: MaybeList<MaybeObject<PreemptionDay>>,
    price_history: MaybeList<MaybeObject<PriceInterval>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PreemptionDay {
    interval: MaybeObject<TimeInterval>,
    preemption_rate: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PriceInterval {
    interval: MaybeObject<TimeInterval>,
    list_price: MaybeObject<GoogleMoney>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct TimeInterval {
    start_time: Maybe<String>,
    end_time: Maybe<String>,
}

/// An amount. Google leaves out a part that is zero.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct GoogleMoney {
    currency_code: Maybe<String>,
    units: Maybe<f64>,
    nanos: Maybe<f64>,
}

/// The history of spot machines of a type in a region. Every field may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SpotHistory {
    /// The daily shares of stopped machines that were preempted, in ascending order.
    rates: Vec<f64>,
    /// The price of the whole machine for an hour.
    per_hour: Option<f64>,
    /// The currency; `None` for US dollars.
    currency: Option<String>,
}

/// Returns the request for the likelihood of getting `machines` machines of a type in one zone.
pub(super) fn capacity_request(place: &TypePlace, machines: u32) -> Value {
    let mut distribution = json!({ "targetShape": "ANY_SINGLE_ZONE" });
    if let Some(zone) = &place.zone {
        distribution["zones"] = json!([{ "zone": format!("zones/{zone}") }]);
    }
    json!({
        "size": machines,
        "instanceProperties": { "scheduling": { "provisioningModel": "SPOT" } },
        "distributionPolicy": distribution,
        "instanceFlexibilityPolicy": {
            "instanceSelections": { "machines": { "machineTypes": [place.type_id] } },
        },
    })
}

/// Returns the request for the preemptions and prices of a type in a region: prices are equal in all
/// of its zones.
pub(super) fn history_request(place: &TypePlace) -> Value {
    json!({
        "types": ["PREEMPTION", "PRICE"],
        "instanceProperties": {
            "machineType": place.type_id,
            "scheduling": { "provisioningModel": "SPOT" },
        },
    })
}

impl CapacityAnswer {
    pub(super) fn advice(self) -> SpotAdvice {
        let mut recommendations = self.recommendations.items().into_iter();
        let scores = recommendations.find_map(|row| row.0?.scores.0);
        let scores = scores.unwrap_or_default();
        let is_score = |score: &f64| (0.0..=1.0).contains(score);
        SpotAdvice {
            obtainability: scores.obtainability.0.filter(is_score),
            uptime_s: scores.estimated_uptime.0.as_deref().and_then(seconds),
        }
    }
}

/// Returns the whole seconds in a duration such as `3600s`.
fn seconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds as u64)
}

impl SpotAdvice {
    /// Returns the record; `None` if Google reports no score.
    pub(super) fn record(self, place: &TypePlace, machines: u32, at: i64) -> Option<Obtainability> {
        if self.obtainability.is_none() && self.uptime_s.is_none() {
            return None;
        }
        let likelihood = self.obtainability.map(|value| Likelihood {
            // A score of 0 is a score.
            value: format!("{value:?}"),
            scale: LikelihoodScale::GcpObtainability,
            band: band(value),
        });
        Some(Obtainability {
            likelihood,
            uptime_s: self.uptime_s,
            ..record(place, machines, CAPACITY, at)
        })
    }
}

/// Returns the band that Google documents for a score; `None` between two bands.
fn band(score: f64) -> Option<LikelihoodBand> {
    match score {
        0.7.. => Some(LikelihoodBand::High),
        0.4..=0.6 => Some(LikelihoodBand::Medium),
        ..=0.3 => Some(LikelihoodBand::Low),
        _ => None,
    }
}

/// Returns a record of unknown state about spot machines.
fn record(place: &TypePlace, machines: u32, source: &str, at: i64) -> Obtainability {
    Obtainability {
        place: StockPlace {
            region: Some(place.region.clone()),
            zone: place.zone.clone(),
            site: None,
        },
        is_account_specific: true,
        fetched_at: at,
        ..Obtainability::new(CapacityType::Spot, machines, source)
    }
}

impl HistoryAnswer {
    /// Returns the rates of the last days, and the price at the time `now`.
    pub(super) fn history(self, now: i64) -> SpotHistory {
        let days = self.preemption_history.items().into_iter();
        let mut days: Vec<(Option<i64>, f64)> = days
            .filter_map(|day| {
                let day = day.0?;
                let rate = day.preemption_rate.0;
                let rate = rate.filter(|rate| (0.0..=1.0).contains(rate))?;
                Some((day.interval.0.unwrap_or_default().times().0, rate))
            })
            .collect();
        days.sort_by_key(|(start, _)| *start);
        let days = days.into_iter().rev().take(MAX_DAYS);
        let mut rates: Vec<f64> = days.map(|(_, rate)| rate).collect();
        rates.sort_by(f64::total_cmp);
        let intervals = self.price_history.items().into_iter();
        let prices = intervals.filter_map(|row| {
            let row = row.0?;
            let (start, end) = row.interval.0.unwrap_or_default().times();
            let start = start.filter(|start| *start <= now)?;
            let is_current = end.is_none_or(|end| end > now);
            Some(((is_current, start), row.list_price.0?.amount()?))
        });
        let newest = prices.max_by_key(|(rank, _)| *rank);
        let (per_hour, currency) = match newest {
            Some((_, (amount, currency))) => (Some(amount), currency),
            None => (None, None),
        };
        SpotHistory {
            rates,
            per_hour,
            currency,
        }
    }
}

impl TimeInterval {
    fn times(self) -> (Option<i64>, Option<i64>) {
        let time = |text: Maybe<String>| text.0.as_deref().and_then(timestamp);
        (time(self.start_time), time(self.end_time))
    }
}

impl GoogleMoney {
    /// Returns the amount above zero, and its currency unless that is the US dollar.
    fn amount(self) -> Option<(f64, Option<String>)> {
        if self.units.0.is_none() && self.nanos.0.is_none() {
            return None;
        }
        let amount = self.units.0.unwrap_or(0.0) + self.nanos.0.unwrap_or(0.0) * 1e-9;
        let currency = self.currency_code.0.filter(|code| code != "USD");
        (amount > 0.0).then_some((amount, currency))
    }
}

impl SpotHistory {
    /// Returns the price in a region; `None` if Google reports none.
    pub(super) fn price(&self, region: &str, at: i64) -> Option<Price> {
        Some(Price {
            currency: self.currency.clone(),
            region: Some(region.to_owned()),
            as_of: at,
            ..Price::new(CapacityType::Spot, self.per_hour?)
        })
    }

    /// Returns the record with the median and the highest rate; `None` without a rate.
    pub(super) fn record(
        &self,
        place: &TypePlace,
        machines: u32,
        at: i64,
    ) -> Option<Obtainability> {
        let highest = *self.rates.last()?;
        let middle = self.rates.len() / 2;
        let median = if self.rates.len().is_multiple_of(2) {
            f64::midpoint(self.rates[middle - 1], self.rates[middle])
        } else {
            self.rates[middle]
        };
        let risk = InterruptionRisk {
            rate: percent(median),
            highest: Some(percent(highest)),
            kind: RiskKind::GcpPreemptedOfStopped,
            window_days: u32::try_from(self.rates.len()).unwrap_or(u32::MAX),
        };
        Some(Obtainability {
            risk: Some(risk),
            ..record(place, machines, HISTORY, at)
        })
    }
}

/// Returns a share as a percentage with at most one decimal.
fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> TypePlace {
        TypePlace {
            region: "us-central1".to_owned(),
            zone: Some("us-central1-a".to_owned()),
            type_id: "a3-highgpu-8g".to_owned(),
        }
    }

    fn advice(scores: &Value) -> Option<Obtainability> {
        let answer = json!({ "recommendations": [{ "scores": scores }] });
        let answer: CapacityAnswer = serde_json::from_value(answer).unwrap();
        answer.advice().record(&place(), 4, 7)
    }

    fn history(answer: Value) -> SpotHistory {
        let now = timestamp("2026-11-20T12:00:00Z").unwrap();
        let answer: HistoryAnswer = serde_json::from_value(answer).unwrap();
        answer.history(now)
    }

    #[test]
    fn the_number_of_machines_is_requested() {
        let request = capacity_request(&place(), 4);
        assert_eq!(request["size"], 4);
        let zone = &request["distributionPolicy"]["zones"][0]["zone"];
        assert_eq!(zone, "zones/us-central1-a");
        let record = advice(&json!({"obtainability": 0.8, "estimatedUptime": "3600s"})).unwrap();
        assert_eq!((record.machines, record.uptime_s), (4, Some(3600)));
        assert_eq!(record.place.zone.as_deref(), Some("us-central1-a"));
    }

    #[test]
    fn a_likelihood_of_zero_is_not_missing() {
        let of = |scores: &Value| {
            let likelihood = advice(scores)?.likelihood?;
            Some((likelihood.value, likelihood.band))
        };
        for (score, band) in [
            (0.0, Some(LikelihoodBand::Low)),
            (0.3, Some(LikelihoodBand::Low)),
            (0.35, None),
            (0.5, Some(LikelihoodBand::Medium)),
            (0.65, None),
            (1.0, Some(LikelihoodBand::High)),
        ] {
            let value = format!("{score:?}");
            assert_eq!(of(&json!({ "obtainability": score })), Some((value, band)));
        }
        for scores in [json!({}), json!(null), json!({"obtainability": 1.5})] {
            assert_eq!(advice(&scores), None);
        }
        let uptime_alone = advice(&json!({"estimatedUptime": "600.5s"})).unwrap();
        assert_eq!(
            (uptime_alone.uptime_s, uptime_alone.likelihood),
            (Some(600), None)
        );
    }

    #[test]
    fn the_price_is_that_of_the_current_interval() {
        let price = |start: &str, end: Value, money: Value| json!({"interval": {"startTime": start, "endTime": end}, "listPrice": money});
        let dollars = |units: &str, nanos: u32| json!({"currencyCode": "USD", "units": units, "nanos": nanos});
        let of = |rows: Value| history(json!({ "priceHistory": rows })).per_hour;
        let old = price(
            "2026-01-01T00:00:00-08:00",
            json!("2026-11-01T00:00:00-07:00"),
            dollars("30", 0),
        );
        let current = price(
            "2026-11-01T00:00:00-07:00",
            json!(null),
            dollars("21", 500_000_000),
        );
        let future = price("2026-12-01T00:00:00-08:00", json!(null), dollars("9", 0));
        assert_eq!(of(json!([current, old, future])), Some(21.5));
        // In a gap, the newest known price.
        assert_eq!(of(json!([old, future])), Some(30.0));
        let cents = price(
            "2026-11-01T00:00:00Z",
            json!(null),
            json!({"nanos": 500_000_000}),
        );
        assert_eq!(of(json!([cents])), Some(0.5));
        for money in [json!({}), json!({"units": "0"}), json!(null)] {
            assert_eq!(
                of(json!([price("2026-11-01T00:00:00Z", json!(null), money)])),
                None
            );
        }
        let euros = json!({"currencyCode": "EUR", "units": "3"});
        let euros =
            history(json!({"priceHistory": [price("2026-11-01T00:00:00Z", json!(null), euros)]}));
        assert_eq!(
            euros.price("us-central1", 7).unwrap().currency.as_deref(),
            Some("EUR")
        );
    }

    #[test]
    fn the_risk_is_of_thirty_days_and_never_zero_without_data() {
        let day = |day: usize, rate: f64| json!({"interval": {"startTime": format!("2026-10-{day:02}T07:00:00Z")}, "preemptionRate": rate});
        // The first of 31 days is too old.
        let days: Vec<Value> = (1..=31)
            .map(|at| day(at, if at == 1 { 1.0 } else { at as f64 / 100.0 }))
            .collect();
        let record = history(json!({ "preemptionHistory": days })).record(&place(), 1, 7);
        let risk = record.unwrap().risk.unwrap();
        assert_eq!(risk.window_days, 30);
        assert_eq!(
            (&*risk.rate, risk.highest.as_deref()),
            ("16.5%", Some("31%"))
        );
        for none in [json!([]), json!([{"preemptionRate": 7}]), json!("x")] {
            let none = history(json!({ "preemptionHistory": none }));
            assert_eq!(none.record(&place(), 1, 7), None);
        }
        let calm = history(json!({"preemptionHistory": [day(3, 0.0)]}));
        assert_eq!(
            calm.record(&place(), 1, 7).unwrap().risk.unwrap().rate,
            "0%"
        );
    }
}
