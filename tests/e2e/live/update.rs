//! `catalog update`: written prices are used, failed providers keep their prices, and files are written atomically.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use sky_accel_standin::{Fault, Service, Shop, Standin};
use tempfile::TempDir;

use super::{Market, providers};
use crate::support::{Run, sky, validate};

fn update(world: &Market, folder: &Path, options: &str) -> Run {
    let line = format!("catalog update {options} -o json --into");
    world.sky(&line).arg(folder).run()
}

fn of<'v>(answer: &'v Value, provider: &str) -> &'v Value {
    let results = answer["results"].as_array().unwrap();
    results
        .iter()
        .find(|result| result["provider"] == provider)
        .unwrap()
}

fn parsed(run: &Run) -> Value {
    let answer =
        serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stderr));
    validate("catalog update", &answer);
    answer
}

/// Runs `catalog verify` on the overlay.
fn verified(folder: &Path) -> Run {
    let run = sky(["catalog", "verify"]).arg(folder);
    // The stand-in uses the current date, not the fixed date of the other tests.
    run.remove_env("SKY_ACCEL_TODAY").run()
}

fn file(folder: &Path, provider: &str) -> String {
    fs::read_to_string(folder.join(format!("live-{provider}.toml"))).unwrap()
}

#[test]
fn update_writes_live_prices_as_an_overlay() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let options = format!("--provider {}", providers());
    let run = update(&world, folder, &options).expect_code(0);
    let answer = parsed(&run);
    for result in answer["results"].as_array().unwrap() {
        assert_eq!(result["status"], "updated", "{result}");
        assert!(result["prices"].as_u64().unwrap() > 0, "{result}");
    }
    let verdict = verified(folder).expect_code(0);
    assert!(
        verdict.stderr.contains("no errors found"),
        "{}",
        verdict.stderr
    );
    // The offline answer equals the live answer for offers with a price in both.
    let live = world
        .sky("resolve H100:x8 --provider verda --live -o json")
        .json();
    let offline = sky([
        "resolve",
        "H100:x8",
        "--provider",
        "verda",
        "-o",
        "json",
        "--catalog",
    ])
    .arg(folder)
    .json();
    assert_eq!(
        live["results"][0]["on_demand"]["usd_per_hour"],
        offline["results"][0]["on_demand"]["usd_per_hour"]
    );
    assert_eq!(offline["results"][0]["on_demand"]["kind"], "list");
    // A second update changes nothing, and `diff` lists the changes of the first update.
    let again = parsed(&update(&world, folder, &options));
    for result in again["results"].as_array().unwrap() {
        assert_eq!(
            result["changes"],
            Value::Array(Vec::new()),
            "{}",
            result["provider"]
        );
    }
    let diff = sky(["catalog", "diff", "-o", "json"]).arg(folder).json();
    let moved = diff["results"].as_array().unwrap();
    assert!(moved.iter().any(|result| result["change"] == "price-moved"));
    assert!(
        moved
            .iter()
            .all(|result| result["message"].as_str().is_some_and(|m| !m.is_empty()))
    );
}

#[test]
fn failed_providers_keep_their_files() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let _ = update(&world, folder, "").expect_code(0);
    let before = file(folder, "runpod");
    world.standin.fault(Service::RUNPOD, Fault::ServerError);
    let answer = parsed(&update(&world, folder, "").expect_code(5));
    assert_eq!(of(&answer, "runpod")["status"], "failed");
    assert_eq!(of(&answer, "verda")["status"], "updated");
    assert_eq!(file(folder, "runpod"), before);
    // No provider answers: no file changes, and the exit code is the code of live answers.
    let written = || ["runpod", "vastai", "verda"].map(|id| file(folder, id));
    let untouched = written();
    let run = world
        .sky("catalog update --provider runpod --into")
        .arg(folder)
        .run()
        .expect_code(4);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("runpod"),
        "{}",
        run.stderr
    );
    assert_eq!(written(), untouched);
}

#[cfg(feature = "aws")]
#[test]
fn a_region_that_fails_keeps_its_old_prices_and_their_dates() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let _ = update(&world, folder, "--provider aws").expect_code(0);
    let old = file(folder, "aws").replace(&today(&world), "2026-01-02");
    fs::write(folder.join("live-aws.toml"), &old).unwrap();
    world
        .standin
        .fault_where(Service::EC2, "DescribeSpotPriceHistory", Fault::ServerError);
    let run = update(&world, folder, "--provider aws").expect_code(5);
    let answer = parsed(&run);
    assert_eq!(of(&answer, "aws")["status"], "partial", "{}", run.stderr);
    assert!(of(&answer, "aws")["kept"].as_u64().unwrap() > 0);
    let new = file(folder, "aws");
    assert!(new.contains("2026-01-02") && new.contains(&today(&world)));
}

/// The date of the answers.
#[cfg(feature = "aws")]
fn today(world: &Market) -> String {
    let answer = world
        .sky("resolve H100:x8 --provider verda --live -o json")
        .json();
    let as_of = answer["results"][0]["on_demand"]["as_of"].as_str().unwrap();
    as_of[..10].to_owned()
}

#[test]
fn a_dry_run_writes_nothing() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let into = folder.path().join("new");
    let answer = parsed(&update(&world, &into, "--provider verda --dry-run").expect_code(0));
    assert!(
        !of(&answer, "verda")["changes"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert!(!into.exists());
}

/// The number of kills, spread over the run; a longer test sets SKY_ACCEL_KILLS=100.
fn kills() -> u32 {
    let kills = std::env::var("SKY_ACCEL_KILLS").ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(12)
}

#[test]
fn no_kill_leaves_half_an_overlay() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let world = Market::new();
    let started = Instant::now();
    let _ = update(&world, folder, "--provider verda,vastai,runpod").expect_code(0);
    let duration = started.elapsed();
    for kill in 0..kills() {
        // The prices differ each time, so that each update writes files.
        let mut shop = Shop::default();
        for row in &mut shop.verda.types {
            row["price_per_hour"] = Value::from(format!("{}.25", kill + 1));
        }
        let other = Market {
            standin: Standin::with(shop),
            cache: TempDir::new().unwrap(),
        };
        let line = "catalog update --provider verda,vastai,runpod --into";
        let mut child = other
            .sky(line)
            .arg(folder)
            .command()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Most kills are near the end, when files are written.
        let share = 0.3 + 0.9 * f64::from(kill) / f64::from(kills());
        std::thread::sleep(duration.mul_f64(share).min(Duration::from_secs(20)));
        let _ = child.kill();
        let _ = child.wait();
        for provider in ["verda", "vastai", "runpod"] {
            let text = file(folder, provider);
            assert!(
                toml::from_str::<toml::Table>(&text).is_ok(),
                "{provider} after kill {kill}"
            );
            assert!(text.ends_with('\n'));
        }
        let run = sky(["resolve", "H100:x8", "-o", "names", "--catalog"])
            .arg(folder)
            .run();
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    // The next update removes leftovers.
    let _ = update(&world, folder, "--provider verda").expect_code(0);
    let names = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|file| file.file_name());
    let leftovers: Vec<_> = names
        .filter(|name| name.to_string_lossy().contains("sky-accel-"))
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn two_updates_at_once_wait_for_each_other() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let runs: Vec<Run> = std::thread::scope(|scope| {
        let one = || update(&world, folder, "--provider verda,vastai");
        let both: Vec<_> = (0..3).map(|_| scope.spawn(one)).collect();
        both.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for run in runs {
        let _ = run.expect_code(0);
    }
    let _ = verified(folder).expect_code(0);
}

#[test]
fn unwritable_folder_fails_before_any_request() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let run = update(&world, &file.join("below"), "").expect_code(6);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("cannot write"),
        "{}",
        run.stderr
    );
    assert!(world.standin.requests().is_empty());
    // A full disk.
    if Path::new("/dev/full").exists() {
        let into = folder.path().join("full");
        fs::create_dir(&into).unwrap();
        let line = "catalog update --provider verda --into";
        let run = world.sky(line).arg(&into).file_size_limit_kib(0).run();
        assert_eq!(run.code, 6, "{}", run.stderr);
        assert!(
            fs::read_dir(&into)
                .unwrap()
                .flatten()
                .all(|file| file.file_name() == ".lock")
        );
    }
}

#[test]
fn an_update_continues_the_history_of_prices() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let run = |options: &str| {
        let line = format!("catalog update --provider verda {options} --into");
        // Live prices have the date of the request.
        let run = world.sky(&line).arg(folder).remove_env("SKY_ACCEL_TODAY");
        let _ = run.run().expect_code(0);
    };
    let place = folder.join("seen-prices.toml");
    run("--dry-run");
    assert!(!place.exists());
    run("");
    let history = || fs::read_to_string(&place).unwrap();
    let first = history();
    assert!(first.contains("provider = \"verda\""), "{first}");
    // A second update of the same day adds nothing.
    run("");
    assert_eq!(history(), first);
    // A later update finds the same prices.
    let day = first.split("from = \"").nth(1).unwrap()[..10].to_owned();
    fs::write(&place, first.replace(&day, "2026-01-05")).unwrap();
    run("");
    let lasting = format!("from = \"2026-01-05\", until = \"{day}\"");
    assert_eq!(
        history().matches(&lasting).count(),
        first.matches("from = ").count()
    );
    let line = "prices H100:SXM --history --provider verda -o csv --catalog";
    let shown = sky(line.split(' '))
        .arg(folder)
        .remove_env("SKY_ACCEL_TODAY");
    let shown = shown.run().expect_code(0);
    assert!(
        shown.stdout.contains(&format!("2026-01-05,{day}")),
        "{}",
        shown.stdout
    );
}
