//! Reads the load of a server from a request.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Arrival, Limits, Load, ModelKind, Run, ServingEngine, Speculation};
use sky_accel_core::text::list_and;
use sky_accel_core::word::Word as _;

use super::bounds::{MAX_BATCH, number, wrong};
use super::options::RunRequest;
use crate::error::Result;

/// The maximum number of requests of a load that ends.
const MAX_REQUESTS: f64 = 1e9;

/// Reads the load of a server into the run.
pub(super) fn read_load(
    catalog: &Catalog<'_>,
    run: &mut Run,
    (request, kind): (&RunRequest, ModelKind),
    notes: &mut Vec<Note>,
) -> Result<()> {
    run.length_spread = number("length_spread", request.length_spread, 0.0..=1.0)?;
    if run.workload.is_training() {
        return Ok(());
    }
    run.prefix_cached =
        number("prefix_cache", request.prefix_cache, 0.0..=0.999)?.unwrap_or(run.prefix_cached);
    run.speculation = request
        .speculative
        .as_deref()
        .map(speculation)
        .transpose()?;
    run.admission_interval = read_admission_interval(catalog, run.engine, request)?;
    let (arrival, requests) = read_arrival(request)?;
    let limits = read_limits(request)?;
    let Some(arrival) = arrival else {
        if request.disaggregated == Some(true) {
            let message = "`disaggregated` has no effect without a load: give `concurrency` or `request_rate` too";
            notes.push(Note::new("no-load", message));
        }
        if limits != Limits::default() {
            return Err(wrong(
                "latency limits need a load: give `concurrency` or `request_rate` too",
            ));
        }
        return Ok(());
    };
    if request.batch.is_some() {
        return Err(wrong(
            "the serving engine chooses the batch under a load: leave out `batch` or the load",
        ));
    }
    if run.generate < 1.0 && kind == ModelKind::Text {
        return Err(wrong("under a load, `generate` must be at least 1"));
    }
    let is_batched = kind == ModelKind::Encoder && request.request_rate.is_none();
    if !run.engine.answers() && is_batched && limits == Limits::default() && requests.is_none() {
        // Without a server, the texts in flight are a batch.
        return Ok(());
    }
    if !run.engine.answers() {
        return Err(wrong(format!(
            "a load needs an engine that answers requests (vllm, sglang, tensorrt-llm, llama.cpp), not {}",
            run.engine.word()
        )));
    }
    let is_rate = matches!(arrival, Arrival::Rate(_));
    if is_rate && !run.engine.serves() {
        return Err(wrong(format!(
            "{} has a fixed number of slots: give `concurrency` instead of `request_rate`",
            run.engine.word()
        )));
    }
    run.load = Some(Load {
        arrival,
        limits,
        is_disaggregated: request.disaggregated.unwrap_or_default(),
        requests,
    });
    Ok(())
}

/// Reads the scheduling interval, which only some serving engines can set.
fn read_admission_interval(
    catalog: &Catalog<'_>,
    engine: ServingEngine,
    request: &RunRequest,
) -> Result<Option<f64>> {
    let interval = request.admission_interval;
    let steps = number("admission_interval", interval, 0.0..=1e4)?;
    if let Some(steps) = interval.filter(|steps| steps.fract() != 0.0) {
        return Err(wrong(format!(
            "`admission_interval` must be an integer number of steps, not {steps}"
        )));
    }
    let is_adjustable = |word: &str| catalog.coefficient("admission-share", word).is_some();
    if interval.is_some() && !is_adjustable(engine.word()) {
        let engines = ServingEngine::ALL.iter().map(|(word, _)| *word);
        let engines: Vec<&str> = engines.filter(|word| is_adjustable(word)).collect();
        return Err(wrong(format!(
            "`admission_interval` is a setting of {}, but not of {}",
            list_and(&engines),
            engine.word()
        )));
    }
    Ok(steps)
}

/// Reads the arrival of requests, and their number if the load ends.
fn read_arrival(request: &RunRequest) -> Result<(Option<Arrival>, Option<f64>)> {
    let users = number("concurrency", request.concurrency, 1.0..=MAX_BATCH)?;
    let rate = number("request_rate", request.request_rate, 1e-6..=MAX_BATCH)?;
    let arrival = match (users, rate) {
        (Some(_), Some(_)) => {
            return Err(wrong(
                "a load has a number of users or a request rate: give only one of `concurrency` and `request_rate`",
            ));
        }
        (Some(users), None) if users.fract() != 0.0 => {
            return Err(wrong(format!(
                "`concurrency` must be an integer, not {users}"
            )));
        }
        (Some(users), None) => Some(Arrival::Users(users)),
        (None, Some(rate)) => Some(Arrival::Rate(rate)),
        (None, None) => None,
    };
    let requests = number("requests", request.requests, 1.0..=MAX_REQUESTS)?;
    match (requests, arrival) {
        (Some(requests), _) if requests.fract() != 0.0 => {
            return Err(wrong(format!(
                "`requests` must be an integer, not {requests}"
            )));
        }
        (Some(_), None | Some(Arrival::Rate(_))) => {
            return Err(wrong(
                "`requests` ends a closed-loop load: give `concurrency` too, the number of requests in flight",
            ));
        }
        _ => {}
    }
    Ok((arrival, requests))
}

/// Reads the latency limits.
pub(crate) fn read_limits(request: &RunRequest) -> Result<Limits> {
    let first_token_s = number("max_ttft", request.max_ttft, 1e-3..=1e6)?;
    let speed = number("min_speed", request.min_speed, 1e-3..=1e6)?;
    let token_s = number("max_tpot", request.max_tpot, 1e-6..=1e3)?;
    if speed.is_some() && token_s.is_some() {
        return Err(wrong(
            "`min_speed` and `max_tpot` are the same limit: give only one of them",
        ));
    }
    Ok(Limits {
        first_token_s,
        token_s: speed.map(|speed| 1.0 / speed).or(token_s),
    })
}

/// The release in a version text: the first word that begins with a digit, as in `rocm 0.10.0`. `None` for builds
/// without a number, which count as the newest.
pub(super) fn release(version: &str) -> Option<String> {
    version
        .split_whitespace()
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .map(str::to_owned)
}

/// Parses `TOKENS:ACCEPTANCE`.
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
            "`speculative` is a number of tokens from 1 to 64 and the accepted fraction, such as 3:0.7, not '{text}'"
        ))),
    }
}

/// The default service limits. A search prefers machines that keep them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsualService {
    /// The maximum time to first token, in seconds.
    pub first_token_s: f64,
    /// The minimum output tokens per second of each user.
    pub speed: f64,
    /// The fraction of the usable memory that stays free.
    pub spare: f64,
}

impl UsualService {
    /// The defaults for the serving engine of a run.
    pub fn of(catalog: &Catalog<'_>, run: &Run) -> Self {
        let usual = |name: &str| catalog.coefficient(name, run.engine.word()).unwrap_or(0.0);
        // Longer prompts take longer to process.
        let length = (run.context / usual("usable-prompt-tokens").max(1.0)).max(1.0);
        let seconds = Some(usual("usable-answer-s")).filter(|seconds| *seconds > 0.0);
        let short = seconds.map(|seconds| run.output().max(1.0) / seconds);
        Self {
            first_token_s: usual("usable-first-token-s") * length,
            // A short answer is read at once: only its end counts.
            speed: usual("usable-tokens-per-s").min(short.unwrap_or(f64::INFINITY)),
            spare: usual("usable-spare-share"),
        }
    }
}
