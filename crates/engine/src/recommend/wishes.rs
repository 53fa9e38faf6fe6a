//! Demands on a machine beside that the model fits on it.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::sizing::{Arrival, Engine, Limits, Load, ModelKind};

use super::{Basis, Objective, RecommendRequest};
use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::sizing::{self, ModelHub, ModelRun, RunRequest, UsualService};

/// A limit of service, and whether the user asked for it. The others are what people usually expect:
/// where no machine keeps those, the nearest ones are recommended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wish {
    pub value: f64,
    pub is_given: bool,
}

/// The demands on a machine. Money and time are limits of the user; `None` is no limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wishes {
    /// The longest time to the first token, in seconds; `None` in training.
    pub first_token_s: Option<Wish>,
    /// The least output tokens per second of one user; `None` in training.
    pub speed: Option<Wish>,
    /// The share of the usable memory that stays free.
    pub spare: f64,
    /// The most devices, where the engine is one for computers at home.
    pub devices: Option<f64>,
    /// US dollars per hour, of all machines together.
    pub price: Option<Usd>,
    /// The tokens of a job.
    pub tokens: Option<f64>,
    /// Hours for the tokens.
    pub deadline_hours: Option<f64>,
    /// US dollars for the tokens.
    pub budget: Option<Usd>,
    /// The unit of work by whose price machines compare.
    pub basis: Basis,
    /// The load by which a server is judged: the one that is asked for, or that of one user; `None` for what
    /// is no server.
    pub load: Option<Load>,
    /// Whether the user asked for a load or a batch: else the speed of all devices is that with as many
    /// users as they serve.
    pub has_load: bool,
}

/// Reads the model, the work and the wishes of a request. A server that is asked for no load is judged by
/// one user.
pub(super) fn read(
    catalog: &Catalog<'_>,
    request: &RecommendRequest,
    hub: Option<&ModelHub<'_>>,
) -> Result<(ModelRun, Wishes)> {
    check_job(request)?;
    let trains = request.run.trains();
    let given = if trains {
        Limits::default()
    } else {
        sizing::read_limits(&request.run)?
    };
    let mut work = sizing::read(catalog, &without_limits(&request.run, trains), hub)?;
    if work.measured_tokens_per_s.is_some() {
        let message = "a measured speed is that of one machine: calibrate is for fit";
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    check_contradictions(catalog, request, &work)?;
    let has_load =
        work.run.load.is_some() || request.run.batch.is_some() || request.run.concurrency.is_some();
    let basis = if request.tokens.is_some() {
        Basis::Job
    } else if trains || has_load {
        Basis::MillionTokens
    } else {
        Basis::Hour
    };
    let wishes = Wishes {
        price: request.offers.max_price_usd()?,
        tokens: request.tokens,
        deadline_hours: request.deadline_hours,
        budget: request
            .budget_usd
            .map(|usd| Usd::from_decimal(usd).unwrap_or(Usd(u64::MAX))),
        basis,
        has_load,
        ..of_service(catalog, &work, given, has_load || basis != Basis::Job)
    };
    work.is_for_latency = request.objective == Objective::Latency;
    let load = judged_by(&work, request.run.batch.is_some(), &wishes);
    // The layout is chosen by the limits that are given, as in a fit.
    let asked = work.run.load.filter(|_| load.is_some());
    work.run.load = asked.map(|load| Load {
        limits: given,
        ..load
    });
    Ok((work, Wishes { load, ..wishes }))
}

/// The limits of service: those given, else what people usually expect of the engine, if anybody waits.
fn of_service(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    given: Limits,
    anybody_waits: bool,
) -> Wishes {
    let run = &work.run;
    let usual = UsualService::of(catalog, run);
    let serves = !run.workload.is_training() && work.model.kind == ModelKind::Text;
    let wish = |given: Option<f64>, usual: f64| {
        let is_expected = serves && (anybody_waits || given.is_some());
        is_expected.then_some(Wish {
            value: given.unwrap_or(usual),
            is_given: given.is_some(),
        })
    };
    Wishes {
        first_token_s: wish(given.first_token_s, usual.first_token_s),
        speed: wish(given.token_s.map(|seconds| 1.0 / seconds), usual.speed)
            // Nobody waits for a second token where there is none.
            .filter(|_| run.generate >= 1.0),
        spare: usual.spare,
        devices: catalog.coefficient("usable-devices", run.engine.word()),
        price: None,
        tokens: None,
        deadline_hours: None,
        budget: None,
        basis: Basis::Hour,
        load: None,
        has_load: false,
    }
}

/// The load by which servers are judged: the one that is asked for, with the wishes as its limits, since users are
/// counted by them; else that of one user. `None` for what is no server of text.
fn judged_by(work: &ModelRun, has_batch: bool, wishes: &Wishes) -> Option<Load> {
    let run = &work.run;
    let is_server = run.engine.serves()
        && !run.workload.is_training()
        && work.model.kind == ModelKind::Text
        && run.generate >= 1.0
        && !has_batch;
    let load = run.load.unwrap_or(Load {
        arrival: Arrival::Users(1.0),
        limits: Limits::default(),
        is_disaggregated: false,
        requests: None,
    });
    is_server.then_some(Load {
        limits: Limits {
            first_token_s: wishes.first_token_s.map(|wish| wish.value),
            token_s: wishes.speed.map(|wish| 1.0 / wish.value),
        },
        ..load
    })
}

/// The request without limits on waiting, which a run without a load does not take. In training they stay,
/// to be refused.
fn without_limits(request: &RunRequest, trains: bool) -> RunRequest {
    if trains {
        return request.clone();
    }
    RunRequest {
        max_ttft: None,
        min_speed: None,
        max_tpot: None,
        ..request.clone()
    }
}

/// Refuses wishes that no machine can meet at once, whatever there is.
fn check_contradictions(
    catalog: &Catalog<'_>,
    request: &RecommendRequest,
    work: &ModelRun,
) -> Result<()> {
    let run = &work.run;
    let trains = run.workload.is_training();
    let limits = &request.run;
    let format = catalog.weight_format(&work.precision);
    let made_for = format.and_then(|row| catalog.engine_of(&row));
    let runs_gguf = made_for == Some(Engine::LlamaCpp);
    let is_media = work.model.media.is_some();
    let is_fast = matches!(request.objective, Objective::Speed | Objective::Latency);
    let contradiction = if is_media && (request.tokens.is_some() || is_fast) {
        let wish = if request.tokens.is_some() {
            "--tokens"
        } else {
            "--objective"
        };
        Some(format!(
            "{} writes no tokens, so {wish} says nothing about it: it is ranked by the price per hour",
            work.model.name
        ))
    } else if trains && run.engine != Engine::Transformers && run.rollouts.is_none() {
        Some(format!(
            "--engine {} does not go with --workload {}: it runs models and does not train them",
            run.engine, run.workload
        ))
    } else if trains && request.objective == Objective::Latency {
        Some(format!(
            "--objective latency is about one user who waits, and --workload {} has none",
            run.workload
        ))
    } else if run.generate < 1.0 && (limits.min_speed.is_some() || limits.max_tpot.is_some()) {
        let limit = if limits.min_speed.is_some() {
            "--min-speed"
        } else {
            "--max-tpot"
        };
        Some(format!(
            "{limit} is about the tokens after the first, and --generate 0 leaves none"
        ))
    } else if let Some(only) = made_for.filter(|only| *only != run.engine && !trains) {
        Some(format!(
            "--engine {} does not go with --precision {}: {only} runs it",
            run.engine, work.precision
        ))
    } else if run.engine == Engine::LlamaCpp && !trains && !runs_gguf && is_small(work) {
        Some(format!(
            "--engine {} does not go with --precision {}: it runs formats of GGUF, such as gguf:Q4_K_M",
            run.engine, work.precision
        ))
    } else {
        None
    };
    match contradiction {
        Some(message) => Err(Error::new(ErrorCode::BadValue, message)),
        None => Ok(()),
    }
}

/// Whether weights are in a format of fewer than 16 bits.
fn is_small(work: &ModelRun) -> bool {
    work.run.weights.bits < 16.0
}

/// Refuses numbers of a job that cannot be.
fn check_job(request: &RecommendRequest) -> Result<()> {
    for (flag, value) in [
        ("--tokens", request.tokens),
        ("--deadline", request.deadline_hours),
        ("--budget", request.budget_usd),
    ] {
        if value.is_some_and(|value| !(value.is_finite() && value > 0.0)) {
            let message = format!("{flag} is above zero");
            return Err(Error::new(ErrorCode::BadValue, message));
        }
    }
    if request.tokens.is_none() && (request.deadline_hours.or(request.budget_usd)).is_some() {
        let message = "a deadline and a budget are for a number of tokens: give --tokens";
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    Ok(())
}
