//! The terms of the memory of one device.

use super::super::calibration::Calibration;
use super::super::run::Layout;
use super::super::units::GIB;

/// Bytes on the fullest device. Each temporary term is at its own peak. The peaks are at different times, so
/// `allocated` is less than their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Weights in the stored format; in training, in the format of trained parameters.
    pub weights: f64,
    /// Weights of a model that training runs without updating it.
    pub frozen: f64,
    /// The cache of all sequences at their final length.
    pub kv_cache: f64,
    /// Activations of a forward pass; in training, the activations kept for the backward pass.
    pub activations: f64,
    /// Logits of the positions that are computed.
    pub logits: f64,
    /// Gradients of trained parameters.
    pub gradients: f64,
    /// State of the optimizer, with its copy of the parameters.
    pub optimizer: f64,
    /// Adapters with their gradients and the state of their optimizer.
    pub adapters: f64,
    /// Workspaces, slack of the allocator, and memory of the driver.
    pub framework: f64,
    /// Memory that stays allocated after a step.
    pub steady: f64,
    /// The peak in use, as the allocator counts it.
    pub allocated: f64,
    /// The peak reserved by the allocator.
    pub reserved: f64,
    /// The peak reported by the driver.
    pub device: f64,
    /// Bytes of host memory for the offloaded state of this device; 0 without offloading. A machine needs this for
    /// each of its devices.
    pub host: f64,
}

impl Memory {
    /// The temporary memory of an inference step.
    pub fn passing(&self) -> f64 {
        self.activations.max(self.logits)
    }
}

/// Bytes of communication buffers (NCCL), which only runs on several devices have.
pub(super) fn communication(layout: &Layout, calibration: &Calibration) -> f64 {
    if layout.devices() > 1 {
        calibration.communication_gib * GIB
    } else {
        0.0
    }
}
