//! Large catalogs: the time to compile them once, and the cost of each answer afterwards.
//!
//! `cargo bench --profile dist --no-default-features --bench catalogs` (needs valgrind and GNU time; Python's
//! SQLite for the comparison). The budgets are for a program without the AWS SDK. Arguments after `--` are numbers
//! of offers; `--write FOLDER` keeps the catalogs in a folder.
//! Each catalog is a typical price list: instance types of twenty clouds with all accelerators, one
//! row per type and region. A few rows match the spec.
//!
//! A second catalog of the same size has offers of a single type of machine, all of which are candidates
//! of a plan.
//!
//! Instructions and memory have budgets; exceeding a budget fails the run. Times are only comparable within a run. For
//! comparison, the run also measures an index of SQLite, a scan over the same rows and, if it is installed (`pip
//! install gpuhunt`), gpuhunt's query.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark prints what it measures"
)]

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// The number of offers, the maximum instructions of an answer in thousands, and its maximum memory in MiB.
const BUDGETS: [(usize, u64, f64); 3] = [
    (10_000, 2_500, 12.0),
    (100_000, 3_000, 16.0),
    (1_000_000, 5_000, 40.0),
];
/// The commands for each catalog, and for the catalog in which every offer matches.
const QUESTION: [&str; 4] = ["resolve", "H100:x8", "-o", "json"];
const PLAN: [&str; 4] = ["plan", "H100:x8", "-o", "json"];
/// The number of offers over which a model is recommended machines, and the maximum instructions of that answer in
/// thousands.
const RECOMMEND_BUDGET: (usize, u64) = (100_000, 400_000);
const RECOMMEND: [&str; 4] = ["recommend", "Llama-3.1-8B", "--users", "30"];
/// The offers of a catalog that match the spec.
const MATCHES: usize = 8;
const CLOUDS: usize = 20;
const REGIONS: usize = 40;
/// The maximum rows of a file, to stay below the limit of 100 MB.
const ROWS: usize = 500_000;

/// The same query of the same rows in Python: with an index of SQLite, with a scan of the file, and with
/// gpuhunt, which reads the rows from its own file format.
const COMPARISON: &str = r#"
import csv, glob, os, sqlite3, sys, tempfile, time
rows = [row for file in glob.glob(sys.argv[1] + "/*.csv") for row in csv.DictReader(open(file))]
base = sqlite3.connect(":memory:")
base.execute("create table offers (id, accelerator, count int, region, usd real)")
base.executemany("insert into offers values (?, ?, ?, ?, ?)",
    ((r["id"], r["accelerator"], int(r["count"]), r["region"], float(r["usd_per_hour"])) for r in rows))
base.execute("create index found on offers (accelerator, count, usd)")
start = time.perf_counter()
found = base.execute("select * from offers where accelerator = ? and count = 8 order by usd", ("H100-80GB-SXM",)).fetchall()
print(f"SQLite with an index {(time.perf_counter() - start) * 1e3:.1f} ms ({len(found)} found)", end="")
start = time.perf_counter()
for file in glob.glob(sys.argv[1] + "/*.csv"):
    for row in csv.DictReader(open(file)):
        if row["accelerator"] == "H100-80GB-SXM" and row["count"] == "8":
            pass
print(f", a scan of the rows {(time.perf_counter() - start) * 1e3:.0f} ms", end="")
try:
    import gpuhunt
except ImportError:
    print(", gpuhunt is not installed")
    sys.exit()
with tempfile.TemporaryDirectory() as folder:
    os.environ["GPUHUNT_CATALOG_DIR"] = folder
    with open(folder + "/aws.csv", "w") as file:
        out = csv.writer(file)
        out.writerow("instance_name location price cpu memory gpu_count gpu_name gpu_memory spot disk_size".split())
        for r in rows:
            name = r["accelerator"].split("-")[0]
            out.writerow([r["id"], r["region"], r["usd_per_hour"], r["vcpu"], r["host_memory_gib"], r["count"], name, 80, False, ""])
    start = time.perf_counter()
    found = gpuhunt.Catalog(auto_reload=False).query(provider="aws", gpu_name="H100", min_gpu_count=8, max_gpu_count=8)
    print(f", gpuhunt's query {(time.perf_counter() - start) * 1e3:.0f} ms ({len(found)} found)")
"#;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let kept = args.iter().position(|arg| arg == "--write");
    let kept = kept.and_then(|at| args.get(at + 1)).map(PathBuf::from);
    let selected: Vec<usize> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let sizes = BUDGETS
        .iter()
        .filter(|(offers, ..)| selected.is_empty() || selected.contains(offers));
    let mut is_within = true;
    for (offers, thousands, mib) in sizes {
        match measure(*offers, *thousands, *mib, kept.as_deref()) {
            Ok(is_kept) => is_within &= is_kept,
            Err(error) => {
                eprintln!("{offers} offers: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    if is_within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Measures a catalog, and returns whether it is within its budgets.
fn measure(offers: usize, thousands: u64, mib: f64, kept: Option<&Path>) -> io::Result<bool> {
    let home = tempfile::tempdir()?;
    let catalog = kept.unwrap_or(home.path()).join(format!("offers-{offers}"));
    write(&catalog, offers, offers / MATCHES)?;
    let run = BenchRun {
        catalog: &catalog,
        home: home.path(),
        question: &QUESTION,
    };
    let (first, compile_mib) = run.timed()?;
    // The second run writes the index of the files; the third run finds everything.
    let _ = run.timed()?;
    let (answer, answer_mib) = run.timed()?;
    let instructions = run.instructions()?;
    let mut is_within = instructions <= thousands * 1000 && answer_mib <= mib;
    println!(
        "{offers} offers: compiled in {:.2} s and {compile_mib:.0} MiB; answered in {:.1} ms with {instructions} instructions (budget {thousands} thousand) and {answer_mib:.1} MiB (budget {mib} MiB){}",
        first.as_secs_f64(),
        answer.as_secs_f64() * 1e3,
        if is_within { "" } else { "  OVER" }
    );
    let (size, most) = RECOMMEND_BUDGET;
    if offers == size {
        let recommend = BenchRun {
            question: &RECOMMEND,
            ..run
        };
        let instructions = recommend.instructions()?;
        is_within &= instructions <= most * 1000;
        println!("  a recommendation: {instructions} instructions (budget {most} thousand)");
    }
    let candidates = home.path().join("candidates");
    write(&candidates, offers, 1)?;
    let plan = BenchRun {
        catalog: &candidates,
        home: home.path(),
        question: &PLAN,
    };
    // The first two runs fill the cache.
    let _ = (plan.timed()?, plan.timed()?);
    let (time, mib) = plan.timed()?;
    println!(
        "  a plan with all of them as candidates: {:.1} ms and {mib:.1} MiB",
        time.as_secs_f64() * 1e3
    );
    let comparison = Command::new("python3")
        .args(["-c", COMPARISON])
        .arg(&catalog)
        .output();
    match comparison {
        Ok(output) if output.status.success() => {
            println!(
                "  side by side: {}",
                String::from_utf8_lossy(&output.stdout).trim()
            );
        }
        _ => println!("  side by side: not measured (no Python here)"),
    }
    Ok(is_within)
}

/// Runs of the command with one catalog.
struct BenchRun<'r> {
    catalog: &'r Path,
    home: &'r Path,
    question: &'r [&'r str],
}

impl BenchRun<'_> {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.home)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    fn ask(&self, command: &mut Command) -> io::Result<String> {
        let command = command
            .arg(env!("CARGO_BIN_EXE_sky-accel"))
            .args(self.question);
        let output = command.arg("--catalog").arg(self.catalog).output()?;
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(report)
        } else {
            Err(io::Error::other(report))
        }
    }

    /// The time and the peak memory in MiB.
    fn timed(&self) -> io::Result<(Duration, f64)> {
        let start = Instant::now();
        let report = self.ask(self.command("/usr/bin/time").args(["-f", "%M"]))?;
        let time = start.elapsed();
        let kib: Option<f64> = report
            .lines()
            .last()
            .and_then(|line| line.trim().parse().ok());
        Ok((time, kib.ok_or_else(|| io::Error::other(report))? / 1024.0))
    }

    fn instructions(&self) -> io::Result<u64> {
        let mut command = self.command("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        let report = self.ask(&mut command)?;
        let collected = report
            .lines()
            .find_map(|line| line.split("Collected :").nth(1));
        collected
            .and_then(|count| count.trim().parse().ok())
            .ok_or_else(|| io::Error::other(report))
    }
}

/// Writes a price list of this number of offers, as CSV, in files with old dates. Every
/// n-th offer matches the spec.
fn write(folder: &Path, offers: usize, of_asked: usize) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut files = Vec::new();
    let clouds = (0..CLOUDS).fold(String::new(), |mut toml, cloud| {
        let _ = writeln!(toml, "[[provider]]\nid = \"cloud-{cloud}\"\n");
        toml
    });
    files.push((folder.join("clouds.toml"), clouds));
    let accelerators: Vec<&str> = {
        let catalog = &*sky_accel_engine::catalog::EMBEDDED;
        let ids = catalog
            .accelerator_ids()
            .map(|id| catalog.accelerator_id(id));
        ids.filter(|id| !id.starts_with('H')).collect()
    };
    for (part, from) in (0..offers).step_by(ROWS).enumerate() {
        let mut rows = String::from(
            "provider,id,accelerator,count,vcpu,host_memory_gib,region,usd_per_hour,spot_usd_per_hour,source,as_of\n",
        );
        for at in from..offers.min(from + ROWS) {
            let is_match = at % of_asked == 0;
            let accelerator = if is_match {
                "H100-80GB-SXM"
            } else {
                accelerators[at / CLOUDS % accelerators.len()]
            };
            let count = if is_match { 8 } else { 1 << (at / 7 % 4) };
            let usd = f64::from(count) * (0.5 + (at % 97) as f64 / 20.0);
            let _ = writeln!(
                rows,
                "cloud-{},t{at}.{count}x,{accelerator},{count},{},{},r-{},{usd:.3},{:.3},list,2026-11-01",
                at % CLOUDS,
                count * 12,
                count * 96,
                at / 3 % REGIONS,
                usd * 0.4
            );
        }
        files.push((folder.join(format!("offers-{part}.csv")), rows));
    }
    let old = SystemTime::now() - Duration::from_secs(60);
    for (path, text) in files {
        fs::write(&path, text)?;
        fs::File::options()
            .write(true)
            .open(&path)?
            .set_modified(old)?;
    }
    Ok(())
}
