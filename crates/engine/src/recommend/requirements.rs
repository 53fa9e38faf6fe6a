//! The requirements of a request, in addition to the fit of the model.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::sizing::{Arrival, Limits, Load, ModelKind, ServingEngine};

use super::RecommendRequest;
use crate::bill::BillUse;
use crate::code::ErrorCode;
use crate::commitments;
use crate::error::{Error, Result};
use crate::recommend_words::{Basis, Objective};
use crate::sizing::{self, ModelHub, ModelRun, RunRequest, UsualService};

/// A limit of service. If no machine keeps the default limits, the nearest machines are recommended; limits of the user
/// are never relaxed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ServiceLimit {
    pub value: f64,
    /// True for a limit of the request, false for a default.
    pub is_given: bool,
}

/// The maximum number of texts that are read at once in a job. More texts of a few tokens gain nothing.
const MOST_TEXTS: f64 = 256.0;

/// The requirements of a request. Limits to money and time have no defaults; `None` means unlimited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requirements {
    /// The maximum time to first token, in seconds; `None` in training.
    pub first_token_s: Option<ServiceLimit>,
    /// The minimum output tokens per second of each user; `None` in training.
    pub speed: Option<ServiceLimit>,
    /// The margin over the default speed that devices without a fast link need, for each doubling of their number.
    /// Numbers that the request names need none.
    pub slow_link_margin: f64,
    /// Whether the request names the accelerators: devices without a fast link are weighed and not left out.
    pub is_hardware_named: bool,
    /// The fraction that each doubling of the devices adds to the cost of tokens in the ranking. Computed speeds leave
    /// out setup, failures and hosts, which grow with the number of devices.
    pub devices_margin: f64,
    /// The US dollars that each further machine adds to the price of an hour in the ranking: it has to be found,
    /// started and watched. Zero where a margin for devices covers it.
    pub usd_per_further_machine: f64,
    /// The hours of a job above which each doubling of the time adds twice that fraction; infinite if the request says
    /// how long the job may take.
    pub usual_hours: f64,
    /// The fraction of the usable memory that stays free.
    pub spare: f64,
    /// True if machines with less free memory, down to a tight fit, are enough.
    pub accepts_tight: bool,
    /// The maximum number of devices, for serving engines of personal computers.
    pub devices: Option<f64>,
    /// The maximum price in US dollars per hour, of all machines together.
    pub price: Option<Usd>,
    /// The tokens, images or videos of a job.
    pub amount: Option<f64>,
    /// The maximum hours for the job.
    pub deadline_hours: Option<f64>,
    /// The slow end of the band of the speed of a job, as a share of the expected speed.
    pub slow_share: f64,
    /// The hours of rent, if no amount of work decides them.
    pub hours: Option<f64>,
    /// The maximum US dollars for the job or the hours.
    pub budget: Option<Usd>,
    /// The unit of work whose price ranks machines.
    pub basis: Basis,
    /// The load of compared servers: the load of the request, or one user; `None` for other work.
    pub load: Option<Load>,
    /// True if the request has a load or a batch. Without, the total speed is computed for as many users as the machine
    /// serves.
    pub has_load: bool,
}

impl Requirements {
    /// The speed that some devices without a fast link need, relative to their speed; at least 1.
    pub fn slow_link_factor(&self, slowly_linked: u32, speed: Option<f64>) -> f64 {
        let margin = 1.0 + self.slow_link_margin * f64::from(slowly_linked).log2();
        let default = self.speed.filter(|limit| !limit.is_given);
        let factor = default
            .zip(speed)
            .map(|(limit, speed)| limit.value * margin / speed);
        factor
            .filter(|factor| factor.is_finite())
            .map_or(1.0, |factor| factor.max(1.0))
    }

    /// The factor of the ranking on the cost of named devices that are too slow for their links: the machines with all
    /// other devices are left out instead.
    pub fn named_link_factor(&self, slowly_linked: u32, speed: Option<f64>) -> f64 {
        if self.is_hardware_named {
            self.slow_link_factor(slowly_linked, speed)
        } else {
            1.0
        }
    }

    /// The factor of the ranking on the cost of a job on a number of devices, of which `sharing` train shared weights
    /// without a fast link: they need more setup than devices with all weights each, and no measurement shows their
    /// speed.
    pub fn job_factor(&self, devices: u32, sharing: u32, hours: Option<f64>) -> f64 {
        // Twice the time above the usual costs more than twice the devices that would avoid it.
        let waiting = hours.map_or(1.0, |hours| (hours / self.usual_hours).max(1.0));
        let shared = if self.devices_margin > 0.0 {
            self.slow_link_margin * f64::from(sharing).log2()
        } else {
            0.0
        };
        1.0 + self.devices_margin * (f64::from(devices) * waiting.powi(2)).log2() + shared
    }

    /// The factor of the ranking on the price of several machines, which cost so much an hour together.
    pub fn machines_factor(&self, machines: u32, usd: f64) -> f64 {
        let further = f64::from(machines.saturating_sub(1));
        let added = further * self.usd_per_further_machine / usd;
        if added.is_finite() { 1.0 + added } else { 1.0 }
    }
}

/// The slow end of the band of the speed of a job, as a share of the expected speed.
fn slow_share(catalog: &Catalog<'_>, trains: bool) -> f64 {
    let scope = if trains {
        "training"
    } else {
        "output at full load"
    };
    let share = catalog.coefficient("speed-low", scope);
    share.filter(|share| *share > 0.0).unwrap_or(1.0)
}

/// Reads the model, the work and the requirements of a request.
pub(super) fn read(
    catalog: &Catalog<'_>,
    request: &RecommendRequest,
    hub: Option<&ModelHub<'_>>,
) -> Result<(ModelRun, Requirements)> {
    check_job(request)?;
    let trains = request.run.trains();
    let given = if trains {
        Limits::default()
    } else {
        sizing::read_limits(&request.run)?
    };
    let mut work = sizing::read(catalog, &without_limits(&request.run, trains), hub)?;
    if work.measured_tokens_per_s.is_some() {
        let message = "`calibrate` applies only to `fit`: a measured speed belongs to one machine";
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    check_contradictions(catalog, request, &work)?;
    let has_load =
        work.run.load.is_some() || request.run.batch.is_some() || request.run.concurrency.is_some();
    // A load is served for an hourly price, whatever number of tokens its users request.
    let items = work.items.and_then(|items| items.total);
    let amount = request.tokens.or(items);
    let basis = if amount.is_some() {
        Basis::Job
    } else if trains {
        Basis::MillionTokens
    } else {
        Basis::Hour
    };
    let devices_margin = catalog.coefficient("token-cost-devices-margin", "");
    let requirements = Requirements {
        devices_margin: devices_margin
            .filter(|_| basis != Basis::Hour)
            .unwrap_or_default(),
        usd_per_further_machine: catalog
            .coefficient("usd-per-further-machine", "")
            .filter(|_| basis == Basis::Hour)
            .unwrap_or_default(),
        usual_hours: catalog
            .coefficient("usual-job-hours", "")
            .filter(|_| basis == Basis::Job && request.deadline_hours.is_none())
            .unwrap_or(f64::INFINITY),
        price: request.offers.max_price_usd()?,
        amount,
        deadline_hours: request.deadline_hours,
        slow_share: slow_share(catalog, trains),
        hours: request.offers.hours()?,
        budget: request
            .budget_usd
            .map(|usd| Usd::from_decimal(usd).unwrap_or(Usd(u64::MAX))),
        basis,
        accepts_tight: request.accept_tight,
        has_load,
        ..service_limits(catalog, &work, given, has_load || basis != Basis::Job)
    };
    // The sequences of a static batch begin together, so the first of them waits for the prompts of all.
    let is_static = request.run.batch.is_some() && work.run.load.is_none();
    let requirements = Requirements {
        first_token_s: requirements
            .first_token_s
            .filter(|limit| limit.is_given || !is_static),
        ..requirements
    };
    work.is_for_latency = request.objective == Objective::Latency;
    if let Some(items) = &mut work.items {
        // Devices that generate apart cost the least.
        items.is_apart = true;
    }
    work.is_offline = basis == Basis::Job
        && !trains
        && work.run.load.is_none()
        && request.run.concurrency.is_none()
        && work.items.is_none();
    let is_batch_job = work.is_offline && !has_load;
    work.is_batch_job = is_batch_job && is_server(&work);
    if is_batch_job && work.run.generate < 1.0 {
        // Texts that are only read fill a pass.
        let texts = (work.run.batched_tokens() / work.run.context).floor();
        work.run.batch = texts.clamp(1.0, MOST_TEXTS);
    }
    let load = compared_load(&work, request.run.batch.is_some(), &requirements);
    // Like in `fit`, only limits of the request influence the layout.
    let load_of_request = work.run.load.filter(|_| load.is_some());
    work.run.load = load_of_request.map(|load| Load {
        limits: given,
        ..load
    });
    Ok((
        work,
        Requirements {
            load,
            ..requirements
        },
    ))
}

/// The limits of service: the limits of the request, else the defaults of the serving engine if users wait for answers.
fn service_limits(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    given: Limits,
    users_wait: bool,
) -> Requirements {
    let run = &work.run;
    let usual = UsualService::of(catalog, run);
    let serves = !run.workload.is_training()
        && match work.model.kind {
            ModelKind::Text => true,
            // Without a load or a limit, the answer is the cheapest machine that reads one text.
            ModelKind::Encoder => run.load.is_some() || given.first_token_s.is_some(),
            ModelKind::Image | ModelKind::Video | ModelKind::Speech => false,
        };
    let limit = |given: Option<f64>, usual: f64| {
        let is_expected = serves && (users_wait || given.is_some());
        is_expected.then_some(ServiceLimit {
            value: given.unwrap_or(usual),
            is_given: given.is_some(),
        })
    };
    Requirements {
        first_token_s: limit(given.first_token_s, usual.first_token_s),
        speed: limit(given.token_s.map(|seconds| 1.0 / seconds), usual.speed)
            // The time per token needs a second token.
            .filter(|_| run.generate >= 1.0),
        is_hardware_named: false,
        slow_link_margin: catalog
            .coefficient("usable-slow-link-margin", run.engine.word())
            .unwrap_or_default(),
        devices_margin: 0.0,
        usd_per_further_machine: 0.0,
        usual_hours: f64::INFINITY,
        spare: usual.spare,
        accepts_tight: false,
        devices: catalog.coefficient("usable-devices", run.engine.word()),
        price: None,
        amount: None,
        deadline_hours: None,
        slow_share: 1.0,
        hours: None,
        budget: None,
        basis: Basis::Hour,
        load: None,
        has_load: false,
    }
}

/// True for work of a server that generates text.
fn is_server(work: &ModelRun) -> bool {
    let run = &work.run;
    let generates = work.model.kind == ModelKind::Text && run.generate >= 1.0;
    run.engine.serves() && !run.workload.is_training() && generates
}

/// The load of compared servers: the load of the request, or one user. Its limits include the defaults, since
/// they decide how many users a machine serves. `None` for work without a text server.
fn compared_load(work: &ModelRun, has_batch: bool, requirements: &Requirements) -> Option<Load> {
    let run = &work.run;
    let load = run.load.unwrap_or(Load {
        arrival: Arrival::Users(1.0),
        limits: Limits::default(),
        is_disaggregated: false,
        requests: None,
    });
    // llama.cpp serves the users of a load, and else one sequence.
    let is_limited_reader = work.model.kind == ModelKind::Encoder
        && requirements.first_token_s.is_some()
        && run.engine.answers();
    let serves = is_server(work) || run.load.is_some() || is_limited_reader;
    (serves && !has_batch).then_some(Load {
        limits: Limits {
            first_token_s: requirements.first_token_s.map(|limit| limit.value),
            token_s: requirements.speed.map(|limit| 1.0 / limit.value),
        },
        ..load
    })
}

/// The request without latency limits, which a run without a load would reject. In training they remain, so that
/// reading the run rejects them.
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

/// Rejects combinations of options that no machine can satisfy.
fn check_contradictions(
    catalog: &Catalog<'_>,
    request: &RecommendRequest,
    work: &ModelRun,
) -> Result<()> {
    let amounts = [
        ("tokens", request.tokens.is_some()),
        ("images", request.run.images.is_some()),
        ("audio_hours", request.run.audio_hours.is_some()),
    ];
    commitments::check_amounts(catalog, &amounts, request.bill.as_ref())?;
    let time = request.bill.as_ref().and_then(BillUse::stated_time);
    let amount = amounts.iter().find(|(_, is_given)| *is_given);
    if let Some(((amount, _), time)) = amount.zip(time) {
        let message = format!(
            "`{amount}` and `{time}` contradict each other: `{amount}` takes as many hours as the speed of a machine needs"
        );
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    let run = &work.run;
    let trains = run.workload.is_training();
    let limits = &request.run;
    let format = catalog.weight_format(&work.precision);
    let made_for = format.and_then(|row| catalog.engine_of(&row));
    let runs_gguf = made_for == Some(ServingEngine::LlamaCpp);
    let is_media = work.model.media.is_some();
    let is_fast = match request.objective {
        Objective::Speed => work.items.is_none(),
        Objective::Latency => true,
        Objective::Cost | Objective::Memory => false,
    };
    let latency = [
        ("max_ttft", limits.max_ttft),
        ("min_speed", limits.min_speed),
        ("max_tpot", limits.max_tpot),
    ];
    let mut latency = latency.iter().filter(|(_, limit)| limit.is_some());
    let latency = latency.next().map(|(field, _)| *field);
    let contradiction = if is_media && (request.tokens.is_some() || is_fast || latency.is_some()) {
        let field = match latency {
            _ if request.tokens.is_some() => "tokens",
            Some(latency) => latency,
            None => "objective",
        };
        let instead = match work.items.map(|items| items.picture().is_some()) {
            Some(true) => "use `images`",
            Some(false) => "use `audio_hours`",
            None => "results are ranked by the price per hour",
        };
        let name = &work.model.name;
        Some(format!(
            "`{field}` does not apply to {name}, which generates no tokens: {instead}"
        ))
    } else if trains
        && run.engine.platform() != ServingEngine::Transformers
        && run.rollouts.is_none()
    {
        Some(format!(
            "`engine` {} does not train models, so it cannot be combined with `workload` {}",
            run.engine, run.workload
        ))
    } else if trains && request.objective == Objective::Latency {
        Some(format!(
            "`objective` latency does not apply to `workload` {}, which has no users",
            run.workload
        ))
    } else if run.generate < 1.0 && (limits.min_speed.is_some() || limits.max_tpot.is_some()) {
        let limit = if limits.min_speed.is_some() {
            "min_speed"
        } else {
            "max_tpot"
        };
        Some(if work.model.kind == ModelKind::Encoder {
            let name = &work.model.name;
            format!(
                "`{limit}` does not apply to {name}, which generates no tokens: `max_ttft` limits the time to an answer"
            )
        } else {
            format!("`{limit}` applies to the tokens after the first, and `generate` 0 has none")
        })
    } else if let Some(only) = made_for.filter(|only| *only != run.engine && !trains) {
        Some(format!(
            "`engine` {} does not support `precision` {}: use {only}",
            run.engine, work.precision
        ))
    } else if run.engine == ServingEngine::LlamaCpp && !trains && !runs_gguf && is_small(work) {
        Some(format!(
            "`engine` {} does not support `precision` {}: use a GGUF format such as gguf:Q4_K_M",
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

/// True for weight formats of fewer than 16 bits.
fn is_small(work: &ModelRun) -> bool {
    work.run.weights.bits < 16.0
}

/// Rejects impossible numbers of a job.
fn check_job(request: &RecommendRequest) -> Result<()> {
    for (field, value) in [
        ("tokens", request.tokens),
        ("deadline_hours", request.deadline_hours),
        ("budget_usd", request.budget_usd),
    ] {
        if value.is_some_and(|value| !(value.is_finite() && value > 0.0)) {
            let message = format!("`{field}` must be above zero");
            return Err(Error::new(ErrorCode::BadValue, message));
        }
    }
    let amounts = [
        ("tokens", request.tokens.is_some()),
        ("images", request.run.images.is_some()),
        ("audio_hours", request.run.audio_hours.is_some()),
    ];
    let amount = amounts.iter().find(|(_, is_given)| *is_given);
    let has_amount = amount.is_some();
    let needs = if has_amount {
        None
    } else if request.deadline_hours.is_some() {
        Some(
            "`deadline_hours` is for a whole job: give `tokens` too, or `images` or `audio_hours` for other models",
        )
    } else if request.budget_usd.is_some() && request.offers.hours.is_none() {
        Some(
            "a budget is for the whole work: give its `tokens`, `images` or `audio_hours`, or the `hours` of renting; `max_price` limits the price per hour",
        )
    } else {
        None
    };
    if let Some(message) = needs {
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    if let Some((field, _)) = amount.filter(|_| request.offers.hours.is_some()) {
        let message = format!(
            "`{field}` takes as many hours as the speed of a machine needs: leave out `hours`"
        );
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::Workload;

    use super::*;
    use crate::Engine;
    use crate::sizing::ModelSource;

    fn error(request: RecommendRequest, run: RunRequest) -> Error {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.1-8B")),
                ..run
            },
            ..request
        };
        let answer = Engine::embedded().recommend(&request, None);
        answer.expect_err("the request is contradictory")
    }

    #[test]
    fn devices_without_a_fast_link_need_a_margin() {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.1-8B")),
                ..RunRequest::default()
            },
            ..RecommendRequest::default()
        };
        let catalog = Engine::embedded().catalog();
        let (_, requirements) = read(&catalog, &request, None).unwrap();
        let margin = requirements.slow_link_margin;
        assert!(margin > 0.0);
        let default = requirements.speed.unwrap().value;
        for (devices, times, expected) in [
            (1, 1.0, 1.0),
            (2, 1.0, 1.0 + margin),
            (4, 1.0, 1.0 + 2.0 * margin),
            (4, 10.0, 1.0),
        ] {
            let factor = requirements.slow_link_factor(devices, Some(default * times));
            assert!((factor - expected).abs() < 1e-9, "{devices} {times}");
        }
    }

    #[test]
    fn training_of_shared_weights_needs_a_margin_without_a_fast_link() {
        let of = |workload: Option<Workload>| {
            let request = RecommendRequest {
                run: RunRequest {
                    model: Some(ModelSource::read("Llama-3.1-8B")),
                    workload: workload.map(Into::into),
                    ..RunRequest::default()
                },
                ..RecommendRequest::default()
            };
            let catalog = Engine::embedded().catalog();
            let (_, requirements) = read(&catalog, &request, None).unwrap();
            requirements
        };
        let training = of(Some(Workload::Lora));
        let more =
            |sharing| training.job_factor(8, sharing, None) - training.job_factor(8, 1, None);
        assert!((more(4) - 2.0 * training.slow_link_margin).abs() < 1e-9);
        // Prices of an hour alone rank the machines.
        assert!((of(None).job_factor(8, 8, None) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn contradictions_name_their_fields() {
        let search = RecommendRequest::default;
        let run = RunRequest::default;
        let cases = vec![
            (
                "deadline",
                RecommendRequest {
                    deadline_hours: Some(5.0),
                    ..search()
                },
                run(),
            ),
            (
                "`tokens`",
                RecommendRequest {
                    tokens: Some(0.0),
                    ..search()
                },
                run(),
            ),
            (
                "`engine`",
                search(),
                RunRequest {
                    engine: Some(ServingEngine::Vllm),
                    workload: Some(Workload::Lora.into()),
                    ..run()
                },
            ),
            (
                "`objective`",
                RecommendRequest {
                    objective: Objective::Latency,
                    ..search()
                },
                RunRequest {
                    workload: Some(Workload::Lora.into()),
                    ..run()
                },
            ),
            (
                "`min_speed`",
                search(),
                RunRequest {
                    generate: Some(0.0),
                    min_speed: Some(20.0),
                    ..run()
                },
            ),
            (
                "`precision`",
                search(),
                RunRequest {
                    engine: Some(ServingEngine::Vllm),
                    precision: Some("gguf:Q4_K_M".to_owned()),
                    ..run()
                },
            ),
            (
                "`calibrate`",
                search(),
                RunRequest {
                    calibrate: Some(4100.0),
                    ..run()
                },
            ),
        ];
        for (field, search, run) in cases {
            let error = error(search, run);
            assert_eq!(error.problems[0].code, ErrorCode::BadValue);
            assert!(error.to_string().contains(field), "{field}: {error}");
        }
    }
}
