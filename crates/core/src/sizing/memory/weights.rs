//! Weights and adapters of one device.

use super::super::architecture::Architecture;
use super::super::run::{Layout, Run};
use super::super::words::LoraTargets;

/// Bytes of stored weights on the device that holds most of them.
///
/// Tensor parallelism divides all matrices, pipeline parallelism the layers, and expert parallelism the experts.
/// Norms and routers are replicated on every rank.
pub fn weights(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    let tensor = f64::from(layout.tensor);
    let bytes = run.weights.bytes(model);
    let stage = stage_share(model, layout) * run.device_share(model);
    // The first stage has the embedding and the last stage the head; the larger one decides.
    let ends = if !run.has_ends(model) {
        0.0
    } else if layout.pipeline > 1 {
        bytes.embedding.max(bytes.head)
    } else {
        bytes.embedding + bytes.head
    };
    let spread = f64::from(layout.tensor.max(layout.expert));
    ends / tensor
        + stage
            * (bytes.dense / tensor
                + replicated_keys(model, run, layout)
                + run.device_expert_share(model) * (bytes.experts + bytes.image_experts) / spread
                + bytes.small)
        + bytes.extra
}

/// The share of the layers on the fullest pipeline stage.
pub(super) fn stage_share(model: &Architecture, layout: &Layout) -> f64 {
    let layers = model.layers.max(1);
    f64::from(layers.div_ceil(layout.pipeline)) / f64::from(layers)
}

/// Bytes of key and value matrices that are copied: with more ranks than key heads, several ranks hold the same head.
fn replicated_keys(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    if model.mla.is_some() {
        return 0.0;
    }
    let (global_heads, window_heads) = model.cache_heads();
    let (global_layers, window_layers) = model.cache_layers();
    let of_layers = |layers: f64, heads: u32, width: f64| {
        let heads = f64::from(heads);
        let even = heads / f64::from(layout.tensor);
        layers * f64::from(model.hidden) * width / heads * (1.0 - even).max(0.0)
    };
    let width = |heads: u32| 2.0 * f64::from(heads) * f64::from(model.head_dim);
    let global_width = model.window.and_then(|window| window.global_cache_width);
    let global_width = global_width.map_or(width(global_heads), f64::from);
    let copies = of_layers(global_layers, global_heads, global_width)
        + of_layers(window_layers, window_heads, width(window_heads));
    copies * run.weights.attention_bits / 8.0
}

/// The width of the MLPs that a token passes through in a layer, which decides the size of activations.
pub(super) fn active_ffn(model: &Architecture) -> f64 {
    let dense = f64::from(model.ffn);
    model.experts.map_or(dense, |experts| {
        let routed = f64::from(experts.active) * f64::from(experts.width);
        let has_dense = experts.dense_first > 0 || experts.every > 1;
        let width = routed + f64::from(experts.shared_width);
        if has_dense { width.max(dense) } else { width }
    })
}

/// Parameters of the adapters of a run: the rank times the sum of both widths of each adapted matrix (Hu et al.,
/// arXiv 2106.09685, section 4.1), and modules that are trained whole.
pub fn adapter_parameters(model: &Architecture, run: &Run) -> f64 {
    let hidden = f64::from(model.hidden);
    let (query, key) = (model.query_width(), model.key_width());
    // Input and output widths of each adapted matrix.
    let layer = match run.lora_targets {
        LoraTargets::Qv => (hidden + query) + (hidden + key),
        LoraTargets::Attention | LoraTargets::AllLinear => {
            2.0 * (hidden + query) + 2.0 * (hidden + key)
        }
    };
    let matrices = if model.gated { 3.0 } else { 2.0 };
    let mlp = match run.lora_targets {
        LoraTargets::AllLinear => {
            let one = |width: u32| matrices * (hidden + f64::from(width));
            let experts = model.experts.map_or(0.0, |experts| {
                let input = f64::from(model.expert_input());
                let routed = matrices * (input + f64::from(experts.width));
                f64::from(experts.count) * routed + one(experts.shared_width)
            });
            let expert_layers = f64::from(model.expert_layers());
            let dense = f64::from(model.mlp_layers.unwrap_or(model.layers)) - expert_layers;
            dense * one(model.ffn) + expert_layers * experts
        }
        LoraTargets::Qv | LoraTargets::Attention => 0.0,
    };
    // A module that is trained whole is a copy of the frozen one; a tied head is the same module as the embedding.
    let saved = [run.saved.embeddings, run.saved.head];
    let saved = saved.into_iter().filter(|is_saved| *is_saved).count();
    let saved_modules = if model.tied { saved.min(1) } else { saved } as f64;
    run.lora_rank * (f64::from(model.layers) * layer + mlp)
        + saved_modules * f64::from(model.vocab) * hidden
}

#[cfg(test)]
mod tests {
    use super::super::super::format::WeightFormat;
    use super::super::super::run::SavedModules;
    use super::super::super::testing::{assert_near, tiny, tiny_mixture};
    use super::super::super::words::{ServingEngine, Workload};
    use super::*;

    fn run() -> Run {
        Run::new(Workload::Inference, WeightFormat::plain(16.0))
    }

    #[test]
    fn parallelism_divides_matrices_and_replicates_norms() {
        let bytes = |tensor, pipeline| {
            let layout = Layout {
                tensor,
                pipeline,
                ..Layout::default()
            };
            weights(&tiny(), &run(), &layout)
        };
        assert_near(bytes(1, 1), 2.0 * 2888.0);
        assert_near(bytes(2, 1), 512.0 + 2304.0 + 144.0);
        // Four ranks share two key heads, so half of the keys and values are copies.
        assert_near(bytes(4, 1), 256.0 + 1152.0 + 128.0 + 144.0);
        // The fullest stage has two of four layers, with three stages, too.
        assert_near(bytes(1, 2), 512.0 + 4752.0 / 2.0);
        assert_near(bytes(1, 3), bytes(1, 2));
    }

    #[test]
    fn a_pipeline_stage_has_the_larger_of_embedding_and_head() {
        let run = Run {
            weights: WeightFormat {
                head_bits: 8.0,
                ..WeightFormat::plain(16.0)
            },
            ..run()
        };
        let layout = Layout {
            pipeline: 2,
            ..Layout::default()
        };
        assert_near(weights(&tiny(), &run, &layout), 512.0 + 2376.0);
    }

    #[test]
    fn expert_parallelism_divides_only_routed_experts() {
        let bytes = |tensor, expert| {
            let layout = Layout {
                tensor,
                expert,
                ..Layout::default()
            };
            weights(&tiny_mixture(), &run(), &layout)
        };
        // Dense: 768 of attention, 384 of the dense MLP and 144 of shared experts. Small: 72 norms and 96 routers.
        assert_near(bytes(1, 1), 1024.0 + 2592.0 + 2304.0 + 336.0);
        assert_near(bytes(1, 2), 1024.0 + 2592.0 + 1152.0 + 336.0);
        assert_near(bytes(2, 1), 512.0 + 1296.0 + 1152.0 + 336.0);
    }

    #[test]
    fn towers_are_on_every_rank_and_host_layers_on_none() {
        let tower = Architecture {
            extra_parameters: 100,
            ..tiny()
        };
        let two = Layout {
            tensor: 2,
            ..Layout::default()
        };
        assert_near(
            weights(&tower, &run(), &two) - weights(&tiny(), &run(), &two),
            200.0,
        );
        let on_device = |layers| {
            let run = Run {
                engine: ServingEngine::LlamaCpp,
                gpu_layers: Some(layers),
                ..run()
            };
            weights(&tiny(), &run, &Layout::default())
        };
        assert_near(on_device(1), 4752.0 / 4.0);
        assert_near(on_device(4), 4752.0);
        assert_near(on_device(5), 4752.0 + 1024.0);
    }

    #[test]
    fn experts_for_images_are_stored_as_the_others_and_never_active() {
        let text = tiny_mixture();
        let mut model = text;
        if let Some(experts) = &mut model.experts {
            experts.image_width = 2;
        }
        let more = |bits, tensor| {
            let run = Run::new(Workload::Inference, WeightFormat::plain(bits));
            let layout = Layout {
                tensor,
                ..Layout::default()
            };
            weights(&model, &run, &layout) - weights(&text, &run, &layout)
        };
        // Three layers with four of them, half as wide as those for text.
        let parameters = text.parameters().experts / 2.0;
        assert_near(more(16.0, 1), 2.0 * parameters);
        assert_near(more(16.0, 2), parameters);
        assert_near(more(4.0, 1), parameters / 2.0);
        assert_near(
            model.parameters().total() - text.parameters().total(),
            parameters,
        );
        assert_near(model.active_parameters(), text.active_parameters());
        let read = |model: &Architecture| run().weights.bytes(model).read(model, 64.0);
        assert_near(read(&model), read(&text));
    }

    #[test]
    fn active_width_is_the_width_of_the_widest_kind_of_layer() {
        assert_near(active_ffn(&tiny()), 16.0);
        assert_near(active_ffn(&tiny_mixture()), 16.0);
        let mut mixture = tiny_mixture();
        mixture.ffn = 3;
        assert_near(active_ffn(&mixture), 10.0);
        mixture.ffn = 16;
        if let Some(experts) = &mut mixture.experts {
            experts.dense_first = 0;
        }
        assert_near(active_ffn(&mixture), 10.0);
    }

    #[test]
    fn adapters_have_the_rank_times_both_widths_of_each_matrix() {
        let parameters = |model: &Architecture, lora_targets, saved| {
            let run = Run {
                lora_rank: 2.0,
                lora_targets,
                saved,
                ..run()
            };
            adapter_parameters(model, &run)
        };
        let none = SavedModules::default();
        assert_near(parameters(&tiny(), LoraTargets::Qv, none), 2.0 * 4.0 * 28.0);
        assert_near(
            parameters(&tiny(), LoraTargets::Attention, none),
            2.0 * 4.0 * 56.0,
        );
        let all = 2.0 * 4.0 * (56.0 + 3.0 * 24.0);
        assert_near(parameters(&tiny(), LoraTargets::AllLinear, none), all);
        let plain = Architecture {
            gated: false,
            ..tiny()
        };
        assert_near(
            parameters(&plain, LoraTargets::AllLinear, none),
            2.0 * 4.0 * (56.0 + 2.0 * 24.0),
        );
        // One dense layer, and three with four experts and a shared one.
        assert_near(
            parameters(&tiny_mixture(), LoraTargets::AllLinear, none),
            2.0 * (4.0 * 56.0 + 72.0 + 3.0 * (4.0 * 36.0 + 30.0)),
        );
        let both = SavedModules {
            embeddings: true,
            head: true,
        };
        assert_near(
            parameters(&tiny(), LoraTargets::AllLinear, both),
            all + 512.0,
        );
        let tied = Architecture {
            tied: true,
            ..tiny()
        };
        assert_near(parameters(&tied, LoraTargets::AllLinear, both), all + 256.0);
    }
}
