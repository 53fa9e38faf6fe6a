//! `catalog update --from FILE`: the newer prices of a compiled catalog.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::support::{Run, folder, sky, validate};

/// A folder with a published catalog, and a folder for the update.
struct Team {
    published: TempDir,
    into: TempDir,
}

impl Team {
    /// Publishes the catalog with prices of Lambda's machine with eight H100 and of its machine with one.
    fn with_prices(eight: &str, one: &str) -> Self {
        let price = |offer: &str, usd: &str| {
            format!(
                "[[price]]\noffer = \"{offer}\"\nsource = \"Lambda's page\"\nas_of = \"2026-11-19\"\nusd_per_hour = {usd}\n"
            )
        };
        let text = format!(
            "sold_by = \"lambda\"\n{}{}",
            price("gpu_8x_h100_sxm5", eight),
            price("gpu_1x_h100_sxm5", one)
        );
        let overlay = folder(&[("prices.toml", &text)]);
        let published = tempfile::tempdir().unwrap();
        let file = published.path().join("team.catalog");
        sky(["catalog", "compile", "--output"])
            .arg(&file)
            .arg(overlay.path())
            .run()
            .expect_code(0);
        Self {
            published,
            into: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self) -> PathBuf {
        self.published.path().join("team.catalog")
    }

    /// Replaces the tables of the published catalog.
    fn write(&self, tables: &[u8]) {
        let sum = sha256(&[&(tables.len() as u64).to_be_bytes()[..], tables].concat());
        fs::write(self.file(), [sum.as_bytes(), tables].concat()).unwrap();
    }

    fn update(&self, from: impl AsRef<std::ffi::OsStr>, options: &[&str]) -> Run {
        let run = sky(["catalog", "update", "-o", "json", "--into"]);
        let run = run.arg(self.into.path()).arg("--from").arg(from);
        run.args(options).run()
    }

    fn files(&self) -> Vec<String> {
        let files = fs::read_dir(self.into.path()).unwrap().flatten();
        let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.filter(|name| name.contains(".toml")).collect();
        names.sort();
        names
    }

    fn price(&self) -> Value {
        let line = "resolve H100:x8 --provider lambda -o json --catalog";
        let answer = sky(line.split(' ')).arg(self.into.path()).json();
        answer["results"][0]["on_demand"].clone()
    }
}

fn parsed(run: &Run) -> Value {
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    validate("catalog update", &answer);
    answer
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let mut hex = String::new();
    for byte in digest {
        write!(hex, "{byte:02x}").unwrap();
    }
    hex
}

/// Serves a file for one request, and returns its address.
fn served(file: &Path) -> String {
    let bytes = fs::read(file).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/team.catalog", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).unwrap();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            bytes.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&bytes).unwrap();
    });
    address
}

#[test]
fn newer_prices_of_a_file_are_written_without_a_network() {
    let team = Team::with_prices("30.5", "3.987654");
    let run = team.update(team.file(), &["--offline"]).expect_code(0);
    let answer = parsed(&run);
    assert_eq!(answer["request"]["from"], json!(["published"]));
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{answer}");
    assert_eq!(results[0]["provider"], "lambda");
    assert_eq!(results[0]["prices"], 2);
    assert_eq!(
        team.files(),
        ["seen-prices.toml", "via-published-lambda.toml"]
    );
    let price = team.price();
    assert_eq!(price["usd_per_hour"], 30.5);
    assert_eq!(price["source"], "Lambda's page");
    assert_eq!(price["as_of"], "2026-11-19");
    sky(["catalog", "verify"])
        .arg(team.into.path())
        .run()
        .expect_code(0);
}

#[test]
fn a_file_at_an_address_is_checked_against_its_digest() {
    let team = Team::with_prices("30.5", "3.987654");
    let address = served(&team.file());
    let digest = format!("sha256:{}", sha256(&fs::read(team.file()).unwrap()));
    let run = team.update(&address, &["--digest", &digest]);
    assert_eq!(parsed(&run.expect_code(0))["request"]["published"], address);
    assert_eq!(team.price()["usd_per_hour"], 30.5);
}

#[test]
fn a_file_that_is_not_the_expected_catalog_changes_nothing() {
    let team = Team::with_prices("30.5", "3.987654");
    let other = team.published.path().join("other.catalog");
    let mut bytes = fs::read(team.file()).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&other, bytes).unwrap();
    let digest = sha256(b"other");
    for (file, options, text) in [
        (team.file(), &["--digest", &digest][..], "not the expected"),
        (other, &[], "checksum does not match"),
        (team.published.path().into(), &[], "cannot read"),
        ("./none.catalog".into(), &[], "No such file"),
    ] {
        let run = team.update(&file, options).expect_code(6);
        assert!(run.stderr.contains(text), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    let of_another = format!("{},gpuhunt", team.file().display());
    for (from, options) in [
        (&*of_another, &[][..]),
        ("providers", &["--digest", &digest]),
        ("./x.catalog", &["--digest", "abc"]),
        ("http://example.com/x.catalog", &[]),
    ] {
        let code = if from.starts_with("http") { 4 } else { 2 };
        let run = team.update(from, options).expect_code(code);
        assert_eq!(run.stdout, "");
    }
    assert_eq!(team.files(), [""; 0]);
}

#[test]
fn ids_of_a_foreign_catalog_do_not_become_paths() {
    let team = Team::with_prices("30.5", "3.987654");
    let tables = fs::read(team.file()).unwrap()[64..].to_vec();
    let at = tables
        .windows(6)
        .position(|text| text == b"lambda")
        .unwrap();
    let mut forged = tables;
    forged[at..at + 6].copy_from_slice(b"/../xy");
    team.write(&forged);
    let run = team.update(team.file(), &[]).expect_code(0);
    assert!(
        parsed(&run)["notes"]
            .to_string()
            .contains("unknown-providers"),
        "{}",
        run.stdout
    );
    assert_eq!(team.files(), [""; 0]);
    assert!(!team.into.path().join("../xy.toml").exists());
}

#[test]
fn prices_that_cannot_be_right_are_left_out() {
    // A price in a file that was compiled without the checks of `catalog compile`.
    let team = Team::with_prices("30.5", "3.987654");
    let mut bytes = fs::read(team.file()).unwrap();
    let usd = 3_987_654_u64.to_le_bytes();
    // The index of offers has the price too.
    let places: Vec<usize> = (0..bytes.len() - 8)
        .filter(|at| bytes[*at..at + 8] == usd)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + 8].copy_from_slice(&1_000_u64.to_le_bytes());
    }
    team.write(&bytes[64..]);
    let run = team.update(team.file(), &[]).expect_code(0);
    let answer = parsed(&run);
    assert_eq!(answer["results"][0]["prices"], 1, "{answer}");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("rows-left-out"), "{notes}");
}
