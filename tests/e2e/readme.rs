//! All examples of the documentation are run on the frozen catalog of the tests, so that printed figures stay the same
//! when the shipped catalog grows. The same commands are run on the shipped catalog too, where only their exit codes
//! count.

use std::fs;
use std::path::Path;

use sky_accel_catalog::{Layer, Source, compile};
use sky_accel_core::bind::interpret;
use sky_accel_embedded::TEST_CATALOG_VARIABLE;
use sky_accel_engine::catalog::EMBEDDED;

use crate::support::sky;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

#[test]
fn examples_print_the_documented_output() {
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-home");
    trycmd::TestCases::new()
        .case("README.md")
        .case("docs/mig.md")
        .case("docs/sizing.md")
        .case("docs/plans.md")
        .env("SKY_ACCEL_TODAY", "2026-11-20")
        .env(TEST_CATALOG_VARIABLE, "1")
        .env("XDG_CONFIG_HOME", nowhere.to_string_lossy())
        .env("HOME", nowhere.to_string_lossy());
}

/// The commands of the console blocks of a page, each with its exit code.
fn commands(page: &str) -> Vec<(Vec<String>, i32)> {
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    let examples = blocks.flat_map(|block| block.split("$ sky-accel ").skip(1));
    examples
        .map(|example| {
            let mut lines = example.lines();
            let words = shlex::split(lines.next().expect("a command")).expect("quotes in pairs");
            let code = lines.next().and_then(|line| line.strip_prefix("? "));
            (words, code.map_or(0, |code| code.parse().expect("a code")))
        })
        .collect()
}

#[test]
fn examples_run_on_the_shipped_catalog() {
    let mut count = 0;
    for page in [
        "README.md",
        "docs/mig.md",
        "docs/sizing.md",
        "docs/plans.md",
    ] {
        for (words, code) in commands(&read(page)) {
            let run = sky(words).on_shipped_catalog().run().expect_code(code);
            assert!(!run.stdout.is_empty(), "{page}: {}", run.stderr);
            count += 1;
        }
    }
    assert!(count >= 15, "{count} examples");
}

/// Rows of the tables of a page that begin with two code spans.
fn rows(page: &str) -> Vec<(String, String)> {
    let span = |cell: &str| {
        let cell = cell.trim().strip_prefix('`')?.strip_suffix('`')?;
        Some(cell.replace("\\|", "|"))
    };
    page.lines()
        .filter_map(|line| {
            let line = line.strip_prefix("| ")?.replace("\\|", "\u{0}");
            let mut cells = line.split('|').map(|cell| cell.replace('\u{0}', "\\|"));
            Some((span(&cells.next()?)?, span(&cells.next()?)?))
        })
        .collect()
}

#[test]
fn documented_normalizations_hold() {
    let page = read("docs/grammar.md");
    let rows = rows(
        page.split("## Dialects")
            .nth(1)
            .expect("a section on dialects"),
    );
    assert!(rows.len() > 40, "{} rows", rows.len());
    for (text, canonical) in rows {
        let wanted =
            interpret(&EMBEDDED, &text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let spec = wanted
            .iter()
            .map(|w| w.spec.as_str())
            .collect::<Vec<_>>()
            .join("|");
        assert_eq!(spec, canonical, "{text}");
    }
}

#[test]
fn every_key_of_the_language_is_documented() {
    let page = read("docs/grammar.md");
    for key in sky_accel_core::spec::KEYS {
        assert!(
            page.contains(&format!("| `{}` |", key.name)),
            "{} is missing",
            key.name
        );
        assert!(
            page.contains(&format!("`{}`", key.example)),
            "{} is missing",
            key.example
        );
        // A count alone does not narrow `any`.
        let name = if key.name == "count" { "H100" } else { "any" };
        interpret(&EMBEDDED, &format!("{name}:{}", key.example))
            .unwrap_or_else(|errors| panic!("{}: {errors:?}", key.example));
    }
}

#[test]
fn the_catalog_reference_has_working_examples() {
    let page = read("catalog/README.md");
    let mut sources = Vec::new();
    for entry in walk(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("catalog")
            .as_path(),
    ) {
        let text = fs::read_to_string(&entry).expect("a catalog file");
        sources.push(Source::toml(
            Layer::EMBEDDED,
            &entry.to_string_lossy(),
            text,
        ));
    }
    let blocks: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|b| b.split("```").next())
        .collect();
    assert!(blocks.len() >= 3);
    for block in blocks {
        let overlay = Source::toml(Layer::overlay(0), "README.md", block.to_owned());
        let layered: Vec<_> = sources.iter().cloned().chain([overlay]).collect();
        compile(&layered).unwrap_or_else(|errors| panic!("{errors:?}\n{block}"));
    }
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}
