//! A plan for people.

use std::collections::BTreeMap;

use sky_accel_core::plan::{Plan, Reject};
use sky_accel_core::text::number;

use crate::output::{CandidateOut, Num, RejectedOut};
use crate::render::{Column, RowStyle, Table};

/// `left out: 12 count, 3 over-budget`.
pub(super) fn rejections(plan: &Plan) -> Option<String> {
    let mut counts: BTreeMap<Reject, usize> = BTreeMap::new();
    for own in &plan.rejected {
        *counts.entry(own.reason).or_default() += 1;
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(reason, n)| format!("{n} {}", reason.code()))
        .collect();
    (!parts.is_empty()).then(|| format!("left out: {} (--explain tells why)", parts.join(", ")))
}

/// Why something is no candidate, as a line.
pub(super) fn rejection(own: &RejectedOut<'_>) -> String {
    let words = [
        Some(own.provider.to_owned()),
        Some(own.instance_type.to_owned()),
        own.count.map(|count| format!("x{}", number(count.0))),
        own.capacity_type.map(str::to_owned),
        own.region.map(|region| format!("in {region}")),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    format!("  {}: {}: {}", words.join(" "), own.reason, own.detail)
}

/// The candidates, one a row.
pub(super) fn table(results: &[CandidateOut<'_>], nodes: u32, wide: bool) -> Table {
    let has_total = results.iter().any(|own| own.usd_total.is_some());
    let mut columns = vec![
        Column::right("#", 3),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("ACCELERATOR", 3),
        Column::right("COUNT", 2),
        Column::left("CAPACITY", 0),
        Column::left("REGION", 1),
        Column::right("USD/H", if nodes > 1 { 2 } else { 0 }),
    ];
    if nodes > 1 {
        columns.push(Column::right("NODES", 1));
        columns.push(Column::right("ALL USD/H", 0));
    }
    if has_total {
        columns.push(Column::right("USD TOTAL", 1));
    }
    columns.extend([
        Column::left("FIT", 4),
        Column::left("KIND", 5),
        Column::left("AS OF", 5),
        Column::left("REMARK", 6),
    ]);
    if wide {
        columns.extend([
            Column::right("VCPU", 7),
            Column::right("RAM GIB", 7),
            Column::left("CHECKS", 7),
            Column::left("SOURCE", 7),
        ]);
    }
    let mut table = Table::new(columns);
    let usd =
        |amount: Option<Num>| amount.map_or_else(|| "?".to_owned(), |usd| format!("{:.2}", usd.0));
    for own in results {
        let price = own.price.as_ref();
        let mut cells = vec![
            own.rank.to_string(),
            own.provider.to_owned(),
            own.instance_type.to_owned(),
            own.accelerator.to_owned(),
            number(own.count.0),
            own.capacity_type.to_owned(),
            own.region.unwrap_or("?").to_owned(),
            usd(price.map(|price| price.usd_per_hour)),
        ];
        if nodes > 1 {
            cells.push(own.nodes.to_string());
            cells.push(usd(own.usd_per_hour));
        }
        if has_total {
            cells.push(usd(own.usd_total));
        }
        let mut remarks: Vec<String> = own.warnings.iter().map(|&code| code.to_owned()).collect();
        let failed = own.checks.iter().filter(|check| check.state == "fail");
        remarks.extend(failed.map(|check| format!("{} check failed", check.id)));
        cells.extend([
            own.fit.to_owned(),
            price.map(|price| price.kind.to_owned()).unwrap_or_default(),
            price
                .map(|price| price.as_of.to_owned())
                .unwrap_or_default(),
            remarks.join(", "),
        ]);
        if wide {
            let figure =
                |figure: Option<Num>| figure.map_or("?".to_owned(), |figure| number(figure.0));
            let checks: Vec<String> = own
                .checks
                .iter()
                .map(|check| format!("{} {}", check.id, check.state))
                .collect();
            cells.extend([
                figure(own.vcpu),
                figure(own.host_memory_gib),
                checks.join(", "),
                price
                    .map(|price| price.source.to_owned())
                    .unwrap_or_default(),
            ]);
        }
        let style = if own.rank == 1 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        table.row(style, cells);
    }
    table
}
