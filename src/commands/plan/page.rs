//! Renders a plan as a table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use sky_accel_core::catalog::Catalog;
use sky_accel_core::plan::CheckState;
use sky_accel_core::text::{grouped, grouped_to, number};
use sky_accel_engine::contract::{
    CandidateOut, CandidateWarning, Num, ObtainabilityOut, PriceOut, RejectedOut,
};
use sky_accel_engine::{Engine, Error, Money, PlanAnswer};

use crate::present::ages::{ages, nearest_prices};
use crate::present::nearest::{no_instance_advice, nothing_lines};
use crate::present::offers::{
    BEST_MARK, DOUBT_MARK, ENDPOINT, LINKED, SHARE, WITHOUT_HOST, owner, provider_page,
    reason_words,
};
use crate::present::{bill, commitments, prices, stock};
use crate::render::{Column, RowStyle, Table};

/// Columns of CSV output.
pub(super) const CSV: &[&str] = &[
    "rank",
    "spec",
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "nodes",
    "capacity_type",
    "region",
    "fit",
    "usd_per_hour",
    "usd_total",
    "price.usd_per_hour",
    "price.kind",
    "price.as_of",
    "price.source",
    "warnings",
    "price.age_days",
    "price.quality",
    "price.currency.code",
    "price.currency.per_hour",
    "price.likely_usd_per_hour",
    "price.low",
    "price.high",
    "price.sources",
];

/// Columns of CSV output with whole bills.
pub(super) static BILLED_CSV: LazyLock<Vec<&str>> = LazyLock::new(|| [CSV, &bill::CSV].concat());

/// Summarizes rejections: `91 left out: --explain`, or by reason if `is_verbose`: `left out: 12 (count), 3
/// (over-budget)`.
pub(super) fn rejections(
    rejected: &[RejectedOut<'_>],
    is_explained: bool,
    is_verbose: bool,
) -> Option<String> {
    if rejected.is_empty() {
        return None;
    }
    if !is_verbose && !is_explained {
        return Some(format!("{} left out: --explain", rejected.len()));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for rejected in rejected {
        *counts.entry(rejected.reason.word()).or_default() += 1;
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(reason, n)| format!("{n} ({reason})"))
        .collect();
    let more = if is_explained {
        ""
    } else {
        "; --explain lists them"
    };
    Some(format!("left out: {}{more}", parts.join(", ")))
}

/// Describes a rejection in one line.
pub(super) fn rejection(rejected: &RejectedOut<'_>) -> String {
    let words = [
        Some(rejected.provider.to_owned()),
        Some(rejected.instance_type.to_owned()),
        rejected.count.map(|count| format!("x{}", number(count.0))),
        rejected.capacity_type.map(|capacity| capacity.to_string()),
        rejected.region.map(|region| format!("in {region}")),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    format!(
        "  {}: {}: {}",
        words.join(" "),
        rejected.reason,
        rejected.detail
    )
}

/// The parts of the table that depend on the candidates.
#[derive(Clone, Copy)]
struct CandidateColumns {
    wide: bool,
    /// Whether all candidates are bought in the same way.
    has_one_capacity: bool,
    /// Whether a reader has to see why a row is marked.
    has_marks: bool,
}

/// The columns of candidates, with totals for several machines or hours.
fn columns(
    (nodes, hours): (u32, Option<Num>),
    money: &Money<'_>,
    of_stock: &[&'static str],
    view: CandidateColumns,
) -> Vec<Column> {
    let code = money.code;
    let mut columns = vec![
        Column::left("", 0),
        Column::right("#", 3),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("ACCELERATOR", 3),
        Column::right("COUNT", 3),
        Column::left("CAPACITY", if view.has_one_capacity { 3 } else { 0 }),
        Column::left("REGION", 1),
    ];
    if nodes > 1 {
        columns.push(Column::right("NODES", 1));
        let priority = u8::from(hours.is_some());
        columns.push(Column::right(format!("ALL {code}/H"), priority));
    } else {
        columns.push(Column::right(format!("{code}/H"), 0));
    }
    columns.extend([Column::right("STATED", 1).yielding(), Column::of_ages(0)]);
    columns.extend((nodes > 1).then(|| Column::right(format!("{code}/H"), 2)));
    columns.extend([
        // Empty, and left out, without --commit.
        Column::left(commitments::COMMITMENT, 1),
    ]);
    let title = hours.map(|hours| prices::total_title(hours, money));
    columns.extend(title.map(|title| Column::right(title, 0)));
    columns.extend(of_stock.iter().map(|title| Column::left(*title, 1)));
    columns.extend([
        Column::left("FIT", 4),
        Column::left("AS OF", 6),
        if view.has_marks {
            Column::of_marks()
        } else {
            Column::left("REMARK", 6)
        },
    ]);
    if view.wide {
        columns.extend([
            Column::right("VCPU", 7),
            Column::right("RAM GIB", 7),
            Column::left("CHECKS", 7),
            Column::left("SOURCE", 7),
        ]);
    }
    columns
}

/// The text of a column with stock or quotas.
fn of_column(column: &str, candidate: &CandidateOut<'_>) -> String {
    let answers: Vec<&ObtainabilityOut> = candidate.obtainability.iter().collect();
    match column {
        stock::QUOTA => stock::quota(&answers),
        _ => stock::stock(&answers),
    }
}

/// Whether a reader has to see a warning at its row.
fn is_marked(warning: CandidateWarning) -> bool {
    warning.is_doubt() || warning == CandidateWarning::NotReached
}

/// The remarks on a candidate: the warnings that mark it first, then the others, its owner, and failed checks.
fn remarks(candidate: &CandidateOut<'_>) -> Vec<String> {
    let (marked, others): (Vec<&CandidateWarning>, Vec<&CandidateWarning>) = candidate
        .warnings
        .iter()
        .partition(|warning| is_marked(**warning));
    let mut remarks: Vec<String> = marked
        .into_iter()
        .chain(others)
        .filter_map(|warning| warning_words(*warning))
        .collect();
    remarks.extend(owner(candidate.broker, candidate.upstream));
    let failed = candidate
        .checks
        .iter()
        .filter(|check| check.state == CheckState::Fail);
    remarks.extend(failed.map(|check| format!("{} check failed", check.id)));
    remarks
}

/// One row per candidate.
pub(super) fn table(
    results: &[CandidateOut<'_>],
    (nodes, hours): (u32, Option<Num>),
    money: &Money<'_>,
    catalog: &Catalog<'_>,
    wide: bool,
) -> Table {
    let mut of_stock = vec![stock::STOCK, stock::QUOTA];
    of_stock.retain(|column| {
        let mut results = results.iter();
        results.any(|candidate| !of_column(column, candidate).is_empty())
    });
    let view = CandidateColumns {
        wide,
        has_one_capacity: results
            .windows(2)
            .all(|pair| pair[0].capacity_type == pair[1].capacity_type),
        has_marks: results
            .iter()
            .any(|row| row.warnings.iter().any(|warning| is_marked(*warning))),
    };
    let mut table = Table::new(columns((nodes, hours), money, &of_stock, view));
    let usd = |amount: Option<Num>| {
        amount.map_or_else(
            || "?".to_owned(),
            |usd| grouped_to(money.from_usd(usd).0, 2),
        )
    };
    for candidate in results {
        let price = candidate.price.as_ref();
        let is_doubtful = candidate.warnings.iter().any(|warning| warning.is_doubt());
        let mark = match candidate.rank {
            _ if is_doubtful => DOUBT_MARK,
            1 => BEST_MARK,
            _ => "",
        };
        let mut cells = vec![
            mark.to_owned(),
            candidate.rank.to_string(),
            candidate.provider.to_owned(),
            candidate.instance_type.to_owned(),
            candidate.accelerator.to_owned(),
            number(candidate.count.0),
            candidate.capacity_type.to_string(),
            candidate.region.unwrap_or("?").to_owned(),
        ];
        let of_one = price.map_or("?".to_owned(), |price| prices::amount(price, money, 2));
        if nodes > 1 {
            cells.push(candidate.nodes.to_string());
            let mark = price.map_or("", prices::mark);
            cells.push(format!("{mark}{}", usd(candidate.usd_per_hour)));
        } else {
            cells.push(of_one.clone());
        }
        cells.extend([
            price.map_or(String::new(), |price| stated(candidate, price, money)),
            price.map_or(String::new(), prices::age),
        ]);
        cells.extend((nodes > 1).then_some(of_one));
        cells.push(commitments::title(&candidate.commitments));
        cells.extend(hours.map(|_| prices::total(candidate.usd_total, price, money)));
        cells.extend(of_stock.iter().map(|column| of_column(column, candidate)));
        cells.extend([
            candidate.fit.to_string(),
            price
                .map(|price| price.as_of.to_owned())
                .unwrap_or_default(),
            remarks(candidate).join(", "),
        ]);
        if wide {
            let figure =
                |figure: Option<Num>| figure.map_or("?".to_owned(), |figure| grouped(figure.0));
            let checks: Vec<String> = candidate
                .checks
                .iter()
                .map(|check| format!("{} {}", check.id, check.state))
                .collect();
            cells.extend([
                figure(candidate.vcpu),
                figure(candidate.host_memory_gib),
                checks.join(", "),
                price
                    .map(|price| price.source.to_owned())
                    .unwrap_or_default(),
            ]);
        }
        let style = if candidate.rank == 1 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        table.row(style, cells);
        table.link(&LINKED, provider_page(catalog, candidate.provider));
    }
    table
}

/// The stated price of all machines of a candidate; empty if it is the likely price. The host of attached accelerators
/// has one price.
fn stated(candidate: &CandidateOut<'_>, price: &PriceOut<'_>, money: &Money<'_>) -> String {
    let all = candidate
        .usd_per_hour
        .filter(|_| prices::has_drifted(price));
    let Some(all) = all else {
        return String::new();
    };
    let drift = price.likely_usd_per_hour.0 - price.usd_per_hour.0;
    let usd = Num(all.0 - f64::from(candidate.nodes) * drift);
    grouped_to(money.from_usd(usd).0, 2)
}

/// Returns the doubts about the candidates in a few words each.
pub(super) fn doubts<'r>(
    candidates: &'r [CandidateOut<'_>],
) -> impl Iterator<Item = String> + use<'r> {
    let warnings = candidates.iter().flat_map(|row| &row.warnings).copied();
    let doubts = warnings.filter(|warning| warning.is_doubt());
    doubts.filter_map(warning_words)
}

/// The currency of the tables.
pub(super) fn money<'c>(
    engine: &Engine<'c>,
    answer: &PlanAnswer<'_>,
) -> std::result::Result<Money<'c>, Error> {
    Money::of(
        &engine.catalog(),
        answer.envelope.request.currency.as_deref(),
    )
}

/// Explains why the plan has no candidates.
pub(super) fn nothing(
    engine: &Engine<'_>,
    answer: &PlanAnswer<'_>,
) -> std::result::Result<Vec<String>, Error> {
    let envelope = &answer.envelope;
    let spec = &envelope.request.spec;
    if answer.has_matches {
        let usable = envelope.more.rejected.iter();
        let rejected = usable.filter(|rejected| rejected.capacity_type.is_some());
        let mut lines = vec![format!("no offer that matches {spec} can be used")];
        lines.extend(rejected.map(rejection));
        return Ok(lines);
    }
    let capacity_filter = envelope.request.capacity_type.filter();
    Ok(nothing_lines(
        format!("nothing matches {spec}"),
        &envelope.funnel,
        &envelope.nearest,
        capacity_filter,
        &money(engine, answer)?,
        ages(engine, &nearest_prices(&envelope.nearest, capacity_filter)),
    ))
}

/// Returns suggested commands if nothing matches.
pub(super) fn advice(engine: &Engine<'_>, answer: &PlanAnswer<'_>) -> Option<String> {
    (!answer.has_matches).then(|| no_instance_advice(engine.live().is_some()))
}

/// Describes a warning; `None` if other columns show it.
fn warning_words(warning: CandidateWarning) -> Option<String> {
    match warning {
        // AGE has the kind of the price, and the price is `?`.
        CandidateWarning::PriceUnknown
        | CandidateWarning::PriceEstimate
        | CandidateWarning::PriceSnapshot => None,
        CandidateWarning::ManagedService => Some(ENDPOINT.to_owned()),
        CandidateWarning::Share => Some(SHARE.to_owned()),
        CandidateWarning::WithoutHost => Some(WITHOUT_HOST.to_owned()),
        warning => match warning.reason() {
            Some(reason) => reason_words(reason),
            None => Some(warning.to_string().replace('-', " ")),
        },
    }
}
