//! Exit codes. They are part of the contract with scripts.

use sky_accel_engine::ErrorKind;

/// The exit code of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Found an answer.
    #[default]
    Found = 0,
    /// Valid request without a match, or a negative answer of `fit`, `is` or `detect --check`.
    NothingMatches = 1,
    /// A usage, spec or value error.
    Usage = 2,
    /// Credentials are missing or rejected.
    Credentials = 3,
    /// No provider answered.
    Provider = 4,
    /// Partial answer: at least one provider failed.
    Partial = 5,
    /// A config file, a catalog or a lock file is invalid.
    Catalog = 6,
    /// The data is older than `--max-age`.
    TooOld = 7,
    /// A bug in sky-accel.
    Internal = 70,
    /// The output could not be written, for example because the disk is full.
    Output = 74,
    /// Interrupted by Ctrl-C, or by a signal that ended the command of `watch --exec`.
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
