//! Written files: each command writes to a path as the shell's `>` would. Links, devices, pipes and modes stay, and
//! nothing that other users could have written is used.

use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Sky, sky, sky_line};

/// The commands that write a file which the user names.
const COMMANDS: [&str; 3] = [
    "report --from answer.json",
    "plan H100:x8 --provider aws --lock",
    "catalog compile -o",
];

/// A folder with an answer of `resolve`.
fn world() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let answer = sky_line("resolve H100:x8 -o json").run().expect_code(0);
    fs::write(folder.path().join("answer.json"), answer.stdout).unwrap();
    folder
}

fn writing(world: &TempDir, command: &str, path: impl AsRef<Path>) -> Sky {
    sky(command.split_whitespace())
        .arg(path.as_ref())
        .folder(world.path())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Expects no files in a folder but these.
#[track_caller]
fn only(folder: &Path, expected: &[&str]) {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, expected);
}

#[test]
fn links_and_modes_stay() {
    for command in COMMANDS {
        let world = world();
        let at = |name: &str| world.path().join(name);
        fs::write(at("file"), "old").unwrap();
        chmod(&at("file"), 0o600);
        symlink("file", at("link")).unwrap();
        let _ = writing(&world, command, "link").run().expect_code(0);
        assert!(at("link").is_symlink(), "{command}");
        assert_eq!(mode(&at("file")), 0o600, "{command}");
        assert!(fs::metadata(at("file")).unwrap().len() > 100, "{command}");
        only(world.path(), &["answer.json", "file", "link"]);
    }
}

#[test]
fn devices_and_pipes_stay() {
    for command in COMMANDS {
        let world = world();
        let at = |name: &str| world.path().join(name);
        let _ = writing(&world, command, "/dev/null").run().expect_code(0);
        symlink("/dev/full", at("full")).unwrap();
        let run = writing(&world, command, "full").run().expect_code(2);
        assert!(
            run.stderr.contains("cannot write full: No space left"),
            "{command}: {}",
            run.stderr
        );
        for device in ["/dev/null", "/dev/full"] {
            let kind = fs::metadata(device).unwrap().file_type();
            assert!(kind.is_char_device(), "{command}: {device}");
        }
        assert!(at("full").is_symlink());
        pipe(&at("pipe"));
        let reader = {
            let path = at("pipe");
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
                bytes
            })
        };
        let _ = writing(&world, command, "pipe").run().expect_code(0);
        assert!(reader.join().unwrap().len() > 100, "{command}");
        let kind = fs::metadata(at("pipe")).unwrap().file_type();
        assert!(kind.is_fifo(), "{command}");
        only(world.path(), &["answer.json", "full", "pipe"]);
    }
}

#[test]
fn writing_to_standard_output_by_path_creates_no_other_file() {
    for command in COMMANDS {
        let world = world();
        if !Path::new("/proc/self/fd/1").exists() {
            return;
        }
        // As `/dev/stdout`, which not every container has.
        symlink("/proc/self/fd/1", world.path().join("stdout")).unwrap();
        // A compiled catalog is binary, so the output goes to a file.
        let file = File::create(world.path().join("out")).unwrap();
        let mut command_line = writing(&world, command, "stdout").arg("-q").command();
        let status = command_line.stdout(file).status().unwrap();
        assert!(status.success(), "{command}");
        only(world.path(), &["answer.json", "out", "stdout"]);
        let bytes = fs::read(world.path().join("out")).unwrap();
        let starts = [&b"<!doctype html>"[..], b"<!DOCTYPE html>", b"{"];
        let is_start = starts.iter().any(|start| bytes.starts_with(start))
            || bytes[..64].iter().all(u8::is_ascii_hexdigit);
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(64)]);
        assert!(is_start, "{command}: {start}");
    }
}

#[test]
fn a_folder_is_refused() {
    for command in COMMANDS {
        let world = world();
        fs::create_dir(world.path().join("folder")).unwrap();
        let run = writing(&world, command, "folder").run().expect_code(2);
        assert!(
            run.stderr
                .contains("cannot write folder: it is a folder, not a file"),
            "{command}: {}",
            run.stderr
        );
        only(world.path(), &["answer.json", "folder"]);
    }
}

#[test]
fn every_name_of_a_file_keeps_its_contents() {
    for command in COMMANDS {
        let world = world();
        let at = |name: &str| world.path().join(name);
        fs::write(at("one"), "old").unwrap();
        fs::hard_link(at("one"), at("two")).unwrap();
        let _ = writing(&world, command, "one").run().expect_code(0);
        assert!(fs::read(at("one")).unwrap() == fs::read(at("two")).unwrap());
        only(world.path(), &["answer.json", "one", "two"]);
    }
}

/// The signal of the size limit would end the program in the middle of a file that it writes in place.
#[test]
fn a_size_limit_of_files_tears_no_file() {
    for command in COMMANDS {
        let world = world();
        let at = |name: &str| world.path().join(name);
        fs::write(at("one"), "old").unwrap();
        fs::hard_link(at("one"), at("two")).unwrap();
        let run = writing(&world, command, "one").file_size_limit_kib(1).run();
        let run = run.expect_code(2);
        assert!(run.stderr.contains("cannot write one"), "{}", run.stderr);
        assert_eq!(fs::read(at("one")).unwrap(), b"old", "{command}");
        assert_eq!(fs::read(at("two")).unwrap(), b"old", "{command}");
        only(world.path(), &["answer.json", "one", "two"]);
    }
}

#[test]
fn a_pipe_without_an_end_is_an_error() {
    let world = world();
    let at = |name: &str| world.path().join(name);
    pipe(&at("pipe"));
    let plan = sky_line("plan H100:x8 --provider aws -o json")
        .run()
        .expect_code(0);
    fs::write(at("plan.json"), plan.stdout).unwrap();
    for (line, code) in [
        ("plan diff pipe plan.json", 2),
        ("plan diff plan.json pipe", 2),
        ("plan H100:x8 --lock pipe --locked", 6),
        ("mig pack H100 1g.10gb=1 --onto pipe", 2),
        ("report out.html --from pipe", 2),
        ("--config pipe list", 6),
    ] {
        let run = sky_line(line).folder(world.path()).run();
        assert_eq!(run.code, code, "{line}: {}", run.stderr);
        assert!(
            run.stderr.contains("no program writes to this pipe"),
            "{line}: {}",
            run.stderr
        );
    }
    // A pipe of the shell has an end.
    let mut shell = Command::new("bash");
    let status = shell
        .args(["-c", "\"$0\" plan diff <(cat plan.json) plan.json"])
        .arg(env!("CARGO_BIN_EXE_sky-accel"))
        .current_dir(world.path())
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_large_config_file_is_refused() {
    let world = world();
    let text = format!("provider = [{}]\n", "\"aws\",".repeat(200_000));
    for (name, line) in [
        ("sky-accel.toml", "list"),
        ("config.toml", "--config config.toml list"),
    ] {
        fs::write(world.path().join(name), &text).unwrap();
        let run = sky_line(line).folder(world.path()).run().expect_code(6);
        assert!(
            run.stderr.contains("it is larger than 256 KiB"),
            "{line}: {}",
            run.stderr
        );
    }
}

#[test]
fn folders_of_trust_are_private_under_any_umask() {
    let project = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join("ours")).unwrap();
    fs::write(project.path().join("ours/names.toml"), "").unwrap();
    fs::write(
        project.path().join("sky-accel.toml"),
        "catalog = [\"ours\"]",
    )
    .unwrap();
    let line = |line: &str| {
        sky_line(line)
            .folder(project.path())
            .env("XDG_DATA_HOME", home.path().join("data"))
    };
    let _ = line("config trust").umask(0).run().expect_code(0);
    let data = home.path().join("data/sky-accel");
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("trusted.json")), 0o600);
    let _ = line("list").run().expect_code(0);
    // Another user could have changed any of these.
    for path in [
        &data,
        &data.join("trusted.json"),
        &project.path().join("ours"),
        &project.path().join("ours/names.toml"),
    ] {
        let before = mode(path);
        chmod(path, 0o777);
        let run = line("list").run().expect_code(6);
        assert!(
            run.stderr.contains("sky-accel config trust"),
            "{}: {}",
            path.display(),
            run.stderr
        );
        chmod(path, before);
    }
    let _ = line("list").run().expect_code(0);
}

#[test]
fn the_files_of_the_user_are_not_those_of_others() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config/sky-accel");
    fs::create_dir_all(config.join("catalog")).unwrap();
    fs::write(config.join("config.toml"), "limit = 3\n").unwrap();
    fs::write(config.join("catalog/names.toml"), "").unwrap();
    let list = || sky_line("list").env("XDG_CONFIG_HOME", home.path().join("config"));
    let _ = list().run().expect_code(0);
    for path in [
        config.clone(),
        config.join("config.toml"),
        config.join("catalog"),
        config.join("catalog/names.toml"),
    ] {
        let before = mode(&path);
        chmod(&path, 0o777);
        let run = list().run().expect_code(6);
        assert!(run.stderr.contains("other users may"), "{}", run.stderr);
        chmod(&path, before);
    }
    // A link to a file of the user is the user's choice.
    fs::rename(config.join("config.toml"), home.path().join("mine.toml")).unwrap();
    symlink("../../mine.toml", config.join("config.toml")).unwrap();
    let _ = list().run().expect_code(0);
}

#[test]
fn a_config_file_that_is_no_file_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config/sky-accel");
    let file = config.join("config.toml");
    fs::create_dir_all(&config).unwrap();
    let list = || sky_line("list").env("XDG_CONFIG_HOME", home.path().join("config"));
    let _ = list().run().expect_code(0);
    let makes: [fn(&Path); 4] = [
        pipe,
        |file| fs::create_dir(file).unwrap(),
        |file| symlink("/dev/zero", file).unwrap(),
        |file| symlink("nowhere", file).unwrap(),
    ];
    for make in makes {
        make(&file);
        let run = list().run().expect_code(6);
        assert!(
            run.stderr.contains("cannot read the config file"),
            "{}",
            run.stderr
        );
        let _ = list().arg("--no-config").run().expect_code(0);
        let _ = fs::remove_file(&file).or_else(|_| fs::remove_dir(&file));
    }
}

/// The texts of the files in a folder, by name.
fn texts(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut texts: Vec<_> = entries
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn an_input_is_not_replaced() {
    let world = world();
    let at = |name: &str| world.path().join(name);
    fs::create_dir(at("overlay")).unwrap();
    fs::write(at("overlay/a.toml"), "").unwrap();
    fs::write(at("inp.toml"), "").unwrap();
    fs::write(at("cfg.toml"), "catalog = ['inp.toml']\n").unwrap();
    fs::write(at("specs"), "H100:x8\n").unwrap();
    fs::write(at("config.json"), "{}").unwrap();
    fs::write(at("module.wasm"), b"\0asm").unwrap();
    symlink("inp.toml", at("link.toml")).unwrap();
    fs::hard_link(at("inp.toml"), at("name")).unwrap();
    let before = (texts(world.path()), texts(&at("overlay")));
    for line in [
        "catalog compile -o inp.toml inp.toml",
        "catalog compile -o link.toml inp.toml",
        "catalog compile -o inp.toml link.toml",
        "catalog compile -o name inp.toml",
        "catalog compile -o overlay/a.toml overlay",
        "--catalog inp.toml catalog compile -o ./inp.toml",
        "--config cfg.toml catalog compile -o cfg.toml overlay",
        "report answer.json --from answer.json",
        "--catalog inp.toml report inp.toml Llama-3.1-8B",
        "report config.json config.json",
        "--catalog overlay plan H100:x8 --lock overlay/a.toml",
        "--config cfg.toml plan H100:x8 --lock cfg.toml",
        "--config cfg.toml plan H100:x8 --lock inp.toml",
        "web --module module.wasm --out module.wasm",
    ] {
        let run = sky_line(line).folder(world.path()).run().expect_code(2);
        let words = "the file is an input of this command";
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
    let mut command = sky_line("plan - --lock specs")
        .folder(world.path())
        .command();
    let specs = File::open(at("specs")).unwrap();
    assert_eq!(command.stdin(specs).status().unwrap().code(), Some(2));
    assert_eq!((texts(world.path()), texts(&at("overlay"))), before);
    // A lock or a compiled catalog beside the sources is not an input.
    for line in [
        "--catalog overlay plan H100:x8 --lock overlay/lock.json",
        "catalog compile -o overlay/all.catalog overlay",
    ] {
        for _ in 0..2 {
            let _ = sky_line(line).folder(world.path()).run().expect_code(0);
        }
    }
}

#[test]
fn a_region_of_an_overlay_writes_no_file_elsewhere() {
    let world = tempfile::tempdir().unwrap();
    fs::write(world.path().join("escaped.json"), "old").unwrap();
    fs::create_dir(world.path().join("work")).unwrap();
    let overlay = "sold_by = 'aws'\n[[offer]]\nid = 'p5.48xlarge'\naccelerator = 'H100-80GB-SXM'\n\
        count = 8.0\nvcpu = 192.0\nhost_memory_gib = 2048.0\nstatus = 'offered'\n\
        regions = ['x/../../../escaped']\nsource = 's'\nas_of = '2026-07-20'\n";
    fs::write(world.path().join("o.toml"), overlay).unwrap();
    let line = "--catalog ../o.toml plan H100:x8 --provider aws --to ec2-fleet --out out";
    let run = sky_line(line).folder(&world.path().join("work")).run();
    let _ = run.expect_code(0);
    assert_eq!(fs::read(world.path().join("escaped.json")).unwrap(), b"old");
    only(world.path(), &["escaped.json", "o.toml", "work"]);
    only(&world.path().join("work"), &["out"]);
    let written = texts(&world.path().join("work/out"));
    assert!(
        written
            .iter()
            .any(|(name, _)| name == "fleet-x-..-..-..-escaped.json")
    );
}
