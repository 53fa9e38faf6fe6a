//! A cluster for the Ray launcher with one node type, which is also the type of the head node.

mod aws;
mod azure;
mod google;
mod launcher;

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::{SdkKind, SharingKind};
use sky_accel_core::plan::Candidate;

use crate::aws::ec2;
use crate::job::Handover;
use crate::target::{Descriptor, Validation};
use crate::terraform::{azure as azurerm, google as gcp};
use crate::{LossCode, Rendered, Unsupported, write};

const TOOL: &str = "ray";

/// A cluster configuration for the Ray launcher.
pub(crate) const TARGET: Descriptor = Descriptor {
    tool: Some(TOOL),
    validation: Validation::OnRequest,
    ..Descriptor::new(TOOL, "a cluster for the Ray launcher", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let job = handover.job;
    let mut candidates = handover.candidates.iter();
    let first = candidates
        .find(|candidate| handover.provider_word(TOOL, candidate).is_some())
        .ok_or(Unsupported::Machine(
            "in a cloud that Ray's launcher supports",
        ))?;
    let (launcher, first) = match handover.provider(first) {
        gcp::PROVIDER => (google::launcher(handover, first, out), first),
        azurerm::PROVIDER => (azure::launcher(handover, first, out), first),
        _ => aws::launcher(handover, out)?,
    };
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "Ray starts a single node type and does not try the next candidate",
        );
    }
    let resources = resources(handover, first, out);
    let workers = job.nodes - 1;
    let mut cluster = Map::from_iter([
        (
            "cluster_name".to_owned(),
            Value::from(handover.name(60, out)),
        ),
        ("max_workers".to_owned(), workers.into()),
        ("provider".to_owned(), launcher.provider),
        ("auth".to_owned(), launcher.auth),
    ]);
    if let Some(image) = handover.container_image() {
        cluster.insert(
            "docker".to_owned(),
            json!({ "image": image, "container_name": "ray" }),
        );
    }
    cluster.insert(
        "available_node_types".to_owned(),
        json!({ "gpu": {
            "resources": resources,
            "min_workers": workers,
            "max_workers": workers,
            "node_config": launcher.node,
        } }),
    );
    cluster.insert("head_node_type".to_owned(), "gpu".into());
    // By default, Ray installs a wheel of its development branch.
    let version = handover
        .catalog
        .tool(TOOL)
        .map_or("", |tool| handover.catalog.str(tool.version));
    let wheel = write::shell(&format!("ray[default]=={version}"));
    let setup = format!("python -c 'import ray' || pip install -U {wheel}");
    cluster.insert("setup_commands".to_owned(), json!([setup]));
    lost(handover, out);
    out.file("cluster.yaml", write::yaml(&Value::Object(cluster)));
    Ok(())
}

/// Returns the resources that Ray counts on a node.
fn resources(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    let count = Handover::count(candidate);
    let mut resources = Map::new();
    if let Some(vcpu) = handover.offer(candidate).vcpu {
        resources.insert("CPU".to_owned(), (vcpu as u64).into());
    }
    let sdk = handover.catalog.sdk_kind(&handover.accelerator(candidate));
    match sdk {
        Some(SdkKind::Cuda | SdkKind::Rocm) => {
            resources.insert("GPU".to_owned(), count.into());
        }
        Some(SdkKind::Neuron) => {
            // Ray counts the logical cores that the driver shows by default.
            let mut shared = handover.catalog.sharing(candidate.found.accelerator);
            let cores = shared.find(|row| row.kind == SharingKind::LogicalCores);
            match cores.and_then(|row| row.devices) {
                Some(cores) => {
                    resources.insert(
                        "neuron_cores".to_owned(),
                        count.saturating_mul(cores as u32).into(),
                    );
                }
                None => out.lose(
                    LossCode::Count,
                    "the number of NeuronCores that Ray counts is not known",
                ),
            }
        }
        Some(SdkKind::Xla) => {
            let hosts = u32::from(handover.offer(candidate).hosts).max(1);
            resources.insert("TPU".to_owned(), (count / hosts).max(1).into());
        }
        None => {}
    }
    if let Some(word) = handover.word_alone(TOOL, candidate) {
        resources.insert(format!("accelerator_type:{}", word.text), 1.into());
    }
    resources
}

/// Adds the losses: settings that the launcher cannot express.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the machine image decides the driver, which must support CUDA {cuda}"),
        );
    }
    if job.command.is_some() {
        out.lose(
            LossCode::Command,
            "a cluster runs submitted jobs, not a command",
        );
    }
    let is_ec2 = handover
        .first()
        .is_some_and(|first| handover.provider(first) == ec2::PROVIDER);
    out.lose_given(
        LossCode::Image,
        handover.machine_image().is_some() && !is_ec2,
        "the machine image is for EC2",
    );
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "Ray's launcher rents whole GPUs: run mig.sh on the machines to partition them",
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "Ray's launcher does not attach network adapters",
        );
    }
}
