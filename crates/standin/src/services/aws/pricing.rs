//! The AWS price list service.

use serde_json::{Value, json};

use super::call::{json_page, signed};
use super::error::{PRICING, json_error};
use crate::reply::{Content, Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, refuse};
use crate::shop::{AwsOffer, AwsRegion};
use crate::state::State;

impl Service {
    /// AWS's price list service.
    pub const PRICING: Self = Self(&ServiceDeclaration::api(
        "pricing",
        "AWS_ENDPOINT_URL_PRICING",
        |state, request, _| answer(state, request),
        |problem, message| json_error(problem, &PRICING, message),
    ));
}

fn answer(state: &State, request: &Recorded) -> ServiceAnswer {
    signed(request)?;
    let target = request.header("x-amz-target").unwrap_or_default();
    if target != "AWSPriceListService.GetProducts" {
        return refuse(Problem::NotFound, format!("no such operation: {target}"));
    }
    let body: Value = serde_json::from_str(&request.body)
        .or_else(|error| refuse(Problem::BadRequest, error.to_string()))?;
    if body["ServiceCode"] != "AmazonEC2" {
        return refuse(Problem::BadRequest, "ServiceCode is missing or not known");
    }
    let mut filters = Vec::new();
    for filter in body["Filters"].as_array().into_iter().flatten() {
        let (Some("TERM_MATCH"), Some(field), Some(value)) = (
            filter["Type"].as_str(),
            filter["Field"].as_str(),
            filter["Value"].as_str(),
        ) else {
            return refuse(Problem::BadRequest, "a filter wants Type, Field and Value");
        };
        filters.push((field, value));
    }
    let admits = |row: &&Value| {
        let attributes = &row["product"]["attributes"];
        filters.iter().all(|(field, value)| {
            attributes[*field]
                .as_str()
                .is_some_and(|text| text.eq_ignore_ascii_case(value))
        })
    };
    let products: Vec<Value> = state
        .shop
        .aws
        .regions
        .iter()
        .flat_map(|region| {
            region
                .offers
                .iter()
                .flat_map(move |offer| products(region, offer))
        })
        .collect();
    let rows: Vec<Value> = products.iter().filter(admits).cloned().collect();
    let page = json_page(&state.shop.aws, rows, &body, "PriceList")?;
    let mut answer = json!({ "FormatVersion": "aws_v1" });
    for (name, value) in page.as_object().into_iter().flatten() {
        answer[name] = value.clone();
    }
    Ok(Reply {
        content: Content::Nested(answer, "PriceList"),
        ..Reply::aws_json(200, Value::Null)
    })
}

struct PriceListProduct<'a> {
    sku: &'a str,
    system: &'a str,
    tenancy: &'a str,
    capacity: &'a str,
    market: &'a str,
    unit: &'a str,
    price: f64,
}

/// Returns all products of a type in a region. A client must find the on-demand product among others.
fn products(region: &AwsRegion, offer: &AwsOffer) -> Vec<Value> {
    let linux = PriceListProduct {
        sku: "LINUX",
        system: "Linux",
        tenancy: "Shared",
        capacity: "Used",
        market: "OnDemand",
        unit: "Hrs",
        price: offer.on_demand.unwrap_or(0.0),
    };
    #[rustfmt::skip]
    let variants = [
        // A price of zero, because a reservation pays for the machine.
        PriceListProduct { sku: "ZERO", price: 0.0, ..linux },
        // A one-time charge instead of a price per hour.
        PriceListProduct { sku: "ONCE", unit: "Quantity", price: 123.45, ..linux },
        PriceListProduct { sku: "WINDOWS", system: "Windows", price: linux.price * 1.45, ..linux },
        PriceListProduct { sku: "DEDICATED", tenancy: "Dedicated", price: linux.price * 1.06, ..linux },
        PriceListProduct { sku: "RESERVED", capacity: "UnusedCapacityReservation", ..linux },
        PriceListProduct { sku: "BLOCK", market: "CapacityBlock", price: 0.0, ..linux },
        linux,
    ];
    variants
        .iter()
        .map(|product| row(region, offer, product))
        .collect()
}

fn row(region: &AwsRegion, offer: &AwsOffer, product: &PriceListProduct) -> Value {
    let sku = format!("{}-{}-{}", product.sku, region.zone_prefix, offer.kind);
    let term = format!("{sku}.JRTCKXETXF");
    let rate = format!("{term}.6YS6EN2CT7");
    json!({
        "product": {
            "productFamily": "Compute Instance",
            "attributes": {
                "instanceType": offer.kind,
                "regionCode": region.name,
                "location": region.name,
                "locationType": "AWS Region",
                "operatingSystem": product.system,
                "tenancy": product.tenancy,
                "preInstalledSw": "NA",
                "capacitystatus": product.capacity,
                "marketoption": product.market,
                "licenseModel": "No License required",
                "currentGeneration": "Yes",
                "servicecode": "AmazonEC2",
                "servicename": "Amazon Elastic Compute Cloud",
                "operation": "RunInstances",
                "usagetype": format!("BoxUsage:{}", offer.kind),
            },
            "sku": sku,
        },
        "serviceCode": "AmazonEC2",
        "terms": {
            "OnDemand": {
                term.clone(): {
                    "priceDimensions": {
                        rate.clone(): {
                            "unit": product.unit,
                            "endRange": "Inf",
                            "beginRange": "0",
                            "description": format!("${} per {} {}", product.price, product.system, offer.kind),
                            "appliesTo": [],
                            "rateCode": rate,
                            "pricePerUnit": { "USD": format!("{:.10}", product.price) },
                        },
                    },
                    "sku": sku,
                    "effectiveDate": "2026-09-01T00:00:00Z",
                    "offerTermCode": "JRTCKXETXF",
                    "termAttributes": {},
                },
            },
        },
        "version": "20260901000000",
        "publicationDate": "2026-09-01T00:00:00Z",
    })
}
