//! Error codes and their kinds.

use sky_accel_core::spec::SpecErrorCode;
use sky_accel_live::ErrorKind as ProviderErrorKind;

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is well-formed, but nothing matches.
    NothingMatches,
    /// A spec, a value or a combination of options is invalid.
    Usage,
    /// Credentials are missing or were rejected.
    Credentials,
    /// No provider answered.
    Provider,
    /// Some providers answered and others failed.
    Partial,
    /// A config file, a catalog or a lock file is invalid or cannot be written.
    Catalog,
    /// The data is older than allowed, or differs from a lock file.
    TooOld,
    /// The output could not be written.
    Output,
    /// A bug.
    Internal,
    /// Ctrl-C was pressed.
    Interrupted,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal: $kind:ident,)+) => {
        /// A stable, dotted code for each kind of problem.
        ///
        /// Scripts may depend on codes; messages may change. `docs/errors.md` lists all codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            /// A spec is invalid: the codes that begin with `spec.`.
            Spec(SpecErrorCode),
            /// A provider failed: the codes that begin with `provider.`.
            Provider(ProviderErrorKind),
            $($(#[doc = $doc])* $name,)+
        }

        impl ErrorCode {
            /// All codes of the engine, with their meanings.
            pub const ALL: &'static [(Self, &'static str)] = &[
                $((Self::$name, concat!($($doc),*)),)+
            ];

            /// The code as scripts see it: `usage.bad-value`.
            pub fn as_str(self) -> &'static str {
                match self {
                    Self::Spec(code) => code.word(),
                    Self::Provider(kind) => kind.word(),
                    $(Self::$name => $code,)+
                }
            }

            /// The kind of the error.
            pub fn kind(self) -> ErrorKind {
                match self {
                    Self::Spec(_) => ErrorKind::Usage,
                    Self::Provider(kind) if kind.is_about_credentials() => ErrorKind::Credentials,
                    Self::Provider(ProviderErrorKind::TooOld) => ErrorKind::TooOld,
                    Self::Provider(_) => ErrorKind::Provider,
                    $(Self::$name => ErrorKind::$kind,)+
                }
            }
        }
    };
}

codes! {
    /// The command line is malformed and no other code applies.
    Usage = "usage": Usage,
    /// The command needs a terminal.
    NoTerminal = "terminal.none": Usage,
    /// A value is malformed or out of range.
    BadValue = "usage.bad-value": Usage,
    /// A price is not an amount in US dollars.
    BadPrice = "usage.bad-price": Usage,
    /// A model size is not a number of parameters such as 13B.
    BadModelSize = "usage.bad-model-size": Usage,
    /// `fit -` reads the model and the workload from each line, not from flags.
    BatchFlags = "usage.batch-flags": Usage,
    /// Options about reserved capacity contradict each other.
    Capacity = "usage.capacity": Usage,
    /// There is no such command or help topic.
    UnknownCommand = "usage.command": Usage,
    /// The count is not allowed here.
    Count = "usage.count": Usage,
    /// An environment variable of sky-accel has a wrong value.
    Environment = "usage.environment": Usage,
    /// A file cannot be read.
    UnreadableFile = "usage.file": Usage,
    /// An output format does not support the answer.
    Format = "usage.format": Usage,
    /// The model cannot be partitioned over the devices as requested.
    Layout = "usage.layout": Usage,
    /// A line of standard input is too long.
    Line = "usage.line": Usage,
    /// A list of MIG slices cannot be used here.
    Mig = "usage.mig": Usage,
    /// A required argument is missing.
    MissingArgument = "usage.missing-argument": Usage,
    /// No model is given.
    NoModel = "usage.no-model": Usage,
    /// Reading a model from a hub requires `--live`.
    NotLive = "usage.not-live": Usage,
    /// Neither a model nor a workload is given.
    NothingAsked = "usage.nothing-asked": Usage,
    /// The command needs the network, which `--offline` disables.
    Offline = "usage.offline": Usage,
    /// The command is for one GPU, and the spec has more.
    OneGpu = "usage.one-gpu": Usage,
    /// `fit -` only supports JSON lines as output.
    BatchOutput = "usage.output": Usage,
    /// A file is neither a plan nor a lock file.
    PlanFile = "usage.plan-file": Usage,
    /// `--provider` excludes every provider that the target can use.
    TargetProvider = "usage.provider": Usage,
    /// No selected provider reports quotas.
    Quota = "usage.quota": Usage,
    /// A request on standard input is malformed.
    Request = "usage.request": Usage,
    /// The answers to several specs have too many rows for one document.
    TooManyRows = "usage.rows": Usage,
    /// Standard input cannot be read or used.
    Stdin = "usage.stdin": Usage,
    /// A model is given twice, by name and by size.
    TwoModels = "usage.two-models": Usage,
    /// An option is unknown.
    UnknownArgument = "usage.unknown-argument": Usage,
    /// No accelerator is of this kind.
    UnknownKind = "usage.unknown-kind": Usage,
    /// The catalog does not have this provider.
    UnknownProvider = "usage.unknown-provider": Usage,
    /// No provider has this region.
    UnknownRegion = "usage.unknown-region": Usage,
    /// The guide does not have this workload.
    UnknownWorkload = "usage.unknown-workload": Usage,
    /// `watch` has nothing to wait for.
    Watch = "usage.watch": Usage,
    /// A required spec is missing.
    SpecEmpty = "spec.empty": Usage,
    /// The slices differ between the GPUs that a name covers.
    SpecAmbiguous = "spec.ambiguous": Usage,
    /// A GPU has no MIG, or its profiles are not published.
    SpecNoMig = "spec.no-mig": Usage,
    /// A GPU does not have this MIG profile.
    SpecNoSuchProfile = "spec.no-such-profile": Usage,
    /// A catalog file has implausible facts.
    CatalogFault = "catalog.fault": Catalog,
    /// A catalog file is malformed or contradicts the schema.
    CatalogInvalid = "catalog.invalid": Catalog,
    /// A catalog file cannot be read.
    CatalogUnreadable = "catalog.unreadable": Catalog,
    /// A catalog file cannot be written.
    CatalogUnwritable = "catalog.unwritable": Catalog,
    /// A config file is malformed.
    ConfigInvalid = "config.invalid": Catalog,
    /// A config file cannot be read.
    ConfigUnreadable = "config.unreadable": Catalog,
    /// A project's `sky-accel.toml` names catalogs that are not trusted in their current version.
    ConfigUntrusted = "config.untrusted": Catalog,
    /// A tool cannot express the spec.
    ConvertCannotSay = "convert.cannot-say": Usage,
    /// With `--strict`: a tool cannot express the whole spec.
    ConvertLossy = "convert.lossy": Usage,
    /// A price is older than `--max-age` allows.
    DataTooOld = "data.too-old": TooOld,
    /// This machine has no accelerator that can run a model.
    DetectNothing = "detect.nothing": NothingMatches,
    /// This machine has several kinds of accelerators.
    DetectSeveral = "detect.several": Usage,
    /// The recording of a machine cannot be read.
    DetectUnreadable = "detect.unreadable": Usage,
    /// The output cannot be written.
    Output = "io.output": Output,
    /// A file cannot be written.
    Unwritable = "io.unwritable": Usage,
    /// The network runtime cannot be started.
    LiveRuntime = "live.runtime": Internal,
    /// The plan differs from the lock file.
    LockDrift = "lock.drift": TooOld,
    /// A lock file is malformed or was edited.
    LockInvalid = "lock.invalid": Catalog,
    /// A lock file cannot be read.
    LockUnreadable = "lock.unreadable": Catalog,
    /// A tool cannot express the MIG layout.
    MigCannotSay = "mig.cannot-say": Usage,
    /// A slice does not fit even on an empty GPU of this kind.
    MigImpossible = "mig.impossible": Usage,
    /// A listing of existing MIG instances is malformed or impossible.
    MigOccupied = "mig.occupied": Usage,
    /// A slice size is malformed.
    MigSlice = "mig.slice": Usage,
    /// The configuration of a model is unusable.
    ModelConfig = "model.config": Usage,
    /// A file of a model is unusable.
    ModelFile = "model.file": Usage,
    /// The model is unknown.
    ModelUnknown = "model.unknown": Usage,
    /// The catalog has the model, but not its size.
    ModelUnsized = "model.unsized": Usage,
    /// A target cannot express the plan.
    PlanCannotSay = "plan.cannot-say": Usage,
    /// With `--strict`: a target cannot express the whole plan.
    PlanLossy = "plan.lossy": Usage,
    /// `watch` found an offer, and the command of `--exec` failed.
    WatchExec = "watch.exec": NothingMatches,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ErrorCode;

    #[test]
    fn codes_are_unique_and_documented() {
        let mut seen = BTreeSet::new();
        for (code, meaning) in ErrorCode::ALL {
            assert!(
                seen.insert(code.as_str()),
                "{} is not unique",
                code.as_str()
            );
            assert!(meaning.trim().ends_with('.'), "{}", code.as_str());
        }
    }
}
