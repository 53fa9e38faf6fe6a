//! Live answers on loopback: `cargo bench --bench live`.
//!
//! Four providers that take 200 ms for every answer, AWS in 17 regions: asked together they take
//! hardly longer than the longest chain of questions that build on each other. And the CPU time
//! for ten thousand marketplace offers. A goal that is missed fails the run.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints what it measures and stops when it cannot"
)]

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use sky_accel_standin::{Shop, Standin};

const PROVIDERS: [&str; 4] = ["aws", "runpod", "vastai", "verda"];
const DELAY: Duration = Duration::from_millis(200);
const REGIONS: usize = 17;
/// Regions, then types, then everything about them: three answers that wait for each other.
const CHAIN: u32 = 3;
/// How many times the longest chain all providers together may take.
const MOST_CHAINS: f64 = 1.3;

const OFFERS: usize = 10_000;
const RUNS: u32 = 20;
const MOST_CPU: Duration = Duration::from_millis(60);

fn main() -> ExitCode {
    let together = concurrency();
    let cpu = offers();
    if together && cpu {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn command(standin: &Standin, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sky-accel"));
    command
        .args(["resolve", "--live", "--refresh", "-o", "json"])
        .args(arguments)
        .env_clear()
        .env("HOME", "/nonexistent")
        .envs(standin.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The median wall time of five runs.
fn wall(standin: &Standin, arguments: &[&str]) -> Duration {
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let started = Instant::now();
            let status = command(standin, arguments)
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
    // A region that refuses would be asked for its types only.
    shop.aws
        .regions
        .retain(|region| region.state == sky_accel_standin::RegionState::Works);
    let standin = Standin::with(shop);
    let chain = DELAY * CHAIN;
    let alone: Vec<Duration> = PROVIDERS
        .iter()
        .map(|id| wall(&standin, &["H100", "--provider", id]))
        .collect();
    let together = wall(&standin, &["H100"]);
    let ratio = together.as_secs_f64() / chain.as_secs_f64();
    let one_after_another: Duration = alone.iter().sum();
    println!("longest chain of answers      {:>7.0} ms", ms(chain));
    for (id, time) in PROVIDERS.iter().zip(&alone) {
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

fn offers() -> bool {
    let standin = Standin::with(Shop::default().with_vast_offers(OFFERS));
    let line = [
        "any:8GB+:x1+",
        "--provider",
        "vastai",
        "--capacity-type",
        "on-demand",
    ];
    // The stand-in makes its answer once.
    let _ = wall(&standin, &line);
    let bytes: usize = standin.requests().len();
    let program = command(&standin, &line);
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
        .env("RUNS", RUNS.to_string())
        .envs(standin.environment());
    let output = shell.output().expect("bash starts");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    // The last line of `times` is user and system time of the children.
    let cpu: f64 = report
        .lines()
        .last()
        .into_iter()
        .flat_map(str::split_whitespace)
        .map(seconds)
        .sum();
    let cpu = Duration::from_secs_f64(cpu / f64::from(RUNS));
    println!(
        "{OFFERS} offers, parsed, filtered and printed: {:.0} ms of CPU (goal {:.0})",
        ms(cpu),
        ms(MOST_CPU)
    );
    bytes > 0 && cpu <= MOST_CPU
}

/// `0m1.234s`.
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
