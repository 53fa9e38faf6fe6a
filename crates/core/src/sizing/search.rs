//! Ways to spread a model over devices.

use super::architecture::Architecture;
use super::run::{Layout, Run, StepSize};
use crate::catalog::Axis;

/// The parts of a layout that are given; the others are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenLayout {
    /// Devices that share each matrix.
    pub tensor: Option<u32>,
    /// Stages that the layers are cut into.
    pub pipeline: Option<u32>,
    /// Ranks with sequences of their own.
    pub data: Option<u32>,
    /// Devices that share each sequence; 1 where it is not given.
    pub context: Option<u32>,
    /// Devices that share the experts; 1 where it is not given, unless a caller adds other layouts.
    pub expert: Option<u32>,
    /// The ZeRO stage.
    pub zero_stage: Option<u8>,
    /// Groups of ranks that each hold all of what is sharded; 1 where it is not given.
    pub shard_groups: Option<u32>,
}

impl GivenLayout {
    /// The same without ways to spread a model that an engine does not support.
    ///
    /// # Errors
    ///
    /// [`Indivisible::Lacks`] where one of them is given.
    pub fn without(mut self, lacks: impl Iterator<Item = Axis>) -> Result<Self, Indivisible> {
        for axis in lacks {
            let ranks = match axis {
                Axis::Tensor => &mut self.tensor,
                Axis::Pipeline => &mut self.pipeline,
                Axis::Context => &mut self.context,
                Axis::Expert => &mut self.expert,
                // It has no degree: a layout is of that kind, or not.
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
    /// Heads that tensor parallelism does not divide.
    Heads {
        /// Query heads of the model.
        heads: u32,
        /// Devices that would share them.
        tensor: u32,
    },
    /// Fewer layers than stages.
    Layers {
        /// Layers of the model.
        layers: u32,
        /// Stages that they would be cut into.
        pipeline: u32,
    },
    /// Experts that expert parallelism does not divide, or more ranks for them than there are.
    Experts {
        /// Experts of a layer.
        experts: u32,
        /// Devices that would share them.
        expert: u32,
        /// Devices that have the same layers.
        among: u32,
    },
    /// A global batch that the sequences of all ranks do not divide.
    GlobalBatch {
        /// Sequences of an optimizer step.
        sequences: f64,
        /// Sequences that all ranks compute at once.
        at_once: f64,
    },
    /// A way to spread a model that the engine does not support.
    Lacks(Axis),
    /// Devices that would share attention, and experts with others: the engine does one of both.
    AttentionGroup {
        /// Devices that would share attention.
        tensor: u32,
        /// Devices that would share experts.
        expert: u32,
    },
    /// Ranks that cannot be shared out to groups, each of which shards for itself.
    ShardGroups {
        /// Data-parallel ranks, times those that share a sequence.
        ranks: u32,
        /// Groups that they would be in.
        groups: u32,
    },
    /// Fewer layers than parts of all stages.
    Parts {
        /// Layers of the model.
        layers: u32,
        /// Parts that they would be cut into.
        parts: f64,
    },
    /// Another number of devices than there is.
    Devices {
        /// Devices that the given layout takes.
        needed: u32,
        /// Devices that there are.
        devices: u32,
    },
}

/// Whether a model can be cut like that.
///
/// # Errors
///
/// The first axis of the layout that does not divide the model.
pub fn divides(model: &Architecture, layout: &Layout) -> Result<(), Indivisible> {
    let (heads, tensor) = (model.heads, layout.tensor);
    let keys = model.kv_heads.max(1);
    let keys_fit =
        keys.is_multiple_of(tensor) || tensor.is_multiple_of(keys) || model.mla.is_some();
    if !heads.is_multiple_of(tensor) || !keys_fit {
        return Err(Indivisible::Heads { heads, tensor });
    }
    let (layers, pipeline) = (model.layers, layout.pipeline);
    if pipeline > layers {
        return Err(Indivisible::Layers { layers, pipeline });
    }
    let experts = model.experts.map_or(1, |experts| experts.count);
    let expert = layout.expert;
    // Experts are spread over devices that have the same layers.
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

/// Whether the steps of a run can be cut like that.
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
    // The embedding and the head may stand for a layer each.
    if parts > f64::from(model.layers) + 2.0 {
        let layers = model.layers;
        return Err(Indivisible::Parts { layers, parts });
    }
    Ok(())
}

/// The divisors of a number, from small to large.
fn divisors(n: u32) -> Vec<u32> {
    let mut small: Vec<u32> = (1..=n.isqrt()).filter(|d| n.is_multiple_of(*d)).collect();
    let large: Vec<u32> = small.iter().rev().map(|d| n / d).collect();
    small.extend(large);
    small.dedup();
    small
}

/// The ways to spread a model over so many devices, those to prefer first; never empty.
///
/// # Errors
///
/// Why the given axes leave no layout.
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
                let fits =
                    divides(model, &layout).and_then(|()| divides_steps(model, run, &layout));
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
    // A prompt waits least when all devices work on it; training when none waits for another.
    found.sort_by_key(|layout| {
        if run.workload.is_training() {
            (layout.pipeline, layout.tensor, u32::from(layout.zero_stage))
        } else {
            (layout.pipeline, layout.data, 0)
        }
    });
    Ok(found)
}
