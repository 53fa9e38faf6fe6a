//! Tables of offers by a shared property.

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{grouped_to, number};
use sky_accel_engine::contract::{Num, OfferOut, PriceOut};
use sky_accel_engine::{GroupBy, Money};

use super::offers::{BEST_MARK, DOUBT_MARK, UNKNOWN, doubts_in_words, is_doubtful, region};
use super::prices;
use crate::render::{Column, RowStyle, Table};

/// Returns the table of folded offers, one row per group.
pub fn group_table(
    offers: &[&OfferOut<'_>],
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
) -> Table {
    let by = offers
        .iter()
        .find_map(|offer| Some(offer.group.as_ref()?.by));
    let title = by.map_or("GROUP", |by| match by {
        GroupBy::Accelerator => "ACCELERATOR",
        GroupBy::Provider => "PROVIDER",
        GroupBy::Region => "REGION",
        GroupBy::Count => "COUNT",
    });
    let is_by_region = by == Some(GroupBy::Region);
    let is_by_provider = by == Some(GroupBy::Provider);
    let mut columns = vec![
        Column::left("", 0),
        Column::left(title, 0),
        Column::right("OFFERS", 0),
        Column::right(format!("FROM {}/H", money.code), 0),
        Column::right("STATED", 1),
        Column::of_ages(0),
        Column::right(format!("TO {}/H", money.code), 1).yielding(),
    ];
    // The group is the provider.
    columns.extend((!is_by_provider).then(|| Column::left("BEST", 0)));
    columns.extend([Column::left("INSTANCE TYPE", 1), Column::left("SPEC", 2)]);
    columns.extend((!is_by_region).then(|| Column::left("AT", 3)));
    let hours = offers.iter().find_map(|offer| offer.hours);
    columns.extend(hours.map(|hours| Column::right(prices::total_title(hours, money), 0)));
    let has_doubts = offers.iter().any(|offer| is_doubtful(offer));
    columns.extend(has_doubts.then(Column::of_marks));
    let mut table = Table::new(columns);
    let usd = |amount: Option<Num>, is_estimated: bool| {
        let mark = if is_estimated { prices::ESTIMATED } else { "" };
        amount.map_or(UNKNOWN.to_owned(), |usd| {
            format!("{mark}{}", grouped_to(money.from_usd(usd).0, 3))
        })
    };
    for (at, offer) in offers.iter().enumerate() {
        let Some(group) = &offer.group else { continue };
        let style = if at == 0 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        let ruling = offer.ranking_quote(capacity_filter);
        let is_lowest =
            |price: &&PriceOut<'_>| group.usd_per_hour_min == Some(price.likely_usd_per_hour);
        let lowest = ruling.filter(is_lowest);
        let mark = match at {
            _ if is_doubtful(offer) => DOUBT_MARK,
            0 => BEST_MARK,
            _ => "",
        };
        let mut cells = vec![
            mark.to_owned(),
            group.key.clone().unwrap_or_else(|| UNKNOWN.to_owned()),
            group.offers.to_string(),
            usd(group.usd_per_hour_min, group.is_min_estimated),
            lowest.map_or(String::new(), |price| prices::stated(price, money, 3)),
            ruling.map(prices::age).unwrap_or_default(),
            usd(group.usd_per_hour_max, group.is_max_estimated),
        ];
        cells.extend((!is_by_provider).then(|| offer.provider.to_owned()));
        cells.extend([
            offer.instance_type.to_owned(),
            format!("{}:x{}", offer.accelerator, number(offer.count.0)),
        ]);
        cells.extend((!is_by_region).then(|| region(offer, capacity_filter, false)));
        cells.extend(hours.map(|_| prices::total(offer.usd_total, ruling, money)));
        cells.extend(has_doubts.then(|| doubts_in_words(offer)));
        table.row(style, cells);
        table.link(&["BEST", "INSTANCE TYPE"], offer.url.as_deref());
    }
    table
}
