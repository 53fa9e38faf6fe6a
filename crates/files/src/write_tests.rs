use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Command;

use tempfile::TempDir;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn put_file(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn shared(path: &Path, text: &str) -> io::Result<()> {
    write(path, &[text.as_bytes()], Access::Shared)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Whether the tests run as a user whom modes do not bind.
fn is_superuser() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_file_keeps_its_mode_and_is_replaced() {
    let folder = folder();
    let path = folder.path().join("file");
    for old in [0o600, 0o640, 0o664] {
        put_file(&path, "old", old);
        let before = fs::metadata(&path).unwrap().ino();
        shared(&path, "new").unwrap();
        assert_eq!((text(&path).as_str(), mode(&path)), ("new", old));
        assert_ne!(
            fs::metadata(&path).unwrap().ino(),
            before,
            "{old:o}: readers see the old or the new file"
        );
    }
    put_file(&path, "old", 0o640);
    write(&path, &[b"#!"], Access::Executable).unwrap();
    assert_eq!(mode(&path), 0o750);
    write(&path, &[b"own"], Access::Private).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn a_new_file_has_the_mode_of_any_new_file() {
    let folder = folder();
    let [ours, theirs] = ["ours", "theirs"].map(|name| folder.path().join(name));
    fs::write(&theirs, "").unwrap();
    shared(&ours, "text").unwrap();
    assert_eq!(mode(&ours), mode(&theirs));
}

#[test]
fn links_are_followed() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("below")).unwrap();
    put_file(&at("below/file"), "old", 0o600);
    symlink("below/file", at("first")).unwrap();
    symlink("first", at("second")).unwrap();
    shared(&at("second"), "new").unwrap();
    assert_eq!(text(&at("below/file")), "new");
    assert_eq!(mode(&at("below/file")), 0o600);
    assert_eq!(fs::read_link(at("second")).unwrap(), Path::new("first"));
    // As with `>`, the target of a dangling link is created.
    symlink("below/later", at("dangling")).unwrap();
    shared(&at("dangling"), "made").unwrap();
    assert_eq!(text(&at("below/later")), "made");
    assert!(at("dangling").is_symlink());
    symlink("circle", at("circle")).unwrap();
    assert!(shared(&at("circle"), "new").is_err());
    assert_eq!(names(&at("below")), ["file", "later"]);
}

#[test]
fn hard_links_stay_together() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    put_file(&at("one"), "a longer old text", 0o640);
    fs::hard_link(at("one"), at("two")).unwrap();
    shared(&at("one"), "new").unwrap();
    assert_eq!(text(&at("two")), "new");
    assert_eq!(mode(&at("two")), 0o640);
    assert_eq!(names(folder.path()), ["one", "two"]);
}

#[test]
fn bits_beside_the_permissions_stay() {
    let folder = folder();
    let path = folder.path().join("file");
    for old in [0o2640, 0o1640] {
        put_file(&path, "old", old);
        if mode(&path) != old {
            // This user may not set the bit.
            continue;
        }
        shared(&path, "new").unwrap();
        assert_eq!((text(&path).as_str(), mode(&path)), ("new", old));
    }
}

#[test]
fn a_file_that_cannot_be_read_is_not_overwritten() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    if is_superuser() {
        return;
    }
    put_file(&at("one"), "old", 0o200);
    fs::hard_link(at("one"), at("two")).unwrap();
    let error = shared(&at("one"), "new").unwrap_err();
    assert!(
        error.to_string().contains("restore its contents"),
        "{error}"
    );
    fs::set_permissions(at("one"), Permissions::from_mode(0o600)).unwrap();
    assert_eq!(text(&at("two")), "old");
    put_file(&at("one"), "", 0o200);
    shared(&at("one"), "new").unwrap();
    fs::set_permissions(at("one"), Permissions::from_mode(0o600)).unwrap();
    assert_eq!(text(&at("two")), "new");
}

#[test]
fn old_contents_are_restored() {
    let folder = folder();
    let path = folder.path().join("file");
    for max_in_memory in [0, 1000] {
        fs::write(&path, "a longer old text").unwrap();
        let mut file = File::options().read(true).write(true).open(&path).unwrap();
        let old = OldContents::of(&mut file, max_in_memory).unwrap();
        assert_eq!(matches!(old, OldContents::File(_)), max_in_memory == 0);
        refill(&mut file, &[b"new"], 3).unwrap();
        assert_eq!(text(&path), "new");
        old.restore(&mut file).unwrap();
        assert_eq!(text(&path), "a longer old text");
    }
}

#[test]
fn a_folder_is_refused() {
    let folder = folder();
    let error = shared(folder.path(), "new").unwrap_err();
    assert_eq!(error.to_string(), "it is a folder, not a file");
    assert!(probe(folder.path(), Access::Shared).is_err());
    assert!(shared(&folder.path().join("none/file"), "new").is_err());
}

#[test]
fn devices_are_written() {
    shared(Path::new("/dev/null"), "new").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    probe(Path::new("/dev/full"), Access::Shared).unwrap();
    let error = shared(Path::new("/dev/full"), "new").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
    let folder = folder();
    let link = folder.path().join("link");
    symlink("/dev/full", &link).unwrap();
    assert!(shared(&link, "new").is_err());
    assert!(link.is_symlink());
    assert!(write(Path::new("/dev/null"), &[], Access::Private).is_err());
}

#[test]
fn pipes_are_written() {
    let folder = folder();
    let path = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let reader = {
        let path = path.clone();
        std::thread::spawn(move || fs::read_to_string(path).unwrap())
    };
    let long = "0123456789".repeat(50_000);
    shared(&path, &long).unwrap();
    assert_eq!(reader.join().unwrap(), long);
    assert!(!fs::metadata(&path).unwrap().is_file());
    // No program reads it now.
    let error = shared(&path, "new").unwrap_err();
    assert_eq!(error.to_string(), "no program reads from this pipe");
    assert_eq!(names(folder.path()), ["pipe"]);
}

#[test]
fn a_descriptor_keeps_its_file() {
    use std::os::fd::AsRawFd as _;

    let folder = folder();
    let path = folder.path().join("file");
    put_file(&path, "a longer old text", 0o600);
    let open = File::open(&path).unwrap();
    let before = open.metadata().unwrap().ino();
    let link = format!("/proc/self/fd/{}", open.as_raw_fd());
    if !Path::new(&link).exists() {
        return;
    }
    shared(Path::new(&link), "new").unwrap();
    assert_eq!(text(&path), "new");
    assert_eq!(fs::metadata(&path).unwrap().ino(), before);
}

#[test]
fn what_the_user_may_not_write_stays() {
    if is_superuser() {
        return;
    }
    let folder = folder();
    let path = folder.path().join("file");
    put_file(&path, "old", 0o444);
    assert_eq!(
        shared(&path, "new").unwrap_err().kind(),
        io::ErrorKind::PermissionDenied
    );
    assert_eq!((text(&path).as_str(), mode(&path)), ("old", 0o444));
    // A file in a folder that cannot be written is written in place.
    fs::remove_file(&path).unwrap();
    put_file(&path, "old", 0o600);
    fs::set_permissions(folder.path(), Permissions::from_mode(0o500)).unwrap();
    shared(&path, "new").unwrap();
    assert_eq!(text(&path), "new");
    assert!(shared(&folder.path().join("other"), "new").is_err());
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn the_owner_stays() {
    if !is_superuser() {
        return;
    }
    let folder = folder();
    let path = folder.path().join("file");
    put_file(&path, "old", 0o640);
    std::os::unix::fs::chown(&path, Some(12_345), Some(12_346)).unwrap();
    shared(&path, "new").unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (12_345, 12_346));
    assert_eq!((text(&path).as_str(), mode(&path)), ("new", 0o640));
}

#[test]
fn several_files_are_prepared_before_the_first_is_written() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    put_file(&at("old"), "old", 0o600);
    let parts: &[&[u8]] = &[b"new"];
    let ready: Vec<Prepared<'_>> = ["old", "new"]
        .iter()
        .map(|name| prepare(&at(name), parts, Access::Shared).unwrap())
        .collect();
    assert_eq!(text(&at("old")), "old");
    drop(ready);
    assert_eq!(names(folder.path()), ["old"], "nothing is left over");
    probe(&at("new"), Access::Shared).unwrap();
    assert_eq!(names(folder.path()), ["old"], "nothing is left over");
}

#[test]
fn a_file_that_appears_meanwhile_is_replaced() {
    let folder = folder();
    let path = folder.path().join("file");
    let prepared = prepare(&path, &[b"new"], Access::Shared).unwrap();
    put_file(&path, "other", 0o600);
    prepared.finish().unwrap();
    assert_eq!((text(&path).as_str(), mode(&path)), ("new", 0o600));
    assert_eq!(names(folder.path()), ["file"]);
}
