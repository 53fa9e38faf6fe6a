//! Lock files, `--locked` and `plan diff`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{sky, sky_line};

const LINE: &str = "plan L4:x4 --provider aws --region us-east-1 --limit 3";

fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("locks");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    fs::remove_file(&path).ok();
    path
}

/// A lock file of [`LINE`].
fn locked(name: &str) -> PathBuf {
    let path = file(name);
    let run = sky_line(LINE).arg("--lock").arg(&path).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    path
}

/// The hash of the catalog in a lock file.
fn catalog_hash(path: &Path) -> String {
    let lock: Value = serde_json::from_slice(&fs::read(path).expect("a lock file")).expect("JSON");
    let hash = lock["catalog"]["sha256"].as_str();
    hash.expect("a hash of the catalog").to_owned()
}

fn hold(line: &str, path: &PathBuf) -> crate::support::Run {
    sky_line(line).arg("--lock").arg(path).arg("--locked").run()
}

#[test]
fn unchanged_plans_match_their_lock() {
    let path = locked("same.lock");
    let before = fs::read(&path).expect("a lock file");
    let run = hold(LINE, &path);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stdout.is_empty());
    assert_eq!(fs::read(&path).expect("a lock file"), before);
    assert_eq!(catalog_hash(&path).len(), 64);
}

#[test]
fn catalog_changes_without_effect_match_the_lock() {
    let path = locked("elsewhere.lock");
    let overlay = file("elsewhere.toml");
    fs::write(
        &overlay,
        "[[price]]\nprovider = \"verda\"\noffer = \"1V100.6V\"\ncapacity_type = \"on-demand\"\nkind = \"list\"\nsource = \"a test\"\nas_of = \"2026-11-19\"\nusd_per_hour = 0.2\n",
    )
    .expect("an overlay");
    let line = format!("{LINE} --catalog {}", overlay.display());
    let run = hold(&line, &path);
    assert_eq!(run.code, 0, "{}", run.stderr);
    // The hash of the catalog differs nevertheless.
    let again = file("again.lock");
    sky_line(&line).arg("--lock").arg(&again).run();
    assert_ne!(catalog_hash(&again), catalog_hash(&path));
}

#[test]
fn changes_are_listed() {
    let path = locked("moved.lock");
    let overlay = file("dearer.toml");
    fs::write(
        &overlay,
        "[[price]]\nprovider = \"aws\"\noffer = \"g6.12xlarge\"\ncapacity_type = \"on-demand\"\nkind = \"list\"\nsource = \"a test\"\nas_of = \"2026-11-19\"\nusd_per_hour = { us-east-1 = 9.5 }\n",
    )
    .expect("an overlay");
    let line = format!("{LINE} --catalog {}", overlay.display());
    let run = hold(&line, &path);
    assert_eq!((run.code, run.stdout.as_str()), (7, ""), "{}", run.stderr);
    for part in ["different contents", "g6.12xlarge", "is $9.5"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let request = hold(&format!("{LINE} --nodes 2"), &path);
    assert_eq!(request.code, 7);
    assert!(
        request
            .stderr
            .contains("nodes of the request changed from 1 to 2"),
        "{}",
        request.stderr
    );
}

#[test]
fn edits_are_listed_with_their_position() {
    let path = locked("edited.lock");
    let text = fs::read_to_string(&path).expect("a lock file");
    for (from, to, place) in [
        ("\"rank\": 2", "\"rank\": 3", "candidate 2"),
        ("\"limit\": 3", "\"limit\": 4", "`request`"),
        (
            "sky-accel.lock.v1",
            "sky-accel.lock.v2",
            "unsupported version",
        ),
        ("sky-accel.lock.v1", "something.else", "not a lock file"),
        ("\"as_of\": \"2026", "\"as_of\": \"2027", "was edited"),
    ] {
        fs::write(&path, text.replacen(from, to, 1)).expect("an edit");
        let run = hold(LINE, &path);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (6, ""),
            "{from}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(place), "{from}: {}", run.stderr);
        assert!(
            run.stderr.contains("edited.lock:"),
            "{from}: {}",
            run.stderr
        );
    }
    // A removed candidate is an edit too.
    let mut fewer: Value = serde_json::from_str(&text).expect("JSON");
    fewer["results"].as_array_mut().expect("candidates").pop();
    fs::write(&path, fewer.to_string()).expect("an edit");
    let run = hold(LINE, &path);
    assert_eq!((run.code, run.stdout.as_str()), (6, ""), "{}", run.stderr);
    assert!(
        run.stderr.contains("the list of candidates"),
        "{}",
        run.stderr
    );
    for text in [
        "",
        "{",
        "[]",
        "{\"schema\":\"sky-accel.lock.v1\"}",
        "\u{1b}[31m",
    ] {
        fs::write(&path, text).expect("an edit");
        let run = hold(LINE, &path);
        assert_eq!((run.code, run.stdout.as_str()), (6, ""), "{text}");
        assert!(!run.stderr.contains('\u{1b}'), "{text}");
    }
    fs::remove_file(&path).expect("gone");
    assert_eq!(hold(LINE, &path).code, 6);
}

#[test]
fn control_characters_of_a_plan_are_escaped() {
    let path = file("hostile.json");
    let plan = serde_json::json!({"schema": "sky-accel.plan.v1", "request": {},
        "results": [{"provider": "\u{1b}]52;c;eA==\u{7}", "instance_type": "x", "rank": 1}]});
    fs::write(&path, plan.to_string()).expect("a plan");
    let other = locked("plain.lock");
    for format in ["table", "wide", "csv", "names"] {
        let line = format!("plan diff -o {format}");
        let run = sky_line(&line).arg(&path).arg(&other).run();
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{format}: {text:?}");
    }
}

#[test]
fn compares_two_plans() {
    let write = |name: &str, line: &str| {
        let path = file(name);
        fs::write(&path, sky_line(&format!("{line} -o json")).run().stdout).expect("a plan");
        path
    };
    let a = write("a.json", "plan L4:x4 --region us-east-1 --provider aws");
    let b = write(
        "b.json",
        "plan L4:x4 --region us-east-1,us-east-2 --provider aws --nodes 2",
    );
    let diff = |a: &PathBuf, b: &PathBuf| {
        sky(["plan", "diff"])
            .arg(a)
            .arg(b)
            .args(["-o", "json"])
            .json()
    };
    let changes = diff(&a, &b);
    let count = |change: &str| {
        let listed = changes["results"].as_array().expect("changes").iter();
        listed.filter(|row| row["change"] == change).count()
    };
    assert!(
        count("request") >= 2 && count("added") >= 1 && count("removed") == 0,
        "{changes}"
    );
    assert!(
        diff(&a, &a)["results"]
            .as_array()
            .expect("changes")
            .is_empty()
    );
    let lock = locked("diff.lock");
    assert!(
        !diff(&lock, &a)["results"]
            .as_array()
            .expect("changes")
            .is_empty()
    );
    let words = sky(["plan", "diff"]).arg(&a).arg(&b).run();
    assert!(
        words.stdout.contains("is a new candidate"),
        "{}",
        words.stdout
    );
    let stdin = sky(["plan", "diff", "-"])
        .arg(&a)
        .stdin(fs::read(&a).expect("a plan"))
        .run();
    assert_eq!((stdin.code, stdin.stdout.as_str()), (0, ""));
    for text in ["", "{}", "{\"schema\":\"sky-accel.plan.v2\"}"] {
        let bad = file("bad.json");
        fs::write(&bad, text).expect("a file");
        let run = sky(["plan", "diff"]).arg(&bad).arg(&a).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{text}");
    }
}
