//! `completions`: the generated scripts, as packages install them.

use std::io;

use crate::cli::{CompletionsArgs, Shell};
use crate::exit_code::ExitCode;
use crate::ui::Ui;

pub fn run(args: &CompletionsArgs, ui: &mut Ui) -> io::Result<ExitCode> {
    let script = match args.shell {
        Shell::Bash => include_str!("../../completions/sky-accel.bash"),
        Shell::Elvish => include_str!("../../completions/sky-accel.elv"),
        Shell::Fish => include_str!("../../completions/sky-accel.fish"),
        Shell::PowerShell => include_str!("../../completions/_sky-accel.ps1"),
        Shell::Zsh => include_str!("../../completions/_sky-accel"),
    };
    ui.line(script.trim_end())?;
    ui.flush()?;
    Ok(ExitCode::Found)
}
