//! Tests of the search, and of the estimates that rule out machines before they are sized.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{Match, Request, matches};
use sky_accel_core::sizing::Arrival;
use sky_accel_core::spec::CountRange;

use super::RecommendRequest;
use super::capacity::CapacityEstimates;
use super::hardware::HardwareFilter;
use super::requirements::{Requirements, read};
use super::search::{SearchInput, SizedMachine, search, spec_of_offer};
use super::service::{JobHours, Shortfall};
use crate::Engine;
use crate::recommend_words::{Basis, Objective};
use crate::sizing::{ModelRun, ModelSource, RunRequest};

/// A chat of users who want a speed.
fn chat(users: f64, speed: f64) -> RecommendRequest {
    RecommendRequest {
        run: RunRequest {
            model: Some(ModelSource::read("Llama-3.1-8B")),
            concurrency: Some(users),
            min_speed: Some(speed),
            ..RunRequest::default()
        },
        ..RecommendRequest::default()
    }
}

/// A request that was read.
struct Asked {
    work: ModelRun,
    requirements: Requirements,
    offers: Request,
    on: Option<HardwareFilter>,
}

impl Asked {
    fn read(request: &RecommendRequest) -> Self {
        let engine = Engine::embedded();
        let catalog = engine.catalog();
        let (work, mut requirements) = read(&catalog, request, None).unwrap();
        Self {
            work,
            on: HardwareFilter::of(&catalog, request, &mut requirements).unwrap(),
            requirements,
            offers: request.offers.request(&catalog, engine.today()).unwrap(),
        }
    }

    fn input(&self) -> SearchInput<'_> {
        SearchInput {
            work: &self.work,
            others: &[],
            requirements: &self.requirements,
            objective: Objective::Cost,
            offers: &self.offers,
            on: self.on.as_ref(),
            nodes: None,
            rows: None,
            prefers_consumer_cards: false,
            engine: Engine::embedded(),
        }
    }

    /// The first machine that a search finds.
    fn first(&self) -> SizedMachine {
        search(&Engine::embedded().catalog(), &self.input())
            .choices
            .swap_remove(0)
    }
}

fn accelerator(catalog: &Catalog<'_>, name: &str) -> AcceleratorId {
    let mut names = catalog.accelerators.iter().map(|row| catalog.str(row.id));
    AcceleratorId::of_index(names.position(|id| id == name).unwrap())
}

/// The first machine with a number of accelerators.
fn machine(catalog: &Catalog<'_>, name: &str, count: u32) -> Match {
    let count = CountRange::exactly(Count::whole(count));
    let wanted = BoundChoice::accelerator(catalog, accelerator(catalog, name), Some(count));
    matches(catalog, &[wanted], &Request::default()).swap_remove(0)
}

/// The largest whole number up to a million for which a machine may be enough.
fn most(mut is_enough: impl FnMut(f64) -> bool) -> u32 {
    let (mut enough, mut too_many) = (0, 1_000_000);
    while too_many - enough > 1 {
        let middle = u32::midpoint(enough, too_many);
        if is_enough(f64::from(middle)) {
            enough = middle;
        } else {
            too_many = middle;
        }
    }
    enough
}

/// The most users at a low speed, the highest speed of one user, the same of 64 users, and the most requests per second
/// that some machines may serve.
fn capacity(name: &str, count: u32, nodes: u32, sized: &[SizedMachine]) -> [u32; 4] {
    let engine = Engine::embedded();
    let catalog = engine.catalog();
    let of = machine(&catalog, name, count);
    let may_serve = |arrival: Arrival, speed: f64| {
        let mut asked = Asked::read(&chat(1.0, speed));
        let load = asked.requirements.load.as_mut().unwrap();
        load.arrival = arrival;
        let input = asked.input();
        let capacity = CapacityEstimates::of(&catalog, &input, sized.iter());
        capacity.may_serve(&of, nodes, 0)
    };
    [
        most(|users| may_serve(Arrival::Users(users), 1.0)),
        most(|speed| may_serve(Arrival::Users(1.0), speed)),
        most(|speed| may_serve(Arrival::Users(64.0), speed)),
        most(|rate| may_serve(Arrival::Rate(rate), 1.0)),
    ]
}

#[test]
fn a_roofline_bounds_users_speed_and_requests() {
    let of = |name, count, nodes| capacity(name, count, nodes, &[]);
    assert_eq!(
        [
            // Weights of 16 GB are read at 90 percent of 3.35 TB/s at most.
            of("H100-80GB-SXM", 1, 1),
            // Devices, in one machine or in several, share the work.
            of("H100-80GB-SXM", 8, 1),
            of("H100-80GB-SXM", 1, 8),
            // Three devices do not share the heads evenly.
            of("H100-80GB-SXM", 1, 3),
            // The weights leave little room.
            of("L4", 1, 1),
        ],
        [
            [936, 183, 69, 12],
            [9352, 1489, 914, 102],
            [9352, 1489, 914, 102],
            [2809, 185, 125, 38],
            [67, 16, 6, 1],
        ]
    );
}

#[test]
fn accepted_tight_fits_and_experts_raise_the_bound() {
    let engine = Engine::embedded();
    let catalog = engine.catalog();
    let users = |model: &str, nodes: u32, accepts_tight: bool| {
        let of = machine(&catalog, "H100-80GB-SXM", 1);
        let mut request = chat(1.0, 1.0);
        request.run.model = Some(ModelSource::read(model));
        let mut asked = Asked::read(&request);
        asked.requirements.accepts_tight = accepts_tight;
        most(|users| {
            let load = asked.requirements.load.as_mut().unwrap();
            load.arrival = Arrival::Users(users);
            let input = asked.input();
            CapacityEstimates::of(&catalog, &input, std::iter::empty()).may_serve(&of, nodes, 0)
        })
    };
    assert_eq!(
        [
            users("Llama-3.1-8B", 1, true),
            // Three devices share the experts of a model, but not the heads.
            users("Qwen3-30B-A3B", 1, false),
            users("Qwen3-30B-A3B", 3, false),
        ],
        [2416, 255, 3461]
    );
}

#[test]
fn machines_that_were_sized_lower_the_bound_of_their_device() {
    let of = |names: &[&str]| {
        let first = |name: &&str| {
            let request = RecommendRequest {
                on: Some((*name).to_owned()),
                ..chat(8.0, 20.0)
            };
            Asked::read(&request).first()
        };
        let sized: Vec<SizedMachine> = names.iter().map(first).collect();
        capacity("H100-80GB-SXM", 1, 1, &sized)
    };
    let (one, eight) = ("H100-80GB-SXM:x1", "H100-80GB-SXM:x8");
    assert_eq!(
        [
            of(&[one]),
            of(&[eight]),
            of(&[one, eight]),
            of(&[eight, one]),
            of(&["A100-80GB-SXM:x1"])
        ],
        [
            [92, 135, 37, 12],
            [93, 55, 37, 12],
            // The best of several machines with the device counts.
            [93, 135, 37, 12],
            [93, 135, 37, 12],
            // Machines with another device say nothing on its speed, but on the cache of a sequence.
            [93, 178, 37, 12],
        ]
    );
}

#[test]
fn costs_that_differ_by_rounding_are_equal() {
    let request = RecommendRequest {
        on: Some("H100-80GB-SXM:x1".to_owned()),
        ..chat(8.0, 20.0)
    };
    let mut choice = Asked::read(&request).first();
    choice.hours = Some(JobHours {
        taken: 0.9,
        longest: 1.2,
        billed: 1.0,
    });
    choice.ranking_factor = 2.0;
    let rate = choice.model.tokens_per_s.unwrap();
    let mut ranked = |micros: u64, basis: Basis| {
        choice.usd_per_hour = Usd(micros);
        assert_eq!(choice.usd_total(), Some(Usd(micros)));
        let per_million = micros as f64 / rate / 3600.0;
        assert!((choice.usd_per_million().unwrap() - per_million).abs() < 1e-9);
        let (ranked, weighed) = (choice.ranked_cost(basis), choice.weighed_cost(basis));
        assert!((weighed - 2.0 * ranked).abs() < 1e-12);
        format!("{ranked:.7}")
    };
    // Of a price, seven digits count; of the cost of work, three.
    assert_eq!(ranked(12_345_674, Basis::Hour), "12.3456700");
    assert_eq!(ranked(12_345_676, Basis::Hour), "12.3456800");
    assert_eq!(ranked(1_234_567, Basis::Hour), "1.2345670");
    assert_eq!(ranked(12_345_674, Basis::Job), "12.3000000");
    assert_eq!(ranked(1_235_100, Basis::Job), "1.2400000");
    assert_eq!(ranked(0, Basis::Hour), "0.0000000");
    choice.hours = None;
    assert!(choice.cost(Basis::Job).is_infinite() && choice.ranked_cost(Basis::Job).is_infinite());
}

#[test]
fn only_limits_of_money_and_time_are_met_by_more_of_them() {
    let request = RecommendRequest {
        on: Some("H100-80GB-SXM:x1".to_owned()),
        ..chat(8.0, 20.0)
    };
    let mut choice = Asked::read(&request).first();
    for (shortfalls, is_only_money) in [
        (vec![], false),
        (vec![Shortfall::Price(Usd(1))], true),
        (
            vec![Shortfall::Deadline(None), Shortfall::Budget(None)],
            true,
        ),
        (
            vec![Shortfall::Price(Usd(1)), Shortfall::Speed(None)],
            false,
        ),
        (vec![Shortfall::Rate(None)], false),
    ] {
        choice.shortfalls = shortfalls;
        assert_eq!(choice.exceeds_only_money_or_time(), is_only_money);
    }
    choice.nodes = 3;
    assert_eq!(choice.devices(), 3);
}

#[test]
fn specs_of_machines_name_their_count_or_their_slice() {
    let engine = Engine::embedded();
    let catalog = engine.catalog();
    let id = accelerator(&catalog, "H100-80GB-SXM");
    let of = |count| {
        let found = machine(&catalog, "H100-80GB-SXM", 1);
        spec_of_offer(&catalog, found.offer, id, count)
    };
    assert_eq!(of(Count::ONE), "H100-80GB-SXM");
    assert_eq!(of(Count::whole(8)), "H100-80GB-SXM:x8");
    assert_eq!(of(Count(500)), "H100-80GB-SXM:x0.5");
}

#[test]
fn results_and_picks_have_the_band_of_their_price() {
    let answer = Engine::embedded().recommend(
        &RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.1-8B")),
                ..RunRequest::default()
            },
            ..RecommendRequest::default()
        },
        None,
    );
    let envelope = answer.unwrap().envelope;
    let mut wide = 0;
    for row in &envelope.results {
        let price = row.offer.on_demand.as_ref().unwrap();
        assert_eq!(row.usd_per_hour, Some(price.likely_usd_per_hour));
        assert_eq!((row.low, row.high), (Some(price.low), Some(price.high)));
        wide += usize::from(price.low < price.high);
    }
    assert!(wide > 0);
    for pick in &envelope.more.picks {
        let price = pick.price;
        assert!(price.low <= price.usd_per_hour && price.usd_per_hour <= price.high);
    }
}
