//! Parameters of a function, from the arguments of a command.

use std::any::TypeId;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction};

use super::{identifier, prose};

/// A parameter of a Python function.
pub struct Parameter {
    pub name: String,
    /// The flag, if it does not follow from the name.
    pub flag: Option<String>,
    /// The type. `_values.py` defines its first word.
    pub annotation: String,
    pub place: ParameterKind,
    pub about: String,
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    Required,
    Optional,
    /// Any number of positional arguments.
    Rest,
    RequiredKeyword,
    Keyword,
}

impl Parameter {
    /// Returns the parameters of an argument: one, and one for each other name of its flag.
    pub fn of(arg: &Arg) -> Vec<Self> {
        let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let defaults = arg.get_default_values().iter();
        let defaults: Vec<String> = defaults
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let about = if defaults.is_empty() || !takes_value(arg) {
            prose(&about)
        } else {
            format!("{} [default: {}]", prose(&about), defaults.join(", "))
        };
        if arg.is_positional() {
            // The word for a model has the name of the option with the same meaning.
            let name = arg.get_id().as_str().trim_end_matches("_word");
            return vec![Self {
                name: identifier(name),
                flag: None,
                annotation: annotation(arg),
                place: match (is_many(arg), arg.is_required_set()) {
                    (true, _) => ParameterKind::Rest,
                    (false, true) => ParameterKind::Required,
                    (false, false) => ParameterKind::Optional,
                },
                about,
            }];
        }
        let long = arg.get_long().unwrap_or_default();
        let aliases = arg.get_all_aliases().unwrap_or_default();
        let place = if arg.is_required_set() {
            ParameterKind::RequiredKeyword
        } else {
            ParameterKind::Keyword
        };
        let name = identifier(long);
        let mut all = vec![Self {
            flag: is_renamed(long).then(|| format!("--{long}")),
            annotation: annotation(arg),
            place,
            about,
            name: name.clone(),
        }];
        all.extend(aliases.into_iter().map(|alias| Self {
            name: identifier(alias),
            flag: is_renamed(alias).then(|| format!("--{alias}")),
            annotation: annotation(arg),
            place: ParameterKind::Keyword,
            about: format!("The same as {name}"),
        }));
        all
    }
}

/// Whether the name of a parameter differs from the name of its flag by more than underscores.
fn is_renamed(long: &str) -> bool {
    identifier(long) != long.replace('-', "_")
}

fn takes_value(arg: &Arg) -> bool {
    let values = arg.get_num_args().map(|values| values.max_values());
    arg.get_action().takes_values() && values != Some(0)
}

fn is_many(arg: &Arg) -> bool {
    let values = arg.get_num_args().map(|values| values.max_values());
    matches!(arg.get_action(), ArgAction::Append) || values.is_some_and(|most| most > 1)
}

/// Returns the Python type of the values of an argument.
fn annotation(arg: &Arg) -> String {
    if !takes_value(arg) {
        return "Flag".to_owned();
    }
    let type_id = arg.get_value_parser().type_id();
    let is = |id: TypeId| type_id == id;
    let can_be_bare = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
    if is(TypeId::of::<bool>()) {
        return "Switch".to_owned();
    }
    let names = arg.get_value_names().unwrap_or_default();
    let is_named = |all: &[&str]| names.iter().any(|name| all.contains(&name.as_str()));
    let words: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|word| !word.is_hide_set())
        .map(|word| format!("\"{}\"", word.get_name()))
        .collect();
    let is_count = is(TypeId::of::<u8>())
        || is(TypeId::of::<u16>())
        || is(TypeId::of::<u32>())
        || is(TypeId::of::<u64>())
        || is(TypeId::of::<usize>());
    // A source may also be the path of a file.
    let is_closed = !words.is_empty() && !is(TypeId::of::<sky_accel::cli::UpdateSource>());
    let single = if is_closed {
        format!("Literal[{}]", words.join(", "))
    } else if is_count {
        "Whole".to_owned()
    } else if is(TypeId::of::<f64>()) && is_named(&["HOURS", "TIME"]) && !is_many(arg) {
        "Time".to_owned()
    } else if is(TypeId::of::<f64>()) || is_named(&["SIZE"]) {
        "Number".to_owned()
    } else if is(TypeId::of::<Duration>()) {
        "Duration".to_owned()
    } else if is(TypeId::of::<PathBuf>()) {
        "File".to_owned()
    } else if is_named(&["SPEC", "GPU", "NAME", "FILTER"]) {
        "Spec".to_owned()
    } else {
        "Text".to_owned()
    };
    if can_be_bare && !is_many(arg) && !arg.is_positional() {
        return format!("FlagOr[{single}]");
    }
    if is_many(arg) && !arg.is_positional() {
        return format!("Many[{single}]");
    }
    single
}
