//! Ranges of prices of one device: today by kind of market, and by quarter.

use sky_accel_core::catalog::PriceKind;
use sky_accel_engine::Money;
use sky_accel_engine::contract::{CheapestOut, MarketOut, Num, QuarterOut};

use super::offers::DOUBT_MARK;
use super::prices::{ESTIMATED, age_of, in_short};
use crate::html::{PricedQuarter, price_history};
use crate::render::{Block, Column, RowStyle, Table};

/// Width of a bar, in columns.
const BAR: usize = 24;

/// Returns the table of the prices of today, a row for each kind.
pub fn today(markets: &[MarketOut<'_>], money: &Money<'_>) -> Table {
    let mut table = Table::new([
        Column::left("TODAY", 0),
        Column::right("SOURCES", 2),
        Column::right("LOW", 0),
        Column::right("MEDIAN", 0),
        Column::right("HIGH", 1),
        Column::right("CHEAPEST", 0),
        Column::right("AGE", 1),
        Column::left("", 0),
        Column::left("AT", 0),
    ]);
    for market in markets {
        let amount = |of: Option<Num>| of.map_or_else(|| "—".to_owned(), |usd| money.text(usd));
        let spread = market.today.as_ref();
        let cheapest = market.cheapest.as_ref();
        let cells = [
            market.kind.word().to_owned(),
            spread.map_or(0, |spread| spread.sources).to_string(),
            amount(spread.map(|spread| spread.low_usd)),
            amount(spread.map(|spread| spread.median_usd)),
            amount(spread.map(|spread| spread.high_usd)),
            cheapest.map_or_else(String::new, |cheapest| likely(cheapest, money)),
            cheapest.map_or_else(String::new, age),
            cheapest
                .map_or("", |cheapest| {
                    if is_doubtful(cheapest) {
                        DOUBT_MARK
                    } else {
                        ""
                    }
                })
                .to_owned(),
            cheapest.map_or_else(String::new, |cheapest| place(cheapest)),
        ];
        table.row(RowStyle::Plain, cells);
        table.link(
            &["AT"],
            cheapest.and_then(|cheapest| cheapest.url.as_deref()),
        );
    }
    table
}

/// Returns the likely price of an offer: `~$2.75`, or `$2.75` if it is the stated price.
pub fn likely(cheapest: &CheapestOut<'_>, money: &Money<'_>) -> String {
    let (likely, stated) = (money.text(cheapest.likely_usd), money.text(cheapest.usd));
    if likely == stated {
        stated
    } else {
        format!("{ESTIMATED}{likely}")
    }
}

/// Returns the age of the price: `55d`, or `55d yours` of the user's own.
fn age(cheapest: &CheapestOut<'_>) -> String {
    match cheapest.kind {
        PriceKind::Contract => age_of(cheapest.kind, None, cheapest.age_days),
        _ => in_short(cheapest.age_days),
    }
}

/// Returns whether the price is to be checked first.
fn is_doubtful(cheapest: &CheapestOut<'_>) -> bool {
    cheapest.reasons.iter().any(|reason| reason.is_doubt())
}

/// Returns the provider and its name of the offer.
pub fn place(cheapest: &CheapestOut<'_>) -> String {
    format!("{} {}", cheapest.provider, cheapest.instance_type)
}

/// Returns the quarters of one kind. A single quarter says nothing about a movement, so only a wide page has it.
pub fn past(market: &MarketOut<'_>, money: &Money<'_>, wide: bool, is_html: bool) -> Vec<Block> {
    let quarters = &market.quarters[..];
    if quarters.is_empty() || (quarters.len() == 1 && !wide) {
        return Vec::new();
    }
    let scale = scale(quarters);
    let title = format!(
        "{} to {}",
        money.text(Num(scale.0)),
        money.text(Num(scale.1))
    );
    let mut table = Table::new([
        Column::left("QUARTER", 0),
        Column::right("SOURCES", 2),
        Column::right("P25", 1),
        Column::right("MEDIAN", 0),
        Column::right("P75", 1),
        Column::picture(title, 0),
    ]);
    for quarter in quarters {
        let prices = &quarter.prices;
        let cells = [
            quarter.quarter.clone(),
            prices.sources.to_string(),
            money.text(prices.p25_usd),
            money.text(prices.median_usd),
            money.text(prices.p75_usd),
            bar(quarter, scale),
        ];
        table.row(RowStyle::Plain, cells);
    }
    let heading = format!("{} by quarter", market.kind.word());
    let drawing = is_html.then(|| Block::Drawing(drawing(market, money)));
    std::iter::once(Block::Heading(heading))
        .chain(drawing)
        .chain([Block::Table(table)])
        .collect()
}

/// Draws the quarters of one kind for a browser.
fn drawing(market: &MarketOut<'_>, money: &Money<'_>) -> maud::Markup {
    let amount = |usd: Num| money.from_usd(usd).0;
    let quarters = market.quarters.iter().map(|quarter| PricedQuarter {
        name: quarter.quarter.clone(),
        sources: quarter.prices.sources,
        p25: amount(quarter.prices.p25_usd),
        median: amount(quarter.prices.median_usd),
        p75: amount(quarter.prices.p75_usd),
    });
    let label = format!(
        "{} prices of {} by quarter",
        market.kind.word(),
        market.accelerator
    );
    let unit = format!("{} per accelerator and hour", money.code);
    price_history(&label, &quarters.collect::<Vec<_>>(), &unit)
}

/// Returns the lowest p25 and the highest p75.
fn scale(quarters: &[QuarterOut]) -> (f64, f64) {
    let low = quarters.iter().map(|quarter| quarter.prices.p25_usd.0);
    let high = quarters.iter().map(|quarter| quarter.prices.p75_usd.0);
    (low.fold(f64::INFINITY, f64::min), high.fold(0.0, f64::max))
}

/// Draws p25 to p75, with the median.
fn bar(quarter: &QuarterOut, (low, high): (f64, f64)) -> String {
    let place = |usd: Num| {
        let extent = (high - low).max(1e-9);
        let cell = ((usd.0 - low) / extent * (BAR - 1) as f64).round();
        (cell.max(0.0) as usize).min(BAR - 1)
    };
    let prices = &quarter.prices;
    let (from, median, to) = (
        place(prices.p25_usd),
        place(prices.median_usd),
        place(prices.p75_usd),
    );
    let cell = |at: usize| match at {
        at if at == median => '█',
        at if (from..=to).contains(&at) => '▒',
        _ => ' ',
    };
    let text: String = (0..BAR).map(cell).collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use sky_accel_engine::contract::SpreadOut;

    use super::*;

    fn quarter(p25: f64, median: f64, p75: f64) -> QuarterOut {
        QuarterOut {
            quarter: "2026-Q1".to_owned(),
            prices: SpreadOut {
                sources: 3,
                low_usd: Num(p25),
                p25_usd: Num(p25),
                median_usd: Num(median),
                p75_usd: Num(p75),
                high_usd: Num(p75),
            },
        }
    }

    #[test]
    fn bars_share_a_scale() {
        let quarters = [quarter(1.0, 2.0, 3.0), quarter(3.0, 3.0, 24.0)];
        let scale = scale(&quarters);
        assert_eq!(scale, (1.0, 24.0));
        assert_eq!(bar(&quarters[0], scale), "▒█▒");
        assert_eq!(bar(&quarters[1], scale), format!("  █{}", "▒".repeat(21)));
        // Equal prices have no extent.
        assert_eq!(bar(&quarter(2.0, 2.0, 2.0), (2.0, 2.0)), "█");
    }
}
