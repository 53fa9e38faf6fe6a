//! `detect`: the accelerators of this machine as a spec, with equivalent machines from providers.

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::number;
use sky_accel_engine::Money;
use sky_accel_engine::contract::{DetectRequest, HardwareOut, Num};

use crate::cli::DetectArgs;
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::ages::{ages, leading_prices};
use crate::present::offers::OfferTable;
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

pub fn run(context: &mut Context<'_>, args: &DetectArgs) -> Result<ExitCode> {
    let request = DetectRequest {
        check: args.check.clone(),
        from: args.from.as_ref().map(|path| path.display().to_string()),
    };
    // Validate the spec before running any tool.
    context.engine.detect(&request, &[])?;
    let machine = context.engine.read_machine(args.from.as_deref())?;
    let answer = context.engine.detect(&request, &machine)?;
    let envelope = answer.envelope;
    if envelope.results.is_empty() {
        context.ui.stderr_line(if args.from.is_some() {
            "the recorded machine has no accelerator"
        } else {
            "no accelerator was found by drivers, tools or on the PCI bus"
        })?;
        // Print the reason, which scripts need in their logs.
        if context.settings.quiet {
            for note in &envelope.notes {
                context.ui.stderr_line(&note.message)?;
            }
        }
    }
    let is_match = |group: &HardwareOut<'_>| group.matches != Some(false);
    let matching = envelope.results.iter().filter(|group| is_match(group));
    let report = Report {
        names: matching.filter_map(|group| group.spec.clone()).collect(),
        footer: footer(context, args, &envelope.results, answer.passes).into(),
        envelope,
        csv: &[
            "spec", "vendor", "name", "count", "source", "driver", "cuda", "matches",
        ],
        page: Box::new(page),
        exit_code: found(answer.passes),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn footer(
    context: &Context<'_>,
    args: &DetectArgs,
    results: &[HardwareOut<'_>],
    passes: bool,
) -> Vec<String> {
    let mut footer = Vec::new();
    if let Some(spec) = &args.check {
        let verdict = if passes { "has" } else { "does not have" };
        footer.push(format!("this machine {verdict} {spec}"));
    }
    footer.extend(results.iter().map(source));
    footer.dedup();
    let offers = results.iter().flat_map(|group| &group.offers);
    let prices = leading_prices(offers, CapacityFilter::Unspecified);
    footer.extend(ages(&context.engine, &prices));
    footer
}

/// `reported by nvml, driver 570.1, CUDA up to 12.8`.
fn source(group: &HardwareOut<'_>) -> String {
    let driver = group
        .driver
        .as_ref()
        .map(|version| format!(", driver {version}"));
    let cuda = group
        .cuda
        .as_ref()
        .map(|version| format!(", CUDA up to {version}"));
    format!(
        "reported by {}{}{}",
        group.source,
        driver.unwrap_or_default(),
        cuda.unwrap_or_default()
    )
}

fn page(results: &[HardwareOut<'_>], wide: bool) -> Page {
    let mut page = Page::default();
    for group in results {
        let heading = match &group.spec {
            Some(spec) => format!("{spec} ({})", group.name),
            None => format!(
                "{} × {} '{}', which the catalog does not know",
                group.count, group.vendor, group.name
            ),
        };
        page.blocks.push(Block::Heading(heading));
        let mut table = Table::new([
            Column::right("DEVICE", 0),
            Column::left("BUS", 1),
            Column::right("MEM MIB", 0),
            Column::right("FREE MIB", 0),
            Column::right("LINKS", 2),
            Column::left("MIG", 0),
        ]);
        for device in &group.devices {
            let figure = |value: Option<Num>| {
                value.map_or("?".to_owned(), |figure| number(figure.0.round()))
            };
            let slices: Vec<&str> = device
                .slices
                .iter()
                .map(|slice| slice.profile.as_deref().unwrap_or("?"))
                .collect();
            let mig = match device.mig {
                None => device.partition.clone().unwrap_or_else(|| "—".to_owned()),
                Some(false) => "off".to_owned(),
                Some(true) if slices.is_empty() => "on, no slices".to_owned(),
                Some(true) => slices.join(" "),
            };
            let cells = [
                device.index.to_string(),
                device.bus_id.clone().unwrap_or_else(|| "?".to_owned()),
                figure(device.memory_mib),
                figure(device.memory_free_mib),
                device
                    .links
                    .map_or("—".to_owned(), |links| links.to_string()),
                mig,
            ];
            table.row(RowStyle::Plain, cells);
        }
        page.blocks.push(Block::Table(table));
        if group.offers.is_empty() {
            if group.spec.is_some() {
                let text = "no provider sells an exact match";
                page.blocks.push(Block::Text(text.to_owned()));
            }
            continue;
        }
        let table = OfferTable {
            lead: None,
            offers: group.offers.iter().collect(),
            capacity_filter: CapacityFilter::Unspecified,
            money: Money::DOLLARS,
            wide,
            is_by_one: false,
        };
        page.blocks.push(Block::Table(table.build()));
    }
    page
}
