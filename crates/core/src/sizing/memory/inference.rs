//! Memory of one device in inference.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::run::{Layout, Run};
use super::super::units::GIB;
use super::super::words::{Attention, Logits, ServingEngine};
use super::cache::cache;
use super::profile::{profiled_sequences, profiled_tokens};
use super::terms::{Memory, communication};
use super::weights::{active_ffn, stage_share, weights};

/// Bytes of values in the graph of llama.cpp.
const LLAMA_CPP_BYTES: f64 = 4.0;
/// Bytes of a value of the cache, as attention of a prompt reads it.
const CACHE_BYTES: f64 = 2.0;

/// Bytes of the tower for images, which servers load and divide like other matrices. Other engines load it for images.
fn image_tower(model: &Architecture, run: &Run, tensor: f64) -> f64 {
    if run.engine.serves() || run.images.per_request > 0.0 {
        model.image_parameters as f64 * run.weights.small_bits / 8.0 / tensor
    } else {
        0.0
    }
}

/// Tokens of one forward pass.
fn forward_tokens(run: &Run, calibration: &Calibration) -> f64 {
    match run.engine {
        ServingEngine::LlamaCpp => run.tokens().min(calibration.llama_cpp_batch),
        engine if engine.serves() => profiled_tokens(run, calibration),
        _ => run.tokens(),
    }
}

/// Bytes of the scores of eager attention, of one layer.
fn scores(model: &Architecture, run: &Run, tensor: f64, calibration: &Calibration) -> f64 {
    let heads = f64::from(model.heads) / tensor;
    if run.engine == ServingEngine::LlamaCpp {
        // A batch of a prompt attends to all tokens of its sequence. The softmax replaces the scores.
        let tokens = run.tokens().min(calibration.llama_cpp_batch);
        return tokens * run.sequence() * heads * LLAMA_CPP_BYTES;
    }
    run.batch * run.context * run.context * heads * calibration.eager_score_bytes
}

/// Bytes of the attention mask of llama.cpp, which keeps several if devices compute different batches at once.
fn mask(run: &Run, layout: &Layout, calibration: &Calibration) -> f64 {
    if run.engine != ServingEngine::LlamaCpp {
        return 0.0;
    }
    let copies = if layout.devices() > 1 {
        calibration.llama_cpp_copies
    } else {
        1.0
    };
    let tokens = run.tokens().min(calibration.llama_cpp_batch);
    copies * tokens * run.sequence() * LLAMA_CPP_BYTES
}

/// Bytes that llama.cpp takes for one layer in addition: the cache in 16 bits if it has fewer, and the scores of an
/// index.
fn unpacked(model: &Architecture, run: &Run, tensor: f64, calibration: &Calibration) -> f64 {
    if run.engine != ServingEngine::LlamaCpp {
        return 0.0;
    }
    let copy = if run.cache.bytes() < CACHE_BYTES {
        let global = model.window.and_then(|window| window.global_cache_width);
        run.batch * run.sequence() * global.map_or(model.cache_width(), f64::from) * CACHE_BYTES
            / tensor
    } else {
        0.0
    };
    let tokens = run.tokens().min(calibration.llama_cpp_batch);
    let ratio = model
        .compressed
        .map_or(1.0, |compressed| f64::from(compressed.sparse_ratio));
    let scores = model.sparse.map_or(0.0, |sparse| {
        tokens * f64::from(sparse.index_heads) * run.sequence() / ratio * LLAMA_CPP_BYTES
    });
    copy + scores
}

/// Bytes that an engine adds to the experts of a device, so that products have whole tiles.
fn expert_padding(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
) -> f64 {
    let multiple = calibration.expert_input_multiple;
    if model.experts.is_none() || multiple <= 1.0 {
        return 0.0;
    }
    let input = f64::from(model.expert_input());
    let more = (input / multiple).ceil() * multiple / input - 1.0;
    let spread = f64::from(layout.tensor.max(layout.expert));
    stage_share(model, layout) * run.weights.bytes(model).experts / spread * more
}

/// Bytes of the partial sums of the widest 4-bit product, which old kernels add up after it.
fn split_sums(model: &Architecture, tokens: f64, tensor: f64, calibration: &Calibration) -> f64 {
    // Versions with such kernels distribute whole experts.
    let widest = model.experts.map_or_else(
        || 2.0 * f64::from(model.ffn) / tensor,
        |experts| f64::from(experts.width),
    );
    calibration.split_products * tokens * widest * 2.0
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
    if every_logit && model.tied && run.engine == ServingEngine::Transformers && !run.weights.unties
    {
        // The versions of transformers that compute all logits load a tied head a second time.
        weights += vocabulary * f64::from(model.hidden) * run.weights.head_bits / 8.0 / tensor;
    }
    weights += expert_padding(model, run, layout, calibration) + image_tower(model, run, tensor);
    let mut activations = tokens
        * (calibration.prefill_hidden_bytes * f64::from(model.hidden)
            + calibration.prefill_ffn_bytes * active_ffn(model) / tensor);
    if run.attention == Attention::Eager && model.attention_layers != Some(0) {
        let scores = scores(model, run, tensor, calibration);
        activations = activations
            .max(scores + tokens * calibration.prefill_hidden_bytes * f64::from(model.hidden));
    }
    activations += mask(run, layout, calibration) + unpacked(model, run, tensor, calibration);
    activations += split_sums(model, tokens, tensor, calibration);
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
    } else if run.engine == ServingEngine::LlamaCpp {
        // The buffer has room for the logits and the hidden states of a whole batch.
        tokens * (vocabulary + f64::from(model.hidden)) * LLAMA_CPP_BYTES
    } else if serves {
        profiled_sequences(run, model, calibration)
            .min(tokens)
            .max(run.batch)
            * vocabulary
            * calibration.sampler_logit_bytes
    } else {
        run.batch * vocabulary * calibration.logit_bytes
    };
    let kv_cache = cache(model, run, layout, calibration, run.sequence());
    let passing = activations.max(logits);
    // A cache that grows is small during prefill, when activations peak; a preallocated cache is not.
    let grows = matches!(
        run.engine,
        ServingEngine::None | ServingEngine::Transformers
    );
    let peak = if grows {
        (cache(model, run, layout, calibration, run.context) + passing).max(kv_cache)
    } else {
        kv_cache + passing
    };
    let workspace = calibration.workspace_gib * GIB;
    let allocated = weights + peak + workspace;
    // Serving engines run their largest pass at startup, so that the allocator leaves no gaps later.
    let context = if serves {
        calibration.serving_context_gib
    } else {
        calibration.context_gib
    };
    // llama.cpp plans its buffer too.
    let slack = if serves || run.engine == ServingEngine::LlamaCpp {
        0.0
    } else {
        passing * (calibration.slack_inference - 1.0)
    };
    let reserved = allocated + slack;
    let device = reserved + context * GIB + communication(layout, calibration);
    let host = if run.uses_host() {
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

/// Bytes of the layers and experts that stay on the host, and of the cache of these layers, per device.
fn host_part(model: &Architecture, run: &Run, layout: &Layout, calibration: &Calibration) -> f64 {
    let without_host = Run {
        gpu_layers: None,
        cpu_expert_layers: None,
        ..*run
    };
    let tokens = run.sequence();
    let all = weights(model, &without_host, layout)
        + cache(model, &without_host, layout, calibration, tokens);
    let on_device = weights(model, run, layout) + cache(model, run, layout, calibration, tokens);
    (all - on_device).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::super::architecture::Sparse;
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::{assert_near, llama_3_8b, tiny, tiny_mixture};
    use super::super::super::words::{CacheFormat, Workload};
    use super::*;

    fn calibration() -> Calibration {
        Calibration {
            workspace_gib: 1.0,
            steady_workspace_gib: 0.75,
            context_gib: 0.5,
            serving_context_gib: 0.25,
            communication_gib: 0.125,
            prefill_hidden_bytes: 8.0,
            prefill_ffn_bytes: 6.0,
            eager_score_bytes: 12.0,
            logit_bytes: 7.0,
            scored_logit_bytes: 10.0,
            profiled_sequences: 4.0,
            profiled_tokens: 100.0,
            sampler_logit_bytes: 39.0,
            slack_inference: 3.0,
            window_cache_factor: 1.0,
            llama_cpp_batch: 8.0,
            llama_cpp_copies: 4.0,
            ..Calibration::default()
        }
    }

    /// Two sequences of 10 + 6 tokens.
    fn run(engine: ServingEngine) -> Run {
        Run {
            engine,
            context: 10.0,
            generate: 6.0,
            batch: 2.0,
            max_batched_tokens: Some(100.0),
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        }
    }

    fn memory(run: &Run, layout: &Layout) -> Memory {
        inference(&tiny(), run, layout, &calibration())
    }

    #[test]
    fn a_growing_cache_is_small_during_prefill() {
        let memory = memory(&run(ServingEngine::Transformers), &Layout::default());
        // 20 tokens with 8 bytes per hidden value and 6 per inner value of the MLP.
        let activations = 20.0 * (64.0 + 96.0);
        assert_near(memory.activations, activations);
        assert_near(memory.logits, 2.0 * 32.0 * 7.0);
        assert_near(memory.kv_cache, 2.0 * 16.0 * 64.0);
        let allocated = 5776.0 + 2.0 * 10.0 * 64.0 + activations + GIB;
        assert_near(memory.allocated - GIB, allocated - GIB);
        assert_near(memory.reserved - memory.allocated, 2.0 * activations);
        assert_near(memory.device - memory.reserved, 0.5 * GIB);
        assert_near(memory.framework, 1.5 * GIB + 2.0 * activations);
        assert_near(memory.steady, 5776.0 + 2048.0 + 0.75 * GIB);
        assert_near(memory.host, 0.0);
    }

    #[test]
    fn a_long_answer_makes_the_end_the_peak() {
        let run = Run {
            generate: 1000.0,
            ..run(ServingEngine::Transformers)
        };
        let memory = memory(&run, &Layout::default());
        assert_near(memory.allocated - GIB, 5776.0 + 2.0 * 1010.0 * 64.0);
    }

    #[test]
    fn serving_engines_profile_their_largest_pass() {
        let layout = Layout {
            data: 2,
            ..Layout::default()
        };
        let memory = memory(&run(ServingEngine::Vllm), &layout);
        assert_near(memory.activations, 100.0 * 160.0);
        assert_near(memory.logits, 4.0 * 32.0 * 39.0);
        assert_near(memory.allocated - GIB, 5776.0 + 2048.0 + 16_000.0);
        assert_near(memory.reserved - memory.allocated, 0.0);
        assert_near(memory.device - memory.reserved, 0.375 * GIB);
        let many = Run {
            batch: 5.0,
            ..run(ServingEngine::Vllm)
        };
        assert_near(
            super::inference(&tiny(), &many, &layout, &calibration()).logits,
            5.0 * 32.0 * 39.0,
        );
    }

    #[test]
    fn parallelism_divides_activations() {
        let activations = |tensor, context| {
            let layout = Layout {
                tensor,
                context,
                ..Layout::default()
            };
            memory(&run(ServingEngine::Vllm), &layout).activations
        };
        assert_near(activations(2, 1), 100.0 * (64.0 + 48.0));
        assert_near(activations(1, 2), 50.0 * 160.0);
    }

    #[test]
    fn llama_cpp_computes_a_batch_at_once() {
        let one = memory(&run(ServingEngine::LlamaCpp), &Layout::default());
        // A layer, and the mask of a batch over a sequence of 16 tokens.
        let buffer = 8.0 * 160.0 + 8.0 * 16.0 * 4.0;
        assert_near(one.activations, buffer);
        // The logits and the hidden states of a batch.
        assert_near(one.logits, 8.0 * (32.0 + 8.0) * 4.0);
        // Its cache and its buffer are allocated at the start.
        assert_near(one.allocated - GIB, 5776.0 + 2048.0 + buffer);
        assert_near(one.reserved, one.allocated);
        let two = Layout {
            pipeline: 2,
            ..Layout::default()
        };
        let masks = memory(&run(ServingEngine::LlamaCpp), &two).activations - one.activations;
        assert_near(masks, 3.0 * 8.0 * 16.0 * 4.0);
    }

    #[test]
    fn llama_cpp_unpacks_a_layer_of_a_small_cache() {
        let activations = |cache| {
            let run = Run {
                cache,
                ..run(ServingEngine::LlamaCpp)
            };
            memory(&run, &Layout::default()).activations
        };
        let copy = activations(CacheFormat::Q4_0) - activations(CacheFormat::Bf16);
        assert_near(copy, 32.0 * tiny().cache_width() * 2.0);
        let model = Architecture {
            sparse: Some(Sparse {
                top_k: 8,
                layers: 4,
                index_layers: 2,
                index_heads: 3,
                index_width: 12,
            }),
            ..tiny()
        };
        let with_index = inference(
            &model,
            &run(ServingEngine::LlamaCpp),
            &Layout::default(),
            &calibration(),
        );
        let scores = with_index.activations - activations(CacheFormat::Bf16);
        assert_near(scores, 8.0 * 3.0 * 16.0 * 4.0);
    }

    /// Logged by llama.cpp for Llama 3 8B with 8,192 tokens: a buffer of 258.5 MiB with flash attention, and of 560 MiB
    /// without.
    #[test]
    fn buffers_of_llama_cpp_match_its_logs() {
        let model = llama_3_8b();
        let mib = |attention, context| {
            let run = Run {
                engine: ServingEngine::LlamaCpp,
                attention,
                context,
                generate: 0.0,
                ..Run::new(Workload::Inference, WeightFormat::plain(4.5))
            };
            let calibration = Calibration {
                llama_cpp_batch: 512.0,
                ..calibration()
            };
            inference(&model, &run, &Layout::default(), &calibration).passing() / f64::from(1 << 20)
        };
        let flash = mib(Attention::Flash, 8192.0);
        assert!((flash / 258.5 - 1.0).abs() < 0.01, "{flash}");
        let eager = mib(Attention::Eager, 8192.0);
        assert!((eager / 560.0 - 1.0).abs() < 0.05, "{eager}");
        // The scores grow with the context, not with its square.
        let long = mib(Attention::Eager, 16_384.0);
        assert!((long / eager - 2.0).abs() < 0.1, "{long}");
    }

    #[test]
    fn servers_load_towers_for_images_and_profile_fewer_sequences() {
        let seeing = Architecture {
            image_parameters: 50,
            ..tiny()
        };
        let with = |model: &Architecture, engine| {
            let calibration = Calibration {
                image_profiled_sequences: 3.0,
                ..calibration()
            };
            inference(model, &run(engine), &Layout::default(), &calibration)
        };
        let (blind, served) = (
            with(&tiny(), ServingEngine::Vllm),
            with(&seeing, ServingEngine::Vllm),
        );
        assert_near(served.weights - blind.weights, 100.0);
        assert_near(served.logits / blind.logits, 0.75);
        let read = with(&seeing, ServingEngine::LlamaCpp).weights;
        assert_near(read, with(&tiny(), ServingEngine::LlamaCpp).weights);
    }

    #[test]
    fn engines_pad_experts_and_old_kernels_split_products() {
        let with = |calibration: Calibration| {
            inference(
                &tiny_mixture(),
                &run(ServingEngine::Vllm),
                &Layout::default(),
                &calibration,
            )
        };
        let plain = with(calibration());
        let padded = with(Calibration {
            expert_input_multiple: 12.0,
            ..calibration()
        });
        // 2,304 bytes of experts with an input of 8 values, which is padded to 12.
        assert_near(padded.weights - plain.weights, 2304.0 / 2.0);
        let split = with(Calibration {
            split_products: 8.0,
            ..calibration()
        });
        let columns = f64::from(tiny_mixture().experts.unwrap().width);
        assert_near(
            split.activations - plain.activations,
            8.0 * 100.0 * columns * 2.0,
        );
    }

    #[test]
    fn all_logits_cost_their_bytes_for_every_position() {
        let with = |logits, generate, tied| {
            let run = Run {
                generate,
                logits,
                ..run(ServingEngine::Transformers)
            };
            let model = Architecture { tied, ..tiny() };
            inference(&model, &run, &Layout::default(), &calibration())
        };
        assert_near(with(Logits::All, 6.0, false).logits, 20.0 * 32.0 * 7.0);
        assert_near(with(Logits::Chunked, 0.0, false).logits, 20.0 * 32.0 * 10.0);
        assert_near(with(Logits::None, 6.0, false).logits, 0.0);
        // A tied head is loaded a second time.
        assert_near(with(Logits::All, 6.0, true).weights, 5776.0);
        assert_near(with(Logits::Last, 6.0, true).weights, 5776.0 - 512.0);
    }

    #[test]
    fn eager_attention_keeps_scores() {
        let activations = |context, tensor| {
            let run = Run {
                attention: Attention::Eager,
                context,
                ..run(ServingEngine::Transformers)
            };
            let layout = Layout {
                tensor,
                ..Layout::default()
            };
            memory(&run, &layout).activations
        };
        assert_near(activations(10.0, 1), 2.0 * 100.0 * 4.0 * 12.0 + 20.0 * 64.0);
        assert_near(activations(10.0, 2), 2.0 * 100.0 * 2.0 * 12.0 + 20.0 * 64.0);
        assert_near(activations(1.0, 1), 2.0 * 160.0);
    }

    #[test]
    fn the_host_has_the_layers_that_the_device_lacks() {
        let run = Run {
            gpu_layers: Some(1),
            ..run(ServingEngine::LlamaCpp)
        };
        let memory = memory(&run, &Layout::default());
        assert_near(memory.weights, 4752.0 / 4.0);
        assert_near(memory.kv_cache, 2048.0 / 4.0);
        assert_near(
            memory.host,
            5776.0 + 2048.0 - memory.weights - memory.kv_cache,
        );
    }

    #[test]
    fn the_host_has_the_experts_of_the_first_layers() {
        let with = |layers| {
            let run = Run {
                cpu_expert_layers: Some(layers),
                ..run(ServingEngine::LlamaCpp)
            };
            inference(&tiny_mixture(), &run, &Layout::default(), &calibration())
        };
        // The first of four layers is dense, and three have experts of 768 bytes.
        let all = with(0);
        assert_near(all.host, 0.0);
        assert_near(with(1).weights, all.weights);
        assert_near(with(3).weights, all.weights - 2.0 * 768.0);
        assert_near(with(3).host, 2.0 * 768.0);
        assert_near(with(9).host, 3.0 * 768.0);
        assert_near(with(9).kv_cache, all.kv_cache);
    }
}
