//! `recommend`: machines to rent for a model or a kind of work.

mod by_api;
mod csv;
mod figures;
pub mod for_model;
mod for_work;
mod guide;
mod money;
mod page;

use sky_accel_engine::{Error, ErrorCode};

pub use self::page::unit;

use crate::cli::RecommendArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;

pub fn run(context: &mut Context<'_>, args: &RecommendArgs) -> Result<ExitCode> {
    if args.guide {
        return guide::run(context);
    }
    let run = &args.search.run;
    if args.search.model_word.is_some() || run.model_word().is_some() {
        return for_model::run(context, args);
    }
    let Some(work) = &run.workload else {
        let message = "name a model, as in `recommend Llama-3.1-8B` or `recommend 13B`, or use --workload development or --guide";
        return Err(Error::new(ErrorCode::NothingAsked, message).into());
    };
    for_work::run(context, args, work.word())
}
