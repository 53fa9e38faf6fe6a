//! A MIG layout, and its rendering for tools.

use sky_accel_core::catalog::AcceleratorId;
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{Chip, Gpu};
use sky_accel_targets::mig::MigTool;

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// GPUs of one kind with their slices, for output in the format of a tool.
#[derive(Debug)]
pub struct MigLayout<'c> {
    /// The placement rules of the GPU.
    pub chip: Chip<'c>,
    /// The accelerators that the request may mean; they have the same placement rules.
    pub accelerators: Vec<AcceleratorId>,
    /// The GPUs with their slices.
    pub gpus: Vec<Gpu>,
}

impl MigLayout<'_> {
    /// Renders the layout in the format of a tool.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::MigCannotSay`] if the tool cannot express it.
    pub fn render(&self, tool: MigTool) -> Result<String> {
        let layout = &Layout {
            chip: &self.chip,
            accelerators: &self.accelerators,
            gpus: &self.gpus,
        };
        tool.write(layout)
            .map_err(|why| Error::new(ErrorCode::MigCannotSay, why.to_string()))
    }
}
