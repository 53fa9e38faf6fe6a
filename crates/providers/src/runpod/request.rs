//! GraphQL for RunPod: pure text.

use std::fmt::Write as _;

use crate::query::{Interest, Query};

use super::response::{DataCenter, GpuType, Market};

/// Prices that one request asks for at most.
const BATCH: usize = 120;
/// The most GPUs of a pod where the type does not say.
const MAX_COUNT: u32 = 8;
/// The most prices that are asked for: five times as many as all types, counts and places have.
const MAX_ASKS: usize = 20_000;

/// Every GPU type with its list prices, and every data center, with its stock where that is asked
/// for.
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

/// The types whose prices are asked for.
pub(super) fn wanted<'m>(
    query: &Query<'_>,
    market: &'m Market,
) -> impl Iterator<Item = &'m GpuType> {
    let is_wanted =
        |gpu: &&GpuType| (query.interest)(&gpu.id, Some(&gpu.hardware())) == Interest::Wanted;
    market.types.iter().filter(is_wanted)
}

/// Where and in which tier a price is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    SecureAnywhere,
    DataCenter(String),
    CommunityAnywhere,
    Country(String),
}

/// One price that is asked for, under the alias that its place in the list gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub id: String,
    pub count: u32,
    pub place: Place,
}

/// A request.
#[derive(Debug)]
pub(super) struct Batch {
    pub asks: Vec<Ask>,
    pub text: String,
}

/// Which prices to ask for, so that RunPod filters by type, count, place and stock; and whether
/// there were more than are asked for.
pub(super) fn batches(query: &Query<'_>, market: &Market) -> (Vec<Batch>, bool) {
    let mut all = wanted(query, market).flat_map(|gpu| {
        let places = places(query, gpu, &market.centers);
        counts(query, gpu).into_iter().flat_map(move |count| {
            let places = places.clone().into_iter();
            places.map(move |place| Ask {
                id: gpu.id.clone(),
                count,
                place,
            })
        })
    });
    let asks: Vec<Ask> = all.by_ref().take(MAX_ASKS).collect();
    let is_cut = all.next().is_some();
    let batches = asks.chunks(BATCH).map(|asks| Batch {
        asks: asks.to_vec(),
        text: prices(asks),
    });
    (batches.collect(), is_cut)
}

/// Where prices of a type are asked for.
pub(super) fn places(query: &Query<'_>, gpu: &GpuType, centers: &[DataCenter]) -> Vec<Place> {
    let mut asked = Vec::new();
    if gpu.secure {
        // The best of all places may be one that takes no new pods: ask for each of them, and for
        // all together only when nobody knows which there are.
        if centers.is_empty() && query.places.is_none() {
            asked.push(Place::SecureAnywhere);
        }
        // Where it was out of stock a moment ago, asking for a price tells nothing new, unless
        // that very place is asked for.
        let is_meant = |center: &&DataCenter| match query.places {
            Some(places) => places.include(&center.id, center.country()),
            None => center.has(&gpu.id),
        };
        let open = centers.iter().filter(|center| center.listed);
        asked.extend(
            open.filter(is_meant)
                .map(|center| Place::DataCenter(center.id.clone())),
        );
    }
    if gpu.community {
        match query.places {
            None => asked.push(Place::CommunityAnywhere),
            Some(places) => asked.extend(places.countries().map(Place::Country)),
        }
    }
    asked
}

/// The wanted counts that a pod of this type can have.
pub(super) fn counts(query: &Query<'_>, gpu: &GpuType) -> Vec<u32> {
    query
        .counts
        .whole(gpu.max_count.unwrap_or(MAX_COUNT))
        .collect()
}

/// `g0: gpuTypes(input: {id: "…"}) { p0: lowestPrice(input: {…}) { … } p1: … }`: the aliases of
/// prices are the places of their asks.
fn prices(asks: &[Ask]) -> String {
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
                Place::SecureAnywhere => "secureCloud: true".to_owned(),
                Place::DataCenter(id) => {
                    format!("secureCloud: true, dataCenterId: {}", literal(id))
                }
                Place::CommunityAnywhere => "secureCloud: false".to_owned(),
                Place::Country(code) => {
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

/// A GraphQL string. Ids come from the provider: they are data, whatever is in them.
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
    fn ids_are_data() {
        assert_eq!(literal("NVIDIA A30"), "\"NVIDIA A30\"");
        assert_eq!(literal("a\") { evil }\n"), "\"a\\\") { evil }\\u000a\"");
    }

    #[test]
    fn prices_are_asked_by_count_and_place() {
        let ask = |count, place| Ask {
            id: "NVIDIA H200".to_owned(),
            count,
            place,
        };
        let text = prices(&[
            ask(8, Place::SecureAnywhere),
            ask(8, Place::DataCenter("EU-RO-1".to_owned())),
            ask(8, Place::Country("SE".to_owned())),
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
    fn a_list_of_any_length_is_a_bounded_number_of_questions() {
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
