//! `show`: all facts about an accelerator or a provider.

mod provider;

use std::sync::LazyLock;

use sky_accel_core::catalog::SharingKind;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{counted, number};
use sky_accel_engine::contract::{
    ACCELERATOR_CSV, HostOut, Num, OfferOut, PriceOut, SellerOut, ShowOut, ShownOut,
};
use sky_accel_engine::text::dollars;
use sky_accel_engine::{Money, NamesRequest};

use jiff::civil::Date;

use crate::cli::ShowArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::present::ages::offers_footer;
use crate::present::markets;
use crate::present::offers::{DOUBT_MARK, OfferTable, first_rows, is_price_doubtful};
use crate::present::prices;
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

/// The figures of an accelerator, and the range of its prices.
static PRICED_CSV: LazyLock<Vec<&str>> = LazyLock::new(|| [ACCELERATOR_CSV, &PRICE_CSV].concat());

const PRICE_CSV: [&str; 2] = [
    "price_range.low_usd_per_accelerator_hour",
    "price_range.high_usd_per_accelerator_hour",
];

pub fn run(context: &mut Context<'_>, args: &ShowArgs) -> Result<ExitCode> {
    let request = NamesRequest {
        names: args.names.clone(),
        max_age_s: args.max_age.map(|age| age.as_secs()),
    };
    let answer = context.engine.show(&request)?;
    let (envelope, first_readings) = (answer.envelope, answer.first_readings);
    let accelerators = envelope.results.iter().filter_map(ShownOut::accelerator);
    let offers = accelerators.flat_map(|row| &row.offers);
    let footer = offers_footer(
        &context.engine,
        offers,
        None,
        CapacityFilter::Unspecified,
        context.settings.detail(),
    );
    let today = context.engine.today();
    let is_html = context.settings.output.is_html();
    let report = Report {
        csv: &PRICED_CSV,
        names: envelope
            .results
            .iter()
            .map(|row| row.id().to_owned())
            .collect(),
        envelope,
        page: Box::new(move |rows: &[ShownOut<'_>], wide| {
            let (full, others): (Vec<_>, Vec<_>) = rows
                .iter()
                .enumerate()
                .partition(|(at, _)| first_readings.contains(at));
            let rows = |rows: Vec<(usize, _)>| -> Vec<_> {
                rows.into_iter().map(|(_, row)| row).collect()
            };
            page(&rows(full), &rows(others), today, wide, is_html)
        }),
        footer,
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn page(
    full: &[&ShownOut<'_>],
    others: &[&ShownOut<'_>],
    today: Date,
    wide: bool,
    is_html: bool,
) -> Page {
    let mut page = Page::default();
    for shown in full {
        page.blocks.extend(match shown {
            ShownOut::Provider(provider) => provider::blocks(provider, today, wide),
            ShownOut::Accelerator(show) => accelerator_blocks(show, wide, is_html),
        });
    }
    if !others.is_empty() {
        page.blocks
            .push(Block::Heading("The name also means".to_owned()));
        let others: Vec<&str> = others.iter().map(|shown| shown.id()).collect();
        page.blocks.push(Block::Text(others.join(", ")));
    }
    page
}

/// Returns the blocks of an accelerator, after those of the named machines.
fn accelerator_blocks(show: &ShowOut<'_>, wide: bool, is_html: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    for machine in &show.instance_types {
        blocks.push(Block::Heading(format!(
            "{}: {} x {} on {}",
            machine.instance_type,
            number(machine.count.0),
            machine.accelerator,
            machine.provider
        )));
        blocks.push(Block::Table(machine_figures(machine, &show.sellers)));
    }
    blocks.push(Block::Heading(heading(show)));
    blocks.extend(
        show.accelerator
            .note
            .as_ref()
            .map(|note| Block::Text((*note).to_owned())),
    );
    blocks.push(Block::Table(figures(show)));
    if !show.disputed.is_empty() {
        blocks.push(Block::Heading("Disputed".to_owned()));
        let mut table = Table::new([
            Column::left("FIELD", 0),
            Column::left("OTHER FIGURE", 0),
            Column::left("REASON", 0),
            Column::left("SOURCE", 1),
            Column::left("AS OF", 2),
        ]);
        for d in &show.disputed {
            table.row(
                RowStyle::Plain,
                [d.field, d.also, d.why, d.source, d.as_of].map(str::to_owned),
            );
        }
        blocks.push(Block::Table(table));
    }
    if !show.mig_profiles.is_empty() {
        let driver = show
            .mig_driver_min
            .map(|version| format!(" (driver {version} or newer)"));
        blocks.push(Block::Heading(format!(
            "MIG profiles{}",
            driver.unwrap_or_default()
        )));
        blocks.push(Block::Table(profiles(show)));
    }
    blocks.extend(sharing(show));
    blocks.extend(offers(show, wide));
    blocks.extend(market(show, wide, is_html));
    blocks.push(Block::Heading("Names".to_owned()));
    let mut table = Table::new([Column::left("DIALECT", 0), Column::left("SPELLINGS", 0)]);
    for (dialect, spellings) in &show.names {
        table.row(
            RowStyle::Plain,
            [(*dialect).to_owned(), spellings.join(", ")],
        );
    }
    blocks.push(Block::Table(table));
    blocks.push(Block::Heading("Sources of the figures".to_owned()));
    let sources = show.accelerator.sources.iter();
    blocks.extend(sources.map(|source| Block::Text((*source).to_owned())));
    blocks
}

/// Returns the blocks of offers: the best offers, or all offers in a wide table.
fn offers(show: &ShowOut<'_>, wide: bool) -> Vec<Block> {
    let heading = match show.sellers.len() {
        0 | 1 => "Sold by".to_owned(),
        n => format!("Sold by {n} providers"),
    };
    let mut blocks = vec![Block::Heading(heading)];
    let summary = show.price_summary.as_ref();
    blocks.extend(summary.map(|summary| Block::Text(summary.clone())));
    if show.offers.is_empty() {
        blocks.push(Block::Text("no offers in the catalog".to_owned()));
        return blocks;
    }
    let offers = if wide {
        show.offers.iter().collect()
    } else {
        first_rows(&show.offers)
    };
    let more = show.offers.len() - offers.len();
    let table = OfferTable {
        lead: None,
        offers,
        capacity_filter: CapacityFilter::Unspecified,
        money: Money::DOLLARS,
        wide,
        is_by_one: true,
    };
    blocks.push(Block::Table(table.build()));
    if more > 0 {
        let id = show.accelerator.id;
        blocks.push(Block::Text(format!(
            "{}: -o wide, or sky-accel resolve {id}:x1+ --all",
            counted(more, "more offer")
        )));
    }
    blocks
}

/// Returns the range of today's prices by kind of market, and the quarters: of the first kind that has several, or of
/// every kind in wide output.
fn market(show: &ShowOut<'_>, wide: bool, is_html: bool) -> Vec<Block> {
    let id = show.accelerator.id;
    if show.markets.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![
        Block::Heading(format!("Prices of one {id}")),
        Block::Table(markets::today(&show.markets, &Money::DOLLARS)),
    ];
    let first = (show.markets.iter()).find(|market| market.quarters.len() > 1);
    let shown = (show.markets.iter()).filter(|market| {
        let is_first = first.is_some_and(|first| first.kind == market.kind);
        wide || is_first
    });
    let quarters = shown.flat_map(|market| markets::past(market, &Money::DOLLARS, wide, is_html));
    blocks.extend(quarters);
    let others = (show.markets.iter())
        .filter(|market| first.is_some_and(|first| first.kind != market.kind))
        .any(|market| market.quarters.len() > 1);
    if !wide && others {
        let text = format!("Quarters of the others: sky-accel prices {id}, or -o wide");
        blocks.push(Block::Text(text));
    }
    blocks
}

/// Returns the ways of sharing other than MIG, with one table for each kind.
fn sharing(show: &ShowOut<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for kind in show.sharing.chunk_by(|a, b| a.kind == b.kind) {
        let title = match kind[0].kind {
            SharingKind::PartitionMode => "Partition modes",
            SharingKind::Vgpu => "Fractions of a device",
            SharingKind::PodSlice => "Slices of several devices",
            SharingKind::LogicalCores => "Logical cores",
        };
        blocks.push(Block::Heading(title.to_owned()));
        let mut table = Table::new([
            Column::left("NAME", 0),
            Column::right("DEVICES", 1),
            Column::right("CHIPS", 1),
            Column::left("TOPOLOGY", 1),
            Column::right("CORES", 1),
            Column::right("MEM GB", 1),
            Column::right("MEM MIB", 1),
            Column::left("SET BY", 0),
        ]);
        let figure = |n: Option<Num>| n.map_or_else(String::new, |n| number(n.0));
        let mut notes: Vec<String> = Vec::new();
        for way in kind {
            table.row(
                RowStyle::Plain,
                [
                    way.name.to_owned(),
                    figure(way.devices),
                    figure(way.accelerators_needed),
                    way.topology.unwrap_or_default().to_owned(),
                    figure(way.cores),
                    figure(way.memory_gb),
                    figure(way.memory_mib),
                    way.set_by.unwrap_or_default().to_owned(),
                ],
            );
            if let Some(note) = way.note {
                let is_shared = kind.iter().all(|other| other.note == way.note);
                let name = if is_shared {
                    String::new()
                } else {
                    format!("{}: ", way.name)
                };
                let note = format!("{name}{note}");
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        blocks.push(Block::Table(table));
        blocks.extend(notes.into_iter().map(Block::Text));
        let source = format!("{} ({})", kind[0].source, kind[0].as_of);
        blocks.push(Block::Text(source));
    }
    blocks
}

fn heading(show: &ShowOut<'_>) -> String {
    let a = &show.accelerator;
    let architecture = a
        .architecture
        .map(|arch| format!(", {arch}"))
        .unwrap_or_default();
    let price = show.price_range.as_ref().map(|range| {
        format!(
            ", likely {} to {} per device and hour",
            dollars(range.low_usd_per_accelerator_hour),
            dollars(range.high_usd_per_accelerator_hour)
        )
    });
    format!(
        "{}: {} {}{architecture}, {}{}",
        a.id,
        a.vendor,
        a.family,
        a.class,
        price.unwrap_or_default()
    )
}

/// Returns the machine that accelerators are attached to, with its price and maximum size.
fn host_words(host: &HostOut<'_>) -> String {
    let price = |usd: Option<Num>, how: &str| {
        usd.map(|usd| format!(", {} per hour{how}", dollars(usd)))
            .unwrap_or_default()
    };
    let most = host
        .max_vcpu
        .map(|vcpu| format!("; maximum {} vCPU", number(vcpu.0)));
    format!(
        "such as {}{}{}{} ({}, {})",
        host.instance_type,
        price(host.usd_per_hour, ""),
        price(host.spot_usd_per_hour, " as spot"),
        most.unwrap_or_default(),
        host.source,
        host.as_of
    )
}

/// Returns the fields of an instance type.
fn machine_figures(machine: &OfferOut<'_>, sellers: &[SellerOut<'_>]) -> Table {
    let seller = sellers.iter().find(|seller| seller.id == machine.provider);
    let mut table = Table::new([Column::left("FIGURE", 0), Column::left("VALUE", 0)]);
    let figure = |figure: Option<Num>| figure.map(|n| number(n.0));
    let price = |price: &PriceOut<'_>| {
        let region = price
            .region
            .map(|region| format!(" in {region}"))
            .unwrap_or_default();
        let charged = price.currency.as_ref().map(|currency| {
            let (amount, code) = (number(currency.per_hour.0), currency.code);
            let (rate, day) = (number(currency.usd_rate.0), currency.rate_as_of);
            format!(", {amount} {code} at {rate} of {day}")
        });
        // A narrow terminal cuts the end: what the price is worth comes first.
        format!(
            "{}{}{} per hour ({}){region}{} ({}, {})",
            if is_price_doubtful(price) {
                DOUBT_MARK
            } else {
                ""
            },
            prices::mark(price),
            dollars(price.likely_usd_per_hour),
            prices::basis(price, &Money::DOLLARS),
            charged.unwrap_or_default(),
            price.as_of,
            price.source
        )
    };
    for (name, value) in [
        ("sold as", Some(machine.sells.word().to_owned())),
        (
            "owner",
            machine
                .upstream
                .or(machine.broker.map(|_| "undisclosed"))
                .map(str::to_owned),
        ),
        ("host", machine.host.as_ref().map(host_words)),
        ("topology", machine.topology.map(str::to_owned)),
        ("hosts", machine.hosts.map(|hosts| hosts.to_string())),
        ("status", Some(machine.status.word().to_owned())),
        ("", machine.status_note.map(str::to_owned)),
        ("vCPU", figure(machine.vcpu)),
        ("host memory GiB", figure(machine.host_memory_gib)),
        ("host architecture", machine.host_arch.map(str::to_owned)),
        ("accelerator memory GB", figure(machine.total_memory_gb)),
        ("on demand", machine.on_demand.as_ref().map(price)),
        ("spot", machine.spot.as_ref().map(price)),
        (
            "regions",
            machine.regions.as_ref().map(|regions| regions.join(" ")),
        ),
        (
            "billed",
            seller.and_then(|seller| seller.billing.map(str::to_owned)),
        ),
        ("link", machine.url.as_deref().map(str::to_owned)),
        (
            "documentation",
            seller.and_then(|seller| seller.docs.map(str::to_owned)),
        ),
        (
            "source",
            Some(format!("{} ({})", machine.source, machine.as_of)),
        ),
    ] {
        if let Some(value) = value {
            table.row(RowStyle::Plain, [name.to_owned(), value]);
        }
    }
    table
}

fn figures(show: &ShowOut<'_>) -> Table {
    let a = &show.accelerator;
    let mut table = Table::new([
        Column::left("FIGURE", 0),
        Column::right("VALUE", 0),
        Column::left("UNIT", 0),
        Column::left("REMARK", 1),
    ]);
    let figures = a.labeled_figures().into_iter();
    for (name, value, unit) in figures.chain(show.labeled_figures()) {
        let Some(value) = value else { continue };
        let remark = match name {
            "memory" => a.memory_type,
            "interconnect" => a.interconnect,
            "FP16" => Some("dense rates, without sparsity"),
            _ => None,
        };
        table.row(
            RowStyle::Plain,
            [
                name.to_owned(),
                number(value.0),
                unit.to_owned(),
                remark.unwrap_or_default().to_owned(),
            ],
        );
    }
    let texts = a.labeled_texts().into_iter();
    for (name, value, unit) in texts.chain(show.labeled_texts()) {
        if let Some(value) = value {
            table.row(
                RowStyle::Plain,
                [
                    name.to_owned(),
                    value.to_owned(),
                    unit.to_owned(),
                    String::new(),
                ],
            );
        }
    }
    table
}

fn profiles(show: &ShowOut<'_>) -> Table {
    let mut table = Table::new([
        Column::left("PROFILE", 0),
        Column::right("ID", 1),
        Column::right("MAX", 0),
        Column::right("MIB", 0),
        Column::right("SM", 1),
        Column::right("SIZE", 2),
        Column::left("STARTS", 2),
    ]);
    let known = |figure: Option<String>| figure.unwrap_or_else(|| "?".to_owned());
    for profile in &show.mig_profiles {
        let starts: Vec<String> = profile.starts.iter().map(u8::to_string).collect();
        table.row(
            RowStyle::Plain,
            [
                profile.profile.to_owned(),
                known(profile.profile_id.map(|id| id.to_string())),
                profile.max_instances.to_string(),
                known(profile.memory_mib.map(|mib| mib.to_string())),
                known(profile.sm.map(|sm| sm.to_string())),
                known(profile.size.map(|size| size.to_string())),
                if starts.is_empty() {
                    "?".to_owned()
                } else {
                    starts.join(",")
                },
            ],
        );
    }
    table
}
