//! Plan targets: the tools for which plans are written.
//!
//! Each target declares a [`Descriptor`] next to its renderer; the list of all targets is in the
//! crate root. A new target is one file with its descriptor and one entry in that list.

use crate::job::Handover;
use crate::rendered::{Rendered, Step};
use crate::serving::{Rendezvous, Serving};
use crate::unsupported::Unsupported;

/// How a target uses the candidates after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It tries the candidates one after another, best first.
    InOrder,
    /// It takes the first candidate, or several that are tried best first, and reports the others
    /// as a loss.
    First,
    /// Another program chooses: a scheduler, a fleet, or the user who runs the files on a machine.
    External,
}

/// How the target's own code checks rendered plans, in `tests/engines/NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Every test run includes the check: it is small, fast, and needs only packages from PyPI.
    EveryRun,
    /// `cargo xtask validate` runs the check.
    OnRequest,
}

/// Everything that the rest of the program knows of a target.
#[derive(Debug)]
pub struct Descriptor {
    /// The name on the command line, such as `ec2-fleet`.
    pub name: &'static str,
    /// A short description of the output, such as `a batch script`.
    pub about: &'static str,
    /// The step that the files of the target perform.
    pub step: Step,
    /// The id of the catalog's tool entry, which lists the providers and names that the target
    /// supports; `None` if the target has no such entry.
    pub tool: Option<&'static str>,
    /// The id of the only provider whose machines the target can rent; `None` if it is not limited
    /// to a single provider.
    pub provider: Option<&'static str>,
    /// How several machines find each other; `None` if the target does not run a command on each.
    pub rendezvous: Option<Rendezvous>,
    /// How the target runs servers; `None` if it runs all work as a job that ends.
    pub serving: Option<Serving>,
    /// Whether the target replaces the entry point of an image. The images of serving engines have their program as
    /// theirs, and would take the command as its arguments.
    pub replaces_entry_point: bool,
    /// Whether the target requests whole devices, so that a fraction is rounded up with a loss.
    pub counts_whole_devices: bool,
    /// How the target uses the candidates after the first.
    pub fallback: Fallback,
    /// Whether the target takes the cheapest of the candidates, regardless of their order.
    pub takes_cheapest: bool,
    /// How the target's own code checks plans.
    pub validation: Validation,
    /// Writes a plan.
    pub(crate) render: fn(&Handover<'_, '_>, &mut Rendered) -> Result<(), Unsupported>,
}

impl Descriptor {
    /// A target that rents machines at several providers. The other constructors and the
    /// declarations of targets override the fields that differ.
    pub(crate) const fn new(
        name: &'static str,
        about: &'static str,
        render: fn(&Handover<'_, '_>, &mut Rendered) -> Result<(), Unsupported>,
    ) -> Self {
        Self {
            name,
            about,
            step: Step::Provision,
            tool: None,
            provider: None,
            rendezvous: None,
            serving: None,
            replaces_entry_point: true,
            counts_whole_devices: false,
            fallback: Fallback::First,
            takes_cheapest: false,
            validation: Validation::EveryRun,
            render,
        }
    }
}

/// Declares the enum of all targets from a list of variants and their descriptors. The order of the
/// list is the order in which targets are shown to users.
macro_rules! targets {
    ($($(#[$doc:meta])* $variant:ident = $descriptor:path,)*) => {
        /// A tool that carries out plans, and the format in which it takes a plan.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Target {
            $($(#[$doc])* $variant,)*
        }

        impl Target {
            /// All targets, sorted as in the documentation.
            pub const ALL: [Self; [$($descriptor.name),*].len()] = [$(Self::$variant),*];

            /// Returns the declaration of the target.
            pub fn descriptor(self) -> &'static $crate::Descriptor {
                match self {
                    $(Self::$variant => &$descriptor,)*
                }
            }
        }
    };
}

pub(crate) use targets;
