use sky_accel_core::catalog::OfferKind;
use sky_accel_live::providers;

use super::*;

fn shown(names: &[&str]) -> Result<Vec<ShownOut<'static>>> {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    let answer = Engine::embedded().show(&NamesRequest {
        names,
        ..NamesRequest::default()
    })?;
    Ok(answer.envelope.results)
}

#[test]
fn shows_every_provider_by_its_id() {
    let catalog = Engine::embedded().catalog();
    for row in catalog.providers {
        let id = catalog.str(row.id);
        let results = shown(&[id]).unwrap();
        assert!(
            matches!(&results[..], [ShownOut::Provider(provider), ..] if provider.id == id),
            "{id}"
        );
    }
}

#[test]
fn the_machine_of_a_provider_is_shown_with_its_accelerator() {
    let catalog = Engine::embedded().catalog();
    for provider in ["aws", "runpod", "verda"] {
        let row = catalog.provider_named(provider).unwrap();
        let offer = catalog.provider_offers(row).iter().next().unwrap();
        let (id, accelerator) = (
            catalog.str(offer.id),
            catalog.accelerator_id(offer.accelerator),
        );
        let results = shown(&[&format!("{provider}/{id}")]).unwrap();
        let shown = results[0].accelerator().unwrap();
        assert_eq!(shown.accelerator.id, accelerator);
        let of = |machine: &contract::OfferOut<'_>| {
            (machine.provider == provider, machine.instance_type == id)
        };
        assert!(!shown.instance_types.is_empty(), "{provider}/{id}");
        assert!(
            shown
                .instance_types
                .iter()
                .all(|machine| of(machine) == (true, true))
        );
    }
    let error = shown(&["verda/no-such-type"]).unwrap_err().to_string();
    assert!(error.contains("verda/no-such-type"), "{error}");
}

#[test]
fn summaries_agree_with_the_catalog_and_the_declarations() {
    let catalog = Engine::embedded().catalog();
    for api in providers() {
        let results = shown(&[api.id]).unwrap();
        let [ShownOut::Provider(provider), ..] = &results[..] else {
            panic!("{}", api.id)
        };
        let live = provider.live.as_ref().unwrap();
        let variables: Vec<&str> = api.key_variables().collect();
        assert_eq!(live.key_variables, variables, "{}", api.id);
        assert_eq!(live.terms, api.restrictive_terms, "{}", api.id);
        assert!(provider.instance_types >= provider.priced_instance_types);
        assert!(provider.oldest_price <= provider.newest_price);
        for id in &provider.accelerators {
            let sells = shown(&[id]).unwrap();
            let sellers = &sells[0].accelerator().unwrap().accelerator.providers;
            let id = catalog.provider_named(api.id).unwrap();
            assert!(sellers.contains(&catalog.provider_id(id)), "{}", api.id);
        }
    }
}

#[test]
fn targets_of_a_provider_can_rent_its_machines() {
    let results = shown(&["runpod", "azure", "lium"]).unwrap();
    let targets = results.iter().map(|shown| match shown {
        ShownOut::Provider(provider) => provider.targets.clone(),
        ShownOut::Accelerator(_) => Vec::new(),
    });
    let targets: Vec<Vec<&str>> = targets.collect();
    assert!(targets[0].contains(&"runpod") && targets[0].contains(&"skypilot"));
    assert!(targets[1].contains(&"aks") && !targets[1].contains(&"runpod"));
    assert!(!targets[2].contains(&"docker"), "{:?}", targets[2]);
}

#[test]
fn hardware_and_providers_keep_their_order() {
    let results = shown(&["runpod", "L4", "azure", "runpod"]).unwrap();
    let ids: Vec<&str> = results.iter().map(ShownOut::id).collect();
    assert_eq!(ids, ["runpod", "L4", "azure"]);
}

#[test]
fn the_id_of_a_provider_means_the_provider_before_the_vendor() {
    let is_provider = |shown: &ShownOut<'_>| matches!(shown, ShownOut::Provider(_));
    let aws = shown(&["aws"]).unwrap();
    assert!(is_provider(&aws[0]) && aws.iter().any(|shown| shown.id() == "Trainium2"));
    let alias = shown(&["google"]).unwrap();
    assert!(!alias.iter().any(is_provider));
    assert!(is_provider(&shown(&["cudo-compute"]).unwrap()[0]));
}

#[test]
fn a_wrong_id_is_an_error_with_suggestions() {
    let hints = |name: &str| shown(&[name]).unwrap_err().problems[0].hints.clone();
    assert_eq!(hints("runpd"), ["runpod"]);
    assert_eq!(hints("RTX409")[0], "RTX4090");
}

#[test]
fn a_maximum_age_leaves_out_offers_and_the_summary() {
    let show = |max_age_s| {
        Engine::embedded().show(&NamesRequest {
            names: vec!["H100-80GB-SXM".to_owned()],
            max_age_s,
        })
    };
    let offers = |max_age_s| {
        let answer = show(max_age_s).unwrap();
        let shown = answer.envelope.results[0].accelerator().unwrap();
        shown.offers.len()
    };
    let (all, newer) = (offers(None), offers(Some(60 * 86_400)));
    assert!(0 < newer && newer < all, "{newer} of {all}");
    let error = show(Some(86_400)).unwrap_err();
    assert_eq!(error.problems[0].code, crate::ErrorCode::DataTooOld);
}

#[test]
fn commands_agree_on_the_newest_price_of_a_provider() {
    let engine = Engine::embedded();
    for provider in ["aws", "gcp", "lambda"] {
        let shown = engine.show(&NamesRequest {
            names: vec![provider.to_owned()],
            max_age_s: Some(86_400),
        });
        let listed = engine.list(&crate::ListRequest {
            providers: vec![provider.to_owned()],
            max_age_s: Some(86_400),
            ..crate::ListRequest::default()
        });
        let (shown, listed) = (shown.unwrap_err(), listed.err().unwrap());
        assert_eq!(shown.to_string(), listed.to_string());
    }
}

#[test]
fn the_prices_of_an_accelerator_are_those_of_prices() {
    let engine = Engine::embedded();
    let names = NamesRequest {
        names: vec!["H100-80GB-SXM".to_owned()],
        max_age_s: None,
    };
    let shown = engine.show(&names).unwrap();
    let shown = &shown.envelope.results[0].accelerator().unwrap().markets;
    let request = crate::PricesRequest {
        specs: vec!["H100-80GB-SXM".into()],
        ..crate::PricesRequest::default()
    };
    let listed = engine.prices(&request).unwrap().envelope.results;
    assert!(shown.iter().any(|market| market.quarters.len() > 4));
    assert_eq!(format!("{shown:?}"), format!("{listed:?}"));
}

#[test]
fn the_range_of_prices_has_doubtful_ones_only_without_others() {
    let answer = shown(&["H100-80GB-SXM", "RTX4090", "L40S", "A10"]).unwrap();
    let mut excluded = 0;
    for accelerator in answer.iter().filter_map(ShownOut::accelerator) {
        let range = accelerator.price_range.as_ref().unwrap();
        let each = |offer: &crate::contract::OfferOut<'_>| {
            let price = offer.on_demand.as_ref()?;
            Some(price.likely_usd_per_hour.0 / offer.count.0)
        };
        let is_sound = |offer: &&crate::contract::OfferOut<'_>| {
            offer.sells == OfferKind::Machine
                && offer.status == Status::Offered
                && offer
                    .on_demand
                    .as_ref()
                    .is_some_and(|price| !price.quality.is_weak())
                && !offer.reasons.iter().any(|it| it.is_doubt())
        };
        let low = range.low_usd_per_accelerator_hour.0 * 0.999;
        let sound = accelerator.offers.iter().filter(is_sound).filter_map(each);
        let id = accelerator.accelerator.id;
        let sound: Vec<f64> = sound.collect();
        assert!(
            sound.iter().all(|usd| *usd >= low),
            "{id}: {sound:?} in {low}"
        );
        let all = accelerator.offers.iter().filter_map(each);
        excluded += if sound.is_empty() {
            0
        } else {
            all.filter(|usd| *usd < low).count()
        };
    }
    assert!(excluded > 0);
}
