//! `mix`: how much of a load to reserve, to rent on demand, and to rent as spot.

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{grouped, grouped_to, number};
use sky_accel_engine::contract::{CommitmentOut, Num};
use sky_accel_engine::{MixOut, MixPartOut, MixRequest, Money};

use crate::cli::MixArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::ages::offers_footer;
use crate::present::commitments;
use crate::present::offers::region;
use crate::render::{Column, Page, Report, RowStyle, Table, print};
use crate::requests;

/// The columns of CSV.
const MIX_CSV: &[&str] = &[
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "usd_per_month",
    "usd_per_month_on_demand",
    "usd_per_month_reserved",
    "reserved.machines",
    "reserved.usd_per_month",
    "on_demand_machines.machines",
    "on_demand_machines.hours",
    "on_demand_machines.usd_per_month",
    "spot_machines.machines",
    "spot_machines.hours",
    "spot_machines.usd_per_month",
    "upfront_usd",
    "commitment.program",
    "commitment.term",
    "commitment.upfront",
    "commitment.usd_per_hour",
    "commitment.discount",
    "commitment.break_even_utilization",
];

pub fn run(context: &mut Context<'_>, args: &MixArgs) -> Result<ExitCode> {
    let request = MixRequest {
        spec: args.spec.clone(),
        offers: requests::offers_under(&args.offers, &args.commit, &context.settings.offers),
        profile: args.profile.clone(),
        base_hours: args.base_hours.iter().copied().map(Num).collect(),
        spot: args.spot,
    };
    let envelope = context.engine.mix(&request)?;
    let money = request.offers.money(&context.engine.catalog())?;
    let format = context.settings.output;
    if envelope.results.is_empty() && !format.is_document() {
        let message = format!(
            "no offer with a known price matches {}",
            envelope.request.spec
        );
        context.ui.stderr_line(&message)?;
    }
    let offers = || envelope.results.iter().map(|row| &row.offer);
    let mut footer = offers_footer(
        &context.engine,
        offers(),
        CapacityFilter::Unspecified,
        context.settings.detail(),
    );
    let load = &envelope.request;
    footer.parts.insert(
        0,
        format!(
            "{} machine hours a month, at most {} machines at once",
            grouped(load.machine_hours.0.round()),
            load.machines
        ),
    );
    footer.parts.extend(money.rate());
    footer.lines.extend(end_lines(&envelope.results));
    let report = Report {
        csv: MIX_CSV,
        names: envelope
            .results
            .iter()
            .map(|row| row.offer.instance_type.to_owned())
            .collect(),
        exit_code: found(!envelope.results.is_empty()),
        envelope,
        page: Box::new(move |rows, _| {
            if rows.is_empty() {
                Page::default()
            } else {
                Page::table(table(rows, &money))
            }
        }),
        footer,
    };
    Ok(print(context.ui, format, report)?)
}

/// Returns what happens at the end of each commitment that a mix uses, one line for each kind.
fn end_lines(rows: &[MixOut<'_>]) -> Vec<String> {
    let used = rows.iter().filter(|row| row.reserved.machines > 0);
    commitments::lines_of(
        used.filter_map(|row| Some((row.offer.provider, row.commitment.as_ref()?))),
    )
}

fn table(rows: &[MixOut<'_>], money: &Money<'_>) -> Table {
    let has_spot = rows.iter().any(|row| row.spot_machines.machines > 0);
    let mut columns = vec![
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("ACCELERATOR", 2),
        Column::right("COUNT", 2),
        Column::right("RESERVE", 0),
        Column::right("ON DEMAND", 0),
    ];
    columns.extend(has_spot.then(|| Column::right("SPOT", 0)));
    columns.extend([
        Column::right(format!("{}/MONTH", money.code), 0),
        Column::right("ALL ON DEMAND", 1),
        Column::right("ALL RESERVED", 3),
        Column::right(format!("UPFRONT {}", money.code), 2),
        Column::right("BREAK-EVEN", 1),
        Column::left("COMMITMENT", 1),
        Column::left("REGION", 4),
    ]);
    columns.extend(has_spot.then(|| Column::left("TAKEN BACK", 3)));
    let mut table = Table::new(columns);
    let amount =
        |usd: Option<Num>| usd.map_or("?".to_owned(), |usd| grouped_to(money.from_usd(usd).0, 0));
    for (at, row) in rows.iter().enumerate() {
        let mut cells = vec![
            row.offer.provider.to_owned(),
            row.offer.instance_type.to_owned(),
            row.offer.accelerator.to_owned(),
            number(row.offer.count.0),
            row.reserved.machines.to_string(),
            machines(&row.on_demand_machines),
        ];
        cells.extend(has_spot.then(|| machines(&row.spot_machines)));
        let commitment = row.commitment.as_ref();
        cells.extend([
            amount(Some(row.usd_per_month)),
            amount(Some(row.usd_per_month_on_demand)),
            amount(row.usd_per_month_reserved),
            amount(row.upfront_usd),
            commitment.map_or("?".to_owned(), commitments::break_even),
            commitment.map_or("not known".to_owned(), CommitmentOut::title),
            region(&row.offer, CapacityFilter::Unspecified, false),
        ]);
        cells.extend(has_spot.then(|| row.interruption_rate.unwrap_or("?").to_owned()));
        let style = if at == 0 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        table.row(style, cells);
    }
    table
}

/// Returns the number of machines with their hours a month, such as `6, 1,173 h`.
fn machines(part: &MixPartOut) -> String {
    match part.machines {
        0 => "0".to_owned(),
        count => format!("{count}, {} h", grouped(part.hours.0.round())),
    }
}
