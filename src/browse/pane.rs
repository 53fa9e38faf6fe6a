//! Content of the pane: details of an offer, several offers side by side, or their plan.

use std::collections::HashSet;

use sky_accel_core::catalog::Status;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::number;
use sky_accel_engine::contract::{AcceleratorOut, Num, OfferOut, PriceOut};
use sky_accel_engine::{
    Engine, Money, NamesRequest, OfferFilter, PlanAnswer, PlanRequest, Recommended, Result, Target,
    age,
};

use super::model::SizedModel;
use crate::flags::with_flags;
use crate::present::{prices, stock};
use crate::render::{Block, Column, RowStyle, Table, cut};

/// Maximum number of candidates in a plan on the screen.
const CANDIDATES: u32 = 5;

/// Maximum number of answers on stock in the details of an offer.
const MOST_ANSWERS: usize = 8;

/// Details of an offer: prices by region and age, machine, accelerator.
pub fn details(
    engine: &Engine<'_>,
    offer: &OfferOut<'_>,
    money: &Money<'_>,
    model: Option<&SizedModel<'_>>,
) -> Vec<Block> {
    let heading = format!(
        "{} {}: {} × {}",
        offer.provider,
        offer.instance_type,
        number(offer.count.0),
        offer.accelerator
    );
    let mut items: Vec<(String, String)> = Vec::new();
    let mut item = |name: &str, text: Option<String>| {
        let text = text.filter(|text| !text.is_empty());
        items.extend(text.map(|text| (name.to_owned(), text)));
    };
    item("model", model.map(|model| model.sentence(offer)));
    for (name, price) in [("on demand", &offer.on_demand), ("spot", &offer.spot)] {
        item(
            name,
            price
                .as_ref()
                .map(|price| aged(engine, offer, price, money)),
        );
    }
    item("by region", by_region(offer, money));
    let stock = offer.obtainability.iter().map(stock::sentence);
    let stock: Vec<String> = stock.take(MOST_ANSWERS).collect();
    item("stock", Some(stock.join("; ")));
    item("as of", stock::as_of(&offer.obtainability));
    item("machine", Some(machine(offer)));
    let request = NamesRequest {
        names: vec![offer.accelerator.to_owned()],
        ..NamesRequest::default()
    };
    let shown = engine.show(&request);
    let show = shown
        .as_ref()
        .ok()
        .and_then(|answer| answer.envelope.results.first()?.accelerator());
    item("device", show.map(|show| device(&show.accelerator)));
    item(
        "MIG",
        show.map(|show| {
            let profiles = show.mig_profiles.iter();
            let profiles = profiles.map(|row| format!("{} ×{}", row.profile, row.max_instances));
            profiles.collect::<Vec<_>>().join(", ")
        }),
    );
    item("link", offer.url.as_deref().map(str::to_owned));
    let price = offer.on_demand.as_ref().or(offer.spot.as_ref());
    item("price from", price.map(|price| price.source.to_owned()));
    item(
        "facts from",
        Some(format!("{}, {}", offer.source, offer.as_of)),
    );
    vec![Block::Heading(heading), Block::Items(items)]
}

/// Lists the prices by region, if there are several.
fn by_region(offer: &OfferOut<'_>, money: &Money<'_>) -> Option<String> {
    let [_, _, ..] = &offer.region_prices[..] else {
        return offer.regions.as_ref().map(|regions| regions.join(", "));
    };
    let prices = offer.region_prices.iter().map(|price| {
        let region = price.region.unwrap_or("any region");
        format!("{region} {}", money.text(price.likely_usd_per_hour))
    });
    Some(prices.collect::<Vec<_>>().join(", "))
}

fn machine(offer: &OfferOut<'_>) -> String {
    let figure =
        |figure: Option<Num>, unit: &str| figure.map(|n| format!("{} {unit}", number(n.0)));
    let network = offer.network.as_ref().map(|network| {
        format!(
            "{} {} Gbit/s",
            network.kind.word(),
            number(network.gbit_per_s.0)
        )
    });
    let parts = [
        figure(offer.vcpu, "vCPU"),
        figure(offer.host_memory_gib, "GiB of host memory"),
        offer.host_arch.map(str::to_owned),
        network,
        Some(format!("sold as {}", offer.sells.word())),
        (offer.status != Status::Offered).then(|| offer.status.word().to_owned()),
        offer.status_note.map(str::to_owned),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn device(accelerator: &AcceleratorOut<'_>) -> String {
    let rows = accelerator.labeled_figures().into_iter();
    let figures = rows.filter_map(|(name, value, unit)| {
        Some(
            format!("{name} {} {unit}", number(value?.0))
                .trim_end()
                .to_owned(),
        )
    });
    let form = std::iter::once(accelerator.form_factor.to_owned());
    form.chain(figures).collect::<Vec<_>>().join(", ")
}

/// Formats a price with region, kind and age.
fn aged(
    engine: &Engine<'_>,
    offer: &OfferOut<'_>,
    price: &PriceOut<'_>,
    money: &Money<'_>,
) -> String {
    let catalog = engine.catalog();
    let keep = catalog
        .provider_named(offer.provider)
        .map_or(u16::MAX, |id| catalog.provider(id).price_max_age_days);
    let region = price.region.map(|region| format!(" in {region}"));
    let likely = prices::has_drifted(price).then(|| {
        let likely = money.text(price.likely_usd_per_hour);
        format!("{}{likely} likely, stated ", prices::ESTIMATED)
    });
    format!(
        "{}{} per hour{}, {} {}",
        likely.unwrap_or_default(),
        money.text(price.usd_per_hour),
        region.unwrap_or_default(),
        prices::kind_words(price.kind),
        age::described(engine.today(), price.as_of, keep)
    )
}

/// Width of the figure names, and minimum width of an offer, in columns.
const OF_NAMES: usize = 24;
const OF_AN_OFFER: usize = 18;

/// Shows as many offers side by side as fit.
pub fn comparison(
    offers: &[OfferOut<'_>],
    (money, capacity_filter, width): (&Money<'_>, CapacityFilter, usize),
    model: Option<&SizedModel<'_>>,
) -> Vec<Block> {
    let room = width.saturating_sub(OF_NAMES) / (OF_AN_OFFER + 2);
    let (shown, more) = offers.split_at(offers.len().min(room.max(1)));
    let heading = match more.len() {
        0 => format!("{} marked", offers.len()),
        more => format!("{} marked, {more} do not fit", offers.len()),
    };
    let offers = shown;
    let columns = (0..offers.len()).map(|at| Column::right((at + 1).to_string(), 0));
    let mut table = Table::new(std::iter::once(Column::left("", 0)).chain(columns));
    let mut row = |name: &str, cell: &dyn Fn(&OfferOut<'_>) -> Option<String>| {
        let cells: Vec<Option<String>> = offers.iter().map(cell).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells
                .into_iter()
                .map(|cell| cell.map_or("?".to_owned(), |text| cut(&text, OF_AN_OFFER)));
            table.row(
                RowStyle::Plain,
                std::iter::once(name.to_owned()).chain(cells),
            );
        }
    };
    let amount = |usd: Num| format!("{:.3}", money.from_usd(usd).0);
    let figure = |figure: Option<Num>| figure.map(|figure| number(figure.0));
    row("provider", &|offer| Some(offer.provider.to_owned()));
    row("instance type", &|offer| {
        Some(offer.instance_type.to_owned())
    });
    row("accelerator", &|offer| Some(offer.accelerator.to_owned()));
    row("count", &|offer| figure(Some(offer.count)));
    if let Some(model) = model {
        for (at, name) in ["fits", "tokens/s", "USD per million tokens"]
            .into_iter()
            .enumerate()
        {
            row(name, &|offer| {
                Some(model.cells(offer)[at].clone()).filter(|cell| !cell.is_empty())
            });
        }
    }
    let code = &money.code;
    row(&format!("{code} per hour"), &|offer| {
        offer
            .on_demand
            .as_ref()
            .map(|price| amount(price.likely_usd_per_hour))
    });
    row(&format!("{code} per GPU"), &|offer| {
        let price = offer.ranking_quote(capacity_filter);
        price.map(|price| amount(prices::likely_of_one(price)))
    });
    row(&format!("{code} spot"), &|offer| {
        let spot = offer.spot.as_ref();
        spot.map(|price| amount(price.likely_usd_per_hour))
    });
    row("price age", &|offer| {
        let price = offer.ranking_quote(capacity_filter);
        price.map(prices::age)
    });
    row("memory GB", &|offer| figure(offer.total_memory_gb));
    row("vCPU", &|offer| figure(offer.vcpu));
    row("host memory GiB", &|offer| figure(offer.host_memory_gib));
    row("network Gbit/s", &|offer| {
        figure(offer.network.as_ref().map(|network| network.gbit_per_s))
    });
    row("regions", &|offer| {
        offer
            .regions
            .as_ref()
            .map(|regions| regions.len().to_string())
    });
    vec![Block::Heading(heading), Block::Table(table)]
}

/// Shows the plan for offers: its file, losses and placeholders.
///
/// # Errors
///
/// Same as the engine's `plan`.
pub fn plan(
    engine: &Engine<'_>,
    offers: &[OfferOut<'_>],
    filter: &OfferFilter,
    target: Target,
) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let specs = offers.iter().map(OfferOut::exact_spec);
    let specs: Vec<String> = specs.filter(|spec| seen.insert(spec.clone())).collect();
    let mut providers: Vec<String> = offers
        .iter()
        .map(|offer| offer.provider.to_owned())
        .collect();
    providers.dedup();
    let machines = offers
        .iter()
        .map(|offer| (offer.provider.to_owned(), offer.instance_type.to_owned()));
    let mut chosen = Recommended::default();
    chosen.machines = machines.collect();
    chosen.nodes = Some(1);
    let request = PlanRequest {
        offers: OfferFilter {
            providers,
            limit: Some(CANDIDATES),
            ..filter.clone()
        },
        target: Some(target),
        recommended: chosen,
        ..PlanRequest::new(specs.join("|"))
    };
    Ok(lines(engine.plan(&request)?))
}

fn lines(answer: PlanAnswer<'_>) -> Vec<String> {
    let Some((_, rendered)) = answer.rendered else {
        let mut lines = vec!["no plan is possible".to_owned()];
        let notes = answer.envelope.notes.iter();
        lines.extend(notes.map(|note| with_flags(&note.message).into_owned()));
        return lines;
    };
    let mut lines: Vec<String> = Vec::new();
    for (at, file) in rendered.files.iter().enumerate() {
        if at > 0 {
            lines.extend([String::new(), format!("--- {}", file.name)]);
        }
        lines.extend(file.text.lines().map(str::to_owned));
    }
    lines.push(String::new());
    let lost = rendered.lossy.iter();
    lines.extend(lost.map(|loss| {
        let message = with_flags(&loss.message);
        format!("not expressed: {}: {message}", loss.code)
    }));
    let open = rendered.placeholders.iter();
    lines.extend(open.map(|open| {
        let meaning = with_flags(&open.meaning);
        format!("fill in {}: {meaning}", open.name)
    }));
    lines.extend(
        answer
            .envelope
            .notes
            .into_iter()
            .map(|note| format!("note: {}", with_flags(&note.message))),
    );
    lines
}
