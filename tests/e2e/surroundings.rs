//! Unusual environments: no home folder, a wrong clock, a narrow or dumb terminal, a closed pipe.

use std::process::{Command, Stdio};

use crate::support::{sky, sky_line};

/// Common commands.
const LINES: &[&str] = &[
    "resolve H100:x8",
    "resolve A100:x3 --provider aws",
    "resolve H100:x8 --map",
    "show p5.48xlarge",
    "recommend --model Llama-3.1-8B --chart --limit 4",
    "fit L4 --model Llama-3.1-70B",
    "mig pack A100:80GB 3g.40gb=4",
    "plan H100:x8 --limit 4",
    "catalog path",
    "config show",
    "help spec",
];

#[test]
fn works_without_a_home_folder() {
    for line in LINES {
        let homeless = sky_line(line)
            .remove_env("HOME")
            .remove_env("XDG_CONFIG_HOME")
            .run();
        assert!(
            matches!(homeless.code, 0 | 1),
            "{line}: {}",
            homeless.stderr
        );
        // A file where a folder should be.
        let file = sky_line(line)
            .env("HOME", "/dev/null")
            .env("XDG_CONFIG_HOME", "/dev/null")
            .env("XDG_CACHE_HOME", "/dev/null")
            .run();
        // These commands print paths.
        if line.starts_with("config") {
            continue;
        }
        assert_eq!(
            (file.code, file.stdout),
            (homeless.code, homeless.stdout),
            "{line}: {}",
            file.stderr
        );
    }
    let run = sky_line("catalog update --provider verda")
        .env("XDG_CONFIG_HOME", "/dev/null")
        .env("VERDA_BASE_URL", "http://127.0.0.1:9")
        .run()
        .expect_code(6);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("cannot write /dev/null"),
        "{}",
        run.stderr
    );
}

#[test]
fn wrong_clock_gets_a_note() {
    for (day, words) in [
        ("1970-01-01", "in the future"),
        ("2001-02-03", "in the future"),
        ("9999-12-31", "days old;"),
    ] {
        for line in LINES {
            let run = sky_line(line).env("SKY_ACCEL_TODAY", day).run();
            assert!(matches!(run.code, 0 | 1), "{line} on {day}: {}", run.stderr);
        }
        let run = sky_line("resolve p5.48xlarge --provider aws")
            .env("SKY_ACCEL_TODAY", day)
            .run();
        assert!(run.stderr.contains(words), "{day}: {}", run.stderr);
    }
}

#[test]
fn narrow_and_dumb_terminals_get_readable_output() {
    for line in LINES {
        let wide = sky_line(line).run();
        let narrow = sky_line(line).env("SKY_ACCEL_WIDTH", "20").run();
        assert_eq!(narrow.code, wide.code, "{line}: {}", narrow.stderr);
        // Tables are at least sixty columns wide; diagrams have a fixed width.
        let longest = narrow.stdout.lines().map(|line| line.chars().count()).max();
        assert!(longest.unwrap_or(0) <= 110, "{line}: {longest:?}");
        let dumb = sky_line(line)
            .env("TERM", "dumb")
            .env("COLUMNS", "20")
            .run();
        assert!(
            !dumb.stdout.contains('\u{1b}') && !dumb.stderr.contains('\u{1b}'),
            "{line}"
        );
        assert_eq!(dumb.code, wide.code, "{line}");
    }
}

#[test]
fn closed_output_ends_quietly() {
    for line in LINES {
        let expected = sky_line(line).run().code;
        for script in [
            "exec \"$0\" \"$@\" >&-",
            "exec \"$0\" \"$@\" >&- 2>&-",
            "\"$0\" \"$@\" | true; exit ${PIPESTATUS[0]}",
        ] {
            let status = Command::new("bash")
                .args(["-c", script, env!("CARGO_BIN_EXE_sky-accel")])
                .args(line.split_whitespace())
                .env("SKY_ACCEL_TODAY", "2026-11-20")
                .stderr(Stdio::null())
                .status()
                .unwrap();
            let code = status.code();
            assert!(
                code == Some(expected) || code == Some(0),
                "{line}: {script}: {status}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn variables_that_are_not_utf_8_are_errors() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    for (variable, code) in [
        ("SKY_ACCEL_REGION", 2),
        ("SKY_ACCEL_PROVIDER", 2),
        ("SKY_ACCEL_OUTPUT", 2),
        ("SKY_ACCEL_COLOR", 2),
        ("SKY_ACCEL_WIDTH", 2),
        ("SKY_ACCEL_TODAY", 2),
        ("SKY_ACCEL_CONFIG", 6),
        ("SKY_ACCEL_CATALOG", 6),
    ] {
        let run = sky(["resolve", "H100"])
            .env(variable, OsStr::from_bytes(b"eu-\xff"))
            .run();
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (code, ""),
            "{variable}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains("eu-\u{fffd}"),
            "{variable}: {}",
            run.stderr
        );
    }
}
