//! `man`: prints the generated manual pages.

use sky_accel_engine::{Error, ErrorCode};

use crate::cli::ManArgs;
use crate::exit_code::ExitCode;
use crate::ui::Ui;

use super::Result;

/// Manual pages by name.
const PAGES: &[(&str, &str)] = include!("../../man/pages.rs");

pub fn run(args: &ManArgs, ui: &mut Ui) -> Result<ExitCode> {
    let mut words = vec!["sky-accel"];
    words.extend(args.command.iter().map(String::as_str));
    let name = words.join("-");
    let Some((_, page)) = PAGES.iter().find(|(known, _)| *known == name) else {
        let command = args.command.join(" ");
        let known = PAGES
            .iter()
            .filter_map(|(name, _)| name.strip_prefix("sky-accel-"));
        let near = sky_accel_core::suggest::closest(&command.replace(' ', "-"), known);
        let message = format!("unknown command '{command}'");
        let error = Error::new(ErrorCode::UnknownCommand, message);
        return Err(if near.is_empty() {
            error.advise("`sky-accel help` lists the commands")
        } else {
            error.hint(near)
        }
        .into());
    };
    ui.line(page.trim_end())?;
    ui.flush()?;
    Ok(ExitCode::Found)
}
