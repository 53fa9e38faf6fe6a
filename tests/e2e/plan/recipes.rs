//! The recipes of the documentation, run verbatim.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sky_accel_embedded::TEST_CATALOG_VARIABLE;

/// The blocks of bash on a page.
fn blocks(page: &str) -> Vec<&str> {
    let parts = page.split("```bash\n").skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}

/// Runs a block in a folder, with `sky-accel` on the path, and returns its output.
fn bash(block: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_sky-accel"));
    let path = std::env::var("PATH").unwrap_or_default();
    let beside = program.parent().expect("a folder").display();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", block])
        .current_dir(folder)
        .env("PATH", format!("{beside}:{path}"))
        .env("HOME", folder)
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("SKY_ACCEL_TODAY", "2026-11-20")
        .env(TEST_CATALOG_VARIABLE, "1")
        .output()
        .expect("bash starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{block}\n{stderr}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn recipes_work() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).expect("a folder");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/recipes/README.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = blocks(&page);
    assert_eq!(blocks.len(), 11);
    assert_eq!(page.matches("\n## ").count(), 11);
    let out: Vec<String> = blocks.iter().map(|block| bash(block, &folder)).collect();
    let has = |at: usize, part: &str| assert!(out[at].contains(part), "recipe {at}: {}", out[at]);
    has(1, "an hour");
    has(3, "older than a day");
    has(4, "aws ec2 create-fleet --region us-east-1");
    // Two runs with the same catalog give the same plan.
    assert_eq!(out[6], "");
    has(9, "cuda_min");
    has(10, "g6.12xlarge");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    assert!(read("task.yaml").contains("python train.py"));
    assert_eq!(read("comment.md").lines().count(), 7);
    let matrix: serde_json::Value = serde_json::from_str(&read("matrix.json")).expect("JSON");
    assert!(
        matrix["include"]
            .as_array()
            .is_some_and(|rows| !rows.is_empty())
    );
}

/// Each gate must also fail, since a gate that always passes checks nothing.
#[test]
fn gates_fail_on_changes() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gates");
    fs::create_dir_all(&folder).expect("a folder");
    let status = |block: &str| -> String {
        bash(
            &format!("{block} > out 2> err && echo 0 || echo $?"),
            &folder,
        )
    };
    assert_eq!(
        status("sky-accel plan H100:x8 --nodes 2 --hours 12 --budget 5"),
        "1\n"
    );
    assert_eq!(status("sky-accel plan H100:x8 --max-age 1d"), "7\n");
    assert_eq!(
        status("sky-accel plan H100:x8 --nodes 2 --to docker --strict"),
        "2\n"
    );
    bash(
        "sky-accel plan L4 --provider aws --lock l4.lock -q > out",
        &folder,
    );
    assert_eq!(
        status("sky-accel plan L4 --provider aws --limit 3 --lock l4.lock --locked"),
        "7\n"
    );
    bash("sed -i s/g6.xlarge/g6.2xlarge/ l4.lock", &folder);
    assert_eq!(
        status("sky-accel plan L4 --provider aws --lock l4.lock --locked"),
        "6\n"
    );
}
