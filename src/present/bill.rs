//! Bills in tables: totals of several machines, one bill line by line, and traps.

use sky_accel_core::bill::{LineItem, OmissionReason};
use sky_accel_core::text::counted;
use sky_accel_engine::Money;
use sky_accel_engine::contract::{BillLineOut, BillOut, Num};
use sky_accel_engine::text::grouped_to;

use super::prices::ESTIMATED;
use crate::render::{Block, Column, RowStyle, Table};

/// CSV columns of the bill of a machine.
pub const CSV: [&str; 3] = [
    "bill.usd_total",
    "bill.lines_not_known",
    "bill.between_sessions",
];

/// The most traps that a page tells.
const MOST_TRAPS: usize = 6;
/// The mark of a total that lacks lines.
const MORE: &str = "+";

/// A machine with its bill.
#[derive(Clone, Copy)]
pub struct BilledMachine<'b, 'a> {
    pub rank: usize,
    pub provider: &'a str,
    pub instance_type: &'a str,
    pub region: Option<&'a str>,
    pub bill: &'b BillOut<'a>,
}

impl BilledMachine<'_, '_> {
    fn title(&self) -> String {
        format!("{} {}, line by line", self.provider, self.instance_type)
    }
}

/// Explains the mark of totals that lack lines; `None` if all are complete.
pub fn more_note<'b, 'a: 'b>(mut bills: impl Iterator<Item = &'b BillOut<'a>>) -> Option<String> {
    let is_short = bills.any(|bill| bill.lines_not_known > 0);
    is_short.then(|| format!("{MORE} lines without a known price are left out of the total, and rank with the median amount of the other bills"))
}

/// Returns the totals of ranked machines, the first bill line by line or, on a wide page, every bill, and the traps.
/// Nothing without bills.
pub fn blocks(machines: &[BilledMachine<'_, '_>], money: &Money<'_>, wide: bool) -> Vec<Block> {
    if machines.is_empty() {
        return Vec::new();
    }
    let parts = PartsOfBills::of(machines.iter().map(|machine| machine.bill));
    let mut columns = vec![
        Column::right("#", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("REGION", 1),
    ];
    columns.extend(parts.columns());
    columns.push(Column::right(format!("TOTAL {}", money.code), 0));
    let mut table = Table::new(columns);
    for machine in machines {
        let mut cells = vec![
            machine.rank.to_string(),
            machine.provider.to_owned(),
            machine.instance_type.to_owned(),
            machine.region.unwrap_or_default().to_owned(),
        ];
        cells.extend(parts.amounts(machine.bill, money));
        cells.push(total(machine.bill, money));
        table.row(RowStyle::Plain, cells);
    }
    let mut blocks = vec![Block::Heading("Whole bill".to_owned()), Block::Table(table)];
    blocks.extend(details(machines, money, wide));
    blocks
}

/// Returns the first bill line by line or, on a wide page, every bill, and the traps of all.
pub fn details(machines: &[BilledMachine<'_, '_>], money: &Money<'_>, wide: bool) -> Vec<Block> {
    let in_full = if wide { machines.len() } else { 1 };
    let bills = machines.iter().take(in_full).flat_map(|machine| {
        [
            Block::Heading(machine.title()),
            Block::Table(lines(machine.bill, money)),
        ]
    });
    let mut blocks: Vec<Block> = bills.collect();
    let traps = traps(machines, money);
    if !traps.is_empty() {
        blocks.push(Block::Heading("Traps".to_owned()));
        blocks.push(Block::Items(traps));
    }
    blocks
}

/// The parts that bills of one table have: a part without a line in any bill has no column.
#[derive(Clone, Copy, Debug)]
pub struct PartsOfBills {
    has: [bool; 3],
}

const MACHINE: &str = "MACHINE";

/// A part of a bill: its title, and the lines that belong to it.
type Part = (&'static str, fn(LineItem) -> bool);

/// The parts of a bill: machine time, disks, and everything else.
const PARTS: [Part; 3] = [
    (MACHINE, is_machine),
    ("DISK", is_disk),
    ("OTHER", |item| !is_machine(item) && !is_disk(item)),
];

impl PartsOfBills {
    pub fn of<'b, 'a: 'b>(bills: impl Iterator<Item = &'b BillOut<'a>>) -> Self {
        let mut has = [false; 3];
        for line in bills.flat_map(|bill| &bill.lines) {
            for (has, (_, is_of)) in has.iter_mut().zip(PARTS) {
                *has |= is_of(line.item);
            }
        }
        Self { has }
    }

    /// Returns the parts that a bill has.
    fn parts(self) -> impl Iterator<Item = Part> {
        let parts = PARTS.into_iter().zip(self.has);
        parts.filter_map(|(part, has)| has.then_some(part))
    }

    /// Returns the columns of the parts.
    pub fn columns(self) -> impl Iterator<Item = Column> {
        self.parts().map(|(title, _)| Column::right(title, 2))
    }

    /// Returns the amounts of a bill at the likely price of the machine, one for each column.
    pub fn amounts(self, bill: &BillOut<'_>, money: &Money<'_>) -> Vec<String> {
        self.parts()
            .map(|(title, is_of)| {
                let more = if title == MACHINE {
                    likely_more(bill)
                } else {
                    0.0
                };
                sum_of(&bill.lines, is_of, more, money)
            })
            .collect()
    }
}

/// Whether a line is time of the machine.
fn is_machine(item: LineItem) -> bool {
    use LineItem::{Download, Host, Idle, Machine, MinimumRental, Rounding, SetUp, Start};
    matches!(
        item,
        Machine | Start | Download | Idle | Rounding | MinimumRental | Host | SetUp
    )
}

fn is_disk(item: LineItem) -> bool {
    matches!(item, LineItem::Disk | LineItem::StoppedDisk)
}

/// Returns the sum of the lines of a part; `?` if no amount is known.
fn sum_of(
    lines: &[BillLineOut<'_>],
    of: fn(LineItem) -> bool,
    likely_more: f64,
    money: &Money<'_>,
) -> String {
    let of_part = || lines.iter().filter(|line| of(line.item));
    let is_missing = |line: &BillLineOut<'_>| line.left_out.is_some_and(OmissionReason::is_missing);
    let known: Vec<f64> = of_part()
        .filter_map(|line| line.usd)
        .map(|Num(usd)| usd)
        .collect();
    if known.is_empty() && of_part().any(is_missing) {
        return "?".to_owned();
    }
    let sum = known.iter().fold(likely_more, |sum, usd| sum + usd);
    format!("{}{}", mark(likely_more), amount(Num(sum), money))
}

/// US dollars that the machine of a bill likely costs in addition to its stated price.
fn likely_more(bill: &BillOut<'_>) -> f64 {
    bill.usd_total_likely.0 - bill.usd_total.0
}

/// The mark of an amount that is higher or lower at the likely price.
fn mark(likely_more: f64) -> &'static str {
    if likely_more == 0.0 { "" } else { ESTIMATED }
}

/// Formats an amount to the cent.
pub fn amount(usd: Num, money: &Money<'_>) -> String {
    grouped_to(money.from_usd(usd).0, 2)
}

/// Formats the total at the likely price of the machine; with marks if it differs from the stated price, and if lines
/// are missing.
pub fn total(bill: &BillOut<'_>, money: &Money<'_>) -> String {
    let mark = mark(likely_more(bill));
    let total = amount(bill.usd_total_likely, money);
    format!("{mark}{}", with_missing(bill, total))
}

/// Adds a mark to a total if lines are missing.
fn with_missing(bill: &BillOut<'_>, total: String) -> String {
    if bill.lines_not_known > 0 {
        total + MORE
    } else {
        total
    }
}

/// Returns one bill: a row for each line, and the total.
fn lines(bill: &BillOut<'_>, money: &Money<'_>) -> Table {
    // The basis has the prices as the providers state them.
    let basis = if money.is_dollars() {
        "BASIS"
    } else {
        "BASIS IN USD"
    };
    let mut table = Table::new([
        Column::left("LINE", 0),
        Column::right(money.code.to_owned(), 0),
        Column::left(basis, 0),
        Column::left("SURE", 2),
        Column::left("DATE", 1),
        Column::left("NOTE", 3),
        Column::left("SOURCE", 4),
    ]);
    for line in &bill.lines {
        let usd = line.usd.map(|usd| amount(usd, money));
        let cells = [
            line.item.word().to_owned(),
            usd.unwrap_or_else(|| "—".to_owned()),
            line.basis.clone(),
            line.sure.map_or("", |sure| sure.word()).to_owned(),
            line.as_of.unwrap_or_default().to_owned(),
            line.note.unwrap_or_default().to_owned(),
            line.source.unwrap_or_default().to_owned(),
        ];
        table.row(RowStyle::Plain, cells);
    }
    let missing = match bill.lines_not_known {
        0 => String::new(),
        count => format!("{} not known, left out", counted(count, "line")),
    };
    let mut sum = |label: &str, total: String, basis: String| {
        let cells = [label.to_owned(), total, basis].into_iter();
        let empty = std::iter::repeat_n(String::new(), 4);
        table.row(RowStyle::Best, cells.chain(empty));
    };
    sum(
        "total",
        with_missing(bill, amount(bill.usd_total, money)),
        missing,
    );
    if bill.usd_total_likely != bill.usd_total {
        let basis = "at the likely price of today".to_owned();
        sum("likely", total(bill, money), basis);
    }
    table
}

/// Returns the traps: one line for each provider and trap.
fn traps(machines: &[BilledMachine<'_, '_>], money: &Money<'_>) -> Vec<(String, String)> {
    let traps = machines.iter().flat_map(|machine| {
        let of_machine = machine.bill.traps.iter();
        of_machine.map(move |trap| (machine.provider, trap))
    });
    let mut told: Vec<(&str, &str, Option<Num>)> = Vec::new();
    for (provider, trap) in traps {
        let same = told
            .iter_mut()
            .find(|(of, text, _)| (*of, *text) == (provider, trap.text));
        match same {
            Some((.., most)) => {
                let more = trap
                    .adds_usd
                    .filter(|usd| most.is_none_or(|most| usd.0 > most.0));
                *most = more.or(*most);
            }
            None => told.push((provider, trap.text, trap.adds_usd)),
        }
    }
    told.into_iter()
        .take(MOST_TRAPS)
        .map(|(provider, text, adds)| {
            let adds = adds.map(|usd| format!(" (up to {} more)", money.text(usd)));
            (
                provider.to_owned(),
                format!("{text}{}", adds.unwrap_or_default()),
            )
        })
        .collect()
}
