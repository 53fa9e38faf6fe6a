//! Converts arguments and settings to engine requests.

use std::time::Duration;

use sky_accel_core::word::Word as _;
use sky_accel_engine::asking::{Cache, CacheMode, LiveRequest};
use sky_accel_engine::contract::Num;
use sky_accel_engine::{
    BillRequest, BillUse, Error, ErrorCode, ListRequest, ModelSource, OfferFilter, PlanRequest,
    PricePolicy, PricesRequest, RecommendRequest, ResolveRequest, RunRequest, TierOrder, Work,
};

use crate::cli::{
    BillArgs, CommitArgs, FitArgs, HoursArgs, ListArgs, LiveArgs, OfferArgs, PlanArgs,
    PricePolicyArgs, PricesArgs, ResolveArgs, RunArgs, SearchArgs, UseArgs, WholeBillArgs,
};
use crate::settings::{OfferDefaults, Settings, cache_folder};

/// The filter from flags, with settings as defaults.
pub fn offers(args: &OfferArgs, defaults: &OfferDefaults) -> OfferFilter {
    let given = OfferFilter {
        providers: args.provider.clone(),
        regions: args.region.clone(),
        capacity_type: args.capacity_type.unwrap_or_default(),
        price_tier: args.tier.clone(),
        max_price: args.max_price.map(Num),
        limit: args.limit,
        max_age_s: args.max_age.map(|age| age.as_secs()),
        price: args.price.unwrap_or_default(),
        min_vcpu: args.min_vcpu.map(Num),
        min_host_memory_gib: args.min_host_memory.map(Num),
        interconnect: args.interconnect,
        available: args.available,
        currency: args.currency.clone(),
        ..OfferFilter::default()
    };
    given.or(&defaults.into())
}

/// The filter from flags with the hours of total prices and the commitments, with settings as defaults.
pub fn offers_for(
    args: &OfferArgs,
    hours: HoursArgs,
    commit: &CommitArgs,
    defaults: &OfferDefaults,
) -> OfferFilter {
    OfferFilter {
        hours: hours.value().map(Num),
        ..offers_under(args, commit, defaults)
    }
}

/// Rejects a total for some hours under commitments. The error names the flag that was given.
///
/// # Errors
///
/// [`ErrorCode::BadValue`] for both.
pub fn check_hours(hours: HoursArgs, commit: &CommitArgs) -> Result<(), Error> {
    let Some(flag) = hours.flag() else {
        return Ok(());
    };
    if commit.commit.is_none() {
        return Ok(());
    }
    let message = format!(
        "--commit and {flag} contradict each other: a commitment bills its whole term; the bill command computes \
         the bill of a month"
    );
    Err(Error::new(ErrorCode::BadValue, message))
}

/// The filter from flags with the commitments, with settings as defaults.
pub fn offers_under(
    args: &OfferArgs,
    commit: &CommitArgs,
    defaults: &OfferDefaults,
) -> OfferFilter {
    OfferFilter {
        commit: commit.commit.clone(),
        upfront: commit.upfront,
        ..offers(args, defaults)
    }
}

impl From<&OfferDefaults> for OfferFilter {
    fn from(defaults: &OfferDefaults) -> Self {
        Self {
            providers: defaults.provider.clone(),
            regions: defaults.region.clone(),
            capacity_type: defaults.capacity_type.unwrap_or_default(),
            max_price: defaults.max_price.map(Num),
            limit: defaults.limit,
            ..Self::default()
        }
    }
}

/// The options of a live query.
pub fn live(
    args: &LiveArgs,
    max_age: Option<Duration>,
    settings: &Settings,
    at_least: bool,
    disk_gb: u32,
) -> LiveRequest {
    LiveRequest {
        at_least,
        disk_gb: f64::from(disk_gb),
        spot_scores: args.spot_scores,
        capacity_block_hours: args.capacity_blocks,
        check_quota: args.check_quota,
        timeout: args.timeout,
        cache: Cache {
            folder: cache_folder(),
            mode: match (settings.offline, args.refresh) {
                (true, _) => CacheMode::Only,
                (false, true) => CacheMode::Refresh,
                (false, false) => CacheMode::Prefer,
            },
            max_age,
        },
        public: settings.public(args.public),
        ..LiveRequest::default()
    }
}

/// The request of `resolve`.
pub fn resolve(args: &ResolveArgs, settings: &Settings) -> ResolveRequest {
    ResolveRequest {
        specs: Vec::new(),
        offers: offers_for(&args.offers, args.hours, &args.commit, &settings.offers),
        at_least: args.at_least,
        sort: args.sort.unwrap_or_default(),
        disk_gb: Some(args.disk),
        explain: settings.explain,
        group_by: args.group_by,
        map: args.map,
    }
}

/// The request of `list`.
pub fn list(args: &ListArgs) -> ListRequest {
    ListRequest {
        max_age_s: args.max_age.map(|age| age.as_secs()),
        filters: args.filters.clone(),
        providers: args.provider.clone(),
        mig: args.mig,
        sort: args.sort,
        limit: args.limit,
        vendor: args.vendor.clone(),
        class: args.class.clone(),
        architecture: args.arch.clone(),
        min_memory: args.min_memory.clone(),
    }
}

/// The request of `bill`, without its specs.
pub fn bill(args: &BillArgs, settings: &Settings) -> BillRequest {
    let model = args.model.as_deref().map(|word| RunRequest {
        model: Some(ModelSource::read(word)),
        ..RunRequest::default()
    });
    BillRequest {
        specs: Vec::new(),
        offers: offers_under(&args.offers, &args.commit, &settings.offers),
        usage: bill_use(&args.of, args.hours, args.month),
        run: model,
        nodes: None,
        notes: Vec::new(),
    }
}

/// The use of a machine.
pub fn bill_use(args: &UseArgs, hours: Option<f64>, month: bool) -> BillUse {
    BillUse {
        hours: hours.map(Num),
        month,
        sessions: args.sessions,
        hours_per_session: args.hours_per_session.map(Num),
        idle_hours: args.idle.map(Num),
        start_hours: args.start.map(Num),
        storage_gb: args.storage.map(Num),
        egress_gb: args.egress.map(Num),
        ingress_gb: args.ingress.map(Num),
        bandwidth: args.bandwidth.map(Num),
        ipv4: args.ipv4,
    }
}

/// Rejects a time and sessions, which both say how long the machine works.
///
/// # Errors
///
/// [`ErrorCode::BadValue`] for both.
pub fn check_sessions(hours: HoursArgs, bill: &WholeBillArgs) -> Result<(), Error> {
    let sessions = bill.requested().and_then(|of| of.sessions);
    match hours.flag().filter(|_| sessions.is_some()) {
        Some(flag) => Err(Error::new(
            ErrorCode::BadValue,
            format!("{flag} and --sessions both say how long the machine works: give one of them"),
        )),
        None => Ok(()),
    }
}

/// The use for whole bills in another command; `None` if they are not requested.
pub fn whole_bill(args: &WholeBillArgs, hours: HoursArgs) -> Option<BillUse> {
    let of = args.requested()?;
    let stated = if hours.year {
        hours.value()
    } else {
        hours.hours
    };
    Some(bill_use(of, stated, hours.month))
}

/// The request of `prices`.
pub fn prices(args: &PricesArgs, settings: &Settings) -> PricesRequest {
    let given = OfferFilter {
        providers: args.provider.clone(),
        capacity_type: args.capacity_type.unwrap_or_default(),
        max_age_s: args.max_age.map(|age| age.as_secs()),
        currency: args.currency.clone(),
        ..OfferFilter::default()
    };
    PricesRequest {
        specs: args.specs.iter().map(|spec| spec.clone().into()).collect(),
        offers: given.or(&(&settings.offers).into()),
    }
}

/// The prices that `fit` states; `None` if no option asks for them.
pub fn fit_prices(args: &FitArgs) -> Option<PricePolicy> {
    let is_given = args.price.is_some() || args.max_age.is_some();
    is_given.then(|| PricePolicy {
        basis: args.price.unwrap_or_default(),
        max_age_s: args.max_age.map(|age| age.as_secs()),
    })
}

/// The price that ranks machines, and its maximum age.
pub fn price_policy(args: &PricePolicyArgs) -> PricePolicy {
    PricePolicy {
        basis: args.price.unwrap_or_default(),
        max_age_s: args.max_age.map(|age| age.as_secs()),
    }
}

/// The filter on offers of `recommend` and `report`.
pub fn offers_of_search(args: &SearchArgs, settings: &Settings) -> OfferFilter {
    offers_for(&args.offers, args.hours, &args.commit, &settings.offers)
}

/// The request of `recommend` and `report` for a model.
pub fn recommend(args: &SearchArgs, settings: &Settings) -> RecommendRequest {
    let mut offers = offers_of_search(args, settings);
    let tier = offers.price_tier.as_deref().and_then(TierOrder::from_word);
    // These words are not price tiers of any provider.
    offers.price_tier = offers.price_tier.filter(|_| tier.is_none());
    let mut run = run(&args.run);
    if let Some(word) = &args.model_word {
        run.model = Some(ModelSource::read(word));
    }
    RecommendRequest {
        run,
        objective: args.objective.unwrap_or_default(),
        tokens: args.tokens,
        deadline_hours: args.deadline,
        budget_usd: args.budget,
        on: args.on.clone(),
        nodes: args.nodes,
        accept_tight: false,
        tier_order: tier.unwrap_or_default(),
        every_machine: false,
        compared_with: None,
        own: None,
        offers,
        bill: None,
    }
}

/// The model and the work.
pub fn run(args: &RunArgs) -> RunRequest {
    RunRequest::clone(args)
}

/// The request of `plan`, without its spec.
pub fn plan(args: &PlanArgs, settings: &Settings) -> PlanRequest {
    PlanRequest {
        offers: offers_for(&args.offers, args.hours, &args.commit, &settings.offers),
        spot_first: args.spot_first,
        distinct_regions: args.distinct.is_some(),
        objective: args.objective.unwrap_or_default(),
        exact: args.exact,
        nodes: args.nodes.unwrap_or(1),
        budget_usd: args.budget,
        cuda: args.cuda.clone(),
        disk_gb: args.disk,
        work: Work {
            name: args.work.name.clone(),
            image: args.work.image.clone(),
            command: args.work.run.clone(),
            reservation: args.work.reservation.clone(),
            capacity_block: args.work.capacity_block.clone(),
            slurm_types: args.work.slurm_map.clone(),
        },
        bill: whole_bill(&args.whole_bill, args.hours),
        target: args.hand_over.to,
        strict: args.hand_over.strict,
        ..PlanRequest::new("")
    }
}
