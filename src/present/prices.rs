//! Prices in tables: the likely price of today, the stated price beside it, and the age and kind of the statement.

use sky_accel_core::catalog::PriceKind;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_engine::Money;
use sky_accel_engine::contract::{Num, PriceOut};
use sky_accel_engine::text::{grouped, grouped_to};

use super::offers::reason_words;
use crate::render::MarkNote;

/// Prefix of a price that no source states for today.
pub const ESTIMATED: &str = "~";
/// The title of the column with the costs that rank, where they are not the costs that another column shows.
pub const RANKED_AT: &str = "RANKED AT";
/// The name of the price of a contract.
pub const YOURS: &str = "your price";
/// The meaning of the prefix of a price that was stated some time ago.
const DRIFTED: &str = "likely price of today, from an old one";
/// The meaning of the prefix of a price without a price list for the machine.
const HINT: &str = "an estimate, or not from a price list";
/// The meaning of the prefix of both.
const DRIFTED_OR_HINT: &str = "likely price of today, from an old one or an estimate";

/// Returns whether the likely price of today differs from the stated price.
pub fn has_drifted(price: &PriceOut<'_>) -> bool {
    price.likely_usd_per_hour != price.usd_per_hour
}

/// Returns the explanation of the prefix of prices; `None` if no price has it.
pub fn estimate_note<'p>(prices: impl IntoIterator<Item = &'p PriceOut<'p>>) -> Option<MarkNote> {
    let (mut drifted, mut hints) = (false, false);
    for price in prices {
        drifted |= has_drifted(price);
        hints |= is_hint(price) && !has_drifted(price);
    }
    mark_note(drifted, hints)
}

/// Same as [`estimate_note`], for prices of which some have drifted or are hints.
pub fn mark_note(has_drifted: bool, has_hint: bool) -> Option<MarkNote> {
    let meaning = match (has_drifted, has_hint) {
        (true, true) => DRIFTED_OR_HINT,
        (true, false) => DRIFTED,
        (false, true) => HINT,
        (false, false) => return None,
    };
    Some(MarkNote {
        mark: ESTIMATED,
        meaning: meaning.to_owned(),
    })
}

/// Returns whether a price is an estimate or of weak quality.
pub fn is_hint(price: &PriceOut<'_>) -> bool {
    price.kind == PriceKind::Estimate || price.quality.is_weak()
}

/// Formats the likely price of the machine, such as `~2.75`.
pub fn amount(price: &PriceOut<'_>, money: &Money<'_>, places: usize) -> String {
    let usd = money.from_usd(price.likely_usd_per_hour).0;
    format!("{}{}", mark(price), grouped_to(usd, places))
}

/// Formats the likely price of one of the accelerators of a machine.
pub fn amount_of_one(price: &PriceOut<'_>, money: &Money<'_>, places: usize) -> String {
    let usd = money.from_usd(likely_of_one(price)).0;
    format!("{}{}", mark(price), grouped_to(usd, places))
}

/// Returns the likely price of one of the accelerators of a machine.
pub fn likely_of_one(price: &PriceOut<'_>) -> Num {
    let likely = price.likely_usd_per_hour.0 / price.usd_per_hour.0;
    let share = if likely.is_finite() { likely } else { 1.0 };
    Num(price.usd_per_accelerator_hour.0 * share)
}

/// Returns the prefix of a likely price.
pub fn mark(price: &PriceOut<'_>) -> &'static str {
    if has_drifted(price) || is_hint(price) {
        ESTIMATED
    } else {
        ""
    }
}

/// Formats the stated price of the machine; empty if it is the likely price.
pub fn stated(price: &PriceOut<'_>, money: &Money<'_>, places: usize) -> String {
    if has_drifted(price) {
        grouped_to(money.from_usd(price.usd_per_hour).0, places)
    } else {
        String::new()
    }
}

/// Formats the total of a row at a price, with its prefix; `?` if the total is unknown.
pub fn total(usd: Option<Num>, price: Option<&PriceOut<'_>>, money: &Money<'_>) -> String {
    let Some(usd) = usd else {
        return "?".to_owned();
    };
    let mark = price.map_or("", mark);
    format!("{mark}{}", grouped_to(money.from_usd(usd).0, 2))
}

/// Returns the name of the kind of a price: `list`, `your price`.
pub fn kind_words(kind: PriceKind) -> &'static str {
    match kind {
        PriceKind::Contract => YOURS,
        kind => kind.word(),
    }
}

/// Returns the title of a column with totals: `USD/730 H`.
pub fn total_title(hours: Num, money: &Money<'_>) -> String {
    format!("{}/{} H", money.code, grouped(hours.0))
}

/// Returns what totals are: `730 h on demand, not committed`.
pub fn total_note(hours: Option<Num>, capacity_filter: CapacityFilter) -> Option<String> {
    let hours = grouped(hours?.0);
    let how = match capacity_filter {
        CapacityFilter::Unspecified | CapacityFilter::OnDemand => " on demand",
        CapacityFilter::Spot => " as spot",
        CapacityFilter::Any => "",
    };
    Some(format!("{hours} h{how}, not committed"))
}

/// The mark of the age of a spot price in a column that has prices of both kinds.
pub const SPOT: &str = " spot";

/// Formats the age of a price with the mark of its kind, or with its tier: `9d list`, `9d community`, `5mo mkt`, `6mo
/// term` of a commitment, `live`.
pub fn age(price: &PriceOut<'_>) -> String {
    age_of(price.kind, price.tier, price.age_days)
}

/// Same as [`age`], for the parts of a price.
pub fn age_of(kind: PriceKind, tier: Option<&str>, days: Option<i32>) -> String {
    let mark = match kind {
        PriceKind::Live => return PriceKind::Live.word().to_owned(),
        // Tiers are of different hosts, such as of private ones.
        PriceKind::List => tier.unwrap_or("list"),
        PriceKind::Snapshot => "mkt",
        PriceKind::Estimate => "est",
        PriceKind::Contract => "yours",
        PriceKind::Committed => "term",
    };
    format!("{} {mark}", in_short(days))
}

/// Formats what a likely price rests on, the most important first: `2mo list, stated $1.99, unconfirmed`.
pub fn basis(price: &PriceOut<'_>, money: &Money<'_>) -> String {
    let stated = has_drifted(price).then(|| format!("stated {}", money.text(price.usd_per_hour)));
    let doubts = price.doubts.iter().copied().filter_map(reason_words);
    let words = std::iter::once(age(price)).chain(stated).chain(doubts);
    words.collect::<Vec<_>>().join(", ")
}

/// Formats an age in days: `9d`, `5mo`, `2y`.
pub fn in_short(days: Option<i32>) -> String {
    const DAYS_OF_TWO_MONTHS: i32 = 61;
    const DAYS_OF_TWO_YEARS: i32 = 730;
    match days {
        None => "?".to_owned(),
        // The day of another time zone may be tomorrow.
        Some(days) if days < -1 => "future".to_owned(),
        Some(days) if days < DAYS_OF_TWO_MONTHS => format!("{}d", days.max(0)),
        Some(days) if days < DAYS_OF_TWO_YEARS => format!("{}mo", days * 12 / 365),
        Some(days) => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::{PriceKind, in_short, kind_words};

    #[test]
    fn the_price_of_a_contract_is_yours() {
        assert_eq!(kind_words(PriceKind::Contract), "your price");
        assert_eq!(kind_words(PriceKind::List), "list");
    }

    #[test]
    fn ages_have_one_unit() {
        let cases = [
            (None, "?"),
            (Some(-30), "future"),
            (Some(-1), "0d"),
            (Some(0), "0d"),
            (Some(60), "60d"),
            (Some(61), "2mo"),
            (Some(364), "11mo"),
            (Some(729), "23mo"),
            (Some(730), "2y"),
        ];
        for (days, text) in cases {
            assert_eq!(in_short(days), text, "{days:?}");
        }
    }
}
