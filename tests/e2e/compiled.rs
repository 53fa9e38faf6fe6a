//! Overlays that are compiled once, tables in CSV, and compiled catalogs as files.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Run, Sky, folder, sky};

const CLOUD: &str = "[[provider]]\nid = \"cloud\"\n";

fn price(usd: f64) -> String {
    format!(
        "sold_by = \"cloud\"\n[[offer]]\nid = \"box\"\naccelerator = \"H100-80GB-SXM\"\ncount = 8\nsource = \"x\"\nas_of = \"2026-11-01\"\n[[price]]\noffer = \"box\"\ncapacity_type = \"on-demand\"\nsource = \"x\"\nas_of = \"2026-11-01\"\nusd_per_hour = {usd}\n"
    )
}

/// An overlay, and the cache folder for its tables.
struct World {
    overlay: TempDir,
    cache: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            overlay: folder(&[("a.toml", CLOUD), ("b.toml", &price(16.0))]),
            cache: tempfile::tempdir().unwrap(),
        };
        for file in ["a.toml", "b.toml"] {
            world.settle(file);
        }
        world
    }

    fn path(&self, file: &str) -> PathBuf {
        self.overlay.path().join(file)
    }

    /// Sets the modification time of a file to a minute ago.
    fn settle(&self, file: &str) {
        let old = SystemTime::now() - Duration::from_secs(60);
        let file = File::options().write(true).open(self.path(file)).unwrap();
        file.set_modified(old).unwrap();
    }

    fn sky(&self, words: &str) -> Sky {
        sky(words.split_whitespace())
            .env("XDG_CACHE_HOME", self.cache.path())
            .arg("--catalog")
            .arg(self.overlay.path())
    }

    fn price(&self) -> f64 {
        let run = self.sky("resolve H100:x8 --provider cloud -o json").run();
        of_box(&run.expect_code(0))
    }

    fn compiled(&self) -> PathBuf {
        self.cache.path().join("sky-accel/catalogs")
    }

    /// The files of a kind in the cache.
    fn files(&self, kind: &str) -> Vec<PathBuf> {
        let files = fs::read_dir(self.compiled()).into_iter().flatten();
        let paths = files.map(|file| file.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|end| end == kind))
            .collect()
    }
}

/// The price of the only offer of the overlay.
fn of_box(run: &Run) -> f64 {
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{answer}");
    assert_eq!(results[0]["instance_type"], "box");
    results[0]["on_demand"]["usd_per_hour"].as_f64().unwrap()
}

#[test]
fn an_overlay_is_compiled_once_and_again_when_it_changes() {
    let world = World::new();
    assert!((world.price() - 16.0).abs() < 1e-9);
    let first = world.files("catalog");
    assert_eq!(first.len(), 1);
    assert_eq!(world.files("sources").len(), 1);
    // Only the cached tables can answer now.
    let written = fs::metadata(&first[0]).unwrap().modified().unwrap();
    assert!((world.price() - 16.0).abs() < 1e-9);
    assert_eq!(
        fs::metadata(&first[0]).unwrap().modified().unwrap(),
        written
    );
    // Another price with the same file size and modification time.
    fs::write(world.path("b.toml"), price(17.0)).unwrap();
    world.settle("b.toml");
    assert!((world.price() - 17.0).abs() < 1e-9);
    assert_eq!(world.files("catalog").len(), 2);
    // A new file, and a deleted file.
    fs::write(world.path("c.toml"), "").unwrap();
    assert!((world.price() - 17.0).abs() < 1e-9);
    fs::remove_file(world.path("c.toml")).unwrap();
    fs::write(world.path("b.toml"), price(16.0)).unwrap();
    assert!((world.price() - 16.0).abs() < 1e-9);
}

#[test]
fn a_file_of_the_cache_that_describes_other_sources_is_not_used() {
    let world = World::new();
    assert!((world.price() - 16.0).abs() < 1e-9);
    let [first] = &world.files("sources")[..] else {
        panic!("one file")
    };
    let of_first = fs::read(first).unwrap();
    fs::write(world.path("b.toml"), price(17.0)).unwrap();
    world.settle("b.toml");
    assert!((world.price() - 17.0).abs() < 1e-9);
    // Simulates a collision of cache names.
    let sources = world.files("sources");
    let second = sources.iter().find(|file| *file != first).unwrap();
    fs::write(second, of_first).unwrap();
    assert!((world.price() - 17.0).abs() < 1e-9);
}

#[test]
fn a_file_that_may_still_change_is_read_again() {
    let world = World::new();
    fs::write(world.path("b.toml"), price(18.0)).unwrap();
    assert!((world.price() - 18.0).abs() < 1e-9);
    assert_eq!(world.files("catalog").len(), 1);
    assert_eq!(world.files("sources").len(), 0);
}

#[test]
fn cached_tables_equal_compiled_tables() {
    let world = World::new();
    let words = "resolve H100:x8 -o json";
    let compiled = world.sky(words).run().expect_code(0).stdout;
    assert_eq!(world.files("sources").len(), 1);
    assert_eq!(world.sky(words).run().expect_code(0).stdout, compiled);
    let uncached = world.sky(words).env("XDG_CACHE_HOME", "/dev/null");
    assert_eq!(uncached.run().expect_code(0).stdout, compiled);
}

#[test]
fn damaged_cache_files_are_recompiled_silently() {
    let world = World::new();
    let _ = world.price();
    let [catalog] = &world.files("catalog")[..] else {
        panic!("one file")
    };
    let [sources] = &world.files("sources")[..] else {
        panic!("one file")
    };
    let intact = fs::read(catalog).unwrap();
    let mut older = intact.clone();
    older[64 + 8] ^= 1;
    let mut foreign = intact.clone();
    foreign[0] = if foreign[0] == b'0' { b'1' } else { b'0' };
    for broken in [
        &[][..],
        &intact[..70],
        &intact[..intact.len() - 1],
        &older,
        &foreign,
    ] {
        fs::write(catalog, broken).unwrap();
        let run = world.sky("resolve H100:x8 --provider cloud -o json").run();
        assert!((of_box(&run) - 16.0).abs() < 1e-9);
        assert_eq!(fs::read(catalog).unwrap(), intact, "it is written again");
        assert!(!run.stderr.contains("catalogs"), "{}", run.stderr);
    }
    for other in ["", "../../../etc/passwd", &"f".repeat(64)] {
        fs::write(sources, other).unwrap();
        assert!((world.price() - 16.0).abs() < 1e-9);
    }
}

#[cfg(unix)]
#[test]
fn cache_folder_must_be_private_and_writable() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    let _ = world.price();
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let [catalog] = &world.files("catalog")[..] else {
        panic!("one file")
    };
    // Anyone with write access to the file could have changed its prices.
    let mut tables = fs::read(catalog).unwrap();
    let usd = 16_000_000_i64.to_le_bytes();
    let is_it = |at: &usize| tables[*at..].starts_with(&usd);
    let all: Vec<usize> = (0..tables.len()).filter(is_it).collect();
    for at in all {
        tables[at..at + 8].copy_from_slice(&17_000_000_i64.to_le_bytes());
    }
    fs::write(catalog, &tables).unwrap();
    assert!((world.price() - 17.0).abs() < 1e-9, "the file is used");
    set(catalog, 0o666);
    assert!((world.price() - 16.0).abs() < 1e-9);
    fs::write(catalog, &tables).unwrap();
    set(&world.compiled(), 0o777);
    assert!((world.price() - 16.0).abs() < 1e-9);
    assert_eq!(fs::read(catalog).unwrap(), tables, "nothing is written");
}

#[test]
fn concurrent_processes_do_not_conflict() {
    let world = World::new();
    let start = || {
        let mut command = world
            .sky("resolve H100:x8 --provider cloud -o json")
            .command();
        command
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let runs: Vec<_> = (0..20).map(|_| start()).collect();
    let outputs = runs.into_iter().map(|run| run.wait_with_output().unwrap());
    let outputs: Vec<Vec<u8>> = outputs
        .map(|output| {
            assert!(output.status.success());
            output.stdout
        })
        .collect();
    assert!(outputs.iter().all(|output| *output == outputs[0]));
    assert_eq!(world.files("catalog").len(), 1);
}

#[test]
fn a_compiled_catalog_is_one_file_that_stands_alone() {
    let world = World::new();
    let file = world.cache.path().join("team.catalog");
    let run = sky(["catalog", "compile"])
        .arg(world.overlay.path())
        .arg("-o")
        .arg(&file)
        .env("SKY_ACCEL_OUTPUT", "json")
        .run()
        .expect_code(0);
    let written: Value = serde_json::from_str(&run.stdout).unwrap();
    crate::support::validate("catalog compile", &written);
    let bytes = fs::read(&file).unwrap();
    assert_eq!(written["results"][0]["bytes"], bytes.len());
    let line = "resolve H100:x8 --provider cloud -o json --catalog";
    for cache in [world.cache.path(), Path::new("/dev/null")] {
        let of_file = || {
            let sky = sky(line.split_whitespace()).arg(&file);
            sky.env("XDG_CACHE_HOME", cache).run().expect_code(0)
        };
        assert!((of_box(&of_file()) - 16.0).abs() < 1e-9);
        assert!((of_box(&of_file()) - 16.0).abs() < 1e-9);
    }
    // Plans can be locked to it; commands that need the sources fail with a reason.
    let lock = world.cache.path().join("plan.lock");
    let planned = || {
        let sky = sky(["plan", "H100:x8", "--provider", "cloud", "--lock"]).arg(&lock);
        sky.arg("--catalog").arg(&file)
    };
    let _ = planned().run().expect_code(0);
    let _ = planned().arg("--locked").run().expect_code(0);
    let run = sky(["catalog", "verify"]).arg(&file).run().expect_code(6);
    assert!(run.stderr.contains("compiled catalog"), "{}", run.stderr);
    // It replaces all layers below it, and no layer can be put above it.
    let other = folder(&[("a.toml", CLOUD), ("b.toml", &price(18.0))]);
    let both = |first: &Path, second: &Path| {
        let sky = sky(line.split_whitespace()).arg(first);
        sky.arg("--catalog").arg(second).run()
    };
    assert!((of_box(&both(other.path(), &file)) - 16.0).abs() < 1e-9);
    let run = both(&file, other.path()).expect_code(6);
    assert!(
        run.stderr.contains("compile both together") && run.stdout.is_empty(),
        "{}",
        run.stderr
    );
}

#[test]
fn damaged_or_foreign_compiled_catalog_is_rejected() {
    let world = World::new();
    let file = world.cache.path().join("team.catalog");
    let compile = |overlay: &Path| {
        let sky = sky(["catalog", "compile"])
            .arg(overlay)
            .arg("-o")
            .arg(&file);
        sky.run()
    };
    let _ = compile(world.overlay.path()).expect_code(0);
    let intact = fs::read(&file).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = intact.clone();
        bytes[at] = byte;
        bytes
    };
    for (bytes, why) in [
        (intact[..intact.len() - 1].to_vec(), "incomplete"),
        (with(64 + 8, 99), "another version"),
        (with(64 + 12, !intact[64 + 12]), "another version"),
        (with(intact.len() - 1, b'?'), "damaged"),
        (with(0, b'x'), "damaged"),
    ] {
        fs::write(&file, bytes).unwrap();
        let run = sky(["resolve", "H100", "--catalog"]).arg(&file).run();
        let run = run.expect_code(6);
        assert!(
            run.stderr.contains(why) && run.stderr.contains("team.catalog"),
            "{why}: {}",
            run.stderr
        );
        assert!(run.stdout.is_empty());
    }
    // A catalog that `verify` rejects is not written.
    let doubtful = folder(&[("a.toml", CLOUD), ("b.toml", &price(0.01))]);
    fs::write(&file, b"before").unwrap();
    let run = compile(doubtful.path()).expect_code(6);
    assert!(run.stderr.contains("placeholder"), "{}", run.stderr);
    assert_eq!(fs::read(&file).unwrap(), b"before");
}

/// The results for all H100s of a provider, with an overlay.
fn resolved(overlay: &TempDir, spec: &str, provider: &str) -> Vec<Value> {
    let answer = sky([
        "resolve",
        spec,
        "--provider",
        provider,
        "-o",
        "json",
        "--catalog",
    ])
    .arg(overlay.path())
    .json();
    answer["results"].as_array().unwrap().clone()
}

#[test]
fn csv_table_equals_toml() {
    let rows = "id,accelerator,memory_gb,count,vcpu,host_memory_gib,region,usd_per_hour,spot_usd_per_hour,source,as_of\n\
        box,H100 SXM,80,8,96,1024,north,16,9.5,list,2026-11-01\n\
        box,H100 SXM,80,8,96,1024,south,20,,list,2026-11-01\n\
        \"a, b\",L4,,1,8,32,north,0.5,,list,2026-11-01\n";
    let overlay = folder(&[("a.toml", CLOUD), ("cloud.csv", rows)]);
    let found = &resolved(&overlay, "H100:x8", "cloud")[0];
    assert_eq!(found["instance_type"], "box");
    assert_eq!(found["accelerator"], "H100-80GB-SXM");
    assert_eq!(found["vcpu"], 96);
    assert_eq!(found["regions"], serde_json::json!(["north", "south"]));
    assert_eq!(found["on_demand"]["usd_per_hour"], 16);
    assert_eq!(found["on_demand"]["region"], "north");
    assert_eq!(found["spot"]["usd_per_hour"], 9.5);
    assert_eq!(
        resolved(&overlay, "L4", "cloud")[0]["instance_type"],
        "a, b"
    );
    let _ = sky(["catalog", "verify"])
        .arg(overlay.path())
        .run()
        .expect_code(0);
}

#[test]
fn a_large_table_is_read_in_parts() {
    let mut rows = String::from("id,accelerator,count,region,usd_per_hour,as_of\n");
    for at in 0..20_000 {
        let (region, usd) = (at % 300, 100 + at % 800);
        let _ = writeln!(rows, "type-{at},L4,1,region-{region},0.{usd},2026-11-01");
    }
    rows += "last,H100-80GB-SXM,8,region-7,17,2026-11-01\n";
    let toml: String = (0..5000)
        .map(|at| {
            let id = format!("toml-{at}");
            price(20.0)
                .replace("sold_by = \"cloud\"\n", "")
                .replace("box", &id)
        })
        .collect();
    let toml = format!("sold_by = \"cloud\"\n{toml}");
    let overlay = folder(&[("a.toml", CLOUD), ("b.toml", &toml), ("cloud.csv", &rows)]);
    let found = resolved(&overlay, "H100:x8", "cloud");
    assert_eq!(found.len(), 5001);
    assert_eq!(found[0]["instance_type"], "last");
    assert_eq!(found[0]["on_demand"]["region"], "region-7");
    // An error at the end of the file has the correct line number.
    let wrong = format!("{rows}broken,H1000,1,north,1,2026-11-01\n");
    let overlay = folder(&[("a.toml", CLOUD), ("cloud.csv", &wrong)]);
    let run = sky(["list", "--catalog"])
        .arg(overlay.path())
        .run()
        .expect_code(6);
    assert!(run.stderr.contains("cloud.csv:20003:8"), "{}", run.stderr);
    assert!(run.stderr.contains("H1000"), "{}", run.stderr);
    let wrong = toml.replacen("toml-4999", "to ml\\u0007", 1);
    let overlay = folder(&[("a.toml", CLOUD), ("b.toml", &wrong)]);
    let run = sky(["list", "--catalog"])
        .arg(overlay.path())
        .run()
        .expect_code(6);
    let line = 2 + 4999 * 12 + 1;
    assert!(
        run.stderr.contains(&format!("b.toml:{line}:6")),
        "{}",
        run.stderr
    );
}

/// Rows of other projects' tables have the date of their file.
fn written_in_november(file: &Path) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_500_000);
    let file = File::options().write(true).open(file).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn tables_of_gpuhunt_and_skypilot_are_read_unchanged() {
    let gpuhunt = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor\n\
        p4d.24xlarge,us-east-1,30.5,96,1152.0,8,A100,40.0,False,,nvidia\n\
        p4d.24xlarge,us-east-1,9.5,96,1152.0,8,A100,40.0,True,,nvidia\n\
        m5.large,us-east-1,0.096,2,8.0,0,,,False,,\n\
        new.8xlarge,us-east-1,4.0,32,128.0,4,L4,24.0,False,,nvidia\n\
        odd,us-east-1,1.0,2,8.0,1,NOSUCH,12.0,False,,nvidia\n";
    let overlay = folder(&[("aws.csv", gpuhunt)]);
    written_in_november(&overlay.path().join("aws.csv"));
    let found = &resolved(&overlay, "p4d.24xlarge", "aws")[0];
    assert_eq!(
        found["accelerator"], "A100-40GB-SXM",
        "the id says more than the name"
    );
    assert_eq!(found["on_demand"]["usd_per_hour"], 30.5);
    assert_eq!(found["on_demand"]["as_of"], "2026-11-12");
    assert_eq!(found["spot"]["usd_per_hour"], 9.5);
    assert!(
        found["regions"].as_array().unwrap().len() > 1,
        "the others stay"
    );
    assert_eq!(
        resolved(&overlay, "new.8xlarge", "aws")[0]["accelerator"],
        "L4"
    );
    let run = sky(["catalog", "verify"])
        .arg(overlay.path())
        .run()
        .expect_code(0);
    assert!(
        run.stderr.contains("unknown accelerators: NOSUCH"),
        "{}",
        run.stderr
    );

    let skypilot = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n\
        big.1,96.0,1152.0,A100-80GB,8.0,\"{'Gpus': [{'Name': 'A100', 'Count': 8.0}]}\",33.5,9.8,us-east-1,us-east-1a\n\
        big.1,96.0,1152.0,A100-80GB,8.0,\"{'Gpus': [{'Name': 'A100', 'Count': 8.0}]}\",33.5,9.1,us-east-1,us-east-1b\n\
        big.1,96.0,1152.0,A100-80GB,8.0,\"{'Gpus': [{'Name': 'A100', 'Count': 8.0}]}\",33.5,9.7,us-east-1,us-east-1c\n\
        m5.large,2.0,8.0,,,,0.1,0.05,us-east-1,us-east-1a\n";
    let overlay = folder(&[("aws/vms.csv", skypilot)]);
    written_in_november(&overlay.path().join("aws/vms.csv"));
    let found = &resolved(&overlay, "A100:80GB:x8", "aws");
    let found = found
        .iter()
        .find(|row| row["instance_type"] == "big.1")
        .unwrap();
    assert_eq!(found["memory_gb"], 80);
    assert_eq!(
        found["spot"]["usd_per_hour"], 9.1,
        "the lowest of the zones"
    );
    let _ = sky(["catalog", "verify"])
        .arg(overlay.path())
        .run()
        .expect_code(0);
}

#[test]
fn wrong_table_names_place_and_valid_values() {
    let header = "id,accelerator,count,usd_per_hour,as_of\n";
    for (rows, place, why) in [
        ("id,accelerator,cuont\n", "1:16", "unknown column 'cuont'"),
        ("id,count\n", "1:1", "no column has an accelerator"),
        (&",".repeat(1 << 20), "1:1", "more than 16384 bytes"),
        (
            &format!("{header}a,L4,1,zero,2026\n"),
            "2:8",
            "'zero' is not a number",
        ),
        (
            &format!("{header}a,L4,1,1\n"),
            "2:1",
            "this row has 4 values, and the header has 5",
        ),
        (&format!("{header},L4,1,1,2026\n"), "2:1", "has no offer id"),
        (
            &format!("{header}a,L44,1,1,2026\n"),
            "2:3",
            "did you mean L4",
        ),
        (
            &format!("{header}a,A100,1,1,2026\n"),
            "2:3",
            "set `memory_gb`",
        ),
        (&format!("{header}a,L4,1,1,2026-13\n"), "2:10", "not a date"),
        (&format!("{header}a,L4,1,-1,2026\n"), "2:8", "between"),
        (
            &format!("{header}a,L4,1,1,2026\na,L4,2,1,2026\n"),
            "3:1",
            "a different count",
        ),
    ] {
        let overlay = folder(&[("a.toml", CLOUD), ("cloud.csv", rows)]);
        let run = sky(["list", "--catalog"])
            .arg(overlay.path())
            .run()
            .expect_code(6);
        let place = format!("cloud.csv:{place}");
        assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
        assert!(run.stderr.contains(&place), "{place}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
}
