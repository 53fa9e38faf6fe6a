//! A million changes to the bytes of a compiled catalog, and fewer without optimization: opening it
//! fails, or requests run without a panic.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use fastrand::Rng;
use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{CapacityType, Catalog};
use sky_accel_core::money::Usd;
use sky_accel_core::plan;
use sky_accel_core::resolve::{Request, resolve};
use sky_accel_embedded::CATALOG;

/// Unoptimized code takes minutes for a million.
const CHANGES: u64 = if cfg!(debug_assertions) {
    5_000
} else {
    1_000_000
};
/// The number of changes to the same file before it is restored.
const AT_ONCE: u64 = 8;

const SPECS: [&str; 8] = [
    "H100:x1+",
    "any:16GB:x2+",
    "H100:x8",
    "A100:80GB",
    "any:24GB",
    "p5.48xlarge",
    "H100:mig=3g.40gb",
    "vendor=amd:x8",
];

#[test]
fn changed_catalogs_never_panic() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || change(thread, CHANGES / threads));
        }
    });
}

fn change(seed: u64, changes: u64) {
    let mut random = Rng::with_seed(seed);
    let intact = CATALOG.to_bytes();
    let mut file = intact.clone();
    let mut places = Vec::new();
    for turn in 0..changes {
        if turn % AT_ONCE == 0 {
            for place in places.drain(..) {
                file[place] = intact[place];
            }
        }
        // The header has few bytes but decides most, so it gets more changes.
        let end = if random.u8(..) < 4 { 400 } else { file.len() };
        let place = random.usize(..end);
        file[place] = match random.u8(..4) {
            0 => 0,
            1 => u8::MAX,
            2 => file[place] ^ 1 << random.u8(..8),
            _ => random.u8(..),
        };
        places.push(place);
        if let Ok(catalog) = Catalog::open(&file) {
            ask(&catalog, SPECS[random.usize(..SPECS.len())], &mut random);
        }
    }
}

/// Reads the references of a random offer, and sometimes resolves a spec.
fn ask(catalog: &Catalog<'_>, spec: &str, random: &mut Rng) {
    let offers = catalog.offers.len();
    if offers > 0 {
        let offer = catalog.offers.at(random.usize(..offers));
        let _ = (catalog.str(offer.id), catalog.provider_id(offer.provider));
        for price in catalog.prices(&offer) {
            let _ = (
                catalog.str(price.source),
                price.region.map(|id| catalog.region_id(id)),
            );
            let _ = (
                price.capacity == CapacityType::Spot,
                price.of_one(offer.count),
            );
        }
    }
    if random.u8(..) < 64
        && let Ok(wanted) = interpret(catalog, spec)
    {
        let limit = random.bool().then_some(3);
        let request = Request {
            limit,
            at_least: random.bool(),
            ..Request::default()
        };
        let _ = resolve(catalog, &wanted, &request);
        if random.u8(..) < 16 {
            let request = plan::Request {
                offers: request,
                capacity_order: plan::CapacityOrder::SpotFirst,
                objective: plan::PlanObjective::Obtainability,
                exact: random.bool(),
                distinct_regions: random.bool(),
                nodes: 2,
                hours: Some(10.0),
                budget: random.bool().then_some(Usd(1_000_000_000)),
                cuda: None,
                reserved: None,
                limit: 5,
            };
            let _ = plan::plan(catalog, &wanted, &request, &plan::Offline);
        }
    }
}
