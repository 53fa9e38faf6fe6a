//! Public price lists and catalogs.

mod http;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use flate2::read::{DeflateDecoder, GzDecoder};
use http::{Answer, get, send};
use jiff::Timestamp;
use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop, Standin};

/// A path of each list, relative to its base URL.
const LISTS: &[(Service, &str)] = &[
    (Service::AWS_FEED, "/spot.json"),
    (Service::AZURE, "/api/retail/prices"),
    (Service::GPUHUNT, "/aws/version"),
    (Service::LINODE, "/v4/linode/types"),
    (Service::LIUM, "/api/public/v1/nodes"),
    (Service::OCI, "/pls/apex/cetools/api/v1/products/"),
    (
        Service::OVHCLOUD,
        "/1.0/order/catalog/public/cloud?ovhSubsidiary=FR",
    ),
    (
        Service::SCALEWAY,
        "/instance/v1/zones/fr-par-2/products/servers",
    ),
    (Service::SKYPILOT, "/gcp/vms.csv"),
    (Service::VULTR, "/v2/plans"),
    (Service::LITELLM, "/model_prices_and_context_window.json"),
    (Service::GENAI_PRICES, "/data.json"),
];

fn rows<'a>(answer: &'a Value, list: &str) -> &'a [Value] {
    answer[list].as_array().map_or(&[], Vec::as_slice)
}

fn column(rows: &[Value], name: &str) -> Vec<String> {
    let text = |row: &Value| row[name].as_str().unwrap_or_default().to_owned();
    rows.iter().map(text).collect()
}

/// Encodes the values of a query.
fn query(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

fn azure(standin: &Standin, pairs: &[(&str, &str)]) -> Answer {
    let path = format!("/api/retail/prices?{}", query(pairs));
    get(standin, Service::AZURE, &path)
}

#[test]
fn azure_filters() {
    let standin = Standin::start();
    let count = |filter: &str| {
        let answer = azure(&standin, &[("$filter", filter)]);
        assert_eq!(answer.status, 200, "{filter}: {}", answer.body);
        rows(&answer.json(), "Items").len()
    };
    let all = count("serviceFamily eq 'Compute'");
    let size = "serviceName eq 'Virtual Machines' and armSkuName eq 'Standard_NC4as_T4_v3' and armRegionName eq 'eastus'";
    assert_eq!(count(size), 8);
    assert_eq!(count(&format!("{size} and priceType eq 'Consumption'")), 6);
    let on_demand = "priceType eq 'Consumption' and contains(productName, 'Windows') eq false \
                     and not contains(meterName,'Spot') and contains(meterName, 'Low') eq false";
    assert_eq!(count(&format!("{size} and {on_demand}")), 2);
    // `and` binds tighter than `or`.
    let either = "contains(armSkuName,'H100') or contains(armSkuName,'H200')";
    let h200 = count("contains(armSkuName,'H200')");
    assert_eq!(
        count(&format!("({either}) and armRegionName eq 'swedencentral'")),
        14
    );
    assert!(count(&format!("{either} and armRegionName eq 'moon'")) > h200);
    // Comparisons are case-sensitive.
    assert_eq!(count("contains(armSkuName,'h100')"), 0);
    assert_eq!(
        count("armSkuName ne 'x' and startswith(armSkuName,'')"),
        all
    );
    for bad in ["armSkuName eq", "color eq 'red'", "armSkuName eq 'x", "a b"] {
        let answer = azure(&standin, &[("$filter", bad)]);
        assert_eq!(answer.status, 400, "{bad}");
        let message = answer.json()["Error"]["Message"].to_string();
        assert!(message.contains("Invalid OData"), "{message}");
    }
}

#[test]
fn azure_pages_by_link_and_by_number() {
    let mut shop = Shop::default();
    shop.azure.page_size = 10;
    let total = shop.azure.meters.len();
    let standin = Standin::with(shop);
    let first = azure(&standin, &[("currencyCode", "USD")]).json();
    let base = standin.url(Service::AZURE);
    let mut seen = column(rows(&first, "Items"), "skuId");
    let mut next = first["NextPageLink"].clone();
    while let Some(link) = next.as_str() {
        let page = get(&standin, Service::AZURE, link.strip_prefix(&base).unwrap()).json();
        assert!(page["Count"].as_u64().unwrap() <= 10);
        seen.extend(column(rows(&page, "Items"), "skuId"));
        next = page["NextPageLink"].clone();
    }
    assert_eq!(seen.len(), total);
    let third = azure(&standin, &[("$skip", "20"), ("$top", "3")]).json();
    assert_eq!(column(rows(&third, "Items"), "skuId"), seen[20..23]);
    assert_eq!(third["NextPageLink"], Value::Null);
    let past = azure(&standin, &[("$skip", "100000")]).json();
    assert_eq!(past["Items"], json!([]));
}

#[test]
fn azure_has_versions_currencies_and_primary_meters() {
    let standin = Standin::start();
    let first = |pairs: &[(&str, &str)]| azure(&standin, pairs).json()["Items"][0].clone();
    assert_eq!(first(&[])["retailPrice"], 98.32);
    assert!(first(&[]).get("savingsPlan").is_none());
    assert!(first(&[("api-version", "2023-01-01-preview")])["savingsPlan"].is_array());
    let euro = first(&[("currencyCode", "'EUR'")]);
    assert_eq!(euro["currencyCode"], "EUR");
    assert!(euro["retailPrice"].as_f64().unwrap() < 98.0);
    let primary = azure(&standin, &[("meterRegion", "'primary'")]).json();
    let is_primary = |row: &Value| row["isPrimaryMeterRegion"] == true;
    assert!(rows(&primary, "Items").iter().all(is_primary));
    for (name, value) in [
        ("api-version", "1999-01-01"),
        ("currencyCode", "XXX"),
        ("meterRegion", "primary"),
        ("$skip", "x"),
    ] {
        assert_eq!(azure(&standin, &[(name, value)]).status, 400, "{name}");
    }
}

#[test]
fn scaleway_pages_and_knows_its_zones() {
    let standin = Standin::start();
    let zone = "/instance/v1/zones/fr-par-2/products/servers";
    let page = |path: &str| get(&standin, Service::SCALEWAY, path);
    let first = page(&format!("{zone}?per_page=10&page=1"));
    assert_eq!(first.header("x-total-count"), Some("13"));
    let servers = |answer: &Answer| answer.json()["servers"].as_object().unwrap().len();
    assert_eq!(servers(&first), 10);
    assert_eq!(servers(&page(&format!("{zone}?per_page=10&page=2"))), 3);
    assert_eq!(servers(&page(&format!("{zone}?per_page=10&page=3"))), 0);
    assert_eq!(page(&format!("{zone}?per_page=101")).status, 400);
    let stock = page(&format!("{zone}/availability")).json();
    assert_eq!(stock["servers"]["H100-2-80G"]["availability"], "scarce");
    let unknown = page("/instance/v1/zones/xx-moon-1/products/servers");
    assert_eq!(unknown.status, 404);
    let bad = page("/instance/v1/zones/all/products/servers");
    assert_eq!(
        (bad.status, bad.json()["message"].clone()),
        (400, json!("Unknown zone in path"))
    );
}

#[test]
fn vultr_pages_by_cursor() {
    let standin = Standin::start();
    let page = |path: &str| get(&standin, Service::VULTR, path);
    let mut ids = BTreeSet::new();
    let mut cursor = String::new();
    let mut pages = 0;
    loop {
        let answer = page(&format!("/v2/plans?type=all&per_page=5&cursor={cursor}")).json();
        ids.extend(column(rows(&answer, "plans"), "id"));
        pages += 1;
        cursor = answer["meta"]["links"]["next"].as_str().unwrap().into();
        if cursor.is_empty() {
            assert_eq!(answer["meta"]["total"], ids.len());
            break;
        }
    }
    assert_eq!((pages, ids.len()), (3, 12));
    let kinds = column(rows(&page("/v2/plans?type=vcg").json(), "plans"), "type");
    assert!(!kinds.is_empty() && kinds.iter().all(|kind| kind == "vcg"));
    let metal = page("/v2/plans-metal?per_page=500").json();
    assert_eq!(rows(&metal, "plans_metal")[0]["deploy_ondemand"], false);
    assert_eq!(rows(&page("/v2/regions").json(), "regions").len(), 9);
    assert_eq!(page("/v2/plans?cursor=elsewhere").status, 400);
    assert_eq!(page("/v2/plans?per_page=501").status, 400);
}

#[test]
fn linode_pages_within_limits() {
    let standin = Standin::start();
    let page = |path: &str| get(&standin, Service::LINODE, path);
    let path = "/v4/regions/availability?page_size=25";
    let first = page(path).json();
    assert_eq!((&first["page"], &first["pages"]), (&json!(1), &json!(3)));
    assert_eq!(rows(&first, "data").len(), 25);
    let last = page(&format!("{path}&page=3")).json();
    assert_eq!(rows(&last, "data").len(), 72 - 50);
    assert_eq!(page(&format!("{path}&page=4")).status, 404);
    for size in [24, 501] {
        let refused = page(&format!("/v4/linode/types?page_size={size}"));
        assert_eq!(refused.status, 400);
        assert_eq!(refused.json()["errors"][0]["reason"], "Must be 25-500");
    }
    let free = rows(&first, "data")
        .iter()
        .filter(|row| row["available"] == true);
    assert!(free.count() > 0);
}

#[test]
fn oci_lists_parts_and_pages() {
    let mut shop = Shop::default();
    shop.oci.page_size = Some(6);
    let standin = Standin::with(shop);
    let list = "/pls/apex/cetools/api/v1/products/";
    let page = |path: &str| get(&standin, Service::OCI, path).json();
    let base = standin.url(Service::OCI);
    let mut parts = Vec::new();
    let mut path = format!("{list}?currencyCode=USD");
    loop {
        let answer = page(&path);
        parts.extend(column(rows(&answer, "items"), "partNumber"));
        let links = rows(&answer, "links");
        let Some(next) = links.iter().find(|link| link["rel"] == "next") else {
            break;
        };
        let next = next["href"].as_str().unwrap();
        path = next.strip_prefix(&base).unwrap().to_owned();
    }
    assert_eq!(parts.len(), 15);
    let h100 = page(&format!("{list}?currencyCode=USD&partNumber=B98415"));
    let price = &h100["items"][0]["currencyCodeLocalizations"][0]["prices"][0];
    assert_eq!(price["value"], 10.0);
    assert!(h100["lastUpdated"].as_str().unwrap().ends_with('Z'));
    assert_eq!(page(&format!("{list}?partNumber=B0"))["items"], json!([]));
    let shapes = page("/a/ocom/docs/cloudestimator2/data/shapes.json");
    assert!(
        rows(&shapes, "items")
            .iter()
            .any(|row| row["hidden"] == true)
    );
    let products = page("/a/ocom/docs/cloudestimator2/data/products.json");
    assert_eq!(products["items"][0]["pricetype"], "HOUR");
}

#[test]
fn ovhcloud_has_a_catalog_for_each_currency() {
    let standin = Standin::start();
    let catalog = |version: &str, subsidiary: &str| {
        let path = format!("/{version}/order/catalog/public/cloud?ovhSubsidiary={subsidiary}");
        get(&standin, Service::OVHCLOUD, &path)
    };
    let (euro, dollar) = (catalog("1.0", "FR").json(), catalog("v1", "US").json());
    assert_eq!(euro["locale"]["currencyCode"], "EUR");
    assert_eq!(dollar["locale"]["currencyCode"], "USD");
    assert!(rows(&dollar, "addons").len() < rows(&euro, "addons").len());
    let h100 = &rows(&euro, "addons")[0];
    assert_eq!(h100["planCode"], "h100-380.consumption");
    assert_eq!(h100["pricings"][0]["price"], 280_000_000);
    assert_eq!(catalog("1.0", "XX").json()["class"], "Client::BadRequest");
    let missing = get(
        &standin,
        Service::OVHCLOUD,
        "/1.0/order/catalog/public/cloud",
    );
    assert_eq!(missing.status, 400);
}

#[test]
fn cloudrift_is_queried_by_post() {
    let standin = Standin::start();
    let path = "/api/v1/instance-types/list";
    let ask = |body: &Value| {
        let body = body.to_string();
        send(&standin, Service::CLOUDRIFT, "POST", path, "", &body).unwrap()
    };
    let selector = json!({ "ByServiceAndLocation": { "services": ["vm"] } });
    let answer = ask(&json!({ "version": "2025-03-21", "data": { "selector": selector } })).json();
    let kind = &answer["data"]["instance_types"][0];
    assert_eq!(kind["variants"][0]["cost_per_hour"], 38.75);
    assert_eq!(kind["variants"][0]["nodes_per_dc"]["ap-east-tw-kn-1"], 4);
    assert_eq!(
        ask(&json!({ "data": { "selector": selector } })).status,
        400
    );
    assert_eq!(ask(&json!({ "version": "x", "data": {} })).status, 400);
    assert_eq!(standin.attempted_writes(), 0);
    assert_eq!(get(&standin, Service::CLOUDRIFT, path).status, 403);
}

#[test]
fn aws_places_are_gzip_or_not() {
    let mut shop = Shop::default();
    let old: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
    shop.awsfeed.published = old;
    let standin = Standin::with(shop);
    let units = "/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel";
    let place = |name: &str| {
        let path = format!("{units}/{name}/Linux/index.json");
        get(&standin, Service::AWS_FEED, &path)
    };
    let packed = place("US%20East%20(N.%20Virginia)");
    assert_eq!(packed.bytes[..2], [0x1f, 0x8b]);
    assert_eq!(packed.header("content-encoding"), None);
    let mut text = String::new();
    let mut decoder = GzDecoder::new(packed.bytes.as_slice());
    decoder.read_to_string(&mut text).unwrap();
    let packed: Value = serde_json::from_str(&text).unwrap();
    let date = &packed["manifest"]["hawkFilePublicationDate"];
    assert_eq!(date, "2026-01-02T03:04:05Z");
    let rows = packed["regions"]["US East (N. Virginia)"]
        .as_object()
        .unwrap();
    let row = &rows["p5 48xlarge US East N. Virginia Linux"];
    assert_eq!(row["price"], "55.0400000000");
    let plain = place("EU%20%28Ireland%29");
    assert_eq!(
        plain.header("last-modified"),
        Some("fri, 02 jan 2026 03:04:05 gmt")
    );
    assert!(plain.json()["regions"]["EU (Ireland)"].is_object());
    let missing = place("Asia%20Pacific%20(Osaka-Local)");
    assert!(missing.status == 404 && missing.body.contains("<Code>NoSuchKey</Code>"));
    let places = get(
        &standin,
        Service::AWS_FEED,
        "/locations/1.0/aws/current/locations.json",
    );
    assert_eq!(places.json()["EU (Ireland)"]["code"], "eu-west-1");
}

/// Returns the name and the content of the only file of an archive.
fn unzip(archive: &[u8]) -> Option<(String, String)> {
    let number = |at: usize| usize::from(archive[at]) + 256 * usize::from(archive[at + 1]);
    assert_eq!(archive[..4], *b"PK\x03\x04");
    assert_eq!(number(8), 8, "it is deflated");
    let start = 30 + number(26) + number(28);
    let name = String::from_utf8(archive[30..30 + number(26)].to_vec()).ok()?;
    let mut content = String::new();
    DeflateDecoder::new(&archive[start..])
        .read_to_string(&mut content)
        .ok()?;
    Some((name, content))
}

#[test]
fn gpuhunt_has_a_version_and_an_archive_for_each_provider() {
    let mut shop = Shop::default();
    shop.gpuhunt = shop
        .gpuhunt
        .published("2026-02-03T04:05:06Z".parse().unwrap());
    let standin = Standin::with(shop);
    let read = |path: &str| get(&standin, Service::GPUHUNT, path);
    for provider in [
        "aws",
        "azure",
        "cloudrift",
        "gcp",
        "lambdalabs",
        "nebius",
        "oci",
        "runpod",
        "verda",
    ] {
        let version = read(&format!("/{provider}/version")).body;
        assert_eq!(version, "20260203-1234");
        let archive = read(&format!("/{provider}/{version}/catalog.zip"));
        let (name, content) = unzip(&archive.bytes).unwrap();
        assert_eq!(name, format!("{provider}.csv"));
        assert!(content.starts_with("instance_name,location,price,cpu,"));
        assert!(content.lines().count() > 4, "{content}");
    }
    for path in ["/vultr/version", "/aws/20250101-1/catalog.zip", "/aws"] {
        let denied = read(path);
        assert!(denied.status == 403 && denied.body.contains("<Code>AccessDenied</Code>"));
    }
}

/// Returns the rows of a CSV text by column name.
fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn skypilot_files_are_csv_with_any_fault() {
    let standin = Standin::start();
    let read = || table(&get(&standin, Service::SKYPILOT, "/gcp/vms.csv").body);
    let sound = read();
    let host = sound
        .iter()
        .find(|row| row["InstanceType"] == "a2-highgpu-1g");
    assert_eq!(host.unwrap()["AcceleratorName"], "");
    standin.fault(Service::SKYPILOT, Fault::Nulls);
    assert_eq!(read()[0]["Price"], "");
    standin.fault(Service::SKYPILOT, Fault::WrongTypes);
    assert_eq!(read()[0]["InstanceType"], r#"["a3-highgpu-8g"]"#);
    standin.fault(Service::SKYPILOT, Fault::UnknownValues);
    let unknown = read();
    assert_eq!(unknown.len(), sound.len() + 1);
    assert_eq!(unknown.last().unwrap()["InstanceType"], "q9.48xlarge");
    let missing = get(&standin, Service::SKYPILOT, "/vsphere/vms.csv");
    assert_eq!(
        (missing.status, missing.body.as_str()),
        (404, "404: Not Found")
    );
}

#[test]
fn matching_entity_tags_are_not_modified() {
    let standin = Standin::start();
    for (service, path) in LISTS {
        let ask = |headers: &str| send(&standin, *service, "GET", path, headers, "").unwrap();
        let first = ask("");
        let name = service.name();
        assert_eq!(first.status, 200, "{name}");
        let tag = first
            .header("etag")
            .unwrap_or_else(|| panic!("{name} has no tag"));
        let same = ask(&format!("if-none-match: \"other\", {tag}\r\n"));
        assert_eq!((same.status, same.body.as_str()), (304, ""), "{name}");
        assert_eq!(same.header("etag"), Some(tag));
        assert_eq!(ask("if-none-match: \"other\"\r\n").status, 200, "{name}");
        let later = "if-modified-since: Fri, 01 Jan 2100 00:00:00 GMT\r\n";
        assert_eq!(ask(later).status, 304, "{name}");
        let before = "if-modified-since: Sat, 01 Jan 2000 00:00:00 GMT\r\n";
        assert_eq!(ask(before).status, 200, "{name}");
        // If a client sends both, the tag has precedence.
        let both = format!("if-none-match: \"other\"\r\n{later}");
        assert_eq!(ask(&both).status, 200, "{name}");
        // The client's copy is valid, and a fault changes the list, so they differ.
        standin.fault(*service, Fault::Nulls);
        let broken = ask(&format!("if-none-match: {tag}\r\n")).status;
        assert_eq!(broken == 304, *service == Service::GPUHUNT, "{name}");
    }
}

#[test]
fn faults_have_the_format_of_each_list() {
    let standin = Standin::start();
    for (service, path) in LISTS {
        let name = service.name();
        let meet = |fault: Fault| {
            standin.fault(*service, fault);
            get(&standin, *service, path)
        };
        let many = meet(Fault::TooMany {
            retry_after: Some(7),
        });
        let stored = [Service::AWS_FEED, Service::GPUHUNT].contains(service);
        assert_eq!(many.status, if stored { 503 } else { 429 }, "{name}");
        assert_eq!(many.header("retry-after"), Some("7"));
        assert_eq!(meet(Fault::ServerError).status, 500);
        assert_eq!(meet(Fault::Forbidden).status, 403);
        assert!(meet(Fault::Html).body.starts_with("<!DOCTYPE html>"));
        assert!(meet(Fault::Empty).body.is_empty());
        let full_length = meet(Fault::None).bytes.len();
        assert_eq!(
            meet(Fault::Truncated).bytes.len(),
            full_length / 2,
            "{name}"
        );
        for fault in [Fault::WrongTypes, Fault::UnknownValues, Fault::Hostile] {
            assert_eq!(meet(fault).status, 200, "{name}");
        }
        let write = send(&standin, *service, "DELETE", path, "", "");
        standin.fault(*service, Fault::None);
        let refused = send(&standin, *service, "DELETE", path, "", "").unwrap();
        assert!(write.is_some() && refused.status == 403, "{name}");
    }
    assert_eq!(standin.attempted_writes(), 2 * LISTS.len());
}

#[test]
fn variables_have_credentials_only_on_request() {
    let standin = Standin::start();
    let urls = standin.urls();
    assert_eq!(urls.len(), Service::ALL.len());
    assert!(
        urls.iter()
            .all(|(_, url)| url.starts_with("http://127.0.0.1:"))
    );
    let environment = standin.environment();
    assert!(urls.iter().all(|variable| environment.contains(variable)));
    assert!(environment.len() > urls.len());
}

#[test]
fn runpod_answers_without_a_key() {
    let ask = |standin: &Standin, headers: &str, query: &str| {
        let body = json!({ "query": query }).to_string();
        send(standin, Service::RUNPOD, "POST", "/graphql", headers, &body).unwrap()
    };
    let prices = r#"{ gpuTypes(input: {id: "NVIDIA H200"}) { id lowestPrice(input: {gpuCount: 8, secureCloud: true}) { stockStatus } } }"#;
    let stock = "{ dataCenters { id gpuAvailability { gpuTypeId stockStatus } } myself { id } }";
    let standin = Standin::start();
    let answer = ask(&standin, "", prices).json();
    let lowest = &answer["data"]["gpuTypes"][0]["lowestPrice"];
    assert_eq!(lowest["stockStatus"], "High");
    assert!(answer.get("errors").is_none());

    let refused = ask(&standin, "", stock);
    assert_eq!(refused.status, 200);
    let refused = refused.json();
    assert_eq!(
        refused["errors"][0]["extensions"]["code"],
        "UNAUTHENTICATED"
    );
    assert_eq!(
        refused["data"]["dataCenters"][0],
        json!({ "id": "US-KS-2", "gpuAvailability": null })
    );
    assert_eq!(refused["data"]["myself"], Value::Null);
    let wrong = ask(&standin, "authorization: Bearer rpa_wrong\r\n", prices);
    assert_eq!(wrong.status, 401);

    let mut shop = Shop::default();
    shop.runpod.anonymous_availability = true;
    let open = ask(&Standin::with(shop), "", stock).json();
    assert!(open["data"]["dataCenters"][0]["gpuAvailability"].is_array());
    assert_eq!(open["data"]["myself"], Value::Null);
}
