//! Providers with public prices whose accounts add stock and quotas: what is asked, and what happens if
//! the account's part fails.

use std::thread;

use serde_json::{Value, json};
use sky_accel_standin::{Fault, Recorded, Service, Shop, credential};

use super::public::without_keys;
use super::{ACCOUNTS, Market};
use crate::support::Run;

const AZURE: &str = "resolve H100:x8 --provider azure --live";
const MIX: &str = "skuMixPlacementScores";

fn requests(world: &Market, service: Service, part: &str) -> Vec<Recorded> {
    let requests = world.standin.requests().into_iter();
    let of_service = requests.filter(|request| request.service == service);
    of_service
        .filter(|request| request.path.contains(part))
        .collect()
}

fn status(code: u16, body: &str) -> Fault {
    Fault::Status {
        code,
        body: body.to_owned(),
        content_type: "application/json".to_owned(),
        headers: Vec::new(),
    }
}

/// Asserts that an answer has live prices.
fn expect_prices(run: &Run, label: &str) {
    let is_live = !run.stdout.contains("not reached") && run.stdout.lines().count() > 1;
    assert!(is_live, "{label}: {}{}", run.stdout, run.stderr);
}

#[test]
fn azure_is_asked_for_the_requested_number_of_machines() {
    let world = Market::new();
    let answer = world.sky(&format!("{AZURE} --nodes 4 -o json")).json();
    let mut asked = requests(&world, Service::AZURE, MIX);
    asked.extend(requests(&world, Service::AZURE, "placementScores/spot"));
    assert!(!asked.is_empty());
    for request in asked {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let count = [&body["capacityProfile"]["capacity"], &body["desiredCount"]];
        assert!(count.contains(&&json!(4)), "{body}");
    }
    // An answer for four machines does not serve one.
    let before = requests(&world, Service::AZURE, MIX).len();
    let _ = world.sky(&format!("{AZURE} --nodes 4 -o json")).json();
    assert_eq!(requests(&world, Service::AZURE, MIX).len(), before);
    let one = world.sky(&format!("{AZURE} -o json")).json();
    assert!(requests(&world, Service::AZURE, MIX).len() > before);
    let availability = |answer: &Value| answer["results"][0]["availability"].clone();
    assert_eq!(availability(&one), "available", "{one}");
    assert_ne!(availability(&answer), "available", "{answer}");
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn the_user_of_azures_command_line_needs_no_service_principal() {
    let home = tempfile::tempdir().unwrap();
    let write = |ends: u64| {
        let folder = home.path().join(".azure");
        std::fs::create_dir_all(&folder).unwrap();
        let tenant = credential("AZURE_TENANT_ID");
        let profile = json!({"subscriptions": [{"id": credential("AZURE_SUBSCRIPTION_ID"), "isDefault": true,
            "tenantId": tenant, "user": {"name": "me@example.com", "type": "user"}}]});
        let token = json!({"credential_type": "AccessToken", "secret": "ey.azure.user.standin0123456789abcdef",
            "target": "https://management.core.windows.net//user_impersonation https://management.core.windows.net//.default",
            "client_id": "04b07795-8ddb-461a-bbee-02f9e1bf7b46", "realm": tenant, "expires_on": ends.to_string()});
        let cache = json!({"AccessToken": {"key": token}});
        for (name, text) in [
            ("azureProfile.json", profile),
            ("msal_token_cache.json", cache),
        ] {
            let path = folder.join(name);
            std::fs::write(&path, text.to_string()).unwrap();
        }
    };
    let sky = |world: &Market, line: &str| {
        let sky = world.sky(line).env("HOME", home.path());
        let variables = ["TENANT_ID", "CLIENT_ID", "CLIENT_SECRET", "SUBSCRIPTION_ID"];
        let sky = variables
            .iter()
            .fold(sky, |sky, name| sky.remove_env(&format!("AZURE_{name}")));
        sky.run()
    };
    write(4_000_000_000);
    let world = Market::new();
    let run = sky(&world, &format!("{AZURE} -o json")).expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        answer["results"][0]["availability"], "available",
        "{answer}"
    );
    assert!(requests(&world, Service::AZURE, "oauth2").is_empty());
    let check = "live doctor --provider azure --check";
    assert!(sky(&world, check).stdout.contains("accepted"));
    // A refused token is not renewed: the next login of the user does that.
    world.standin.fault(Service::AZURE, Fault::ExpiredToken);
    let run = sky(&world, &format!("{AZURE} --refresh"));
    assert!(
        run.stderr.contains("log in again with `az login`"),
        "{}",
        run.stderr
    );
    write(1);
    let world = Market::new();
    let run = sky(&world, AZURE).expect_code(0);
    assert!(
        run.stderr.contains("`az account get-access-token`"),
        "{}",
        run.stderr
    );
    assert!(requests(&world, Service::AZURE, "subscriptions").is_empty());
}

#[test]
fn azure_reports_evictions_of_spot_machines() {
    let world = Market::new();
    let answer = world
        .sky(&format!("{AZURE} --capacity-type spot -o json"))
        .json();
    let records = answer["results"][0]["obtainability"].as_array().unwrap();
    let risks: Vec<&Value> = records.iter().map(|record| &record["risk"]).collect();
    let expected = json!({ "rate": "5-10%", "kind": "azure-evicted", "window_days": 28 });
    assert!(risks.contains(&&expected), "{risks:?}");
    assert_eq!(requests(&world, Service::AZURE, "ResourceGraph").len(), 1);
    let _ = world
        .sky(&format!("{AZURE} --capacity-type on-demand"))
        .run();
    assert_eq!(requests(&world, Service::AZURE, "ResourceGraph").len(), 1);
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn without_an_account_only_the_price_list_is_asked() {
    for (provider, service) in ACCOUNTS {
        let world = Market::new();
        let line = format!("resolve H100:x8 --provider {provider} --live");
        let run = without_keys(&world, &line).run().expect_code(0);
        expect_prices(&run, provider);
        // Some public lists have stock.
        let has_stock = ["scaleway", "vultr"].contains(provider);
        let words = ["error", "quota", "stock"];
        for word in &words[..if has_stock { 2 } else { 3 }] {
            assert!(!run.stderr.contains(*word), "{provider}: {}", run.stderr);
        }
        for request in requests(&world, *service, "") {
            assert_eq!(request.header("authorization"), None, "{}", request.path);
            assert!(!request.path.contains("subscription"), "{}", request.path);
        }
    }
}

#[test]
fn a_token_is_renewed_once() {
    let world = Market::new();
    world.standin.fault(Service::AZURE, Fault::ExpiredToken);
    let _ = world.sky(AZURE).run().expect_code(0);
    assert_eq!(world.standin.tokens_minted(), 2);
}

#[test]
fn a_missing_preview_of_azure_is_a_single_remark() {
    for fault in [
        status(404, r#"{"error":{"code":"NotFound","message":"no"}}"#),
        status(
            400,
            r#"{"error":{"code":"InvalidApiVersionParameter","message":"no"}}"#,
        ),
        status(
            403,
            r#"{"error":{"code":"AuthorizationFailed","message":"no"}}"#,
        ),
        Fault::Html,
    ] {
        let world = Market::new();
        world
            .standin
            .fault_where(Service::AZURE, MIX, fault.clone());
        let answer = world.sky(&format!("{AZURE} -o json")).json();
        let notes = answer["notes"].to_string();
        assert_eq!(
            notes.matches("preview of on-demand").count(),
            1,
            "{fault:?}: {notes}"
        );
        assert_eq!(answer["results"][0]["availability"], "unknown", "{fault:?}");
        assert!(!requests(&world, Service::AZURE, "placementScores/spot").is_empty());
    }
}

/// The parts of an account's answer, each as a part of its address.
fn parts(provider: &str) -> &'static [&'static str] {
    match provider {
        "azure" => &[
            "/oauth2/",
            "/skus",
            "/usages",
            "placementScores/spot",
            "ResourceGraph",
        ],
        "scaleway" => &["/iam/v1alpha1/quota"],
        "vultr" => &["/availability"],
        _ => &[
            "/computeCapacityReports",
            "/availabilityDomains",
            "/resourceAvailability",
        ],
    }
}

/// Runs every fault of one part of an account's answer.
fn check_faults(provider: &str, service: Service, part: &str) {
    let redirect = Fault::Redirect("http://127.0.0.1:9/x".to_owned());
    for (fault, said) in [
        (Fault::Unauthorized, "the API key is refused"),
        (Fault::TooMany { retry_after: None }, "too many requests"),
        (Fault::ServerError, "HTTP 500"),
        (Fault::Html, "answer"),
        (Fault::Empty, "answer"),
        (Fault::Close, "connection closed"),
        (redirect, "redirect"),
        (Fault::EchoSecrets, ""),
    ] {
        let world = Market::new();
        world.standin.fault_where(service, part, fault.clone());
        let line = format!("resolve H100:x8 --provider {provider} --live --check-quota -v");
        let run = world.sky(&line).run();
        let label = format!("{provider} {part} {fault:?}: {}", run.stderr);
        expect_prices(&run, &label);
        assert_eq!(run.code, 5, "{label}");
        let begins = format!("error: {provider}: ");
        let mut lines = run.stderr.lines();
        let line = lines.find(|line| line.starts_with(&begins));
        assert!(line.is_some_and(|line| line.contains(said)), "{label}");
        for secret in super::credentials::SECRETS.iter() {
            assert!(!run.stderr.contains(secret), "{label}");
        }
    }
}

#[test]
fn a_failed_part_of_an_account_leaves_the_prices() {
    let accounts = ACCOUNTS.iter();
    let cells: Vec<_> = accounts
        .flat_map(|(provider, service)| {
            parts(provider)
                .iter()
                .map(|part| (*provider, *service, *part))
        })
        .map(|(provider, service, part)| {
            thread::spawn(move || check_faults(provider, service, part))
        })
        .collect();
    for cell in cells {
        cell.join().expect("every cell holds");
    }
}

#[test]
fn a_plan_that_the_account_cannot_order_is_out_of_stock() {
    let line = "resolve A100:80GB --provider vultr --live -o json";
    let stock = |world: &Market| {
        let answer = world.sky(line).json();
        let offer = answer["results"][0].clone();
        assert_eq!(offer["instance_type"], "vcg-a100-12c-120g-80vram");
        let records = offer["obtainability"].as_array().unwrap().iter();
        let own = records.filter(|record| record["account_specific"] == true);
        let states = own.map(|record| format!("{} {}", record["place"]["region"], record["state"]));
        (offer["availability"].clone(), states.collect::<Vec<_>>())
    };
    let yes = [r#""ewr" "available""#, r#""fra" "available""#].map(str::to_owned);
    assert_eq!(stock(&Market::new()), (json!("available"), yes.to_vec()));
    let mut shop = Shop::default();
    let taken = |region: &str| ("vcg-a100-12c-120g-80vram".to_owned(), region.to_owned());
    shop.vultr.taken = vec![taken("ewr"), taken("fra")];
    let no = [r#""ewr" "unavailable""#, r#""fra" "unavailable""#].map(str::to_owned);
    let world = Market::with(shop);
    assert_eq!(stock(&world), (json!("unavailable"), no.to_vec()));
    // Only regions where the machines are sold are asked, once each.
    assert_eq!(requests(&world, Service::VULTR, "/availability").len(), 2);
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn scaleway_limits_machines_by_type_and_zone() {
    let world = Market::new();
    let run = world
        .sky("quota H100 --provider scaleway --nodes 2 -o json")
        .run()
        .expect_code(1);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let rows = answer["results"].as_array().unwrap();
    let shown: Vec<_> = rows
        .iter()
        .filter(|row| row["instance_type"] == "H100-1-80G")
        .map(|row| {
            (
                row["region"].clone(),
                row["limit"].clone(),
                row["admits"].clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            // The limit would suffice, and the use is unknown.
            (json!("fr-par"), json!(4), Value::Null),
            (json!("pl-waw"), json!(0), json!(false))
        ]
    );
    let run = world
        .sky("quota H100:x8 --provider scaleway --nodes 2")
        .run();
    assert_eq!(run.code, 1, "{}", run.stderr);
    // Without the organization, the prices are known and the quotas are not.
    let run = world
        .sky("quota H100 --provider scaleway")
        .env("SCW_DEFAULT_ORGANIZATION_ID", "")
        .run()
        .expect_code(3);
    assert!(
        run.stderr.contains("SCW_DEFAULT_ORGANIZATION_ID"),
        "{}",
        run.stderr
    );
    // Quotas are read only on request.
    let world = Market::new();
    let _ = world
        .sky("resolve H100 --provider scaleway --live")
        .run()
        .expect_code(0);
    assert!(requests(&world, Service::SCALEWAY, "/iam/").is_empty());
}

#[test]
fn the_token_of_azure_does_not_follow_a_page_to_another_server() {
    let world = Market::new();
    let body = r#"{"value":[{"resourceType":"virtualMachines","name":"Standard_ND96isr_H100_v5"}],
        "nextLink":"http://127.0.0.2:9/skus"}"#;
    world
        .standin
        .fault_where(Service::AZURE, "/skus", status(200, body));
    let run = world.sky(AZURE).run().expect_code(5);
    assert!(
        run.stderr.contains("continued on another server"),
        "{}",
        run.stderr
    );
}

#[test]
fn oci_is_asked_by_domain_in_reports_of_ten_shapes() {
    let world = Market::new();
    let line = "resolve H100:x8 --provider oci --live -o json";
    let answer = world.sky(line).json();
    assert_eq!(
        answer["results"][0]["availability"], "available",
        "{answer}"
    );
    let reports = requests(&world, Service::OCI, "computeCapacityReports");
    let domains: Vec<Value> = reports
        .iter()
        .map(|report| serde_json::from_str::<Value>(&report.body).unwrap())
        .map(|body| body["availabilityDomain"].clone())
        .collect();
    assert_eq!(domains, ["Uocm:US-ASHBURN-AD-1", "Uocm:US-ASHBURN-AD-2"]);
    // Sixteen accelerators are left, and four machines need 32.
    let four = world.sky(&format!("{line} --nodes 4")).json();
    assert_ne!(four["results"][0]["availability"], "available", "{four}");
    let world = Market::new();
    let _ = world
        .sky("resolve any:1GB+:x0.1+ --provider oci --live -o json")
        .json();
    let reports = requests(&world, Service::OCI, "computeCapacityReports");
    assert!(reports.len() > 2, "more than ten shapes");
    for report in reports {
        let body: Value = serde_json::from_str(&report.body).unwrap();
        let shapes = body["shapeAvailabilities"].as_array().unwrap();
        assert!((1..=10).contains(&shapes.len()), "{body}");
    }
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn limits_of_oci_hold_for_its_prices_of_all_regions() {
    let world = Market::new();
    let line = "resolve H100:x8 --provider oci --live --check-quota --nodes 4";
    let offer = world.sky(&format!("{line} -o json")).json()["results"][0].clone();
    assert_eq!(offer["on_demand"]["region"], Value::Null, "{offer}");
    assert_eq!(offer["availability"], "unavailable", "{offer}");
    let run = world
        .sky(&format!("{line} --available"))
        .run()
        .expect_code(1);
    assert!(run.stdout.is_empty(), "{}", run.stdout);
    let two = world.sky(&line.replace("--nodes 4", "--nodes 2 -o json"));
    assert_eq!(two.json()["results"][0]["availability"], "available");
}

#[test]
fn a_missing_policy_of_oci_is_a_permission() {
    let world = Market::new();
    let body = r#"{"code":"NotAuthorizedOrNotFound","message":"Authorization failed or requested resource not found."}"#;
    world
        .standin
        .fault_where(Service::OCI, "computeCapacityReports", status(404, body));
    let answer = world
        .sky("resolve H100:x8 --provider oci --live -o json")
        .run()
        .expect_code(5);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(
        answer["live"][0]["errors"][0]["code"], "provider.permission",
        "{answer}"
    );
    assert_eq!(answer["results"][0]["availability"], "unknown", "{answer}");
}

#[test]
fn a_refused_signature_hints_at_the_clock() {
    for (provider, service, part) in [
        ("oci", Service::OCI, "regionSubscriptions"),
        ("crusoe", Service::CRUSOE, "/capacities"),
    ] {
        let world = Market::new();
        world
            .standin
            .fault_where(service, part, Fault::Unauthorized);
        let line = format!("resolve H100:x8 --provider {provider} --live");
        let run = world.sky(&line).run();
        assert!([3, 5].contains(&run.code), "{provider}: {}", run.stderr);
        assert!(run.stderr.contains("clock"), "{provider}: {}", run.stderr);
    }
}

#[test]
fn crusoe_tells_stock_for_the_requested_machines() {
    let world = Market::new();
    let availability = |nodes: u32| {
        let line = format!("resolve H100:x8 --provider crusoe --live --nodes {nodes} -o json");
        let answer = world.sky(&line).json();
        let offer = &answer["results"][0];
        // Its API has no prices.
        assert_eq!(offer["on_demand"]["kind"], "list", "{offer}");
        offer["availability"].clone()
    };
    let _ = availability(1);
    let _ = availability(6);
    let paths = requests(&world, Service::CRUSOE, "");
    assert_eq!(
        paths.len(),
        6,
        "an answer for one machine does not serve six"
    );
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn an_unusable_key_of_oci_is_refused_without_a_request() {
    let world = Market::new();
    let run = world
        .sky("resolve H100:x8 --provider oci --live")
        .env(
            "OCI_CLI_KEY_CONTENT",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----",
        )
        .run()
        .expect_code(5);
    expect_prices(&run, "oci");
    assert!(
        run.stderr.contains("not an RSA key in PEM format"),
        "{}",
        run.stderr
    );
    assert!(requests(&world, Service::OCI, "/2016").is_empty());
}

#[test]
fn partial_credentials_of_azure_are_named() {
    let world = Market::new();
    let run = world
        .sky(AZURE)
        .env("AZURE_SUBSCRIPTION_ID", "")
        .run()
        .expect_code(0);
    expect_prices(&run, "azure");
    assert!(
        run.stderr.contains("needs AZURE_SUBSCRIPTION_ID"),
        "{}",
        run.stderr
    );
    assert!(requests(&world, Service::AZURE, "/oauth2/").is_empty());
}
