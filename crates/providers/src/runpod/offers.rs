//! Combines types and prices to offers.

use std::collections::HashMap;

use sky_accel_core::catalog::{Availability, CapacityType};

use super::asks::AskPlace;
use super::request::{counts, places};
use super::response::{GpuType, PriceQuote, RunPodMarket, country};
use crate::offer::{Dropped, DroppedBecause, Offer, Price, Region};
use crate::query::{Interest, Query};

/// Returns an offer for each requested type and count.
pub(super) fn offers(
    query: &Query<'_>,
    market: RunPodMarket,
    quotes: &[PriceQuote],
) -> (Vec<Offer>, Vec<Dropped>) {
    let mut offers = Vec::new();
    let mut dropped = market.dropped;
    let mut by_offer: HashMap<(&str, u32), Vec<&PriceQuote>> = HashMap::new();
    for quote in quotes {
        let offer = (quote.ask.id.as_str(), quote.ask.count);
        by_offer.entry(offer).or_default().push(quote);
    }
    for gpu in &market.types {
        match (query.interest)(&gpu.id, Some(&gpu.hardware())) {
            Interest::Requested => {}
            Interest::NotRequested => {
                dropped.add(DroppedBecause::NotRequested);
                continue;
            }
            Interest::Unknown => {
                offers.push(Offer {
                    id: gpu.id.clone(),
                    hardware: Some(gpu.hardware()),
                    ..Offer::default()
                });
                continue;
            }
        }
        let regions: Vec<Region> = market
            .centers
            .iter()
            .filter(|center| center.listed && center.has(&gpu.id))
            .map(|center| Region {
                id: center.id.clone(),
                country: center.country().map(str::to_owned),
            })
            .collect();
        for count in counts(query, gpu) {
            let quotes = by_offer.get(&(gpu.id.as_str(), count));
            let quotes = quotes.map(Vec::as_slice).unwrap_or_default();
            let mut offer = Offer {
                id: gpu.id.clone(),
                display_name: gpu.name.clone(),
                hardware: Some(gpu.hardware()),
                count: Some(f64::from(count)),
                regions: regions.clone(),
                ..Offer::default()
            };
            for quote in quotes {
                offer.vcpu = offer.vcpu.or(quote.vcpu);
                offer.host_memory_gib = offer.host_memory_gib.or(quote.memory_gb);
                let prices = [
                    (CapacityType::OnDemand, quote.on_demand),
                    (CapacityType::Spot, quote.spot),
                ];
                for (capacity, usd) in prices {
                    let Some(usd) = usd else { continue };
                    offer
                        .prices
                        .push(price(quote, capacity, usd * f64::from(count)));
                    // A data center that quotes a price sells the type, even if the first answer
                    // said otherwise.
                    if let AskPlace::DataCenter(id) | AskPlace::Country(id) = &quote.ask.place
                        && offer.regions.iter().all(|region| region.id != *id)
                    {
                        let country = match &quote.ask.place {
                            AskPlace::Country(code) => Some(code.clone()),
                            _ => country(id).map(str::to_owned),
                        };
                        offer.regions.push(Region {
                            id: id.clone(),
                            country,
                        });
                    }
                }
            }
            // A place that did not answer may have stock.
            let stock = if quotes.len() < places(query, gpu, &market.centers).len() {
                Availability::Unknown
            } else {
                Availability::Unavailable
            };
            let listed = list_prices(query, gpu, count, stock, &offer.prices);
            offer.prices.extend(listed);
            if offer.prices.is_empty() {
                dropped.add(DroppedBecause::NoPrice);
            } else {
                offers.push(offer);
            }
        }
    }
    (offers, dropped.done())
}

/// Adds the list prices of tiers without a quote: they are out of stock, where the stock is known.
fn list_prices(
    query: &Query<'_>,
    gpu: &GpuType,
    count: u32,
    stock: Availability,
    quoted: &[Price],
) -> Vec<Price> {
    let mut missing = Vec::new();
    if query.places.is_some() {
        return missing;
    }
    for (tier, is_sold, listed) in [
        ("secure", gpu.secure, gpu.secure_prices),
        ("community", gpu.community, gpu.community_prices),
    ] {
        for (capacity, usd) in [CapacityType::OnDemand, CapacityType::Spot]
            .into_iter()
            .zip(listed)
        {
            let is_quoted = quoted
                .iter()
                .any(|price| price.capacity == capacity && price.tier.as_deref() == Some(tier));
            let Some(usd) = usd.filter(|_| is_sold && !is_quoted) else {
                continue;
            };
            missing.push(Price {
                tier: Some(tier.to_owned()),
                availability: stock,
                ..Price::new(capacity, usd * f64::from(count))
            });
        }
    }
    missing
}

fn price(quote: &PriceQuote, capacity: CapacityType, usd: f64) -> Price {
    let (tier, region) = match &quote.ask.place {
        AskPlace::SecureAnywhere => ("secure", None),
        AskPlace::DataCenter(id) => ("secure", Some(id.clone())),
        AskPlace::CommunityAnywhere => ("community", None),
        AskPlace::Country(code) => ("community", Some(code.clone())),
    };
    Price {
        region,
        tier: Some(tier.to_owned()),
        availability: quote.availability,
        ..Price::new(capacity, usd)
    }
}

#[cfg(test)]
mod tests {
    use super::super::asks::{Batch, PriceAsk};
    use super::super::response::{market, quotes};
    use super::*;

    fn asked(count: u32, place: AskPlace) -> PriceAsk {
        PriceAsk {
            id: "X".to_owned(),
            count,
            place,
        }
    }

    /// Returns the offers of a market with one type in both clouds, for the answers to `asks`.
    fn offers_for(asks: Vec<PriceAsk>, answer: &str) -> Vec<Offer> {
        let body = br#"{"data":{"gpuTypes":[{"id":"X","secureCloud":true,"communityCloud":true,
            "securePrice":3,"secureSpotPrice":2,"communityPrice":1.5,"maxGpuCount":2}],
            "dataCenters":[{"id":"EU-RO-1","listed":true,"gpuAvailability":[{"gpuTypeId":"X","stockStatus":"Low"}]}]}}"#;
        let (market, _) = market(body).unwrap();
        let text = String::new();
        let (quotes, _) = quotes(answer.as_bytes(), &Batch { asks, text }).unwrap();
        let counts = crate::query::Counts {
            min: 1.0,
            max: None,
        };
        offers(&Query::everything(counts), market, &quotes).0
    }

    type StatedPrice<'o> = (CapacityType, &'o str, Option<&'o str>, f64, Availability);

    fn stated(offer: &Offer) -> Vec<StatedPrice<'_>> {
        fn row(price: &Price) -> StatedPrice<'_> {
            let tier = price.tier.as_deref().unwrap_or_default();
            let region = price.region.as_deref();
            (
                price.capacity,
                tier,
                region,
                price.per_hour,
                price.availability,
            )
        }
        offer.prices.iter().map(row).collect()
    }

    #[test]
    fn list_prices_are_out_of_stock_if_every_place_answered() {
        use Availability::{Limited, Unavailable, Unknown};
        use CapacityType::{OnDemand, Spot};
        let romania = || AskPlace::DataCenter("EU-RO-1".to_owned());
        let community = || AskPlace::CommunityAnywhere;
        let asks = vec![
            asked(1, romania()),
            asked(1, community()),
            asked(2, romania()),
        ];
        let answer = r#"{"data":{"g0":[{"p0":{"uninterruptablePrice":2.5,"minVcpu":8,
            "minMemory":64,"stockStatus":"Low"},"p1":null,"p2":null}]}}"#;
        let offers = offers_for(asks, answer);
        let [one, two] = &offers[..] else {
            panic!("{offers:?}");
        };
        assert_eq!((one.count, two.count), (Some(1.0), Some(2.0)));
        // Both places answered for one device.
        assert_eq!(
            stated(one),
            [
                (OnDemand, "secure", Some("EU-RO-1"), 2.5, Limited),
                (Spot, "secure", None, 2.0, Unavailable),
                (OnDemand, "community", None, 1.5, Unavailable),
            ]
        );
        assert_eq!((one.vcpu, one.host_memory_gib), (Some(8.0), Some(64.0)));
        // One of two places answered for two devices. Amounts are for the whole offer.
        assert_eq!(
            stated(two),
            [
                (OnDemand, "secure", None, 6.0, Unknown),
                (Spot, "secure", None, 4.0, Unknown),
                (OnDemand, "community", None, 3.0, Unknown),
            ]
        );
        assert_eq!((two.vcpu, two.host_memory_gib), (None, None));
    }

    #[test]
    fn a_place_that_quotes_a_price_sells_the_type() {
        let place = AskPlace::Country("SE".to_owned());
        let answer = r#"{"data":{"g0":[{"p0":{"minimumBidPrice":0.5,"stockStatus":"High"}}]}}"#;
        let offers = offers_for(vec![asked(1, place)], answer);
        let regions = offers[0].regions.iter();
        let regions: Vec<_> = regions
            .map(|region| (region.id.as_str(), region.country.as_deref()))
            .collect();
        assert_eq!(regions, [("EU-RO-1", Some("RO")), ("SE", Some("SE"))]);
        assert_eq!(
            stated(&offers[0])[0],
            (
                CapacityType::Spot,
                "community",
                Some("SE"),
                0.5,
                Availability::Available
            )
        );
    }
}
