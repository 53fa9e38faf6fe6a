//! Thousands of offers of one accelerator. `plan` and `resolve --limit` rank only a few of them, and must give
//! the same answers as ranking all offers, which they do if there are fewer.

use std::fmt::Write as _;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{folder, sky, sky_line};

const OFFERS: usize = 1500;
/// Thousands of retired offers change the search, but not the answers.
const RETIRED: usize = 8000;

/// Reproducible pseudorandom numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// A catalog in which offers differ in all sort keys: counts, regional prices, missing prices,
/// statuses, and two kinds of providers, followed by retired offers.
fn catalog(retired: usize) -> TempDir {
    let mut toml = String::new();
    for (cloud, sells) in [
        ("fixed-a", "instance-types"),
        ("fixed-b", "instance-types"),
        ("large", "instance-types"),
        ("any", "any-count"),
    ] {
        let _ = writeln!(
            toml,
            "[[provider]]\nid = \"{cloud}\"\nsells = \"{sells}\"\n"
        );
    }
    let mut csv = "provider,id,accelerator,count,max_count,vcpu,region,status,usd_per_hour,usd_per_accelerator_hour,spot_usd_per_hour,source,as_of\n".to_owned();
    let mut draw = Draw(7);
    for at in 0..OFFERS + retired {
        let cloud = ["fixed-a", "fixed-b", "fixed-a", "large", "any"][draw.below(5) as usize];
        let is_any = cloud == "any";
        let count = match cloud {
            "large" => [8, 16][draw.below(2) as usize],
            _ => [1, 2, 4, 4, 8][draw.below(5) as usize],
        };
        let accelerator = [
            "H100-80GB-SXM",
            "H100-80GB-SXM",
            "H100-80GB-PCIe",
            "A100-80GB-SXM",
        ][draw.below(4) as usize];
        let drawn =
            ["offered", "offered", "offered", "reserved-only", "retired"][draw.below(5) as usize];
        let status = if at < OFFERS { drawn } else { "retired" };
        for region in 0..=draw.below(3) {
            let per_device = 0.5 + draw.below(400) as f64 / 100.0;
            let per_machine = per_device * f64::from(count);
            let sold = |is_sold: bool, usd: f64| {
                if is_sold {
                    format!("{usd:.4}")
                } else {
                    String::new()
                }
            };
            let has_price = draw.below(10) > 0;
            let has_spot = draw.below(3) > 0;
            let _ = writeln!(
                csv,
                "{cloud},t{at},{accelerator},{},{},{},r-{},{status},{},{},{},list,2026-11-01",
                if is_any {
                    String::new()
                } else {
                    count.to_string()
                },
                if is_any { "8" } else { "" },
                if is_any {
                    String::new()
                } else {
                    (count * 12).to_string()
                },
                region + draw.below(5),
                sold(has_price && !is_any, per_machine),
                sold(has_price && is_any, per_device),
                sold(has_spot && !is_any, per_machine * 0.4),
            );
        }
    }
    folder(&[("clouds.toml", &toml), ("offers.csv", &csv)])
}

fn ask(catalog: &TempDir, line: &str) -> Value {
    let catalog = catalog.path().to_str().unwrap();
    sky(line
        .split_whitespace()
        .chain(["-o", "json", "--catalog", catalog]))
    .json()
}

/// Compares the answers of two catalogs, one with too many offers to rank them all.
fn compare(lines: &[&str], limit: usize) {
    let (few, many) = (catalog(0), catalog(RETIRED));
    for line in lines {
        let line = format!("{line} --limit {limit}");
        let (each, some) = (ask(&few, &line), ask(&many, &line));
        let results = each["results"].as_array().unwrap();
        assert_eq!(results.len(), limit, "{line}");
        assert_eq!(results, some["results"].as_array().unwrap(), "{line}");
        assert!(some["left_off"].as_u64() > Some(0), "{line}");
    }
}

#[test]
fn bounded_plan_search_equals_full_search() {
    let lines = [
        "plan H100:x4",
        "plan H100:SXM:x4 --capacity-type spot",
        "plan H100:x4 --capacity-type any --max-price 9",
        "plan H100:x4 --spot-first",
        "plan H100:x4 --distinct regions",
        "plan H100:x4 --distinct regions --spot-first",
        "plan H100:x4 --region r-2 --nodes 3 --hours 10 --budget 400",
        "plan H100:x4 --provider large",
        "plan H100:x4 --provider large --provider any",
        "plan H100:x3",
        "plan H100:x4 --exact --provider any",
        "plan H100:PCIe:x4|H100:x4|A100:x2",
        "plan A100:x4|H100:SXM:x16 --spot-first",
        "plan H100:mig=3g.40gb*2",
        "plan H100:x4|A100:x4 --distinct regions",
        "plan H100:x0.5+ --capacity-type any",
    ];
    compare(&lines, 12);
    compare(&lines[..4], 1);
}

#[test]
fn bounded_resolve_search_equals_full_search() {
    let lines = [
        "resolve H100:x4",
        "resolve H100:x4 --at-least --capacity-type spot",
        "resolve H100:x4 --capacity-type any --sort price-per-gpu",
        "resolve H100 --at-least --sort price-per-gb",
        "resolve H100:x2+ --sort price-per-tflop",
        "resolve H100:x4 --region r-3 --max-price 6",
        "resolve H100:x4 --provider any",
        "resolve A100:x4|H100:SXM:x4",
        "resolve H100:mig=3g.40gb*2",
    ];
    compare(&lines, 10);
}

#[test]
fn empty_plan_with_many_offers_is_explained() {
    let catalogs = [catalog(0), catalog(RETIRED)];
    for (line, reason) in [
        ("plan H100:x4 --max-price 0.01", "over-budget"),
        ("plan H100:x4 --budget 0.01", "over-budget"),
        ("plan H100:x4 --hours 9 --budget 1", "over-budget"),
        (
            "plan H100:x4 --max-age 3650d --max-price 0.01",
            "over-budget",
        ),
    ] {
        for catalog in &catalogs {
            let path = catalog.path().to_str().unwrap();
            let words = line
                .split_whitespace()
                .chain(["-o", "json", "--catalog", path]);
            let run = sky(words).run().expect_code(1);
            let answer: Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(
                answer["results"].as_array().map(Vec::len),
                Some(0),
                "{line}"
            );
            assert_eq!(answer["left_off"], Value::Null, "{line}");
            let rejected = answer["rejected"].as_array().unwrap();
            assert!(
                rejected.iter().any(|row| row["reason"] == reason),
                "{line}: {rejected:?}"
            );
        }
    }
    // Retired offers are never candidates, regardless of the age of their prices.
    for line in [
        "plan H100:x4 --max-age 1h",
        "plan H100:x4 --max-age 1h --max-price 0.01",
    ] {
        for catalog in &catalogs {
            let run = sky_line(line).arg("--catalog").arg(catalog.path()).run();
            let run = run.expect_code(7);
            assert!(run.stdout.is_empty(), "{line}: {}", run.stdout);
        }
    }
}

#[test]
fn offers_without_prices_are_answered_in_time() {
    let mut csv = "id,accelerator,count,source,as_of\n".to_owned();
    for at in 0..40_000 {
        let _ = writeln!(csv, "t{at},H100-80GB-SXM,8,list,2026-11-01");
    }
    let cloud = "[[provider]]\nid = \"cloud\"\n";
    let catalog = folder(&[("cloud.toml", cloud), ("cloud.csv", &csv)]);
    // Quadratic comparison would take minutes.
    for line in [
        "resolve H100:x8 --limit 5 --provider cloud",
        "plan H100:x8 --limit 5 --provider cloud",
    ] {
        let answer = ask(&catalog, line);
        assert_eq!(
            answer["results"].as_array().map(Vec::len),
            Some(5),
            "{line}"
        );
    }
}

/// A type that is sold in many regions, each with a price; regions after the first twenty are expensive.
fn sold_in(regions: usize) -> TempDir {
    let mut csv =
        "provider,id,accelerator,count,region,usd_per_hour,spot_usd_per_hour,source,as_of\n"
            .to_owned();
    for at in 0..regions {
        let usd = if at < 20 {
            10 + (at * 7 + 3) % 20
        } else {
            50 + at % 9
        };
        let _ = writeln!(
            csv,
            "wide,type,H100-80GB-SXM,8,place-{at},{usd},{},list,2026-11-01",
            f64::from(usd as u32) * 0.4
        );
    }
    folder(&[
        ("clouds.toml", "[[provider]]\nid = \"wide\"\n"),
        ("offers.csv", &csv),
    ])
}

#[test]
fn thousands_of_regions_change_no_price() {
    let answers = |regions: usize| {
        let catalog = sold_in(regions);
        let ask = |line: &str| {
            let line = format!("{line} --provider wide -o json");
            sky_line(&line).arg("--catalog").arg(catalog.path()).json()
        };
        let best = |line: &str| {
            let answer = ask(line);
            ["on_demand", "spot"].map(|price| answer["results"][0][price].clone())
        };
        let plan = ask("plan H100:x8 --spot-first --limit 12");
        let candidates: Vec<[Value; 3]> = plan["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|way| ["region", "capacity_type", "usd_per_hour"].map(|field| way[field].clone()))
            .collect();
        assert_eq!(candidates.len(), 12);
        (
            best("resolve H100:x8"),
            best("resolve H100:x8 --region place-7"),
            best("resolve H100:x8 --capacity-type spot"),
            candidates,
        )
    };
    let few = answers(20);
    assert_eq!(few.0[0]["usd_per_hour"], 10.0);
    assert_eq!(few.1[0]["region"], "place-7");
    for regions in [33, 3000] {
        assert_eq!(answers(regions), few, "{regions}");
    }
}
