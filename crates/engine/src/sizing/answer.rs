//! Converts sized models to the contract.

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::sizing::{
    Arrival, CacheGrowth, Indivisible, Load, ModelKind, Run, reported_tokens,
};

use super::energy::energy;
use super::execution::is_measured;
use super::fitted::Fitted;
use super::rounded::{gib, rate};
use super::run::ModelRun;
use super::sizer::Sizer;
use crate::contract::{
    CacheOut, FitOut, LargestOut, LoadOut, MemoryOut, ModelOut, Num, OptimizerStepOut,
    ParallelismOut, Phase, PhaseOut, SpeedBandOut, SpeedOut,
};

/// The upper bounds of the search for the largest context and batch.
const MOST_TOKENS: f64 = 16_777_216.0;
const MOST_SEQUENCES: f64 = 65_536.0;

/// Sizes a model on `count` devices. The text is the reason if they do not serve the load.
pub fn fit(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    count: u32,
    sizer: &Sizer,
    work: &ModelRun,
) -> Result<(FitOut, Option<String>), Indivisible> {
    let best = sizer.best(work, count)?;
    let overload = best.overload(&work.run);
    Ok((
        out(catalog, accelerator, count, work, sizer, &best),
        overload,
    ))
}

/// Converts a fit to the contract.
pub fn out(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    count: u32,
    work: &ModelRun,
    sizer: &Sizer,
    best: &Fitted,
) -> FitOut {
    let device = SizedDevice {
        name: catalog.accelerator_id(accelerator),
        accelerator: Some(accelerator),
        is_measured: is_measured(catalog, accelerator, work.run.engine),
    };
    out_of(catalog, &device, count, work, sizer, best)
}

/// A kind of device in an answer.
pub struct SizedDevice<'n> {
    /// The name.
    pub name: &'n str,
    /// The accelerator; `None` for the processors of a host.
    pub accelerator: Option<AcceleratorId>,
    /// Whether measurements calibrate the speed of the engine on it.
    pub is_measured: bool,
}

/// Converts a fit on any kind of device to the contract.
pub fn out_of(
    catalog: &Catalog<'_>,
    device: &SizedDevice<'_>,
    count: u32,
    work: &ModelRun,
    sizer: &Sizer,
    best: &Fitted,
) -> FitOut {
    let best = &sizer.with_goodput(work, best.clone());
    let run = &work.run;
    let shape = &work.model.shape;
    let layout = &best.layout;
    let limit = shape.context.map_or(MOST_TOKENS, f64::from);
    let media = work.model.media.as_ref();
    // With rollouts, two engines share the memory, so a single bound is not enough.
    let is_searched = best.usable.is_some() && run.rollouts.is_none() && media.is_none();
    // Layers on the host are bounded by host memory, which is unknown.
    let is_searched = is_searched && run.gpu_layers.is_none();
    let room = limit - run.generate - run.images.prompt_tokens();
    let context = sizer.largest(work, layout, room, |tokens| run.with_text(tokens));
    let batch = sizer.largest_batch(work, layout, MOST_SEQUENCES);
    FitOut {
        spec: None,
        accelerator: device.name.to_owned(),
        count,
        nodes: None,
        refused: None,
        price: None,
        engine: None,
        precision: None,
        fits: best.fits(),
        verdict: best.verdict(),
        parallelism: ParallelismOut::from(layout),
        per_device_gib: memory_out(best),
        host_gib: (best.memory.host > 0.0).then(|| gib(best.memory.host)),
        model: model_out(work, best),
        kv_cache: cache_out(work, sizer, best),
        largest: LargestOut {
            context: is_searched.then_some(Num(context.unwrap_or(0.0))),
            batch: is_searched.then_some(Num(batch.unwrap_or(0.0))),
        },
        throughput: throughput(catalog, device, run, best),
        seconds_per_item: seconds_per_item(work, best).map(rate),
        energy: device
            .accelerator
            // The rated power is for a whole device.
            .filter(|_| !sizer.is_part)
            .and_then(|id| energy(catalog, id, count, best)),
        step: step(run, best),
        formats: Vec::new(),
        launch: None,
        would_fit: Vec::new(),
    }
}

/// The memory of one device, term by term.
fn memory_out(best: &Fitted) -> MemoryOut {
    let memory = &best.memory;
    MemoryOut {
        weights: gib(memory.weights),
        frozen: (memory.frozen > 0.0).then(|| gib(memory.frozen)),
        kv_cache: gib(memory.kv_cache),
        activations: gib(memory.activations),
        logits: gib(memory.logits),
        gradients: gib(memory.gradients),
        optimizer: gib(memory.optimizer),
        adapters: gib(memory.adapters),
        framework: gib(memory.framework),
        steady: gib(memory.steady),
        allocated: gib(memory.allocated),
        reserved: gib(memory.reserved),
        device: gib(memory.device),
        low: gib(best.low),
        high: gib(best.high),
        usable: best.usable.map(gib),
        headroom: best.usable.map(|usable| gib(usable - best.high)),
    }
}

/// The model of a fit.
fn model_out(work: &ModelRun, best: &Fitted) -> ModelOut {
    let shape = &work.model.shape;
    let media = work.model.media.as_ref();
    let parameters = media.map_or_else(|| shape.parameters().total(), |media| media.parameters);
    ModelOut {
        name: work.model.name.clone(),
        kind: work.model.kind,
        unit: media.map(|media| media.unit.clone()),
        parameters: Num(parameters),
        active_parameters: Num(media.map_or(shape.active_parameters(), |media| media.parameters)),
        weights_gib: gib(match media {
            Some(_) => best.memory.weights,
            None => work.run.weights.bytes(shape).total(),
        }),
        checkpoint_gib: work.model.checkpoint_bytes.map(gib),
        source: work.model.source.clone(),
    }
}

/// The capacity of the KV cache, in tokens and in sequences of the requested length; `None` without a cache.
fn cache_out(work: &ModelRun, sizer: &Sizer, best: &Fitted) -> Option<CacheOut> {
    let (run, shape) = (&work.run, &work.model.shape);
    let (memory, layout) = (&best.memory, &best.layout);
    if run.workload.is_training() || work.model.media.is_some() || !shape.has_cache() {
        return None;
    }
    let free = best.usable.filter(|_| run.gpu_layers.is_none());
    let free = free.map(|usable| (usable - (memory.device - memory.kv_cache)).max(0.0));
    let sequences =
        free.map(|free| free / best.cache_of_sequence(work).max(1.0) * f64::from(layout.data));
    let growth = CacheGrowth::of(shape, run);
    let reported = free.and_then(|free| {
        let tokens = reported_tokens(shape, run, layout, &sizer.calibration, free);
        tokens.map(|tokens| tokens * f64::from(layout.data))
    });
    Some(CacheOut {
        bytes_per_token: Num(growth.bytes_per_token),
        fixed_bytes: (growth.fixed_bytes > 0.0).then_some(Num(growth.fixed_bytes)),
        max_tokens: reported
            .or(sequences.map(|n| n * run.sequence()))
            .map(|tokens| Num(tokens.floor())),
        max_sequences: sequences.map(|n| Num(n.floor())),
    })
}

/// Seconds per image, video or hour of speech; of embeddings and rerankers, per text or pair of texts.
fn seconds_per_item(work: &ModelRun, best: &Fitted) -> Option<f64> {
    if let Some(speed) = best.items {
        return Some(speed.seconds_per_item);
    }
    let is_encoder = work.model.kind == ModelKind::Encoder && !work.run.workload.is_training();
    let prefill = best.speed.prefill.filter(|_| is_encoder)?;
    Some(work.run.context / prefill)
}

/// The optimizer step; `None` for inference, and if its time is unknown.
fn step(run: &Run, best: &Fitted) -> Option<OptimizerStepOut> {
    let phase = |phase: Phase, seconds: f64, device_gib: Option<Num>| PhaseOut {
        phase,
        seconds: rate(seconds),
        device_gib,
    };
    if let Some(step) = best.step {
        let peak = Some(gib(step.peak));
        return Some(OptimizerStepOut {
            seconds: rate(step.seconds),
            sequences: Num(step.sequences),
            tokens: Num(step.tokens.round()),
            phases: vec![
                phase(Phase::Rollout, step.generating_s, peak),
                phase(Phase::Scoring, step.scoring_s, None),
                phase(Phase::Training, step.training_s, None),
                phase(Phase::Refit, step.refit_s, None),
            ],
            rollout_devices: step.devices,
            rollout_tensor: Some(step.tensor),
        });
    }
    let seconds = best.speed.step_s?;
    let layout = &best.layout;
    let examples = run.batch * f64::from(layout.data) * run.accumulation(layout);
    let sequences = examples * run.workload.sequences_of_example();
    let tokens = sequences * run.sequence();
    let scoring = best.speed.scoring_s;
    Some(OptimizerStepOut {
        seconds: rate(seconds),
        sequences: Num(sequences),
        tokens: Num(tokens),
        phases: scoring.map_or_else(Vec::new, |scoring| {
            vec![
                phase(Phase::Scoring, scoring, None),
                phase(Phase::Training, seconds - scoring, None),
            ]
        }),
        rollout_devices: None,
        rollout_tensor: None,
    })
}

/// Converts the speed to the contract.
fn throughput(
    catalog: &Catalog<'_>,
    device: &SizedDevice<'_>,
    run: &Run,
    best: &Fitted,
) -> SpeedOut {
    let band = |end: &str| band(catalog, run, best, end, device.is_measured);
    let generates = run.generate >= 1.0;
    let item = |end: fn((f64, f64)) -> f64| {
        let speed = best.items?;
        Some(rate(speed.seconds_per_item * end(speed.band)))
    };
    SpeedOut {
        prefill_tokens_per_s: best.speed.prefill.map(rate),
        decode_tokens_per_s: best.speed.decode.map(rate),
        output_tokens_per_s: output_of(run, best).map(rate),
        time_to_first_token_s: best
            .speed
            .first_token_s
            .filter(|_| best.served.is_none())
            .map(rate),
        train_tokens_per_s_per_device: best.speed.train.map(rate),
        seconds_per_batch: best.items.map(|speed| rate(speed.batch.seconds())),
        rtfx: best
            .items
            .and_then(|speed| speed.real_time_factor())
            .map(rate),
        bound: best.speed.bound,
        mfu: best.speed.mfu.map(rate),
        load: best.served.map(|served| LoadOut {
            serves: served.is_met,
            // Do not round the integer of the request.
            concurrency: if served.concurrency.fract() == 0.0 {
                Num(served.concurrency)
            } else {
                rate(served.concurrency)
            },
            ttft_s: rate(served.first_token_s),
            tpot_ms: generates.then(|| rate(served.token_s * 1e3)),
            requests_per_s: rate(served.requests),
            utilization: run
                .load
                .filter(|load| generates || load.limits.first_token_s.is_some() || is_rate(load))
                .and_then(|load| served.utilization(load.arrival))
                .map(rate),
            total_tokens_per_s: rate(served.total),
            tokens_per_s_per_user: generates.then(|| rate(served.per_user)),
            max_concurrency: Num(served.most_users.floor()),
            goodput_per_s: rate(served.goodput.unwrap_or_default()),
            duration_s: served.seconds.map(rate),
            prefill_replicas: (served.prompt_replicas > 0.0).then_some(Num(served.prompt_replicas)),
        }),
        low: SpeedBandOut {
            seconds_per_item: item(|(low, _)| low),
            ..band("speed-low")
        },
        high: SpeedBandOut {
            seconds_per_item: item(|(_, high)| high),
            ..band("speed-high")
        },
    }
}

fn is_rate(load: &Load) -> bool {
    matches!(load.arrival, Arrival::Rate(_))
}

/// Output tokens per second; `None` if nothing is generated, or if the speed is unknown.
fn output_of(run: &Run, best: &Fitted) -> Option<f64> {
    match best.served {
        Some(served) => (run.generate >= 1.0).then_some(served.output),
        None => best.speed.output,
    }
}

/// One end of the band of speeds and times, from the calibrated factor named `end`. Devices of which no measurement
/// calibrates the speed have a wider band.
fn band(
    catalog: &Catalog<'_>,
    run: &Run,
    best: &Fitted,
    end: &str,
    is_measured: bool,
) -> SpeedBandOut {
    let factor = |scope: &str| catalog.coefficient(end, scope).unwrap_or(1.0);
    let more = if is_measured {
        1.0
    } else {
        factor("unmeasured device")
    };
    let at = |value: f64, scope: &str| rate(value * factor(scope) * more);
    let (output_scope, token_scope) = scopes(run, best);
    let served = best.served;
    let generated = served.filter(|_| run.generate >= 1.0);
    SpeedBandOut {
        output_tokens_per_s: output_of(run, best).map(|output| at(output, output_scope)),
        tpot_ms: generated.map(|served| at(served.token_s * 1e3, token_scope)),
        ttft_s: served.map(|served| at(served.first_token_s, "first token")),
        train_tokens_per_s_per_device: best.speed.train.map(|train| at(train, "training")),
        seconds_per_item: None,
    }
}

/// The scopes of the bands of tokens per second and of times per token: the accuracy depends on the load.
fn scopes(run: &Run, best: &Fitted) -> (&'static str, &'static str) {
    let Some(served) = best.served else {
        return ("output", "token of users");
    };
    let admitted = served.sequences * f64::from(best.layout.data);
    let is_full = run.load.is_some_and(|load| match load.arrival {
        Arrival::Users(users) => users > admitted * (1.0 + 1e-6),
        Arrival::Rate(_) => false,
    });
    if run.load.is_some_and(|load| load.is_disaggregated) {
        (
            "output of prompts read apart",
            "token of prompts read apart",
        )
    } else if is_full {
        ("output at full load", "token at full load")
    } else {
        ("output of users", "token of users")
    }
}
