//! NVIDIA's management library: a program in WebAssembly has none.

use crate::report::{DriverError, Report};

/// Returns the report of the library, which is not installed.
pub(crate) fn detect() -> Option<Result<Report, DriverError>> {
    None
}
