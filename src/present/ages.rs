//! The footer: source of the answer (catalog or providers), and age of the prices.

use std::collections::BTreeMap;

use sky_accel_core::catalog::PriceKind;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{counted, grouped};
use sky_accel_engine::Engine;
use sky_accel_engine::age::{days, described};
use sky_accel_engine::asking::{
    Aggregator, Live, ProviderAnswer, QueryOutcome, is_public, now, providers_needing_consent,
};
use sky_accel_engine::contract::{NearestOut, OfferOut, PriceOut};

use super::offers::{doubt_note, doubts, doubts_of_prices};
use super::prices::estimate_note;
use super::stock;
use crate::cli::Detail;
use crate::render::Footer;
use crate::ui::duration;

/// A price with the id of its provider.
pub type Priced<'p> = (&'p str, &'p PriceOut<'p>);

/// Returns the prices that rank offers.
pub fn leading_prices<'o>(
    offers: impl IntoIterator<Item = &'o OfferOut<'o>>,
    capacity_filter: CapacityFilter,
) -> Vec<Priced<'o>> {
    let prices = offers
        .into_iter()
        .filter_map(|offer| Some((offer.provider, offer.ranking_quote(capacity_filter)?)));
    prices.collect()
}

/// Returns the prices that rank alternatives.
pub fn nearest_prices<'o>(
    nearest: &'o [NearestOut<'o>],
    capacity_filter: CapacityFilter,
) -> Vec<Priced<'o>> {
    leading_prices(nearest.iter().map(|near| &near.offer), capacity_filter)
}

/// Returns the source and the age of the answer, and the command that refreshes it: `offline, prices 18 to 159 days
/// old` and `` refresh: `sky-accel catalog update` ``. In full, the oldest price of each provider, and the sources of
/// the prices. A page has both, without the command.
pub fn footer(engine: &Engine<'_>, prices: &[Priced<'_>], detail: Detail) -> Footer {
    let refresh = refresh(engine, prices);
    match detail {
        Detail::Brief => Footer {
            parts: vec![range_of_ages(engine, prices)],
            hints: refresh
                .map(|command| format!("refresh: `{command}`"))
                .into_iter()
                .collect(),
            has_details: true,
            ..Footer::default()
        },
        Detail::Full => Footer {
            parts: all_ages(engine, prices, refresh),
            ..Footer::default()
        },
        Detail::Page => Footer {
            parts: std::iter::once(range_of_ages(engine, prices))
                .chain(all_ages(engine, prices, None))
                .collect(),
            ..Footer::default()
        },
    }
}

/// Returns `offline, prices 18 to 159 days old`.
fn range_of_ages(engine: &Engine<'_>, prices: &[Priced<'_>]) -> String {
    let source = engine.live().and_then(|live| summary(engine, live));
    let days = prices
        .iter()
        .filter(|(_, price)| price.kind != PriceKind::Live)
        .filter_map(|(_, price)| days(engine.today(), price.as_of));
    let source = source.unwrap_or_else(|| "offline".to_owned());
    let days_in_words = |days: i32| counted(grouped(f64::from(days)), "day");
    match (days.clone().min(), days.max()) {
        // The clock is wrong, or the catalog.
        (Some(newest), _) if newest < 0 => format!("{source}, prices dated in the future"),
        (Some(newest), Some(oldest)) if newest == oldest => {
            format!("{source}, prices {} old", days_in_words(oldest))
        }
        (Some(newest), Some(oldest)) => {
            format!("{source}, prices {newest} to {} old", days_in_words(oldest))
        }
        _ if engine.live().is_some() => source,
        _ => answered(engine),
    }
}

/// Returns `offline catalog 2026.11.0; aws list 2026-07-20, 123 days old; …` with the oldest price of each provider,
/// then the sources of the prices, one per line.
fn all_ages(
    engine: &Engine<'_>,
    prices: &[Priced<'_>],
    refresh: Option<&'static str>,
) -> Vec<String> {
    let catalog = engine.catalog();
    let mut parts = vec![answered(engine)];
    let mut sources = Vec::new();
    for provider in catalog.providers {
        let id = catalog.str(provider.id);
        let dated: Vec<&PriceOut<'_>> = prices
            .iter()
            .filter(|(seller, price)| *seller == id && price.kind != PriceKind::Live)
            .map(|(_, price)| *price)
            .collect();
        // The oldest price limits how far the reader can trust the answer.
        if let Some(oldest) = dated.iter().min_by_key(|price| price.as_of) {
            let age = described(engine.today(), oldest.as_of, provider.price_max_age_days);
            parts.push(format!("{id} {} {age}", oldest.kind.word()));
        }
        for price in dated {
            let source = format!("{id} prices: {}", price.source);
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    parts.extend(refresh.map(|command| format!("refresh with `{command}`")));
    std::iter::once(parts.join("; ")).chain(sources).collect()
}

/// Returns the source of the answer: `offline catalog 2026.11.0`, or the queried providers.
pub fn answered(engine: &Engine<'_>) -> String {
    let live = engine.live().and_then(|live| summary(engine, live));
    live.unwrap_or_else(|| format!("offline catalog {}", engine.catalog().version()))
}

/// Returns the command that refreshes the first stale price.
fn refresh(engine: &Engine<'_>, prices: &[Priced<'_>]) -> Option<&'static str> {
    if engine.live().is_some() {
        return None;
    }
    let catalog = engine.catalog();
    let is_old = |(seller, price): &&Priced<'_>| {
        let provider = catalog.provider_named(seller);
        let keep = provider.map(|id| catalog.provider(id).price_max_age_days);
        let age = days(engine.today(), price.as_of);
        // No provider states the price of a contract.
        price.kind != PriceKind::Contract
            && keep.zip(age).is_some_and(|(keep, age)| age > keep.into())
    };
    prices.iter().filter(is_old).find_map(|(seller, _)| {
        if providers_needing_consent().contains(seller) {
            Some("sky-accel catalog update --public")
        } else if is_public(seller) {
            Some("sky-accel catalog update")
        } else {
            let collected = Aggregator::GpuHunt.word(seller, None);
            collected.map(|_| "sky-accel catalog update --from gpuhunt")
        }
    })
}

/// Maximum number of failed providers that are named; beyond it, their number is shown.
const MOST_FAILED: usize = 4;

/// The distance of a price from the market in percent from which the footer states it even in brief.
const NOTABLE_PERCENT: i32 = 10;

/// Same as [`footer`], for a table of offers: also explains the marks of its rows, and compares the first row with the
/// market. `other_doubts` are about rows, and not about their offers.
pub fn offers_footer<'o>(
    engine: &Engine<'_>,
    offers: impl IntoIterator<Item = &'o OfferOut<'o>> + Clone,
    other_doubts: impl IntoIterator<Item = String>,
    capacity_filter: CapacityFilter,
    detail: Detail,
) -> Footer {
    let prices = leading_prices(offers.clone(), capacity_filter);
    let mut footer = footer(engine, &prices, detail);
    let rows = offers.clone().into_iter();
    let doubts = rows.flat_map(|offer| doubts(offer).chain(doubts_of_prices(offer)));
    footer.marks.extend(doubt_note(doubts.chain(other_doubts)));
    let answers = offers
        .clone()
        .into_iter()
        .flat_map(|offer| stock::of_offer(offer, capacity_filter));
    footer.parts.extend(stock::as_of(answers));
    let quotes: Vec<&PriceOut<'_>> = offers
        .clone()
        .into_iter()
        .flat_map(|offer| [&offer.on_demand, &offer.spot])
        .flatten()
        .collect();
    footer.marks.extend(estimate_note(quotes));
    let first_row = offers.into_iter().next();
    let standing = first_row.and_then(|offer| engine.standing_of(offer, capacity_filter));
    let standing =
        standing.filter(|standing| detail.is_full() || standing.percent.abs() >= NOTABLE_PERCENT);
    // Spot prices of one machine differ several times between regions, which narrow tables do not show.
    let of_spot = first_row.filter(|_| capacity_filter == CapacityFilter::Spot);
    let region = of_spot.and_then(|offer| offer.ranking_quote(capacity_filter)?.region);
    let place = region.map_or_else(String::new, |region| format!(" (in {region})"));
    footer
        .parts
        .extend(standing.map(|standing| format!("first row{place} {standing}")));
    footer
}

/// Returns `prices: aws list 2026-07-20, 123 days old (more than 30)` with the oldest price of each provider;
/// `None` without dated prices.
pub fn ages(engine: &Engine<'_>, prices: &[Priced<'_>]) -> Option<String> {
    let dated = prices
        .iter()
        .filter(|(_, price)| price.kind != PriceKind::Live)
        .map(|(provider, price)| (*provider, price.kind, price.as_of));
    ages_of(engine, dated)
}

/// Same as [`ages`], for prices given by provider, kind and date.
pub fn ages_of<'p>(
    engine: &Engine<'_>,
    prices: impl IntoIterator<Item = (&'p str, PriceKind, &'p str)>,
) -> Option<String> {
    let mut oldest: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for (provider, kind, as_of) in prices {
        let price = (as_of, kind.word());
        let first = oldest.entry(provider).or_insert(price);
        *first = (*first).min(price);
    }
    let catalog = engine.catalog();
    let parts = oldest.into_iter().map(|(id, (as_of, kind))| {
        let provider = catalog.provider_named(id).map(|id| catalog.provider(id));
        let max = provider.map_or(u16::MAX, |row| row.price_max_age_days);
        format!("{id} {kind} {}", described(engine.today(), as_of, max))
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| format!("prices: {}", parts.join("; ")))
}

/// The age of a list of instance types is shown if the list is older than the prices by this many seconds.
const TYPES_ARE_OLD: i64 = 3600;

/// Returns `live: aws now (types 5 d old), vastai cached 12 min ago, verda failed`; `None` if no queried provider
/// has an API.
fn summary(engine: &Engine<'_>, live: &Live) -> Option<String> {
    let catalog = engine.catalog();
    let is_failed = |answer: &&ProviderAnswer| matches!(answer.outcome, QueryOutcome::Failed(_));
    let failed = live.answers.iter().filter(is_failed).count();
    let parts = live.answers.iter().filter_map(|answer| {
        let id = catalog.provider_id(answer.provider);
        let age = |at: i64| duration((now() - at).max(0));
        match &answer.outcome {
            QueryOutcome::Answered {
                fetched_at,
                cached,
                types_at,
                access: _,
            } => {
                let prices = if *cached {
                    format!("cached {} ago", age(*fetched_at))
                } else {
                    "now".to_owned()
                };
                let types = types_at.filter(|at| *at + TYPES_ARE_OLD < *fetched_at);
                let types = types.map(|at| format!(" (types {} old)", age(at)));
                // An error names the parts that failed.
                let is_whole = answer.problems.is_empty();
                let part = if is_whole { "" } else { " (incomplete)" };
                Some(format!("{id} {prices}{}{part}", types.unwrap_or_default()))
            }
            QueryOutcome::Failed(_) => (failed <= MOST_FAILED).then(|| format!("{id} failed")),
            QueryOutcome::NotAsked(_) | QueryOutcome::FromCatalog => None,
        }
    });
    let many = (failed > MOST_FAILED).then(|| format!("{failed} providers failed"));
    let parts: Vec<String> = parts.chain(many).collect();
    (!parts.is_empty()).then(|| format!("live: {}", parts.join(", ")))
}
