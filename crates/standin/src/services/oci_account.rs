//! Oracle Cloud's API of a tenancy: regions, availability domains, shapes, capacity reports and limits.
//! Each request must have the signature of the key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use ring::digest::{SHA256, digest};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Value, json};

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Refusal, ServiceAnswer, no_such_path, refuse, refuse_write};
use crate::shop::{OciAccountShop, OciLimit};
use crate::state::State;

const TENANCY: &str = "ocid1.tenancy.oc1..standin";
const USER: &str = "ocid1.user.oc1..standin";
const FINGERPRINT: &str = "20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34";
/// A key for tests, which is used nowhere else.
const KEY: &str = include_str!("oci_key.pem");

/// The variables of an API key.
pub(super) const CREDENTIALS: &[(&str, &str)] = &[
    ("OCI_CLI_TENANCY", TENANCY),
    ("OCI_CLI_USER", USER),
    ("OCI_CLI_FINGERPRINT", FINGERPRINT),
    ("OCI_CLI_REGION", "us-ashburn-1"),
    ("OCI_CLI_KEY_CONTENT", KEY),
];

/// The maximum number of shapes in a report.
const SHAPES_PER_REPORT: usize = 10;
/// The maximum difference of the clocks, in seconds.
const MAX_SKEW: i64 = 300;

pub(super) fn answer(state: &State, request: &Recorded) -> ServiceAnswer {
    check_signature(request)?;
    let shop = &state.shop.oci.account;
    let parts: Vec<&str> = request.path_only().split('/').skip(1).collect();
    let list = |rows: Vec<Value>| Ok(Reply::json(200, json!(rows)));
    if request.method == "POST" {
        return match parts.as_slice() {
            ["20160918", "computeCapacityReports"] => report(shop, request),
            _ => refuse_write(state),
        };
    }
    match parts.as_slice() {
        ["20160918", "tenancies", tenancy, "regionSubscriptions"] if *tenancy == TENANCY => {
            list(vec![
                json!({ "regionKey": "IAD", "regionName": "us-ashburn-1", "status": "READY", "isHomeRegion": true }),
                json!({ "regionKey": "FRA", "regionName": "eu-frankfurt-1", "status": "IN_PROGRESS", "isHomeRegion": false }),
            ])
        }
        ["20160918", "availabilityDomains"] => {
            check_tenancy(request)?;
            let name =
                |name: &String| json!({ "id": name, "name": name, "compartmentId": TENANCY });
            list(
                shop.domains
                    .iter()
                    .map(|domain| name(&domain.name))
                    .collect(),
            )
        }
        ["20160918", "shapes"] => shapes(shop, request),
        ["20190729", "limitValues"] => {
            check_tenancy(request)?;
            let name = request.parameter("name");
            let limits = shop.limits.iter();
            let limits =
                limits.filter(|limit| name.as_ref().is_none_or(|name| *name == limit.name));
            list(limits.map(limit_value).collect())
        }
        [
            "20190729",
            "services",
            "compute",
            "limits",
            name,
            "resourceAvailability",
        ] => {
            check_tenancy(request)?;
            usage(shop, name, request)
        }
        _ => no_such_path(),
    }
}

/// Refuses a request without the signature of the key.
fn check_signature(request: &Recorded) -> Result<(), Refusal> {
    let failed = || {
        (Problem::Unauthorized, "The required information to complete authentication was not provided or was incorrect.".to_owned())
    };
    let field = |name: &str| {
        let text = request
            .header("authorization")?
            .strip_prefix("Signature ")?;
        let rest = text.split_once(&format!("{name}=\""))?.1;
        Some(rest.split('"').next()?.to_owned())
    };
    let key_id = format!("{TENANCY}/{USER}/{FINGERPRINT}");
    let names = field("headers").unwrap_or_default();
    let names: Vec<&str> = names.split(' ').collect();
    let mut needed = vec!["date", "(request-target)", "host"];
    if request.method == "POST" {
        needed.extend(["content-length", "content-type", "x-content-sha256"]);
        let sum = STANDARD.encode(digest(&SHA256, request.body.as_bytes()));
        if request.header("x-content-sha256") != Some(&sum) {
            return Err(failed());
        }
    }
    let date = request
        .header("date")
        .and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
    let skew = date.map(|date| (date.timestamp().as_second() - Timestamp::now().as_second()).abs());
    let is_complete = needed.iter().all(|name| names.contains(name))
        && field("keyId") == Some(key_id)
        && field("algorithm").as_deref() == Some("rsa-sha256")
        && skew.is_some_and(|skew| skew <= MAX_SKEW);
    let lines: Option<Vec<String>> = names.iter().map(|name| line(request, name)).collect();
    let signature = field("signature").and_then(|text| STANDARD.decode(text).ok());
    let (Some(lines), Some(signature), true) = (lines, signature, is_complete) else {
        return Err(failed());
    };
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public_key());
    let verified = public.verify(lines.join("\n").as_bytes(), &signature);
    verified.map_err(|_| failed())
}

/// Returns a line of the signed text.
fn line(request: &Recorded, name: &str) -> Option<String> {
    let value = match name {
        "(request-target)" => {
            let method = request.method.to_lowercase();
            format!("{method} /{}{}", request.service.name(), request.path)
        }
        name => request.header(name)?.to_owned(),
    };
    Some(format!("{name}: {value}"))
}

/// Returns the public part of the key.
fn public_key() -> Vec<u8> {
    let lines = KEY.lines().filter(|line| !line.starts_with("-----"));
    let der = STANDARD
        .decode(lines.collect::<String>())
        .expect("a key in PEM format");
    let pair = RsaKeyPair::from_pkcs8(&der).expect("an RSA key");
    pair.public().as_ref().to_vec()
}

fn check_tenancy(request: &Recorded) -> Result<(), Refusal> {
    if request.parameter("compartmentId").as_deref() == Some(TENANCY) {
        return Ok(());
    }
    refuse(
        Problem::NotFound,
        "Authorization failed or requested resource not found.",
    )
}

/// Answers with shapes; the first page is empty.
fn shapes(shop: &OciAccountShop, request: &Recorded) -> ServiceAnswer {
    check_tenancy(request)?;
    if request.parameter("page").is_none() {
        return Ok(Reply::json(200, json!([])).header("opc-next-page", "second"));
    }
    let rows = shop.shapes.iter().map(
        |(shape, quota)| json!({ "shape": shape, "quotaNames": [quota], "billingType": "PAID" }),
    );
    Ok(Reply::json(200, rows.collect()))
}

fn report(shop: &OciAccountShop, request: &Recorded) -> ServiceAnswer {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let domain = shop
        .domains
        .iter()
        .find(|domain| body["availabilityDomain"] == domain.name.as_str());
    let Some(domain) = domain.filter(|_| body["compartmentId"] == TENANCY) else {
        return refuse(
            Problem::NotFound,
            "Authorization failed or requested resource not found.",
        );
    };
    let asked = body["shapeAvailabilities"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    if !(1..=SHAPES_PER_REPORT).contains(&asked.len()) {
        return refuse(
            Problem::BadRequest,
            "shapeAvailabilities has too many entries",
        );
    }
    let rows = asked.iter().map(|row| {
        let shape = row["instanceShape"].as_str().unwrap_or_default();
        let count = domain.stock.get(shape);
        let status = match count {
            None => "HARDWARE_NOT_SUPPORTED",
            Some(Some(0)) => "OUT_OF_HOST_CAPACITY",
            Some(_) => "AVAILABLE",
        };
        json!({ "instanceShape": shape, "faultDomain": null, "availabilityStatus": status,
            "availableCount": count.copied().flatten() })
    });
    Ok(Reply::json(
        200,
        json!({
            "compartmentId": TENANCY,
            "availabilityDomain": domain.name,
            "timeCreated": Timestamp::now().to_string(),
            "shapeAvailabilities": rows.collect::<Vec<_>>(),
        }),
    ))
}

fn limit_value(limit: &OciLimit) -> Value {
    let scope = if limit.domain.is_some() {
        "AD"
    } else {
        "REGION"
    };
    json!({ "name": limit.name, "scopeType": scope, "availabilityDomain": limit.domain, "value": limit.value })
}

fn usage(shop: &OciAccountShop, name: &str, request: &Recorded) -> ServiceAnswer {
    let domain = request.parameter("availabilityDomain");
    let mut limits = shop.limits.iter();
    let found = limits.find(|limit| limit.name == name && limit.domain == domain);
    let Some(limit) = found else {
        return refuse(
            Problem::BadRequest,
            "availabilityDomain does not match the scope of the limit",
        );
    };
    Ok(Reply::json(
        200,
        json!({ "used": limit.used, "available": limit.value - limit.used, "effectiveQuotaValue": limit.value }),
    ))
}
