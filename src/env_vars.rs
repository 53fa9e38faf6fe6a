//! Every environment variable that is read, declared once.

/// Overlay catalogs, separated like `PATH`.
pub const CATALOG: &str = "SKY_ACCEL_CATALOG";
/// A config file instead of the default ones.
pub const CONFIG: &str = "SKY_ACCEL_CONFIG";
/// Default for `--output`.
pub const OUTPUT: &str = "SKY_ACCEL_OUTPUT";
/// Default for `--color`.
pub const COLOR: &str = "SKY_ACCEL_COLOR";
/// Default for `--provider`, separated by commas.
pub const PROVIDER: &str = "SKY_ACCEL_PROVIDER";
/// Default for `--region`, separated by commas.
pub const REGION: &str = "SKY_ACCEL_REGION";
/// Columns to lay tables out for, instead of the terminal's.
pub const WIDTH: &str = "SKY_ACCEL_WIDTH";
/// The day that ages are counted from (`YYYY-MM-DD`), instead of today: for reproducible output.
pub const TODAY: &str = "SKY_ACCEL_TODAY";
