//! The costs of eager trainers beside the operations of a model: launching its kernels, and the copies of adapters.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::memory::adapter_parameters;
use super::super::run::{Layout, Run, SavedModules};
use super::super::words::{Checkpointing, LoraTargets};

/// Matrices of a layer with adapters.
fn adapted_matrices(model: &Architecture, run: &Run) -> f64 {
    match run.lora_targets {
        _ if !run.adapters => 0.0,
        LoraTargets::Qv => 2.0,
        LoraTargets::Attention => 4.0,
        LoraTargets::AllLinear => 4.0 + if model.gated { 3.0 } else { 2.0 },
    }
}

/// Seconds that the host takes to launch the kernels of a step of one rank; 0 for trainers whose launches were not
/// measured. The device computes at the same time, so the larger of both decides.
pub(super) fn launching_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> f64 {
    if run.compile {
        return 0.0;
    }
    let recomputed = match run.checkpointing {
        Checkpointing::None => 0.0,
        Checkpointing::Selective => calibration.recomputed_share,
        Checkpointing::Full => 1.0,
    };
    let adapters = 1.0 + calibration.adapter_launch_share * adapted_matrices(model, run);
    let quantized = if run.weights.is_quantized() && run.adapters {
        calibration.quantized_launch_factor
    } else {
        1.0
    };
    let layers = f64::from(model.layers) / f64::from(layout.pipeline);
    let launches = calibration.train_launches * (1.0 + recomputed) * adapters * quantized;
    layers * device.engine.layer * launches * run.accumulation(layout)
}

/// Seconds per token that the copies of adapters take on one device: each adapter casts its input and its output.
pub(super) fn copying_s(
    model: &Architecture,
    run: &Run,
    device: &Device,
    calibration: &Calibration,
) -> f64 {
    let Some(bandwidth) = device.bandwidth.filter(|_| run.adapters && !run.compile) else {
        return 0.0;
    };
    // An adapter of rank 1 has a parameter for each value of its input and its output. A token passes few experts.
    let one = Run {
        lora_rank: 1.0,
        saved: SavedModules::default(),
        ..*run
    };
    let active = model.experts.map_or(1.0, |experts| {
        f64::from(experts.active) / f64::from(experts.count)
    });
    let values = adapter_parameters(model, &one) * active;
    values * calibration.adapter_traffic_bytes / bandwidth
}

#[cfg(test)]
mod tests {
    use super::super::super::device::EngineCosts;
    use super::super::super::format::WeightFormat;
    use super::super::super::run::StepSize;
    use super::super::super::testing::{assert_near, tiny};
    use super::super::super::words::Workload;
    use super::*;

    fn device() -> Device {
        Device {
            bandwidth: Some(1e3),
            engine: EngineCosts {
                layer: 1.0,
                ..EngineCosts::default()
            },
            ..Device::default()
        }
    }

    fn calibration() -> Calibration {
        Calibration {
            recomputed_share: 0.25,
            train_launches: 2.0,
            adapter_launch_share: 0.5,
            quantized_launch_factor: 3.0,
            adapter_traffic_bytes: 10.0,
            ..Calibration::default()
        }
    }

    fn run(workload: Workload, bits: f64) -> Run {
        Run {
            checkpointing: Checkpointing::None,
            ..Run::new(workload, WeightFormat::plain(bits))
        }
    }

    #[test]
    fn launches_grow_with_layers_passes_and_adapters() {
        let seconds = |run: &Run, pipeline| {
            let layout = Layout {
                pipeline,
                ..Layout::default()
            };
            launching_s(&tiny(), run, &layout, &device(), &calibration())
        };
        let full = run(Workload::Full, 16.0);
        assert_near(seconds(&full, 1), 4.0 * 2.0);
        assert_near(seconds(&full, 2), 2.0 * 2.0);
        let again = |checkpointing| {
            seconds(
                &Run {
                    checkpointing,
                    ..full
                },
                1,
            )
        };
        assert_near(again(Checkpointing::Full), 16.0);
        assert_near(again(Checkpointing::Selective), 10.0);
        let micro_batches = Run {
            step: StepSize::MicroBatches(3.0),
            ..full
        };
        assert_near(seconds(&micro_batches, 1), 24.0);
        let compiled = Run {
            compile: true,
            ..full
        };
        assert_near(seconds(&compiled, 1), 0.0);
        let adapted = |lora_targets, bits| {
            let run = Run {
                lora_targets,
                ..run(Workload::Lora, bits)
            };
            seconds(&run, 1)
        };
        assert_near(adapted(LoraTargets::Qv, 16.0), 8.0 * 2.0);
        assert_near(adapted(LoraTargets::Attention, 16.0), 8.0 * 3.0);
        assert_near(adapted(LoraTargets::AllLinear, 16.0), 8.0 * 4.5);
        assert_near(adapted(LoraTargets::AllLinear, 4.0), 24.0 * 4.5);
    }

    #[test]
    fn adapters_copy_their_inputs_and_outputs() {
        let seconds = |run: &Run| copying_s(&tiny(), run, &device(), &calibration());
        assert_near(seconds(&run(Workload::Full, 16.0)), 0.0);
        let adapted = Run {
            lora_rank: 16.0,
            lora_targets: LoraTargets::Qv,
            saved: SavedModules {
                embeddings: true,
                head: true,
            },
            ..run(Workload::Lora, 16.0)
        };
        // Queries and values of four layers: 8 + 8 and 8 + 4 values.
        assert_near(seconds(&adapted), 4.0 * 28.0 * 10.0 / 1e3);
    }
}
