//! `compare`: figures of accelerators side by side, with ratios to the first.

use std::sync::LazyLock;

use sky_accel_core::text::{grouped_to, number};
use sky_accel_engine::contract::{
    ACCELERATOR_CSV, AcceleratorOut, FitOut, Num, PriceOut, RecommendOut,
};
use sky_accel_engine::{
    CompareOut, CompareRequest, DevicePriceOut, Error, ErrorCode, Money, RunRequest,
};

use super::list::sellers;
use crate::cli::CompareArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::flags::with_flags;
use crate::present::commitments;
use crate::present::offers::{DOUBT_MARK, doubt_note, doubts, is_doubtful, reason_words};
use crate::present::prices::{self, ESTIMATED, age_of};
use crate::render::{Block, Column, Footer, MarkNote, Page, Report, RowStyle, Table, print};
use crate::requests;

pub fn run(context: &mut Context<'_>, args: &CompareArgs) -> Result<ExitCode> {
    let run = requests::run(&args.run);
    let has_model = run.model.is_some() || run.model_size.is_some();
    if !has_model && run != RunRequest::default() {
        let message = "the options of a run need a model: give --model";
        return Err(Error::new(ErrorCode::NoModel, message).into());
    }
    let request = CompareRequest {
        names: args.names.clone(),
        run: has_model.then_some(run),
        offers: requests::offers_under(&args.offers, &args.commit, &context.settings.offers),
    };
    let envelope = context.engine.compare(&request, None)?;
    let money = request.offers.money(&context.engine.catalog())?;
    let serves = envelope.results.iter().any(|row| row.machine.is_some());
    let mut lines = Vec::new();
    if has_model {
        lines.push(
            "the machine of each column is the first row of `recommend --on`, ranked as there"
                .to_owned(),
        );
    }
    let price = request.offers.price.word();
    lines.push(format!(
        "per device, dense rates, the lowest {price} price; ratios to the first in parentheses; catalog {}",
        envelope.catalog.version
    ));
    lines.extend(money.rate());
    let committed = envelope.results.iter().filter_map(|row| row.price.as_ref());
    let committed = committed.map(|price| (price.provider, &price.commitments[..]));
    lines.extend(commitments::summary_lines(committed));
    let is_html = context.settings.output.is_html();
    let width = context.ui.width().filter(|_| !is_html);
    let report = Report {
        csv: if has_model { MACHINE_CSV } else { &PRICED_CSV },
        names: envelope
            .results
            .iter()
            .map(|row| row.accelerator.id.to_owned())
            .collect(),
        footer: Footer {
            lines,
            marks: marks(&envelope.results),
            ..Footer::default()
        },
        envelope,
        page: Box::new(move |rows, wide| page(rows, &money, wide, width)),
        exit_code: found(serves || !has_model),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Explains the marks of prices.
fn marks(rows: &[CompareOut<'_>]) -> Vec<MarkNote> {
    let of_one = || rows.iter().filter_map(|row| row.price.as_ref());
    let machines = || rows.iter().filter_map(|row| row.machine.as_ref());
    let reasons = of_one().flat_map(|price| price.doubts.iter().copied());
    let of_machines = machines().flat_map(|row| doubts(&row.offer));
    let doubts = doubt_note(reasons.filter_map(reason_words).chain(of_machines));
    let mut ranking = machines().filter_map(|row| paid(row));
    let has_drifted = of_one().any(|price| price.stated_usd_per_hour.is_some())
        || ranking.any(prices::has_drifted);
    doubts
        .into_iter()
        .chain(prices::mark_note(has_drifted, false))
        .collect()
}

/// Returns the figures, after the machines for the model if there is one. In a terminal of some width, there are as
/// many tables as the accelerators need.
fn page(rows: &[CompareOut<'_>], money: &Money<'_>, wide: bool, width: Option<usize>) -> Page {
    let has_model = rows
        .iter()
        .any(|row| row.machine.is_some() || row.why_not.is_some());
    let machines = has_model.then(|| machines(rows, money, wide));
    let tables = machines.into_iter().chain([table(rows, money, wide)]);
    let parts = tables.flat_map(|table| match width {
        Some(width) => table.divided(KEYS, width),
        None => vec![table],
    });
    Page {
        blocks: parts.map(Block::Table).collect(),
    }
}

/// The columns of CSV without a model.
static PRICED_CSV: LazyLock<Vec<&str>> = LazyLock::new(|| [ACCELERATOR_CSV, &PRICE_CSV].concat());

/// The columns of CSV for the lowest price of one device.
const PRICE_CSV: [&str; 8] = [
    "price.provider",
    "price.usd_per_hour",
    "price.likely_usd_per_hour",
    "price.low",
    "price.high",
    "price.kind",
    "price.as_of",
    "price.age_days",
];

/// The columns of CSV with a model.
const MACHINE_CSV: &[&str] = &[
    "id",
    "machine.usd_per_hour",
    "machine.spec",
    "machine.offer.provider",
    "machine.tier",
    "machine.fit.per_device_gib.high",
    "machine.fit.per_device_gib.usable",
    "machine.tokens_per_s_per_user",
    "machine.ttft_s",
    "machine.tokens_per_s",
    "machine.usd_per_million_tokens",
    "why_not",
];

/// Returns a text about a machine; `None` if it is unknown.
type FigureOf = fn(&RecommendOut<'_>, &Money<'_>) -> Option<String>;

/// The row that links to the provider's page.
const MACHINE_ROW: &str = "machine";

/// Units of money. The code of the requested currency replaces `USD`.
const CURRENCY: &str = "USD";
const PER_HOUR: &str = "USD/h";

/// Formats an amount to the cent.
fn amount(usd: Num, money: &Money<'_>) -> String {
    grouped_to(money.from_usd(usd).0, 2)
}

/// A row about the machines for a model.
struct MachineRow {
    name: &'static str,
    unit: &'static str,
    /// The text of a machine.
    of_machine: FigureOf,
    /// The text of one device that no provider sells.
    of_fit: fn(&FitOut) -> Option<String>,
}

/// The price that a machine has in the answer: on demand, spot or committed.
fn paid<'r, 'a>(row: &'r RecommendOut<'a>) -> Option<&'r PriceOut<'a>> {
    let usd = row.usd_per_hour?.0 / row.nodes.map_or(1.0, f64::from);
    let offer = &row.offer;
    let mut prices = [&offer.on_demand, &offer.spot, &offer.committed]
        .into_iter()
        .flatten();
    prices.find(|price| (price.likely_usd_per_hour.0 - usd).abs() < 1e-4)
}

/// The memory of a device that the model takes.
fn memory(fit: &FitOut) -> Option<String> {
    let memory = &fit.per_device_gib;
    Some(format!("{:.1} of {:.1}", memory.high.0, memory.usable?.0))
}

/// The rows about the machines for a model.
const MACHINE: [MachineRow; 11] = [
    MachineRow {
        name: "price",
        unit: PER_HOUR,
        of_machine: |row, money| {
            let doubt = if is_doubtful(&row.offer) {
                DOUBT_MARK
            } else {
                ""
            };
            let mark = paid(row).map_or("", prices::mark);
            let usd = row.usd_per_hour?;
            Some(format!("{doubt}{mark}{}", amount(usd, money)))
        },
        of_fit: |_| None,
    },
    MachineRow {
        name: "stated price",
        unit: PER_HOUR,
        of_machine: |row, money| {
            let price = paid(row).filter(|price| prices::has_drifted(price))?;
            let nodes = row.nodes.map_or(1.0, f64::from);
            Some(amount(Num(price.usd_per_hour.0 * nodes), money))
        },
        of_fit: |_| None,
    },
    MachineRow {
        name: MACHINE_ROW,
        unit: "",
        of_machine: |row, _| {
            let nodes = row
                .nodes
                .map_or_else(String::new, |nodes| format!("{nodes} × "));
            let (count, provider) = (number(row.offer.count.0), row.offer.provider);
            Some(format!("{nodes}x{count} {provider}"))
        },
        of_fit: |_| Some("x1, not sold".to_owned()),
    },
    MachineRow {
        name: "age of the price",
        unit: "",
        of_machine: |row, _| paid(row).map(prices::age),
        of_fit: |_| None,
    },
    MachineRow {
        name: "kind of price",
        unit: "",
        of_machine: |row, _| row.tier.map(|tier| tier.to_string()),
        of_fit: |_| None,
    },
    MachineRow {
        name: "memory of a device",
        unit: "GiB",
        of_machine: |row, _| memory(row.fit.as_ref()?),
        of_fit: memory,
    },
    MachineRow {
        name: "speed of each user",
        unit: "tokens/s",
        of_machine: |row, _| row.tokens_per_s_per_user.map(text),
        of_fit: |fit| {
            let load = fit.throughput.load.as_ref()?;
            load.tokens_per_s_per_user.map(text)
        },
    },
    MachineRow {
        name: "first token",
        unit: "s",
        of_machine: |row, _| row.ttft_s.map(text),
        of_fit: |fit| {
            let load = fit.throughput.load.as_ref()?;
            Some(text(load.ttft_s))
        },
    },
    MachineRow {
        name: "most users",
        unit: "",
        of_machine: |row, _| row.max_users.map(text),
        of_fit: |_| None,
    },
    MachineRow {
        name: "speed of all",
        unit: "tokens/s",
        of_machine: |row, _| row.tokens_per_s.map(text),
        of_fit: |fit| fit.throughput.output_tokens_per_s.map(text),
    },
    MachineRow {
        name: "million tokens",
        unit: CURRENCY,
        of_machine: |row, money| {
            let usd = row.usd_per_million_tokens?;
            let mark = paid(row).map_or("", prices::mark);
            Some(format!("{mark}{}", text(money.from_usd(usd))))
        },
        of_fit: |_| None,
    },
];

fn text(figure: Num) -> String {
    sky_accel_engine::text::figure(figure.0)
}

/// Returns the machines for a model: a row for each figure and a column for each accelerator.
fn machines(rows: &[CompareOut<'_>], money: &Money<'_>, wide: bool) -> Table {
    let mut table = Table::new(columns(rows));
    let dash = || "—".to_owned();
    let url = |row: &CompareOut<'_>| {
        row.machine
            .as_ref()?
            .offer
            .url
            .as_deref()
            .map(str::to_owned)
    };
    let mut add = |name: &str, unit: &str, cells: Vec<String>| {
        let labels = [name.to_owned(), unit.replace(CURRENCY, money.code)];
        table.row(RowStyle::Plain, labels.into_iter().chain(cells));
        if name == MACHINE_ROW {
            link(&mut table, rows, url);
        }
    };
    for MachineRow {
        name,
        unit,
        of_machine,
        of_fit,
    } in MACHINE
    {
        let cell = |row: &CompareOut<'_>| match (&row.machine, &row.fit) {
            (Some(machine), _) => of_machine(machine, money),
            (None, Some(fit)) => of_fit(fit),
            (None, None) => None,
        };
        let cells: Vec<Option<String>> = rows.iter().map(cell).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter();
            add(
                name,
                unit,
                cells.map(|cell| cell.unwrap_or_else(dash)).collect(),
            );
        }
    }
    if rows.iter().any(|row| row.why_not.is_some()) {
        let phrase = |row: &CompareOut<'_>| row.why_not.as_deref().map(phrase);
        let why = rows.iter().map(|row| phrase(row).unwrap_or_default());
        add("why not", "", why.collect());
    }
    if wide {
        add_addresses(&mut table, rows, url);
    }
    table
}

/// Links the cells of the last row to the providers' pages.
fn link(
    table: &mut Table,
    rows: &[CompareOut<'_>],
    url: impl Fn(&CompareOut<'_>) -> Option<String>,
) {
    for row in rows {
        table.link(&[row.accelerator.id], url(row).as_deref());
    }
}

/// Adds a row with the addresses of the providers' pages, if any is known.
fn add_addresses(
    table: &mut Table,
    rows: &[CompareOut<'_>],
    url: impl Fn(&CompareOut<'_>) -> Option<String>,
) {
    let addresses: Vec<Option<String>> = rows.iter().map(url).collect();
    if addresses.iter().any(Option::is_some) {
        let labels = ["link".to_owned(), String::new()];
        let cells = addresses.into_iter().map(Option::unwrap_or_default);
        table.row(RowStyle::Plain, labels.into_iter().chain(cells));
    }
}

/// The first clause of a reason, which is short enough for a column.
fn phrase(why: &str) -> String {
    let first = why.split([',', ';']).next().unwrap_or(why);
    with_flags(first).into_owned()
}

/// The columns before those of the accelerators.
const KEYS: usize = 2;

/// Returns the columns: the figure, its unit, and a column for each accelerator.
fn columns(rows: &[CompareOut<'_>]) -> Vec<Column> {
    let mut columns = vec![Column::left("FIGURE", 0), Column::left("UNIT", 1)];
    columns.extend(
        rows.iter()
            .map(|row| Column::right(row.accelerator.id.to_owned(), 0)),
    );
    columns
}

/// The text of a price in a row.
type PriceCell = fn(&DevicePriceOut<'_>, &Money<'_>) -> Option<String>;

/// The row that links to the seller's page.
const SELLER_ROW: &str = "seller, age of the price";

/// Adds the rows of the lowest prices of one device.
fn add_prices(table: &mut Table, results: &[CompareOut<'_>], money: &Money<'_>, wide: bool) {
    let rows: [(&str, &str, PriceCell); 5] = [
        ("price of one", PER_HOUR, |price, money| {
            let doubt = if price.doubts.is_empty() {
                ""
            } else {
                DOUBT_MARK
            };
            let mark = price.stated_usd_per_hour.map_or("", |_| ESTIMATED);
            let usd = amount(price.likely_usd_per_hour, money);
            Some(format!("{doubt}{mark}{usd}"))
        }),
        ("stated price of one", PER_HOUR, |price, money| {
            Some(amount(price.stated_usd_per_hour?, money))
        }),
        ("1,000 TFLOPS, 16 bits", PER_HOUR, |price, money| {
            let usd = price.usd_per_petaflops?;
            let mark = price.stated_usd_per_hour.map_or("", |_| ESTIMATED);
            Some(format!("{mark}{}", text(money.from_usd(usd))))
        }),
        (SELLER_ROW, "", |price, _| {
            let age = age_of(price.kind, price.tier, price.age_days);
            let devices = match number(price.count.0) {
                one if one == "1" => String::new(),
                count => format!(" x{count}"),
            };
            Some(format!("{}{devices}, {age}", price.provider))
        }),
        ("commitment", "", |price, _| {
            let title = commitments::title(&price.commitments);
            (!title.is_empty()).then_some(title)
        }),
    ];
    let url = |row: &CompareOut<'_>| row.price.as_ref()?.url.as_deref().map(str::to_owned);
    for (name, unit, figure) in rows {
        let cell = |row: &CompareOut<'_>| figure(row.price.as_ref()?, money);
        let cells: Vec<Option<String>> = results.iter().map(cell).collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let cells = cells
            .into_iter()
            .map(|cell| cell.unwrap_or_else(|| "—".to_owned()));
        let labels = [name.to_owned(), unit.replace(CURRENCY, money.code)];
        table.row(RowStyle::Plain, labels.into_iter().chain(cells));
        if name == SELLER_ROW {
            link(table, results, url);
        }
    }
    if wide {
        add_addresses(table, results, url);
    }
}

/// Returns a text about an accelerator.
type TextOf = fn(&AcceleratorOut<'_>) -> String;

/// Returns a table with a row for each figure and a column for each accelerator.
fn table(results: &[CompareOut<'_>], money: &Money<'_>, wide: bool) -> Table {
    let mut table = Table::new(columns(results));
    add_prices(&mut table, results, money, wide);
    let figures: Vec<_> = results
        .iter()
        .map(|row| row.accelerator.labeled_figures())
        .collect();
    for (at, (name, first, unit)) in figures[0].iter().enumerate() {
        if figures.iter().all(|rows| rows[at].1.is_none()) {
            continue;
        }
        let comparable = !unit.is_empty();
        let cells = figures
            .iter()
            .enumerate()
            .map(|(column, rows)| match (rows[at].1, first) {
                (Some(value), Some(first)) if column > 0 && comparable => {
                    format!("{} ({:.2}x)", number(value.0), value.0 / first.0)
                }
                (Some(value), _) => number(value.0),
                (None, _) => "—".to_owned(),
            });
        table.row(
            RowStyle::Plain,
            [(*name).to_owned(), (*unit).to_owned()]
                .into_iter()
                .chain(cells),
        );
    }
    let words: [(&str, TextOf); 5] = [
        ("architecture", |a| {
            a.architecture.unwrap_or_default().to_owned()
        }),
        ("form factor", |a| a.form_factor.to_owned()),
        ("compute capability", |a| {
            a.compute_capability.unwrap_or("—").to_owned()
        }),
        ("MIG", |a| {
            if a.mig == Some(true) { "yes" } else { "no" }.to_owned()
        }),
        ("sold by", |a| {
            if a.providers.is_empty() {
                "—".to_owned()
            } else {
                sellers(&a.providers, false)
            }
        }),
    ];
    for (name, word) in words {
        let cells = results.iter().map(|row| word(&row.accelerator));
        table.row(
            RowStyle::Plain,
            [name.to_owned(), String::new()].into_iter().chain(cells),
        );
    }
    table
}
