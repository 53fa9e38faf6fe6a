//! Generated files that are committed: completions, schemas, and the pages of `docs` that follow from code.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context as _, Result, bail};
use clap::CommandFactory as _;
use clap_complete::Shell;
use sky_accel::cli::Cli;

use crate::paths::root;
use crate::{accuracy, errors, prices, providers, python};

/// Folders that contain only generated files.
const FOLDERS: [&str; 2] = ["completions", "schemas"];

/// A generated file.
struct Generated {
    /// The path from the root of the repository, with `/` as separator.
    path: String,
    text: String,
}

/// Writes the generated files, and removes files that are no longer generated. With `check`, it changes nothing.
///
/// # Errors
///
/// If a file cannot be generated or written, or with `check`, if a file is not current.
pub fn generate(check: bool) -> Result<()> {
    let files = generated()?;
    let stale = stale(&files)?;
    if stale.is_empty() {
        return Ok(());
    }
    if check {
        bail!(
            "not current: {} (run `cargo xtask generate`)",
            stale.join(", ")
        );
    }
    for path in stale {
        let place = root().join(&path);
        let Some(file) = files.iter().find(|file| file.path == path) else {
            fs::remove_file(&place).with_context(|| format!("cannot remove {path}"))?;
            continue;
        };
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&place, &file.text).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// The paths of files that are missing, outdated, or no longer generated.
fn stale(files: &[Generated]) -> Result<Vec<String>> {
    let mut stale: BTreeSet<String> = files
        .iter()
        .filter(|file| {
            !fs::read_to_string(root().join(&file.path)).is_ok_and(|text| text == file.text)
        })
        .map(|file| file.path.clone())
        .collect();
    for folder in FOLDERS {
        let entries = fs::read_dir(root().join(folder)).with_context(|| folder.to_owned())?;
        for entry in entries {
            let path = format!("{folder}/{}", entry?.file_name().to_string_lossy());
            if files.iter().all(|file| file.path != path) {
                stale.insert(path);
            }
        }
    }
    Ok(stale.into_iter().collect())
}

/// Generates every file.
fn generated() -> Result<Vec<Generated>> {
    let mut files = completions()?;
    for (name, schema) in sky_accel::schemas() {
        files.push(Generated {
            path: format!("schemas/{name}.json"),
            text: serde_json::to_string_pretty(&schema)? + "\n",
        });
    }
    for (path, text) in python::modules()? {
        files.push(Generated {
            path: path.to_owned(),
            text,
        });
    }
    files.push(Generated {
        path: "docs/accuracy.md".to_owned(),
        text: accuracy::page()?,
    });
    files.push(Generated {
        path: "docs/prices-accuracy.md".to_owned(),
        text: prices::page()?,
    });
    files.push(Generated {
        path: "docs/errors.md".to_owned(),
        text: errors::page()?,
    });
    files.push(Generated {
        path: "docs/providers.md".to_owned(),
        text: providers::page(),
    });
    Ok(files)
}

fn completions() -> Result<Vec<Generated>> {
    let shells = [
        (Shell::Bash, "sky-accel.bash"),
        (Shell::Elvish, "sky-accel.elv"),
        (Shell::Fish, "sky-accel.fish"),
        (Shell::PowerShell, "_sky-accel.ps1"),
        (Shell::Zsh, "_sky-accel"),
    ];
    let script = |(shell, name)| {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "sky-accel", &mut script);
        let script = String::from_utf8(script)?;
        Ok(Generated {
            path: format!("completions/{name}"),
            text: if shell == Shell::Bash {
                with_quoted_files(&script)
            } else {
                script
            },
        })
    };
    shells.into_iter().map(script).collect()
}

/// Completes names of files, each quoted for its place. Bash completes a line with quotes only in the script that calls
/// the program.
const BASH_FILES: &str = r#"
_sky__accel_files() {
    local line=${COMP_LINE:0:COMP_POINT} path kept file
    if [[ $line == *[\'\"\\\$\`]* ]]; then
        return
    fi
    path=${line##*[[:space:]]}
    # Bash keeps the text up to the last word break.
    kept=${path%"${path##*["$COMP_WORDBREAKS"]}"}
    if [[ $path == --*=* ]]; then
        path=${path#*=} kept=${kept#*=}
    fi
    path=${path/#\~\//$HOME/}
    while IFS= read -r file; do
        if [[ ! -e $file || $file == *[[:cntrl:]]* ]]; then
            continue
        fi
        [[ -d $file ]] && file+=/
        [[ $file == [-~]* ]] && file=./$file
        printf -v file %q "${file#"$kept"}"
        COMPREPLY+=("$file")
    done < <(compgen -f -- "$path")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace 2> /dev/null
    fi
}

_sky__accel_or_files() {
    _sky__accel "$@"
    if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
        _sky__accel_files
    fi
}
"#;

/// Completes the names of files by [`BASH_FILES`]. Bash inserts replies of `compgen -f` unchanged, and its own
/// completion leaves `$` and backticks in names that it does not find: both would run code in names.
fn with_quoted_files(script: &str) -> String {
    let script = script
        .replace(r#"COMPREPLY=($(compgen -f "${cur}"))"#, "COMPREPLY=()")
        .replace(" -o bashdefault -o default", "")
        .replace(
            "complete -F _sky__accel ",
            "complete -F _sky__accel_or_files ",
        );
    match script.split_once("\nif [[ \"${BASH_VERSINFO[0]}\" -eq 4") {
        Some((functions, registration)) => {
            format!("{functions}{BASH_FILES}\nif [[ \"${{BASH_VERSINFO[0]}}\" -eq 4{registration}")
        }
        None => script,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, run `cargo xtask generate` and commit the changes.
    #[test]
    fn generated_files_are_current() -> Result<()> {
        assert_eq!(stale(&generated()?)?, Vec::<String>::new());
        Ok(())
    }

    #[test]
    fn bash_completes_no_file_without_quotes() -> Result<()> {
        let files = completions()?;
        let script = files
            .iter()
            .find(|file| file.path == "completions/sky-accel.bash");
        let script = &script.context("bash")?.text;
        assert!(!script.contains("$(compgen -f"));
        assert!(!script.contains("default"));
        assert_eq!(
            script.matches("complete -F _sky__accel_or_files").count(),
            2
        );
        assert_eq!(script.matches("_sky__accel_files").count(), 2);
        Ok(())
    }

    /// A feature of a dependency could add a second TLS library, or a TLS library in C.
    #[test]
    fn there_is_one_tls_stack() -> Result<()> {
        let lock = fs::read_to_string(root().join("Cargo.lock"))?;
        for package in ["aws-lc-rs", "aws-lc-sys", "native-tls", "openssl-sys"] {
            assert!(
                !lock.contains(&format!("name = \"{package}\"\n")),
                "{package}"
            );
        }
        assert_eq!(lock.matches("name = \"rustls\"\n").count(), 1);
        Ok(())
    }
}
