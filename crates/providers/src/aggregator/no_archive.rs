//! Archives: a program in WebAssembly downloads none. The crate that reads them expects random numbers of JavaScript,
//! and the module imports nothing.

use crate::error::NO_NETWORK;

/// Fails: there are no archives.
///
/// # Errors
///
/// Always.
pub(super) fn unpacked(_: &[u8], _: &str) -> Result<Vec<u8>, String> {
    Err(NO_NETWORK.to_owned())
}
