//! Complete answers with the stand-ins, compared with snapshots: every field of every
//! offer, and the overlays written from them.

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
        // The day of a live price is the day of the test, which is after the day that tests set.
        let marks = ["\"age_s\": ", "\"age_days\": -"];
        let mark = marks.into_iter().find(|mark| line.contains(mark));
        let before = mark.and_then(|mark| line.split_once(mark));
        match (before, mark) {
            (Some((before, _)), Some(mark)) => {
                format!("{before}{}[AGE],\n", mark.trim_end_matches('-'))
            }
            _ => format!("{line}\n"),
        }
    });
    lines.collect::<Vec<_>>().concat()
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
            "resolve any:16GB+ --at-least --limit 40 -o wide",
            "resolve any:16GB+ --at-least --limit 6 -o json",
            "resolve H100:x8 --capacity-type spot --limit 2 -o json",
            "resolve A100:80GB:x2|L4 -o json",
            "resolve H100|RTX4090 --region US --limit 20 -o wide",
            "resolve RTX4090:x8 --region JP -o json",
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

#[test]
fn overlays_of_each_provider() {
    for (provider, _) in PROVIDERS.iter() {
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
            text.push_str(&std::fs::read_to_string(file).unwrap());
        }
        let day = text.split(" answered on ").nth(1).unwrap()[..10].to_owned();
        let text = text.replace(&day, "[DAY]");
        assert_golden!(format!("overlay-{provider}"), text);
    }
}
