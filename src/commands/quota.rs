//! `quota`: whether the quotas of the user's accounts admit machines, and how to raise them.

use std::collections::BTreeMap;

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{counted, grouped};
use sky_accel_engine::asking::{Cache, CacheMode, LiveRequest};
use sky_accel_engine::contract::{AccountQuotaOut, Num};
use sky_accel_engine::{Error, ErrorCode, OfferFilter, QuotaProviders, QuotaRequest};

use super::live;
use crate::cli::QuotaArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};
use crate::settings::{Settings, cache_folder};

/// CSV columns of quotas.
const QUOTA_CSV: &[&str] = &[
    "provider",
    "region",
    "capacity_type",
    "instance_type",
    "accelerator",
    "count",
    "code",
    "name",
    "unit",
    "unlimited",
    "limit",
    "used",
    "left",
    "needed",
    "machines_left",
    "admits",
    "adjustable",
    "raise.limit",
    "raise.command",
    "raise.url",
];

/// A figure that the provider does not report.
const UNKNOWN: &str = "?";
/// A bound of a quota without a limit.
const NO_LIMIT: &str = "no limit";

pub fn run(context: &mut Context<'_>, args: &QuotaArgs) -> Result<ExitCode> {
    if context.settings.offline {
        let message = "quota queries providers, which --offline does not allow";
        return Err(Error::new(ErrorCode::Offline, message).into());
    }
    let specs = context.engine.bind(&[args.spec.as_str().into()])?;
    let catalog = context.engine.catalog();
    let offers = offers_of(args, context.settings);
    let required = offers.providers_by_name(&catalog);
    let chosen = QuotaProviders::choose(&catalog, &offers)?;
    if let Some(remark) = &chosen.remark {
        context.ui.footer(remark)?;
    }
    let offers = OfferFilter {
        providers: chosen.ids,
        ..offers
    };
    let options = LiveRequest {
        required: required.clone(),
        ..query_of(args)
    };
    let live = live::ask(context, &specs, &offers, &options)?;
    let engine = context.engine.with_live(&live);
    let answer = engine.quotas(&QuotaRequest {
        choices: specs.concat(),
        offers,
        required,
        nodes: args.nodes,
    })?;
    let envelope = answer.envelope;
    let machines = counted(args.nodes, "machine");
    let may_suffice = |row: &&AccountQuotaOut<'_>| {
        let machines = row.machines_left.filter(|_| row.admits.is_none());
        machines.is_some()
    };
    let unknown = envelope.results.iter().filter(may_suffice).count();
    let verdict = if answer.is_admitted {
        format!("a quota admits {machines}; a quota says nothing about stock")
    } else if unknown > 0 {
        let limits = counted(unknown as u32, "limit");
        format!(
            "no quota is known to admit {machines}: {limits} would suffice, but the provider does not report the use"
        )
    } else {
        format!("no known quota admits {machines}")
    };
    let report = Report {
        exit_code: found(answer.is_admitted),
        csv: QUOTA_CSV,
        names: names(&envelope.results),
        footer: vec![verdict].into(),
        envelope,
        page: Box::new(|rows, _| page(rows)),
    };
    let exit_code = print(context.ui, context.settings.output, report)?;
    match answer.partial {
        Some(error) => live::tell(context, &error),
        None => Ok(exit_code),
    }
}

/// The filter on offers. Quotas of both capacity types are of interest unless one is selected.
fn offers_of(args: &QuotaArgs, settings: &Settings) -> OfferFilter {
    let given = OfferFilter {
        providers: args.provider.clone(),
        regions: args.region.clone(),
        capacity_type: args.capacity_type.unwrap_or_default(),
        ..OfferFilter::default()
    };
    let filter = given.or(&(&settings.offers).into());
    OfferFilter {
        max_price: None,
        limit: None,
        capacity_type: match filter.capacity_type {
            CapacityFilter::Unspecified => CapacityFilter::Any,
            given => given,
        },
        ..filter
    }
}

/// The options of the queries. Quotas are never cached; other parts of an answer may be.
fn query_of(args: &QuotaArgs) -> LiveRequest {
    LiveRequest {
        machines: args.nodes,
        stock: false,
        check_quota: true,
        timeout: args.timeout,
        cache: Cache {
            folder: cache_folder(),
            mode: CacheMode::Prefer,
            max_age: None,
        },
        ..LiveRequest::default()
    }
}

/// The machines that some quota admits, each once.
fn names(rows: &[AccountQuotaOut<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| row.admits == Some(true)) {
        if !names.contains(&row.instance_type) {
            names.push(row.instance_type.clone());
        }
    }
    names
}

fn page(rows: &[AccountQuotaOut<'_>]) -> Page {
    if rows.is_empty() {
        return Page::default();
    }
    let mut table = Table::new([
        Column::left("PROVIDER", 0),
        Column::left("REGION", 0),
        Column::left("MACHINE", 1),
        Column::left("CAPACITY", 1),
        Column::left("QUOTA", 3),
        Column::left("NAME", 4),
        Column::left("UNIT", 2),
        Column::right("LIMIT", 1),
        Column::right("USED", 1),
        Column::right("LEFT", 2),
        Column::right("A MACHINE", 4),
        Column::right("MACHINES", 0),
        Column::left("ENOUGH", 0),
    ]);
    for row in rows {
        table.row(RowStyle::Plain, cells(row));
    }
    let mut blocks = vec![Block::Table(table)];
    let raises = raises(rows);
    if !raises.is_empty() {
        blocks.push(Block::Heading("To raise a quota".to_owned()));
        blocks.push(Block::Items(raises));
    }
    Page { blocks }
}

fn cells(row: &AccountQuotaOut<'_>) -> [String; 13] {
    let figure = |figure: Option<Num>| {
        figure.map_or_else(|| UNKNOWN.to_owned(), |Num(figure)| grouped(figure))
    };
    let bounded = |bound: Option<Num>| {
        if row.unlimited {
            NO_LIMIT.to_owned()
        } else {
            figure(bound)
        }
    };
    [
        row.provider.to_owned(),
        row.region.clone().unwrap_or_else(|| "all".to_owned()),
        row.instance_type.clone(),
        row.capacity_type.word().to_owned(),
        row.code.clone(),
        row.name.clone().unwrap_or_default(),
        row.unit.word().to_owned(),
        bounded(row.limit),
        figure(row.used),
        bounded(row.left),
        figure(row.needed),
        bounded(row.machines_left.map(|machines| Num(machines as f64))),
        match row.admits {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        }
        .to_owned(),
    ]
}

/// Returns how to raise each quota, with the highest limit that any machine needs.
fn raises(rows: &[AccountQuotaOut<'_>]) -> Vec<(String, String)> {
    let mut highest: BTreeMap<String, (u64, String)> = BTreeMap::new();
    for row in rows {
        let Some(raise) = &row.raise else { continue };
        let region = row.region.as_deref().unwrap_or("all regions");
        let label = format!("{} {} {region}", row.provider, row.code);
        let way = raise.command.clone().or_else(|| raise.url.clone());
        let way =
            way.unwrap_or_else(|| format!("ask {} for a limit of {}", row.provider, raise.limit));
        let best = highest.entry(label).or_default();
        if raise.limit > best.0 {
            *best = (raise.limit, way);
        }
    }
    highest
        .into_iter()
        .map(|(label, (_, way))| (label, way))
        .collect()
}
