//! Exit codes: part of the contract with scripts.

use sky_accel_engine::ErrorKind;

/// The exit code of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Something was found.
    #[default]
    Found = 0,
    /// The request is valid, but nothing matches, nothing fits, or the answer is no.
    NothingMatches = 1,
    /// A usage, spec or value error.
    Usage = 2,
    /// Credentials are missing or were rejected.
    Credentials = 3,
    /// No provider answered.
    Provider = 4,
    /// A partial answer: some provider failed.
    Partial = 5,
    /// A config file, a catalog or a lock file is invalid.
    Catalog = 6,
    /// The data is older than allowed.
    TooOld = 7,
    /// A bug.
    Internal = 70,
    /// The output could not be written, for example because the disk is full.
    Output = 74,
    /// Ctrl-C, or a signal that ended `watch --exec`.
    Interrupted = 130,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

impl From<ErrorKind> for ExitCode {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::NothingMatches => Self::NothingMatches,
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Credentials => Self::Credentials,
            ErrorKind::Provider => Self::Provider,
            ErrorKind::Partial => Self::Partial,
            ErrorKind::Catalog => Self::Catalog,
            ErrorKind::TooOld => Self::TooOld,
            ErrorKind::Output => Self::Output,
            ErrorKind::Internal => Self::Internal,
            ErrorKind::Interrupted => Self::Interrupted,
        }
    }
}
