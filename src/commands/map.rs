//! `resolve --map`: prices by region as a heat map. Each cell shows its price, so no information depends on color.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use sky_accel_core::text::number;
use sky_accel_engine::contract::OfferOut;
use unicode_width::UnicodeWidthStr as _;

use crate::present::offers::{DOUBT_MARK, is_doubtful};
use crate::present::prices::{self, ESTIMATED};
use crate::render::{Block, Line, Page};
use crate::ui::{BOLD, DIM};

/// Shades from the cheapest to the most expensive price.
const SHADES: [(&str, Style); 5] = [
    ("  ", AnsiColor::Green.on_default().bold()),
    ("░░", AnsiColor::Green.on_default()),
    ("▒▒", AnsiColor::Yellow.on_default()),
    ("▓▓", AnsiColor::Red.on_default()),
    ("██", AnsiColor::Red.on_default().bold()),
];
/// Width of a price with its shade and leading blanks, in columns.
const CELL: usize = 13;
/// Row of prices that apply to every region.
const ANYWHERE: &str = "any region";

/// Renders regions as rows and as many offers as fit as columns.
pub fn page(offers: &[OfferOut<'_>], width: Option<usize>) -> Page {
    let columns: Vec<&OfferOut<'_>> = offers
        .iter()
        .filter(|offer| !offer.region_prices.is_empty())
        .collect();
    if columns.is_empty() {
        return text("no offer has a known price");
    }
    let label = |offer: &OfferOut<'_>, region: Option<&str>| {
        format!("{} {}", offer.provider, region.unwrap_or(ANYWHERE))
    };
    // One row per region of each provider, cheapest first.
    let mut rows: BTreeMap<String, f64> = BTreeMap::new();
    for offer in &columns {
        for price in &offer.region_prices {
            let lowest = rows
                .entry(label(offer, price.region))
                .or_insert(f64::INFINITY);
            *lowest = lowest.min(price.likely_usd_per_hour.0);
        }
    }
    let mut rows: Vec<(String, f64)> = rows.into_iter().collect();
    rows.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    let names = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let room = width.unwrap_or(usize::MAX).saturating_sub(names) / CELL;
    let shown = room.clamp(1, columns.len());
    let prices = || {
        columns[..shown]
            .iter()
            .flat_map(|offer| &offer.region_prices)
    };
    let low = prices()
        .map(|price| price.likely_usd_per_hour.0)
        .fold(f64::INFINITY, f64::min);
    let high = prices()
        .map(|price| price.likely_usd_per_hour.0)
        .fold(0.0, f64::max);
    let mut lines: Vec<Line> = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    for (at, offer) in columns[..shown].iter().enumerate() {
        blocks.push(Block::Text(label_of(at, offer)));
    }
    if shown < columns.len() {
        let message = format!(
            "{} more offers: a wider terminal or fewer providers show them",
            columns.len() - shown
        );
        blocks.push(Block::Text(message));
    }
    let mut heading = " ".repeat(names);
    for at in 0..shown {
        let _ = write!(heading, "{:>CELL$}", letter(at));
    }
    lines.push(vec![(BOLD, heading)]);
    for (name, _) in &rows {
        let mut line: Line = vec![(Style::new(), format!("{name:<names$}"))];
        let mut is_empty = true;
        for offer in &columns[..shown] {
            let price = offer
                .region_prices
                .iter()
                .find(|price| label(offer, price.region) == *name);
            let Some(price) = price else {
                line.push((DIM, format!("{:>CELL$}", "—")));
                continue;
            };
            is_empty = false;
            let usd = price.likely_usd_per_hour.0;
            let (shade, style) = shade(usd, low, high);
            let estimate = if price.likely_usd_per_hour == price.usd_per_hour {
                ""
            } else {
                ESTIMATED
            };
            line.push((
                style,
                format!("{:>10} {shade}", format!("{estimate}{usd:.3}")),
            ));
        }
        if !is_empty {
            lines.push(line);
        }
    }
    let legend = format!(
        "US dollars per hour, from {low:.3} ({}cheapest) to {high:.3} ({} most expensive)",
        SHADES[0].0.trim(),
        SHADES[4].0
    );
    blocks.extend([Block::Picture(lines), Block::Text(legend)]);
    let unpriced = offers.len() - columns.len();
    if unpriced > 0 {
        blocks.push(Block::Text(format!(
            "{unpriced} more without a known price"
        )));
    }
    Page { blocks }
}

fn text(text: &str) -> Page {
    Page {
        blocks: vec![Block::Text(text.to_owned())],
    }
}

/// Returns the offer of a column: its letter, the mark of a doubt, and the age of its price.
fn label_of(at: usize, offer: &OfferOut<'_>) -> String {
    let letter = letter(at);
    let price = offer.on_demand.as_ref().or(offer.spot.as_ref());
    let age = price.map(|price| format!(", {}", prices::age(price)));
    let doubt = if is_doubtful(offer) { DOUBT_MARK } else { "" };
    format!(
        "{letter}  {doubt}{} {} ({} × {}){}",
        offer.provider,
        offer.instance_type,
        number(offer.count.0),
        offer.accelerator,
        age.unwrap_or_default()
    )
}

/// Returns the label of a column: `A`, `B`, … `Z`, `27`.
fn letter(at: usize) -> String {
    match u8::try_from(at) {
        Ok(at) if at < 26 => char::from(b'A' + at).to_string(),
        _ => (at + 1).to_string(),
    }
}

/// Returns the position of a price between `low` and `high` on a logarithmic scale, since ratios of prices matter.
fn shade(usd: f64, low: f64, high: f64) -> (&'static str, Style) {
    let share = if high > low {
        (usd / low).ln() / (high / low).ln()
    } else {
        0.0
    };
    let at = (share * SHADES.len() as f64) as usize;
    SHADES[at.min(SHADES.len() - 1)]
}
