//! The key and the project in the variables and the configuration file of Mithril's tools.

use crate::api::key_file_path;
use crate::credentials::{Environment, yaml_entry_value, yaml_value};

/// The configuration of the command line, which the declaration lists.
pub(super) const CONFIG_FILE: &str = "~/.config/mithril/config.yaml";
/// The variable with the id of the project.
pub(super) const PROJECT_VARIABLE: &str = "MITHRIL_PROJECT";
/// The variable with the name of a profile, in place of `current_profile` in the file.
const PROFILE_VARIABLE: &str = "MITHRIL_PROFILE";

/// Finds the key in the selected profile of the configuration file.
pub(super) fn key(environment: &Environment<'_>) -> Option<String> {
    in_profile("api_key", environment)
}

/// Returns the id of the project whose quotas are read; `None` if it is not set, or if it is more than an id.
pub(super) fn project(environment: &Environment<'_>) -> Option<String> {
    let project = environment.get(PROJECT_VARIABLE);
    let project = project.or_else(|| in_profile("project_id", environment))?;
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let project = project.trim();
    project.bytes().all(is_id).then(|| project.to_owned())
}

/// Returns a value of the selected profile: `current_profile` in the file, unless a variable names another.
fn in_profile(name: &str, environment: &Environment<'_>) -> Option<String> {
    let text = environment.text(key_file_path(CONFIG_FILE, environment))?;
    let selected = environment.get(PROFILE_VARIABLE);
    let selected = selected.or_else(|| yaml_value(&text, "current_profile"))?;
    yaml_entry_value(&text, "profiles", selected.trim(), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "current_profile: work
profiles:
  home:
    api_key: fkey_home
    project_id: proj_home
  work:
    api_key: \"fkey_work\"

    project_id: proj_work
other:
  api_key: fkey_other
";

    fn found(file: &str, variables: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let variable = |name: &str| {
            let home = ("HOME", "/home/me");
            let mut set = variables.iter().chain([&home]);
            let (_, value) = set.find(|(other, _)| *other == name)?;
            Some((*value).to_owned())
        };
        let environment = Environment {
            variable: &variable,
            read: &|path| {
                let is_file = path.ends_with(".config/mithril/config.yaml");
                is_file.then(|| file.to_owned())
            },
        };
        (key(&environment), project(&environment))
    }

    fn pair(key: &str, project: &str) -> (Option<String>, Option<String>) {
        (Some(key.to_owned()), Some(project.to_owned()))
    }

    #[test]
    fn the_selected_profile_has_the_key_and_the_project() {
        assert_eq!(found(FILE, &[]), pair("fkey_work", "proj_work"));
        let home = ("MITHRIL_PROFILE", "home");
        assert_eq!(found(FILE, &[home]), pair("fkey_home", "proj_home"));
        let project = ("MITHRIL_PROJECT", " proj_x ");
        assert_eq!(found(FILE, &[home, project]), pair("fkey_home", "proj_x"));
        assert_eq!(found(FILE, &[("MITHRIL_PROFILE", "other")]), (None, None));
    }

    #[test]
    fn files_of_another_form_have_no_key() {
        for file in [
            "",
            "profiles:",
            "current_profile: a\nprofiles:\n",
            "current_profile: a\nprofiles:\na:\n  api_key: x\n",
            "current_profile: a\nprofiles: {a: {api_key: x}}\n",
            "current_profile: a\nprofiles:\n  b:\n    api_key: x\n",
            "profiles:\n  a:\n    api_key: x\n",
        ] {
            assert_eq!(found(file, &[]), (None, None), "{file}");
        }
    }

    #[test]
    fn a_project_is_an_id() {
        for text in ["proj_1&x=2", "a/b", "a b", "ä"] {
            assert_eq!(found("", &[("MITHRIL_PROJECT", text)]).1, None, "{text}");
        }
    }
}
