//! Commitments as text for people.

use sky_accel_core::catalog::{CommitmentBilling, Upfront};
use sky_accel_core::text::{grouped_to, number};
use sky_accel_engine::Money;
use sky_accel_engine::contract::{CommitmentOut, OfferOut};

use crate::render::Column;

/// Marks a figure that is not known.
const UNKNOWN: &str = "?";

/// The title of the column with the name of a commitment.
pub const COMMITMENT: &str = "COMMITMENT";

/// Returns the name of the commitment that ranks an offer; empty without one.
pub fn title(commitments: &[CommitmentOut<'_>]) -> String {
    let mut commitments = commitments.iter();
    let ranking = commitments.find(|row| row.ranks);
    ranking.map(CommitmentOut::title).unwrap_or_default()
}

/// Returns the columns of the commitment that ranks each offer, after its price.
pub fn columns(money: &Money<'_>) -> [Column; 4] {
    [
        Column::left(COMMITMENT, 0),
        Column::right(format!("UPFRONT {}", money.code), 2),
        Column::right("SAVES", 0),
        Column::right("BREAK-EVEN", 2),
    ]
}

/// Returns the cells of these columns.
pub fn cells(offer: &OfferOut<'_>, money: &Money<'_>) -> [String; 4] {
    let Some(commitment) = offer.commitments.iter().find(|row| row.ranks) else {
        return [UNKNOWN; 4].map(str::to_owned);
    };
    [
        commitment.title(),
        upfront(commitment, money),
        commitment
            .discount
            .map_or(UNKNOWN.to_owned(), |share| percent(share.0)),
        break_even(commitment),
    ]
}

/// Returns the payment at the start. No source has the amount of a partial payment.
pub fn upfront(commitment: &CommitmentOut<'_>, money: &Money<'_>) -> String {
    match (commitment.upfront_usd, commitment.upfront) {
        (Some(usd), _) => grouped_to(money.from_usd(usd).0, 0),
        (None, Some(Upfront::Partial)) => "not published".to_owned(),
        (None, _) => UNKNOWN.to_owned(),
    }
}

/// Returns the share of the term from which a commitment pays.
pub fn break_even(commitment: &CommitmentOut<'_>) -> String {
    match commitment.break_even_utilization {
        _ if commitment.billing == CommitmentBilling::Used => "at once".to_owned(),
        Some(share) if share.0 >= 1.0 => "never".to_owned(),
        Some(share) => format!("{} of the time", percent(share.0)),
        None => UNKNOWN.to_owned(),
    }
}

pub fn percent(share: f64) -> String {
    format!("{}%", number((share * 100.0).round()))
}

/// Returns the savings of each kind of commitment, ordered by the rank of its machines, and the outcome at its end.
pub fn summary_lines<'o>(
    ranked: impl Iterator<Item = (&'o str, &'o [CommitmentOut<'o>])>,
) -> Vec<String> {
    let ranking = ranked.filter_map(|(provider, commitments)| {
        let row = commitments.iter().find(|row| row.ranks)?;
        Some((provider, row))
    });
    let ranking: Vec<(&str, &CommitmentOut<'_>)> = ranking.collect();
    let mut kinds: Vec<(&str, String)> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for (provider, row) in &ranking {
        let (Some(discount), kind) = (row.discount, (*provider, row.title())) else {
            continue;
        };
        if !kinds.contains(&kind) {
            lines.push(format!(
                "{} ({provider}): saves {} of the price on demand, break-even {}",
                kind.1,
                percent(discount.0),
                break_even(row)
            ));
            kinds.push(kind);
        }
    }
    lines.extend(lines_of(ranking.into_iter()));
    lines
}

/// Returns what happens at the end of each commitment that ranks one of the offers, one line for each kind.
pub fn end_lines(offers: &[&OfferOut<'_>]) -> Vec<String> {
    let ranking = offers.iter().filter_map(|offer| {
        let row = offer.commitments.iter().find(|row| row.ranks)?;
        Some((offer.provider, row))
    });
    lines_of(ranking)
}

/// Returns what happens at the end of commitments of providers, one line for each kind.
pub fn lines_of<'o>(
    commitments: impl Iterator<Item = (&'o str, &'o CommitmentOut<'o>)>,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (provider, row) in commitments {
        let at_end = row.at_end.unwrap_or("not known");
        let line = format!("at the end, {} ({provider}): {at_end}", row.name);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
