//! Bash completion. Bash splits words at `:` and `=`, which many specs contain, and inserts replies unchanged. Replies
//! are quoted here: bash can quote names of files, but then leaves `$` and backticks in names that it does not find,
//! such as the part of a name after a colon.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine::{CompletionCandidate, complete};
use clap_complete::env::EnvCompleter;

use super::bash_word::BashWord;
use super::variables::{BREAKS, INDEX};

/// A registration script that passes words as the user typed them, and takes options of `compopt` and replies, each of
/// which ends with a zero byte.
pub struct Bash;

// Bash inserts a reply in place of its current word: the text after the last word break, unless a quote is
// open. Its own completion is off, because it would leave the same characters. Bash 3 has no `compopt`.
const SCRIPT: &str = r#"_FUNCTION() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() word reply options= i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $i -eq 0 || $rest == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            words+=("")
        fi
        [[ $i -eq $COMP_CWORD ]] && word=$rest
        rest=${rest#"$word"}
        words[${#words[@]} - 1]+=$word
    done
    COMPREPLY=()
    {
        IFS= read -r -d '' options
        while IFS= read -r -d '' reply; do
            COMPREPLY+=("$reply")
        done
    } < <(VARIABLE=bash INDEX=$((${#words[@]} - 1)) BREAKS=$COMP_WORDBREAKS \
        COMPLETER -- "${words[@]}" 2> /dev/null)
    if [[ $options == *nospace* ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
complete -o nosort -F _FUNCTION PROGRAM 2> /dev/null ||
    complete -F _FUNCTION PROGRAM"#;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let script = SCRIPT
            .replace("FUNCTION", &name.replace('-', "_"))
            .replace("VARIABLE", variable)
            .replace("INDEX", INDEX)
            .replace("BREAKS=", &format!("{BREAKS}="))
            .replace("PROGRAM", program)
            .replace(
                "COMPLETER",
                &shlex::try_quote(completer).unwrap_or_else(|_| "sky-accel".into()),
            );
        writeln!(out, "{script}")
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let breaks = std::env::var(BREAKS).unwrap_or_default();
        let words = words.iter().map(|word| word.to_string_lossy());
        let words: Option<Vec<BashWord>> =
            words.map(|word| BashWord::new(&word, &breaks)).collect();
        // In a quote that an earlier word leaves open, bash would read a reply in another way too.
        let Some(words) = words else {
            return Ok(());
        };
        let Some(typed) = words.last() else {
            return Ok(());
        };
        let texts = words.iter().map(|word| word.text.clone().into()).collect();
        let found = complete(command, texts, words.len() - 1, folder)?;
        let found: Vec<&OsStr> = found.iter().map(CompletionCandidate::get_value).collect();
        write_replies(&found, typed, std::env::home_dir().as_deref(), out)
    }
}

/// Writes the options of `compopt`, and the part of each reply that replaces the typed word.
fn write_replies(
    found: &[&OsStr],
    typed: &BashWord,
    home: Option<&Path>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let [reply] = found
        && let Some(last) = reply.as_encoded_bytes().last()
        && b"=/:+".contains(last)
    {
        out.write_all(b"nospace")?;
    }
    out.write_all(b"\0")?;
    for reply in found {
        let mut reply = reply.as_encoded_bytes();
        if let Some(rest) = reply.strip_prefix(typed.kept().as_bytes()) {
            reply = rest;
        }
        // A quoted tilde is the name of a folder.
        let path;
        if let (Some(rest), Some(home)) = (reply.strip_prefix(b"~/"), home) {
            path = [home.as_os_str().as_encoded_bytes(), b"/", rest].concat();
            reply = &path;
        }
        out.write_all(&typed.quoted(reply))?;
        out.write_all(b"\0")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(typed: &str, found: &[&str]) -> String {
        let found: Vec<&OsStr> = found.iter().map(OsStr::new).collect();
        let typed = BashWord::new(typed, "\"'@><=;|&(: ").unwrap();
        let mut out = Vec::new();
        write_replies(&found, &typed, Some(Path::new("/home/me")), &mut out).unwrap();
        String::from_utf8(out).unwrap().replace('\0', "|")
    }

    #[test]
    fn replies_are_quoted() {
        assert_eq!(replies("H100:8", &["H100:80GB"]), "|80GB|");
        assert_eq!(replies("H100:m", &["H100:mig="]), "nospace|mig=|");
        assert_eq!(
            replies("größe/", &["größe/ä", "größe/b"]),
            "|größe/ä|größe/b|"
        );
        assert_eq!(replies("a", &["a b/"]), r"nospace|a\ b/|");
        assert_eq!(replies("m:", &["m:`id`.gguf"]), r"|\`id\`.gguf|");
    }

    #[test]
    fn replies_take_the_place_of_the_text_that_bash_replaces() {
        let reply = ["--config=a b:c d"];
        assert_eq!(replies("--config=a", &reply), r"|a\ b:c\ d|");
        assert_eq!(replies(r"--config=a\ b:", &reply), r"|c\ d|");
        assert_eq!(replies("--config=\"a b:", &reply), "|a b:c d|");
        assert_eq!(replies("--config='a b'", &reply), r"|a\ b:c\ d|");
        assert_eq!(replies("'--config=a b:", &reply), "|--config=a b:c d|");
        assert_eq!(replies(r"a\:b", &["a:bc"]), "|a:bc|");
    }

    #[test]
    fn the_home_folder_is_named() {
        assert_eq!(replies("~/m", &["~/model"]), "|/home/me/model|");
        assert_eq!(
            replies("--config=~/m", &["--config=~/models/"]),
            "nospace|/home/me/models/|"
        );
    }
}
