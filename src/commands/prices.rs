//! `prices`: whether a price is good, by today's offers and by the past.

use sky_accel_core::catalog::{MarketKind, PriceKind};
use sky_accel_core::resolve::Setback;
use sky_accel_core::text::counted;
use sky_accel_engine::Money;
use sky_accel_engine::contract::{CheapestOut, MarketOut, PastPriceOut};

use crate::cli::PricesArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::markets::{likely, past, place, today};
use crate::present::offers::{doubt_note, reason_words};
use crate::present::prices::mark_note;
use crate::render::{Block, Column, Footer, MarkNote, Page, Report, RowStyle, Table, print};
use crate::requests;

/// CSV columns of prices.
const MARKET_CSV: &[&str] = &[
    "accelerator",
    "kind",
    "today.sources",
    "today.low_usd_per_accelerator_hour",
    "today.p25_usd_per_accelerator_hour",
    "today.median_usd_per_accelerator_hour",
    "today.p75_usd_per_accelerator_hour",
    "today.high_usd_per_accelerator_hour",
    "cheapest.provider",
    "cheapest.instance_type",
    "cheapest.region",
    "cheapest.usd_per_accelerator_hour",
    "cheapest.likely_usd_per_accelerator_hour",
    "cheapest.as_of",
    "cheapest.age_days",
    "cheapest.comparison.percent",
    "cheapest.comparison.sources",
    "cheapest.low_usd_per_accelerator_hour",
    "cheapest.high_usd_per_accelerator_hour",
];

/// CSV columns of past prices.
const HISTORY_CSV: &[&str] = &[
    "accelerator",
    "kind",
    "provider",
    "from",
    "until",
    "usd_per_accelerator_hour",
    "median_usd_per_accelerator_hour",
    "high_usd_per_accelerator_hour",
    "source",
    "capacity_type",
    "price_kind",
];

pub fn run(context: &mut Context<'_>, args: &PricesArgs) -> Result<ExitCode> {
    let request = requests::prices(args, context.settings);
    let basis = format!(
        "per accelerator and hour; catalog {}",
        context.engine.catalog().version()
    );
    if args.history {
        let answer = context.engine.price_history(&request)?;
        let (envelope, money) = (answer.envelope, answer.money);
        let report = Report {
            exit_code: found(!envelope.results.is_empty()),
            csv: HISTORY_CSV,
            names: Vec::new(),
            footer: footer([basis], &money),
            envelope,
            page: Box::new(move |rows, _| history_page(rows, &money)),
        };
        return Ok(print(context.ui, context.settings.output, report)?);
    }
    let basis = format!(
        "{basis}; TODAY: likely prices, without offers with more doubts than the cheapest, except at marketplaces"
    );
    let is_html = context.settings.output.is_html();
    let answer = context.engine.prices(&request)?;
    let (envelope, money) = (answer.envelope, answer.money);
    let lines = std::iter::once(basis).chain(yours(&envelope.results));
    let mut footer = footer(lines, &money);
    footer.marks = marks(&envelope.results);
    let report = Report {
        exit_code: found(!envelope.results.is_empty()),
        csv: MARKET_CSV,
        names: names(&envelope.results),
        footer,
        envelope,
        page: Box::new(move |markets, wide| page(markets, &money, wide, is_html)),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn footer(lines: impl IntoIterator<Item = String>, money: &Money<'_>) -> Footer {
    let lines: Vec<String> = lines.into_iter().chain(money.rate()).collect();
    lines.into()
}

/// Returns the explanations of the marks of the cheapest prices.
fn marks(markets: &[MarketOut<'_>]) -> Vec<MarkNote> {
    let cheapest = || markets.iter().filter_map(|market| market.cheapest.as_ref());
    let reasons = cheapest().flat_map(|cheapest| cheapest.reasons.iter().copied());
    let doubts = reasons.filter(|reason| reason.is_doubt());
    let is_likely = |cheapest: &CheapestOut<'_>| cheapest.likely_usd != cheapest.usd;
    let doubts = doubt_note(doubts.filter_map(reason_words)).into_iter();
    doubts
        .chain(mark_note(cheapest().any(is_likely), false))
        .collect()
}

/// Explains `yours` in the column of ages; `None` without a contract.
fn yours(markets: &[MarketOut<'_>]) -> Option<String> {
    let mut cheapest = markets.iter().filter_map(|market| market.cheapest.as_ref());
    let has_contract = cheapest.any(|cheapest| cheapest.kind == PriceKind::Contract);
    has_contract.then(|| {
        "yours: the price of your contract, which is not in LOW, MEDIAN and HIGH".to_owned()
    })
}

/// The accelerators that have prices, each once.
fn names(markets: &[MarketOut<'_>]) -> Vec<String> {
    let of_one = markets.chunk_by(|a, b| a.accelerator == b.accelerator);
    of_one
        .map(|of_one| of_one[0].accelerator.to_owned())
        .collect()
}

/// Returns the page: the first accelerator in full, and of the others the prices of today.
fn page(markets: &[MarketOut<'_>], money: &Money<'_>, wide: bool, is_html: bool) -> Page {
    let mut blocks = Vec::new();
    let mut shortened = Vec::new();
    let of_one = markets.chunk_by(|a, b| a.accelerator == b.accelerator);
    for (at, markets) in of_one.enumerate() {
        let id = markets[0].accelerator;
        blocks.push(Block::Heading(id.to_owned()));
        let today = today(markets, money);
        blocks.push(Block::Table(if wide {
            today.with_link_column()
        } else {
            today
        }));
        blocks.extend(verdict(markets, money).map(Block::Text));
        if at == 0 || wide {
            blocks.extend(
                markets
                    .iter()
                    .flat_map(|market| past(market, money, wide, is_html)),
            );
        } else {
            shortened.push(id);
        }
    }
    if let Some(id) = shortened.first() {
        let text = format!("Quarters of the others: sky-accel prices {id}, or -o wide");
        blocks.push(Block::Text(text));
    }
    Page { blocks }
}

/// Returns the doubts that rank the offer after others.
fn setback(cheapest: &CheapestOut<'_>) -> Setback {
    Setback::of_reasons(&cheapest.reasons)
}

/// Returns how the cheapest offer on demand compares with the market or, without one, the cheapest spot offer.
fn verdict(markets: &[MarketOut<'_>], money: &Money<'_>) -> Option<String> {
    let offered = markets.iter().filter_map(|market| {
        let cheapest = market.cheapest.as_ref()?;
        Some((market.kind, cheapest))
    });
    // Machines of private hosts come after those of providers, as in `resolve`.
    let is_of_hosts = |kind: MarketKind| kind == MarketKind::Marketplace;
    let (kind, cheapest) = offered.min_by(|(left_kind, left), (right_kind, right)| {
        let (a, b) = (left_kind.capacity(), right_kind.capacity());
        a.cmp(&b)
            .then(setback(left).cmp(&setback(right)))
            .then(is_of_hosts(*left_kind).cmp(&is_of_hosts(*right_kind)))
            .then(left.likely_usd.0.total_cmp(&right.likely_usd.0))
    })?;
    let (capacity, place, usd) = (
        kind.capacity().word(),
        place(cheapest),
        likely(cheapest, money),
    );
    Some(match &cheapest.comparison {
        Some(compared) => format!(
            "The cheapest {capacity} offer, {place} at {usd}, is {} in the last six months",
            compared.text
        ),
        None => format!(
            "The cheapest {capacity} offer is {place} at {usd}; too few other sources state prices to compare it with"
        ),
    })
}

fn history_page(rows: &[PastPriceOut<'_>], money: &Money<'_>) -> Page {
    let mut blocks = Vec::new();
    for of_one in rows.chunk_by(|a, b| a.accelerator == b.accelerator) {
        let count = counted(of_one.len(), "dated price");
        blocks.push(Block::Heading(format!(
            "{}: {count}",
            of_one[0].accelerator
        )));
        let mut table = Table::new([
            Column::left("PROVIDER", 0),
            Column::left("KIND", 0),
            Column::left("FROM", 0),
            Column::left("UNTIL", 0),
            Column::right("LOW", 0),
            Column::right("MEDIAN", 2),
            Column::right("HIGH", 2),
            Column::left("SOURCE", 1),
        ]);
        for row in of_one {
            let cells = [
                row.provider.to_owned(),
                row.kind.word().to_owned(),
                row.from.clone(),
                row.until.clone(),
                money.text(row.usd),
                money.text(row.median_usd),
                money.text(row.high_usd),
                row.source.to_owned(),
            ];
            table.row(RowStyle::Plain, cells);
        }
        blocks.push(Block::Table(table));
    }
    Page { blocks }
}
