//! Responses without faults.

mod http;

use http::{ec2, graphql, send, vast};
use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop, Standin, TruncatedField, credential};

#[test]
fn aliases_literals_and_variables_are_executed() {
    let standin = Standin::start();
    let query = r#"query Q($n: Int!, $dc: String = "US-KS-2") {
        a: gpuTypes(input: {id: "NVIDIA H100 80GB HBM3"}) {
            __typename id
            ks: lowestPrice(input: {gpuCount: $n, dataCenterId: $dc}) { ...Price }
            se: lowestPrice(input: {gpuCount: 1, dataCenterId: "EU-SE-1"}) { ...Price }
            us: lowestPrice(input: {gpuCount: 2, countryCode: "US", secureCloud: false}) { ...Price }
        }
        dataCenters { id listed gpuAvailability { gpuTypeId stockStatus } }
    }
    fragment Price on LowestPrice { uninterruptablePrice minimumBidPrice stockStatus }"#;
    let answer = graphql(&standin, query, &json!({ "n": 8 })).json();
    let gpu = &answer["data"]["a"][0];
    let price = |price: f64, bid: f64, stock: Option<&str>| json!({ "uninterruptablePrice": price, "minimumBidPrice": bid, "stockStatus": stock });
    assert_eq!(gpu["__typename"], "GpuType");
    assert_eq!(gpu["ks"], price(2.69, 1.75, Some("High")));
    assert_eq!(gpu["se"], price(2.69, 1.75, None));
    assert_eq!(gpu["us"], price(2.49, 1.50, Some("Low")));
    let centers = answer["data"]["dataCenters"].as_array().unwrap();
    assert!(centers.iter().any(|center| center["listed"] == false));
}

#[test]
fn fields_outside_the_schema_are_errors() {
    let standin = Standin::start();
    for (query, message) in [
        ("{ gpuTypes { idd } }", "Cannot query field \"idd\""),
        (
            "{ gpuTypes { lowestPrice { stockStatus } } }",
            "\"input\" is required",
        ),
        (
            "{ gpuTypes(input: {name: \"x\"}) { id } }",
            "\"name\" is not defined",
        ),
        ("{ gpuTypes(input: {id: 3}) { id } }", "invalid value 3"),
        (
            "query Q($id: String!) { gpuTypes(input: {id: $id}) { id } }",
            "required type",
        ),
        ("{ gpuTypes }", "must have a selection"),
        (
            "mutation { podFindAndDeployOnDemand(input: {}) { id } }",
            "mutation",
        ),
        ("{ gpuTypes", "Syntax Error"),
    ] {
        let answer = graphql(&standin, query, &Value::Null).json();
        let found = answer["errors"][0]["message"].as_str().unwrap();
        assert!(found.contains(message), "{query}: {found}");
    }
    assert_eq!(standin.attempted_writes(), 1);
}

fn ids(answer: &Value) -> Vec<u64> {
    let offers = answer["offers"].as_array().into_iter().flatten();
    offers.filter_map(|offer| offer["id"].as_u64()).collect()
}

#[test]
fn vast_filters_orders_and_prices() {
    let standin = Standin::start();
    let answer = vast(
        &standin,
        &json!({
            "gpu_name": { "in": ["H100 SXM", "H200"] },
            "num_gpus": { "gte": "2", "lt": 8 },
            "geolocation": { "notin": ["JP"] },
            "verified": { "eq": true },
            "rented": { "eq": false },
            "external": { "eq": false },
            "datacenter": { "eq": true },
            "type": "bid",
            "order": [["num_gpus", "desc"]],
            "allocated_storage": 96.0,
            "limit": 10,
        }),
    );
    assert!(answer.head.contains("content-type: application/json\r\n"));
    let answer = answer.json();
    assert_eq!(ids(&answer), [1002, 1003]);
    // 4 GPUs at 2.10, bids from 60 %, and 96 GB at 0.15 a month.
    let price = answer["offers"][0]["dph_total"].as_f64().unwrap();
    assert!((price - (5.04 + 0.02)).abs() < 1e-9, "{price}");
    assert!(answer["offers"][0].as_object().unwrap().len() > 90);
}

#[test]
fn vast_limits_a_search_without_a_limit() {
    let standin = Standin::with(Shop::default().with_vast_offers(200));
    assert_eq!(ids(&vast(&standin, &json!({})).json()).len(), 64);
    assert_eq!(
        ids(&vast(&standin, &json!({ "limit": 500 })).json()).len(),
        200
    );
    let unknown = vast(&standin, &json!({ "gpu_nmae": { "eq": "x" } }));
    assert_eq!(
        (unknown.status, unknown.json()["error"].clone()),
        (400, json!("invalid_args"))
    );
}

#[test]
fn vast_truncates_answers_regardless_of_the_limit() {
    for (field, said) in [
        (TruncatedField::Absent, [json!(null), json!(null)]),
        (TruncatedField::AlwaysFalse, [json!(false), json!(false)]),
        (TruncatedField::Honest, [json!(true), json!(false)]),
    ] {
        let shop = Shop::default()
            .with_vast_offers(100)
            .with_vast_cap(64, field);
        let standin = Standin::with(shop);
        let search = |from: f64| {
            let query = json!({
                "dph_total": { "gte": from },
                "order": [["dph_total", "asc"]],
                "limit": 10_000,
            });
            vast(&standin, &query).json()
        };
        let first = search(0.0);
        assert_eq!((ids(&first).len(), &first["truncated"]), (64, &said[0]));
        let last = first["offers"][63]["dph_total"].as_f64().unwrap();
        let rest = search(last);
        assert_eq!(&rest["truncated"], &said[1]);
        let mut seen = [ids(&first), ids(&rest)].concat();
        assert!(ids(&rest).contains(&ids(&first)[63]));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 100);
    }
}

/// Returns the text of every element with a name, in document order.
fn texts<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    xml.split(&format!("<{name}>"))
        .skip(1)
        .filter_map(|rest| rest.split('<').next())
        .collect()
}

#[test]
fn ec2_pages_and_filters() {
    let standin = Standin::start();
    let call = "Action=DescribeInstanceTypes&Filter.1.Name=instance-type&Filter.1.Value.1=p*&Filter.1.Value.2=g6*";
    let mut types = Vec::new();
    let mut pages = 0;
    let mut token = String::new();
    loop {
        let answer = ec2(&standin, "us-east-1", &format!("{call}&NextToken={token}"));
        let body = &answer.body;
        types.extend(texts(body, "instanceType").iter().map(ToString::to_string));
        pages += 1;
        match texts(body, "nextToken").first() {
            Some(next) => token = (*next).to_owned(),
            None => break,
        }
    }
    types.sort();
    assert_eq!(pages, 2);
    assert_eq!(
        types,
        [
            "g6.12xlarge",
            "g6.xlarge",
            "g6e.48xlarge",
            "g6f.large",
            "p4d.24xlarge",
            "p4de.24xlarge",
            "p5.48xlarge",
            "p5.4xlarge",
            "p5.8xlarge",
        ]
    );
    let bad = "Action=DescribeInstanceTypes&Filter.1.Name=gpu-info.count&Filter.1.Value.1=8";
    let bad = ec2(&standin, "us-east-1", bad);
    assert_eq!(
        (bad.status, texts(&bad.body, "Code")),
        (400, vec!["InvalidParameterValue"])
    );
    for (region, code) in [
        ("me-south-1", "AuthFailure"),
        ("af-south-1", "OptInRequired"),
    ] {
        let refused = ec2(&standin, region, call);
        assert_eq!(
            (refused.status, texts(&refused.body, "Code")),
            (401, vec![code])
        );
    }
}

#[test]
fn ec2_gives_one_current_spot_price_per_zone() {
    let standin = Standin::start();
    let now = "2199-01-01T00%3A00%3A00Z";
    let call = format!(
        "Action=DescribeSpotPriceHistory&StartTime={now}&InstanceType.1=g6f.large&ProductDescription.1=Linux%2FUNIX"
    );
    let current = ec2(&standin, "us-east-1", &call).body;
    let zones = ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"];
    assert_eq!(texts(&current, "availabilityZone"), zones);
    assert_eq!(texts(&current, "spotPrice")[0], "0.081100");
    // The last page has an empty token.
    assert_eq!(texts(&current, "nextToken"), [""]);
    let all = "Action=DescribeSpotPriceHistory&InstanceType.1=g6f.large";
    assert_eq!(
        texts(&ec2(&standin, "us-east-1", all).body, "spotPrice").len(),
        20
    );
}

#[test]
fn a_token_of_verda_expires_once() {
    let standin = Standin::start();
    standin.fault(Service::VERDA, Fault::ExpiredToken);
    let login = json!({
        "grant_type": "client_credentials",
        "client_id": credential("VERDA_CLIENT_ID"),
        "client_secret": credential("VERDA_CLIENT_SECRET"),
    })
    .to_string();
    let get = |path: &str, token: &str| {
        let headers = format!("authorization: Bearer {token}\r\n");
        send(&standin, Service::VERDA, "GET", path, &headers, "").unwrap()
    };
    let mint = || {
        let answer = send(
            &standin,
            Service::VERDA,
            "POST",
            "/oauth2/token",
            "",
            &login,
        )
        .unwrap();
        answer.json()["access_token"].as_str().unwrap().to_owned()
    };
    let first = mint();
    assert_eq!(get("/locations", &first).status, 200);
    let refused = get("/locations", &first);
    assert_eq!(
        (refused.status, refused.json()["code"].clone()),
        (401, json!("unauthorized_request"))
    );
    let second = mint();
    assert_eq!(get("/locations", &second).status, 200);
    assert_eq!(
        get("/instance-availability/2H100.80S.80V?is_spot=true", &second).body,
        "true"
    );
    assert_eq!(
        get("/instance-availability/2H100.80S.80V", &second).body,
        "false"
    );
    assert_eq!(
        get("/instance-types?currency=eur", "").json()[0]["price_per_hour"],
        "1.9694"
    );
    assert_eq!(standin.tokens_minted(), 2);
}
