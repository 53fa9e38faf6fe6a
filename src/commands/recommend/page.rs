//! Parts of a recommendation that only a page has: the first choice in full, its memory, and price against speed.

use std::fmt::Write as _;

use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{counted, grouped, grouped_to, number};
use sky_accel_engine::age::described;
use sky_accel_engine::contract::{Num, PriceOut, RecommendOut};
use sky_accel_engine::{Basis, Engine, Money, Point};

use crate::html::{Dot, Scatter};
use crate::present::memory;
use crate::present::offers::{DOUBT_MARK, is_price_doubtful, reason_words};
use crate::present::precision::precision;
use crate::present::prices::{self, ESTIMATED, has_drifted};
use crate::render::Block;

/// Hours of a month and of a year in which a machine runs all the time.
pub(super) const MONTH: f64 = 730.0;
pub(super) const YEAR: f64 = 8760.0;

/// The points in the drawing of price against speed.
pub(super) struct Points {
    pub points: Vec<Point>,
    pub basis: Basis,
}

/// Returns the blocks before the table of offers.
pub(super) fn blocks(
    rows: &[RecommendOut<'_>],
    drawn: &Points,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
    engine: &Engine<'_>,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(best) = rows.first() {
        blocks.push(Block::Heading("Recommendation".to_owned()));
        blocks.push(Block::Items(first_choice(
            best,
            capacity_filter,
            money,
            engine,
        )));
        if let Some(fit) = &best.fit {
            blocks.push(Block::Heading(format!("Memory of one {}", fit.accelerator)));
            blocks.extend(memory::blocks(fit, true, true));
        }
    }
    if drawn.points.len() > 1 {
        blocks.push(Block::Heading("Price against speed".to_owned()));
        blocks.push(Block::Drawing(price_against_speed(
            rows, drawn, money, engine,
        )));
    }
    blocks.push(Block::Heading("Offers".to_owned()));
    blocks
}

/// Describes the first choice.
fn first_choice(
    best: &RecommendOut<'_>,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
    engine: &Engine<'_>,
) -> Vec<(String, String)> {
    let offer = &best.offer;
    let catalog = engine.catalog();
    let provider = catalog
        .provider_named(offer.provider)
        .map(|id| catalog.provider(id));
    let name = provider.map_or(offer.provider, |provider| catalog.str(provider.name));
    let mut hardware = format!("{} × {}", number(offer.count.0), offer.accelerator);
    if let Some(vcpu) = offer.vcpu {
        let _ = write!(hardware, ", {} vCPU", number(vcpu.0));
    }
    if let Some(memory) = offer.host_memory_gib {
        let _ = write!(hardware, ", {} GiB of memory", grouped(memory.0));
    }
    let machines = best
        .nodes
        .map_or_else(String::new, |nodes| format!("{nodes} × "));
    let max_age = provider.map_or(u16::MAX, |provider| provider.price_max_age_days);
    let price = |price: &PriceOut<'_>| stated(price, max_age, money, engine);
    let on_demand = offer.on_demand.as_ref().map(price);
    let mark = offer
        .ranking_quote(capacity_filter)
        .map_or("", prices::mark);
    let total = best
        .hours
        .zip(best.usd_total)
        .map(|(hours, usd)| format!("{mark}{} for {} hours", money.text(usd), grouped(hours.0)));
    let precision = precision(best).map(|precision| match &best.checkpoint {
        Some(checkpoint) => format!("{precision}: {checkpoint}"),
        None => precision,
    });
    let items = [
        (
            "rent",
            Some(format!("{machines}{} on {name}", offer.instance_type)),
        ),
        ("provider's page", offer.url.as_deref().map(str::to_owned)),
        ("hardware", Some(hardware)),
        ("precision", precision),
        (
            "price",
            best.usd_per_hour.map(|usd| over_time(usd, mark, money)),
        ),
        (
            "on demand",
            on_demand.or_else(|| Some("unknown".to_owned())),
        ),
        ("spot", offer.spot.as_ref().map(price)),
        ("committed", offer.committed.as_ref().map(price)),
        ("in total", total),
        (
            "a million tokens",
            best.usd_per_million_tokens
                .map(|usd| format!("{mark}{}", money.text(usd))),
        ),
        ("why", Some(best.why.join("; "))),
    ];
    let items = items.into_iter();
    items
        .filter_map(|(label, text)| Some((label.to_owned(), text?)))
        .collect()
}

/// `$2.39 per hour, $1,745 per month, $20,936 per year`
fn over_time(usd: Num, mark: &str, money: &Money<'_>) -> String {
    let of = |hours: f64| {
        let amount = grouped_to(money.from_usd(usd).0 * hours, 0);
        if money.is_dollars() {
            format!("{mark}${amount}")
        } else {
            format!("{mark}{amount} {}", money.code)
        }
    };
    format!(
        "{mark}{} per hour; {} per month and {} per year if it runs all the time",
        money.text(usd),
        of(MONTH),
        of(YEAR)
    )
}

/// Describes an hourly price with its region, kind and date.
fn stated(price: &PriceOut<'_>, max_age: u16, money: &Money<'_>, engine: &Engine<'_>) -> String {
    let likely = has_drifted(price).then(|| {
        format!(
            "{ESTIMATED}{}, stated ",
            money.text(price.likely_usd_per_hour)
        )
    });
    let region = price.region.map(|region| format!(" in {region}"));
    let doubts = price.doubts.iter().copied().filter_map(reason_words);
    let doubts: Vec<String> = doubts.map(|doubt| format!(", {doubt}")).collect();
    format!(
        "{}{}{} per hour{} ({}, {}{})",
        if is_price_doubtful(price) {
            DOUBT_MARK
        } else {
            ""
        },
        likely.unwrap_or_default(),
        money.text(price.usd_per_hour),
        region.unwrap_or_default(),
        price.kind.word(),
        described(engine.today(), price.as_of, max_age),
        doubts.concat()
    )
}

/// Names the currency in sentences and axes.
pub fn unit<'m>(money: &Money<'m>) -> &'m str {
    if money.is_dollars() {
        "US dollars"
    } else {
        money.code
    }
}

/// Draws the price of each machine against its speed.
fn price_against_speed(
    rows: &[RecommendOut<'_>],
    drawn: &Points,
    money: &Money<'_>,
    engine: &Engine<'_>,
) -> maud::Markup {
    let catalog = engine.catalog();
    let listed = rows.iter().filter(|row| row.tokens_per_s.is_some());
    let mut ranks = listed.map(|row| row.rank);
    let title = |point: &Point| {
        let mark = if point.is_estimated { ESTIMATED } else { "" };
        format!(
            "{} on {}: {mark}{}, {} tokens/s",
            point.spec(&catalog),
            point.provider(&catalog),
            money.text(Num(point.usd)),
            grouped(point.tokens_per_s.round())
        )
    };
    // The first points are the results.
    let dots = drawn.points.iter().map(|point| Dot {
        x: money.from_usd(Num(point.usd)).0,
        y: point.tokens_per_s,
        title: title(point),
        number: ranks.next(),
        is_best: point.is_pareto,
    });
    let time = match drawn.basis {
        Basis::Job => "in total",
        _ => "per hour",
    };
    let x = format!("{} {time}", unit(money));
    let description = format!(
        "{} by price and speed. The line connects the Pareto-optimal machines. Each number leads to its row in the table of offers.",
        counted(drawn.points.len(), "machine")
    );
    let plot = Scatter {
        title: "Price against speed",
        description: &description,
        caption: "Each number is an offer in the table below; dots are other offers. The dashed line connects the Pareto-optimal offers: no other offer is both cheaper and faster. Hover over a dot, or move between dots with the arrow keys, to see its name.",
        x: &x,
        y: "tokens per second",
        dots: dots.collect(),
        has_line: true,
    };
    plot.figure()
}
