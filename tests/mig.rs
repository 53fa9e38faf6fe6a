//! MIG: layouts as published, placements as listed by drivers, packings held against brute force.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

mod support;

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use serde_json::{Value, json};
use sky_accel::catalog::EMBEDDED;
use sky_accel_core::mig::{Chip, Fleet, Instance, free, pack, place};
use support::{sky, sky_line};

fn chip(geometry: &str) -> Chip<'static> {
    let row = EMBEDDED
        .geometries
        .iter()
        .find(|row| EMBEDDED.str(row.id) == geometry);
    Chip::new(&EMBEDDED, row.expect("a geometry"))
}

fn kind(chip: &Chip<'_>, name: &str) -> usize {
    chip.kinds
        .iter()
        .position(|kind| kind.name == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

fn counts(chip: &Chip<'_>, names: &[&str]) -> Vec<u32> {
    let mut counts = chip.none();
    for name in names {
        counts[kind(chip, name)] += 1;
    }
    counts
}

/// How many of each kind some instances are.
fn counted<'i>(chip: &Chip<'_>, instances: impl IntoIterator<Item = &'i Instance>) -> Vec<u32> {
    let mut counts = chip.none();
    for own in instances {
        counts[own.kind] += 1;
    }
    counts
}

/// All placed layouts of some kinds, by brute force over every start of every kind.
fn layouts(chip: &Chip<'_>, kinds: &[usize]) -> Vec<Vec<Instance>> {
    let mut all = vec![Vec::new()];
    let mut places: Vec<(Instance, u16)> = Vec::new();
    for kind in kinds {
        for (start, units) in &chip.kinds[*kind].starts {
            places.push((
                Instance {
                    kind: *kind,
                    start: Some(*start),
                },
                *units,
            ));
        }
    }
    grow(chip, &places, &mut Vec::new(), 0, &mut all);
    all
}

fn grow(
    chip: &Chip<'_>,
    places: &[(Instance, u16)],
    layout: &mut Vec<Instance>,
    taken: u16,
    all: &mut Vec<Vec<Instance>>,
) {
    for (at, (instance, units)) in places.iter().enumerate() {
        if taken & units != 0 {
            continue;
        }
        layout.push(*instance);
        if chip.admits(&counted(chip, layout.iter())).is_ok() {
            all.push(layout.clone());
            grow(chip, &places[at + 1..], layout, taken | units, all);
        }
        layout.pop();
    }
}

/// (maximal placed layouts, maximal multisets, all multisets but the empty one).
fn shapes(chip: &Chip<'_>, names: &[&str]) -> (usize, usize, usize) {
    let kinds: Vec<usize> = names.iter().map(|name| kind(chip, name)).collect();
    let all = layouts(chip, &kinds);
    let sets: BTreeSet<BTreeSet<Instance>> = all
        .iter()
        .map(|layout| layout.iter().copied().collect())
        .collect();
    let maximal = sets
        .iter()
        .filter(|a| !sets.iter().any(|b| a != &b && a.is_subset(b)))
        .count();
    let multiset = |layout: &Vec<Instance>| counted(chip, layout);
    let multisets: BTreeSet<Vec<u32>> = all.iter().map(multiset).collect();
    let is_part = |a: &Vec<u32>, b: &Vec<u32>| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
    let largest = multisets
        .iter()
        .filter(|a| !multisets.iter().any(|b| is_part(a, b)))
        .count();
    (maximal, largest, multisets.len() - 1)
}

#[test]
fn layouts_are_as_many_as_published() {
    let a100 = chip("a100-40gb");
    let charted = ["1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"];
    assert_eq!(shapes(&a100, &charted), (19, 12, 37));
    let with_wide = [&charted[..], &["1g.10gb"]].concat();
    assert_eq!(shapes(&a100, &with_wide), (78, 28, 77));
    assert_eq!(
        shapes(&chip("a30-24gb"), &["1g.6gb", "2g.12gb", "4g.24gb"]),
        (5, 4, 9)
    );
}

#[test]
fn all_seven_profiles_fit_whenever_their_sums_do() {
    let h100 = chip("h100-80gb-sxm");
    let kinds: Vec<usize> = (0..h100.kinds.len()).collect();
    let placed: BTreeSet<Vec<u32>> = layouts(&h100, &kinds)
        .iter()
        .map(|layout| counted(&h100, layout))
        .collect();
    assert_eq!(placed.len() - 1, 127);
    for counts in placed.iter().filter(|counts| counts.iter().any(|n| *n > 0)) {
        assert!(place(&h100, &[], counts).is_ok(), "{counts:?}");
    }
}

#[test]
fn what_is_known_to_fit_fits() {
    for (geometry, names) in [
        ("a100-40gb", &["4g.20gb", "2g.10gb", "1g.5gb"][..]),
        ("a100-40gb", &["3g.20gb", "3g.20gb"]),
        ("a100-40gb", &["4g.20gb", "3g.20gb"]),
        ("a100-40gb", &["3g.20gb", "2g.10gb", "2g.10gb"]),
        ("a100-40gb", &["2g.10gb", "2g.10gb", "2g.10gb", "1g.5gb"]),
        ("a100-40gb", &["1g.10gb"; 4]),
        (
            "a100-40gb",
            &[
                "1g.10gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb",
            ],
        ),
        ("a100-80gb", &["2g.20gb", "2g.20gb", "3g.40gb"]),
        ("h100-94gb", &["3g.47gb", "1g.24gb", "1g.12gb"]),
        ("h100-80gb-sxm", &["3g.40gb", "1g.20gb", "1g.20gb"]),
        ("a30-24gb", &["2g.12gb", "1g.6gb", "1g.6gb"]),
        ("rtxpro6000-96gb", &["2g.48gb", "1g.24gb", "1g.24gb"]),
        ("gb300-288gb", &["1g.70gb"; 4]),
    ] {
        let chip = chip(geometry);
        assert!(
            place(&chip, &[], &counts(&chip, names)).is_ok(),
            "{geometry} {names:?}"
        );
    }
    for (geometry, names, code) in [
        (
            "a100-40gb",
            &["3g.20gb", "3g.20gb", "1g.5gb"][..],
            "memory-slices",
        ),
        ("a100-40gb", &["4g.20gb", "4g.20gb"], "compute-slices"),
        ("a100-40gb", &["1g.5gb"; 8], "compute-slices"),
        (
            "a100-40gb",
            &["1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.5gb"],
            "memory-slices",
        ),
        (
            "a100-40gb",
            &["3g.20gb", "1g.10gb", "1g.10gb", "1g.10gb"],
            "memory-slices",
        ),
        ("gh200-96gb", &["1g.12gb+me"; 3], "one-media-slice"),
        (
            "rtxpro6000-96gb",
            &["1g.24gb+me", "1g.24gb+me"],
            "one-media-slice",
        ),
        (
            "rtxpro6000-96gb",
            &["1g.24gb+me.all", "2g.48gb"],
            "media-engines",
        ),
        ("a30-24gb", &["1g.6gb+me", "2g.12gb+me"], "one-media-slice"),
    ] {
        let chip = chip(geometry);
        let refusal = place(&chip, &[], &counts(&chip, names)).expect_err(geometry);
        assert_eq!(refusal.code(), code, "{geometry} {names:?}");
    }
}

fn fit(line: &str) -> (i32, Value) {
    let run = sky_line(&format!("mig fit {line} -o json")).run();
    let answer: Value = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
    (run.code, answer["results"][0].clone())
}

fn starts(result: &Value) -> Vec<(String, u64)> {
    let placements = result["placements"].as_array().cloned().unwrap_or_default();
    let mut starts: Vec<(String, u64)> = placements
        .iter()
        .map(|own| {
            (
                own["profile"].as_str().unwrap().to_owned(),
                own["start"].as_u64().unwrap(),
            )
        })
        .collect();
    starts.sort();
    starts
}

#[test]
fn what_is_there_already_is_minded() {
    let there = "--occupied 1g.10gb@0 1g.10gb@1 1g.10gb@5";
    let (code, result) = fit(&format!("H100 2g.20gb {there}"));
    assert_eq!(
        (code, starts(&result)),
        (0, vec![("2g.20gb".to_owned(), 2)])
    );
    let (_, result) = fit(&format!("H100 1g.20gb 1g.20gb {there}"));
    assert_eq!(
        starts(&result),
        [("1g.20gb".to_owned(), 2), ("1g.20gb".to_owned(), 6)]
    );
    for wanted in ["3g.40gb", "2g.20gb 2g.20gb"] {
        let (code, result) = fit(&format!("H100 {wanted} {there}"));
        assert_eq!(
            (code, &result["reason"]["code"]),
            (1, &json!("blocked")),
            "{wanted}"
        );
        assert!(result["gpus_needed"].is_null());
    }
    assert_eq!(fit("A100:40GB 4g.20gb --occupied 3g.20gb@0").0, 1);
    let (_, result) = fit("A100:40GB 3g.20gb --occupied 2g.10gb@4");
    assert_eq!(starts(&result), [("3g.20gb".to_owned(), 0)]);
    let (code, _) = fit("RTX-PRO-6000 2g.48gb --occupied 1g.24gb@3 1g.24gb@6");
    assert_eq!(code, 1);
}

#[test]
fn the_place_that_keeps_most_open_is_taken() {
    let h100 = chip("h100-80gb-sxm");
    for (name, start) in [
        ("3g.40gb", 4),
        ("1g.20gb", 6),
        ("1g.10gb", 6),
        ("2g.20gb", 4),
    ] {
        let placed = place(&h100, &[], &counts(&h100, &[name])).unwrap();
        assert_eq!(placed[0].start, Some(start), "{name}");
    }
}

#[test]
fn bad_input_names_what_is_right() {
    for (line, code, words) in [
        ("L4 1g.6gb", 2, "no MIG"),
        ("H100 1g.18gb", 2, "1g.18gb is a profile of H200"),
        ("A100:80GB 3g.20gb", 2, "3g.40gb"),
        ("A100 1g.10gb", 2, "not the same on every A100"),
        ("A100 9", 2, "not the same on every A100"),
        (
            "H100 4g.40gb 4g.40gb --to nvidia-smi -o json",
            1,
            "takes 8 compute slices",
        ),
        ("H100:x2 3g.40gb", 2, "leave the count out"),
        ("H100 1g.10gb+me*2", 1, "only one slice"),
        ("H100 1g.10gb --occupied 3g.40gb@2", 2, "starts at 0, 4"),
        ("H100 1g.10gb --occupied 3g.40gb@0 2g.20gb@2", 2, "overlap"),
        ("H100 1g.10gb --occupied 3g.40gb", 2, "3g.40gb@4"),
        ("H100 1g.10gb --occupied 1g.5gb@0", 2, "no profile 1g.5gb"),
        (
            "H100 1g.10gb --occupied 1g.10gb+me@0 1g.10gb+me@1",
            2,
            "no H100-80GB-SXM looks like that",
        ),
        ("H10 1g.10gb", 2, "unknown accelerator"),
        ("any 1g.10gb", 2, "name one"),
        (
            "RTX-PRO-5000 1g.24gb+me.all 1g.24gb",
            1,
            "only slices with -me",
        ),
        ("Thor 1g.0gb 2g.0gb", 1, "at most 1 slice without graphics"),
    ] {
        let run = sky(["mig", "fit"].into_iter().chain(line.split(' '))).run();
        assert_eq!(run.code, code, "{line}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{line}");
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
}

#[test]
fn packings_are_proved_and_tell_what_is_left() {
    let pack = |line: &str| {
        let run = sky_line(&format!("mig pack {line} -o json")).run();
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        (run.code, answer["results"][0].clone())
    };
    let (code, result) = pack("H100 3g.40gb=10 1g.10gb=20 2g.20gb=7 1g.10gb+me=3");
    assert_eq!(
        (code, &result["gpus_needed"], &result["proved"]),
        (0, &json!(10), &json!(true))
    );
    assert_eq!(result["placements"].as_array().unwrap().len(), 40);
    let (code, result) = pack("A30 4g.24gb=3 1g.6gb=5 --gpus 4");
    assert_eq!((code, &result["gpus_needed"]), (1, &json!(5)));
    assert_eq!(result["left"], json!([{"profile": "1g.6gb", "count": 1}]));
    // What a machine that is sold must have.
    let answer = sky_line("resolve H100:mig=3g.40gb*10+1g.10gb*20 --provider aws -o json").json();
    assert_eq!(answer["results"][0]["mig"]["gpus_needed"], 8);
}

#[test]
fn gpus_are_compared_by_the_price_of_a_slice() {
    let answer = sky_line("mig pack any --slice 10GB*20 -o json").json();
    let results = answer["results"].as_array().unwrap();
    let prices: Vec<f64> = results
        .iter()
        .filter_map(|own| own["cheapest"]["usd_per_slice_hour"].as_f64())
        .collect();
    assert!(prices.len() > 3 && prices.is_sorted(), "{prices:?}");
    let a100 = results
        .iter()
        .find(|own| own["gpu"] == "A100-40GB-SXM")
        .unwrap();
    // 10 GB are two memory slices of the small card: four to a GPU.
    assert_eq!(
        (&a100["slices"], &a100["gpus_needed"]),
        (&json!("1g.10gb*20"), &json!(5))
    );
    let cost = &a100["cheapest"];
    let whole = cost["whole_gpus_usd_per_hour"].as_f64().unwrap();
    assert!(cost["usd_per_hour"].as_f64().unwrap() < whole);
    for line in [
        "any --slice 500GB",
        "ANY 99g.10gb=20",
        "H100:x2 --slice 10GB*20",
    ] {
        let run = sky_line(&format!("mig pack {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
    }
    // A name is rounded memory, GiB is what there is; compute may be asked for too.
    for (line, slices) in [
        ("H200 --slice 18GB*7", "1g.18gb*7"),
        ("H200 --slice 18GiB*7", "1g.35gb*7"),
        ("A100:80GB --slice 2g.10GB*3", "2g.20gb*3"),
    ] {
        let answer = sky_line(&format!("mig pack {line} -o json")).json();
        assert_eq!(answer["results"][0]["slices"], slices);
    }
    for line in [
        "mig pack any --slice 10TB*2",
        "mig pack any --slice -1GB",
        "mig pack any foo",
        "mig pack any",
    ] {
        let run = sky_line(line).run().expect_code(2);
        assert_eq!(run.stdout, "", "{line}");
    }
}

#[test]
fn what_makes_the_slices_has_explicit_starts() {
    let lines = |line: &str| sky_line(&format!("mig {line}")).run().expect_code(0).stdout;
    assert_eq!(
        lines("fit A100:40GB 4g.20gb 2g.10gb 1g.5gb --to nvidia-smi"),
        "nvidia-smi -i 0 -mig 1\nnvidia-smi mig -i 0 -cgi 5:0,14:4,19:6 -C\n"
    );
    assert_eq!(
        lines("fit H100 2g.20gb --occupied 1g.10gb@0 --to nvidia-smi"),
        "nvidia-smi mig -i 0 -cgi 14:2 -C\n"
    );
    assert_eq!(
        lines("fit A30 1g.6gb --to nvidia-smi-undo"),
        "nvidia-smi mig -i 0 -dci\nnvidia-smi mig -i 0 -dgi\nnvidia-smi -i 0 -mig 0\n"
    );
    assert_eq!(
        lines("pack A30 2g.12gb+me=1 1g.6gb=2 4g.24gb=1 --to mig-parted"),
        "version: v1\nmig-configs:\n  sky-accel:\n    - devices: [0]\n      mig-enabled: true\n      mig-devices:\n        \"1g.6gb\": 2\n        \"2g.12gb+me\": 1\n    - devices: [1]\n      mig-enabled: true\n      mig-devices:\n        \"4g.24gb\": 1\n  all-disabled:\n    - devices: [0, 1]\n      mig-enabled: false\n"
    );
    let run = sky_line("mig fit A30 4g.24gb*2 --to nvidia-smi")
        .run()
        .expect_code(1);
    assert_eq!(run.stdout, "");
}

#[test]
fn compute_instances_share_gpu_instances() {
    let (code, result) = fit("H100 1c.3g.40gb*3 2c.2g.20gb");
    assert_eq!(code, 0);
    assert_eq!(
        starts(&result),
        [("2g.20gb".to_owned(), 0), ("3g.40gb".to_owned(), 4)]
    );
    assert_eq!(
        result["placements"][0]["compute_instances"],
        json!(["1c.3g.40gb", "1c.3g.40gb", "1c.3g.40gb"])
    );
    // What fits into the compute slices of a GPU instance, and not oftener than its table says.
    for (line, gpu_instances) in [
        ("H100 1c.7g.80gb*7", 1),
        ("H100 2c.7g.80gb*3 1c.7g.80gb", 1),
        ("H100 4c.7g.80gb 3c.7g.80gb", 1),
        ("H100 2c.3g.40gb 1c.3g.40gb", 1),
        ("H100 2c.3g.40gb*2", 2),
        ("A30 1c.2g.12gb*4", 2),
    ] {
        let (code, result) = fit(line);
        let placed = result["placements"].as_array().unwrap().len();
        assert_eq!((code, placed), (0, gpu_instances), "{line}");
    }
    for (line, words) in [
        ("H100 3c.4g.40gb", "1c.4g.40gb, 2c.4g.40gb, 4g.40gb"),
        ("H100 5c.7g.80gb", "no 5c compute instance"),
        ("H100 2c.1g.10gb", "no 2c compute instance"),
    ] {
        let run = sky_line(&format!("mig fit {line}")).run().expect_code(2);
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
    // Made first, cut then: the driver's number of the GPU instance is looked up by its place.
    let commands = sky_line("mig fit H100 1c.3g.40gb*2 1g.10gb --to nvidia-smi").run();
    assert_eq!(
        commands.expect_code(0).stdout,
        "nvidia-smi -i 0 -mig 1\n\
         nvidia-smi mig -i 0 -cgi 19:0 -C\n\
         nvidia-smi mig -i 0 -cgi 9:4\n\
         nvidia-smi mig -i 0 -gi \"$(nvidia-smi mig -i 0 -lgi | awk '$7 == \"4:4\" { print $6 }')\" -cci 0,0\n"
    );
}

#[test]
fn gpus_that_are_there_come_first() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("fleet.json");
    let path = file.to_str().unwrap();
    std::fs::write(
        &file,
        r#"{"0": ["3g.40gb@4", "1g.10gb@2"], "1": ["1g.10gb@6"], "5": []}"#,
    )
    .unwrap();
    let pack = |line: &str| {
        let run = sky_line(&format!("mig pack {line} -o json")).run();
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        (run.code, answer["results"][0].clone())
    };
    let onto = format!("--onto {path}");
    let (code, result) = pack(&format!("H100 2g.20gb=3 {onto}"));
    assert_eq!((code, &result["gpus_new"]), (0, &json!(0)));
    assert_eq!(result["layouts"][0]["gpu_indexes"], json!([1]));
    assert_eq!(result["existing"].as_array().unwrap().len(), 3);
    assert!(result["cheapest"].is_null());
    // The empty one is there too; a new one gets the next index.
    let (_, result) = pack(&format!("H100 7g.80gb=2 {onto}"));
    assert_eq!(
        (&result["gpus_new"], &result["proved"]),
        (&json!(1), &json!(true))
    );
    let mut indexes: Vec<u64> = result["placements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["gpu_index"].as_u64().unwrap())
        .collect();
    indexes.sort_unstable();
    assert_eq!(indexes, [5, 6]);
    let (code, result) = pack(&format!("H100 7g.80gb=2 {onto} --gpus 3"));
    assert_eq!(code, 1);
    assert_eq!(result["left"], json!([{"profile": "7g.80gb", "count": 1}]));
    // What was packed can be packed onto.
    let answer = sky_line(&format!("mig pack H100 2g.20gb=3 {onto} -o json")).run();
    std::fs::write(&file, answer.stdout).unwrap();
    let (_, result) = pack(&format!("H100 3g.40gb=1 1g.10gb=3 {onto}"));
    assert_eq!(result["gpus_new"], 1);
    assert_eq!(result["existing"].as_array().unwrap().len(), 6);
    let undo = sky_line(&format!(
        "mig pack H100 1g.10gb=1 {onto} --to nvidia-smi-undo"
    ))
    .run();
    assert_eq!(
        undo.expect_code(0).stdout.lines().next().unwrap(),
        "nvidia-smi mig -i 0 -gi \"$(nvidia-smi mig -i 0 -lgi | awk '$7 == \"3:1\" { print $6 }')\" -dci"
    );
    for (text, words) in [
        ("{", "EOF"),
        (
            r#"{"0": ["3g.40gb@2"]}"#,
            "GPU 0: 3g.40gb@2: 3g.40gb starts at 0, 4",
        ),
        (r#"{"0": ["3g.40gb@4", "1g.10gb@5"]}"#, "overlap"),
        (r#"{"0": ["3g.20gb@4"]}"#, "did you mean 3g.40gb?"),
        (r#"[{"gpu": 0, "start": 4}]"#, "`profile` is missing"),
        (
            r#"[{"gpu": 0, "profile": "1g.10gb", "profile_id": 15, "start": 6}]"#,
            "of another GPU",
        ),
        ("|   0  MIG 1g.10gb  19   9   6:2  |", "of another GPU"),
        (
            r#"{"results": [{"gpu": "A100-40GB-SXM", "placements": []}]}"#,
            "it is about A100-40GB-SXM",
        ),
        ("nothing", "nvidia-smi mig -lgi"),
    ] {
        std::fs::write(&file, text).unwrap();
        let run = sky_line(&format!("mig pack H100 1g.10gb=1 {onto}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{text}");
        assert!(run.stderr.contains(words), "{text}: {}", run.stderr);
    }
    std::fs::write(
        &file,
        r#"{"0": ["3g.40gb@4"], "1": [], "2": ["1g.10gb@0"]}"#,
    )
    .unwrap();
    let run = sky_line(&format!("mig pack H100 3g.40gb=8 {onto} --gpus 2")).run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    let run = sky_line("mig pack H100 1g.10gb=1 --onto /nonexistent/fleet").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
}

#[test]
fn every_tool_gets_its_own_words() {
    let lines = |line: &str| sky_line(&format!("mig {line}")).run().expect_code(0).stdout;
    let mix = "fit A100:80GB 3g.40gb 1g.10gb+me 1g.20gb";
    let kubernetes = lines(&format!("{mix} --to kubernetes"));
    for resource in ["mig-3g.40gb: 1", "mig-1g.10gb.me: 1", "mig-1g.20gb: 1"] {
        let line = format!("    nvidia.com/{resource}\n");
        assert!(kubernetes.contains(&line), "{kubernetes}");
    }
    assert!(!kubernetes.contains("single"));
    let uniform = lines("pack A30 1g.6gb=4 --to kubernetes");
    assert!(uniform.contains("nvidia.com/gpu: 1\n"), "{uniform}");
    assert!(
        uniform.contains("nvidia.com/gpu.product: NVIDIA-A30-MIG-1g.6gb\n"),
        "{uniform}"
    );
    assert!(lines("pack A30 1g.6gb=8 --to gpu-operator").ends_with(
        "\nkubectl label node \"$NODE\" nvidia.com/mig.config=all-1g.6gb --overwrite\n"
    ));
    assert!(
        lines("fit H100 1g.10gb*2 2g.20gb 3g.40gb --to gpu-operator").contains("=all-balanced ")
    );
    let custom = lines(&format!("{mix} --to gpu-operator"));
    assert!(custom.contains("\nkind: ConfigMap\n"), "{custom}");
    assert!(
        custom.contains("            \"1g.10gb+me\": 1\n"),
        "{custom}"
    );
    let claim = lines("fit H200 2g.35gb*2 --to dra");
    assert!(claim.contains("            count: 2\n"), "{claim}");
    assert!(claim.contains("profile == '2g.35gb'"), "{claim}");
    assert!(
        claim.contains("matchAttribute: gpu.nvidia.com/parentUUID\n"),
        "{claim}"
    );
    let flyte = lines("pack A100:80GB 3g.40gb=4 --to flyte");
    assert!(
        flyte.contains("flyte.GPU(\"A100_80G\", 1, partition=\"3g.40gb\")"),
        "{flyte}"
    );
    let gke = lines("pack H100:SXM:80GB 1g.10gb=8 --to gke");
    assert!(
        gke.ends_with(
            "--num-nodes 2 --accelerator type=nvidia-h100-80gb,count=1,gpu-partition-size=1g.10gb\n"
        ),
        "{gke}"
    );
    let aks = lines("pack H100:NVL 3g.47gb=2 --to aks");
    assert!(
        aks.ends_with("--node-count 1 --gpu-instance-profile MIG3g\n"),
        "{aks}"
    );
    for (line, words) in [
        (
            "fit H100 3g.40gb 1g.10gb --to gke",
            "cuts all its GPUs alike",
        ),
        (
            "fit H100:SXM 1g.20gb --to aks",
            "AKS has no word for 1g.20gb",
        ),
        (
            "fit H100:SXM 1g.10gb+me --to flyte",
            "Flyte has no word for 1g.10gb+me",
        ),
        (
            "fit A30 1g.6gb --to gke",
            "GKE has no words for slices of A30",
        ),
        ("fit H100 1c.3g.40gb --to dra", "no word for 1c.3g.40gb"),
    ] {
        let run = sky_line(&format!("mig {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
}

#[test]
fn ten_thousand_slices_are_packed_into_as_few_as_possible() {
    let h100 = chip("h100-80gb-sxm");
    let mut wanted = h100.none();
    for (name, n) in [
        ("1g.10gb", 4001),
        ("2g.20gb", 2999),
        ("3g.40gb", 2003),
        ("1g.20gb", 996),
        ("1g.10gb+me", 1),
    ] {
        wanted[kind(&h100, name)] = n;
    }
    let packing = pack(&h100, &wanted, &Fleet::default()).unwrap();
    assert!(
        packing.is_proved(),
        "{} of at least {}",
        packing.gpus,
        packing.at_least
    );
    check(&h100, &wanted, &packing);
}

/// Every GPU is cut as the rules allow, and every slice is somewhere.
fn check(chip: &Chip<'_>, wanted: &[u32], packing: &sky_accel_core::mig::Packing) {
    let mut placed = chip.none();
    for group in &packing.groups {
        let mut taken = 0_u16;
        let mut counts = chip.none();
        for own in &group.instances {
            let starts = &chip.kinds[own.kind].starts;
            let units = starts
                .iter()
                .find(|(start, _)| Some(*start) == own.start)
                .map(|(_, units)| *units);
            let units = units.expect("a start of the profile");
            assert_eq!(taken & units, 0, "{:?}", group.instances);
            taken |= units;
            counts[own.kind] += 1;
            placed[own.kind] += group.gpus.len() as u32;
        }
        assert_eq!(chip.admits(&counts), Ok(()));
    }
    assert_eq!(placed, wanted);
    assert_eq!(
        packing
            .groups
            .iter()
            .map(|group| group.gpus.len() as u32)
            .sum::<u32>(),
        packing.gpus
    );
    assert!(packing.at_least <= packing.gpus);
}

/// The fewest GPUs, by trying every way to fill one and remembering the rest.
fn fewest(ways: &[Vec<u32>], left: &[u32], known: &mut HashMap<Vec<u32>, u32>) -> u32 {
    if left.iter().all(|n| *n == 0) {
        return 0;
    }
    if let Some(gpus) = known.get(left) {
        return *gpus;
    }
    let mut best = u32::MAX;
    for way in ways {
        let after: Vec<u32> = left
            .iter()
            .zip(way)
            .map(|(left, n)| left.saturating_sub(*n))
            .collect();
        if after != left {
            best = best.min(1 + fewest(ways, &after, known));
        }
    }
    known.insert(left.to_vec(), best);
    best
}

/// What may be left when GPUs with these ways each take some, by trying everything.
fn after(gpus: &[Vec<Vec<u32>>], wanted: &[u32]) -> BTreeSet<Vec<u32>> {
    let mut rest = BTreeSet::from([wanted.to_vec()]);
    for ways in gpus {
        let take = |left: &Vec<u32>| {
            let without = |way: &Vec<u32>| {
                let each = left.iter().zip(way);
                each.map(|(left, n)| left.saturating_sub(*n)).collect()
            };
            ways.iter().map(without).collect::<Vec<Vec<u32>>>()
        };
        rest = rest.iter().flat_map(take).collect();
    }
    rest
}

/// Largest first, each on the first GPU that takes it.
fn first_fit_decreasing(chip: &Chip<'_>, wanted: &[u32]) -> u32 {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|kind| std::cmp::Reverse(chip.kinds[*kind].size()));
    let mut gpus: Vec<Vec<u32>> = Vec::new();
    for kind in order {
        for _ in 0..wanted[kind] {
            let takes = |gpu: &Vec<u32>| {
                let mut more = gpu.clone();
                more[kind] += 1;
                place(chip, &[], &more).is_ok()
            };
            if let Some(at) = gpus.iter().position(takes) {
                gpus[at][kind] += 1;
            } else {
                let mut gpu = chip.none();
                gpu[kind] = 1;
                gpus.push(gpu);
            }
        }
    }
    gpus.len() as u32
}

/// Whether some instances are one of the layouts, in whatever order.
fn is_layout(all: &[Vec<Instance>], instances: &[Instance]) -> bool {
    all.iter().any(|layout| {
        layout.len() == instances.len() && layout.iter().all(|own| instances.contains(own))
    })
}

const GEOMETRIES: [&str; 4] = ["h100-80gb-sxm", "a100-40gb", "a30-24gb", "rtxpro6000-96gb"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn packing_is_as_good_as_trying_everything(
        geometry in 0..GEOMETRIES.len(),
        numbers in proptest::collection::vec(0_u32..4, 11),
    ) {
        let chip = chip(GEOMETRIES[geometry]);
        // Three kinds at most: trying everything takes long.
        let mut wanted: Vec<u32> = numbers.into_iter().take(chip.kinds.len()).collect();
        let many: Vec<usize> = (0..wanted.len()).filter(|kind| wanted[*kind] > 0).skip(4).collect();
        for kind in many {
            wanted[kind] = 0;
        }
        prop_assume!(wanted.len() == chip.kinds.len());
        let kinds: Vec<usize> = (0..wanted.len()).filter(|kind| wanted[*kind] > 0).collect();
        let ways: BTreeSet<Vec<u32>> = layouts(&chip, &kinds)
            .iter()
            .map(|layout| counted(&chip, layout))
            .collect();
        let ways: Vec<Vec<u32>> = ways.into_iter().collect();
        let packing = pack(&chip, &wanted, &Fleet::default()).unwrap();
        check(&chip, &wanted, &packing);
        let least = fewest(&ways, &wanted, &mut HashMap::new());
        prop_assert_eq!(packing.gpus, least);
        prop_assert!(packing.gpus <= first_fit_decreasing(&chip, &wanted));
    }

    #[test]
    fn what_is_there_is_packed_onto_as_well_as_trying_everything(
        geometry in 0..GEOMETRIES.len(),
        there in proptest::collection::vec(any::<prop::sample::Index>(), 0..3),
        numbers in proptest::collection::vec(0_u32..3, 11),
        limit in 0_u32..5,
    ) {
        let chip = chip(GEOMETRIES[geometry]);
        let every: Vec<usize> = (0..chip.kinds.len()).collect();
        let all = layouts(&chip, &every);
        let mut wanted: Vec<u32> = numbers.into_iter().take(chip.kinds.len()).collect();
        let many: Vec<usize> = every.iter().copied().filter(|kind| wanted[*kind] > 0).skip(3).collect();
        for kind in many {
            wanted[kind] = 0;
        }
        prop_assume!(wanted.len() == chip.kinds.len());
        let states: Vec<&Vec<Instance>> = there.iter().map(|state| state.get(&all)).collect();
        let ways: Vec<Vec<Vec<u32>>> = states
            .iter()
            .copied()
            .chain([&Vec::new()])
            .map(|state| {
                let beside = |layout: &&Vec<Instance>| state.iter().all(|own| layout.contains(own));
                let of = |layout: &Vec<Instance>| {
                    let new = layout.iter().filter(|own| !state.contains(own));
                    let counts = counted(&chip, new);
                    counts.iter().zip(&wanted).map(|(n, wanted)| *n.min(wanted)).collect()
                };
                let ways: BTreeSet<Vec<u32>> = all.iter().filter(beside).map(of).collect();
                ways.into_iter().collect()
            })
            .collect();
        let (empty, occupied) = ways.split_last().unwrap();
        let fleet = |limit| Fleet {
            there: (0..).zip(states.iter().copied().cloned()).collect(),
            limit,
        };
        let packing = pack(&chip, &wanted, &fleet(None)).unwrap();
        prop_assert!(packing.left.iter().all(|n| *n == 0));
        let mut known = HashMap::new();
        let least = after(occupied, &wanted)
            .iter()
            .map(|left| fewest(empty, left, &mut known))
            .min();
        prop_assert_eq!(Some(packing.new_gpus), least);

        let limit = limit + occupied.len() as u32;
        let packing = pack(&chip, &wanted, &fleet(Some(limit))).unwrap();
        let mut rest = after(occupied, &wanted);
        for _ in occupied.len()..limit as usize {
            rest = rest.iter().flat_map(|left| after(std::slice::from_ref(empty), left)).collect();
        }
        let fewest_left = rest.iter().map(|left| left.iter().sum::<u32>()).min();
        prop_assert_eq!(Some(packing.left.iter().sum::<u32>()), fewest_left);
        for group in &packing.groups {
            let mut whole = group.existing.clone();
            whole.extend(&group.instances);
            prop_assert!(is_layout(&all, &whole));
        }
    }

    #[test]
    fn a_placement_exists_exactly_when_brute_force_finds_one(
        geometry in 0..GEOMETRIES.len(),
        there in any::<prop::sample::Index>(),
        more in any::<prop::sample::Index>(),
    ) {
        let chip = chip(GEOMETRIES[geometry]);
        let kinds: Vec<usize> = (0..chip.kinds.len()).collect();
        let all = layouts(&chip, &kinds);
        let existing = there.get(&all).clone();
        let wanted = counted(&chip, more.get(&all));
        let possible = all.iter().any(|layout| {
            let keeps = existing.iter().all(|own| layout.contains(own));
            keeps && counted(&chip, layout.iter().filter(|own| !existing.contains(own))) == wanted
        });
        let placed = place(&chip, &existing, &wanted);
        prop_assert_eq!(placed.is_ok(), possible);
        if let Ok(placed) = placed {
            let mut whole = existing;
            whole.extend(placed);
            prop_assert!(is_layout(&all, &whole));
            // What is said to be free is.
            for free in free(&chip, &whole) {
                for start in free.starts {
                    let mut more = whole.clone();
                    more.push(Instance { kind: free.kind, start: Some(start) });
                    prop_assert!(is_layout(&all, &more));
                }
            }
        }
    }
}
