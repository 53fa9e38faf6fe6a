//! The load of a server: as it is given, and as the sizing computes it.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Arrival, Engine, Limits, Load, Run, Speculation};
use sky_accel_core::text::list_and;
use sky_accel_core::word::Word as _;

use super::request::{MAX_BATCH, RunRequest, number, wrong};
use crate::contract::{LoadEcho, Num};
use crate::error::Result;

/// The most requests after which a load may end.
const MAX_REQUESTS: f64 = 1e9;

/// The load of a server, as far as it is given. Without `concurrency` and `request_rate`, there is
/// none: a batch of sequences begins and ends together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadRequest {
    /// Requests in flight at once.
    pub concurrency: Option<f64>,
    /// Requests per second, arriving at random.
    pub request_rate: Option<f64>,
    /// Requests in all, after which the load of `concurrency` ends; without, it goes on.
    pub requests: Option<f64>,
    /// The longest time to the first token, in seconds.
    pub max_ttft_s: Option<f64>,
    /// The least output tokens per second of one user.
    pub min_speed: Option<f64>,
    /// The longest time per output token, in milliseconds: the inverse of `min_speed`.
    pub max_tpot_ms: Option<f64>,
    /// The share of the prompt that is in the cache already, from 0 up to 1.
    pub prefix_cache: Option<f64>,
    /// Tokens that are guessed at once, and the share of guesses that hold: `3:0.7`.
    pub speculative: Option<String>,
    /// Lengths are even between one less this share and one of the given ones, from 0 to 1.
    pub length_spread: Option<f64>,
    /// The version of the engine; the newest one where it is not given.
    pub engine_version: Option<String>,
    /// Steps of the engine from one look for requests to the next: `--scheduler-recv-interval` of SGLang,
    /// `batch_wait_timeout_iters` of TensorRT-LLM.
    pub admission_interval: Option<f64>,
    /// True if some replicas read prompts, and others generate.
    pub disaggregated: Option<bool>,
}

/// The load of a server.
pub(super) fn read_load(
    catalog: &Catalog<'_>,
    run: &mut Run,
    request: &RunRequest,
    notes: &mut Vec<Note>,
) -> Result<()> {
    let load = &request.load;
    run.length_spread = number("length_spread", load.length_spread, 0.0..=1.0)?;
    if run.workload.is_training() {
        return refuse_users(load, run.workload.has_rollouts());
    }
    run.prefix_cached =
        number("prefix_cache", load.prefix_cache, 0.0..=0.999)?.unwrap_or(run.prefix_cached);
    run.speculation = load.speculative.as_deref().map(speculation).transpose()?;
    let interval = load.admission_interval;
    run.admission_interval = number("admission_interval", interval, 0.0..=1e4)?;
    if let Some(steps) = interval.filter(|steps| steps.fract() != 0.0) {
        return Err(wrong(format!(
            "admission_interval is a whole number of steps, not {steps}"
        )));
    }
    let can_be_set = |engine: &str| catalog.coefficient("admission-share", engine).is_some();
    if interval.is_some() && !can_be_set(run.engine.word()) {
        let engines = Engine::ALL.iter().map(|(word, _)| *word);
        let engines: Vec<&str> = engines.filter(|word| can_be_set(word)).collect();
        return Err(wrong(format!(
            "admission_interval is a setting of {}: {} has none",
            list_and(&engines),
            run.engine.word()
        )));
    }
    let users = number("concurrency", load.concurrency, 1.0..=MAX_BATCH)?;
    let rate = number("request_rate", load.request_rate, 1e-6..=MAX_BATCH)?;
    let arrival = match (users, rate) {
        (Some(_), Some(_)) => {
            return Err(wrong(
                "a load is a number of users or a rate of requests: give one of concurrency and request_rate".to_owned(),
            ));
        }
        (Some(users), None) if users.fract() != 0.0 => {
            return Err(wrong(format!("concurrency is a whole number, not {users}")));
        }
        (Some(users), None) => Some(Arrival::Users(users)),
        (None, Some(rate)) => Some(Arrival::Rate(rate)),
        (None, None) => None,
    };
    let requests = number("requests", load.requests, 1.0..=MAX_REQUESTS)?;
    match (requests, arrival) {
        (Some(requests), _) if requests.fract() != 0.0 => {
            return Err(wrong(format!("requests is a whole number, not {requests}")));
        }
        (Some(_), None | Some(Arrival::Rate(_))) => {
            return Err(wrong(
                "requests is where a load of users ends: give concurrency too, the requests that are in flight at once"
                    .to_owned(),
            ));
        }
        _ => {}
    }
    let limits = read_limits(load)?;
    let Some(arrival) = arrival else {
        if load.disaggregated == Some(true) {
            let message = "disaggregated changes only the answer to a load: give --users or --request-rate too";
            notes.push(Note::new("no-load", message));
        }
        if limits != Limits::default() {
            return Err(wrong(
                "limits on waiting are for a load: give concurrency or request_rate too".to_owned(),
            ));
        }
        return Ok(());
    };
    if request.batch.is_some() {
        return Err(wrong(
            "the engine chooses the batch of a load: leave out batch, or the load".to_owned(),
        ));
    }
    if run.generate < 1.0 {
        return Err(wrong(
            "a load generates something: generate is at least 1".to_owned(),
        ));
    }
    if !run.engine.serves() {
        return Err(wrong(format!(
            "a load is computed for engines that serve many users (vllm, sglang, tensorrt-llm), not for {}",
            run.engine.word()
        )));
    }
    run.load = Some(Load {
        arrival,
        limits,
        is_disaggregated: load.disaggregated.unwrap_or_default(),
        requests,
    });
    Ok(())
}

/// Training has no users, so nothing of a load may be given, but for what generating rollouts needs.
fn refuse_users(load: &LoadRequest, has_rollouts: bool) -> Result<()> {
    let given = [
        ("concurrency", load.concurrency.is_some()),
        ("request_rate", load.request_rate.is_some()),
        ("requests", load.requests.is_some()),
        ("max_ttft", load.max_ttft_s.is_some()),
        ("min_speed", load.min_speed.is_some()),
        ("max_tpot", load.max_tpot_ms.is_some()),
        ("prefix_cache", load.prefix_cache.is_some()),
        ("speculative", load.speculative.is_some()),
        ("admission_interval", load.admission_interval.is_some()),
    ];
    let of_engines = [
        ("length_spread", load.length_spread.is_some()),
        ("disaggregated", load.disaggregated.is_some()),
        ("engine_version", load.engine_version.is_some()),
    ];
    let of_engines = of_engines.into_iter().filter(|_| !has_rollouts);
    let mut given = given.into_iter().chain(of_engines);
    if let Some((field, _)) = given.find(|(_, is_given)| *is_given) {
        return Err(wrong(format!(
            "{field} is for inference: training has no users"
        )));
    }
    Ok(())
}

/// The longest that users wait.
pub(crate) fn read_limits(load: &LoadRequest) -> Result<Limits> {
    let first_token_s = number("max_ttft", load.max_ttft_s, 1e-3..=1e6)?;
    let speed = number("min_speed", load.min_speed, 1e-3..=1e6)?;
    let token_ms = number("max_tpot", load.max_tpot_ms, 1e-3..=1e6)?;
    if speed.is_some() && token_ms.is_some() {
        return Err(wrong(
            "min_speed and max_tpot say the same: give one of them".to_owned(),
        ));
    }
    Ok(Limits {
        first_token_s,
        token_s: speed
            .map(|speed| 1.0 / speed)
            .or(token_ms.map(|ms| ms / 1e3)),
    })
}

/// The release of an engine: the first word that begins with a digit, as in `rocm 0.10.0`. `None` for
/// builds without a number, which are taken for the newest.
pub(super) fn release(version: &str) -> Option<String> {
    version
        .split_whitespace()
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .map(str::to_owned)
}

/// `TOKENS:ACCEPTANCE`.
fn speculation(text: &str) -> Result<Speculation> {
    let parsed = text.split_once(':').and_then(|(tokens, acceptance)| {
        Some((tokens.trim().parse().ok()?, acceptance.trim().parse().ok()?))
    });
    match parsed {
        Some((tokens, acceptance))
            if (1.0..=64.0).contains(&tokens)
                && f64::fract(tokens) == 0.0
                && (0.0..=1.0).contains(&acceptance) =>
        {
            Ok(Speculation { tokens, acceptance })
        }
        _ => Err(wrong(format!(
            "speculative is a number of tokens from 1 to 64 and the share that is accepted, such as 3:0.7, not '{text}'"
        ))),
    }
}

/// The load as it was understood.
pub(super) fn echo(run: &Run, engine_version: Option<&str>) -> LoadEcho {
    let share = |share: f64| (share > 0.0).then_some(Num(share));
    let (users, rate) = match run.load.map(|load| load.arrival) {
        Some(Arrival::Users(users)) => (Some(users), None),
        Some(Arrival::Rate(rate)) => (None, Some(rate)),
        None => (None, None),
    };
    let limits = run.load.map(|load| load.limits).unwrap_or_default();
    LoadEcho {
        concurrency: users.map(Num),
        request_rate: rate.map(Num),
        requests: run.load.and_then(|load| load.requests).map(Num),
        max_ttft: limits.first_token_s.map(Num),
        max_tpot: limits.token_s.map(Num),
        prefix_cache: share(run.prefix_cached),
        speculative: run
            .speculation
            .map(|guessed| format!("{}:{}", guessed.tokens, guessed.acceptance)),
        length_spread: run.length_spread.map(Num),
        admission_interval: run.admission_interval.map(Num),
        disaggregated: (run.load.is_some_and(|load| load.is_disaggregated)
            || run.rollouts.is_some_and(|rollouts| rollouts.is_apart))
        .then_some(true),
        engine_version: engine_version.map(str::to_owned),
    }
}

/// The service that people usually expect where they ask for none in particular.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsualService {
    /// The longest time to the first token, in seconds.
    pub first_token_s: f64,
    /// The least output tokens per second of one user.
    pub speed: f64,
    /// The share of the usable memory that stays free.
    pub spare: f64,
}

impl UsualService {
    /// The service of the engine of a run.
    pub fn of(catalog: &Catalog<'_>, run: &Run) -> Self {
        let usual = |name: &str| catalog.coefficient(name, run.engine.word()).unwrap_or(0.0);
        // Who sends a longer prompt waits longer.
        let length = (run.context / usual("usable-prompt-tokens").max(1.0)).max(1.0);
        Self {
            first_token_s: usual("usable-first-token-s") * length,
            speed: usual("usable-tokens-per-s"),
            spare: usual("usable-spare-share"),
        }
    }
}
