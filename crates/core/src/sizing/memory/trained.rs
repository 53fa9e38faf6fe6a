//! Trained parameters of one device, and their optimizer state.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::format::WeightFormat;
use super::super::run::{Layout, Run};
use super::super::words::{Float, Optimizer};
use super::weights::{adapter_parameters, stage_share, weights};

/// The parameters of one device, before ZeRO shards them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trained {
    /// Parameters that are trained.
    pub parameters: f64,
    /// Bytes of all weights, trained or frozen, in the format of training.
    pub weight_bytes: f64,
    /// Parameters that are gathered together while they are used: the embedding or the head, and two layers.
    pub largest_unit: f64,
    /// The share of the trained parameters in experts, between 0 and 1.
    experts: f64,
}

impl Trained {
    pub fn of(model: &Architecture, run: &Run, layout: &Layout) -> Self {
        // Formats differ by module, so trained parameters are counted as one byte each.
        let counting = Run {
            weights: WeightFormat::plain(8.0),
            ..*run
        };
        let share = weights(model, &counting, layout);
        let counted = model.parameters();
        let tensor = f64::from(layout.tensor);
        let spread = f64::from(layout.tensor.max(layout.expert));
        let layers = (counted.layers() - counted.experts) / tensor + counted.experts / spread;
        let layer = layers / f64::from(model.layers.max(1));
        let largest_unit = counted.embedding / tensor + 2.0 * layer;
        let (parameters, weight_bytes) = if run.adapters {
            let adapters = adapter_parameters(model, run);
            let stored = weights(model, run, layout);
            (adapters / tensor * stage_share(model, layout), stored)
        } else {
            (share, share * run.parameters.bytes())
        };
        let experts = counted.experts / spread * stage_share(model, layout);
        let experts = if run.adapters {
            0.0
        } else {
            (experts / share).min(1.0)
        };
        Self {
            parameters,
            weight_bytes,
            largest_unit,
            experts,
        }
    }

    /// The divisor of state that a ZeRO stage shards. Expert-parallel ranks already hold only a part of the experts
    /// each, so fewer ranks are left to shard the state of experts.
    pub fn shards(&self, layout: &Layout, stage: u8) -> f64 {
        let dense = layout.shards(stage);
        let parts = f64::from(layout.expert) / f64::from(layout.tensor);
        let of_experts = (dense / parts.max(1.0)).max(1.0);
        1.0 / ((1.0 - self.experts) / dense + self.experts / of_experts)
    }
}

/// Bytes of optimizer state before sharding, without master weights.
pub(super) fn optimizer_bytes(
    model: &Architecture,
    trained: &Trained,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
) -> f64 {
    let per_parameter = state_bytes(run, layout, calibration);
    let of_embedding = match run.optimizer {
        Optimizer::AdamW8Bit if calibration.adamw_8bit_embedding_bytes > 0.0 => {
            let embedding = model.parameters().embedding / f64::from(layout.tensor);
            let added = calibration.adamw_8bit_embedding_bytes - per_parameter;
            embedding.min(trained.parameters) * added.max(0.0)
        }
        _ => 0.0,
    };
    trained.parameters * per_parameter + of_embedding
}

/// Bytes of optimizer state per parameter, without master weights.
pub(crate) fn state_bytes(run: &Run, layout: &Layout, calibration: &Calibration) -> f64 {
    let wide = run.has_master_weights(layout) || run.parameters == Float::Fp32;
    let moment = if wide { 4.0 } else { 2.0 };
    moments_bytes(run.optimizer, moment, calibration)
}

/// Bytes of the moments of a parameter, with `moment` bytes each unless the optimizer has a separate format.
fn moments_bytes(optimizer: Optimizer, moment: f64, calibration: &Calibration) -> f64 {
    match optimizer {
        Optimizer::AdamW => 2.0 * moment,
        Optimizer::AdamW8Bit => calibration.adamw_8bit_bytes,
        Optimizer::Adafactor => calibration.adafactor_bytes,
        Optimizer::Muon => moment,
        Optimizer::Sgd => 0.0,
    }
}

/// Bytes of optimizer state per parameter of an adapter.
pub(crate) fn adapter_state_bytes(run: &Run, calibration: &Calibration) -> f64 {
    let moment = calibration.adapter_parameter_bytes;
    moments_bytes(run.optimizer, moment, calibration)
}

/// Bytes of the weights of a model that is run without training, sharded like the trained weights.
pub(crate) fn frozen_weights(run: &Run, layout: &Layout) -> f64 {
    let Some(frozen) = run.frozen.filter(|frozen| !frozen.is_base) else {
        return 0.0;
    };
    let run = Run {
        weights: frozen.weights,
        ..*run
    };
    weights(&frozen.shape, &run, layout) / layout.shards(3)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{assert_near, tiny};
    use super::super::super::words::Float::{Bf16, Fp32};
    use super::super::super::words::Workload;
    use super::*;

    fn calibration() -> Calibration {
        Calibration {
            adamw_8bit_bytes: 2.5,
            adafactor_bytes: 0.5,
            ..Calibration::default()
        }
    }

    fn full() -> Run {
        Run::new(Workload::Full, WeightFormat::plain(16.0))
    }

    #[test]
    fn optimizers_keep_their_moments() {
        let bytes = |optimizer, parameters| {
            let run = Run {
                optimizer,
                parameters,
                ..full()
            };
            state_bytes(&run, &Layout::default(), &calibration())
        };
        assert_near(bytes(Optimizer::AdamW, Bf16), 4.0);
        assert_near(bytes(Optimizer::AdamW, Fp32), 8.0);
        assert_near(bytes(Optimizer::AdamW8Bit, Fp32), 2.5);
        assert_near(bytes(Optimizer::Adafactor, Fp32), 0.5);
        assert_near(bytes(Optimizer::Muon, Bf16), 2.0);
        assert_near(bytes(Optimizer::Muon, Fp32), 4.0);
        assert_near(bytes(Optimizer::Sgd, Fp32), 0.0);
    }

    #[test]
    fn eight_bit_optimizers_may_keep_the_state_of_embeddings_wide() {
        let optimizer = |adamw_8bit_embedding_bytes| {
            let run = Run {
                optimizer: Optimizer::AdamW8Bit,
                ..full()
            };
            let layout = Layout::default();
            let trained = Trained::of(&tiny(), &run, &layout);
            let calibration = Calibration {
                adamw_8bit_embedding_bytes,
                ..calibration()
            };
            optimizer_bytes(&tiny(), &trained, &run, &layout, &calibration)
        };
        assert_near(optimizer(0.0), 2.5 * 2888.0);
        assert_near(optimizer(8.0), 2.5 * 2888.0 + 5.5 * 256.0);
    }
}
