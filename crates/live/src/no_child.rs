//! Child processes: a program in WebAssembly starts none.

use std::io;
use std::process::{Command, ExitStatus};

/// Fails: there are no processes.
///
/// # Errors
///
/// Always.
#[allow(clippy::unused_async, reason = "as where there are processes")]
pub(crate) async fn run(_: Command, _: &[u8]) -> io::Result<Option<ExitStatus>> {
    Err(io::ErrorKind::Unsupported.into())
}
