//! `recommend` for a model: the ranked machines, and a chart of price against speed.

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_engine::contract::RecommendOut;
use sky_accel_engine::text::figure;
use sky_accel_engine::{Money, Recommendation};

use super::super::{Context, Result, found, live};
use crate::cli::{RecommendArgs, SearchArgs};
use crate::exit_code::ExitCode;
use crate::present::ages::offers_footer;
use crate::present::{chart, offers};
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};
use crate::requests;

const CSV: &[&str] = &[
    "rank",
    "spec",
    "usd_per_hour",
    "usd_per_million_tokens",
    "tokens_per_s",
    "hours",
    "usd_total",
    "pareto",
    "offer.provider",
    "offer.instance_type",
    "offer.accelerator",
    "offer.count",
    "offer.total_memory_gb",
    "offer.on_demand.region",
    "offer.on_demand.kind",
    "offer.on_demand.as_of",
    "offer.spot.usd_per_hour",
    "offer.spot.kind",
    "fit.per_device_gib.high",
    "fit.per_device_gib.usable",
    "why",
];

pub fn run(context: &mut Context<'_>, args: &RecommendArgs) -> Result<ExitCode> {
    let answer = recommend(context, &args.search)?;
    let mut footer = footer(context, &answer);
    let Recommendation {
        envelope,
        summary,
        points,
        by_total,
        has_verified,
        ..
    } = answer;
    let (is_chart, width) = (args.chart, context.ui.width());
    let money = super::money(context, &envelope.request.offers)?;
    footer.extend(money.rate());
    let capacity_filter = envelope.request.offers.capacity_type;
    let report = Report {
        names: offers::names(envelope.results.iter().map(|row| &row.offer)),
        envelope,
        csv: CSV,
        page: Box::new(move |rows: &[RecommendOut<'_>], _| {
            let Some(summary) = summary else {
                return Page::default();
            };
            let mut blocks = vec![
                Block::Heading(summary),
                Block::Table(table(rows, capacity_filter, &money)),
            ];
            if is_chart {
                let lines = chart::draw(&points, rows.len(), by_total, width);
                blocks.push(Block::Picture(lines));
            }
            Page { blocks }
        }),
        footer,
        exit_code: found(has_verified),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Asks the engine; says so when no machine will do.
pub fn recommend<'c>(context: &mut Context<'c>, args: &SearchArgs) -> Result<Recommendation<'c>> {
    let request = requests::recommend(args, context.settings)?;
    let engine = context.engine;
    let answer = live::with_hub(context, args.live, |hub| engine.recommend(&request, hub))?;
    if answer.envelope.results.is_empty() {
        let message = match (answer.considered, &answer.two_machines) {
            (0, _) => "no machine is sold within the limits given".to_owned(),
            (n, None) => format!("the model fits on none of the {n} machines within the limits"),
            (n, Some(spec)) => {
                let live = if args.live { " --live" } else { "" };
                let flags = args.run.flags();
                format!(
                    "the model fits on none of the {n} machines within the limits; for two machines together: sky-accel fit {spec}{flags}{live}"
                )
            }
        };
        context.ui.always(&message)?;
    }
    Ok(answer)
}

/// The ages of the prices that are shown.
pub fn footer(context: &Context<'_>, answer: &Recommendation<'_>) -> Vec<String> {
    let offers = answer.envelope.results.iter().map(|row| &row.offer);
    let capacity_filter = answer.envelope.request.offers.capacity_type;
    offers_footer(
        &context.engine,
        offers,
        capacity_filter,
        context.settings.verbose,
    )
}

fn table(rows: &[RecommendOut<'_>], capacity_filter: CapacityFilter, money: &Money<'_>) -> Table {
    let total = rows.iter().any(|row| row.usd_total.is_some());
    let mut columns = vec![
        Column::left("", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 1),
        Column::left("SPEC", 0),
        Column::right(format!("{}/H", money.code), 0),
        Column::right("TOKENS/S", 0),
        Column::right(format!("{}/M TOK", money.code), 1),
        Column::right("GIB", 2),
        Column::right("USABLE", 2),
        Column::left("REGION", 3),
    ];
    if total {
        columns.extend([
            Column::right("HOURS", 0),
            Column::right(money.code.to_owned(), 0),
        ]);
    }
    columns.push(Column::left("WHY", 4));
    let mut table = Table::new(columns);
    let unknown = || "?".to_owned();
    for row in rows {
        let style = if row.rank == 1 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        let mark = match (row.rank, row.pareto) {
            (1, _) => "*",
            (_, Some(true)) => "+",
            _ => "",
        };
        let memory = row.fit.as_ref().map(|fit| &fit.per_device_gib);
        let mut cells = vec![
            mark.to_owned(),
            row.offer.provider.to_owned(),
            row.offer.instance_type.to_owned(),
            row.spec.clone(),
            row.usd_per_hour
                .map_or_else(unknown, |usd| format!("{:.2}", money.from_usd(usd).0)),
            row.tokens_per_s.map_or_else(unknown, |rate| figure(rate.0)),
            row.usd_per_million_tokens
                .map_or_else(unknown, |usd| format!("{:.3}", money.from_usd(usd).0)),
            memory.map_or_else(unknown, |memory| format!("{:.1}", memory.high.0)),
            memory
                .and_then(|memory| memory.usable)
                .map_or_else(unknown, |usable| format!("{:.1}", usable.0)),
            row.offer
                .leading(capacity_filter)
                .and_then(|price| price.region)
                .unwrap_or("?")
                .to_owned(),
        ];
        if total {
            cells.push(row.hours.map_or_else(unknown, |hours| figure(hours.0)));
            cells.push(
                row.usd_total
                    .map_or_else(unknown, |usd| format!("{:.2}", money.from_usd(usd).0)),
            );
        }
        cells.push(
            row.why
                .iter()
                .skip(1)
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
        );
        table.row(style, cells);
    }
    table
}
