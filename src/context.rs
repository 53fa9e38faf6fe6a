//! Context of a command, and its result.

use std::io;

use sky_accel_engine::asking::Session;
use sky_accel_engine::{Engine, Error};

use crate::exit_code::ExitCode;
use crate::settings::Settings;
use crate::ui::Ui;

/// Engine, settings and output of one invocation.
pub struct Context<'a> {
    pub engine: Engine<'a>,
    /// Session for queries of providers and hubs, shared by the whole invocation.
    pub session: &'a Session,
    pub settings: &'a Settings,
    pub ui: &'a mut Ui,
}

/// Reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    Error(Error),
    /// A write to standard output or standard error failed.
    Io(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Result of a command.
pub type Result<T> = std::result::Result<T, Failure>;

/// Returns the exit code of an answer: 0 with results, 1 without.
pub fn found(is_found: bool) -> ExitCode {
    if is_found {
        ExitCode::Found
    } else {
        ExitCode::NothingMatches
    }
}
