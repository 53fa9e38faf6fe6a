use sky_accel_catalog::{Layer, Source, compile};
use sky_accel_core::bind::{BoundChoice, interpret};
use sky_accel_core::catalog::ProviderId;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{
    CapacityFilter, DropCode, LikelyPrice, LikelyPrices, Match, PriceBasis, PriceTier, Quote,
    Reason, RegionFilter, Relation, Request, Resolution, Sort, Stage, cheapest_to_cut, resolve,
};

use super::{bound, catalog, one};

fn provider(id: &str) -> ProviderId {
    catalog().provider_named(id).unwrap()
}

fn regions(patterns: &[&str]) -> RegionFilter {
    let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    RegionFilter::new(&catalog(), &patterns, &[]).unwrap()
}

fn dollars(usd: f64) -> Usd {
    Usd::from_decimal(usd).unwrap()
}

fn answer(spec: &str, request: &Request) -> Resolution {
    resolve(&catalog(), &bound(spec), request)
}

/// A match as `offer count $on-demand $spot`.
fn shown(found: &Match) -> String {
    let usd = |quote: Option<Quote>| {
        quote.map_or("-".to_owned(), |quote| quote.usd.decimal().to_string())
    };
    format!(
        "{} x{} {} {}",
        catalog().str(catalog().offer(found.offer).id),
        found.count,
        usd(found.on_demand),
        usd(found.spot)
    )
}

#[track_caller]
fn expect(spec: &str, request: &Request, expected: &[&str]) {
    let matches: Vec<String> = answer(spec, request).matches.iter().map(shown).collect();
    assert_eq!(matches, expected, "{spec}");
}

fn relations(answer: &Resolution) -> Vec<(Relation, String, u32)> {
    let nearest = answer.nearest.iter();
    nearest
        .map(|near| (near.relation, shown(&near.found), near.nodes))
        .collect()
}

#[test]
fn hosts_below_a_minimum_or_unknown_are_left_out() {
    let with = |min_vcpu, min_host_memory_gib| Request {
        min_vcpu,
        min_host_memory_gib,
        explain: true,
        ..Request::default()
    };
    let verdict = |request: &Request, id: &str| {
        let answer = answer("Big-80GB-SXM:x8", request);
        let mut considered = answer.considered.into_iter();
        let found = considered.find(|offer| catalog().str(catalog().offer(offer.offer).id) == id);
        found.and_then(|offer| offer.dropped)
    };
    assert_eq!(verdict(&with(Some(96.0), Some(1024.0)), "big.8"), None);
    assert_eq!(
        verdict(&with(Some(97.0), None), "big.8"),
        Some(DropCode::HostTooSmall)
    );
    assert_eq!(
        verdict(&with(None, Some(1025.0)), "big.8"),
        Some(DropCode::HostTooSmall)
    );
    assert_eq!(
        verdict(&with(Some(1.0), None), "big.block"),
        Some(DropCode::HostUnknown)
    );
    assert_eq!(DropCode::HostUnknown.stage(), Stage::Host);
    let per_accelerator = answer("Big-80GB-SXM:x1..2", &with(None, Some(150.0)));
    let found: Vec<String> = per_accelerator.matches.iter().map(shown).collect();
    assert_eq!(found, ["Big SXM x2 16 -"]);
}

#[test]
fn matches_have_the_exact_count() {
    let request = Request::default();
    expect(
        "Big-80GB-SXM:x8",
        &request,
        &["big.8 x8 80 40", "big.block x8 - -", "big.old x8 - -"],
    );
    expect("Big-80GB-SXM:x4", &request, &["Big SXM x4 32 -"]);
    expect(
        "Big-80GB-SXM:x1..2",
        &request,
        &["Big SXM x1 8 -", "big.1 x1 11 -", "Big SXM x2 16 -"],
    );
    let at_least = Request {
        at_least: true,
        ..Request::default()
    };
    let larger = answer("Big-80GB-SXM:x4", &at_least);
    let found: Vec<String> = larger.matches.iter().map(shown).collect();
    assert_eq!(found[..2], ["Big SXM x4 32 -", "big.8 x8 80 40"]);
    assert_eq!(larger.matches[0].reasons, []);
    assert_eq!(larger.matches[1].reasons, [Reason::Larger]);
}

#[test]
fn the_default_region_is_quoted_unless_a_region_is_requested() {
    let request = |patterns: &[&str], capacity_filter| Request {
        regions: Some(regions(patterns)),
        capacity_filter,
        providers: vec![provider("fixed")],
        ..Request::default()
    };
    let first = |request: &Request| shown(&answer("Big-80GB-SXM:x8", request).matches[0]);
    let default = CapacityFilter::Unspecified;
    assert_eq!(first(&request(&["west"], default)), "big.8 x8 72 44");
    // The cheapest requested region, but never a region with a separate account.
    assert_eq!(first(&request(&["US"], default)), "big.8 x8 72 44");
    assert_eq!(first(&request(&["gov"], default)), "big.8 x8 60 -");
    assert_eq!(first(&request(&["america"], default)), "big.8 x8 72 44");
    let anywhere = Request {
        capacity_filter: CapacityFilter::Spot,
        ..Request::default()
    };
    assert_eq!(first(&anywhere), "big.8 x8 80 40");
    let lowest = Request {
        capacity_filter: CapacityFilter::Any,
        ..Request::default()
    };
    assert_eq!(first(&lowest), "big.8 x8 60 40");
}

#[test]
fn region_patterns_must_match() {
    let error = RegionFilter::new(&catalog(), &["wset".to_owned()], &[]).unwrap_err();
    assert_eq!(error.pattern, "wset");
    assert_eq!(error.suggestions, ["west"]);
    let other = RegionFilter::new(&catalog(), &["west".to_owned()], &[provider("free")]);
    assert!(other.is_err());
    let closed = regions(&["closed"]);
    assert!(!closed.allows_provider(provider("fixed")));
    let filter = regions(&["F*"]);
    assert!(filter.allows_provider(provider("free")));
    assert!(!filter.allows_provider(provider("fixed")));
}

#[test]
fn unknown_regions_of_an_offer_are_unverified() {
    let request = Request {
        regions: Some(regions(&["FR"])),
        ..Request::default()
    };
    let found = answer("Big-80GB-SXM:x4", &request);
    assert_eq!(found.matches[0].reasons, [Reason::RegionUnverified]);
    assert!(!found.has_verified());
    assert!(answer("Big-80GB-SXM:x4", &Request::default()).has_verified());
}

#[test]
fn price_tiers_select_prices() {
    let request = |tier: &str| Request {
        price_tier: PriceTier::parse(&catalog(), tier).unwrap(),
        ..Request::default()
    };
    expect("Big-80GB-SXM:x4", &request("secure"), &["Big SXM x4 36 -"]);
    expect(
        "Big-80GB-SXM:x4",
        &request("COMMUNITY"),
        &["Big SXM x4 32 -"],
    );
    expect("Big-80GB-SXM:x4", &request("any"), &["Big SXM x4 32 -"]);
    // Providers without tiers pass; a tier without a price does not.
    let small = answer("Small:x1", &request("secure"));
    let offers: Vec<String> = small.matches.iter().map(shown).collect();
    assert_eq!(offers, ["Small x1 - -"]);
    let error = PriceTier::parse(&catalog(), "gold").unwrap_err();
    assert_eq!(error.known, ["secure", "community", "any"]);
}

#[test]
fn a_price_limit_hides_expensive_and_unpriced_machines() {
    let request = |usd| Request {
        max_price: Some(dollars(usd)),
        ..Request::default()
    };
    expect("Big-80GB-SXM:x8", &request(80.0), &["big.8 x8 80 40"]);
    let nothing = answer("Big-80GB-SXM:x8", &request(79.99));
    assert!(nothing.matches.is_empty());
    assert!(relations(&nothing).contains(&(Relation::HigherPrice, "big.8 x8 80 40".to_owned(), 1)));
}

#[test]
fn sort_keys_divide_by_count_memory_and_speed() {
    let order = |sort| -> Vec<String> {
        let request = Request {
            sort,
            at_least: true,
            providers: vec![provider("fixed")],
            ..Request::default()
        };
        let answer = answer("Big:x1", &request);
        let priced = answer.matches.iter().filter(|m| m.on_demand.is_some());
        priced
            .map(|m| catalog().str(catalog().offer(m.offer).id).to_owned())
            .collect()
    };
    assert_eq!(order(Sort::Price), ["big.1", "pcie.2", "big40.4", "big.8"]);
    assert_eq!(
        order(Sort::PricePerGpu),
        ["big40.4", "pcie.2", "big.8", "big.1"]
    );
    assert_eq!(
        order(Sort::PricePerGb),
        ["pcie.2", "big40.4", "big.8", "big.1"]
    );
    assert_eq!(
        order(Sort::PricePerTflop),
        ["big.8", "big.1", "big40.4", "pcie.2"]
    );
}

#[test]
fn capacity_types_exclude_other_statuses() {
    let on_demand = Request {
        capacity_filter: CapacityFilter::OnDemand,
        ..Request::default()
    };
    expect(
        "Big-80GB-SXM:x8",
        &on_demand,
        &["big.8 x8 80 40", "big.old x8 - -"],
    );
}

/// A request with the likely prices of a day.
fn on(today: &str) -> Request {
    Request {
        likely: Some(LikelyPrices::on(today)),
        ..Request::default()
    }
}

/// The quote of the only match with this id.
fn quote_of(spec: &str, request: &Request, id: &str) -> Quote {
    let matches = answer(spec, request).matches;
    let mut named = matches
        .iter()
        .filter(|found| catalog().str(catalog().offer(found.offer).id) == id);
    named.next().unwrap().on_demand.unwrap()
}

#[test]
fn old_prices_move_toward_the_median_of_the_market() {
    // Prices of `fixed` are valid for 30 days. The lowest prices for one device are $7.50 and $8.
    let fresh = quote_of("Big-80GB-SXM:x1", &on("2026-01-10"), "big.1");
    assert_eq!((fresh.likely.usd, fresh.age_days), (dollars(11.0), Some(9)));
    // 0.9 to the power of 60 days in months is 0.8125, and 11^0.8125 x 7.75^0.1875 is 10.3.
    let old = quote_of("Big-80GB-SXM:x1", &on("2026-03-02"), "big.1");
    assert_eq!((old.usd, old.age_days), (dollars(11.0), Some(60)));
    assert_eq!(old.likely.usd, dollars(10.3));
    // The band of two months is nearly halfway between 10 and 30 %.
    assert_eq!(old.likely.high(), dollars(12.33));
    assert_eq!(old.likely.low(), dollars(8.604));
}

#[test]
fn spot_prices_of_large_hosts_move_toward_the_market_of_large_hosts() {
    let likely = |more: &str| {
        let spot = Request {
            capacity_filter: CapacityFilter::Spot,
            ..on("2026-03-02")
        };
        let tables = compile(&[
            Source::toml(Layer::EMBEDDED, "a.toml", include_str!("catalog.toml")),
            Source::toml(Layer::EMBEDDED, "b.toml", include_str!("mig.toml")),
            Source::toml(Layer::EMBEDDED, "c.toml", more.to_owned()),
        ])
        .unwrap();
        let catalog = tables.catalog();
        let matches = resolve(&catalog, &interpret(&catalog, "Lone:x1").unwrap(), &spot).matches;
        ["lone.1", "lone.1.wide"].map(|id| {
            let mut named = matches.iter();
            let found = named.find(|found| catalog.str(catalog.offer(found.offer).id) == id);
            found.unwrap().spot.unwrap().likely.usd
        })
    };
    let other = "[[offer]]\nprovider = \"free\"\nid = \"lone\"\naccelerator = \"Lone-16GB\"\nstatus = \"offered\"\n\
        source = \"test\"\nas_of = \"2026-01-01\"\n\
        [[price]]\nprovider = \"free\"\noffer = \"lone\"\ncapacity_type = \"spot\"\nkind = \"list\"\n\
        source = \"test\"\nas_of = \"2026-01-01\"\ncount = 1\nusd_per_hour = 0.4\n";
    // The median of the market is $0.40, and the wide host costs four times as much on demand: 1.2^0.8125 × 1.6^0.1875.
    assert_eq!(likely(other), [0.4, 1.267].map(dollars));
    // The median needs two providers.
    assert_eq!(likely(""), [0.4, 1.2].map(dollars));
}

#[test]
fn stated_prices_stay_on_request() {
    let stated = Request {
        likely: Some(LikelyPrices::on("2026-03-02").with_basis(PriceBasis::Stated)),
        ..Request::default()
    };
    let quote = quote_of("Big-80GB-SXM:x1", &stated, "big.1");
    assert_eq!(quote.likely, LikelyPrice::exactly(dollars(11.0)));
    assert_eq!(quote.age_days, Some(60));
}

#[test]
fn price_limits_hold_for_likely_prices() {
    let limited = |max: f64| Request {
        max_price: Some(dollars(max)),
        providers: vec![provider("fixed")],
        ..on("2026-03-02")
    };
    expect("Big-80GB-SXM:x1", &limited(10.5), &["big.1 x1 11 -"]);
    expect("Big-80GB-SXM:x1", &limited(10.2), &[]);
}

#[test]
fn a_maximum_age_drops_prices_of_the_future() {
    let priced = |today: &str| {
        let request = Request {
            likely: Some(LikelyPrices::on(today).not_older_than(Some(5))),
            ..Request::default()
        };
        !answer("Big-40GB-SXM:x4", &request).matches.is_empty()
    };
    // The price is of 2026-01-01, and a day is left for time zones.
    assert!(priced("2026-01-06") && priced("2025-12-31"));
    assert!(!priced("2026-01-07") && !priced("2025-12-30"));
}

#[test]
fn a_maximum_age_drops_older_prices() {
    let at_most = |days| Request {
        likely: Some(LikelyPrices::on("2026-01-10").not_older_than(Some(days))),
        ..Request::default()
    };
    // The community price of `free` is of December, its secure price of the day before.
    expect(
        "Big-80GB-SXM:x1",
        &at_most(9),
        &["Big SXM x1 9 -", "big.1 x1 11 -"],
    );
    expect("Big-80GB-SXM:x1", &at_most(8), &["Big SXM x1 9 -"]);
    expect("Big-80GB-SXM:x1", &at_most(0), &[]);
    let explained = Request {
        explain: true,
        ..at_most(8)
    };
    let considered = answer("Big-80GB-SXM:x1", &explained).considered;
    let dropped = considered.iter().any(|offer| {
        catalog().str(catalog().offer(offer.offer).id) == "big.1"
            && offer.dropped == Some(DropCode::PriceTooOld)
    });
    assert!(dropped, "{considered:?}");
}

#[test]
fn past_offers_of_marketplaces_are_unconfirmed() {
    let is_unconfirmed = |today: &str| {
        let matches = answer("Small:x3", &on(today)).matches;
        assert_eq!(shown(&matches[0]), "Small x3 0.9 -");
        matches[0].reasons.contains(&Reason::UnconfirmedPrice)
    };
    assert!(!is_unconfirmed("2026-01-16"));
    assert!(is_unconfirmed("2026-01-17"));
}

#[test]
fn old_prices_of_an_unknown_month_are_unconfirmed() {
    let is_unconfirmed = |spec: &str, today: &str| {
        let matches = answer(spec, &on(today)).matches;
        matches[0].reasons.contains(&Reason::UnconfirmedPrice)
    };
    assert!(!is_unconfirmed("Big-80GB-PCIe:x2", "2026-01-10"));
    assert!(is_unconfirmed("Big-80GB-PCIe:x2", "2026-12-01"));
    // The same age, from a complete date.
    assert!(!is_unconfirmed("Big-40GB-SXM:x4", "2026-12-01"));
}

#[test]
fn prices_of_one_source_are_unconfirmed_after_a_year_and_before_their_date() {
    let is_unconfirmed = |today: &str| {
        let matches = answer("Big-40GB-SXM:x4", &on(today)).matches;
        matches[0].reasons.contains(&Reason::UnconfirmedPrice)
    };
    let price = catalog().price(
        answer("Big-40GB-SXM:x4", &on("2026-12-01")).matches[0]
            .on_demand
            .unwrap()
            .price,
    );
    assert_eq!(catalog().str(price.as_of), "2026-01-01");
    assert!(!is_unconfirmed("2027-01-01"));
    assert!(is_unconfirmed("2027-01-02"));
    // A day is left for time zones.
    assert!(!is_unconfirmed("2025-12-31"));
    assert!(is_unconfirmed("2025-12-30"));
}

#[test]
fn third_parties_confirm_a_price_for_half_a_year() {
    let price = |source: &str| {
        format!(
            "[[price]]\nprovider = \"fixed\"\noffer = \"big40.4\"\nkind = \"list\"\nquality = \"aggregator\"\n\
             source = \"{source}\"\nas_of = \"2026-01-01\"\nusd_per_hour = {{ east = 16.0 }}\n"
        )
    };
    let more = [price("one index"), price("another index")].concat();
    let tables = compile(&[
        Source::toml(Layer::EMBEDDED, "a.toml", include_str!("catalog.toml")),
        Source::toml(Layer::EMBEDDED, "b.toml", include_str!("mig.toml")),
        Source::toml(Layer::EMBEDDED, "c.toml", more),
    ])
    .unwrap();
    let catalog = tables.catalog();
    let wanted = interpret(&catalog, "Big-40GB-SXM:x4").unwrap();
    let is_unconfirmed = |today: &str| {
        let matches = resolve(&catalog, &wanted, &on(today)).matches;
        matches[0].reasons.contains(&Reason::UnconfirmedPrice)
    };
    assert!(!is_unconfirmed("2026-06-30"));
    assert!(is_unconfirmed("2026-07-01"));
}

#[test]
fn the_owner_comes_before_a_broker_at_the_same_price() {
    // The broker is the first provider of the catalog.
    let broker = "[[provider]]\nid = \"a-broker\"\nname = \"Broker\"\nsells = \"instance-types\"\nbroker = true\n\
        price_max_age_days = 30\ndata_centers = [{ id = \"b-1\", country = \"US\" }]\n\
        [[offer]]\nprovider = \"a-broker\"\nid = \"resold\"\naccelerator = \"Big-40GB-SXM\"\ncount = 4\n\
        source = \"test\"\nas_of = \"2026-01-01\"\n";
    let ids = |usd: f64| {
        let price = format!(
            "[[price]]\nprovider = \"a-broker\"\noffer = \"resold\"\nkind = \"list\"\nquality = \"provider\"\n\
             source = \"test\"\nas_of = \"2026-01-01\"\nusd_per_hour = {usd}\n"
        );
        let tables = compile(&[
            Source::toml(Layer::EMBEDDED, "0.toml", [broker, &price].concat()),
            Source::toml(Layer::EMBEDDED, "a.toml", include_str!("catalog.toml")),
            Source::toml(Layer::EMBEDDED, "b.toml", include_str!("mig.toml")),
        ])
        .unwrap();
        let catalog = tables.catalog();
        let wanted = interpret(&catalog, "Big-40GB-SXM:x4").unwrap();
        let matches = resolve(&catalog, &wanted, &Request::default()).matches;
        let ids = matches
            .iter()
            .map(|found| catalog.str(catalog.offer(found.offer).id));
        ids.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(ids(16.0), ["big40.4", "resold"]);
    assert_eq!(ids(15.9), ["resold", "big40.4"]);
}

#[test]
fn prices_far_below_all_others_are_implausible() {
    // $7.50 for a device is less than 95 % of the $8 of the other provider.
    let in_gov = Request {
        regions: Some(regions(&["gov"])),
        ..on("2026-01-10")
    };
    let cheap = answer("Big-80GB-SXM:x8", &in_gov).matches;
    assert_eq!(shown(&cheap[0]), "big.8 x8 60 -");
    assert!(cheap[0].reasons.contains(&Reason::ImplausiblePrice));
    let usual = answer("Big-80GB-SXM:x8", &on("2026-01-10")).matches;
    assert!(!usual[0].reasons.contains(&Reason::ImplausiblePrice));
}

#[test]
fn the_limit_counts_the_other_matches() {
    let request = Request {
        limit: Some(1),
        ..Request::default()
    };
    let limited = answer("Big-80GB-SXM:x8", &request);
    assert_eq!((limited.matches.len(), limited.left_off), (1, 2));
}

#[test]
fn an_offer_matches_the_first_of_several_choices() {
    let found = answer("Big-80GB-SXM:x8|Big:x8", &Request::default());
    let choices: Vec<usize> = found.matches.iter().map(|m| m.choice).collect();
    assert_eq!(choices, [0, 0, 0]);
    let found = answer("Big-40GB-SXM:x4|Big-80GB-SXM:x4", &Request::default());
    let choices: Vec<usize> = found.matches.iter().map(|m| m.choice).collect();
    assert_eq!(choices, [0, 1], "preference comes before price");
}

#[test]
fn slices_need_gpus_or_ready_made_slices() {
    let found = answer("Big:80GB:mig=2g.20gb*2", &Request::default());
    let offers: Vec<String> = found.matches.iter().map(shown).collect();
    assert!(offers.contains(&"Big 2g x2 4 -".to_owned()), "{offers:?}");
    assert!(offers.contains(&"big.1 x1 11 -".to_owned()), "{offers:?}");
    // The provider of whole GPUs without tenant MIG is excluded.
    assert!(offers.iter().all(|offer| !offer.starts_with("Big SXM")));
    let whole_gpus = answer("Big-80GB-SXM:x2", &Request::default());
    assert!(
        whole_gpus
            .matches
            .iter()
            .all(|m| !shown(m).starts_with("Big 2g"))
    );
}

#[test]
fn the_explanation_has_a_verdict_for_every_offer() {
    let request = Request {
        explain: true,
        providers: vec![provider("fixed")],
        regions: Some(regions(&["west"])),
        ..Request::default()
    };
    let answer = answer("Big-80GB-SXM:x8", &request);
    let verdict = |id: &str| {
        let row = answer
            .considered
            .iter()
            .find(|c| catalog().str(catalog().offer(c.offer).id) == id);
        row.expect(id).dropped
    };
    assert_eq!(verdict("big.8"), None);
    assert_eq!(verdict("big.1"), Some(DropCode::CountDiffers));
    assert_eq!(verdict("big.block"), Some(DropCode::RegionNotSold));
    assert_eq!(verdict("Big SXM"), Some(DropCode::ProviderNotAsked));
    assert_eq!(verdict("pcie.2"), Some(DropCode::OtherVariant));
    assert_eq!(verdict("big40.4"), Some(DropCode::OtherMemory));
    assert_eq!(DropCode::OtherMemory.stage(), Stage::Variant);
    assert_eq!(DropCode::PriceUnknown.stage(), Stage::Price);
}

#[test]
fn an_empty_answer_has_a_funnel_and_alternatives() {
    let request = Request {
        providers: vec![provider("free")],
        ..Request::default()
    };
    let nothing = answer("Big-80GB-SXM:x8", &request);
    let steps: Vec<(Stage, &str, usize)> = nothing
        .funnel
        .iter()
        .map(|step| (step.stage, step.label.as_str(), step.remaining))
        .collect();
    assert_eq!(
        steps,
        [
            (Stage::Family, "Big offers", 8),
            (Stage::Variant, "of the requested variant", 6),
            (Stage::Provider, "from free", 2),
            (Stage::Mig, "that are whole devices", 1),
            (Stage::Count, "with exactly 8 of them", 0),
        ]
    );
    let near = relations(&nothing);
    assert_eq!(
        near[0],
        (Relation::OtherProvider, "big.8 x8 80 40".to_owned(), 1)
    );
    // Two machines of four have eight together.
    assert!(near.contains(&(Relation::MultiNode, "Big SXM x4 32 -".to_owned(), 2)));
    assert!(near.contains(&(Relation::Smaller, "Big SXM x4 32 -".to_owned(), 1)));
}

#[test]
fn alternatives_have_other_counts_regions_and_variants() {
    let near = |spec: &str, request: &Request| relations(&answer(spec, request));
    let fixed = Request {
        providers: vec![provider("fixed")],
        ..Request::default()
    };
    let counts = near("Big-80GB-SXM:x4", &fixed);
    assert!(counts.contains(&(Relation::Larger, "big.8 x8 80 40".to_owned(), 1)));
    assert!(counts.contains(&(Relation::Smaller, "big.1 x1 11 -".to_owned(), 1)));
    assert!(counts.contains(&(Relation::MultiNode, "big.1 x1 11 -".to_owned(), 4)));
    assert!(counts.contains(&(Relation::OtherMemory, "big40.4 x4 16 -".to_owned(), 1)));
    let north = Request {
        regions: Some(regions(&["north"])),
        ..Request::default()
    };
    let elsewhere = near("Big-80GB-SXM:x8", &north);
    assert!(elsewhere.contains(&(Relation::OtherRegion, "big.8 x8 80 40".to_owned(), 1)));
    let similar = near("Red", &Request::default());
    assert_eq!(similar[0].0, Relation::OtherAccelerator);
    assert!(
        similar
            .iter()
            .all(|(_, shown, _)| !shown.starts_with("Small"))
    );
}

#[test]
fn marketplaces_sell_the_listed_counts() {
    let request = Request {
        providers: vec![provider("bazaar")],
        ..Request::default()
    };
    expect("Small:x3", &request, &["Small x3 0.9 -"]);
    expect("Small:x2..4", &request, &["Small x3 0.9 -"]);
    // Any count up to 32 may exist, at an unknown price.
    expect("Small:x32", &request, &["Small x32 - -"]);
    assert!(answer("Small:x33", &request).matches.is_empty());
}

#[test]
fn only_published_counts_are_sold() {
    let request = Request {
        providers: vec![provider("free")],
        ..Request::default()
    };
    expect(
        "Small:x1..8",
        &request,
        &["Small x1 0.5 -", "Small x2 1 -", "Small x4 2 -"],
    );
    assert!(answer("Small:x3", &request).matches.is_empty());
    assert!(answer("Big-80GB-SXM:x5", &request).matches.is_empty());
}

#[test]
fn equal_machines_are_compared_by_their_total() {
    let id = one("Big-80GB-SXM").candidates[0].accelerator;
    let gpus = |gpus| {
        let best = cheapest_to_cut(&catalog(), id, gpus, None).unwrap();
        (shown(&best.machine), best.machines, best.usd)
    };
    assert_eq!(gpus(1), ("big.1 x1 11 -".to_owned(), 1, dollars(11.0)));
    assert_eq!(gpus(7), ("big.1 x1 11 -".to_owned(), 7, dollars(77.0)));
    assert_eq!(gpus(8), ("big.8 x8 80 40".to_owned(), 1, dollars(80.0)));
    assert_eq!(gpus(9), ("big.1 x1 11 -".to_owned(), 9, dollars(99.0)));
    let small = one("Small").candidates[0].accelerator;
    assert!(cheapest_to_cut(&catalog(), small, 1, None).is_none());
}

#[test]
fn host_memory_scales_with_devices_sold_one_by_one() {
    let memory = |spec: &str, providers| {
        let request = Request {
            providers,
            ..Request::default()
        };
        answer(spec, &request).matches[0].host_memory_gib(&catalog())
    };
    assert_eq!(memory("Big-80GB-SXM:x8", vec![]), Some(1024.0));
    assert_eq!(memory("Big-80GB-SXM:x4", vec![]), Some(400.0));
}

#[test]
fn verdicts_do_not_depend_on_other_choices() {
    let choices: Vec<BoundChoice> = bound("Small|Big-80GB-SXM:x8");
    let both = resolve(&catalog(), &choices, &Request::default());
    let single = answer("Big-80GB-SXM:x8", &Request::default());
    let big: Vec<String> = both
        .matches
        .iter()
        .filter(|m| m.choice == 1)
        .map(shown)
        .collect();
    assert_eq!(big, single.matches.iter().map(shown).collect::<Vec<_>>());
}
