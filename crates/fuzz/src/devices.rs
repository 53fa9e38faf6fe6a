//! The output of vendors' tools.

use sky_accel_detect::{DriverError, Host, Report, detect};
use sky_accel_engine::Engine;
use sky_accel_engine::contract::DetectRequest;

use crate::input::text;

/// A host with one tool, which ignores its arguments.
struct ToolHost<'m> {
    tool: &'static str,
    output: &'m str,
}

impl Host for ToolHost<'_> {
    fn read(&self, _path: &str) -> Option<String> {
        None
    }

    fn list(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    fn link(&self, _path: &str) -> Option<String> {
        None
    }

    fn outputs(&self, tool: &str, _arguments: &[&str]) -> Vec<String> {
        let is_meant = tool == self.tool;
        is_meant
            .then(|| self.output.to_owned())
            .into_iter()
            .collect()
    }

    fn nvml(&self) -> Option<Result<Report, DriverError>> {
        None
    }
}

fn printed(tool: &'static str, bytes: &[u8]) {
    if let Some(output) = text(bytes) {
        let reports = detect(&ToolHost { tool, output });
        let _ = Engine::embedded().detect(&DetectRequest::default(), &reports);
    }
}

pub(crate) fn nvidia_smi(bytes: &[u8]) {
    printed("nvidia-smi", bytes);
}

pub(crate) fn rocm_smi(bytes: &[u8]) {
    printed("rocm-smi", bytes);
}

pub(crate) fn amd_smi(bytes: &[u8]) {
    printed("amd-smi", bytes);
}

pub(crate) fn neuron_ls(bytes: &[u8]) {
    printed("neuron-ls", bytes);
}

pub(crate) fn hl_smi(bytes: &[u8]) {
    printed("hl-smi", bytes);
}
