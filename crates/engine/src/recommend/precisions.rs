//! Machines in other precisions than the precision of the request.
//!
//! A machine is sized in another precision only if it may become one of the best: its figure in the precision of the
//! request bounds the figure in others.

use std::collections::{BTreeMap, HashMap, HashSet};

use sky_accel_core::catalog::{AcceleratorId, Catalog, ProviderId};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::Match;

use super::Nodes;
use super::capacity::CapacityEstimates;
use super::evidence::{Evidence, Known, SMALL_CACHE, Trial, figure, is_fixed};
use super::improvement::{MORE_SEQUENCES, may_be_met_by, small_cache_gain};
use super::interconnect::Interconnect;
use super::search::{MachineSearch, Rejected, SearchInput, SizedMachine, devices};
use crate::recommend_words::{Objective, Tier};
use crate::sizing::{self, ModelRun, Precision, weight_bytes};

/// The machines of each tier whose precision is searched: those of the first tier are listed, others are mentioned.
const LISTED: usize = 10;
/// The number of machines to try for the mentioned precision.
const MOST_TRIED: usize = 12;
/// Savings below this fraction are not mentioned.
const LEAST_SAVING: f64 = 0.1;
/// The number of different fits in other formats of the weights for machines of the first tier.
const MOST_IN_FORMATS: usize = 100;
/// The number of further fits for machines of other tiers, which are only mentioned.
const MOST_MENTIONED: usize = 30;
/// The factor of these numbers as long as few machines meet the limits.
const PATIENCE: usize = 4;
/// The number of the best machines, or of different fits, on which a KV cache in fp8 is searched.
const MOST_WITH_SMALL_CACHE: usize = 6;

/// The precisions to search for a run: every format that exists, then each with the KV cache in fp8 if the request
/// leaves its format open.
pub(super) fn all<'c>(
    catalog: &Catalog<'c>,
    work: &ModelRun,
    is_cache_open: bool,
) -> Vec<Precision<'c>> {
    let mut others = sizing::in_other_formats(catalog, work);
    if is_cache_open {
        let own = sizing::own(catalog, work);
        let with_small_cache: Vec<Precision<'c>> = std::iter::once(&own)
            .chain(&others)
            .filter_map(Precision::with_fp8_cache)
            .collect();
        others.extend(with_small_cache);
    }
    others
}

/// The format to mention next to the format of the request: the format with fewer bits and the least loss of quality.
pub(super) fn nearest<'c>(catalog: &Catalog<'c>, work: &ModelRun) -> Option<Precision<'c>> {
    let own = weight_bytes(work);
    let loss = |other: &Precision<'c>| {
        let losses = sizing::losses(catalog, &other.work, work);
        let measured = losses.into_iter().map(|loss| loss.high_percent);
        measured.fold(0.0, |sum, high| {
            high.map_or(f64::INFINITY, |high| sum + high.0)
        })
    };
    let others = sizing::in_other_formats(catalog, work).into_iter();
    others
        .filter(|other| weight_bytes(&other.work) < own)
        .min_by(|a, b| loss(a).total_cmp(&loss(b)))
}

/// Machines that are ranked together: the tier, the device class, and the certainty of the region.
type RankGroup = (Tier, bool, bool);

fn group(choice: &SizedMachine) -> RankGroup {
    let is_unverified = choice.machine.is_region_unverified();
    (choice.tier, choice.matches_device_class, is_unverified)
}

/// The best figures of each group, one for each accelerator of each provider.
#[derive(Default)]
struct Best {
    figures: HashMap<RankGroup, Vec<(ProviderId, AcceleratorId, f64)>>,
}

impl Best {
    fn add(&mut self, catalog: &Catalog<'_>, choice: &SizedMachine, figure: f64) {
        let provider = catalog.offer(choice.machine.offer).provider;
        let accelerator = choice.machine.accelerator;
        let figures = self.figures.entry(group(choice)).or_default();
        let same = figures
            .iter_mut()
            .find(|(of, id, _)| (*of, *id) == (provider, accelerator));
        match same {
            Some((.., best)) => *best = best.min(figure),
            None => figures.push((provider, accelerator, figure)),
        }
        figures.sort_by(|a, b| a.2.total_cmp(&b.2));
    }

    /// The figure above which a machine of a group is of no interest. Machines of lower tiers are of interest only if
    /// they are better than all machines of the first.
    fn limit(&self, group: RankGroup) -> f64 {
        let at = |group: RankGroup, place: usize| {
            let figures = self.figures.get(&group);
            let last = figures.and_then(|figures| figures.get(place));
            last.map_or(f64::INFINITY, |(.., figure)| *figure)
        };
        let (tier, is_preferred, is_unverified) = group;
        if tier == Tier::List {
            at(group, LISTED - 1)
        } else {
            at(group, 0).min(at((Tier::List, is_preferred, is_unverified), 0))
        }
    }
}

/// The number of different fits after which no more machines of a group are sized.
fn most_fits((tier, ..): RankGroup) -> usize {
    match tier {
        Tier::List => MOST_IN_FORMATS,
        _ => MOST_IN_FORMATS + MOST_MENTIONED,
    }
}

/// Sorts machines by their figures. The first tier comes first: cheap machines of other tiers must not use up its fits,
/// and its best figure rules out most of the others.
fn by_tier<T>(mut order: Vec<(RankGroup, f64, T)>) -> Vec<(RankGroup, f64, T)> {
    let is_later = |(tier, ..): RankGroup| tier != Tier::List;
    order.sort_by(|a, b| (is_later(a.0).cmp(&is_later(b.0))).then(a.1.total_cmp(&b.1)));
    order
}

impl MachineSearch<'_, '_> {
    /// Sizes machines in the other precisions of the input, where that may give one of the best machines.
    pub(super) fn vary_machines(&mut self) {
        if self.input.others.is_empty() {
            return;
        }
        let choices = std::mem::take(&mut self.choices);
        let rejected = std::mem::take(&mut self.rejected);
        let mut best = Best::default();
        for choice in choices.iter().filter(|choice| choice.shortfalls.is_empty()) {
            best.add(self.catalog, choice, figure(choice, self.input));
        }
        let trials: Vec<Trial<'_>> = choices
            .iter()
            .map(Trial::of_choice)
            .chain(
                rejected
                    .iter()
                    .filter_map(|rejected| Trial::of_rejected(self.catalog, self.input, rejected)),
            )
            .collect();
        let found = if is_fixed(self.input) {
            let mut capacity = CapacityEstimates::of(self.catalog, self.input, choices.iter());
            self.cheapest_in_others(&trials, &mut capacity, &mut best)
        } else {
            let mut evidence = Evidence::of(self.catalog, self.input, choices.iter());
            let mut found = self.in_formats(&trials, &mut evidence, &mut best);
            found.extend(self.with_small_cache(choices.iter().chain(&found)));
            found
        };
        self.choices = choices;
        self.choices.extend(found);
        self.rejected = rejected;
    }

    /// The number of precisions with the KV cache of the request, except the precision of the request.
    pub(super) fn formats(&self) -> usize {
        let own = self.input.work.run.cache;
        let others = self.input.others.iter();
        others.filter(|other| other.work.run.cache == own).count()
    }

    /// Sizes machines in other precisions where the figure of a machine is the same in all of them, sorted by the
    /// figure: the first precision that is enough ends the search on a machine.
    fn cheapest_in_others(
        &mut self,
        trials: &[Trial<'_>],
        capacity: &mut CapacityEstimates<'_, '_>,
        best: &mut Best,
    ) -> Vec<SizedMachine> {
        let input = self.input;
        let is_met = |trial: &Trial<'_>| matches!(trial.known, Known::Fits(choice) if choice.shortfalls.is_empty());
        let open = trials.iter().filter(|trial| !is_met(trial));
        let order = open.map(|trial| (self.group_of(trial), trial.fixed_figure(input), trial));
        let mut found = Vec::new();
        let mut sized = 0;
        for (group, figure, trial) in by_tier(order.collect()) {
            if figure > best.limit(group) {
                continue;
            }
            for precision in 1..=input.others.len() {
                if sized >= most_fits(group) {
                    break;
                }
                if !capacity.may_serve(trial.machine, 1, precision) {
                    continue;
                }
                let tried = self.tried();
                let Some(choice) = self.try_in(trial, precision) else {
                    continue;
                };
                // A fit that fails costs little, and a known fit nothing.
                sized += self.tried() - tried;
                capacity.learn(&choice);
                let is_enough = choice.shortfalls.is_empty();
                if is_enough {
                    best.add(self.catalog, &choice, figure);
                }
                found.push(choice);
                if is_enough {
                    break;
                }
            }
        }
        found
    }

    /// Sizes machines with weights in other formats.
    fn in_formats(
        &mut self,
        trials: &[Trial<'_>],
        evidence: &mut Evidence<'_, '_>,
        best: &mut Best,
    ) -> Vec<SizedMachine> {
        let input = self.input;
        let formats = 1..=self.formats();
        let lowest = |trial: &Trial<'_>| {
            let bounds = formats.clone();
            let bounds = bounds.filter_map(|at| evidence.bound(trial, at, MORE_SEQUENCES));
            bounds.min_by(f64::total_cmp)
        };
        let order = trials.iter();
        let order = order.filter_map(|trial| Some((self.group_of(trial), lowest(trial)?, trial)));
        let order = by_tier(order.collect());
        let mut found = Vec::new();
        let before = self.tried();
        for (group, _, trial) in order {
            for format in formats.clone() {
                let has_many = best.limit(group).is_finite();
                let patience = if has_many { 1 } else { PATIENCE };
                if self.tried() - before >= most_fits(group) * patience {
                    break;
                }
                let bound = evidence.bound(trial, format, MORE_SEQUENCES);
                if bound.is_none_or(|bound| bound > best.limit(group)) {
                    continue;
                }
                let Some(choice) = self.try_in(trial, format) else {
                    continue;
                };
                evidence.learn(trial, &choice);
                if choice.shortfalls.is_empty() {
                    best.add(self.catalog, &choice, figure(&choice, input));
                }
                found.push(choice);
            }
        }
        found
    }

    /// Sizes the best machines, and machines that are nearly enough, with a KV cache in fp8.
    fn with_small_cache<'m>(
        &mut self,
        choices: impl Iterator<Item = &'m SizedMachine>,
    ) -> Vec<SizedMachine> {
        let (input, formats) = (self.input, self.formats());
        if input.others.len() == formats {
            return Vec::new();
        }
        // A step reads only the experts that it needs, and a latent cache takes more than its bytes say.
        let shape = &input.work.model.shape;
        let is_dense = shape.experts.is_none() && shape.mla.is_none();
        let mut groups: BTreeMap<RankGroup, Vec<(f64, &SizedMachine)>> = BTreeMap::new();
        for choice in choices {
            let mut open = choice.shortfalls.iter();
            let sizes = (1.0, SMALL_CACHE);
            let gain = if is_dense {
                small_cache_gain(choice, input.requirements)
            } else {
                MORE_SEQUENCES
            };
            if open.all(|open| may_be_met_by(open, choice, sizes, gain, input.requirements)) {
                let figures = groups.entry(group(choice)).or_default();
                figures.push((figure(choice, input), choice));
            }
        }
        let mut found = Vec::new();
        for figures in groups.values_mut() {
            let before = self.tried();
            figures.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (_, choice) in figures {
                if self.tried() - before >= MOST_WITH_SMALL_CACHE {
                    break;
                }
                let trial = Trial::of_choice(choice);
                found.extend(self.try_in(&trial, formats + 1 + choice.precision));
            }
        }
        found
    }

    /// Forms clusters in other precisions; `own` are the clusters of `joinable` in the precision of the request.
    pub(super) fn vary_clusters(
        &mut self,
        joinable: &[(Match, Interconnect)],
        own: &[Option<SizedMachine>],
        nodes: Nodes,
        capacity: &CapacityEstimates<'_, '_>,
    ) -> Vec<SizedMachine> {
        let (input, formats) = (self.input, self.formats());
        if input.others.is_empty() {
            return Vec::new();
        }
        let mut best = Best::default();
        let is_enough = |choice: &&SizedMachine| choice.shortfalls.is_empty();
        for choice in own.iter().flatten().filter(is_enough) {
            best.add(self.catalog, choice, figure(choice, input));
        }
        let mut evidence = Evidence::of(self.catalog, input, own.iter().flatten());
        let mut order: Vec<(f64, usize)> = Vec::new();
        for (at, cluster) in own.iter().enumerate() {
            let figure = cluster.as_ref().map(|choice| figure(choice, input));
            order.push((figure.unwrap_or(f64::INFINITY), at));
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut found: Vec<(f64, usize, SizedMachine)> = Vec::new();
        for (_, at) in order {
            let (machine, interconnect) = &joinable[at];
            let known = own[at].as_ref().map_or(Known::Refused, Known::Fits);
            let trial = Trial {
                machine,
                part: None,
                usd: Usd::default(),
                known,
            };
            let group = self.group_of(&trial);
            for format in 1..=formats {
                let bound = evidence.scaled(&trial, format, MORE_SEQUENCES);
                let is_of_interest = bound <= best.limit(group);
                if !is_of_interest || !input.runs(self.catalog, format, machine.accelerator) {
                    continue;
                }
                let Some(choice) = self.cluster(machine, interconnect, nodes, format, capacity)
                else {
                    continue;
                };
                evidence.learn(&trial, &choice);
                if choice.shortfalls.is_empty() {
                    let figure = figure(&choice, input);
                    best.add(self.catalog, &choice, figure);
                    found.push((figure, at, choice));
                }
            }
        }
        let has_small_cache = input.others.len() > formats;
        let in_own = own.iter().zip(0..).filter_map(|(choice, at)| {
            let choice = choice.as_ref()?;
            Some((figure(choice, input), at, choice.precision))
        });
        let in_others = found
            .iter()
            .map(|(figure, at, choice)| (*figure, *at, choice.precision));
        let mut nearest: Vec<(f64, usize, usize)> = in_own
            .chain(in_others)
            .filter(|(_, at, precision)| {
                let device = joinable[*at].0.accelerator;
                has_small_cache && input.runs(self.catalog, formats + 1 + precision, device)
            })
            .collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        nearest.truncate(MOST_WITH_SMALL_CACHE);
        let mut choices: Vec<SizedMachine> = found.into_iter().map(|(.., choice)| choice).collect();
        for (_, at, precision) in nearest {
            let (machine, interconnect) = &joinable[at];
            let small = formats + 1 + precision;
            choices.extend(self.cluster(machine, interconnect, nodes, small, capacity));
        }
        choices
    }

    /// The group of a machine.
    fn group_of(&self, trial: &Trial<'_>) -> RankGroup {
        if let Known::Fits(choice) = trial.known {
            return group(choice);
        }
        let input = self.input;
        let (tier, _) = input.tier_of(self.catalog, trial.machine);
        let is_preferred =
            !(input.prefers_consumer_cards && self.is_for_data_centers(trial.machine));
        (tier, is_preferred, trial.machine.is_region_unverified())
    }

    /// Sizes a machine in a precision; `None` if the model does not fit or run.
    fn try_in(&mut self, trial: &Trial<'_>, precision: usize) -> Option<SizedMachine> {
        let accelerator = trial.machine.accelerator;
        if self.input.engine.go_on().is_err()
            || !self.input.runs(self.catalog, precision, accelerator)
        {
            return None;
        }
        let model = self
            .size(trial.machine, trial.part, 1, None, precision)
            .ok()?;
        let part = trial.part.copied();
        Some(self.choice(trial.machine, part, model, trial.usd, None, precision))
    }
}

/// The best machine in the other precision of the input, and the saving as a fraction of the first of the ranked
/// machines; `None` if the saving is small. Only a few machines are tried, because every answer has this remark.
pub(super) fn cheaper(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choices: &[SizedMachine],
    (missed, rejected): (&[SizedMachine], &[Rejected]),
) -> Option<(SizedMachine, f64)> {
    let first = choices.first()?;
    let basis = input.requirements.basis;
    let limit = first.cost(basis) * (1.0 - LEAST_SAVING);
    if input.objective != Objective::Cost || !limit.is_finite() {
        return None;
    }
    let sized = || choices.iter().chain(missed);
    let is_alike = |choice: &&SizedMachine| group(choice) == group(first) && choice.nodes == 1;
    // If a machine costs the same in every precision, only machines that are not enough yet can be cheaper.
    let is_fixed = is_fixed(input);
    let evidence = (!is_fixed).then(|| Evidence::of(catalog, input, sized()));
    let mut capacity = is_fixed.then(|| CapacityEstimates::of(catalog, input, sized()));
    let devices: HashSet<AcceleratorId> =
        sized().map(|choice| choice.machine.accelerator).collect();
    let met = choices.iter().filter(|_| !is_fixed);
    let trials: Vec<Trial<'_>> = met
        .chain(missed)
        .filter(is_alike)
        .map(Trial::of_choice)
        .chain(
            rejected
                .iter()
                .filter_map(|rejected| Trial::of_rejected(catalog, input, rejected)),
        )
        .collect();
    let mut order: Vec<(f64, usize)> = trials
        .iter()
        .zip(0..)
        .filter(|(trial, _)| {
            let is_refused = matches!(trial.known, Known::Refused);
            !is_refused && devices.contains(&trial.machine.accelerator)
        })
        .filter_map(|(trial, at)| {
            let bound = match &evidence {
                Some(evidence) => evidence.bound(trial, 1, 1.0)?,
                None => trial.fixed_figure(input),
            };
            Some((bound, at))
        })
        .filter(|(bound, _)| *bound <= limit)
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut search = MachineSearch::new(catalog, input);
    let mut best: Option<SizedMachine> = None;
    let mut sized = 0;
    for (bound, at) in order {
        let is_beaten = best.as_ref().is_some_and(|best| best.cost(basis) <= bound);
        if is_beaten || sized >= MOST_TRIED {
            break;
        }
        let trial = &trials[at];
        let capacity_of = capacity.as_ref();
        let may_serve = capacity_of.is_none_or(|capacity| capacity.may_serve(trial.machine, 1, 1));
        if !may_serve || search.group_of(trial) != group(first) {
            continue;
        }
        let tried = search.tried();
        let Some(choice) = search.try_in(trial, 1) else {
            continue;
        };
        sized += search.tried() - tried;
        if let Some(capacity) = &mut capacity {
            capacity.learn(&choice);
        }
        let is_better = best
            .as_ref()
            .is_none_or(|best| choice.cost(basis) < best.cost(basis));
        if choice.shortfalls.is_empty() && choice.cost(basis) <= limit && is_better {
            best = Some(choice);
        }
    }
    if first.nodes > 1 {
        let cost = best.as_ref().map_or(limit, |best| best.cost(basis));
        let machines = cheapest_of_each(&search, &trials, group(first));
        best = search.cheapest_replicas(&machines, 1, cost).or(best);
    }
    let best = best?;
    let saving = 1.0 - best.cost(basis) / first.cost(basis);
    (saving >= LEAST_SAVING).then_some((best, saving))
}

/// The cheapest machine of each accelerator and number of devices with its price, ordered by the price of memory
/// bandwidth, which bounds most servers. Only machines of a group that may hold the model in the other precision count.
fn cheapest_of_each<'t>(
    search: &MachineSearch<'_, '_>,
    trials: &[Trial<'t>],
    group: RankGroup,
) -> Vec<(&'t Match, Usd)> {
    let input = search.input;
    let smaller = weight_bytes(input.work_in(1)) / weight_bytes(input.work);
    let may_fit = |trial: &&Trial<'t>| match trial.known {
        Known::Fits(_) => true,
        Known::TooSmall { needed, usable } => needed * smaller <= usable,
        Known::Refused => false,
    };
    let of_group = trials
        .iter()
        .filter(|trial| trial.part.is_none() && search.group_of(trial) == group);
    let cost = |trial: &Trial<'t>| {
        let device = search.catalog.accelerator(trial.machine.accelerator);
        let bandwidth = device.memory_bandwidth_gb_s? * f64::from(devices(trial.machine));
        Some((trial.usd.decimal() / bandwidth, trial.machine, trial.usd))
    };
    let mut machines: Vec<(f64, &Match, Usd)> = of_group.filter(may_fit).filter_map(cost).collect();
    machines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut kinds = HashSet::new();
    machines.retain(|(_, machine, _)| kinds.insert((machine.accelerator, machine.count)));
    let machines = machines.into_iter().take(MOST_TRIED);
    machines.map(|(_, machine, usd)| (machine, usd)).collect()
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::{CacheFormat, Support, supports};

    use super::by_tier;
    use crate::contract::RecommendOut;
    use crate::recommend::Recommendation;
    use crate::recommend_words::{Basis, Tier};
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, RecommendRequest};

    /// The fits that a search over precisions may need in addition. A small model, which fits on every machine, needs
    /// twice as many in one precision.
    const MOST_MORE: usize = 150;

    fn recommend(
        (model, users): (&str, Option<f64>),
        precision: Option<&str>,
        cache: Option<CacheFormat>,
    ) -> Recommendation<'static> {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read(model)),
                concurrency: users,
                precision: precision.map(str::to_owned),
                kv_precision: cache,
                ..RunRequest::default()
            },
            ..RecommendRequest::default()
        };
        Engine::embedded().recommend(&request, None).unwrap()
    }

    fn cost(row: &RecommendOut<'_>, basis: Basis) -> f64 {
        match basis {
            // Each further machine counts in the ranking.
            Basis::Hour => {
                let further = row.nodes.unwrap_or(1) - 1;
                row.usd_per_hour.unwrap().0 + 0.5 * f64::from(further)
            }
            Basis::MillionTokens => row.usd_per_million_tokens.unwrap().0,
            Basis::Job => row.usd_total.unwrap().0,
        }
    }

    #[test]
    fn a_load_of_several_machines_has_the_remark_on_a_cheaper_format() {
        let answer = recommend(("Llama-3.3-70B", Some(500.0)), None, None).envelope;
        assert!(answer.results[0].nodes.is_some());
        let remark = answer.more.cheaper_precision.unwrap();
        let nodes = remark.nodes.unwrap();
        assert!(
            remark.message.contains(&format!("{nodes} × ")),
            "{}",
            remark.message
        );
        let named = recommend(
            ("Llama-3.3-70B", Some(500.0)),
            Some(&remark.precision),
            None,
        );
        let lowest = named.envelope.results[0].usd_per_hour.unwrap().0;
        assert!(
            remark.price.usd_per_hour.0 <= lowest * 1.1,
            "{lowest} {}",
            remark.message
        );
    }

    #[test]
    fn any_precision_is_as_cheap_as_the_cheapest() {
        let loads = [None, Some(50.0), Some(300.0), Some(500.0)];
        let models = [
            "Llama-3.2-1B",
            "Llama-3.1-8B",
            "Qwen3-8B",
            "Qwen3-32B",
            "Qwen2.5-72B",
            "Llama-3.3-70B",
            "gpt-oss-120B",
        ];
        let each = models
            .into_iter()
            .flat_map(|model| loads.map(|users| (model, users)));
        for work in each {
            let any = recommend(work, Some("any"), None);
            let first = any.envelope.results.first().unwrap();
            for (precision, cache) in [
                (None, None),
                (Some("fp8"), None),
                (Some("nf4"), None),
                (Some("fp8"), Some(CacheFormat::Fp8)),
            ] {
                // The files of gpt-oss are in 4 bits: engines make no other format of them.
                if precision.is_some() && work.0.starts_with("gpt-oss") {
                    continue;
                }
                let one = recommend(work, precision, cache);
                // The search uses a cache in fp8 only on devices that compute in fp8.
                let has_cache = |row: &&RecommendOut<'_>| {
                    let catalog = Engine::embedded().catalog();
                    let id = row.offer.accelerator_id;
                    cache.is_none() || supports(&catalog, id, "fp8") == Support::Yes
                };
                let Some(other) = one.envelope.results.iter().find(has_cache) else {
                    continue;
                };
                let (found, least) = (cost(first, any.basis), cost(other, any.basis));
                let is_better_tier = first.tier < other.tier;
                let message = format!("{work:?} {precision:?} {cache:?}: {found} against {least}");
                assert!(is_better_tier || found <= least * 1.02, "{message}");
                let more = any.sized.saturating_sub(one.sized);
                assert!(
                    precision.is_some() || more <= MOST_MORE,
                    "{work:?}: {more} more fits"
                );
            }
        }
    }

    #[test]
    fn machines_of_the_first_tier_are_sized_first() {
        let order = vec![
            ((Tier::Marketplace, true, false), 1.0, "cheap host"),
            ((Tier::List, true, false), 3.0, "expensive machine"),
            (
                (Tier::List, true, true),
                2.0,
                "machine in an unknown region",
            ),
        ];
        let sorted: Vec<&str> = by_tier(order).into_iter().map(|(.., name)| name).collect();
        assert_eq!(
            sorted,
            [
                "machine in an unknown region",
                "expensive machine",
                "cheap host"
            ]
        );
    }

    #[test]
    fn one_format_is_mentioned_if_it_is_much_cheaper() {
        let own = recommend(("Llama-3.3-70B", Some(50.0)), None, None);
        let cheaper = own.envelope.more.cheaper_precision.as_ref().unwrap();
        assert_eq!(cheaper.precision, "fp8");
        let first = cost(&own.envelope.results[0], own.basis);
        let fp8 = recommend(("Llama-3.3-70B", Some(50.0)), Some("fp8"), None);
        assert!(fp8.envelope.more.cheaper_precision.is_none());
        // It is a machine of the answer in that format, which may have a cheaper one.
        let least = cost(&fp8.envelope.results[0], fp8.basis);
        let promised = first * (1.0 - cheaper.saving_percent.0 / 100.0);
        assert!(
            promised >= least && promised <= first * 0.91,
            "{promised} {least}"
        );
        // Files in 4 bits have no smaller format.
        let small = recommend(("gpt-oss-120B", Some(50.0)), None, None);
        assert!(small.envelope.more.cheaper_precision.is_none());
    }
}
