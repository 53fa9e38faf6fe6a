//! Servers in Kubernetes: a Deployment of pods, or a LeaderWorkerSet if one server needs several machines, and a
//! Service.

use serde_json::{Map, Value, json};

use super::names::metadata;
use crate::job::Handover;
use crate::serving::{MODEL_TOKEN, Rendezvous, Servers, Serving};
use crate::write;

/// How pods run servers, and how the pods of one server meet.
pub(super) const PODS: Serving = Serving::Pods(Rendezvous {
    rank: "\"$LWS_WORKER_INDEX\"",
    address: Some("\"$LWS_LEADER_ADDRESS\""),
});

/// The name of the main file.
pub(super) const FILE: &str = "server.yaml";

/// The Secret with the token that downloads models, and its key.
const TOKEN_SECRET: (&str, &str) = ("hf-token", "token");

/// The seconds between two probes.
const PERIOD_S: u32 = 10;
/// The probes until a server has to be ready: two hours, since loading may include a download of a terabyte.
const LOADING: u32 = 720;

/// Returns the workload and its Service.
pub(super) fn documents(
    handover: &Handover<'_, '_>,
    server: &Servers,
    mut spec: Map<String, Value>,
    mut container: Map<String, Value>,
) -> [Value; 2] {
    spec.remove("restartPolicy");
    let (secret, key) = TOKEN_SECRET;
    let token = json!({ "secretKeyRef": { "name": secret, "key": key, "optional": true } });
    let variable = json!({ "name": MODEL_TOKEN, "valueFrom": token });
    container.insert("env".to_owned(), json!([variable]));
    let name = &handover.job.name;
    let app = write::slug(name, 50);
    let pod = |container: Map<String, Value>, labels: Value| {
        let mut spec = spec.clone();
        spec.insert("containers".to_owned(), json!([container]));
        json!({ "metadata": { "labels": labels }, "spec": spec })
    };
    let mut serving = container.clone();
    serving.extend(probes(server));
    let (workload, selector) = if server.machines > 1 {
        let leader = json!({ "app": app, "role": "leader" });
        let set = json!({
            "apiVersion": "leaderworkerset.x-k8s.io/v1",
            "kind": "LeaderWorkerSet",
            "metadata": metadata(name),
            "spec": {
                "replicas": server.replicas,
                "leaderWorkerTemplate": {
                    "size": server.machines,
                    "restartPolicy": "RecreateGroupOnPodRestart",
                    "leaderTemplate": pod(serving, leader.clone()),
                    "workerTemplate": pod(container, json!({ "app": app, "role": "worker" })),
                },
            },
        });
        (set, leader)
    } else {
        let labels = json!({ "app": app });
        let deployment = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata(name),
            "spec": {
                "replicas": server.replicas,
                "selector": { "matchLabels": labels },
                "template": pod(serving, labels.clone()),
            },
        });
        (deployment, labels)
    };
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name),
        "spec": {
            "selector": selector,
            "ports": [{ "name": "http", "port": server.endpoint.port, "targetPort": "http" }],
        },
    });
    [workload, service]
}

/// Returns the port and the probes of the container that answers requests.
fn probes(server: &Servers) -> Map<String, Value> {
    let probe = |failures: u32| {
        json!({
            "httpGet": { "path": server.endpoint.health, "port": "http" },
            "periodSeconds": PERIOD_S,
            "timeoutSeconds": PERIOD_S,
            "failureThreshold": failures,
        })
    };
    Map::from_iter([
        (
            "ports".to_owned(),
            json!([{ "name": "http", "containerPort": server.endpoint.port }]),
        ),
        ("startupProbe".to_owned(), probe(LOADING)),
        ("readinessProbe".to_owned(), probe(1)),
        ("livenessProbe".to_owned(), probe(6)),
    ])
}
