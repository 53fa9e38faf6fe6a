//! Files for plan targets.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use sky_accel_core::plan::Reject;
use sky_accel_core::word::Word as _;
use sky_accel_targets::{Step, Target};

use crate::support::{sky, sky_line};

/// A spec that the target can express: slices for a target that partitions GPUs.
fn spec(target: Target) -> &'static str {
    match target.step() {
        Step::Partition => "H100:mig=3g.40gb*2",
        Step::Provision | Step::Schedule => "H100:x8",
    }
}

/// Creates an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("plan")
        .join(name);
    fs::remove_dir_all(&path).ok();
    fs::create_dir_all(&path).expect("a folder");
    path
}

#[test]
fn every_target_writes_what_it_prints() {
    for target in Target::ALL {
        let name = target.name();
        let spec = spec(target);
        let line = format!("plan {spec} --to {name} --image im/age:1");
        let printed = sky_line(&line).run();
        assert_eq!(printed.code, 0, "{name}: {}", printed.stderr);
        let out = folder(name);
        let written = sky_line(&line).arg("--out").arg(&out).run();
        assert_eq!(written.code, 0, "{name}: {}", written.stderr);
        let paths: Vec<&str> = written.stdout.lines().collect();
        assert_eq!(
            fs::read_to_string(paths[0]).expect("a file"),
            printed.stdout,
            "{name}"
        );
        assert_eq!(
            fs::read_dir(&out).expect("a folder").count(),
            paths.len(),
            "{name}"
        );
        let json = sky_line(&format!("{line} -o json")).json();
        let files = json["render"]["files"].as_array().expect("files");
        assert_eq!(files[0]["text"], printed.stdout, "{name}");
        assert_eq!(json["render"]["target"], name);
        // Losses are printed to people too.
        for loss in json["render"]["lossy"].as_array().expect("losses") {
            let line = format!("lost: {}: ", loss["code"].as_str().expect("a code"));
            assert!(
                printed.stderr.contains(&line),
                "{name}: {line}: {}",
                printed.stderr
            );
        }
        let steps = json["steps"].as_array().expect("steps");
        let named: usize = steps
            .iter()
            .map(|step| step["files"].as_array().map_or(0, Vec::len))
            .sum();
        assert_eq!(named, files.len(), "{name}: {steps:?}");
    }
}

#[test]
fn strict_handover_allows_no_loss() {
    let lossless =
        sky_line("plan H100:x8 --provider aws --region us-east-1 --to aws-cli --strict").run();
    assert_eq!(lossless.code, 0, "{}", lossless.stderr);
    let out = folder("strict");
    for (line, code) in [
        (
            "plan H100:x8 --to runpod --strict --capacity-type spot",
            "--capacity-type",
        ),
        ("plan H100:mig=3g.40gb --to skypilot --strict", "mig"),
        ("plan H100:x8 --to docker --nodes 2 --strict", "nodes"),
        (
            "plan H100:x8 --to terraform --cuda 12.8 --strict",
            "cuda_min",
        ),
        (
            "plan H100:x8 --to dstack --interconnect any --strict",
            "interconnect",
        ),
        (
            "plan H100:x8 --to docker --max-price 50 --strict",
            "--max-price",
        ),
    ] {
        let run = sky_line(line).arg("--out").arg(&out).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        assert!(run.stderr.contains(code), "{line}: {}", run.stderr);
        assert_eq!(fs::read_dir(&out).expect("a folder").count(), 0, "{line}");
    }
}

#[test]
fn checks_the_output_folder_first() {
    let out = folder("unwritable");
    let file = out.join("file");
    fs::write(&file, "there").expect("a file");
    let run = sky_line("plan H100:x8 --to terraform --out")
        .arg(file.join("below"))
        .run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
    // The check comes before any work: the unknown spec is not even parsed.
    let both = sky_line("plan H10 --to terraform --out")
        .arg(file.join("below"))
        .run();
    assert!(both.stderr.contains("cannot write"), "{}", both.stderr);
    let lock = sky_line("plan H100:x8 --lock").arg(&out).run();
    assert_eq!((lock.code, lock.stdout.as_str()), (2, ""));
    assert_eq!(fs::read_dir(&out).expect("a folder").count(), 1);
}

#[test]
fn scripts_are_executable() {
    use std::os::unix::fs::PermissionsExt as _;
    let out = folder("scripts");
    let run = sky_line("plan H100:mig=1g.10gb*7 --provider verda --to verda --out")
        .arg(&out)
        .run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mode = fs::metadata(out.join("mig.sh"))
        .expect("a script")
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0o111);
    let mode = fs::metadata(out.join("instance.json"))
        .expect("a body")
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0);
}

#[test]
fn unknown_values_are_placeholders() {
    let plan = sky_line("plan H100:x8 --to kubernetes -o json").json();
    assert_eq!(plan["render"]["placeholders"][0]["name"], "IMAGE");
    for target in Target::ALL {
        let spec = spec(target);
        let plan = sky_line(&format!("plan {spec} --to {} -o json", target.name())).json();
        let text = plan["render"]["files"].to_string();
        assert!(
            !text.contains("ami-"),
            "{}: an image id is invented",
            target.name()
        );
        for placeholder in plan["render"]["placeholders"]
            .as_array()
            .expect("placeholders")
        {
            let name = placeholder["name"].as_str().expect("a name");
            assert!(
                name.contains(' ') || text.contains(name),
                "{}: {name}",
                target.name()
            );
        }
    }
}

/// Parts that the files of a target must contain.
#[test]
fn files_contain_the_settings_of_the_plan() {
    let text = |line: &str| sky_line(&format!("plan {line}")).run().stdout;
    let json = |line: &str| -> Value { serde_json::from_str(&text(line)).expect("JSON") };

    let skypilot = text(
        "L4:x4 --provider aws --region us-east-1 --capacity-type spot --limit 1 --nodes 2 --to skypilot",
    );
    for part in [
        "num_nodes: 2",
        "infra: aws/us-east-1",
        "instance_type: g6.12xlarge",
        "use_spot: true",
    ] {
        assert!(skypilot.contains(part), "{part}: {skypilot}");
    }
    let dstack = text("A100:40GB --provider verda --to dstack --disk 200");
    for part in [
        "gpu: nvidia:A100:40GB:1",
        "disk: 200GB..",
        "- verda",
        "spot_policy: on-demand",
    ] {
        assert!(dstack.contains(part), "{part}: {dstack}");
    }
    let amd = text("MI300X:x8 --to kubernetes");
    assert!(amd.contains("amd.com/gpu: 8"), "{amd}");
    let mig = text("H100:mig=3g.40gb*2 --to kubernetes");
    assert!(mig.contains("nvidia.com/mig-3g.40gb: 2"), "{mig}");
    let neuron = text("Trainium2:x16 --to kubernetes");
    assert!(neuron.contains("aws.amazon.com/neuron: 16"), "{neuron}");
    let ray = text("Trainium2:x16 --to ray");
    assert!(ray.contains("neuron_cores: 64"), "{ray}");

    let fleet =
        json("L4:x4 --region us-east-1 --spot-first --nodes 3 --max-price 4 --to ec2-fleet");
    assert_eq!(
        fleet["TargetCapacitySpecification"]["TotalTargetCapacity"],
        3
    );
    assert_eq!(
        fleet["TargetCapacitySpecification"]["DefaultTargetCapacityType"],
        "spot"
    );
    assert_eq!(fleet["SpotOptions"]["MaxTotalPrice"], "12");
    let terraform = json("H100:x8 --region us-east-1 --nodes 2 --interconnect efa --to terraform");
    let template = &terraform["resource"]["aws_launch_template"]["this"];
    assert_eq!(
        template["network_interfaces"].as_array().map(Vec::len),
        Some(32)
    );
    assert_eq!(terraform["resource"]["aws_instance"]["this"]["count"], 2);
    let block = json("p5en.48xlarge --provider aws --capacity-block cr-1 --to terraform");
    let template = &block["resource"]["aws_launch_template"]["this"];
    assert_eq!(
        template["instance_market_options"][0]["market_type"],
        "capacity-block"
    );
    // EC2 rejects a market type for a reservation.
    let reserved = json("g6.12xlarge --provider aws --reservation cr-1 --to terraform");
    let template = &reserved["resource"]["aws_launch_template"]["this"];
    assert!(template["instance_market_options"].is_null());
    assert!(template["capacity_reservation_specification"].is_array());
    let pod = json("L4:x4 --provider runpod --region US --cuda 12.8 --disk 50 --to runpod");
    assert_eq!(pod["gpu"]["minCudaVersion"], "12.8");
    assert!(
        pod["dataCenterIds"]
            .as_array()
            .is_some_and(|centers| !centers.is_empty())
    );
    let verda = json("H100:x8 --provider verda --capacity-type spot --to verda");
    assert_eq!(
        (&verda["is_spot"], &verda["contract"]),
        (&Value::from(true), &Value::from("SPOT"))
    );
    let vast = text(
        "H100:SXM:80GB:x8 --provider vastai --cuda 12.8 --max-price 30 --disk 200 --to vastai",
    );
    for part in [
        "gpu_name=H100_SXM",
        "num_gpus=8",
        "cuda_vers>=12.8",
        "dph<=30",
        "disk_space>=200",
    ] {
        assert!(vast.contains(part), "{part}: {vast}");
    }
}

#[test]
fn slurm_types_come_from_the_site() {
    let run = sky_line("plan H100:mig=3g.40gb --to slurm").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("--slurm-map 3g.40gb=TYPE"),
        "{}",
        run.stderr
    );
    // Documents of the command line name flags too.
    for format in ["json", "yaml"] {
        let run = sky_line(&format!("plan H100:x8 --to slurm -o {format}")).run();
        assert!(
            run.stdout.contains("--slurm-map GPU=TYPE"),
            "{}",
            run.stdout
        );
    }
    let run = sky([
        "plan",
        "H100:mig=3g.40gb",
        "--to",
        "slurm",
        "--slurm-map",
        "3g.40gb=h100_3g",
    ])
    .run();
    assert!(
        run.stdout.contains("#SBATCH --gres=gpu:h100_3g:1"),
        "{}",
        run.stdout
    );
}

#[test]
fn tpu_slices_are_requested_by_name_and_topology() {
    let overlay = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/tpu.toml");
    let text = |target: &str| {
        sky(["plan", "tpu-v5p-8", "--catalog", overlay, "--to", target])
            .run()
            .stdout
    };
    let kubernetes = text("kubernetes");
    for part in [
        "google.com/tpu: 4",
        "gke-tpu-topology: 2x2x1",
        "gke-tpu-accelerator: tpu-v5p-slice",
    ] {
        assert!(kubernetes.contains(part), "{part}: {kubernetes}");
    }
    assert!(
        text("flyte").contains("flyte.TPU(\"V5P\", \"2x2x1\")"),
        "{}",
        text("flyte")
    );
}

#[test]
fn the_guide_names_every_target_and_reason() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/plans.md"))
        .expect("the page");
    for target in Target::ALL {
        assert!(
            page.contains(&format!("`{}`", target.name())),
            "{}",
            target.name()
        );
    }
    for (word, _) in Reject::ALL {
        assert!(page.contains(&format!("| `{word}` |")), "{word}");
    }
}

#[test]
fn unusable_candidates_do_not_fill_the_list() {
    // SkyPilot does not support several nodes on RunPod and Vast.ai, whose spot offers would otherwise
    // fill the list.
    let run = sky_line("plan H100:x8 --nodes 2 --spot-first --to skypilot").run();
    assert!(run.stdout.contains("use_spot: true"), "{}", run.stdout);
    assert!(run.stdout.matches("infra: ").count() > 10, "{}", run.stdout);
    for cloud in ["runpod", "vast", "seeweb"] {
        let infra = format!("infra: {cloud}");
        assert!(!run.stdout.contains(&infra), "{}", run.stdout);
    }
    assert!(run.stderr.contains("cannot rent this at"), "{}", run.stderr);
}

#[test]
fn price_limits_are_written() {
    let text = |line: &str| sky_line(line).run().stdout;
    assert!(
        text("plan L40S --budget 1.2 --to vastai").contains("dph<=1.2 ")
            || text("plan L40S --budget 1.2 --to vastai").contains("dph<=1.2'")
    );
    // 100 dollars for two machines and ten hours are 5 dollars per machine and hour.
    assert!(
        text("plan L4:x4 --nodes 2 --hours 10 --budget 100 --to skypilot")
            .contains("max_hourly_cost: 5")
    );
}

#[test]
fn stated_regions_are_written_or_the_candidate_is_left_out() {
    for target in ["skypilot", "dstack"] {
        let run = sky_line(&format!("plan RTX4090 --region US --to {target}")).run();
        assert!(
            run.stderr.contains("cannot state the region"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("--region"), "{}", run.stderr);
        assert!(!run.stderr.contains("lost: region: "), "{}", run.stderr);
        let run = sky_line(&format!(
            "plan RTX4090 --provider runpod --region US --to {target}"
        ))
        .run()
        .expect_code(2);
        assert!(run.stdout.is_empty(), "{}", run.stdout);
    }
}

#[test]
fn machines_of_unknown_region_are_not_planned_for_a_region() {
    let line = "plan MI300X:x8 --provider oci --region EU";
    let plan = sky_line(&format!("{line} -o json")).json();
    assert_eq!(plan["results"][0]["region"], Value::Null);
    let run = sky_line(&format!("{line} --to terraform"))
        .run()
        .expect_code(2);
    assert!(
        run.stderr.contains("cannot state the region"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_interconnect_and_the_smallest_host_are_written_or_refused() {
    let cluster = "plan H100:x8 --nodes 4 --interconnect infiniband --to";
    for target in ["dstack", "kubernetes", "slurm"] {
        let run = sky_line(&format!("{cluster} {target}"))
            .run()
            .expect_code(2);
        assert!(run.stdout.is_empty(), "{target}: {}", run.stdout);
        let names = "cannot state the interconnect (--interconnect)";
        assert!(run.stderr.contains(names), "{target}: {}", run.stderr);
    }
    let text = |target: &str| {
        let line = "plan L4 --min-vcpu 8 --min-host-memory 30 --provider runpod,vastai";
        sky_line(&format!("{line} --to {target}")).run()
    };
    let run = text("skypilot");
    assert!(run.stdout.contains("cpus: 8+"), "{}", run.stdout);
    assert!(run.stdout.contains("memory: 28+"), "{}", run.stdout);
    let run = text("dstack");
    assert!(run.stdout.contains("cpu: \"8..\""), "{}", run.stdout);
    assert!(run.stdout.contains("memory: 28GB.."), "{}", run.stdout);
    let line = "plan L4 --min-vcpu 8 --provider aws --to kubernetes";
    let run = sky_line(line).run();
    assert!(run.stdout.contains("- g6.2xlarge"), "{}", run.stdout);
    assert!(!run.stdout.contains("- g6.xlarge"), "{}", run.stdout);
    let run = sky_line("plan L4 --min-vcpu 8 --to kubernetes").run();
    let key = "key: node.kubernetes.io/instance-type";
    assert!(run.stdout.contains(key), "{}", run.stdout);
    let run = text("runpod").expect_code(2);
    assert!(
        run.stderr
            .contains("cannot state the size of the host (--min-vcpu)"),
        "{}",
        run.stderr
    );
}

#[test]
fn fractions_are_not_rounded_silently() {
    for target in ["kubernetes", "flyte", "slurm", "modal", "docker"] {
        let run = sky_line(&format!("plan L4:x0.5 --to {target}")).run();
        assert!(
            run.stderr.contains("lost: count: "),
            "{target}: {}",
            run.stderr
        );
    }
    for target in ["dstack", "skyward"] {
        let run = sky_line(&format!("plan L4:x0.5 --to {target}")).run();
        assert_eq!(run.code, 2, "{target}: {}", run.stdout);
        assert!(run.stderr.contains("0.5"), "{target}: {}", run.stderr);
    }
}

#[test]
fn larger_machines_are_reported() {
    let run = sky_line("plan A100:40GB --provider aws --to terraform").run();
    assert!(
        run.stderr.contains("the price is for the whole machine"),
        "{}",
        run.stderr
    );
    // Modal sells two GPUs.
    let modal = sky_line("plan H200:x2 --to modal").run().stdout;
    assert!(modal.contains("gpu=\"H200:2\""), "{modal}");
}

#[test]
fn types_sold_in_blocks_need_the_id_of_a_block() {
    let rentable = sky_line("plan H200:x2 --to aws-cli --limit 40")
        .run()
        .stdout;
    assert!(!rentable.contains("CAPACITY_BLOCK_ID"), "{rentable}");
    let block = sky_line("plan Trainium2:x16 --to aws-cli").run().stdout;
    assert!(block.contains("CAPACITY_BLOCK_ID"), "{block}");
    let ray = sky_line("plan p5.48xlarge --reservation cr-1a --region us-east-1 --to ray")
        .run()
        .stdout;
    assert!(ray.contains("CapacityReservationId: cr-1a"), "{ray}");
}

#[test]
fn machines_of_recommended_models_have_a_disk_for_the_files() {
    // 16-bit files of 65 GB, the image and some space.
    for (provider, target, disk) in [
        ("aws", "terraform", "\"volume_size\": 150"),
        ("aws", "skypilot", "disk_size: 150"),
        ("aws", "dstack", "disk: 150GB.."),
        ("aws", "kubernetes", "ephemeral-storage: 150G"),
        ("runpod", "runpod", "\"disk\": 150"),
        ("vastai", "vastai", "--disk 150"),
    ] {
        let recommended = sky_line("recommend Qwen3-32B -o json --provider").arg(provider);
        let plan = sky_line("plan - --to")
            .arg(target)
            .stdin(recommended.run().expect_code(0).stdout)
            .run()
            .expect_code(0);
        assert!(plan.stdout.contains(disk), "{target}: {}", plan.stdout);
    }
    // A container uses the disk of its machine. Only a disk of the request is a loss.
    let recommended = sky_line("recommend Qwen3-32B -o json").run().expect_code(0);
    let messages = |options: &str| {
        sky_line(&format!("plan - --to compose {options}"))
            .stdin(recommended.stdout.clone())
            .run()
            .expect_code(0)
            .stderr
    };
    assert!(!messages("").contains("lost: disk"), "{}", messages(""));
    assert!(messages("--disk 200").contains("lost: disk"));
}

#[test]
fn failed_plans_leave_no_empty_folder() {
    let out = folder("empty").join("below");
    let run = sky_line("plan H100:x8 --nodes 2 --to docker --strict --out")
        .arg(&out)
        .run();
    assert_eq!(run.code, 2);
    assert!(!out.exists());
}

#[test]
fn overlay_names_are_escaped_for_terraform() {
    let folder = tempfile::tempdir().expect("a folder");
    for (provider, target) in [
        ("aws", "terraform"),
        ("azure", "terraform"),
        ("gcp", "terraform"),
        ("linode", "terraform"),
        ("nebius", "terraform"),
        ("oci", "terraform"),
        ("gcp", "gke"),
        ("azure", "aks"),
    ] {
        let region = if provider == "aws" {
            "us-east-1"
        } else {
            "here"
        };
        let overlay = folder.path().join(format!("{provider}.toml"));
        let text = format!(
            "sold_by = \"{provider}\"\n[[offer]]\nid = \"odd_${{file(1)}}\"\naccelerator = \"H100-80GB-SXM\"\ncount = 3\n\
             regions = [\"{region}\"]\nsource = \"x\"\nas_of = \"2026-11-01\"\n\
             [[price]]\noffer = \"odd_${{file(1)}}\"\nusd_per_hour = 9.0\nsource = \"x\"\nas_of = \"2026-11-01\"\n"
        );
        let regions = match provider {
            "aws" => String::new(),
            _ => {
                format!("[[provider]]\nid = \"{provider}\"\ndata_centers = [{{ id = \"here\" }}]\n")
            }
        };
        fs::write(&overlay, text + &regions).expect("an overlay");
        let out = folder.path().join(format!("{provider}-{target}"));
        let line = format!("plan H100:x3 --provider {provider} --to {target} --catalog");
        sky_line(&line)
            .arg(&overlay)
            .arg("--out")
            .arg(&out)
            .run()
            .expect_code(0);
        let files = fs::read_dir(&out).expect("the files");
        let mut is_named = false;
        for file in files {
            let path = file.expect("a file").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                let text = fs::read_to_string(&path).expect("text");
                let mut document: Value = serde_json::from_str(&text).expect("JSON");
                // Terraform does not evaluate templates in the declaration of a variable.
                document["variable"].take();
                let text = document.to_string();
                is_named |= text.contains("$${file(1)}");
                assert!(
                    !text.replace("$${", "").contains("${file"),
                    "{provider}: {text}"
                );
            }
        }
        assert!(is_named, "{provider} {target}");
    }
}

#[test]
fn terraform_uses_the_arguments_of_each_cloud() {
    for (line, parts) in [
        (
            "plan a3-highgpu-8g --provider gcp --exact --to gke",
            &["gke-accelerator: nvidia-h100-80gb\n", "nvidia.com/gpu: 8"][..],
        ),
        (
            "plan T4:x2 --provider gcp --capacity-type spot --to gke",
            &["gke-accelerator: nvidia-tesla-t4\n", "gke-spot: \"true\""],
        ),
        (
            "plan A100:40GB:mig=3g.20gb*2 --provider gcp --to gke",
            &["gke-gpu-partition-size: 3g.20gb", "nvidia.com/gpu: 2"],
        ),
        (
            "plan v5p-32 --to gke",
            &[
                "completions: 4",
                "google.com/tpu: 4",
                "gke-tpu-topology: 2x2x4",
            ],
        ),
        (
            "plan v5p-32 --to kubernetes",
            &["completions: 4", "google.com/tpu: 4"],
        ),
        (
            "plan T4 --provider azure --capacity-type spot --to aks",
            &[
                "instance-type: Standard_NC4as_T4_v3",
                "scalesetpriority: spot",
            ],
        ),
        (
            "plan H100:x8 --provider vultr --to terraform",
            &["\"vultr_bare_metal_server\"", "\"plan\": \"vbm-"],
        ),
        (
            "plan L40S --provider vultr --to terraform",
            &["\"vultr_instance\"", "\"plan\": \"vcg-"],
        ),
        (
            "plan v5p-8 --to terraform",
            &["\"google_tpu_v2_vm\"", "\"provider\": \"google-beta\""],
        ),
        (
            "plan T4:x4 --provider gcp --to terraform",
            &["\"default\": \"n1-standard-16\"", "\"count\": 4"],
        ),
        (
            "plan H100:x8 --provider nebius --to terraform",
            &["\"platform\": \"gpu-h100-sxm\"", "\"preset\": \"8gpu-"],
        ),
        (
            "plan T4 --provider azure --capacity-type spot --max-price 1 --to ray",
            &[
                "vmSize: Standard_NC4as_T4_v3",
                "priority: Spot",
                "maxPrice: 1",
            ],
        ),
        (
            "plan T4:x2 --provider gcp --to ray",
            &[
                "machineType: n1-standard-8",
                "acceleratorTypes/nvidia-tesla-t4",
            ],
        ),
        (
            "plan RTXPRO6000-Server --provider gcp --to skypilot",
            &["instance_type: g4-standard-48"],
        ),
        (
            "plan T4 --provider gcp --to skypilot",
            &["accelerators: T4:1"],
        ),
    ] {
        let run = sky_line(line).run().expect_code(0);
        for part in parts {
            assert!(run.stdout.contains(part), "{line}: {part}: {}", run.stdout);
        }
    }
    let run = sky_line("plan T4:x2 --provider gcp").run().expect_code(0);
    assert!(
        run.stderr.contains("attached to, such as n1-standard-8"),
        "{}",
        run.stderr
    );
}

#[test]
fn unsupported_products_are_errors() {
    for (line, words) in [
        (
            "plan v5p-32 --to flyte",
            "Flyte does not support slice 2x2x4 of V5P",
        ),
        (
            "plan MI300X:x8 --provider azure,digitalocean --to skypilot",
            "SkyPilot supports none of the candidates",
        ),
        (
            "plan H100:x8 --provider vultr --capacity-type spot --to dstack",
            "dstack supports none of the candidates",
        ),
    ] {
        let run = sky_line(line).run().expect_code(2);
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
        assert!(run.stdout.is_empty(), "{line}: {}", run.stdout);
    }
}

#[test]
fn unsupported_settings_of_a_cloud_are_losses() {
    let long = "a".repeat(45);
    for (line, lost) in [
        (
            "plan A100:80GB:x8 --provider gcp --to ray --image ami-123",
            "image",
        ),
        (
            "plan A100:80GB:x8 --provider azure --to ray --image ami-123",
            "image",
        ),
        (
            "plan A100:80GB:x8 --provider azure --to aks --name 12-jobs",
            "name",
        ),
        ("plan v5p-8 --to terraform --disk 200", "disk"),
        (&format!("plan H100:x8 --to gke --name {long}"), "name"),
    ] {
        let run = sky_line(line).run().expect_code(0);
        let words = format!("lost: {lost}: ");
        assert!(run.stderr.contains(&words), "{line}: {}", run.stderr);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let overlay = folder.path().join("spot.toml");
    let text = "sold_by = \"lambda\"\n[[price]]\noffer = \"gpu_8x_h100_sxm5\"\ncapacity_type = \"spot\"\nusd_per_hour = 9.0\nsource = \"x\"\nas_of = \"2026-11-01\"\n";
    fs::write(&overlay, text).expect("an overlay");
    for (engine, code) in [("skypilot", 2), ("dstack", 2), ("slurm", 2)] {
        let line =
            format!("plan H100:x8 --provider lambda --capacity-type spot --to {engine} --catalog");
        sky_line(&line).arg(&overlay).run().expect_code(code);
    }
}

#[test]
fn no_demand_is_only_a_loss() {
    for (demand, code) in [
        ("--provider aws", "provider"),
        ("--max-price 60", "max_price"),
        ("--budget 60", "max_price"),
        ("--region US", "region"),
        ("--capacity-type spot", "spot"),
    ] {
        let mut held = 0;
        for target in Target::ALL {
            let name = target.name();
            let spec = spec(target);
            let run = sky_line(&format!("plan {spec} {demand} --to {name}")).run();
            let lost = format!("lost: {code}: ");
            assert!(!run.stderr.contains(&lost), "{name}: {}", run.stderr);
            held += u32::from(run.code == 0);
            if run.stderr.contains("may not be as requested") {
                let flag = demand.split(' ').next().unwrap();
                assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}");
                assert!(run.stderr.contains(flag), "{name}: {}", run.stderr);
            }
        }
        assert!(held > 3, "{demand}: {held}");
    }
}

#[test]
fn pods_are_held_to_the_machine_types_of_a_demand() {
    let pod = |line: &str| {
        let run = sky_line(line).run();
        assert_eq!(run.code, 0, "{line}: {}", run.stderr);
        run.stdout
    };
    let plain = pod("plan H100:x8 --to kubernetes");
    assert!(
        !plain.contains("node.kubernetes.io/instance-type"),
        "{plain}"
    );
    for target in ["kubernetes", "dra"] {
        let line =
            format!("plan H100:x8 --provider aws --region us-east-1 --max-price 90 --to {target}");
        let held = pod(&line);
        for text in [
            "key: node.kubernetes.io/instance-type",
            "- p5.48xlarge",
            "key: topology.kubernetes.io/region",
            "- us-east-1",
        ] {
            assert!(held.contains(text), "{target}: {text}: {held}");
        }
    }
}
