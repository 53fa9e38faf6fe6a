//! Google Cloud: logins, advice for the number of machines, and parts of an answer that fail.

use serde_json::{Value, json};
use sky_accel_standin::{Fault, Recorded, Service, Shop};
use tempfile::TempDir;

use super::Market;
use crate::support::Sky;

/// A key for tests only.
const PRIVATE_KEY: &str = include_str!("../../../crates/providers/src/gcp/test-key.pem");

fn requests(world: &Market, path: &str) -> Vec<Recorded> {
    let requests = world.standin.requests().into_iter();
    requests
        .filter(|request| request.path.contains(path))
        .collect()
}

/// `sky-accel` with credentials in a file, in the default place.
fn with_file(world: &Market, home: &TempDir, line: &str, file: &Value) -> Sky {
    let folder = home.path().join(".config/gcloud");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("application_default_credentials.json");
    std::fs::write(path, file.to_string()).unwrap();
    let sky = world.sky(line).env("HOME", home.path());
    sky.env("CLOUDSDK_AUTH_ACCESS_TOKEN", "")
}

fn user() -> Value {
    json!({
        "type": "authorized_user",
        "client_id": "standin-gcp-client",
        "client_secret": "standin0secret0gcp",
        "refresh_token": "1//standin0refresh0gcp",
        "quota_project_id": "standin-project",
    })
}

fn service_account() -> Value {
    json!({
        "type": "service_account",
        "project_id": "standin-project",
        "private_key_id": "k1",
        "private_key": PRIVATE_KEY,
        "client_email": "reader@standin-project.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    })
}

fn offer<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let mut results = answer["results"].as_array().expect("results").iter();
    let offer = results.find(|offer| offer["instance_type"] == id);
    offer.unwrap_or_else(|| panic!("no {id}: {answer}"))
}

#[test]
fn advice_is_for_the_machines_of_the_plan() {
    let world = Market::new();
    let line = "resolve H100:x8 --nodes 4 --provider gcp --live -o json";
    let answer = world.sky(line).json();
    let machine = offer(&answer, "a3-highgpu-8g");
    assert_eq!(machine["spot"]["kind"], "live", "{machine}");
    assert_eq!(machine["spot"]["usd_per_hour"], 21.5, "{machine}");
    assert_eq!(machine["on_demand"]["kind"], "list", "{machine}");
    let asked = requests(&world, "/advice/capacity");
    let sizes: Vec<Value> = asked
        .iter()
        .filter(|request| !request.path.ends_with("History"))
        .map(|request| serde_json::from_str::<Value>(&request.body).unwrap()["size"].take())
        .collect();
    // Two types with eight accelerators, in seven zones together.
    assert_eq!(sizes, vec![json!(4); 7]);
    // An answer for four machines does not answer a request for one machine.
    let before = world.standin.requests().len();
    let one = "resolve H100:x8 --provider gcp --live -o json";
    let _ = world.sky(one).json();
    let again = world.standin.requests().len() - before;
    assert_eq!(again, 7, "only the advice is requested again");
    let _ = world.sky(one).json();
    assert_eq!(world.standin.requests().len() - before, again);
}

#[test]
fn stored_logins_of_googles_tools_are_used() {
    for file in [user(), service_account()] {
        let (world, home) = (Market::new(), TempDir::new().unwrap());
        let line = "resolve H100:x8 --provider gcp --live -o json";
        let answer = with_file(&world, &home, line, &file).json();
        assert_eq!(answer["live"][0]["source"], "live", "{answer}");
        assert_eq!(requests(&world, "/token").len(), 1);
        for request in requests(&world, "/compute/") {
            let pays = request.header("x-goog-user-project");
            let is_user = file["type"] == "authorized_user";
            assert_eq!(pays, is_user.then_some("standin-project"));
            for secret in [
                "standin0secret0gcp",
                "1//standin0refresh0gcp",
                "PRIVATE KEY",
            ] {
                let sent = format!("{request:?}");
                assert!(!sent.contains(secret), "{sent}");
            }
        }
    }
}

#[test]
fn a_token_that_expires_is_renewed() {
    let (world, home) = (Market::new(), TempDir::new().unwrap());
    world.standin.fault(Service::GCP, Fault::ExpiredToken);
    let line = "resolve H100:x8 --provider gcp --live -o json";
    let answer = with_file(&world, &home, line, &user()).json();
    assert_eq!(answer["live"][0]["complete"], true, "{answer}");
    let logins = requests(&world, "/token").len();
    assert_eq!(logins, 2);
}

#[test]
fn refused_logins_and_foreign_token_servers_are_reported() {
    let mut wrong = user();
    wrong["refresh_token"] = json!("1//revoked0refresh");
    let mut foreign = service_account();
    foreign["token_uri"] = json!("https://tokens.example/token");
    let mut external = user();
    external["type"] = json!("external_account");
    for (file, said, asked) in [
        (wrong, "gcloud auth application-default login", 1),
        (foreign, "a token server that is not Google's", 0),
        (external, "external_account", 0),
    ] {
        let (world, home) = (Market::new(), TempDir::new().unwrap());
        let line = "resolve H100:x8 --provider gcp --live";
        let run = with_file(&world, &home, line, &file).run().expect_code(3);
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(!run.stderr.contains("revoked0refresh"), "{}", run.stderr);
        assert_eq!(world.asked(Service::GCP), asked);
    }
}

#[test]
fn a_disabled_service_leaves_only_its_quotas_unknown() {
    let world = Market::new();
    let body = json!({ "error": {
        "code": 403,
        "message": "Cloud Quotas API has not been used in project standin-project before",
        "status": "PERMISSION_DENIED",
        "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED",
            "domain": "googleapis.com", "metadata": { "service": "cloudquotas.googleapis.com" } }],
    } });
    let disabled = Fault::Status {
        code: 403,
        body: body.to_string(),
        content_type: "application/json".to_owned(),
        headers: Vec::new(),
    };
    world
        .standin
        .fault_where(Service::GCP, "/quotaInfos", disabled);
    let line = "resolve H100:x8|A100:40GB:x1 --provider gcp --check-quota --live -o json";
    let run = world.sky(line).run().expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let error = &answer["live"][0]["errors"][0];
    assert_eq!(error["code"], "provider.permission", "{answer}");
    let text = error.to_string();
    assert!(
        text.contains("cloudquotas.googleapis.com is not enabled"),
        "{text}"
    );
    assert_eq!(offer(&answer, "a3-highgpu-8g")["spot"]["kind"], "live");
}

#[test]
fn quotas_of_regions_project_and_family_are_read() {
    let world = Market::new();
    let line = "resolve H100:x8 --provider gcp --region us-central1 --check-quota --live -o json";
    let answer = world.sky(line).json();
    assert_eq!(answer["live"][0]["complete"], true, "{answer}");
    let asked = |path: &str| requests(&world, path).len();
    assert_eq!(asked("/regions/us-central1/advice/capacity"), 5);
    assert_eq!(asked("/regions/us-west1"), 0);
    assert_eq!(asked("/quotaInfos"), 1);
    let paths = world.standin.requests().into_iter();
    let mut paths: Vec<String> = paths.map(|request| request.path).collect();
    paths.retain(|path| !path.contains("/advice/") && !path.contains('?'));
    paths.sort_unstable();
    let project = "/compute/v1/projects/standin-project";
    let region = format!("{project}/regions/us-central1");
    assert_eq!(paths, [project.to_owned(), region]);
}

#[test]
fn a_list_of_many_pages_is_read_to_its_end() {
    let mut shop = Shop::default();
    shop.gcp.page_size = Some(2);
    let line = "resolve H100:x8 --provider gcp --live -o json";
    let (whole, paged) = (Market::new(), Market::with(shop));
    let ids = |world: &Market| {
        let answer = world.sky(line).json();
        crate::support::texts(&answer, "/instance_type")
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&whole), ids(&paged));
    assert!(requests(&paged, "pageToken=").len() > 5);
    // Without a later page, types that it may list stay as the catalog has them.
    paged
        .standin
        .fault_where(Service::GCP, "pageToken=page-4", Fault::ServerError);
    let run = paged.sky(&format!("{line} --refresh")).run().expect_code(5);
    assert!(run.stdout.contains("a3-highgpu-8g"), "{}", run.stdout);
}

#[test]
fn many_requests_at_once_are_not_a_missing_permission() {
    let world = Market::new();
    let body = json!({ "error": { "code": 403, "message": "Rate Limit Exceeded",
        "errors": [{ "domain": "usageLimits", "reason": "rateLimitExceeded" }] } });
    let busy = Fault::Status {
        code: 403,
        body: body.to_string(),
        content_type: "application/json".to_owned(),
        headers: Vec::new(),
    };
    world.standin.fault_times(Service::GCP, busy, 1);
    let line = "resolve H100:x8 --provider gcp --live -o json";
    let answer = world.sky(line).json();
    assert_eq!(answer["live"][0]["complete"], true, "{answer}");
}

#[test]
fn dates_of_reservations_are_asked_for_all_machines() {
    let world = Market::new();
    let line = "resolve H100:x8 --nodes 4 --capacity-blocks=48 --provider gcp --live -o json";
    let _ = world.sky(line).json();
    let asked = requests(&world, "/advice/calendarMode");
    assert!(!asked.is_empty());
    for request in asked {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let spec = &body["futureResourcesSpecs"]["machines"];
        let resources = &spec["targetResources"]["specificSkuResources"];
        assert_eq!(resources["instanceCount"], "4");
        assert_eq!(spec["timeRangeSpec"]["minDuration"], "172800s");
    }
    assert_eq!(world.standin.attempted_writes(), 0);
    // Without capacity in any zone, a remark says so.
    let mut shop = Shop::default();
    shop.gcp.reservable.clear();
    let answer = Market::with(shop).sky(line).json();
    let notes = answer["notes"].to_string();
    let remark = "calendar mode has no reservation of 48 h for 4 machines";
    assert!(notes.contains(remark), "{notes}");
}
