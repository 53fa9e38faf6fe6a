//! Translates the field names in library messages to the flags of the command line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use clap::{Arg, Command, CommandFactory as _};
use sky_accel_engine::Error;
use sky_accel_engine::contract::{NoteOut, RenderOut};

use crate::cli::{Cli, with_command};
use crate::invocation;

/// Units at the end of field names, which flags do not have.
const UNITS: [&str; 6] = ["_usd", "_hours", "_gib", "_gb", "_ms", "_s"];

/// Replaces the names of request fields in backquotes, such as `` `max_age` ``, by flags, such as `--max-age`.
///
/// Only the flags of the running command count: documents that a command reads have fields with the names of
/// other commands' flags.
pub fn with_flags(text: &str) -> Cow<'_, str> {
    static FLAGS: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    // Describing all options is slow, so skip it for texts without a field name.
    if fields(text).next().is_none() {
        return Cow::Borrowed(text);
    }
    let flags = || {
        let words = with_command(invocation::words());
        flags_of_command(words.iter().map(|word| word.to_string_lossy().into_owned()))
    };
    if invocation::is_in_memory() {
        return translate(text, &flags());
    }
    translate(text, FLAGS.get_or_init(flags))
}

/// Returns an error with translated messages, hints and advice. The message of a problem in a file stays: it names
/// fields of the file, such as `capacity_type` in a config file.
pub fn translated(error: &Error) -> Error {
    let mut error = error.clone();
    for problem in &mut error.problems {
        let is_about_file = problem
            .place
            .as_ref()
            .is_some_and(|place| place.file.is_some());
        if !is_about_file {
            replace(&mut problem.message);
            problem.hints.iter_mut().for_each(replace);
        }
        problem.advice.iter_mut().for_each(replace);
    }
    error
}

/// Translates the messages of notes.
pub fn translate_notes(notes: &mut [NoteOut]) {
    for note in notes {
        replace(&mut note.message);
    }
}

/// Translates the losses and placeholders of rendered files, but not the files.
pub fn translate_render(render: &mut RenderOut) {
    for loss in &mut render.lossy {
        replace(&mut loss.message);
    }
    for placeholder in &mut render.placeholders {
        replace(&mut placeholder.meaning);
    }
}

/// Translates a text in place.
pub fn replace(text: &mut String) {
    if let Cow::Owned(translated) = with_flags(text) {
        *text = translated;
    }
}

fn translate<'t>(text: &'t str, flags: &BTreeMap<String, String>) -> Cow<'t, str> {
    let mut translated = String::new();
    let mut end = 0;
    for (start, field) in fields(text) {
        if let Some(flag) = flag_of(field, flags) {
            translated.push_str(&text[end..start]);
            translated.push_str("--");
            translated.push_str(flag);
            end = start + field.len() + 2;
        }
    }
    if end == 0 {
        return Cow::Borrowed(text);
    }
    translated.push_str(&text[end..]);
    Cow::Owned(translated)
}

/// The names in backquotes that can be fields, with the position of the opening backquote.
fn fields(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let mut start = 0;
    // Texts between backquotes alternate between outside and inside.
    let parts = text.split('`').enumerate().map(move |(index, part)| {
        let position = start;
        start += part.len() + 1;
        (index, position, part)
    });
    parts
        .filter(move |(index, _, part)| index % 2 == 1 && is_name(part))
        .map(|(_, position, part)| (position - 1, part))
}

/// The flag of a field: flags have no units, and a repeated flag is in the singular.
fn flag_of<'f>(field: &str, flags: &'f BTreeMap<String, String>) -> Option<&'f str> {
    let stems = UNITS.iter().filter_map(|unit| field.strip_suffix(unit));
    let mut names = std::iter::once(field)
        .chain(field.strip_suffix('s'))
        .chain(stems);
    names.find_map(|name| flags.get(&name.replace('_', "-")).map(String::as_str))
}

/// Whether a word is an option whose value is the next word.
fn takes_next_word(command: &Command, word: &str) -> bool {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
    let mut arguments = command.get_arguments();
    name.is_some_and(|name| {
        arguments.any(|argument| {
            let short = argument.get_short().map(String::from);
            let is_named = argument.get_long() == Some(name) || short.as_deref() == Some(name);
            let is_switch = argument
                .get_num_args()
                .is_some_and(|values| !values.takes_values());
            is_named && argument.get_action().takes_values() && !is_switch
        })
    })
}

/// Whether a command of this program has a long flag. Other names are flags of other programs, such as serving engines.
pub fn is_flag(name: &str) -> bool {
    fn has(command: &Command, name: &str) -> bool {
        let mut arguments = command.get_arguments();
        arguments.any(|argument| argument.get_long() == Some(name))
            || command.get_subcommands().any(|below| has(below, name))
    }
    has(root(), name)
}

/// The command with its subcommands.
fn root() -> &'static Command {
    static ROOT: OnceLock<Command> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut root = Cli::command();
        root.build();
        root
    })
}

/// The long flags of the command in a command line.
fn flags_of_command(words: impl Iterator<Item = String>) -> BTreeMap<String, String> {
    // Describing all commands is slow: only the command that runs is built.
    let root = Cli::command();
    let global = || root.get_arguments().filter(|option| option.is_global_set());
    let mut command = Cow::Borrowed(&root);
    let mut words = words.skip(1);
    while let Some(word) = words.next() {
        if let Some(below) = command.find_subcommand(&word) {
            // Options refer to the global options, which a command alone does not have.
            let has = |option: &Arg| {
                below
                    .get_arguments()
                    .any(|own| own.get_id() == option.get_id())
            };
            let missing: Vec<Arg> = global().filter(|option| !has(option)).cloned().collect();
            let mut below = below.clone().args(missing);
            below.build();
            command = Cow::Owned(below);
        } else if takes_next_word(&command, &word) {
            // The value of an option may be the name of a command.
            words.next();
        }
    }
    let mut flags = BTreeMap::new();
    for argument in global().chain(command.get_arguments()) {
        let Some(flag) = argument.get_long() else {
            continue;
        };
        // A hidden alias has the name of the field, where the flag has another name.
        let aliases = argument.get_all_aliases().unwrap_or_default();
        for name in aliases.into_iter().chain([flag]) {
            flags.insert(name.to_owned(), flag.to_owned());
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use sky_accel_engine::{ErrorCode, TextPosition};

    use super::*;

    fn flags(command_line: &str) -> BTreeMap<String, String> {
        flags_of_command(command_line.split(' ').map(str::to_owned))
    }

    #[test]
    fn fields_become_flags_of_the_command() {
        let flags = flags("sky-accel plan H100 --to skypilot");
        for (text, expected) in [
            ("`max_age` allows", "--max-age allows"),
            ("`providers` and `budget_usd`", "--provider and --budget"),
            ("use `live`", "use --live"),
            ("`mig fit` and `unknown`", "`mig fit` and `unknown`"),
            ("an odd ` backquote", "an odd ` backquote"),
        ] {
            assert_eq!(translate(text, &flags), expected);
        }
    }

    #[test]
    fn values_of_options_are_not_commands() {
        for command_line in [
            "sky-accel --catalog list resolve H100",
            "sky-accel --no-config resolve H100",
        ] {
            let flags = flags(command_line);
            assert_eq!(translate("`max_age`", &flags), "--max-age");
        }
    }

    #[test]
    fn problems_in_a_file_name_its_fields() {
        let mut error =
            Error::new(ErrorCode::BadValue, "unknown field `output`").advise("see `config`");
        assert_eq!(
            translated(&error).problems[0].message,
            "unknown field --output"
        );
        error.problems[0].place = Some(TextPosition {
            text: String::new(),
            span: 0..0,
            file: Some("sky-accel.toml:1:1".to_owned()),
        });
        assert_eq!(
            translated(&error).problems[0].message,
            "unknown field `output`"
        );
    }

    #[test]
    fn a_hidden_alias_is_the_field_of_a_flag() {
        let flags = flags("sky-accel plan H100 --to slurm");
        assert_eq!(
            translate("`slurm_types` GPU=TYPE", &flags),
            "--slurm-map GPU=TYPE"
        );
    }

    #[test]
    fn flags_of_other_commands_do_not_count() {
        let pack = flags("sky-accel mig pack H100 1g.10gb");
        assert_eq!(
            translate("`gpus` `onto` `image`", &pack),
            "--gpus --onto `image`"
        );
    }
}
