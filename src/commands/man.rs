//! `man`: the generated manual pages, as packages install them.

use sky_accel_engine::{Error, ErrorCode};

use crate::cli::ManArgs;
use crate::exit_code::ExitCode;
use crate::ui::Ui;

use super::Result;

macro_rules! pages {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../man/", $name, ".1")))),*]
    };
}

/// Every page by its name.
const PAGES: &[(&str, &str)] = pages!(
    "sky-accel" "sky-accel-catalog" "sky-accel-catalog-diff" "sky-accel-catalog-path" "sky-accel-catalog-update" "sky-accel-catalog-verify"
    "sky-accel-compare" "sky-accel-completions" "sky-accel-config" "sky-accel-config-show" "sky-accel-convert" "sky-accel-detect" "sky-accel-fit" "sky-accel-help" "sky-accel-is"
    "sky-accel-list" "sky-accel-man" "sky-accel-mig" "sky-accel-mig-fit" "sky-accel-mig-pack"
    "sky-accel-mig-profiles" "sky-accel-plan" "sky-accel-plan-diff" "sky-accel-recommend" "sky-accel-report"
    "sky-accel-resolve" "sky-accel-show" "sky-accel-watch"
);

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
        let message = format!("there is no command '{command}'");
        return Err(Error::new(ErrorCode::UnknownCommand, message)
            .hint(near)
            .into());
    };
    ui.line(page.trim_end())?;
    ui.flush()?;
    Ok(ExitCode::Found)
}
