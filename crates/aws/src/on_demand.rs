//! On-demand prices from the price list service.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_pricing::types::{Filter, FilterType};
use serde::Deserialize;
use sky_accel_providers::{Answered, Context, ErrorKind, ProviderError};

use crate::account::Aws;
use crate::error::explain;
use crate::pages::pages;

/// The filters of the priced product: Linux on shared tenancy, without preinstalled software,
/// outside of reservations.
const TERMS: [(&str, &str); 5] = [
    ("operatingSystem", "Linux"),
    ("tenancy", "Shared"),
    ("preInstalledSw", "NA"),
    ("capacitystatus", "Used"),
    ("marketoption", "OnDemand"),
];
const ACTION: &str = "pricing:GetProducts";
/// The maximum number of rows: a type has a few rows per region.
const MOST: usize = 5_000;

/// A row of the price list.
#[derive(Deserialize)]
struct PriceRow {
    product: ListedProduct,
    terms: Terms,
}

#[derive(Deserialize)]
struct ListedProduct {
    attributes: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Terms {
    #[serde(rename = "OnDemand", default)]
    on_demand: HashMap<String, Term>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Term {
    price_dimensions: HashMap<String, Dimension>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dimension {
    unit: String,
    price_per_unit: HashMap<String, String>,
}

/// Returns the hourly price of a type by region, or in one region.
pub(crate) async fn prices(
    aws: &Aws,
    context: &Context<'_>,
    id: &str,
    region: Option<&str>,
) -> Result<Answered<BTreeMap<String, f64>>, ProviderError> {
    let filter = |field: &str, value: &str| {
        Filter::builder()
            .r#type(FilterType::TermMatch)
            .field(field)
            .value(value)
            .build()
    };
    let wrong = |what: &str| {
        ProviderError::new(
            crate::api::ID,
            ErrorKind::Protocol,
            format!("{what} ({ACTION})"),
        )
    };
    let filters = [("instanceType", Some(id)), ("regionCode", region)];
    let filters = filters
        .into_iter()
        .filter_map(|(field, value)| Some((field, value?)));
    let filters: Result<Vec<Filter>, _> = filters
        .chain(TERMS)
        .map(|(field, value)| filter(field, value))
        .collect();
    let stream = aws
        .pricing()
        .get_products()
        .service_code("AmazonEC2")
        .set_filters(Some(filters.map_err(|error| wrong(&error.to_string()))?))
        .into_paginator()
        .send();
    let operation = format!("requesting the price of {id}");
    let pages = pages(context, &operation, MOST, stream, |page| {
        // The service always sends a list; an answer without one is broken.
        let is_list = page.format_version.is_some() || page.price_list.is_some();
        let rows = page.price_list.unwrap_or_default().into_iter().map(Some);
        let none = (!is_list).then_some(None);
        (rows.chain(none).collect(), page.next_token)
    });
    let pages = pages
        .await
        .map_err(|error| explain(ACTION, &aws.secrets, &error))?;
    let (rows, problems) = pages.answered(ACTION, |rows| {
        let rows: Option<Vec<String>> = rows.into_iter().collect();
        rows
    });
    let rows = rows.ok_or_else(|| wrong("the answer has no list of prices"))?;
    let prices = read(id, &rows).ok_or_else(|| wrong("none of the listed prices can be read"))?;
    let struck = |(region, usd): (String, f64)| (aws.secrets.redact(&region), usd);
    Ok((prices.into_iter().map(struck).collect(), problems))
}

/// Returns the lowest hourly price in dollars by region; `None` if there are rows but none can be
/// read. Rows of other products and units, and free rows, are skipped.
fn read(id: &str, rows: &[String]) -> Option<BTreeMap<String, f64>> {
    let mut any_read = rows.is_empty();
    let mut prices: BTreeMap<String, f64> = BTreeMap::new();
    for row in rows {
        let Ok(row) = serde_json::from_str::<PriceRow>(row) else {
            continue;
        };
        any_read = true;
        let attribute = |name: &str| row.product.attributes.get(name).map(String::as_str);
        let is_meant = TERMS
            .iter()
            .chain(&[("instanceType", id)])
            .all(|(name, value)| attribute(name).is_none_or(|stated| stated == *value));
        let Some(region) = attribute("regionCode").filter(|_| is_meant) else {
            continue;
        };
        let dimensions = row
            .terms
            .on_demand
            .values()
            .flat_map(|term| term.price_dimensions.values());
        let usd = dimensions
            .filter(|dimension| dimension.unit == "Hrs")
            .filter_map(|dimension| dimension.price_per_unit.get("USD")?.parse::<f64>().ok())
            .filter(|usd| usd.is_finite() && *usd > 0.0)
            .reduce(f64::min);
        if let Some(usd) = usd {
            let lowest = prices.entry(region.to_owned()).or_insert(usd);
            *lowest = lowest.min(usd);
        }
    }
    any_read.then_some(prices)
}

#[cfg(test)]
mod tests {
    use super::read;

    fn row(region: &str, tenancy: &str, unit: &str, usd: &str) -> String {
        format!(
            r#"{{"product":{{"attributes":{{"instanceType":"g6.xlarge","regionCode":"{region}","tenancy":"{tenancy}"}}}},
                 "terms":{{"OnDemand":{{"A":{{"priceDimensions":{{"B":{{"unit":"{unit}","pricePerUnit":{{"USD":"{usd}"}}}}}}}}}}}}}}"#
        )
    }

    #[test]
    fn reads_only_hourly_prices_of_the_machine() {
        let rows = [
            row("us-east-1", "Shared", "Hrs", "0.8048000000"),
            row("us-east-1", "Shared", "Hrs", "0.0000000000"),
            row("us-east-1", "Shared", "Quantity", "0.1"),
            row("us-east-1", "Dedicated", "Hrs", "0.2"),
            row("eu-west-1", "Shared", "Hrs", "none"),
            "not JSON".to_owned(),
            "{}".to_owned(),
        ];
        let prices = read("g6.xlarge", &rows).unwrap();
        assert_eq!(
            prices.into_iter().collect::<Vec<_>>(),
            [("us-east-1".to_owned(), 0.8048)]
        );
        assert!(read("g6.2xlarge", &rows).unwrap().is_empty());
        assert_eq!(read("g6.xlarge", &["{}".to_owned()]), None);
    }
}
