//! Training state in the host's memory, and the time that offloading costs.
//!
//! The optimizer runs on the host, as in ZeRO-Offload (Ren et al., arXiv 2101.06840, sections 4 and 5): each step
//! sends gradients to the host, the host updates the parameters, and the updated parameters go back. Offloaded
//! parameters are fetched for the forward and again for the backward pass. The model assumes that none of this
//! overlaps with computing, which is the upper bound of the cost.

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::device::Device;
use super::memory::trained::{Trained, adapter_state_bytes, state_bytes};
use super::run::{Layout, Run};
use super::words::Offload;

/// The unit of parameters in coefficients.
const BILLION: f64 = 1e9;

/// Training state of one device on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostState {
    /// Bytes of host memory.
    pub bytes: f64,
    /// Bytes that a step sends to the host.
    pub sent: f64,
    /// Bytes that a step fetches from the host.
    pub fetched: f64,
    /// Parameters that the host updates in a step.
    pub updated: f64,
}

/// The training state that a run keeps on the host for one device; zeros without offloading.
pub fn host_state(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
) -> HostState {
    if run.offload == Offload::None || !run.workload.is_training() {
        return HostState::default();
    }
    let mut trained = Trained::of(model, run, layout);
    let models = run.workload.trained_models();
    trained.parameters *= models;
    trained.weight_bytes *= models;
    let with_parameters = run.offload == Offload::All;
    let stored = trained.weight_bytes / trained.shards(layout, 3);
    if run.adapters {
        let updated = trained.parameters / trained.shards(layout, 3);
        let base = if with_parameters { stored } else { 0.0 };
        let parameter = calibration.adapter_parameter_bytes;
        let state = adapter_state_bytes(run, calibration);
        return HostState {
            bytes: (updated * (2.0 * parameter + state) + base) * calibration.host_buffers,
            sent: updated * parameter,
            fetched: updated * parameter + 2.0 * base,
            updated,
        };
    }
    let updated = trained.parameters / trained.shards(layout, 1);
    let gradients = run.gradients.bytes();
    // The optimizer updates a copy of the parameters on the host: 32-bit master weights, or the device's format.
    let has_master = run.has_master_weights(layout);
    let kept = if has_master {
        4.0
    } else {
        run.parameters.bytes()
    };
    let waiting = if run.optimizer_in_backward {
        trained.largest_unit.min(updated)
    } else {
        updated
    };
    let copies = if with_parameters && has_master {
        stored
    } else {
        0.0
    };
    HostState {
        bytes: (updated * (kept + state_bytes(run, layout, calibration))
            + waiting * gradients
            + copies)
            * calibration.host_buffers,
        sent: updated * gradients,
        fetched: if with_parameters {
            2.0 * stored
        } else {
            updated * run.parameters.bytes()
        },
        updated,
    }
}

/// Seconds per step that offloading costs a rank. Each device has its own link to the host, but all devices of a
/// machine share the processors that update the parameters.
pub(super) fn seconds(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> f64 {
    let state = host_state(model, run, layout, calibration);
    if state.updated <= 0.0 {
        return 0.0;
    }
    let sharing = f64::from(layout.devices()).min(device.per_machine);
    (state.sent + state.fetched) / device.host_link
        + state.updated * sharing / (calibration.host_update_billions_s * BILLION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::device::{ByWidth, Links, TrainingShares};
    use crate::sizing::peak::Peak;
    use crate::sizing::{
        Architecture, Bound, Run, RunError, Speed, WeightFormat, Workload, memory, speed,
    };

    /// A model of 7 billion parameters, nearly all of them in matrices.
    fn model() -> Architecture {
        Architecture {
            hidden: 4096,
            layers: 32,
            heads: 32,
            kv_heads: 32,
            head_dim: 128,
            ffn: 11008,
            vocab: 32_000,
            gated: true,
            norms_per_layer: 2,
            ..Architecture::default()
        }
    }

    fn calibration() -> Calibration {
        Calibration {
            gathered_bytes: 6.0,
            fp8_gain: 1.0,
            unfused_share: 1.0,
            train_size_least: 1.0,
            train_size_most: 1.0,
            long_context_least: 1.0,
            host_update_billions_s: 4.0,
            host_buffers: 1.0,
            adapter_parameter_bytes: 4.0,
            ..Calibration::default()
        }
    }

    fn device() -> Device {
        Device {
            peak: Peak {
                bits_16: Some(1e15),
                ..Peak::default()
            },
            training: TrainingShares {
                eager: 0.4,
                products: ByWidth {
                    half: 1.0,
                    ..ByWidth::default()
                },
                ..TrainingShares::default()
            },
            links: Links {
                rate: 2e11,
                domain: 8.0,
                is_fabric: true,
                ..Links::default()
            },
            host_link: 2.5e10,
            per_machine: 8.0,
            ..Device::default()
        }
    }

    fn run_of(workload: Workload, offload: Offload) -> Run {
        Run {
            offload,
            ..Run::new(workload, WeightFormat::plain(16.0))
        }
    }

    fn sharded(data: u32, zero_stage: u8) -> Layout {
        Layout {
            data,
            zero_stage,
            ..Layout::default()
        }
    }

    #[test]
    fn an_offloaded_optimizer_takes_14_bytes_per_parameter_on_the_host() {
        let (model, calibration) = (model(), calibration());
        let parameters = model.parameters().total();
        let run = run_of(Workload::Full, Offload::Optimizer);
        let one = memory(&model, &run, &Layout::default(), &calibration);
        // Per parameter: 4 bytes of weights, two moments of 4 bytes, and 2 bytes of gradient.
        assert!((one.host / parameters - 14.0).abs() < 1e-9);
        assert!(one.optimizer.abs() < 0.5 && (one.weights / parameters - 2.0).abs() < 1e-9);
        let eight = memory(&model, &run, &sharded(8, 2), &calibration);
        assert!((eight.host * 8.0 / parameters - 14.0).abs() < 1e-9);
        // Offloaded parameters add their 16-bit copy on the host, and one gathered unit on the device.
        let run = run_of(Workload::Full, Offload::All);
        let unsharded = memory(&model, &run, &Layout::default(), &calibration);
        assert!((unsharded.host / parameters - 16.0).abs() < 1e-9);
        assert!(unsharded.weights.abs() < 0.5 && unsharded.allocated > 6.0 * 32_000.0 * 4096.0);
        let none = run_of(Workload::Full, Offload::None);
        assert!(
            memory(&model, &none, &sharded(8, 3), &calibration)
                .host
                .abs()
                < 0.5
        );
    }

    #[test]
    fn gradients_follow_the_optimizer_where_the_engine_moves_them() {
        let model = model();
        let parameters = model.parameters().total();
        let gradients = |calibration: &Calibration, layout: &Layout| {
            let run = run_of(Workload::Full, Offload::Optimizer);
            memory(&model, &run, layout, calibration).gradients / parameters
        };
        let moved = gradients(&calibration(), &Layout::default());
        // One unit at a time: the embedding and two layers.
        assert!(moved < 2.0 * 0.1, "{moved}");
        let keeps = Calibration {
            kept_gradients: 1.0,
            ..calibration()
        };
        assert!((gradients(&keeps, &Layout::default()) - 2.0).abs() < 1e-9);
        // ZeRO 1 sums gradients on the device.
        assert!((gradients(&calibration(), &sharded(8, 1)) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn transfers_need_buffers_in_host_memory() {
        let (model, run) = (model(), run_of(Workload::Full, Offload::All));
        let host = |calibration| memory(&model, &run, &sharded(8, 3), &calibration).host;
        let buffered = Calibration {
            host_buffers: 1.5,
            ..calibration()
        };
        assert!((host(buffered) / host(calibration()) - 1.5).abs() < 1e-9);
        // DeepSpeed's estimate: 16 bytes per parameter, and half as much for buffers.
        let total = 8.0 * host(buffered) / model.parameters().total();
        assert!((total - 24.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn offloading_moves_adapter_state_and_optionally_base_weights_to_the_host() {
        let (model, calibration) = (model(), calibration());
        let layout = Layout::default();
        let at = |offload| {
            memory(
                &model,
                &run_of(Workload::Lora, offload),
                &layout,
                &calibration,
            )
        };
        let (none, optimizer, all) = (at(Offload::None), at(Offload::Optimizer), at(Offload::All));
        assert!(optimizer.adapters < none.adapters);
        assert!(optimizer.host > 0.0 && optimizer.host < 0.1 * optimizer.weights);
        assert!((all.host - optimizer.host - none.weights).abs() < 1.0);
        assert!(all.weights.abs() < 0.5);
    }

    #[test]
    fn offloading_adds_transfers_and_host_updates_to_a_step() {
        let (model, calibration, device) = (model(), calibration(), device());
        let parameters = model.parameters().total();
        let step = |workload, offload, layout: &Layout| -> (f64, Speed) {
            let run = run_of(workload, offload);
            let found = speed(&model, &run, layout, &device, &calibration);
            (run.tokens() / found.train.unwrap_or_default(), found)
        };
        let one = Layout::default();
        let (plain, _) = step(Workload::Full, Offload::None, &one);
        let (offloaded, found) = step(Workload::Full, Offload::Optimizer, &one);
        let expected = parameters * 4.0 / 2.5e10 + parameters / 4e9;
        assert!(((offloaded - plain) / expected - 1.0).abs() < 1e-6);
        assert_eq!(found.bound, Some(Bound::Host));
        // Offloaded parameters are fetched twice per step.
        let (fetched, _) = step(Workload::Full, Offload::All, &one);
        assert!(((fetched - offloaded) / (parameters * 2.0 / 2.5e10) - 1.0).abs() < 1e-6);
        // Sharding makes transfers smaller, but the host still updates every parameter.
        let (plain, _) = step(Workload::Full, Offload::None, &sharded(4, 2));
        let (offloaded, _) = step(Workload::Full, Offload::Optimizer, &sharded(4, 2));
        let expected = parameters * 4.0 / 4.0 / 2.5e10 + parameters / 4e9;
        assert!(((offloaded - plain) / expected - 1.0).abs() < 1e-6);
        let (plain, _) = step(Workload::Lora, Offload::None, &one);
        let (offloaded, _) = step(Workload::Lora, Offload::Optimizer, &one);
        assert!(offloaded > plain);
    }

    #[test]
    fn rejects_offloaded_inference() {
        let run = run_of(Workload::Inference, Offload::All);
        assert_eq!(run.check(), Err(RunError::OffloadedInference(Offload::All)));
        let message = run.check().unwrap_err().to_string();
        assert!(message.contains("only to training"), "{message}");
        assert_eq!(run_of(Workload::Inference, Offload::None).check(), Ok(()));
        assert_eq!(run_of(Workload::Qlora, Offload::All).check(), Ok(()));
    }
}
