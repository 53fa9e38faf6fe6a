//! The user's history of prices, which each update continues.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::ToSpan as _;
use jiff::civil::Date;
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Catalog, Day, PastPrice, PriceKind, ProviderId, Str,
};
use sky_accel_core::market::{is_comparable, quantile};
use sky_accel_core::money::Usd;

/// The name of the file in the user's overlay.
pub(super) const FILE: &str = "seen-prices.toml";
/// The source of the prices, which distinguishes them from other past prices.
const SOURCE: &str = "seen by sky-accel catalog update";
/// The years after which a price is dropped.
const KEPT_YEARS: i64 = 3;
/// The maximum number of prices. The oldest are dropped first.
const MOST_PRICES: usize = 20_000;

/// A provider's market for an accelerator.
type SeriesOf = (ProviderId, CapacityType, PriceKind, AcceleratorId);

/// Returns the history in a catalog with its newest prices, as a TOML file; `None` without such prices.
pub(super) fn continued(catalog: &Catalog<'_>, today: Date) -> Option<String> {
    let yesterday = today.checked_sub(1.day()).unwrap_or(Date::MIN);
    let fresh = newest(catalog, Day::of_text(&yesterday.to_string())?);
    if fresh.is_empty() {
        return None;
    }
    let mut series: BTreeMap<SeriesOf, Vec<PastPrice>> = BTreeMap::new();
    let past = catalog.past_prices.iter();
    for row in past.filter(|row| catalog.str(row.source) == SOURCE) {
        let key = (row.provider, row.capacity, row.kind, row.accelerator);
        series.entry(key).or_default().push(row);
    }
    for (key, (day, mut usd)) in fresh {
        usd.sort_by(f64::total_cmp);
        let amount = |share| quantile(&usd, share).and_then(Usd::from_decimal);
        let (Some(low), Some(median), Some(high)) = (amount(0.0), amount(0.5), amount(1.0)) else {
            continue;
        };
        let rows = series.entry(key).or_default();
        match rows.last_mut() {
            // An earlier update has already stated this day.
            Some(last) if last.until >= day => {}
            Some(last) if (last.usd, last.median, last.high) == (low, median, high) => {
                last.until = day;
            }
            _ => rows.push(PastPrice {
                accelerator: key.3,
                provider: key.0,
                capacity: key.1,
                kind: key.2,
                from: day,
                until: day,
                usd: low,
                median,
                high,
                source: Str::default(),
            }),
        }
    }
    let first = today.checked_sub(KEPT_YEARS.years()).unwrap_or(Date::MIN);
    drop_old(
        &mut series,
        Day::of_text(&first.to_string()).unwrap_or_default(),
    );
    Some(text(catalog, &series))
}

/// Returns the prices of one accelerator on the newest day of each market, from a day on. Prices that an update has
/// just fetched may be from before midnight.
fn newest(catalog: &Catalog<'_>, since: Day) -> BTreeMap<SeriesOf, (Day, Vec<f64>)> {
    let mut found: BTreeMap<SeriesOf, (Day, Vec<f64>)> = BTreeMap::new();
    for offer in catalog.offers.iter().filter(is_comparable) {
        for price in catalog.prices(&offer) {
            let usd = price.of_one(offer.count);
            let day = Day::of_text(catalog.str(price.as_of)).unwrap_or_default();
            if day < since || price.quality.is_weak() || usd == Usd(0) {
                continue;
            }
            let kind = match price.kind {
                PriceKind::Snapshot => PriceKind::Snapshot,
                PriceKind::List | PriceKind::Live => PriceKind::List,
                PriceKind::Estimate | PriceKind::Contract | PriceKind::Committed => continue,
            };
            let key = (offer.provider, price.capacity, kind, offer.accelerator);
            let (newest, prices) = found.entry(key).or_default();
            if day > *newest {
                *newest = day;
                prices.clear();
            }
            if day == *newest {
                prices.push(usd.decimal());
            }
        }
    }
    found
}

/// Drops prices that were last seen before a day, and the oldest beyond the maximum number.
fn drop_old(series: &mut BTreeMap<SeriesOf, Vec<PastPrice>>, first: Day) {
    let mut days: Vec<Day> = series.values().flatten().map(|row| row.until).collect();
    days.sort_unstable();
    let beyond = days.len().checked_sub(MOST_PRICES + 1);
    // Prices of the same last day stay or go together.
    let newest_dropped = beyond
        .and_then(|at| days.get(at))
        .copied()
        .unwrap_or_default();
    for rows in series.values_mut() {
        rows.retain(|row| row.until >= first && row.until > newest_dropped);
    }
}

fn text(catalog: &Catalog<'_>, series: &BTreeMap<SeriesOf, Vec<PastPrice>>) -> String {
    let mut text =
        "# Prices that `sky-accel catalog update` has seen, for `sky-accel prices`.\n".to_owned();
    let mut heading = None;
    for ((provider, capacity, kind, accelerator), rows) in series {
        if rows.is_empty() {
            continue;
        }
        if heading.replace((provider, capacity, kind)) != Some((provider, capacity, kind)) {
            if text.ends_with(",\n") {
                text.push_str("]\n");
            }
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\n[[history]]\nprovider = \"{}\"\ncapacity_type = \"{}\"\nkind = \"{}\"\nsource = \"{SOURCE}\"\nprices = [\n",
                catalog.provider_id(*provider),
                capacity.word(),
                kind.word(),
            );
        }
        for row in rows {
            let _ = writeln!(
                text,
                "  {{ accelerator = \"{}\", from = \"{}\", until = \"{}\", usd = {}, median = {}, high = {} }},",
                catalog.accelerator_id(*accelerator),
                row.from,
                row.until,
                row.usd.decimal(),
                row.median.decimal(),
                row.high.decimal(),
            );
        }
    }
    if text.ends_with(",\n") {
        text.push_str("]\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use sky_accel_catalog::{Layer, Source, Tables, compile};
    use sky_accel_embedded::test_catalog;

    use super::*;

    const OFFER: &str = "[[offer]]\nprovider = \"lambda\"\nid = \"gpu_x\"\naccelerator = \"H100-80GB-SXM\"\ncount = 1\nsource = \"s\"\nas_of = \"2026-11-01\"\n";

    /// Compiles the catalog with a price of a day and with a history.
    fn with(usd: &str, day: &str, history: &str) -> Tables {
        let mut sources: Vec<Source> = test_catalog::files()
            .iter()
            .map(|file| Source::embedded(file.path, file.text))
            .collect();
        let price = format!(
            "{OFFER}[[price]]\nprovider = \"lambda\"\noffer = \"gpu_x\"\nusd_per_hour = {usd}\nsource = \"s\"\nas_of = \"{day}\"\n"
        );
        sources.push(Source::toml(Layer::overlay(0), "live-lambda.toml", price));
        sources.push(Source::toml(Layer::overlay(0), FILE, history.to_owned()));
        compile(&sources).unwrap()
    }

    /// Returns the history after an update on a day.
    fn after(usd: &str, day: &str, history: &str) -> String {
        let tables = with(usd, day, history);
        continued(&tables.catalog(), day.parse().unwrap()).unwrap()
    }

    fn rows(history: &str) -> Vec<&str> {
        history
            .lines()
            .filter(|line| line.starts_with("  {"))
            .collect()
    }

    #[test]
    fn updates_continue_the_history() {
        let first = after("2.5", "2026-11-20", "");
        assert_eq!(rows(&first).len(), 1);
        // The same price lasts, and a second update of a day changes nothing.
        let second = after("2.5", "2026-11-22", &first);
        assert!(
            second.contains("from = \"2026-11-20\", until = \"2026-11-22\", usd = 2.5"),
            "{second}"
        );
        assert_eq!(after("2.9", "2026-11-22", &second), second);
        let third = after("2.9", "2026-11-24", &second);
        assert_eq!(rows(&third).len(), 2);
        assert!(
            rows(&third)[1].contains("from = \"2026-11-24\", until = \"2026-11-24\", usd = 2.9")
        );
        // Prices that were last seen long ago are dropped.
        assert_eq!(rows(&after("3.1", "2030-01-01", &third)).len(), 1);
    }

    #[test]
    fn prices_of_other_days_are_no_news() {
        let tables = with("2.5", "2026-11-20", "");
        let catalog = tables.catalog();
        assert_eq!(continued(&catalog, "2029-11-21".parse().unwrap()), None);
    }

    #[test]
    fn the_oldest_prices_beyond_the_maximum_are_dropped() {
        let row = |number: usize| {
            let (year, day) = (2000 + number / 336, number % 336);
            let date = format!("{year}-{:02}-{:02}", day / 28 + 1, day % 28 + 1);
            PastPrice {
                accelerator: AcceleratorId(0),
                provider: ProviderId(0),
                capacity: CapacityType::OnDemand,
                kind: PriceKind::List,
                from: Day::of_text(&date).unwrap(),
                until: Day::of_text(&date).unwrap(),
                usd: Usd(1),
                median: Usd(1),
                high: Usd(1),
                source: Str::default(),
            }
        };
        let key = (
            ProviderId(0),
            CapacityType::OnDemand,
            PriceKind::List,
            AcceleratorId(0),
        );
        let rows: Vec<PastPrice> = (0..MOST_PRICES + 10).map(row).collect();
        let mut series = BTreeMap::from([(key, rows.clone())]);
        drop_old(&mut series, Day::default());
        assert_eq!(series[&key].len(), MOST_PRICES);
        assert_eq!(series[&key][0].until, rows[10].until);
    }
}
