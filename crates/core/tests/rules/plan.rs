use std::cell::Cell;

use sky_accel_core::catalog::CapacityType;
use sky_accel_core::money::Usd;
use sky_accel_core::plan::{
    Candidate, CapacityOrder, CheckId, CheckState, Interconnect, Needs, Offline, Outlook, Plan,
    PlanObjective, Reject, Request, Reserved, World, plan,
};
use sky_accel_core::resolve::{self, StockClass};

use super::{bound, catalog};

fn request() -> Request {
    Request {
        offers: resolve::Request::default(),
        capacity_order: CapacityOrder::OnDemand,
        objective: PlanObjective::Price,
        exact: false,
        distinct_regions: false,
        nodes: 1,
        hours: None,
        budget: None,
        cuda: None,
        reserved: None,
        limit: 10,
    }
}

fn dollars(usd: f64) -> Option<Usd> {
    Usd::from_decimal(usd)
}

/// A candidate as `offer xCOUNT capacity@region $price`.
fn shown(candidate: &Candidate) -> String {
    let usd = candidate.quote.map(|quote| quote.usd.decimal().to_string());
    format!(
        "{} x{} {}@{} {}",
        catalog().str(catalog().offer(candidate.found.offer).id),
        candidate.found.count,
        match candidate.capacity {
            CapacityType::OnDemand => "on-demand",
            CapacityType::Spot => "spot",
        },
        candidate.region.map_or("-", |id| catalog().region_id(id)),
        usd.unwrap_or_else(|| "-".to_owned())
    )
}

fn planned(spec: &str, request: &Request) -> Vec<String> {
    let plan = plan(&catalog(), &bound(spec), request, &Offline);
    plan.candidates.iter().map(shown).collect()
}

#[track_caller]
fn reason(plan: &Plan, offer: &str) -> (Reject, String) {
    let row = plan
        .rejected
        .iter()
        .find(|row| catalog().str(catalog().offer(row.offer).id) == offer);
    let row = row.expect(offer);
    (row.reason, row.detail.clone())
}

#[track_caller]
fn rejected(spec: &str, request: &Request, offer: &str, expected: Reject) -> String {
    let plan = plan(&catalog(), &bound(spec), request, &Offline);
    let (reason, detail) = reason(&plan, offer);
    assert_eq!(reason, expected, "{spec}: {detail}");
    detail
}

#[test]
fn each_region_is_a_candidate_ordered_by_price() {
    assert_eq!(
        planned("Big-80GB-SXM:x8", &request()),
        [
            "big.8 x8 on-demand@west 72",
            "big.8 x8 on-demand@east 80",
            "big.block x8 on-demand@east -"
        ]
    );
    let spot = Request {
        capacity_order: CapacityOrder::Spot,
        ..request()
    };
    assert_eq!(
        planned("Big-80GB-SXM:x8", &spot),
        ["big.8 x8 spot@east 40", "big.8 x8 spot@west 44"]
    );
}

#[test]
fn capacity_orders_mix_spot_and_on_demand() {
    let request = |capacity_order, limit| Request {
        capacity_order,
        limit,
        ..request()
    };
    let all = planned("Big-80GB-SXM:x8", &request(CapacityOrder::Any, 10));
    assert_eq!(
        all,
        [
            "big.8 x8 spot@east 40",
            "big.8 x8 spot@west 44",
            "big.8 x8 on-demand@west 72",
            "big.8 x8 on-demand@east 80",
            "big.block x8 on-demand@east -"
        ]
    );
    // A third of the list stays for on-demand machines.
    assert_eq!(
        planned("Big-80GB-SXM:x8", &request(CapacityOrder::SpotFirst, 2)),
        ["big.8 x8 spot@east 40", "big.8 x8 on-demand@west 72"]
    );
    assert_eq!(
        planned("Big-80GB-SXM:x8", &request(CapacityOrder::Any, 2)),
        ["big.8 x8 spot@east 40", "big.8 x8 spot@west 44"]
    );
}

#[test]
fn the_limit_counts_the_other_candidates() {
    let request = Request {
        limit: 1,
        ..request()
    };
    let plan = plan(&catalog(), &bound("Big-80GB-SXM:x8"), &request, &Offline);
    assert_eq!((plan.candidates.len(), plan.left_off), (1, 2));
}

#[test]
fn later_choices_keep_a_share_of_the_list() {
    let request = Request {
        limit: 4,
        capacity_order: CapacityOrder::Any,
        ..request()
    };
    let list = planned("Big-80GB-SXM:x8|Big-40GB-SXM:x4", &request);
    assert_eq!(list.len(), 4);
    assert_eq!(list[3], "big40.4 x4 on-demand@east 16");
}

#[test]
fn regions_are_listed_once_on_request() {
    let request = Request {
        distinct_regions: true,
        ..request()
    };
    let list = planned("Big:80GB:x1..8", &request);
    let east = list.iter().filter(|shown| shown.contains("@east")).count();
    assert_eq!(east, 1, "{list:?}");
}

#[test]
fn larger_machines_replace_missing_exact_machines() {
    let list = planned("Big-80GB-SXM:x2", &request());
    assert_eq!(list[0], "Big SXM x2 on-demand@- 16");
    assert!(list[1].starts_with("big.8 x8"), "{list:?}");
    // `free` has an exact machine, so its larger machines are rejected.
    assert!(list.iter().all(|shown| !shown.starts_with("Big SXM x4")));
    let exact = Request {
        exact: true,
        ..request()
    };
    assert_eq!(
        planned("Big-80GB-SXM:x2", &exact),
        ["Big SXM x2 on-demand@- 16"]
    );
    assert_eq!(
        rejected("Big-80GB-SXM:x2", &exact, "big.8", Reject::Count),
        "has another number of accelerators"
    );
}

#[test]
fn limits_apply_to_one_machine_and_budgets_to_all() {
    let limited = |usd| Request {
        offers: resolve::Request {
            max_price: dollars(usd),
            ..resolve::Request::default()
        },
        ..request()
    };
    assert_eq!(planned("Big-80GB-SXM:x8", &limited(72.0)).len(), 1);
    assert_eq!(
        rejected(
            "Big-80GB-SXM:x8",
            &limited(71.99),
            "big.8",
            Reject::OverBudget
        ),
        "costs $72 an hour, more than $71.99"
    );
    let budget = |usd, hours| Request {
        budget: dollars(usd),
        hours,
        nodes: 2,
        ..request()
    };
    assert_eq!(planned("Big-80GB-SXM:x8", &budget(144.0, None)).len(), 1);
    assert_eq!(
        rejected(
            "Big-80GB-SXM:x8",
            &budget(143.0, None),
            "big.8",
            Reject::OverBudget
        ),
        "costs $144 an hour, more than $143"
    );
    assert_eq!(
        planned("Big-80GB-SXM:x8", &budget(1440.0, Some(10.0))).len(),
        1
    );
    assert_eq!(
        rejected(
            "Big-80GB-SXM:x8",
            &budget(1439.0, Some(10.0)),
            "big.8",
            Reject::OverBudget
        ),
        "costs $1,440 for 10 hours, more than $1,439"
    );
    let costs = Request {
        nodes: 3,
        hours: Some(2.0),
        ..request()
    };
    let plan = plan(&catalog(), &bound("Big-80GB-SXM:x8"), &costs, &Offline);
    assert_eq!(plan.candidates[0].usd_per_hour, dollars(216.0));
    assert_eq!(plan.candidates[0].usd_total, dollars(432.0));
}

#[test]
fn reserved_capacity_ignores_limits_and_other_types() {
    let block = Request {
        reserved: Some(Reserved::Block),
        budget: dollars(1.0),
        ..request()
    };
    let list = planned("Big-80GB-SXM:x8", &block);
    assert!(
        list.iter().any(|shown| shown.starts_with("big.block")),
        "{list:?}"
    );
    assert_eq!(
        rejected("big.8", &block, "big.block", Reject::Name),
        "what is paid for already is of the type big.8"
    );
    let on_demand = Request {
        offers: resolve::Request {
            capacity_filter: resolve::CapacityFilter::OnDemand,
            ..resolve::Request::default()
        },
        ..request()
    };
    rejected("Big-80GB-SXM:x8", &on_demand, "big.block", Reject::Market);
    assert_eq!(
        rejected("Big-80GB-SXM:x8", &request(), "big.old", Reject::NotOffered),
        "is retired"
    );
}

#[test]
fn interconnects_are_required() {
    let with = |interconnect| Request {
        offers: resolve::Request {
            interconnect: Some(interconnect),
            ..resolve::Request::default()
        },
        ..request()
    };
    assert_eq!(
        planned("Big-80GB-SXM:x8", &with(Interconnect::Efa)).len(),
        2
    );
    rejected(
        "Big-80GB-SXM:x8",
        &with(Interconnect::Efa),
        "big.block",
        Reject::NoInterconnect,
    );
    assert_eq!(
        planned("Big-80GB-SXM:x8", &with(Interconnect::Nvlink)).len(),
        3
    );
    assert_eq!(
        planned("Big-80GB-SXM:x8", &with(Interconnect::Any)).len(),
        3
    );
    assert_eq!(
        rejected(
            "Big-80GB-SXM:x8",
            &with(Interconnect::Infiniband),
            "big.8",
            Reject::NoInterconnect
        ),
        "is not joined as asked"
    );
    // A single accelerator has no link, and a bridge is optional.
    rejected(
        "Big-80GB-SXM",
        &with(Interconnect::Nvlink),
        "big.1",
        Reject::NoInterconnect,
    );
    rejected(
        "Big-80GB-PCIe:x2",
        &with(Interconnect::Nvlink),
        "pcie.2",
        Reject::NoInterconnect,
    );
}

#[test]
fn cuda_versions_have_bounds() {
    let with = |cuda: &str| Request {
        cuda: Some(cuda.to_owned()),
        ..request()
    };
    assert_eq!(planned("Big-80GB-SXM:x8", &with("11.8")).len(), 3);
    assert_eq!(
        rejected("Big-80GB-SXM:x8", &with("11.7"), "big.8", Reject::CudaFloor),
        "needs CUDA 11.8, the image has 11.7"
    );
    assert_eq!(planned("Big-40GB-SXM:x4", &with("12.9")).len(), 1);
    assert_eq!(
        rejected(
            "Big-40GB-SXM:x4",
            &with("13.0"),
            "big40.4",
            Reject::CudaFloor
        ),
        "is supported up to CUDA 12.9, the image has 13.0"
    );
    let plan = plan(
        &catalog(),
        &bound("Big-80GB-SXM:x8"),
        &with("12.4"),
        &Offline,
    );
    let check = plan.candidates[0]
        .checks
        .iter()
        .find(|c| c.id == CheckId::Cuda);
    assert_eq!(
        check.unwrap().needs,
        Some(Needs::Driver {
            cuda: "12.4".to_owned(),
            driver_min: Some("550.54".to_owned())
        })
    );
}

/// A world in which `west` has no quota and prices of 2026-01-01 are stale.
struct Facts {
    has_stale_prices: bool,
}

impl World for Facts {
    fn is_stale(&self, as_of: Option<&str>) -> bool {
        self.has_stale_prices && as_of != Some("2026-01-09")
    }

    fn outlook(&self, candidate: &Candidate) -> Outlook {
        let region = candidate.region.map(|region| catalog().region_id(region));
        Outlook {
            quota: region.map(|region| region != "west"),
            ..Outlook::default()
        }
    }

    fn has_outlook(&self) -> bool {
        true
    }
}

/// A world whose caller cancels the plan after some questions.
struct Stopped {
    questions: Cell<usize>,
}

impl World for Stopped {
    fn is_stale(&self, _: Option<&str>) -> bool {
        false
    }

    fn outlook(&self, _: &Candidate) -> Outlook {
        Outlook::default()
    }

    fn has_outlook(&self) -> bool {
        false
    }

    fn is_stopped(&self) -> bool {
        let left = self.questions.get();
        self.questions.set(left.saturating_sub(1));
        left == 0
    }
}

#[test]
fn a_plan_that_is_no_longer_needed_ends() {
    let made = |questions| {
        let world = Stopped {
            questions: Cell::new(questions),
        };
        let plan = plan(&catalog(), &bound("Big-80GB-SXM:x8"), &request(), &world);
        plan.candidates.len() + plan.rejected.len()
    };
    assert_eq!(made(0), 0);
    assert!(made(1) > 0);
    assert!(made(1) < made(usize::MAX));
}

#[test]
fn failed_checks_rank_last() {
    let facts = Facts {
        has_stale_prices: false,
    };
    let two = Request {
        nodes: 2,
        ..request()
    };
    let plan = plan(&catalog(), &bound("Big-80GB-SXM:x8"), &two, &facts);
    let list: Vec<String> = plan.candidates.iter().map(shown).collect();
    assert_eq!(
        list,
        [
            "big.8 x8 on-demand@east 80",
            "big.block x8 on-demand@east -",
            "big.8 x8 on-demand@west 72"
        ]
    );
    assert!(!plan.candidates[0].fails());
    assert!(plan.candidates[2].fails());
    let quota = &plan.candidates[0].checks[0];
    assert_eq!((quota.id, quota.state), (CheckId::Quota, CheckState::Pass));
    assert_eq!(
        quota.needs,
        Some(Needs::Quota {
            code: "Q-OD".to_owned(),
            vcpu: 192
        })
    );
}

#[test]
fn stale_prices_are_rejected() {
    let facts = Facts {
        has_stale_prices: true,
    };
    let plan = plan(&catalog(), &bound("Big-80GB-SXM:x8"), &request(), &facts);
    assert!(
        plan.candidates
            .iter()
            .all(|c| !shown(c).starts_with("big.8"))
    );
    assert_eq!(
        reason(&plan, "big.8"),
        (Reject::Stale, "its price is of 2026-01-01".to_owned())
    );
}

#[test]
fn spot_needs_a_spot_price_except_on_marketplaces() {
    let spot = Request {
        capacity_order: CapacityOrder::Spot,
        ..request()
    };
    assert_eq!(
        rejected("Big-80GB-SXM:x1", &spot, "big.1", Reject::Market),
        "is not known to be sold as spot"
    );
    let list = planned("Small:x3", &spot);
    assert_eq!(list, ["Small x3 spot@- -"]);
    // Candidates with a known price replace a bid without a price.
    let list = planned("Small:x3|Big-80GB-SXM:x8", &spot);
    assert_eq!(list, ["big.8 x8 spot@east 40", "big.8 x8 spot@west 44"]);
}

#[test]
fn separate_and_closed_regions_are_used_only_on_request() {
    let gov = Request {
        offers: resolve::Request {
            regions: Some(
                resolve::RegionFilter::new(&catalog(), &["gov".to_owned()], &[]).unwrap(),
            ),
            ..resolve::Request::default()
        },
        ..request()
    };
    assert_eq!(
        planned("Big-80GB-SXM:x8", &gov)[0],
        "big.8 x8 on-demand@gov 60"
    );
    assert!(
        planned("Big-80GB-SXM:x8", &request())
            .iter()
            .all(|shown| !shown.contains("@gov"))
    );
}

/// A world with an outlook for each pair of region and capacity type.
struct Stock(Vec<(&'static str, CapacityType, Outlook)>);

impl World for Stock {
    fn is_stale(&self, _: Option<&str>) -> bool {
        false
    }

    fn outlook(&self, candidate: &Candidate) -> Outlook {
        let region = candidate.region.map(|region| catalog().region_id(region));
        let mut known = self.0.iter();
        let found =
            known.find(|(of, capacity, _)| Some(*of) == region && *capacity == candidate.capacity);
        found.map(|(.., outlook)| *outlook).unwrap_or_default()
    }

    fn has_outlook(&self) -> bool {
        true
    }
}

const fn outlook(stock: StockClass, quota: Option<bool>, wait_s: Option<u64>) -> Outlook {
    Outlook {
        stock,
        quota,
        wait_s,
    }
}

fn planned_in(world: &Stock, request: &Request) -> Plan {
    plan(&catalog(), &bound("Big-80GB-SXM:x8"), request, world)
}

#[test]
fn known_stock_precedes_unknown_stock_and_nothing_is_left_out() {
    use CapacityType::OnDemand;
    let order = |world: &Stock| -> Vec<String> {
        planned_in(world, &request())
            .candidates
            .iter()
            .map(shown)
            .collect()
    };
    let (west, east, block) = (
        "big.8 x8 on-demand@west 72",
        "big.8 x8 on-demand@east 80",
        "big.block x8 on-demand@east -",
    );
    let world = Stock(vec![(
        "east",
        OnDemand,
        outlook(StockClass::Limited, None, None),
    )]);
    assert_eq!(order(&world), [east, west, block]);
    let world = Stock(vec![
        ("east", OnDemand, outlook(StockClass::Limited, None, None)),
        ("west", OnDemand, outlook(StockClass::Available, None, None)),
    ]);
    assert_eq!(order(&world), [west, east, block]);
    // Machines that cannot be had now come last.
    let world = Stock(vec![(
        "west",
        OnDemand,
        outlook(StockClass::Out, None, None),
    )]);
    assert_eq!(order(&world), [east, block, west]);
}

#[test]
fn only_what_is_known_to_be_unobtainable_is_left_out_on_request() {
    use CapacityType::OnDemand;
    let mut available = request();
    available.offers.available = true;
    let plan_of = |world: &Stock| planned_in(world, &available);
    assert_eq!(plan_of(&Stock(Vec::new())).candidates.len(), 3);
    let world = Stock(vec![
        ("west", OnDemand, outlook(StockClass::Out, None, None)),
        (
            "east",
            OnDemand,
            outlook(StockClass::Unknown, Some(false), None),
        ),
    ]);
    let plan = plan_of(&world);
    assert_eq!(plan.candidates.len(), 0);
    let reasons: Vec<Reject> = plan
        .rejected
        .iter()
        .filter(|row| row.region.is_some())
        .map(|row| row.reason)
        .collect();
    assert!(reasons.contains(&Reject::OutOfStock), "{reasons:?}");
    assert!(reasons.contains(&Reject::Blocked), "{reasons:?}");
}

#[test]
fn obtainability_ranks_stock_then_quota_then_the_start_then_the_price() {
    use CapacityType::{OnDemand, Spot};
    use StockClass::{Available, Limited, Unknown};
    let by_start = Request {
        capacity_order: CapacityOrder::Any,
        objective: PlanObjective::Obtainability,
        ..request()
    };
    let order = |world: &Stock| -> Vec<String> {
        let plan = planned_in(world, &by_start);
        plan.candidates.iter().map(shown).collect()
    };
    let world = Stock(vec![
        ("east", Spot, outlook(Unknown, Some(true), None)),
        ("west", Spot, outlook(Limited, None, None)),
        (
            "west",
            OnDemand,
            outlook(Available, Some(true), Some(7_200)),
        ),
        (
            "east",
            OnDemand,
            outlook(Available, Some(true), Some(3_600)),
        ),
    ]);
    assert_eq!(
        order(&world)[..4],
        [
            "big.8 x8 on-demand@east 80",
            "big.block x8 on-demand@east -",
            "big.8 x8 on-demand@west 72",
            "big.8 x8 spot@west 44",
        ]
    );
    // With equal starts, the price decides.
    assert_eq!(order(&Stock(Vec::new()))[0], "big.8 x8 spot@east 40");
}
