//! The ranking of candidates, and the selection within the limit.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::outlook::Outlook;
use super::request::{CapacityOrder, PlanObjective, Request};
use crate::catalog::{CapacityType, Catalog, PriceKind, Status};
use crate::money::Usd;
use crate::resolve::{Setback, StockClass};

/// The leading sort keys of a candidate; earlier fields take precedence: failed checks, choice of
/// the spec, with the objective of obtainability stock, quota and start, then exact count, status, capacity type, known
/// price, setback by doubts, verified region, stock, price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CandidateRank {
    pub fails: bool,
    pub choice: usize,
    /// The stock, quota and start; the default unless they rank candidates.
    pub start: StartRank,
    pub is_larger: bool,
    pub status: Status,
    pub is_later: bool,
    pub is_unpriced: bool,
    pub setback: Setback,
    pub is_region_unverified: bool,
    pub stock: StockClass,
    /// Regional prices differ in the last printed digit, so prices within a hundredth of a cent are
    /// tied.
    pub steps: Option<u64>,
}

/// The expected time to running machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StartRank {
    pub stock: StockClass,
    /// Whether no quota is known to admit the machines.
    pub is_quota_unknown: bool,
    /// The hours until the machines can start, up to [`MOST_HOURS`]. Without a date, 0 for machines in stock, and
    /// [`UNKNOWN_HOURS`] for unknown stock.
    pub hours: u16,
}

/// The highest number of hours that ranks a start: half a year is as good as never.
const MOST_HOURS: u16 = (1 << 12) - 1;

/// The hours until machines of unknown stock are expected to start: a date within a day is better than none, and a
/// later one is worse.
const UNKNOWN_HOURS: u16 = 24;

impl StartRank {
    /// The rank of machines that run at once, and of every candidate that is ranked by price.
    pub const AT_ONCE: Self = Self {
        stock: StockClass::Available,
        is_quota_unknown: false,
        hours: 0,
    };

    pub fn of(outlook: Outlook, objective: PlanObjective) -> Self {
        match objective {
            PlanObjective::Price => Self::AT_ONCE,
            PlanObjective::Obtainability => Self {
                stock: outlook.stock,
                is_quota_unknown: outlook.quota != Some(true),
                hours: match outlook.wait_s {
                    Some(wait) => u16::try_from(wait.div_ceil(3_600))
                        .unwrap_or(MOST_HOURS)
                        .min(MOST_HOURS),
                    None if outlook.stock == StockClass::Unknown => UNKNOWN_HOURS,
                    None => 0,
                },
            },
        }
    }
}

impl CandidateRank {
    pub fn of(catalog: &Catalog<'_>, candidate: &Candidate, request: &Request) -> Self {
        let found = &candidate.found;
        let offer = catalog.offer(found.offer);
        let price = candidate.quote.map(|quote| catalog.price(quote.price));
        Self {
            fails: candidate.fails(),
            choice: found.choice,
            start: StartRank::of(candidate.outlook, request.objective),
            is_larger: !candidate.is_exact,
            status: match (offer.status, candidate.capacity) {
                (Status::SpotOnly, CapacityType::Spot) => Status::Offered,
                (status, _) => status,
            },
            is_later: is_later(candidate.capacity, request.capacity_order),
            is_unpriced: candidate.quote.is_none(),
            setback: Setback::of(&offer, found.count, price.as_ref(), &found.reasons),
            is_region_unverified: found.is_region_unverified(),
            stock: candidate.outlook.stock,
            steps: candidate.quote.map(|quote| steps(quote.likely.usd)),
        }
    }

    /// Returns a number with the same order, which is faster to compare: there may be a million.
    pub fn key(self) -> u128 {
        let parts = [
            (u64::from(self.fails), 1),
            (self.choice as u64, 31),
            (self.start.stock as u64, 2),
            (u64::from(self.start.is_quota_unknown), 1),
            (u64::from(self.start.hours), 12),
            (u64::from(self.is_larger), 1),
            (self.status as u64, 8),
            (u64::from(self.is_later), 1),
            (u64::from(self.is_unpriced), 1),
            (self.setback as u64, Setback::BITS),
            (u64::from(self.is_region_unverified), 1),
            (self.stock as u64, 2),
            (u64::from(self.steps.is_some()), 1),
            (self.steps.unwrap_or_default(), 64),
        ];
        let fold = |key, (part, bits)| key << bits | u128::from(part);
        parts.into_iter().fold(0, fold)
    }
}

/// Returns whether a capacity type ranks after the other type regardless of price.
pub(super) fn is_later(capacity: CapacityType, order: CapacityOrder) -> bool {
    order == CapacityOrder::SpotFirst && capacity == CapacityType::OnDemand
}

/// Converts a price to hundredths of a cent.
pub(super) fn steps(usd: Usd) -> u64 {
    usd.0 / 100
}

/// Sorts candidates by [`CandidateRank`], and then by keys that make the order total.
///
/// Candidates without a price are ordered by the lowest on-demand price of their type in any
/// region, and then by size.
pub(super) fn sort(catalog: &Catalog<'_>, candidates: &mut [Candidate], request: &Request) {
    candidates.sort_by_cached_key(|candidate| {
        let offer = catalog.offer(candidate.found.offer);
        let home = catalog.provider(offer.provider).default_region;
        let quote = candidate.quote;
        let elsewhere = match quote {
            Some(_) => None,
            None => on_demand_anywhere(catalog, candidate),
        };
        let vcpu = offer.vcpu.map(|vcpu| vcpu as u64);
        (
            CandidateRank::of(catalog, candidate, request),
            quote.is_none_or(|quote| catalog.price(quote.price).kind != PriceKind::Contract),
            Reverse(candidate.capacity),
            (quote.is_none() && elsewhere.is_none(), elsewhere),
            (candidate.found.count, vcpu.is_none(), vcpu),
            home.is_some() && candidate.region != home,
            (
                offer.provider,
                catalog.str(offer.id),
                candidate.region.map(|region| catalog.region_id(region)),
            ),
            (candidate.found.accelerator, quote.map(|quote| quote.price)),
        )
    });
}

/// Returns the lowest known on-demand price of a candidate's instance type in any region.
fn on_demand_anywhere(catalog: &Catalog<'_>, candidate: &Candidate) -> Option<Usd> {
    let count = candidate.found.count;
    let prices = catalog.prices(&catalog.offer(candidate.found.offer)).iter();
    prices
        .filter(|price| price.capacity == CapacityType::OnDemand)
        .filter(|price| price.count.is_none_or(|of| of == count))
        .map(|price| price.of_machine(count))
        .min()
}

/// Truncates the list to the limit and returns the number of removed candidates. Each later choice
/// keeps a share of the list as a fallback. With spot first, a third of the list is kept for
/// on-demand machines, since all spot machines may be out of stock.
pub(super) fn cut(
    catalog: &Catalog<'_>,
    candidates: &mut Vec<Candidate>,
    request: &Request,
) -> usize {
    let before = candidates.len();
    if request.distinct_regions {
        let mut seen = BTreeSet::new();
        candidates.retain(|candidate| {
            let provider = catalog.offer(candidate.found.offer).provider;
            seen.insert((provider, candidate.region, candidate.capacity))
        });
    }
    let mut places = KeptCandidates {
        candidates,
        kept: (0..request.limit.min(candidates.len())).collect(),
    };
    let choices: BTreeSet<usize> = candidates
        .iter()
        .map(|candidate| candidate.found.choice)
        .collect();
    let share = request.limit / (2 * choices.len().max(1));
    for choice in choices.into_iter().skip(1) {
        places.keep(share, share, |candidate| candidate.found.choice == choice);
    }
    if request.capacity_order == CapacityOrder::SpotFirst {
        let is_on_demand = |candidate: &Candidate| candidate.capacity == CapacityType::OnDemand;
        places.keep(request.limit.div_ceil(3), share, is_on_demand);
    }
    let kept = places.kept;
    let mut at = 0..;
    candidates.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
    before - candidates.len()
}

/// The candidates that stay, by rank.
struct KeptCandidates<'p> {
    candidates: &'p [Candidate],
    kept: BTreeSet<usize>,
}

impl KeptCandidates<'_> {
    /// Keeps the best `wanted` candidates of a kind. The last candidates of other kinds make room,
    /// but each later choice keeps at least `share` candidates.
    fn keep(&mut self, wanted: usize, share: usize, is_of_kind: impl Fn(&Candidate) -> bool) {
        let of_kind = |at: &usize| is_of_kind(&self.candidates[*at]);
        let choice = |at: usize| self.candidates[at].found.choice;
        let missing = wanted.saturating_sub(self.kept.iter().filter(|at| of_kind(at)).count());
        for _ in 0..missing {
            let others = 0..self.candidates.len();
            let best = others
                .filter(|at| !self.kept.contains(at))
                .find(|at| of_kind(at));
            let may_go = |at: &&usize| {
                let of_choice = self
                    .kept
                    .iter()
                    .filter(|other| choice(**other) == choice(**at));
                !of_kind(at) && (choice(**at) == 0 || of_choice.count() > share)
            };
            let last = self.kept.iter().rev().find(may_go).copied();
            let (Some(best), Some(last)) = (best, last) else {
                return;
            };
            self.kept.remove(&last);
            self.kept.insert(best);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stock() -> impl Strategy<Value = StockClass> {
        use StockClass::{Available, Limited, Out, Unknown};
        prop::sample::select(&[Available, Limited, Unknown, Out])
    }

    prop_compose! {
        fn lead()(
            flags in any::<[bool; 4]>(),
            setback in prop::sample::select(&[Setback::None, Setback::Host, Setback::Price, Setback::Product]),
            choice in 0_usize..3,
            status in prop::sample::select(&[Status::Offered, Status::SpotOnly, Status::Retired]),
            steps in prop::option::of(prop_oneof![0_u64..3, Just(u64::MAX)]),
            (stock, first) in (stock(), stock()),
            is_quota_unknown in any::<bool>(),
            hours in 0..=MOST_HOURS,
        ) -> CandidateRank {
            let [fails, is_larger, is_later, is_region_unverified] = flags;
            CandidateRank {
                fails,
                choice,
                start: StartRank {
                    stock: first,
                    is_quota_unknown,
                    hours,
                },
                is_larger,
                status,
                is_later,
                is_unpriced: steps.is_none(),
                setback,
                is_region_unverified,
                stock,
                steps,
            }
        }
    }

    #[test]
    fn a_date_within_a_day_starts_before_unknown_stock() {
        let rank = |stock, wait_s| {
            let outlook = Outlook {
                stock,
                quota: None,
                wait_s,
            };
            StartRank::of(outlook, PlanObjective::Obtainability)
        };
        let unknown = rank(StockClass::Unknown, None);
        assert!(rank(StockClass::Unknown, Some(3_600)) < unknown);
        assert!(unknown < rank(StockClass::Unknown, Some(40 * 3_600)));
        assert!(rank(StockClass::Limited, None) < rank(StockClass::Unknown, Some(0)));
        assert_eq!(rank(StockClass::Available, None).hours, 0);
        assert_eq!(rank(StockClass::Unknown, Some(u64::MAX)).hours, MOST_HOURS);
    }

    proptest! {
        #[test]
        fn keys_sort_like_ranks(a in lead(), b in lead()) {
            prop_assert_eq!(a.key().cmp(&b.key()), a.cmp(&b));
        }
    }
}
