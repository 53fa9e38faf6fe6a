//! `_commands.py`: one function per command.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, Command, CommandFactory as _};
use sky_accel::cli::Cli;

use super::parameter::{Parameter, ParameterKind};
use super::{answer_class, identifier, prose};

/// Commands without a function: they need a terminal or a shell, run until they are stopped, or concern the user's own
/// settings and catalog, which functions do not read. `-o` of `catalog compile` is its file, so that it has no JSON
/// output.
const WITHOUT: [&str; 10] = [
    "browse",
    "catalog compile",
    "completions",
    "config",
    "help",
    "man",
    "mcp",
    "models add",
    "models remove",
    "watch",
];

/// Functions whose names are not those of their commands, which Python uses otherwise.
const RENAMED: [(&str, &str); 2] = [("is", "is_"), ("list", "list_accelerators")];

/// Flags with another answer than their commands, and the functions and the schemas that they have instead.
const FLAG_FUNCTIONS: [(&str, &str, &str, &str); 2] = [
    ("prices", "history", "price_history", "price-history"),
    ("recommend", "guide", "guide", "guide"),
];

/// Global options of the command line that a function has too. The others are about output.
const GLOBAL: [&str; 5] = ["catalog", "config", "explain", "insecure", "offline"];

/// Commands that read an answer from standard input.
const READ_ANSWERS: [&str; 2] = ["bill", "plan"];

const HEAD: &str = r#""""The commands of sky-accel as functions. `cargo xtask generate` writes this file.

Each parameter is an argument or an option of the command. An option that is None is not given.
"""

# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from ._call import command

if TYPE_CHECKING:
    from typing import Literal

    from . import answers
    from ._values import (
        Answer,
        Day,
        Duration,
        File,
        Flag,
        FlagOr,
        Many,
        Number,
        Spec,
        Switch,
        Text,
        Time,
        Whole,
    )
"#;

/// A function of the package.
struct Function<'a> {
    name: String,
    /// The command and flags that the function always gives.
    words: Vec<String>,
    schema: String,
    about: String,
    parameters: Vec<Parameter>,
    command: &'a str,
}

/// Generates the module.
pub fn module() -> Result<String> {
    let mut root = Cli::command();
    root.build();
    let globals: Vec<Arg> = root
        .get_arguments()
        .filter(|arg| GLOBAL.contains(&arg.get_id().as_str()))
        .cloned()
        .collect();
    let mut paths = Vec::new();
    collect_paths(&root, "", &mut paths);
    let mut functions = Vec::new();
    for path in &paths {
        let command = command_at(&root, path)?;
        let special = FLAG_FUNCTIONS.iter().find(|(of, ..)| of == path);
        functions.push(function(path, command, &globals, special.map(|row| row.1)));
        if let Some((_, flag, name, schema)) = special {
            functions.push(flag_function(
                path,
                command,
                &globals,
                (flag, name, schema),
            )?);
        }
    }
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    let schemas = sky_accel::schemas();
    let mut text = HEAD.to_owned();
    text.push_str("\n__all__ = [\n");
    for function in &functions {
        writeln!(text, "    \"{}\",", function.name)?;
        let full = format!("sky-accel.{}.v1", function.schema);
        if schemas.iter().all(|(name, _)| *name != full) {
            bail!("{} has no schema {full}", function.name);
        }
    }
    text.push_str("]\n");
    for function in &functions {
        function.write(&mut text)?;
    }
    Ok(text)
}

/// Collects the commands that have an answer, as words.
fn collect_paths(command: &Command, path: &str, paths: &mut Vec<String>) {
    if WITHOUT.contains(&path) {
        return;
    }
    if !path.is_empty() && !command.is_subcommand_required_set() {
        paths.push(path.to_owned());
    }
    for sub in command.get_subcommands() {
        collect_paths(sub, format!("{path} {}", sub.get_name()).trim(), paths);
    }
}

fn command_at<'a>(root: &'a Command, path: &str) -> Result<&'a Command> {
    path.split(' ').try_fold(root, |command, word| {
        command
            .find_subcommand(word)
            .with_context(|| format!("no command {path}"))
    })
}

/// The function of a command, without the flag that has a separate function.
fn function<'a>(
    path: &'a str,
    command: &Command,
    globals: &[Arg],
    without: Option<&str>,
) -> Function<'a> {
    let renamed = RENAMED.iter().find(|(of, _)| *of == path);
    let name = renamed.map_or_else(
        || path.replace([' ', '-'], "_"),
        |(_, name)| (*name).to_owned(),
    );
    let args = own_arguments(command).filter(|arg| Some(arg.get_id().as_str()) != without);
    Function {
        name,
        words: path.split(' ').map(str::to_owned).collect(),
        schema: path.replace(' ', "-"),
        about: about(command.get_about().map(ToString::to_string)),
        parameters: parameters(args.chain(globals)),
        command: path,
    }
}

/// The function of a flag: it has the options that the flag does not exclude.
fn flag_function<'a>(
    path: &'a str,
    command: &Command,
    globals: &[Arg],
    (flag, name, schema): (&str, &str, &str),
) -> Result<Function<'a>> {
    let own = own_arguments(command).find(|arg| arg.get_id() == flag);
    let own = own.with_context(|| format!("{path} has no --{flag}"))?;
    let excluded: BTreeSet<&str> = command
        .get_arg_conflicts_with(own)
        .into_iter()
        .map(|arg| arg.get_id().as_str())
        .chain([flag])
        .collect();
    let args = own_arguments(command).filter(|arg| {
        let conflicts = command.get_arg_conflicts_with(arg);
        !excluded.contains(arg.get_id().as_str())
            && conflicts.iter().all(|other| other.get_id() != flag)
    });
    let words = path.split(' ').map(str::to_owned);
    Ok(Function {
        name: name.to_owned(),
        words: words.chain([format!("--{flag}")]).collect(),
        schema: schema.to_owned(),
        about: about(own.get_help().map(ToString::to_string)),
        parameters: parameters(args.chain(globals)),
        command: path,
    })
}

fn about(text: Option<String>) -> String {
    prose(text.unwrap_or_default().trim_end_matches('.'))
}

/// The arguments of a command, without global options and help.
fn own_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_global_set() && !matches!(arg.get_id().as_str(), "help" | "version"))
}

/// The parameters of arguments. A positional argument replaces the option with its name.
fn parameters<'a>(args: impl Iterator<Item = &'a Arg>) -> Vec<Parameter> {
    let mut all: Vec<Parameter> = args.flat_map(Parameter::of).collect();
    let is_keyword = |place| {
        matches!(
            place,
            ParameterKind::Keyword | ParameterKind::RequiredKeyword
        )
    };
    let positional: BTreeSet<String> = all
        .iter()
        .filter(|parameter| !is_keyword(parameter.place))
        .map(|parameter| parameter.name.clone())
        .collect();
    all.retain(|parameter| !is_keyword(parameter.place) || !positional.contains(&parameter.name));
    all.sort_by_key(|parameter| match parameter.place {
        ParameterKind::Required => 0,
        ParameterKind::Optional => 1,
        ParameterKind::Rest => 2,
        ParameterKind::RequiredKeyword => 3,
        ParameterKind::Keyword => 4,
    });
    all
}

impl Function<'_> {
    fn write(&self, text: &mut String) -> Result<()> {
        let words: Vec<String> = self
            .words
            .iter()
            .map(|word| format!("\"{word}\""))
            .collect();
        let flags = self.parameters.iter().filter_map(|parameter| {
            let flag = parameter.flag.as_ref()?;
            Some(format!("{}=\"{flag}\"", parameter.name))
        });
        let words: Vec<String> = words.into_iter().chain(flags).collect();
        writeln!(text, "\n\n@command({})", words.join(", "))?;
        writeln!(text, "def {}(", self.name)?;
        let has_rest = self
            .parameters
            .iter()
            .any(|p| p.place == ParameterKind::Rest);
        let mut is_open = !has_rest;
        for parameter in &self.parameters {
            let Parameter {
                name, annotation, ..
            } = parameter;
            let is_spec = annotation == "Spec" && READ_ANSWERS.contains(&self.command);
            let annotation = if is_spec { "Spec | Answer" } else { annotation };
            if matches!(
                parameter.place,
                ParameterKind::RequiredKeyword | ParameterKind::Keyword
            ) && is_open
            {
                is_open = false;
                text.push_str("    *,\n");
            }
            match parameter.place {
                ParameterKind::Required | ParameterKind::RequiredKeyword => {
                    writeln!(text, "    {name}: {annotation},")?;
                }
                ParameterKind::Rest => writeln!(text, "    *{name}: {annotation},")?,
                ParameterKind::Optional | ParameterKind::Keyword => {
                    writeln!(text, "    {name}: {annotation} | None = None,")?;
                }
            }
        }
        if is_open {
            text.push_str("    *,\n");
        }
        text.push_str("    today: Day | None = None,\n");
        writeln!(text, ") -> answers.{}:", answer_class(&self.schema))?;
        writeln!(text, "    \"\"\"{}.\n", self.about)?;
        for parameter in &self.parameters {
            // Functions read no standard input.
            let about = parameter.about.split("; `-` ").next().unwrap_or_default();
            let about = parameters_in(about);
            writeln!(text, "    {}: {about}", parameter.name)?;
        }
        text.push_str("    today: The day from which ages of prices count, instead of today\n");
        text.push_str("    \"\"\"\n");
        Ok(())
    }
}

/// Names options in a description as parameters: `--max-price` is `max_price`.
fn parameters_in(text: &str) -> String {
    let mut parts = text.split("--");
    let mut renamed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let end = part.find(|c| !is_of_name(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        renamed.push_str(&identifier(name));
        renamed.push_str(rest);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_name_parameters() {
        assert_eq!(parameters_in("as for --max-price=2"), "as for max_price=2");
        assert_eq!(parameters_in("a -- b"), "a  b");
    }

    #[test]
    fn every_command_has_a_function_or_a_reason() -> Result<()> {
        let module = module()?;
        for name in ["resolve", "mig_pack", "list_accelerators", "price_history"] {
            assert!(module.contains(&format!("\ndef {name}(\n")), "{name}");
        }
        let mut root = Cli::command();
        root.build();
        for path in WITHOUT {
            command_at(&root, path)?;
        }
        Ok(())
    }
}
