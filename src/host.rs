//! The program that links this library, in place of the process.

use jiff::civil::Date;
use sky_accel_engine::catalog::Loaded;

/// Facts that the program that links this library provides in place of the process.
#[derive(Default)]
pub struct Host {
    /// The day from which ages are computed; `None` for today by the clock.
    pub today: Option<Date>,
    /// The catalog of command lines without `--catalog`; `None` for the embedded one.
    pub catalog: Option<Loaded>,
}
