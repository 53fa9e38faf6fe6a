//! Checks that every promise of `SECURITY.md` names a test that exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::paths::root;

/// The heading of the table of promises.
const PROMISES: &str = "### Promises and their tests";
/// The heading of the table of sources.
const SOURCES: &str = "## Threat model";

/// Returns the cells of the first table after a heading, without its header.
fn table<'t>(text: &'t str, heading: &str) -> Vec<Vec<&'t str>> {
    let lines = text.lines().skip_while(|line| *line != heading);
    let lines = lines.skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    let cells = |line: &'t str| line.trim_matches('|').split('|').map(str::trim).collect();
    rows.map(cells).collect()
}

/// Returns the tests that a text names: `path.rs::name` between backquotes.
fn tests(text: &str) -> Vec<(&str, &str)> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .filter_map(|quoted| quoted.split_once("::"))
        .filter(|(path, _)| Path::new(path).extension().is_some_and(|end| end == "rs"))
        .collect()
}

/// Returns true if a source has a function with this name and the attribute of tests.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let function = format!("fn {name}(");
    let found = lines.iter().position(|line| line.starts_with(&function));
    found.is_some_and(|at| {
        let attributes = lines[..at].iter().rev();
        let mut attributes = attributes.take_while(|line| line.starts_with(['#', '/']));
        attributes.any(|line| *line == "#[test]")
    })
}

fn security() -> String {
    fs::read_to_string(root().join("SECURITY.md")).unwrap()
}

#[test]
fn every_promise_has_a_test() {
    let text = security();
    let rows = table(&text, PROMISES);
    assert!(rows.len() > 20, "{rows:?}");
    for row in rows {
        let [_, _, named] = row[..] else {
            panic!("a promise has a source, a sentence and tests: {row:?}");
        };
        assert!(!tests(named).is_empty(), "no test: {row:?}");
    }
}

#[test]
fn every_source_has_a_promise() {
    let text = security();
    let promises = table(&text, PROMISES);
    let with_promise: BTreeSet<&str> = promises.iter().map(|row| row[0]).collect();
    let rows = table(&text, SOURCES);
    let sources: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    assert!(!sources.is_empty());
    let unknown: Vec<_> = with_promise.difference(&sources).collect();
    assert!(unknown.is_empty(), "no source is called {unknown:?}");
    for row in rows {
        let has_tests = row.last().is_some_and(|named| !tests(named).is_empty());
        assert!(
            has_tests || with_promise.contains(row[0]),
            "no promise of {row:?} has a test"
        );
    }
}

#[test]
fn named_tests_exist() {
    let text = security();
    for (path, name) in tests(&text) {
        let source = fs::read_to_string(root().join(path));
        let source = source.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(has_test(&source, name), "`{path}` has no test `{name}`");
    }
}

#[test]
fn tests_are_recognized_by_their_attribute() {
    let source = "#[test]\n// why\nfn one() {}\nfn two() {}\n";
    assert!(has_test(source, "one"));
    assert!(!has_test(source, "two") && !has_test(source, "on"));
    assert_eq!(
        tests("| a | `x.rs::one`, `y.rs` | `b` `z.rs::two` |"),
        [("x.rs", "one"), ("z.rs", "two")]
    );
}
