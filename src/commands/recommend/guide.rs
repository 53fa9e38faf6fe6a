//! `recommend --guide`: the rules of thumb, and what the strategies are worth today.

use serde::Serialize;
use sky_accel_core::guide::saving;
use sky_accel_core::text::number;

use super::super::age;
use super::super::{Context, Result};
use crate::exit_code::ExitCode;
use crate::output::{Envelope, Num};
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

/// Nothing is asked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuideRequest {
    pub guide: bool,
}

/// A row of one of the tables.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "table", rename_all = "kebab-case")]
pub enum GuideOut {
    /// By kind of work.
    Workload {
        workload: String,
        title: String,
        pick: Vec<String>,
        because: String,
        source: String,
        as_of: String,
    },
    /// By number of parameters.
    Size {
        title: String,
        minimum: String,
        recommended: String,
        source: String,
        as_of: String,
    },
    /// Ways to save.
    Strategy {
        strategy: String,
        title: String,
        claimed_percent: [Num; 2],
        good_for: String,
        /// At the catalog's prices; `null` where no two prices can be compared.
        computed: Option<SavingOut>,
        source: String,
        as_of: String,
    },
}

/// What a strategy saves, in percent.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavingOut {
    pub low_percent: Num,
    pub median_percent: Num,
    pub high_percent: Num,
    /// Comparisons behind it.
    pub samples: usize,
    pub basis: String,
    /// Whether the median is within the claim.
    pub within_claim: bool,
}

/// Prices of most providers count as old from then on.
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
    let catalog = context.catalog;
    let text = |s| catalog.str(s).to_owned();
    let source = || catalog.guide_source.to_owned();
    let as_of = || catalog.guide_as_of.to_owned();
    let mut rows: Vec<GuideOut> = Vec::new();
    rows.extend(
        catalog
            .guide_workloads
            .iter()
            .map(|row| GuideOut::Workload {
                workload: text(row.workload),
                title: text(row.title),
                pick: catalog.strings(row.pick).map(str::to_owned).collect(),
                because: text(row.because),
                source: source(),
                as_of: as_of(),
            }),
    );
    rows.extend(catalog.guide_sizes.iter().map(|row| GuideOut::Size {
        title: text(row.title),
        minimum: text(row.minimum),
        recommended: text(row.recommended),
        source: source(),
        as_of: as_of(),
    }));
    rows.extend(
        catalog
            .guide_strategies
            .iter()
            .map(|row| GuideOut::Strategy {
                strategy: text(row.strategy),
                title: text(row.title),
                claimed_percent: [Num(row.claimed_low_percent), Num(row.claimed_high_percent)],
                good_for: text(row.good_for),
                computed: saving(&catalog, row).map(|saving| SavingOut {
                    low_percent: tenths(saving.low),
                    median_percent: tenths(saving.median),
                    high_percent: tenths(saving.high),
                    samples: saving.samples,
                    within_claim: saving.within_claim(row),
                    basis: saving.basis,
                }),
                source: source(),
                as_of: as_of(),
            }),
    );
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.guide.v1",
            &catalog,
            GuideRequest { guide: true },
            rows,
        ),
        csv: CSV,
        names: Vec::new(),
        page: Box::new(|rows, _| page(rows)),
        footer: vec![format!(
            "rules of thumb from {}; savings computed from the prices of catalog {}, facts to {}",
            catalog.guide_source,
            catalog.version,
            age::described(context.settings, catalog.as_of, GUIDE_MAX_DAYS)
        )],
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn tenths(percent: f64) -> Num {
    Num((percent * 10.0).round() / 10.0)
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
        Column::right("REALLY", 0),
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
                    format!("{} %", whole(*low))
                } else {
                    format!("{}-{} %", whole(*low), whole(*high))
                };
                let (really, range, verdict) = match computed {
                    None => ("?".to_owned(), String::new(), String::new()),
                    Some(saving) => (
                        format!("{} %", whole(saving.median_percent)),
                        format!(
                            "{} to {} %",
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
                        really,
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
            Block::Heading("Ways to save, claimed and at the catalog's prices".to_owned()),
            Block::Table(strategies),
        ],
    }
}
