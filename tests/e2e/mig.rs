//! The command `sky-accel mig`.

use serde_json::{Value, json};

use crate::support::{sky, sky_line};

fn fit(line: &str) -> (i32, Value) {
    let run = sky_line(&format!("mig fit {line} -o json")).run();
    let answer: Value = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
    (run.code, answer["results"][0].clone())
}

fn starts(result: &Value) -> Vec<(String, u64)> {
    let placements = result["placements"].as_array().cloned().unwrap_or_default();
    let mut starts: Vec<(String, u64)> = placements
        .iter()
        .map(|placed| {
            (
                placed["profile"].as_str().unwrap().to_owned(),
                placed["start"].as_u64().unwrap(),
            )
        })
        .collect();
    starts.sort();
    starts
}

#[test]
fn occupied_slices_are_respected() {
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
fn bad_input_suggests_valid_values() {
    for (line, code, words) in [
        ("L4 1g.6gb", 2, "no MIG"),
        ("H100 1g.18gb", 2, "1g.18gb is a profile of H200"),
        ("A100:80GB 3g.20gb", 2, "3g.40gb"),
        ("A100 1g.10gb", 2, "differs between models of A100"),
        ("A100 9", 2, "differs between models of A100"),
        (
            "H100 4g.40gb 4g.40gb --to nvidia-smi -o json",
            1,
            "needs 8 compute slices",
        ),
        ("H100:x2 3g.40gb", 2, "remove the count"),
        ("H100 1g.10gb+me*2", 1, "only one slice"),
        ("H100 1g.10gb --occupied 3g.40gb@2", 2, "starts at 0, 4"),
        ("H100 1g.10gb --occupied 3g.40gb@0 2g.20gb@2", 2, "overlap"),
        ("H100 1g.10gb --occupied 3g.40gb", 2, "3g.40gb@4"),
        ("H100 1g.10gb --occupied 1g.5gb@0", 2, "no profile 1g.5gb"),
        (
            "H100 1g.10gb --occupied 1g.10gb+me@0 1g.10gb+me@1",
            2,
            "impossible on H100-80GB-SXM",
        ),
        ("H10 1g.10gb", 2, "unknown accelerator"),
        ("any 1g.10gb", 2, "name one"),
        (
            "RTX-PRO-5000 1g.24gb+me.all 1g.24gb",
            1,
            "all other slices must be -me",
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
fn packings_are_proved_and_list_unused_slices() {
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
    // Requirements on a machine for sale.
    let answer = sky_line("resolve H100:mig=3g.40gb*10+1g.10gb*20 --provider aws -o json").json();
    assert_eq!(answer["results"][0]["mig"]["gpus_needed"], 8);
}

#[test]
fn gpus_are_compared_by_the_price_of_a_slice() {
    let answer = sky_line("mig pack any --slice 10GB*20 -o json").json();
    let results = answer["results"].as_array().unwrap();
    // Confirmed prices come first.
    let prices: Vec<(bool, f64)> = results
        .iter()
        .filter_map(|result| {
            let cost = &result["cheapest"];
            let usd = cost["usd_per_slice_hour"].as_f64()?;
            Some((cost["doubts"].is_array(), usd))
        })
        .collect();
    let confirmed = prices.iter().filter(|(is_doubtful, _)| !is_doubtful);
    assert!(confirmed.clone().count() > 3 && confirmed.is_sorted());
    assert!(
        prices
            .iter()
            .map(|(is_doubtful, _)| is_doubtful)
            .is_sorted()
    );
    let a100 = results
        .iter()
        .find(|result| result["gpu"] == "A100-40GB-SXM")
        .unwrap();
    // 10 GB are two memory slices of the small card, so four slices fit on a GPU.
    assert_eq!(
        (&a100["slices"], &a100["gpus_needed"]),
        (&json!("1g.10gb*20"), &json!(5))
    );
    let cost = &a100["cheapest"];
    let whole_gpus = cost["whole_gpus_usd_per_hour"].as_f64().unwrap();
    assert!(cost["usd_per_hour"].as_f64().unwrap() < whole_gpus);
    for line in [
        "any --slice 500GB",
        "ANY 99g.10gb=20",
        "H100:x2 --slice 10GB*20",
    ] {
        let run = sky_line(&format!("mig pack {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
    }
    // GB is the rounded memory in a name, GiB the memory that the driver reports; compute slices may be requested too.
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
fn commands_state_the_start_of_each_slice() {
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
        "version: v1\nmig-configs:\n  sky-accel:\n    - devices: [0]\n      mig-enabled: true\n      mig-devices:\n        1g.6gb: 2\n        2g.12gb+me: 1\n    - devices: [1]\n      mig-enabled: true\n      mig-devices:\n        4g.24gb: 1\n  all-disabled:\n    - devices: [0, 1]\n      mig-enabled: false\n"
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
    // Instances that fit into the compute slices of a GPU instance, up to the limit of its table.
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
    // The GPU instance is created first and divided afterwards; its id is looked up by its placement.
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
fn existing_gpus_are_filled_first() {
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
    // The empty GPU is listed too; a new GPU gets the next index.
    let (_, result) = pack(&format!("H100 7g.80gb=2 {onto}"));
    assert_eq!(
        (&result["gpus_new"], &result["proved"]),
        (&json!(1), &json!(true))
    );
    let mut indexes: Vec<u64> = result["placements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["gpu_index"].as_u64().unwrap())
        .collect();
    indexes.sort_unstable();
    assert_eq!(indexes, [5, 6]);
    let (code, result) = pack(&format!("H100 7g.80gb=2 {onto} --gpus 3"));
    assert_eq!(code, 1);
    assert_eq!(result["left"], json!([{"profile": "7g.80gb", "count": 1}]));
    // `--onto` reads the output of `pack`.
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
            "it is for A100-40GB-SXM",
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
fn each_tool_gets_its_own_syntax() {
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
    assert!(custom.contains("            1g.10gb+me: 1\n"), "{custom}");
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
            "partitions all GPUs alike",
        ),
        (
            "fit H100:SXM 1g.20gb --to aks",
            "AKS does not support 1g.20gb",
        ),
        (
            "fit H100:SXM 1g.10gb+me --to flyte",
            "Flyte does not support 1g.10gb+me",
        ),
        (
            "fit A30 1g.6gb --to gke",
            "GKE does not support slices of A30",
        ),
        ("fit H100 1c.3g.40gb --to dra", "cannot request 1c.3g.40gb"),
    ] {
        let run = sky_line(&format!("mig {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
    }
}
