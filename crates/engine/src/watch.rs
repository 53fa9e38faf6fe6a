//! Watching offers: changes from one live answer to the next, and the offer that ends the watch.

use std::collections::{BTreeMap, BTreeSet};

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Availability, CapacityType, Catalog, ProviderId};
use sky_accel_core::resolve::{CapacityFilter, Reason};
use sky_accel_core::text::{list_and, number, some_of};
use sky_accel_live::{
    Live, ProviderAnswer, ProviderApi, ProviderError, QueryOutcome, can_ask, diagnosis, providers,
};

use crate::code::ErrorCode;
use crate::contract::{Num, OfferOut, WatchEvent};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::OfferFilter;
use crate::resolve::ResolveRequest;
use crate::specs::Spec;
use crate::text::dollars;
use crate::watch_goal::WatchGoal;

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
    /// the filter has no price limit and the goal no score or quota.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Watch`] if no provider remains, the error of a missing key if a key would help, and the errors of
    /// [`OfferFilter::providers_or_all`].
    pub fn choose(catalog: &Catalog<'_>, offers: &OfferFilter, goal: &WatchGoal) -> Result<Self> {
        let mut ids = offers.providers_or_all(catalog)?;
        ids.retain(|id| can_ask(catalog.provider_id(*id)));
        if ids.is_empty() {
            let message = "this build cannot query any of these providers";
            return Err(Error::new(ErrorCode::Watch, message));
        }
        goal.check_watched(catalog, &ids)?;
        if offers.max_price.is_some() {
            return Ok(Self { ids, remark: None });
        }
        let mut silent: BTreeMap<Silence, Vec<&'static ProviderApi>> = BTreeMap::new();
        ids.retain(|id| {
            let Some(api) = providers().find(|api| api.id == catalog.provider_id(*id)) else {
                return false;
            };
            let tells_stock = catalog.provider(*id).tells_stock;
            let silence = Silence::of(api, tells_stock, offers.capacity_type, goal);
            if let Some(silence) = silence {
                silent.entry(silence).or_default().push(api);
            }
            silence.is_none()
        });
        let reasons = silent.iter().map(|(silence, apis)| silence.reason(apis));
        let message = format!(
            "{}: set `max_price` to wait for a price",
            list_and(&reasons.collect::<Vec<_>>())
        );
        if ids.is_empty() {
            let keyless = silent.get(&Silence::WithoutKey).into_iter().flatten();
            let errors: Vec<ProviderError> = keyless.map(|api| api.key_missing()).collect();
            return Err(if errors.is_empty() {
                Error::new(ErrorCode::Watch, message)
            } else {
                Error::of_failures(errors.iter().collect())
            });
        }
        let remark = (!silent.is_empty()).then(|| format!("{message} there"));
        Ok(Self { ids, remark })
    }
}

/// Why the answers of a provider would have no stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Silence {
    /// The provider does not report stock.
    Always,
    /// The provider does not report the stock of spot machines.
    ForSpot,
    /// The provider reports only the stock of spot machines.
    ForOnDemand,
    /// The provider reports stock, scores and quotas only with a key, which is missing.
    WithoutKey,
}

impl Silence {
    /// Returns the reason why a provider is not watched; `None` if it reports what the watch waits for.
    fn of(
        api: &ProviderApi,
        tells_stock: bool,
        filter: CapacityFilter,
        goal: &WatchGoal,
    ) -> Option<Self> {
        use CapacityFilter::{OnDemand, Spot, Unspecified};

        let needs_stock = !goal.waits_without_stock(api.id);
        if needs_stock && !tells_stock {
            return Some(Self::Always);
        }
        match (filter, api.stock.only) {
            (Spot, Some(CapacityType::OnDemand)) if needs_stock => Some(Self::ForSpot),
            (OnDemand | Unspecified, Some(CapacityType::Spot)) if needs_stock => {
                Some(Self::ForOnDemand)
            }
            _ => {
                let lacks_key = api.stock.needs_key && !diagnosis(api).is_usable;
                lacks_key.then_some(Self::WithoutKey)
            }
        }
    }

    /// Returns the reason as a sentence.
    fn reason(self, providers: &[&ProviderApi]) -> String {
        let ids: Vec<&str> = providers.iter().map(|api| api.id).collect();
        let is_one = ids.len() == 1;
        let does = if is_one { "does" } else { "do" };
        let names = list_and(&ids);
        match self {
            Self::Always => format!("{names} {does} not report stock"),
            Self::ForSpot => format!("{names} {does} not report the stock of spot machines"),
            Self::ForOnDemand => {
                format!("{names} {does} not report the stock of on-demand machines")
            }
            Self::WithoutKey => {
                let reports = if is_one { "reports" } else { "report" };
                format!("{names} {reports} stock and quotas only with a key")
            }
        }
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

/// The outcome of one query of a watch.
#[derive(Debug)]
pub struct WatchUpdate<'c> {
    /// The changes since the previous query.
    pub changes: Vec<WatchChange<'c>>,
    /// The offer that ends the watch; `None` to continue.
    pub found: Option<OfferOut<'c>>,
    /// A short description of the cheapest offer.
    pub nearest: String,
}

/// The provider, its id of the offer, and the number of devices.
type OfferKey = (String, String, String);

/// The state of an offer in the previous answer.
#[derive(Clone, Debug, PartialEq)]
struct OfferState {
    usd: Option<f64>,
    availability: Availability,
}

impl OfferState {
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
    goal: WatchGoal,
    /// The watched offers.
    request: ResolveRequest,
    /// Whether any provider has answered.
    has_answered: bool,
    /// Whether any provider answered the last query.
    is_any_answered: bool,
    /// The offers of the previous answer.
    offers: BTreeMap<OfferKey, OfferState>,
    /// The last errors of failed providers, by id.
    failing: BTreeMap<String, String>,
    /// The description of the cheapest offer in the last answer of all providers.
    nearest: String,
}

impl Watch {
    /// Creates a watch without a previous answer. It waits for an offer within the price limit of the
    /// filter; without a limit, for an offer in stock. The goal adds conditions. The spec is given by its alternatives.
    pub fn new(
        choices: Vec<BoundChoice>,
        offers: &OfferFilter,
        at_least: bool,
        goal: WatchGoal,
    ) -> Self {
        Self {
            capacity_filter: offers.capacity_type,
            max_price: offers.max_price.map(|usd| usd.0),
            goal,
            request: ResolveRequest {
                specs: vec![Spec::Bound(choices)],
                at_least,
                offers: OfferFilter {
                    // Offers above the price limit are watched too, so that price drops are noticed.
                    max_price: None,
                    limit: None,
                    ..offers.clone()
                },
                ..ResolveRequest::default()
            },
            has_answered: false,
            is_any_answered: false,
            offers: BTreeMap::new(),
            failing: BTreeMap::new(),
            nearest: String::new(),
        }
    }

    /// The conditions beside the price.
    pub(crate) fn goal(&self) -> &WatchGoal {
        &self.goal
    }

    /// Returns true if an offer of a live answer meets the conditions. An answer that cannot be used has none.
    pub fn is_found(&self, engine: &Engine<'_>, live: &Live) -> bool {
        let answer = engine.with_live(live).resolve(&self.request);
        answer.is_ok_and(|answer| {
            let mut offers = answer.envelope.results;
            offers.retain(|offer| has_answered(&engine.catalog(), live, offer.provider));
            self.found(&offers).is_some()
        })
    }

    /// Compares a live answer with the previous one. `is_whole` is true for an answer of all watched providers; the
    /// offers of others stay as they were.
    ///
    /// # Errors
    ///
    /// The errors of the providers if all of them lack credentials, which waiting does not fix,
    /// [`ErrorCode::Watch`] if no provider has anything to query, and the errors of [`Engine::resolve`].
    pub fn update<'c>(
        &mut self,
        engine: &Engine<'c>,
        live: &'c Live,
        is_whole: bool,
    ) -> Result<WatchUpdate<'c>> {
        match Error::no_answer(live) {
            Some(error) if is_whole && error.kind == ErrorKind::Credentials => return Err(error),
            Some(_) => {}
            None if live.answers.is_empty() => {
                if is_whole {
                    let message = "the catalog has none of these accelerators at these providers, so there is nothing to query";
                    return Err(Error::new(ErrorCode::Watch, message));
                }
            }
            None => self.has_answered = true,
        }
        let is_answer =
            |answer: &ProviderAnswer| matches!(answer.outcome, QueryOutcome::Answered { .. });
        self.is_any_answered = live.answers.iter().any(is_answer);
        let engine = engine.with_live(live);
        let offers = engine.resolve(&self.request)?.envelope.results;
        // Catalog data of providers that were not reached is not a change.
        let (unreached, mut offers): (Vec<_>, Vec<_>) = offers
            .into_iter()
            .partition(|offer| offer.reasons.contains(&Reason::NotReached));
        offers.retain(|offer| has_answered(&engine.catalog(), live, offer.provider));
        let answers = live.answers.iter();
        let asked = answers.map(|answer| engine.catalog().provider_id(answer.provider).to_owned());
        let changes = self.changes(live, &offers, &asked.collect());
        if is_whole {
            self.nearest = self.nearest(&offers, &unreached);
        }
        Ok(WatchUpdate {
            changes,
            found: self.found(&offers).cloned(),
            nearest: self.nearest.clone(),
        })
    }

    /// The error of a watch that reached its timeout without any answer; `None` if a provider answered.
    pub fn timeout_error(&self, last: &Live) -> Option<Error> {
        Error::no_answer(last).filter(|_| !self.has_answered)
    }

    /// The changes since the previous answer: first of providers, then of offers.
    fn changes<'c>(
        &mut self,
        live: &Live,
        offers: &[OfferOut<'c>],
        asked: &BTreeSet<String>,
    ) -> Vec<WatchChange<'c>> {
        let failing = live
            .failures()
            .map(|error| (error.provider.to_owned(), error.message.clone()))
            .collect();
        self.observe(failing, offers, asked)
    }

    fn observe<'c>(
        &mut self,
        mut failing: BTreeMap<String, String>,
        offers: &[OfferOut<'c>],
        asked: &BTreeSet<String>,
    ) -> Vec<WatchChange<'c>> {
        // A provider that was not queried this time still fails.
        let earlier = self.failing.iter();
        let earlier = earlier.filter(|(provider, _)| !asked.contains(*provider));
        failing.extend(earlier.map(|(provider, why)| (provider.clone(), why.clone())));
        let mut changes = self.of_providers(failing);
        self.of_offers(offers, asked, &mut changes);
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
                let message = format!("could not ask {provider}: {why}");
                change(WatchEvent::Failed, provider, message)
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

    fn of_offers<'c>(
        &mut self,
        offers: &[OfferOut<'c>],
        asked: &BTreeSet<String>,
        changes: &mut Vec<WatchChange<'c>>,
    ) {
        let mut current: BTreeMap<OfferKey, OfferState> = BTreeMap::new();
        for offer in offers {
            let (provider, id) = (offer.provider.to_owned(), offer.instance_type.to_owned());
            let key = (provider, id, number(offer.count.0));
            if current.contains_key(&key) {
                continue;
            }
            let state = OfferState {
                usd: self.usd(offer),
                availability: offer.availability,
            };
            if let Some((event, what)) = difference(self.offers.get(&key), &state) {
                changes.push(WatchChange {
                    event,
                    provider: key.0.clone(),
                    message: format!("{} {}: {what}", key.0, key.1),
                    offer: Some(offer.clone()),
                });
            }
            current.insert(key, state);
        }
        for (key, state) in std::mem::take(&mut self.offers) {
            if current.contains_key(&key) {
                continue;
            }
            // If a provider did not answer, its offers are unknown rather than gone.
            if self.failing.contains_key(&key.0) || !asked.contains(&key.0) {
                current.insert(key, state);
                continue;
            }
            changes.push(WatchChange {
                event: WatchEvent::Gone,
                message: format!("{} {} is gone", key.0, key.1),
                provider: key.0,
                offer: None,
            });
        }
        self.offers = current;
    }

    /// The first offer within the price limit that meets the goal; `None` if no offer does yet.
    fn found<'o, 'c>(&self, offers: &'o [OfferOut<'c>]) -> Option<&'o OfferOut<'c>> {
        offers.iter().find(|offer| {
            let is_cheap = self
                .max_price
                .is_none_or(|max| self.usd(offer).is_some_and(|usd| usd <= max));
            let is_priced = self.max_price.is_some();
            is_cheap && self.goal.is_met(offer, self.capacity_filter, is_priced)
        })
    }

    /// A short description of the cheapest offer that is not out of stock, and of the catalog's cheapest offer of
    /// providers that were not reached, if no offer was answered.
    fn nearest(&self, offers: &[OfferOut<'_>], unreached: &[OfferOut<'_>]) -> String {
        if let Some(cheapest) = self.cheapest(offers) {
            return format!("cheapest {cheapest}");
        }
        if !offers.is_empty() {
            return "out of stock everywhere".to_owned();
        }
        match self.cheapest(unreached) {
            Some(cheapest) => format!("{}; in the catalog {cheapest}", self.nobody()),
            None => self.nobody(),
        }
    }

    /// The price and the name of the cheapest offer that is not out of stock.
    fn cheapest(&self, offers: &[OfferOut<'_>]) -> Option<String> {
        let in_stock = offers
            .iter()
            .filter(|offer| offer.availability != Availability::Unavailable);
        let priced = in_stock.filter_map(|offer| Some((self.usd(offer)?, offer)));
        let (usd, offer) = priced.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        let (provider, kind) = (offer.provider, offer.instance_type);
        Some(format!("{} on {provider} ({kind})", dollars(Num(usd))))
    }

    /// Explains the lack of offers.
    fn nobody(&self) -> String {
        let failing: Vec<&str> = self.failing.keys().map(String::as_str).collect();
        if failing.is_empty() {
            "no provider lists it".to_owned()
        } else if self.is_any_answered {
            format!(
                "could not ask {}; no other provider lists it",
                some_of(&failing)
            )
        } else {
            format!("could not ask {}", some_of(&failing))
        }
    }

    fn usd(&self, offer: &OfferOut<'_>) -> Option<f64> {
        offer
            .ranking_quote(self.capacity_filter)
            .map(|price| price.usd_per_hour.0)
    }
}

/// Returns true if a provider answered a query.
fn has_answered(catalog: &Catalog<'_>, live: &Live, provider: &str) -> bool {
    live.answers.iter().any(|answer| {
        matches!(answer.outcome, QueryOutcome::Answered { .. })
            && catalog.provider_id(answer.provider) == provider
    })
}

/// The difference of an offer between two answers; `None` if absent.
fn difference(before: Option<&OfferState>, now: &OfferState) -> Option<(WatchEvent, String)> {
    let Some(before) = before else {
        let description = format!("{}, {}", now.price(), now.stock());
        return Some((WatchEvent::Appeared, description));
    };
    if before.availability != now.availability {
        let description = format!("{}, was {}", now.stock(), before.stock());
        return Some((WatchEvent::Stock, description));
    }
    (before.usd != now.usd).then(|| {
        let description = format!("{}, was {}", now.price(), before.price());
        (WatchEvent::Price, description)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let offers = OfferFilter {
            max_price: max_price.map(Num),
            ..OfferFilter::default()
        };
        Watch::new(Vec::new(), &offers, false, WatchGoal::default())
    }

    /// Changes after an answer of all providers in the tests.
    fn observe<'c>(
        watch: &mut Watch,
        failing: BTreeMap<String, String>,
        offers: &[OfferOut<'c>],
    ) -> Vec<WatchChange<'c>> {
        let asked = ["runpod", "verda"].map(str::to_owned);
        watch.observe(failing, offers, &BTreeSet::from(asked))
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
            events(&observe(&mut watch, none(), &offers)),
            [WatchEvent::Appeared]
        );
        assert_eq!(events(&observe(&mut watch, none(), &offers)), []);
        offers[0].on_demand.as_mut().unwrap().usd_per_hour = Num(1.5);
        let changes = observe(&mut watch, none(), &offers);
        assert_eq!(events(&changes), [WatchEvent::Price]);
        assert!(changes[0].message.contains(": $1.50, was $"), "{changes:?}");
        offers[0].availability = Availability::Limited;
        assert_eq!(
            events(&observe(&mut watch, none(), &offers)),
            [WatchEvent::Stock]
        );
        assert_eq!(
            events(&observe(&mut watch, none(), &[])),
            [WatchEvent::Gone]
        );
    }

    #[test]
    fn a_provider_that_could_not_be_asked_is_not_one_without_the_offer() {
        let mut watch = watch(None);
        assert_eq!(watch.nearest(&[], &[]), "no provider lists it");
        let failing = BTreeMap::from([("verda".to_owned(), "no answer".to_owned())]);
        let changes = observe(&mut watch, failing, &[]);
        assert_eq!(changes[0].message, "could not ask verda: no answer");
        assert_eq!(watch.nearest(&[], &[]), "could not ask verda");
        let in_catalog = watch.nearest(&[], &offers());
        assert!(
            in_catalog.starts_with("could not ask verda; in the catalog $"),
            "{in_catalog}"
        );
        watch.is_any_answered = true;
        assert_eq!(
            watch.nearest(&[], &[]),
            "could not ask verda; no other provider lists it"
        );
    }

    #[test]
    fn keeps_offers_of_failed_providers() {
        let mut watch = watch(None);
        let offers = offers();
        let failing = || BTreeMap::from([("runpod".to_owned(), "no answer".to_owned())]);
        observe(&mut watch, BTreeMap::new(), &offers);
        assert_eq!(
            events(&observe(&mut watch, failing(), &[])),
            [WatchEvent::Failed]
        );
        assert_eq!(events(&observe(&mut watch, failing(), &[])), []);
        assert_eq!(
            events(&observe(&mut watch, BTreeMap::new(), &offers)),
            [WatchEvent::Recovered]
        );
    }

    #[test]
    fn a_provider_that_was_not_asked_keeps_its_offers_and_its_error() {
        let (mut watch, offers) = (watch(None), offers());
        let failing = BTreeMap::from([("verda".to_owned(), "no answer".to_owned())]);
        observe(&mut watch, failing, &offers);
        let asked = BTreeSet::from(["vastai".to_owned()]);
        let changes = watch.observe(BTreeMap::new(), &[], &asked);
        assert_eq!(events(&changes), []);
        let asked = BTreeSet::from(["verda".to_owned()]);
        let changes = watch.observe(BTreeMap::new(), &[], &asked);
        assert_eq!(events(&changes), [WatchEvent::Recovered]);
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
