//! Bash completion. Bash splits words at `:` and `=`, which many specs contain.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{Bash as Builtin, EnvCompleter};

/// Same as clap's registration script, with the split words joined again.
pub struct Bash;

// Bash inserts a reply in place of its current word: the text after the last word break, unless a quote is
// open.
const SCRIPT: &str = r#"_FUNCTION() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() word reply current quote i
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
    current=${words[${#words[@]} - 1]}
    case $current in [\'\"]*) quote=${current:0:1} current=${current:1} ;; esac
    words[${#words[@]} - 1]=$current
    COMPREPLY=()
    while IFS= read -r reply; do
        [[ -n $reply ]] && COMPREPLY+=("$reply")
    done < <(VARIABLE=bash _CLAP_IFS=$'\n' _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) \
        COMPLETER -- "${words[@]}" 2> /dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/:+] ]]; then
        compopt -o nospace 2> /dev/null
    fi
    if [[ -z $quote && $current == *[:=@]* ]]; then
        local before=${current%"${current##*[$(printf %s "$COMP_WORDBREAKS" | tr -cd ':=@')]}"}
        COMPREPLY=("${COMPREPLY[@]#"$before"}")
    fi
}
complete -o bashdefault -o nosort -F _FUNCTION PROGRAM 2> /dev/null ||
    complete -o bashdefault -F _FUNCTION PROGRAM"#;

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
        Builtin.write_complete(command, words, folder, out)?;
        // The last line has no line feed.
        writeln!(out)
    }
}
