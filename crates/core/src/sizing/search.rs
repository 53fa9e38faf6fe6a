//! Layouts of a model on a number of devices.

use super::architecture::Architecture;
use super::run::{Layout, Run, StepSize};
use super::words::Offload;
use crate::catalog::Axis;

/// The fixed parts of a layout; the others are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenLayout {
    /// Devices that share each matrix.
    pub tensor: Option<u32>,
    /// Pipeline stages.
    pub pipeline: Option<u32>,
    /// Data-parallel ranks.
    pub data: Option<u32>,
    /// Devices that share each sequence; 1 by default.
    pub context: Option<u32>,
    /// Devices among which experts are distributed; 1 by default, unless a caller adds other layouts.
    pub expert: Option<u32>,
    /// The ZeRO stage.
    pub zero_stage: Option<u8>,
    /// Groups of ranks that each hold all sharded state; 1 by default.
    pub shard_groups: Option<u32>,
}

impl GivenLayout {
    /// Sets the axes that an engine does not support to 1.
    ///
    /// # Errors
    ///
    /// [`Indivisible::Lacks`] if one of these axes is fixed to more than 1.
    pub fn without(mut self, lacks: impl Iterator<Item = Axis>) -> Result<Self, Indivisible> {
        for axis in lacks {
            let ranks = match axis {
                Axis::Tensor => &mut self.tensor,
                Axis::Pipeline => &mut self.pipeline,
                Axis::Context => &mut self.context,
                Axis::Expert => &mut self.expert,
                // An attention group has no degree that could be set to 1.
                Axis::AttentionGroup => continue,
            };
            if ranks.is_some_and(|n| n > 1) {
                return Err(Indivisible::Lacks(axis));
            }
            *ranks = Some(1);
        }
        Ok(self)
    }
}

/// Why a layout is impossible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Indivisible {
    /// Tensor parallelism does not divide the heads.
    Heads {
        /// Query heads of the model.
        heads: u32,
        /// Devices that would share them.
        tensor: u32,
    },
    /// The model has fewer layers than pipeline stages.
    Layers {
        /// Layers of the model.
        layers: u32,
        /// Pipeline stages.
        pipeline: u32,
    },
    /// Expert parallelism does not divide the experts, or needs more ranks than there are.
    Experts {
        /// Experts of a layer.
        experts: u32,
        /// Devices that would share them.
        expert: u32,
        /// Devices with the same layers.
        among: u32,
    },
    /// Tensor parallelism cuts through blocks of weights that share a scale.
    Blocks {
        /// The width of the matrix.
        width: u32,
        /// The devices that would share the matrix.
        shared: u32,
        /// The width of a block.
        block: u32,
    },
    /// The sequences of all ranks do not divide the global batch.
    GlobalBatch {
        /// Sequences of an optimizer step.
        sequences: f64,
        /// Sequences that all ranks compute at once.
        at_once: f64,
    },
    /// The engine does not support an axis of the layout.
    Lacks(Axis),
    /// Tensor-parallel attention together with more expert-parallel ranks, which the engine does not support.
    AttentionGroup {
        /// Devices that would share attention.
        tensor: u32,
        /// Devices that would share experts.
        expert: u32,
    },
    /// The number of shard groups does not divide the ranks.
    ShardGroups {
        /// Data-parallel ranks times context-parallel ranks.
        ranks: u32,
        /// Shard groups.
        groups: u32,
    },
    /// The ZeRO stage has no ranks among which it could shard.
    Unsharded {
        /// The ZeRO stage.
        stage: u8,
        /// Devices of the layout.
        devices: u32,
    },
    /// The model has fewer layers than chunks of all pipeline stages.
    Parts {
        /// Layers of the model.
        layers: u32,
        /// Chunks of all stages.
        parts: f64,
    },
    /// The layout needs a different number of devices.
    Devices {
        /// Devices of the layout.
        needed: u32,
        /// Available devices.
        devices: u32,
    },
}

/// Checks that a layout divides a model.
///
/// # Errors
///
/// The first axis that does not divide the model.
pub fn divides(model: &Architecture, layout: &Layout) -> Result<(), Indivisible> {
    let (heads, tensor) = (model.heads, layout.tensor);
    let fit = |keys: u32| keys.is_multiple_of(tensor) || tensor.is_multiple_of(keys);
    let (global_keys, window_keys) = model.cache_heads();
    if !heads.is_multiple_of(tensor) || !fit(global_keys) || !fit(window_keys) {
        return Err(Indivisible::Heads { heads, tensor });
    }
    let (layers, pipeline) = (model.layers, layout.pipeline);
    if pipeline > layers {
        return Err(Indivisible::Layers { layers, pipeline });
    }
    let experts = model.experts.map_or(1, |experts| experts.count);
    let expert = layout.expert;
    // Experts can only be distributed among devices with the same layers.
    let among = layout.tensor.saturating_mul(layout.data);
    if expert > 1 && !(experts.is_multiple_of(expert) && among.is_multiple_of(expert)) {
        return Err(Indivisible::Experts {
            experts,
            expert,
            among,
        });
    }
    Ok(())
}

/// Checks that every device has whole blocks of the weights that share a scale, which serving engines require.
///
/// # Errors
///
/// [`Indivisible::Blocks`] with the first matrix whose blocks would be cut.
pub fn divides_blocks(
    model: &Architecture,
    layout: &Layout,
    block: u32,
) -> Result<(), Indivisible> {
    let tensor = layout.tensor;
    let whole = |width: u32, shared: u32| {
        if shared <= 1 || width.is_multiple_of(shared.saturating_mul(block)) {
            return Ok(());
        }
        Err(Indivisible::Blocks {
            width,
            shared,
            block,
        })
    };
    let Some(experts) = model.experts else {
        return whole(model.ffn, tensor);
    };
    // Each group of devices that shares the experts keeps them whole.
    whole(experts.width, tensor.div_ceil(layout.expert.max(1)))?;
    whole(experts.shared_width, tensor)?;
    let has_dense = experts.dense_first > 0 || experts.every > 1;
    whole(if has_dense { model.ffn } else { 0 }, tensor)
}

/// Checks that a layout divides the steps of a run.
fn divides_steps(model: &Architecture, run: &Run, layout: &Layout) -> Result<(), Indivisible> {
    let (ranks, groups) = (
        layout.data.saturating_mul(layout.context),
        layout.shard_groups,
    );
    if !ranks.is_multiple_of(groups) {
        return Err(Indivisible::ShardGroups { ranks, groups });
    }
    if let StepSize::Sequences(sequences) = run.step {
        let at_once = run.batch * f64::from(layout.data);
        if sequences % at_once != 0.0 {
            return Err(Indivisible::GlobalBatch { sequences, at_once });
        }
    }
    if let Some(rollouts) = run.rollouts {
        let at_once = run.batch * f64::from(layout.data) * run.accumulation(layout);
        let sequences = rollouts.sequences;
        if sequences % at_once != 0.0 {
            return Err(Indivisible::GlobalBatch { sequences, at_once });
        }
    }
    let parts = f64::from(layout.pipeline) * run.virtual_pipeline;
    // Megatron-LM can count the embedding and the head as one layer each.
    if parts > f64::from(model.layers) + 2.0 {
        let layers = model.layers;
        return Err(Indivisible::Parts { layers, parts });
    }
    Ok(())
}

/// Checks that a fixed ZeRO stage has an effect: it shards among ranks, or state is on the host. A fixed number of
/// ranks is accepted in any case.
fn shards(run: &Run, given: &GivenLayout, layout: &Layout) -> Result<(), Indivisible> {
    let stage = given.zero_stage.unwrap_or(0);
    let ranks = layout.data.saturating_mul(layout.context);
    let has_effect = ranks > layout.shard_groups || run.offload != Offload::None;
    if stage == 0 || has_effect || given.data.is_some() {
        return Ok(());
    }
    let devices = ranks
        .saturating_mul(layout.tensor)
        .saturating_mul(layout.pipeline);
    Err(Indivisible::Unsharded { stage, devices })
}

/// The divisors of a number in ascending order.
fn divisors(n: u32) -> Vec<u32> {
    let mut small: Vec<u32> = (1..=n.isqrt()).filter(|d| n.is_multiple_of(*d)).collect();
    let large: Vec<u32> = small.iter().rev().map(|d| n / d).collect();
    small.extend(large);
    small.dedup();
    small
}

/// The possible layouts of a model on `devices` devices, in order of preference; never empty.
///
/// # Errors
///
/// The reason why the fixed axes leave no layout.
pub fn layouts(
    model: &Architecture,
    run: &Run,
    given: &GivenLayout,
    devices: u32,
) -> Result<Vec<Layout>, Indivisible> {
    let context = given.context.unwrap_or(1);
    let factors = divisors(devices);
    let mut found = Vec::new();
    let mut why = None;
    for tensor in factors.iter().copied() {
        for pipeline in factors.iter().copied() {
            let rest = tensor.saturating_mul(pipeline).saturating_mul(context);
            if rest > devices || !devices.is_multiple_of(rest) {
                continue;
            }
            let data = devices / rest;
            let stages: &[u8] = match (given.zero_stage, data * context) {
                (Some(stage), _) => &[stage],
                (None, _) if given.shard_groups.is_some_and(|groups| groups > 1) => &[2, 3],
                (None, ranks) if ranks > 1 && run.offload == Offload::All => &[3],
                (None, ranks) if ranks > 1 && run.workload.is_training() => &[0, 2, 3],
                _ => &[0],
            };
            for zero_stage in stages {
                let layout = Layout {
                    tensor,
                    pipeline,
                    data,
                    context,
                    expert: given.expert.unwrap_or(1),
                    zero_stage: *zero_stage,
                    shard_groups: given.shard_groups.unwrap_or(1),
                };
                let is_given = given.tensor.is_none_or(|n| n == tensor)
                    && given.pipeline.is_none_or(|n| n == pipeline)
                    && given.data.is_none_or(|n| n == data);
                let fits = divides(model, &layout)
                    .and_then(|()| divides_steps(model, run, &layout))
                    .and_then(|()| shards(run, given, &layout));
                match fits {
                    Ok(()) if is_given => found.push(layout),
                    Err(error) if is_given => why = Some(error),
                    _ => {}
                }
            }
        }
    }
    if found.is_empty() {
        let product = |n: Option<u32>| n.unwrap_or(1);
        let needed = [given.tensor, given.pipeline, given.data, given.context]
            .into_iter()
            .fold(1, |needed: u32, n| needed.saturating_mul(product(n)));
        return Err(why.unwrap_or(Indivisible::Devices { needed, devices }));
    }
    // Requests name a ZeRO stage instead of tensor and pipeline parallelism, which divide the same state.
    let is_plain = |layout: &Layout| layout.tensor == 1 && layout.pipeline == 1;
    let is_asked = given.zero_stage.is_some_and(|stage| stage > 0);
    let is_open = given.tensor.is_none() && given.pipeline.is_none();
    if is_asked && is_open && run.workload.is_training() && found.iter().any(is_plain) {
        found.retain(is_plain);
    }
    // In inference, TTFT is shortest if all devices work on each prompt. Training is fastest with the least waiting.
    found.sort_by_key(|layout| {
        if run.workload.is_training() {
            (layout.pipeline, layout.tensor, u32::from(layout.zero_stage))
        } else {
            (layout.pipeline, layout.data, 0)
        }
    });
    Ok(found)
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::testing::{llama_3_8b, tiny_mixture};
    use crate::sizing::{WeightFormat, Workload};

    #[test]
    fn a_fixed_zero_stage_shards() {
        let mut run = Run::new(Workload::Full, WeightFormat::plain(16.0));
        let mut given = GivenLayout {
            zero_stage: Some(3),
            ..GivenLayout::default()
        };
        let found =
            |run: &Run, given: &GivenLayout, devices| layouts(&llama_3_8b(), run, given, devices);
        let several = found(&run, &given, 8).unwrap();
        assert!(!several.is_empty() && several.iter().all(|layout| layout.data == 8));
        // A given axis keeps the others open.
        let tensor = GivenLayout {
            tensor: Some(2),
            ..given
        };
        assert!(
            found(&run, &tensor, 8)
                .unwrap()
                .iter()
                .all(|layout| layout.data > 1)
        );
        let one = Indivisible::Unsharded {
            stage: 3,
            devices: 1,
        };
        assert_eq!(found(&run, &given, 1), Err(one));
        // The host holds the state of a single device too.
        run.offload = Offload::All;
        assert!(found(&run, &given, 1).is_ok());
        run.offload = Offload::None;
        given.tensor = Some(8);
        let joined = Indivisible::Unsharded {
            stage: 3,
            devices: 8,
        };
        assert_eq!(found(&run, &given, 8), Err(joined));
        given.data = Some(1);
        assert!(found(&run, &given, 8).is_ok());
    }

    #[test]
    fn a_layout_divides_heads_layers_and_experts() {
        let layout = |tensor, pipeline, expert, data| Layout {
            tensor,
            pipeline,
            data,
            expert,
            ..Layout::default()
        };
        // 32 layers, 32 heads, and 8 heads of keys and values.
        let dense = llama_3_8b();
        let heads = |tensor| Err(Indivisible::Heads { heads: 32, tensor });
        let experts = |experts, expert, among| {
            Err(Indivisible::Experts {
                experts,
                expert,
                among,
            })
        };
        for (tensor, expected) in [
            (1, Ok(())),
            (3, heads(3)),
            (8, Ok(())),
            (32, Ok(())),
            (64, heads(64)),
        ] {
            assert_eq!(
                divides(&dense, &layout(tensor, 1, 1, 1)),
                expected,
                "{tensor}"
            );
        }
        let layers = Indivisible::Layers {
            layers: 32,
            pipeline: 33,
        };
        assert_eq!(divides(&dense, &layout(1, 32, 1, 1)), Ok(()));
        assert_eq!(divides(&dense, &layout(1, 33, 1, 1)), Err(layers));
        assert_eq!(divides(&dense, &layout(1, 1, 2, 2)), experts(1, 2, 2));
        let mut mixture = tiny_mixture();
        mixture.heads = 32;
        mixture.kv_heads = 8;
        let all = mixture.experts.unwrap().count;
        for (tensor, expert, data, expected) in [
            (2, all, all / 2, Ok(())),
            (1, all, all, Ok(())),
            // The number of devices must be a multiple of the devices that share the experts.
            (1, 2, 3, experts(all, 2, 3)),
            (1, all, all / 2, experts(all, all, all / 2)),
            // The experts are no multiple of the devices.
            (1, 2 * all, 2 * all, experts(all, 2 * all, 2 * all)),
        ] {
            assert_eq!(
                divides(&mixture, &layout(tensor, 1, expert, data)),
                expected
            );
        }
    }
}
