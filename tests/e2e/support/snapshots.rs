//! Snapshots of answers, in the folder `snapshots` next to the test that compares them.

use std::fs;
use std::path::{Path, PathBuf};

use insta::Settings;

use super::Run;

/// The maximum length of a line in a snapshot, in bytes: longer lines cannot be reviewed.
const MAX_LINE: usize = 400;

/// The maximum size of all snapshots together, in bytes.
const MAX_SIZE: usize = 1 << 20;

/// The maximum length of a file name made of a command line, in characters.
const MAX_NAME: usize = 80;

/// Compares a text with the snapshot of that name, which may start with folders. `INSTA_UPDATE=always` writes it.
///
/// A macro, since the folder of a snapshot follows from the source file that expands it.
macro_rules! assert_golden {
    ($name:expr, $text:expr $(,)?) => {{
        let (settings, name) = $crate::support::snapshots::settings($name.as_ref());
        let text = $crate::support::snapshots::folded($text.as_ref());
        settings.bind(|| insta::assert_snapshot!(name, text));
    }};
}

/// Compares the result of a command line with its snapshot in a folder, whose name follows from the command line.
macro_rules! assert_golden_run {
    ($folder:expr, $line:expr, $run:expr $(,)?) => {{
        let line: &str = $line.as_ref();
        let name = format!(
            "{}/{}",
            $folder,
            $crate::support::snapshots::file_name(line)
        );
        $crate::support::snapshots::assert_golden!(
            name,
            $crate::support::snapshots::titled_run(line, $run)
        );
    }};
}

pub(crate) use {assert_golden, assert_golden_run};

/// Returns where the snapshot is, and its name without folders.
pub fn settings(name: &str) -> (Settings, String) {
    let path = Path::new(name);
    let mut settings = Settings::clone_current();
    let folder = path.parent().unwrap_or(Path::new(""));
    settings.set_snapshot_path(Path::new("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let name = path.file_name().and_then(|name| name.to_str());
    (settings, name.expect("a name").to_owned())
}

/// Returns a command line as a file name: words joined by hyphens. Bounds stay different from each other.
pub fn file_name(line: &str) -> String {
    let bounds = [("<=", " le "), (">=", " ge "), ("<", " lt "), (">", " gt ")];
    let line = bounds.iter().fold(line.to_owned(), |line, (sign, word)| {
        line.replace(sign, word)
    });
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(MAX_NAME).collect()
}

/// Returns the exit code and the output of a run, under a title.
pub fn titled_run(title: &str, run: &Run) -> String {
    let Run {
        code,
        stdout,
        stderr,
    } = run;
    let stderr = match stderr.trim_end() {
        "" => String::new(),
        stderr => format!("#### stderr\n{stderr}\n"),
    };
    format!("#### {title}: exit {code}\n{stdout}{stderr}\n")
}

/// Breaks long lines; a broken line ends with an arrow.
pub fn folded(text: &str) -> String {
    let mut folded = String::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while rest.trim_end_matches('\n').len() > MAX_LINE {
            let max_length = MAX_LINE - "↩".len();
            let end = (0..=max_length)
                .rev()
                .find(|end| rest.is_char_boundary(*end));
            let (start, after) = rest.split_at(end.unwrap_or(max_length));
            folded.push_str(start);
            folded.push_str("↩\n");
            rest = after;
        }
        folded.push_str(rest);
    }
    folded
}

/// Appends the snapshots below a folder.
fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|end| end == "snap") {
            found.push(path);
        }
    }
}

#[test]
fn snapshots_are_small_and_have_short_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["tests/e2e", "crates"] {
        find(&root.join(folder), &mut paths);
    }
    assert!(paths.len() > 100, "{}", paths.len());
    let mut size = 0;
    for path in paths {
        let text = fs::read_to_string(&path).expect("a snapshot");
        size += text.len();
        let longest = text.lines().map(str::len).max().unwrap_or_default();
        assert!(longest <= MAX_LINE, "{}: {longest}", path.display());
    }
    assert!(size <= MAX_SIZE, "{size} bytes");
}
