//! `mig`: lists MIG profiles, places slices on one GPU, and packs slices onto a minimum number of GPUs.

mod compare;
mod fit;
mod output;
mod pack;
mod picture;
mod profiles;

use crate::cli::{Lazy, MigCommand};
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;

pub fn run(context: &mut Context<'_>, command: &MigCommand) -> Result<ExitCode> {
    match command {
        MigCommand::Profiles(Lazy(args)) => profiles::run(context, args),
        MigCommand::Fit(Lazy(args)) => fit::run(context, args),
        MigCommand::Pack(Lazy(args)) => pack::run(context, args),
    }
}
