//! Checks of the shipped catalog. They hold for any correct catalog: new providers, offers, accelerators and prices
//! break none of them.

use std::collections::BTreeSet;

use sky_accel_core::catalog::{CapacityType, PriceKind, Sells, Status};
use sky_accel_core::mig::parse_profile;
use sky_accel_engine::catalog::EMBEDDED;
use sky_accel_engine::{Engine, ModelsRequest};

use crate::support::sky_line;

#[test]
fn holds_at_least_the_rows_of_its_first_release() {
    let compute = EMBEDDED
        .accelerators
        .iter()
        .filter(|a| EMBEDDED.str(a.class) != "media");
    assert!(compute.count() >= 293);
    assert!(EMBEDDED.spellings.len() > 1893);
    assert!(EMBEDDED.providers.iter().count() >= 64);
    for provider in [
        "aws", "azure", "gcp", "oci", "lambda", "runpod", "vastai", "verda",
    ] {
        let offers = EMBEDDED
            .offers
            .iter()
            .filter(|o| EMBEDDED.provider_id(o.provider) == provider);
        assert!(offers.count() >= 20, "{provider}");
    }
    let regional = EMBEDDED
        .prices
        .iter()
        .filter(|p| p.region.is_some() && p.capacity == CapacityType::OnDemand);
    assert!(regional.count() > 3000);
}

#[test]
fn verify_finds_no_fault_in_the_shipped_catalog() {
    let run = sky_line("catalog verify")
        .on_shipped_catalog()
        .run()
        .expect_code(0);
    assert!(run.stderr.contains("no errors found"), "{}", run.stderr);
}

#[test]
fn every_provider_has_a_link() {
    for provider in EMBEDDED.providers {
        let link = EMBEDDED.str(provider.link);
        assert!(
            link.starts_with("https://"),
            "{}",
            EMBEDDED.str(provider.id)
        );
    }
}

#[test]
fn common_accelerators_have_priced_offers() {
    for spec in [
        "H100:x8",
        "H200:x8",
        "A100:80GB:x8",
        "L4",
        "L40S",
        "T4",
        "MI300X:x8",
    ] {
        let answer = sky_line(&format!("resolve {spec} -o json"))
            .on_shipped_catalog()
            .json();
        let first = &answer["results"][0];
        assert_eq!(first["status"], "offered", "{spec}: {first}");
        assert!(
            first["on_demand"]["usd_per_hour"].is_number(),
            "{spec}: {first}"
        );
    }
}

#[test]
fn ids_are_unique() {
    let ids: BTreeSet<&str> = EMBEDDED
        .accelerators
        .iter()
        .map(|a| EMBEDDED.str(a.id))
        .collect();
    assert_eq!(ids.len(), EMBEDDED.accelerators.len());
}

#[test]
fn figures_are_plausible() {
    for a in EMBEDDED.accelerators {
        let id = EMBEDDED.str(a.id);
        assert!(
            !EMBEDDED.str(a.vendor).is_empty() && !EMBEDDED.str(a.class).is_empty(),
            "{id}"
        );
        assert!(a.sources.len > 0, "{id} has no source");
        if let (Some(gb), Some(mib)) = (a.memory_gb, a.memory_mib) {
            let ratio = mib / 1024.0 / gb;
            assert!((0.92..=1.01).contains(&ratio), "{id}: {mib} MiB of {gb} GB");
        }
        // Dense rates do not fall with the precision.
        for (wide, narrow) in [
            (a.fp16_tflops, a.fp8_tflops),
            (a.fp8_tflops, a.fp4_tflops),
            (a.tf32_tflops, a.fp16_tflops),
        ] {
            if let (Some(wide), Some(narrow)) = (wide, narrow) {
                assert!(narrow >= wide * 0.99, "{id}: {wide} then {narrow}");
            }
        }
        let cuda = EMBEDDED.str(a.sdk) == "cuda";
        assert!(cuda || a.compute_capability.len == 0, "{id}");
    }
}

#[test]
fn every_offer_and_price_has_source_and_date() {
    for offer in EMBEDDED.offers {
        let id = EMBEDDED.str(offer.id);
        assert!(offer.source.len > 0 && offer.as_of.len > 0, "{id}");
        let instance_types = EMBEDDED.provider(offer.provider).sells == Sells::InstanceTypes;
        assert!(
            !instance_types || offer.count.is_some() || offer.max_count.is_some(),
            "{id}"
        );
        assert!(instance_types || offer.count.is_none(), "{id}");
        for price in EMBEDDED.prices(&offer) {
            assert!(
                price.source.len > 0 && price.as_of.len > 0 && price.usd.0 > 0,
                "{id}"
            );
            assert!(price.kind != PriceKind::Live, "{id}");
            // Placeholders that public tables use for "unknown".
            assert!(price.usd.decimal() < 700.0, "{id}");
        }
    }
    for disputed in EMBEDDED.disputed {
        assert!(disputed.source.len > 0 && disputed.as_of.len > 0);
    }
}

#[test]
fn mig_geometry_adds_up() {
    for geometry in EMBEDDED.geometries {
        let id = EMBEDDED.str(geometry.id);
        let profiles = EMBEDDED.profiles(&geometry);
        let slices = profiles.iter().map(|p| p.compute_slices).max().unwrap_or(0);
        for profile in profiles {
            let name = EMBEDDED.str(profile.name);
            let parsed = parse_profile(name).unwrap_or_else(|| panic!("{id} {name}"));
            assert_eq!(parsed.slices, profile.compute_slices, "{id} {name}");
            assert!(
                profile.max * profile.compute_slices <= slices.max(profile.max),
                "{id} {name}"
            );
            if let (Some(size), Some(units)) = (profile.size, geometry.units) {
                assert!(
                    EMBEDDED
                        .starts(&profile)
                        .iter()
                        .all(|start| start + size <= units),
                    "{id} {name}"
                );
                assert!(
                    EMBEDDED.starts(&profile).len() >= profile.max as usize,
                    "{id} {name}"
                );
            }
        }
        let users = EMBEDDED.accelerators.iter().filter(|a| {
            EMBEDDED
                .geometry(a)
                .is_some_and(|g| EMBEDDED.str(g.id) == id)
        });
        assert!(users.count() > 0, "no accelerator has {id}");
    }
}

#[test]
fn retired_and_reserved_types_are_marked() {
    let status = |id: &str| {
        EMBEDDED
            .offers
            .iter()
            .find(|o| EMBEDDED.str(o.id) == id)
            .map(|o| o.status)
    };
    assert_eq!(status("p3.2xlarge"), Some(Status::Retired));
    assert_eq!(status("p5e.48xlarge"), Some(Status::ReservedOnly));
    assert_eq!(status("trn2.48xlarge"), Some(Status::ReservedOnly));
    assert_eq!(status("trn2.3xlarge"), Some(Status::Offered));
    assert_eq!(status("p5.48xlarge"), Some(Status::Offered));
}

#[test]
fn a_price_for_all_regions_has_the_emissions_of_the_first_region() {
    let run = sky_line("recommend Llama-3.1-8B --users 10 --limit 1000 -o json");
    let answer = run.on_shipped_catalog().json();
    let mut rows = answer["results"].as_array().unwrap().iter();
    assert!(rows.any(|row| {
        let energy = &row["fit"]["energy"];
        row["offer"]["on_demand"]["region"].is_null()
            && energy["grams_co2_per_million_tokens"].is_number()
    }));
}

#[test]
fn parameters_of_models_include_their_towers_for_images() {
    let answer = Engine::embedded().models(&ModelsRequest::default());
    let with_tower = EMBEDDED
        .models
        .iter()
        .filter(|row| row.shape.image_parameters > 0);
    let mut towers = 0;
    for row in with_tower {
        let id = EMBEDDED.str(row.id);
        let mut listed = answer.envelope.results.iter();
        let listed = listed.find(|listed| listed.id == id);
        if let Some(parameters) = listed.and_then(|listed| listed.parameters) {
            let tower = parameters.0 - row.shape.parameters().total();
            assert_eq!(tower.round() as u64, row.shape.image_parameters, "{id}");
            towers += 1;
        }
    }
    assert!(towers > 0);
}
