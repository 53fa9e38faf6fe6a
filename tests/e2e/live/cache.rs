//! The cache: fresh answers need no request, old answers are marked, and broken files are ignored.

use std::fs;
use std::path::PathBuf;
use std::thread;

use serde_json::Value;
use sky_accel_standin::{Fault, Service};

use super::{Market, providers};

fn cache_files(world: &Market) -> Vec<PathBuf> {
    let folder = world.cache.path().join("sky-accel");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    files.sort();
    files
}

/// Makes every cached answer older by a number of seconds.
fn age(world: &Market, seconds: i64) {
    for file in cache_files(world) {
        let mut content: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let at = content["fetched_at"].as_i64().unwrap();
        content["fetched_at"] = Value::from(at - seconds);
        fs::write(&file, content.to_string()).unwrap();
    }
}

const LINE: &str = "resolve H100 --provider vastai --live";

#[test]
fn second_answer_is_marked_as_cached() {
    let world = Market::new();
    let line = format!("resolve H100 --live -o json --provider {}", providers());
    let first = world.sky(&line).json();
    let requests = world.standin.requests().len();
    let second = world.sky(&line).json();
    assert_eq!(world.standin.requests().len(), requests);
    assert_eq!(first["results"], second["results"]);
    for answer in second["live"].as_array().unwrap() {
        assert_eq!(answer["source"], "cache", "{answer}");
        assert!(answer["age_s"].is_u64(), "{answer}");
    }
    age(&world, 1500);
    let run = world.sky(LINE).run().expect_code(0);
    assert!(
        run.stderr.contains("vastai cached 25 min ago"),
        "{}",
        run.stderr
    );
}

#[test]
fn old_answers_are_fetched_again() {
    let world = Market::new();
    let _ = world.sky(LINE).run().expect_code(0);
    let once = world.asked(Service::VAST);
    age(&world, 3700);
    let run = world.sky(LINE).run().expect_code(0);
    assert_eq!(world.asked(Service::VAST), 2 * once);
    assert!(run.stderr.contains("vastai now"), "{}", run.stderr);
}

#[cfg(feature = "aws")]
#[test]
fn types_are_kept_for_a_week_prices_for_a_day_and_spot_prices_for_an_hour() {
    let world = Market::new();
    let line = "resolve H100:x8 --provider aws --region us-east-1 --live";
    let calls = || {
        let requests = world.standin.requests();
        let count = |word: &str| {
            requests
                .iter()
                .filter(|r| format!("{} {:?}", r.body, r.headers).contains(word))
                .count()
        };
        [
            "DescribeInstanceTypes&",
            "DescribeSpotPriceHistory",
            "GetProducts",
        ]
        .map(count)
    };
    let _ = world.sky(line).run().expect_code(0);
    let [types, spot, prices] = calls();
    assert!(types > 0 && spot > 0 && prices > 0);
    age(&world, 2 * 3600);
    let _ = world.sky(line).run().expect_code(0);
    assert_eq!(calls(), [types, 2 * spot, prices]);
    age(&world, 25 * 3600);
    let _ = world.sky(line).run().expect_code(0);
    assert_eq!(calls(), [types, 3 * spot, 2 * prices]);
    age(&world, 8 * 86_400);
    let _ = world.sky(line).run().expect_code(0);
    assert_eq!(calls(), [2 * types, 4 * spot, 3 * prices]);
}

#[test]
fn refresh_ignores_the_cache_and_keeps_it_on_failure() {
    let world = Market::new();
    let _ = world.sky(LINE).run().expect_code(0);
    let once = world.asked(Service::VAST);
    let _ = world.sky(&format!("{LINE} --refresh")).run().expect_code(0);
    assert_eq!(world.asked(Service::VAST), 2 * once);

    age(&world, 1500);
    let before: Vec<_> = cache_files(&world)
        .iter()
        .map(|file| fs::read(file).unwrap())
        .collect();
    world.standin.fault(Service::VAST, Fault::ServerError);
    let run = world.sky(&format!("{LINE} --refresh")).run().expect_code(4);
    assert!(run.stdout.contains("not reached"), "{}", run.stdout);
    let after: Vec<_> = cache_files(&world)
        .iter()
        .map(|file| fs::read(file).unwrap())
        .collect();
    assert_eq!(before, after);
    let run = world.sky(LINE).run().expect_code(0);
    assert!(run.stderr.contains("cached 25 min ago"), "{}", run.stderr);
}

#[test]
fn offline_uses_only_the_cache() {
    let world = Market::new();
    let run = world.sky(&format!("{LINE} --offline")).run().expect_code(0);
    let message =
        "--offline: no answer of vastai is cached, so the offers shown are from the catalog";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert!(run.stdout.contains("not reached"), "{}", run.stdout);
    assert!(world.standin.requests().is_empty());
    let _ = world.sky(LINE).run().expect_code(0);
    let requests = world.standin.requests().len();
    age(&world, 3 * 86_400);
    let run = world.sky(&format!("{LINE} --offline")).run().expect_code(0);
    assert!(
        run.stderr.contains("vastai cached 3 d ago"),
        "{}",
        run.stderr
    );
    let run = world
        .sky(&format!("{LINE} --offline --max-age 1d"))
        .run()
        .expect_code(7);
    assert_eq!(run.stdout, "");
    assert_eq!(world.standin.requests().len(), requests);
}

#[test]
fn max_age_makes_answers_expire_sooner() {
    let world = Market::new();
    let _ = world.sky(LINE).run().expect_code(0);
    let once = world.asked(Service::VAST);
    age(&world, 120);
    let _ = world
        .sky(&format!("{LINE} --max-age 5m"))
        .run()
        .expect_code(0);
    assert_eq!(world.asked(Service::VAST), once);
    let _ = world
        .sky(&format!("{LINE} --max-age 90s"))
        .run()
        .expect_code(0);
    assert_eq!(world.asked(Service::VAST), 2 * once);
}

#[test]
fn each_account_has_its_own_answers() {
    let world = Market::new();
    let _ = world.sky(LINE).run().expect_code(0);
    let run = world
        .sky(LINE)
        .env("VAST_API_KEY", "another-key")
        .run()
        .expect_code(3);
    assert!(run.stderr.contains("refused"), "{}", run.stderr);
}

#[test]
fn broken_files_are_ignored_and_replaced() {
    let world = Market::new();
    let expected = world.sky(LINE).run().expect_code(0).stdout;
    for broken in ["", "{", "null", "{\"format\":1}", "[1,2", "\u{0}"] {
        for file in cache_files(&world) {
            fs::write(file, broken).unwrap();
        }
        let once = world.asked(Service::VAST);
        assert_eq!(
            world.sky(LINE).run().expect_code(0).stdout,
            expected,
            "{broken:?}"
        );
        assert!(world.asked(Service::VAST) > once, "{broken:?}");
    }
    // A folder instead of a file, and a folder that cannot be created.
    for file in cache_files(&world) {
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
    }
    assert_eq!(world.sky(LINE).run().expect_code(0).stdout, expected);
    let run = world
        .sky(&format!("{LINE} -v"))
        .env("XDG_CACHE_HOME", "/dev/null/none")
        .run()
        .expect_code(0);
    assert_eq!(run.stdout, expected);
    assert!(
        run.stderr.contains("the cache cannot be written"),
        "{}",
        run.stderr
    );
}

#[test]
fn concurrent_runs_do_not_conflict() {
    let world = Market::new();
    let expected = world.sky(LINE).run().expect_code(0).stdout;
    thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|n| {
                let flag = if n % 2 == 0 { " --refresh" } else { "" };
                let sky = world.sky(&format!("{LINE}{flag}"));
                scope.spawn(move || sky.run().expect_code(0).stdout)
            })
            .collect();
        for run in runs {
            assert_eq!(run.join().unwrap(), expected);
        }
    });
    let names: Vec<String> = cache_files(&world)
        .iter()
        .map(|f| f.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| name.strip_suffix(".json").is_some()),
        "nothing is left over: {names:?}"
    );
}

#[test]
fn only_the_user_can_read_the_cache() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = Market::new();
    let _ = world.sky(LINE).run().expect_code(0);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.cache.path().join("sky-accel")), 0o700);
    for file in cache_files(&world) {
        assert_eq!(mode(&file), 0o600);
    }
}

/// A request for fewer machines has a separate cache entry.
#[test]
fn requests_for_other_machines_are_cached_separately() {
    let world = Market::new();
    for (service, lines) in [
        (
            Service::RUNPOD,
            [
                "resolve H200 --provider runpod",
                "resolve H200:x8 --provider runpod",
                "resolve H200 --provider runpod --region US",
            ],
        ),
        (
            Service::VAST,
            [
                "resolve RTX4090 --provider vastai --capacity-type on-demand",
                "resolve RTX4090 --provider vastai --capacity-type spot",
                "resolve RTX4090:x2 --provider vastai --capacity-type spot",
            ],
        ),
    ] {
        for line in lines {
            let before = world.asked(service);
            let _ = world.sky(&format!("{line} --live")).run();
            assert!(world.asked(service) > before, "{line}");
        }
    }
}
