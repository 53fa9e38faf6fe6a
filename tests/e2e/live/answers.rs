//! Requests to providers, and the use of their answers.

use serde_json::Value;
use sky_accel_standin::{Recorded, Service, Shop};

use super::{ACCOUNTS, Market, PROVIDERS, STOCK_ONLY};
use crate::support::{column, texts};

fn result<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let results = answer["results"].as_array().expect("results");
    results
        .iter()
        .find(|result| result["instance_type"] == id)
        .unwrap_or_else(|| {
            panic!(
                "no {id} in {}",
                serde_json::to_string_pretty(answer).unwrap()
            )
        })
}

fn bodies(world: &Market, service: Service) -> Vec<Recorded> {
    world
        .standin
        .requests()
        .into_iter()
        .filter(|request| request.service == service)
        .collect()
}

#[test]
fn prices_are_live_dated_and_for_the_whole_machine() {
    let world = Market::new();
    let answer = world.sky("resolve H100:x8 --live -o json").json();
    for (provider, id, usd) in [
        #[cfg(feature = "aws")]
        ("aws", "p5.48xlarge", 55.04),
        ("runpod", "NVIDIA H100 80GB HBM3", 8.0 * 2.69),
        ("verda", "8H100.80S.176V", 18.32),
    ] {
        let offer = result(&answer, id);
        assert_eq!(offer["provider"], provider);
        let price = &offer["on_demand"];
        assert!(
            (price["usd_per_hour"].as_f64().unwrap() - usd).abs() < 1e-6,
            "{price}"
        );
        assert!((price["usd_per_accelerator_hour"].as_f64().unwrap() - usd / 8.0).abs() < 1e-6);
        assert_eq!(price["kind"], "live");
        assert!(price["as_of"].as_str().unwrap().ends_with('Z'), "{price}");
    }
    assert_eq!(answer["request"]["live"], true);
    let answers = answer["live"].as_array().unwrap().iter();
    let live = answers.filter(|answer| answer["source"] == "live");
    let keyed = live.filter(|answer| answer["access"] == "key");
    // The key of Scaleway reads only quotas, which this question does not need.
    let accounts = ACCOUNTS.iter().filter(|(id, _)| *id != "scaleway");
    let others = accounts.count() + STOCK_ONLY.len();
    assert_eq!(keyed.count(), PROVIDERS.len() + others);
}

#[test]
fn stock_is_shown_and_out_of_stock_comes_last() {
    let world = Market::new();
    let answer = world.sky("resolve H100 B200 A40 --live -o json").json();
    assert_eq!(
        result(&answer, "1H100.80S.30V")["availability"],
        "available"
    );
    let b200 = result(&answer, "1B200.30V");
    assert_eq!(b200["availability"], "unavailable");
    let a40 = result(&answer, "NVIDIA A40");
    assert_eq!(a40["availability"], "unavailable");
    let run = world
        .sky("resolve A40 --provider runpod --live -o names")
        .run()
        .expect_code(1);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("all matching offers are out of stock"),
        "{}",
        run.stderr
    );
    let run = world
        .sky("resolve A40 --provider runpod --live")
        .run()
        .expect_code(0);
    assert!(run.stdout.contains("out of stock"), "{}", run.stdout);

    // 2H100 is available as spot only: the requested capacity type decides.
    let spot = world
        .sky("resolve H100:x2 --provider verda --capacity-type spot --live -o json")
        .json();
    assert_eq!(result(&spot, "2H100.80S.80V")["availability"], "available");
    let on_demand = world
        .sky("resolve H100:x2 --provider verda --capacity-type on-demand --live -o json")
        .json();
    assert_eq!(
        result(&on_demand, "2H100.80S.80V")["availability"],
        "unavailable"
    );
}

#[test]
fn runpod_is_queried_by_type_count_and_data_center() {
    let world = Market::new();
    let answer = world
        .sky("resolve H200:x8 --provider runpod --live -o json")
        .json();
    let offer = result(&answer, "NVIDIA H200");
    // A data center that takes no new pods has the lowest price of all.
    assert!(
        (offer["on_demand"]["usd_per_accelerator_hour"]
            .as_f64()
            .unwrap()
            - 3.59)
            .abs()
            < 1e-6,
        "{offer}"
    );
    assert_eq!(offer["on_demand"]["tier"], "secure");
    assert_eq!(offer["availability"], "available");
    let requests = bodies(&world, Service::RUNPOD);
    assert_eq!(requests.len(), 2);
    assert!(requests[1].body.contains("gpuCount: 8") && requests[1].body.contains("dataCenterId"));
    assert!(
        !requests[1].body.contains("gpuCount: 4"),
        "{}",
        requests[1].body
    );
    assert!(
        !requests[1].body.contains("RTX 4090"),
        "{}",
        requests[1].body
    );

    let answer = world
        .sky("resolve H100 --provider runpod --region US-KS-2 --live -o json")
        .json();
    let offer = result(&answer, "NVIDIA H100 80GB HBM3");
    assert_eq!(offer["on_demand"]["region"], "US-KS-2");
    assert_eq!(offer["regions"], serde_json::json!(["US-KS-2"]));
}

#[test]
fn vast_filters_and_names_the_best_offer_per_name_and_count() {
    let world = Market::new();
    let answer = world
        .sky("resolve A100:80GB:x8 --provider vastai --live --disk 100 -o json")
        .json();
    assert_eq!(column(&answer, "/instance_type").len(), 1);
    let offer = result(&answer, "A100 SXM4");
    assert_eq!(offer["accelerator"], "A100-80GB-SXM");
    assert_eq!(offer["on_demand"]["offer_id"], "1011");
    assert_eq!(offer["regions"], serde_json::json!(["US"]));
    let requests = bodies(&world, Service::VAST);
    for request in &requests {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body["num_gpus"], serde_json::json!({"eq": 8.0}));
        assert_eq!(body["rentable"], serde_json::json!({"eq": true}));
        assert_eq!(body["allocated_storage"], 100.0);
        assert!(
            body["gpu_name"]["in"]
                .as_array()
                .unwrap()
                .contains(&Value::from("A100 SXM4"))
        );
        assert!(body["limit"].as_u64().unwrap() >= 5000);
    }
    let types: Vec<_> = requests
        .iter()
        .map(|r| serde_json::from_str::<Value>(&r.body).unwrap()["type"].clone())
        .collect();
    assert!(
        types.contains(&"on-demand".into()) && types.contains(&"bid".into()),
        "{types:?}"
    );

    // More disk raises on-demand and spot prices.
    let small = world
        .sky("resolve A100:80GB:x8 --provider vastai --live --disk 10 -o json")
        .json();
    for price in ["on_demand", "spot"] {
        let usd = |answer: &Value| {
            result(answer, "A100 SXM4")[price]["usd_per_hour"]
                .as_f64()
                .unwrap()
        };
        assert!(usd(&answer) > usd(&small), "{price}");
        assert!(
            result(&answer, "A100 SXM4")["spot"]["usd_per_hour"].as_f64() < Some(usd(&answer))
                || price == "spot"
        );
    }
    // One machine in Iceland and one in Texas.
    let answer = world
        .sky("resolve H100:x8 --provider vastai --region IS --live -o json")
        .json();
    assert_eq!(result(&answer, "H100 SXM")["on_demand"]["offer_id"], "1001");
}

#[test]
fn every_filter_is_applied_again() {
    let world = Market::new();
    let answer = world
        .sky("resolve any:24GB --max-price 0.5 --live -o json")
        .json();
    for offer in answer["results"].as_array().unwrap() {
        assert_eq!(offer["count"], 1, "{offer}");
        assert_eq!(offer["memory_gb"], 24, "{offer}");
        assert!(
            offer["on_demand"]["usd_per_hour"].as_f64().unwrap() <= 0.5,
            "{offer}"
        );
    }
    let ids = texts(&answer, "/instance_type");
    assert!(
        ids.contains(&"RTX 4090") && ids.contains(&"RX 7900 XTX"),
        "{ids:?}"
    );
}

#[test]
fn unrentable_rows_are_counted_and_unknown_devices_are_named() {
    let world = Market::new();
    let run = world
        .sky("resolve any:512GB|any:24GB --provider vastai,runpod --live -o json")
        .run();
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("rows-left-out") && notes.contains("without a price"),
        "{notes}"
    );
    assert!(
        notes.contains("unknown-accelerator") && notes.contains("X900 Quantum"),
        "{notes}"
    );
    assert!(
        !run.stdout.contains("\"instance_type\": \"X900"),
        "{}",
        run.stdout
    );
}

#[test]
fn no_match_is_explained() {
    let world = Market::new();
    let run = world
        .sky("resolve H100:x8 --max-price 5 --live -o json")
        .run()
        .expect_code(1);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(!answer["funnel"].as_array().unwrap().is_empty());
    assert!(!answer["nearest"].as_array().unwrap().is_empty());
    let run = world
        .sky("resolve H100 --region nowhere-1 --live")
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("nowhere-1"), "{}", run.stderr);
}

#[test]
fn live_flags_need_live() {
    let world = Market::new();
    for flag in [
        "--refresh",
        "--timeout 5",
        "--disk 50",
        "--spot-scores",
        "--check-quota",
        "--capacity-blocks",
    ] {
        let run = world
            .sky(&format!("resolve H100 {flag}"))
            .run()
            .expect_code(2);
        assert_eq!(run.stdout, "");
    }
    for (option, message) in [
        (
            "--max-age soon",
            "write a number with its unit: 90s, 30m, 12h or 7d",
        ),
        ("--max-age 90", "90 has no unit: write 90s, 90m, 90h or 90d"),
        ("--max-age -5d", "a time cannot be negative"),
        ("--max-age 900y", "at most 100 years"),
        ("--timeout 1h", "expected a time from 1s to 10m"),
    ] {
        let run = world.sky(&format!("resolve H100 --live {option}")).run();
        let run = run.expect_code(2);
        let flag = option.split(' ').next().unwrap_or_default();
        assert!(run.stderr.contains(flag), "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    assert!(world.standin.requests().is_empty());
    for timeout in ["3s", "3", "2m"] {
        let line = format!("resolve H100 --provider verda --live --timeout {timeout}");
        let _ = world.sky(&line).run().expect_code(0);
    }
}

#[test]
fn a_maximum_age_leaves_out_older_catalog_prices() {
    let world = Market::new();
    let run = world
        .sky("resolve H100 --provider aws --max-age 7d")
        .run()
        .expect_code(7);
    assert!(!run.stdout.contains("p5.4xlarge"));
    assert!(
        run.stderr
            .contains("every price is older than --max-age allows"),
        "{}",
        run.stderr
    );
    let _ = world
        .sky("resolve H100 --provider aws --max-age 4000d")
        .run()
        .expect_code(0);
}

#[test]
fn several_specs_need_one_query() {
    let world = Market::new();
    let answer = world
        .sky("resolve H100:x8 L40S A100:40GB --live -o json")
        .json();
    let mut specs = texts(&answer, "/spec");
    specs.dedup();
    assert_eq!(specs.len(), 3, "{specs:?}");
    assert_eq!(world.asked(Service::VAST), 2);
}

#[cfg(feature = "aws")]
mod aws {
    use super::*;

    #[test]
    fn pages_regions_and_zones_are_read_to_the_end() {
        let world = Market::new();
        let answer = world
            .sky("resolve H100:x8 --provider aws --live -o json")
            .json();
        let offer = result(&answer, "p5.48xlarge");
        assert_eq!(
            offer["regions"],
            serde_json::json!([
                "ap-northeast-1",
                "eu-north-1",
                "us-east-1",
                "us-east-2",
                "us-west-2"
            ])
        );
        assert_eq!(offer["on_demand"]["region"], "us-east-1");
        assert_eq!(offer["spot"]["zone"], "us-east-1a");
        assert!((offer["spot"]["usd_per_hour"].as_f64().unwrap() - 24.71).abs() < 1e-6);
        assert_eq!(
            (&offer["vcpu"], &offer["host_memory_gib"]),
            (&192.into(), &2048.into())
        );
        assert!(answer["notes"].to_string().contains("me-south-1"));
    }

    #[test]
    fn only_requested_regions_are_queried() {
        let world = Market::new();
        let _ = world
            .sky("resolve H100:x8 --provider aws --region eu-north-1 --live")
            .run()
            .expect_code(0);
        for request in bodies(&world, Service::EC2) {
            assert_eq!(
                request.aws_scope().map(|scope| scope.1),
                Some("eu-north-1"),
                "{}",
                request.body
            );
        }
        let world = Market::new();
        let answer = world
            .sky("resolve A100:40GB:x8 --provider aws --region eu-* --live -o json")
            .json();
        let offer = result(&answer, "p4d.24xlarge");
        assert_eq!(
            offer["regions"],
            serde_json::json!(["eu-central-1", "eu-west-1"])
        );
        assert_eq!(offer["on_demand"]["region"], "eu-west-1");
    }

    #[test]
    fn fractions_and_multi_chip_devices_have_correct_counts() {
        let world = Market::new();
        let count = |spec: &str, id: &str| {
            let answer = world
                .sky(&format!("resolve {spec} --provider aws --live -o json"))
                .json();
            let offer = result(&answer, id);
            (
                offer["count"].as_f64().unwrap(),
                offer["memory_gb"].as_f64().unwrap(),
            )
        };
        assert_eq!(count("L4:x0.125", "g6f.large"), (0.125, 24.0));
        assert_eq!(count("Inferentia2:x12", "inf2.48xlarge"), (12.0, 32.0));
        // EC2 reports 512 GiB, but the chip has 96.
        assert_eq!(count("Trainium2:x16", "trn2.48xlarge"), (16.0, 96.0));
        // An instance type that the catalog does not have, with a known GPU.
        assert_eq!(count("H100:x4", "p5.8xlarge"), (4.0, 80.0));
    }

    /// A plan cannot buy a block, so it names the blocks that are for sale.
    #[test]
    fn a_plan_names_the_blocks_for_sale() {
        let world = Market::new();
        let line =
            "plan H100:x8 --provider aws --region us-east-1 --live --capacity-blocks -o json";
        let answer = world.sky(line).json();
        let notes = answer["notes"].as_array().unwrap();
        let mut blocks = notes.iter().filter(|note| note["code"] == "capacity-block");
        let first = blocks.next().unwrap()["message"].as_str().unwrap();
        assert!(
            first.starts_with("aws p5.48xlarge: a block of 1 machine in us-east-1"),
            "{first}"
        );
        assert!(first.contains("for 24 h costs $31.46 an hour"), "{first}");
        assert!(blocks.count() < 3);
    }

    #[test]
    fn blocks_scores_and_quotas_are_reported_on_request() {
        let world = Market::new();
        let line = "resolve H100:x8 --provider aws --region us-east-1 --live --spot-scores --check-quota --capacity-blocks -o json";
        let answer = world.sky(line).json();
        let offer = result(&answer, "p5.48xlarge");
        // A score of one type would always be low.
        assert!(offer.get("spot_placement_scores").is_none(), "{offer}");
        let requests = world.standin.requests();
        let is_score = |body: &str| body.contains("Action=GetSpotPlacementScores");
        assert!(!requests.iter().any(|request| is_score(&request.body)));
        let quota = |capacity: &str| {
            let quotas = offer["quotas"].as_array().unwrap();
            quotas
                .iter()
                .find(|q| q["capacity_type"] == capacity)
                .unwrap()
                .clone()
        };
        assert_eq!(
            (
                &quota("on-demand")["limit_vcpu"],
                &quota("on-demand")["allows"]
            ),
            (&192.into(), &true.into())
        );
        assert_eq!(
            (&quota("spot")["limit_vcpu"], &quota("spot")["allows"]),
            (&0.into(), &false.into())
        );
        let block = &offer["capacity_blocks"][0];
        assert_eq!(
            (&block["hours"], &block["machines"]),
            (&24.into(), &1.into()),
            "{offer}"
        );
        assert!(block["upfront_usd"].as_f64().unwrap() > 0.0);

        let plain = world
            .sky("resolve H100:x8 --provider aws --live -o json")
            .json();
        for field in ["spot_placement_scores", "quotas", "capacity_blocks"] {
            assert!(
                result(&plain, "p5.48xlarge").get(field).is_none(),
                "{field}"
            );
        }
    }

    /// A market with three types of one A10G each in every region that sells any of them.
    fn with_a10g_types() -> Shop {
        let mut shop = Shop::default();
        let small = shop.aws.types.iter();
        let small = small.clone().find(|row| row["instanceType"] == "g5.xlarge");
        let small = small.unwrap().clone();
        for kind in ["g5.2xlarge", "g5.4xlarge"] {
            let mut row = small.clone();
            row["instanceType"] = kind.into();
            shop.aws.types.push(row);
            for region in &mut shop.aws.regions {
                let sold = region.offers.iter().find(|offer| offer.kind == "g5.xlarge");
                if let Some(mut offer) = sold.cloned() {
                    kind.clone_into(&mut offer.kind);
                    region.offers.push(offer);
                }
            }
        }
        shop
    }

    #[test]
    fn scores_blocks_and_quotas_are_for_all_machines_together() {
        let world = Market::with(with_a10g_types());
        let line = "resolve A10G --provider aws --region us-east-1 --live --spot-scores --check-quota --nodes 4 -o json";
        let answer = world.sky(line).json();
        let offer = result(&answer, "g5.2xlarge");
        assert_eq!(
            offer["spot_placement_scores"],
            serde_json::json!([{
                "region": "us-east-1",
                "score": 8,
                "instance_types": ["g5.2xlarge", "g5.4xlarge", "g5.xlarge"],
                "machines": 4,
            }])
        );
        let mut records = offer["obtainability"].as_array().unwrap().iter();
        let scored = records.find(|record| record["likelihood"].is_object());
        let scored = scored.expect("a record with the score");
        assert_eq!(
            (&scored["likelihood"]["scale"], &scored["machines_asked"]),
            (&"aws-score".into(), &4.into())
        );
        // 64 vCPUs, of which three quarters are used, admit 4 machines with 4 vCPUs each, not 8.
        let quota = |nodes: u32| {
            let line = format!(
                "resolve A10G --provider aws --region us-east-1 --live --check-quota --nodes {nodes} -o json"
            );
            let answer = world.sky(&line).json();
            let quotas = result(&answer, "g5.xlarge")["quotas"].clone();
            let mut quotas = quotas.as_array().unwrap().clone();
            quotas.retain(|quota| quota["capacity_type"] == "on-demand");
            quotas.remove(0)
        };
        let few = quota(4);
        assert_eq!(
            [&few["limit_vcpu"], &few["used_vcpu"], &few["left_vcpu"]],
            [&64.into(), &48.into(), &serde_json::json!(16)]
        );
        assert_eq!(
            (&few["machines_asked"], &few["allows"]),
            (&4.into(), &true.into())
        );
        assert_eq!(quota(8)["allows"], false);

        let blocks = |nodes: u32| {
            let line = format!(
                "resolve H100:x8 --provider aws --region us-east-1 --live --capacity-blocks --nodes {nodes} -o json"
            );
            let answer = world.sky(&line).json();
            result(&answer, "p5.48xlarge")
                .get("capacity_blocks")
                .cloned()
        };
        for block in blocks(2).as_ref().and_then(|list| list.as_array()).unwrap() {
            assert!(block["machines"].as_u64() >= Some(2), "{block}");
        }
        assert_eq!(blocks(65), None);
    }
}

#[test]
fn offline_answers_open_no_socket() {
    let world = Market::new();
    let _ = world.sky("resolve H100").run().expect_code(0);
    assert!(world.standin.requests().is_empty());
}

#[test]
fn ten_thousand_offers_are_handled() {
    let world = Market::with(Shop::default().with_vast_offers(10_000));
    let run = world
        .sky("resolve any:24GB+ --provider vastai --live -o json")
        .memory_limit_mib(2048)
        .run()
        .expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let machines: u64 = column(&answer, "/machines")
        .iter()
        .filter_map(|n| n.as_u64())
        .sum();
    assert!(machines > 1000, "{machines}");
}
