//! `completions`: prints a script that calls this program for each completion, or a static script.

use std::path::Path;

use crate::cli::{CompletionsArgs, Shell};
use crate::completion;
use crate::exit_code::ExitCode;
use crate::ui::Ui;

pub fn run(args: &CompletionsArgs, ui: &mut Ui) -> std::io::Result<ExitCode> {
    if args.fixed {
        let script = match args.shell {
            Shell::Bash => include_str!("../../completions/sky-accel.bash"),
            Shell::Elvish => include_str!("../../completions/sky-accel.elv"),
            Shell::Fish => include_str!("../../completions/sky-accel.fish"),
            Shell::PowerShell => include_str!("../../completions/_sky-accel.ps1"),
            Shell::Zsh => include_str!("../../completions/_sky-accel"),
        };
        ui.line(script.trim_end())?;
    } else {
        completion::registration(args.shell, &program(), ui.stdout())?;
    }
    ui.flush()?;
    Ok(ExitCode::Found)
}

/// Returns how the shell should call the program: by name if the user called it by name, else by path.
fn program() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    let called = Path::new(&called);
    let path = if called.components().count() > 1 {
        std::path::absolute(called).unwrap_or_else(|_| called.to_owned())
    } else {
        called.to_owned()
    };
    path.to_string_lossy().into_owned()
}
