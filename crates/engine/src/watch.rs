//! Watching offers: changes from one live answer to the next, and the offer that ends the watch.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{Availability, Catalog, ProviderId, Status};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{list_and, number};
use sky_accel_live::{Live, can_ask};

use crate::code::ErrorCode;
use crate::contract::{Num, OfferOut, WatchEvent};
use crate::error::{Error, Result};
use crate::filter::OfferFilter;
use crate::text::dollars;

/// The providers that a watch queries.
#[derive(Debug)]
pub struct WatchedProviders {
    /// The providers to query.
    pub ids: Vec<ProviderId>,
    /// Why other providers of the filter are not queried, as a sentence; `None` if all are.
    pub remark: Option<String>,
}

impl WatchedProviders {
    /// Selects the providers of a filter that have an API and report the watched condition: the stock, if
    /// the filter has no price limit.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Watch`] if no provider remains, and the errors of [`OfferFilter::providers_or_all`].
    pub fn choose(catalog: &Catalog<'_>, offers: &OfferFilter) -> Result<Self> {
        let mut ids = offers.providers_or_all(catalog)?;
        ids.retain(|id| can_ask(catalog.provider_id(*id)));
        if ids.is_empty() {
            let message = "this build cannot query any of these providers";
            return Err(Error::new(ErrorCode::Watch, message));
        }
        if offers.max_price.is_some() {
            return Ok(Self { ids, remark: None });
        }
        let (ids, silent): (Vec<ProviderId>, Vec<ProviderId>) = ids
            .into_iter()
            .partition(|id| catalog.provider(*id).tells_stock);
        let names: Vec<&str> = silent.iter().map(|id| catalog.provider_id(*id)).collect();
        let does = if silent.len() == 1 { "does" } else { "do" };
        let message = format!(
            "{} {does} not report stock: set `max_price` to wait for a price",
            list_and(&names)
        );
        if ids.is_empty() {
            return Err(Error::new(ErrorCode::Watch, message));
        }
        let remark = (!silent.is_empty()).then(|| format!("{message} there"));
        Ok(Self { ids, remark })
    }
}

/// One change between two answers.
#[derive(Debug)]
pub struct WatchChange<'c> {
    /// The kind of the change.
    pub event: WatchEvent,
    /// The id of the provider.
    pub provider: String,
    /// The change as a sentence without a final period.
    pub message: String,
    /// The current offer; `None` if it is gone, or if the change is about the provider.
    pub offer: Option<OfferOut<'c>>,
}

/// The provider, its id of the offer, and the number of devices.
type Key = (String, String, String);

/// The state of an offer in the previous answer.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    usd: Option<f64>,
    availability: Availability,
}

impl Known {
    fn price(&self) -> String {
        self.usd
            .map_or("price unknown".to_owned(), |usd| dollars(Num(usd)))
    }

    fn stock(&self) -> &'static str {
        match self.availability {
            Availability::Available => "in stock",
            Availability::Limited => "few are left",
            Availability::Unavailable => "out of stock",
            Availability::Unknown => "stock unknown",
        }
    }
}

/// A watch: its conditions, and the state of the previous answer.
#[derive(Debug)]
pub struct Watch {
    capacity_filter: CapacityFilter,
    /// US dollars per hour.
    max_price: Option<f64>,
    known: BTreeMap<Key, Known>,
    /// The last errors of failed providers, by id.
    failing: BTreeMap<String, String>,
}

impl Watch {
    /// Creates a watch without a previous answer. It waits for an offer within the price limit of the
    /// filter; without a limit, for an offer in stock.
    pub fn new(offers: &OfferFilter) -> Self {
        Self {
            capacity_filter: offers.capacity_type,
            max_price: offers.max_price.map(|usd| usd.0),
            known: BTreeMap::new(),
            failing: BTreeMap::new(),
        }
    }

    /// The changes since the previous answer: first of providers, then of offers.
    pub fn changes<'c>(&mut self, live: &Live, offers: &[OfferOut<'c>]) -> Vec<WatchChange<'c>> {
        let failing = live
            .failures()
            .map(|error| (error.provider.to_owned(), error.message.clone()))
            .collect();
        self.observe(failing, offers)
    }

    fn observe<'c>(
        &mut self,
        failing: BTreeMap<String, String>,
        offers: &[OfferOut<'c>],
    ) -> Vec<WatchChange<'c>> {
        let mut changes = self.of_providers(failing);
        self.of_offers(offers, &mut changes);
        changes
    }

    fn of_providers<'c>(&mut self, failing: BTreeMap<String, String>) -> Vec<WatchChange<'c>> {
        let change = |event, provider: &str, message| WatchChange {
            event,
            provider: provider.to_owned(),
            message,
            offer: None,
        };
        let failed = failing
            .iter()
            .filter(|(provider, _)| !self.failing.contains_key(*provider))
            .map(|(provider, why)| {
                change(WatchEvent::Failed, provider, format!("{provider}: {why}"))
            });
        let recovered = self
            .failing
            .keys()
            .filter(|provider| !failing.contains_key(*provider))
            .map(|provider| {
                let message = format!("{provider} answers again");
                change(WatchEvent::Recovered, provider, message)
            });
        let changes = failed.chain(recovered).collect();
        self.failing = failing;
        changes
    }

    fn of_offers<'c>(&mut self, offers: &[OfferOut<'c>], changes: &mut Vec<WatchChange<'c>>) {
        let mut now: BTreeMap<Key, Known> = BTreeMap::new();
        for offer in offers {
            let (provider, id) = (offer.provider.to_owned(), offer.instance_type.to_owned());
            let key = (provider, id, number(offer.count.0));
            if now.contains_key(&key) {
                continue;
            }
            let known = Known {
                usd: self.usd(offer),
                availability: offer.availability,
            };
            if let Some((event, what)) = difference(self.known.get(&key), &known) {
                changes.push(WatchChange {
                    event,
                    provider: key.0.clone(),
                    message: format!("{} {}: {what}", key.0, key.1),
                    offer: Some(offer.clone()),
                });
            }
            now.insert(key, known);
        }
        for (key, known) in std::mem::take(&mut self.known) {
            if now.contains_key(&key) {
                continue;
            }
            // If a provider did not answer, its offers are unknown rather than gone.
            if self.failing.contains_key(&key.0) {
                now.insert(key, known);
                continue;
            }
            changes.push(WatchChange {
                event: WatchEvent::Gone,
                message: format!("{} {} is gone", key.0, key.1),
                provider: key.0,
                offer: None,
            });
        }
        self.known = now;
    }

    /// The first offer that meets the conditions: offered, within the price limit, and in stock. With a
    /// price limit, unknown stock is accepted. `None` if no offer does yet.
    pub fn found<'o, 'c>(&self, offers: &'o [OfferOut<'c>]) -> Option<&'o OfferOut<'c>> {
        offers.iter().find(|offer| {
            let is_cheap = self
                .max_price
                .is_none_or(|max| self.usd(offer).is_some_and(|usd| usd <= max));
            let is_there = match offer.availability {
                Availability::Available | Availability::Limited => true,
                Availability::Unknown => self.max_price.is_some(),
                Availability::Unavailable => false,
            };
            is_cheap && is_there && offer.status == Status::Offered
        })
    }

    /// A short description of the cheapest offer that is not out of stock.
    pub fn nearest(&self, offers: &[OfferOut<'_>]) -> String {
        let there = offers
            .iter()
            .filter(|offer| offer.availability != Availability::Unavailable);
        let cheapest = there
            .filter_map(|offer| Some((self.usd(offer)?, offer)))
            .min_by(|(a, _), (b, _)| a.total_cmp(b));
        match cheapest {
            Some((usd, offer)) => {
                let (provider, kind) = (offer.provider, offer.instance_type);
                format!("cheapest {} on {provider} ({kind})", dollars(Num(usd)))
            }
            None if offers.is_empty() => "no provider lists it".to_owned(),
            None => "out of stock everywhere".to_owned(),
        }
    }

    fn usd(&self, offer: &OfferOut<'_>) -> Option<f64> {
        offer
            .leading(self.capacity_filter)
            .map(|price| price.usd_per_hour.0)
    }
}

/// The difference of an offer between two answers; `None` if absent.
fn difference(before: Option<&Known>, now: &Known) -> Option<(WatchEvent, String)> {
    let Some(before) = before else {
        let what = format!("{}, {}", now.price(), now.stock());
        return Some((WatchEvent::Appeared, what));
    };
    if before.availability != now.availability {
        let what = format!("{}, was {}", now.stock(), before.stock());
        return Some((WatchEvent::Stock, what));
    }
    (before.usd != now.usd).then(|| {
        let what = format!("{}, was {}", now.price(), before.price());
        (WatchEvent::Price, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, ResolveRequest};

    fn offers() -> Vec<OfferOut<'static>> {
        let request = ResolveRequest {
            offers: OfferFilter {
                providers: vec!["runpod".to_owned()],
                ..OfferFilter::default()
            },
            specs: vec!["H100-80GB-SXM:x1".into()],
            ..ResolveRequest::default()
        };
        let answer = Engine::embedded().resolve(&request).unwrap();
        answer.envelope.results
    }

    fn watch(max_price: Option<f64>) -> Watch {
        Watch::new(&OfferFilter {
            max_price: max_price.map(Num),
            ..OfferFilter::default()
        })
    }

    fn events(changes: &[WatchChange<'_>]) -> Vec<WatchEvent> {
        changes.iter().map(|change| change.event).collect()
    }

    #[test]
    fn reports_each_change_once() {
        let mut watch = watch(None);
        let mut offers = offers();
        offers.truncate(1);
        let none = BTreeMap::new;
        assert_eq!(
            events(&watch.observe(none(), &offers)),
            [WatchEvent::Appeared]
        );
        assert_eq!(events(&watch.observe(none(), &offers)), []);
        offers[0].on_demand.as_mut().unwrap().usd_per_hour = Num(1.5);
        let changes = watch.observe(none(), &offers);
        assert_eq!(events(&changes), [WatchEvent::Price]);
        assert!(changes[0].message.contains(": $1.50, was $"), "{changes:?}");
        offers[0].availability = Availability::Limited;
        assert_eq!(events(&watch.observe(none(), &offers)), [WatchEvent::Stock]);
        assert_eq!(events(&watch.observe(none(), &[])), [WatchEvent::Gone]);
    }

    #[test]
    fn keeps_offers_of_failed_providers() {
        let mut watch = watch(None);
        let offers = offers();
        let failing = || BTreeMap::from([("runpod".to_owned(), "no answer".to_owned())]);
        watch.observe(BTreeMap::new(), &offers);
        assert_eq!(events(&watch.observe(failing(), &[])), [WatchEvent::Failed]);
        assert_eq!(events(&watch.observe(failing(), &[])), []);
        assert_eq!(
            events(&watch.observe(BTreeMap::new(), &offers)),
            [WatchEvent::Recovered]
        );
    }

    #[test]
    fn finds_offers_in_stock_or_within_the_price_limit() {
        let mut offers = offers();
        offers.truncate(1);
        let usd = offers[0].on_demand.as_ref().unwrap().usd_per_hour.0;
        for (availability, max_price, is_found) in [
            (Availability::Unknown, None, false),
            (Availability::Unknown, Some(usd), true),
            (Availability::Available, None, true),
            (Availability::Limited, Some(usd - 0.01), false),
            (Availability::Unavailable, Some(usd), false),
        ] {
            offers[0].availability = availability;
            let found = watch(max_price).found(&offers);
            assert_eq!(found.is_some(), is_found, "{availability} {max_price:?}");
        }
    }
}
