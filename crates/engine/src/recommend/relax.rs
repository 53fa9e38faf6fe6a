//! Relaxations: the limits to change, and by how much, if no machine meets all of them.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{LikelyPrices, Request};
use sky_accel_core::sizing::{Arrival, ServingEngine};
use sky_accel_core::text::{counted, grouped, grouped_to};
use sky_accel_core::word::Word as _;

use super::precisions::all;
use super::rank::usable;
use super::requirements::{Requirements, ServiceLimit};
use super::search::{SearchInput, SizedMachine, search, spec_of};
use super::sentences::{estimate_mark, machine_in_words, service_in_words};
use super::service::Shortfall;
use crate::contract::{Num, RelaxOut};
use crate::recommend_words::{LimitKind, Tier};
use crate::sizing::ANY;
use crate::sizing::rate;
use crate::text::{dollars, figure};

impl Shortfall {
    /// The limit, its value and the actual value; `None` if the actual value is unknown, or the limit cannot be
    /// relaxed.
    fn limit(&self, requirements: &Requirements) -> Option<(LimitKind, Option<f64>, f64)> {
        let limit = |limit: Option<ServiceLimit>| limit.map(|limit| limit.value);
        Some(match *self {
            Self::FirstToken(actual) => (
                LimitKind::MaxTtft,
                limit(requirements.first_token_s),
                actual?,
            ),
            Self::Speed(actual) => (LimitKind::MinSpeed, limit(requirements.speed), actual?),
            Self::Rate(actual) => (LimitKind::RequestRate, None, actual?),
            Self::Price(actual) => {
                let limit = requirements.price.map(Usd::decimal);
                (LimitKind::MaxPrice, limit, actual.decimal())
            }
            Self::Deadline(actual) => (LimitKind::Deadline, requirements.deadline_hours, actual?),
            Self::Budget(actual) => {
                let limit = requirements.budget.map(Usd::decimal);
                (LimitKind::Budget, limit, actual?.decimal())
            }
            Self::Spare(_) | Self::SlowLinks(_) => return None,
        })
    }
}

/// For each limit that alone rules out machines, the machine that needs the smallest change.
///
/// `missed` are the machines on which the model fits, but which miss a requirement of the request.
pub(super) fn relaxations(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    missed: &[SizedMachine],
) -> Vec<RelaxOut> {
    let requirements = input.requirements;
    // Prefer machines that miss nothing else over machines that also miss default limits.
    let alone = missed.iter().filter(|choice| choice.shortfalls.len() == 1);
    let mut best = nearest(requirements, alone);
    if best.is_empty() {
        best = nearest(requirements, missed.iter());
    }
    let is_of_money = |kind: LimitKind| matches!(kind, LimitKind::MaxPrice | LimitKind::Budget);
    // A search within the limit sizes only machines that may meet it.
    let has_money = best.iter().any(|(kind, ..)| is_of_money(*kind));
    let at_any_price = if has_money {
        at_any_price(catalog, input)
    } else {
        None
    };
    if let Some(choice) = &at_any_price {
        for (kind, _, actual, machine) in best.iter_mut().filter(|(kind, ..)| is_of_money(*kind)) {
            if let Some(usd) = money_of(choice, *kind, requirements) {
                (*actual, *machine) = (usd, choice);
            }
        }
    }
    best.sort_by_key(|(kind, ..)| *kind);
    let numbers = best.into_iter().map(|(kind, limit, actual, choice)| {
        let (field, value) = (field(kind), rounded(kind, actual));
        let needed = in_words(kind, value.0);
        let message = match (kind, limit) {
            (LimitKind::RequestRate, _) => format!(
                "`{field}`: {} serves at most {needed}",
                machine_in_words(catalog, choice)
            ),
            (LimitKind::MaxPrice | LimitKind::Budget | LimitKind::Deadline, Some(limit)) => {
                format!(
                    "{} needs {}: raise `{field}` from {} to {needed}",
                    service_in_words(input),
                    machine_in_words(catalog, choice),
                    in_words(kind, limit),
                )
            }
            (_, limit) => format!(
                "`{field}` {}: the best is {needed}, on {}",
                in_words(kind, limit.unwrap_or_default()),
                at_its_price(catalog, input, choice),
            ),
        };
        out(catalog, kind, limit.map(Num), Some(value), choice, message)
    });
    let mut relaxed: Vec<RelaxOut> = numbers.collect();
    if relaxed.is_empty() {
        relaxed.extend(together(catalog, input, missed));
    }
    if relaxed.is_empty() {
        relaxed.extend(fewer_users(catalog, input, missed));
    }
    relaxed.extend(without_a_limit(catalog, input));
    relaxed
}

/// The machine to rent if money had no limit; `None` without any.
fn at_any_price(catalog: &Catalog<'_>, input: &SearchInput<'_>) -> Option<SizedMachine> {
    let requirements = Requirements {
        price: None,
        budget: None,
        ..*input.requirements
    };
    let requirements = &requirements;
    let choice = first(
        catalog,
        &SearchInput {
            requirements,
            ..*input
        },
    )?;
    choice.shortfalls.is_empty().then_some(choice)
}

/// The US dollars of a machine that a limit on money is about; `None` if they are unknown.
fn money_of(choice: &SizedMachine, kind: LimitKind, requirements: &Requirements) -> Option<f64> {
    let hourly = choice.usd_per_hour.decimal();
    match kind {
        LimitKind::Budget => choice
            .usd_total()
            .map(Usd::decimal)
            .or(requirements.hours.map(|hours| hourly * hours)),
        _ => Some(hourly),
    }
}

/// The machine that serves the most users of a load, within the default limits of service.
fn fewer_users(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    missed: &[SizedMachine],
) -> Option<RelaxOut> {
    let requirements = input.requirements;
    let load = requirements.load.filter(|_| requirements.has_load)?;
    let Arrival::Users(users) = load.arrival else {
        return None;
    };
    let served = |choice: &SizedMachine| choice.model.served.map_or(0.0, |s| s.most_users.floor());
    let best = missed.iter().max_by(|a, b| {
        let cheaper = b.usd_per_hour.cmp(&a.usd_per_hour);
        served(a).total_cmp(&served(b)).then(cheaper)
    })?;
    let most = served(best);
    if most < 1.0 || most >= users {
        return None;
    }
    let kind = LimitKind::Users;
    let message = format!(
        "`{}` {}: the most is {}, on {}",
        field(kind),
        grouped(users),
        grouped(most),
        at_its_price(catalog, input, best),
    );
    Some(out(
        catalog,
        kind,
        Some(Num(users)),
        Some(Num(most)),
        best,
        message,
    ))
}

/// For each limit that is the only unmet limit of the request on some machine: its value, the best actual value, and
/// the machine.
fn nearest<'m>(
    requirements: &Requirements,
    missed: impl Iterator<Item = &'m SizedMachine>,
) -> Vec<(LimitKind, Option<f64>, f64, &'m SizedMachine)> {
    let mut best: Vec<(LimitKind, Option<f64>, f64, &SizedMachine)> = Vec::new();
    for choice in missed {
        let mut unmet = choice
            .shortfalls
            .iter()
            .filter(|open| open.is_requested(requirements));
        let (Some(open), None) = (unmet.next(), unmet.next()) else {
            continue;
        };
        let Some((kind, limit, actual)) = open.limit(requirements) else {
            continue;
        };
        let is_nearer = |best: f64| match kind {
            LimitKind::MinSpeed | LimitKind::RequestRate => actual > best,
            _ => actual < best,
        };
        match best.iter_mut().find(|(other, ..)| *other == kind) {
            Some((_, _, best, nearest)) if is_nearer(*best) => {
                (*best, *nearest) = (actual, choice);
            }
            Some(_) => {}
            None => best.push((kind, limit, actual, choice)),
        }
    }
    best
}

/// If no single limit rules out machines: the limits to relax together for the machine that misses the fewest.
fn together(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    missed: &[SizedMachine],
) -> Vec<RelaxOut> {
    let requirements = input.requirements;
    let unmet = |choice: &SizedMachine| -> Vec<(LimitKind, Option<f64>, f64)> {
        let open = choice.shortfalls.iter();
        let open = open.filter(|open| open.is_requested(requirements));
        open.filter_map(|open| open.limit(requirements)).collect()
    };
    let best = missed
        .iter()
        .filter(|choice| {
            // An unknown value has no number to relax to.
            let open = choice.shortfalls.iter();
            unmet(choice).len() == open.filter(|open| open.is_requested(requirements)).count()
        })
        .min_by(|a, b| {
            let count = |choice: &SizedMachine| unmet(choice).len();
            let by_count = count(a).cmp(&count(b)).then(a.tier.cmp(&b.tier));
            by_count.then_with(|| {
                a.cost(requirements.basis)
                    .total_cmp(&b.cost(requirements.basis))
            })
        });
    let Some(choice) = best else {
        return Vec::new();
    };
    let machine = at_its_price(catalog, input, choice);
    let open = unmet(choice).into_iter();
    open.map(|(kind, limit, actual)| {
        let value = rounded(kind, actual);
        let message = format!(
            "`{}` {}, together with the other changes, for {machine}",
            field(kind),
            in_words(kind, value.0)
        );
        out(catalog, kind, limit.map(Num), Some(value), choice, message)
    })
    .collect()
}

/// The filters without which some machine meets all requirements; each is left out alone.
fn without_a_limit(catalog: &Catalog<'_>, input: &SearchInput<'_>) -> Vec<RelaxOut> {
    let request = input.offers;
    let anywhere = Request {
        regions: None,
        ..request.clone()
    };
    let any_provider = Request {
        providers: Vec::new(),
        ..request.clone()
    };
    let input = *input;
    let mut others = Vec::new();
    if request.regions.is_some() {
        let offers = &anywhere;
        others.push((LimitKind::Region, SearchInput { offers, ..input }));
    }
    if !request.providers.is_empty() {
        let offers = &any_provider;
        others.push((LimitKind::Provider, SearchInput { offers, ..input }));
    }
    let of_any_age = Request {
        likely: request
            .likely
            .clone()
            .map(|likely| likely.not_older_than(None)),
        ..request.clone()
    };
    if request
        .likely
        .as_ref()
        .is_some_and(LikelyPrices::has_max_age)
    {
        let offers = &of_any_age;
        others.push((LimitKind::MaxAge, SearchInput { offers, ..input }));
    }
    if input.on.is_some() {
        others.push((LimitKind::On, SearchInput { on: None, ..input }));
    }
    if input.nodes.is_some() {
        let nodes = None;
        others.push((LimitKind::Nodes, SearchInput { nodes, ..input }));
    }
    let without = others.iter().filter_map(|(kind, other)| {
        let choice = first(catalog, other)?;
        let lead = format!("without `{}`", field(*kind));
        Some(as_a_change(catalog, other, *kind, &lead, &choice))
    });
    let mut found: Vec<RelaxOut> = without.collect();
    found.extend(in_another_precision(catalog, &input));
    if found.is_empty() || input.on.is_some() {
        found.extend(with_another_engine(catalog, &input));
    }
    found
}

/// Another format of the weights that lets some machine meet all requirements.
fn in_another_precision(catalog: &Catalog<'_>, input: &SearchInput<'_>) -> Option<RelaxOut> {
    let work = input.work;
    let is_open = input.others.is_empty() && !work.has_precision;
    if !is_open || work.run.workload.is_training() {
        return None;
    }
    let others = &all(catalog, work, true);
    let choice = first(catalog, &SearchInput { others, ..*input })?;
    let is_sound = choice.tier == Tier::List && choice.shortfalls.is_empty();
    if !is_sound || choice.precision == 0 {
        return None;
    }
    let lead = format!("with `{}` {ANY}", field(LimitKind::Precision));
    let kind = LimitKind::Precision;
    Some(as_a_change(catalog, input, kind, &lead, &choice))
}

/// Another serving engine that lets some machine meet all requirements.
fn with_another_engine(catalog: &Catalog<'_>, input: &SearchInput<'_>) -> Option<RelaxOut> {
    let serves = input.requirements.load.is_some();
    let engines = ServingEngine::ALL.iter().map(|(_, engine)| *engine);
    let others =
        engines.filter(|engine| serves && engine.serves() && *engine != input.work.run.engine);
    others.into_iter().find_map(|engine| {
        let work = &input.work.with_engine(catalog, engine);
        let choice = first(
            catalog,
            &SearchInput {
                work,
                others: &[],
                ..*input
            },
        )?;
        if !choice.shortfalls.is_empty() {
            return None;
        }
        let lead = format!("with `{}` {engine}", field(LimitKind::Engine));
        let kind = LimitKind::Engine;
        Some(as_a_change(catalog, input, kind, &lead, &choice))
    })
}

/// The best machine of a search.
fn first(catalog: &Catalog<'_>, input: &SearchInput<'_>) -> Option<SizedMachine> {
    let requirements = input.requirements;
    let all = SearchInput {
        rows: None,
        ..*input
    };
    let meets = usable(
        search(catalog, &all).choices,
        requirements,
        input.on.is_some(),
    );
    let cost = |choice: &SizedMachine| choice.cost(requirements.basis);
    meets.choices.into_iter().min_by(|a, b| {
        let by_tier = a.tier.cmp(&b.tier);
        by_tier.then_with(|| cost(a).total_cmp(&cost(b)))
    })
}

/// A filter to leave out or to change, and the best machine after the change.
fn as_a_change(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    kind: LimitKind,
    lead: &str,
    choice: &SizedMachine,
) -> RelaxOut {
    let message = format!("{lead}: {}", at_its_price(catalog, input, choice));
    out(catalog, kind, None, None, choice, message)
}

/// A machine and its price, marked if it is an estimate.
fn at_its_price(catalog: &Catalog<'_>, input: &SearchInput<'_>, choice: &SizedMachine) -> String {
    format!(
        "{} at {}{} per hour",
        machine_in_words(catalog, choice),
        estimate_mark(input, choice),
        dollars(Num(choice.usd_per_hour.decimal()))
    )
}

fn out(
    catalog: &Catalog<'_>,
    limit: LimitKind,
    asked: Option<Num>,
    value: Option<Num>,
    choice: &SizedMachine,
    message: String,
) -> RelaxOut {
    let offer = catalog.offer(choice.machine.offer);
    RelaxOut {
        limit,
        asked,
        value,
        spec: spec_of(catalog, &choice.machine),
        nodes: (choice.nodes > 1).then_some(choice.nodes),
        provider: catalog.provider_id(offer.provider).to_owned(),
        instance_type: catalog.str(offer.id).to_owned(),
        price: choice.hourly_price(),
        message,
    }
}

/// The value to relax to, rounded so that the machine meets it.
fn rounded(kind: LimitKind, value: f64) -> Num {
    match kind {
        LimitKind::MinSpeed | LimitKind::RequestRate => {
            let near = rate(value * 0.995).0;
            Num(near.min(value))
        }
        LimitKind::MaxPrice | LimitKind::Budget => Num((value * 100.0).ceil() / 100.0),
        _ => Num(rate(value * 1.005).0.max(value)),
    }
}

/// The name of the field of a limit in requests.
fn field(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::MaxTtft => "max_ttft",
        LimitKind::MinSpeed => "min_speed",
        LimitKind::RequestRate => "request_rate",
        LimitKind::Users => "concurrency",
        LimitKind::MaxPrice => "max_price",
        LimitKind::Deadline => "deadline_hours",
        LimitKind::Budget => "budget_usd",
        LimitKind::Region => "regions",
        LimitKind::Provider => "providers",
        LimitKind::On => "on",
        LimitKind::Nodes => "nodes",
        LimitKind::MaxAge => "max_age",
        LimitKind::Engine => "engine",
        LimitKind::Precision => "precision",
    }
}

fn in_words(kind: LimitKind, value: f64) -> String {
    match kind {
        LimitKind::MaxPrice | LimitKind::Budget => grouped_to(value, 2),
        LimitKind::MaxTtft => format!("{} s", figure(value)),
        LimitKind::Deadline => counted(figure(value), "hour"),
        LimitKind::RequestRate => format!("{} requests/s", figure(value)),
        LimitKind::MinSpeed => format!("{} tokens/s each", figure(value)),
        _ => figure(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::OfferFilter;
    use crate::recommend::RecommendRequest;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, Recommendation};

    fn recommend(request: RecommendRequest) -> Recommendation<'static> {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.1-70B")),
                ..request.run.clone()
            },
            ..request
        };
        Engine::embedded().recommend(&request, None).unwrap()
    }

    fn relaxed(answer: &Recommendation<'_>, kind: LimitKind) -> Option<RelaxOut> {
        assert!(answer.envelope.results.is_empty());
        let relax = &answer.envelope.more.relax;
        let found = relax.iter().find(|relax| relax.limit == kind)?;
        Some(RelaxOut {
            spec: found.spec.clone(),
            provider: found.provider.clone(),
            instance_type: found.instance_type.clone(),
            message: found.message.clone(),
            ..*found
        })
    }

    #[test]
    fn a_low_budget_is_raised_to_what_the_work_costs() {
        let job = |budget_usd: Option<f64>| {
            recommend(RecommendRequest {
                tokens: Some(1e8),
                budget_usd,
                ..RecommendRequest::default()
            })
        };
        let without = job(None).envelope;
        let costs = without.results.iter().filter_map(|row| row.usd_total);
        let lowest = costs.map(|usd| usd.0).fold(f64::INFINITY, f64::min);
        let relax = relaxed(&job(Some(1.0)), LimitKind::Budget).unwrap();
        // The value is rounded up.
        let value = relax.value.unwrap().0;
        assert!((lowest..lowest * 1.02).contains(&value), "{value} {lowest}");
    }

    #[test]
    fn another_format_may_meet_a_limit_on_money() {
        let offers = |usd: f64| OfferFilter {
            max_price: Some(Num(usd)),
            ..OfferFilter::default()
        };
        let run = |precision: Option<&str>| RunRequest {
            concurrency: Some(50.0),
            precision: precision.map(str::to_owned),
            ..RunRequest::default()
        };
        let of = |run: RunRequest, offers: OfferFilter| {
            recommend(RecommendRequest {
                run,
                offers,
                ..RecommendRequest::default()
            })
        };
        let any = of(run(Some("any")), OfferFilter::default()).envelope;
        let price = any.results[0].usd_per_hour.unwrap().0 * 1.01;
        let relax = relaxed(&of(run(None), offers(price)), LimitKind::Precision).unwrap();
        assert!(relax.price.usd_per_hour.0 <= price, "{}", relax.message);
    }

    #[test]
    fn a_low_price_is_raised_to_the_nearest_machine() {
        let offers = OfferFilter {
            max_price: Some(Num(0.01)),
            ..OfferFilter::default()
        };
        let answer = recommend(RecommendRequest {
            offers,
            ..RecommendRequest::default()
        });
        let relax = relaxed(&answer, LimitKind::MaxPrice).unwrap();
        assert_eq!(relax.asked, Some(Num(0.01)));
        assert!(relax.value >= Some(relax.price.usd_per_hour), "{relax:?}");
        assert!(relax.message.contains("`max_price`"), "{relax:?}");
    }

    #[test]
    fn hardware_that_is_too_small_is_left_out() {
        let answer = recommend(RecommendRequest {
            on: Some("T4:x1".to_owned()),
            ..RecommendRequest::default()
        });
        let relax = relaxed(&answer, LimitKind::On).unwrap();
        assert_eq!((relax.asked, relax.value), (None, None));
        assert!(relax.message.starts_with("without `on`: "), "{relax:?}");
    }

    #[test]
    fn an_impossible_speed_is_lowered_to_the_fastest_machine() {
        let answer = recommend(RecommendRequest {
            run: RunRequest {
                concurrency: Some(4.0),
                min_speed: Some(100_000.0),
                ..RunRequest::default()
            },
            ..RecommendRequest::default()
        });
        let relax = relaxed(&answer, LimitKind::MinSpeed).unwrap();
        assert!(relax.value < relax.asked, "{relax:?}");
    }

    #[test]
    fn values_are_rounded_so_that_the_machine_meets_them() {
        assert_eq!(rounded(LimitKind::MaxPrice, 1.001), Num(1.01));
        for exact in [1.234_567, 98.765_4, 0.012_345] {
            assert!(rounded(LimitKind::MinSpeed, exact).0 <= exact);
            assert!(rounded(LimitKind::RequestRate, exact).0 <= exact);
            assert!(rounded(LimitKind::MaxTtft, exact).0 >= exact);
            assert!(rounded(LimitKind::Deadline, exact).0 >= exact);
        }
    }
}
