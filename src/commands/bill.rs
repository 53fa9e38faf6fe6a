//! `bill`: what the use of the machines of a spec costs, line by line.

use std::collections::BTreeSet;
use std::ops::Range;

use sky_accel_core::catalog::{CapacityType, OfferKind, PriceKind, Status};
use sky_accel_core::text::number;
use sky_accel_engine::contract::BilledOut;
use sky_accel_engine::{BillRequest, BillUse, Error, ErrorCode, Money, PlanInput, Spec};

use super::committed::committed;
use super::{input, live};
use crate::cli::BillArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::bill::{self, BilledMachine, PartsOfBills};
use crate::present::offers::{self, BEST_MARK, DOUBT_MARK, LINKED, doubt_note, doubts_about};
use crate::present::prices::{ESTIMATED, RANKED_AT, age_of, mark_note};
use crate::render::{Block, Column, Footer, Page, Report, RowStyle, Table, print};
use crate::requests;
use crate::ui::Ui;

/// CSV columns.
const CSV: &[&str] = &[
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "region",
    "capacity_type",
    "usd_per_hour",
    "likely_usd_per_hour",
    "tier",
    "price_kind",
    "as_of",
    "age_days",
    "price_rank",
    "usd_total",
    "usd_total_likely",
    "ranking_cost",
    "lines_not_known",
    "between_sessions",
    "commitment.program",
    "commitment.term",
    "commitment.upfront",
    "low",
    "high",
    "price_quality",
    "sources",
];

/// The most rows of a table without --all.
const FIRST_ROWS: usize = 10;

pub fn run(context: &mut Context<'_>, args: &BillArgs) -> Result<ExitCode> {
    let mut request = requests::bill(args, context.settings);
    read_specs(context.ui, &args.specs, &mut request)?;
    // Standard input may name the commitment too.
    let offers = request.offers.clone();
    committed(context, &offers, false, |context| {
        billed(context, args, &request)
    })
}

fn billed(context: &mut Context<'_>, args: &BillArgs, request: &BillRequest) -> Result<ExitCode> {
    let engine = context.engine;
    let answer = live::with_hub(context, args.live, |hub| engine.bill(request, hub))?;
    let (envelope, money) = (answer.envelope, answer.money);
    let layout = BillTable {
        of_specs: answer.of_specs,
        specs: envelope.request.specs.clone(),
        is_complete: args.all
            || request.offers.limit.is_some()
            || context.settings.output.is_html(),
    };
    let rows = &envelope.results;
    let mut exit_code = found(!rows.is_empty());
    if let Some(error) = &answer.too_old {
        exit_code = live::tell(context, error)?;
    } else if rows.is_empty() {
        let message = "no machine with a known price matches; `sky-accel resolve` with the same filters shows why";
        context.ui.stderr_line(message)?;
    }
    let mut footer = Footer::default();
    let bills = rows.iter().map(|row| &row.bill);
    footer.parts.extend(bill::more_note(bills));
    let shown = layout.shown(rows);
    footer
        .marks
        .extend(doubt_note(shown.iter().flat_map(|(_, row)| doubts(row))));
    let has_drifted = shown
        .iter()
        .any(|(_, row)| row.likely_usd_per_hour != row.usd_per_hour);
    let has_hint = shown.iter().any(|(_, row)| is_hint(row));
    footer.marks.extend(mark_note(has_drifted, has_hint));
    let more = rows.len() - shown.len();
    if more > 0 {
        footer.parts.push(format!("{more} more: --all"));
    }
    footer.parts.extend(money.rate());
    let report = Report {
        exit_code,
        csv: CSV,
        names: names(rows),
        footer,
        page: Box::new(move |rows, wide| page(rows, &money, &layout, wide)),
        envelope,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Reads the specs of the arguments; `-` is standard input.
fn read_specs(
    ui: &mut Ui,
    arguments: &[String],
    request: &mut BillRequest,
) -> std::result::Result<(), Error> {
    for argument in arguments {
        if argument != "-" {
            request.specs.push(Spec::from(argument.clone()));
            continue;
        }
        let start = input::start_of_stdin(ui)?;
        if !start.is_object {
            let advice = "compute their bills in several commands";
            input::add_specs_of_stdin(ui, start, &mut request.specs, advice)?;
            continue;
        }
        let answer = PlanInput::parse(&input::text_of_stdin(ui)?)?;
        request.notes.extend(answer.note);
        request.specs.push(Spec::from(answer.spec));
        request.nodes = answer.recommended.nodes.filter(|nodes| *nodes > 1);
        if let Some(usage) = answer.usage.filter(|_| request.usage == BillUse::default()) {
            request.usage = usage;
            // A recommendation with bills has the download of its model.
            let run = answer.recommended.work.map(|work| work.run);
            request.run = request.run.take().or(run);
        }
        let usage = &mut request.usage;
        if usage.hours.is_none() && usage.sessions.is_none() && !usage.month {
            usage.hours = answer.offers.hours;
            if answer.is_job && usage.hours.is_none() {
                let message = "standard input recommends machines for a job, whose hours depend on the machine: give \
                               --hours; `recommend --bill` has the bill of each machine";
                return Err(Error::new(ErrorCode::Stdin, message));
            }
        }
        request.offers = std::mem::take(&mut request.offers).or(&answer.offers);
    }
    if request.specs.is_empty() {
        return Err(input::no_spec());
    }
    if let Some(nodes) = request.nodes.filter(|_| request.specs.len() > 1) {
        let message = format!(
            "standard input recommends {nodes} machines, and other specs have no number of machines: compute their \
             bills in a command of their own"
        );
        return Err(Error::new(ErrorCode::Stdin, message));
    }
    Ok(())
}

fn names(rows: &[BilledOut<'_>]) -> Vec<String> {
    let ids = rows.iter().map(|row| (row.provider, row.instance_type));
    offers::qualified(&ids.collect::<Vec<_>>())
}

/// How the table shows the bills.
struct BillTable {
    /// The rows of each spec.
    of_specs: Vec<Range<usize>>,
    /// The specs.
    specs: Vec<String>,
    /// True to show all rows, not the best of each provider.
    is_complete: bool,
}

impl BillTable {
    /// The rows of a table, each with the index of its spec: for each spec the best of each provider, the first ten of
    /// them.
    fn shown<'o, 'a>(&self, rows: &'o [BilledOut<'a>]) -> Vec<(usize, &'o BilledOut<'a>)> {
        let parts = self.of_specs.iter().enumerate();
        parts
            .flat_map(|(spec, part)| {
                let rows = rows.get(part.clone()).unwrap_or_default();
                self.shown_of_one(rows)
                    .into_iter()
                    .map(move |row| (spec, row))
            })
            .collect()
    }

    fn shown_of_one<'o, 'a>(&self, rows: &'o [BilledOut<'a>]) -> Vec<&'o BilledOut<'a>> {
        if self.is_complete {
            return rows.iter().collect();
        }
        let mut providers = BTreeSet::new();
        let of_each = rows.iter().filter(|row| providers.insert(row.provider));
        let best: Vec<_> = of_each.take(FIRST_ROWS).collect();
        if best.len() == 1 {
            return rows.iter().take(FIRST_ROWS).collect();
        }
        best
    }
}

/// Returns the table of totals, then the first bill line by line, or every bill on a wide page.
fn page(rows: &[BilledOut<'_>], money: &Money<'_>, layout: &BillTable, wide: bool) -> Page {
    let rows = layout.shown(rows);
    if rows.is_empty() {
        return Page::default();
    }
    let mut blocks = vec![Block::Table(totals(&rows, layout, money, wide))];
    let ranked = (1..).zip(&rows);
    let machines: Vec<BilledMachine<'_, '_>> = ranked
        .map(|(rank, (_, row))| BilledMachine {
            rank,
            region: row.region,
            provider: row.provider,
            instance_type: row.instance_type,
            bill: &row.bill,
        })
        .collect();
    blocks.extend(bill::details(&machines, money, wide));
    Page { blocks }
}

/// The doubts about the price, the host and the product. The bill has the host of attached accelerators.
fn doubts(row: &BilledOut<'_>) -> impl Iterator<Item = String> {
    let sells = match row.sells {
        OfferKind::Attached => OfferKind::Machine,
        other => other,
    };
    doubts_about(&row.reasons, sells, row.count)
}

/// Whether the price is an estimate or of weak quality.
fn is_hint(row: &BilledOut<'_>) -> bool {
    row.price_kind == PriceKind::Estimate || row.price_quality.is_weak()
}

/// The stated price per hour; empty if it is the likely price.
fn stated(row: &BilledOut<'_>, money: &Money<'_>) -> String {
    if row.likely_usd_per_hour == row.usd_per_hour {
        return String::new();
    }
    bill::amount(row.usd_per_hour, money)
}

/// The likely price per hour; with a mark if no source states it for today.
fn rate(row: &BilledOut<'_>, money: &Money<'_>) -> String {
    let likely = row.likely_usd_per_hour;
    let mark = if likely != row.usd_per_hour || is_hint(row) {
        ESTIMATED
    } else {
        ""
    };
    format!("{mark}{}", bill::amount(likely, money))
}

/// The obstacle to renting the machine, and the doubts about it.
fn remark(row: &BilledOut<'_>) -> String {
    let obstacle = match row.status {
        Status::Offered => None,
        Status::SpotOnly if row.capacity_type == CapacityType::Spot => None,
        status => Some(status.word().to_owned()),
    };
    obstacle
        .into_iter()
        .chain(doubts(row))
        .collect::<Vec<_>>()
        .join(", ")
}

fn totals(
    rows: &[(usize, &BilledOut<'_>)],
    layout: &BillTable,
    money: &Money<'_>,
    wide: bool,
) -> Table {
    let specs = &layout.specs;
    let code = money.code;
    let bills = || rows.iter().map(|(_, row)| &row.bill);
    let parts = PartsOfBills::of(bills());
    // One spec needs no column.
    let has_specs = specs.len() > 1;
    let ranked_at = rows.iter().any(|(_, row)| row.ranking_cost.is_some());
    let mut columns = vec![Column::left("", 0)];
    columns.extend(has_specs.then(|| Column::left("SPEC", 0)));
    columns.extend([
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("CAPACITY", 3),
        Column::left("COMMITMENT", 2),
        Column::left("REGION", 4),
        Column::right("COUNT", 3),
    ]);
    // The figure that ranks comes first.
    columns.extend(ranked_at.then(|| Column::right(RANKED_AT, 0)));
    columns.extend([
        Column::right(format!("TOTAL {code}"), 0),
        Column::right(format!("{code}/H"), 1),
        Column::right("STATED", 1),
        Column::of_ages(0),
    ]);
    columns.extend(parts.columns());
    columns.extend([
        Column::right("BY PRICE", 3),
        if rows.iter().any(|(_, row)| doubts(row).next().is_some()) {
            Column::of_marks()
        } else {
            Column::left("REMARK", 4)
        },
    ]);
    let mut table = Table::new(columns);
    for (at, (spec, row)) in rows.iter().enumerate() {
        let is_first = at == 0 || rows[at - 1].0 != *spec;
        let is_doubtful = doubts(row).next().is_some();
        let (style, mark) = match is_first {
            _ if is_doubtful => (RowStyle::Plain, DOUBT_MARK),
            true => (RowStyle::Best, BEST_MARK),
            false => (RowStyle::Plain, ""),
        };
        let commitment = row.commitment.as_ref();
        let spec = has_specs.then(|| specs.get(*spec).cloned().unwrap_or_default());
        let mut cells = vec![mark.to_owned()];
        cells.extend(spec);
        cells.extend([
            row.provider.to_owned(),
            row.instance_type.to_owned(),
            row.capacity_type.word().to_owned(),
            commitment.map(|row| row.title()).unwrap_or_default(),
            row.region.unwrap_or_default().to_owned(),
            match row.nodes {
                Some(nodes) => format!("{nodes} × {}", number(row.count.0)),
                None => number(row.count.0),
            },
        ]);
        cells.extend(ranked_at.then(|| {
            let cost = row.ranking_cost.unwrap_or(row.bill.usd_total_likely);
            bill::amount(cost, money)
        }));
        cells.extend([
            bill::total(&row.bill, money),
            rate(row, money),
            stated(row, money),
            age_of(row.price_kind, row.tier, row.age_days),
        ]);
        cells.extend(parts.amounts(&row.bill, money));
        cells.extend([format!("#{}", row.price_rank), remark(row)]);
        table.row(style, cells);
        table.link(&LINKED, row.url.as_deref());
    }
    if wide {
        table.with_link_column()
    } else {
        table
    }
}
