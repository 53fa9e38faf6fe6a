//! Merges listings into the tables of a catalog.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sky_accel_catalog::{FreshOffer, Tables};
use sky_accel_core::catalog::{AcceleratorId, Catalog, ProviderId, Str};
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::text::some_of;
use sky_accel_providers::{CacheMode, ErrorKind, Listing, ProviderError};

use crate::answers::{Live, ProviderAnswer, QueryOutcome, Unreached};
use crate::ask::Listings;
use crate::identify::Identifier;
use crate::request::LiveRequest;
use crate::rows::OfferRowBuilder;
use crate::skipped::{not_asked, not_cached, notes, nothing_usable, sells_none};

/// Replaces the offers of the queried providers by their answers. Offers that a failed or incomplete
/// answer does not reach stay as the catalog has them, so that an answer never has fewer providers
/// than the catalog. The result is incomplete if `is_stopped` becomes true.
pub(crate) fn merge_into_catalog(
    catalog: &Catalog<'_>,
    listings: Listings,
    request: &LiveRequest,
    is_stopped: &dyn Fn() -> bool,
) -> Live {
    let mut live = Live {
        tables: Tables::copy_of(catalog),
        machines: request.machines.max(1),
        extras: BTreeMap::new(),
        answers: Vec::new(),
        notes: Vec::new(),
    };
    let identifier = Identifier::new(catalog);
    let mut from_catalog = Vec::new();
    let mut fresh = Vec::new();
    for (provider, listing) in listings {
        let answer = match listing {
            // The provider has no part in the answer.
            Some(Ok(listing)) if listing.asked_nothing => {
                if request.required.contains(&provider) {
                    live.notes.push(sells_none(catalog.provider_id(provider)));
                }
                continue;
            }
            Some(Ok(mut listing)) => {
                if !request.confidential {
                    leave_out_confidential(&mut listing);
                }
                let parts = (&identifier, provider);
                answered(parts, listing, &mut live, &mut fresh, is_stopped)
            }
            Some(Err(error)) => unanswered(provider, error, request, &mut live.notes),
            None => ProviderAnswer {
                provider,
                outcome: QueryOutcome::FromCatalog,
                problems: Vec::new(),
                is_whole: true,
                unreached: Unreached::None,
            },
        };
        if !matches!(answer.outcome, QueryOutcome::Answered { .. }) {
            from_catalog.push(provider);
        }
        live.answers.push(answer);
    }
    // The cause of many rows comes before the notes on single providers.
    let not_cached = not_cached(&live);
    live.notes.splice(0..0, not_cached);
    live.notes.extend(no_source(catalog, &live, request));
    // The offers of providers that were not asked stay, because likely prices follow from the prices of all providers.
    let asked = live.answers.iter().map(|answer| answer.provider);
    let replaced: Vec<ProviderId> = asked.filter(|id| !from_catalog.contains(id)).collect();
    live.tables.replace_offers(&replaced, fresh);
    live
}

/// Removes the answers on stock that must not be shared, so that no figure derived from them can be shared either.
fn leave_out_confidential(listing: &mut Listing) {
    for offer in &mut listing.offers {
        offer.obtainability.retain(|record| !record.is_confidential);
    }
}

/// Adds the offers of an answer to `fresh`.
fn answered(
    (identifier, provider): (&Identifier<'_>, ProviderId),
    listing: Listing,
    live: &mut Live,
    fresh: &mut Vec<FreshOffer>,
    is_stopped: &dyn Fn() -> bool,
) -> ProviderAnswer {
    let outcome = QueryOutcome::Answered {
        fetched_at: listing.fetched_at,
        cached: listing.cached,
        types_at: listing.types_at,
        access: listing.access,
    };
    let mut builder = OfferRowBuilder::new(identifier, live, provider, &listing);
    let listed = listing.offers.iter().take_while(|_| !is_stopped());
    let offers: Vec<FreshOffer> = listed.filter_map(|offer| builder.offer(offer)).collect();
    let id = identifier.catalog.provider_id(provider);
    let failure = if offers.is_empty() {
        nothing_usable(id, &listing, &builder.skipped)
    } else {
        None
    };
    let mut unreached = Unreached::None;
    if failure.is_some() {
        unreached = Unreached::All;
    } else {
        let is_cut = !listing.problems.is_empty();
        if is_cut || listing.lists_types.is_some() {
            let id = |offer: &FreshOffer| identifier.catalog.str(offer.row.id).to_owned();
            let missing = builder.unanswered(&offers).into_iter();
            let (beyond, missing): (Vec<FreshOffer>, Vec<FreshOffer>) =
                missing.partition(|offer| builder.is_beyond_list(&id(offer)));
            fresh.extend(beyond);
            if is_cut {
                unreached = Unreached::Ids(missing.iter().map(id).collect());
                fresh.extend(missing);
            }
        }
        fresh.extend(merged(offers));
    }
    let skipped = builder.skipped;
    let is_whole = listing.is_whole() && skipped.leaves_out_none();
    notes(id, &listing, &skipped, &mut live.notes);
    ProviderAnswer {
        provider,
        outcome: failure.map_or(outcome, QueryOutcome::Failed),
        problems: [listing.problems, listing.account_problems].concat(),
        is_whole,
        unreached,
    }
}

/// The answer of a provider that failed or was not queried.
fn unanswered(
    provider: ProviderId,
    error: ProviderError,
    request: &LiveRequest,
    notes: &mut Vec<Note>,
) -> ProviderAnswer {
    let (outcome, unreached) = match error.kind {
        // A provider that is not asked needs no key.
        ErrorKind::CredentialsMissing
            if request.cache.mode == CacheMode::Only && !request.credentials_only =>
        {
            let error = ProviderError::new(error.provider, ErrorKind::NotCached, error.message);
            (QueryOutcome::NotAsked(error), Unreached::All)
        }
        ErrorKind::CredentialsMissing if !request.required.contains(&provider) => {
            notes.push(not_asked(&error));
            (QueryOutcome::NotAsked(error), Unreached::None)
        }
        ErrorKind::NotCached => (QueryOutcome::NotAsked(error), Unreached::All),
        _ => (QueryOutcome::Failed(error), Unreached::All),
    };
    ProviderAnswer {
        provider,
        outcome,
        problems: Vec::new(),
        is_whole: true,
        unreached,
    }
}

/// The note on the providers that this build, or the aggregator, cannot query.
fn no_source(catalog: &Catalog<'_>, live: &Live, request: &LiveRequest) -> Option<Note> {
    let catalog_only: Vec<&str> = live
        .answers
        .iter()
        .filter(|answer| matches!(answer.outcome, QueryOutcome::FromCatalog))
        .map(|answer| catalog.provider_id(answer.provider))
        .collect();
    if let Some(aggregator) = request.aggregator {
        let is_required = |id: &&&str| {
            let provider = catalog.provider_named(id);
            provider.is_some_and(|provider| request.required.contains(&provider))
        };
        let missing: Vec<&str> = catalog_only.iter().filter(is_required).copied().collect();
        return (!missing.is_empty()).then(|| {
            let message = format!(
                "{} does not collect the prices of {}",
                aggregator.name(),
                some_of(&missing)
            );
            Note::new("not-collected", message)
        });
    }
    (!catalog_only.is_empty()).then(|| {
        let message = format!(
            "this build cannot query {}: the prices shown are from the catalog",
            some_of(&catalog_only)
        );
        Note::new("no-live-source", message)
    })
}

/// Merges machines whose reported memory differs slightly for the same card: all prices, with the
/// host of the cheapest machine.
fn merged(offers: Vec<FreshOffer>) -> Vec<FreshOffer> {
    let mut merged: Vec<FreshOffer> = Vec::new();
    let mut several = BTreeSet::new();
    let mut places: HashMap<(Str, Option<Count>, Vec<AcceleratorId>), usize> = HashMap::new();
    for offer in offers {
        let key = (offer.row.id, offer.row.count, offer.accelerators.clone());
        let Some(place) = places.get(&key) else {
            places.insert(key, merged.len());
            merged.push(offer);
            continue;
        };
        let existing = &mut merged[*place];
        let lowest = |offer: &FreshOffer| offer.prices.iter().map(|price| price.usd).min();
        if lowest(&offer) < lowest(existing) {
            existing.row = offer.row;
        }
        existing.prices.extend(offer.prices);
        existing.regions.extend(offer.regions);
        several.insert(*place);
    }
    for place in several {
        let regions = &mut merged[place].regions;
        regions.sort_unstable();
        regions.dedup();
    }
    merged
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::{
        Availability, CapacityType, Offer, Price, PriceKind, Quality, RegionId, Rows, Status,
    };
    use sky_accel_core::money::Usd;
    use sky_accel_embedded::TEST_CATALOG as CATALOG;
    use sky_accel_providers::{self as live, Access, Hardware};

    use super::*;

    fn offer(count: u32, vcpu: f64, usd: u64, region: u32) -> FreshOffer {
        let mut row = Offer::bare(ProviderId(0), Str { start: 3, len: 4 }, AcceleratorId(0));
        row.count = Some(Count::whole(count));
        row.vcpu = Some(vcpu);
        FreshOffer {
            row,
            accelerators: vec![AcceleratorId(1)],
            regions: vec![RegionId(region)],
            prices: vec![Price {
                capacity: CapacityType::OnDemand,
                kind: PriceKind::Live,
                tier: 0,
                statistic: None,
                count: None,
                region: None,
                seen_in: Rows::default(),
                usd: Usd(usd),
                per_accelerator: false,
                currency: Str::default(),
                charged: 0,
                sources: 1,
                quality: Quality::Provider,
                source: Str::default(),
                as_of: Str::default(),
                availability: Availability::Available,
                zone: Str::default(),
                listing: Str::default(),
            }],
        }
    }

    /// Merges the answer of one provider into the embedded catalog.
    fn merge(
        provider: &str,
        answer: Result<Listing, ProviderError>,
        is_required: bool,
    ) -> (Live, ProviderId) {
        let provider = CATALOG.provider_named(provider).unwrap();
        let request = LiveRequest {
            required: is_required.then_some(provider).into_iter().collect(),
            ..LiveRequest::default()
        };
        let listings = vec![(provider, Some(answer))];
        (
            merge_into_catalog(&CATALOG, listings, &request, &|| false),
            provider,
        )
    }

    fn offers_of(catalog: &Catalog<'_>, provider: ProviderId) -> usize {
        let offers = catalog.offers.iter();
        offers.filter(|offer| offer.provider == provider).count()
    }

    fn codes(live: &Live) -> Vec<&str> {
        live.notes.iter().map(|note| note.code).collect()
    }

    /// Asserts that every offer of a provider is in the catalog's state and is marked.
    fn assert_unreached(live: &Live, provider: ProviderId) {
        let catalog = live.tables.catalog();
        assert!(offers_of(&CATALOG, provider) > 0);
        assert_eq!(offers_of(&catalog, provider), offers_of(&CATALOG, provider));
        let offers = catalog.offers.iter();
        let mut offers = offers.filter(|offer| offer.provider == provider);
        assert!(offers.all(|offer| live.is_unreached(provider, catalog.str(offer.id))));
    }

    #[test]
    fn a_failed_provider_keeps_the_offers_of_the_catalog() {
        for kind in [
            ErrorKind::Server,
            ErrorKind::Network,
            ErrorKind::CredentialsRefused,
        ] {
            let error = ProviderError::new("verda", kind, "HTTP 500");
            let (live, verda) = merge("verda", Err(error), false);
            assert_unreached(&live, verda);
            assert_eq!(live.failures().count(), 1);
            assert!(live.all_failed().is_some());
        }
    }

    #[test]
    fn without_the_network_the_catalog_answers_and_nothing_failed() {
        let error = ProviderError::new("verda", ErrorKind::NotCached, "nothing is cached");
        let (live, verda) = merge("verda", Err(error), true);
        assert_unreached(&live, verda);
        assert_eq!(
            (codes(&live), live.failures().count()),
            (vec!["not-cached"], 0)
        );
        assert!(live.all_failed().is_none());
    }

    #[test]
    fn an_incomplete_answer_keeps_the_offers_that_it_does_not_reach() {
        let listing = Listing {
            problems: vec![ProviderError::new("verda", ErrorKind::Network, "cut")],
            ..listing_of(&[("new", 1.0)])
        };
        let (live, verda) = merge("verda", Ok(listing), false);
        let catalog = live.tables.catalog();
        assert_eq!(offers_of(&catalog, verda), offers_of(&CATALOG, verda) + 1);
        assert!(!live.is_unreached(verda, "new"));
        let mut known = CATALOG.offers.iter();
        let known = known.find(|offer| offer.provider == verda).unwrap();
        assert!(live.is_unreached(verda, CATALOG.str(known.id)));
    }

    /// A list of machine types of Google Cloud: the catalog says how they are sold, and has slices of
    /// TPUs, which are not in the list.
    #[test]
    fn the_catalog_completes_a_list_of_machine_types() {
        let spot_in = |region: &str| live::Price {
            region: Some(region.to_owned()),
            ..live::Price::new(CapacityType::Spot, 25.0)
        };
        let offer = |id: &str, prices: Vec<live::Price>| live::Offer {
            id: id.to_owned(),
            regions: ["us-central1", "europe-west4"]
                .map(|id| live::Region {
                    id: id.to_owned(),
                    country: None,
                })
                .to_vec(),
            prices,
            ..live::Offer::default()
        };
        let listing = Listing {
            offers: vec![
                offer("a3-highgpu-8g", vec![spot_in("us-central1")]),
                offer("a4x-highgpu-4g", Vec::new()),
            ],
            lists_types: Some(|id| id.starts_with('a')),
            ..Listing::default()
        };
        let (live, gcp) = merge("gcp", Ok(listing), false);
        let catalog = live.tables.catalog();
        let find = |id: &str| {
            let mut offers = catalog.offers.iter();
            offers.find(|offer| offer.provider == gcp && catalog.str(offer.id) == id)
        };
        let machine = find("a3-highgpu-8g").unwrap();
        let prices = |capacity: CapacityType| -> Vec<(&str, PriceKind)> {
            let prices = catalog.prices(&machine).iter();
            let prices = prices.filter(|price| price.capacity == capacity);
            let region = |price: &Price| {
                price
                    .region
                    .map_or("", |id| catalog.str(catalog.region(id).id))
            };
            let mut prices: Vec<_> = prices.map(|price| (region(&price), price.kind)).collect();
            prices.sort_unstable_by_key(|(region, _)| *region);
            prices
        };
        assert_eq!(
            prices(CapacityType::Spot),
            [
                ("europe-west4", PriceKind::List),
                ("us-central1", PriceKind::Live)
            ]
        );
        assert_eq!(
            prices(CapacityType::OnDemand),
            [
                ("europe-west4", PriceKind::List),
                ("us-central1", PriceKind::List)
            ]
        );
        assert_eq!(find("a4x-highgpu-4g").unwrap().status, Status::ReservedOnly);
        // A machine type that is not in the list is not sold; the list has no slices.
        assert!(find("a2-highgpu-1g").is_none());
        assert!(find("v5p-8").is_some());
        assert!(!live.is_unreached(gcp, "v5p-8"));
    }

    #[test]
    fn a_provider_without_a_key_keeps_the_offers_of_the_catalog() {
        let error = || ProviderError::new("runpod", ErrorKind::CredentialsMissing, "no API key");
        let (live, runpod) = merge("runpod", Err(error()), false);
        let catalog = live.tables.catalog();
        assert_eq!(offers_of(&catalog, runpod), offers_of(&CATALOG, runpod));
        assert_eq!(
            (codes(&live), live.failures().count()),
            (vec!["key-missing"], 0)
        );
        // A provider that the user named must answer.
        let (live, runpod) = merge("runpod", Err(error()), true);
        assert_unreached(&live, runpod);
        assert_eq!((codes(&live), live.failures().count()), (vec![], 1));
    }

    #[test]
    fn a_provider_that_sells_none_of_the_request_has_no_answer() {
        let listing = || Listing {
            asked_nothing: true,
            ..Listing::default()
        };
        let (live, aws) = merge("aws", Ok(listing()), false);
        let catalog = live.tables.catalog();
        assert_eq!(offers_of(&catalog, aws), offers_of(&CATALOG, aws));
        assert!(live.answers.is_empty() && live.all_failed().is_none());
        assert_eq!(codes(&live), Vec::<&str>::new());
        // The user named the provider, so the answer says why there is nothing live.
        let (live, _) = merge("aws", Ok(listing()), true);
        assert_eq!(codes(&live), ["nothing-to-query"]);
    }

    #[test]
    fn unknown_devices_are_counted_and_named() {
        let hardware = Hardware {
            name: "X900 Quantum".to_owned(),
            ..Hardware::default()
        };
        let unknown = live::Offer {
            id: "1X900".to_owned(),
            hardware: Some(hardware),
            count: Some(1.0),
            ..live::Offer::default()
        };
        let listing = Listing {
            offers: vec![unknown],
            ..Listing::default()
        };
        let (live, verda) = merge("verda", Ok(listing), false);
        assert_unreached(&live, verda);
        assert_eq!(codes(&live), ["unknown-accelerator"]);
        let note = &live.notes[0].message;
        assert!(
            note.contains("1 offer with") && note.contains("X900 Quantum"),
            "{note}"
        );
    }

    #[test]
    fn implausible_public_prices_are_replaced_by_the_catalogs() {
        let aws = CATALOG.provider_named("aws").unwrap();
        let machine = |catalog: &Catalog<'_>| {
            let mut offers = catalog.offers.iter();
            let is_machine =
                |offer: &Offer| offer.provider == aws && catalog.str(offer.id) == "p5.48xlarge";
            offers.find(is_machine).unwrap()
        };
        let listing = |per_hour: f64| Listing {
            offers: vec![live::Offer {
                id: "p5.48xlarge".to_owned(),
                prices: vec![live::Price::new(CapacityType::OnDemand, per_hour)],
                ..live::Offer::default()
            }],
            access: Access::Public,
            ..Listing::default()
        };
        let kinds = |live: &Live| {
            let catalog = live.tables.catalog();
            let prices = catalog.prices(&machine(&catalog)).iter();
            prices.map(|price| price.kind).collect::<Vec<_>>()
        };
        let prices = CATALOG.prices(&machine(&CATALOG)).iter();
        let list_prices = prices
            .filter(|price| price.kind == PriceKind::List)
            .map(|price| price.usd);
        let usd = list_prices.max().unwrap().0 as f64 / 1e6;
        let (live, _) = merge("aws", Ok(listing(usd)), false);
        assert!(kinds(&live).contains(&PriceKind::Live));
        let (live, _) = merge("aws", Ok(listing(usd * 10.0)), false);
        assert!(
            !kinds(&live).contains(&PriceKind::Live),
            "{:?}",
            kinds(&live)
        );
        assert!(codes(&live).contains(&"implausible-prices"));
    }

    #[test]
    fn equal_machines_are_one_offer_with_the_host_of_the_cheapest() {
        let offers = merged(vec![
            offer(8, 64.0, 300, 2),
            offer(4, 32.0, 10, 1),
            offer(8, 96.0, 200, 1),
            offer(8, 48.0, 250, 2),
        ]);
        let shown: Vec<_> = offers
            .iter()
            .map(|offer| {
                let usd: Vec<u64> = offer.prices.iter().map(|price| price.usd.0).collect();
                let regions: Vec<u32> = offer.regions.iter().map(|region| region.0).collect();
                (offer.row.vcpu, usd, regions)
            })
            .collect();
        assert_eq!(
            shown,
            [
                (Some(96.0), vec![300, 200, 250], vec![1, 2]),
                (Some(32.0), vec![10], vec![1]),
            ]
        );
    }

    /// Returns an answer with offers of these ids and counts, for a dollar each.
    fn listing_of(offers: &[(&str, f64)]) -> Listing {
        let offer = |(id, count): &(&str, f64)| live::Offer {
            id: (*id).to_owned(),
            hardware: Some(Hardware {
                name: "L40S".to_owned(),
                ..Hardware::default()
            }),
            count: Some(*count),
            prices: vec![live::Price::new(CapacityType::OnDemand, 1.5 * count)],
            ..live::Offer::default()
        };
        Listing {
            offers: offers.iter().map(offer).collect(),
            ..Listing::default()
        }
    }

    fn failure(live: &Live) -> Option<&str> {
        match &live.answers[0].outcome {
            QueryOutcome::Failed(error) => Some(&error.message),
            _ => None,
        }
    }

    #[test]
    fn an_answer_of_which_nothing_can_be_used_is_a_failure() {
        let (live, _) = merge("verda", Ok(listing_of(&[("new", 1e9)])), false);
        let message = "no row of its answer can be used: 1 with impossible numbers of devices";
        assert_eq!(failure(&live), Some(message));
        // Rows that were understood and not requested prove that the answer can be read.
        let understood = live::Dropped {
            because: live::DroppedBecause::NotRequested,
            rows: 1,
            line: None,
        };
        let listing = Listing {
            dropped: vec![understood],
            ..listing_of(&[("new", 1e9)])
        };
        let (live, _) = merge("verda", Ok(listing), false);
        assert_eq!(failure(&live), None);
        let (live, _) = merge("verda", Ok(Listing::default()), false);
        assert_eq!(failure(&live), None);
        let (live, _) = merge("verda", Ok(listing_of(&[("new", 1.0)])), false);
        assert_eq!(failure(&live), None);
    }

    #[test]
    fn a_table_of_an_aggregator_without_a_usable_row_is_a_failure() {
        let table = |because, offers: &[(&str, f64)]| Listing {
            edition: Some(live::Edition {
                name: "gpuhunt",
                version: "1".to_owned(),
            }),
            dropped: vec![live::Dropped {
                because,
                rows: 2,
                line: None,
            }],
            ..listing_of(offers)
        };
        for (because, offers, message) in [
            (
                live::DroppedBecause::NoPrice,
                &[("new", 1e9)][..],
                "no row of its answer can be used: 2 without a price, 1 with impossible numbers of devices",
            ),
            (
                live::DroppedBecause::Unreadable,
                &[],
                "no row of its answer can be used: 2 unreadable",
            ),
            (
                live::DroppedBecause::Contradictory,
                &[],
                "no row of its answer can be used: 2 with another price than a row for the same machine",
            ),
        ] {
            let (live, _) = merge("verda", Ok(table(because, offers)), false);
            assert_eq!(failure(&live), Some(message));
        }
        // Rows that an aggregator cannot tell apart are expected.
        let expected = table(live::DroppedBecause::Incoherent, &[]);
        let (live, _) = merge("verda", Ok(expected), false);
        assert_eq!(failure(&live), None);
    }

    #[test]
    fn prices_far_from_the_usual_prices_are_left_out_for_every_access() {
        for access in [Access::Key, Access::Public] {
            for usd in [0.000_000_1, 0.01, 5_000.0] {
                let mut listing = listing_of(&[("new", 1.0), ("other", 1.0)]);
                listing.access = access;
                listing.offers[0].prices[0].per_hour = usd;
                let (live, verda) = merge("verda", Ok(listing), false);
                let catalog = live.tables.catalog();
                assert_eq!(offers_of(&catalog, verda), 1, "{access:?} {usd}");
                assert_eq!(codes(&live), ["implausible-prices"]);
            }
        }
    }

    #[test]
    fn a_machine_with_two_counts_is_left_out() {
        let offers = [("new", 1.0), ("new", 8.0), ("other", 1.0), ("other", 1.0)];
        let (live, verda) = merge("verda", Ok(listing_of(&offers)), false);
        let catalog = live.tables.catalog();
        assert_eq!(offers_of(&catalog, verda), 1);
        assert_eq!(codes(&live), ["contradictory-rows"]);
        // RunPod sells any number of devices under one id.
        let (live, runpod) = merge("runpod", Ok(listing_of(&offers[..2])), false);
        assert_eq!(offers_of(&live.tables.catalog(), runpod), 2);
    }

    #[test]
    fn confidential_answers_are_left_out_unless_requested() {
        let merged = |confidential| {
            let verda = CATALOG.provider_named("verda").unwrap();
            let mut listing = listing_of(&[("new", 1.0)]);
            listing.offers[0].obtainability = [true, false]
                .map(|is_confidential| live::Obtainability {
                    state: live::StockState::Unavailable,
                    is_confidential,
                    ..live::Obtainability::new(CapacityType::Spot, 1, "stock")
                })
                .to_vec();
            listing.offers[0].obtainability[0].capacity = CapacityType::OnDemand;
            let request = LiveRequest {
                confidential,
                ..LiveRequest::default()
            };
            let listings = vec![(verda, Some(Ok(listing)))];
            let live = merge_into_catalog(&CATALOG, listings, &request, &|| false);
            let catalog = live.tables.catalog();
            let mut offers = catalog.offers.iter();
            let offer = offers.find(|row| catalog.str(row.id) == "new").unwrap();
            let price = catalog.prices(&offer).iter().next().unwrap();
            let extras = &live.extras[&(verda, "new".to_owned())];
            (extras.obtainability[&1_000].len(), price.availability)
        };
        assert_eq!(merged(true), (2, Availability::Unavailable));
        // Nothing that follows from the answer remains either.
        assert_eq!(merged(false), (1, Availability::Unknown));
    }

    #[test]
    fn an_interruption_ends_the_merge() {
        let verda = CATALOG.provider_named("verda").unwrap();
        let listings = vec![(verda, Some(Ok(listing_of(&[("new", 1.0)]))))];
        let live = merge_into_catalog(&CATALOG, listings, &LiveRequest::default(), &|| true);
        assert_eq!(offers_of(&live.tables.catalog(), verda), 0);
    }
}
