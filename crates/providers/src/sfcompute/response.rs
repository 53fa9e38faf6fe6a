//! Parses the answers. No I/O.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sky_accel_core::catalog::{Availability, CapacityType};
use sky_accel_core::sizing::GIB;

use crate::error::ProviderError;
use crate::json::{Maybe, MaybeList, MaybeObject, document, positive};
use crate::obtainability::{
    CapacityWindow, CountQualifier, Obtainability, StockCount, StockPlace, StockState, StockUnit,
};
use crate::offer::{DroppedBecause, Hardware, Offer, Price, RegionList, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of San Francisco Compute in the catalog.
pub(super) const ID: &str = "sfcompute";

const SOURCE: &str = "instance SKU availability";

/// The number of rows on a page.
pub(super) const PAGE_SIZE: u32 = 200;
/// The maximum number of periods that an answer keeps.
const MAX_WINDOWS: usize = 8;
const MINUTE_S: i64 = 60;
const HOUR_S: i64 = 3600;

/// The hour for which machines are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The start in seconds since 1970, a full minute.
    pub start: i64,
}

impl Moment {
    /// Returns the hour that begins with the next minute: orders begin with full minutes.
    pub(super) fn after(now: i64) -> Self {
        let minute = now.div_euclid(MINUTE_S).saturating_add(1);
        Self {
            start: minute.saturating_mul(MINUTE_S),
        }
    }

    pub(super) fn end(self) -> i64 {
        self.start.saturating_add(HOUR_S)
    }
}

/// A row of a list.
pub(super) trait Row: DeserializeOwned + Default {}

/// A page of a list.
#[derive(Default, Deserialize)]
#[serde(default, bound = "R: DeserializeOwned + Default")]
struct PageDocument<R> {
    data: MaybeList<MaybeObject<R>>,
    has_more: Maybe<bool>,
    cursor: Maybe<String>,
}

/// The page after a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextPage {
    /// Nothing: it is the last page.
    None,
    /// The page after this cursor.
    After(String),
    /// A page that cannot be requested.
    Lost,
}

/// Returns the rows of a page, and what follows it. A row that cannot be read is empty.
pub(super) fn page<R: Row>(body: &[u8]) -> Result<(Vec<R>, NextPage), ProviderError> {
    let page: PageDocument<R> = document(ID, body)?;
    let rows = page.data.0;
    let rows = rows.ok_or_else(|| ProviderError::no_list(ID, "rows"))?;
    let rows = rows.into_iter().map(|row| row.0.unwrap_or_default());
    // Another text would change the address.
    let is_cursor = |cursor: &String| {
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !cursor.is_empty() && cursor.bytes().all(is_safe)
    };
    let next = match (page.has_more.0, page.cursor.0.filter(is_cursor)) {
        (Some(true), Some(cursor)) => NextPage::After(cursor),
        (Some(true), None) => NextPage::Lost,
        _ => NextPage::None,
    };
    Ok((rows.collect(), next))
}

/// A type of machines in a zone.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct SkuRow {
    id: Maybe<String>,
    /// A name for people, such as `richmond`.
    alias: Maybe<String>,
    region: MaybeObject<Property<String>>,
    /// The zone within the region, such as `a`.
    availability_zone: MaybeObject<Property<String>>,
    accelerator: MaybeObject<Property<String>>,
    form_factor: MaybeObject<Property<String>>,
    num_accelerators: MaybeObject<Property<f64>>,
    num_vcpus: MaybeObject<Property<f64>>,
    /// In bytes.
    memory: MaybeObject<Property<f64>>,
}

impl Row for SkuRow {}

#[derive(Deserialize)]
#[serde(default, bound = "Maybe<T>: Deserialize<'de>")]
struct Property<T> {
    value: Maybe<T>,
}

impl<T> Default for Property<T> {
    fn default() -> Self {
        Self { value: Maybe(None) }
    }
}

/// Returns the value of a property.
fn value<T>(property: MaybeObject<Property<T>>) -> Option<T> {
    property.0?.value.0
}

/// The machines of a type that are for sale over time.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ScheduleRow {
    instance_sku: MaybeObject<SkuSummary>,
    schedule: MaybeList<MaybeObject<ScheduleEntry>>,
}

impl Row for ScheduleRow {}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SkuSummary {
    id: Maybe<String>,
}

/// A number of machines in a period.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ScheduleEntry {
    start_at: Maybe<f64>,
    /// The end; without it, the start of the next entry, or no end.
    end_at: Maybe<f64>,
    node_count: Maybe<f64>,
}

/// A period with a number of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Period {
    start: i64,
    /// `None` without an end.
    end: Option<i64>,
    machines: u32,
}

/// Reads the periods of a schedule, ordered by their start. Entries that cannot be read are left out.
fn periods(entries: Vec<MaybeObject<ScheduleEntry>>) -> Vec<Period> {
    let second = |time: Maybe<f64>| time.0.map(|time| time as i64);
    let periods = entries.into_iter().filter_map(|entry| {
        let entry = entry.0?;
        let is_count = |count: &f64| (0.0..=f64::from(u32::MAX)).contains(count);
        Some(Period {
            start: second(entry.start_at)?,
            end: second(entry.end_at),
            machines: entry.node_count.0.filter(is_count)? as u32,
        })
    });
    let mut periods: Vec<Period> = periods.collect();
    periods.sort_by_key(|period| period.start);
    for at in 1..periods.len() {
        let next = periods[at].start;
        let period = &mut periods[at - 1];
        period.end = period.end.or(Some(next));
    }
    periods
}

impl Period {
    fn covers(self, time: i64) -> bool {
        self.start <= time && self.end.is_none_or(|end| time < end)
    }
}

/// The machines of each type over time.
type Schedules = HashMap<String, Vec<Period>>;

/// A price level of the order book.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LevelRow {
    /// The id of the type.
    instance_sku: Maybe<String>,
    dollars_per_node_hour: Maybe<f64>,
    /// The machines at this price.
    allocation_schedule_delta: MaybeList<MaybeObject<ScheduleEntry>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BookDocument {
    asks: MaybeList<MaybeObject<LevelRow>>,
}

/// The lowest price of a machine for an hour in USD, by the id of the type.
pub(super) type Asks = HashMap<String, f64>;

/// Reads the lowest price at which a machine of each type is for sale at a moment.
pub(super) fn asks(body: &[u8], moment: Moment) -> Result<Asks, ProviderError> {
    let book: BookDocument = document(ID, body)?;
    let rows = book.asks.0;
    let rows = rows.ok_or_else(|| ProviderError::no_list(ID, "asks"))?;
    let listed = rows.len();
    let levels = rows.into_iter().filter_map(|row| {
        let row = row.0?;
        let usd = positive(row.dollars_per_node_hour)?;
        let machines = periods(row.allocation_schedule_delta.0.unwrap_or_default());
        Some((row.instance_sku.0?, usd, machines))
    });
    let levels: Vec<_> = levels.collect();
    if listed > 0 && levels.is_empty() {
        return Err(ProviderError::unreadable(ID, listed));
    }
    let mut asks = Asks::new();
    for (sku, usd, machines) in levels {
        let mut machines = machines.iter();
        if machines.any(|period| period.covers(moment.start) && period.machines > 0) {
            let lowest = asks.entry(sku).or_insert(usd);
            *lowest = lowest.min(usd);
        }
    }
    Ok(asks)
}

/// Returns an offer for each type with accelerators.
pub(super) fn offers(
    query: &Query<'_>,
    types: Vec<SkuRow>,
    schedules: Vec<ScheduleRow>,
    asks: &Asks,
    moment: Moment,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let mut dropped = Tally::default();
    let mut by_sku = Schedules::new();
    for row in schedules {
        match row.instance_sku.0.and_then(|sku| sku.id.0) {
            Some(id) => {
                by_sku.insert(id, periods(row.schedule.0.unwrap_or_default()));
            }
            None => dropped.add(DroppedBecause::Unreadable),
        }
    }
    let mut list = OfferList::unpriced();
    for row in types {
        list.add(query, offer(row, &by_sku, asks, query.machines, moment));
    }
    let (offers, of_types) = list.done(ID)?;
    dropped.merge(of_types);
    Ok((offers, dropped))
}

/// Reads a type with its schedule and price; `None` without an id or a number of accelerators.
fn offer(
    row: SkuRow,
    schedules: &Schedules,
    asks: &Asks,
    machines: u32,
    moment: Moment,
) -> Option<Offer> {
    let id = row.id.0?;
    let count = value(row.num_accelerators)?;
    let accelerator = value(row.accelerator).unwrap_or_default();
    let name = match value(row.form_factor) {
        Some(form) => format!("{accelerator} {form}"),
        None => accelerator,
    };
    let region = value(row.region);
    let zone = value(row.availability_zone);
    let zone = region
        .as_ref()
        .zip(zone)
        .map(|(region, zone)| format!("{region}-{zone}"));
    let place = StockPlace {
        region: region.clone(),
        zone: zone.clone(),
        site: None,
    };
    let record = Obtainability {
        place,
        ..record(schedules.get(&id), machines, moment)
    };
    let price = asks.get(&id).map(|usd| Price {
        region: region.clone(),
        zone,
        availability: match record.state {
            StockState::Available => Availability::Available,
            StockState::Unavailable => Availability::Unavailable,
            _ => Availability::Unknown,
        },
        ..Price::new(CapacityType::OnDemand, *usd)
    });
    let mut regions = RegionList::default();
    if let Some(region) = &region {
        regions.add(region, None);
    }
    let positive = |amount: Option<f64>| amount.filter(|amount| *amount > 0.0);
    Some(Offer {
        id,
        display_name: row.alias.0,
        hardware: Some(Hardware {
            name,
            ..Hardware::default()
        }),
        count: Some(count),
        vcpu: positive(value(row.num_vcpus)),
        host_memory_gib: positive(value(row.memory)).map(|bytes| bytes / GIB),
        regions: regions.done(),
        prices: price.into_iter().collect(),
        obtainability: vec![record],
        ..Offer::default()
    })
}

/// Returns the state at a moment, and the later periods with enough machines. A type without a schedule has no machine
/// for sale; without the list of schedules, nothing is known.
fn record(periods: Option<&Vec<Period>>, machines: u32, moment: Moment) -> Obtainability {
    let record = Obtainability::new(CapacityType::OnDemand, machines, SOURCE);
    let Some(periods) = periods else {
        return record;
    };
    let mut there = periods.iter().filter(|period| period.covers(moment.start));
    let now = there.next().map_or(0, |period| period.machines);
    let is_enough = |period: &&Period| period.start > moment.start && period.machines >= machines;
    let windows = periods.iter().filter(is_enough).filter_map(|period| {
        let time = |second: i64| Timestamp::from_second(second).ok();
        Some(CapacityWindow {
            starts_at: time(period.start)?.to_string(),
            ends_at: period.end.and_then(time).map(|end| end.to_string()),
            machines: Some(period.machines),
            usd_per_hour: None,
        })
    });
    Obtainability {
        state: match now {
            0 => StockState::Unavailable,
            _ => StockState::Available,
        },
        count: Some(StockCount {
            value: now,
            qualifier: CountQualifier::Exact,
            unit: StockUnit::Machines,
        }),
        windows: windows.take(MAX_WINDOWS).collect(),
        ..record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    const NOW: Moment = Moment { start: 1200 };

    fn entry(start: i64, end: Option<i64>, machines: u32) -> MaybeObject<ScheduleEntry> {
        MaybeObject(Some(ScheduleEntry {
            start_at: Maybe(Some(start as f64)),
            end_at: Maybe(end.map(|end| end as f64)),
            node_count: Maybe(Some(f64::from(machines))),
        }))
    }

    /// The state, the number of machines now, and the starts of later periods.
    fn stock(
        entries: Vec<MaybeObject<ScheduleEntry>>,
        machines: u32,
    ) -> (StockState, u32, Vec<String>) {
        let record = record(Some(&periods(entries)), machines, NOW);
        let starts = record.windows.into_iter().map(|window| window.starts_at);
        let count = record.count.map(|count| count.value);
        (record.state, count.unwrap_or_default(), starts.collect())
    }

    #[test]
    fn the_hour_begins_with_the_next_minute() {
        assert_eq!(Moment::after(1140), Moment { start: 1200 });
        assert_eq!(Moment::after(1199).end(), 4800);
        assert_eq!(
            Moment::after(i64::MAX).start % MINUTE_S,
            i64::MAX % MINUTE_S
        );
    }

    #[test]
    fn a_schedule_is_stock_now_and_later() {
        use StockState::{Available, Unavailable};
        let later = || vec!["1970-01-01T01:00:00Z".to_owned()];
        // Without an end, an entry ends where the next one starts.
        let two_then_five = || vec![entry(3600, None, 5), entry(600, None, 2)];
        assert_eq!(stock(two_then_five(), 1), (Available, 2, later()));
        assert_eq!(stock(two_then_five(), 6), (Available, 2, Vec::new()));
        let none_then_five = vec![entry(600, Some(900), 4), entry(3600, Some(7200), 5)];
        assert_eq!(stock(none_then_five, 4), (Unavailable, 0, later()));
        let ended = vec![entry(0, Some(1200), 3)];
        assert_eq!(stock(ended, 1), (Unavailable, 0, Vec::new()));
        let open = vec![entry(0, None, 3)];
        assert_eq!(stock(open, 1), (Available, 3, Vec::new()));
        assert_eq!(stock(Vec::new(), 1), (Unavailable, 0, Vec::new()));
        assert_eq!(record(None, 1, NOW).state, StockState::Unknown);
    }

    const BOOK: &str = r#"{"asks": [
        {"instance_sku": "isku_a", "dollars_per_node_hour": "18.400000", "allocation_schedule_delta": [{"start_at": 0, "node_count": 1}]},
        {"instance_sku": "isku_a", "dollars_per_node_hour": "17.9", "allocation_schedule_delta": [{"start_at": 0, "end_at": 600, "node_count": 1}]},
        {"instance_sku": "isku_a", "dollars_per_node_hour": "22.0", "allocation_schedule_delta": [{"start_at": 0, "node_count": 9}]},
        {"instance_sku": "isku_b", "dollars_per_node_hour": "-1", "allocation_schedule_delta": [{"start_at": 0, "node_count": 9}]}],
        "bids": []}"#;

    #[test]
    fn a_price_is_the_lowest_of_a_machine_at_the_moment() {
        let asks = |body: &str| asks(body.as_bytes(), NOW).map_err(|error| error.message);
        assert_eq!(
            asks(BOOK).unwrap(),
            Asks::from([("isku_a".to_owned(), 18.4)])
        );
        assert_eq!(asks(r#"{"asks": []}"#).unwrap(), Asks::new());
        assert!(
            asks(r#"{"asks": [7, {}]}"#)
                .unwrap_err()
                .contains("can be read")
        );
        assert!(asks("{}").is_err());
    }

    #[test]
    fn a_page_has_a_safe_cursor() {
        let next = |body: &str| page::<SkuRow>(body.as_bytes()).unwrap().1;
        let more = r#"{"data": [], "has_more": true, "cursor": "iskuc_a-b"}"#;
        assert_eq!(next(more), NextPage::After("iskuc_a-b".to_owned()));
        let last = r#"{"data": [], "has_more": false, "cursor": "iskuc_a"}"#;
        assert_eq!(next(last), NextPage::None);
        for cursor in ["\"a&limit=1\"", "\"\"", "null", "[]"] {
            let body = format!(r#"{{"data": [], "has_more": true, "cursor": {cursor}}}"#);
            assert_eq!(next(&body), NextPage::Lost, "{cursor}");
        }
        assert!(page::<SkuRow>(b"{}").is_err());
    }

    #[test]
    fn a_type_has_its_zone_and_its_price() {
        let types = r#"{"data": [{"id": "isku_a", "alias": "richmond", "region": {"value": "us-east1", "display_value": "US East"},
            "availability_zone": {"value": "a"}, "accelerator": {"value": "h100"}, "form_factor": {"value": "sxm"},
            "num_accelerators": {"value": 8}, "num_vcpus": {"value": 112}, "memory": {"value": 1099511627776}},
            {"id": "isku_b"}, null]}"#;
        let (types, _) = page::<SkuRow>(types.as_bytes()).unwrap();
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let asks = Asks::from([("isku_a".to_owned(), 18.4)]);
        let (offers, dropped) = offers(&query, types, Vec::new(), &asks, NOW).unwrap();
        let [offer] = &offers[..] else {
            panic!("{offers:?}")
        };
        assert_eq!(offer.display_name.as_deref(), Some("richmond"));
        assert_eq!(offer.hardware.as_ref().unwrap().name, "h100 sxm");
        assert_eq!(
            (offer.count, offer.host_memory_gib),
            (Some(8.0), Some(1024.0))
        );
        let price = &offer.prices[0];
        let zone = Some("us-east1-a".to_owned());
        assert_eq!((price.per_hour, &price.zone), (18.4, &zone));
        assert_eq!(offer.obtainability[0].place.zone, zone);
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 2);
    }
}
