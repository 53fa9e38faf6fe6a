//! The page of a provider.

use jiff::civil::Date;
use sky_accel_core::text::{grouped, number};
use sky_accel_engine::age::described;
use sky_accel_engine::contract::{ChargeOut, LiveClientOut, ProviderOut, SoldCommitmentOut};

use crate::render::{Block, Column, RowStyle, Table};

/// Returns the blocks of a provider.
pub(super) fn blocks(provider: &ProviderOut<'_>, today: Date, wide: bool) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading(format!("{}: {}", provider.id, provider.name)),
        Block::Items(facts(provider, today, wide)),
    ];
    if !provider.charges.is_empty() {
        blocks.push(Block::Heading("Bill besides machines".to_owned()));
        blocks.push(Block::Table(charges(&provider.charges)));
    }
    blocks.push(Block::Heading("Live answers".to_owned()));
    blocks.push(match &provider.live {
        Some(live) => Block::Items(client(provider.id, live)),
        None => Block::Text("none: its prices are from the catalog".to_owned()),
    });
    blocks
}

/// Returns the facts of the catalog with their labels.
fn facts(provider: &ProviderOut<'_>, today: Date, wide: bool) -> Vec<(String, String)> {
    let id = provider.id;
    let words = |words: &[&str]| words.join(", ");
    let aged = |as_of: &str| described(today, as_of, provider.price_max_age_days);
    let traits = [
        (provider.broker, "resells machines of other providers"),
        (provider.auction, "sells by bids"),
    ];
    let traits: Vec<&str> = traits
        .into_iter()
        .filter_map(|(holds, words)| holds.then_some(words))
        .collect();
    let capacity_types = provider.capacity_types.iter();
    let capacity_types: Vec<&str> = capacity_types.map(|capacity| capacity.word()).collect();
    let priced = provider.priced_instance_types;
    let accelerators = match provider.accelerators.len() {
        0 => "none".to_owned(),
        count => format!("{count}: sky-accel list --provider {id}"),
    };
    present([
        ("other names", words(&provider.aliases)),
        ("groups", words(&provider.groups)),
        ("", words(&traits)),
        ("capacity", words(&capacity_types)),
        ("price tiers", words(&provider.tiers)),
        ("commitments", sold(&provider.commitments)),
        ("regions", regions(&provider.regions, wide)),
        ("accelerators", accelerators),
        (
            "instance types",
            format!("{}, {priced} with a price", provider.instance_types),
        ),
        (
            "newest price",
            provider.newest_price.map(aged).unwrap_or_default(),
        ),
        (
            "oldest price",
            provider.oldest_price.map(aged).unwrap_or_default(),
        ),
        ("billed", provider.billing.unwrap_or_default().to_owned()),
        ("pricing", provider.url.unwrap_or_default().to_owned()),
        (
            "documentation",
            provider.docs.unwrap_or_default().to_owned(),
        ),
        ("plan targets", words(&provider.targets)),
    ])
}

/// Returns the charges: a row for each.
fn charges(charges: &[ChargeOut<'_>]) -> Table {
    let mut table = Table::new([
        Column::left("ITEM", 0),
        Column::left("REGION", 1),
        Column::left("PRICE", 0),
        Column::left("SURE", 1),
        Column::left("DATE", 1),
        Column::left("NOTE", 2),
        Column::left("SOURCE", 3),
    ]);
    for charge in charges {
        let cells = [
            charge.item.word().to_owned(),
            charge.region.unwrap_or_default().to_owned(),
            price_of(charge),
            charge.sure.word().to_owned(),
            charge.as_of.to_owned(),
            charge.note.unwrap_or_default().to_owned(),
            charge.source.to_owned(),
        ];
        table.row(RowStyle::Plain, cells);
    }
    table
}

/// Returns the price of a charge, or its rule or time.
fn price_of(charge: &ChargeOut<'_>) -> String {
    let Some((price, per)) = charge.price.zip(charge.per) else {
        return match (charge.least_s, charge.most_s) {
            (Some(least), Some(most)) if least < most => format!("{least} to {most} s"),
            (Some(least), _) => format!("{least} s"),
            (None, _) => charge.rule.word().to_owned(),
        };
    };
    let code = charge.currency.unwrap_or("USD");
    let free = charge
        .free
        .map(|free| format!(", {} free", grouped(free as f64)));
    let tiers = charge.tiers.iter().map(|tier| {
        format!(
            ", {} above {}",
            number(tier.price.0),
            grouped(tier.above as f64)
        )
    });
    let more: String = free.into_iter().chain(tiers).collect();
    format!("{} {code} per {per}{more}", number(price.0))
}

/// The maximum number of regions that are listed by name, unless the output is wide.
const MOST_REGIONS: usize = 6;

fn regions(ids: &[&str], wide: bool) -> String {
    match ids.len() {
        0 => "unknown".to_owned(),
        count if count > MOST_REGIONS && !wide => format!("{count}: -o wide"),
        count => format!("{count}: {}", ids.join(", ")),
    }
}

/// Returns the declaration of a live client with labels.
fn client(id: &str, live: &LiveClientOut) -> Vec<(String, String)> {
    let without_key = match live.terms {
        None => live.published.to_owned(),
        Some(terms) => format!("{}, only with --public: {terms}", live.published),
    };
    present([
        (
            "command",
            format!("sky-accel resolve SPEC --live --provider {id}"),
        ),
        ("without a key", without_key),
        (
            "not published",
            live.unpublished.unwrap_or_default().to_owned(),
        ),
        ("key variables", live.key_variables.join(", ")),
        ("key files", live.key_files.join(", ")),
        (
            "rights of a key",
            live.key_rights.unwrap_or_default().to_owned(),
        ),
    ])
}

/// Returns the items that have a text.
fn present<const N: usize>(items: [(&str, String); N]) -> Vec<(String, String)> {
    let items = items.into_iter().filter(|(_, text)| !text.is_empty());
    items
        .map(|(label, text)| (label.to_owned(), text))
        .collect()
}

/// Lists kinds of commitments with their terms.
fn sold(commitments: &[SoldCommitmentOut<'_>]) -> String {
    let words: Vec<String> = commitments
        .iter()
        .map(|row| format!("{} ({})", row.name, row.terms.join(", ")))
        .collect();
    words.join("; ")
}
