//! `recommend --guide`: the rules of thumb, and today's savings.

use sky_accel_core::text::number;
use sky_accel_engine::GuideOut;
use sky_accel_engine::age::described;
use sky_accel_engine::contract::Num;

use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

/// The age at which prices of most providers count as stale.
const GUIDE_MAX_DAYS: u16 = 30;

const CSV: &[&str] = &[
    "table",
    "workload",
    "strategy",
    "title",
    "pick",
    "minimum",
    "recommended",
    "because",
    "claimed_percent",
    "computed.low_percent",
    "computed.median_percent",
    "computed.high_percent",
    "computed.within_claim",
    "good_for",
    "source",
    "as_of",
];

pub fn run(context: &mut Context<'_>) -> Result<ExitCode> {
    let (catalog, today) = (context.engine.catalog(), context.engine.today());
    let report = Report {
        envelope: context.engine.guide(),
        csv: CSV,
        names: Vec::new(),
        page: Box::new(|rows, _| page(rows)),
        footer: vec![format!(
            "rules of thumb from {}; savings computed from the prices of catalog {}, facts to {}",
            catalog.guide_source(),
            catalog.version(),
            described(today, catalog.as_of(), GUIDE_MAX_DAYS)
        )]
        .into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn page(rows: &[GuideOut]) -> Page {
    let mut workloads = Table::new([
        Column::left("WORKLOAD", 0),
        Column::left("PICK", 0),
        Column::left("BECAUSE", 1),
    ]);
    let mut sizes = Table::new([
        Column::left("PARAMETERS", 0),
        Column::left("MINIMUM", 0),
        Column::left("RECOMMENDED", 0),
    ]);
    let mut strategies = Table::new([
        Column::left("STRATEGY", 0),
        Column::right("CLAIMED", 0),
        Column::right("TODAY", 0),
        Column::right("RANGE", 2),
        Column::left("CLAIM", 1),
        Column::left("FOR", 3),
    ]);
    let whole = |percent: Num| number(percent.0.round());
    for row in rows {
        match row {
            GuideOut::Workload {
                title,
                pick,
                because,
                ..
            } => {
                workloads.row(
                    RowStyle::Plain,
                    [title.clone(), pick.join(", "), because.clone()],
                );
            }
            GuideOut::Size {
                title,
                minimum,
                recommended,
                ..
            } => {
                sizes.row(
                    RowStyle::Plain,
                    [title.clone(), minimum.clone(), recommended.clone()],
                );
            }
            GuideOut::Strategy {
                title,
                claimed_percent: [low, high],
                good_for,
                computed,
                ..
            } => {
                let claimed = if low == high {
                    format!("{}%", whole(*low))
                } else {
                    format!("{}-{}%", whole(*low), whole(*high))
                };
                let (today, range, verdict) = match computed {
                    None => ("?".to_owned(), String::new(), String::new()),
                    Some(saving) => (
                        format!("{}%", whole(saving.median_percent)),
                        format!(
                            "{} to {}%",
                            whole(saving.low_percent),
                            whole(saving.high_percent)
                        ),
                        if saving.within_claim {
                            "holds"
                        } else {
                            "does not hold"
                        }
                        .to_owned(),
                    ),
                };
                strategies.row(
                    RowStyle::Plain,
                    [
                        title.clone(),
                        claimed,
                        today,
                        range,
                        verdict,
                        good_for.clone(),
                    ],
                );
            }
        }
    }
    Page {
        blocks: vec![
            Block::Heading("By workload".to_owned()),
            Block::Table(workloads),
            Block::Heading("By model size".to_owned()),
            Block::Table(sizes),
            Block::Heading("Ways to save: as claimed, and at the catalog's prices".to_owned()),
            Block::Table(strategies),
        ],
    }
}
