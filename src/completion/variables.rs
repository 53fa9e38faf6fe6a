//! Variables that the registration scripts set.

/// Its value is the name of the shell.
pub const VARIABLE: &str = "SKY_ACCEL_COMPLETE";
/// The index of the current word; not all shells set it.
pub const INDEX: &str = "_CLAP_COMPLETE_INDEX";
/// The characters at which bash splits words. Only the script of bash sets it.
pub const BREAKS: &str = "SKY_ACCEL_COMPLETE_BREAKS";
