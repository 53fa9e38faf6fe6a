//! Error codes: one list of everything that can go wrong, and the kind of each.

use sky_accel_core::spec::SpecErrorCode;
use sky_accel_live::ErrorKind as ProviderErrorKind;

use crate::error::ErrorKind;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal: $kind:ident,)+) => {
        /// A stable, dotted code for each thing that can go wrong.
        ///
        /// Scripts may rely on a code; messages may change. `docs/errors.md` lists them all.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            /// A spec is wrong: the codes that begin with `spec.`.
            Spec(SpecErrorCode),
            /// A provider failed: the codes that begin with `provider.`.
            Provider(ProviderErrorKind),
            $($(#[doc = $doc])* $name,)+
        }

        impl ErrorCode {
            /// Every code of the engine itself, with its meaning.
            pub const ALL: &'static [(Self, &'static str)] = &[
                $((Self::$name, concat!($($doc),*)),)+
            ];

            /// As scripts read it: `usage.bad-value`.
            pub fn as_str(self) -> &'static str {
                match self {
                    Self::Spec(code) => code.as_str(),
                    Self::Provider(kind) => kind.code(),
                    $(Self::$name => $code,)+
                }
            }

            /// The kind of error that it is.
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
    /// A command line is malformed in a way that no other code names.
    Usage = "usage": Usage,
    /// The command draws on a terminal, and there is none.
    NoTerminal = "terminal.none": Usage,
    /// A value is malformed or out of bounds.
    BadValue = "usage.bad-value": Usage,
    /// A price is not an amount in US dollars.
    BadPrice = "usage.bad-price": Usage,
    /// A model size is not a number of parameters such as 13B.
    BadModelSize = "usage.bad-model-size": Usage,
    /// `fit -` takes the model and the work from each line, not from flags.
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
    /// An output format cannot carry the answer.
    Format = "usage.format": Usage,
    /// The model cannot be split over the devices as asked.
    Layout = "usage.layout": Usage,
    /// A line of standard input is too long.
    Line = "usage.line": Usage,
    /// A list of MIG slices cannot be used here.
    Mig = "usage.mig": Usage,
    /// A required argument is missing.
    MissingArgument = "usage.missing-argument": Usage,
    /// No model is given.
    NoModel = "usage.no-model": Usage,
    /// Reading a model from a hub needs `--live`.
    NotLive = "usage.not-live": Usage,
    /// Neither a model nor a kind of work is given.
    NothingAsked = "usage.nothing-asked": Usage,
    /// The command needs the network, and `--offline` forbids it.
    Offline = "usage.offline": Usage,
    /// The command handles one GPU, and the spec asks for more.
    OneGpu = "usage.one-gpu": Usage,
    /// `fit -` answers only in lines of JSON.
    BatchOutput = "usage.output": Usage,
    /// A file is neither a plan nor a lock file.
    PlanFile = "usage.plan-file": Usage,
    /// A target and `--provider` exclude each other.
    TargetProvider = "usage.provider": Usage,
    /// A request on standard input is malformed.
    Request = "usage.request": Usage,
    /// Standard input cannot be read or used.
    Stdin = "usage.stdin": Usage,
    /// A model is given twice, by name and by size.
    TwoModels = "usage.two-models": Usage,
    /// There is no such option.
    UnknownArgument = "usage.unknown-argument": Usage,
    /// No accelerator is of that kind.
    UnknownKind = "usage.unknown-kind": Usage,
    /// The catalog has no such provider.
    UnknownProvider = "usage.unknown-provider": Usage,
    /// No provider has such a region.
    UnknownRegion = "usage.unknown-region": Usage,
    /// The guide has no such kind of work.
    UnknownWorkload = "usage.unknown-workload": Usage,
    /// There is nothing that `watch` could wait for.
    Watch = "usage.watch": Usage,
    /// There is no spec where one is needed.
    SpecEmpty = "spec.empty": Usage,
    /// Slices mean different things on the GPUs that a name covers.
    SpecAmbiguous = "spec.ambiguous": Usage,
    /// A GPU has no MIG, or its profiles are not published.
    SpecNoMig = "spec.no-mig": Usage,
    /// A GPU has no such MIG profile.
    SpecNoSuchProfile = "spec.no-such-profile": Usage,
    /// A catalog file holds facts that cannot be right.
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
    /// A project's `sky-accel.toml` names catalogs that you have not trusted as they are.
    ConfigUntrusted = "config.untrusted": Catalog,
    /// A tool has no words for the spec at all.
    ConvertCannotSay = "convert.cannot-say": Usage,
    /// With `--strict`: a tool's words do not say everything that the spec says.
    ConvertLossy = "convert.lossy": Usage,
    /// A price is older than `--max-age` allows.
    DataTooOld = "data.too-old": TooOld,
    /// This machine has no accelerator that a model can run on.
    DetectNothing = "detect.nothing": NothingMatches,
    /// This machine has several kinds of accelerators.
    DetectSeveral = "detect.several": Usage,
    /// A recorded machine cannot be read.
    DetectUnreadable = "detect.unreadable": Usage,
    /// The output cannot be written.
    Output = "io.output": Output,
    /// A file cannot be written.
    Unwritable = "io.unwritable": Usage,
    /// The network runtime cannot be started.
    LiveRuntime = "live.runtime": Internal,
    /// The plan is not the one that is locked.
    LockDrift = "lock.drift": TooOld,
    /// A lock file is malformed or was edited.
    LockInvalid = "lock.invalid": Catalog,
    /// A lock file cannot be read.
    LockUnreadable = "lock.unreadable": Catalog,
    /// A tool has no words for the MIG layout.
    MigCannotSay = "mig.cannot-say": Usage,
    /// A slice does not fit even on an empty GPU of this kind.
    MigImpossible = "mig.impossible": Usage,
    /// A listing of existing MIG instances is malformed or impossible.
    MigOccupied = "mig.occupied": Usage,
    /// A slice size is malformed.
    MigSlice = "mig.slice": Usage,
    /// The configuration of a model cannot be used.
    ModelConfig = "model.config": Usage,
    /// A file of a model cannot be used.
    ModelFile = "model.file": Usage,
    /// There is no such model.
    ModelUnknown = "model.unknown": Usage,
    /// An engine has no words for the plan at all.
    PlanCannotSay = "plan.cannot-say": Usage,
    /// With `--strict`: an engine cannot say everything that the plan says.
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
            assert!(seen.insert(code.as_str()), "{} stands twice", code.as_str());
            assert!(meaning.trim().ends_with('.'), "{}", code.as_str());
        }
    }
}
