use sky_accel_engine::{Engine, Money, OfferFilter, ResolveRequest};

use super::*;

/// The titles of a table of the first undoubted offers of H100 at each width.
fn titles(capacity_filter: CapacityFilter) -> Vec<String> {
    let request = ResolveRequest {
        specs: vec!["H100".into()],
        offers: OfferFilter {
            capacity_type: capacity_filter,
            ..OfferFilter::default()
        },
        ..ResolveRequest::default()
    };
    let answer = Engine::embedded().resolve(&request).unwrap();
    let offers = answer.envelope.results.iter();
    let offers: Vec<_> = offers
        .filter(|offer| !is_doubtful(offer))
        .take(10)
        .collect();
    let titles = |width| {
        let table = OfferTable {
            lead: None,
            offers: offers.clone(),
            capacity_filter,
            money: Money::DOLLARS,
            wide: false,
            is_by_one: false,
        };
        table.build().laid_out(width).header()
    };
    (80..220).step_by(5).map(titles).collect()
}

#[test]
fn a_remark_is_worth_more_than_a_spot_price_that_nobody_asked_for() {
    let unspecified = titles(CapacityFilter::Unspecified);
    let has = |title: &str| unspecified.iter().any(|titles| titles.contains(title));
    assert!(has("SPOT") && has("REMARK"), "{unspecified:?}");
    for titles in &unspecified {
        assert!(
            titles.contains("REMARK") || !titles.contains("SPOT"),
            "{titles}"
        );
    }
}
