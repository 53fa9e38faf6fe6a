//! Unusual answers: partial failures, unusual notation, and unusual markets.

use serde_json::{Value, json};
use sky_accel_standin::{Fault, RunPodPlace, Service, Shop, credential};

use super::Market;
use crate::support::texts;

fn json_body(code: u16, body: impl Into<String>) -> Fault {
    Fault::Status {
        code,
        body: body.into(),
        content_type: "application/json".to_owned(),
        headers: Vec::new(),
    }
}

#[test]
fn huge_retry_delay_does_not_crash() {
    for wait in [
        "18446744073709551615",
        "99999999999999999999999999",
        "-1",
        "soon",
        "",
    ] {
        let world = Market::new();
        world.standin.fault(
            Service::RUNPOD,
            Fault::Status {
                code: 429,
                body: String::new(),
                content_type: "text/plain".to_owned(),
                headers: vec![("Retry-After".to_owned(), wait.to_owned())],
            },
        );
        let run = world
            .sky("resolve H200 --provider runpod --live")
            .run()
            .expect_code(4);
        assert!(
            run.stderr.contains("too many requests"),
            "{wait}: {}",
            run.stderr
        );
    }
}

#[test]
fn secrets_are_redacted_in_any_escaping() {
    let key = credential("RUNPOD_API_KEY");
    let escaped = format!("\\u{:04x}{}", u32::from(key.as_bytes()[0]), &key[1..]);
    let world = Market::new();
    world.standin.fault(
        Service::RUNPOD,
        json_body(500, format!(r#"{{"message":"bad key {escaped} please"}}"#)),
    );
    let run = world
        .sky("resolve H200 --provider runpod --live -v")
        .run()
        .expect_code(4);
    assert!(!run.stderr.contains(key), "{}", run.stderr);

    let key = credential("VAST_API_KEY");
    let escaped = format!("\\u{:04x}{}", u32::from(key.as_bytes()[0]), &key[1..]);
    let row = format!(
        r#"{{"offers":[{{"id":1,"gpu_name":"RTX 4090","gpu_ram":24564,"num_gpus":1,"dph_total":1,"cpu_arch":"{escaped}"}}]}}"#
    );
    let world = Market::new();
    world.standin.fault(Service::VAST, json_body(200, row));
    let run = world
        .sky("resolve RTX4090 --provider vastai --live -o json")
        .run()
        .expect_code(0);
    assert!(
        run.stdout.contains("[redacted]") && !run.stdout.contains(key),
        "{}",
        run.stdout
    );
}

#[test]
fn cheaper_price_must_be_available() {
    let world = Market::new();
    // On-demand is in stock; spot is cheaper but out of stock.
    let answer = world
        .sky("resolve H100:x8 --provider verda --capacity-type any --live -o json")
        .json();
    assert_eq!(answer["results"][0]["availability"], "available");
    let run = world
        .sky("resolve H100:x8 --provider verda --capacity-type any --live")
        .run()
        .expect_code(0);
    assert!(
        run.stdout.contains("18.32") && !run.stdout.contains("out of stock"),
        "{}",
        run.stdout
    );
    let run = world
        .sky("resolve H100:x8 --provider verda --live")
        .run()
        .expect_code(0);
    assert!(
        run.stdout.contains('—') && !run.stdout.contains("6.4"),
        "{}",
        run.stdout
    );
}

#[test]
fn machines_of_hosts_rank_only_on_request() {
    let mut shop = Shop::default();
    let mut stock = shop
        .runpod
        .stock
        .iter()
        .find(|s| s.gpu == "NVIDIA H200")
        .cloned()
        .expect("an H200");
    stock.place = RunPodPlace::Community("SE".to_owned());
    stock.price = Some(1.5);
    stock.counts = vec![1];
    shop.runpod.stock.push(stock);
    for row in &mut shop.runpod.gpus {
        if row["id"] == "NVIDIA H200" {
            row["communityCloud"] = json!(true);
            row["communityPrice"] = json!(1.5);
        }
    }
    let world = Market::with(shop);
    // The provider's own machines determine the rank, and a limit changes no price.
    for (flags, tier, usd) in [
        ("", "secure", json!(3.59)),
        ("--max-price 4", "secure", json!(3.59)),
        ("--tier community", "community", json!(1.5)),
        ("--tier any --max-price 2", "community", json!(1.5)),
    ] {
        let line = format!("resolve H200 --provider runpod {flags} --live -o json");
        let answer = world.sky(&line).json();
        let price = &answer["results"][0]["on_demand"];
        assert_eq!(
            (&price["tier"], &price["usd_per_hour"]),
            (&json!(tier), &usd),
            "{line}: {answer}"
        );
    }
}

#[test]
fn different_filters_do_not_share_answers() {
    let mut shop = Shop::default();
    let row = shop
        .verda
        .types
        .iter()
        .find(|row| row["instance_type"] == "1V100.6V")
        .cloned()
        .expect("a V100");
    for (id, gpu, gb) in [
        ("1P40.10V", "1x Tesla P40 24GB", 24),
        ("1P4.4V", "1x Tesla P4 8GB", 8),
    ] {
        let mut row = row.clone();
        row["instance_type"] = json!(id);
        row["gpu"]["description"] = json!(gpu);
        row["gpu_memory"]["size_in_gigabytes"] = json!(gb);
        shop.verda.types.push(row);
    }
    let world = Market::with(shop);
    for (spec, id) in [("P40", "1P40.10V"), ("P4", "1P4.4V")] {
        let answer = world
            .sky(&format!("resolve {spec} --provider verda --live -o json"))
            .json();
        assert_eq!(texts(&answer, "/instance_type"), [id], "{spec}");
    }
}

#[test]
fn partial_error_is_reported_and_not_cached() {
    let world = Market::new();
    world.standin.fault_where(
        Service::RUNPOD,
        "lowestPrice",
        json_body(
            200,
            r#"{"data":{"g0":null},"errors":[{"message":"stock service timed out"}]}"#,
        ),
    );
    let run = world
        .sky("resolve H200 --provider runpod --live -o json")
        .run()
        .expect_code(5);
    assert!(
        run.stderr.contains("stock service timed out"),
        "{}",
        run.stderr
    );
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["results"][0]["availability"], "unknown");
    world.standin.fault(Service::RUNPOD, Fault::None);
    let answer = world
        .sky("resolve H200 --provider runpod --live -o json")
        .json();
    assert_eq!(answer["results"][0]["availability"], "available");
}

#[test]
fn partial_answers_are_used() {
    for (service, needle, provider) in [
        (Service::VERDA, "/locations", "verda"),
        (Service::VERDA, "is_spot=true", "verda"),
        (Service::VAST, "\"bid\"", "vastai"),
    ] {
        let world = Market::new();
        world
            .standin
            .fault_where(service, needle, Fault::ServerError);
        let run = world
            .sky(&format!("resolve H100 --provider {provider} --live"))
            .run()
            .expect_code(5);
        assert!(run.stdout.contains("H100"), "{needle}: {}", run.stdout);
        assert!(
            run.stderr.contains(&format!("error: {provider}: ")),
            "{needle}: {}",
            run.stderr
        );
    }
}

#[test]
fn rate_limited_searches_are_spaced() {
    let world = Market::new();
    world.standin.fault_times(
        Service::VAST,
        Fault::Status {
            code: 429,
            body: "API requests too frequent".to_owned(),
            content_type: "text/plain".to_owned(),
            headers: Vec::new(),
        },
        1,
    );
    let _ = world
        .sky("resolve RTX4090 --provider vastai --live")
        .run()
        .expect_code(0);
}

#[test]
fn millions_of_empty_rows_take_little_memory() {
    let world = Market::new();
    let body = format!("{{\"offers\":[{}0]}}", "0,".repeat(10_000_000));
    world.standin.fault(Service::VAST, json_body(200, body));
    let line = "resolve RTX4090 --provider vastai --live --capacity-type on-demand";
    let run = world.sky(line).memory_limit_mib(512).run().expect_code(4);
    assert!(
        run.stderr.contains("a list has more than 50000 rows"),
        "{}",
        run.stderr
    );
}

#[test]
fn cards_of_one_kind_that_report_different_memory_are_one_offer() {
    let row = |id: u32, ram: u32, usd: f64, place: &str| json!({"id": id, "gpu_name": "RTX A6000", "num_gpus": 1, "gpu_ram": ram, "dph_total": usd, "geolocation": place});
    let body = json!({"offers": [row(1, 46_068, 0.5, "A, SE"), row(2, 49_140, 0.4, "B, US"), row(3, 49_140, 0.6, "C, US")]});
    let world = Market::new();
    world
        .standin
        .fault(Service::VAST, json_body(200, body.to_string()));
    let answer = world
        .sky("resolve A6000 --provider vastai --capacity-type on-demand --live -o json")
        .json();
    assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
    let offer = &answer["results"][0];
    assert_eq!(
        (&offer["machines"], &offer["on_demand"]["offer_id"]),
        (&json!(3), &json!("2"))
    );
}

#[test]
fn a_new_data_center_is_in_the_country_of_its_name() {
    let mut shop = Shop::default();
    for center in &mut shop.runpod.data_centers {
        if center["id"] == "US-KS-2" {
            center["id"] = json!("US-ZZ-9");
        }
    }
    for stock in &mut shop.runpod.stock {
        if stock.place == RunPodPlace::Secure("US-KS-2".to_owned()) {
            stock.place = RunPodPlace::Secure("US-ZZ-9".to_owned());
        }
    }
    let world = Market::with(shop);
    let answer = world
        .sky("resolve H100:SXM:x8 --provider runpod --region US --live -o json")
        .json();
    assert_eq!(
        answer["results"][0]["on_demand"]["region"], "US-ZZ-9",
        "{answer}"
    );
}

#[test]
fn wrong_address_names_its_variable() {
    let world = Market::new();
    for (variable, provider) in [
        ("RUNPOD_API_BASE_URL", "runpod"),
        ("VAST_URL", "vastai"),
        ("VERDA_BASE_URL", "verda"),
    ] {
        let line = format!("resolve H100 --provider {provider} --live");
        let run = world
            .sky(&line)
            .env(variable, "no url")
            .run()
            .expect_code(4);
        assert!(run.stderr.contains(variable), "{}", run.stderr);
    }
}

#[test]
fn no_match_with_a_failed_provider_is_not_definite() {
    let world = Market::new();
    world.standin.fault(Service::VERDA, Fault::ServerError);
    let run = world
        .sky("resolve V100:x7 --provider runpod,vastai,verda --live")
        .run()
        .expect_code(5);
    assert_eq!(run.stdout, "");
    let (error, nothing) = (
        run.stderr.find("error: verda"),
        run.stderr.find("nothing matches"),
    );
    assert!(error.is_some() && error < nothing, "{}", run.stderr);
}

#[cfg(feature = "aws")]
mod aws {
    use super::*;

    #[test]
    fn empty_price_list_is_a_failure_and_not_cached() {
        for fault in [Fault::Empty, Fault::Nulls, Fault::Html] {
            let world = Market::new();
            world.standin.fault(Service::PRICING, fault.clone());
            let line = "resolve H100:x8 --provider aws --region us-east-1 --live -o json";
            let run = world.sky(line).run().expect_code(5);
            assert!(
                run.stderr.contains("pricing:GetProducts"),
                "{fault:?}: {}",
                run.stderr
            );
            assert!(run.stdout.contains("catalog-prices"), "{fault:?}");
            world.standin.fault(Service::PRICING, Fault::None);
            let answer = world.sky(line).json();
            assert_eq!(
                answer["results"][0]["on_demand"]["kind"], "live",
                "{fault:?}"
            );
        }
    }

    #[test]
    fn the_regions_that_failed_are_named() {
        let world = Market::new();
        for region in ["region=us-west-2", "region=eu-west-1"] {
            world
                .standin
                .fault_where(Service::EC2, region, Fault::ServerError);
        }
        let run = world
            .sky("resolve H100:x8 --provider aws --live")
            .run()
            .expect_code(5);
        assert!(
            run.stderr.contains("in eu-west-1, us-west-2"),
            "{}",
            run.stderr
        );
    }

    #[test]
    fn missing_spot_prices_are_not_replaced_by_stale_prices() {
        let world = Market::new();
        world
            .standin
            .fault_where(Service::EC2, "DescribeSpotPriceHistory", Fault::Forbidden);
        let line = "resolve g6.xlarge --provider aws --capacity-type spot --live -o json";
        let run = world.sky(line).run().expect_code(5);
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        let results = answer["results"].as_array().unwrap();
        let is_marked = |offer: &Value| offer["reasons"].to_string().contains("not-reached");
        assert!(results.iter().all(is_marked), "{answer}");
        assert!(
            run.stderr.contains("ec2:DescribeSpotPriceHistory"),
            "{}",
            run.stderr
        );
    }

    #[test]
    fn a_region_that_is_switched_off_is_not_a_wrong_key() {
        let world = Market::new();
        let run = world
            .sky("resolve g5.xlarge --provider aws --region me-south-1 --live")
            .run()
            .expect_code(3);
        assert!(
            run.stderr.contains("region is not enabled"),
            "{}",
            run.stderr
        );
        let line = "resolve g5.xlarge --provider aws --region me-south-1,us-east-1 --live";
        let run = world.sky(line).run().expect_code(0);
        assert!(
            run.stderr
                .contains("not enabled for this account: me-south-1"),
            "{}",
            run.stderr
        );
    }
}
