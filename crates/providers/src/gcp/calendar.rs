//! Periods in which machines can be reserved in calendar mode.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use sky_accel_core::catalog::CapacityType;

use super::batch::TypePlace;
use super::types::{is_word, last_part};
use crate::clock::timestamp;
use crate::json::{Maybe, MaybeList, MaybeMap, MaybeObject};
use crate::obtainability::{CapacityWindow, Obtainability, StockPlace};

pub(super) const CALENDAR: &str = "advice/calendarMode";
/// The longest time before a start, in days.
const MAX_DAYS: i64 = 90;
const DAY_S: i64 = 86_400;
/// The name of the only specification in a request.
const SPEC: &str = "machines";
/// The families of machines with TPUs, which are requested by chips, and the words for them. The
/// longest start of a name comes first.
const TPU_FAMILIES: &[(&str, &str)] = &[
    ("ct3p-", "VM_FAMILY_CLOUD_TPU_POD_SLICE_CT3P"),
    ("ct3-", "VM_FAMILY_CLOUD_TPU_DEVICE_CT3"),
    ("ct4p-", "VM_FAMILY_CLOUD_TPU_POD_SLICE_CT4P"),
    ("ct5lp-", "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT5LP"),
    ("ct5l-", "VM_FAMILY_CLOUD_TPU_LITE_DEVICE_CT5L"),
    ("ct5p-", "VM_FAMILY_CLOUD_TPU_POD_SLICE_CT5P"),
    ("ct6e-", "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E"),
    ("tpu7x-", "VM_FAMILY_CLOUD_TPU_POD_SLICE_TPU7X"),
];

/// A zone, and a period in it.
pub(super) type ZoneWindow = (String, CapacityWindow);

/// The machines and the time of a reservation to look for.
#[derive(Clone, Copy)]
pub(super) struct ReservationSearch {
    pub machines: u32,
    pub hours: u32,
    /// The number of accelerators of one machine; `None` if not reported.
    pub devices: Option<f64>,
    /// The current time in seconds since 1970.
    pub now: i64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CalendarAnswer {
    recommendations: MaybeList<MaybeObject<CalendarRecommendation>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CalendarRecommendation {
    recommendations_per_spec: MaybeMap<MaybeObject<RecommendedStart>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RecommendedStart {
    location: Maybe<String>,
    start_time: Maybe<String>,
    end_time: Maybe<String>,
}

/// Returns the request for the time when all machines can be reserved.
pub(super) fn calendar_request(place: &TypePlace, search: ReservationSearch) -> Value {
    let time = |seconds: i64| {
        let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
        time.to_string()
    };
    let seconds = format!("{}s", u64::from(search.hours) * 3600);
    let families = TPU_FAMILIES.iter();
    let mut families = families.filter(|(start, _)| place.type_id.starts_with(start));
    let resources = match (families.next(), search.devices) {
        (Some((_, family)), Some(devices)) => json!({ "aggregateResources": {
            "vmFamily": family,
            "acceleratorCount": (devices * f64::from(search.machines)).round().to_string(),
            "workloadType": "BATCH",
        } }),
        _ => json!({ "specificSkuResources": {
            "machineType": place.type_id,
            "instanceCount": search.machines.to_string(),
        } }),
    };
    json!({ "futureResourcesSpecs": { SPEC: {
        "targetResources": resources,
        "timeRangeSpec": {
            "minDuration": seconds,
            "maxDuration": seconds,
            "startTimeNotEarlierThan": time(search.now),
            "startTimeNotLaterThan": time(search.now + MAX_DAYS * DAY_S),
        },
    } } })
}

impl CalendarAnswer {
    /// Returns the recommended periods, each in a zone. A period that is over is left out.
    pub(super) fn windows(self, machines: u32, now: i64) -> Vec<ZoneWindow> {
        let recommendations = self.recommendations.items().into_iter();
        let specs = recommendations.filter_map(|row| row.0);
        let specs = specs.flat_map(|row| row.recommendations_per_spec.0.unwrap_or_default());
        let windows = specs.filter_map(|(_, spec)| {
            let spec = spec.0?;
            let zone = spec.location.0?;
            let zone = last_part(&zone);
            let start = spec.start_time.0.filter(|time| timestamp(time).is_some())?;
            let end = spec.end_time.0;
            let end = end.filter(|time| timestamp(time).is_some());
            let is_over = end
                .as_deref()
                .and_then(timestamp)
                .is_some_and(|end| end <= now);
            (is_word(zone) && !is_over).then(|| {
                let window = CapacityWindow {
                    starts_at: start,
                    ends_at: end,
                    machines: Some(machines),
                    usd_per_hour: None,
                };
                (zone.to_owned(), window)
            })
        });
        windows.collect()
    }
}

/// Returns the record of a period. Its state is unknown: a reservation says nothing about machines
/// on demand.
pub(super) fn record(
    place: &TypePlace,
    (zone, window): &ZoneWindow,
    machines: u32,
    at: i64,
) -> Obtainability {
    Obtainability {
        place: StockPlace {
            region: Some(place.region.clone()),
            zone: Some(zone.clone()),
            site: None,
        },
        windows: vec![window.clone()],
        is_account_specific: true,
        fetched_at: at,
        ..Obtainability::new(CapacityType::OnDemand, machines, CALENDAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(type_id: &str) -> TypePlace {
        TypePlace {
            region: "us-central1".to_owned(),
            zone: None,
            type_id: type_id.to_owned(),
        }
    }

    const SEARCH: ReservationSearch = ReservationSearch {
        machines: 4,
        hours: 48,
        devices: Some(8.0),
        now: 0,
    };

    #[test]
    fn all_machines_are_requested_for_the_whole_time() {
        let request = calendar_request(&place("a3-ultragpu-8g"), SEARCH);
        let spec = &request["futureResourcesSpecs"][SPEC];
        let resources = &spec["targetResources"]["specificSkuResources"];
        assert_eq!(resources["instanceCount"], "4");
        let times = &spec["timeRangeSpec"];
        assert_eq!(times["minDuration"], "172800s");
        assert_eq!(times["startTimeNotLaterThan"], "1970-04-01T00:00:00Z");
        // TPUs are requested by chips.
        let request = calendar_request(&place("ct5lp-hightpu-8t"), SEARCH);
        let spec = &request["futureResourcesSpecs"][SPEC];
        let resources = &spec["targetResources"]["aggregateResources"];
        assert_eq!(resources["acceleratorCount"], "32");
        assert_eq!(
            resources["vmFamily"],
            "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT5LP"
        );
    }

    #[test]
    fn windows_without_a_place_or_in_the_past_are_left_out() {
        let windows = |spec: Value, now: &str| {
            let answer = json!({"recommendations": [{"recommendationsPerSpec": {SPEC: spec}}]});
            let answer: CalendarAnswer = serde_json::from_value(answer).unwrap();
            answer.windows(4, timestamp(now).unwrap())
        };
        let spec = json!({"location": "zones/us-central1-a", "startTime": "2026-12-01T00:00:00Z",
            "endTime": "2026-12-03T00:00:00Z", "recommendationType": "FUTURE_RESERVATION",
            "otherLocations": {"zones/us-central1-b": {"status": "NO_CAPACITY"}}});
        let found = windows(spec.clone(), "2026-11-20T00:00:00Z");
        assert_eq!(found[0].0, "us-central1-a");
        assert_eq!(found[0].1.machines, Some(4));
        assert!(windows(spec, "2026-12-04T00:00:00Z").is_empty());
        let none = json!({"otherLocations": {"zones/us-central1-b": {"status": "NO_CAPACITY"}}});
        assert!(windows(none, "2026-11-20T00:00:00Z").is_empty());
    }
}
