//! The page of a provider.

use jiff::civil::Date;
use sky_accel_engine::age::described;
use sky_accel_engine::contract::{LiveClientOut, ProviderOut, SoldCommitmentOut};

use crate::render::Block;

/// Returns the blocks of a provider.
pub(super) fn blocks(provider: &ProviderOut<'_>, today: Date, wide: bool) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading(format!("{}: {}", provider.id, provider.name)),
        Block::Items(facts(provider, today, wide)),
        Block::Heading("Live answers".to_owned()),
    ];
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
        (
            "documentation",
            provider.docs.unwrap_or_default().to_owned(),
        ),
        ("plan targets", words(&provider.targets)),
    ])
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
