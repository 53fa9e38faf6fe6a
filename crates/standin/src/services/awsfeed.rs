//! The data files of Amazon's price pages: on-demand prices of a location, spot prices, and the
//! interruption rates of spot machines.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::storage;
use crate::reply::{Content, Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::{AwsFeedPlace, AwsFeedShop};

const UNITS: &str = "/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel/";

impl Service {
    /// Amazon's price pages.
    pub const AWS_FEED: Self = Self(&ServiceDeclaration::list(
        "awsfeed",
        "SKY_ACCEL_URL_AWS",
        |state, request, _| answer(&state.shop.awsfeed, request),
        storage::problem,
    ));
}

fn answer(shop: &AwsFeedShop, request: &Recorded) -> ServiceAnswer {
    let path = request.path_only();
    match path {
        "/locations/1.0/aws/current/locations.json" => {
            Ok(Reply::json(200, locations(shop)).modified(shop.published))
        }
        "/spot.json" => Ok(Reply {
            content_type: "application/x-javascript",
            ..Reply::json(200, shop.spot.clone())
        }
        .modified(shop.spot_modified)),
        "/spot-advisor-data.json" => {
            Ok(Reply::json(200, shop.advisor.clone()).modified(shop.published))
        }
        _ => {
            let place = path
                .strip_prefix(UNITS)
                .and_then(|rest| rest.strip_suffix("/Linux/index.json"));
            let Some(place) = place else {
                return no_such_path();
            };
            // Percent-decoding of a path is the same as of a form, except that a plus stays a plus.
            let name = place.replace('+', "%2B");
            let name = form_urlencoded::parse(name.as_bytes())
                .next()
                .map_or(String::new(), |(name, _)| name.into_owned());
            shop.places
                .iter()
                .find(|place| place.name == name && !place.units.is_empty())
                .map(|place| units(place, shop.published))
                .ok_or((
                    Problem::NotFound,
                    "The specified key does not exist.".into(),
                ))
        }
    }
}

fn locations(shop: &AwsFeedShop) -> Value {
    shop.places
        .iter()
        .map(|place| {
            let row = json!({
                "name": place.name,
                "code": place.code,
                "type": place.kind,
                "label": place.name,
                "continent": place.continent,
            });
            (place.name.clone(), row)
        })
        .collect::<Map<String, Value>>()
        .into()
}

fn units(place: &AwsFeedPlace, published: Timestamp) -> Reply {
    let rows: Map<String, Value> = place
        .units
        .iter()
        .map(|unit| {
            let name = unit["Instance Type"].as_str().unwrap_or_default();
            let key = format!("{} {} Linux", name.replace('.', " "), place.name);
            (key.replace(['(', ')'], ""), unit.clone())
        })
        .collect();
    let body = json!({
        "manifest": {
            "serviceId": "ec2",
            "accessType": "publish",
            "hawkFilePublicationDate": published.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "currencyCode": "USD",
            "source": "ec2",
        },
        "sets": {},
        "regions": { place.name.as_str(): rows },
    });
    let content = if place.gzip {
        Content::Gzip(body)
    } else {
        Content::Json(body)
    };
    Reply::new(200, "application/json", content).modified(published)
}
