//! `man`: renders manual pages from the command line's definition.

use std::path::Path;

use clap::{Command, CommandFactory as _};
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::inputs::Inputs;
use sky_accel_files::write::create_folder;

use crate::cli::{Cli, ManArgs, PROGRAM};
use crate::exit_code::ExitCode;
use crate::files::{OutputFile, unwritable};
use crate::ui::Ui;

use crate::context::Result;

pub fn run(args: &ManArgs, ui: &mut Ui) -> Result<ExitCode> {
    let mut program = Cli::command();
    program.build();
    let mut pages = Vec::new();
    collect(&program, PROGRAM.to_owned(), &mut pages);
    if let Some(folder) = &args.out {
        write_all(&pages, folder, ui)?;
    } else {
        let name = [PROGRAM]
            .into_iter()
            .chain(args.command.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("-");
        let Some((_, command)) = pages.iter().find(|(page, _)| *page == name) else {
            return Err(unknown(&args.command.join(" "), &pages).into());
        };
        ui.line(render(&name, command)?.trim_end())?;
    }
    ui.flush()?;
    Ok(ExitCode::Found)
}

/// Adds a command and its visible subcommands, each with the name of its page.
fn collect<'c>(command: &'c Command, name: String, pages: &mut Vec<(String, &'c Command)>) {
    // clap adds a `help` subcommand without content to each group of commands. Only the program's own `help` has
    // topics.
    let has_page =
        |below: &&Command| !below.is_hide_set() && (below.get_name() != "help" || name == PROGRAM);
    let below: Vec<&Command> = command.get_subcommands().filter(has_page).collect();
    let prefix = name.clone();
    pages.push((name, command));
    for command in below {
        collect(command, format!("{prefix}-{}", command.get_name()), pages);
    }
}

/// Renders a page as roff.
fn render(name: &str, command: &Command) -> std::io::Result<String> {
    let page = clap_mangen::Man::new(command.clone().display_name(name.to_owned()))
        .title(name)
        .source(concat!("sky-accel ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes every page into a folder, for packages.
fn write_all(pages: &[(String, &Command)], folder: &Path, ui: &mut Ui) -> Result<()> {
    create_folder(folder).map_err(|error| unwritable(folder, &error))?;
    for (name, command) in pages {
        let path = folder.join(format!("{name}.1"));
        // The pages are made of no files.
        let output = OutputFile::open(&path, &Inputs::default())?;
        output.write(render(name, command)?.as_bytes())?;
        ui.line(path.display().to_string())?;
    }
    Ok(())
}

fn unknown(command: &str, pages: &[(String, &Command)]) -> Error {
    let names = pages
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("sky-accel-"));
    let similar = sky_accel_core::suggest::closest(&command.replace(' ', "-"), names);
    let error = Error::new(
        ErrorCode::UnknownCommand,
        format!("unknown command '{command}'"),
    );
    if similar.is_empty() {
        error.advise("`sky-accel help` lists the commands")
    } else {
        error.hint(similar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let mut program = Cli::command();
        program.build();
        let mut pages = Vec::new();
        collect(&program, PROGRAM.to_owned(), &mut pages);
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in [
            "sky-accel",
            "sky-accel-resolve",
            "sky-accel-mig-fit",
            "sky-accel-help",
        ] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.contains(&"sky-accel-mig-help"));
        for (name, command) in &pages {
            let page = render(name, command).unwrap();
            assert!(page.contains(&format!(".TH {name} 1")), "{page}");
            assert!(page.contains(".SH SYNOPSIS"), "{name}");
        }
    }
}
