//! Memory of one device in inference.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::run::{Layout, Run};
use super::super::units::GIB;
use super::super::words::{Attention, Engine, Logits};
use super::cache::cache;
use super::terms::{Memory, communication};
use super::weights::{active_ffn, weights};

/// Tokens of one forward pass.
fn forward_tokens(run: &Run, calibration: &Calibration) -> f64 {
    match run.engine {
        Engine::LlamaCpp => run.tokens().min(calibration.llama_cpp_batch),
        engine if engine.serves() => run.max_batched_tokens,
        _ => run.tokens(),
    }
}

pub(super) fn inference(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
) -> Memory {
    let tensor = f64::from(layout.tensor);
    let vocabulary = f64::from(model.vocab);
    let tokens = forward_tokens(run, calibration) / f64::from(layout.context);
    let mut weights = weights(model, run, layout);
    let every_logit = matches!(run.logits, Logits::All | Logits::Chunked);
    if every_logit && model.tied && run.engine == Engine::Transformers && !run.weights.unties {
        // The versions of transformers that compute all logits load a tied head a second time.
        weights += vocabulary * f64::from(model.hidden) * run.weights.head_bits / 8.0 / tensor;
    }
    let mut activations = tokens
        * (calibration.prefill_hidden_bytes * f64::from(model.hidden)
            + calibration.prefill_ffn_bytes * active_ffn(model) / tensor);
    if run.attention == Attention::Eager && model.attention_layers != Some(0) {
        let pairs = run.batch * run.context * run.context * f64::from(model.heads) / tensor;
        let scores = pairs * calibration.eager_score_bytes;
        activations = activations
            .max(scores + tokens * calibration.prefill_hidden_bytes * f64::from(model.hidden));
    }
    let serves = run.engine.serves();
    let logits = if run.logits == Logits::None {
        0.0
    } else if every_logit {
        let scores = run.generate < 1.0;
        let bytes = if scores {
            calibration.scored_logit_bytes
        } else {
            calibration.logit_bytes
        };
        tokens * vocabulary * bytes
    } else if serves {
        calibration.profiled_sequences.max(run.batch) * vocabulary * calibration.sampler_logit_bytes
    } else {
        run.batch * vocabulary * calibration.logit_bytes
    };
    let kv_cache = cache(model, run, layout, calibration, run.sequence());
    let passing = activations.max(logits);
    // A cache that grows is small during prefill, when activations peak; a preallocated cache is not.
    let grows = matches!(run.engine, Engine::None | Engine::Transformers);
    let peak = if grows {
        (cache(model, run, layout, calibration, run.context) + passing).max(kv_cache)
    } else {
        kv_cache + passing
    };
    let workspace = calibration.workspace_gib * GIB;
    let allocated = weights + peak + workspace;
    // Serving engines run their largest pass at startup, so that the allocator leaves no gaps later.
    let (slack, context) = if serves {
        (0.0, calibration.serving_context_gib)
    } else {
        (
            passing * (calibration.slack_inference - 1.0),
            calibration.context_gib,
        )
    };
    let reserved = allocated + slack;
    let device = reserved + context * GIB + communication(layout, calibration);
    let host = if run.gpu_layers.is_some() {
        host_part(model, run, layout, calibration)
    } else {
        0.0
    };
    Memory {
        host,
        weights,
        kv_cache,
        activations,
        logits,
        framework: device - allocated + workspace,
        steady: weights + kv_cache + calibration.steady_workspace_gib * GIB,
        allocated,
        reserved,
        device,
        ..Memory::default()
    }
}

/// Bytes of the layers that stay on the host and of their cache, per device.
fn host_part(model: &Architecture, run: &Run, layout: &Layout, calibration: &Calibration) -> f64 {
    let whole = Run {
        gpu_layers: None,
        ..*run
    };
    let tokens = run.sequence();
    let all = weights(model, &whole, layout) + cache(model, &whole, layout, calibration, tokens);
    let on_device = weights(model, run, layout) + cache(model, run, layout, calibration, tokens);
    (all - on_device).max(0.0)
}
