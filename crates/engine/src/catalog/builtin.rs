//! The built-in catalog. Unit tests use the frozen catalog of `tests/catalog`, so that new facts break no test.

#[cfg(test)]
pub use sky_accel_embedded::test_catalog::{CATALOG as EMBEDDED, files, fingerprint};
#[cfg(not(test))]
pub use sky_accel_embedded::{CATALOG as EMBEDDED, files, fingerprint};
