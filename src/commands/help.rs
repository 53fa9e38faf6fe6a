//! `help`: help on commands and topics.

use clap::CommandFactory as _;
use sky_accel_core::suggest;
use sky_accel_engine::{Error, ErrorCode};

use crate::cli::{Cli, HelpArgs};
use crate::context::Result;
use crate::exit_code::ExitCode;
use crate::help_topics::TOPICS;
use crate::ui::Ui;

pub fn run(args: &HelpArgs, ui: &mut Ui) -> Result<ExitCode> {
    let mut command = Cli::command();
    if args.words.is_empty() {
        command.build();
        ui.line(command.render_long_help().to_string().trim_end())?;
        ui.flush()?;
        return Ok(ExitCode::Found);
    }
    let words = args.words.join("-").to_ascii_lowercase();
    // A topic with the name of a command is the longer text: prefer it.
    if let Some((_, text)) = TOPICS.iter().find(|(name, _)| *name == words) {
        ui.line(text.trim_end())?;
        ui.flush()?;
        return Ok(ExitCode::Found);
    }
    command.build();
    let mut chosen = &mut command;
    for word in &args.words {
        let Some(below) = chosen.find_subcommand_mut(word) else {
            let message = format!("unknown command or help topic '{}'", args.words.join(" "));
            let cli = Cli::command();
            let commands = cli.get_subcommands().map(clap::Command::get_name);
            let topics = TOPICS.iter().map(|(name, _)| *name);
            let near = suggest::closest(&words, commands.chain(topics));
            let error = Error::new(ErrorCode::UnknownCommand, message).hint(near);
            let topics: Vec<&str> = TOPICS.iter().map(|(name, _)| *name).collect();
            return Err(error
                .advise(format!("topics: {}", topics.join(", ")))
                .into());
        };
        chosen = below;
    }
    ui.line(chosen.render_long_help().to_string().trim_end())?;
    ui.flush()?;
    Ok(ExitCode::Found)
}
