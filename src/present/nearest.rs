//! Answers without a certain match: what left out which offers, and the nearest alternatives.

use sky_accel_core::catalog::OfferKind;
use sky_accel_core::resolve::{CapacityFilter, Stage};
use sky_accel_core::text::{grouped, number};
use sky_accel_engine::Money;
use sky_accel_engine::contract::{FunnelOut, NearestOut};

use super::offers::{DOUBT_MARK, ENDPOINT, SHARE, is_price_doubtful};
use super::{prices, stock};

/// Returns the messages for a spec without a certain match: the funnel, and alternatives with the ages of
/// their prices.
pub fn nothing_lines(
    heading: String,
    funnel: &[FunnelOut],
    nearest: &[NearestOut<'_>],
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
    ages: Option<String>,
) -> Vec<String> {
    let mut lines = vec![heading];
    let choices = funnel.chunk_by(|_, next| next.stage != Stage::Family);
    lines.extend(choices.map(|choice| {
        let steps = choice
            .iter()
            .map(|step| format!("{} {}", step.remaining, step.label));
        format!("  {}", steps.collect::<Vec<_>>().join(" → "))
    }));
    if nearest.is_empty() {
        lines.push("  no considered provider sells similar hardware".to_owned());
    } else {
        lines.extend(nearest_lines("nearest:", nearest, capacity_filter, money));
        lines.extend(ages);
    }
    lines
}

/// Returns the suggested commands after a search without results, in a live answer or in the catalog.
pub fn no_instance_advice(is_live: bool) -> String {
    let live = if is_live {
        ""
    } else {
        "add --live to see what is in stock; "
    };
    format!("{live}sky-accel watch waits for an offer; for more help: sky-accel help no-instance")
}

/// Lists the alternatives under a heading, one per line.
pub fn nearest_lines(
    heading: &str,
    nearest: &[NearestOut<'_>],
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
) -> Vec<String> {
    let line = |near: &NearestOut<'_>| {
        let offer = &near.offer;
        let leading = offer.ranking_quote(capacity_filter);
        let spot = if capacity_filter == CapacityFilter::Spot {
            "spot "
        } else {
            ""
        };
        let price = match leading {
            Some(price) => {
                let each = if near.nodes.is_some() { " each" } else { "" };
                let mark = if prices::has_drifted(price) {
                    prices::ESTIMATED
                } else {
                    ""
                };
                let has_several = offer.count.0 > 1.0;
                let of_one = (has_several || offer.count.0 < 1.0).then(|| {
                    let usd = money.text(prices::likely_of_one(price));
                    format!(", {mark}{usd} per GPU")
                });
                let of_one = of_one.unwrap_or_default();
                let total = offer.usd_total.zip(offer.hours).map(|(usd, hours)| {
                    let hours = grouped(hours.0);
                    format!(", {mark}{} for {hours} h", money.text(usd))
                });
                let total = total.unwrap_or_default();
                let doubt = if is_price_doubtful(price) {
                    DOUBT_MARK
                } else {
                    ""
                };
                format!(
                    "{spot}{doubt}{mark}{} per hour{each}{of_one}{total} ({})",
                    money.text(price.likely_usd_per_hour),
                    prices::basis(price, money)
                )
            }
            None => format!("{spot}price unknown"),
        };
        let place = leading.and_then(|p| p.region).map(|r| format!(" in {r}"));
        let product = match offer.sells {
            OfferKind::Share => format!(", {SHARE}"),
            OfferKind::Endpoint => format!(", {ENDPOINT}"),
            _ => String::new(),
        };
        let nodes = near
            .nodes
            .map(|nodes| format!("{nodes} x "))
            .unwrap_or_default();
        let status =
            stock::obstacle(offer, capacity_filter).map(|obstacle| format!(", {obstacle}"));
        let status = status.unwrap_or_default();
        format!(
            "  {:<18} {nodes}{} {}, {} x {}{product}, {price}{}{status}",
            near.relation,
            offer.provider,
            offer.instance_type,
            number(offer.count.0),
            offer.accelerator,
            place.unwrap_or_default(),
        )
    };
    std::iter::once(heading.to_owned())
        .chain(nearest.iter().map(line))
        .collect()
}

#[cfg(test)]
mod tests {
    use sky_accel_core::resolve::Relation;
    use sky_accel_engine::contract::Num;
    use sky_accel_engine::{Engine, ResolveRequest};

    use super::*;

    #[test]
    fn a_share_has_its_name_and_the_price_of_a_whole_accelerator() {
        let request = ResolveRequest {
            specs: vec!["H100".into()],
            ..ResolveRequest::default()
        };
        let answer = Engine::embedded().resolve(&request).unwrap();
        let mut offer = answer.envelope.results.into_iter().next().unwrap();
        let line = |offer: &sky_accel_engine::contract::OfferOut<'static>| {
            let near = [NearestOut {
                relation: Relation::Smaller,
                nodes: None,
                offer: offer.clone(),
            }];
            let filter = CapacityFilter::Unspecified;
            nearest_lines("", &near, filter, &Money::DOLLARS).remove(1)
        };
        let whole = line(&offer);
        assert!(
            !whole.contains(SHARE) && !whole.contains("per GPU"),
            "{whole}"
        );
        (offer.sells, offer.count) = (OfferKind::Share, Num(0.5));
        let share = line(&offer);
        assert!(share.contains(", share of a GPU, "), "{share}");
        assert!(share.contains(" per GPU"), "{share}");
    }
}
