//! The explanation when nothing matches: the funnel of conditions and the nearest alternatives.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::answer::{FunnelStep, Match, Nearest, Relation, Resolution};
use super::best::MANY;
use super::interconnect::Interconnect;
use super::judge::Judge;
use super::likely::LikelyPrices;
use super::rank::sort;
use super::request::{CapacityFilter, Request};
use super::setback::Setback;
use super::verdict::{DropCode, Stage};
use crate::bind::{BoundChoice, Candidate};
use crate::catalog::{AcceleratorId, Catalog, OfferId, Status};
use crate::money::Count;
use crate::spec::CountRange;
use crate::text::{counted, grouped, grouped_to, number};

/// The maximum number of alternatives for each relation, and in all.
const PER_RELATION: usize = 2;
const IN_ALL: usize = 6;
/// The number of best matches that are kept in memory. It exceeds the number shown, since some are
/// skipped.
const KEPT: usize = 64;

/// Fills the funnel and the alternatives of an empty answer.
pub(super) fn fill(
    catalog: &Catalog<'_>,
    wanted: &[BoundChoice],
    request: &Request,
    answer: &mut Resolution,
) {
    let found: HashSet<(OfferId, Count)> = answer
        .matches
        .iter()
        .map(|found| (found.offer, found.count))
        .collect();
    // A request for spot prices leaves out machines without a spot price.
    let is_of_spot = request.capacity_filter == CapacityFilter::Spot;
    // A maximum age hides old prices, which are not unknown.
    let likely = request.likely.as_ref();
    let has_max_age = likely.is_some_and(LikelyPrices::has_max_age);
    let is_left_out = |near: &Match| {
        let is_too_old = has_max_age && near.on_demand.is_none() && near.spot.is_none();
        found.contains(&(near.offer, near.count)) || is_of_spot && near.spot.is_none() || is_too_old
    };
    for (choice, wanted) in wanted.iter().enumerate() {
        let judge = Judge::new(catalog, wanted, request, choice);
        if answer.matches.is_empty() {
            answer.funnel.extend(funnel(&judge));
        }
        let near: Vec<Nearest> = alternatives(&judge, &is_left_out)
            .into_iter()
            .take(IN_ALL - answer.nearest.len())
            .collect();
        answer.nearest.extend(near);
    }
}

/// Adds the best offers above the price limit to an answer without an undoubted match: a share of a GPU below the limit
/// is not what the requested GPU costs.
pub(super) fn fill_confirmed(
    catalog: &Catalog<'_>,
    wanted: &[BoundChoice],
    request: &Request,
    answer: &mut Resolution,
) {
    let is_doubtful = |found: &Match| is_doubtful(catalog, request, found);
    if !answer.matches.iter().all(is_doubtful) {
        return;
    }
    for (choice, wanted) in wanted.iter().enumerate() {
        let judge = Judge::new(catalog, wanted, request, choice);
        answer
            .nearest
            .extend(relax(&judge, Stage::Price, &is_doubtful));
    }
    answer.nearest.truncate(IN_ALL);
}

/// Returns whether a match has a doubtful price, or is not a machine that people can count on.
fn is_doubtful(catalog: &Catalog<'_>, request: &Request, found: &Match) -> bool {
    let price = found.ranking_quote(request.capacity_filter);
    let price = price.map(|quote| catalog.price(quote.price));
    let offer = catalog.offer(found.offer);
    Setback::of(&offer, found.count, price.as_ref(), &found.reasons) != Setback::None
}

/// Adds spot machines with other numbers of accelerators, each of which costs less than one of the best match: spot
/// prices of a provider's large machines are often far lower. A doubtful price neither hides a confirmed one nor stands
/// beside it; without a confirmed match, every confirmed machine is worth its price.
pub(super) fn fill_other_counts(
    catalog: &Catalog<'_>,
    wanted: &[BoundChoice],
    request: &Request,
    answer: &mut Resolution,
) {
    let each = |found: &Match| Some(found.spot?.likely.usd.per(found.count));
    let is_doubtful = |found: &Match| is_doubtful(catalog, request, found);
    let confirmed = answer.matches.iter().filter(|found| !is_doubtful(found));
    let confirmed = confirmed.filter_map(each).min();
    let Some(best) = confirmed.or_else(|| answer.matches.iter().filter_map(each).min()) else {
        return;
    };
    let is_dear = |found: &Match| each(found).is_none_or(|usd| usd >= best);
    let is_unsure = |found: &Match| is_doubtful(found) || confirmed.is_some() && is_dear(found);
    let others = |is_left_out: &dyn Fn(&Match) -> bool| -> Vec<Nearest> {
        let choices = wanted.iter().enumerate();
        let judges = choices.map(|(choice, wanted)| Judge::new(catalog, wanted, request, choice));
        judges
            .flat_map(|judge| relax(&judge, Stage::Count, is_left_out))
            .collect()
    };
    let mut near = others(&is_unsure);
    if near.is_empty() {
        near = others(&is_dear);
    }
    answer.nearest.extend(near);
    answer.nearest.truncate(IN_ALL);
}

fn funnel(judge: &Judge<'_, '_, '_>) -> Vec<FunnelStep> {
    // An offer with several counts is counted once, at the last stage that one of its counts
    // reaches.
    let mut reached: BTreeMap<Stage, usize> = BTreeMap::new();
    let mut latest: Option<(OfferId, Stage)> = None;
    judge.explain_family_offers(&mut |considered| {
        let stage = considered.dropped.map_or(Stage::Stock, DropCode::stage);
        match &mut latest {
            Some((offer, best)) if *offer == considered.offer => *best = (*best).max(stage),
            _ => {
                let before = latest.replace((considered.offer, stage));
                if let Some((_, stage)) = before {
                    *reached.entry(stage).or_default() += 1;
                }
            }
        }
    });
    if let Some((_, stage)) = latest {
        *reached.entry(stage).or_default() += 1;
    }
    let mut steps = vec![FunnelStep {
        choice: judge.choice,
        stage: Stage::Family,
        label: format!("{} offers", family_name(judge)),
        remaining: reached.values().sum(),
    }];
    for (stage, label) in labels(judge) {
        let later = reached.iter().filter(|(failed, _)| **failed > stage);
        let remaining = later.map(|(_, offers)| offers).sum();
        let last = steps.last().map_or(0, |step| step.remaining);
        // A condition that drops nothing explains nothing.
        if remaining < last {
            steps.push(FunnelStep {
                choice: judge.choice,
                stage,
                label,
                remaining,
            });
        }
    }
    steps
}

/// Returns the word for the offers at the start of the funnel: the family of the candidates, if all
/// have the same.
fn family_name<'a>(judge: &Judge<'_, '_, 'a>) -> &'a str {
    let catalog = judge.catalog;
    let mut families = judge
        .wanted
        .candidates
        .iter()
        .map(|c| catalog.str(catalog.accelerator(c.accelerator).family));
    let first = families.next().unwrap_or_default();
    if families.all(|family| family == first) {
        first
    } else {
        "matching"
    }
}

fn labels(judge: &Judge<'_, '_, '_>) -> Vec<(Stage, String)> {
    let (wanted, request) = (judge.wanted, judge.request);
    let mut labels = vec![(Stage::Variant, "of the requested variant".to_owned())];
    if !request.providers.is_empty() {
        let names: Vec<&str> = request
            .providers
            .iter()
            .map(|p| judge.catalog.provider_id(*p))
            .collect();
        labels.push((Stage::Provider, format!("from {}", names.join(", "))));
    }
    let mig = if wanted.mig.is_some() {
        "that can be partitioned into the slices"
    } else {
        "that are whole devices"
    };
    labels.push((Stage::Mig, mig.to_owned()));
    let count = wanted
        .candidates
        .first()
        .map_or(wanted.count, |c| wanted.count_for(*c));
    labels.push((
        Stage::Count,
        match (count.single(), count.max) {
            (Some(count), _) => format!("with exactly {count} of them"),
            (None, Some(max)) => format!("with {} to {max} of them", count.min),
            (None, None) => format!("with {} or more of them", count.min),
        },
    ));
    let minimums = [
        request.min_vcpu.map(|n| counted(number(n), "vCPU")),
        request
            .min_host_memory_gib
            .map(|gib| format!("{} GiB of host memory", grouped_to(gib, 0))),
    ];
    let minimums: Vec<String> = minimums.into_iter().flatten().collect();
    if !minimums.is_empty() {
        let label = format!("with at least {}", minimums.join(" and "));
        labels.push((Stage::Host, label));
    }
    if let Some(interconnect) = request.interconnect {
        labels.push((Stage::Interconnect, format!("joined by {interconnect}")));
    }
    if let Some(filter) = &request.regions {
        labels.push((Stage::Region, format!("in {}", filter.patterns.join(", "))));
    }
    let capacity = match request.capacity_filter {
        CapacityFilter::OnDemand => Some("sold on demand".to_owned()),
        CapacityFilter::Spot => Some("with a spot price".to_owned()),
        CapacityFilter::Any | CapacityFilter::Unspecified => None,
    };
    let tier = request.price_tier.as_ref();
    let tier = tier.map(|tier| {
        let sold = if capacity.is_none() { "sold " } else { "" };
        format!("{sold}in the {} tier", tier.name)
    });
    let terms: Vec<String> = capacity.iter().cloned().chain(tier).collect();
    if !terms.is_empty() {
        labels.push((Stage::Capacity, terms.join(" ")));
    }
    if let Some(max) = request.max_price {
        labels.push((
            Stage::Price,
            format!("for at most ${}", grouped(max.decimal())),
        ));
    }
    if request.available {
        labels.push((Stage::Stock, "that may be in stock".to_owned()));
    }
    labels
}

/// Finds the nearest alternatives. `is_left_out` returns whether a machine already matches, without a
/// price, or lacks the price that the request ranks by.
fn alternatives(judge: &Judge<'_, '_, '_>, is_left_out: &dyn Fn(&Match) -> bool) -> Vec<Nearest> {
    let (catalog, request) = (judge.catalog, judge.request);
    let mut found = Vec::new();
    let is_on_demand = request.capacity_filter == CapacityFilter::OnDemand;
    for (stage, is_set) in [
        (Stage::Provider, !request.providers.is_empty()),
        (Stage::Region, request.regions.is_some()),
        (
            Stage::Capacity,
            is_on_demand || request.price_tier.is_some(),
        ),
        (Stage::Price, request.max_price.is_some()),
        (Stage::Variant, true),
        (Stage::Count, true),
    ] {
        // A condition that the request does not set cannot be relaxed.
        if is_set {
            found.extend(relax(judge, stage, is_left_out));
        }
    }
    if found.is_empty() {
        // No single condition is the obstacle: try the accelerator at the requested providers, then
        // at any provider, then similar accelerators.
        let requested = judge.request;
        let conditions = |providers| Request {
            providers,
            sort: requested.sort,
            available: requested.available,
            likely: requested.likely.clone(),
            ..Request::default()
        };
        let (requested_providers, any_provider) = (
            conditions(requested.providers.clone()),
            conditions(Vec::new()),
        );
        for request in [&requested_providers, &any_provider] {
            let judge = Judge { request, ..*judge };
            for mut near in relax(&judge, Stage::Price, is_left_out) {
                near.relation = difference(catalog, requested, &near.found);
                let is_same_offer = |other: &Nearest| other.found.offer == near.found.offer;
                if !found.iter().any(is_same_offer) {
                    found.push(near);
                }
            }
        }
        let judge = Judge {
            request: &any_provider,
            ..*judge
        };
        found.extend(relax(&judge, Stage::Count, is_left_out));
        found.extend(relax(&judge, Stage::Variant, is_left_out));
        if found.is_empty() {
            found.extend(similar(&judge, is_left_out));
        }
    }
    found
}

/// The best of many matches, in bounded memory.
struct BestMatches<'b, 'a> {
    catalog: &'b Catalog<'a>,
    request: &'b Request,
    /// Whether to keep the best matches of each count.
    by_count: bool,
    matches: Vec<Match>,
    /// The number of matches at which the list is pruned.
    too_many: usize,
}

impl<'b, 'a> BestMatches<'b, 'a> {
    fn new(catalog: &'b Catalog<'a>, request: &'b Request, by_count: bool) -> Self {
        Self {
            catalog,
            request,
            by_count,
            matches: Vec::new(),
            too_many: MANY,
        }
    }

    fn add(&mut self, found: Match) {
        self.matches.push(found);
        if self.matches.len() >= self.too_many {
            self.sort();
            let mut kept: HashMap<Option<Count>, usize> = HashMap::new();
            let by_count = self.by_count;
            self.matches.retain(|found| {
                let kept_of_count = kept.entry(by_count.then_some(found.count)).or_default();
                *kept_of_count += 1;
                *kept_of_count <= KEPT
            });
            self.too_many = MANY.max(2 * self.matches.len());
        }
    }

    fn sort(&mut self) {
        sort(self.catalog, &mut self.matches, self.request);
    }

    fn sorted(mut self) -> Vec<Match> {
        self.sort();
        self.matches
    }
}

/// Returns the difference between a match with the requested accelerator and count, and the
/// request.
fn difference(catalog: &Catalog<'_>, requested: &Request, found: &Match) -> Relation {
    let provider = catalog.offer(found.offer).provider;
    if !requested.providers.is_empty() && !requested.providers.contains(&provider) {
        return Relation::OtherProvider;
    }
    let price = found.ranking_price(requested.capacity_filter);
    if requested
        .max_price
        .is_some_and(|max| price.is_none_or(|price| price > max))
    {
        return Relation::HigherPrice;
    }
    if requested.regions.is_some() {
        return Relation::OtherRegion;
    }
    Relation::OtherCapacityType
}

/// Returns the best matches when one condition is relaxed.
fn relax(
    judge: &Judge<'_, '_, '_>,
    stage: Stage,
    is_left_out: &dyn Fn(&Match) -> bool,
) -> Vec<Nearest> {
    let catalog = judge.catalog;
    let judge = Judge {
        relaxed: Some(stage),
        ..*judge
    };
    let mut nearest = BestMatches::new(catalog, judge.request, stage == Stage::Count);
    let mut collect = |candidate: Candidate| {
        for offer in catalog.offers_of(candidate.accelerator) {
            judge.offer(candidate, offer, &mut |verdict| {
                let rentable =
                    |m: &Match| catalog.offer(m.offer).status != Status::Retired && !is_left_out(m);
                if let Some(found) = verdict.ok().filter(rentable) {
                    nearest.add(found);
                }
            });
        }
    };
    let wanted = judge.wanted;
    if stage == Stage::Variant {
        if wanted.mig.is_some() {
            return Vec::new();
        }
        let relatives = relatives(catalog, wanted);
        for accelerator in &relatives {
            collect(Candidate {
                accelerator: *accelerator,
                gpus_needed: 1,
            });
        }
    } else {
        for candidate in &wanted.candidates {
            collect(*candidate);
        }
    }
    let matches = nearest.sorted();
    let memory = |id: AcceleratorId| catalog.accelerator(id).memory_gb;
    let relation = |m: &Match| match stage {
        Stage::Provider => Relation::OtherProvider,
        Stage::Region => Relation::OtherRegion,
        Stage::Capacity => Relation::OtherCapacityType,
        Stage::Price => Relation::HigherPrice,
        Stage::Variant
            if wanted
                .candidates
                .iter()
                .all(|c| memory(c.accelerator) != memory(m.accelerator)) =>
        {
            Relation::OtherMemory
        }
        Stage::Variant => Relation::OtherVariant,
        _ if m.count < needed(wanted, m).min => Relation::Smaller,
        _ => Relation::Larger,
    };
    if stage == Stage::Count {
        return nearest_counts(&judge, matches);
    }
    matches
        .into_iter()
        .take(PER_RELATION)
        .map(|m| Nearest {
            relation: relation(&m),
            nodes: 1,
            found: m,
        })
        .collect()
}

/// Returns the matches with the nearest larger and smaller counts, and several machines in place of smaller ones.
fn nearest_counts(judge: &Judge<'_, '_, '_>, matches: Vec<Match>) -> Vec<Nearest> {
    let wanted = judge.wanted;
    let (mut smaller, mut larger): (Vec<Match>, Vec<Match>) = matches
        .into_iter()
        .filter(|m| !needed(wanted, m).contains(m.count))
        .partition(|m| m.count < needed(wanted, m).min);
    // The sort is stable, so equally near counts stay ordered by price.
    larger.sort_by_key(|m| m.count);
    smaller.sort_by_key(|m| std::cmp::Reverse(m.count));
    let nodes = multi_node(judge, &smaller);
    // Machines with a network between them are an answer, but a single machine is not.
    let is_joined = judge
        .request
        .interconnect
        .is_some_and(Interconnect::is_fabric);
    if is_joined && !nodes.is_empty() {
        smaller.clear();
    }
    let take = |matches: Vec<Match>, relation: Relation| {
        matches
            .into_iter()
            .take(PER_RELATION)
            .map(move |found| Nearest {
                relation,
                nodes: 1,
                found,
            })
    };
    take(larger, Relation::Larger)
        .chain(nodes)
        .chain(take(smaller, Relation::Smaller))
        .collect()
}

/// Returns the counts that a machine with the accelerator of a match must have.
fn needed(wanted: &BoundChoice, found: &Match) -> CountRange {
    let candidate = wanted
        .candidates
        .iter()
        .find(|c| c.accelerator == found.accelerator);
    candidate.map_or(wanted.count, |candidate| wanted.count_for(*candidate))
}

/// Returns the fewest equal machines with the requested count in all, within the price limit; with a network between
/// them, the machines of several providers.
fn multi_node(judge: &Judge<'_, '_, '_>, smaller: &[Match]) -> Vec<Nearest> {
    let (catalog, request) = (judge.catalog, judge.request);
    let is_joined = request.interconnect.is_some_and(Interconnect::is_fabric);
    let most = if is_joined { IN_ALL } else { 1 };
    let mut providers = HashSet::new();
    smaller
        .iter()
        .filter(|m| m.count >= Count::ONE)
        .filter_map(|found| {
            let wanted = needed(judge.wanted, found);
            // Slices may be spread unevenly; a number of GPUs must divide evenly.
            let total = if judge.wanted.mig.is_some() {
                wanted.min
            } else {
                wanted.single()?
            };
            let nodes = total.0.div_ceil(found.count.0);
            let even = judge.wanted.mig.is_some() || total.0.is_multiple_of(found.count.0);
            let within = request.max_price.is_none_or(|max| {
                found
                    .ranking_price(request.capacity_filter)
                    .is_some_and(|usd| usd.times(Count::whole(nodes)) <= max)
            });
            (even && within).then(|| Nearest {
                relation: Relation::MultiNode,
                nodes,
                found: found.clone(),
            })
        })
        .filter(|near| providers.insert(catalog.offer(near.found.offer).provider))
        .take(most)
        .collect()
}

/// Returns the other accelerators of the candidates' families.
fn relatives(catalog: &Catalog<'_>, wanted: &BoundChoice) -> Vec<AcceleratorId> {
    let is_candidate = |id: &AcceleratorId| wanted.candidates.iter().any(|c| c.accelerator == *id);
    let Some(first) = wanted.candidates.first() else {
        return Vec::new();
    };
    catalog
        .family(catalog.accelerator(first.accelerator).family)
        .filter(|id| !is_candidate(id))
        .collect()
}

/// Returns offers of accelerators similar to the first candidate, ordered by the same SDK, the same
/// class, at least its memory, and the nearest memory. An accelerator with neither its SDK nor its
/// class is not similar: a graphics card cannot replace a TPU.
fn similar(judge: &Judge<'_, '_, '_>, is_left_out: &dyn Fn(&Match) -> bool) -> Vec<Nearest> {
    let catalog = judge.catalog;
    let Some(first) = judge
        .wanted
        .candidates
        .first()
        .filter(|_| judge.wanted.mig.is_none())
    else {
        return Vec::new();
    };
    let wanted = catalog.accelerator(first.accelerator);
    let memory = wanted.memory_gb.unwrap_or(0.0);
    let same_sdk =
        |id: AcceleratorId| catalog.str(catalog.accelerator(id).sdk) == catalog.str(wanted.sdk);
    let class = catalog.class(&wanted);
    let same_class = |id: AcceleratorId| catalog.class(&catalog.accelerator(id)) == class;
    let mut like: Vec<AcceleratorId> = catalog
        .accelerator_ids()
        .filter(|id| catalog.is_sold(*id) && !catalog.only_by_name(*id))
        .filter(|id| same_sdk(*id) || same_class(*id))
        .filter(|id| judge.wanted.candidates.iter().all(|c| c.accelerator != *id))
        .collect();
    like.sort_by_cached_key(|id| {
        let gb = catalog.accelerator(*id).memory_gb.unwrap_or(0.0);
        (
            !same_sdk(*id),
            !same_class(*id),
            gb < memory,
            ((gb - memory).abs() * 10.0) as u64,
        )
    });
    let mut found = Vec::new();
    for accelerator in like {
        let wanted = BoundChoice {
            candidates: vec![Candidate {
                accelerator,
                gpus_needed: 1,
            }],
            ..judge.wanted.clone()
        };
        let judge = Judge {
            wanted: &wanted,
            ..*judge
        };
        let mut nearest = BestMatches::new(catalog, judge.request, false);
        for offer in catalog.offers_of(accelerator) {
            judge.offer(wanted.candidates[0], offer, &mut |verdict| {
                let rentable = |m: &Match| {
                    let offered = catalog.offer(m.offer).status == Status::Offered;
                    offered && m.on_demand.is_some() && !is_left_out(m)
                };
                if let Some(found) = verdict.ok().filter(rentable) {
                    nearest.add(found);
                }
            });
        }
        found.extend(nearest.sorted().into_iter().next().map(|found| Nearest {
            relation: Relation::OtherAccelerator,
            nodes: 1,
            found,
        }));
        if found.len() == 3 {
            break;
        }
    }
    found
}
