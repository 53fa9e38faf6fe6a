//! A pod for version 2 of RunPod's API: `POST https://api.runpod.io/v2/pods`.

use serde_json::{Map, Value};

use crate::job::{Handover, Job, is_spot};
use crate::serving::{MODEL_TOKEN, Serving};
use crate::target::Descriptor;
use crate::{LossCode, Rendered, Unsupported, write};

const PROVIDER: &str = "runpod";

/// A pod for version 2 of RunPod's API.
pub(crate) const TARGET: Descriptor = Descriptor {
    provider: Some(PROVIDER),
    serving: Some(Serving::Machines),
    replaces_entry_point: false,
    ..Descriptor::new("runpod", "a pod for RunPod's API, version 2", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let mut pods = handover
        .candidates
        .iter()
        .filter(|candidate| handover.provider(candidate) == PROVIDER);
    let first = pods.next().ok_or(Unsupported::Machine("a pod of RunPod"))?;
    let job = handover.job;
    let mut gpu = Map::from_iter([
        ("id".to_owned(), Value::from(handover.instance_type(first))),
        ("count".to_owned(), Handover::count(first).into()),
    ]);
    if let Some(cuda) = &job.cuda {
        gpu.insert("minCudaVersion".to_owned(), cuda.as_str().into());
    }
    let image = handover.container_image().unwrap_or_else(|| {
        out.ask(
            "IMAGE",
            "a container image whose entry point runs the words in `args`",
        );
        "IMAGE"
    });
    let mut pod = Map::from_iter([
        ("name".to_owned(), Value::from(job.name.as_str())),
        ("image".to_owned(), image.into()),
        ("gpu".to_owned(), gpu.into()),
    ]);
    if let Some(tier) = handover.tier(first) {
        pod.insert("cloud".to_owned(), tier.to_ascii_uppercase().into());
    }
    let centers = handover.asked_regions(first);
    if !centers.is_empty() {
        pod.insert("dataCenterIds".to_owned(), centers.into());
    }
    if let Some(disk) = job.disk_gb {
        pod.insert("disk".to_owned(), disk.into());
    }
    add_command(job, &mut pod);
    let served = job.server.as_ref();
    let served = served.map(|server| format!("{}/http", server.endpoint.port));
    let ports: Vec<String> = served.into_iter().chain(["22/tcp".to_owned()]).collect();
    pod.insert("ports".to_owned(), ports.into());
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "a pod has a single GPU type: if RunPod returns 400 or 403, try the next candidate",
        );
    }
    out.lose_given(
        LossCode::Region,
        first.region.is_some() && handover.asked_regions(first).is_empty(),
        "no region was requested, so RunPod chooses the region of the pod",
    );
    if is_spot(first) {
        out.lose(
            LossCode::Spot,
            "version 2 of RunPod's API rents on-demand pods only",
        );
    }
    handover.lose_price_limit("a pod has no price limit", out);
    if job.host.is_some() {
        out.lose(
            LossCode::Host,
            "a pod request cannot state the smallest host, so a pod may have a smaller host",
        );
    }
    if job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            format!(
                "a pod is one machine: create it {} times, or a cluster",
                job.nodes
            ),
        );
    }
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "a pod runs a container image, not a machine image",
        );
    }
    if handover.layout.is_some() {
        out.lose(LossCode::Mig, "a pod cannot partition its GPUs");
    }
    if job.interconnect.is_some() && job.nodes > 1 {
        out.lose(
            LossCode::Interconnect,
            "pods are not linked: use RunPod's clusters",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is for EC2");
    }
    out.file("pod.json", write::json(&Value::Object(pod)));
    Ok(())
}

/// Adds the command and its environment. RunPod passes `args` to the entry point of the image, in place of its command,
/// and splits it like a shell.
fn add_command(job: &Job, pod: &mut Map<String, Value>) {
    let line = match (&job.entry_arguments, &job.command) {
        (Some(arguments), _) => Some(arguments.words.clone()),
        (None, Some(command)) => Some(format!("bash -c {}", write::shell(command))),
        (None, None) => None,
    };
    if let Some(line) = line {
        pod.insert("args".to_owned(), line.into());
    }
    let mut env = Map::new();
    if job.server.is_some() {
        env.insert(MODEL_TOKEN.to_owned(), "".into());
    }
    let variables = job.entry_arguments.iter();
    let variables = variables.flat_map(|arguments| &arguments.variables);
    env.extend(variables.map(|(name, value)| (name.clone(), value.as_str().into())));
    if !env.is_empty() {
        pod.insert("env".to_owned(), env.into());
    }
}
