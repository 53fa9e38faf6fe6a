//! `mix`: how much of a load to reserve, to rent on demand, and to rent as spot.

use sky_accel_core::resolve::{CapacityFilter, PriceBasis};
use sky_accel_core::text::{counted, grouped, grouped_to, list_and, number};
use sky_accel_engine::contract::{CommitmentOut, Num, PriceOut};
use sky_accel_engine::{MixAnswer, MixOut, MixPartOut, MixRequest, Money};

use super::live;
use crate::cli::MixArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::ages::offers_footer;
use crate::present::commitments::{self, percent};
use crate::present::offers::{self, BEST_MARK, DOUBT_MARK, LINKED, doubts_in_words, region};
use crate::present::prices;
use crate::render::{Block, Column, MarkNote, Page, Report, RowStyle, Table, print};
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
    "on_demand_usd_per_hour",
    "reserved_usd_per_hour",
    "break_even_utilization",
    "on_demand.usd_per_hour",
    "on_demand.likely_usd_per_hour",
    "on_demand.low",
    "on_demand.high",
    "on_demand.kind",
    "on_demand.quality",
    "on_demand.as_of",
    "on_demand.age_days",
    "on_demand.source",
    "on_demand.sources",
    "spot.likely_usd_per_hour",
    "spot.low",
    "spot.high",
    "spot.as_of",
];

pub fn run(context: &mut Context<'_>, args: &MixArgs) -> Result<ExitCode> {
    let request = MixRequest {
        spec: args.spec.clone(),
        offers: requests::offers_under(&args.offers, &args.commit, &context.settings.offers),
        profile: args.profile.clone(),
        base_hours: args.base_hours.iter().copied().map(Num).collect(),
        spot: args.spot,
    };
    let MixAnswer { envelope, too_old } = context.engine.mix(&request)?;
    let money = request.offers.money(&context.engine.catalog())?;
    let format = context.settings.output;
    let mut exit_code = found(!envelope.results.is_empty());
    if let Some(error) = &too_old {
        exit_code = live::tell(context, error)?;
    } else if envelope.results.is_empty() && !format.is_document() {
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
        None,
        CapacityFilter::Unspecified,
        context.settings.detail(),
    );
    let load = &envelope.request;
    let load = format!(
        "{} machine hours a month, at most {} at once",
        grouped(load.machine_hours.0.round()),
        counted(load.machines, "machine")
    );
    footer.parts.insert(0, load);
    if envelope.results.iter().any(|row| row.ranks_last) {
        let doubt = MarkNote {
            mark: DOUBT_MARK,
            meaning: "doubtful price: after all others at any cost".to_owned(),
        };
        footer.marks.insert(0, doubt);
    }
    footer.parts.extend(money.rate());
    if !envelope.results.is_empty() {
        footer
            .lines
            .push(legend(envelope.request.offers.price).to_owned());
    }
    footer.lines.extend(end_lines(&envelope.results));
    let report = Report {
        csv: MIX_CSV,
        names: offers::names(envelope.results.iter().map(|row| &row.offer)),
        exit_code,
        envelope,
        page: Box::new(move |rows, wide| page(rows, &money, wide)),
        footer,
    };
    Ok(print(context.ui, format, report)?)
}

/// Explains the columns, and names the price that decides.
fn legend(price: PriceBasis) -> &'static str {
    match price {
        PriceBasis::Likely => {
            "BREAK-EVEN: the share of the time from which a reserved machine costs less than one on demand at its likely \
             price of today; SAVES: compared with all machines on demand at that price"
        }
        PriceBasis::Stated => {
            "BREAK-EVEN: the share of the time from which a reserved machine costs less than one on demand at its price as \
             last seen; SAVES: compared with all machines on demand at that price"
        }
    }
}

/// Returns what happens at the end of each commitment that a mix uses, one line for each kind.
fn end_lines(rows: &[MixOut<'_>]) -> Vec<String> {
    let used = rows.iter().filter(|row| row.reserved.machines > 0);
    commitments::lines_of(
        used.filter_map(|row| Some((row.offer.provider, row.commitment.as_ref()?))),
    )
}

/// Returns the cheapest mix as a sentence, then the table.
fn page(rows: &[MixOut<'_>], money: &Money<'_>, wide: bool) -> Page {
    let Some(first) = rows.first() else {
        return Page::default();
    };
    let table = table(rows, money);
    Page {
        blocks: vec![
            Block::Heading(cheapest(first, money)),
            Block::Table(if wide {
                table.with_link_column()
            } else {
                table
            }),
        ],
    }
}

/// Says what to rent, what it costs, and what it saves.
fn cheapest(row: &MixOut<'_>, money: &Money<'_>) -> String {
    let mut parts = Vec::new();
    let reserved = row.reserved.machines;
    let commitment = row.commitment.as_ref();
    if let Some(commitment) = commitment.filter(|_| reserved > 0) {
        let term = commitment.term_and_payment();
        parts.push(format!(
            "reserve {} for {term}",
            counted(reserved, "machine")
        ));
    }
    let mut rented = |part: &MixPartOut, how: &str| {
        if part.machines > 0 {
            parts.push(format!("rent up to {} {how}", part.machines));
        }
    };
    rented(&row.spot_machines, "as spot");
    rented(&row.on_demand_machines, "on demand");
    let amount = |usd: Num, mark: &str| format!("{mark}{} {}", whole(usd, money), money.code);
    let marks = CostMarks::of(row);
    let saved = match saving(row) {
        Some(share) if share > 0.0 => format!(
            ", {} less than with all on demand ({})",
            percent(share),
            amount(row.usd_per_month_on_demand, marks.all_on_demand)
        ),
        _ => String::new(),
    };
    format!(
        "{} {}: {}, for {} a month{saved}",
        row.offer.provider,
        row.offer.instance_type,
        list_and(&parts),
        amount(row.usd_per_month, marks.month)
    )
}

/// The prices that a mix pays by the hour: on demand and spot.
fn paid<'r>(row: &'r MixOut<'_>) -> impl Iterator<Item = &'r PriceOut<'r>> {
    let on_demand = row.offer.on_demand.as_ref();
    let spot = row.offer.spot.as_ref();
    let paid = [
        on_demand.filter(|_| row.on_demand_machines.machines > 0),
        spot.filter(|_| row.spot_machines.machines > 0),
    ];
    paid.into_iter().flatten()
}

/// The prefixes of costs that follow from likely prices.
struct CostMarks {
    /// Of the cost of a month.
    month: &'static str,
    /// Of the cost with all machines on demand.
    all_on_demand: &'static str,
}

impl CostMarks {
    fn of(row: &MixOut<'_>) -> Self {
        let mut marks = paid(row).map(prices::mark);
        Self {
            month: marks.find(|mark| !mark.is_empty()).unwrap_or_default(),
            all_on_demand: row.offer.on_demand.as_ref().map_or("", prices::mark),
        }
    }
}

/// Returns the part of the cost with all machines on demand that a mix saves.
fn saving(row: &MixOut<'_>) -> Option<f64> {
    let all = row.usd_per_month_on_demand.0;
    (all > 0.0).then(|| 1.0 - row.usd_per_month.0 / all)
}

/// Formats an amount without cents.
fn whole(usd: Num, money: &Money<'_>) -> String {
    grouped_to(money.from_usd(usd).0, 0)
}

fn table(rows: &[MixOut<'_>], money: &Money<'_>) -> Table {
    let has_spot = rows.iter().any(|row| row.spot_machines.machines > 0);
    let mut columns = vec![
        Column::left("", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("ACCELERATOR", 6),
        Column::right("COUNT", 6),
        Column::right("RESERVE", 1),
        Column::right("ON DEMAND", 0),
    ];
    columns.extend(has_spot.then(|| Column::right("SPOT", 0)));
    columns.extend([
        Column::right(format!("{}/MONTH", money.code), 0),
        Column::right("SAVES", 1),
        Column::right(format!("{}/H", money.code), 2).yielding(),
        Column::right("STATED", 2).yielding(),
        Column::of_ages(0),
        Column::right("ALL ON DEMAND", 4),
        Column::right("ALL RESERVED", 4),
        Column::right("BREAK-EVEN", 2),
        Column::left("COMMITMENT", 3),
        Column::right(format!("UPFRONT {}", money.code), 3),
        Column::left("REGION", 5),
    ]);
    columns.extend(has_spot.then(|| Column::left("TAKEN BACK", 3)));
    let has_doubts = rows.iter().any(|row| row.ranks_last);
    columns.extend(has_doubts.then(Column::of_marks));
    let mut table = Table::new(columns);
    for (at, row) in rows.iter().enumerate() {
        let mark = match at {
            _ if row.ranks_last => DOUBT_MARK,
            0 => BEST_MARK,
            _ => "",
        };
        let mut cells = vec![
            mark.to_owned(),
            row.offer.provider.to_owned(),
            row.offer.instance_type.to_owned(),
            row.offer.accelerator.to_owned(),
            number(row.offer.count.0),
            row.reserved.machines.to_string(),
            row.on_demand_machines.machines.to_string(),
        ];
        cells.extend(has_spot.then(|| row.spot_machines.machines.to_string()));
        cells.extend(cells_of_money(row, money));
        cells.extend(has_spot.then(|| row.interruption_rate.unwrap_or("?").to_owned()));
        cells.extend(has_doubts.then(|| doubts_in_words(&row.offer)));
        let style = if at == 0 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        table.row(style, cells);
        table.link(&LINKED, row.offer.url.as_deref());
    }
    table
}

/// The cells from the cost of a month to the region.
fn cells_of_money(row: &MixOut<'_>, money: &Money<'_>) -> [String; 11] {
    let likely = row.offer.on_demand.as_ref();
    let marks = CostMarks::of(row);
    // The oldest price that the mix pays.
    let oldest = paid(row).max_by_key(|price| price.age_days);
    let age = oldest.or(likely).map(prices::age);
    let commitment = row.commitment.as_ref();
    // Nothing is paid at the start where nothing is reserved.
    let is_reserved = row.reserved.machines > 0;
    let upfront = match (row.upfront_usd, commitment) {
        (Some(usd), _) => whole(usd, money),
        (None, Some(commitment)) if is_reserved => commitments::upfront(commitment, money),
        (None, _) => "?".to_owned(),
    };
    [
        format!("{}{}", marks.month, whole(row.usd_per_month, money)),
        saving(row).map_or("?".to_owned(), percent),
        likely.map_or("?".to_owned(), |price| prices::amount(price, money, 2)),
        likely.map_or(String::new(), |price| prices::stated(price, money, 2)),
        age.unwrap_or_default(),
        format!(
            "{}{}",
            marks.all_on_demand,
            whole(row.usd_per_month_on_demand, money)
        ),
        row.usd_per_month_reserved
            .map_or("?".to_owned(), |usd| whole(usd, money)),
        break_even(row),
        commitment.map_or("not known".to_owned(), CommitmentOut::title),
        upfront,
        region(&row.offer, CapacityFilter::Unspecified, false),
    ]
}

/// Returns the share of the time from which a reserved machine costs less than one on demand.
fn break_even(row: &MixOut<'_>) -> String {
    match row.break_even_utilization {
        None => "?".to_owned(),
        Some(share) if share.0 >= 1.0 => "never".to_owned(),
        Some(share) => percent(share.0),
    }
}
