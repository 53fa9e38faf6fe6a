//! `bill`: what the use of the machines of a spec costs, line by line.

use std::collections::BTreeSet;

use sky_accel_core::text::number;
use sky_accel_engine::contract::BilledOut;
use sky_accel_engine::{BillRequest, Error, Money, PlanInput, Spec};

use super::{input, live};
use crate::cli::BillArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::bill::{self, BilledMachine};
use crate::present::offers::DOUBT_MARK;
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
    "price_rank",
    "usd_total",
    "usd_total_likely",
    "lines_not_known",
    "between_sessions",
];

/// The most rows of a table without --all.
const FIRST_ROWS: usize = 10;

pub fn run(context: &mut Context<'_>, args: &BillArgs) -> Result<ExitCode> {
    let mut request = requests::bill(args, context.settings);
    read_specs(context.ui, &args.specs, &mut request)?;
    let engine = context.engine;
    let answer = live::with_hub(context, args.live, |hub| engine.bill(&request, hub))?;
    let (envelope, money) = (answer.envelope, answer.money);
    let rows = &envelope.results;
    if rows.is_empty() {
        let message = "no machine with a known price matches; `sky-accel resolve` with the same filters shows why";
        context.ui.stderr_line(message)?;
    }
    let is_complete = args.all || args.offers.limit.is_some() || context.settings.output.is_html();
    let mut footer = Footer::default();
    let bills = rows.iter().map(|row| &row.bill);
    footer.parts.extend(bill::more_note(bills));
    let has_doubt = shown(rows, is_complete)
        .iter()
        .any(|row| !doubt(row).is_empty());
    if has_doubt {
        let legend = format!("{} doubtful: ranks after all others", DOUBT_MARK.trim());
        footer.parts.push(legend);
    }
    let more = rows.len() - shown(rows, is_complete).len();
    if more > 0 {
        footer.parts.push(format!("{more} more: --all"));
    }
    footer.parts.extend(money.rate());
    let report = Report {
        exit_code: found(!rows.is_empty()),
        csv: CSV,
        names: names(rows),
        footer,
        page: Box::new(move |rows, wide| page(rows, &money, is_complete, wide)),
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
            for spec in input::specs_of_stdin(ui, start) {
                request.specs.push(spec?);
            }
            continue;
        }
        let answer = PlanInput::parse(&input::text_of_stdin(ui)?)?;
        request.specs.push(Spec::from(answer.spec));
        let usage = &mut request.usage;
        if usage.hours.is_none() && usage.sessions.is_none() && !usage.month {
            usage.hours = answer.offers.hours;
        }
        request.offers = std::mem::take(&mut request.offers).or(&answer.offers);
    }
    if request.specs.is_empty() {
        return Err(input::no_spec());
    }
    Ok(())
}

fn names(rows: &[BilledOut<'_>]) -> Vec<String> {
    let providers: BTreeSet<&str> = rows.iter().map(|row| row.provider).collect();
    let name = |row: &BilledOut<'_>| match providers.len() {
        1 => row.instance_type.to_owned(),
        _ => format!("{}/{}", row.provider, row.instance_type),
    };
    rows.iter().map(name).collect()
}

/// The rows of a table: the best of each provider, the first ten of them.
fn shown<'o, 'a>(rows: &'o [BilledOut<'a>], is_complete: bool) -> Vec<&'o BilledOut<'a>> {
    if is_complete {
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

/// Returns the table of totals, then the first bill line by line, or every bill on a wide page.
fn page(rows: &[BilledOut<'_>], money: &Money<'_>, is_complete: bool, wide: bool) -> Page {
    let rows = shown(rows, is_complete);
    if rows.is_empty() {
        return Page::default();
    }
    let mut blocks = vec![Block::Table(totals(&rows, money))];
    let ranked = (1..).zip(&rows);
    let machines: Vec<BilledMachine<'_, '_>> = ranked
        .map(|(rank, row)| BilledMachine {
            rank,
            provider: row.provider,
            instance_type: row.instance_type,
            bill: &row.bill,
        })
        .collect();
    blocks.extend(bill::details(&machines, money, wide));
    Page { blocks }
}

/// The mark of a doubtful price or host.
fn doubt(row: &BilledOut<'_>) -> &'static str {
    if row.reasons.iter().any(|reason| reason.is_doubt()) {
        DOUBT_MARK
    } else {
        ""
    }
}

fn totals(rows: &[&BilledOut<'_>], money: &Money<'_>) -> Table {
    let code = money.code;
    let mut table = Table::new([
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("CAPACITY", 3),
        Column::left("REGION", 4),
        Column::right("COUNT", 2),
        Column::right(format!("{code}/H"), 0),
        Column::right("MACHINE", 1),
        Column::right("DISK", 1),
        Column::right("OTHER", 1),
        Column::right(format!("TOTAL {code}"), 0),
        Column::right("BY PRICE", 2),
    ]);
    for (at, row) in rows.iter().enumerate() {
        let style = if at == 0 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        let [time, disk, other] = bill::parts(&row.bill, money);
        let cells = [
            row.provider.to_owned(),
            row.instance_type.to_owned(),
            row.capacity_type.word().to_owned(),
            row.region.unwrap_or_default().to_owned(),
            number(row.count.0),
            bill::amount(row.usd_per_hour, money),
            time,
            disk,
            other,
            format!("{}{}", bill::total(&row.bill, money), doubt(row)),
            format!("#{}", row.price_rank),
        ];
        table.row(style, cells);
    }
    table
}
