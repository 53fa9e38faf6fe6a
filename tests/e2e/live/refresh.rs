//! The scripts of the daily refresh of the catalog, against the stand-ins.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use sky_accel_standin::{Fault, Service};
use tempfile::TempDir;

use super::Market;
use super::public::without_keys;

/// Runs `packaging/refresh.sh` into a folder, with the variables that lead to the stand-ins.
fn refresh(world: &Market, folder: &Path) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/refresh.sh");
    let program = without_keys(world, "--version").command();
    let mut command = Command::new(script);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // Live prices have the date of the request.
    command
        .env_remove("SKY_ACCEL_TODAY")
        .arg(program.get_program())
        .arg(folder.join("updates"))
        .arg(folder.join("words.txt"))
        .output()
        .unwrap()
}

#[test]
fn a_refresh_writes_updates_and_their_differences_in_words() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let output = refresh(&world, folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let words = fs::read_to_string(folder.path().join("words.txt")).unwrap();
    assert!(words.contains("on-demand"), "{words}");
    let files = fs::read_dir(folder.path().join("updates")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    assert!(names.contains(&"live-verda.toml".to_owned()), "{names:?}");
}

#[test]
fn a_refresh_survives_one_provider_and_fails_without_any() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    world.standin.fault(Service::VERDA, Fault::ServerError);
    let output = refresh(&world, folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let other = TempDir::new().unwrap();
    for service in Service::ALL {
        world.standin.fault(*service, Fault::ServerError);
    }
    let output = refresh(&world, other.path());
    assert_eq!(output.status.code(), Some(4));
    assert!(!other.path().join("words.txt").exists());
}
