//! Constants of AWS.

/// The id of AWS in the catalog.
pub(crate) const ID: &str = sky_accel_providers::AWS.id;
/// The variables with addresses that replace the servers of the SDK.
pub(crate) const ENDPOINT_VARIABLES: &[&str] = sky_accel_providers::AWS.url_variables;
