//! A model on machines: its fit, its service, and the requirements that it does not meet.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::Match;
use sky_accel_core::sizing::{Arrival, GIB, Layout, Load, Run, Served};

use super::no_fit::NoFitReason;
use super::requirements::{Requirements, ServiceLimit};
use crate::sizing::{FitVerdict, Fitted, MemorySettings, ModelRun, Sizer, has_usual_stages};

/// A request rate counts as met at this fraction of it, since the served rate is found by bisection.
const NEARLY: f64 = 0.999;

/// The fit of a model on the devices of a machine, or of several.
#[derive(Clone)]
pub(super) struct ModelFit {
    pub fitted: Fitted,
    /// The service under the load of the comparison; `None` for work without a server.
    pub served: Option<Served>,
    /// Sequences in flight at `tokens_per_s`.
    pub sequences: f64,
    /// Tokens per second of all devices: under the load of the request; without one, with as many users as the service
    /// limits allow.
    pub tokens_per_s: Option<f64>,
    /// Images or videos per second of all devices; `None` for other models, or if it is unknown.
    pub items_per_s: Option<f64>,
    /// Seconds to the first token, and output tokens per second of each user, under the load of the request; in a batch
    /// job with all sequences in flight.
    pub first_token_s: Option<f64>,
    pub speed: Option<f64>,
    /// True if requests arrive faster than they are served.
    pub is_overloaded: bool,
    /// The devices that share the layers of a replica without a fast link; 1 for none.
    pub slowly_linked: u32,
    /// The settings without which the model does not fit; `None` for the defaults of the engine.
    pub settings: Option<MemorySettings>,
}

impl ModelFit {
    /// Host memory that offloading takes on a machine, for all of its devices, in GiB.
    pub fn host_gib(&self, machine: &Match) -> f64 {
        self.fitted.memory.host / GIB * f64::from(machine.count.whole_devices().max(1))
    }

    /// The work of a second: tokens, or images and videos.
    pub fn work_per_s(&self) -> Option<f64> {
        self.tokens_per_s.or(self.items_per_s)
    }

    /// True if the host has enough memory, or its memory is unknown.
    pub fn has_host_memory(&self, machine: &Match, catalog: &Catalog<'_>) -> bool {
        let has = machine.host_memory_gib(catalog);
        has.is_none_or(|gib| self.host_gib(machine) <= gib)
    }

    /// The fraction of the usable memory that stays free at the high end of the estimate.
    pub fn spare(&self) -> f64 {
        spare(&self.fitted)
    }
}

/// The fraction of the usable memory that stays free.
pub(super) fn spare(fitted: &Fitted) -> f64 {
    let usable = fitted.usable.unwrap_or_default();
    if usable > 0.0 {
        1.0 - fitted.high / usable
    } else {
        0.0
    }
}

/// A requirement that a machine does not meet, with its actual value; `None` if the value is unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shortfall {
    /// Seconds to the first token.
    FirstToken(Option<f64>),
    /// Output tokens per second of each user.
    Speed(Option<f64>),
    /// Output tokens per second of each user, close to the default limit, where devices without a fast link work
    /// together.
    SlowLinks(f64),
    /// The fraction of memory that stays free.
    Spare(f64),
    /// Requests per second that the machine serves, where more arrive; `None` if its speed is unknown.
    Rate(Option<f64>),
    /// US dollars per hour.
    Price(Usd),
    /// Hours for the job at the slow end of the band of the speed.
    Deadline(Option<f64>),
    /// US dollars for all tokens, or for the hours of the request.
    Budget(Option<Usd>),
}

impl Shortfall {
    /// True for a requirement of the request, false for a default.
    pub fn is_requested(&self, requirements: &Requirements) -> bool {
        let is_given = |limit: Option<ServiceLimit>| limit.is_some_and(|limit| limit.is_given);
        match self {
            Self::FirstToken(_) => is_given(requirements.first_token_s),
            Self::Speed(_) => is_given(requirements.speed),
            Self::Spare(_) | Self::SlowLinks(_) => false,
            Self::Rate(_) | Self::Price(_) | Self::Deadline(_) | Self::Budget(_) => true,
        }
    }
}

impl Shortfall {
    /// True if more money or more time would be enough.
    pub fn is_of_money(&self) -> bool {
        matches!(self, Self::Price(_) | Self::Deadline(_) | Self::Budget(_))
    }

    /// Returns how many times it exceeds a limit that the request does not set; `None` for other limits.
    pub fn excess_of_default(&self, requirements: &Requirements) -> Option<f64> {
        let limit = |limit: Option<ServiceLimit>| limit.map(|limit| limit.value);
        let times = match self {
            _ if self.is_requested(requirements) => return None,
            Self::FirstToken(actual) => actual
                .zip(limit(requirements.first_token_s))
                .map(|(actual, limit)| actual / limit),
            Self::Speed(actual) => actual
                .zip(limit(requirements.speed))
                .map(|(actual, limit)| limit / actual),
            _ => return None,
        };
        Some(times.unwrap_or(f64::INFINITY))
    }

    /// The ratio of the needed money or time to the limit; infinite for unknown values and for service limits.
    pub fn excess(&self, requirements: &Requirements) -> f64 {
        let ratio = |actual: Option<Usd>, limit: Option<Usd>| {
            let (actual, limit) = (actual?.decimal(), limit?.decimal());
            Some(actual / limit)
        };
        let times = match self {
            Self::Price(usd) => ratio(Some(*usd), requirements.price),
            Self::Budget(usd) => ratio(*usd, requirements.budget),
            Self::Deadline(hours) => hours
                .zip(requirements.deadline_hours)
                .map(|(actual, limit)| actual / limit),
            Self::FirstToken(_)
            | Self::Speed(_)
            | Self::SlowLinks(_)
            | Self::Spare(_)
            | Self::Rate(_) => None,
        };
        times.unwrap_or(f64::INFINITY)
    }
}

/// The hours of a job.
#[derive(Clone, Copy)]
pub(super) struct JobHours {
    /// Hours of work.
    pub taken: f64,
    /// Hours of work at the slow end of the band of the speed.
    pub longest: f64,
    /// Billed hours.
    pub billed: f64,
}

/// The requirements that a machine does not meet. `usd_per_hour` and `hours` are totals of all machines; `billed` are
/// the hours that a budget has to pay for.
pub(super) fn shortfalls(
    model: &ModelFit,
    usd_per_hour: Usd,
    (hours, billed): (Option<JobHours>, Option<f64>),
    requirements: &Requirements,
) -> Vec<Shortfall> {
    let mut unmet = Vec::new();
    if let Some(limit) = requirements.first_token_s
        && model
            .first_token_s
            .is_none_or(|seconds| seconds > limit.value)
    {
        unmet.push(Shortfall::FirstToken(model.first_token_s));
    }
    if let Some(limit) = requirements.speed
        && model.speed.is_none_or(|speed| speed < limit.value)
    {
        unmet.push(Shortfall::Speed(model.speed));
    } else if let Some(speed) = model.speed
        && !requirements.is_hardware_named
        && requirements.slow_link_factor(model.slowly_linked, Some(speed)) > 1.0
    {
        unmet.push(Shortfall::SlowLinks(speed));
    }
    if model.spare() < requirements.spare && !requirements.accepts_tight {
        unmet.push(Shortfall::Spare(model.spare()));
    }
    let is_unknown = requirements.has_load && requirements.load.is_some() && model.served.is_none();
    if model.is_overloaded || is_unknown {
        unmet.push(Shortfall::Rate(
            model.served.and_then(|served| served.goodput),
        ));
    }
    if requirements.price.is_some_and(|most| usd_per_hour > most) {
        unmet.push(Shortfall::Price(usd_per_hour));
    }
    if requirements
        .deadline_hours
        .is_some_and(|most| hours.is_none_or(|hours| hours.longest > most))
    {
        unmet.push(Shortfall::Deadline(hours.map(|hours| hours.longest)));
    }
    let usd = billed.map(|billed| total(usd_per_hour, billed));
    if requirements
        .budget
        .is_some_and(|most| usd.is_none_or(|usd| usd > most))
    {
        unmet.push(Shortfall::Budget(usd));
    }
    unmet
}

/// The price of some hours.
pub(super) fn total(usd_per_hour: Usd, hours: f64) -> Usd {
    Usd((usd_per_hour.0 as f64 * hours).round() as u64)
}

/// Fits the model on `count` devices of `nodes` machines in total. A server that does not fit with the defaults of its
/// engine may fit with other settings.
pub(super) fn size(
    work: &ModelRun,
    sizer: &Sizer,
    counts: (u32, u32),
    requirements: &Requirements,
) -> Result<ModelFit, NoFitReason> {
    let (nodes, count) = counts;
    let fitted = sizer
        .best(work, count)
        .map_err(|_| NoFitReason::Indivisible {
            model: work.model.name.clone(),
            devices: count,
        })?;
    if fitted.fits().is_none() {
        return Err(NoFitReason::MemoryUnknown);
    }
    if spare(&fitted) < requirements.spare {
        let settings = MemorySettings::of(work, requirements.load);
        let settings =
            settings.filter(|settings| settings.may_help(&work.run, &fitted, requirements.spare));
        let with_settings = settings.and_then(|settings| {
            let model = size(&settings.apply(work), sizer, counts, requirements).ok()?;
            (model.spare() >= requirements.spare).then_some(ModelFit {
                settings: Some(settings),
                ..model
            })
        });
        if let Some(model) = with_settings {
            return Ok(model);
        }
    }
    let is_tight = fitted.verdict() == Some(FitVerdict::Tight);
    if fitted.fits() == Some(false) && !(requirements.accepts_tight && is_tight) {
        return Err(NoFitReason::Memory {
            low: fitted.low,
            needed: fitted.high,
            usable: fitted.usable.unwrap_or_default(),
        });
    }
    // llama.cpp divides layers between any number of devices.
    let is_server = requirements.load.is_some() && work.run.engine.serves();
    if is_server && !has_usual_stages(&fitted.layout, nodes) {
        return Err(NoFitReason::Stages(fitted.layout.pipeline));
    }
    let slowly_linked = slowly_linked(sizer, &fitted.layout);
    let model = if work.run.workload.is_training() {
        let rate = fitted.speed.train.map(|rate| rate * f64::from(count));
        ModelFit {
            served: None,
            sequences: work.run.batch,
            tokens_per_s: rate,
            items_per_s: None,
            first_token_s: None,
            speed: None,
            is_overloaded: false,
            slowly_linked: 1,
            settings: None,
            fitted,
        }
    } else if let Some(load) = requirements.load {
        under_load(work, sizer, fitted, load, requirements.has_load)
    } else {
        in_batches(work, fitted)
    };
    Ok(ModelFit {
        slowly_linked,
        ..model
    })
}

/// The devices that share the layers or the weights of a replica without a fast link; 1 for none.
pub(super) fn slowly_linked(sizer: &Sizer, layout: &Layout) -> u32 {
    if sizer.device.links.is_fabric {
        1
    } else {
        layout.tensor * layout.pipeline * layout.shards(3) as u32
    }
}

/// A server under a load. If the request has no load, the total speed is computed for as many users as are served.
pub(super) fn under_load(
    work: &ModelRun,
    sizer: &Sizer,
    fitted: Fitted,
    load: Load,
    has_load: bool,
) -> ModelFit {
    let run = &work.run;
    let at = |load: Load| {
        let load = Some(load);
        let run = Run { load, ..*run };
        let served = sizer.fitted(work, &run, &fitted.layout).served?;
        // More users would only wait for each other.
        let at_once = run.max_sequences.unwrap_or(f64::INFINITY) * f64::from(fitted.layout.data);
        Some(Served {
            most_users: served.most_users.min(at_once),
            ..served
        })
    };
    let served = at(load);
    let is_overloaded = served.is_some_and(|served| match load.arrival {
        // A tight fit does not count as met, but may serve the load.
        Arrival::Rate(rate) if fitted.fits() == Some(false) => {
            served.goodput.is_some_and(|most| most < rate * NEARLY)
        }
        Arrival::Rate(rate) => !served.is_met || served.requests < rate * NEARLY,
        Arrival::Users(_) => false,
    });
    let full = served
        .filter(|served| !has_load && served.most_users > 1.0)
        .and_then(|served| {
            at(Load {
                arrival: Arrival::Users(served.most_users),
                ..load
            })
        });
    let busiest = full.or(served);
    let shown = if work.is_batch_job { busiest } else { served };
    let generates = run.generate >= 1.0;
    ModelFit {
        sequences: busiest.map_or(1.0, |served| served.concurrency),
        // Models without output (embeddings) only process prompts.
        tokens_per_s: busiest.map(|served| {
            if generates {
                served.output
            } else {
                served.total
            }
        }),
        items_per_s: None,
        first_token_s: shown.map(|served| served.first_token_s),
        speed: shown.filter(|_| generates).map(|served| served.per_user),
        is_overloaded,
        slowly_linked: 1,
        settings: None,
        served,
        fitted,
    }
}

/// A static batch: its sequences start and end together.
fn in_batches(work: &ModelRun, fitted: Fitted) -> ModelFit {
    let sequences = work.run.batch * f64::from(fitted.layout.data);
    let speed = &fitted.speed;
    ModelFit {
        served: None,
        sequences,
        // Models without output (embeddings) only process prompts.
        tokens_per_s: speed.output.or(speed.decode).or(speed.prefill),
        items_per_s: fitted.items.map(|speed| 1.0 / speed.seconds_per_item),
        first_token_s: speed.first_token_s,
        speed: speed.decode.map(|rate| rate / sequences),
        is_overloaded: false,
        slowly_linked: 1,
        settings: None,
        fitted,
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::Workload;

    use crate::recommend_words::Objective;
    use crate::sizing::{FitVerdict, ModelSource, RunRequest, WorkKind};
    use crate::{Engine, RecommendRequest};

    fn run(model: &str) -> RunRequest {
        RunRequest {
            model: Some(ModelSource::read(model)),
            ..RunRequest::default()
        }
    }

    #[test]
    fn servers_of_texts_answer_a_rate_and_users() {
        for model in ["bge-m3", "Qwen3-Reranker-4B"] {
            for (rate, users) in [(Some(20.0), None), (None, Some(40.0))] {
                let request = RecommendRequest {
                    run: RunRequest {
                        request_rate: rate,
                        concurrency: users,
                        ..run(model)
                    },
                    ..RecommendRequest::default()
                };
                let answer = Engine::embedded().recommend(&request, None).unwrap();
                let results = answer.envelope.results;
                assert!(!results.is_empty(), "{model} {rate:?} {users:?}");
                for row in results {
                    let load = row.fit.and_then(|fit| fit.throughput.load).unwrap();
                    assert!(load.serves, "{model} {}", row.spec);
                    assert!(load.tpot_ms.is_none() && load.ttft_s.0 <= 2.0);
                    let read = load.requests_per_s.0 * 4096.0;
                    let total = row.tokens_per_s.unwrap().0;
                    assert!((total / read - 1.0).abs() < 0.02, "{total} {read}");
                    if let Some(rate) = rate {
                        assert!((load.requests_per_s.0 / rate - 1.0).abs() < 0.01);
                        assert!(load.utilization.unwrap().0 <= 1.0, "{}", row.spec);
                    }
                }
            }
        }
    }

    #[test]
    fn a_limit_alone_and_latency_decide_between_servers_of_texts() {
        let answer = |objective, max_ttft| {
            let request = RecommendRequest {
                run: RunRequest {
                    max_ttft,
                    concurrency: max_ttft.is_none().then_some(8.0),
                    ..run("bge-m3")
                },
                objective,
                ..RecommendRequest::default()
            };
            let answer = Engine::embedded().recommend(&request, None).unwrap();
            let rows = answer.envelope.results.into_iter();
            rows.map(|row| row.ttft_s.unwrap().0).collect::<Vec<_>>()
        };
        let limited = answer(Objective::Cost, Some(0.1));
        assert!(!limited.is_empty() && limited.iter().all(|seconds| *seconds <= 0.1));
        let soonest = answer(Objective::Latency, None)[0];
        assert!(soonest < answer(Objective::Cost, None)[0]);
    }

    #[test]
    fn a_heavier_load_never_costs_less() {
        let usd = |rate: f64| {
            let request = RecommendRequest {
                run: RunRequest {
                    request_rate: Some(rate),
                    context: Some(512.0),
                    ..run("bge-m3")
                },
                ..RecommendRequest::default()
            };
            let answer = Engine::embedded().recommend(&request, None).unwrap();
            answer.envelope.results[0].usd_per_hour.unwrap().0
        };
        let prices = [10.0, 100.0, 1_000.0, 4_000.0].map(usd);
        assert!(prices.is_sorted(), "{prices:?}");
        assert!(prices[3] > prices[0], "{prices:?}");
    }

    #[test]
    fn tight_fits_are_listed_only_if_they_are_accepted() {
        let verdicts = |accept_tight| {
            let request = RecommendRequest {
                run: RunRequest {
                    workload: Some(WorkKind::Computed(Workload::Qlora)),
                    ..run("Qwen3-14B")
                },
                on: Some("RTX4090".to_owned()),
                accept_tight,
                ..RecommendRequest::default()
            };
            let answer = Engine::embedded().recommend(&request, None).unwrap();
            let rows = answer.envelope.results.into_iter();
            let rows = rows.map(|row| (row.fit.unwrap().verdict, row.why.join("; ")));
            rows.collect::<Vec<_>>()
        };
        let is_tight =
            |(verdict, _): &&(Option<FitVerdict>, String)| *verdict == Some(FitVerdict::Tight);
        assert_eq!(verdicts(false).iter().filter(is_tight).count(), 0);
        let accepted = verdicts(true);
        let tight: Vec<_> = accepted.iter().filter(is_tight).collect();
        assert!(!tight.is_empty());
        assert!(tight.iter().all(|(_, why)| why.contains("a tight fit")));
    }
}
