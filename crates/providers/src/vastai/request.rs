//! Builds the search. No I/O.

use serde_json::{Map, Value, json};

use sky_accel_core::catalog::CapacityType;

use crate::query::Query;

/// The id of Vast.ai in the catalog.
pub(super) const ID: &str = "vastai";

/// The requested number of rows: the default limit is small.
pub(super) const LIMIT: usize = 10_000;
/// The maximum number of GPU names in a search. With more names, the filter is left out.
const MAX_NAMES: usize = 60;

/// The price at which an answer starts, in US dollars per hour for the machine with its disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StartPrice {
    /// At the lowest price.
    Lowest,
    /// At this price.
    From(f64),
    /// Above this price.
    Above(f64),
}

/// Returns the body of a search for available machines of verified hosts, cheapest first.
pub(super) fn search(query: &Query<'_>, capacity: CapacityType, start: StartPrice) -> Value {
    let mut body = Map::new();
    let mut filter = |field: &str, condition: Value| {
        body.insert(field.to_owned(), condition);
    };
    filter("verified", json!({ "eq": true }));
    filter("external", json!({ "eq": false }));
    filter("rentable", json!({ "eq": true }));
    filter("rented", json!({ "eq": false }));
    if !query.ids.is_empty() && query.ids.len() <= MAX_NAMES {
        filter("gpu_name", json!({ "in": query.ids }));
    }
    let counts = query.counts;
    let devices = match counts.max {
        Some(max) if max.to_bits() == counts.min.to_bits() => json!({ "eq": max }),
        Some(max) => json!({ "gte": counts.min, "lte": max }),
        None => json!({ "gte": counts.min }),
    };
    filter("num_gpus", devices);
    if let Some(places) = query.places {
        // The search knows only countries. The caller matches patterns.
        let countries: Vec<String> = places.countries().collect();
        if countries.len() == places.patterns.len() {
            filter("geolocation", json!({ "in": countries }));
        }
    }
    filter(
        "type",
        json!(match capacity {
            CapacityType::OnDemand => "on-demand",
            CapacityType::Spot => "bid",
        }),
    );
    match start {
        StartPrice::Lowest => {}
        StartPrice::From(usd) => filter("dph_total", json!({ "gte": usd })),
        StartPrice::Above(usd) => filter("dph_total", json!({ "gt": usd })),
    }
    filter("order", json!([["dph_total", "asc"]]));
    filter("limit", json!(LIMIT));
    filter("allocated_storage", json!(query.disk_gb));
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Counts, Interest, Places};

    #[test]
    fn the_search_filters_by_gpu_count_country_and_type() {
        let ids = ["H100 SXM".to_owned()];
        let places = Places {
            patterns: vec!["se".to_owned()],
            countries: Vec::new(),
        };
        let query = Query {
            ids: &ids,
            regions: &[],
            accelerators: &[],
            interest: &|_, _| Interest::Requested,
            counts: Counts {
                min: 8.0,
                max: Some(8.0),
            },
            places: Some(&places),
            on_demand: true,
            spot: true,
            disk_gb: 50.0,
            machines: 1,
            stock: true,
            spot_scores: false,
            capacity_block_hours: None,
            quota: None,
            credentials_only: false,
        };
        let body = search(&query, CapacityType::Spot, StartPrice::Lowest);
        assert_eq!(body["gpu_name"], json!({"in": ["H100 SXM"]}));
        assert_eq!(body["num_gpus"], json!({"eq": 8.0}));
        assert_eq!(body["geolocation"], json!({"in": ["SE"]}));
        assert_eq!(body["type"], "bid");
        assert_eq!(body["allocated_storage"], 50.0);
        assert_eq!(body["rentable"], json!({"eq": true}));
        assert!(body.get("dph_total").is_none());
        let anywhere = Query {
            places: None,
            ids: &[],
            counts: Counts {
                min: 1.0,
                max: None,
            },
            ..query
        };
        let body = search(&anywhere, CapacityType::OnDemand, StartPrice::From(1.25));
        assert_eq!(body["type"], "on-demand");
        assert_eq!(body["dph_total"], json!({"gte": 1.25}));
        for absent in ["gpu_name", "geolocation"] {
            assert!(body.get(absent).is_none(), "{absent}");
        }
    }
}
