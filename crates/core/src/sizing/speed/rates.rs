//! The result of a speed estimate.

use super::parts::TimeParts;

crate::words! {
    /// The part of a step that takes the most time.
    pub enum Bound {
        /// Reading weights and cache from device memory.
        Memory = "memory",
        /// Computing.
        Compute = "compute",
        /// Sending data between devices.
        Network = "network",
        /// Launching kernels.
        Launch = "launch",
        /// Transfers to host memory, and the optimizer that runs on the host.
        Host = "host",
    }
}

impl Bound {
    /// Returns the part that takes the most time; `None` without parts.
    pub fn of_largest(parts: impl IntoIterator<Item = (f64, Self)>) -> Option<Self> {
        let largest = parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        largest.map(|(_, bound)| bound)
    }
}

/// Tokens per second. Rates are `None` if a figure of the device is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Prefill rate of all devices.
    pub prefill: Option<f64>,
    /// Decode rate of all devices.
    pub decode: Option<f64>,
    /// Output tokens per second of all devices, including the time of the prefill.
    pub output: Option<f64>,
    /// Seconds to the first token.
    pub first_token_s: Option<f64>,
    /// Training rate of one device.
    pub train: Option<f64>,
    /// Seconds of an optimizer step.
    pub step_s: Option<f64>,
    /// Seconds of the step that frozen models run.
    pub scoring_s: Option<f64>,
    /// The part of a step that takes the most time.
    pub bound: Option<Bound>,
    /// The shares of the time of inference, with prefill.
    pub parts: Option<TimeParts>,
    /// Model FLOPs utilization: the share of the peak that useful operations take, between 0 and 1.
    pub mfu: Option<f64>,
}
