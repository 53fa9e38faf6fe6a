//! Builds the GraphQL requests. No I/O.

use std::fmt::Write as _;

use crate::query::{Interest, Query};

use super::asks::{AskPlace, Batch, PriceAsk};
use super::response::{DataCenter, GpuType, RunPodMarket};

/// The maximum number of prices per request.
const BATCH: usize = 120;
/// The maximum number of GPUs per pod if the type does not state it.
const MAX_COUNT: u32 = 8;
/// The maximum number of prices per listing: five times as many as all types, counts and places
/// need.
const MAX_ASKS: usize = 20_000;

/// Returns the request for all GPU types with list prices, and all data centers, with or without
/// their stock.
pub(super) fn types(with_stock: bool) -> String {
    let stock = if with_stock {
        " gpuAvailability { gpuTypeId stockStatus }"
    } else {
        ""
    };
    format!(
        "query {{ \
         gpuTypes {{ id displayName manufacturer memoryInGb secureCloud communityCloud securePrice communityPrice \
         secureSpotPrice communitySpotPrice maxGpuCount maxGpuCountSecureCloud maxGpuCountCommunityCloud }} \
         dataCenters {{ id location listed{stock} }} }}"
    )
}

/// Returns the types whose prices are requested.
pub(super) fn wanted<'m>(
    query: &Query<'_>,
    market: &'m RunPodMarket,
) -> impl Iterator<Item = &'m GpuType> {
    let is_wanted =
        |gpu: &&GpuType| (query.interest)(&gpu.id, Some(&gpu.hardware())) == Interest::Requested;
    market.types.iter().filter(is_wanted)
}

/// Returns the price requests, so that RunPod filters by type, count, place and stock; true if some
/// prices were left out because of the limit.
pub(super) fn batches(query: &Query<'_>, market: &RunPodMarket) -> (Vec<Batch>, bool) {
    let mut all = wanted(query, market).flat_map(|gpu| {
        let places = places(query, gpu, &market.centers);
        counts(query, gpu).into_iter().flat_map(move |count| {
            let places = places.clone().into_iter();
            places.map(move |place| PriceAsk {
                id: gpu.id.clone(),
                count,
                place,
            })
        })
    });
    let asks: Vec<PriceAsk> = all.by_ref().take(MAX_ASKS).collect();
    let is_cut = all.next().is_some();
    let batches = asks.chunks(BATCH).map(|asks| Batch {
        asks: asks.to_vec(),
        text: prices(asks),
    });
    (batches.collect(), is_cut)
}

/// Returns the places for which prices of a type are requested.
pub(super) fn places(query: &Query<'_>, gpu: &GpuType, centers: &[DataCenter]) -> Vec<AskPlace> {
    let mut requested_places = Vec::new();
    if gpu.secure {
        // RunPod may answer "anywhere" with a data center that takes no new pods. So request the
        // price in each data center, and "anywhere" only without known data centers.
        if centers.is_empty() && query.places.is_none() {
            requested_places.push(AskPlace::SecureAnywhere);
        }
        // A data center that was out of stock in the first answer has no price to request, unless
        // the user named it.
        let is_meant = |center: &&DataCenter| match query.places {
            Some(places) => places.include(&center.id, center.country()),
            None => center.has(&gpu.id),
        };
        let open = centers.iter().filter(|center| center.listed);
        requested_places.extend(
            open.filter(is_meant)
                .map(|center| AskPlace::DataCenter(center.id.clone())),
        );
    }
    if gpu.community {
        match query.places {
            None => requested_places.push(AskPlace::CommunityAnywhere),
            Some(places) => requested_places.extend(places.countries().map(AskPlace::Country)),
        }
    }
    requested_places
}

/// Returns the requested counts that a pod of this type can have.
pub(super) fn counts(query: &Query<'_>, gpu: &GpuType) -> Vec<u32> {
    query
        .counts
        .whole(gpu.max_count.unwrap_or(MAX_COUNT))
        .collect()
}

/// Returns the text of a request such as `g0: gpuTypes(input: {id: "…"}) { p0: lowestPrice(input:
/// {…}) { … } p1: … }`. The alias of a price is its index in the batch.
fn prices(asks: &[PriceAsk]) -> String {
    let mut text = String::from("query {");
    let mut at = 0;
    for (group, asks) in asks.chunk_by(|a, b| a.id == b.id).enumerate() {
        let _ = write!(
            text,
            " g{group}: gpuTypes(input: {{id: {}}}) {{ id",
            literal(&asks[0].id)
        );
        for ask in asks {
            let place = match &ask.place {
                AskPlace::SecureAnywhere => "secureCloud: true".to_owned(),
                AskPlace::DataCenter(id) => {
                    format!("secureCloud: true, dataCenterId: {}", literal(id))
                }
                AskPlace::CommunityAnywhere => "secureCloud: false".to_owned(),
                AskPlace::Country(code) => {
                    format!("secureCloud: false, countryCode: {}", literal(code))
                }
            };
            let _ = write!(
                text,
                " p{at}: lowestPrice(input: {{gpuCount: {}, {place}}}) {{ uninterruptablePrice minimumBidPrice stockStatus minVcpu minMemory maxUnreservedGpuCount }}",
                ask.count
            );
            at += 1;
        }
        text.push_str(" }");
    }
    text.push_str(" }");
    text
}

/// Returns a GraphQL string. Ids come from the provider and are escaped, whatever they contain.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                literal.push('\\');
                literal.push(c);
            }
            c if c.is_control() => {
                let _ = write!(literal, "\\u{:04x}", u32::from(c));
            }
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_escaped() {
        assert_eq!(literal("NVIDIA A30"), "\"NVIDIA A30\"");
        assert_eq!(literal("a\") { evil }\n"), "\"a\\\") { evil }\\u000a\"");
    }

    #[test]
    fn requests_prices_by_count_and_place() {
        let ask = |count, place| PriceAsk {
            id: "NVIDIA H200".to_owned(),
            count,
            place,
        };
        let text = prices(&[
            ask(8, AskPlace::SecureAnywhere),
            ask(8, AskPlace::DataCenter("EU-RO-1".to_owned())),
            ask(8, AskPlace::Country("SE".to_owned())),
        ]);
        assert!(text.starts_with(
            "query { g0: gpuTypes(input: {id: \"NVIDIA H200\"}) { id p0: lowestPrice("
        ));
        assert!(text.contains(
            "p1: lowestPrice(input: {gpuCount: 8, secureCloud: true, dataCenterId: \"EU-RO-1\"})"
        ));
        assert!(text.contains(
            "p2: lowestPrice(input: {gpuCount: 8, secureCloud: false, countryCode: \"SE\"})"
        ));
        assert!(text.ends_with("} }"));
    }

    #[test]
    fn the_number_of_requests_is_bounded() {
        let kind = |n: u32| {
            format!(
                "{{\"id\":\"GPU {n}\",\"displayName\":\"H100\",\"memoryInGb\":80,\"secureCloud\":true,\
                 \"communityCloud\":true,\"securePrice\":2,\"communityPrice\":1,\"maxGpuCount\":64}}"
            )
        };
        let types: Vec<String> = (0..1000).map(kind).collect();
        let body = format!(
            "{{\"data\":{{\"gpuTypes\":[{}],\"dataCenters\":[]}}}}",
            types.join(",")
        );
        let (market, _) = super::super::response::market(body.as_bytes()).unwrap();
        let query = Query::everything(crate::Counts {
            min: 1.0,
            max: None,
        });
        let (batches, is_cut) = batches(&query, &market);
        let asks: usize = batches.iter().map(|batch| batch.asks.len()).sum();
        assert_eq!((asks, is_cut), (MAX_ASKS, true));
    }
}
