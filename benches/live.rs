//! Live answers on loopback: `cargo bench --bench live`.
//!
//! All providers with a key that take 200 ms per answer, with AWS in 17 regions: concurrently, they take
//! hardly longer than the longest chain of dependent requests. Providers that need no key take
//! hardly longer than the slowest provider. Also measured is the CPU time of ten thousand marketplace offers, of the
//! largest feeds, and of an update of sixty thousand rows. Missing a goal fails the run.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints what it measures and stops when it cannot"
)]

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sky_accel_engine::asking::{self, ProviderApi};
use sky_accel_standin::{Shop, Standin};

const DELAY: Duration = Duration::from_millis(200);
const REGIONS: usize = 17;
/// Regions, then types, then their details: three dependent requests.
const CHAIN: u32 = 3;
/// The maximum time of all providers together, as a multiple of the longest chain.
const MOST_CHAINS: f64 = 1.3;

const OFFERS: usize = 10_000;
const RUNS: u32 = 20;
const MOST_CPU: Duration = Duration::from_millis(60);

/// Rows of an update.
const ROWS: usize = 60_000;
const MOST_UPDATE: Duration = Duration::from_secs(3);

/// Variables of the program.
type Variables = Vec<(&'static str, String)>;

fn main() -> ExitCode {
    let goals = [concurrency(), without_keys(), offers(), feeds(), update()];
    if goals.iter().all(|goal| *goal) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns the ids of some providers.
fn ids(is_wanted: impl Fn(&&ProviderApi) -> bool) -> Vec<&'static str> {
    let wanted = asking::providers().filter(is_wanted);
    wanted.map(|api| api.id).collect()
}

fn command(variables: &Variables, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sky-accel"));
    command
        .args(["resolve", "--live", "--refresh", "-o", "json"])
        .args(arguments)
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .envs(variables.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The median wall time of five runs.
fn wall(variables: &Variables, arguments: &[&str]) -> Duration {
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let started = Instant::now();
            let status = command(variables, arguments)
                .status()
                .expect("the program starts");
            assert!(status.success(), "{arguments:?}: {status}");
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[2]
}

fn concurrency() -> bool {
    let mut shop = Shop::default().with_aws_regions(REGIONS);
    shop.delay = DELAY;
    shop.aws.page_size = 100;
    shop.aws.spot_page_size = 1000;
    // A refusing region would get only the request for its types.
    shop.aws
        .regions
        .retain(|region| region.state == sky_accel_standin::RegionState::Works);
    let standin = Standin::with(shop);
    let variables = standin.environment();
    let chain = DELAY * CHAIN;
    let providers = ids(|api| api.takes_key());
    let alone: Vec<Duration> = providers
        .iter()
        .map(|id| wall(&variables, &["H100", "--provider", id]))
        .collect();
    let together = wall(&variables, &["H100", "--provider", &providers.join(",")]);
    let ratio = together.as_secs_f64() / chain.as_secs_f64();
    let one_after_another: Duration = alone.iter().sum();
    println!("longest chain of answers      {:>7.0} ms", ms(chain));
    for (id, time) in providers.iter().zip(&alone) {
        println!("  {id:<26}  {:>7.0} ms", ms(*time));
    }
    println!(
        "one after another             {:>7.0} ms",
        ms(one_after_another)
    );
    println!(
        "all together                  {:>7.0} ms, {ratio:.2} x the chain (goal {MOST_CHAINS})",
        ms(together)
    );
    println!(
        "                              {:>7.2} x as fast as one after another",
        one_after_another.as_secs_f64() / together.as_secs_f64()
    );
    ratio <= MOST_CHAINS
}

fn without_keys() -> bool {
    let shop = Shop {
        delay: DELAY,
        ..Shop::default()
    };
    let standin = Standin::with(shop);
    let variables = standin.urls();
    let line = |id: &str| wall(&variables, &["any:8GB+:x0.1+", "--provider", id]);
    // Other providers are queried without a key only on request.
    let open = ids(|api| api.restrictive_terms.is_none());
    let alone: Vec<Duration> = open.iter().map(|id| line(id)).collect();
    let slowest = alone.iter().copied().max().unwrap_or_default();
    let together = line(&open.join(","));
    let ratio = together.as_secs_f64() / slowest.as_secs_f64();
    for (id, time) in open.iter().zip(&alone) {
        println!("  {id:<26}  {:>7.0} ms without a key", ms(*time));
    }
    println!(
        "all of them together          {:>7.0} ms, {ratio:.2} x the slowest (goal {MOST_CHAINS})",
        ms(together)
    );
    ratio <= MOST_CHAINS
}

fn offers() -> bool {
    let standin = Standin::with(Shop::default().with_vast_offers(OFFERS));
    let line = [
        "any:8GB+:x1+",
        "--provider",
        "vastai",
        "--capacity-type",
        "on-demand",
    ];
    let variables = standin.environment();
    // The stand-in makes its answer once.
    let _ = wall(&variables, &line);
    let cpu = cpu(&command(&variables, &line), &variables, RUNS);
    println!(
        "{OFFERS} offers, parsed, filtered and printed: {:.0} ms of CPU (goal {:.0})",
        ms(cpu),
        ms(MOST_CPU)
    );
    cpu <= MOST_CPU
}

/// The largest feeds, an order catalog of 8 MB and spot prices of 3 MB: the additional time compared with the
/// same lists with only the machines with GPUs.
fn feeds() -> bool {
    let small = Standin::start();
    let mut shop = Shop::default();
    shop.ovhcloud.euro.extend((0..30_000).map(other_plan));
    let regions = shop.awsfeed.spot["config"]["regions"]
        .as_array_mut()
        .expect("regions");
    regions[0]["instanceTypes"][0]["sizes"]
        .as_array_mut()
        .expect("sizes")
        .extend((0..25_000).map(other_size));
    let large = Standin::with(shop);
    let mut is_met = true;
    for (provider, feed) in [
        ("ovhcloud", "an order catalog of 8 MB"),
        ("aws", "spot prices of 3 MB"),
    ] {
        let line = [
            "any:8GB+:x1+",
            "--capacity-type",
            "any",
            "--provider",
            provider,
        ];
        let [small, large] = [&small, &large].map(|standin| {
            let variables = standin.urls();
            // The stand-in makes its answer once.
            let _ = wall(&variables, &line);
            cpu(&command(&variables, &line), &variables, RUNS)
        });
        let parsing = large.saturating_sub(small);
        println!(
            "{feed}: {:.0} ms of CPU more than the {:.0} ms of a small one (goal {:.0})",
            ms(parsing),
            ms(small),
            ms(MOST_CPU)
        );
        is_met &= parsing <= MOST_CPU;
    }
    is_met
}

/// A plan of OVHcloud without GPUs.
fn other_plan(at: usize) -> Value {
    json!({"planCode": format!("b3-{at}.consumption"), "invoiceName": "b3", "product": "publiccloud-instance",
        "pricings": [{"price": 5_000_000, "interval": 1, "intervalUnit": "hour", "capacities": ["consumption"], "tax": 0}],
        "blobs": {"commercial": {"brick": "compute"}, "technical": {"cpu": {"cores": 2}}, "tags": ["active"]}})
}

/// A size in AWS's spot prices without GPUs.
fn other_size(at: usize) -> Value {
    json!({"size": format!("m{at}.large"), "valueColumns": [
        {"name": "linux", "prices": {"USD": "0.0366"}}, {"name": "mswin", "prices": {"USD": "0.1286"}}]})
}

/// An update with very many rows of known types in many regions.
fn update() -> bool {
    let mut shop = Shop::default();
    let aws = shop
        .gpuhunt
        .catalogs
        .iter_mut()
        .find(|catalog| catalog.provider == "aws");
    let aws = aws.expect("gpuhunt has AWS");
    let templates: Vec<Value> = aws
        .rows
        .iter()
        .filter(|row| row["gpu_name"] != "")
        .cloned()
        .collect();
    aws.rows = (0..ROWS)
        .map(|at| {
            let mut row = templates[at % templates.len()].clone();
            row["location"] = json!(format!("region-{}", at / templates.len()));
            row
        })
        .collect();
    let standin = Standin::with(shop);
    let variables = standin.urls();
    let folder = std::env::temp_dir().join(format!("sky-accel-update-{}", std::process::id()));
    let mut program = Command::new(env!("CARGO_BIN_EXE_sky-accel"));
    program.args([
        "catalog",
        "update",
        "--from",
        "gpuhunt",
        "--provider",
        "aws",
        "--into",
    ]);
    program.arg(&folder);
    let cpu = cpu(&program, &variables, 1);
    let is_written = folder.join("via-gpuhunt-aws.toml").exists();
    let _ = std::fs::remove_dir_all(&folder);
    println!(
        "an update of {ROWS} rows: {:.0} ms of CPU (goal {:.0})",
        ms(cpu),
        ms(MOST_UPDATE)
    );
    is_written && cpu <= MOST_UPDATE
}

/// The mean CPU time of a program over several runs.
fn cpu(program: &Command, variables: &Variables, runs: u32) -> Duration {
    let mut script = String::from("for i in $(seq \"$RUNS\"); do \"$0\" \"$@\" >/dev/null; done");
    script.push_str("; times");
    let mut shell = Command::new("bash");
    shell
        .arg("-c")
        .arg(script)
        .arg(program.get_program())
        .args(program.get_args())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("RUNS", runs.to_string())
        .envs(variables.iter().cloned());
    let output = shell.output().expect("bash starts");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    // The last line of `times` has the user and system time of the children.
    let cpu: f64 = report
        .lines()
        .last()
        .into_iter()
        .flat_map(str::split_whitespace)
        .map(seconds)
        .sum();
    Duration::from_secs_f64(cpu / f64::from(runs))
}

/// Parses a time such as `0m1.234s`.
fn seconds(text: &str) -> f64 {
    let (minutes, seconds) = text.split_once('m').unwrap_or(("0", text));
    let number = |text: &str| {
        text.trim_end_matches('s')
            .parse::<f64>()
            .unwrap_or(f64::INFINITY)
    };
    number(minutes) * 60.0 + number(seconds)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
