//! Bills in tables: totals of several machines, one bill line by line, and traps.

use std::collections::BTreeSet;

use sky_accel_core::bill::{LineItem, Unknown};
use sky_accel_core::text::counted;
use sky_accel_engine::Money;
use sky_accel_engine::contract::{BillLineOut, BillOut, Num};
use sky_accel_engine::text::grouped_to;

use crate::render::{Block, Column, RowStyle, Table};

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
    is_short.then(|| format!("{MORE} lines without a known price are left out"))
}

/// Returns the totals of ranked machines, the first bill line by line or, on a wide page, every bill, and the traps.
/// Nothing without bills.
pub fn blocks(machines: &[BilledMachine<'_, '_>], money: &Money<'_>, wide: bool) -> Vec<Block> {
    if machines.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::right("#", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::right("MACHINE", 1),
        Column::right("DISK", 1),
        Column::right("OTHER", 1),
        Column::right(format!("TOTAL {}", money.code), 0),
    ]);
    for machine in machines {
        let [time, disk, other] = parts(machine.bill, money);
        let cells = [
            machine.rank.to_string(),
            machine.provider.to_owned(),
            machine.instance_type.to_owned(),
            time,
            disk,
            other,
            total(machine.bill, money),
        ];
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

/// Returns the amounts of machine time, of disks and of everything else.
pub fn parts(bill: &BillOut<'_>, money: &Money<'_>) -> [String; 3] {
    let sum = |of: fn(LineItem) -> bool| sum_of(&bill.lines, of, money);
    [
        sum(is_machine),
        sum(is_disk),
        sum(|item| !is_machine(item) && !is_disk(item)),
    ]
}

/// Whether a line is time of the machine.
fn is_machine(item: LineItem) -> bool {
    use LineItem::{Download, Idle, Machine, MinimumRental, Rounding, Start};
    matches!(
        item,
        Machine | Start | Download | Idle | Rounding | MinimumRental
    )
}

fn is_disk(item: LineItem) -> bool {
    matches!(item, LineItem::Disk | LineItem::StoppedDisk)
}

/// Returns the sum of the lines of a part; `?` if no amount is known.
fn sum_of(lines: &[BillLineOut<'_>], of: fn(LineItem) -> bool, money: &Money<'_>) -> String {
    let of_part = || lines.iter().filter(|line| of(line.item));
    let is_missing = |line: &BillLineOut<'_>| line.left_out.is_some_and(Unknown::is_missing);
    let known: Vec<f64> = of_part()
        .filter_map(|line| line.usd)
        .map(|Num(usd)| usd)
        .collect();
    if known.is_empty() && of_part().any(is_missing) {
        return "?".to_owned();
    }
    amount(Num(known.iter().fold(0.0, |sum, usd| sum + usd)), money)
}

/// Formats an amount to the cent.
pub fn amount(usd: Num, money: &Money<'_>) -> String {
    grouped_to(money.from_usd(usd).0, 2)
}

/// Formats the total; with a mark if lines are missing.
pub fn total(bill: &BillOut<'_>, money: &Money<'_>) -> String {
    let mark = if bill.lines_not_known > 0 { MORE } else { "" };
    format!("{}{mark}", amount(bill.usd_total, money))
}

/// Returns one bill: a row for each line, and the total.
fn lines(bill: &BillOut<'_>, money: &Money<'_>) -> Table {
    let mut table = Table::new([
        Column::left("LINE", 0),
        Column::right(money.code.to_owned(), 0),
        Column::left("BASIS", 0),
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
    let empty = String::new;
    let cells = [
        "total".to_owned(),
        total(bill, money),
        missing,
        empty(),
        empty(),
        empty(),
        empty(),
    ];
    table.row(RowStyle::Best, cells);
    table
}

/// Returns the traps: one line for each provider and trap.
fn traps(machines: &[BilledMachine<'_, '_>], money: &Money<'_>) -> Vec<(String, String)> {
    let mut told = BTreeSet::new();
    let traps = machines.iter().flat_map(|machine| {
        let of_machine = machine.bill.traps.iter();
        of_machine.map(move |trap| (machine.provider, trap))
    });
    let new = traps.filter(|(provider, trap)| told.insert((*provider, trap.text)));
    new.take(MOST_TRAPS)
        .map(|(provider, trap)| {
            let adds = trap
                .adds_usd
                .map(|usd| format!(" (up to {} more)", money.text(usd)));
            let text = format!("{}{}", trap.text, adds.unwrap_or_default());
            (provider.to_owned(), text)
        })
        .collect()
}
