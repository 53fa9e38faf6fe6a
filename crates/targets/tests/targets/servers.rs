//! Targets that run servers.

use sky_accel_core::plan::CapacityOrder;
use sky_accel_core::sizing::ServingEngine;
use sky_accel_targets::{Endpoint, Job, Servers, Target};

use crate::planned::{Planned, plain_job};

/// The first file of a target for three servers.
fn server_file(planned: &Planned, name: &str, machines: u32) -> String {
    let target = Target::ALL.into_iter().find(|target| target.name() == name);
    let job = Job {
        image: Some("vllm/vllm-openai:v1".to_owned()),
        command: Some("vllm serve model".to_owned()),
        server: Some(Servers {
            endpoint: Endpoint::of(ServingEngine::Vllm).unwrap(),
            replicas: 3,
            machines,
            devices: 8,
        }),
        nodes: 3,
        ..plain_job()
    };
    let rendered = planned.render_job(target.unwrap(), &job).expect(name);
    rendered.files[0].text.clone()
}

#[test]
fn servers_have_their_port_and_the_token_of_the_hub() {
    for (provider, name, port, token) in [
        (
            "vastai",
            "vastai",
            "-p 8000:8000",
            "-e HF_TOKEN=${HF_TOKEN:-}",
        ),
        ("aws", "skypilot", "ports: 8000", "envs:\n  HF_TOKEN: \"\""),
        ("aws", "dstack", "port: 8000", "env:\n- HF_TOKEN="),
        (
            "modal",
            "modal",
            "web_server(8000",
            "os.environ.get(\"HF_TOKEN\", \"\")",
        ),
    ] {
        let planned = Planned::new("H100:x8", &[provider], &[], CapacityOrder::OnDemand);
        let text = server_file(&planned, name, 1);
        assert!(text.contains(port), "{name}: {text}");
        assert!(text.contains(token), "{name}: {text}");
    }
}

#[test]
fn modal_keeps_a_server_running_behind_an_address() {
    let planned = Planned::new("H100:x8", &["modal"], &[], CapacityOrder::OnDemand);
    let text = |machines: u32| server_file(&planned, "modal", machines);
    let server = text(1);
    for line in [
        ".entrypoint([])",
        "    min_containers=3,",
        "    max_containers=3,",
        "@modal.web_server(8000, ",
        "def serve() -> None:\n    subprocess.Popen([",
    ] {
        assert!(server.contains(line), "{line}: {server}");
    }
    assert!(!server.contains("@modal.clustered"), "{server}");
    // A server on several machines is a cluster.
    let cluster = text(3);
    assert!(cluster.contains("@modal.clustered(size=3"), "{cluster}");
    assert!(!cluster.contains("web_server"), "{cluster}");
}
