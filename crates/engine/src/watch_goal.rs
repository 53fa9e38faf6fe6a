//! The goal of a watch: a price, stock, a score and a quota.

use serde::Serialize;
use sky_accel_core::catalog::{Availability, Catalog, ProviderId, Status};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::word::Word as _;
use sky_accel_live::{LikelihoodBand, StockState};

use crate::code::ErrorCode;
use crate::contract::{CandidateCapacity, LikelihoodOut, ObtainabilityOut, OfferOut};
use crate::error::{Error, Result};
use crate::quota;

/// The conditions of a watch beside the filter on offers.
#[derive(Clone, Debug, Default)]
pub struct WatchGoal {
    /// The number of machines that are needed together; 0 counts as 1.
    pub nodes: u32,
    /// The lowest scores of providers.
    pub min_scores: Vec<ScoreGoal>,
    /// True to wait until the quotas of the account admit the machines.
    pub check_quota: bool,
}

/// The lowest score of a provider, on its own scale.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreGoal {
    /// The id of the provider.
    pub provider: String,
    /// The lowest value: a number, or `high`, `medium` or `low` where the provider defines these bands.
    pub score: String,
}

impl ScoreGoal {
    /// Reads `aws=7`.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] if the text has no value or another value, and the errors of
    /// [`providers_named`](crate::filter::providers_named).
    pub fn read(catalog: &Catalog<'_>, text: &str) -> Result<Self> {
        let malformed = || {
            let message = format!(
                "`min_score` is a provider and its lowest score, such as aws=7 or gcp=high, not '{text}'"
            );
            Error::new(ErrorCode::BadValue, message)
        };
        let (provider, score) = text.split_once('=').ok_or_else(malformed)?;
        let ids = crate::filter::providers_named(catalog, &[provider.trim().to_owned()])?;
        let [id] = ids[..] else {
            return Err(malformed());
        };
        let score = score.trim().to_ascii_lowercase();
        let is_number = score
            .parse()
            .is_ok_and(|number: f64| number.is_finite() && number >= 0.0);
        if !is_number && LikelihoodBand::from_word(&score).is_none() {
            return Err(malformed());
        }
        Ok(Self {
            provider: catalog.provider_id(id).to_owned(),
            score,
        })
    }

    /// Returns true if a likelihood reaches the score. A band is reached only by a value whose band the provider
    /// defines, and a number only by a number.
    fn is_reached(&self, likelihood: &LikelihoodOut) -> bool {
        if let Some(least) = LikelihoodBand::from_word(&self.score) {
            // The best band is declared first.
            likelihood.band.is_some_and(|band| band <= least)
        } else {
            let numbers = likelihood.value.parse().ok().zip(self.score.parse().ok());
            numbers.is_some_and(|(value, least): (f64, f64)| value >= least)
        }
    }
}

impl WatchGoal {
    /// Returns the number of machines.
    pub(crate) fn machines(&self) -> u32 {
        self.nodes.max(1)
    }

    /// Rejects scores of providers that are not watched.
    pub(crate) fn check_watched(
        &self,
        catalog: &Catalog<'_>,
        watched: &[ProviderId],
    ) -> Result<()> {
        let is_watched = |goal: &&ScoreGoal| {
            let mut ids = watched.iter();
            ids.any(|id| catalog.provider_id(*id) == goal.provider)
        };
        let mut goals = self.min_scores.iter();
        match goals.find(|goal| !is_watched(goal)) {
            Some(goal) => {
                let message = format!("`min_score` names {}, which is not watched", goal.provider);
                Err(Error::new(ErrorCode::Watch, message))
            }
            None => Ok(()),
        }
    }

    /// Returns the lowest score of a provider; `None` if its scores do not matter.
    fn score_of(&self, provider: &str) -> Option<&ScoreGoal> {
        self.min_scores
            .iter()
            .find(|goal| goal.provider == provider)
    }

    /// Returns true if the watch waits for something else than stock at a provider.
    pub(crate) fn waits_without_stock(&self, provider: &str) -> bool {
        self.score_of(provider).is_some() || (self.check_quota && quota::api(provider).is_some())
    }

    /// Returns true if scores of a provider are requested.
    pub(crate) fn scores_of(&self, catalog: &Catalog<'_>, provider: ProviderId) -> bool {
        self.score_of(catalog.provider_id(provider)).is_some()
    }

    /// Returns true if an offer is obtainable according to the provider. `is_priced` is true if the watch has a price
    /// limit: then unknown stock is accepted.
    pub(crate) fn is_met(
        &self,
        offer: &OfferOut<'_>,
        filter: CapacityFilter,
        is_priced: bool,
    ) -> bool {
        let is_known = is_priced || self.waits_without_stock(offer.provider);
        // Without stock beside the price, which may be the catalog's, only an answer on stock decides.
        let is_untold = offer.availability == Availability::Unknown && !is_known;
        let needs_answer = is_untold || self.needs_answer(offer.provider);
        // Another place may have stock.
        let is_there = offer.availability != Availability::Unavailable || needs_answer;
        let is_sold = match offer.status {
            Status::Offered => true,
            Status::SpotOnly => filter == CapacityFilter::Spot || filter == CapacityFilter::Any,
            _ => false,
        };
        let is_answered = || {
            let mut answers = offer.obtainability.iter();
            let in_regions = |answer: &ObtainabilityOut| {
                let (region, regions) = (answer.place.region.as_deref(), offer.regions.as_ref());
                region
                    .zip(regions)
                    .is_none_or(|(region, regions)| regions.contains(&region))
            };
            answers.any(|answer| {
                is_of_type(answer, filter)
                    && in_regions(answer)
                    && self.is_met_by(offer.provider, answer, is_known)
            })
        };
        is_there && is_sold && (!needs_answer || is_answered())
    }

    /// Returns true if the stock beside a price does not decide: it says nothing about several machines, scores and
    /// quotas.
    fn needs_answer(&self, provider: &str) -> bool {
        self.machines() > 1 || self.waits_without_stock(provider)
    }

    fn is_met_by(&self, provider: &str, answer: &ObtainabilityOut, is_known: bool) -> bool {
        let is_there = match answer.state_for_request {
            StockState::Available => true,
            StockState::Limited => self.machines() == 1,
            StockState::Offered | StockState::Unknown => is_known,
            StockState::Unavailable | StockState::Blocked | StockState::NotOffered => false,
        };
        // A score for one machine says nothing about four.
        let is_scored = self.score_of(provider).is_none_or(|goal| {
            answer.machines_asked >= self.machines()
                && answer
                    .likelihood
                    .as_ref()
                    .is_some_and(|value| goal.is_reached(value))
        });
        let needs_quota = self.check_quota && quota::api(provider).is_some();
        let is_admitted = !needs_quota
            || answer.quota.as_ref().is_some_and(|quota| {
                let machines = self.machines();
                quota.unlimited || quota.machines.is_some_and(|fit| fit >= machines)
            });
        is_there && is_scored && is_admitted
    }
}

/// Returns true if an answer is about a requested capacity type.
fn is_of_type(answer: &ObtainabilityOut, filter: CapacityFilter) -> bool {
    match answer.capacity_type {
        CandidateCapacity::OnDemand => filter != CapacityFilter::Spot,
        CandidateCapacity::Spot => matches!(filter, CapacityFilter::Spot | CapacityFilter::Any),
        // Reserved machines start later.
        CandidateCapacity::Reservation | CandidateCapacity::CapacityBlock => false,
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::CapacityType;
    use sky_accel_live::{LikelihoodScale, Obtainability, StockState};

    use super::*;
    use crate::catalog::EMBEDDED;
    use crate::{Engine, ResolveRequest};

    fn goal(nodes: u32, scores: &[&str]) -> WatchGoal {
        let scores = scores.iter();
        WatchGoal {
            nodes,
            min_scores: scores
                .map(|text| ScoreGoal::read(&EMBEDDED, text).unwrap())
                .collect(),
            check_quota: false,
        }
    }

    /// A spot offer of AWS with a score for a number of machines.
    fn offer(score: &str, band: Option<LikelihoodBand>, asked: u32) -> OfferOut<'static> {
        let request = ResolveRequest {
            offers: crate::OfferFilter {
                providers: vec!["aws".to_owned()],
                ..crate::OfferFilter::default()
            },
            specs: vec!["H100:x8".into()],
            ..ResolveRequest::default()
        };
        let mut offer = Engine::embedded()
            .resolve(&request)
            .unwrap()
            .envelope
            .results
            .remove(0);
        let mut record = Obtainability::new(CapacityType::Spot, asked, "scores");
        record.state = StockState::Offered;
        let mut record = ObtainabilityOut::of(&record, asked, 8.0);
        record.likelihood = Some(LikelihoodOut {
            value: score.to_owned(),
            scale: LikelihoodScale::AwsScore,
            band,
        });
        offer.obtainability = vec![record];
        offer
    }

    #[test]
    fn a_score_counts_on_its_own_scale_and_for_its_number_of_machines() {
        let met =
            |goal: &WatchGoal, offer: &OfferOut<'_>| goal.is_met(offer, CapacityFilter::Any, false);
        assert!(met(&goal(4, &["aws=7"]), &offer("7", None, 4)));
        assert!(met(&goal(4, &["aws=7"]), &offer("10", None, 8)));
        assert!(!met(&goal(4, &["aws=7"]), &offer("6.9", None, 4)));
        assert!(!met(&goal(4, &["aws=7"]), &offer("9", None, 1)));
        assert!(!met(&goal(1, &["aws=7"]), &offer("high", None, 1)));
        let high = Some(LikelihoodBand::High);
        assert!(met(&goal(1, &["aws=medium"]), &offer("0.8", high, 1)));
        assert!(!met(
            &goal(1, &["aws=high"]),
            &offer("0.5", Some(LikelihoodBand::Medium), 1)
        ));
        assert!(!met(&goal(1, &["aws=high"]), &offer("10", None, 1)));
        // Scores are for spot capacity, and the score of another provider does not matter.
        let on_demand = goal(1, &["aws=7"]);
        assert!(!on_demand.is_met(&offer("9", None, 1), CapacityFilter::OnDemand, false));
        assert!(!met(&goal(1, &["gcp=0.5"]), &offer("9", None, 1)));
    }

    #[test]
    fn stock_for_one_machine_is_no_stock_for_four() {
        let met = |nodes, state, is_priced| {
            let mut offer = offer("1", None, nodes);
            offer.availability = Availability::Available;
            let answer = &mut offer.obtainability[0];
            answer.capacity_type = CandidateCapacity::OnDemand;
            answer.state_for_request = state;
            goal(nodes, &[]).is_met(&offer, CapacityFilter::Unspecified, is_priced)
        };
        assert!(met(1, StockState::Unknown, false));
        assert!(met(4, StockState::Available, false));
        assert!(!met(4, StockState::Unknown, false) && met(4, StockState::Unknown, true));
        assert!(!met(4, StockState::Limited, false));
        assert!(!met(4, StockState::Blocked, true));
    }

    #[test]
    fn an_answer_on_stock_counts_without_stock_beside_the_price() {
        let met = |state| {
            let mut offer = offer("1", None, 1);
            offer.availability = Availability::Unknown;
            let answer = &mut offer.obtainability[0];
            answer.capacity_type = CandidateCapacity::OnDemand;
            answer.state_for_request = state;
            goal(1, &[]).is_met(&offer, CapacityFilter::Unspecified, false)
        };
        assert!(met(StockState::Available) && met(StockState::Limited));
        assert!(!met(StockState::Unknown) && !met(StockState::Offered));
        assert!(!met(StockState::Unavailable) && !met(StockState::Blocked));
    }

    #[test]
    fn scores_name_one_provider_and_a_value() {
        let read = |text| ScoreGoal::read(&EMBEDDED, text);
        assert_eq!(read("aws = High ").unwrap().score, "high");
        for text in [
            "7",
            "aws",
            "aws=",
            "aws=nan",
            "aws=-1",
            "aws=good",
            "nobody=7",
            "hyperscalers=7",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
