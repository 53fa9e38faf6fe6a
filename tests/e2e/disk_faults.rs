//! Faults of a disk: every system call that writes fails once, for every command that writes a file. Then the old or
//! the new contents are there, nothing is left over, and the exit code tells which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::support::tools::program;
use crate::support::{Run, Sky, sky};
use sky_accel_standin::Standin;

/// The system calls that change files; those with a question mark do not exist everywhere.
const CALLS: [&str; 16] = [
    "openat",
    "write",
    "fsync",
    "fdatasync",
    "fallocate",
    "ftruncate",
    "fchmod",
    "fchown",
    "?mkdir",
    "mkdirat",
    "?rename",
    "renameat",
    "renameat2",
    "?unlink",
    "unlinkat",
    "?rmdir",
];

/// The number of places at which each call fails: the first, the last and some between them.
const PLACES: usize = 4;

/// A command that writes.
struct WritingCase {
    line: &'static str,
    /// The exit code if a file cannot be written; 0 for files of the cache, which the answer does not need.
    code: i32,
    /// Whether a file is complete, for files that differ in each run.
    is_whole: Option<fn(&[u8]) -> bool>,
}

const CASES: [WritingCase; 8] = [
    WritingCase {
        line: "report out/page.html --from answer.json",
        code: 2,
        is_whole: None,
    },
    WritingCase {
        line: "plan H100:x8 --provider aws --lock out/plan.lock",
        code: 2,
        is_whole: None,
    },
    WritingCase {
        line: "plan H100:mig=1g.10gb*7 --provider verda --to verda --out out/new",
        code: 2,
        is_whole: None,
    },
    WritingCase {
        line: "man --out out/new",
        code: 2,
        is_whole: None,
    },
    WritingCase {
        line: "catalog compile -o out/all.catalog",
        code: 2,
        is_whole: None,
    },
    WritingCase {
        line: "config trust",
        code: 2,
        is_whole: Some(is_json),
    },
    WritingCase {
        line: "list --catalog ours --no-config -o json",
        code: 0,
        is_whole: None,
    },
    WritingCase {
        line: "resolve H100 --provider verda --live --no-config -o names",
        code: 0,
        is_whole: Some(is_json),
    },
];

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(text).is_ok()
}

/// A folder in which a command runs, with files that earlier runs left.
struct DiskWorld {
    folder: TempDir,
}

/// The files below a folder, each with its contents and its mode.
type Files = BTreeMap<PathBuf, (Vec<u8>, u32)>;

impl DiskWorld {
    fn new(answer: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["ours", "out", "cache"] {
            fs::create_dir(at(name)).unwrap();
        }
        for (name, text) in [
            ("answer.json", answer),
            ("ours/names.toml", "[[provider]]\nid = \"cloud\"\n"),
            ("sky-accel.toml", "catalog = [\"ours\"]\n"),
            ("out/page.html", "an old page"),
            ("out/plan.lock", "an old lock"),
            ("out/all.catalog", "an old catalog"),
        ] {
            fs::write(at(name), text).unwrap();
            fs::set_permissions(at(name), Permissions::from_mode(0o640)).unwrap();
        }
        // Files that have just changed are not remembered by their times.
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        let source = fs::File::options()
            .write(true)
            .open(at("ours/names.toml"))
            .unwrap();
        source.set_modified(old).unwrap();
        Self { folder }
    }

    fn sky(&self, case: &WritingCase, standin: &Standin) -> Sky {
        let at = |name: &str| self.folder.path().join(name);
        let line = case.line;
        // The project file is for `config trust` alone.
        let is_trust = line.starts_with("config");
        let mut run = sky(line.split_whitespace())
            .folder(self.folder.path())
            .env("XDG_DATA_HOME", at("data"))
            .env("XDG_CACHE_HOME", at("cache"));
        if !is_trust && !line.contains("--no-config") {
            run = run.arg("--no-config");
        }
        for (name, value) in standin.environment() {
            run = run.env(name, value);
        }
        run
    }

    fn files(&self) -> Files {
        let mut files = Files::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.folder.path()).unwrap().to_owned();
                    let mode = fs::metadata(&path).unwrap().permissions().mode();
                    files.insert(name, (fs::read(&path).unwrap(), mode));
                }
            }
        }
        files
    }
}

/// A system call that writes to a file of the world: its name, and its number among those of the thread.
type CallPlace = (String, usize);

/// Returns the calls in a log that change a file in a folder.
fn places(log: &str, folder: &str) -> BTreeSet<CallPlace> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut places: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for line in log.lines() {
        let Some((thread, call)) = line.split_once(char::is_whitespace) else {
            continue;
        };
        let Some((name, arguments)) = call.trim_start().split_once('(') else {
            continue;
        };
        let count = counts.entry((thread, name)).or_default();
        *count += 1;
        let is_reading = name == "openat" && !arguments.contains("O_CREAT");
        if arguments.contains(folder) && !is_reading {
            places.entry(name.to_owned()).or_default().insert(*count);
        }
    }
    let mut chosen = BTreeSet::new();
    for (name, counts) in places {
        let counts: Vec<usize> = counts.into_iter().collect();
        let step = counts.len().div_ceil(PLACES);
        let some = counts.iter().step_by(step).chain(counts.last());
        chosen.extend(some.map(|count| (name.clone(), *count)));
    }
    chosen
}

/// Returns the path of strace, or `None` if the test has to be skipped.
fn tracer() -> Option<PathBuf> {
    let strace = program(&["strace"])?;
    // Some containers forbid tracing.
    let status = Command::new(&strace)
        .args(["-o", "/dev/null", "true"])
        .status();
    status
        .is_ok_and(|status| status.success())
        .then_some(strace)
}

#[track_caller]
fn check(case: &WritingCase, fault: &str, run: &Run, files: &[&Files; 3]) {
    let [before, complete, after] = files;
    let told = format!("{}: {fault}: {} {}", case.line, run.code, run.stderr);
    let has_failed = run.code != 0;
    if has_failed {
        assert_eq!(run.code, case.code, "{told}");
        assert!(run.stderr.contains("cannot write"), "{told}");
    }
    if fault.contains("EINTR") {
        assert!(!has_failed, "a signal must not fail the command: {told}");
    }
    for (name, (text, mode)) in *after {
        let name_told = format!("{} after {told}", name.display());
        let is_temporary = name.to_string_lossy().contains(".sky-accel-tmp-");
        assert!(!is_temporary, "left over: {name_told}");
        if name.starts_with("cache/sky-accel/catalogs") {
            // Its names and contents follow from times and paths; the next run checks them.
            continue;
        }
        let known = before.get(name).or(complete.get(name));
        let (_, known_mode) = known.unwrap_or_else(|| panic!("left over: {name_told}"));
        assert_eq!(mode, known_mode, "{name_told}");
        let is_old = before.get(name).is_some_and(|(old, _)| old == text);
        let is_new = complete.get(name).is_some_and(|(new, _)| new == text);
        let is_whole = case.is_whole.is_some_and(|is_whole| is_whole(text));
        assert!(is_old || is_new || is_whole, "torn: {name_told}");
        if !has_failed && case.code != 0 && complete.contains_key(name) {
            assert!(is_new || is_whole, "old: {name_told}");
        }
    }
    for name in before.keys() {
        assert!(after.contains_key(name), "lost {}: {told}", name.display());
    }
    if !has_failed && case.code != 0 {
        let (done, all) = (after.len(), complete.len());
        assert_eq!(done, all, "{told}");
    }
}

#[test]
fn a_fault_destroys_nothing() {
    let Some(strace) = tracer() else { return };
    let strace = strace.display();
    let standin = Standin::with(sky_accel_standin::Shop::default());
    let answer = sky(["resolve", "H100:x8", "-o", "json"]).run().stdout;
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join("log");
    let calls = CALLS.join(",");
    for case in &CASES {
        let world = DiskWorld::new(&answer);
        let traced = format!("{strace} -f -y -s 0 -o {} -e trace={calls}", log.display());
        let expected = world
            .sky(case, &standin)
            .under(&traced)
            .run()
            .expect_code(0);
        let complete = world.files();
        let folder = world.folder.path().to_str().unwrap();
        let places = places(&fs::read_to_string(&log).unwrap(), folder);
        assert!(places.len() >= 3, "{}: {places:?}", case.line);
        for (call, count) in &places {
            for error in ["ENOSPC", "EIO", "EINTR"] {
                let fault = format!("{call}:error={error}:when={count}");
                let world = DiskWorld::new(&answer);
                let before = world.files();
                let injecting =
                    format!("{strace} -f -o /dev/null -e trace={call} -e inject={fault}");
                let run = world.sky(case, &standin).under(&injecting).run();
                check(case, &fault, &run, &[&before, &complete, &world.files()]);
                if case.code == 0 {
                    assert_eq!(run.stdout, expected.stdout, "{}: {fault}", case.line);
                    let next = world.sky(case, &standin).run().expect_code(0);
                    assert_eq!(next.stdout, expected.stdout, "{}: {fault}", case.line);
                }
            }
        }
    }
}

#[test]
fn a_fault_during_an_update_destroys_nothing() {
    let Some(strace) = tracer() else { return };
    let strace = strace.display();
    let standin = Standin::with(sky_accel_standin::Shop::default());
    let case = WritingCase {
        line: "catalog update --provider verda --into into",
        code: 6,
        is_whole: None,
    };
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join("log");
    let calls = CALLS.join(",");
    let updated = |old: bool| {
        let world = DiskWorld::new("");
        if old {
            let into = world.folder.path().join("into");
            fs::create_dir(&into).unwrap();
            fs::write(into.join("live-verda.toml"), "# nothing yet\n").unwrap();
        }
        world
    };
    for old in [false, true] {
        let world = updated(old);
        let traced = format!("{strace} -f -y -s 0 -o {} -e trace={calls}", log.display());
        let _ = world
            .sky(&case, &standin)
            .under(&traced)
            .run()
            .expect_code(0);
        let complete = overlay(&world);
        let folder = world.folder.path().join("into");
        let places = places(&fs::read_to_string(&log).unwrap(), folder.to_str().unwrap());
        assert!(places.len() >= 3, "{places:?}");
        for (call, count) in &places {
            for error in ["ENOSPC", "EIO", "EINTR"] {
                let fault = format!("{call}:error={error}:when={count}");
                let world = updated(old);
                let before = overlay(&world);
                let injecting =
                    format!("{strace} -f -o /dev/null -e trace={call} -e inject={fault}");
                let run = world.sky(&case, &standin).under(&injecting).run();
                check(&case, &fault, &run, &[&before, &complete, &overlay(&world)]);
            }
        }
    }
}

/// The files of the updated catalog; the lock file stays, whatever happens.
fn overlay(world: &DiskWorld) -> Files {
    let mut files = world.files();
    files.retain(|name, _| name.starts_with("into") && !name.ends_with(".lock"));
    files
}

#[test]
fn places_are_counted_by_thread_and_call() {
    let log = "7 openat(AT_FDCWD</x>, \"/etc/a\", O_RDONLY) = 3</etc/a>\n\
               8 openat(AT_FDCWD</x>, \"/w/a\", O_WRONLY|O_CREAT, 0600) = 3</w/a>\n\
               7 openat(AT_FDCWD</x>, \"/w/b\", O_WRONLY|O_CREAT, 0600) = 3</w/b>\n\
               7 write(1<pipe:[9]>, \"\"..., 5) = 5\n\
               7 write(3</w/b>, \"\"..., 5) = 5\n";
    let found: Vec<CallPlace> = places(log, "/w").into_iter().collect();
    let openat = |count| ("openat".to_owned(), count);
    assert_eq!(
        found,
        [openat(1), openat(2), ("write".to_owned(), 2)],
        "the first of thread 8, the second of thread 7"
    );
    assert!(places(log, "/v").is_empty());
}

/// Ctrl-C ends an update that has its answers and compiles the catalog, which reads the overlay again.
#[test]
fn an_interrupt_after_the_answers_writes_nothing() {
    let Some(strace) = tracer() else { return };
    let strace = strace.display();
    let standin = Standin::with(sky_accel_standin::Shop::default());
    let case = WritingCase {
        line: "catalog update --provider verda --into into",
        code: 6,
        is_whole: None,
    };
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join("log");
    let world = || {
        let world = DiskWorld::new("");
        let into = world.folder.path().join("into");
        fs::create_dir(&into).unwrap();
        fs::write(into.join("names.toml"), "[[provider]]\nid = \"cloud\"\n").unwrap();
        world
    };
    let opened = "-e trace=openat -P into/names.toml";
    let traced = format!("{strace} -f -o {} {opened}", log.display());
    let run = world().sky(&case, &standin).under(&traced).run();
    let _ = run.expect_code(0);
    let opens = fs::read_to_string(&log).unwrap().matches("openat").count();
    assert!(opens > 1, "{opens}");
    let world = world();
    let injecting =
        format!("{strace} -f -o /dev/null {opened} -e inject=openat:signal=INT:when={opens}");
    let run = world.sky(&case, &standin).under(&injecting).run();
    let _ = run.expect_code(130);
    assert!(!world.folder.path().join("into/live-verda.toml").exists());
}
