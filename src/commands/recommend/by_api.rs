//! Tables that compare the first machine with token APIs and with a machine that the user owns.

use sky_accel_core::catalog::TokenUnit;
use sky_accel_core::text::counted;
use sky_accel_engine::Money;
use sky_accel_engine::contract::{ApiComparisonOut, ApiOfferOut, Num};
use sky_accel_engine::text::{figure, grouped_to};

use super::figures::{or_unknown, per_item, unknown};
use crate::render::{Block, Column, RowStyle, Table};

/// The default limit of sellers in the table.
pub(super) const ROWS: usize = 10;

/// The ways to run the load, then the sellers.
pub(super) fn blocks(comparison: &ApiComparisonOut, rows: usize, money: &Money<'_>) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading("Ways to run this load".to_owned()),
        Block::Table(ways(comparison, money)),
    ];
    if !comparison.offers.is_empty() {
        blocks.push(Block::Heading("APIs".to_owned()));
        blocks.push(Block::Table(sellers(comparison, rows, money)));
    }
    let remark = remark(comparison, rows);
    blocks.extend((!remark.is_empty()).then_some(Block::Text(remark)));
    blocks
}

/// The title of the price of a unit.
fn unit_title(unit: TokenUnit, code: &str) -> String {
    let unit = match unit {
        // Not `M TOK`, which the machines have: a million tokens of output.
        TokenUnit::Tokens => "M IN+OUT",
        TokenUnit::Image => "IMAGE",
        TokenUnit::AudioHour => "H AUDIO",
        TokenUnit::Characters => "M CHAR",
        TokenUnit::VideoSecond => "S VIDEO",
    };
    format!("{code}/{unit}")
}

/// The title of an amount of work of an hour.
fn rate_title(unit: TokenUnit) -> &'static str {
    match unit {
        TokenUnit::Tokens => "BREAK-EVEN M IN+OUT/H",
        TokenUnit::Image
        | TokenUnit::AudioHour
        | TokenUnit::Characters
        | TokenUnit::VideoSecond => "BREAK-EVEN PER H",
    }
}

fn ways(comparison: &ApiComparisonOut, money: &Money<'_>) -> Table {
    let mut table = Table::new([
        Column::left("WAY", 0),
        Column::left("WHAT", 1),
        Column::right(format!("{}/H", money.code), 0),
        Column::right(unit_title(comparison.unit, money.code), 0),
    ]);
    let hour =
        |usd: Option<Num>| usd.map_or_else(unknown, |usd| grouped_to(money.from_usd(usd).0, 2));
    let each = |usd: Option<Num>| usd.map_or_else(unknown, |usd| per_item(money.from_usd(usd).0));
    let mut row = |way: &str, what: String, usd_per_hour: Option<Num>, usd: Option<Num>| {
        let cells = [way.to_owned(), what, hour(usd_per_hour), each(usd)];
        table.row(RowStyle::Plain, cells);
    };
    if let Some(offer) = comparison.offers.first() {
        let what = format!("{}, {}", offer.seller_name, offer.model_id);
        row(
            "cheapest API",
            what,
            offer.usd_per_hour,
            Some(offer.usd_per_unit),
        );
    }
    if let Some(median) = comparison.median_usd_per_unit {
        let usd = comparison
            .units_per_hour
            .map(|units| Num(units.0 * median.0));
        let what = counted(comparison.offers.len(), "price");
        row("median API", what, usd, Some(median));
    }
    if let Some(machine) = &comparison.machine {
        let what = format!("{} {}", machine.provider, machine.spec);
        row(
            "rented",
            what,
            Some(machine.usd_per_hour),
            machine.usd_per_unit,
        );
    }
    if let Some(own) = &comparison.own {
        let what = format!(
            "{} paid off in {} years at {}% utilization, as fast as the rented",
            money.text(own.price_usd),
            figure(own.years.0),
            figure(own.utilization.0 * 100.0)
        );
        row("own", what, Some(own.usd_per_hour), own.usd_per_unit);
    }
    table
}

fn sellers(comparison: &ApiComparisonOut, rows: usize, money: &Money<'_>) -> Table {
    let (code, unit) = (money.code, comparison.unit);
    let is_tokens = unit == TokenUnit::Tokens;
    let mut columns = vec![
        Column::left("SELLER", 0),
        Column::left("MODEL", 2),
        Column::left("PRECISION", 1),
    ];
    if is_tokens {
        columns.extend([
            Column::right(format!("{code}/M IN"), 0),
            Column::right("CACHED", 1),
            Column::right("OUT", 0),
        ]);
    }
    columns.extend([
        Column::right(unit_title(unit, code), 0),
        Column::right(format!("{code}/H"), 0),
        Column::right(rate_title(unit), 0),
        Column::left("SINCE", 1),
        Column::left("AS OF", 1),
        Column::left("SOURCE", 2),
    ]);
    let mut table = Table::new(columns);
    for offer in comparison.offers.iter().take(rows) {
        table.row(RowStyle::Plain, cells(offer, is_tokens, money));
    }
    table
}

fn cells(offer: &ApiOfferOut, is_tokens: bool, money: &Money<'_>) -> Vec<String> {
    let each = |usd: Option<Num>| usd.map_or_else(unknown, |usd| per_item(money.from_usd(usd).0));
    let model = match &offer.variant {
        Some(variant) => format!("{} ({variant})", offer.model_id),
        None => offer.model_id.clone(),
    };
    let mut cells = vec![
        offer.seller_name.clone(),
        model,
        offer.precision.clone().unwrap_or_else(unknown),
    ];
    if is_tokens {
        cells.extend([
            each(offer.input_usd),
            each(offer.cached_usd),
            each(offer.output_usd),
        ]);
    }
    cells.extend([
        each(Some(offer.usd_per_unit)),
        offer
            .usd_per_hour
            .map_or_else(unknown, |usd| grouped_to(money.from_usd(usd).0, 2)),
        or_unknown(offer.break_even_units_per_hour),
        offer.since.clone().unwrap_or_else(unknown),
        offer.as_of.clone(),
        offer.source.clone(),
    ]);
    cells
}

/// The prices that are not in the table.
fn remark(comparison: &ApiComparisonOut, rows: usize) -> String {
    let more = comparison.offers.len().saturating_sub(rows);
    let reasons = [
        (more, "more with a higher price: raise --limit"),
        (
            comparison.other_precision,
            "in a format with fewer bits than the machine: --precision",
        ),
        (comparison.short_context, "with a shorter context"),
        (comparison.batches, "for batches"),
    ];
    let reasons: Vec<String> = reasons
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{count} {why}"))
        .collect();
    if reasons.is_empty() {
        return String::new();
    }
    format!("prices left out: {}", reasons.join("; "))
}
