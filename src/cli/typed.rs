//! A command line that begins with a spec or a model instead of a command.

use std::ffi::OsString;

use clap::{Args as _, Subcommand as _};
use sky_accel_engine::Engine;

use super::command::Command;
use super::global::{GlobalArgs, PROGRAM};

/// Adds the command to a command line that begins with hardware or a model of the built-in catalog: `H100` is
/// `resolve H100`, and `Qwen3-32B` is `recommend Qwen3-32B`. Other command lines are unchanged.
pub fn with_command(mut words: Vec<OsString>) -> Vec<OsString> {
    if let Some((at, command)) = implied(&words) {
        words.insert(at, command.into());
    }
    words
}

/// Returns the command that the first word implies, and the place of that word.
fn implied(words: &[OsString]) -> Option<(usize, &'static str)> {
    let at = first_word(words)?;
    let word = words[at]
        .to_str()
        .filter(|word| !Command::has_subcommand(word))?;
    let engine = Engine::embedded();
    if engine.read_hardware(word).is_ok() {
        return Some((at, "resolve"));
    }
    engine.names_model(word).then_some((at, "recommend"))
}

/// Returns the place of the first word that is neither a global option nor its value.
fn first_word(words: &[OsString]) -> Option<usize> {
    let named = words.get(1)?;
    if named.to_str().is_some_and(Command::has_subcommand) {
        // Almost every command line ends here, without a description of the options.
        return None;
    }
    let globals = GlobalArgs::augment_args(clap::Command::new(PROGRAM));
    let mut at = 1;
    loop {
        let word = words.get(at)?.to_str()?;
        if !word.starts_with('-') {
            return Some(at);
        }
        at += 1 + usize::from(takes_next(&globals, word)?);
    }
}

/// Whether the value of a global option is the next word; `None` for another option.
fn takes_next(globals: &clap::Command, word: &str) -> Option<bool> {
    let (name, has_value) = match word.strip_prefix("--") {
        Some(long) => (long.split('=').next()?, long.contains('=')),
        // The rest of the word is a value or other options.
        None => (word.get(1..2)?, word.len() > 2),
    };
    let is_named = |arg: &&clap::Arg| {
        let short = arg.get_short().map(String::from);
        if word.starts_with("--") {
            arg.get_long() == Some(name)
        } else {
            short.as_deref() == Some(name)
        }
    };
    let option = globals.get_arguments().find(is_named)?;
    let takes_values = option
        .get_num_args()
        .is_none_or(|count| count.takes_values());
    let is_flag = !option.get_action().takes_values() || !takes_values;
    Some(!is_flag && !has_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> String {
        let words = std::iter::once("sky-accel").chain(line.split(' '));
        let words = with_command(words.map(OsString::from).collect());
        let words = words.iter().skip(1).map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hardware_and_models_imply_their_command() {
        for (line, command) in [
            ("H100", "resolve"),
            ("h100:x8 --provider aws", "resolve"),
            ("p5.48xlarge", "resolve"),
            ("4090", "resolve"),
            ("A100:80GB:x8|H100:x8", "resolve"),
            ("Qwen3-32B --users 20", "recommend"),
            ("meta-llama/Llama-3.1-8B-Instruct", "recommend"),
        ] {
            assert_eq!(completed(line), format!("{command} {line}"));
        }
        for (line, expected) in [
            ("-o json H100", "-o json resolve H100"),
            ("-ojson -q H100", "-ojson -q resolve H100"),
            (
                "--catalog=ours --quiet H100",
                "--catalog=ours --quiet resolve H100",
            ),
            (
                "--catalog H100 Qwen3-32B",
                "--catalog H100 recommend Qwen3-32B",
            ),
        ] {
            assert_eq!(completed(line), expected);
        }
    }

    #[test]
    fn other_lines_stay() {
        for line in [
            "resolve H100",
            "help",
            "list hopper",
            "-o json resolve H100",
            "--provider aws H100",
            "-h H100",
            "--help",
            "-- H100",
            "H10O",
            "cheapest",
            "lst",
        ] {
            assert_eq!(completed(line), line);
        }
    }
}
