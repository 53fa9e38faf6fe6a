//! Answers to command lines without a terminal, for programs that link the command line as a library.

use std::ffi::OsString;

use sky_accel_engine::Error;

use crate::cli::PROGRAM;
use crate::host::Host;
use crate::invocation;
use crate::line::{self, Place};
use crate::settings::Settings;
use crate::ui::Ui;

/// The output of one command line.
#[derive(Debug)]
pub struct Answer {
    /// The exit code that the process would have.
    pub exit_code: u8,
    /// The data.
    pub stdout: Vec<u8>,
    /// Messages; with `-o json`, a JSON document of the error if the command failed.
    pub stderr: Vec<u8>,
}

/// Answers a command line, without the name of the program, as the process would, with `input` as standard input.
///
/// Config files, the environment's settings, the working directory's catalogs and the terminal are not read, unless
/// `--config` names a file. Commands that need a terminal or run until they are stopped are errors.
pub fn answer(words: &[String], input: Vec<u8>) -> Answer {
    answer_with(&Host::default(), words, input)
}

/// Answers a command line as [`answer`] does, with the date and the catalog of a host.
pub fn answer_with(host: &Host, words: &[String], input: Vec<u8>) -> Answer {
    let words = std::iter::once(PROGRAM).chain(words.iter().map(String::as_str));
    let words: Vec<OsString> = words.map(OsString::from).collect();
    invocation::of(words.clone(), || answered(host, words, input))
}

/// Returns the text that the process prints for an error.
pub fn error_text(error: &Error) -> String {
    let mut ui = Ui::captured(&Settings::default(), Vec::new());
    // Memory accepts every write.
    let _ = ui.error(error, false);
    let (_, text) = ui.into_captured().unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

fn answered(host: &Host, words: Vec<OsString>, input: Vec<u8>) -> Answer {
    let (exit_code, ui) = line::run(words, &mut Place::Memory { host, input });
    // Memory accepts every write.
    let (stdout, stderr) = ui.into_captured().unwrap_or_default();
    Answer {
        exit_code: exit_code as u8,
        stdout,
        stderr,
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Host, answer, answer_with};

    fn of(line: &str, input: &str) -> Answer {
        answer(&words(line), input.as_bytes().to_vec())
    }

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn messages_have_the_flags_of_the_answered_line() {
        let stale = of("resolve H100 --max-age 1s", "");
        assert_eq!(stale.exit_code, 7);
        let stale = String::from_utf8_lossy(&stale.stderr).into_owned();
        assert!(
            stale.contains("--max-age") && !stale.contains("`max_age`"),
            "{stale}"
        );
    }

    #[test]
    fn ages_count_from_the_given_day() {
        let line = words("resolve H100:x8 --max-age 30d -o names");
        let host = Host {
            today: Some(jiff::civil::date(2199, 1, 1)),
            ..Host::default()
        };
        assert_eq!(answer_with(&host, &line, Vec::new()).exit_code, 7);
    }

    #[test]
    fn a_config_file_is_read_only_if_it_is_named() {
        let unknown = of("resolve H100 --config no/such/config.toml", "");
        assert_eq!(unknown.exit_code, 6);
        assert_eq!(of("resolve H100 --no-config", "").exit_code, 0);
    }

    #[test]
    fn data_and_errors_are_captured() {
        let found = of("resolve H100 -o json", "");
        assert_eq!(found.exit_code, 0);
        let document: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
        assert_eq!(document["schema"], "sky-accel.resolve.v1");
        assert!(found.stderr.is_empty());
        let unknown = of("resolve H10 -o json", "");
        assert_eq!(unknown.exit_code, 2);
        assert!(unknown.stdout.is_empty());
        let error: serde_json::Value = serde_json::from_slice(&unknown.stderr).unwrap();
        assert_eq!(error["error"]["code"], "spec.unknown-accelerator");
    }

    #[test]
    fn standard_input_is_the_given_text() {
        let listed = of("resolve - -o names --limit 1", "# two\nH100:x8\nA100:x8\n");
        assert_eq!(listed.exit_code, 0);
        let names = String::from_utf8(listed.stdout).unwrap();
        assert_eq!(names.lines().count(), 2, "{names}");
        assert_eq!(of("resolve -", "").exit_code, 2);
    }

    #[test]
    fn endless_commands_and_usage_errors_answer_at_once() {
        for line in [
            "browse",
            "watch H100",
            "mcp",
            "resolve --nothing",
            "nothing",
        ] {
            let refused = of(line, "");
            assert_eq!(refused.exit_code, 2, "{line}");
            assert!(refused.stdout.is_empty(), "{line}");
        }
        assert_eq!(of("", "").exit_code, 0);
        let help = of("resolve --help", "");
        assert_eq!(help.exit_code, 0);
        assert!(!help.stdout.is_empty());
    }
}
