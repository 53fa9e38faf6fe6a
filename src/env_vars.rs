//! Names of the environment variables that the command line reads.

/// Overlay catalogs, separated as in `PATH`.
pub const CATALOG: &str = "SKY_ACCEL_CATALOG";
/// Config file to read instead of the default files.
pub const CONFIG: &str = "SKY_ACCEL_CONFIG";
/// Default of `--output`.
pub const OUTPUT: &str = "SKY_ACCEL_OUTPUT";
/// Default of `--color`.
pub const COLOR: &str = "SKY_ACCEL_COLOR";
/// Default of `--provider`, comma-separated.
pub const PROVIDER: &str = "SKY_ACCEL_PROVIDER";
/// Default of `--region`, comma-separated.
pub const REGION: &str = "SKY_ACCEL_REGION";
/// Table width in columns; overrides the terminal width.
pub const WIDTH: &str = "SKY_ACCEL_WIDTH";
/// Day from which ages are computed (`YYYY-MM-DD`) instead of today, for reproducible output.
pub const TODAY: &str = "SKY_ACCEL_TODAY";
