//! Tests of generated overlays.

use sky_accel_core::catalog::{Region, RegionId};

use super::fresh::PRICE_OF_NOTHING;
use super::*;
use crate::fixture::{compiled, sources};
use crate::{FreshOffer, Layer, Source, Tables, compile};

/// Returns a live price of the region `east`.
fn live_price(tables: &mut Tables, capacity: CapacityType, usd: f64) -> Price {
    let provider = ProviderId(0);
    let catalog = tables.catalog();
    let is_east = |region: Region| region.provider == provider && catalog.str(region.id) == "east";
    let known = catalog.regions.iter().position(is_east);
    let known = known.map(RegionId::of_index);
    Price {
        kind: PriceKind::Live,
        capacity,
        region: known.or_else(|| tables.add_region(provider, "east", None)),
        usd: Usd::from_decimal(usd).unwrap(),
        ..tables.catalog().prices.at(0)
    }
}

/// Returns the overlay of an answer with these on-demand and spot prices of the offers `g8` and `new`.
fn generated(prices: &[(&str, f64, f64)], is_complete: bool) -> Fresh {
    let base = compiled(&[]).unwrap();
    let mut live = Tables::copy_of(&base.catalog());
    let mut offers = Vec::new();
    for (id, on_demand, spot) in prices {
        let on_demand = live_price(&mut live, CapacityType::OnDemand, *on_demand);
        let spot = live_price(&mut live, CapacityType::Spot, *spot);
        let mut row = Offer::bare(ProviderId(0), live.intern(id), AcceleratorId(0));
        row.count = Some(Count::whole(8));
        offers.push(FreshOffer {
            row,
            accelerators: vec![AcceleratorId(0)],
            regions: on_demand.region.into_iter().collect(),
            prices: vec![on_demand, spot],
        });
    }
    live.replace_offers(&[ProviderId(0)], offers);
    let base_catalog = base.catalog();
    let origin = Origin {
        provider: ProviderId(0),
        source: "acme API",
        day: "2026-11-20",
        is_complete,
        precedence: None,
    };
    overlay(&base_catalog, &base_catalog, &live.catalog(), origin)
}

fn compile_with(text: &str) -> Tables {
    let mut sources = sources(&[]);
    sources.push(Source::toml(
        Layer::overlay(0),
        "live-acme.toml",
        text.to_owned(),
    ));
    compile(&sources).unwrap()
}

#[test]
fn writes_new_offers_and_prices() {
    let overlay = generated(&[("g8", 15.0, 9.0), ("new", 20.0, 25.0)], true);
    // The spot price of `new` is above its on-demand price.
    assert_eq!(
        (overlay.types, overlay.prices, overlay.left_out.rows()),
        (2, 3, 1)
    );
    let tables = compile_with(&overlay.text);
    let catalog = tables.catalog();
    let usd = |id: &str| -> Vec<u64> {
        let offer = catalog.offers_with_id(ProviderId(0), id).next().unwrap();
        let prices = catalog.prices(&catalog.offer(offer)).iter();
        let east = prices.filter(|price| {
            price
                .region
                .is_some_and(|region| catalog.region_id(region) == "east")
        });
        east.map(|price| price.usd.0).collect()
    };
    assert_eq!(usd("g8"), [15_000_000, 9_000_000]);
    assert_eq!(usd("new"), [20_000_000]);
}

#[test]
fn leaves_out_entries_by_line_with_the_prices_of_their_offers() {
    let overlay = generated(&[("g8", 15.0, 9.0), ("new", 20.0, 12.0)], true);
    let line_of = |text: &str| {
        let before = overlay.text.split(text).next().unwrap();
        before.matches('\n').count() + 1
    };
    let mut without_offer = overlay.clone();
    let removed = without_offer.leave_out(&[(line_of("id = \"new\""), "is wrong")]);
    assert_eq!(removed, 3);
    assert!(
        !without_offer.text.contains("\"new\""),
        "{}",
        without_offer.text
    );
    assert_eq!((without_offer.types, without_offer.left_out.rows()), (1, 3));
    let reasons: Vec<_> = without_offer.left_out.reasons().collect();
    assert_eq!(reasons, [("new: is wrong", 1), (PRICE_OF_NOTHING, 2)]);
    compile_with(&without_offer.text);

    let mut without_price = overlay.clone();
    without_price.leave_out(&[(line_of("capacity_type = \"spot\""), "")]);
    assert_eq!((without_price.types, without_price.prices), (2, 3));
    assert_eq!(
        without_price
            .text
            .matches("capacity_type = \"spot\"")
            .count(),
        1
    );

    // Lines of the heading belong to no entry.
    let mut same = overlay.clone();
    let removed = same.leave_out(&[(1, ""), (2, ""), (line_of("sold_by"), "")]);
    assert_eq!(removed, 0);
    assert_eq!(same.text, overlay.text);
}
