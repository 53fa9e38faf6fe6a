//! Complete answers with the stand-ins, compared with snapshots: every field of every
//! offer, and the overlays written from them.

use std::collections::HashMap;

use tempfile::TempDir;

use super::public::{PUBLIC, without_keys};
use super::{Market, PROVIDERS};
use crate::support::Run;
use crate::support::snapshots::{assert_golden, assert_golden_run};

/// The text with a placeholder for each time, such as `2026-11-22T13:48:21Z`.
fn timeless(text: &str) -> String {
    let mut timeless = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('T') {
        let (before, after) = rest.split_at(at);
        let is_time = after.get(..10).is_some_and(|time| {
            time.ends_with('Z') && time.bytes().filter(u8::is_ascii_digit).count() == 6
        });
        if is_time && before.len() >= 10 && before.ends_with(|c: char| c.is_ascii_digit()) {
            timeless.push_str(&before[..before.len() - 10]);
            timeless.push_str("[TIME]");
            rest = &after[10..];
        } else {
            timeless.push_str(before);
            timeless.push('T');
            rest = &after[1..];
        }
    }
    timeless.push_str(rest);
    // A second may pass between the answer and its print.
    let lines = timeless.lines().map(|line| {
        // The date of the tests is fixed, so live prices are of a day after it.
        let fields = [("\"age_s\": ", ""), ("\"age_days\": ", "-")];
        let aged = fields.iter().find_map(|(field, sign)| {
            let (before, age) = line.split_once(field)?;
            age.starts_with(sign)
                .then(|| format!("{before}{field}[AGE],\n"))
        });
        aged.unwrap_or_else(|| {
            let line = without(line, ("stock as of ", " UTC"), "[TIME]");
            let line = without(&line, (" cached ", " ago"), "[AGE]");
            // Stand-ins have reservations that start some days from now.
            let line = without(&line, (" from 20", "  "), "[DATE]");
            format!("{line}\n")
        })
    });
    lines.collect::<Vec<_>>().concat()
}

/// The line with a placeholder for the text between two others, such as the time in `stock as of 12:03 UTC`.
fn without(line: &str, (before, after): (&str, &str), placeholder: &str) -> String {
    let found = line.split_once(before).and_then(|(start, rest)| {
        let (_, end) = rest.split_once(after)?;
        Some(format!("{start}{before}{placeholder}{after}{end}"))
    });
    found.unwrap_or_else(|| line.to_owned())
}

/// The run with a placeholder for each time.
fn timeless_run(run: &Run) -> Run {
    Run {
        stdout: timeless(&run.stdout),
        stderr: timeless(&run.stderr),
        code: run.code,
    }
}

#[test]
fn answers_of_each_provider() {
    for (provider, _) in PROVIDERS.iter() {
        for line in [
            "resolve any:16GB+ --at-least --limit 10 -o wide",
            "resolve any:16GB+ --at-least --limit 1 -o json",
            "resolve H100:x8 --capacity-type spot --limit 2 -o wide",
            "resolve A100:80GB:x2|L4 -o wide",
            "resolve H100|RTX4090 --region US --limit 20 -o wide",
            "resolve RTX4090:x8 --region JP -o wide",
            "resolve H100:x8 --spot-scores --check-quota --capacity-blocks --limit 5",
            "plan H100:x8 --limit 3",
        ] {
            let world = Market::new();
            let run = world
                .sky(&format!("{line} --live --provider {provider}"))
                .run();
            assert_golden_run!(provider, line, &timeless_run(&run));
        }
    }
}

#[test]
fn answers_without_keys() {
    for (provider, ..) in PUBLIC {
        let world = Market::new();
        let line = format!("resolve any:1GB+:x0.01+ --all --live --provider {provider}");
        let run = without_keys(&world, &line).run();
        assert_golden_run!("public", provider, &timeless_run(&run));
    }
}

/// The entries of an overlay, of which at most two have the same fields.
fn varied_entries(overlay: &str) -> String {
    let mut counts: HashMap<Vec<&str>, usize> = HashMap::new();
    let kept = overlay.split_inclusive("\n\n").filter(|entry| {
        let lines = entry.lines();
        let fields = lines.map(|line| line.split_once(" = ").map_or(line, |(field, _)| field));
        let count = counts.entry(fields.collect()).or_default();
        *count += 1;
        *count <= 2
    });
    kept.collect()
}

#[test]
fn overlays_of_providers() {
    // The answers of the other providers become offers in the same module as those of JarvisLabs.
    let same = [
        "digitalocean",
        "hyperstack",
        "lambda",
        "latitude",
        "mithril",
        "nebius",
        "primeintellect",
        "sfcompute",
    ];
    let providers = PROVIDERS.iter().filter(|(id, _)| !same.contains(id));
    for (provider, _) in providers {
        let world = Market::new();
        let folder = TempDir::new().unwrap();
        let run = world
            .sky(&format!("catalog update --provider {provider} --into"))
            .arg(folder.path())
            // Live prices have the date of the request.
            .remove_env("SKY_ACCEL_TODAY")
            .run();
        let mut text = format!("#### exit {}\n", run.code);
        let mut files: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .filter(|path| !path.ends_with("seen-prices.toml"))
            .collect();
        files.sort();
        for file in files {
            text.push_str(&varied_entries(&std::fs::read_to_string(file).unwrap()));
        }
        let day = text.split(" answered on ").nth(1).unwrap()[..10].to_owned();
        let text = text.replace(&day, "[DAY]");
        assert_golden!(format!("overlay-{provider}"), text);
    }
}
