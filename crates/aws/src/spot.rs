//! Current spot prices by zone.

use std::collections::BTreeMap;
use std::time::SystemTime;

use aws_sdk_ec2::primitives::DateTime;
use aws_sdk_ec2::types::{InstanceType, SpotPrice};
use serde::{Deserialize, Serialize};
use sky_accel_providers::{Answered, Context, ProviderError, now};

use crate::account::Aws;
use crate::error::explain;
use crate::pages::pages;

/// The priced product: Linux without a license.
const PRODUCT: &str = "Linux/UNIX";
/// The service keeps 90 days of prices; older rows cannot be its answer.
const HISTORY_DAYS: i64 = 90;
/// The maximum number of rows: more than all types and zones of a region have.
const MOST: usize = 20_000;
const ACTION: &str = "ec2:DescribeSpotPriceHistory";

/// The price of a type in the cheapest zone of a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ZonePrice {
    pub id: String,
    pub zone: String,
    pub usd: f64,
}

/// Returns the lowest price of each type over the zones.
///
/// # Errors
///
/// Fails like any call, and with [`ErrorKind::Protocol`](sky_accel_providers::ErrorKind::Protocol) if
/// there are rows but none can be read.
pub(crate) async fn spot_prices(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    types: &[String],
) -> Result<Answered<Vec<ZonePrice>>, ProviderError> {
    let types = types
        .iter()
        .map(|id| InstanceType::from(id.as_str()))
        .collect();
    let stream = aws
        .ec2(region)
        .describe_spot_price_history()
        .set_instance_types(Some(types))
        .product_descriptions(PRODUCT)
        // A history that starts now has only the current prices.
        .start_time(DateTime::from(SystemTime::now()))
        .into_paginator()
        .send();
    let operation = format!("requesting spot prices in {region}");
    let pages = pages(context, &operation, MOST, stream, |page| {
        let rows = page.spot_price_history.unwrap_or_default();
        (rows, page.next_token)
    });
    let pages = pages
        .await
        .map_err(|error| explain(ACTION, &aws.secrets, &error))?;
    let struck = |price: ZonePrice| ZonePrice {
        zone: aws.secrets.redact(&price.zone),
        ..price
    };
    let (prices, problems) = pages.answered(ACTION, |rows| lowest(&rows, now()));
    Ok((prices?.into_iter().map(struck).collect(), problems))
}

fn lowest(rows: &[SpotPrice], now: i64) -> Result<Vec<ZonePrice>, ProviderError> {
    // The latest price of each zone applies.
    let mut newest: BTreeMap<(&str, &str), (i64, f64)> = BTreeMap::new();
    let mut unreadable = 0;
    for row in rows {
        let product = row
            .product_description()
            .map_or(PRODUCT, |product| product.as_str());
        let (Some(id), Some(zone), Some(usd), Some(at)) = (
            row.instance_type().map(InstanceType::as_str),
            row.availability_zone(),
            row.spot_price().and_then(|usd| usd.parse::<f64>().ok()),
            row.timestamp().map(DateTime::secs),
        ) else {
            unreadable += 1;
            continue;
        };
        let is_current = now - at <= HISTORY_DAYS * 86_400;
        if product != PRODUCT || !is_current || !usd.is_finite() || usd <= 0.0 {
            continue;
        }
        let latest = newest.entry((id, zone)).or_insert((at, usd));
        if at > latest.0 {
            *latest = (at, usd);
        }
    }
    if !rows.is_empty() && unreadable == rows.len() {
        return Err(ProviderError::unreadable(crate::api::ID, rows.len()));
    }
    let mut lowest: Vec<ZonePrice> = Vec::new();
    for ((id, zone), (_, usd)) in newest {
        match lowest.iter_mut().find(|price| price.id == id) {
            Some(price) if price.usd <= usd => {}
            Some(price) => {
                price.usd = usd;
                zone.clone_into(&mut price.zone);
            }
            None => lowest.push(ZonePrice {
                id: id.to_owned(),
                zone: zone.to_owned(),
                usd,
            }),
        }
    }
    Ok(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(zone: &str, usd: &str, at: i64, product: &str) -> SpotPrice {
        SpotPrice::builder()
            .instance_type(InstanceType::from("g6.xlarge"))
            .availability_zone(zone)
            .spot_price(usd)
            .timestamp(DateTime::from_secs(at))
            .product_description(product.into())
            .build()
    }

    #[test]
    fn the_latest_price_of_the_cheapest_zone_applies() {
        let day = 86_400;
        let now = 1000 * day;
        let rows = [
            row("a", "0.30", now - day, PRODUCT),
            row("a", "0.20", now - 9 * day, PRODUCT),
            row("b", "0.25", now - 2 * day, PRODUCT),
            row("c", "0.01", now - day, "Windows"),
            row("d", "0.00001", now - 7000 * day, PRODUCT),
            row("e", "0.0", now, PRODUCT),
            row("f", "free", now, PRODUCT),
        ];
        let found = lowest(&rows, now).unwrap();
        assert_eq!(
            found,
            [ZonePrice {
                id: "g6.xlarge".to_owned(),
                zone: "b".to_owned(),
                usd: 0.25
            }]
        );
    }

    #[test]
    fn an_answer_without_readable_rows_is_a_failure() {
        let nameless = SpotPrice::builder().spot_price("0.30").build();
        let rows = [nameless, row("a", "free", 0, PRODUCT)];
        assert_eq!(
            lowest(&rows, 0).unwrap_err(),
            ProviderError::unreadable(crate::api::ID, 2)
        );
        // Rows of other products are readable, and an empty list means no prices.
        let rows = [rows[0].clone(), row("a", "0.30", 0, "Windows")];
        assert_eq!(lowest(&rows, 0).unwrap(), []);
        assert_eq!(lowest(&[], 0).unwrap(), []);
    }
}
